#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/parts.hpp"
#include "shardy/ir/call_graph.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/partitioning/program_cost.hpp"

namespace shardy::report {

using ir::BlockId;
using ir::Module;
using ir::OpId;
using ir::ValueId;

namespace {

void add(const Module& module, ValueId value, std::vector<LiveValue>& live) {
  const ir::Type& type = module.type(value);
  if (!type.is_static_tensor()) return;
  live.push_back({.value = value,
                  .made_by = maker_of(module, value),
                  .type = ir::to_string(type),
                  .location = place_of(module, value),
                  .bytes = type.num_bytes()});
}

/// All that is live before the first op.
void add_arguments(const Module& module, OpId function, std::vector<LiveValue>& live) {
  for (const ValueId arg : module.args(module.entry(function))) {
    if (module.num_uses(arg) > 0) add(module, arg, live);
  }
}

/// The values of one block that are live at one of its ops: with its results, or, where the peak is
/// inside of it, without.
class LiveAt {
 public:
  LiveAt(const Module& module, OpId op, bool is_inside)
      : module_(module), op_(op), block_(module.parent_block(op)), is_inside_(is_inside) {}

  void add_to(std::vector<LiveValue>& live) const {
    const bool is_condition = in_loop(0);
    for (const ValueId arg : module_.args(block_)) {
      const bool is_carried = is_condition || (in_loop(1) && module_.num_uses(arg) == 0);
      if (is_carried || is_read_from_here(arg)) add(module_, arg, live);
    }
    for (const OpId op : module_.ops(block_)) {
      for (const ValueId result : module_.results(op)) {
        if (op == op_ ? !is_inside_ : is_read_from_here(result)) add(module_, result, live);
      }
      if (op == op_) break;
    }
  }

 private:
  bool in_loop(std::size_t region) const {
    const OpId loop = module_.parent_op(block_);
    return module_.is(loop, ir::OpKind::While) && module_.block(loop, region) == block_;
  }

  /// By this op or one behind it. Where the peak is inside of it, its operands have been handed in.
  bool is_read_from_here(ValueId value) const {
    return std::ranges::any_of(module_.uses(value), [&](const ir::Use& use) {
      OpId reader = use.op;
      while (module_.parent_block(reader) != block_) reader = module_.parent_op(reader);
      if (reader == op_) return !is_inside_ || reader != use.op;
      return module_.is_before(op_, reader);
    });
  }

  const Module& module_;
  OpId op_;
  BlockId block_;
  bool is_inside_;
};

}  // namespace

std::string maker_of(const Module& module, ValueId value) {
  const ir::ValueOwner owner = module.owner(value);
  if (owner.is_result()) return std::string(module.name(owner.op));
  const OpId parent = module.parent_op(owner.block);
  const bool is_function = module.is(parent, ir::OpKind::Func);
  return "argument " + std::to_string(owner.index) + " of " +
         (is_function ? "@" + std::string(module.symbol_name(parent))
                      : std::string(module.name(parent)));
}

std::string place_of(const Module& module, ValueId value) {
  const OpId op = module.defining_op(value);
  return op.valid() ? module.location_text(op) : std::string();
}

MemoryPeak memory_peak(const Module& per_device) {
  const partitioning::PeakPlace place = partitioning::peak_place(per_device);
  MemoryPeak peak;
  peak.bytes = place.bytes;
  const std::vector<OpId>& path = place.path;
  for (const OpId op : path) {
    LiveAt(per_device, op, op != path.back() || place.is_at_entry).add_to(peak.live);
  }
  if (!path.empty()) {
    peak.op = per_device.name(path.back());
    peak.location = per_device.location_text(path.back());
  }
  const auto entered =
      path.empty() ? per_device.main_function() : ir::callee_of(per_device, path.back());
  if (place.is_at_entry && entered) add_arguments(per_device, *entered, peak.live);
  std::ranges::stable_sort(peak.live, std::greater<>(), &LiveValue::bytes);
  return peak;
}

}  // namespace shardy::report
