"""Worlds, bodies, joints and materials, by physics that is known in closed form."""

import json
import math

import numpy as np
import pytest

import stickslip as ss

G = 9.81


def block_on_floor(friction=0.4, speed=0.0):
    world = ss.World("sliding")
    wood = world.add_material("wood", density=700, friction=friction)
    world.add(name="ground", motion="fixed", shape=ss.half_space(), material=wood)
    block = world.add(name="block", shape=ss.box(0.1, 0.1, 0.1), position=(0, 0, 0.1), velocity=(speed, 0, 0), material=wood)
    return world, block


def test_a_block_stops_after_v_squared_over_two_mu_g():
    world, block = block_on_floor(friction=0.4, speed=2.0)
    ss.Stepper(world, h=0.002).run(seconds=1).finish()
    assert block.position[0] == pytest.approx(2.0**2 / (2 * 0.4 * G), abs=0.005)
    assert np.linalg.norm(block.velocity) < 1e-6


def test_the_floor_carries_the_weight():
    world, block = block_on_floor()
    sim = ss.Stepper(world)
    report = sim.step(50)
    assert block.mass == pytest.approx(700 * 0.2**3)
    assert report.force_on(block) == pytest.approx([0, 0, block.mass * G], rel=1e-5, abs=1e-5)
    force, torque = report.wrench("block", "ground", block.position)
    assert force[2] == pytest.approx(block.mass * G, rel=1e-5) and np.abs(torque).max() < 1e-4
    assert report.center_of_pressure("ground", "block")[:2] == pytest.approx(block.position[:2], abs=1e-5)


def test_an_applied_force_accelerates_as_newton_says():
    world = ss.World()
    world.gravity = (0, 0, 0)
    ball = world.add(shape=ss.sphere(0.1), mass=2)
    ball.force = (3, 0, 0)
    ss.Stepper(world, h=0.01).run(seconds=1).finish()
    assert ball.velocity == pytest.approx([1.5, 0, 0])
    assert world.linear_momentum == pytest.approx([3, 0, 0])
    ball.apply_impulse((-3, 0, 0))
    assert ball.velocity == pytest.approx([0, 0, 0], abs=1e-12)


def test_pushing_a_hinge_turns_a_wheel_as_its_inertia_says():
    world = ss.World()
    world.gravity = (0, 0, 0)
    wheel = world.add(shape=ss.cylinder(0.2, 0.05), mass=4)
    hinge = world.add_joint("hinge", b=wheel, anchor=(0, 0, 0), axis=(0, 0, 1))
    hinge.effort = 0.5
    ss.Stepper(world, h=0.01).run(seconds=1).finish()
    inertia = 0.5 * 4 * 0.2**2
    assert wheel.inertia[2, 2] == pytest.approx(inertia)
    assert wheel.angular_velocity[2] == pytest.approx(0.5 / inertia, rel=1e-6)
    assert hinge.velocity == pytest.approx(0.5 / inertia, rel=1e-6)
    assert hinge.position == pytest.approx(0.5 * (0.5 / inertia), rel=0.02)
    hinge.effort = 0
    before = hinge.velocity
    ss.Stepper(world).step(10)
    assert hinge.velocity == pytest.approx(before, rel=1e-9)


def test_controls_drive_and_sensors_measure(tmp_path):
    world = ss.scene({
        "gravity": [0, 0, 0],
        "bodies": [{"name": "block", "mass": 2, "shape": {"type": "sphere", "radius": 0.1}}],
        "joints": [{"name": "rail", "type": "prismatic", "b": "block", "anchor": [0, 0, 0]}],
        "sensors": [{"name": "rail", "type": "joint", "joint": "rail"},
                    {"name": "eye", "type": "ray", "direction": [0, 0, 1], "origin": [0, 0, -1]}],
    })
    (tmp_path / "push.csv").write_text("time,rail:effort\n0,4\n")
    world.read_controls(tmp_path / "push.csv")
    sim = ss.Stepper(world, h=0.01)
    assert all(math.isnan(x) for x in sim.sensors["rail"])
    sim.run(seconds=1).finish()
    position, velocity, effort = sim.sensors["rail"]
    assert velocity == pytest.approx(2, rel=1e-6)
    assert effort == pytest.approx(4)
    assert sim.sensors["eye"][0] == pytest.approx(0.9 + position, rel=1e-9)
    assert world.joint("rail").effort == 4
    world.joint("rail").effort = -1
    sim.step(10)
    assert sim.sensors["rail"][2] == pytest.approx(-1)
    with pytest.raises(ss.Error, match="line 1, column 'rial:effort'"):
        (tmp_path / "bad.csv").write_text("time,rial:effort\n0,4\n")
        world.read_controls(tmp_path / "bad.csv")


