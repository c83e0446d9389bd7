// Steps of the import pipelines other than shardings. Spec: interop 6.1, 6.7.
//
//   %0 = stablehlo.constant 1.0        ->   %0 = sdy.constant 1.0
//
//   %0 = while(%i) {                        %1 = sdy.sharding_constraint %a [{?}]
//     use %a  (captured)               ->   %0 = while(%i) {
//   }                                         use %1
//                                           }
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "passes/common/ops.hpp"
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

/// The set of ops in the regions of an op.
class Inside {
 public:
  Inside(const Module& module, OpId outer) : module_(module) {
    add_blocks(outer);
    for (const ir::RegionId region : module.regions(outer)) {
      for (const ir::BlockId block : module.blocks(region)) {
        for (const OpId op : ir::pre_order(module, block)) add(op);
      }
    }
  }

  const std::vector<OpId>& ops() const { return ops_; }
  bool makes(ValueId value) const {
    const ir::ValueOwner owner = module_.owner(value);
    return owner.is_result() ? members_.contains(owner.op) : blocks_.contains(owner.block);
  }

 private:
  void add(OpId op) {
    ops_.push_back(op);
    members_.insert(op);
    add_blocks(op);
  }
  void add_blocks(OpId op) {
    for (const ir::RegionId region : module_.regions(op)) {
      for (const ir::BlockId block : module_.blocks(region)) blocks_.insert(block);
    }
  }

  const Module& module_;
  std::vector<OpId> ops_;
  std::set<OpId> members_;
  std::set<ir::BlockId> blocks_;
};

/// Returns the captured values of a loop in order of use, with their uses.
std::vector<std::pair<ValueId, std::vector<ir::Use>>> captured(const Module& module, OpId loop) {
  const Inside inside(module, loop);
  std::vector<std::pair<ValueId, std::vector<ir::Use>>> uses;
  std::map<ValueId, std::size_t> index;
  for (const OpId op : inside.ops()) {
    for (std::size_t operand = 0; operand < module.num_operands(op); ++operand) {
      const ValueId value = module.operand(op, operand);
      if (inside.makes(value)) continue;
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
