// Ops that only the embedder knows, in all stages.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "checking/programs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/rules/registry.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using checking::Context;
using checking::ForeignOp;
using shardy_test::text_of;
using simulation::Tensors;

namespace foreign_ops_test {
namespace {

ir::Module parsed(const std::string& text) {
  auto module = text::parse_mlir(text);
  if (!module) FAIL(text::error_text("program", text, module.error()));
  return *std::move(module);
}

/// Adds to each element the number of its row. The second operand is the number of the first row.
Result<Tensors> number_rows(const simulation::ForeignCall& call) {
  const ir::Type& type = call.operands[0].type();
  std::vector<double> values = call.operands[0].to_doubles();
  const double start = call.operands[1].to_doubles()[0];
  const auto columns = static_cast<std::size_t>(type.dim(1));
  for (std::size_t at = 0; at < values.size(); ++at) {
    values[at] += start + static_cast<double>(at / columns);
  }
  SHARDY_TRY(simulation::Tensor result, simulation::Tensor::from_doubles(type, values));
  return Tensors{std::move(result)};
}

Status lower_numbered(partitioning::OpLowering& op) {
  const auto axes = op.result_axes(0);
  const ir::ValueId begin = op.tile_begin(axes[0], op.result_type(0).dim(0));
  const ir::Type scalar = ir::Type::tensor({}, ir::ElementType::I64);
  const ir::ValueId start =
      op.builder().create_value(ir::OpKind::Add, {op.operand(1, {}), begin}, scalar);
  const partitioning::OpLowering::Axes results[] = {axes};
  const ir::OpId local = op.clone({op.operand(0, axes), start}, results);
  op.set_result(0, op.local_program().result(local), axes);
  return {};
}

ForeignOp numbered(bool with_lowering) {
  ForeignOp op{.name = "test.number_rows", .kernel = &number_rows};
  op.rule = rules::einsum_maker("i j, -> i j need_replication={i}").value();
  if (!with_lowering) return op;
  op.lowering_rule = rules::einsum_maker("i j, -> i j").value();
  op.lower = &lower_numbered;
  return op;
}

Context context_of(ForeignOp op) {
  Context context;
  REQUIRE(context.add_op(std::move(op)).has_value());
  return context;
}

std::string numbering(const std::string& rows, const std::string& columns) {
  const std::string type = "tensor<" + rows + "x" + columns + "xf32>";
  return R"(
func.func @main(%x: )" +
         type + R"(, %s: tensor<i64>) -> )" + type + R"( {
  %0 = stablehlo.negate %x : )" +
         type + R"(
  %1 = "test.number_rows"(%0, %s) : ()" +
         type + R"(, tensor<i64>) -> )" + type + R"(
  %2 = stablehlo.negate %1 : )" +
         type + R"(
  return %2 : )" +
         type + R"(
})";
}

constexpr const char* kCutRows = R"(
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %s: tensor<i64>)
    -> tensor<8x6xf32> {
  %0 = "test.number_rows"(%x, %s) : (tensor<8x6xf32>, tensor<i64>) -> tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
})";

DiagnosedResult<checking::CheckReport> check(const std::string& text, const Context& context) {
  const ir::Module module = parsed(text);
  return checking::check(module, checking::random_inputs(module, 3).value(), {}, context);
}

std::string failure(const std::string& text, const Context& context) {
  const auto report = check(text, context);
  REQUIRE_FALSE(report.has_value());
  std::string headline = report.error().front().headline();
  for (const std::string& note : report.error().front().notes) headline += "; " + note;
  return headline;
}

}  // namespace

TEST_CASE("a foreign op gives the same bits under any sharding", "[checking][foreign]") {
  for (const bool with_lowering : {false, true}) {
    CAPTURE(with_lowering);
    const Context context = context_of(numbered(with_lowering));
    for (uint64_t seed = 0; seed < 60; ++seed) {
      CAPTURE(seed);
      checking::Random random(seed);
      ir::Module module = parsed(
          numbering(std::to_string(random.between(0, 9)), std::to_string(random.between(1, 7))));
      const Mesh mesh = checking::random_mesh(random, 12);
      module.add_mesh("mesh", mesh);
      const ir::OpId main = *module.main_function();
      ir::set_arg_sharding(module, main, 0,
                           checking::random_sharding(random, mesh, 2, BoundAxes::none()));
      if (random.chance(2)) {
        ir::set_result_sharding(module, main, 0,
                                checking::random_sharding(random, mesh, 2, BoundAxes::none()));
      }
      Tensors inputs;
      for (const ir::Type& type : module.arg_types(main)) {
        inputs.push_back(checking::random_tensor(random, type));
      }
      checking::CheckOptions options;
      options.run.kernels.fill = simulation::Fill::Poison;
      options.tolerance = 0;
      const auto report = checking::check(module, inputs, options, context);
      INFO((report ? std::string() : text_of(report.error())) + text::to_mlir(module));
      REQUIRE(report.has_value());
      INFO(text::to_mlir(report->compiled.program));
      CHECK(report->equal());
    }
  }
}

