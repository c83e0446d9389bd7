// Programs without some of their dims.
#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "checking/dim_classes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/data_flow.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::checking {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::Type;
using ir::ValueId;

namespace {

using Dims = std::vector<std::size_t>;  // that go, in order

bool goes(const Dims& gone, int64_t dim) {
  return std::ranges::find(gone, static_cast<std::size_t>(dim)) != gone.end();
}

int64_t renumbered(const Dims& gone, int64_t dim) {
  return dim - std::ranges::count_if(
                   gone, [&](std::size_t each) { return static_cast<int64_t>(each) < dim; });
}

/// Without the numbers of dims that go; the others as they are counted then.
void renumber(std::vector<int64_t>& numbers, const Dims& gone) {
  std::erase_if(numbers, [&](int64_t dim) { return goes(gone, dim); });
  for (int64_t& dim : numbers) dim = renumbered(gone, dim);
}

/// Without the entries at dims that go.
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
        return cut_lists(op, operand,
                         {ir::attr::kStartIndices, ir::attr::kLimitIndices, ir::attr::kStrides});
      case OpKind::Pad:
        return cut_lists(
            op, operand,
            {ir::attr::kEdgePaddingLow, ir::attr::kEdgePaddingHigh, ir::attr::kInteriorPadding});
      case OpKind::DynamicSlice:
        return cut_lists(op, operand, {ir::attr::kSliceSizes}) && cut_operands(op, 1, operand);
      case OpKind::DynamicUpdateSlice:
        return cut_operands(op, 2, operand);
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

  bool cut_lists(OpId op, const Dims& gone, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      std::vector<int64_t>* values = list(op, name);
      if (values == nullptr) return false;
      *values = kept_of(std::span<const int64_t>(*values), gone);
    }
    return true;
  }

  /// Indices, of which there is one for each dim.
  bool cut_operands(OpId op, std::size_t first, const Dims& gone) {
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
    SHARDY_ASSERT(made.has_value());  // fewer axes break no rule
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
