// Static cost report of a sharded program, with locations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <shardy/checking/compile.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/text/written_values.hpp>
#include <string>
#include <vector>

namespace shardy::report {

/// Number of runs of an op in one run of `main`.
struct Times {
  int64_t count = 1;  // number of runs
  /// The number is known statically. Otherwise loops with an unknown trip count count once, and all
  /// branches count as taken.
  bool is_exact = true;
  friend bool operator==(const Times&, const Times&) = default;
};

/// Bytes sent along one mesh axis, over its busiest link.
struct AxisBytes {
  std::string axis;   // mesh axis or sub-axis
  int64_t bytes = 0;  // sent per device
  friend bool operator==(const AxisBytes&, const AxisBytes&) = default;
};

/// One step in the propagation of an axis: the value that had it, and the op it was propagated
/// through.
struct AxisStep {
  /// Kind of step.
  enum class Kind : uint8_t { Annotation, Import, Group, Step, Skipped };
  Kind kind = Kind::Step;      // kind of step
  std::string value = {};      // value with the axis: `%arg0`; Skipped: number of omitted steps
  std::string op = {};         // Step: `stablehlo.add`, `function result`
  Location location = {};      // of the op
  std::string factor = {};     // Step: `i`
  std::string direction = {};  // Step: `forward`, `backward`, `sideways`
  friend bool operator==(const AxisStep&, const AxisStep&) = default;
};

/// Propagation of an axis from its annotation to a dim.
struct AxisOrigin {
  std::size_t dim = 0;  // dim sharded by the axis
  std::string axis;     // `"x"`
  /// From the annotation to this value, in order.
  std::vector<AxisStep> steps;
};

/// A tensor of the op that a collective serves.
struct TensorOrigin {
  std::string role;              // `operand 1`, `result 0`, `returned as result 0`
  ir::ValueId value;             // in the source program; invalid for a function result
  std::string name;              // `%16`
  std::string sharding;          // after propagation; `none`
  std::vector<AxisOrigin> axes;  // axes of the collective
};

/// Cause of a collective. Spec: propagation 16.
struct Cause {
  ir::OpId op;                        // served op, in the source program
  std::vector<TensorOrigin> tensors;  // tensors of that op
  std::vector<std::string>
      conflicts;  // at that op: the rejected sharding, the chosen one and the reason
};

/// A communication op of the per-device program. Costs are of one run, for the busiest device.
/// Spec: partitioning 11.9, resharding C.1.
struct Collective {
  ir::OpId op;                               // of the per-device program
  std::string kind;                          // "spmd.all_gather"
  std::string axes;                          // `{"x", "y":(1)2}`
  std::vector<std::string> axis_names = {};  // of those axes: x, y
  std::string type;                          // type of the operand: "tensor<2x12xf32>"
  std::string serves;                      // op of the source program that needs it; empty: unknown
  Location location;                       // of that op
  Times times;                             // runs in one run of the program
  int64_t bytes = 0;                       // sent
  int64_t messages = 0;                    // per device, in sequence
  double seconds = 0;                      // modelled
  std::vector<AxisBytes> axis_bytes = {};  // axes with traffic
  std::optional<Cause> cause = {};         // set by add_reasons
};

/// Total cost of several collectives over all runs.
struct Total {
  std::string name;      // a kind, an axis or a location
  int64_t count = 0;     // total number of runs
  int64_t bytes = 0;     // sent per device, total
  int64_t messages = 0;  // per device, total, in sequence
  double seconds = 0;    // modelled, total
};

/// A live value at the memory peak.
struct LiveValue {
  ir::ValueId value;    // of the per-device program
  std::string made_by;  // defining op, or "argument 2 of @main"
  std::string type;     // per-device type
  Location location;    // of the defining op
  int64_t bytes = 0;    // per device
};

/// Peak memory of a device: each value is live from its op to its last user. Spec: partitioning
/// 11.9.
struct MemoryPeak {
  int64_t bytes = 0;            // live bytes per device
  std::string op;               // op at the peak; empty: before the first op
  Location location;            // of that op
  std::vector<LiveValue> live;  // largest first
};

/// A value of the propagated program and its shard.
struct Value {
  std::string made_by;        // defining op, or `argument`
  Location location;          // of that op in the source
  std::string type;           // `tensor<8x4xf32>`, global
  std::string sharding;       // in sdy syntax
  std::string local_type;     // per-device type, including padding
  int64_t local_bytes = 0;    // per device
  int64_t padding_bytes = 0;  // of local_bytes, average over devices
};

/// Arithmetic operations; a multiplication and an addition are two. docs/report.md defines which
/// ops counts.
struct Work {
  double once = 0;        // of the source program; manual bodies count once per device
  double per_device = 0;  // per device
  int64_t devices = 1;    // number of devices
  /// Returns useful work: operations of the source program divided by operations of all devices; 1
  /// without redundant work or without operations.
  double efficiency() const {
    const double all = per_device * static_cast<double>(devices);
    return once > 0 && all > 0 ? once / all : 1;
  }
};

/// Costs of a sharded program, with locations and causes.
struct Report {
  std::vector<Collective> collectives;  // in program order
  Total all;                            // of all collectives
  std::vector<Total> by_kind;           // by_kind, by_axis, by_location: most bytes first
  std::vector<Total> by_axis;           // bytes along the axis, over its busiest link
  std::vector<Total> by_location;       // by the op of the source program that needs the collective
  std::vector<Value> values;            // in program order
  MemoryPeak peak;                      // peak memory
  Work work;                            // arithmetic operations and redundancy
  std::vector<partitioning::ReplicationNote> notes;  // replicated tensors
};

/// Compiles a program for a report. A per-device program, as `partition` emits it in either form,
/// is used unchanged. Errors: those of compile; for a per-device program those of ir::verify.
DiagnosedResult<checking::CompiledProgram> compile_for_report(
    const ir::Module& module, const checking::CompileOptions& options = {},
    const checking::Context& context = {});

/// Returns the costs of a compiled program. Axis costs in `model` override those of the mesh.
/// Requires: check_costs(model). Cost: linear in the program; permutes are linear in devices.
Report make_report(const checking::CompiledProgram& compiled, const CostModel& model = {});

// Groups of equal collectives, such as those of repeated layers.

/// Collectives of equal kind, axes, type and served op, over all their runs.
struct EqualCollectives {
  const Collective* first = nullptr;  // the first one in program order, whose texts apply to all
  std::vector<Location> locations;    // distinct
  int64_t bytes = 0;                  // sent per device by all of them in one run of the program
  int64_t count = 0;                  // total number of runs
  double seconds = 0;                 // modelled, total
  bool is_exact = true;               // no count is a bound or an estimate
};

/// Groups collectives; groups with most bytes first, then in program order. Requires: no null
/// pointer. Cost: n log n.
std::vector<EqualCollectives> group_equal(const std::vector<const Collective*>& rows);
/// Groups the collectives of a report, which must outlive the result.
std::vector<EqualCollectives> group_equal(const Report& report);

// Causes of collectives: the decisions of propagation that led to them.

/// A logged propagation of a program. Reads from the log how the tensors of an op got the axes of a
/// collective for the op.
class Reasons {
 public:
  /// Propagates a copy of `module`, the input of compile. Errors: those of passes and propagation.
  /// Cost: linear in the program.
  static DiagnosedResult<Reasons> make(const ir::Module& module,
                                       const checking::CompileOptions& options = {},
                                       const checking::Context& context = {});
  Reasons(Reasons&&) noexcept;
  Reasons& operator=(Reasons&&) noexcept;
  ~Reasons();

