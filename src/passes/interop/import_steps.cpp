// Steps of the named pipelines beside the shardings themselves. Spec: interop 6.1, 6.7.
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "passes/common/sdy_ops.hpp"
#include "passes/interop/round_trip_import.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::passes {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

PassErrors import_constants(Module& module) {
  for (const OpId op : ir::pre_order(module)) {
    if (!module.is(op, OpKind::Constant)) continue;
    ir::OpSpec spec{.kind = OpKind::SdyConstant,
                    .result_types = ir::detail::result_types(module, op),
                    .attributes = module.attributes(op)};
    replace_op(module, op, std::move(spec));
  }
  return {};
}

namespace {

/// What the regions of a loop use that is made outside, in the order of use, and where.
std::vector<std::pair<ValueId, std::vector<ir::Use>>> captured(const Module& module, OpId loop) {
  std::set<OpId> inside;
  std::set<ir::BlockId> blocks;
  std::vector<OpId> ops;
  for (const ir::RegionId region : module.regions(loop)) {
    for (const ir::BlockId block : module.blocks(region)) {
      blocks.insert(block);
      for (const OpId op : ir::pre_order(module, block)) {
        ops.push_back(op);
        inside.insert(op);
        for (const ir::RegionId inner : module.regions(op)) {
          for (const ir::BlockId each : module.blocks(inner)) blocks.insert(each);
        }
      }
    }
  }
  std::vector<std::pair<ValueId, std::vector<ir::Use>>> uses;
  std::map<ValueId, std::size_t> index;
  for (const OpId op : ops) {
    for (std::size_t operand = 0; operand < module.num_operands(op); ++operand) {
      const ValueId value = module.operand(op, operand);
      const ir::ValueOwner owner = module.owner(value);
      const bool is_inside =
          owner.is_result() ? inside.contains(owner.op) : blocks.contains(owner.block);
      if (is_inside) continue;
      const auto [place, is_new] = index.emplace(value, uses.size());
      if (is_new) uses.emplace_back(value, std::vector<ir::Use>());
      uses[place->second].second.push_back({op, static_cast<uint32_t>(operand)});
    }
  }
  return uses;
}

}  // namespace

PassErrors open_while_free_vars(Module& module) {
  for (const OpId loop : ir::pre_order(module)) {
    if (!module.is(loop, OpKind::While)) continue;
    for (const auto& [value, uses] : captured(module, loop)) {
      const auto sharding = ir::get_sharding(module, value);
      if (!sharding || sharding->rank() == 0 || *sharding == sharding->fully_open_like()) continue;
      ir::OpSpec spec = unary_op(module, OpKind::SdyShardingConstraint, value);
      spec.attributes.set(ir::attr::kSharding, sharding->fully_open_like());
      spec.location = module.location(loop);
      const OpId constraint = module.create(std::move(spec));
      module.insert_before(loop, constraint);
      for (const ir::Use& use : uses) {
        module.set_operand(use.op, use.operand, module.result(constraint));
      }
    }
  }
  return {};
}

}  // namespace shardy::passes