TEST_CASE("a lowering of a foreign op keeps dims sharded that the rule would replicate",
          "[checking][foreign]") {
  const auto lowered = check(kCutRows, context_of(numbered(true)));
  REQUIRE(lowered.has_value());
  CHECK(lowered->equal());
  CHECK(shardy_test::most_bytes_sent(lowered->sharded) == 0);
  CHECK(lowered->num_sharded_values == 2);

  const auto by_rule = check(kCutRows, context_of(numbered(false)));
  REQUIRE(by_rule.has_value());
  CHECK(by_rule->equal());
  CHECK(shardy_test::most_bytes_sent(by_rule->sharded) > 0);
}

TEST_CASE("a check of a foreign op with a kernel finds an incorrect guessed rule",
          "[checking][foreign]") {
  const Context context = context_of({.name = "test.number_rows", .kernel = &number_rows});
  const auto is_equal = [&](const std::string& rule) {
    std::string text = kCutRows;
    const std::string operands = "(%x, %s)";
    text.insert(text.find(operands) + operands.size(), " {sdy.sharding_rule = \"" + rule + "\"}");
    const auto report = check(text, context);
    REQUIRE(report.has_value());
    return report->equal();
  };
  CHECK_FALSE(is_equal("i j, -> i j"));
  CHECK(is_equal("i j, -> i j need_replication={i, j}"));
  CHECK(is_equal("i j, -> i j need_replication={i}"));
}

TEST_CASE("a missing kernel, rule or lowering of a foreign op is reported", "[checking][foreign]") {
  ForeignOp without_kernel = numbered(true);
  without_kernel.kernel = {};
  CHECK(failure(kCutRows, context_of(without_kernel)) ==
        "unsupported op test.number_rows; an embedder can give it a kernel (ForeignKernels)");
  CHECK(failure(kCutRows, Context()) ==
        "E_UNSUPPORTED_OP: test.number_rows: no lowering to a per-device program; add a rule that "
        "is correct for the op: sdy.sharding_rule = \"i j, -> i j need_replication={i, j}\" is "
        "always correct; \"i j, -> i j\", guessed from equal sizes, is correct only if each shard "
        "of the results "
        "needs only the same shard of the operands; checking::check with a kernel of the op tests "
        "a rule");
  ForeignOp refusing = numbered(true);
  refusing.lower = [](partitioning::OpLowering& op) -> Status { return op.error("not today"); };
  CHECK(failure(kCutRows, context_of(refusing)) == "E_UNSUPPORTED_OP: test.number_rows: not today");
  ForeignOp forgetful = numbered(true);
  forgetful.lower = [](partitioning::OpLowering&) { return Status(); };
  CHECK(failure(kCutRows, context_of(forgetful)) ==
        "E_UNSUPPORTED_OP: test.number_rows: its lowering gave no result 0");
  ForeignOp wrong = numbered(true);
  wrong.lower = [](partitioning::OpLowering& op) {
    op.set_result(0, op.operand(1, {}), op.result_axes(0));
    return Status();
  };
  CHECK(failure(kCutRows, context_of(wrong)) ==
        "E_UNSUPPORTED_OP: test.number_rows: its lowering gave result 0 as tensor<i64>, not "
        "tensor<2x3xf32>");
}

