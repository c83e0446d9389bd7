"""Programs from text to numbers."""
import ast
import inspect
import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import shardy


def test_parse_reads_both_formats_and_keeps_names(mlp):
    program = shardy.parse(mlp)
    again = shardy.parse(program.to_json())
    assert again.to_mlir() == program.to_mlir() == str(program)
    assert "%z = stablehlo.tanh %y" in str(program)
    assert [port.name for port in again.arguments] == ["x", "w"]
    assert json.loads(program.to_json())["functions"][0]["args"][0]["sharding"] == ["data", None]
    assert shardy.parse(mlp.encode()).to_mlir() == program.to_mlir()


def test_load_reads_files(examples):
    program = shardy.load(examples / "mlp.json")
    assert program.to_json() == (examples / "mlp.json").read_text()


def test_ports_have_types_and_shardings(mlp):
    x, w = shardy.parse(mlp).arguments
    assert (x.name, x.type, x.shape, x.dtype) == ("x", "f32[8,6]", (8, 6), "float32")
    assert x.sharding.dims == ["data", None] and w.sharding.dims == [None, "model"]
    result, = shardy.parse(mlp).results
    assert (result.name, result.type, result.sharding) == ("result 0", "f32[8,10]", None)
    assert shardy.parse(mlp).propagate().results[0].sharding.dims == ["data", "model"]


def test_partition_makes_the_program_of_one_device(mlp):
    local = shardy.parse(mlp).partition()
    assert local.arguments[0].type == "f32[2,6]"
    assert local.results[0].type == "f32[2,5]"


def test_run_gives_what_numpy_gives(mlp):
    program = shardy.parse(mlp)
    x, w = program.random_inputs(seed=3)
    want = np.tanh(x @ w)
    for inputs in [x, w], (x, w), {"w": w, "x": x}:
        got, = program.run(inputs)
        assert got.dtype == np.float32 and got.shape == (8, 10)
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(program.partition().run([x, w])[0], got)
    np.testing.assert_array_equal(program.run(seed=3)[0], got)
    np.testing.assert_array_equal(program.run([x, w], threads=1)[0], got)


def test_the_first_nested_module_with_functions_is_the_program(mlp):
    inner = mlp.replace("module {", "module @a {").replace("func.func @main", "func.func public @entry")
    other = "module @b {\n  func.func @main() {\n    return\n  }\n}\n"
    for text in inner + other, "module @outer {\n" + inner + "}\n":
        program = shardy.parse(text)
        assert "the program is the module @a" in str(program.diagnostics[0])
        assert program.check().equal
        assert program.partition().arguments[0].type == "f32[2,6]"


def test_programs_without_a_mesh_run_on_one_device(identity):
    program = shardy.parse(identity("3xf32", ops="%r0 = stablehlo.add %x0, %x0 : tensor<3xf32>"))
    np.testing.assert_array_equal(program.run([np.arange(3, dtype=np.float32)])[0], [0, 2, 4])


def test_check_reports_a_proof(mlp):
    check = shardy.parse(mlp).check()
    assert check and check.equal and check.exact and check.f64
    assert str(check).endswith("equal to the unsharded run")
    assert check.largest_difference < 1e-5
    assert repr(check) == "<shardy.Check: equal>"
    quick = shardy.parse(mlp).check(exact=False, f64=False)
    assert quick.equal and not quick.exact and not quick.f64


def test_report_is_that_of_the_command_line(mlp, examples, tmp_path, shardy_tool):
    for text in mlp, (examples / "transformer.json").read_text():
        path = tmp_path / "program"
        path.write_text(text)
        want = json.loads(subprocess.run([shardy_tool, "report", path, "--json"], check=True, capture_output=True).stdout)
        report = shardy.parse(text).report()
        for key in "devices", "bytes", "collectives_run", "seconds", "operations_once", "operations_per_device", "efficiency":
            assert getattr(report, key) == want[key]
        assert report.peak.bytes == want["peak"]["bytes"]
        for row, wanted in zip(report.collectives, want["collectives"], strict=True):
            assert {key: getattr(row, key) for key in wanted} == wanted
        for name in "by_kind", "by_axis", "by_location":
            totals = [{"name": t.name, "count": t.count, "bytes": t.bytes, "seconds": t.seconds} for t in getattr(report, name)]
            assert totals == want[name]
        for value, wanted in zip(report.values, want["values"], strict=True):
            assert {key: getattr(value, key) for key in wanted} == wanted


def test_costs_of_axes_count(mlp):
    text = mlp.replace("[{}, {\"model\"}]", "[{\"model\"}, {}]")
    cheap, dear = (shardy.parse(text).report(axis_cost=f"model=ring:{speed}GB/s") for speed in (1000, 1))
    assert cheap.bytes == dear.bytes > 0 and dear.seconds > 100 * cheap.seconds


def test_shardings_of_gspmd_are_imported(examples):
    program = shardy.load(examples / "jax" / "fsdp_gspmd.mlir")
    assert program.diagnostics and program.diagnostics[0].severity == "note"
    assert program.meshes and program.check()
    plain = shardy.load(examples / "jax" / "fsdp_gspmd.mlir", form="none")
    assert "mhlo.sharding" in str(plain)


def test_stubs_and_module_have_the_same_names():
    stub = pathlib.Path(inspect.getfile(shardy)).with_name("__init__.pyi")
    tree = ast.parse(stub.read_text())
    stubbed = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert {name for name in stubbed if not name.startswith("_")} == set(shardy.__all__)
    for name, node in stubbed.items():
        if not isinstance(node, ast.ClassDef) or name == "Error" or name.startswith("_"):
            continue
        body = node.body + [each for base in node.bases for each in stubbed[base.id].body]
        members = {each.target.id if isinstance(each, ast.AnnAssign) else each.name for each in body if not isinstance(each, ast.Expr)}
        real = {key for key in vars(getattr(shardy, name)) if not key.startswith("__")}
        assert real == {key for key in members if not key.startswith("__")}, name


@pytest.mark.parametrize("value", ["repr(program)", "repr(mesh)", "repr(sharding)", "repr(report)", "repr(port)", "repr(row)"])
def test_reprs_name_type_and_value(value, mlp):
    program = shardy.parse(mlp)
    mesh, = program.meshes.values()
    port = program.arguments[0]
    sharding, report = port.sharding, program.report()
    row = shardy.parse(mlp.replace("[{}, {\"model\"}]", "[{\"model\"}, {}]")).report().collectives[0]
    want = {
        "repr(program)": '<shardy.Program @main: 2 arguments, 1 results, @m = <["data"=4, "model"=2]>>',
        "repr(mesh)": "Mesh({'data': 4, 'model': 2})",
        "repr(sharding)": "Sharding(Mesh({'data': 4, 'model': 2}), ['data', None])",
        "repr(port)": '<shardy.Port x: f32[8,6] <@m, [{"data"}, {}]>>',
        "repr(report)": "<shardy.Report: 8 devices, 0 collectives, 0 bytes sent, peak memory 208 bytes>",
        "repr(row)": '<shardy.Collective spmd.all_reduce {"model"} of tensor<2x10xf32>, 80 bytes, 1 times>',
    }[value]
    scope = dict(program=program, mesh=mesh, sharding=sharding, report=report, port=port, row=row)
    assert eval(value, scope) == want
