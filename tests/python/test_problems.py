"""Contact problems as arrays, and solvers on them."""

import itertools
import math

import numpy as np
import pytest
import scipy.sparse as sp

import stickslip as ss


@pytest.fixture(scope="module")
def captured():
    sim = ss.Stepper(ss.scene("pinch-grasp"))
    sim.step(40)
    return sim.problem()


def test_w_is_made_of_j_and_m(captured):
    product = captured.J @ captured.M_inverse @ captured.J.T + sp.diags(captured.sigma)
    assert np.allclose(captured.W.toarray(), product.toarray(), rtol=1e-12, atol=1e-12 * abs(product).max())
    assert np.allclose((captured.M @ captured.M_inverse).toarray(), np.eye(captured.M.shape[0]))
    v = captured.W @ captured.impulses + captured.b
    assert np.allclose(captured.velocity(captured.impulses), v, atol=1e-12)
    assert captured.residual(captured.impulses).total < 1e-6
    assert sum(block["dim"] for block in captured.blocks) == captured.rows == len(captured.b)
    with pytest.raises(ValueError):
        captured.b[0] = 1


def test_m_of_soft_bodies_is_their_implicit_matrix():
    world = ss.World()
    world.add(motion="fixed", shape=ss.half_space())
    world.add(soft={"shape": ss.box(0.1, 0.1, 0.1), "size": 0.1, "material": {"young": 1e5}}, position=(0, 0, 0.1))
    sim = ss.Stepper(world)
    sim.step(3)
    p = sim.problem()
    solved = sp.linalg.spsolve(p.M.tocsc(), p.J.T.toarray())
    assert np.allclose(p.W.toarray(), p.J @ solved + np.diag(p.sigma), rtol=1e-8, atol=1e-10)
    before = p.M.toarray()
    sim.step(5)
    assert np.array_equal(before, p.M.toarray())   # the steps after it do not reach it
    with pytest.raises(ss.Error, match="full"):
        p.M_inverse
    answer = ss.solve(p, "nsgs", tol=1e-10, max_iterations=5000)
    assert answer.converged


def test_problems_of_arrays_have_the_solution_of_the_step(captured):
    def all_of(**given):
        return ss.Problem(b=captured.b, friction=[0.0 if b["friction"] is None else b["friction"] for b in captured.blocks],
                          dims=[b["dim"] for b in captured.blocks], kinds=[b["kind"] for b in captured.blocks],
                          lower=captured.lower if len(captured.lower) else None, upper=captured.upper if len(captured.upper) else None,
                          sigma=None if "W" in given else captured.sigma, **given)

    for problem in (all_of(W=captured.W), all_of(W=captured.W.toarray()), all_of(J=captured.J, M=captured.M)):
        assert problem.residual(captured.impulses).total == pytest.approx(captured.residual(captured.impulses).total, abs=1e-9)
        answer = ss.solve(problem, tol=1e-9, max_iterations=2000)
        assert answer.converged
        assert np.allclose(problem.W.toarray(), captured.W.toarray(), rtol=1e-9, atol=1e-9)


def test_a_block_on_a_slope_sticks_or_slides_as_coulomb_says():
    push = np.array([-1.0, 0.3, 0.0])   # falls, and is pushed aside
    stick = ss.solve(ss.Problem(np.eye(3), push, friction=0.5))
    assert stick.impulses == pytest.approx([1, -0.3, 0], abs=1e-6)
    slide = ss.solve(ss.Problem(np.eye(3), push, friction=0.2), tol=1e-12)
    assert slide.impulses == pytest.approx([1, -0.2, 0]) and slide.velocity == pytest.approx([0, 0.1, 0], abs=1e-9)
    apart = ss.solve(ss.Problem(np.eye(3), -push, friction=0.2))
    assert not apart.impulses.any()
    box = ss.Problem(np.eye(1), [-1.0], dims=[1], kinds="box", lower=[0], upper=[0.25])
    assert ss.solve(box).impulses == pytest.approx([0.25])
    joint = ss.Problem(2 * np.eye(2), [1.0, -3.0], dims=[2], kinds=["bilateral"])
    assert ss.solve(joint).impulses == pytest.approx([-0.5, 1.5])


