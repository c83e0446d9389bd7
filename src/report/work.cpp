// Computes the runs of each op, its operations, its time in the modelled timeline, and the modelled
// time of a device.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "partitioning/program_rewrites.hpp"
#include "passes/export/export_passes.hpp"
#include "passes/import/import_passes.hpp"
#include "report/program_analysis.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/ir/window_ops.hpp"
#include "shardy/report/report.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::report {

using ir::BlockId;
using ir::Module;
using ir::OpId;
using ir::OpKind;

namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

/// Returns the number of devices along the manual axes of a manual computation.
int64_t manual_devices(const ir::Module& module, OpId op) {
  const auto* names = module.attribute<ir::ManualAxesAttr>(op, ir::attr::kManualAxes);
  int64_t devices = 1;
  for (const std::string_view key : {ir::attr::kInShardings, ir::attr::kOutShardings}) {
    const auto* list = module.attribute<ir::ShardingList>(op, key);
    if (names == nullptr || list == nullptr || list->shardings.empty()) continue;
    const Mesh& mesh = list->shardings.front().mesh();
    for (const std::string& name : names->names) devices *= mesh.axis_size(name).value_or(1);
    return devices;
  }
  return devices;
}

}  // namespace

/// Multiplies run counts. Saturates at the largest number. A loop with an unknown trip count counts
/// as one run.
RunTimes::Runs RunTimes::multiplied(Runs runs, std::optional<int64_t> by) {
  if (!by) return {{runs.times.count, false}, runs.parts};
  const bool fits = *by == 0 || runs.times.count <= kMost / *by;
  runs.times.count = fits ? runs.times.count * *by : kMost;
  runs.parts *= static_cast<double>(*by);
  return runs;
}

RunTimes::Runs RunTimes::added(const Runs& a, const Runs& b) {
  const bool fits = a.times.count <= kMost - b.times.count;
  return {{fits ? a.times.count + b.times.count : kMost, a.times.is_exact && b.times.is_exact},
          a.parts + b.parts};
}

RunTimes::RunTimes(const ir::Module& module) : module_(module) {
  const auto main = module.main_function();
  if (!main) return;
  functions_[*main] = {};
  std::vector<OpId> order = ir::functions_in_post_order(module);
  std::ranges::reverse(order);
  for (const OpId function : order) {
    const auto found = functions_.find(function);
    if (found == functions_.end() || module.is_external(function)) continue;
    enter(module.entry(function), found->second);
  }
}

void RunTimes::enter(BlockId block, Runs runs) {
  std::vector<std::pair<BlockId, Runs>> open = {{block, runs}};
  while (!open.empty()) {
    const auto [here, count] = open.back();
    open.pop_back();
    blocks_[here] = count;
    for (const OpId op : module_.ops(here)) {
      if (module_.is(op, OpKind::FuncCall)) call(op, count);
      if (!module_.has_trait(op, ir::kControlFlow)) continue;
      const std::vector<Runs> inside = runs_inside(op, count);
      for (std::size_t region = 0; region < inside.size(); ++region) {
        const auto blocks = module_.blocks(module_.regions(op)[region]);
        for (const BlockId inner : blocks) open.emplace_back(inner, inside[region]);
      }
    }
  }
}

/// Returns the runs of each region. The condition of a loop runs once more than its body. Only one
/// of several branches runs.
std::vector<RunTimes::Runs> RunTimes::runs_inside(OpId op, Runs runs) const {
  if (module_.is(op, OpKind::SdyManualComputation)) {
    runs.parts *= static_cast<double>(manual_devices(module_, op));
  }
  std::vector<Runs> inside(module_.regions(op).size(), runs);
  if (!module_.is(op, OpKind::While)) {
    for (Runs& each : inside) each.times.is_exact &= inside.size() == 1;
    return inside;
  }
  const std::optional<int64_t> trips = ir::trip_count(module_, op);
  for (Runs& each : inside) each = multiplied(runs, trips);
  if (trips) inside.front() = added(inside.front(), runs);
  return inside;
}

void RunTimes::call(OpId op, const Runs& runs) {
  const auto callee = ir::callee_of(module_, op);
  if (!callee) return;
  const auto [found, is_new] = functions_.try_emplace(*callee, runs);
  if (!is_new) found->second = added(found->second, runs);
}

