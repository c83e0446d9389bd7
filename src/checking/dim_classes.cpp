#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "checking/ir_names.hpp"
#include "checking/reduce_ops.hpp"
#include "shardy/algebra/op_sharding_rule.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/data_flow.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/rules/op_view.hpp"

namespace shardy::checking {

namespace {

std::size_t num_dims(const Module& module, ValueId value) {
  const Type& type = module.type(value);
  return type.is_static_tensor() ? type.dims().size() : 0;
}

}  // namespace

// ---- Classes -----------------------------------------------------------------------------------

DimClasses::DimClasses(const Module& module, const rules::Registry& rules) {
  first_.push_back(0);
  for (uint32_t index = 0; index < module.num_values(); ++index) {
    first_.push_back(first_.back() + num_dims(module, ValueId(index)));
  }
  parent_.resize(first_.back());
  std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  for (const OpId op : ir::pre_order(module)) {
    const rules::RuleResult rule = rules.rule_for(rules::OpView(module, op));
    if (rule && *rule) {
      join_by_rule(module, op, **rule);
    } else if (module.num_operands(op) == 1 && module.num_results(op) == 1) {
      join(module, module.operand(op, 0), module.result(op));
    }
    if (module.is(op, OpKind::FuncCall)) join_call(module, op);
    join_edges(module, op);
  }
  join_groups(module);
  number_classes(module);
}

void DimClasses::join_edges(const Module& module, OpId op) {
  std::vector<ValueId> owners = ir::result_edge_owners(module, op);
  for (const ValueId owner : ir::block_arg_edge_owners(module, op)) owners.push_back(owner);
  for (const ValueId owner : owners) {
    for (const ir::Use& use : ir::edge_sources(module, owner)) {
      join(module, owner, module.operand(use.op, use.operand));
    }
    for (const ValueId target : ir::non_owner_targets(module, owner)) join(module, owner, target);
  }
}

/// Joins the dims of the members of sharding groups, which have one shape.
void DimClasses::join_groups(const Module& module) {
  std::map<int64_t, ValueId> first;
  for (const OpId op : ir::pre_order(module)) {
    if (!module.is(op, OpKind::SdyShardingGroup)) continue;
    const auto* id = module.attribute<ir::IntegerAttr>(op, ir::attr::kGroupId);
    if (id == nullptr) continue;
    const ValueId member = module.operand(op, 0);
    join(module, first.emplace(id->value, member).first->second, member);
  }
}

void DimClasses::number_classes(const Module& module) {
  std::map<std::size_t, std::size_t> numbers;
  class_of_.resize(parent_.size());
  for (uint32_t index = 0; index < module.num_values(); ++index) {
    for (std::size_t dim = 0; dim < num_dims(module, ValueId(index)); ++dim) {
      const std::size_t at = first_[index] + dim;
      const auto [number, is_new] = numbers.emplace(find(at), members_.size());
      if (is_new) members_.emplace_back();
      class_of_[at] = number->second;
      members_[number->second].push_back({ValueId(index), dim});
    }
  }
}

std::size_t DimClasses::find(std::size_t at) {
  while (parent_[at] != at) {
    parent_[at] = parent_[parent_[at]];
    at = parent_[at];
  }
  return at;
}

void DimClasses::join(const Module& module, ValueDim a, ValueDim b) {
  if (module.type(a.value).dim(a.dim) != module.type(b.value).dim(b.dim)) return;
  parent_[find(first_[a.value.index()] + a.dim)] = find(first_[b.value.index()] + b.dim);
}

/// Joins the dims of two values with equal shapes.
void DimClasses::join(const Module& module, ValueId a, ValueId b) {
  if (num_dims(module, a) != num_dims(module, b)) return;
  for (std::size_t dim = 0; dim < num_dims(module, a); ++dim) join(module, {a, dim}, {b, dim});
}

void DimClasses::join_by_rule(const Module& module, OpId op, const OpShardingRule& rule) {
  std::vector<ValueId> values = module.operands(op);
  for (const ValueId result : module.results(op)) values.push_back(result);
  std::vector<std::optional<ValueDim>> known(static_cast<std::size_t>(rule.num_factors()));
  for (std::size_t tensor = 0; tensor < std::min(values.size(), rule.num_tensors()); ++tensor) {
    const std::vector<DimMapping>& dims = rule.tensor(tensor).dims;
    if (dims.size() != num_dims(module, values[tensor])) continue;
    for (std::size_t dim = 0; dim < dims.size(); ++dim) {
      if (dims[dim].size() != 1) continue;
      const int32_t factor = dims[dim].front();
      if (module.type(values[tensor]).dim(dim) != rule.factor_size(factor)) continue;
      std::optional<ValueDim>& first = known[static_cast<std::size_t>(factor)];
      if (!first) first = ValueDim{values[tensor], dim};
      join(module, *first, {values[tensor], dim});
    }
  }
}

void DimClasses::join_call(const Module& module, OpId op) {
  const std::optional<OpId> callee = ir::callee_of(module, op);
  if (!callee || module.is_external(*callee)) return;
  const std::span<const ValueId> args = module.args(module.entry(*callee));
  for (std::size_t index = 0; index < std::min(args.size(), module.num_operands(op)); ++index) {
    join(module, module.operand(op, index), args[index]);
  }
  const std::vector<ValueId> returned = module.returned_values(*callee);
  for (std::size_t index = 0; index < std::min(returned.size(), module.num_results(op)); ++index) {
    join(module, module.result(op, index), returned[index]);
  }
}

// ---- Sizes -------------------------------------------------------------------------------------

ir::Literal first_elements(const ir::Literal& literal, const Type& type) {
  const std::span<const std::byte> stored = literal.stored();
  if (literal.is_splat()) return *ir::Literal::make_splat(type, {stored.begin(), stored.end()});
  std::vector<std::byte> bytes;
  std::vector<int64_t> at(type.dims().size());
  for (int64_t count = type.num_elements(); count > 0; --count) {
    int64_t from = 0;
    for (std::size_t dim = 0; dim < at.size(); ++dim) {
      from = from * literal.type().dim(dim) + at[dim];
    }
    const std::span<const std::byte> element = literal.element_bytes(from);
    bytes.insert(bytes.end(), element.begin(), element.end());
    for (std::size_t dim = at.size(); dim-- > 0;) {
      if (++at[dim] < type.dim(dim)) break;
      at[dim] = 0;
    }
  }
  return *ir::Literal::make(type, std::move(bytes));
}

namespace {

class Resizer {
 public:
  Resizer(Module& module, const DimClasses& classes) : module_(module), classes_(classes) {}

