"""Ops, values, pickles, PartitionSpecs and lowered programs."""
import copy
import pickle

import pytest

import shardy


def test_loops_over_ops_and_values(mlp):
    program = shardy.parse(mlp)
    names = [op.name for op in program]
    assert names == ["func.func", "stablehlo.dot_general", "stablehlo.tanh", "func.return"] == [op.name for op in program.ops]
    function, dot, tanh, end = program
    assert function.symbol == "main" and function.body == [dot, tanh, end] and dot.parent == function and function.parent is None
    assert [value.name for value in dot.operands] == ["%x", "%w"] and tanh.operands == dot.results
    assert dot.attributes["dot_dimension_numbers"]["lhs_contracting"] == [1] and dot.location == "5:10"
    y, = dot.results
    assert y.op == dot and y.users == [tanh] and (y.type, y.shape, y.dtype, y.sharding) == ("f32[8,10]", (8, 10), "float32", None)
    assert [value.name for value in program.values] == ["%x", "%w", "%y", "%z"] and program.values[0].op is None
    assert program.values[0].sharding.spec == ("data", None)
    assert len({y, dot.results[0], tanh.results[0]}) == 2 and len({dot, dot, tanh}) == 2
    sharded = {value.name: value.sharding.spec for value in program.propagate().values}
    assert sharded["%y"] == ("data", "model")


def test_ops_of_regions_come_after_their_op():
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
      %c = stablehlo.constant dense<0.0> : tensor<f32>
      %r = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      return %r : tensor<f32>
    }"""
    program = shardy.parse(text)
    reduce = next(op for op in program if op.name == "stablehlo.reduce")
    assert [op.name for op in reduce.body] == ["stablehlo.add", "stablehlo.return"]
    assert all(op.parent == reduce for op in reduce.body)
    inner = reduce.body[0].operands[0]
    assert inner.op is None and inner.sharding is None
    del program
    assert reduce.body[0].name == "stablehlo.add"


def test_unknown_sizes_are_minus_one():
    program = shardy.parse("func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> { %y = stablehlo.tanh %x : tensor<?x4xf32> return %y : tensor<?x4xf32> }")
    x, y = program.values
    assert x.shape == y.shape == (-1, 4)
    assert [port.shape for port in program.arguments + program.results] == [(-1, 4), (-1, 4)]


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value)), lambda value: pickle.loads(pickle.dumps(value, 2))])
def test_values_and_programs_are_pickled(copied, mlp, examples):
    mesh = shardy.Mesh({"x": 2, "y": 4}, [1, 0, 2, 3, 4, 5, 6, 7])
    assert copied(mesh) == mesh
    for dims in (["x", ["y", "?"]], {"dims": [None], "unreduced": ["x", "y:(2)2"]}, [{"axes": ["x"], "open": True, "priority": 2}]):
        sharding = shardy.Sharding(mesh, dims, "grid")
        assert copied(sharding) == sharding and copied(sharding).mesh_name == "grid"
    programs = [shardy.parse(mlp), shardy.parse(mlp).propagate(), shardy.parse(mlp).partition(), shardy.load(examples / "mlp.json"),
                shardy.load(examples / "jax" / "scan_sdy.mlir"), shardy.load(examples / "jax" / "moe_gspmd.mlir")]
    for program in programs:
        other = copied(program)
        assert str(other) == str(program) and other.to_json() == program.to_json()
        assert [each.message for each in other.diagnostics] == [each.message for each in program.diagnostics]
    assert copied(shardy.parse(mlp)).check()


def test_shardings_are_partition_specs(mlp):
    class PartitionSpec:  # of newer versions of JAX, not a tuple
        UNCONSTRAINED = type("UnconstrainedSingleton", (), {})()

        def __init__(self, *entries):
            self.entries = entries

        def __iter__(self):
            return iter(self.entries)

    class NamedSharding:
        spec = PartitionSpec(("x", "y"), None)

    mesh = shardy.Mesh({"x": 2, "y": 4})
    for spec in [("x", None), (("x", "y"), None), (None, None), ("x", ("y", "?")), ("?", None), ("y:(1)2", "y:(2)2"), ()]:
        assert shardy.Sharding(mesh, spec).spec == spec
    assert shardy.Sharding(mesh, PartitionSpec("x", PartitionSpec.UNCONSTRAINED)).spec == ("x", "?")
    assert shardy.Sharding(mesh, NamedSharding()).spec == (("x", "y"), None)
    program = shardy.parse(mlp).annotate({"x": ("model", None), "w": PartitionSpec(None, "data")})
    assert [port.sharding.spec for port in program.arguments] == [("model", None), (None, "data")]
    with pytest.raises(TypeError):
        shardy.Sharding(mesh, [{1, 2}])


def test_lowered_programs_are_read(mlp):
    class Lowered:
        def as_text(self, dialect=None, *, debug_info=False):
            assert debug_info
            return mlp

    class Old:
        def as_text(self):
            return mlp.encode()

    class Broken:
        def as_text(self):
            return 7

    assert str(shardy.from_lowered(Lowered())) == str(shardy.parse(mlp)) == str(shardy.from_lowered(Old(), name="mlp"))
    with pytest.raises(TypeError, match="returned int"):
        shardy.from_lowered(Broken())
    Lowered.as_text = lambda self, debug_info: "func.func @f("
    with pytest.raises(shardy.Error, match="<Lowered>:1"):
        shardy.from_lowered(Lowered())
