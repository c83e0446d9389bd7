// An extension that resolves conflicts. If two factors of an op compete for an axis, the factor of
// the first dim of the result gets the axis. Activations then stay sharded by rows, and weights are
// gathered.
#include <algorithm>

#include "outcome.hpp"

namespace {

using namespace shardy;

// [part]
/// Returns first the factors of the first result, in the order of its dims, then the other factors
/// in the default order.
std::vector<std::size_t> rows_first(const propagation::ConflictQuery& query) {
  const propagation::FlatRule& layout = query.layout;
  std::vector<std::size_t> order;
  const auto add = [&](std::size_t factor) {
    if (std::ranges::find(order, factor) == order.end()) order.push_back(factor);
  };
  const propagation::EntryRange result = layout.tensor_entries(layout.num_operands());
  for (std::size_t entry = result.begin; entry < result.end; ++entry) {
    add(layout.entry_factor(entry));
  }
  std::ranges::for_each(propagation::default_conflict_order(query), add);
  return order;
}
// [part]

// The result may be sharded by rows, like %x, or by columns, like the larger %w.
constexpr std::string_view kProgram = R"(
  sdy.mesh @mesh = <["a"=4]>
  func.func @main(%x: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>},
                  %w: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> tensor<16x64xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
    return %0 : tensor<16x64xf32>
  })";

}  // namespace

int main() {
  const ir::Module module = text::parse_mlir(kProgram).value();
  research::print_outcome("as the library chooses", module);
  checking::Context context;
  context.extensions.propagation.resolve_conflicts = rows_first;
  research::print_outcome("rows first", module, context);
}
