// Static cost report of a sharded program, with locations, and the modelled time of a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <shardy/checking/compile.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/support/result.hpp>
#include <shardy/text/written_values.hpp>
#include <string>
#include <vector>

namespace shardy::report {

/// Number of runs of an op in one run of `main`.
struct Times {
  int64_t count = 1;  // number of runs
  /// True if the number is known statically. Otherwise, loops with an unknown trip count count as
  /// one run, and all branches count as taken.
  bool is_exact = true;
  friend bool operator==(const Times&, const Times&) = default;
};

/// Bytes sent along one mesh axis, over the busiest link of the axis.
struct AxisBytes {
  std::string axis;   // name of the mesh axis or sub-axis
  int64_t bytes = 0;  // bytes sent per device
  friend bool operator==(const AxisBytes&, const AxisBytes&) = default;
};

/// One step in the propagation of an axis: the value that had the axis, and the op through which
/// the axis propagated.
struct AxisStep {
  /// Kind of the step.
  enum class Kind : uint8_t { Annotation, Import, Group, Step, Skipped };
  Kind kind = Kind::Step;      // kind of the step
  std::string value = {};      // value with the axis: `%arg0`; Skipped: number of omitted steps
  std::string op = {};         // Step: `stablehlo.add`, `function result`
  Location location = {};      // location of the op
  std::string factor = {};     // Step: `i`
  std::string direction = {};  // Step: `forward`, `backward`, `sideways`
  friend bool operator==(const AxisStep&, const AxisStep&) = default;
};

/// Propagation of an axis from its annotation to a dim of a value.
struct AxisOrigin {
  std::size_t dim = 0;  // dim that is sharded along the axis
  std::string axis;     // `"x"`
  /// Steps in order, from the annotation to this value.
  std::vector<AxisStep> steps;
};

/// A tensor of the op that needs a collective.
struct TensorOrigin {
  std::string role;              // role in the op: `operand 1`, `result 0`, `returned as result 0`
  ir::ValueId value;             // value in the source program; invalid for a function result
  std::string name;              // name of the value: `%16`
  std::string sharding;          // sharding after propagation, or `none`
  std::vector<AxisOrigin> axes;  // origins of the axes of the collective
};

/// Cause of a collective: the op that needs it and the origins of its axes. Spec: propagation 16.
struct Cause {
  ir::OpId op;                        // the op that needs the collective, in the source program
  std::vector<TensorOrigin> tensors;  // tensors of that op
  std::vector<std::string>
      conflicts;  // conflicts at that op: rejected sharding, chosen sharding and reason
};

/// A communication op of the per-device program. Costs are per run, for the busiest device. Spec:
/// partitioning 11.9, resharding C.1.
struct Collective {
  ir::OpId op;                               // the communication op
  std::string kind;                          // name of the op: "spmd.all_gather"
  std::string axes;                          // axes of the replica groups: `{"x", "y":(1)2}`
  std::vector<std::string> axis_names = {};  // names of these axes: x, y
  std::string type;                          // type of the operand: "tensor<2x12xf32>"
  std::string serves;    // op of the source program that needs the collective; empty: unknown
  Location location;     // location of that op
  Times times;           // number of runs in one run of the program
  int64_t bytes = 0;     // bytes sent per device
  int64_t messages = 0;  // messages per device that run one after the other
  double seconds = 0;    // modelled time
  std::vector<AxisBytes> axis_bytes = {};  // axes with traffic
  std::optional<Cause> cause = {};         // cause, set by add_reasons
};

/// Total cost of several collectives over all runs.
struct Total {
  std::string name;      // name of a kind, an axis or a location
  int64_t count = 0;     // number of runs
  int64_t bytes = 0;     // bytes sent per device
  int64_t messages = 0;  // messages per device that run one after the other
  double seconds = 0;    // modelled time
};

/// A live value at the memory peak.
struct LiveValue {
  ir::ValueId value;    // value of the per-device program
  std::string made_by;  // defining op, or "argument 2 of @main"
  std::string type;     // type of the shard
  Location location;    // location of the defining op
  int64_t bytes = 0;    // bytes per device
};

/// Peak memory of a device. A value is live from its defining op to its last user. Spec:
/// partitioning 11.9.
struct MemoryPeak {
  int64_t bytes = 0;            // live bytes per device
  std::string op;               // op at the peak; empty: before the first op
  Location location;            // location of that op
  std::vector<LiveValue> live;  // live values, largest first
};

/// A value of the propagated program and its shard.
struct ReportedValue {
  std::string made_by;        // defining op, or `argument`
  Location location;          // location of that op in the source program
  std::string type;           // global type: `tensor<8x4xf32>`
  std::string sharding;       // sharding in sdy syntax
  std::string local_type;     // type of the shard, including padding
  int64_t local_bytes = 0;    // bytes of the shard
  int64_t padding_bytes = 0;  // part of local_bytes that is padding, average over devices
};

/// Numbers of arithmetic operations. A multiplication with an addition is two operations.
/// docs/report.md defines which ops count.
struct Work {
  double once = 0;        // operations of the source program; manual bodies count once per device
  double per_device = 0;  // operations per device
  int64_t devices = 1;    // number of devices
  /// Returns the useful work: operations of the source program divided by operations of all
  /// devices. The result is 1 without redundant work, and for programs without operations.
  double efficiency() const {
    const double all = per_device * static_cast<double>(devices);
    return once > 0 && all > 0 ? once / all : 1;
  }
};

/// Costs of a sharded program, with locations and causes.
struct Report {
  std::vector<Collective> collectives;  // collectives in program order
  Total all;                            // total of all collectives
  std::vector<Total> by_kind;  // totals by kind; by_kind, by_axis and by_location: most bytes first
  std::vector<Total> by_axis;  // totals by axis; bytes over the busiest link of the axis
  /// Totals by the op of the source program that needs the collective.
  std::vector<Total> by_location;
  std::vector<ReportedValue> values;                 // values in program order
  MemoryPeak peak;                                   // peak memory
  Work work;                                         // arithmetic operations and redundancy
  std::vector<partitioning::ReplicationNote> notes;  // replicated tensors
};

/// Compiles a program for a report. A per-device program, in either form that `partition` emits, is
/// used unchanged. Errors: those of compile; for a per-device program, those of ir::verify.
DiagnosedResult<checking::CompiledProgram> compile_for_report(
    const ir::Module& module, const checking::CompileOptions& options = {},
    const checking::Context& context = {});

/// Returns the costs of a compiled program. Costs of axes in `model` override the costs of the
/// mesh. Requires: check_costs(model). Cost: linear in the program; for permutes, linear in
/// devices.
Report make_report(const checking::CompiledProgram& compiled, const CostModel& model = {});

// Groups of equal collectives, for example of repeated layers.

/// Collectives of equal kind, axes, type and needing op, with all their runs.
struct EqualCollectives {
  const Collective* first = nullptr;  // first collective in program order; its texts apply to all
  std::vector<Location> locations;    // different locations of the collectives
  int64_t bytes = 0;     // bytes sent per device by all collectives in one run of the program
  int64_t count = 0;     // total number of runs
  double seconds = 0;    // modelled time of all runs
  bool is_exact = true;  // false if any number of runs is a bound or an estimate
};

/// Groups collectives. Groups with most bytes come first; equal ones in program order. Requires: no
/// null pointer. Cost: n log n.
std::vector<EqualCollectives> group_equal(const std::vector<const Collective*>& rows);
/// Groups the collectives of a report. The report must outlive the result.
std::vector<EqualCollectives> group_equal(const Report& report);

// Causes of collectives: decisions of propagation.

/// A logged propagation of a program. The log has the decisions through which the tensors of an op
/// got the axes of a collective.
class Reasons {
 public:
  /// Propagates a copy of `module`, which is the input of compile. Errors: those of passes and
  /// propagation. Cost: linear in the program.
  static DiagnosedResult<Reasons> make(const ir::Module& module,
                                       const checking::CompileOptions& options = {},
                                       const checking::Context& context = {});
  Reasons(Reasons&&) noexcept;
  Reasons& operator=(Reasons&&) noexcept;
  ~Reasons();

