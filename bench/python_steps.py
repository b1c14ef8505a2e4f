"""What Python costs: importing the module, and a step above what the same step takes in C++.

    ./stickslip python bench/python_steps.py

A world of one ball that falls past nothing is stepped one by one from Python, with and without reading the contacts, and
by one call that takes all steps in C++. Processor time, best of several rounds.
"""

import subprocess
import sys
import time

import stickslip as ss


def best(function, rounds=7):
    times = []
    for _ in range(rounds):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def imports():
    def seconds(modules):
        script = f"import time; t = time.process_time(); import {modules}; print(time.process_time() - t)"
        return min(float(subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout) for _ in range(7))

    return seconds("stickslip"), seconds("numpy")


def stepping(count=20000):
    world = ss.World()
    world.gravity = (0, 0, 0)
    world.add(motion="fixed", shape=ss.half_space())
    world.add(shape=ss.sphere(0.1), position=(0, 0, 5))
    sim = ss.Stepper(world)

    def one_by_one():
        for _ in range(count):
            sim.step()

    def iterated():
        for report in sim.run(steps=count):
            pass

    def read():
        for report in sim.run(steps=count):
            report.contacts.force

    inside = best(lambda: sim.step(count))
    for name, function in (("sim.step()", one_by_one), ("for report in sim.run()", iterated), ("... report.contacts.force", read)):
        print(f"{name:28} {1e6 * (best(function) - inside) / count:5.2f} µs above {1e6 * inside / count:.2f} µs")


print("import stickslip %.3f s, of which numpy %.3f s" % imports())
stepping()
