#include "partitioning/instruction_padding.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::partitioning {

using ir::Module;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

namespace {

ir::AttributeMap sharding_only(const TensorSharding& sharding) {
  ir::AttributeMap attributes;
  attributes.set(ir::kShardingAttr, ir::ShardingList{{sharding}});
  return attributes;
}

}  // namespace

ValueId fill_up(ir::Builder& builder, const Module& module, ValueId value, const Type& wanted,
                const TensorSharding& sharding) {
  // Copied, because the builder may reallocate types.
  const Type type = module.type(value);  // NOLINT(performance-unnecessary-copy-initialization)
  if (wanted == type) return value;
  const Type scalar = Type::tensor({}, type.element());
  ir::AttributeMap zero;
  zero.set(ir::attr::kValue, ir::splat_literal(scalar, 0.0));
  const ValueId filling = builder.create_value(OpKind::Constant, {}, scalar, std::move(zero));
  ir::DenseArrayAttr none{ir::ElementType::I64, std::vector<int64_t>(type.dims().size(), 0)};
  ir::DenseArrayAttr high = none;
  for (std::size_t dim = 0; dim < high.values.size(); ++dim) {
    high.values[dim] = wanted.dim(dim) - type.dim(dim);
  }
  ir::AttributeMap attributes = sharding_only(sharding);
  attributes.set(ir::attr::kEdgePaddingLow, none);
  attributes.set(ir::attr::kEdgePaddingHigh, std::move(high));
  attributes.set(ir::attr::kInteriorPadding, none);
  return builder.create_value(OpKind::Pad, {value, filling}, wanted, std::move(attributes));
}

ValueId cut_back(ir::Builder& builder, const Module& module, ValueId value, const Type& wanted,
                 const TensorSharding& sharding) {
  if (module.type(value) == wanted) return value;
  const std::vector<int64_t> dims(wanted.dims().begin(), wanted.dims().end());
  ir::AttributeMap attributes = sharding_only(sharding);
  const auto set = [&](std::string_view name, std::vector<int64_t> values) {
    attributes.set(name, ir::DenseArrayAttr{ir::ElementType::I64, std::move(values)});
  };
  set(ir::attr::kStartIndices, std::vector<int64_t>(dims.size(), 0));
  set(ir::attr::kLimitIndices, dims);
  set(ir::attr::kStrides, std::vector<int64_t>(dims.size(), 1));
  return builder.create_value(OpKind::Slice, {value}, wanted, std::move(attributes));
}

}  // namespace shardy::partitioning