def test_solvers_agree_and_tell_their_history(captured):
    names = {entry["name"]: entry for entry in ss.solvers()}
    assert "relaxation" in names["prox-gs"]["options"] or names["prox-gs"]["options"]
    answers = [ss.solve(captured, name, tol=1e-9, max_iterations=20000, history=True) for name in ("auto", "alart-curnier", "nsgs")]
    for answer in answers:
        assert answer.converged and answer.residual.total <= 1e-9 and float(answer.residual) == answer.residual.total
        assert np.allclose(captured.velocity(answer.impulses), answer.velocity)
        assert len(answer.history) > 1 and answer.history[0] == pytest.approx(answer.initial_residual.total)
    seen = []
    ss.solve(captured, "nsgs", tol=1e-9, max_iterations=50, history=True, callback=lambda k, x, r: seen.append((k, x, r.total)))
    assert len(seen) >= 50 and seen[1][1].shape == (captured.rows,)
    with pytest.raises(ZeroDivisionError):
        ss.solve(captured, "nsgs", history=True, callback=lambda k, x, r: 1 / 0)
    with pytest.raises(ss.Error, match="Did you mean 'nsgs'"):
        ss.solve(captured, "nsgss")
    with pytest.raises(ss.Error, match="There is no option"):
        ss.solve(captured, "nsgs", nonsense=1)
    for no_number in (np.zeros((2, 2)), np.array(["a"]), np.zeros(0), math.nan, None, 1j):
        with pytest.raises(ss.Error, match="/max_backtracks: Give a number"):
            ss.solve(captured, "nsgs", max_backtracks=no_number)


def test_files_hold_problems_to_the_bit(captured, tmp_path):
    captured.save(tmp_path / "p.hdf5", "stickslip")
    again = ss.load_problem(tmp_path / "p.hdf5")
    assert np.array_equal(again.b, captured.b) and np.array_equal(again.impulses, captured.impulses)
    assert (again.W != captured.W).nnz == 0
    with pytest.raises(ss.Error):
        ss.load_problem(tmp_path / "nothing.hdf5")
    assert "residual" in captured._repr_html_()


@ss.solver("python-jacobi")
def jacobi(problem, impulses, done, *, damping=0.3):
    """Projected Jacobi on contacts of three rows."""
    W, b = problem.W, problem.b
    mu = np.array([block["friction"] for block in problem.blocks])
    step = damping / W.diagonal().reshape(-1, 3).max(axis=1)
    for k in itertools.count(1):
        trial = impulses.reshape(-1, 3) - step[:, None] * (W @ impulses + b).reshape(-1, 3)
        normal = np.maximum(trial[:, 0], 0)
        size = np.linalg.norm(trial[:, 1:], axis=1)
        trial[:, 1:] *= np.minimum(1, mu * normal / np.maximum(size, 1e-300))[:, None]
        trial[:, 0] = normal
        impulses[:] = trial.ravel()
        if done(k):
            return


def test_a_solver_in_python_solves_and_steps():
    world = ss.scene("stack", count=2)
    sim = ss.Stepper(world)
    sim.step(3)
    answer = ss.solve(sim.problem(), jacobi, tol=1e-7, max_iterations=20000)
    assert answer.converged
    reference = ss.solve(sim.problem(), "nsgs", tol=1e-10, max_iterations=20000)
    assert np.allclose(answer.velocity, reference.velocity, atol=1e-6)
    assert ss.solve(sim.problem(), "python-jacobi", tol=1e-5, max_iterations=20000, damping=0.2).converged
    other = ss.scene("stack", count=2)
    report = ss.Stepper(other, solver="python-jacobi", max_iterations=20000, tolerance=1e-3).step(5)
    assert report.converged and np.allclose(other.positions, ss.scene("stack", count=2).positions, atol=1e-3)
    with pytest.raises(ss.Error, match="already"):
        ss.solver("python-jacobi")(jacobi)
    with pytest.raises(ss.Error, match="Did you mean 'damping'"):
        ss.solve(sim.problem(), "python-jacobi", dampin=1)


def test_solvers_in_python_that_fail_do_no_harm():
    sim = ss.Stepper(ss.scene("stack", count=2))
    sim.step()
    problem, kept = sim.problem(), []

    def greedy(problem, impulses, done):
        kept.extend([problem, impulses, done])
        impulses[:] = np.nan
        done(1)

    assert not ss.solve(problem, greedy).converged
    with pytest.raises(ss.Error, match="ended"):
        kept[2](2)
    assert np.isnan(kept[1]).all() and kept[0].rows == problem.rows

    def broken(problem, impulses, done):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        ss.solve(problem, broken)
    assert ss.solve(problem, lambda problem, impulses, done: None).status == "stalled"
    ss.add_solver("python-broken", broken)
    world = ss.scene("stack", count=2)
    with pytest.raises(KeyError, match="mine"):
        ss.Stepper(world, solver="python-broken").step()
    assert ss.Stepper(world).step(2).converged
