// Import of the custom calls of the round trip. Spec: interop 6.7.
//
//   custom_call @Sharding(%a) {sdy.sharding = ..}         ->  sdy.sharding_constraint %a
//   custom_call @xla.sdy.ShardingGroup(%a) {"12 : i64"}   ->  sdy.sharding_group %a group_id=12
//   custom_call @xla.sdy.PropagationBarrier(%a) {"2"}     ->  sdy.propagation_barrier %a
//                                                                allowed_direction=BACKWARD
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "passes/common/ops.hpp"
#include "passes/interop/frontend_text.hpp"
#include "passes/interop/round_trip_import.hpp"
#include "passes/interop/unknown_attributes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/support/quote.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;

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

/// Imports a `@Sharding` call with a sharding of the round trip; GSPMD's are imported elsewhere.
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
                                        is_border ? "is not at a boundary of a manual computation"
                                                  : "does not carry a sharding"));
    }
    if (!status) return {std::move(status).error()};
  }
  return {};
}

}  // namespace shardy::passes
