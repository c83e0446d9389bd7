// A custom op, a fused rotary embedding, is propagated, resharded, partitioned, simulated and
// checked like the ops of the library.
#include <fmt/core.h>

#include <cmath>
#include <shardy/checking/check.hpp>
#include <shardy/checking/compile.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/text/mlir.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using shardy::Result;
using shardy::Status;
namespace checking = shardy::checking;
namespace ir = shardy::ir;
namespace partitioning = shardy::partitioning;
namespace rules = shardy::rules;
namespace simulation = shardy::simulation;

// [program]
/// `example.rotary` rotates pairs of features of row s by angles that grow with start + s.
constexpr std::string_view kProgram = R"(
sdy.mesh @mesh = <["data"=2, "sequence"=4]>
func.func @main(%x: tensor<4x16x2x8xf32>
    {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"sequence"}, {}, {}]>})
    -> tensor<4x16x2x8xf32> {
  %start = stablehlo.constant dense<100> : tensor<i64>
  %0 = stablehlo.tanh %x : tensor<4x16x2x8xf32>
  %1 = "example.rotary"(%0, %start)
      : (tensor<4x16x2x8xf32>, tensor<i64>) -> tensor<4x16x2x8xf32>
  %2 = stablehlo.multiply %1, %x : tensor<4x16x2x8xf32>
  return %2 : tensor<4x16x2x8xf32>
}
)";
// [program]

// [rule]
/// Batches and heads are independent. A shard of the sequence does not know its position in the
/// sequence, so the sequence dim needs replication. Axes are still propagated along that dim.
constexpr std::string_view kRule = "b s h f, -> b s h f need_replication={s, f}";
// [rule]

// [kernel]
/// Computes the op on the local values of one device.
Result<simulation::Tensors> rotate(const simulation::ForeignCall& call) {
  const ir::Type& type = call.operands[0].type();
  const auto start = static_cast<int64_t>(call.operands[1].to_doubles()[0]);
  std::vector<double> values = call.operands[0].to_doubles();
  const auto features = static_cast<std::size_t>(type.dim(3));
  const auto heads = static_cast<std::size_t>(type.dim(2));
  const auto length = static_cast<std::size_t>(type.dim(1));
  for (std::size_t at = 0; at + 1 < values.size(); at += 2) {
    const std::size_t row = at / features / heads % length;
    const auto pair = static_cast<double>(at % features);
    const double angle = static_cast<double>(start + static_cast<int64_t>(row)) *
                         std::pow(10000.0, -pair / static_cast<double>(features));
    const double x = values[at];
    const double y = values[at + 1];
    values[at] = x * std::cos(angle) - y * std::sin(angle);
    values[at + 1] = x * std::sin(angle) + y * std::cos(angle);
  }
  SHARDY_TRY(simulation::Tensor result, simulation::Tensor::from_doubles(type, values));
  return simulation::Tensors{std::move(result)};
}
// [kernel]

// [lowering]
/// The rule of the lowering. A device that gets the position of its rows as an operand needs only
/// these rows, so the sequence may be sharded.
constexpr std::string_view kLoweringRule = "b s h f, -> b s h f need_replication={f}";

Status lower_rotary(partitioning::OpLowering& op) {
  const partitioning::OpLowering::Axes axes = op.result_axes(0);
  if (!axes[3].empty()) return op.error("the features of a row must not be sharded");
  const ir::ValueId rows = op.operand(0, axes);
  const ir::ValueId start = op.operand(1, {});
  const ir::ValueId begin = op.tile_begin(axes[1], op.result_type(0).dim(1));
  const ir::Type scalar = ir::Type::tensor({}, ir::ElementType::I64);
  const ir::ValueId own_start = op.builder().create_value(ir::OpKind::Add, {start, begin}, scalar);
  const partitioning::OpLowering::Axes results[] = {axes};
  const ir::OpId local = op.clone({rows, own_start}, results);
  op.set_result(0, op.local_program().result(local), axes);
  return {};
}
// [lowering]

// [context]
/// Returns a context with the full description of the op, or with its rule and its kernel only.
Result<checking::Context> make_context(bool with_lowering) {
  checking::ForeignOp rotary{.name = "example.rotary", .kernel = &rotate};
  SHARDY_TRY(rotary.rule, rules::einsum_maker(kRule));
  if (with_lowering) {
    SHARDY_TRY(rotary.lowering_rule, rules::einsum_maker(kLoweringRule));
    rotary.lower = &lower_rotary;
  }
  checking::Context context;
  SHARDY_TRY_STATUS(context.add_op(std::move(rotary)));
  return context;
}
// [context]

// [check]
/// Runs the program on 8 devices and unsharded, and prints the bytes sent.
bool check(std::string_view title, const ir::Module& program, const checking::Context& context) {
  const auto inputs = checking::random_inputs(program, 1);
  const auto report = checking::check(program, inputs.value(), {}, context);
  if (!report) {
    fmt::print("{}: {}\n", title, report.error().front().headline());
    return false;
  }
  fmt::print("{}: {} devices, {} of {} values sharded\n", title, report->sharded.devices.size(),
             report->num_sharded_values, report->num_values);
  for (const auto& [kind, traffic] : report->sharded.devices.front().traffic) {
    fmt::print("  {} x {}, {} bytes sent per device\n", traffic.count, ir::info(kind).name,
               traffic.bytes_sent);
  }
  fmt::print("  {} the unsharded run\n", report->equal() ? "equal to" : "NOT EQUAL to");
  return report->equal();
}
// [check]

}  // namespace

int main() {
  const auto program = shardy::text::parse_mlir(kProgram);
  const Result<checking::Context> all = make_context(true);
  const Result<checking::Context> rule_alone = make_context(false);
  if (!program || !all || !rule_alone) return 1;
  const bool lowered = check("with a lowering", *program, *all);
  const bool by_rule = check("by its rule alone", *program, *rule_alone);
  return lowered && by_rule ? 0 : 1;
}
