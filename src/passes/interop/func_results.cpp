// Custom calls that carry the sharding of a function result are erased.
// Spec: interop 6.3, passes 4.15.
//
//   %1 = custom_call @xla.sdy.FuncResultSharding(%0)        func.func @main(..) -> (T [{"x"}])
//     {xla.sdy.sharding = "[<@mesh, [{"x"}]>]"}        ->     return %0
//   return %1
//
// In an inlined function the sharding becomes an sdy.sharding_constraint.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "passes/common/ops.hpp"
#include "passes/import/import_passes.hpp"
#include "passes/interop/frontend_text.hpp"
#include "passes/interop/round_trip_import.hpp"
#include "shardy/algebra/resolve.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_shape.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::Use;
using ir::ValueId;

namespace {

/// Checks that results have the types of the operands: one value, or the halves of a 64-bit number.
Status expect_identity(const Module& module, OpId call) {
  const std::size_t count = module.num_results(call);
  if (count == 0 || count > 2 || module.num_operands(call) != count) {
    return fail_at_place(module, {call},
                         place_text(module, {call}) + " has other operands than results");
  }
  for (std::size_t index = 0; index < count; ++index) {
    if (module.type(module.operand(call, index)) == module.type(module.result(call, index))) {
      continue;
    }
    return fail_at_place(module, {call},
                         place_text(module, {call}) + " changes the type of its operand");
  }
  return {};
}

Result<TensorSharding> resolved(const Module& module, OpId call,
                                const UnresolvedSharding& spelled) {
  const auto find = [&](const std::string& name) { return module.find_mesh(name); };
  const ir::TypeShape shape(module.type(module.result(call)));
  SHARDY_TRY(const Mesh mesh, mesh_of(spelled, find));
  return resolve(spelled, mesh, shape.view());
}

bool has_key(const Module& module, OpId call) {
  return frontend_entry(module.attributes(call), key::kSharding) != nullptr;
}

/// Returns the sharding in the frontend attribute, or in the op attribute after an earlier import
/// of keys.
Result<TensorSharding> carried(const Module& module, OpId call) {
  if (has_key(module, call)) {
    SHARDY_TRY(const UnresolvedShardings spelled,
               frontend_value<UnresolvedShardings>(module, {call}, key::kSharding,
                                                   "#sdy.sharding_per_value"));
    if (spelled.size() == 1) return resolved(module, call, spelled.front());
    return fail_at_place(module, {call}, "expected #sdy.sharding_per_value with one sharding");
  }
  const auto* list = module.attribute<ir::ShardingList>(call, ir::kShardingAttr);
  if (list != nullptr && !list->shardings.empty()) return list->shardings.front();
  return fail_at_place(module, {call}, "expected CustomCallOp with a sharding attribute");
}

class FuncResults {
 public:
  explicit FuncResults(Module& module) : module_(module) {}

  /// Replaces the call by its operand and applies the sharding to the function result or a
  /// constraint.
  void import_call(OpId call, const std::optional<TensorSharding>& sharding) {
    if (sharding) {
      const OpId combine = combine_of(call);
      if (combine.valid()) {
        module_.attributes(combine).set(ir::kShardingAttr, ir::ShardingList{{*sharding}});
      }
      place(call, combine, *sharding);
    }
    keep_for_collective(call);
    for (std::size_t index = 0; index < module_.num_results(call); ++index) {
      module_.replace_all_uses(module_.result(call, index), module_.operand(call, index));
    }
    module_.erase(call);
  }

  int64_t num_results() const { return num_results_; }
  int64_t num_constraints() const { return num_constraints_; }

 private:
  using Target = std::pair<OpId, std::size_t>;

  /// Returns the op that joins the halves of a 64-bit number if it is the only user of both
  /// results; else invalid.
  OpId combine_of(OpId call) const {
    if (module_.num_results(call) != 2) return {};
    const std::vector<Use> low = module_.uses(module_.result(call, 0));
    const std::vector<Use> high = module_.uses(module_.result(call, 1));
    if (low.size() != 1 || high.size() != 1 || low[0].op != high[0].op) return {};
    return calls_target(module_, low[0].op, "X64Combine") ? low[0].op : OpId();
  }