  /// Returns the cause of a collective; std::nullopt if its op is not in the source program.
  std::optional<Cause> cause(const Collective& row) const;

  /// Returns the names of values in the source program.
  const text::WrittenValues& names() const;

 private:
  struct Data;
  explicit Reasons(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

/// Adds causes to the first collective of each of the `top` costliest groups, as by
/// group_equal(report).
void add_reasons(Report& report, const Reasons& reasons, std::size_t top);

// Modelled timeline of the ops of a device, without overlap.

/// An op of the per-device program, over all its runs.
struct TimelineEvent {
  ir::OpId op = {};         // of the per-device program
  std::string name = {};    // "stablehlo.add", `spmd.all_gather {"x"}`
  std::string axes = {};    // axes it communicates along; empty: a compute op
  Location location = {};   // of the op
  std::string serves = {};  // for a collective: the op that needs it
  Times times = {};         // runs in one run of the program
  double begin = 0;         // start in s
  double seconds = 0;       // duration of all runs in s
  int64_t bytes = 0;        // sent in all runs
  double operations = 0;    // floating-point operations per device
};

/// Options of make_timeline.
struct TimelineOptions {
  CostModel model = {};                   // axis costs, as for make_report
  double operations_per_second = 100e12;  // per device
};

/// Returns collectives and compute ops in start order; no ops overlap. An op in a loop is listed
/// once, with all its runs. Times of collectives are those of make_report, operations those of its
/// work per device. Cost: linear in the program.
std::vector<TimelineEvent> make_timeline(const checking::CompiledProgram& compiled,
                                         const TimelineOptions& options = {});

// Comparison of two reports.

/// A value of both programs with another sharding in the second.
struct ShardingChange {
  std::string made_by;  // defining op, or `argument`
  Location location;    // in the second program
  std::string type;     // `tensor<8x4xf32>`, global
  std::string before;   // in the first report; empty: none
  std::string after;    // in the second report; empty: none
};

/// Collectives of equal kind, axes, type and served op, over all their runs.
struct CollectiveChange {
  std::string kind;          // name of the collective op
  std::string axes;          // mesh axes of its groups
  std::string type;          // type of the operand, per device
  std::string serves;        // op of the source program that needs it
  int64_t count_before = 0;  // runs in the first report
  int64_t count_after = 0;   // runs in the second report
  int64_t bytes_before = 0;  // sent per device in the first report
  int64_t bytes_after = 0;   // sent per device in the second report
};

/// Cost per device.
struct Cost {
  int64_t bytes = 0;       // sent
  int64_t count = 0;       // number of collectives
  double seconds = 0;      // modelled, of all collectives
  int64_t peak_bytes = 0;  // of the device with the highest peak
  double operations = 0;   // floating-point operations per device
};

/// Returns the costs of a report.
Cost cost_of(const Report& report);
/// Returns the modelled time of a device in seconds: collectives and operations, without overlap.
double modelled_seconds(const Cost& cost, double operations_per_second);

/// Difference of the reports of two shardings of one program.
struct Difference {
  Cost before;                                // of the first report
  Cost after;                                 // of the second report
  std::vector<ShardingChange> shardings;      // in the order of the second program
  std::vector<CollectiveChange> collectives;  // that differ; largest increase in bytes first
  int64_t values_before = 0;                  // only in the first program
  int64_t values_after = 0;                   // only in the second program

  /// Checks whether bytes, time or peak memory of the second program exceed `1 + tolerance` times
  /// those of the first.
  bool is_worse(double tolerance = 0) const;
};

/// Compares two reports. Values correspond if they are the n-th with the same defining op and type.
/// Cost: n log n in values and collectives.
Difference difference(const Report& before, const Report& after);

}  // namespace shardy::report