namespace {

double elements_of(const Module& module, ir::ValueId value) {
  const ir::Type& type = module.type(value);
  return type.is_static_tensor() ? static_cast<double>(type.num_elements()) : 0;
}

double product_of(std::span<const int64_t> sizes) {
  double all = 1;
  for (const int64_t size : sizes) all *= static_cast<double>(size);
  return all;
}

double dot_flops(const Module& module, OpId op) {
  const auto lhs = module.type(module.operand(op, 0)).dims();
  double summed = 1;
  if (const auto* dims = module.attribute<ir::DotDims>(op, ir::attr::kDotDimensionNumbers)) {
    for (const int64_t dim : dims->lhs_contracting) {
      summed *= static_cast<double>(lhs[static_cast<std::size_t>(dim)]);
    }
  } else if (!lhs.empty()) {  // stablehlo.dot
    summed = static_cast<double>(lhs.back());
  }
  return 2 * summed * elements_of(module, module.result(op));
}

/// Counts all elements of the ragged dim as part of groups. If the ragged dim is contracted, each
/// element is
/// in one group.
double ragged_dot_flops(const Module& module, OpId op) {
  const auto lhs = module.type(module.operand(op, 0)).dims();
  const ir::RaggedDotDims& dims = *ir::view<ir::RaggedDotOp>(module, op).dims;
  double summed = 1;
  for (const int64_t dim : dims.lhs_contracting) {
    summed *= static_cast<double>(lhs[static_cast<std::size_t>(dim)]);
  }
  const auto groups =
      static_cast<double>(std::max<int64_t>(1, module.type(module.operand(op, 2)).dims().back()));
  if (ir::ragged_mode(dims) == ir::RaggedMode::Contracting) summed /= groups;
  return 2 * summed * elements_of(module, module.result(op));
}

double convolution_flops(const Module& module, OpId op) {
  const auto kernel = module.type(module.operand(op, 1)).dims();
  const auto view = ir::ConvolutionOp::of(module, op);
  if (!view) return 0;
  const auto out = static_cast<std::size_t>(view->dims.kernel_output_feature);
  const auto features = static_cast<double>(std::max<int64_t>(1, kernel[out]));
  return 2 * product_of(kernel) / features * elements_of(module, module.result(op));
}

double elements_of_operands(const Module& module, OpId op, std::size_t begin, std::size_t end) {
  double all = 0;
  for (std::size_t index = begin; index < end; ++index) {
    all += elements_of(module, module.operand(op, index));
  }
  return all;
}

/// Counts the operations for one pair of input and result. Overlapping windows share partial
/// results: dim by dim, three operations per result are enough for windows of any size. Running
/// totals need one operation per element of operand and result.
double window_flops(const Module& module, OpId op) {
  const auto view = ir::ReduceWindowOp::of(module, op);
  if (!view) return 0;
  const ir::ValueId input = module.operand(op, 0);
  const auto dims = module.type(input).dims();
  const double in = elements_of(module, input);
  const double out = elements_of(module, module.result(op));
  double naive = out;
  double shared = 0;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    const int64_t size = view->window[dim].size;
    naive *= static_cast<double>(size);
    if (size > 1) shared += size >= dims[dim] ? in + out : 3 * out;
  }
  const double least = shared > 0 ? std::min(naive, shared) : naive;
  return static_cast<double>(module.num_results(op)) * least;
}

/// Counts the operations of a select_and_scatter. The selection reads each element once, or all
/// positions of each window; the scatter combines once per source element.
double selection_flops(const Module& module, OpId op) {
  const auto view = ir::SelectAndScatterOp::of(module, op);
  if (!view) return 0;
  const double source = elements_of(module, module.operand(op, 1));
  double places = source;
  for (const ir::WindowDim& dim : view->window) places *= static_cast<double>(dim.size);
  return source + std::min(places, elements_of(module, module.operand(op, 0)));
}

