// Partitioning: lowering of a program with final shardings to one program that every device runs.
// Lowerings of an embedder's ops. Lowering of CHLO ops to StableHLO ops. Costs of the per-device
// program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/ir/attribute.hpp>
#include <shardy/ir/graph_builder.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/support/limits.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::passes {
class PassRegistry;
}  // namespace shardy::passes

namespace shardy::partitioning {

class Lowering;

/// The interface of a lowering: access to the op of the input program and to the per-device
/// program.
///
/// Tensors are sharded by lists of axes, one per dim: a dim of n elements over P shards has shards
/// of ceil(n / P) elements, padded at the end. Spec: partitioning 2.1.
class OpLowering {
 public:
  using Axes = std::vector<AxisList>;  // axes of each dim of a tensor

  /// Prepares the lowering of `op`, an op of the input program.
  OpLowering(Lowering& lowering, ir::OpId op);

  /// Returns the input program, with global shapes.
  const ir::Module& program() const;
  /// Returns the op to lower, an op of program().
  ir::OpId op() const { return op_; }
  /// Returns the global type of an operand. Requires: index below the number of operands.
  const ir::Type& operand_type(std::size_t index) const;
  /// Returns the global type of a result. Requires: index below the number of results.
  const ir::Type& result_type(std::size_t index) const;

  /// Returns the axes of an operand. Requires: index below the number of operands.
  Axes operand_axes(std::size_t index) const;
  /// Returns the axes that a result must have. Requires: index below the number of results.
  Axes result_axes(std::size_t index) const;

  /// Returns the shard of an operand with the sharding `axes`. The operand is resharded if
  /// necessary. `padding` is a scalar with the value of padding elements; std::nullopt:
  /// unspecified.
  ir::ValueId operand(std::size_t index, const Axes& axes,
                      const std::optional<ir::Literal>& padding = std::nullopt);

  /// Returns the per-device program.
  ir::Module& local_program();
  /// Returns a builder that appends ops to local_program().
  ir::Builder& builder();
  /// Returns an i64 scalar: the shard index of the device along `axes`.
  ir::ValueId coordinate(std::span<const AxisRef> axes);
  /// Returns an i64 scalar: the global index of the first element of the device's shard, in a dim
  /// of `size` elements that is sharded along `axes`.
  ir::ValueId tile_begin(std::span<const AxisRef> axes, int64_t size);
  /// Adds an all-reduce of `value` over the replica groups of devices that differ along `axes`.
  /// `reducer` is a binary op such as Add.
  ir::ValueId all_reduce(ir::ValueId value, std::span<const AxisRef> axes, ir::OpKind reducer);
  /// Adds an all-gather of `value` along dim `dim`, over the replica groups of devices that differ
  /// along `axes`.
  ir::ValueId all_gather(ir::ValueId value, std::span<const AxisRef> axes, std::size_t dim);

  /// Clones the op with shards as operands. `results` has the axes of each result. Returns the
  /// clone.
  ir::OpId clone(std::vector<ir::ValueId> operands, std::span<const Axes> results);

  /// Sets the shard of a result, which has the sharding `axes`. Each result must be set exactly
  /// once.
  void set_result(std::size_t index, ir::ValueId value, const Axes& axes);

  /// Returns an error at the location of the op, which explains why the op cannot be lowered.
  tl::unexpected<Error> error(const std::string& message) const;

  /// Checks that all results are set. Errors: a result that was not set, or whose type does not
  /// match its axes.
  Status finish();

 private:
  Lowering* lowering_;
  ir::OpId op_;
  std::vector<std::optional<std::pair<ir::ValueId, Axes>>> results_;
};

/// A function that lowers one op. Errors are reported at the location of the op.
using ForeignLowering = std::function<Status(OpLowering&)>;

/// Lowerings that the partitioner uses instead of sharding rules.
struct ForeignLowerings {
  /// Lowerings by op name or custom call target.
  using LoweringsByName = std::map<std::string, ForeignLowering, std::less<>>;

