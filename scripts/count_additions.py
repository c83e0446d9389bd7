#!/usr/bin/env python3
"""Counts the files that one must touch to add an op, a pass or a kind of attribute, and those that a sharding passes through.

count_additions.py [--compile BUILD] [ROOT]

Adds one of each to a copy of ROOT (default: .), by the recipes of CONTRIBUTING.md, and prints the changed files. An error is an
edit whose place does not exist, and more files than the limit. With --compile the sources of the copy that see an addition
are compiled (not linked) with the flags of the build folder BUILD.

Then lists the files with the functions that make each form of a sharding, from a JSON graph to its printed text. An error is a
function that is not in its file or does not name the next one, and more files than the limit.
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

SHIFT = {
    f"{OPS}/shape.inc": [
        before("SHARDY_OP(BitcastConvert, ", """SHARDY_OP(Shift, "stablehlo.shift", kPure,
          {.operands = "operand",
           .infer = &infer_op<Shift>,
           .attributes = "dimension:i64;distance:i64",
           .form = " %, dim = $dimension, distance = $distance A : SAME"})
""")],
    "include/shardy/ir/shape_ops.hpp": [
        before('inline constexpr std::string_view kIteration = "iteration";',
               'inline constexpr std::string_view kDistance = "distance";\n'),
        before("struct ReverseOp {", """struct ShiftOp {
  int64_t dim = 0;
  int64_t distance = 0;

  static constexpr auto fields() {
    return std::tuple{Field{attr::kDimension, &ShiftOp::dim},
                      Field{attr::kDistance, &ShiftOp::distance}};
  }
};

""")],
    "src/ir/infer_shape.cpp": [
        before("Result<Types> infer_reverse(", """template <>
Result<Types> infer_op<OpKind::Shift>(const OpFacts& op) {
  SHARDY_TRY_STATUS(expect_tensor(op, 0));
  SHARDY_TRY(const auto view, read_view<ShiftOp>(op.attributes));
  SHARDY_TRY_STATUS(expect_dim(attr::kDimension, view.dim, op.operand_type(0).dims().size()));
  return Types{op.operand_type(0)};
}

""")],
    "include/shardy/rules/built_in.hpp": [
        before("// Entries of all ops that are not pointwise.", """SHARDY_INLINE RuleResult shift_of(const OpView& op, const RuleOptions&) {
  SHARDY_TRY(const int64_t dim, op.integer(ir::attr::kDimension));
  const int64_t dims[] = {dim};
  SHARDY_TRY(OpShardingRule rule, reverse_rule(op.operand_shape(0), dims));
  return std::optional<OpShardingRule>(std::move(rule));
}

"""),
        before("    {.kind = ir::OpKind::Scatter,",
               "    {.kind = ir::OpKind::Shift, .make = &shift_of, .attributes = {ir::attr::kDimension}},\n")],
    f"{KERNELS}/shape.cpp": [
        before("}  // namespace\n\nSHARDY_KERNEL(Constant, ", """Result<Kernel> make_shift(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const auto view = reader.view<ir::ShiftOp>();
  const auto dim = static_cast<std::size_t>(view.dim);
  const auto dims = reader.operand().dims();
  std::vector<CopyDim> rest = dims_written(dims);
  rest[dim].size = 1;
  const int64_t stride = row_major_strides(dims)[dim];
  return [=, result = reader.result(), size = dims[dim],
          copy = StridedCopy(rest, ir::size_bytes(reader.operand().element()))](
             const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(result));
    std::ranges::fill(out.bytes(), std::byte{0});
    for (int64_t to = std::max<int64_t>(0, view.distance);
         to < std::min(size, size + view.distance); ++to) {
      copy.run(call.operands[0].data(), out.data(), (to - view.distance) * stride, to * stride);
    }
    return Tensors{std::move(out).finish()};
  };
}

"""),
        before("SHARDY_KERNEL(Transpose, ", "SHARDY_KERNEL(Shift, make_shift)\n")],
    "src/partitioning/families.hpp": [
        before("LowerOp lower_slice,", "LowerOp lower_shift;\n"),
        before("    {ir::OpKind::Slice, &lower_slice},", "    {ir::OpKind::Shift, &lower_shift},\n")],
    "src/partitioning/slice.cpp": [
        before('#include "shardy/ir/shape_ops.hpp"', '#include "shardy/ir/detail/number.hpp"\n'),
        before("Status lower_reverse(", """/// Each shard needs as many elements as it has, and neighbours have some of them.
Status lower_shift(Lowering& lowering, OpId op) {
  const ir::Module& input = lowering.input();
  const ValueId result = input.result(op);
  const std::vector<AxisList> axes = lowering.axes_of(result);
  const PartitionedValue operand =
      lowering.reshard_to(op, lowering.local(input.operand(op, 0)), axes);
  const auto [moved, distance] = ir::view<ir::ShiftOp>(input, op);
  const auto dim = static_cast<std::size_t>(moved);
  const Tiling tiling = operand.tiling(dim);
  Lowering::Halo want{dim, {tiling.tile, -distance, 1}, tiling.tile, std::nullopt, 0};
  want.fill = lowering.emit().constant(
      ir::splat_literal(ir::Type::tensor({}, operand.global.element()), 0));
  want.receivers = tiling.shards;
  lowering.finish(op, lowering.exchange_halo(operand.value, axes[dim], tiling, want));
  return {};
}

