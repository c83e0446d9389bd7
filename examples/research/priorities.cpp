// An extension that orders op priorities: dots are propagated before elementwise ops. The operands
// of a dot then decide its sharding, rather than the residual that is added to its result.
#include "outcome.hpp"

namespace {

using namespace shardy;
using propagation::Direction;

// [part]
/// Returns two levels. The first level has only the ops with reduction factors.
propagation::OpPriorities products_first() {
  const auto direction = [](const propagation::LevelQuery& query) {
    if (query.level > 0) return Direction::Both;
    const propagation::Node& node = query.problem.node(query.node);
    const propagation::FlatRule& layout = query.problem.rule(node.rule);
    for (std::size_t factor = 0; factor < layout.num_factors(); ++factor) {
      if (layout.factor_kind(factor) == FactorKind::Reduction) return Direction::Both;
    }
    return Direction::None;
  };
  return {.num_levels = 2, .direction = direction};
}
// [part]

constexpr std::string_view kProgram = R"(
  sdy.mesh @mesh = <["a"=4]>
  func.func @main(%x: tensor<64x32xf32>, %w: tensor<32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>},
                  %residual: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<64x32xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x32xf32>) -> tensor<64x32xf32>
    %1 = stablehlo.add %0, %residual : tensor<64x32xf32>
    return %1 : tensor<64x32xf32>
  })";

}  // namespace

int main() {
  const ir::Module module = text::parse_mlir(kProgram).value();
  research::print_outcome("as the library orders ops", module);
  checking::Context context;
  context.extensions.propagation.op_priorities = products_first();
  research::print_outcome("products first", module, context);
}