  LoweringsByName ops = {};           // lowerings by name of an op of an unregistered dialect
  LoweringsByName custom_calls = {};  // lowerings by custom-call target
};

// ---- Halo exchanges -----------------------------------------------------------------------------

/// Strategy of a halo exchange. Cost: the cheapest of the other strategies. Hull: one exchange of
/// all elements from the first to the last needed element. Compact: only the needed pieces. Gather:
/// an all-gather.
enum class HaloStrategy : uint8_t { Cost, Hull, Compact, Gather };

/// Options of halo exchanges. Spec: partitioning 5.5.
struct HaloOptions {
  HaloStrategy strategy = HaloStrategy::Cost;  // how halos are exchanged
  int64_t max_pieces = 8;  // maximal pieces per exchange; windows that need more are gathered
};

// ---- StableHLO ----------------------------------------------------------------------------------

// The per-device program as plain StableHLO, for compilers without the `spmd` dialect.

/// Form of the replica groups of collectives.
enum class ReplicaGroupsForm : uint8_t {
  List,  // lists of device ids; their size is linear in devices
  Mesh   // axes of a mesh
};

/// Form of StableHLO collectives.
struct StablehloForm {
  ReplicaGroupsForm groups = ReplicaGroupsForm::List;  // form of replica groups
  /// Number of replicas, if devices are replicas of one partition; else 1. At most one of
  /// replica_count and partition_count exceeds 1.
  int64_t replica_count = 1;
  int64_t partition_count = 1;  // number of partitions if devices are partitions of one replica
};

/// Replaces all `spmd` ops by StableHLO ops, and sets the numbers of replicas and partitions of the
/// module. Devices compute and send equal values. Only the order of float additions may differ, if
/// devices along an axis are not in the order of their ids.
///
/// Errors, which leave the module unchanged: E_REPLICA_AND_PARTITION; E_MESH_MISMATCH, a mesh
/// without all devices; E_UNSUPPORTED_OP, a reducer that combines elements of different operands.
/// Spec: partitioning 4.4.
Diagnostics to_stablehlo_form(ir::Module& module, const StablehloForm& form = {});

// ---- Notes --------------------------------------------------------------------------------------

// Notes on work of the per-device program that the shardings do not require.

/// Kind of replication. Spec: partitioning 5.10.
enum class Replication : uint8_t {
  Gathered,    // an operand is gathered
  Computed,    // devices compute elements of a result that they do not keep
  RandomBits,  // devices compute random bits that they do not keep
  Combined     // partial values are reduced before an op that does not accept them
};

/// Returns "gathered", "computed whole", "random bits" or "combined".
std::string_view to_string(Replication kind);

/// One replicated tensor of one op. Spec: partitioning 5.10.
struct ReplicationNote {
  Replication kind = Replication::Gathered;  // kind of replication
  std::string op;                            // name of the op: "stablehlo.reshape"
  Location location;                         // location of the op; empty if unknown
  std::string tensor;                        // "operand 0", "result 1"
  std::vector<int64_t> dims;                 // replicated dims; empty: all dims
  std::string axes;    // axes along which the tensor is replicated: `{"x", "y":(1)2}`
  std::string reason;  // why no other lowering was possible
  int64_t bytes_moved =
      0;                   // bytes that each device receives for it, before rewrites of collectives
  int64_t bytes_held = 0;  // bytes of the replicated tensor on each device
  bool operator==(const ReplicationNote&) const = default;
};

/// Returns the note as a diagnostic N_REPLICATED at the location of the op.
Diagnostic diagnostic_of(const ReplicationNote& note);

// ---- Partitioning -------------------------------------------------------------------------------

/// Treatment of arguments and results with dims that are not divisible by their shards. Spec:
/// partitioning 1.2 I7.
enum class IoPadding : uint8_t {
  Divisible,  // such a dim is an error
  Padded      // buffers have ceil(n / P) elements per dim; the content of padding is unspecified
};

/// Options of partition.
struct PartitionOptions {
  /// Treatment of arguments and results with dims that are not divisible by their shards.
  IoPadding io_padding = IoPadding::Divisible;
  HaloOptions halo;              // how halos are exchanged
  bool lenient_reshard = false;  // lower remaining sdy.reshard ops by all-gathers and slices
  /// Emit plain StableHLO in this form; std::nullopt: emit `spmd` ops. Spec: partitioning 4.4.
  std::optional<StablehloForm> stablehlo = {};
  /// Limits that are checked between ops; an exceeded limit is an error. Null: no limits. Must
  /// outlive the call.
  LimitChecker* limits = nullptr;
};

/// Sharding rules and lowerings of an embedder's ops.
struct ForeignOps {
  rules::Registry rules = {};       // sharding rules
  ForeignLowerings lowerings = {};  // lowerings to per-device ops
};

/// Result of partition: the per-device program, and notes on replication.
struct PartitionResult {
  ir::Module module;                   // per-device program
  std::vector<ReplicationNote> notes;  // notes in program order
};

/// Lowers a program to one per-device program, which all devices of the mesh run.
///
/// The input has global shapes, and shardings differ only across sdy collectives (see the export
/// passes). The result has local shapes. The result communicates by StableHLO collectives or by
/// `spmd` ops over mesh axes. With `spmd` ops, the size of the program does not depend on the
/// number of devices. Arguments and results have `sdy.sharding` and `spmd.global_type` attributes.
/// Errors: one per op that cannot be lowered, in program order, with codes of partitioning 12.
/// Spec: partitioning 1-9.
DiagnosedResult<PartitionResult> partition(const ir::Module& module,
                                           const PartitionOptions& options = {},
                                           const ForeignOps& foreign = {});

/// Returns an error for each argument and result of main that IoPadding::Divisible does not allow.
/// Call this function for source programs: in later stages, the export passes have already removed
/// axes that do not divide. Spec: partitioning 1.2 I7.
Diagnostics non_divisible_io(const ir::Module& module);

// ---- Passes -------------------------------------------------------------------------------------

// Registration of passes that need the partitioner. Callers include <shardy/passes.hpp>.

/// Adds the partitioning passes. A second call changes nothing. `lowerings` has the lowerings of an
/// embedder's ops; sharding rules come from the pipeline. Spec: passes 5.19.
void register_partitioning_passes(passes::PassRegistry& registry, ForeignLowerings lowerings = {});

/// Returns all passes of the library: passes::built_in_passes and the passes of this layer.
passes::PassRegistry all_passes(ForeignLowerings lowerings = {});

/// An op kind outside of StableHLO, with the number of its ops in a program.
struct OtherDialectOp {
  std::string name;   // name of the op kind: `chlo.top_k`, `check.expect_eq`
  int64_t count = 0;  // number of ops
  Location location;  // location of the first op; empty if unknown
  bool operator==(const OtherDialectOp&) const = default;
};

/// Returns the ops of dialects other than stablehlo, func and sdy meshes, by name. Cost: linear in
/// the program.
std::vector<OtherDialectOp> other_dialect_ops(const ir::Module& module);

/// Returns a note per op kind that a compiler for only StableHLO rejects.
Diagnostics notes_of_other_dialects(const ir::Module& module);

/// Replaces CHLO ops by StableHLO ops. `top_k` becomes a stable sort. Constants and predicates are
/// replaced. Functions of real numbers (erf, erfc, erf_inv, lgamma, digamma, square, tan, sinh,
/// cosh and the inverse functions) become expansions with relative errors of some units in the last
/// place of f32 or f64; narrower floats are computed in f32. Near their zeros, lgamma and digamma
/// have errors of this size relative to 1. Other ops, and ops on complex numbers or dynamic shapes,
/// stay unchanged. Spec: partitioning 4.8. Cost: linear in the program.
void lower_chlo(ir::Module& module);

// ---- Costs of the per-device program, without a run ---------------------------------------------

class CollectiveViews;

/// Costs of the collectives of one verified per-device program, which must outlive this object. A
/// StableHLO collective has the cost of the spmd collective over the same devices. Costs in `model`
/// override the costs of the mesh (`shardy.axis_costs`).
class CollectivePrices {
 public:
  /// Computes costs for `program`. Costs in `model` override the costs of the meshes.
  explicit CollectivePrices(const ir::Module& program, const CostModel& model = {});

