// Kernels of collectives, which run when all members of a group have arrived. Spec: partitioning
// 4.2, 4.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "shardy/algebra/mesh.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/simulation/tensor.hpp"
#include "shardy/support/result.hpp"
#include "simulation/kernels/fold.hpp"
#include "simulation/kernels/kernel_table.hpp"

namespace shardy::simulation {

// ---- Groups of devices --------------------------------------------------------------------------
// Groups of devices that communicate. Group members are computed from axis coordinates, never
// listed.

/// The division of a mesh into groups whose devices differ only along the given disjoint axes. The
/// rank of a device in its group is its coordinate along the axes, major to minor. Spec:
/// partitioning 4.2.
class DeviceGroups {
 public:
  /// Errors: an axis that the mesh does not have, axes that overlap.
  static Result<DeviceGroups> make(Mesh mesh, std::span<const AxisRef> axes);

  const Mesh& mesh() const { return mesh_; }
  /// Returns the number of devices per group.
  int64_t size() const { return size_; }
  /// Returns the rank of the device at a logical position.
  int64_t rank(int64_t position) const;
  /// Returns the logical position of rank 0 of the group that contains `position`. It identifies
  /// the group.
  int64_t leader(int64_t position) const { return position - offset(rank(position)); }
  /// Returns the logical position of a rank. Requires: 0 <= rank < size().
  int64_t member(int64_t leader, int64_t rank) const { return leader + offset(rank); }
  /// Returns the device id of a rank.
  int64_t device(int64_t leader, int64_t rank) const {
    return mesh_.device_at(member(leader, rank));
  }

 private:
  explicit DeviceGroups(Mesh mesh) : mesh_(std::move(mesh)) {}

  struct GroupAxis {
    int64_t size;    // size of the axis
    int64_t stride;  // distance of neighbours along the axis, in positions
  };
  int64_t offset(int64_t rank) const;

  Mesh mesh_;
  std::vector<GroupAxis> parts_;  // major to minor
  int64_t size_ = 1;
};

/// Disjoint groups of devices, each an ordered list. Some devices may be in no group.
class ReplicaGroups {
 public:
  /// A group, identified by its leader, and a rank in it.
  struct GroupMember {
    int64_t leader = 0;
    int64_t rank = 0;
  };

  /// Groups along axes. The leader is the logical position of rank 0.
  explicit ReplicaGroups(DeviceGroups groups) : groups_(std::move(groups)) {}
  /// Listed groups. The leader is the index of the group. Requires: no device occurs twice.
  explicit ReplicaGroups(std::vector<std::vector<int64_t>> groups);

  /// Returns the group of a device and its position in the group; std::nullopt if no group has the
  /// device.
  std::optional<GroupMember> place_of(int64_t device) const;
  /// Checks whether a group has this leader.
  bool has_leader(int64_t leader) const;
  /// Returns the devices of the group, by rank.
  std::vector<int64_t> members(int64_t leader) const;

 private:
  struct Listed {
    std::vector<std::vector<int64_t>> groups;
    std::map<int64_t, GroupMember> places;
  };
  std::variant<DeviceGroups, Listed> groups_;
};

// ---- Data movement among the members of a group, in both dialects -------------------------------
// Spec: partitioning 4.2, stablehlo 31.3.

/// The results by rank in the group, and the bytes that each rank sent to others.
struct Exchanged {
  std::vector<Tensors> results;
  std::vector<int64_t> bytes_sent;
};

int64_t bytes_of(const Tensors& tensors);
Result<Tensors> zeros(std::span<const ir::Type> types);

/// Gives each rank the operands of all ranks, concatenated along `dim`. Requires: the results have
/// the types `types`.
Result<Exchanged> all_gather(ByRank by_rank, std::size_t dim, std::span<const ir::Type> types);

/// Gives rank r block r along `split` of each rank's operand, concatenated along `concat`.
/// Requires: the group size divides the split dim, the results have the types `types`.
Result<Exchanged> all_to_all(ByRank by_rank, std::size_t split, std::size_t concat,
                             std::span<const ir::Type> types, UsedResults wanted = {});

/// Gives each rank `folded`, the reduced operands. `bytes` is the size of one rank's operands.
Exchanged all_reduce(std::size_t num_ranks, int64_t bytes, const Tensors& folded);

/// Gives rank r block r of `folded` along `dim`. Requires: the group size divides the dim.
Result<Exchanged> reduce_scatter(ByRank by_rank, const Tensors& folded, std::size_t dim);
/// Folds the operands with `fold`, then gives rank r block r of the result along `dim`.
Result<Exchanged> reduce_scatter(ByRank by_rank, const Fold& fold, std::size_t dim,
                                 ThreadPool* pool, UsedResults wanted = {});

/// Gives rank r the operands of rank sources[r]; zeros if sources[r] is negative.
Result<Exchanged> permute(ByRank by_rank, std::span<const int64_t> sources);

/// Gives each rank operand i of rank roots[i].
Exchanged broadcast(ByRank by_rank, std::span<const std::size_t> roots);

// ---- Kernels ------------------------------------------------------------------------------------

/// A group whose members have all arrived.
struct Gathered {
  ByRank by_rank;              // each member's operands, then the outer values of its region
  int64_t leader = 0;          // identifies the group
  ThreadPool* pool = nullptr;  // threads that may help; null: none
  UsedResults wanted = {};
};
using GroupExchange = std::function<Result<Exchanged>(const Gathered& group)>;

/// A function from a group's leader to the source rank of each receiving rank; -1 without a source.
using SourceMap = std::function<Result<std::vector<int64_t>>(int64_t leader)>;

/// Folds the operands of all members, or one range of elements of all operands.
using PartFold = std::function<Result<Tensors>(const Gathered& group)>;

struct CollectiveKernel {
  ir::OpKind kind;
  int64_t channel;  // 0 if the op has no channel
  ReplicaGroups groups;
  GroupExchange exchange;
  /// Set for ops in which each rank reads the operands of one other rank only.
  SourceMap sources = {};
  /// Set for ops in which rank r reads only block r of all operands: the dim of the blocks.
  std::optional<std::size_t> block_dim = {};
  /// Set for an all_reduce that folds elementwise: folds one range of elements.
  PartFold fold_part = {};
};

/// Returns true for the collectives of the spmd dialect and of StableHLO.
bool is_communication(ir::OpKind kind);

/// Returns true for the StableHLO collectives, whose groups contain processes of the grid.
bool is_process_collective(ir::OpKind kind);

/// Makes the kernel of a collective. Errors: those of ir::verify_types; a group with a device that
/// the run does not have. Requires: is_communication.
Result<CollectiveKernel> make_collective(const KernelRequest& request);

/// Makes the kernel of a manual computation that is nested in others on one mesh. All devices take
/// part, because collectives in the body may cross the outer axes. If the body has no collectives
/// and is in a branch or loop that some devices may not reach, only devices with equal coordinates
/// along the outer axes take part. Errors: those of manual_computation; a wrong number of devices.
Result<CollectiveKernel> make_nested_manual(const KernelRequest& request,
                                            std::span<const std::string> outer_axes);

/// Returns the source ranks for a map. Errors: numbers or lists that do not fit the map. Spec:
/// partitioning 4.3.
Result<SourceMap> make_source_map(const ir::PermuteMap& map, const DeviceGroups& groups);

}  // namespace shardy::simulation
