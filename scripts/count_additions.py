#!/usr/bin/env python3
"""Counts the files that one must touch to add an op, a pass or a kind of attribute.

count_additions.py [--compile BUILD] [ROOT]

Adds one of each to a copy of ROOT (default: .), by the recipes of CONTRIBUTING.md, and prints the changed files. An error is an
edit whose place does not exist, and more files than the limit. With --compile the sources of the copy that see an addition
are compiled (not linked) with the flags of the build folder BUILD.
"""
import argparse
import json
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

OPS = "include/shardy/ir/ops"
KERNELS = "src/simulation/kernels"


def insert_after(place, text):
    return place, place + text


def before(place, text):
    return place, text + place


# ---- A unary op ---------------------------------------------------------------------------------------------------------

CUBE = {
    f"{OPS}/elementwise.inc": [
        before('SHARDY_OP(Divide, ', 'SHARDY_OP(Cube, "stablehlo.cube", kMath, unary(kFC))\n')],
    f"{KERNELS}/elementwise_math.cpp": [
        before("struct Cbrt {", """struct Cube {
  static double of(double x) { return x * x * x; }
  static Wide of(Wide x) { return x * x * x; }
};
"""),
        before("SHARDY_KERNEL(Exponential, ", "SHARDY_KERNEL(Cube, make_unary<Elementary<Cube>>)\n")],
    "tests/simulation/elementwise_test.cpp": [
        before('TEST_CASE("every elementwise op of the table has a kernel"', """TEST_CASE("cube", "[simulation][elementwise]") {
  check_unary(OpKind::Cube, ElementType::F32, {2, -3}, {8, -27});
}

""")],
}

# ---- A structured op ----------------------------------------------------------------------------------------------------

ROLL = {
    f"{OPS}/shape.inc": [
        before("SHARDY_OP(BitcastConvert, ", """SHARDY_OP(Roll, "stablehlo.roll", kPure,
          {.operands = "operand",
           .infer = &infer_op<Roll>,
           .attributes = "dimension:i64;shift:i64",
           .form = " %, dim = $dimension, shift = $shift A : SAME"})
""")],
    "include/shardy/ir/attribute_names.hpp": [
        before("inline constexpr std::string_view kSlicingAxes",
               'inline constexpr std::string_view kShift = "shift";\n')],
    "include/shardy/ir/shape_ops.hpp": [
        before("struct ReverseOp {", """struct RollOp {
  int64_t dim = 0;
  int64_t shift = 0;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kDimension, &RollOp::dim}, Field{attr::kShift, &RollOp::shift}};
  }
};

""")],
    "src/ir/infer_shape.cpp": [
        before("Result<Types> infer_reverse(", """template <>
Result<Types> infer_op<OpKind::Roll>(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY(const auto view, read_view<RollOp>(op.attributes));
  SHARDY_TRY_STATUS(expect_dim(attr::kDimension, view.dim, op.operand_type(0).dims().size()));
  return Types{op.operand_type(0)};
}

""")],
    "include/shardy/rules/built_in.hpp": [
        before("// Entries of all ops that are not pointwise.", """SHARDY_INLINE RuleResult roll_of(const OpView& op, const RuleOptions&) {
  SHARDY_TRY(const int64_t dim, op.integer(ir::attr::kDimension));
  const int64_t dims[] = {dim};
  SHARDY_TRY(OpShardingRule rule, reverse_rule(op.operand_shape(0), dims));
  return std::optional<OpShardingRule>(std::move(rule));
}

"""),
        before("    {.kind = ir::OpKind::Scatter,",
               "    {.kind = ir::OpKind::Roll, .make = &roll_of, .attributes = {ir::attr::kDimension}},\n")],
    f"{KERNELS}/shape.cpp": [
        before("}  // namespace\n\nSHARDY_KERNEL(Constant, ", """Result<Kernel> make_roll(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const auto view = reader.view<ir::RollOp>();
  const auto dim = static_cast<std::size_t>(view.dim);
  const auto dims = reader.operand().dims();
  std::vector<CopyDim> rest = dims_written(dims);
  rest[dim].size = 1;
  const int64_t stride = row_major_strides(dims)[dim];
  return [=, result = reader.result(), shift = view.shift, size = dims[dim],
          copy = StridedCopy(rest, ir::size_bytes(reader.operand().element()))](
             const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(result));
    for (int64_t to = 0; to < size; ++to) {
      const int64_t from = (((to - shift) % size) + size) % size;
      copy.run(call.operands[0].data(), out.data(), from * stride, to * stride);
    }
    return Tensors{std::move(out).finish()};
  };
}

"""),
        before("SHARDY_KERNEL(Transpose, ", "SHARDY_KERNEL(Roll, make_roll)\n")],
    "tests/simulation/shape_test.cpp": [
        before('#include "simulation/random_values.hpp"', '#include "shardy/ir/shape_ops.hpp"\n'),
        before('TEST_CASE("slice takes every stride-th element"', """TEST_CASE("roll moves elements around the end", "[simulation][layout]") {
  const Tensor rolled = one_result(
      {tensor(ElementType::F32, {4}, {1, 2, 3, 4})}, [](GraphBuilder& graph, const Values& x) {
        return graph.value_of({.kind = OpKind::Roll,
                               .operands = {x[0]},
                               .attributes = shardy::ir::attributes_of(shardy::ir::RollOp{0, 1})});
      });
  CHECK(rolled == tensor(ElementType::F32, {4}, {4, 1, 2, 3}));
}

""")],
}