  /// Returns the bytes that the busiest device sends in one run of an op, as counted by a
  /// simulation (partitioning 11.9); 0 for ops that do not communicate. Cost: constant in the
  /// number of devices, except for replica groups given as lists and for permutes that list or
  /// relabel devices.
  int64_t bytes_sent(ir::OpId op) const;

  /// Returns bytes per mesh axis, messages and time of one run of an op; live_bytes is 0. Cost: as
  /// bytes_sent, but linear in devices for all permutes.
  StepCost cost(ir::OpId op) const;

  /// Returns the mesh whose axes form the replica groups of the op; null if no mesh has such axes.
  /// For replica groups given as lists, returns the first such mesh.
  const Mesh* mesh_of(ir::OpId op) const;

 private:
  struct PricedMesh {
    Mesh mesh;
    CostModel model;
  };

  std::shared_ptr<const CollectiveViews> views_;
  CostModel other_;                           // cost of replica groups that are not along axes
  std::map<std::string, PricedMesh> meshes_;  // meshes by name
};

/// Cost per device, the maximum over devices. A loop counts as often as it runs, or once if its
/// trip count is unknown. All branches count.
struct ProgramCost {
  /// Bytes sent, by partitioning 11.9. Without a cost model an upper bound: the sum of the bytes of
  /// each collective's busiest device.
  int64_t bytes_sent = 0;
  int64_t messages = 0;    // number of communication ops that run
  double seconds = 0;      // time of communication; 0 without a cost model
  int64_t peak_bytes = 0;  // peak of live bytes; a value is live from its op to its last user
  friend bool operator==(const ProgramCost&, const ProgramCost&) = default;
};

/// Returns the cost of `main` with its callees. Requires: a per-device program, no recursion. Cost:
/// linear in the program.
ProgramCost program_cost(const ir::Module& program);
/// Returns the cost of `main` with its callees, including the time of communication under `model`,
/// and the bytes of the device that sends most in total. Requires: a per-device program, no
/// recursion. Cost: linear in the program, and in devices per permute.
ProgramCost program_cost(const ir::Module& program, const CostModel& model);

/// Position of peak memory: an op of `main`, then an op in its region or callee, and so on.
struct PeakPlace {
  std::vector<ir::OpId> path;  // ops from outermost to innermost; the peak is at the last op
  /// True if the peak is at the start of the last op's callee; for an empty path, at the start of
  /// `main`.
  bool is_at_entry = false;
  int64_t bytes = 0;  // peak memory in bytes, ProgramCost::peak_bytes
};

/// Returns the position of peak memory. Requires and cost: as program_cost.
PeakPlace peak_place(const ir::Module& program);

}  // namespace shardy::partitioning
