// Reduces a failing program to a small one that still fails.
#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "checking/ir_names.hpp"
#include "checking/reduce_ops.hpp"
#include "passes/export/export_passes.hpp"
#include "passes/import/import_passes.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::checking {

namespace {

/// Returns smaller sizes to be tried, the smallest first.
std::vector<int64_t> smaller_sizes(int64_t size) {
  std::vector<int64_t> sizes;
  for (const int64_t each : {int64_t{1}, int64_t{2}, int64_t{3}, size / 2, size - 1}) {
    if (each > 0 && each < size && std::ranges::find(sizes, each) == sizes.end()) {
      sizes.push_back(each);
    }
  }
  return sizes;
}

/// Tries one change at a time on a copy. The copy becomes the program if it still fails.
class Reducer {
 public:
  Reducer(Module program, const std::function<bool(const Module&)>& still_fails,
          const ReduceOptions& options)
      : module_(std::move(program)), still_fails_(still_fails), options_(options) {}

  Module run() && {
    const std::optional<OpId> main = module_.main_function();
    if (!main || module_.is_external(*main)) return std::move(module_);
    main_ = *main;
    make_small();
    start_from_propagated();
    for (const OpId mesh : module_.meshes()) {
      attempt([&](Module& module) { return module.erase(mesh), true; });
    }
    return std::move(module_);
  }

 private:
  void make_small() {
    for (bool changed = true; changed && !done_;) {
      changed = keep_one_result();
      changed = return_earlier() || changed;
      changed = replace_ops_by_arguments() || changed;
      changed = return_first() || changed;
      changed = drop_effects() || changed;
      changed = inline_regions() || changed;
      changed = pass_by_ops() || changed;
      changed = drop_axes() || changed;
      changed = drop_shardings() || changed;
      changed = shrink_axes() || changed;
      changed = shrink_dims() || changed;
      changed = drop_dims_one_by_one() || changed;
      changed = shrink_constants() || changed;
    }
  }

  int64_t num_ops() const { return std::ssize(ops_of(module_, main_)); }

  /// Starts from the propagated shardings, so that ops that only propagate shardings can be
  /// removed.
  void start_from_propagated() {
    const Module before = module_;
    const int64_t num_before = num_ops();
    const auto propagate = [&](Module& module) {
      auto compiled = compile(module, options_.compile, options_.context);
      if (!compiled || compiled->propagated.main_function() != main_) return false;
      module = std::move(compiled->propagated);
      drop_found_rules(module);
      return true;
    };
    if (!attempt(propagate)) return;
    make_small();
    if (num_ops() >= num_before) module_ = before;
  }

  /// Tries a change. `change` returns false if it changes nothing.
  bool attempt(const std::function<bool(Module&)>& change) {
    if (done_) return false;
    Module changed = module_;
    if (!change(changed)) return false;
    tidy(changed);
    if (!ir::verify(changed).empty()) return false;
    const ReduceProgress progress{runs_, options_.max_runs, num_ops()};
    done_ = runs_ >= options_.max_runs || (options_.progress && !options_.progress(progress));
    if (done_) return false;
    ++runs_;
    if (!still_fails_(changed)) return false;
    module_ = std::move(changed);
    return true;
  }

  /// Removes unused ops, functions and arguments.
  void tidy(Module& module) const {
    passes::erase_dead_ops(module);
    passes::symbol_dce(module);
    const BlockId entry = module.entry(main_);
    for (std::size_t index = module.args(entry).size(); index-- > 0;) {
      if (module.num_uses(module.args(entry)[index]) != 0) continue;
      module.erase_argument(entry, index);
      auto& attributes = module.function(main_).arg_attributes;
      if (index < attributes.size()) {
        attributes.erase(attributes.begin() + static_cast<std::ptrdiff_t>(index));
      }
    }
  }

  /// Removes the rules that propagation attached. Keeps rules of the user.
  static void drop_found_rules(Module& module) {
    for (const OpId op : ir::pre_order(module)) {
      const auto* rule = module.attribute<OpShardingRule>(op, ir::kShardingRuleAttr);
      if (rule != nullptr && !rule->is_custom()) module.attributes(op).erase(ir::kShardingRuleAttr);
    }
  }

