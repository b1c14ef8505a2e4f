"""Trajectories read back: what `Stepper.record("run.h5")` and `stickslip run -o run.h5` write (docs/records.md)."""

from __future__ import annotations

import json
import os
from typing import Any, Iterator

import numpy as np

from ._core import Error, is_trajectory


class Trajectory:
    """A recorded run. Datasets of the file by their names, read when they are asked for and then kept.

        run = ss.load_trajectory("run.h5")
        run.time, run.position[:, run.bodies["box"]]       # frames, frames x 3
        run["joints/motor_force"]                          # any dataset of docs/records.md
        run.telemetry("kinetic_energy")                    # one number per step
        run.contacts(10)["position"]                       # contacts of frame 10
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        import h5py  # takes a while to import, and only this needs it

        self.path = os.fspath(path)
        self._read: dict[str, np.ndarray] = {}
        if not os.path.exists(self.path):
            raise Error(f"{self.path}: There is no such file.")
        if not is_trajectory(self.path):   # a file whose writer was killed has been mended by then
            what = "This is not a trajectory, or it is damaged."
            raise Error(f"{self.path}: {what} Stepper.record writes one, and so does stickslip run -o run.h5.")
        try:
            self._file = h5py.File(self.path, "r")
        except OSError:   # somebody is writing it
            self._file = h5py.File(self.path, "r", libver="latest", swmr=True)

    def close(self) -> None:
        """Closes the file. What has been read stays."""
        self._file.close()

    def __enter__(self) -> Trajectory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def keys(self) -> list[str]:
        """Names of all datasets."""
        names: list[str] = []
        self._file.visititems(lambda name, thing: names.append(name) if hasattr(thing, "shape") else None)
        return names

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __contains__(self, name: str) -> bool:
        return name in self._file

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._read:
            if name not in self._file or not hasattr(self._file[name], "shape"):
                raise Error(f"{self.path}: There is no dataset '{name}'. Trajectory.keys() lists them.")
            self._read[name] = self._file[name][()]
        return self._read[name]

    @property
    def attributes(self) -> dict[str, Any]:
        """Format, version, scene, solver, scheme, h, ..."""
        return {name: value.decode() if isinstance(value, bytes) else value for name, value in self._file.attrs.items()}

    @property
    def document(self) -> dict[str, Any]:
        """The scene document: `ss.scene(run.document)` starts it again."""
        return dict(json.loads(bytes(self["scene_document"]).rstrip(b"\0")))

    @property
    def bodies(self) -> dict[str, int]:
        """Columns of the bodies by name."""
        return {bytes(name).rstrip(b"\0").decode(errors="replace"): i for i, name in enumerate(self["bodies/name"])}

    @property
    def time(self) -> np.ndarray:
        """Of the frames [s]."""
        return self["time"]

    @property
    def position(self) -> np.ndarray:
        """Centres of mass: frames x bodies x 3, world frame [m]."""
        return self["position"]

    @property
    def orientation_wxyz(self) -> np.ndarray:
        """Frames x bodies x 4."""
        return self["orientation_wxyz"]

    @property
    def velocity(self) -> np.ndarray:
        """Frames x bodies x 3 [m/s]."""
        return self["velocity"]

    def telemetry(self, name: str) -> np.ndarray:
        """A column of the telemetry: one number per step."""
        return self["telemetry/" + name]

    def contacts(self, frame: int) -> dict[str, np.ndarray]:
        """The contacts of a frame: position, normal, gap, impulse, ... by name."""
        frames = len(self.time)
        if not -frames <= frame < frames:
            raise Error(f"{self.path}: There is no frame {frame}. There are {frames}.")
        begin, end = (int(i) for i in self["contacts/offset"][frame % frames : frame % frames + 2])
        per_contact = len(self["contacts/gap"])
        return {
            name: self["contacts/" + name][begin:end]
            for name, dataset in self._file["contacts"].items()
            if not name.endswith("offset") and len(dataset) == per_contact and name != "outline"
        }

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        return f"<stickslip.Trajectory '{self.path}': {len(self)} frames>"


def load_trajectory(path: str | os.PathLike[str]) -> Trajectory:
    """Opens a recorded run. path: a .h5 file"""
    return Trajectory(path)
