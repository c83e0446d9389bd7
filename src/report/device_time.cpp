// The modelled time of a device: collectives, and ops that wait for operations or for memory.
//
//   dot of 2e9 operations, 30e6 bytes, at 1e14 operations/s and 1e12 bytes/s
//   operations 20 us, memory 30 us   ->   30 us: operations 20 us, waiting for memory 10 us
#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>
#include <vector>

#include "report/program_analysis.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/report/report.hpp"

namespace shardy::report {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

Status check_rates(const DeviceRates& rates) {
  const auto is_rate = [](double rate) { return std::isfinite(rate) && rate >= 1; };
  if (!is_rate(rates.operations_per_second)) {
    return fail("operations per second: " + std::to_string(rates.operations_per_second) +
                " is not allowed; a finite number from 1 on is");
  }
  if (rates.memory_bytes_per_second != 0 && !is_rate(rates.memory_bytes_per_second)) {
    return fail("memory bytes per second: " + std::to_string(rates.memory_bytes_per_second) +
                " is not allowed; 0 or a finite number from 1 on is");
  }
  if (!(rates.hidden_share >= 0 && rates.hidden_share <= 1)) {
    return fail("hidden share: " + std::to_string(rates.hidden_share) +
                " is not allowed; a number from 0 to 1 is");
  }
  return {};
}

namespace {

double bytes_of(const Module& module, ValueId value) {
  const ir::Type& type = module.type(value);
  return type.is_static_tensor() ? static_cast<double>(type.num_bytes()) : 0;
}

/// Checks for ops that cause no memory traffic themselves. Ops with regions and calls count by the
/// ops in them; a reshape or barrier reuses the buffer of its operand; a constant is part of its
/// users.
bool moves_no_bytes(const Module& module, OpId op) {
  constexpr uint32_t kNone = ir::kControlFlow | ir::kTerminator | ir::kCollective |
                             ir::kConstantLike | ir::kSdyAnnotation | ir::kSymbol | ir::kPlace;
  return (ir::info(module.kind(op)).traits & kNone) != 0 || module.is(op, OpKind::FuncCall) ||
         module.is(op, OpKind::Reshape) || module.is(op, OpKind::OptimizationBarrier) ||
         module.is(op, OpKind::SpmdUndef);
}

/// Returns true for ops that read only as many bytes of their first operand as they write.
bool reads_a_part(const Module& module, OpId op) {
  return module.is(op, OpKind::Slice) || module.is(op, OpKind::DynamicSlice) ||
         module.is(op, OpKind::Gather);
}

}  // namespace

double bytes_of_op(const Module& module, OpId op) {
  if (moves_no_bytes(module, op)) return 0;
  double bytes = 0;
  for (const ValueId result : module.results(op)) bytes += bytes_of(module, result);
  if (module.is(op, OpKind::DynamicUpdateSlice)) return 2 * bytes_of(module, module.operand(op, 1));
  const bool is_part = reads_a_part(module, op);
  for (std::size_t index = 0; index < module.num_operands(op); ++index) {
    const double read = bytes_of(module, module.operand(op, index));
    bytes += is_part && index == 0 ? std::min(read, bytes) : read;
  }
  return bytes;
}

double memory_seconds_of_op(const Module& module, OpId op, const DeviceRates& rates) {
  if (rates.memory_bytes_per_second == 0) return 0;
  const double operations = flops_of_op(module, op) / rates.operations_per_second;
  return std::max(0.0, bytes_of_op(module, op) / rates.memory_bytes_per_second - operations);
}

namespace {

/// Checks for ops that only move or convert the elements of their first operand. A barrier moves
/// the elements of each operand.
bool is_moved(const Module& module, OpId op) {
  switch (module.kind(op)) {
    case OpKind::Convert:
    case OpKind::Reshape:
    case OpKind::Transpose:
    case OpKind::Slice:
    case OpKind::DynamicSlice:
    case OpKind::OptimizationBarrier:
    case OpKind::SdyShardingConstraint:
    case OpKind::SdyReshard:
      return module.num_operands(op) > 0;
    default:
      return module.has_trait(op, ir::kCollective) && module.num_operands(op) == 1;
  }
}

}  // namespace

HideableOps::HideableOps(const Module& module) : module_(module) {
  const auto main = module.main_function();
  if (!main || module.is_external(*main)) return;
  const ir::BlockId entry = module.entry(*main);
  for (const ValueId argument : module.args(entry)) early_.insert(argument);
  const std::vector<OpId> ops = ir::pre_order(module);
  for (const OpId op : ops) {
    if (!is_moved(module, op)) continue;
    const bool is_barrier = module.is(op, OpKind::OptimizationBarrier);
    for (std::size_t index = 0; index < module.num_results(op); ++index) {
      if (is_early(module.operand(op, is_barrier ? index : 0))) {
        early_.insert(module.result(op, index));
      }
    }
  }
  // Users come after the op, so they are known.
  for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
    const bool is_return =
        module.has_trait(*op, ir::kTerminator) && module.parent_block(*op) == entry;
    if (!is_return && !module.has_trait(*op, ir::kElementwise) && !is_moved(module, *op)) continue;
    const bool is_read_late = std::ranges::all_of(module.results(*op), [&](ValueId result) {
      return std::ranges::all_of(module.uses(result),
                                 [&](const ir::Use& use) { return is_late(use.op); });
    });
    if (is_read_late) late_.insert(*op);
  }
}

bool HideableOps::contains(OpId collective) const {
  const bool is_early_result =
      module_.num_results(collective) > 0 && is_early(module_.result(collective));
  return is_early_result || is_late(collective);
}

DeviceTime device_time(const checking::CompiledProgram& compiled, const CostModel& model,
                       const DeviceRates& rates) {
  SHARDY_EXPECTS(check_rates(rates).has_value());
  const Module& program = compiled.program;
  const RunTimes times(program);
  const HideableOps hideable(program);
  DeviceTime time{.operations = flops_of(program, times) / rates.operations_per_second};
  std::unordered_set<OpId> collectives;  // never iterated
  for (const Collective& row : collectives_of(program, compiled.propagated, times, model)) {
    const double seconds = static_cast<double>(row.times.count) * row.seconds;
    time.collectives += seconds;
    if (hideable.contains(row.op)) time.hidden += rates.hidden_share * seconds;
    collectives.insert(row.op);
  }
  if (rates.memory_bytes_per_second == 0) return time;
  for (const OpId op : ir::pre_order(program)) {
    const ir::BlockId block = program.parent_block(op);
    if (!block.valid() || collectives.contains(op)) continue;
    const auto count = static_cast<double>(times.of(block).count);
    if (count > 0) time.memory += count * memory_seconds_of_op(program, op, rates);
  }
  return time;
}

}  // namespace shardy::report
