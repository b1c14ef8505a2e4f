"""Scenes and shapes: documents as scene files have them (docs/scenes.md)."""

from __future__ import annotations

import os
from typing import Any, Mapping, Sequence, Union

from ._core import World, open_scene

Shape = dict[str, Any]
Source = Union[str, "os.PathLike[str]", Mapping[str, Any]]


def scene(source: Source, changes: Mapping[str, Any] | None = None, /, **parameters: Any) -> World:
    """The world that a scene describes.

    source: the name of a built-in scene (see `scenes`), a .json file, a robot (.urdf, .xml), a checkpoint or trajectory (.h5) to
    go on from, or a dictionary.
    changes: values by their place in the document, {"/step/h": 0.005, "/materials/0/friction": 0.3}.
    parameters: of a built-in scene: scene("wall", rows=12).
    """
    if isinstance(source, World):
        raise TypeError("This is a world already.")
    if isinstance(source, Mapping):
        source = dict(source)
    all_changes = {f"/parameters/{name}": value for name, value in parameters.items()}
    all_changes.update(changes or {})
    return open_scene(source, all_changes)


def sphere(radius: float) -> Shape:
    """A ball. radius: [m]"""
    return {"type": "sphere", "radius": radius}


def box(x: float, y: float, z: float) -> Shape:
    """A box around the origin. x, y, z: half of its edges [m]"""
    return {"type": "box", "half_extents": [x, y, z]}


def capsule(radius: float, half_height: float) -> Shape:
    """All points within `radius` of a segment along z that is twice `half_height` long [m]."""
    return {"type": "capsule", "radius": radius, "half_height": half_height}


def cylinder(radius: float, half_height: float) -> Shape:
    """A cylinder around z with caps at plus and minus `half_height` [m]."""
    return {"type": "cylinder", "radius": radius, "half_height": half_height}


def half_space() -> Shape:
    """All points with z below 0 of the body frame: a floor, for bodies that no force moves."""
    return {"type": "half-space"}


def hull(points: Sequence[Sequence[float]]) -> Shape:
    """The convex hull of points [m]."""
    return {"type": "hull", "points": points}


def mesh(
    file: str | os.PathLike[str] | None = None,
    vertices: Sequence[Sequence[float]] | None = None,
    triangles: Sequence[Sequence[int]] | None = None,
    *,
    as_: str | None = None,
    **fields: Any,
) -> Shape:
    """A surface of triangles: a file, or vertices [m] and triangles counter-clockwise seen from outside.

    as_: "hull" for its convex hull, "hulls" for several; without it the triangles as they are.
    fields: what else a mesh in a scene file may have, such as scale, repair or make.
    """
    return {"type": "mesh", "file": file, "vertices": vertices, "triangles": triangles, "as": as_, **fields}
