"""What a notebook shows: the last line of a cell is enough there. Here the pages go to files."""

import sys

import stickslip as ss

folder = sys.argv[1] if len(sys.argv) > 1 else "."
world = ss.scene("dominoes")

# A cell that ends with `world` shows the scene as it is; one that ends with this, the run:
film = ss.replay(world, seconds=1.0, frames_per_second=30)
film.save(f"{folder}/dominoes.html")

# A run that is recorded while something else is done with it:
sim = ss.Stepper(world)
with sim.record(f"{folder}/dominoes.h5", frames_per_second=50) as recording:
    sim.run(seconds=0.5).finish()
run = ss.load_trajectory(recording.path)
problem = sim.problem()   # a cell that ends with this shows a table
print(f"{film}, {run}, {problem}")
