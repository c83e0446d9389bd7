#include "partitioning/instruction_padding.hpp"

#include <utility>
#include <vector>

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
  const Type type = module.type(value);
  if (wanted == type) return value;
  const Type scalar = Type::tensor({}, type.element());
  ir::AttributeMap zero;
  zero.set("value", ir::splat_literal(scalar, 0.0));
  const ValueId filling = builder.create_value(OpKind::Constant, {}, scalar, std::move(zero));
  ir::DenseArrayAttr none{ir::ElementType::I64, std::vector<int64_t>(type.dims().size(), 0)};
  ir::DenseArrayAttr high = none;
  for (std::size_t dim = 0; dim < high.values.size(); ++dim) {
    high.values[dim] = wanted.dim(dim) - type.dim(dim);
  }
  ir::AttributeMap attributes = sharding_only(sharding);
  attributes.set("edge_padding_low", none);
  attributes.set("edge_padding_high", std::move(high));
  attributes.set("interior_padding", none);
  return builder.create_value(OpKind::Pad, {value, filling}, wanted, std::move(attributes));
}

ValueId cut_back(ir::Builder& builder, const Module& module, ValueId value, const Type& wanted,
                 const TensorSharding& sharding) {
  if (module.type(value) == wanted) return value;
  const std::vector<int64_t> dims(wanted.dims().begin(), wanted.dims().end());
  ir::AttributeMap attributes = sharding_only(sharding);
  const auto set = [&](const char* name, std::vector<int64_t> values) {
    attributes.set(name, ir::DenseArrayAttr{ir::ElementType::I64, std::move(values)});
  };
  set("start_indices", std::vector<int64_t>(dims.size(), 0));
  set("limit_indices", dims);
  set("strides", std::vector<int64_t>(dims.size(), 1));
  return builder.create_value(OpKind::Slice, {value}, wanted, std::move(attributes));
}

}  // namespace shardy::partitioning
