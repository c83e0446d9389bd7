"""Docstrings, type stubs and the version."""
import importlib.util
import inspect
import pathlib
import re
import subprocess
import sys

import pytest

import shardy
from conftest import ROOT

SCRIPT = """
import shardy
from typing import Optional
program = shardy.load("mlp.json")
names: list[str] = [op.name for op in program]
spec: Optional[shardy.Sharding] = program.arguments[0].sharding
context = shardy.Context(resolve_conflicts=lambda query: query.default, plan_reshard=lambda query: query.default)
report = program.report(context=context)
rows: list[dict[str, object]] = shardy.records(report.collectives)
total: int = sum(row.times * row.bytes for row in report.collectives)
found = program.autoshard(memory=1 << 30, progress=True)
best: shardy.Program = found.program
plan = shardy.reshard((8, 8), best.arguments[0].sharding or shardy.Sharding(shardy.Mesh({"x": 2}), ("x", None)), shardy.Sharding(shardy.Mesh({"x": 2}), []))
step: shardy.Step = plan.best.steps[0]
"""
WRONG = """
import shardy
program = shardy.load("mlp.json", forms="auto")
bytes: str = program.report().bytes
program.partition(collective="spmd")
shardy.Context(strategies=lambda program: {})
program.report().bytes = 3
"""


def members():
    """Everything public: the module, its classes, their methods and properties, by name."""
    for name in shardy.__all__:
        member = getattr(shardy, name)
        yield name, member
        if isinstance(member, type):
            for inner, value in vars(member).items():
                if not inner.startswith("_") or inner == "__init__":
                    yield f"{name}.{inner}", value


def test_everything_has_a_docstring():
    missing = []
    for name, member in members():
        doc = re.sub(r"^(\w+\(.*|Overloaded function\.)$", "", inspect.getdoc(member) or "", flags=re.MULTILINE).strip()
        is_error = name.startswith("Error.") or name == "StrategyResult.__init__"
        if not doc and not is_error and not (name.endswith("__init__") and "pybind" in str(type(member))):
            missing.append(name)
    assert missing == []


def test_the_version_is_that_of_the_headers():
    header = (ROOT / "include/shardy/version.h").read_text()
    parts = [re.search(rf"SHARDY_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH")]
    assert shardy.__version__ == ".".join(parts)


def test_stubs_have_what_the_module_has():
    stub = (ROOT / "src/python/shardy/__init__.pyi").read_text()
    classes = {part.split("(")[0].split(":")[0]: part for part in re.split(r"^class ", stub, flags=re.MULTILINE)[1:]}
    for name, member in members():
        owner, _, inner = name.partition(".")
        if not inner:
            assert re.search(rf"^(class|def) {name}\b", stub, re.MULTILINE), name
        elif isinstance(member, property):
            assert re.search(rf"^    {inner}: Final\[", classes[owner], re.MULTILINE), name
        elif inner != "__init__":
            bases = re.match(r"\w+\((\w+)\)", classes[owner])
            declared = classes[owner] + (classes.get(bases[1], "") if bases else "")
            assert re.search(rf"^    def {inner}\(", declared, re.MULTILINE), name


def run_mypy(path):
    stubs = pathlib.Path(shardy.__file__).parents[1]
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir", "/dev/null", str(path)],
                          env={"MYPYPATH": str(stubs), "PATH": "/usr/bin:/bin"}, capture_output=True, text=True)


needs_mypy = pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="the Debian package mypy is not here")


@needs_mypy
def test_scripts_are_clean_by_the_stubs(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = run_mypy(script)
    assert done.returncode == 0, done.stdout


@needs_mypy
def test_the_stubs_find_wrong_calls(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(WRONG)
    lines = [int(line) for line in re.findall(r"script.py:(\d+): error", run_mypy(script).stdout)]
    assert sorted(set(lines)) == [3, 4, 5, 6, 7]


@needs_mypy
def test_no_name_is_in_the_stubs_or_the_module_alone(tmp_path):
    folder = pathlib.Path(shardy.__file__).parents[1]
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "shardy", "--ignore-missing-stub", "--concise"], capture_output=True, text=True, cwd=tmp_path,
                          env={"MYPYPATH": str(folder), "PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin"})
    # Names of types exist for checkers alone, and attributes of an error are set when it is raised. Signatures of pybind11 are not compared.
    types = {"shardy." + name for name in ("Axes", "Words", "Set", "Inputs", "Progress")}
    missing = [line for line in done.stdout.splitlines() if "is not present at runtime" in line or "does not exist at runtime" in line]
    assert [line for line in missing if line.split()[0] not in types and not line.startswith("shardy.Error.")] == []
    assert "shardy.Progress" in done.stdout, done.stdout + done.stderr
