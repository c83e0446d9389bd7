// Import of manual computations whose bodies are inlined between custom calls. Spec: interop 5.7.
//
//   %1 = custom_call @SPMDFullToShardShape(%0)             %3 = sdy.manual_computation(%0)
//   %2 = add %1, %1                                   ->          manual_axes={"x"} (%1) {
//   %3 = custom_call @SPMDShardToFullShape(%2)               %2 = add %1, %1
//                                                            sdy.return %2
//                                                          }
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "passes/common/bodies.hpp"
#include "passes/interop/gspmd_import.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// Returns the op of `block` that is `op` or contains it; else invalid.
OpId op_in_block(const Module& module, ir::BlockId block, OpId op) {
  while (op.valid() && module.parent_block(op) != block) op = module.parent_op(op);
  return op;
}

/// Returns the values that an op and the ops in its regions use.
std::vector<ValueId> used_values(const Module& module, OpId op) {
  std::vector<ValueId> used = module.operands(op);
  for (const ir::RegionId region : module.regions(op)) {
    for (const ir::BlockId block : module.blocks(region)) {
      for (const OpId inner : ir::pre_order(module, block)) {
        for (const ValueId value : module.operands(inner)) used.push_back(value);
      }
    }
  }
  return used;
}

bool is_constant(const Module& module, OpId op) {
  return op.valid() &&
         (module.is(op, OpKind::Constant) || module.is(op, OpKind::SdyConstant) ||
          module.is(op, OpKind::Iota)) &&
         module.num_operands(op) == 0;
}

/// Checks for a `@Sharding` call whose only user is SPMDShardToFullShape.
bool is_way_out(const Module& module, OpId op) {
  const bool is_mark = calls_target(module, op, target::kSharding) || is_mhlo_copy(module, op);
  if (!is_mark || module.num_results(op) != 1) return false;
  const std::vector<ir::Use> uses = module.uses(module.result(op));
  return uses.size() == 1 && calls_target(module, uses[0].op, target::kShardToFull);
}

/// The ops that local values reach in a block, grouped by connected component.
class LocalOps {
 public:
  LocalOps(const Module& module, ir::BlockId block) : module_(module), block_(block) {}

  std::vector<std::vector<OpId>> groups() {
    for (const OpId op : module_.ops(block_)) {
      if (calls_target(module_, op, target::kFullToShard)) add(op);
    }
    while (!open_.empty()) {
      const OpId op = open_.back();
      open_.pop_back();
      follow(op);
    }
    std::map<OpId, std::size_t> index;
    std::vector<std::vector<OpId>> groups;
    for (const OpId op : module_.ops(block_)) {
      if (!parent_.contains(op)) continue;
      const auto [place, is_new] = index.emplace(root(op), groups.size());
      if (is_new) groups.emplace_back();
      groups[place->second].push_back(op);
    }
    return groups;
  }

 private:
  void add(OpId op) {
    if (parent_.emplace(op, op).second) open_.push_back(op);
  }

  OpId root(OpId op) {
    while (parent_.at(op) != op) {
      parent_[op] = parent_.at(parent_.at(op));
      op = parent_.at(op);
    }
    return op;
  }

  void follow(OpId op) {
    if (calls_target(module_, op, target::kShardToFull)) return;
    for (const ValueId result : module_.results(op)) {
      for (const ir::Use& use : module_.uses(result)) {
        const OpId user = op_in_block(module_, block_, use.op);
        if (!user.valid() || module_.has_trait(user, ir::kTerminator)) continue;
        add(user);
        parent_[root(user)] = root(op);
      }
    }
  }

  const Module& module_;
  ir::BlockId block_;
  std::map<OpId, OpId> parent_;
  std::vector<OpId> open_;
};

}  // namespace

std::set<OpId> ops_in_regions(const Module& module, ir::BlockId block) {
  std::set<OpId> all;
  for (const std::vector<OpId>& group : LocalOps(module, block).groups()) {
    all.insert(group.begin(), group.end());
  }
  return all;
}

