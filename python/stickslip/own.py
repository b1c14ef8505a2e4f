"""Solvers and friction laws of one's own."""

from __future__ import annotations

import inspect
from typing import Any, Callable, TypeVar

from ._core import add_law, add_set, add_solver

F = TypeVar("F", bound=Callable[..., Any])


def _summary(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ")


def solver(name: str) -> Callable[[F], F]:
    """Makes a function a solver, which steps and `solve` know by name.

    The function gets the problem, an array of impulses to change in place, and `done`, which it calls after every iteration and
    which is true when it must return: the residual of the iterate is judged outside the solver. Keyword-only arguments are
    options.

        @ss.solver("jacobi")
        def jacobi(problem, impulses, done, *, damping=0.5):
            ...
            for k in itertools.count(1):
                impulses[:] = ...
                if done(k):
                    return
    """

    def register(function: F) -> F:
        add_solver(name, function, _summary(function))
        return function

    return register


def law(name: str, *, rows: int = 2, **parameters: float | None) -> Callable[[F], F]:
    """Makes a class of friction sets, or a function that makes one, a law that materials and scenes know by name.

    A friction set is the convex set F(n) of friction impulses at the normal impulse n. It has two methods:
    `project(normal, trial)`, the closest point of F(normal) to trial, and `support_point(direction)`, the point of F(1) that lies
    farthest along a direction. `parameters` are the numbers of the law with their defaults; None: it must be given. A function
    whose first argument is called `site` is asked at every contact (see `ContactSite`), and may return a pair of tangent and set.

        @ss.law("climbing-skin", friction=0.5)
        class HalfDisc:
            def __init__(self, friction): ...
            def project(self, normal, trial): ...
            def support_point(self, direction): ...

        world.add_material("skin", friction={"law": "climbing-skin", "friction": 0.4})
    """

    def register(make: F) -> F:
        arguments = list(inspect.signature(make).parameters)
        at_sites = bool(arguments) and arguments[0] == "site"
        add_law(name, make, parameters, rows, _summary(make), at_sites)
        if inspect.isclass(make):
            add_set(getattr(make, "name", make.__name__), make, rows)
        return make

    return register
