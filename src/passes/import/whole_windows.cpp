// A reduce_window whose windows span whole dims becomes a reduce: partial results instead of halos.
// Spec: partitioning 8.11.
//
//   %0 = reduce_window(%a, %z), window_dimensions = [1, 16], add
//     : tensor<8x16xf32> -> tensor<8x1xf32>
//   ->
//   %1 = reduce(%a, %z), dimensions = [1], add : tensor<8x16xf32> -> tensor<8xf32>
//   %0 = reshape %1 : tensor<8x1xf32>
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "passes/import/import_passes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/builder.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

namespace {

bool is_list_of(const Module& module, OpId op, std::string_view name, int64_t number) {
  const auto* list = module.attribute<ir::DenseArrayAttr>(op, name);
  if (list == nullptr) return true;
  for (const int64_t each : list->values) {
    if (each != number) return false;
  }
  return true;
}

bool has_padding(const Module& module, OpId op) {
  const auto* padding = module.attribute<ir::Literal>(op, ir::attr::kPadding);
  if (padding == nullptr) return false;
  for (int64_t at = 0; at < padding->type().num_elements(); ++at) {
    if (padding->at<int64_t>(at) != 0) return true;
  }
  return false;
}

/// Returns the dims that one window spans if all other windows have size 1 and stride 1; else
/// empty.
std::vector<int64_t> whole_dims(const Module& module, OpId op) {
  const Type& base = module.type(module.operand(op, 0));
  const auto* sizes = module.attribute<ir::DenseArrayAttr>(op, ir::attr::kWindowDimensions);
  const auto* strides = module.attribute<ir::DenseArrayAttr>(op, ir::attr::kWindowStrides);
  if (sizes == nullptr || !base.is_static_tensor() || has_padding(module, op) ||
      !is_list_of(module, op, ir::attr::kBaseDilations, 1) ||
      !is_list_of(module, op, ir::attr::kWindowDilations, 1)) {
    return {};
  }
  std::vector<int64_t> dims;
  for (std::size_t dim = 0; dim < sizes->values.size(); ++dim) {
    const bool is_whole = sizes->values[dim] == base.dim(dim) && base.dim(dim) > 1;
    const bool is_element =
        sizes->values[dim] == 1 && (strides == nullptr || strides->values[dim] == 1);
    if (!is_whole && !is_element) return {};
    if (is_whole) dims.push_back(static_cast<int64_t>(dim));
  }
  return dims;
}

ir::RegionId moved_body(Module& module, OpId op) {
  const ir::BlockId from = module.block(op);
  const ir::RegionId region = module.new_region();
  std::vector<Type> types;
  for (const ValueId arg : module.args(from)) types.push_back(module.type(arg));
  const ir::BlockId to = module.new_block(region, types);
  for (std::size_t index = 0; index < types.size(); ++index) {
    module.replace_all_uses(module.args(from)[index], module.args(to)[index]);
  }
  std::vector<OpId> ops;
  for (const OpId inner : module.ops(from)) ops.push_back(inner);
  for (const OpId inner : ops) {
    module.remove(inner);
    module.append(to, inner);
  }
  return region;
}

Type without_dims(const Type& type, const std::vector<int64_t>& dims) {
  std::vector<int64_t> kept;
  for (std::size_t dim = 0; dim < static_cast<std::size_t>(type.rank()); ++dim) {
    if (std::ranges::find(dims, static_cast<int64_t>(dim)) == dims.end()) {
      kept.push_back(type.dim(dim));
    }
  }
  return type.with_dims(std::move(kept));
}

/// Reduces the dims, then reshapes each result back to its type and sharding.
void replace_by_reduction(Module& module, OpId op, const std::vector<int64_t>& dims) {
  ir::OpSpec spec{.kind = OpKind::Reduce};
  spec.operands = module.operands(op);
  for (const ValueId result : module.results(op)) {
    spec.result_types.push_back(without_dims(module.type(result), dims));
  }
  spec.attributes.set(ir::attr::kDimensions, ir::DenseArrayAttr{ir::ElementType::I64, dims});
  spec.regions = {moved_body(module, op)};
  ir::Builder builder = ir::Builder::before(module, op);
  builder.set_location(module.location(op));
  const OpId made = builder.create(std::move(spec));
  for (std::size_t index = 0; index < module.num_results(op); ++index) {
    const ValueId result = module.result(op, index);
    const auto sharding = ir::get_sharding(module, result);
    const ValueId shaped = builder.create_value(OpKind::Reshape, {module.result(made, index)},
                                                Type(module.type(result)));
    if (sharding) ir::set_sharding(module, shaped, *sharding);
    module.replace_all_uses(result, shaped);
  }
  module.erase(op);
}

}  // namespace

void whole_windows_to_reductions(Module& module) {
  for (const OpId op : ir::post_order(module)) {
    if (!module.is(op, OpKind::ReduceWindow) || module.blocks(module.regions(op)[0]).size() != 1) {
      continue;
    }
    const std::vector<int64_t> dims = whole_dims(module, op);
    if (!dims.empty()) replace_by_reduction(module, op, dims);
  }
}

}  // namespace shardy::passes
