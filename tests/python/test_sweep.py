"""Annotations from Python, and sweeps over them."""
import json
import math
import subprocess

import pytest

import shardy


def test_annotations_are_put_over_those_of_the_program(mlp):
    program = shardy.parse(mlp)
    mesh, = program.meshes.values()
    other = program.annotate({"x": [None, "model"], "%w": None, "result 0": shardy.Sharding(mesh, ["data", None], "m")})
    x, w = other.arguments
    assert (x.sharding.dims, w.sharding, other.results[0].sharding.dims) == ([None, "model"], None, ["data", None])
    assert program.arguments[0].sharding.dims == ["data", None]
    text = program.annotate({"x": '[{"data", ?}, {}]', "y": {"dims": ["data", "?"]}})
    assert text.arguments[0].sharding.dims == [["data", "?"], None]
    assert "sdy.sharding" in str(text).split("dot_general")[1].splitlines()[0] or "sharding_constraint" in str(text)
    assert text.check() and other.check()


@pytest.mark.parametrize("shardings, error_text", [({"v": ["data"]}, "v"), ({"x": ["data", None, None]}, "x"), ({"x": '[{"data"}]'}, "x"), ({"x": ["date", None]}, "date"), ({"x": [7, None]}, "x: "),
                                             ({"x": "[{"}, "x"), ({"x": {"mesh": "n", "dims": []}}, "n")])
def test_annotations_that_do_not_fit_are_refused(shardings, error_text, mlp):
    with pytest.raises(shardy.Error) as caught:
        shardy.parse(mlp).annotate(shardings)
    assert error_text in str(caught.value)


def test_lists_shorter_than_the_rank_go_on_with_none(mlp):
    program = shardy.parse(mlp)
    mesh, = program.meshes.values()
    whole = program.annotate({"x": ["data", None], "w": [None, None], "result 0": ["model", None]})
    for short in (["data"], {"dims": ["data"]}, shardy.Sharding(mesh, ["data"], "m")):
        assert str(program.annotate({"x": short, "w": [], "result 0": ["model"]})) == str(whole)
    results = program.sweep([{"x": ["data"], "w": []}, {"x": ["data", None], "w": [None, None]}])
    assert [each.errors for each in results] == [[], []]
    assert results[0].seconds == results[1].seconds and results[0].set == results[1].set


def test_sweeps_price_what_reports_price(mlp):
    program = shardy.parse(mlp)
    sets = [{"x": x, "w": w} for x in (["data", None], [None, "model"], None) for w in ([None, "model"], ["model", None])]
    results = program.sweep(sets, threads=2)
    assert [each.name for each in results] == ["0", "1", "2", "3", "4", "5"]
    for each, shardings in zip(results, sets, strict=True):
        report = program.annotate(shardings).report()
        assert (each.bytes, each.peak_bytes, each.operations) == (report.bytes, report.peak.bytes, report.operations_per_device)
        assert each.collective_seconds == report.seconds and each.errors == [] and each.equal is None
        assert [total.name for total in each.by_kind] == [total.name for total in report.by_kind]
    front = shardy.pareto_front(results)
    for each in front:
        assert not any(other.seconds < each.seconds and other.peak_bytes <= each.peak_bytes for other in results)
    assert front and repr(front[0]).startswith("<shardy.StrategyResult ")


def test_sweeps_are_those_of_the_command_line(mlp, tmp_path, shardy_tool):
    path = tmp_path / "program.mlir"
    path.write_text(mlp)
    done = subprocess.run([shardy_tool, "sweep", path, "--random", "12", "--seed", "5", "--shardings", "--check"], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    program = shardy.parse(mlp)
    strategies = program.random_strategies(12, 5)
    results = program.sweep(strategies, shardings=True, check=True, seed=5)
    assert list(strategies) == [each.name for each in results] == [line["name"] for line in lines]
    for each, line in zip(results, lines, strict=True):
        for key in "set", "seconds", "collective_seconds", "peak_bytes", "bytes", "operations", "equal", "shardings":
            assert getattr(each, key) == line[key], key


def test_strategies_that_do_not_fit_are_results(mlp):
    good, bad = shardy.parse(mlp).sweep({"good": {}, "bad": {"x": '[{"data"}]'}})
    assert good.errors == [] and bad.errors and "refused" in repr(bad) and bad.set == {"x": '[{"data"}]'}
    assert [each.name for each in shardy.pareto_front([bad, good])] == ["good"]
    for cost in "seconds", "collective_seconds", "peak_bytes", "bytes", "operations":
        assert getattr(bad, cost) == math.inf
        assert min([bad, good], key=lambda each: getattr(each, cost)) is good
    assert shardy.parse(mlp).sweep([]) == [] and shardy.pareto_front([]) == []
    for wrong in [[7], 7, {"name": 7}, {7: {}}, [{7: None}]]:
        with pytest.raises(TypeError):
            shardy.parse(mlp).sweep(wrong)
    with pytest.raises(shardy.Error):
        shardy.parse(mlp).sweep([{}], operations_per_second=0)


def test_a_signal_ends_a_sweep(examples, expect_interrupt):
    expect_interrupt(f"shardy.load({str(examples / 'transformer.json')!r})", "program.sweep(program.random_strategies(100000))", 1)
