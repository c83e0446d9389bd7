// A minimal reshard planner, which gathers all dims and then slices. Its plans are correct. The
// collectives of the library's planner show how much more the plans cost.
#include "outcome.hpp"

namespace {

using namespace shardy;

// [part]
/// Gathers along all source axes, then slices along all target axes. The plan uses no axes besides
/// these, so none that a manual computation binds. Partial values use the default planner.
Result<std::vector<ReshardStep>> gather_and_slice(const TensorSize& tensor,
                                                  const TensorSharding& from,
                                                  const TensorSharding& to, const BoundAxes&) {
  const bool is_partial = !from.unreduced_axes().empty() || !to.unreduced_axes().empty();
  if (is_partial || from.mesh() != to.mesh()) return plan_reshard(tensor.shape, from, to);
  const auto axes_of = [](const TensorSharding& sharding) {
    AxisLists lists;
    for (const DimSharding& dim : sharding.dims()) lists.push_back(dim.axes);
    return lists;
  };
  std::vector<ReshardStep> steps;
  if (!from.is_fully_replicated()) {
    steps.push_back(
        {.kind = StepKind::AllGather, .dim_axes = axes_of(from), .out = from.fully_closed_like()});
  }
  if (!to.is_fully_replicated()) {
    steps.push_back({.kind = StepKind::AllSlice, .dim_axes = axes_of(to), .out = to});
  }
  return steps;
}
// [part]

constexpr std::string_view kProgram = R"(
  sdy.mesh @mesh = <["a"=4]>
  func.func @main(%x: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>})
      -> (tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) {
    %0 = stablehlo.tanh %x : tensor<64x32xf32>
    return %0 : tensor<64x32xf32>
  })";

}  // namespace

int main() {
  const ir::Module module = text::parse_mlir(kProgram).value();
  research::print_outcome("as the library plans", module);
  checking::Context context;
  context.extensions.plan_reshard = gather_and_slice;
  research::print_outcome("gather and slice", module, context);

  context.extensions.plan_reshard = [](const TensorSize&, const TensorSharding&,
                                       const TensorSharding&, const BoundAxes&) {
    return Result<std::vector<ReshardStep>>(std::vector<ReshardStep>());
  };
  research::print_outcome("a planner that does nothing", module, context);
}
