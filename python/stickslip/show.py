"""Looking at worlds and runs: in the browser, and in notebooks."""

from __future__ import annotations

import html
import os
import tempfile
import time
import webbrowser
from typing import Any, Callable

from ._core import Problem, Recording, Server, Stepper, World
from .scene import Source, scene


def _world_of(given: World | Source) -> World:
    return given if isinstance(given, World) else scene(given)


def view(
    world: World | Source, *, port: int = 0, paused: bool = False, speed: float = 1, block: bool = True, browser: bool = True
) -> Server:
    """Shows a copy of a world live in the browser: pause, drag bodies, change the solver.

    world: or whatever `scene` makes one of.
    block: wait for Ctrl-C; else the server is returned at once, and runs until it is stopped or forgotten.
    """
    world = _world_of(world)
    server = Server(world, port, paused, speed)
    if browser:
        webbrowser.open(server.url)
    if block:
        print(f"{world.name} is at {server.url}\nCtrl-C ends it.", flush=True)
        try:
            while True:
                time.sleep(0.1)
        except KeyboardInterrupt:
            server.stop()
    return server


class Replay:
    """A run as one page with everything inside. A notebook shows it; `save` writes it to a file."""

    def __init__(self, page: str, height: int = 480) -> None:
        self.page = page
        self.height = height

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page. path: such as run.html"""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.page)

    def _repr_html_(self) -> str:
        page = html.escape(self.page, quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: {self.height}px; border: 0" allowfullscreen></iframe>'

    def __repr__(self) -> str:
        return f"<stickslip.Replay: {len(self.page) / 1e6:.1f} MB>"


def replay(
    world: World | Source,
    seconds: float | None = None,
    *,
    controller: Callable[[Stepper], Any] | None = None,
    frames_per_second: float = 30,
    height: int = 480,
    **options: Any,
) -> Replay:
    """Runs a copy of a world and returns what happened, to be looked at: the last line of a notebook cell shows it.

    world: or whatever `scene` makes one of. seconds: as long as the scene says if not given; 0 shows the world as it is.
    options: of the stepper.
    """
    sim = Stepper(_world_of(world).copy(), **options)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.html")
        with sim.record(path, frames_per_second):
            sim.run(seconds, controller=controller).finish()
        with open(path, encoding="utf-8") as file:
            return Replay(file.read(), height)


def _world_html(world: World) -> str:
    return replay(world, 0)._repr_html_()


def _recording_html(recording: Recording) -> str | None:
    if not recording.path.endswith(".html"):
        return None
    recording.finish()
    with open(recording.path, encoding="utf-8") as file:
        return Replay(file.read())._repr_html_()


def _problem_html(problem: Problem) -> str:
    kinds: dict[str, int] = {}
    for block in problem.blocks:
        kinds[block["kind"]] = kinds.get(block["kind"], 0) + 1
    rows = [("rows", problem.rows), *kinds.items(), ("h [s]", problem.h)]
    if len(problem.impulses):
        rows.append(("residual [m/s]", f"{problem.residual(problem.impulses).total:.3g}"))
    return "<table>" + "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in rows) + "</table>"


World._repr_html_ = _world_html  # type: ignore[attr-defined]
Recording._repr_html_ = _recording_html  # type: ignore[attr-defined]
Problem._repr_html_ = _problem_html  # type: ignore[attr-defined]
