// Partitioning: lowers a program with final shardings to one program that every device runs; with
// lowerings of an embedder's ops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/ir/builder.hpp>
#include <shardy/ir/literal.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/passes/pass.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/support/limits.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy::partitioning {

class Lowering;

/// The interface between an op of the input program and its lowering.
///
/// Tensors are sharded by lists of axes, one per dim: a dim of n elements over P shards has shards
/// of ceil(n / P) elements, padded at the end. Spec: partitioning 2.1.
class OpLowering {
 public:
  using Axes = std::vector<AxisList>;  // one list for each dim of a tensor

  /// Prepares the lowering of `op`, an op of the program of `lowering`.
  OpLowering(Lowering& lowering, ir::OpId op);

  /// Returns the input program, with global shapes.
  const ir::Module& program() const;
  /// Returns the lowered op, an op of program().
  ir::OpId op() const { return op_; }
  /// Returns the global type of an operand. Requires: index below the number of operands.
  const ir::Type& operand_type(std::size_t index) const;
  /// Returns the global type of a result. Requires: index below the number of results.
  const ir::Type& result_type(std::size_t index) const;

  /// Returns the present sharding of an operand. Requires: index below the number of operands.
  Axes operand_axes(std::size_t index) const;
  /// Returns the required sharding of a result. Requires: index below the number of results.
  Axes result_axes(std::size_t index) const;

  /// Returns the shard of an operand with this sharding, resharding it if necessary. `padding`, of
  /// rank 0: the value of padding elements; std::nullopt: unspecified.
  ir::ValueId operand(std::size_t index, const Axes& axes,
                      const std::optional<ir::Literal>& padding = std::nullopt);

  /// Returns the per-device program.
  ir::Module& local_program();
  /// Returns a builder that appends ops to local_program().
  ir::Builder& builder();
  /// Returns an i64 scalar: the shard index of the device over these axes.
  ir::ValueId coordinate(std::span<const AxisRef> axes);
  /// Returns an i64 scalar: the global index of the first element of the device's shard, in a dim
  /// of `size` elements.
  ir::ValueId tile_begin(std::span<const AxisRef> axes, int64_t size);
  /// Reduces a value over the devices that differ along the axes; `reducer` is a binary op such as
  /// Add.
  ir::ValueId all_reduce(ir::ValueId value, std::span<const AxisRef> axes, ir::OpKind reducer);
  /// Concatenates the values of the devices that differ along the axes, along a dim.
  ir::ValueId all_gather(ir::ValueId value, std::span<const AxisRef> axes, std::size_t dim);

  /// Clones the op on shards; `results` has the sharding of each result. Returns the clone.
  ir::OpId clone(std::vector<ir::ValueId> operands, std::span<const Axes> results);

  /// Sets the shard of a result with this sharding. Each result must be set exactly once.
  void set_result(std::size_t index, ir::ValueId value, const Axes& axes);

  /// Returns an error at the op: why it cannot be lowered.
  tl::unexpected<Error> error(const std::string& message) const;

  /// Errors: a result that was not set, or whose type does not match its axes.
  Status finish();

 private:
  Lowering* lowering_;
  ir::OpId op_;
  std::vector<std::optional<std::pair<ir::ValueId, Axes>>> results_;
};

/// Lowers one op. Errors: those that it returns, at the location of the op.
using ForeignLowering = std::function<Status(OpLowering&)>;

/// Lowerings that the partitioner uses instead of an op's sharding rule.
struct ForeignLowerings {
  /// Lowerings by op name or custom call target.
  using ByName = std::map<std::string, ForeignLowering, std::less<>>;

  ByName ops = {};           // by op name, of unregistered dialects
  ByName custom_calls = {};  // by target
};

// ---- Halo exchanges -----------------------------------------------------------------------------

/// Strategy of a halo exchange: the cheapest, one exchange of the hull, one of compact pieces, or
/// an all-gather.
enum class HaloStrategy : uint8_t { Cost, Hull, Compact, Gather };

/// Options of halo exchanges. Spec: partitioning 5.5.
struct HaloOptions {
  HaloStrategy strategy = HaloStrategy::Cost;  // how halos are exchanged
  int64_t max_pieces = 8;  // limit of pieces per exchange; windows with more are gathered
};

// ---- StableHLO ----------------------------------------------------------------------------------

// The per-device program as plain StableHLO, for compilers without the `spmd` dialect.

/// Form of the replica groups of collectives.
enum class ReplicaGroupsForm : uint8_t {
  List,  // lists of device ids; size linear in devices
  Mesh   // axes of a mesh
};

/// Form of StableHLO collectives.
struct StablehloForm {
  ReplicaGroupsForm groups = ReplicaGroupsForm::List;  // form of replica groups
  /// Number of replicas if devices are replicas of one partition; else 1. At most one of the two is
  /// more than 1.
  int64_t replica_count = 1;
  int64_t partition_count = 1;  // number of partitions if devices are partitions of one replica
};

