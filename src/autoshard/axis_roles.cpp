// The roles of mesh axes: for each axis, classes of dims that it shards.
//
//   %0 = dot %x, %w      %x [{"a"}, {}], %w [{}, {"b"}], %0 [{"a"}, {"b"}]
//   "a": %x dim 0 and 1 other dim; "b": %w dim 1 and 1 other dim
#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "autoshard/emission.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/report/hints.hpp"
#include "shardy/rules/op_view.hpp"
#include "shardy/text/written_values.hpp"

namespace shardy::autoshard {

using ir::Module;
using ir::OpId;
using ir::ValueId;

namespace {

bool is_sharded(const TensorSharding& sharding, std::size_t dim, int32_t axis) {
  return dim < sharding.rank() &&
         std::ranges::any_of(sharding.dim(dim).axes,
                             [&](const AxisRef& each) { return each.axis == axis; });
}

/// The dims that one axis shards.
class AxisDims {
 public:
  AxisDims(const Module& module, const rules::Registry& rules, int32_t axis)
      : module_(module),
        rules_(rules),
        main_(*module.main_function()),
        axis_(axis),
        names_(module) {}

  std::vector<ShardedDims> run() {
    const ir::BlockId entry = module_.entry(main_);
    for (const ValueId argument : module_.args(entry)) add(argument);
    for (const OpId op : module_.ops(entry)) {
      for (const ValueId result : module_.results(op)) add(result);
      join_by_rule(op);
    }
    std::map<std::size_t, ShardedDims> classes;
    std::map<std::size_t, std::tuple<bool, double>> ranks;  // rank of the dim that names a class
    for (std::size_t at = 0; at < dims_.size(); ++at) {
      const auto [value, dim] = dims_[at];
      ShardedDims& found = classes[root(at)];
      ++found.num_dims;
      const bool is_argument = !module_.defining_op(value).valid();
      const auto size = static_cast<double>(module_.type(value).num_elements());
      const std::tuple rank(is_argument, size);
      const auto [known, is_new] = ranks.try_emplace(root(at), rank);
      if (!is_new && rank <= known->second) continue;
      known->second = rank;
      found.size = module_.type(value).dims()[dim];
      found.name = report::place_name(names_, {.value = value}) + " dim " + std::to_string(dim);
    }
    std::vector<ShardedDims> sorted;
    sorted.reserve(classes.size());
    for (auto& [number, found] : classes) sorted.push_back(std::move(found));
    std::ranges::stable_sort(sorted, std::greater<>(), &ShardedDims::num_dims);
    return sorted;
  }

 private:
  using Dim = std::pair<ValueId, std::size_t>;

  void add(ValueId value) {
    const auto sharding = ir::get_sharding(module_, value);
    if (!sharding || !module_.type(value).is_static_tensor()) return;
    for (std::size_t dim = 0; dim < sharding->rank(); ++dim) {
      if (!is_sharded(*sharding, dim, axis_)) continue;
      numbers_.emplace(Dim(value, dim), dims_.size());
      parent_.push_back(dims_.size());
      dims_.emplace_back(value, dim);
    }
  }

  std::size_t root(std::size_t at) const {
    while (parent_[at] != at) at = parent_[at];
    return at;
  }

  /// Joins the sharded dims that have one factor of an op. For ops without a rule, joins the dims
  /// of operand and result.
  void join_by_rule(OpId op) {
    if (module_.has_trait(op, ir::kTerminator) || module_.num_results(op) == 0) return;
    if (ir::has_trait(module_.kind(op), ir::kSdyAnnotation) && module_.num_operands(op) == 1) {
      for (std::size_t dim = 0; dim < 64; ++dim) {
        join({module_.operand(op, 0), dim}, {module_.result(op), dim});
      }
      return;
    }
    const auto rule = rules_.lowering_rule_for(rules::OpView(module_, op));
    if (!rule || !*rule) return;
    std::map<int32_t, Dim> first;  // the first dim of each factor
    for (std::size_t tensor = 0; tensor < (*rule)->num_tensors(); ++tensor) {
      const std::size_t num_operands = module_.num_operands(op);
      const ValueId value = tensor < num_operands ? module_.operand(op, tensor)
                                                  : module_.result(op, tensor - num_operands);
      const auto& mapping = (*rule)->tensor(tensor).dims;
      for (std::size_t dim = 0; dim < mapping.size(); ++dim) {
        if (mapping[dim].empty() || !numbers_.contains({value, dim})) continue;
        const auto [found, is_new] = first.try_emplace(mapping[dim].front(), value, dim);
        if (!is_new) join(found->second, {value, dim});
      }
    }
  }

  void join(const Dim& one, const Dim& other) {
    const auto a = numbers_.find(one);
    const auto b = numbers_.find(other);
    if (a == numbers_.end() || b == numbers_.end()) return;
    const std::size_t one_root = root(a->second);
    const std::size_t other_root = root(b->second);
    parent_[std::max(one_root, other_root)] = std::min(one_root, other_root);
  }

  const Module& module_;
  const rules::Registry& rules_;
  OpId main_;
  int32_t axis_;
  text::WrittenValues names_;
  std::vector<Dim> dims_;
  std::vector<std::size_t> parent_;  // per dim: next dim towards the first one of its class
  std::map<Dim, std::size_t> numbers_;
};

}  // namespace

std::vector<AxisRole> axis_roles(const Module& propagated, const rules::Registry& rules) {
  std::vector<AxisRole> roles;
  if (!propagated.main_function()) return roles;
  for (const OpId op : propagated.meshes()) {
    const auto mesh = propagated.find_mesh(propagated.symbol_name(op));
    if (!mesh) continue;
    for (int32_t axis = 0; axis < mesh->num_axes(); ++axis) {
      const std::string& name = mesh->axes()[static_cast<std::size_t>(axis)].name;
      roles.push_back({name, AxisDims(propagated, rules, axis).run()});
    }
  }
  return roles;
}

std::vector<std::string> whole_arguments(const Module& propagated,
                                         const std::vector<bool>& is_tied) {
  std::vector<std::string> whole;
  const auto main = propagated.main_function();
  if (!main) return whole;
  const text::WrittenValues names(propagated);
  const auto args = propagated.args(propagated.entry(*main));
  for (uint32_t index = 0; index < args.size() && index < is_tied.size(); ++index) {
    const ir::Type& type = propagated.type(args[index]);
    if (is_tied[index] || !type.is_static_tensor() || type.num_elements() < 2) continue;
    const auto sharding = ir::arg_sharding(propagated, *main, index);
    const bool is_whole = !sharding || sharding->dim_axes().empty();
    if (is_whole) whole.push_back(report::place_name(names, {.value = args[index]}));
  }
  return whole;
}

}  // namespace shardy::autoshard