def test_sensors_are_added_by_hand():
    world, block = block_on_floor()
    world.add_sensor("contact", name="scale", body=block, from_="ground")
    sim = ss.Stepper(world)
    sim.step(30)
    assert sim.sensors["scale"] == pytest.approx([0, 0, block.mass * G], rel=1e-5, abs=1e-5)
    with pytest.raises(ss.Error, match="another sensor 'scale'"):
        world.add_sensor("contact", name="scale", body="ground")
    with pytest.raises(ss.Error, match="/sensors/0/body: There is no body 'blok'. Did you mean 'block'"):
        world.add_sensor("inertial", name="imu", body="blok")
    assert len(ss.Stepper(world).sensors) == 1


def test_shapes_weigh_what_their_volumes_say():
    corners, sides = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
    outline = {"make": "extrude", "outline": [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], "half_height": 0.5}   # an L
    volumes = [
        (ss.sphere(0.1), 4 / 3 * math.pi * 0.1**3), (ss.box(0.1, 0.2, 0.3), 8 * 0.1 * 0.2 * 0.3),
        (ss.cylinder(0.1, 0.2), math.pi * 0.1**2 * 0.4), (ss.capsule(0.1, 0.2), math.pi * 0.1**2 * 0.4 + 4 / 3 * math.pi * 0.1**3),
        (ss.hull(corners), 1 / 6), (ss.hull(np.array(corners)), 1 / 6), (ss.mesh(vertices=corners, triangles=sides), 1 / 6),
        (ss.mesh(**outline), 3), (ss.mesh(**outline, as_="hull"), 3.5),
    ]  # fmt: skip
    for shape, volume in volumes:
        assert ss.World().add(shape=shape).mass == pytest.approx(1000 * volume), shape
    ground = ss.World().add(motion="fixed", shape=ss.half_space())
    assert ground.motion == "fixed"


def test_servos_reach_targets_and_motors_their_speed():
    world = ss.World()
    world.gravity = (0, 0, 0)
    arm = world.add(shape=ss.box(0.1, 0.02, 0.02), mass=1)
    hinge = world.add_joint("hinge", b=arm, anchor=(-0.1, 0, 0), servo={"target": 0, "stiffness": 50, "damping": 3})
    hinge.target = 0.7
    assert hinge.target == 0.7
    sim = ss.Stepper(world, h=0.005)
    sim.run(seconds=3).finish()
    assert hinge.position == pytest.approx(0.7, abs=1e-4)
    hinge["turn_z"].servo = None
    hinge["turn_z"].motor = {"speed": 1.5, "max_force": 100}
    sim.step(20)
    assert hinge.velocity == pytest.approx(1.5, rel=1e-4)
    hinge.speed = -2
    sim.step(20)
    assert hinge.velocity == pytest.approx(-2, rel=1e-4)
    with pytest.raises(ss.Error, match="no servo"):
        hinge.target = 1


def test_materials_pairs_and_limits_act():
    world, block = block_on_floor(friction=0.0, speed=1.0)
    sim = ss.Stepper(world)
    sim.step(10)
    assert block.velocity[0] == pytest.approx(1)
    world.material("wood").friction = 0.5
    sim.step(100)
    assert abs(block.velocity[0]) < 1e-6
    world.set_pair("wood", "wood", friction=0)
    block.velocity = (1, 0, 0)
    sim.step(10)
    assert block.velocity[0] == pytest.approx(1)


