// Static cost report of a sharded program, with locations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/checking/compile.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/resharding/cost.hpp>
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
  std::string location = {};   // of the op
  std::string factor = {};     // Step: `i`
  std::string direction = {};  // Step: `forward`, `backward`, `sideways`
  friend bool operator==(const AxisStep&, const AxisStep&) = default;
};

/// Propagation of an axis from its annotation to a dim.
struct AxisStory {
  std::size_t dim = 0;  // dim sharded by the axis
  std::string axis;     // `"x"`
  /// From the annotation to this value, in order.
  std::vector<AxisStep> steps;
};

/// A tensor of the op that a collective serves.
struct TensorStory {
  std::string role;             // `operand 1`, `result 0`, `returned as result 0`
  ir::ValueId value;            // in the source program; invalid for a function result
  std::string name;             // `%16`
  std::string sharding;         // after propagation; `none`
  std::vector<AxisStory> axes;  // axes of the collective
};

/// Cause of a collective. Spec: propagation 16.
struct Because {
  ir::OpId op;                       // served op, in the source program
  std::vector<TensorStory> tensors;  // tensors of that op
  std::vector<std::string>
      conflicts;  // at that op: the rejected sharding, the chosen one and the reason
};

/// A communication op of the per-device program. Costs are of one run, for the busiest device.
/// Spec: partitioning 11.9, resharding C.1.
struct Collective {
  ir::OpId op;                             // of the per-device program
  std::string kind;                        // "spmd.all_gather"
  std::string axes;                        // `{"x", "y":(1)2}`
  std::string type;                        // type of the operand: "tensor<2x12xf32>"
  std::string serves;                      // op of the source program that needs it; empty: unknown
  std::string location;                    // of that op
  Times times;                             // runs in one run of the program
  int64_t bytes = 0;                       // sent
  int64_t messages = 0;                    // per device, in sequence
  double seconds = 0;                      // modelled
  std::vector<AxisBytes> axis_bytes = {};  // axes with traffic
  std::optional<Because> because = {};     // set by add_reasons
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
  ir::ValueId value;     // of the per-device program
  std::string made_by;   // defining op, or "argument 2 of @main"
  std::string type;      // per-device type
  std::string location;  // of the defining op
  int64_t bytes = 0;     // per device
};

/// Peak memory of a device: each value is live from its op to its last user. Spec: partitioning
/// 11.9.
struct MemoryPeak {
  int64_t bytes = 0;            // live bytes per device
  std::string op;               // op at the peak; empty: before the first op
  std::string location;         // of that op
  std::vector<LiveValue> live;  // largest first
};

/// A value of the propagated program and its shard.
struct Value {
  std::string made_by;        // defining op, or `argument`
  std::string location;       // of that op in the source
  std::string type;           // `tensor<8x4xf32>`, global
  std::string sharding;       // in sdy syntax
  std::string local_type;     // per-device type, including padding
  int64_t local_bytes = 0;    // per device
  int64_t padding_bytes = 0;  // of local_bytes, average over devices
};

/// Arithmetic operations; a multiplication and an addition are two. docs/report.md defines what
/// counts.
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
tl::expected<checking::CompiledProgram, Diagnostics> compile_for_report(
    const ir::Module& module, const checking::CompileOptions& options = {},
    const checking::Context& context = {});

/// Returns the costs of a compiled program. Axis costs in `model` override those of the mesh.
/// Requires: check_costs(model). Cost: linear in the program; permutes are linear in devices.
Report make_report(const checking::CompiledProgram& compiled, const CostModel& model = {});

}  // namespace shardy::report
