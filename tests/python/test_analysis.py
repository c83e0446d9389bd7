"""Explanations, hints, searches, comparisons and reshards from Python."""
import io
import json
import subprocess
import sys

import numpy as np
import pytest

import shardy
from conftest import ROOT


@pytest.fixture
def program(mlp):
    return shardy.parse(mlp)


def test_explanations_are_those_of_the_command_line(program, mlp, tmp_path, shardy_tool):
    path = tmp_path / "program.mlir"
    path.write_text(mlp)
    command = [shardy_tool, "explain", str(path), "--all", "--json"]
    expected = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    explanation = program.explain()
    assert [value.name for value in explanation.values] == [value["name"] for value in expected["values"]]
    for value, other in zip(explanation.values, expected["values"]):
        assert value.after == other["after"]
        assert [axis.axis for axis in value.axes] == [axis["axis"] for axis in other["axes"]]
    only, = program.explain("%z").values
    assert only.axes[0].decisions[-1].kind == "annotation" and only.axes[0].decisions[-1].value == "%x"
    assert "annotation of %x" in str(program.explain("z")) and program.explain("result 0").values
    with pytest.raises(shardy.Error, match="no such value: %q"):
        program.explain("%q")


def test_explanations_of_all_values_take_linear_memory():
    ops = "\n".join(f"  %v{at + 1} = stablehlo.tanh %v{at} : tensor<8xf32>" for at in range(10000))
    text = f'''sdy.mesh @mesh = <["x"=2]>
func.func @main(%v0: tensor<8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}]>}}) -> tensor<8xf32> {{
{ops}
  return %v10000 : tensor<8xf32>
}}'''
    script = """import resource, shardy, sys
program = shardy.parse(sys.stdin.read())
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))  # 50 million decisions need more
values = {value.name: value for value in program.explain().values}
print(len(values["%v10000"].axes[0].decisions))"""
    done = subprocess.run([sys.executable, "-c", script], input=text, text=True, capture_output=True)
    assert done.stdout.split() == ["10001"], done.stderr[-500:]


def test_conflicts_are_explained():
    text = """sdy.mesh @m = <["a"=4]>
    func.func @main(%x: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>},
                    %y: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"a"}]>}) -> tensor<16x32xf32> {
      %0 = stablehlo.add %x, %y : tensor<16x32xf32>
      return %0 : tensor<16x32xf32>
    }"""
    conflict = shardy.parse(text).explain().conflicts[0]
    assert conflict.op == "stablehlo.add" and conflict.axis == '"a"' and conflict.location == "4:12"
    assert "conflict at stablehlo.add" in str(conflict)


def test_hints_make_the_program_cheaper(examples):
    program = shardy.load(examples / "jax" / "fsdp_sdy.mlir")
    calls = []
    found = program.hints(top=3, progress=lambda *state: calls.append(state), axis_cost="*=ring:50GB/s:1us")
    assert found.tried > 0 and len(calls) == found.tried and calls[-1][1] == found.tried
    for hint in found.hints:
        assert hint.seconds < found.seconds and hint.edits[0].value in hint.annotations
        assert program.annotate(hint.annotations).report(axis_cost="*=ring:50GB/s:1us").bytes == hint.cost.bytes
    def stop(stage, done, total):
        raise RuntimeError("enough")
    with pytest.raises(RuntimeError, match="enough"):
        program.hints(progress=stop)
    with pytest.raises(shardy.Error):
        program.hints(threads=-1)


def test_searches_find_annotations(program):
    bar = io.StringIO()
    found = program.autoshard(ignore_annotations=True, operations_per_second=1e9, axis_cost="*=ring:50GB/s:1us",
                              progress=shardy.ProgressBar(bar))
    assert found.after.seconds <= found.before.seconds and found.fits and found.status in ("proven", "bounded")
    assert found.program.check() and found.program.report().bytes == found.after.cost.bytes
    assert bar.getvalue().startswith("\r") and bar.getvalue().endswith("\n")
    fixed = program.autoshard(ignore_annotations=True, fix={"x": ["model"]}, operations_per_second=1e9)
    assert fixed.program.arguments[0].sharding.spec[0] == "model"
    assert not program.autoshard(memory=1, ignore_annotations=True).fits
    assert not found.stopped
    with pytest.raises(shardy.Error, match="per-device program"):
        program.partition().autoshard()


def test_fronts_trade_time_for_memory(program):
    front = program.autoshard_front(4, ignore_annotations=True, operations_per_second=1e9)
    assert front[0].after.seconds == program.autoshard(ignore_annotations=True, operations_per_second=1e9).after.seconds
    for fast, small in zip(front, front[1:]):
        assert fast.after.seconds < small.after.seconds and fast.after.cost.peak_bytes > small.after.cost.peak_bytes
    with pytest.raises(shardy.Error, match="front of 0"):
        program.autoshard_front(0)