Status GspmdImporter::convert_inline_regions(ir::BlockId block, const Axes& manual) {
  std::set<ir::BlockId> blocks;
  for (const OpId op : ir::pre_order(module_, block, [&](OpId each) {
         return !module_.is(each, OpKind::SdyManualComputation);
       })) {
    if (calls_target(module_, op, target::kFullToShard)) blocks.insert(module_.parent_block(op));
  }
  for (const ir::BlockId each : blocks) {
    for (const std::vector<OpId>& group : LocalOps(module_, each).groups()) {
      SHARDY_TRY_STATUS(convert_inline_region(group, manual));
    }
  }
  return {};
}

namespace {

tl::unexpected<Error> cannot_separate(const Module& module, OpId op, std::string_view reason) {
  return fail_at_place(module, {op},
                       "cannot separate the manual region at " + place_text(module, {op}) + ": " +
                           std::string(reason));
}

}  // namespace

/// Ops between custom calls by category, each in program order.
struct GspmdImporter::InlineRegion {
  std::vector<OpId> entries, exits, body;
  std::vector<OpId> constants;   // captured constants, cloned into the body
  std::vector<ValueId> outside;  // other captured values, each once
};

Result<ManualRegion> GspmdImporter::read_borders(const InlineRegion& inlined, const Axes& manual) {
  ManualRegion region;
  std::optional<Axes> axes;
  for (const OpId enter : inlined.entries) {
    if (module_.num_operands(enter) != 1 || module_.num_results(enter) != 1) {
      return cannot_separate(module_, enter, "it does not have one operand and one result");
    }
    SHARDY_TRY_STATUS(add_entry(enter, manual, region, axes));
  }
  for (const OpId leave : inlined.exits) {
    if (module_.is_before(leave, inlined.entries.back())) {
      return cannot_separate(module_, leave, "it precedes the last entry of the region");
    }
    SHARDY_TRY_STATUS(add_exit(leave, manual, region, axes));
  }
  region.manual_axes = axes.value_or(Axes());
  return region;
}

namespace {

/// Returns the values defined outside of `members` that the op and its regions use.
std::vector<ValueId> outside_values(const Module& module, OpId op, const std::set<OpId>& members,
                                    ir::BlockId block) {
  std::vector<ValueId> outside = used_values(module, op);
  std::erase_if(outside, [&](ValueId value) {
    const ir::ValueOwner owner = module.owner(value);
    const OpId from =
        op_in_block(module, block, owner.is_result() ? owner.op : module.parent_op(owner.block));
    return from.valid() && members.contains(from);
  });
  return outside;
}

bool is_used_outside(const Module& module, OpId op, const std::set<OpId>& members,
                     ir::BlockId block) {
  for (const ValueId result : module.results(op)) {
    for (const ir::Use& use : module.uses(result)) {
      const OpId user = op_in_block(module, block, use.op);
      if (!user.valid() || !members.contains(user)) return true;
    }
  }
  return false;
}

}  // namespace

/// Makes captured values operands and clones captured constants. Errors: a captured value is
/// sharded; results of the body are used outside.
Status GspmdImporter::read_outside(const std::vector<OpId>& ops, InlineRegion& inlined,
                                   ManualRegion& region) {
  const std::set<OpId> members(ops.begin(), ops.end());
  const ir::BlockId block = module_.parent_block(inlined.entries.back());
  for (const OpId op : inlined.body) {
    if (is_used_outside(module_, op, members, block)) {
      return cannot_separate(module_, op, "its result is used outside");
    }
    for (const ValueId value : outside_values(module_, op, members, block)) {
      const ir::ValueOwner owner = module_.owner(value);
      if (owner.is_result() && is_constant(module_, owner.op)) {
        inlined.constants.push_back(owner.op);
      } else if (std::ranges::find(inlined.outside, value) == inlined.outside.end()) {
        SHARDY_TRY_STATUS(add_outside(value, op, region));
        inlined.outside.push_back(value);
      }
    }
  }
  return {};
}

