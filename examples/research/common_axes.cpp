// An extension that chooses common axes. If the tensors of an op have conflicting shardings, the
// extension chooses the axes of the first result, so that no data is sent after the op.
#include "outcome.hpp"

namespace {

using namespace shardy;

// [part]
/// Returns, for each factor, the axes of the first result that divide the factor.
std::vector<AxisList> as_the_result(const passes::CommonAxesQuery& query,
                                    std::span<const AxisList> reference) {
  const passes::QueryTensor& result = query.tensors[query.num_operands];
  const TensorMapping& mapping = query.rule.tensor(query.num_operands);
  std::vector<AxisList> common(reference.size());
  for (std::size_t dim = 0; dim < result.shape.size(); ++dim) {
    for (const int32_t factor : mapping.dims[dim]) {
      const AxisList& axes = result.sharding.dim(dim).axes;
      if (query.rule.factor_kind(factor) == FactorKind::NeedReplication) continue;
      if (query.rule.factor_size(factor) % sharding_size(axes) != 0) continue;
      common[static_cast<std::size_t>(factor)] = axes;
    }
  }
  return common;
}
// [part]

constexpr std::string_view kProgram = R"(
  sdy.mesh @mesh = <["a"=4]>
  func.func @main(%x: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>},
                  %w: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>})
      -> (tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x16xf32>) -> tensor<64x16xf32>
    return %0 : tensor<64x16xf32>
  })";

}  // namespace

int main() {
  const ir::Module module = text::parse_mlir(kProgram).value();
  research::print_outcome("as the library chooses", module);
  checking::Context context;
  context.extensions.common_axes = as_the_result;
  research::print_outcome("as the result", module, context);
}
