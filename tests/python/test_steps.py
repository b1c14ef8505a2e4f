"""Steppers, reports, batches, records."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import stickslip as ss


def stack(count=4):
    return ss.scene("stack", count=count)


def test_reports_and_their_arrays_never_change_and_outlive_everything():
    sim = ss.Stepper(stack())
    first = sim.step()
    impulse, position, seen = first.contacts.impulse, first.contacts.position, first.contacts.impulse.copy()
    kept = [sim.step() for _ in range(20)]
    assert np.array_equal(impulse, seen) and first.step == 1
    assert [r.step for r in kept] == list(range(2, 22))
    places = position.copy()
    del sim, first, kept
    gc.collect()
    junk = [np.random.rand(1000) for _ in range(200)]   # takes memory that was freed
    assert np.array_equal(impulse, seen) and np.array_equal(position, places) and junk
    assert not impulse.flags.writeable and not impulse.flags.owndata


def test_contacts_are_views_on_one_memory():
    report = ss.Stepper(stack()).step(5)
    contacts = report.contacts
    assert len(contacts) == 16 and contacts.position.shape == (16, 3) and contacts.gap.shape == (16,)
    assert contacts.position.__array_interface__["data"] == contacts.position.__array_interface__["data"]
    assert contacts.position.strides[0] == contacts.gap.strides[0] > 100
    assert contacts.force == pytest.approx(contacts.impulse / report.h)
    assert np.shares_memory(contacts.force, report.contacts.force) and not contacts.force.flags.owndata
    assert contacts.normal_impulse == pytest.approx(np.sum(contacts.impulse * contacts.normal, axis=1))
    assert np.allclose(np.linalg.norm(contacts.normal, axis=1), 1)
    names = {(a.name, b.name) for a, b in contacts.bodies}
    assert len(names) == 4
    a, b = contacts.bodies[0]
    assert (contacts.body_a[0], contacts.body_b[0]) == (a.index, b.index)
    assert contacts.of(b).sum() >= 4
    empty = ss.Stepper(ss.World()).step()
    assert empty.contacts.force.shape == (0, 3) and empty.contacts.body_a.shape == (0,) and empty.joints.position.shape == (0, 6)


def test_energy_adds_up_and_findings_tell():
    sim = ss.Stepper(ss.scene("pinch-grasp"))
    for report in sim.run(seconds=0.3):
        e = report.energy
        change = e.kinetic_end + e.potential_end - e.kinetic_start - e.potential_start
        rest = e.applied + e.driven + e.motors + e.springs + e.stabilisation - e.friction - e.impact - e.damping + e.integration
        assert change == pytest.approx(rest, abs=1e-12)
    assert report.joints.force.shape == (len(report.joints), 3) and report.joints.motor_force.shape[1] == 6
    joint = report.joints.joints[0]
    assert np.array_equal(report.joint(joint)["force"], report.joints.force[0])
    assert report.energy.as_dict()["motors"] == report.energy.motors
    world = ss.World()
    world.gravity = (0, 0, 0)
    world.add(name="top", shape=ss.box(1, 0.1, 0.1), angular_velocity=(0, 0, 300))
    finding = ss.Stepper(world).step().findings[0]
    assert finding.kind == "fast-spin" and "top" in finding.where and finding.value > finding.limit and finding.remedy


def test_runs_have_controllers_and_lengths():
    sim = ss.Stepper(stack(), h=0.01)
    calls = []
    reports = list(sim.run(seconds=0.1, controller=lambda s: calls.append(s.time)))
    assert len(reports) == 10 and calls == pytest.approx(np.arange(10) * 0.01)
    assert len(sim.run(steps=7)) == 7 and len(list(sim.run(steps=0))) == 0
    with pytest.raises(ZeroDivisionError):
        sim.run(steps=5, controller=lambda s: 1 / 0).finish()
    assert sim.step().step == 11
    for bad in (dict(seconds=-1), dict(steps=-1), dict(seconds=1, steps=1), dict(seconds=float("nan")), dict(controller=3)):
        with pytest.raises(ss.Error):
            sim.run(**bad)


def test_options_are_those_of_scene_files():
    sim = ss.Stepper(stack(), h=0.004, solver={"name": "prox-gs", "accelerate": False}, sleep=True, scheme="moreau-midpoint")
    options = sim.options
    assert options["h"] == 0.004 and options["solver"] == {"name": "prox-gs", "accelerate": False} and options["sleep"]["enabled"]
    assert ss.Stepper(stack(), **options).options == options
    sim.options = {"integrator": "penalty"}
    assert sim.options["integrator"] == "penalty" and sim.options["h"] == 0.004 and sim.step().solve is None
    with pytest.raises(ss.Error, match="solves no contact problem"):
        sim.problem()
    with pytest.raises(ss.Error, match="Did you mean 'solver'"):
        ss.Stepper(stack(), solvr="pgs")


def test_states_are_restored_to_the_bit():
    world = ss.scene("pinch-grasp")
    sim = ss.Stepper(world)
    sim.step(10)
    state = world.save_state()
    copy = world.copy()
    once = sim.step(20) and world.state_hash
    added = world.add(shape=ss.sphere(0.01), position=(0, 0, 3))
    sim.step(3)
    world.restore(state)
    assert not added.exists and world.step_count == 10
    assert sim.step(20) and world.state_hash == once
    assert ss.Stepper(copy).step(20) and copy.state_hash == once


def test_batches_step_to_the_same_bits():
    def sims():
        return [ss.Stepper(ss.scene("pinch-grasp", pinch=5 + i)) for i in range(6)]

    alone, together = sims(), sims()
    for sim in alone:
        sim.step(20)
    for threads in (0, 1, 2, 3):
        reports = ss.step_all(together, steps=5, threads=threads)
    assert [r.step for r in reports] == [20] * 6
    assert [s.world.state_hash for s in alone] == [s.world.state_hash for s in together]
    assert reports[3].contacts.impulse.shape == alone[3].report.contacts.impulse.shape
    with pytest.raises(ss.Error, match="same world"):
        ss.step_all([alone[0], ss.Stepper(alone[0].world)])
    with pytest.raises(ss.Error, match="same"):
        ss.step_all([alone[0], alone[0]])
    alone[0].step()   # nothing stays marked as busy
    assert ss.step_all([]) == []


def test_records_are_written_and_read_back(tmp_path):
    world = stack()
    sim = ss.Stepper(world)
    with sim.record(tmp_path / "run.h5"), sim.record(str(tmp_path / "run.csv")), sim.record(tmp_path / "run.html") as page:
        for report in sim.run(steps=12):
            pass
    assert page.finished and "<iframe" in page._repr_html_()
    assert len((tmp_path / "run.csv").read_text().splitlines()) == 13
    sim.step()   # is not recorded
    with ss.load_trajectory(tmp_path / "run.h5") as run:
        assert len(run) == 13 and run.time[-1] == pytest.approx(report.time)
        body = world.bodies[-1]
        assert run.position.shape[1:] == (len(world), 3) and body.name in run.bodies
        assert len(run.telemetry("residual")) == 12
        contacts = run.contacts(-1)
        assert np.allclose(contacts["impulse"], report.contacts.impulse) and np.allclose(contacts["position"], report.contacts.position)
        assert ss.scene(run.document).name == world.name
        assert "joints/force" in run and run.attributes["format"] == "stickslip-trajectory"
        with pytest.raises(ss.Error, match="no dataset"):
            run["nothing"]
        with pytest.raises(ss.Error, match="no frame"):
            run.contacts(99)
    for path in (tmp_path / "nothing.h5", tmp_path / "run.csv"):
        with pytest.raises(ss.Error):
            ss.load_trajectory(path)
    with pytest.raises(ss.Error, match="names no kind of record"):
        sim.record(tmp_path / "run.xyz")
    with pytest.raises(ss.Error):
        sim.record(tmp_path / "no" / "such" / "folder" / "run.csv")


def test_trajectories_go_on_to_the_same_bits(tmp_path):
    sim = ss.Stepper(stack())
    with sim.record(tmp_path / "run.h5"):
        sim.step(7)
    again = ss.scene(tmp_path / "run.h5")
    assert again.step_count == 7 and not again.warnings
    assert sim.step(3) and ss.Stepper(again).step(3) and sim.world.state_hash == again.state_hash


def test_a_trajectory_opens_while_it_is_written_and_after_its_writer_was_killed(tmp_path):
    script = """
