#!/usr/bin/env python3
"""Random scenes by volume: twelve boxes, round bodies, meshes or all of these fall on a half-space, a box or a mesh.

    bench/random_volumes.py [PROGRAM]      72 scenes of 2 s; prints those in which something is amiss
"""
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

KINDS, GROUNDS, SEEDS = ("boxes", "rounds", "meshes", "mixed"), ("plane", "box", "mesh"), range(6)


def rotation(r):
    q = [r.gauss(0, 1) for _ in range(4)]
    return [x / math.hypot(*q) for x in q]


def shape(r, kind, name, meshes):
    size = r.uniform(0.03, 0.09)
    if kind == "boxes":
        return {"type": "box", "half_extents": [size * r.uniform(0.5, 1) for _ in range(3)]}
    if kind == "rounds":
        one = {"type": r.choice(["sphere", "capsule", "cylinder"]), "radius": size}
        return one if one["type"] == "sphere" else one | {"half_height": r.uniform(0.03, 0.09)}
    rough = {"divisions": 8, "bumps": 0.05 * size, "waves": 3}
    made = r.choice(["box", "sphere", "torus"])
    if made == "box":
        numbers = {"half_extents": [size * r.uniform(0.5, 1) for _ in range(3)]} | rough
    elif made == "sphere":
        numbers = {"radius": size} | rough
    else:
        numbers = {"radius": size, "tube": 0.4 * size, "segments": 32, "around": 20}
    meshes.append({"name": name, "make": made} | numbers)
    return {"type": "mesh", "mesh": name}


def scene(kind, ground, seed):
    r = random.Random(f"{kind}{ground}{seed}")
    meshes = []
    floor = {"motion": "fixed", "shape": {"type": "half-space"}}
    if ground != "plane":
        half = [0.5, 0.5, 0.1]
        floor |= {"shape": {"type": "box", "half_extents": half}, "position": [0, 0, -0.1]}
        if ground == "mesh":
            meshes.append({"name": "table", "make": "box", "half_extents": half, "divisions": 12, "bumps": 0.01, "waves": 6})
            floor["shape"] = {"type": "mesh", "mesh": "table"}
    bodies = [floor]
    for i in range(12):
        one = kind if kind != "mixed" else r.choice(KINDS[:3])
        place = [0.18 * (1 if i & bit else -1) + r.uniform(-0.003, 0.003) for bit in (1, 2)] + [0.21 + 0.37 * (i // 4)]
        bodies.append({"shape": shape(r, one, f"m{i}", meshes), "position": place, "orientation_wxyz": rotation(r),
                       "velocity": [r.uniform(-0.3, 0.3), r.uniform(-0.3, 0.3), 0],
                       "angular_velocity": [r.uniform(-5, 5) for _ in range(3)]})
    return {"step": {"h": 0.01, "contact": "volume"}, "seconds": 2, "meshes": meshes, "bodies": bodies}


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/release/stickslip"
    amiss = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            for ground in GROUNDS:
                for seed in SEEDS:
                    file = pathlib.Path(folder) / f"{kind}-{ground}-{seed}.json"
                    file.write_text(json.dumps(scene(kind, ground, seed)))
                    done = subprocess.run([program, "run", file, "--threads", "1", "--json"], capture_output=True, text=True)
                    told = json.loads(done.stdout)
                    missed, findings = told["steps_missing_tolerance"], [m["kind"] for m in told["motion"]]
                    if not missed and not findings:
                        continue
                    amiss += 1
                    print(f"{file.stem}: {1e3 * told['penetration_max']:.2f} mm at most, {missed} steps missed, {findings}")
    print(f"{amiss} of {len(KINDS) * len(GROUNDS) * len(SEEDS)}")


if __name__ == "__main__":
    main()
