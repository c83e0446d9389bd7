// Constants and broadcasts of scalars are copied for each use. Otherwise, shardings would propagate
// from one user to another through them. Spec: passes 4.4.
//
//   %c = stablehlo.constant 1 : tensor<8xf32>           %0 = sdy.constant 1 : tensor<8xf32>
//   %n = negate %c                                      %1 = sdy.constant 1 : tensor<8xf32>
//   %2 = add %a, %n                                ->   %2 = negate %0
//   %3 = multiply %2, %n                                %3 = negate %1
//                                                       %4 = add %a, %2
//                                                       %5 = multiply %4, %3
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "passes/common/functions.hpp"
#include "passes/common/ops.hpp"
#include "passes/import/import_passes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

namespace {

/// Renames stablehlo.constant to sdy.constant, which folding and CSE do not merge.
void rename_constants(Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    if (!module.is(op, OpKind::Constant)) continue;
    ir::OpSpec spec{.kind = OpKind::SdyConstant};
    spec.result_types = {module.type(module.result(op))};
    spec.attributes = module.attributes(op);
    replace_op(module, op, std::move(spec));
  }
}

/// The names of computations and functions that contain non-constant ops.
struct NonConstant {
  std::set<std::string, std::less<>> computations;
  std::set<std::string, std::less<>> functions;
};

bool has_rank(const Module& module, ValueId value) {
  return ir::sharding_rank(module.type(value)) > 0;
}

/// Splits the constants of one region.
class Splitter {
 public:
  Splitter(Module& module, SymbolTable& symbols, NonConstant& names)
      : module_(module), symbols_(symbols), names_(names) {}

  Status run(BlockId region) {
    const auto enters = [&](OpId op) { return !module_.is(op, OpKind::SdyNamedComputation); };
    for (const OpId op : ir::pre_order(module_, region, enters)) {
      SHARDY_TRY_STATUS(visit(op));
    }
    place_copies();
    for (const OpId op : scalar_expansions_) erase_if_unused(op);
    for (auto op = constants_.rbegin(); op != constants_.rend(); ++op) erase_if_unused(*op);
    return {};
  }

 private:
  // ---- Classification of ops --------------------------------------------------------------------

  bool is_constant_preserving(OpId op) const {
    if (module_.is(op, OpKind::FuncCall)) {
      const auto callee = ir::callee_of(module_, op);
      // A function without a body may return any value.
      return callee && !module_.is_external(*callee) &&
             !names_.functions.contains(original_name(module_, *callee));
    }
    if (module_.is(op, OpKind::SdyNamedComputation)) {
      const auto* name = module_.attribute<std::string>(op, ir::attr::kName);
      return name == nullptr || !names_.computations.contains(*name);
    }
    return is_pure_static(module_, op) && keeps_constants(module_, op);
  }

