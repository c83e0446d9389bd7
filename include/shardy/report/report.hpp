// The cost of a sharded program with places, without running it.
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

/// How often something runs, in one run of `main`.
struct Times {
  int64_t count = 1;  // how many times
  /// True if the text tells. Else loops whose iterations it does not tell count once, and all
  /// branches of a choice as if they were taken.
  bool is_exact = true;
  friend bool operator==(const Times&, const Times&) = default;
};

/// Bytes that go along one axis of a mesh, over its busiest link.
struct AxisBytes {
  std::string axis;   // name of the mesh axis, with its sub-axis
  int64_t bytes = 0;  // sent per device along it
  friend bool operator==(const AxisBytes&, const AxisBytes&) = default;
};

/// One step on the way of an axis: who had it, and the op along which it went on.
struct AxisStep {
  /// Source of the axis.
  enum class Kind : uint8_t { Annotation, Import, Group, Step, Skipped };
  Kind kind = Kind::Step;      // what put the axis there
  std::string value = {};      // that had the axis: `%arg0`; of Skipped how many steps are left out
  std::string op = {};         // of Step: `stablehlo.add`, `function result`
  std::string location = {};   // of the op
  std::string factor = {};     // of Step: `i`
  std::string direction = {};  // of Step: `forward`, `backward`, `sideways`
  friend bool operator==(const AxisStep&, const AxisStep&) = default;
};

/// How an axis came to a dim, from its annotation on.
struct AxisStory {
  std::size_t dim = 0;  // the dim that the axis shards
  std::string axis;     // `"x"`
  /// From the annotation to this value, in the order in which they were made.
  std::vector<AxisStep> steps;
};

/// A tensor of the op that a collective serves.
struct TensorStory {
  std::string role;      // `operand 1`, `result 0`, `returned as result 0`
  ir::ValueId value;     // in the program as it was written; of a result of a function invalid
  std::string name;      // `%16`
  std::string sharding;  // that propagation gave it; `none`
  std::vector<AxisStory> axes;  // those that the collective is about
};

/// Cause of a collective. Spec: propagation 16.
struct Because {
  ir::OpId op;                         // that it serves, in the program as it was written
  std::vector<TensorStory> tensors;    // of that op
  std::vector<std::string> conflicts;  // at that op: what lost, to what, and why
};

/// One communication op of the per-device program. Costs are of one run of it, on the busiest
/// device. Spec: partitioning 11.9, resharding C.1.
struct Collective {
  ir::OpId op;           // of the per-device program
  std::string kind;      // "spmd.all_gather"
  std::string axes;      // `{"x", "y":(1)2}`
  std::string type;      // of what goes in: "tensor<2x12xf32>"
  std::string serves;    // the op of the program for which it is there; empty: not known
  std::string location;  // of that op
  Times times;           // how often it runs in one run of the program
  int64_t bytes = 0;     // sent
  int64_t messages = 0;  // per device, one after the other
  double seconds = 0;    // modelled
  std::vector<AxisBytes> axis_bytes = {};  // of axes along which something goes
  std::optional<Because> because = {};     // where add_reasons said it
};

/// Total cost of several collectives in all runs.
struct Total {
  std::string name;      // a kind, an axis, a location
  int64_t count = 0;     // runs of all of them
  int64_t bytes = 0;     // sent per device by all of them
  int64_t messages = 0;  // per device, of all of them, one after the other
  double seconds = 0;    // modelled, of all of them
};

/// A value that a device holds at the peak.
struct LiveValue {
  ir::ValueId value;     // of the per-device program
  std::string made_by;   // the op, or "argument 2 of @main"
  std::string type;      // on a device
  std::string location;  // of the op
  int64_t bytes = 0;     // per device
};

/// Where a device holds most: each value from its op to its last reader. Spec: partitioning 11.9.
struct MemoryPeak {
  int64_t bytes = 0;            // of all that lives at that moment, per device
  std::string op;               // at which the peak is reached; empty: before the first one
  std::string location;         // of the op that runs at that moment
  std::vector<LiveValue> live;  // the largest first
};

/// A value of the propagated program, and what of it a device holds.
struct Value {
  std::string made_by;        // the op that makes it, or `argument`
  std::string location;       // of that op in the source
  std::string type;           // `tensor<8x4xf32>`, global
  std::string sharding;       // as sdy writes it
  std::string local_type;     // the shape that one device holds, padding included
  int64_t local_bytes = 0;    // per device
  int64_t padding_bytes = 0;  // of them, on average over the devices: what no element fills
};

/// Operations on elements; a multiplication and an addition are two. docs/report.md defines what
/// counts.
struct Work {
  double once = 0;        // of the program as it is written, a manual body on each of its devices
  double per_device = 0;  // of one device
  int64_t devices = 1;    // that run the program
  /// Operations done once to operations done by all devices: 1 if none is done twice, or if the
  /// program has none.
  double efficiency() const {
    const double all = per_device * static_cast<double>(devices);
    return once > 0 && all > 0 ? once / all : 1;
  }
};

/// The cost of a sharded program with places and causes.
struct Report {
  std::vector<Collective> collectives;  // in program order
  Total all;                            // of all collectives
  std::vector<Total> by_kind;           // these three the most bytes first
  std::vector<Total> by_axis;           // bytes along it, over its busiest link
  std::vector<Total>
      by_location;            // traffic by the op of the source that needs it, most bytes first
  std::vector<Value> values;  // in program order
  MemoryPeak peak;            // where most memory is in use
  Work work;                  // arithmetic operations, and those that are done more than once
  std::vector<partitioning::ReplicationNote> notes;  // what is replicated, or computed whole
};