/// Counts the comparisons of a sort: n log2(n) per row of n elements.
double sort_flops(const Module& module, OpId op) {
  const auto* dim = module.attribute<ir::IntegerAttr>(op, ir::attr::kDimension);
  const auto dims = module.type(module.operand(op, 0)).dims();
  if (dim == nullptr || dims.empty()) return 0;
  const int64_t axis = dim->value < 0 ? dim->value + std::ssize(dims) : dim->value;
  const auto size = static_cast<double>(std::max<int64_t>(1, dims[static_cast<std::size_t>(axis)]));
  return std::log2(size) * elements_of(module, module.operand(op, 0));
}

/// Counts 5 n log2(n) operations per row of n complex elements, and half of that if operand or
/// result is real.
double fft_flops(const Module& module, OpId op) {
  const auto* lengths = module.attribute<ir::DenseArrayAttr>(op, ir::attr::kFftLength);
  if (lengths == nullptr) return 0;
  double row = 1;
  for (const int64_t length : lengths->values) row *= static_cast<double>(length);
  const ir::ValueId operand = module.operand(op, 0);
  const double elements =
      std::max(elements_of(module, operand), elements_of(module, module.result(op)));
  const bool is_complex = ir::is_complex(module.type(operand).element()) &&
                          ir::is_complex(module.type(module.result(op)).element());
  return (is_complex ? 5 : 2.5) * elements * std::log2(std::max(1.0, row));
}

/// Returns the number of operations per operand element.
double batch_norm_flops(const Module& module, OpId op) {
  const double elements = elements_of(module, module.operand(op, 0));
  if (module.is(op, OpKind::BatchNormInference)) return 4 * elements;
  return (module.is(op, OpKind::BatchNormTraining) ? 7 : 9) * elements;
}

/// Counts n^2 operations per row of the right-hand side, and n^3/3 for a factorization.
double linear_flops(const Module& module, OpId op) {
  const auto dims = module.type(module.operand(op, 0)).dims();
  const double size = dims.empty() ? 1 : static_cast<double>(dims.back());
  const double result = elements_of(module, module.result(op));
  return module.is(op, OpKind::Cholesky) ? size / 3 * result : size * result;
}

/// Returns true if all operands and results have dims. Quantized and other foreign types have none.
bool has_only_tensors(const Module& module, OpId op) {
  const auto is_tensor = [&](ir::ValueId value) { return module.type(value).is_tensor(); };
  return std::ranges::all_of(module.operands(op), is_tensor) &&
         std::ranges::all_of(module.results(op), is_tensor);
}

}  // namespace

double flops_of_op(const Module& module, OpId op) {
  if (!has_only_tensors(module, op)) return 0;
  switch (module.kind(op)) {
    case OpKind::Dot:
    case OpKind::DotGeneral:
      return dot_flops(module, op);
    case OpKind::ChloRaggedDot:
      return ragged_dot_flops(module, op);
    case OpKind::Convolution:
      return convolution_flops(module, op);
    case OpKind::ReduceWindow:
      return window_flops(module, op);
    case OpKind::Reduce:
      return elements_of_operands(module, op, 0, module.num_operands(op) / 2);
    case OpKind::Scatter: {  // operands, indices, updates
      const std::size_t count = module.num_operands(op);
      return elements_of_operands(module, op, count / 2 + 1, count);
    }
    case OpKind::SelectAndScatter:
      return selection_flops(module, op);
    case OpKind::Sort:
      return sort_flops(module, op);
    case OpKind::ChloTopK:  // compares each element with the least kept one
      return elements_of(module, module.operand(op, 0));
    case OpKind::Fft:
      return fft_flops(module, op);
    case OpKind::BatchNormInference:
    case OpKind::BatchNormTraining:
    case OpKind::BatchNormGrad:
      return batch_norm_flops(module, op);
    case OpKind::TriangularSolve:
    case OpKind::Cholesky:
      return linear_flops(module, op);
    default:
      break;
  }
  constexpr uint32_t kByElement = ir::kElementwise | ir::kPointwise | ir::kStretching;
  const bool is_by_element = (ir::info(module.kind(op)).traits & kByElement) != 0;
  return is_by_element && module.num_results(op) == 1 ? elements_of(module, module.result(op)) : 0;
}

double flops_of(const Module& module, const RunTimes& times) {
  double all = 0;
  for (const OpId op : ir::pre_order(module)) {
    const ir::BlockId block = module.parent_block(op);
    const double parts = block.valid() ? times.parts_of(block) : 0;
    if (parts > 0) all += parts * flops_of_op(module, op);
  }
  return all;
}

