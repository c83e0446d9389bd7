"""The examples of docs/python.md."""
import base64
import html
import json
import re
import xml.etree.ElementTree
import zlib

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


def test_pages_and_pictures(examples, capsys, tmp_path):
    program = shardy.load(examples / "mlp.json")
    # [view]
    page = program.view(title="mlp")
    picture = shardy.show(program.arguments[0])
    print(picture)
    # [view]
    assert capsys.readouterr().out.splitlines()[0] == 'arg0: <@mesh, [{"data"}p0, {?}]>'
    assert "<title>mlp" in page.html and "data-part=\"report\"" in page.html
    frame = page._repr_html_()
    assert frame.startswith("<iframe ") and frame.count("<") == page.html.count("<") + 2
    assert html.unescape(frame[frame.index("srcdoc=") + 8:frame.rindex('"></iframe>')]) == page.html
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == page.html
    assert picture._repr_svg_() == picture.svg
    assert xml.etree.ElementTree.fromstring(picture.svg).tag.endswith("svg")
    picture.save(tmp_path / "picture.svg")
    sharding = program.arguments[0].sharding
    assert shardy.show(sharding, (16, 12)).svg.count("<g>") == 4
    with pytest.raises(shardy.Error, match="needs a shape"):
        shardy.show(sharding)
    with pytest.raises(shardy.Error, match="no sharding"):
        shardy.show(program.arguments[2])
    with pytest.raises(shardy.Error, match="a sharding of 2 dims for a tensor of 1 dims"):
        shardy.show(sharding, [3])


def test_a_page_shows_the_program_as_it_is(examples):
    program = shardy.load(examples / "jax" / "fsdp_sdy.mlir")
    changed = program.annotate({"%arg0": [None, None]})
    assert part_of(changed.view(hints=True).html, "report")["bytes"] == changed.report().bytes
    assert part_of(changed.view().html, "hints") is None
    with pytest.raises(shardy.Error, match="expected"):
        program.view(axis_cost="fsdp=round")


def part_of(page, name):
    data = re.search(f'data-part="{name}">([^<]*)<', page)[1]
    return json.loads(zlib.decompress(base64.b64decode(data), -15))