  /// Returns the users of the results; of a dead call, the users of its operand.
  std::vector<Use> users(OpId call, OpId combine) const {
    if (combine.valid()) return module_.uses(module_.result(combine));
    std::vector<Use> uses = module_.uses(module_.result(call));
    if (!uses.empty() || !module_.defining_op(module_.operand(call, 0)).valid()) return uses;
    uses = module_.uses(module_.operand(call, 0));
    std::erase_if(uses, [&](const Use& use) { return !module_.is(use.op, OpKind::FuncReturn); });
    return uses;
  }

  /// Checks whether the function result has no other sharding.
  bool accepts(const Use& use, const TensorSharding& sharding) const {
    if (!module_.is(use.op, OpKind::FuncReturn)) return false;
    const Target target{module_.parent_op(use.op), use.operand};
    const auto own = ir::result_sharding(module_, target.first, target.second);
    return placed_.contains(target) || !own || *own == sharding;
  }

  void place(OpId call, OpId combine, const TensorSharding& sharding) {
    bool has_others = false;
    for (const Use& use : users(call, combine)) {
      if (!accepts(use, sharding)) {
        has_others = true;
        continue;
      }
      const Target target{module_.parent_op(use.op), use.operand};
      // Visited in reverse, so the last call before the return wins.
      if (!placed_.insert(target).second) continue;
      ir::set_result_sharding(module_, target.first, target.second, sharding);
      erase_mhlo_sharding(
          attributes_at(module_, {target.first, AttributePlace::Kind::Result, target.second}));
      ++num_results_;
    }
    if (has_others && !combine.valid()) constrain(call, sharding);
  }

  /// Adds a constraint: the function was inlined, or its result has another sharding.
  void constrain(OpId call, const TensorSharding& sharding) {
    ir::OpSpec spec = unary_op(module_, OpKind::SdyShardingConstraint, module_.operand(call, 0));
    spec.attributes.set(ir::attr::kSharding, sharding.open_like());
    spec.location = module_.location(call);
    const OpId constraint = module_.create(std::move(spec));
    module_.insert_before(call, constraint);
    module_.set_operand(call, 0, module_.result(constraint));
    ++num_constraints_;
  }

  /// Keeps the sharding that a collective expects of its operand.
  void keep_for_collective(OpId call) {
    const auto whole = whole_for_collective(module_, module_.result(call));
    if (!whole) return;
    const TensorSharding had = ir::get_sharding(module_, module_.result(call)).value_or(*whole);
    if (ir::get_sharding(module_, module_.operand(call, 0)) == had) return;
    insert_before_use(module_, {call, 0}, reshard_op(module_, module_.operand(call, 0), had));
  }

  Module& module_;
  std::set<Target> placed_;
  int64_t num_results_ = 0, num_constraints_ = 0;
};

/// Returns the custom calls in reverse program order.
std::vector<OpId> carriers(const Module& module) {
  std::vector<OpId> calls = ir::pre_order(module);
  std::erase_if(calls, [&](OpId op) { return !calls_target(module, op, target::kFuncResult); });
  std::ranges::reverse(calls);
  return calls;
}

}  // namespace

Status import_func_results(Module& module, ImportedShardings& counts) {
  FuncResults importer(module);
  for (const OpId call : carriers(module)) {
    SHARDY_TRY_STATUS(expect_identity(module, call));
    SHARDY_TRY(const TensorSharding sharding, carried(module, call));
    importer.import_call(call, sharding);
  }
  counts.keys += importer.num_results();
  counts.constraints += importer.num_constraints();
  return {};
}

PassErrors import_func_result_shardings(Module& module, const FuncResultShardingsOptions& options) {
  FuncResults importer(module);
  for (const OpId call : carriers(module)) {
    if (!expect_identity(module, call)) continue;
    std::optional<TensorSharding> sharding;
    if (has_key(module, call)) {
      const Result<TensorSharding> read = carried(module, call);
      if (read) sharding = *read;
      if (!read && options.warn) {
        options.warn(call,
                     "the sharding of a function result that a custom call carries is left out: " +
                         read.error().message,
                     "write the sharding of the result at the function, or mend xla.sdy.sharding "
                     "of the custom call");
      }
    }
    importer.import_call(call, sharding);
  }
  return {};
}

}  // namespace shardy::passes