def test_problems_have_solutions():
    # The example of the contest: 445 within 50 bytes.
    problem = {"problem": {"name": "example",
                           "nodes": {"intervals": [[30, 70], [40, 70], [50, 120], [110, 140], [110, 150]],
                                     "costs": [[15], [55, 65], [25, 45, 35], [85, 75], [95]],
                                     "usages": [[10], [25, 25], [15, 20, 15], [10, 10], [15]]},
                           "edges": {"nodes": [[0, 1], [0, 2], [1, 3], [2, 4], [3, 4]],
                                     "costs": [[30, 40], [50, 10, 40], [90, 10, 20, 80], [60, 20, 30], [70, 60]]},
                           "usage_limit": 50}}
    found = shardy.solve(problem)
    assert (found.choice, found.price, found.bound, found.status) == ([0, 0, 2, 1, 0], 445, 445, "proven")
    assert shardy.solve(json.dumps(problem)).to_dict() == found.to_dict()
    assert shardy.solve(problem, memory=5).choice == []
    with pytest.raises(shardy.Error, match="problem"):
        shardy.solve({})


def test_differences_are_those_of_reports(program):
    other = program.annotate({"x": [None, "model"], "w": ["model"]})
    difference = program.diff(other)
    assert difference.before.bytes == program.report().bytes and difference.after.bytes == other.report().bytes
    assert difference.is_worse() and not program.diff(program).is_worse() and not other.diff(program).is_worse()
    assert difference.collectives[0].kind == "spmd.all_reduce" and difference.shardings


def test_reshards_have_plans():
    mesh = shardy.Mesh({"x": 2, "y": 4})
    both = shardy.reshard((24, 24), shardy.Sharding(mesh, ("x", None)), shardy.Sharding(mesh, (None, "x")), axis_cost="*=ring:50GB/s:1us")
    step, = both.reference.steps
    assert step.kind == "all_to_all" and step.moves == [(["x"], 0, 1)] and step.out.spec == (None, "x")
    assert step == shardy.Step("all_to_all", step.out, moves=[(["x"], 0, 1)])
    assert both.least_bytes <= both.best.bytes <= both.reference.bytes == 24 * 24 * 4 // 4 and both.best.proven
    assert shardy.reshard((24, 24), shardy.Sharding(mesh, ["x"]), shardy.Sharding(mesh, []), dtype="bf16").best.bytes == 24 * 12 * 2
    for shape, dtype in [((-1, 2), "f32"), ((2, 2), "f33"), ((1 << 40, 1 << 40), "f32"), ((2, 2), "2xf32")]:
        with pytest.raises(shardy.Error):
            shardy.reshard(shape, shardy.Sharding(mesh, ["x"]), shardy.Sharding(mesh, []), dtype=dtype)


def test_partitions_for_other_compilers(program):
    text = str(program.partition(collectives="stablehlo"))
    assert '= "spmd.' not in text and '= "spmd.' not in str(program.partition(collectives="stablehlo", replica_groups="mesh"))
    assert program.partition(collectives="stablehlo").run(program.random_inputs(1))[0].shape == (8, 10)
    with pytest.raises(shardy.Error, match="one of spmd stablehlo"):
        program.partition(collectives="mpi")
    top = shardy.load(ROOT / "examples/programs/top_k.mlir")
    kept, lowered = (top.partition(collectives="stablehlo", chlo=chlo) for chlo in ("keep", "lower"))
    assert "chlo.top_k" in str(kept) and any("chlo.top_k" in note.message for note in kept.diagnostics)
    assert "chlo." not in str(lowered) and not any("chlo" in note.message for note in lowered.diagnostics)
    for one, other in zip(kept.run(top.random_inputs(3)), lowered.run(top.random_inputs(3)), strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(shardy.Error, match="needs collectives"):
        program.partition(chlo="lower")
    with pytest.raises(shardy.Error, match="one of list mesh"):
        program.partition(replica_groups="lists")


def test_progress_of_sweeps(program, capsys):
    calls = []
    program.sweep(program.random_strategies(5), progress=lambda *state: calls.append(state), threads=2)
    assert [call[1:] for call in calls] == [(done, 5) for done in range(1, 6)]
    program.sweep(program.random_strategies(5), progress=True)
    assert "5/5\n" in capsys.readouterr().err
    with pytest.raises(TypeError):
        program.sweep(program.random_strategies(2), progress=7)


def test_results_become_records(program):
    program = program.annotate({"x": [None, "model"], "w": ["model"]})
    report = program.report()
    rows = shardy.records(report.collectives + report.by_kind)
    assert rows[0]["kind"] == report.collectives[0].kind and rows[0]["axis_bytes"] == report.collectives[0].axis_bytes
    everything = [report, program.explain(), program.diff(program), program.hints(), program.check(), *program.sweep([{}]), *program.arguments]
    for record in everything:
        members = record.to_dict()
        assert json.loads(json.dumps(members)) == members and set(members) <= set(dir(record))
    assert report.to_dict()["peak"]["live"][0]["bytes"] == report.peak.live[0].bytes
    assert program.arguments[0].to_dict()["sharding"] == '<@m, [{}, {"model"}]>'