# ---- A collective -------------------------------------------------------------------------------------------------------

MIRROR = {
    f"{OPS}/spmd.inc": [
        before("SHARDY_OP(SpmdPermute, ", """SHARDY_OP(SpmdMirror, "spmd.mirror", kPure | kCollective | kNoKernel,
          {.operands = "operands+",
           .results = "results+",
           .infer = &infer_op<SpmdMirror>,
           .attributes = "axes:axes;mesh:symbol"})
""")],
    "src/ir/infer_collective.cpp": [
        before("Result<Types> infer_spmd_broadcast_from(", """template <>
Result<Types> infer_op<OpKind::SpmdMirror>(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_static_operands(op));
  SHARDY_TRY_STATUS(group_of(op));
  return op.operand_types();
}

""")],
    f"{KERNELS}/collective.cpp": [
        before("Result<CollectiveKernel> make_broadcast_from(", """/// Rank r has what the rank before the last r had.
Result<CollectiveKernel> make_mirror(const SpmdReader& reader) {
  return on_mesh(reader, [](const Gathered& group) -> Result<Exchanged> {
    std::vector<int64_t> sources;
    for (int64_t rank = std::ssize(group.by_rank); rank-- > 0;) sources.push_back(rank);
    return permute(group.by_rank, sources);
  });
}

"""),
        before("    {ir::OpKind::SpmdPermute, ", "    {ir::OpKind::SpmdMirror, &make_on_mesh<&make_mirror>},\n")],
    "src/partitioning/emitter.hpp": [
        before("  ir::ValueId permute(ir::ValueId value, ",
               "  ir::ValueId mirror(ir::ValueId value, const DeviceOrder& place, std::span<const AxisRef> axes);\n")],
    "src/partitioning/emitter.cpp": [
        before("ValueId Emitter::permute(", """ValueId Emitter::mirror(ValueId value, const DeviceOrder& place, std::span<const AxisRef> axes) {
  const AxisList kept = without_unit_axes(axes);
  if (kept.empty()) return value;
  return collective(OpKind::SpmdMirror, value, module_->type(value), group(place, kept));
}

""")],
    "tests/simulation/collective_test.cpp": [
        before('TEST_CASE("permutes compute ranks by arithmetic"', """TEST_CASE("a mirror is a collective without a kernel", "[simulation][collective]") {
  CHECK_FALSE(shardy::simulation::has_kernel(OpKind::SpmdMirror));
}

""")],
}

# ---- A pass -------------------------------------------------------------------------------------------------------------

DROP_NOTES = {
    "src/passes/import/import_passes.hpp": [
        before("/// Orders functions so that callers come first, after the meshes.", """/// Erases the attributes `test.note`.
Diagnostics drop_notes(ir::Module& module);

""")],
    "src/passes/import/simple_passes.cpp": [
        before("Diagnostics symbol_dce(", """Diagnostics drop_notes(Module& module) {
  for (const OpId op : ir::pre_order(module)) module.attributes(op).erase("test.note");
  return {};
}

""")],
    "src/passes/import/register.cpp": [
        before('      {.name = "sdy-flatten-call-graph",', """      {.name = "sdy-drop-notes",
       .summary = "drops notes",
       .phase = PassPhase::Import,
       .run = body(&drop_notes)},
""")],
    "tests/passes/golden/sdy-drop-notes/example.mlir": None,
}

# ---- A kind of attribute ------------------------------------------------------------------------------------------------

I16 = {
    "include/shardy/ir/op_definition.hpp": [before("  I32,\n", "  I16,\n")],
    "src/ir/op_definition.cpp": [
        before('    {AttributeKind::I32, "i32"', '    {AttributeKind::I16, "i16", Integer, ElementType::I16},\n')],
    "tests/ir/op_definition_test.cpp": [
        before('TEST_CASE("words of enumerations have their numbers"', """TEST_CASE("a kind has elements", "[ir][op_definition]") {
  CHECK(definition_of(AttributeKind::I16).element == ElementType::I16);
}

""")],
}

# ---- A kind of attribute with values of its own -------------------------------------------------------------------------

