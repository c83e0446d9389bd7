#include "shardy/partitioning/program_cost.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "shardy/algebra/axis_list.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/call_graph.hpp"
#include "shardy/ir/walk.hpp"

namespace shardy::partitioning {

using ir::BlockId;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

int64_t bytes_of(const Module& module, ValueId value) {
  const ir::Type& type = module.type(value);
  if (!type.is_static_tensor()) return 0;
  return type.num_elements() * static_cast<int64_t>(ir::size_bytes(type.element()));
}

/// Of one buffer of b bytes over G devices, rounded up. Spec: partitioning 11.9, resharding C.1.
int64_t bytes_sent(OpKind kind, int64_t bytes, int64_t devices) {
  const auto share = [&](int64_t of) { return (of * (devices - 1) + devices - 1) / devices; };
  switch (kind) {
    case OpKind::SpmdAllGather:
    case OpKind::SpmdBroadcastFrom:
      return bytes * (devices - 1);
    case OpKind::SpmdAllReduce:
      return share(2 * bytes);
    case OpKind::SpmdReduceScatter:
    case OpKind::SpmdAllToAll:
      return share(bytes);
    default:
      return bytes;
  }
}

/// Costs of functions and of ops with regions, which count as one op each.
class Costs {
 public:
  explicit Costs(const Module& module) : module_(module) {}

  ProgramCost run();

 private:
  ProgramCost block_cost(BlockId block) const;
  ProgramCost inner_cost(OpId op) const;
  ProgramCost cost_of(OpId owner);
  ProgramCost communication(OpId op) const;

  const Module& module_;
  std::unordered_map<OpId, ProgramCost> inner_;  // of regions; for look-ups only
};

ProgramCost Costs::communication(OpId op) const {
  const auto* axes = module_.attribute<ir::AxesAttr>(op, ir::attr::kAxes);
  if (!ir::is_spmd(module_.kind(op)) || !module_.has_trait(op, ir::kCollective)) return {};
  ProgramCost cost{.messages = 1};
  const int64_t devices = axes != nullptr ? sharding_size(axes->axes) : 1;
  for (const ValueId operand : module_.operands(op)) {
    cost.bytes_sent += bytes_sent(module_.kind(op), bytes_of(module_, operand), devices);
  }
  return cost;
}

/// Beside what the op itself reads and gives.
ProgramCost Costs::inner_cost(OpId op) const {
  if (module_.is(op, OpKind::FuncCall)) {
    const auto callee = ir::callee_of(module_, op);
    const auto found = callee ? inner_.find(*callee) : inner_.end();
    return found == inner_.end() ? ProgramCost() : found->second;
  }
  const auto found = inner_.find(op);
  return found == inner_.end() ? communication(op) : found->second;
}

/// The op of `block` that is `op` or holds it.
OpId in_block(const Module& module, OpId op, BlockId block) {
  while (module.parent_block(op) != block) op = module.parent_op(op);
  return op;
}

ProgramCost Costs::block_cost(BlockId block) const {
  std::unordered_map<OpId, int64_t> freed;  // bytes whose last reader an op is; for look-ups only
  int64_t live = 0;
  const auto hold = [&](ValueId value, OpId maker) {
    OpId last = maker;
    for (const ir::Use& use : module_.uses(value)) {
      const OpId reader = in_block(module_, use.op, block);
      if (!last.valid() || module_.is_before(last, reader)) last = reader;
    }
    live += bytes_of(module_, value);
    if (last.valid()) freed[last] += bytes_of(module_, value);
  };
  for (const ValueId arg : module_.args(block)) {
    if (module_.num_uses(arg) > 0) hold(arg, {});
  }
  ProgramCost cost{.peak_bytes = live};
  for (const OpId op : module_.ops(block)) {
    const ProgramCost inner = inner_cost(op);
    cost.bytes_sent += inner.bytes_sent;
    cost.messages += inner.messages;
    cost.peak_bytes = std::max(cost.peak_bytes, live + inner.peak_bytes);
    for (const ValueId result : module_.results(op)) hold(result, op);
    cost.peak_bytes = std::max(cost.peak_bytes, live);
    if (const auto found = freed.find(op); found != freed.end()) live -= found->second;
  }
  return cost;
}

/// What an op sends itself, and what runs in its regions.
ProgramCost Costs::cost_of(OpId owner) {
  ProgramCost all = communication(owner);
  const bool runs = module_.is(owner, OpKind::Func) || module_.has_trait(owner, ir::kControlFlow);
  if (!runs) return all;  // regions compute elements
  for (const ir::RegionId region : module_.regions(owner)) {
    for (const BlockId block : module_.blocks(region)) {
      const ProgramCost cost = block_cost(block);
      all.bytes_sent += cost.bytes_sent;
      all.messages += cost.messages;
      all.peak_bytes = std::max(all.peak_bytes, cost.peak_bytes);
    }
  }
  return all;
}

ProgramCost Costs::run() {
  for (const OpId function : ir::functions_in_post_order(module_)) {
    if (module_.is_external(function)) continue;
    std::vector<OpId> owners = {function};
    for (const OpId op : ir::pre_order(module_, module_.entry(function))) {
      if (!module_.regions(op).empty()) owners.push_back(op);
    }
    for (auto owner = owners.rbegin(); owner != owners.rend(); ++owner) {
      inner_[*owner] = cost_of(*owner);
    }
  }
  const auto main = module_.main_function();
  const auto found = main ? inner_.find(*main) : inner_.end();
  return found == inner_.end() ? ProgramCost() : found->second;
}

}  // namespace

ProgramCost program_cost(const Module& program) { return Costs(program).run(); }

}  // namespace shardy::partitioning