/// Returns the op after which the computation is inserted: its last operand. Errors: a
/// SPMDShardToFullShape precedes it.
Result<OpId> GspmdImporter::op_before(const InlineRegion& inlined) const {
  OpId last = inlined.entries.back();
  const ir::BlockId block = module_.parent_block(last);
  for (const ValueId value : inlined.outside) {
    const OpId from = module_.defining_op(value);
    const bool is_here = from.valid() && module_.parent_block(from) == block;
    if (is_here && module_.is_before(last, from)) last = from;
  }
  for (const OpId leave : inlined.exits) {
    if (!module_.is_before(leave, last)) continue;
    return cannot_separate(module_, last, "it follows an exit of the region that reads it");
  }
  return last;
}

void GspmdImporter::fill_body(OpId computation, const InlineRegion& inlined) {
  const ir::BlockId inside = module_.block(computation);
  ValueMap map;
  for (const OpId constant : inlined.constants) {
    if (map.contains(module_.result(constant))) continue;
    module_.append(inside, clone_op(module_, constant, map));
  }
  for (std::size_t index = 0; index < inlined.entries.size(); ++index) {
    map.emplace(module_.result(inlined.entries[index]), module_.args(inside)[index]);
  }
  for (std::size_t index = 0; index < inlined.outside.size(); ++index) {
    map.emplace(inlined.outside[index], module_.args(inside)[inlined.entries.size() + index]);
  }
  for (const OpId op : inlined.body) {
    const OpId copy = clone_op(module_, op, map);
    module_.append(inside, copy);
  }
  ir::OpSpec spec{.kind = OpKind::SdyReturn};
  for (const OpId leave : inlined.exits) {
    const OpId marked = module_.defining_op(module_.operand(leave, 0));
    spec.operands.push_back(mapped(map, module_.operand(marked, 0)));
  }
  spec.location = module_.location(computation);
  module_.append(inside, module_.create(std::move(spec)));
}

void GspmdImporter::erase_inlined(const InlineRegion& inlined, OpId computation) {
  for (std::size_t index = 0; index < inlined.exits.size(); ++index) {
    const OpId leave = inlined.exits[index];
    const OpId marked = module_.defining_op(module_.operand(leave, 0));
    module_.replace_all_uses(module_.result(leave), module_.result(computation, index));
    module_.erase(leave);
    erase_unused(marked);
  }
  for (auto op = inlined.body.rbegin(); op != inlined.body.rend(); ++op) module_.erase(*op);
  for (const OpId enter : inlined.entries) {
    const OpId marked = module_.defining_op(module_.operand(enter, 0));
    module_.erase(enter);
    erase_unused(marked);
  }
}

Status GspmdImporter::convert_inline_region(const std::vector<OpId>& ops, const Axes& manual) {
  InlineRegion inlined;
  for (const OpId op : ops) {
    if (calls_target(module_, op, target::kFullToShard)) {
      inlined.entries.push_back(op);
    } else if (calls_target(module_, op, target::kShardToFull)) {
      inlined.exits.push_back(op);
    } else if (!is_way_out(module_, op)) {
      inlined.body.push_back(op);
    }
  }
  const OpId last_entry = inlined.entries.back();
  SHARDY_TRY(ManualRegion region, read_borders(inlined, manual));
  SHARDY_TRY_STATUS(read_outside(ops, inlined, region));
  SHARDY_TRY(const OpId before, op_before(inlined));
  const Axes own = region.manual_axes;
  const OpId computation =
      make_manual_computation(module_, std::move(region), module_.location(last_entry));
  module_.insert_after(before, computation);
  fill_body(computation, inlined);
  erase_inlined(inlined, computation);
  queue_body(computation, manual, own);
  return {};
}

}  // namespace shardy::passes