  bool run(std::size_t which, int64_t size) {
    if (!assign(which, size)) return false;
    while (!pending_.empty()) {
      for (const std::size_t each : std::exchange(pending_, {})) retype(each);
      for (const OpId op : ir::pre_order(module_)) {
        if (!follow(op)) return false;
      }
    }
    for (const OpId function : module_.functions()) {
      if (module_.is_external(function)) continue;
      std::vector<Type>& types = module_.function(function).result_types;
      types.clear();
      for (const ValueId value : module_.returned_values(function)) {
        types.push_back(module_.type(value));
      }
    }
    return true;
  }

 private:
  bool assign(std::size_t which, int64_t size) {
    const auto [known, is_new] = sizes_.emplace(which, size);
    if (is_new) pending_.push_back(which);
    return known->second == size && size >= 0;
  }

  void retype(std::size_t which) {
    for (const ValueDim& member : classes_.members(which)) {
      const Type& type = module_.type(member.value);
      std::vector<int64_t> dims(type.dims().begin(), type.dims().end());
      dims[member.dim] = sizes_.at(which);
      module_.set_type(member.value, type.with_dims(std::move(dims)));
    }
  }

  /// Changes the attributes and results of an op such that they fit its operands.
  bool follow(OpId op) {
    if (module_.is(op, OpKind::Func) || module_.is(op, OpKind::SdyMesh)) return true;
    if (module_.num_results(op) == 0) return true;
    if (!shrink_constant(op)) return false;
    clamp_attributes(op);
    if (module_.is(op, OpKind::Reshape)) return follow_reshape(op);
    ir::OpSpec spec{.kind = module_.kind(op)};
    if (module_.is(op, OpKind::Unknown)) spec.name = std::string(module_.name(op));
    spec.operands = module_.operands(op);
    for (const ValueId result : module_.results(op)) {
      spec.result_types.push_back(module_.type(result));
    }
    spec.attributes = module_.attributes(op);
    spec.regions.assign(module_.regions(op).begin(), module_.regions(op).end());
    const auto types = ir::infer_result_types(module_, spec);
    return types && set_types(op, *types);
  }