  // ---- Ops ----

  bool keep_one_result() {
    const std::size_t count = module_.function(main_).result_types.size();
    for (std::size_t kept = 0; count > 1 && kept < count; ++kept) {
      if (attempt([&](Module& module) { return keep_result(module, main_, kept); })) return true;
    }
    return false;
  }

  /// Makes the function return the operands of its last op instead of the op's results.
  bool return_earlier() {
    const std::vector<ValueId> results = module_.returned_values(main_);
    for (std::size_t index = 0; index < results.size(); ++index) {
      const OpId op = module_.defining_op(results[index]);
      if (!op.valid()) continue;
      for (const ValueId operand : module_.operands(op)) {
        const auto change = [&](Module& module) {
          return return_value(module, main_, index, operand);
        };
        if (attempt(change)) return true;
      }
    }
    return false;
  }

  /// Makes the function return only the first wrong value.
  bool return_first() {
    const std::vector<ValueId> now = module_.returned_values(main_);
    const bool is_argument = now.size() == 1 && !module_.defining_op(now.front()).valid();
    if (is_argument && effects_of(module_, main_).empty()) return false;
    for (const OpId op : module_.ops(module_.entry(main_))) {
      for (const ValueId value : module_.results(op)) {
        if (now.size() == 1 && now.front() == value) return false;
        if (attempt([&](Module& module) { return return_only(module, main_, value); })) return true;
      }
    }
    return false;
  }

  bool drop_effects() {
    bool changed = false;
    for (const OpId op : effects_of(module_, main_)) {
      changed = attempt([&](Module& module) { return module.erase(op), true; }) || changed;
    }
    return changed;
  }

  /// Replaces many ops by arguments, then fewer and fewer.
  bool replace_ops_by_arguments() {
    bool changed = false;
    for (std::size_t size = std::max<std::size_t>(ops_of(module_, main_).size() / 2, 1); size > 0;
         size /= 2) {
      for (std::size_t begin = 0; begin < ops_of(module_, main_).size() && !done_;) {
        const std::vector<OpId> ops = ops_of(module_, main_);
        const std::size_t end = std::min(begin + size, ops.size());
        const auto change = [&](Module& module) {
          for (std::size_t index = begin; index < end; ++index)
            replace_by_arguments(module, main_, ops[index]);
          return true;
        };
        if (attempt(change)) {
          changed = true;
        } else {
          begin = end;
        }
      }
    }
    return changed;
  }

  /// Inlines the bodies of loops, branches and callees.
  bool inline_regions() {
    bool changed = false;
    for (const OpId op : ops_of(module_, main_)) {
      for (std::size_t body = 0; body < num_bodies(module_, op); ++body) {
        if (!attempt([&](Module& module) { return inline_body(module, op, body); })) continue;
        changed = true;
        break;
      }
    }
    return changed;
  }

  /// Replaces an op by an operand of the same type.
  bool pass_by_ops() {
    bool changed = false;
    for (const OpId op : ops_of(module_, main_)) {
      if (module_.is_erased(op)) continue;
      if (attempt([&](Module& module) { return pass_by_all(module, op); })) {
        changed = true;
        continue;
      }
      if (module_.num_results(op) != 1 || module_.num_uses(module_.result(op)) == 0) continue;
      for (const ValueId operand : module_.operands(op)) {
        if (module_.type(operand) != module_.type(module_.result(op))) continue;
        const auto pass_by = [&](Module& module) {
          module.replace_all_uses(module.result(op), operand);
          return true;
        };
        if (attempt(pass_by)) {
          changed = true;
          break;
        }
      }
    }
    return changed;
  }

  // ---- Shardings and meshes ----

  bool drop_axes() {
    bool changed = attempt(&drop_device_ids);
    for (const MeshAxis& axis : mesh_axes(module_)) {
      const auto drop = [&](Module& module) { return drop_axis(module, axis.name); };
      changed = attempt(drop) || changed;
    }
    return changed;
  }

