"""Decisions of the library that Python functions make: the experiments of examples/research."""
import math

import pytest

import shardy

DOT = """
sdy.mesh @mesh = <["a"=4]>
func.func @main(%x: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>},
                %w: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> tensor<16x64xf32> {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}
"""
PRODUCT = """
sdy.mesh @mesh = <["a"=2, "b"=4]>
func.func @main(%x: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>},
                %y: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) -> tensor<64x32xf32> {
  %0 = stablehlo.multiply %x, %y : tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}
"""
RESHARD = """
sdy.mesh @mesh = <["a"=4]>
func.func @main(%x: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>})
    -> (tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) {
  %0 = stablehlo.tanh %x : tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}
"""
CONTRACTION = """
sdy.mesh @mesh = <["a"=4]>
func.func @main(%x: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>},
                %w: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>})
    -> (tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}
"""


def kinds(program, context=None):
    return [row.kind for row in program.report(context=context).collectives]


def sharding_of(program, name, context=None):
    return next(value.sharding for value in program.propagate(context=context).values if value.name == name).spec


def rows_first(query):
    """The factors of the first result come first, in the order of its dims."""
    order = [factor for dim in query.rule.tensors[query.rule.num_operands] for factor in dim]
    return order + [factor for factor in query.default if factor not in order]


def most_shards(query):
    """The axes of the tensor with the most shards along the factor."""
    def shards(axes):
        # `b` is a whole axis, `b:(1)2` a part with two shards.
        sizes = [int(name.split(")")[1]) if ":(" in name else query.mesh.axes[name] for name in axes]
        return math.prod(sizes)
    return max([query.default] + [axes for axes in query.tensors if axes], key=shards)


def gather_and_slice(query):
    source, target = query.source, query.target
    whole = shardy.Sharding(source.mesh, [None] * source.rank, source.mesh_name)
    def axes(sharding):
        return [dim if isinstance(dim, tuple) else [dim] if dim else [] for dim in sharding.spec]
    return [shardy.Step("all_gather", whole, dim_axes=axes(source)), shardy.Step("all_slice", target, dim_axes=axes(target))]


def test_a_resolution_of_conflicts_in_python():
    program = shardy.parse(DOT)
    context = shardy.Context(resolve_conflicts=rows_first)
    assert sharding_of(program, "%y") == (None, ("a", "?")) or sharding_of(program, "%y") == (None, "a")
    assert sharding_of(program, "%y", context)[0] in ("a", ("a", "?"))
    assert program.check(context=context) and kinds(program, context) != kinds(program)


def test_compatible_axes_in_python():
    program = shardy.parse(PRODUCT)
    context = shardy.Context(compatible_axes=most_shards)
    seen = []
    watched = shardy.Context(compatible_axes=lambda query: seen.append(query) or query.default)
    assert str(program.propagate(context=watched)) == str(program.propagate())
    assert {query.direction for query in seen} <= {"forward", "backward", "both"}
    assert seen[0].tensors[:2] == [["a"], ["b"]] and seen[0].rule.factors[0].kind == "pass_through" and seen[0].rule.num_operands == 2
    assert "spmd.all_gather" in kinds(program) and "spmd.all_gather" not in kinds(program, context)
    assert program.check(context=context)


def test_priorities_in_python():
    program = shardy.parse(DOT)
    levels = []
    def reductions_first(query):
        levels.append(query.level)
        has_reduction = any(factor.kind == "reduction" for factor in query.rule.factors)
        return "both" if query.level > 0 or has_reduction else "none"
    assert program.check(context=shardy.Context(op_direction=reductions_first))
    assert set(levels) == {0, 1}
    nothing = program.propagate(context=shardy.Context(op_direction=lambda query: "none", op_levels=1))
    assert next(value.sharding for value in nothing.values if value.name == "%y") is None

    both = DOT.replace('[{"a"}, {}]', '[{"a"}p2, {}]').replace('[{}, {"a"}]', '[{}, {"a"}p1]')
    asked = []
    def reverse(priorities):
        asked.append(priorities)
        return priorities[::-1]
    first, last = (sharding_of(shardy.parse(both), "%y", context) for context in (None, shardy.Context(user_priorities=reverse)))
    assert asked[0] == [1, 2] and first != last


