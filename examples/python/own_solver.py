"""A solver of one's own: projected gradient steps with Nesterov's acceleration, against one of the library."""

import itertools

import numpy as np
import stickslip as ss


@ss.solver("my-nesterov")
def nesterov(problem, impulses, done, *, momentum=0.9):
    """Accelerated projected gradient on contacts with Coulomb's cone, friction bounded by the last normal impulses."""
    W, b = problem.W, problem.b
    mu = np.array([block["friction"] for block in problem.blocks])
    step, before = 1 / abs(W).sum(axis=1).max(), impulses.copy()
    for k in itertools.count(1):
        ahead = impulses + momentum * (impulses - before)
        trial = (ahead - step * (W @ ahead + b)).reshape(-1, 3)
        trial[:, 0] = np.maximum(trial[:, 0], 0)
        size = np.linalg.norm(trial[:, 1:], axis=1)
        trial[:, 1:] *= np.minimum(1, mu * trial[:, 0] / np.maximum(size, 1e-300))[:, None]
        before[:], impulses[:] = impulses, trial.ravel()
        if done(k):
            return


sim = ss.Stepper(ss.scene("stack", count=4))
sim.step(20)
for solver in ("my-nesterov", "nsgs"):
    answer = ss.solve(sim.problem(), solver, tol=1e-7, max_iterations=20000, history=True)
    print(f"{solver:12} {answer.status}, {answer.iterations} iterations, residual {answer.residual.total:.1e} m/s")
