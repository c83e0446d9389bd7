// The smallest part of a program that still fails.
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "passes/export/canonicalize.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::checking {

using ir::BlockId;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// One change at a time, on a copy that becomes the program if it still fails.
class Reducer {
 public:
  Reducer(Module program, const std::function<bool(const Module&)>& still_fails)
      : module_(std::move(program)), still_fails_(still_fails) {}

  Module run() && {
    const std::optional<OpId> main = module_.main_function();
    if (!main || module_.is_external(*main)) return std::move(module_);
    main_ = *main;
    for (bool changed = true; changed;) {
      changed = keep_one_result();
      changed = return_earlier() || changed;
      changed = cut_ops() || changed;
      changed = pass_by_ops() || changed;
      changed = drop_shardings() || changed;
    }
    for (const OpId mesh : module_.meshes()) {
      attempt([&](Module& module) { module.erase(mesh); });
    }
    return std::move(module_);
  }

 private:
  template <class Change>
  bool attempt(const Change& change) {
    Module changed = module_;
    change(changed);
    tidy(changed);
    if (!ir::verify(changed).empty() || !still_fails_(changed)) return false;
    module_ = std::move(changed);
    return true;
  }

  /// Without ops and arguments that nobody reads.
  void tidy(Module& module) const {
    passes::erase_dead_ops(module);
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

  bool keep_one_result() {
    const std::size_t count = module_.function(main_).result_types.size();
    for (std::size_t kept = 0; count > 1 && kept < count; ++kept) {
      const auto keep = [&](Module& module) { keep_result(module, kept); };
      if (attempt(keep)) return true;
    }
    return false;
  }
  void keep_result(Module& module, std::size_t kept) const {
    const OpId end = module.last_op(module.entry(main_));
    const ValueId value = module.operand(end, kept);
    module.set_operands(end, std::vector<ValueId>{value});
    ir::FunctionData& data = module.function(main_);
    data.result_types = {data.result_types[kept]};
    if (kept < data.result_attributes.size()) {
      data.result_attributes = {data.result_attributes[kept]};
    }
  }

  /// What the last op reads is returned instead of what it makes.
  bool return_earlier() {
    const std::vector<ValueId> results = module_.returned_values(main_);
    for (std::size_t index = 0; index < results.size(); ++index) {
      const OpId op = module_.defining_op(results[index]);
      if (!op.valid()) continue;
      for (const ValueId operand : module_.operands(op)) {
        const auto change = [&](Module& module) { return_value(module, index, operand); };
        if (attempt(change)) return true;
      }
    }
    return false;
  }
  void return_value(Module& module, std::size_t index, ValueId value) const {
    module.set_operand(module.last_op(module.entry(main_)), index, value);
    ir::FunctionData& data = module.function(main_);
    data.result_types[index] = module.type(value);
    if (index < data.result_attributes.size()) {
      data.result_attributes[index].erase(ir::kShardingAttr);
    }
  }

  std::vector<OpId> body() const {
    std::vector<OpId> ops;
    for (const OpId op : module_.ops(module_.entry(main_))) {
      if (module_.num_results(op) > 0) ops.push_back(op);
    }
    return ops;
  }

  /// The results of many ops become arguments, then of fewer and fewer.
  bool cut_ops() {
    bool changed = false;
    for (std::size_t size = std::max<std::size_t>(body().size() / 2, 1); size > 0; size /= 2) {
      for (std::size_t begin = 0; begin < body().size();) {
        const std::vector<OpId> ops = body();
        const std::size_t end = std::min(begin + size, ops.size());
        const auto cut = [&](Module& module) {
          for (std::size_t index = begin; index < end; ++index) cut_op(module, ops[index]);
        };
        if (attempt(cut)) {
          changed = true;
        } else {
          begin = end;
        }
      }
    }
    return changed;
  }
  void cut_op(Module& module, OpId op) const {
    for (const ValueId result : module.results(op)) {
      if (module.num_uses(result) == 0) continue;
      const BlockId entry = module.entry(main_);
      const auto sharding = ir::get_sharding(module, result);
      const ValueId argument = module.add_argument(entry, module.type(result));
      auto& attributes = module.function(main_).arg_attributes;
      attributes.resize(module.args(entry).size());
      if (sharding) attributes.back().set(ir::kShardingAttr, *sharding);
      module.replace_all_uses(result, argument);
    }
    module.erase(op);
  }

  /// Users of an op read an operand of it that has the same type.
  bool pass_by_ops() {
    bool changed = false;
    for (const OpId op : body()) {
      if (module_.is_erased(op) || module_.num_results(op) != 1) continue;
      if (module_.num_uses(module_.result(op)) == 0) continue;  // only its effects are left
      for (const ValueId operand : module_.operands(op)) {
        if (module_.type(operand) != module_.type(module_.result(op))) continue;
        const auto pass_by = [&](Module& module) {
          module.replace_all_uses(module.result(op), operand);
        };
        if (attempt(pass_by)) {
          changed = true;
          break;
        }
      }
    }
    return changed;
  }

  bool drop_shardings() {
    bool changed = false;
    for (const OpId op : ir::pre_order(module_)) {
      if (module_.is_erased(op)) continue;
      if (module_.is(op, OpKind::SdyShardingGroup)) {
        changed = attempt([&](Module& module) { module.erase(op); }) || changed;
      } else if (module_.attributes(op).contains(ir::kShardingAttr)) {
        const auto drop = [&](Module& module) { module.attributes(op).erase(ir::kShardingAttr); };
        changed = attempt(drop) || changed;
      }
    }
    return drop_of_signature(&ir::FunctionData::arg_attributes) ||
           drop_of_signature(&ir::FunctionData::result_attributes) || changed;
  }
  bool drop_of_signature(std::vector<ir::AttributeMap> ir::FunctionData::*side) {
    bool changed = false;
    for (std::size_t index = 0; index < (module_.function(main_).*side).size(); ++index) {
      if (!(module_.function(main_).*side)[index].contains(ir::kShardingAttr)) continue;
      const auto drop = [&](Module& module) {
        (module.function(main_).*side)[index].erase(ir::kShardingAttr);
      };
      changed = attempt(drop) || changed;
    }
    return changed;
  }

  Module module_;
  OpId main_;
  const std::function<bool(const Module&)>& still_fails_;
};

}  // namespace

Module reduce_program(const Module& program,
                      const std::function<bool(const Module&)>& still_fails) {
  return Reducer(program, still_fails).run();
}

}  // namespace shardy::checking