def test_common_axes_in_python():
    program = shardy.parse(CONTRACTION)
    asked = []
    def as_the_result(query):
        asked.append(query)
        result = query.tensors[query.rule.num_operands]
        common = [[] for _ in query.rule.factors]
        for entry, factors in zip(result.sharding.spec, query.rule.tensors[query.rule.num_operands]):
            common[factors[0]] = [] if entry is None else [entry]
        assert result.shape == [64, 16] and result.element_bytes == 4 and query.bound == [] and len(query.default) == len(common)
        return common
    context = shardy.Context(common_axes=as_the_result)
    assert program.check(context=context) and asked
    with pytest.raises(shardy.Error, match="common_axes"):
        program.partition(context=shardy.Context(common_axes=lambda query: []))


def test_a_planner_in_python():
    program = shardy.parse(RESHARD)
    queries = []
    default = shardy.Context(plan_reshard=lambda query: queries.append(query) or query.default)
    assert kinds(program, default) == kinds(program) == ["spmd.all_to_all"]
    assert queries[0].shape == [64, 32] and queries[0].source.spec == ("a", None) and queries[0].element_bytes == 4
    plans = []
    context = shardy.Context(plan_reshard=lambda query: plans.append(gather_and_slice(query)) or plans[-1])
    assert program.check(context=context)
    assert [step.kind for step in plans[0]] == ["all_gather", "all_slice"] and plans[0][0].dim_axes == [["a"], []]
    with pytest.raises(shardy.Error, match="returned an invalid plan"):
        program.partition(context=shardy.Context(plan_reshard=lambda query: []))


def test_a_strategy_in_python():
    program = shardy.parse(DOT)
    def replicate(source):
        assert source.arguments[0].name == "x"
        return {"x": [None, None], "w": None}
    context = shardy.Context(strategy=replicate)
    assert program.report(context=context).bytes == 0 < program.report().bytes
    assert program.check(context=context)
    with pytest.raises(TypeError):
        program.report(context=shardy.Context(strategy=lambda source: 7))


def test_exceptions_of_callbacks_are_raised_by_the_stage():
    program = shardy.parse(DOT)
    def broken(query):
        raise KeyError("mine")
    for context in (shardy.Context(compatible_axes=broken), shardy.Context(resolve_conflicts=broken), shardy.Context(op_direction=broken)):
        for stage in (program.propagate, program.partition, program.report, program.run, program.check, program.explain):
            with pytest.raises(KeyError, match="mine"):
                stage(context=context)
        with pytest.raises(KeyError, match="mine"):
            program.sweep([{"x": ["a"]}, {"x": [None]}], context=context, threads=2)
    with pytest.raises(shardy.Error, match="unknown direction: up"):
        program.propagate(context=shardy.Context(op_direction=lambda query: "up"))
    with pytest.raises(shardy.Error, match='"c"'):
        program.propagate(context=shardy.Context(compatible_axes=lambda query: ["c"]))
    with pytest.raises(shardy.Error, match="resolve_conflicts"):
        program.propagate(context=shardy.Context(resolve_conflicts=lambda query: [0]))
    assert program.check()


def test_contexts_that_are_none_are_refused():
    with pytest.raises(TypeError, match="function, not int"):
        shardy.Context(plan_reshard=7)
    with pytest.raises(shardy.Error, match="op_levels is 9"):
        shardy.Context(op_direction=lambda query: "both", op_levels=9)
    with pytest.raises(shardy.Error, match="unknown kind of step"):
        shardy.Step("all_gathers", shardy.Sharding(shardy.Mesh({"a": 2}), [None]))


def test_sweeps_call_functions_from_several_threads():
    program = shardy.parse(PRODUCT)
    sets = list(program.random_strategies(40, seed=3).values())
    context = shardy.Context(compatible_axes=most_shards)
    results = program.sweep(sets, context=context, threads=4)
    assert len(results) == 40
    for each, shardings in list(zip(results, sets))[:5]:
        if not each.errors:
            assert each.bytes == program.annotate(shardings).report(context=context).bytes