def test_soft_bodies_and_beads_fall_like_stones():
    world = ss.World()
    soft = world.add(soft={"shape": ss.box(0.1, 0.1, 0.1), "size": 0.1, "material": {"young": 1e5}}, position=(0, 0, 5))
    beads = world.add(nodes={"positions": [[0, 0, 0], [0.1, 0, 0]], "radius": 0.01}, position=(1, 0, 5))
    assert (soft.kind, beads.kind) == ("soft", "beads")
    assert soft.tetrahedra.shape[1] == 4 and beads.node_positions.shape == (2, 3)
    ss.Stepper(world, h=0.01).run(seconds=0.5).finish()
    fall = -G * 0.01**2 * 50 * 51 / 2
    assert beads.node_positions[:, 2] == pytest.approx(5 + fall, abs=1e-9)
    assert soft.position[2] == pytest.approx(5 + fall, abs=1e-6)


def test_scenes_come_from_names_files_dictionaries_and_changes(tmp_path):
    assert len(ss.scene("stack", count=3)) == len(ss.scene("stack", {"/parameters/count": 3}))
    document = {"bodies": [{"name": "ball", "shape": ss.sphere(np.float64(0.1)), "position": np.array([0, 0, 1.0])}], "step": {"h": 0.02}}
    world = ss.scene(document, {"/gravity": [0, 0, -1.62]})
    assert world.gravity[2] == -1.62 and ss.Stepper(world).h == 0.02
    path = tmp_path / "ball.json"
    path.write_text(json.dumps(world.document))
    again = ss.scene(path)
    assert again.state_hash == world.state_hash
    world.save(tmp_path / "ball.h5")
    assert ss.scene(tmp_path / "ball.h5").state_hash == world.state_hash
    with pytest.raises(ss.Error, match="a name that ends in .h5"):
        world.save(tmp_path / "ball.json")
    assert {"wall", "pinch-grasp"} <= {entry["name"] for entry in ss.scenes()}
    assert [body.name for body in world] == [body.name for body in world.bodies]


def test_errors_have_the_words_of_scene_files(tmp_path):
    with pytest.raises(ss.Error, match=r"/bodies/0/shape/radius: -1 is not a length") as caught:
        ss.World().add(shape=ss.sphere(-1))
    assert caught.value.pointer == "/bodies/0/shape/radius" and isinstance(caught.value, ValueError)
    with pytest.raises(ss.Error, match="Did you mean 'wall'"):
        ss.scene("wal")
    with pytest.raises(ss.Error, match="Did you mean 'position'"):
        ss.World().add(shape=ss.sphere(1), positon=(0, 0, 1))
    with pytest.raises(ss.Error, match="nan is not a finite number"):
        ss.World().add(shape=ss.sphere(math.nan))
    with pytest.raises(ss.Error, match="no such file"):
        ss.scene(tmp_path / "nothing.json")
    with pytest.raises(ss.Error, match=r"/h: -1 is out of range"):
        ss.Stepper(ss.World(), h=-1)


def test_a_failed_addition_leaves_nothing_behind():
    world, block = block_on_floor()
    before = world.state_hash
    with pytest.raises(ss.Error):
        world.add(name="block", shape=ss.sphere(0.1))
    with pytest.raises(ss.Error):
        world.add(name="balls", shape=ss.sphere(0.1), repeat={"count": [2, 1, 1], "step": [1, 0, 0]}, mass=-1)
    with pytest.raises(ss.Error):
        world.add_joint("hinge", b=block)
    assert len(world) == 2 and world.state_hash == before
    balls = world.add(name="balls", shape=ss.sphere(0.1), repeat={"count": [2, 1, 1], "step": [1, 0, 0]}, position=(0, 0, 3))
    assert [b.name for b in balls] == ["balls-0", "balls-1"]


def test_removed_bodies_and_joints_are_named_errors():
    world, block = block_on_floor()
    hinge = world.add_joint("hinge", b=block, anchor=(0, 0, 0))
    world.remove(hinge)
    assert not hinge.exists
    with pytest.raises(ss.Error):
        hinge.position
    world.remove("block")
    assert not block.exists and "block" not in world and block not in world
    for use in (lambda: block.position, lambda: setattr(block, "velocity", (0, 0, 0)), lambda: world.remove(block)):
        with pytest.raises(ss.Error):
            use()
    world.add(name="block", shape=ss.sphere(1), position=(0, 0, 1))   # takes the slot
    with pytest.raises(ss.Error):
        block.position
    assert repr(block)
    other = ss.World()
    with pytest.raises(ss.Error, match="another world"):
        other.remove(world["block"])
