"""A solver of one's own: projected gradient steps with Nesterov's acceleration, against one of the library."""

import numpy as np
import stickslip as ss


# Contacts have Coulomb's cone; friction is bounded by the last normal impulses.
@ss.solver("my-nesterov")
def nesterov(problem, impulses, done, *, momentum=0.9):
    W, b = problem.W, problem.b
    mu = np.array([block["friction"] for block in problem.blocks])
    k, step, before = 0, 1 / abs(W).sum(axis=1).max(), impulses.copy()
    while k == 0 or not done(k):
        ahead = impulses + momentum * (impulses - before)
        trial = (ahead - step * (W @ ahead + b)).reshape(-1, 3)
        trial[:, 0] = np.maximum(trial[:, 0], 0)
        size = np.linalg.norm(trial[:, 1:], axis=1)
        trial[:, 1:] *= np.minimum(1, mu * trial[:, 0] / np.maximum(size, 1e-300))[:, None]
        k, before[:], impulses[:] = k + 1, impulses, trial.ravel()


sim = ss.Stepper(ss.scene("stack", count=4))
sim.step(20)
for solver in ("my-nesterov", "nsgs"):
    answer = ss.solve(sim.problem(), solver, tol=1e-7, max_iterations=20000, history=True)
    print(f"{solver:12} {answer.status}, {answer.iterations} iterations, residual {answer.residual.total:.1e} m/s")