namespace {

/// Replaces reshards and collectives of global values by their operands, which are equal to their
/// results.
void skip_reshards(Module& program) {
  constexpr uint32_t kSameValue = ir::kSdyAnnotation | ir::kSameType;
  for (const OpId op : ir::pre_order(program)) {
    const bool is_annotation = (ir::info(program.kind(op)).traits & kSameValue) == kSameValue;
    if (!is_annotation && !ir::is_sdy_collective(program.kind(op))) continue;
    program.replace_all_uses(program.result(op), program.operand(op, 0));
    program.erase(op);
  }
}

/// Checks whether a pad removes all elements along a dim.
bool pads_nothing(const Module& program, OpId op) {
  const auto dims = program.type(program.operand(op, 0)).dims();
  const auto result = program.type(program.result(op)).dims();
  const auto pad = ir::view<ir::PadOp>(program, op);
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    const int64_t step = pad.interior[dim] + 1;
    const int64_t first = ceil_div(std::max<int64_t>(0, -pad.low[dim]), step);  // kept element
    if (first >= dims[dim] || pad.low[dim] + first * step >= result[dim]) return true;
  }
  return false;
}

/// Makes an operand undefined if a slice or pad uses no element of it, as lowering does.
void skip_unread_operands(Module& program) {
  for (const OpId op : ir::pre_order(program)) {
    const bool is_pad = program.is(op, OpKind::Pad);
    if (!is_pad && !program.is(op, OpKind::Slice)) continue;
    const bool is_empty = elements_of(program, program.result(op)) == 0;
    if (!is_empty && !(is_pad && pads_nothing(program, op))) continue;
    const OpId undefined = program.create(
        {.kind = OpKind::SpmdUndef, .result_types = {program.type(program.operand(op, 0))}});
    program.insert_before(op, undefined);
    std::vector<ir::ValueId> operands = program.operands(op);
    operands.front() = program.result(undefined);
    program.set_operands(op, operands);
  }
}

/// Makes the predicate the operand of a case that was imported from an `if`.
void skip_branch_indices(Module& program) {
  for (const OpId op : ir::pre_order(program)) {
    if (!program.attributes(op).contains(passes::kFromIfAttr)) continue;
    const OpId select = program.defining_op(program.operand(op, 0));
    if (!select.valid() || !program.is(select, OpKind::Select)) continue;
    const std::vector<ir::ValueId> predicate = {program.operand(select, 0)};
    program.set_operands(op, predicate);
  }
}

/// Replaces unused results of manual computations, because bodies are inlined and no op computes
/// these results. Returns whether the program changed.
bool skip_unused_manual_results(Module& program) {
  bool changed = false;
  for (const OpId op : ir::pre_order(program)) {
    if (!program.is(op, OpKind::SdyManualComputation)) continue;
    const OpId end = program.last_op(program.block(op));
    std::vector<ir::ValueId> returned = program.operands(end);
    for (std::size_t index = 0; index < returned.size(); ++index) {
      const OpId maker = program.defining_op(returned[index]);
      const bool is_skipped = maker.valid() && program.is(maker, OpKind::SpmdUndef);
      if (is_skipped || program.num_uses(program.result(op, index)) != 0) continue;
      const OpId undefined = program.create(
          {.kind = OpKind::SpmdUndef, .result_types = {program.type(returned[index])}});
      program.insert_before(end, undefined);
      returned[index] = program.result(undefined);
      changed = true;
    }
    program.set_operands(end, returned);
  }
  return changed;
}

/// Merges equal ops in each block, inner blocks first.
void share_equal_ops(Module& program) {
  std::vector<OpId> ops = ir::pre_order(program);
  std::ranges::reverse(ops);
  for (const OpId op : ops) {
    if (program.is_erased(op)) continue;
    const bool runs = program.is(op, OpKind::Func) || program.has_trait(op, ir::kControlFlow);
    if (!runs) continue;
    for (const ir::RegionId region : program.regions(op)) {
      for (const ir::BlockId block : program.blocks(region)) {
        partitioning::clean_up(program, block);
      }
    }
  }
}

}  // namespace

