// Custom calls of the round trip: function results, groups, barriers. Spec: interop 6.3, 6.7.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "passes/common/sdy_ops.hpp"
#include "passes/interop/frontend_text.hpp"
#include "passes/interop/round_trip_import.hpp"
#include "passes/interop/unknown_carriers.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/quote.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::Use;
using ir::ValueId;

// ---- Function results ---------------------------------------------------------------------------

namespace {

class FuncResults {
 public:
  FuncResults(Module& module, ImportedShardings& counts) : module_(module), counts_(counts) {}

  Status import_call(OpId call) {
    const std::size_t count = module_.num_results(call);
    if (count == 0 || count > 2 || module_.num_operands(call) != count) {
      return fail_at_place(module_, {call},
                           place_text(module_, {call}) + " has other operands than results");
    }
    for (std::size_t index = 0; index < count; ++index) {
      if (module_.type(module_.operand(call, index)) == module_.type(module_.result(call, index)))
        continue;
      return fail_at_place(module_, {call},
                           place_text(module_, {call}) + " changes the type of its operand");
    }
    const auto* list = module_.attribute<ir::ShardingList>(call, ir::kShardingAttr);
    if (list == nullptr || list->shardings.empty()) {
      return fail_at_place(module_, {call}, "expected CustomCallOp with a sharding attribute");
    }
    const TensorSharding sharding = list->shardings.front();
    const OpId combine = combine_of(call);
    if (combine.valid()) {
      module_.attributes(combine).set(ir::kShardingAttr, ir::ShardingList{{sharding}});
    }
    place(call, combine, sharding);
    keep_for_collective(call);
    for (std::size_t index = 0; index < count; ++index) {
      module_.replace_all_uses(module_.result(call, index), module_.operand(call, index));
    }
    module_.erase(call);
    return {};
  }

 private:
  /// A result of a function.
  using Target = std::pair<OpId, std::size_t>;

  /// The op that joins the halves of 64-bit numbers, if both results go there alone.
  OpId combine_of(OpId call) const {
    if (module_.num_results(call) != 2) return {};
    const std::vector<Use> low = module_.uses(module_.result(call, 0));
    const std::vector<Use> high = module_.uses(module_.result(call, 1));
    if (low.size() != 1 || high.size() != 1 || low[0].op != high[0].op) return {};
    return calls_target(module_, low[0].op, "X64Combine") ? low[0].op : OpId();
  }

  std::vector<Use> users(OpId call, OpId combine) const {
    if (combine.valid()) return module_.uses(module_.result(combine));
    std::vector<Use> uses = module_.uses(module_.result(call));
    if (!uses.empty() || !module_.defining_op(module_.operand(call, 0)).valid()) return uses;
    uses = module_.uses(module_.operand(call, 0));
    std::erase_if(uses, [&](const Use& use) { return use.op == call; });
    return uses;
  }

  void place(OpId call, OpId combine, const TensorSharding& sharding) {
    bool has_others = false;
    for (const Use& use : users(call, combine)) {
      if (!module_.is(use.op, OpKind::FuncReturn)) {
        has_others = true;
        continue;
      }
      const Target target{module_.parent_op(use.op), use.operand};
      // Of several in a row the one before the return counts.
      if (!placed_.insert(target).second) continue;
      ir::set_result_sharding(module_, target.first, target.second, sharding);
      erase_mhlo_sharding(
          attributes_at(module_, {target.first, Place::Kind::Result, target.second}));
      ++counts_.keys;
    }
    if (has_others && !combine.valid()) constrain(call, sharding);
  }

  /// The function was inlined.
  void constrain(OpId call, const TensorSharding& sharding) {
    ir::OpSpec spec = unary_op(module_, OpKind::SdyShardingConstraint, module_.operand(call, 0));
    spec.attributes.set(ir::attr::kSharding, sharding.open_like());
    spec.location = module_.location(call);
    const OpId constraint = module_.create(std::move(spec));
    module_.insert_before(call, constraint);
    module_.set_operand(call, 0, module_.result(constraint));
    ++counts_.constraints;
  }

  /// A collective that reads the result finds what it had before.
  void keep_for_collective(OpId call) {
    const auto whole = whole_for_collective(module_, module_.result(call));
    if (!whole) return;
    const TensorSharding had = ir::get_sharding(module_, module_.result(call)).value_or(*whole);
    if (ir::get_sharding(module_, module_.operand(call, 0)) == had) return;
    insert_before_use(module_, {call, 0}, reshard_op(module_, module_.operand(call, 0), had));
  }

  Module& module_;
  ImportedShardings& counts_;
  std::set<Target> placed_;
};

}  // namespace