/// Compiles a program for a report. A per-device program, as `partition` writes it in either form,
/// is taken as it is. Errors: those of compile; of a per-device program those of ir::verify.
tl::expected<checking::CompiledProgram, Diagnostics> compile_for_report(
    const ir::Module& module, const checking::CompileOptions& options = {},
    const checking::Context& context = {});

/// Returns the costs of a program that compile has made. The bandwidth and latency of an axis in
/// `model` replace those of its mesh. Requires: check_costs(model). Cost: linear in the program;
/// permutes cost devices.
Report make_report(const checking::CompiledProgram& compiled, const CostModel& model = {});

// Collectives of repeated layers as one.

/// Collectives that are alike in kind, axes, type and what they serve, in all runs of them.
struct Alike {
  const Collective* first = nullptr;   // where they first stand; its text speaks for all
  std::vector<std::string> locations;  // each once
  int64_t bytes = 0;                   // sent per device by all of them, for one run of the program
  int64_t count = 0;                   // runs of all of them
  double seconds = 0;                  // modelled, of all of them
  bool is_exact = true;                // whether no count is a bound or a guess
};

/// The most bytes first, else in program order. Requires: none is null. Cost: n log n.
std::vector<Alike> alike(const std::vector<const Collective*>& rows);
/// The same of all that a report has, which outlives what is returned.
std::vector<Alike> alike(const Report& report);

// Why collectives are there: the decisions of propagation that led to them.

/// Logs one more propagation of a program, and reads off the log how the tensors of an op got the
/// axes that a collective for the op is about.
class Reasons {
 public:
  /// Propagates a copy of `module`, which is what compile was given. Errors: those of the passes
  /// and of propagation. Cost: linear in the program.
  static tl::expected<Reasons, Diagnostics> make(const ir::Module& module,
                                                 const checking::CompileOptions& options = {},
                                                 const checking::Context& context = {});
  Reasons(Reasons&&) noexcept;
  Reasons& operator=(Reasons&&) noexcept;
  ~Reasons();

  /// std::nullopt if the op that the collective serves is not in the source program.
  std::optional<Because> because(const Collective& row) const;

  /// The names that the source gives to the values.
  const text::WrittenValues& names() const;

 private:
  struct Data;
  explicit Reasons(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

/// Says it of the first collective of each of the `top` costliest kinds: alike(report).
void add_reasons(Report& report, const Reasons& reasons, std::size_t top);

// The ops of a device in modelled time, without overlap.

/// An op of the per-device program, in all its runs.
struct TimelineEvent {
  ir::OpId op = {};           // of the per-device program
  std::string name = {};      // "stablehlo.add", `spmd.all_gather {"x"}`
  std::string axes = {};      // along which it sends; empty: it computes
  std::string location = {};  // of the op
  std::string serves = {};    // of a collective: the op for which it is there
  Times times = {};           // how often it runs in one run of the program
  double begin = 0;           // seconds from the beginning
  double seconds = 0;         // of all runs
  int64_t bytes = 0;          // sent in all runs
  double operations = 0;      // floating-point operations per device
};

/// Options of a timeline.
struct TimelineOptions {
  CostModel model = {};                   // of axes, as make_report takes it
  double operations_per_second = 100e12;  // of a device
};

/// Collectives, and ops that compute, in the order in which they begin; nothing overlaps. An op in
/// a loop is listed once, with all of its runs. The seconds of collectives are those of
/// make_report, the operations those of its work per device. Cost: linear in the program.
std::vector<TimelineEvent> make_timeline(const checking::CompiledProgram& compiled,
                                         const TimelineOptions& options = {});

// Two reports side by side.

/// A value that both programs have, with another sharding in the second.
struct ShardingChange {
  std::string made_by;   // the op that makes the value, or `argument`
  std::string location;  // in the second
  std::string type;      // `tensor<8x4xf32>`, global
  std::string before;    // the sharding in the first report; empty: none
  std::string after;     // the sharding in the second report; empty: none
};

/// Collectives that are alike in kind, axes, type and what they serve, in all runs of them.
struct CollectiveChange {
  std::string kind;          // the name of the collective op
  std::string axes;          // the mesh axes that its groups lie along
  std::string type;          // per device, of its operand
  std::string serves;        // the op of the source that needs it
  int64_t count_before = 0;  // runs in the first report
  int64_t count_after = 0;   // runs in the second report
  int64_t bytes_before = 0;  // sent per device in the first report
  int64_t bytes_after = 0;   // sent per device in the second report
};

/// Cost of a device.
struct Cost {
  int64_t bytes = 0;       // sent
  int64_t count = 0;       // of collectives
  double seconds = 0;      // modelled, of all collectives
  int64_t peak_bytes = 0;  // of the device that has most at once
  double operations = 0;   // floating-point operations per device
};

/// Returns the costs in a report.
Cost cost_of(const Report& report);
/// Returns the modelled time of a device: its collectives, then its operations, without overlap.
double modelled_seconds(const Cost& cost, double operations_per_second);

/// Difference of the reports of two shardings of one program.
struct Difference {
  Cost before;                                // of the first report
  Cost after;                                 // of the second report
  std::vector<ShardingChange> shardings;      // in the order of the second program
  std::vector<CollectiveChange> collectives;  // those that differ; most bytes more first
  int64_t values_before = 0;                  // that only the first program has
  int64_t values_after = 0;                   // that only the second has

  /// Returns whether bytes, time or peak of the second are more than `1 + tolerance` times the
  /// first's.
  bool is_worse(double tolerance = 0) const;
};

/// Values are the same if they are the n-th of their maker and type in both programs.
/// Cost: n log n in values and collectives.
Difference difference(const Report& before, const Report& after);

}  // namespace shardy::report