/// Replaces all `spmd` ops by StableHLO ops, and sets the numbers of replicas and partitions on the
/// module. Devices compute and send the same values, except for the order of float additions where
/// axes order devices differently from their ids.
///
/// Errors, without changing the module: E_REPLICA_AND_PARTITION; E_MESH_MISMATCH, a mesh without
/// all devices; E_UNSUPPORTED_OP, a reducer that mixes several operands. Spec: partitioning 4.4.
Diagnostics to_stablehlo_form(ir::Module& module, const StablehloForm& form = {});

// ---- Notes --------------------------------------------------------------------------------------

// Notes on work of the per-device program that shardings do not require.

/// Kind of replication. Spec: partitioning 5.10.
enum class Replication : uint8_t {
  Gathered,    // an operand is gathered
  Computed,    // devices compute more of a result than they keep
  RandomBits,  // devices compute more random bits than they keep
  Combined     // partial values are reduced before an op that cannot take them
};

/// Returns "gathered", "computed whole", "random bits" or "combined".
std::string_view to_string(Replication kind);

/// One replicated tensor of one op. Spec: partitioning 5.10.
struct ReplicationNote {
  Replication kind = Replication::Gathered;  // kind of replication
  std::string op;                            // "stablehlo.reshape"
  Location location;                         // of the op; empty if unknown
  std::string tensor;                        // "operand 0", "result 1"
  std::vector<int64_t> dims;                 // replicated dims; empty: the whole tensor
  std::string axes;                          // over which devices replicate: `{"x", "y":(1)2}`
  std::string reason;                        // why no other lowering was possible
  int64_t bytes_moved = 0;                   // received by each device for it
  int64_t bytes_held = 0;                    // of the replicated tensor, on each device
  bool operator==(const ReplicationNote&) const = default;
};

/// Returns the note as a diagnostic N_REPLICATED at the location of the op.
Diagnostic diagnostic_of(const ReplicationNote& note);

// ---- Partitioning -------------------------------------------------------------------------------

/// Treatment of arguments and results whose dims do not divide. Spec: partitioning 1.2 I7.
enum class IoPadding : uint8_t {
  Divisible,  // an uneven dim is an error
  Padded      // buffers have ceil(n / P) elements; padding is unspecified
};

/// Options of partition.
struct PartitionOptions {
  /// Treatment of uneven dims of arguments and results.
  IoPadding io_padding = IoPadding::Divisible;
  HaloOptions halo;              // how halos are exchanged
  bool lenient_reshard = false;  // lower remaining sdy.reshard ops by gathering and slicing
  /// Emit plain StableHLO of that form; std::nullopt: `spmd` ops. Spec: partitioning 4.4.
  std::optional<StablehloForm> stablehlo = {};
  /// Checked between ops, where an exceeded one is an error; null: none. Must outlive the call.
  LimitChecker* limits = nullptr;
};

/// Sharding rules and lowerings of an embedder's ops.
struct ForeignOps {
  rules::Registry rules = {};       // sharding rules
  ForeignLowerings lowerings = {};  // lowerings to per-device ops
};

/// The per-device program and notes on replication.
struct PartitionResult {
  ir::Module module;                   // per-device program
  std::vector<ReplicationNote> notes;  // in program order
};

/// Lowers a program to one per-device program for all devices of the mesh.
///
/// The input has global shapes, and its shardings differ only across sdy collectives (see the
/// export passes). The result has local shapes and communicates by `spmd` ops over mesh axes, so
/// that its size does not depend on the number of devices, or by StableHLO collectives. Arguments
/// and results have `sdy.sharding` and `spmd.global_type` attributes. Errors: one per op that
/// cannot be lowered, in program order, each with its code of partitioning 12. Spec: partitioning
/// 1-9.
DiagnosedResult<PartitionResult> partition(const ir::Module& module,
                                           const PartitionOptions& options = {},
                                           const ForeignOps& foreign = {});

/// Returns an error for each argument and result of main that IoPadding::Divisible rejects. For
/// source programs: the export passes shorten shardings found by propagation. Spec: partitioning
/// 1.2 I7.
Diagnostics non_divisible_io(const ir::Module& module);

// ---- Passes -------------------------------------------------------------------------------------

// Registration of the passes that need the partitioner.

/// Adds the partitioning passes; adding them twice changes nothing. Spec: passes 5.19. `lowerings`:
/// lowerings of an embedder's ops; their rules come from the pipeline.
void register_partitioning_passes(passes::PassRegistry& registry, ForeignLowerings lowerings = {});

/// Returns all passes of the library: those of passes/built_in.hpp and of this layer.
passes::PassRegistry all_passes(ForeignLowerings lowerings = {});

}  // namespace shardy::partitioning
