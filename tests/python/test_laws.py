"""Friction laws written in Python."""

import numpy as np
import pytest

import stickslip as ss

G = 9.81


@ss.law("python-skin", friction=0.5)
class HalfDisc:
    """Glides along the structure, holds in every other direction."""

    name = "python-half-disc"

    def __init__(self, friction):
        self.mu = friction
        self.parameters = [friction]

    def project(self, normal, trial):
        half = np.array([max(trial[0], 0), trial[1]])
        radius, size = self.mu * max(normal, 0), np.linalg.norm(half)
        return half * radius / size if size > radius else half

    def support_point(self, direction):
        half = np.array([max(direction[0], 0), direction[1]])
        size = np.linalg.norm(half)
        return self.mu * half / size if size > 0 else half


@ss.law("python-coulomb", friction=None)
class Disc:
    def __init__(self, friction):
        self.mu = friction

    def project(self, normal, trial):
        radius, size = self.mu * max(normal, 0), np.linalg.norm(trial)
        return trial * radius / size if size > radius else trial

    def support_point(self, direction):
        size = np.linalg.norm(direction)
        return self.mu * direction / size if size > 0 else direction


@ss.law("python-slippery-side", low=0.0, high=0.6)
def by_place(site, low, high):
    """Slippery where x is negative."""
    return low if site.position[0] < 0 else high


def sliding(friction, velocity, position=(0, 0, 0.02)):
    world = ss.World()
    world.add_material("skin", friction=friction)
    world.add(name="ground", motion="fixed", shape=ss.half_space(), material="skin")
    return world, world.add(name="block", shape=ss.box(0.2, 0.2, 0.02), position=position, velocity=velocity, material="skin")


def stopping_distance(friction, velocity, position=(0, 0, 0.02)):
    world, block = sliding(friction, velocity, position)
    ss.Stepper(world, h=0.002).run(seconds=0.6).finish()
    return np.linalg.norm(block.position[:2] - np.array(position[:2]))


def test_coulombs_law_in_python_is_coulombs_law():
    expected = stopping_distance(0.5, (1.5, 0, 0))
    assert stopping_distance({"law": "python-coulomb", "friction": 0.5}, (1.5, 0, 0)) == pytest.approx(expected, abs=1e-6)
    assert expected == pytest.approx(1.5**2 / (2 * 0.5 * G), abs=0.005)
    with pytest.raises(ss.Error, match="friction"):
        ss.World().add_material("wood", friction={"law": "python-coulomb"})


def test_a_climbing_skin_glides_forward_and_holds_backward():
    one_way = {"law": "python-skin", "friction": 0.5}
    distances = sorted(stopping_distance(one_way, (v, 0, 0)) for v in (1, -1))
    assert distances[0] == pytest.approx(1 / (2 * 0.5 * G), abs=0.005)
    assert distances[1] == pytest.approx(0.6, abs=0.01)


def test_a_law_may_ask_where_it_is():
    law = {"law": "python-slippery-side"}
    assert stopping_distance(law, (0, 1, 0), (-3, 0, 0.02)) == pytest.approx(0.6, abs=1e-3)
    assert stopping_distance(law, (0, 1, 0), (3, 0, 0.02)) == pytest.approx(1 / (2 * 0.6 * G), abs=0.005)
    assert "python-slippery-side" in {entry["name"] for entry in ss.laws()}


def test_problems_with_sets_of_python_are_solved_and_saved(tmp_path):
    world, block = sliding({"law": "python-skin", "friction": 0.5}, (0.5, 0.5, 0))
    sim = ss.Stepper(world, h=0.002)
    sim.step(5)
    problem = sim.problem()
    assert isinstance(problem.blocks[0]["friction"], HalfDisc)
    problem.save(tmp_path / "skin.hdf5", "stickslip")
    again = ss.load_problem(tmp_path / "skin.hdf5")
    assert isinstance(again.blocks[0]["friction"], HalfDisc) and again.blocks[0]["friction"].mu == 0.5
    velocities = [ss.solve(again, name, tol=1e-7, max_iterations=3000).velocity for name in ("prox-gs", "alart-curnier")]
    assert np.allclose(*velocities, atol=1e-6)


def test_broken_laws_are_errors():
    @ss.law("python-broken")
    class Broken:
        def project(self, normal, trial):
            return [np.nan, 0, 1]

        def support_point(self, direction):
            raise KeyError("mine")

    with pytest.raises((ss.Error, KeyError)):
        stopping_distance({"law": "python-broken"}, (1, 0, 0))
    with pytest.raises(ss.Error, match="already"):
        ss.law("python-broken")(Disc)
    ss.add_law("python-number", lambda: "rough")
    with pytest.raises(ss.Error, match="coefficient"):
        stopping_distance({"law": "python-number"}, (1, 0, 0))


def test_laws_are_asked_by_all_threads():
    sims = []
    for speed in (0.5, 1.0, 1.5):
        world, block = sliding({"law": "python-coulomb", "friction": 0.4}, (speed, 0, 0))
        sims.append(ss.Stepper(world, h=0.005))
    ss.step_all(sims, steps=100)
    for sim, speed in zip(sims, (0.5, 1.0, 1.5)):
        assert sim.world["block"].position[0] == pytest.approx(speed**2 / (2 * 0.4 * G), abs=0.01)
