"""Whatever is passed, Python gets an exception and never a crash; nothing leaks."""

import gc
import inspect
import os
import random
import subprocess
import sys

import numpy as np
import pytest

import stickslip as ss
from stickslip import _core

# These wait, or write where they are told to.
LEFT_OUT = {"view", "Server", "record", "save", "replay"}


class Loop(list):
    """A list that holds itself."""

    def __init__(self):
        super().__init__()
        self.append(self)


class Hostile:
    """Raises whatever it is asked for."""

    def __getattr__(self, name):
        raise KeyError(name)

    def __float__(self):
        raise OverflowError

    def __len__(self):
        raise MemoryError


def odd_values(rng):
    world = ss.World()
    ball = world.add(name="ball", shape=ss.sphere(0.1))
    joint = world.add_joint("hinge", b=ball, anchor=(0, 0, 0))
    gone = world.add(name="gone", shape=ss.sphere(0.1), position=(5, 0, 0))
    world.remove(gone)
    sim = ss.Stepper(world)
    report = sim.step()
    return [
        None, True, 0, 1, -1, 2**70, -(2**70), 0.0, -1.5, 1e308, float("nan"), float("inf"), "", "x", "ball", "wall", "\0", "é" * 300, b"x",
        [], [1], [1, 2, 3], [[1, 2], [3]], (0, 0, 0, 0), {}, {"a": 1}, {1: 2}, {"shape": {"type": "sphere", "radius": 1}}, Loop(), Hostile(),
        object(), int, lambda *a, **k: None, lambda *a, **k: 1 / 0, range(3), np.zeros(3), np.zeros((2, 3)), np.zeros(0), np.eye(3),
        np.array(["a"]), np.full(3, np.nan), np.float32(1), world, ball, gone, joint, sim, report, report.contacts, world.save_state(),
        sim.problem(), ss.World(), rng.random(), slice(None), Ellipsis, 1j, set(), iter([1]),
    ]  # fmt: skip


def calls_of(thing):
    """All methods, properties and operators of an object that are public."""
    for name in dir(type(thing)):
        if name in LEFT_OUT or name in ("__class__", "__init_subclass__", "__new__", "__subclasshook__", "__del__", "__reduce_ex__", "__reduce__"):
            continue
        if name.startswith("_") and name not in ("__getitem__", "__contains__", "__eq__", "__call__", "__len__", "__deepcopy__", "__next__"):
            continue
        yield name


def attempt(function, *arguments, **named):
    try:
        function(*arguments, **named)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:
        assert not isinstance(error, SystemError), error


@pytest.mark.parametrize("seed", range(int(os.environ.get("STICKSLIP_FUZZ", "2"))))
def test_odd_arguments_never_crash(seed):
    rng = random.Random(seed)
    for name in ss.__all__:
        thing = getattr(ss, name)
        if name in LEFT_OUT or not callable(thing) or (inspect.isclass(thing) and issubclass(thing, BaseException)):
            continue
        for _ in range(40):
            values = odd_values(rng)
            attempt(thing, *rng.choices(values, k=rng.randint(0, 4)))
            attempt(thing, rng.choice(values), **{rng.choice(["name", "h", "shape", "b", "tol", "steps", "x"]): rng.choice(values)})
    values = odd_values(rng)
    things = [v for v in values if type(v).__module__.startswith("stickslip")]
    things += [t for v in things for t in [getattr(v, "solve", None), getattr(v, "energy", None)] if t is not None]
    joint = next(v for v in values if isinstance(v, ss.Joint))
    things.append(joint["turn_z"])
    for thing in things:
        for name in calls_of(thing):
            for _ in range(6):
                value = rng.choice(values)
                if callable(getattr(type(thing), name, None)):
                    if name == "step" or (name == "finish" and len(thing) > 100):
                        continue   # a count that was meant may take for ever
                    attempt(lambda: getattr(thing, name)(*rng.choices(values, k=rng.randint(0, 3))))
                else:
                    attempt(lambda: getattr(thing, name))
                    attempt(setattr, thing, name, value)
    for bad in (0, -1, None, "x", 1.5, 2**70):
        attempt(ss.Stepper(ss.World()).step, bad)


def resident_kilobytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def test_a_thousand_worlds_leak_nothing():
    start = ss.scene("pinch-grasp")
    ss.Stepper(start).step(100)   # the fingers touch

    def live(count):
        for i in range(count):
            world = start.copy()
            sim = ss.Stepper(world)
            report = sim.step()
            views = report.contacts.impulse, report.contacts.bodies, sim.problem().b
            state = world.save_state()
            world.restore(state)
        del world, sim, report, views, state
        gc.collect()

    live(100)
    before = resident_kilobytes()
    live(900)
    for i in range(100):
        ss.scene("pinch-grasp")
    assert resident_kilobytes() - before < 6000   # a world alone takes more than 40


def test_objects_cannot_be_made_of_nothing():
    made = {"World", "Stepper", "Problem", "Server"}
    for name, kind in vars(_core).items():
        if not inspect.isclass(kind) or issubclass(kind, BaseException):
            continue
        if name not in made:
            for make in (kind, lambda kind=kind: kind.__new__(kind), lambda kind=kind: type("Mine", (kind,), {})()):
                with pytest.raises(TypeError):
                    make()
            continue
        empty = kind.__new__(kind)   # its constructor was not called
        for member in (m for m in dir(kind) if not m.startswith("__") and m not in LEFT_OUT):
            attempt(lambda: getattr(empty, member)())
        for function in (len, repr, ss.view, ss.Stepper, lambda e: ss.step_all([e]), ss.solve, ss.replay):
            attempt(function, empty)


def test_the_interpreter_ends_well_whatever_still_lives():
    script = """
import stickslip as ss, numpy as np
@ss.law("at-exit", friction=0.5)
class Disc:
    def __init__(self, friction): self.mu = friction
    def project(self, n, x): return x * min(1, self.mu * max(n, 0) / max(np.linalg.norm(x), 1e-300))
    def support_point(self, d): return self.mu * d / max(np.linalg.norm(d), 1e-300)
@ss.solver("at-exit")
def nothing(problem, impulses, done): return
world = ss.World()
world.add_material("m", friction={"law": "at-exit"})
world.add(motion="fixed", shape=ss.half_space(), material="m")
world.add(shape=ss.box(1, 1, 1), position=(0, 0, 1), material="m")
sim = ss.Stepper(world)
report = sim.step(3)
views = [report.contacts.impulse, sim.problem().b]
server = ss.view(world, block=False, browser=False)
print("end")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout == "end\n", done.stderr
