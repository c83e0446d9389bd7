#include "partitioning/padded_program.hpp"

#include <algorithm>
#include <utility>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/pass.hpp"
#include "shardy/support/math.hpp"

namespace shardy::partitioning {

using ir::ElementType;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

Type padded_type(const Type& type, const std::optional<TensorSharding>& sharding) {
  if (!type.is_tensor() || !sharding) return type;
  std::vector<int64_t> dims(type.dims().begin(), type.dims().end());
  for (std::size_t dim = 0; dim < std::min(dims.size(), sharding->rank()); ++dim) {
    const int64_t shards = sharding_size(sharding->dim(dim).axes);
    if (dims[dim] >= 0) dims[dim] = ceil_div(dims[dim], shards) * shards;
  }
  return type.with_dims(std::move(dims));
}

PaddedProgram::PaddedProgram(Module& module) : module_(module), emit_(module) {
  was_.resize(module.num_values());
  std::vector<ValueId> all;
  for (const OpId op : ir::pre_order(module)) {
    for (const ValueId result : module.results(op)) all.push_back(result);
    for (const ir::RegionId region : module.regions(op)) {
      for (const ir::BlockId block : module.blocks(region)) {
        all.insert(all.end(), module.args(block).begin(), module.args(block).end());
      }
    }
  }
  for (const ValueId value : all) {
    was_[value.index()] = {module.type(value), ir::get_sharding(module, value)};
  }
  for (const ValueId value : all) {
    module.set_type(value, padded_type(old_type(value), sharding(value)));
  }
}

void PaddedProgram::start_before(OpId op) {
  ir::Builder builder = ir::Builder::before(module_, op);
  builder.set_location(module_.location(op));
  emit_.set_builder(builder);
}

void PaddedProgram::start_after(OpId op) {
  ir::Builder builder = ir::Builder::after(module_, op);
  builder.set_location(module_.location(op));
  emit_.set_builder(builder);
}

ValueId PaddedProgram::made(ValueId value, std::optional<TensorSharding> sharding, Type old_type) {
  if (value.index() >= was_.size()) was_.resize(value.index() + 1);
  if (sharding) ir::set_sharding(module_, value, *sharding);
  was_[value.index()] = {std::move(old_type), std::move(sharding)};
  return value;
}

ValueId PaddedProgram::masked(ValueId value, const std::vector<std::size_t>& dims,
                              const ir::Literal& fill) {
  const bool masks =
      std::ranges::any_of(dims, [&](std::size_t dim) { return has_grown(value, dim); });
  return masks ? masked(value, dims, emit_.constant(fill)) : value;
}

ValueId PaddedProgram::masked(ValueId value, const std::vector<std::size_t>& dims, ValueId fill) {
  const Type type = module_.type(value);
  const Type old = old_type(value);
  const std::optional<TensorSharding> sharding = this->sharding(value);
  const auto like = [&](ValueId part) { return made(part, sharding, module_.type(part)); };
  ValueId inside;
  for (const std::size_t dim : dims) {
    if (!has_grown(value, dim)) continue;
    const Type places = type.with_element(ElementType::I32);
    ir::AttributeMap attributes;
    attributes.set(ir::attr::kIotaDimension,
                   ir::IntegerAttr{static_cast<int64_t>(dim), ElementType::I64});
    const ValueId place =
        like(emit_.builder().create_value(OpKind::Iota, {}, places, std::move(attributes)));
    const ValueId size = like(emit_.constant(ir::int_splat_literal(places, old.dim(dim))));
    const ValueId here = like(emit_.compare(place, size, "LT"));
    inside = inside.valid() ? like(emit_.both(inside, here)) : here;
  }
  if (!inside.valid()) return value;
  const ValueId spread = like(emit_.broadcast(fill, type.dims(), {}));
  return made(emit_.select(inside, value, spread), sharding, old);
}

ValueId PaddedProgram::padded_to(ValueId value, const Type& type) {
  if (module_.type(value) == type) return value;
  const std::optional<TensorSharding> sharding = this->sharding(value);
  const Type old = old_type(value);
  const ValueId zero = emit_.constant(ir::splat_literal(Type::tensor({}, type.element()), 0));
  const auto rank = static_cast<std::size_t>(type.rank());
  std::vector<int64_t> none(rank, 0);
  std::vector<int64_t> high;
  for (std::size_t dim = 0; dim < rank; ++dim) {
    high.push_back(type.dim(dim) - module_.type(value).dim(dim));
  }
  ir::AttributeMap attributes;
  const auto set = [&](std::string_view name, std::vector<int64_t> numbers) {
    attributes.set(name, ir::DenseArrayAttr{ElementType::I64, std::move(numbers)});
  };
  set(ir::attr::kEdgePaddingLow, none);
  set(ir::attr::kEdgePaddingHigh, std::move(high));
  set(ir::attr::kInteriorPadding, none);
  return made(emit_.builder().create_value(OpKind::Pad, {value, zero}, type, std::move(attributes)),
              sharding, old);
}

ValueId PaddedProgram::sliced_to(ValueId value, const Type& type, TensorSharding sharding) {
  if (module_.type(value) == type) return value;
  const auto rank = static_cast<std::size_t>(type.rank());
  ir::AttributeMap attributes;
  const auto set = [&](std::string_view name, std::vector<int64_t> numbers) {
    attributes.set(name, ir::DenseArrayAttr{ElementType::I64, std::move(numbers)});
  };
  set(ir::attr::kStartIndices, std::vector<int64_t>(rank, 0));
  set(ir::attr::kLimitIndices, {type.dims().begin(), type.dims().end()});
  set(ir::attr::kStrides, std::vector<int64_t>(rank, 1));
  return made(emit_.builder().create_value(OpKind::Slice, {value}, type, std::move(attributes)),
              std::move(sharding), old_type(value));
}

tl::unexpected<Error> PaddedProgram::error(OpId op, const std::string& message) const {
  return tl::unexpected(
      passes::error_at(module_, op, "'" + std::string(module_.name(op)) + "' op " + message));
}

}  // namespace shardy::partitioning
