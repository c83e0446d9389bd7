// An extension that chooses compatible axes. If tensors of an op conflict on a factor, the library
// propagates no axes along the factor. This extension propagates the axes of the tensor with the
// most shards, and the other tensors are resharded.
#include "outcome.hpp"

namespace {

using namespace shardy;

// [part]
/// Returns the axes of the tensor that shards the factor most. Without a conflict, returns the
/// default.
AxisList most_shards(const propagation::FactorQuery& query) {
  AxisList best = propagation::default_compatible_axes(query);
  for (const uint32_t entry : query.layout.factor_entries(query.factor)) {
    const propagation::FactorSharding& have = query.projection.entries[entry];
    if (have.is_mapped && sharding_size(have.axes) > sharding_size(best)) best = have.axes;
  }
  return best;
}
// [part]

constexpr std::string_view kProgram = R"(
  sdy.mesh @mesh = <["a"=2, "b"=4]>
  func.func @main(%x: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>},
                  %y: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) -> tensor<64x32xf32> {
    %0 = stablehlo.multiply %x, %y : tensor<64x32xf32>
    %1 = stablehlo.tanh %0 : tensor<64x32xf32>
    return %1 : tensor<64x32xf32>
  })";

}  // namespace

int main() {
  const ir::Module module = text::parse_mlir(kProgram).value();
  research::print_outcome("as the library chooses", module);
  checking::Context context;
  context.extensions.propagation.compatible_axes = most_shards;
  research::print_outcome("the most shards", module, context);
}
