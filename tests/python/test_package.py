"""The package as such: stubs, docstrings, examples, wheels."""

import ast
import importlib.util
import inspect
import os
import pathlib
import pydoc
import subprocess
import sys
import zipfile

import pytest

import stickslip as ss
from stickslip import _core

ROOT = pathlib.Path(__file__).parents[2]


def load(name):
    spec = importlib.util.spec_from_file_location(pathlib.Path(name).name, ROOT / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_stubs_are_current():
    stubs = load("scripts/python_stubs")
    assert stubs.FILE.read_text(encoding="utf-8") == stubs.stubs(), "Run ./stickslip python scripts/python_stubs.py."


def test_the_stubs_are_python_and_name_all_that_is_public():
    tree = ast.parse((ROOT / "python/stickslip/_core.pyi").read_text(encoding="utf-8"))
    names = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    for name, thing in vars(_core).items():
        if name.startswith("_"):
            continue
        assert name in names, name
        if inspect.isclass(thing) and not issubclass(thing, BaseException):
            members = {m.name for m in names[name].body if isinstance(m, ast.FunctionDef)}
            assert {m for m in vars(thing) if not m.startswith("_")} <= members, name
    unparsed = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.arg) and node.annotation and "stickslip" in ast.unparse(node)]
    assert not unparsed and (ROOT / "python/stickslip/py.typed").exists()
    assert set(ss.__all__) <= set(vars(ss))


def test_everything_public_says_what_it_is():
    silent = []
    for name in ss.__all__:
        thing = getattr(ss, name)
        if not (thing.__doc__ or "").strip():
            silent.append(name)
        if inspect.isclass(thing):
            silent += [f"{name}.{m}" for m, v in vars(thing).items() if not m.startswith("_") and not (inspect.getdoc(v) or "").strip()]
    assert not silent
    text = pydoc.plain(pydoc.render_doc(ss))
    assert "contact and friction you can trust" in text and "::" not in text


@pytest.mark.parametrize("example", sorted(p.name for p in (ROOT / "examples/python").glob("*.py")))
def test_examples_run(example, tmp_path):
    path = ROOT / "examples/python" / example
    done = subprocess.run([sys.executable, path, str(tmp_path)], capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.stderr
    expected = {
        "grasp.py": "lifted", "own_law.py": "glides 1.200 m", "own_solver.py": "my-nesterov  converged",
        "parameter_study.py": "slides up to a friction of 0.46, sticks from 0.47", "notebook_replay.py": "stickslip.Trajectory",
    }  # fmt: skip
    assert expected[example] in done.stdout
    assert len(path.read_text().splitlines()) <= 40


def test_a_wheel_holds_a_package_that_runs_by_itself(tmp_path, monkeypatch):
    if "STICKSLIP_BUILD" not in os.environ:
        pytest.skip("needs a build tree")
    name = load("python/wheel_backend").build_wheel(tmp_path)
    with zipfile.ZipFile(tmp_path / name) as wheel:
        assert wheel.testzip() is None and any(n.endswith("RECORD") for n in wheel.namelist())
        wheel.extractall(tmp_path / "site")
    script = "import stickslip as ss; print(ss.__file__); ss.Stepper(ss.scene('wall')).step(); print(ss.__version__)"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path)) and done.stdout.endswith(ss.__version__ + "\n")


def test_importing_does_not_import_what_takes_long():
    script = "import sys, stickslip; print(sorted({'scipy', 'h5py', 'IPython'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "[]\n"