  bool set_types(OpId op, const std::vector<Type>& types) {
    for (std::size_t index = 0; index < types.size(); ++index) {
      const Type& now = module_.type(module_.result(op, index));
      if (types[index] == now) continue;
      if (!types[index].is_static_tensor() || !now.is_static_tensor()) return false;
      if (types[index].rank() != now.rank()) return false;
      for (std::size_t dim = 0; dim < now.dims().size(); ++dim) {
        if (types[index].dim(dim) == now.dim(dim)) continue;
        const std::size_t which = classes_.class_of(module_.result(op, index), dim);
        if (!assign(which, types[index].dim(dim))) return false;
      }
    }
    return true;
  }

  bool shrink_constant(OpId op) {
    const auto* literal = module_.attribute<ir::Literal>(op, ir::attr::kValue);
    if (literal == nullptr || module_.num_results(op) != 1) return true;
    const Type& type = module_.type(module_.result(op));
    if (!type.is_static_tensor() || literal->type() == type) return true;
    for (std::size_t dim = 0; dim < type.dims().size(); ++dim) {
      if (type.dim(dim) > literal->type().dim(dim)) return false;
    }
    module_.attributes(op).set(ir::attr::kValue, first_elements(*literal, type));
    return true;
  }

  /// Limits windows, slices and transforms to the sizes of their operands.
  void clamp_attributes(OpId op) {
    if (module_.num_operands(op) == 0) return;
    const Type& type = module_.type(module_.operand(op, 0));
    if (!type.is_static_tensor()) return;
    const std::vector<int64_t> dims(type.dims().begin(), type.dims().end());
    for (const std::string_view name :
         {ir::attr::kLimitIndices, ir::attr::kSliceSizes, ir::attr::kWindowDimensions}) {
      if (clamp(op, name, dims) && name == ir::attr::kLimitIndices) move_starts(op);
    }
    if (module_.is(op, OpKind::Fft)) {
      const auto* length = module_.attribute<ir::DenseArrayAttr>(op, ir::attr::kFftLength);
      const auto count = length == nullptr ? 0 : std::min(length->values.size(), dims.size());
      clamp(op, ir::attr::kFftLength, std::span(dims).last(count));
    }
  }

  bool clamp(OpId op, std::string_view name, std::span<const int64_t> dims) {
    const auto* known = module_.attribute<ir::DenseArrayAttr>(op, name);
    if (known == nullptr || known->values.size() != dims.size()) return false;
    auto& values = module_.attributes(op).edit<ir::DenseArrayAttr>(name)->values;
    bool changed = false;
    for (std::size_t dim = 0; dim < dims.size(); ++dim) {
      changed = changed || values[dim] > dims[dim];
      values[dim] = std::min(values[dim], dims[dim]);
    }
    return changed;
  }

  void move_starts(OpId op) {
    auto* starts = module_.attributes(op).edit<ir::DenseArrayAttr>(ir::attr::kStartIndices);
    if (starts == nullptr) return;
    const auto& limits = module_.attribute<ir::DenseArrayAttr>(op, ir::attr::kLimitIndices)->values;
    for (std::size_t dim = 0; dim < std::min(limits.size(), starts->values.size()); ++dim) {
      if (starts->values[dim] >= limits[dim]) starts->values[dim] = 0;
    }
  }

  /// Removes from a dim of the result the elements that the operand lost.
  bool follow_reshape(OpId op) {
    const Type& from = module_.type(module_.operand(op, 0));
    const Type& to = module_.type(module_.result(op));
    if (!from.is_static_tensor() || !to.is_static_tensor()) return true;
    if (from.num_elements() == to.num_elements()) return true;
    for (std::size_t dim = 0; dim < to.dims().size(); ++dim) {
      int64_t others = 1;
      for (std::size_t other = 0; other < to.dims().size(); ++other) {
        if (other != dim) others *= to.dim(other);
      }
      if (others == 0 || from.num_elements() % others != 0) continue;
      if (from.num_elements() / others > to.dim(dim)) continue;
      const std::size_t which = classes_.class_of(module_.result(op), dim);
      if (sizes_.contains(which)) continue;
      return assign(which, from.num_elements() / others);
    }
    return false;
  }