double needed_flops(Module program) {
  skip_branch_indices(program);
  skip_reshards(program);
  skip_unread_operands(program);
  passes::drop_shardings(program);
  passes::drop_sharding_rules(program);
  for (bool changed = true; changed;) {
    changed = skip_unused_manual_results(program);
    changed = passes::drop_unused_manual_arguments(program) || changed;
    changed = passes::erase_dead_ops(program) || changed;
  }
  share_equal_ops(program);
  return flops_of(program, RunTimes(program));
}

namespace {

/// Returns the ops of `main` in order. Ops of a region follow its op; ops of a function follow its
/// first call.
std::vector<OpId> ops_in_order(const Module& module) {
  std::vector<OpId> ops;
  std::vector<OpId> next;  // next op of each open block
  std::unordered_set<ir::OpId> entered;
  const auto enter = [&](OpId owner) {
    const auto regions = module.regions(owner);
    for (auto region = regions.rbegin(); region != regions.rend(); ++region) {
      const auto blocks = module.blocks(*region);
      for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
        next.push_back(module.first_op(*block));
      }
    }
  };
  const auto main = module.main_function();
  if (!main) return ops;
  entered.insert(*main);
  enter(*main);
  while (!next.empty()) {
    const OpId op = next.back();
    if (!op.valid()) {
      next.pop_back();
      continue;
    }
    next.back() = module.next(op);
    ops.push_back(op);
    enter(op);
    if (!module.is(op, ir::OpKind::FuncCall)) continue;
    const std::optional<OpId> callee = ir::callee_of(module, op);
    if (callee && entered.insert(*callee).second) enter(*callee);
  }
  return ops;
}

TimelineEvent event_of(const Collective& row) {
  const auto count = static_cast<double>(row.times.count);
  return {.op = row.op,
          .name = row.axes.empty() ? row.kind : row.kind + " " + row.axes,
          .axes = row.axes.empty() ? "groups along no axes" : row.axes,
          .location = row.location,
          .serves = row.serves,
          .times = row.times,
          .seconds = count * row.seconds,
          .bytes = row.times.count * row.bytes};
}

}  // namespace

std::vector<TimelineEvent> make_timeline(const checking::CompiledProgram& compiled,
                                         const TimelineOptions& options) {
  SHARDY_EXPECTS(check_rates(options.rates).has_value());
  const Module& program = compiled.program;
  const RunTimes times(program);
  const HideableOps hideable(program);
  std::unordered_map<OpId, Collective> rows;  // never iterated
  for (Collective& row : collectives_of(program, compiled.propagated, times, options.model)) {
    rows.emplace(row.op, std::move(row));
  }
  std::vector<TimelineEvent> events;
  double now = 0;
  for (const OpId op : ops_in_order(program)) {
    TimelineEvent event;
    if (const auto row = rows.find(op); row != rows.end()) {
      event = event_of(row->second);
      if (hideable.contains(op)) event.seconds *= 1 - options.rates.hidden_share;
    } else {
      const Times count = times.of(program.parent_block(op));
      const auto runs = static_cast<double>(count.count);
      const double operations = runs * flops_of_op(program, op);
      const double memory = runs * memory_seconds_of_op(program, op, options.rates);
      if (operations == 0 && memory == 0) continue;
      event = {.op = op,
               .name = std::string(program.name(op)),
               .location = program.source_location(op),
               .times = count,
               .seconds = operations / options.rates.operations_per_second + memory,
               .operations = operations};
    }
    event.begin = now;
    now += event.seconds;
    events.push_back(std::move(event));
  }
  return events;
}

// ---- Time of a device ---------------------------------------------------------------------------
// The modelled time of a device: collectives, and ops that wait for operations or for memory.
//
//   dot of 2e9 operations, 30e6 bytes, at 1e14 operations/s and 1e12 bytes/s
//   operations 20 us, memory 30 us   ->   30 us: operations 20 us, waiting for memory 10 us

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
    if (is_read_late(*op)) late_.insert(*op);
  }
}

bool HideableOps::is_read_late(OpId op) const {
  return std::ranges::all_of(module_.results(op), [&](ValueId result) {
    return std::ranges::all_of(module_.uses(result),
                               [&](const ir::Use& use) { return is_late(use.op); });
  });
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