  bool shrink_axes() {
    bool changed = false;
    for (const MeshAxis& axis : mesh_axes(module_)) {
      for (const int64_t size : smaller_sizes(axis.size)) {
        const auto shrink = [&](Module& module) { return resize_axis(module, axis.name, size); };
        if (!attempt(shrink)) continue;
        changed = true;
        break;
      }
    }
    return changed;
  }

  bool drop_shardings() {
    bool changed = false;
    for (const ShardingPlace& place : sharding_places(module_)) {
      if (sharding_at(module_, place) == nullptr) continue;
      const auto drop = [&](Module& module) { return drop_sharding_at(module, place); };
      if (attempt(drop)) {
        changed = true;
        continue;
      }
      while (weaken(place)) changed = true;
    }
    return changed;
  }
  bool weaken(const ShardingPlace& place) {
    const TensorSharding* sharding = sharding_at(module_, place);
    if (sharding == nullptr) return false;
    for (const TensorSharding& smaller : smaller_shardings(*sharding)) {
      const auto set = [&](Module& module) {
        return set_sharding_at(module, place, smaller), true;
      };
      if (attempt(set)) return true;
    }
    return false;
  }

  // ---- Shapes and constants ----

  /// Returns one dim of each class that ops of the program have.
  std::vector<ValueDim> dims(const DimClasses& classes) const {
    std::vector<ValueDim> dims;
    std::vector<bool> known(classes.size());
    for (const ValueId value : values_of(module_)) {
      const ir::Type& type = module_.type(value);
      if (!type.is_static_tensor()) continue;
      for (std::size_t dim = 0; dim < type.dims().size(); ++dim) {
        const std::size_t which = classes.class_of(value, dim);
        if (!known[which]) dims.push_back({value, dim});
        known[which] = true;
      }
    }
    return dims;
  }

  bool shrink_dims() {
    bool changed = false;
    DimClasses classes(module_, options_.context.ops.rules);
    for (const ValueDim& each : dims(classes)) {
      for (const int64_t size : smaller_sizes(module_.type(each.value).dim(each.dim))) {
        const auto shrink = [&](Module& module) {
          return resize_dims(module, classes, classes.class_of(each.value, each.dim), size);
        };
        if (!attempt(shrink)) continue;
        changed = true;
        classes = DimClasses(module_, options_.context.ops.rules);
        break;
      }
    }
    return changed;
  }

  bool drop_dims_one_by_one() {
    bool changed = false;
    while (drop_some_dim()) changed = true;
    return changed;
  }
  bool drop_some_dim() {
    const DimClasses classes(module_, options_.context.ops.rules);
    for (const ValueDim& each : dims(classes)) {
      const auto drop = [&](Module& module) {
        return drop_dims(module, classes, classes.class_of(each.value, each.dim));
      };
      if (attempt(drop)) return true;
    }
    return false;
  }

  bool shrink_constants() {
    bool changed = false;
    for (const OpId op : ir::pre_order(module_)) {
      if (module_.is_erased(op) || module_.num_operands(op) != 0) continue;
      const auto* literal = module_.attribute<ir::Literal>(op, ir::attr::kValue);
      if (literal == nullptr) continue;
      for (const ir::Literal& simpler : simpler_literals(*literal)) {
        const auto set = [&](Module& module) {
          return module.attributes(op).set(ir::attr::kValue, simpler), true;
        };
        if (!attempt(set)) continue;
        changed = true;
        break;
      }
    }
    return changed;
  }

  Module module_;
  OpId main_;
  const std::function<bool(const Module&)>& still_fails_;
  const ReduceOptions& options_;
  int64_t runs_ = 0;
  bool done_ = false;  // the limit of runs is reached, or the caller stopped
};

}  // namespace

Module reduce_program(const Module& program, const std::function<bool(const Module&)>& still_fails,
                      const ReduceOptions& options) {
  return Reducer(program, still_fails, options).run();
}

}  // namespace shardy::checking
