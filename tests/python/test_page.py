"""The examples of docs/python.md."""
import numpy as np
import pytest

import shardy


def test_a_program_from_text_to_numbers(examples, capsys):
    # [program]
    program = shardy.load(examples / "mlp.json")
    for port in program.arguments:
        print(port)

    sharded = program.propagate()
    print(sharded.results[0].sharding)
    print(program.partition().arguments[0].type)
    # [program]
    # [run]
    x, w1, b1, w2 = program.random_inputs(seed=1)
    y, = program.run([x, w1, b1, w2])
    np.testing.assert_allclose(y, np.maximum(x @ w1 + b1, 0) @ w2, rtol=1e-5, atol=1e-5)
    print(program.check())
    # [run]
    # [report]
    report = program.report(axis_cost="model=ring:100GB/s:1us")
    print(report)
    for row in report.collectives:
        print(row.kind, row.axes, row.times * row.bytes, row.serves)
    # [report]
    printed = capsys.readouterr().out
    assert printed.splitlines()[:6] == [
        '<shardy.Port arg0: f32[16,12] <@mesh, [{"data"}p0, {?}]>>',
        '<shardy.Port arg1: f32[12,20] <@mesh, [{?}, {"model"}p1]>>',
        "<shardy.Port arg2: f32[20]>", "<shardy.Port arg3: f32[20,12]>",
        '<@mesh, [{"data"}, {}]>', "f32[4,12]"]
    assert "equal to the unsharded run\n" in printed
    assert 'spmd.all_reduce {"model"} 192 stablehlo.dot_general\n' in printed


def test_many_annotations(examples, capsys):
    # [sweep]
    program = shardy.load(examples / "jax" / "fsdp_sdy.mlir")
    replicated = program.annotate({"%arg0": [None, None]})
    print(replicated.report().bytes - program.report().bytes)

    strategies = [{"%arg0": dims, "%arg1": other} for dims in (["fsdp"], [None, "fsdp"]) for other in (["fsdp"], [])]
    results = program.sweep(strategies, check=True)
    assert not any(result.errors for result in results)
    for result in shardy.pareto_front(results):
        print(result.name, result.set, result.seconds, result.peak_bytes, result.equal)
    # [sweep]
    first, *front = capsys.readouterr().out.splitlines()
    assert first == "-288"
    assert front and all(line.endswith(" True") for line in front)


def test_values_of_their_own():
    # [values]
    mesh = shardy.Mesh({"data": 4, "model": 2})
    sharding = shardy.Sharding(mesh, ["data", ["model", "?"]])
    assert sharding.local_shape((16, 12)) == [4, 6]
    assert sharding.local_shape((16, 12, 5)) == [4, 6, 5]
    assert str(sharding) == '<@mesh, [{"data"}, {"model", ?}]>'
    assert eval(repr(sharding), vars(shardy)) == sharding
    # [values]


def test_errors():
    # [errors]
    text = "func.func @f() {\n  %0 = stablehlo.sinus %1\n  return\n}\n"
    with pytest.raises(shardy.Error) as caught:
        shardy.parse(text, "model.mlir")
    assert caught.value.location == "2:8"
    assert caught.value.notes == ["did you mean stablehlo.sine?"]
    # [errors]