  Module& module_;
  const DimClasses& classes_;
  std::map<std::size_t, int64_t> sizes_;  // new sizes of classes
  std::vector<std::size_t> pending_;      // classes whose members have not been changed
};

}  // namespace

bool resize_dims(Module& module, const DimClasses& classes, std::size_t which, int64_t size) {
  return Resizer(module, classes).run(which, size);
}

// Removal of dims from a program.

namespace {

using Dims = std::vector<std::size_t>;  // removed dims, ascending

bool goes(const Dims& gone, int64_t dim) {
  return std::ranges::find(gone, static_cast<std::size_t>(dim)) != gone.end();
}

int64_t renumbered(const Dims& gone, int64_t dim) {
  return dim - std::ranges::count_if(
                   gone, [&](std::size_t each) { return static_cast<int64_t>(each) < dim; });
}

/// Removes the removed dims from a list of dims and renumbers the others.
void renumber(std::vector<int64_t>& numbers, const Dims& gone) {
  std::erase_if(numbers, [&](int64_t dim) { return goes(gone, dim); });
  for (int64_t& dim : numbers) dim = renumbered(gone, dim);
}

/// Removes the entries of removed dims from a list with one entry per dim.
template <class T>
std::vector<T> kept_of(std::span<const T> all, const Dims& gone) {
  std::vector<T> kept;
  for (std::size_t dim = 0; dim < all.size(); ++dim) {
    if (!goes(gone, static_cast<int64_t>(dim))) kept.push_back(all[dim]);
  }
  return kept;
}

class Dropper {
 public:
  Dropper(Module& module, const std::vector<ValueDim>& members) : module_(module) {
    for (const ValueDim& member : members) gone_[member.value].push_back(member.dim);
    for (auto& [value, dims] : gone_) std::ranges::sort(dims);
  }

  bool run() {
    for (const OpId op : ir::pre_order(module_)) {
      if (touches(op) && !change(op)) return false;
    }
    change_shardings();
    for (const auto& [value, dims] : gone_) {
      const Type& type = module_.type(value);
      module_.set_type(value, type.with_dims(kept_of(type.dims(), dims)));
    }
    change_signatures();
    return true;
  }

 private:
  bool touches(OpId op) const {
    const auto has = [&](ValueId value) { return gone_.contains(value); };
    return std::ranges::any_of(module_.operands(op), has) ||
           std::ranges::any_of(module_.results(op), has);
  }
  const Dims& gone_of(ValueId value) const {
    static const Dims kNone;
    const auto found = gone_.find(value);
    return found == gone_.end() ? kNone : found->second;
  }
  std::vector<int64_t>* list(OpId op, std::string_view name) {
    auto* attribute = module_.attributes(op).edit<ir::DenseArrayAttr>(name);
    return attribute == nullptr ? nullptr : &attribute->values;
  }

  bool change(OpId op) {
    if (module_.num_results(op) == 0) return true;
    if (ir::is_computation(module_, op)) return false;
    const Dims& result = gone_of(module_.result(op));
    const Dims& operand = module_.num_operands(op) == 0 ? result : gone_of(module_.operand(op, 0));
    switch (module_.kind(op)) {
      case OpKind::Constant:
      case OpKind::SdyConstant:
        return change_constant(op, result);
      case OpKind::Iota:
        return renumber_one(op, ir::attr::kIotaDimension, result);
      case OpKind::Concatenate:
      case OpKind::Sort:
        return renumber_one(op, ir::attr::kDimension, result);
      case OpKind::BroadcastInDim:
        return change_broadcast(op, operand, result);
      case OpKind::Transpose:
        return renumber_list(op, ir::attr::kPermutation, operand);
      case OpKind::Reduce:
      case OpKind::Reverse:
        return renumber_list(op, ir::attr::kDimensions, operand);
      case OpKind::DotGeneral:
        return change_dot(op);
      case OpKind::Slice:
        return remove_from_lists(
            op, operand, {ir::attr::kStartIndices, ir::attr::kLimitIndices, ir::attr::kStrides});
      case OpKind::Pad:
        return remove_from_lists(
            op, operand,
            {ir::attr::kEdgePaddingLow, ir::attr::kEdgePaddingHigh, ir::attr::kInteriorPadding});
      case OpKind::DynamicSlice:
        return remove_from_lists(op, operand, {ir::attr::kSliceSizes}) &&
               remove_operands(op, 1, operand);
      case OpKind::DynamicUpdateSlice:
        return remove_operands(op, 2, operand);
      case OpKind::Reshape:
      case OpKind::FuncCall:
      case OpKind::While:
      case OpKind::Case:
      case OpKind::If:
        return true;
      default:
        return module_.has_trait(op, ir::kElementwise) || module_.has_trait(op, ir::kSdyAnnotation);
    }
  }