POOL = {
    "include/shardy/ir/attribute.hpp": [
        before("/// Shardings of several results, operands", """/// Dim lists of `pool`.
struct PoolDims {
  std::vector<int64_t> window_dims;  // of the operand
  bool operator==(const PoolDims&) const = default;
};

"""),
        before("Mesh, UnresolvedSharding, TensorSharding,", "PoolDims, ")],
    "include/shardy/reflection.hpp": [
        before("SHARDY_VALUE(shardy::ir::ShardingList, shardings)",
               "SHARDY_VALUE(shardy::ir::PoolDims, window_dims)\n")],
    "include/shardy/ir/op_definition.hpp": [before("  DotAlgorithm,\n", "  PoolDims,\n")],
    "src/ir/op_definition.cpp": [
        before("    held<OpaqueAttr>(AttributeKind::DotAlgorithm", '    held<PoolDims>(AttributeKind::PoolDims, "pool"),\n')],
    "src/ir/attribute_hash.cpp": [
        before("  void operator()(const Mesh& mesh)",
               "  void operator()(const PoolDims& dims) const { to.add_ranges(dims.window_dims); }\n")],
    "src/text/dim_numbers.hpp": [
        before("/// A kind of permute map and the names", """template <>
struct DimNumbers<ir::PoolDims> {
  static constexpr std::string_view kName = "pool dims";
  static constexpr std::string_view kMnemonic = "stablehlo.pool";
  static constexpr std::array<DimsMember<ir::PoolDims>, 1> kMembers = {{
      {"window_dims", "window_dims", &ir::PoolDims::window_dims},
  }};
};

""")],
    "src/text/dims_codecs.cpp": [
        before("    codec(AttributeKind::ConvolutionDims",
               '    codec(AttributeKind::PoolDims, "pool", kJson<ir::PoolDims>, kMlir<ir::PoolDims>),\n')],
    "tests/ir/op_definition_test.cpp": [
        before("#include <shardy/ir/op_definition.hpp>", "#include <shardy/ir/attribute.hpp>\n"),
        before('TEST_CASE("words of enumerations have their numbers"', """TEST_CASE("a kind has a form", "[ir][op_definition]") {
  CHECK(definition_of(AttributeKind::PoolDims).form == Attribute(PoolDims{}).form());
}

""")],
}

# Additions, the files with their edits, limits, and sources that include those headers. None: a new file.
ADDITIONS = [
    ("a unary op", CUBE, 3, ["src/ir/op_definition.cpp", "src/ir/ir.cpp", f"{KERNELS}/kernel_table.cpp"]),
    ("a structured op", ROLL, 7, ["src/rules/rules.cpp", "src/text/mlir_form.cpp"]),
    ("a collective", MIRROR, 6, []),
    ("a pass", DROP_NOTES, 4, []),  # with its golden program
    ("a kind of attribute", I16, 3, ["src/text/attribute_codec.cpp"]),
    ("a kind of attribute with values of its own", POOL, 8, ["src/text/sharding_codecs.cpp"]),
]


def apply(root, edits):
    """The complaints about places that are not there exactly once."""
    for name, changes in edits.items():
        path = root / name
        if changes is None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("")
            continue
        text = path.read_text()
        for place, replacement in changes:
            if text.count(place) != 1:
                yield f"{name}: {text.count(place)} times: {place!r}"
            text = text.replace(place, replacement, 1)
        path.write_text(text)


def compile_source(copy, root, build, name):
    """Compiles a source of the copy as the build does that of ROOT."""
    for command in json.loads((build / "compile_commands.json").read_text()):
        if pathlib.Path(command["file"]) == root / name:
            words = shlex.split(command["command"].replace(str(root / "src"), str(copy / "src"))
                                .replace(str(root / "include"), str(copy / "include"))
                                .replace(str(root / "tests"), str(copy / "tests")))
            words = words[:words.index("-o")] + words[words.index("-o") + 2:]
            words = [word for word in words if "ccache" not in word]
            return subprocess.run([*words, "-fsyntax-only"], cwd=command["directory"], check=False).returncode == 0
    print(f"{name}: not in {build}/compile_commands.json")
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=".")
    parser.add_argument("--compile", type=pathlib.Path, metavar="BUILD")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for top in ("include", "src", "tests"):
            ignore = None if top != "tests" else shutil.ignore_patterns("*.mlir", "*.json", "corpus")
            shutil.copytree(root / top, copy / top, ignore=ignore)
        sources = []
        for what, edits, limit, seen in ADDITIONS:
            for complaint in apply(copy, edits):
                print(complaint, file=sys.stderr)
                failed = True
            failed |= len(edits) > limit
            print(f"{what}: {len(edits)} of at most {limit} files")
            for name in edits:
                print(f"  {name}")
            sources += [name for name in [*edits, *seen] if name.endswith(".cpp")]
        if arguments.compile:
            for name in sorted(set(sources)):
                failed |= not compile_source(copy, root, arguments.compile.resolve(), name)
    return failed


if __name__ == "__main__":
    sys.exit(main())