""")],
    "tests/simulation/shape_test.cpp": [
        before('#include "simulation/random_values.hpp"', '#include "shardy/ir/shape_ops.hpp"\n'),
        before('TEST_CASE("slice takes every stride-th element"', """TEST_CASE("shift moves elements away from the start", "[simulation][layout]") {
  const Tensor shifted = one_result(
      {tensor(ElementType::F32, {4}, {1, 2, 3, 4})}, [](GraphBuilder& graph, const Values& x) {
        return graph.value_of({.kind = OpKind::Shift,
                               .operands = {x[0]},
                               .attributes = shardy::ir::attributes_of(shardy::ir::ShiftOp{0, 1})});
      });
  CHECK(shifted == tensor(ElementType::F32, {4}, {0, 1, 2, 3}));
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
    "tests/simulation/collective_test.cpp": [
        before('TEST_CASE("permutes compute ranks by arithmetic"', """TEST_CASE("a mirror is a collective without a kernel", "[simulation][collective]") {
  CHECK_FALSE(shardy::simulation::has_kernel(OpKind::SpmdMirror));
}

""")],
}

# ---- A pass -------------------------------------------------------------------------------------------------------------

DROP_NOTES = {
    "src/passes/import/register.cpp": [
        before("// ---- Branches ----", """namespace {

/// Erases the attributes `test.note`.
Diagnostics drop_notes(Module& module) {
  for (const OpId op : ir::pre_order(module)) module.attributes(op).erase("test.note");
  return {};
}

}  // namespace

"""),
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
    ("a structured op with a halo", SHIFT, 8, ["src/rules/rules.cpp", "src/text/mlir_form.cpp"]),
    ("a collective", MIRROR, 4, []),
    ("a pass", DROP_NOTES, 2, []),  # with its golden program
    ("a kind of attribute", I16, 3, ["src/text/attribute_codec.cpp"]),
    ("a kind of attribute with values of its own", POOL, 8, ["src/text/sharding_codecs.cpp"]),
]

# The functions that make the forms of a sharding of an argument, in order, each with a text of its file that makes the next form. The script
# checks that they exist; that none is missing was checked by hand.
# Functions that pass attributes of all kinds on, such as those of the printer, and checks are left out.
JOURNEY = [
    ("src/text/json_reader_function.cpp", "JsonReader::value_attributes(JsonNode node", "read_sharding(*sharding, meshes_"),
    ("src/text/json_attribute.cpp", "Result<UnresolvedSharding> read_sharding(", "UnresolvedAxisRef axis_of_text("),
    ("include/shardy/algebra/detail/unresolved_axis.hpp", "struct UnresolvedAxisRef {", "std::string name;"),
    ("src/ir/resolve.cpp", "void resolve_values(", "shardy::resolve(unresolved, mesh,"),
    ("include/shardy/algebra/unresolved.hpp", "Result<TensorSharding> resolve(", "detail::loosen(mesh, sharding)"),
    ("include/shardy/algebra/detail/axis_check.hpp", "LooseSharding loosen(", "struct LooseAxisRef {"),
    ("include/shardy/algebra/unresolved.hpp", "AxisList axes_of(const LooseAxisList& loose", "mesh.full_axis("),
    ("include/shardy/algebra/mesh.hpp", "AxisRef full_axis(", "struct AxisRef {"),
    ("include/shardy/algebra/unresolved.hpp", "Result<TensorSharding> build(", "TensorSharding::make("),
    ("include/shardy/algebra/tensor_sharding.hpp", "Result<TensorSharding> TensorSharding::make(", "check_axis_indices("),
    ("src/text/sharding_codecs.cpp", "Attribute spell_sharding(", "spell(sharding)"),
    ("include/shardy/algebra/unresolved.hpp", "UnresolvedSharding spell(const TensorSharding", "spell(mesh, dim)"),
    ("src/text/sharding_codecs.cpp", "void print_sdy(", "attribute_text(value_of(attr))"),
    ("include/shardy/algebra/text.hpp", "std::string attribute_text(const UnresolvedSharding&", "attribute_text<UnresolvedSharding>("),
]
MOST_FILES_OF_JOURNEY = 10


def missing_places(root, journey):
    for name, *places in journey:
        text = (root / name).read_text() if (root / name).exists() else ""
        yield from (f"{name}: missing {place!r}" for place in places if place not in text)


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
        files = list(dict.fromkeys(name for name, *_ in JOURNEY))
        print(f"a sharding from JSON to text: {len(files)} of at most {MOST_FILES_OF_JOURNEY} files")
        for name in files:
            print(f"  {name}")
        for complaint in missing_places(root, JOURNEY):
            print(complaint, file=sys.stderr)
            failed = True
        failed |= len(files) > MOST_FILES_OF_JOURNEY
        if arguments.compile:
            for name in sorted(set(sources)):
                failed |= not compile_source(copy, root, arguments.compile.resolve(), name)
    return failed


if __name__ == "__main__":
    sys.exit(main())