Status import_func_results(Module& module, ImportedShardings& counts) {
  FuncResults importer(module, counts);
  std::vector<OpId> order = ir::pre_order(module);
  std::ranges::reverse(order);
  for (const OpId op : order) {
    if (!calls_target(module, op, target::kFuncResult)) continue;
    SHARDY_TRY_STATUS(importer.import_call(op));
  }
  return {};
}

// ---- Groups and barriers ------------------------------------------------------------------------

namespace {

Status import_group(Module& module, OpId call) {
  const auto& attributes = module.attributes(call);
  const std::string_view name =
      frontend_entry(attributes, key::kGroupId) != nullptr ? key::kGroupId : key::kOldGroupId;
  if (frontend_entry(attributes, name) == nullptr) {
    return fail_at_place(module, {call}, "expected CustomCallOp with a sharding group id.");
  }
  SHARDY_TRY(const std::string text, frontend_text(module, {call}, name));
  const Result<int64_t> id = parse_typed_integer(text);
  if (!id) return bad_entry(module, {call}, name, id.error(), text);
  const bool is_used = module.num_results(call) > 0 && module.num_uses(module.result(call)) > 0;
  if (is_used) {
    return fail_at_place(module, {call}, "xla.sdy.ShardingGroup CustomCallOp should have no uses.");
  }
  if (module.num_operands(call) != 1) {
    return fail_at_place(module, {call}, "xla.sdy.ShardingGroup takes one operand");
  }
  ir::OpSpec spec{.kind = OpKind::SdyShardingGroup, .operands = module.operands(call)};
  spec.attributes.set(ir::attr::kGroupId, ir::IntegerAttr{*id, ir::ElementType::I64});
  spec.location = module.location(call);
  module.insert_before(call, module.create(std::move(spec)));
  module.erase(call);
  return {};
}

Status import_barrier(Module& module, OpId call) {
  constexpr std::array<std::string_view, 4> kDirections = {"NONE", "FORWARD", "BACKWARD", "BOTH"};
  if (frontend_entry(module.attributes(call), key::kDirection) == nullptr) {
    return fail_at_place(module, {call},
                         "expected PropagationBarrier CustomCall Op with a propagation direction.");
  }
  SHARDY_TRY(const std::string text, frontend_text(module, {call}, key::kDirection));
  const Result<int64_t> number = parse_typed_integer(text);
  if (!number || *number < 0 || *number > 3) {
    return bad_entry(module, {call}, key::kDirection,
                     number ? Error{"expected 0 to 3"} : number.error(), text);
  }
  if (module.num_operands(call) != 1 || module.num_results(call) != 1) {
    return fail_at_place(module, {call},
                         "xla.sdy.PropagationBarrier takes one operand and gives one result");
  }
  ir::OpSpec spec = unary_op(module, OpKind::SdyPropagationBarrier, module.operand(call, 0));
  spec.attributes.set(ir::attr::kAllowedDirection,
                      ir::EnumAttr{"sdy.propagation_direction",
                                   std::string(kDirections[static_cast<std::size_t>(*number)])});
  replace_op(module, call, std::move(spec));
  return {};
}

/// With a sharding of the round trip; those of GSPMD are not ours.
Status import_constraint(Module& module, OpId call, ImportedShardings& counts) {
  const auto* list = module.attribute<ir::ShardingList>(call, ir::kShardingAttr);
  if (list == nullptr) return {};
  if (module.num_results(call) != 1 || module.num_operands(call) != 1) {
    return fail_at_place(module, {call}, "expected CustomCallOp with exactly one result");
  }
  ++counts.constraints;
  if (module.type(module.result(call)).is_token()) {
    module.replace_all_uses(module.result(call), module.operand(call, 0));
    module.erase(call);
    return {};
  }
  ir::OpSpec spec = unary_op(module, OpKind::SdyShardingConstraint, module.operand(call, 0));
  spec.attributes.set(ir::attr::kSharding, list->shardings.front());
  replace_op(module, call, std::move(spec));
  return {};
}

}  // namespace

PassErrors import_round_trip_calls(Module& module, ImportedShardings& counts) {
  for (const OpId op : ir::pre_order(module)) {
    const std::string name(call_target(module, op));
    Status status;
    if (name == target::kSharding) {
      status = import_constraint(module, op, counts);
    } else if (name == target::kGroup) {
      ++counts.groups;
      status = import_group(module, op);
    } else if (name == target::kBarrier) {
      ++counts.barriers;
      status = import_barrier(module, op);
    } else if (name.starts_with(key::kPrefix)) {
      const bool is_border = name == target::kGlobalToLocal || name == target::kLocalToGlobal;
      status =
          tl::unexpected(unknown_target(module, op,
                                        is_border ? "stands at no border of a manual computation"
                                                  : "is none that carries a sharding"));
    }
    if (!status) return {std::move(status).error()};
  }
  return {};
}

}  // namespace shardy::passes