  bool change_constant(OpId op, const Dims& gone) {
    const auto* literal = module_.attribute<ir::Literal>(op, ir::attr::kValue);
    if (literal == nullptr) return false;
    const Type& type = literal->type();
    std::vector<int64_t> dims(type.dims().begin(), type.dims().end());
    for (const std::size_t dim : gone) {
      if (dims[dim] == 0) return false;
      dims[dim] = 1;
    }
    const ir::Literal first = first_elements(*literal, type.with_dims(dims));
    const Type smaller = type.with_dims(kept_of(type.dims(), gone));
    module_.attributes(op).set(ir::attr::kValue, first.reshaped(smaller));
    return true;
  }

  bool renumber_one(OpId op, std::string_view name, const Dims& gone) {
    auto* number = module_.attributes(op).edit<ir::IntegerAttr>(name);
    if (number == nullptr || goes(gone, number->value)) return false;
    number->value = renumbered(gone, number->value);
    return true;
  }

  bool renumber_list(OpId op, std::string_view name, const Dims& gone) {
    std::vector<int64_t>* numbers = list(op, name);
    if (numbers == nullptr) return false;
    renumber(*numbers, gone);
    return true;
  }

  bool remove_from_lists(OpId op, const Dims& gone, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      std::vector<int64_t>* values = list(op, name);
      if (values == nullptr) return false;
      *values = kept_of(std::span<const int64_t>(*values), gone);
    }
    return true;
  }

  /// Removes index operands, one per removed dim.
  bool remove_operands(OpId op, std::size_t first, const Dims& gone) {
    const std::vector<ValueId> all = module_.operands(op);
    std::vector<ValueId> kept(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first));
    for (const ValueId index : kept_of(std::span<const ValueId>(all).subspan(first), gone)) {
      kept.push_back(index);
    }
    module_.set_operands(op, kept);
    return true;
  }

  bool change_broadcast(OpId op, const Dims& operand, const Dims& result) {
    std::vector<int64_t>* dims = list(op, ir::attr::kBroadcastDimensions);
    if (dims == nullptr) return false;
    *dims = kept_of(std::span<const int64_t>(*dims), operand);
    if (std::ranges::any_of(*dims, [&](int64_t dim) { return goes(result, dim); })) return false;
    renumber(*dims, result);
    return true;
  }

  bool change_dot(OpId op) {
    auto* dims = module_.attributes(op).edit<ir::DotDims>(ir::attr::kDotDimensionNumbers);
    if (dims == nullptr) return false;
    const Dims& lhs = gone_of(module_.operand(op, 0));
    const Dims& rhs = gone_of(module_.operand(op, 1));
    renumber(dims->lhs_batch, lhs);
    renumber(dims->lhs_contracting, lhs);
    renumber(dims->rhs_batch, rhs);
    renumber(dims->rhs_contracting, rhs);
    return true;
  }

  static TensorSharding smaller(const TensorSharding& sharding, const Dims& gone) {
    auto made = TensorSharding::make(sharding.mesh(), sharding.mesh_name(),
                                     kept_of(sharding.dims(), gone), sharding.replicated_axes(),
                                     sharding.unreduced_axes(), sharding.reduction_op());
    SHARDY_ASSERT(made.has_value());  // removing axes cannot make a sharding invalid
    return *std::move(made);
  }

  void change_shardings() {
    for (const auto& [value, dims] : gone_) {
      const std::optional<ValueId> owner = ir::shardable_value(module_, value);
      const auto sharding = ir::get_sharding(module_, value);
      if (!sharding || owner != value) continue;
      if (sharding->rank() != module_.type(value).dims().size()) continue;
      ir::set_sharding(module_, value, smaller(*sharding, dims));
    }
  }

  void change_signatures() {
    for (const OpId function : module_.functions()) {
      if (module_.is_external(function)) continue;
      const std::vector<ValueId> returned = module_.returned_values(function);
      for (std::size_t index = 0; index < returned.size(); ++index) {
        module_.function(function).result_types[index] = module_.type(returned[index]);
        const auto sharding = ir::result_sharding(module_, function, index);
        const Dims& gone = gone_of(returned[index]);
        if (sharding && !gone.empty() && sharding->rank() > 0) {
          ir::set_result_sharding(module_, function, index, smaller(*sharding, gone));
        }
      }
    }
  }

  Module& module_;
  std::map<ValueId, Dims> gone_;
};

}  // namespace

bool drop_dims(Module& module, const DimClasses& classes, std::size_t which) {
  return Dropper(module, classes.members(which)).run();
}

}  // namespace shardy::checking