import sys, time, stickslip as ss
sim = ss.Stepper(ss.scene("stack"))
recording = sim.record(sys.argv[1])
sim.step(20)
time.sleep(1.1)   # what was recorded becomes visible once a second
sim.step(1)
print("21 steps", flush=True)
time.sleep(60)
"""
    path = tmp_path / "run.h5"
    writer = subprocess.Popen([sys.executable, "-c", script, path], stdout=subprocess.PIPE, text=True)
    try:
        assert writer.stdout.readline() == "21 steps\n"
        with ss.load_trajectory(path) as run:
            assert len(run) == 22 and len(run.telemetry("kinetic_energy")) == 21
    finally:
        writer.kill()
        writer.wait()
        writer.stdout.close()
    with ss.load_trajectory(path) as run:
        assert len(run) == 22 and run.position.shape[0] == 22
    assert ss.scene(path).step_count <= 21


def test_replays_hold_the_whole_page(tmp_path):
    world = stack(2)
    shown = ss.replay(world, seconds=0.1)
    assert world.time == 0 and "<html" in shown.page
    text = shown._repr_html_()
    assert text.startswith("<iframe srcdoc=") and '"replay"' not in text.split(">")[0].replace("&quot;replay&quot;", "")
    shown.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == shown.page
    assert "<iframe" in world._repr_html_()
    assert "<html" in ss.replay("stack", seconds=0).page


def test_a_world_that_is_being_stepped_says_so_and_others_run():
    world = ss.scene("spheres")
    sim = ss.Stepper(world)
    looks, steps, enough = [], [], threading.Event()

    def attempt(action, refused):
        try:
            action()
        except ss.Error as error:
            refused.append(str(error))

    def work():
        while not enough.is_set():
            attempt(sim.step, steps)

    thread = threading.Thread(target=work)
    thread.start()
    end = time.monotonic() + 60
    while not (looks and steps) and time.monotonic() < end:
        attempt(lambda: world.positions, looks)
        attempt(sim.step, steps)
    enough.set()
    thread.join()
    assert looks and steps and all("being stepped" in text for text in looks + steps)
    assert world.positions.shape == (len(world), 3)


def test_the_server_serves_and_stops():
    with ss.view(stack(2), block=False, browser=False, paused=True) as server:
        assert server.port > 0 and str(server.port) in server.url
    with pytest.raises(ss.Error):
        ss.Server(stack(2), port=70000)


def test_ctrl_c_ends_a_step_in_the_middle_and_leaves_the_world_as_it_was():
    world = ss.scene("stack", count=12)
    sim = ss.Stepper(world, solver="pgs", tolerance=1e-300, max_iterations=2_000_000_000)   # takes hours
    before = [body.position.copy() for body in world.bodies]
    interrupt = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        sim.step()
    interrupt.join()
    assert world.time == 0 and all(np.array_equal(a, body.position) for a, body in zip(before, world.bodies))
    sim.options = {"max_iterations": 20}
    assert sim.step().step == 1


def test_ctrl_c_ends_a_batch_and_leaves_every_world_after_a_whole_step():
    # One world that takes hours, and small ones between whose many steps somebody must look.
    sims = [ss.Stepper(ss.scene("stack", count=12), solver="pgs", tolerance=1e-300, max_iterations=2_000_000_000)]
    sims += [ss.Stepper(stack(1)) for _ in range(3)]
    interrupt = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    interrupt.start()
    with pytest.raises(KeyboardInterrupt):
        ss.step_all(sims, steps=1_000_000_000)
    interrupt.join()
    assert sims[0].world.time == 0
    for sim in sims[1:]:
        other, taken = ss.Stepper(stack(1)), round(sim.world.time / sim.h)
        if taken > 0:
            other.step(taken)
        assert other.world.state_hash == sim.world.state_hash
    sims[0].options = {"max_iterations": 20}
    assert [report.step for report in ss.step_all(sims)][0] == 1
