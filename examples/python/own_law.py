"""A friction law of one's own: the climbing skin under a ski glides forward and holds backward."""

import numpy as np
import stickslip as ss


@ss.law("climbing-skin", friction=0.5)
class HalfDisc:
    """Glides along the structure, holds in every other direction: half of Coulomb's disc."""

    def __init__(self, friction):
        self.mu, self.parameters = friction, [friction]

    def project(self, normal, trial):
        half = np.array([max(trial[0], 0), trial[1]])
        return half * min(1, self.mu * max(normal, 0) / max(np.linalg.norm(half), 1e-300))

    def support_point(self, direction):
        half = np.array([max(direction[0], 0), direction[1]])
        return self.mu * half / max(np.linalg.norm(half), 1e-300)


world = ss.World("skis")
world.add_material("skin", friction={"law": "climbing-skin", "friction": 0.5})
world.add(motion="fixed", shape=ss.half_space(), material="skin")
skis = [world.add(shape=ss.box(0.2, 0.1, 0.02), position=(0, y, 0.02), velocity=(v, 0, 0), material="skin") for y, v in ((0, 2), (1, -2))]
ss.Stepper(world, h=0.002).run(seconds=0.6).finish()
ways = [abs(ski.position[0]) for ski in skis]
print(f"glides {max(ways):.3f} m (free: 1.200 m), is held after {min(ways):.3f} m (v²/2μg: {2**2 / (2 * 0.5 * 9.81):.3f} m)")
