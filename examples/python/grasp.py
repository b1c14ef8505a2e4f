"""A controller lifts a ruler and shakes it: does the grasp hold, and how close is it to slipping?"""

import math

import numpy as np
import stickslip as ss

world = ss.scene("pinch-grasp")
lift, ruler = world.joint("lift"), world["ruler"]
start = ruler.position[2]


def shake(sim):   # once the fingers have closed
    since = max(sim.time - 0.6, 0)
    lift.target = min(0.1 * since, 0.05) + (0.003 * math.sin(20 * (since - 0.6)) if since > 0.6 else 0)


sim = ss.Stepper(world, h=0.005)
used = 0.0
for report in sim.run(seconds=2, controller=shake):
    contacts = report.contacts
    tips = contacts.of(ruler) & (contacts.normal_impulse > 1e-6)
    across = contacts.impulse[tips] - contacts.normal_impulse[tips, None] * contacts.normal[tips]
    if sim.time > 1.2 and tips.any():
        used = max(used, (np.linalg.norm(across, axis=1) / (contacts.friction[tips] * contacts.normal_impulse[tips])).max())

print(f"lifted {1000 * (ruler.position[2] - start):.1f} mm, friction used up to {100 * used:.0f} %, {report.status}")