  bool is_constant_expression(OpId op) const {
    if (module_.is(op, OpKind::SdyConstant) || module_.is(op, OpKind::Iota)) return true;
    for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
      const OpId source = module_.defining_op(module_.operand(op, index));
      if (!source.valid() || !is_constant_.contains(source)) return false;
    }
    return is_constant_preserving(op);
  }

  bool is_scalar_expansion(OpId op) const {
    return module_.is(op, OpKind::BroadcastInDim) && !has_rank(module_, module_.operand(op, 0));
  }

  // ---- The walk ---------------------------------------------------------------------------------

  Status visit(OpId op) {
    if (module_.is(op, OpKind::SdyShardingGroup)) return {};
    if (is_constant_expression(op)) {
      constants_.push_back(op);
      is_constant_.insert(op);
      return {};
    }
    if (!is_constant_preserving(op) && !module_.has_trait(op, ir::kTerminator)) mark_bodies(op);
    if (is_scalar_expansion(op)) {
      scalar_expansions_.push_back(op);
      is_scalar_.insert(op);
      return {};
    }
    for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
      const ValueId operand = module_.operand(op, index);
      if (!is_split(operand)) continue;
      SHARDY_TRY(const ValueId copy, split(operand));
      module_.set_operand(op, index, copy);
    }
    return {};
  }

  bool is_split(ValueId value) const {
    const OpId op = module_.defining_op(value);
    return op.valid() && (is_constant_.contains(op) || is_scalar_.contains(op));
  }

  /// Marks the computation and the function around the op as non-constant.
  void mark_bodies(OpId op) {
    bool is_innermost = true;
    for (OpId parent = module_.parent_op(op); parent.valid(); parent = module_.parent_op(parent)) {
      // Stops at a parent that is already marked, whose parents are marked, too. The walk is linear
      // in deeply nested regions.
      if (!(is_innermost ? marked_ : marked_outside_).insert(parent).second) return;
      const bool is_named = module_.is(parent, OpKind::SdyNamedComputation);
      const auto* name = module_.attribute<std::string>(parent, ir::attr::kName);
      if (is_named && is_innermost && name) names_.computations.insert(*name);
      is_innermost = is_innermost && !is_named;
      if (module_.is(parent, OpKind::Func)) {
        names_.functions.insert(original_name(module_, parent));
      }
    }
  }

  // ---- Copies -----------------------------------------------------------------------------------

  /// Copies the op that defines the value, and the constant ops on which it depends.
  Result<ValueId> split(ValueId value) {
    if (!has_rank(module_, value)) return value;
    const std::unordered_set<ValueId> copied = values_to_copy(value);
    ValueMap map;
    std::vector<ValueId> pending = {value};
    while (!pending.empty()) {
      const ValueId next = pending.back();
      if (map.contains(next)) {
        pending.pop_back();
        continue;
      }
      const std::size_t before = pending.size();
      push_operands(
          next, [&](ValueId operand) { return copied.contains(operand) && !map.contains(operand); },
          pending);
      if (pending.size() > before) continue;
      pending.pop_back();
      SHARDY_TRY_STATUS(copy_one(next, map));
    }
    return map.at(value);
  }

  /// Returns the value and the values from which it is computed, nearest first, at most
  /// `kMostCopies`. Without the limit, a user of each step of a long computation would copy all
  /// steps before it.
  std::unordered_set<ValueId> values_to_copy(ValueId value) const {
    std::unordered_set<ValueId> values = {value};
    std::vector<ValueId> in_order = {value};  // ordered by distance from `value`
    for (std::size_t next = 0; next < in_order.size() && values.size() < kMostCopies; ++next) {
      const OpId op = module_.defining_op(in_order[next]);
      for (std::size_t index = 0; index < module_.num_operands(op); ++index) {
        const ValueId operand = module_.operand(op, index);
        const bool is_full = values.size() == kMostCopies;
        if (is_full || !module_.defining_op(operand).valid() || !has_rank(module_, operand))
          continue;
        if (values.insert(operand).second) in_order.push_back(operand);
      }
    }
    return values;
  }

  /// Pushes the defining ops of the operands to be copied. The first operand is copied first.
  template <class IsWanted>
  void push_operands(ValueId value, IsWanted is_wanted, std::vector<ValueId>& pending) const {
    const OpId op = module_.defining_op(value);
    for (std::size_t index = module_.num_operands(op); index-- > 0;) {
      const ValueId operand = module_.operand(op, index);
      if (is_wanted(operand)) pending.push_back(operand);
    }
  }

  Status copy_one(ValueId value, ValueMap& map) {
    const OpId op = module_.defining_op(value);
    const OpId copy = clone_op(module_, op, map);
    std::vector<OpId>& copies = copies_[op];
    copies.push_back(copy);
    if (module_.is(copy, OpKind::FuncCall)) {
      SHARDY_TRY(const OpId callee, called_function(module_, copy));
      SHARDY_TRY(const OpId function, symbols_.clone_function(callee));
      symbols_.insert(function);
      set_callee(module_, copy, module_.symbol_name(function));
    }
    for (const OpId group : groups_of(value)) copies.push_back(clone_op(module_, group, map));
    return {};
  }

  /// Returns the sharding groups of the value. Memoized, because a constant may have many users.
  const std::vector<OpId>& groups_of(ValueId value) {
    const auto [found, is_new] = groups_.try_emplace(value);
    if (!is_new) return found->second;
    for (const Use& use : module_.uses(value)) {
      if (module_.is(use.op, OpKind::SdyShardingGroup)) found->second.push_back(use.op);
    }
    return found->second;
  }

  /// Inserts the copies before their originals. Rebuilds whole blocks, because order numbers have
  /// no room for many ops at one position.
  void place_copies() {
    std::set<BlockId> blocks;
    for (const auto& entry : copies_) blocks.insert(module_.parent_block(entry.first));
    for (const BlockId block : blocks) {
      std::vector<OpId> order;
      for (const OpId op : module_.ops(block)) order.push_back(op);
      for (const OpId op : order) {
        module_.remove(op);
        if (const auto found = copies_.find(op); found != copies_.end()) {
          for (const OpId copy : found->second) module_.append(block, copy);
        }
        module_.append(block, op);
      }
    }
  }

  void erase_if_unused(OpId op) {
    std::vector<OpId> groups;
    for (const ValueId result : module_.results(op)) {
      for (const Use& use : module_.uses(result)) {
        if (!module_.is(use.op, OpKind::SdyShardingGroup)) return;
        groups.push_back(use.op);
      }
    }
    for (const OpId group : groups) module_.erase(group);
    module_.erase(op);
  }

  static constexpr std::size_t kMostCopies = 100;  // limit of copies for one use of a constant

  Module& module_;
  SymbolTable& symbols_;
  NonConstant& names_;
  std::vector<OpId> constants_;
  std::vector<OpId> scalar_expansions_;
  std::unordered_set<OpId> is_constant_;
  std::unordered_set<OpId> is_scalar_;
  std::unordered_set<OpId>
      marked_;  // parents of a non-constant op with no named computation in between
  std::unordered_set<OpId>
      marked_outside_;  // parents of a non-constant op that is in a named computation
  std::unordered_map<ValueId, std::vector<OpId>> groups_;  // per copied value
  std::unordered_map<OpId, std::vector<OpId>> copies_;     // per original, in program order
};

Status split_module(Module& module) {
  SHARDY_TRY(const ir::CallGraph graph, verified_calls(module));
  rename_constants(module);
  SymbolTable symbols(module);
  NonConstant names;
  for (const OpId function : graph.functions) {
    for (const OpId op : ir::post_order(module, module.entry(function))) {
      if (!module.is(op, OpKind::SdyNamedComputation)) continue;
      SHARDY_TRY_STATUS(Splitter(module, symbols, names).run(module.block(op)));
    }
    SHARDY_TRY_STATUS(Splitter(module, symbols, names).run(module.entry(function)));
  }
  return {};
}

}  // namespace

Diagnostics constant_or_scalar_splitter(Module& module) {
  Status status = split_module(module);
  if (status) return {};
  return {std::move(status).error()};
}

}  // namespace shardy::passes