TEST_CASE("a context accepts an op once, and only if the op is foreign", "[checking][foreign]") {
  Context context;
  CHECK(context.add_op(numbered(true)).has_value());
  const auto message = [&](ForeignOp op) {
    const Status added = context.add_op(std::move(op));
    REQUIRE_FALSE(added.has_value());
    return added.error().message;
  };
  CHECK(message(numbered(true)) ==
        "a sharding rule is registered already for op: test.number_rows");
  CHECK(message({.name = "test.number_rows", .kernel = &number_rows}) ==
        "was added before: test.number_rows");
  CHECK(message({.name = "stablehlo.add"}) ==
        "stablehlo.add is not a foreign op: the library supports it");
  ForeignOp halved = numbered(true);
  halved.name = "test.other";
  halved.rule = {};
  CHECK(message(halved) == "has a lowering rule and no rule: test.other");
}

TEST_CASE("an embedder can add only a rule to a composite", "[checking][foreign]") {
  Context context;
  ForeignOp op{.name = "test.composite", .kernel = &number_rows};
  op.rule = rules::einsum_maker("i j -> i j").value();
  const auto refused = context.add_composite(op);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "is lowered and run as its decomposition: test.composite");
  op.kernel = {};
  CHECK(context.add_composite(op).has_value());
  CHECK_FALSE(context.add_composite(op).has_value());
}

TEST_CASE("a custom call uses the rule, lowering and kernel of the embedder",
          "[checking][foreign]") {
  ForeignOp call = numbered(true);
  call.name = "number_rows";
  Context context;
  REQUIRE(context.add_custom_call(call).has_value());
  const auto report = check(R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<7x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %s: tensor<i64>)
    -> tensor<7x6xf32> {
  %0 = stablehlo.custom_call @number_rows(%x, %s) : (tensor<7x6xf32>, tensor<i64>) -> tensor<7x6xf32>
  return %0 : tensor<7x6xf32>
})",
                            context);
  INFO((report ? std::string() : text_of(report.error())));
  REQUIRE(report.has_value());
  CHECK(report->equal());
  CHECK(shardy_test::most_bytes_sent(report->sharded) == 0);
}

TEST_CASE("op-by-op partitioning uses the lowerings of the context", "[checking][foreign]") {
  const Context context = context_of(numbered(true));
  ir::Module module = parsed(kCutRows);
  const auto passes = context.all_passes();
  REQUIRE(passes.has_value());
  passes::PipelineOptions options;
  options.exporting.enable_per_instruction_partitioning = true;
  options.exporting.inline_meshes = false;
  std::vector<std::string> warnings;
  passes::PipelineHooks hooks{.rules = &context.ops.rules};
  hooks.sinks.diagnose = [&](const Diagnostic& each) { warnings.push_back(each.message); };
  const Diagnostics errors =
      passes::run_pipeline(module, *passes, passes::propagation_pipeline(options), hooks);
  INFO(text_of(errors));
  REQUIRE(errors.empty());
  CHECK(warnings == std::vector<std::string>());
  const std::string text = text::to_mlir(module);
  INFO(text);
  CHECK(text.find("spmd.coord") != std::string::npos);
  CHECK(text.find("tensor<2x3xf32>, tensor<i64>") != std::string::npos);
}

TEST_CASE("passes and limits of a context apply to a compilation and its runs",
          "[checking][foreign]") {
  Context context = context_of(numbered(true));
  bool has_run = false;
  passes::Pass mine{.name = "test-shard"};
  mine.run = [&](ir::Module&, passes::PassContext& given) {
    has_run = &given.rules() == &context.ops.rules;
    return Diagnostics();
  };
  REQUIRE(context.passes.add(mine).has_value());
  const ir::Module module = parsed(kCutRows);
  checking::CheckOptions options;
  options.compile.pipeline.enable_auto_partitioning = true;
  options.compile.pipeline.auto_partitioner = [](const passes::PipelineOptions&) {
    return std::vector<passes::PassCall>{{"test-shard"}};
  };
  const Tensors inputs = checking::random_inputs(module, 3).value();
  CHECK(checking::check(module, inputs, options, context).has_value());
  CHECK(has_run);

  context.runs.limits.max_steps = 1;
  const auto stopped = checking::check(module, inputs, options, context);
  REQUIRE_FALSE(stopped.has_value());
  CHECK(stopped.error().front().headline() == "E_STEP_LIMIT: more than 1 steps");

  passes::Pass taken{.name = "sdy-close-shardings"};
  taken.run = mine.run;
  REQUIRE(context.passes.add(taken).has_value());
  const auto refused = checking::compile(module, options.compile, context);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().front().message == "a pass of that name exists: sdy-close-shardings");
}

}  // namespace foreign_ops_test
