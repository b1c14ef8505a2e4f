"""At which friction does a block begin to slide down a slope? All worlds of the study are stepped at once."""

import math

import numpy as np
import stickslip as ss

degrees = 25
frictions = np.linspace(0.3, 0.6, 31)
sims = []
for friction in frictions:
    world = ss.World()
    world.add_material("default", friction=friction)
    slope = {"axis": [0, 1, 0], "degrees": degrees}
    world.add(motion="fixed", shape=ss.half_space(), rotation=slope)
    up = np.array([math.sin(math.radians(degrees)), 0, math.cos(math.radians(degrees))])
    world.add(name="block", shape=ss.box(0.1, 0.1, 0.05), position=0.05 * up, rotation=slope)
    sims.append(ss.Stepper(world, h=0.01))

ss.step_all(sims, steps=100)
speeds = np.array([np.linalg.norm(sim.world["block"].velocity) for sim in sims])
critical = frictions[speeds > 1e-3].max()
print(f"slides up to a friction of {critical:.2f}, sticks from {frictions[speeds <= 1e-3].min():.2f} on; tan {degrees}° = {math.tan(math.radians(degrees)):.4f}")