  /// Returns the cause of a collective; std::nullopt if the source program does not have the op
  /// that needs the collective.
  std::optional<Cause> cause(const Collective& row) const;

  /// Returns the names of the values of the source program.
  const text::WrittenValues& names() const;

 private:
  struct Data;
  explicit Reasons(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

/// Adds the cause to the first collective of each of the `top` costliest groups of
/// group_equal(report).
void add_reasons(Report& report, const Reasons& reasons, std::size_t top);

// Modelled time of a device.

/// Rates of a device, and the share of collectives that overlaps with compute.
struct DeviceRates {
  double operations_per_second = 100e12;  // finite, at least 1
  /// Memory bandwidth for the operands and results of ops; 0: unlimited. Otherwise finite and at
  /// least 1.
  double memory_bytes_per_second = 0;
  /// Share of the time of hideable collectives that overlaps with compute, from 0 to 1. A
  /// collective of an argument is hideable, such as an all-gather of weights. A collective is also
  /// hideable if only elementwise ops before function results use its result, such as an all-reduce
  /// of gradients.
  double hidden_share = 0;
  friend bool operator==(const DeviceRates&, const DeviceRates&) = default;
};

/// Checks the ranges of the rates. Errors: a member out of its range.
Status check_rates(const DeviceRates& rates);

/// Parts of the modelled time of a device, in seconds. Only hidden collectives overlap with other
/// parts.
struct DeviceTime {
  double collectives = 0;  // time of all collectives, including hidden time
  double hidden = 0;       // part of `collectives` that overlaps with compute
  double operations = 0;   // time of all operations
  double memory = 0;       // time in which ops wait for memory after their operations
  /// Returns the modelled time: the sum of all parts without hidden time.
  double total() const { return collectives - hidden + operations + memory; }
  friend bool operator==(const DeviceTime&, const DeviceTime&) = default;
};

/// Returns the modelled time of one run of a compiled program. With default rates, the total equals
/// modelled_seconds. The time of an op is the maximum of two times: for its operations, and for the
/// bytes that it reads and writes. Requires: check_rates(rates); check_costs(model). Cost: linear
/// in the program.
DeviceTime device_time(const checking::CompiledProgram& compiled, const CostModel& model,
                       const DeviceRates& rates);

// Modelled timeline of the ops of a device. Ops do not overlap.

/// An op of the per-device program with all its runs.
struct TimelineEvent {
  ir::OpId op = {};         // the op
  std::string name = {};    // name: "stablehlo.add", `spmd.all_gather {"x"}`
  std::string axes = {};    // axes of a collective; empty for a compute op
  Location location = {};   // location of the op
  std::string serves = {};  // collective: op of the source program that needs it
  Times times = {};         // number of runs in one run of the program
  double begin = 0;         // start in seconds
  double seconds = 0;       // duration of all runs in seconds, without hidden time
  int64_t bytes = 0;        // bytes sent in all runs
  double operations = 0;    // floating-point operations per device
};

/// Options of make_timeline.
struct TimelineOptions {
  CostModel model = {};    // axis costs, as for make_report
  DeviceRates rates = {};  // rates of a device, as for device_time
};

/// Returns collectives and compute ops in the order of their start times, without overlap. An op in
/// a loop is one event with all runs. The durations add up to the total of device_time: an event of
/// a hideable collective has only the time that is not hidden, an event of a compute op has the
/// time of its operations and the time for which it waits for memory. Ops without time have no
/// event, except collectives. Requires: check_rates(options.rates). Cost: linear in the program.
std::vector<TimelineEvent> make_timeline(const checking::CompiledProgram& compiled,
                                         const TimelineOptions& options = {});

// Comparison of two reports.

/// Compiles a few of the equal layers of a program, and completes the per-device program with
/// copies of a layer, so that costs are those of the whole program (docs/sweep.md). `propagated` is
/// whole; `collectives` and notes are those of the compiled layers, and ops of copies have
/// locations of the copied layer. std::nullopt: main has no equal layers with equal annotations,
/// they differ after partitioning, or the compilation fails, has warnings or limits. Compile the
/// whole program then.
std::optional<checking::CompiledProgram> compile_equal_layers(
    const ir::Module& module, const checking::CompileOptions& options = {},
    const checking::Context& context = {});

/// A value of both programs whose sharding differs.
struct ShardingChange {
  std::string made_by;  // defining op, or `argument`
  Location location;    // location in the second program
  std::string type;     // global type: `tensor<8x4xf32>`
  std::string before;   // sharding in the first report; empty: none
  std::string after;    // sharding in the second report; empty: none
};

/// Collectives of equal kind, axes, type and needing op, in two reports.
struct CollectiveChange {
  std::string kind;          // name of the collective op
  std::string axes;          // axes of the replica groups
  std::string type;          // type of the operand on a device
  std::string serves;        // op of the source program that needs the collectives
  int64_t count_before = 0;  // runs in the first report
  int64_t count_after = 0;   // runs in the second report
  int64_t bytes_before = 0;  // sent per device in the first report
  int64_t bytes_after = 0;   // sent per device in the second report
};

/// Total costs per device.
struct Cost {
  int64_t bytes = 0;       // bytes sent
  int64_t count = 0;       // number of runs of collectives
  double seconds = 0;      // modelled time of all collectives
  int64_t peak_bytes = 0;  // peak memory; the maximum over devices
  double operations = 0;   // floating-point operations per device
};

/// Returns the total costs of a report.
Cost cost_of(const Report& report);
/// Returns the modelled time of a device in seconds: the sum of the times of collectives and
/// operations.
double modelled_seconds(const Cost& cost, double operations_per_second);

/// Difference of the reports of two shardings of one program.
struct ReportDifference {
  Cost before;                            // costs of the first report
  Cost after;                             // costs of the second report
  std::vector<ShardingChange> shardings;  // in the order of the values of the second program
  /// Collectives that differ; largest increase in bytes first.
  std::vector<CollectiveChange> collectives;
  int64_t values_before = 0;  // number of values only in the first program
  int64_t values_after = 0;   // number of values only in the second program

  /// Checks whether bytes, time or peak memory of the second program exceed the values of the first
  /// by more than the factor `1 + tolerance`.
  bool is_worse(double tolerance = 0) const;
};

/// Compares two reports. Two values correspond if both are the n-th value with this defining op and
/// type. Cost: n log n in values and collectives.
ReportDifference difference(const Report& before, const Report& after);

}  // namespace shardy::report
