// Collectives of a per-device program in one form: those of the spmd dialect and those of
// StableHLO. Spec: partitioning 4.2, 4.4, 11.9.
//
//   "spmd.all_reduce"(%a) {axes = x, mesh = @mesh}               AllReduce, 1024 bytes,
//   "stablehlo.all_reduce"(%a) {replica_groups = [[0, 1], ..]}   along "x" of @mesh
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/process_groups.hpp"
#include "partitioning/device_pairs.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/mesh.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::partitioning {

/// What the devices of a group exchange. Broadcast: the root sends to all others; Reduce: all
/// others send to the root.
enum class Exchange : uint8_t {
  AllGather,
  AllReduce,
  ReduceScatter,
  AllToAll,
  Broadcast,
  Reduce,
  Permute
};

/// One collective, whichever dialect it is of.
struct CollectiveView {
  Exchange exchange = Exchange::Permute;
  int64_t bytes = 0;  // of the operands of one device
  /// The mesh along whose axes devices meet; empty: the groups are those of no axes of any mesh.
  std::string mesh_name = {};
  Mesh mesh = {};       // that mesh; else one axis with the devices of the largest group
  AxisList axes = {};   // along which the devices of a group differ
  int64_t devices = 1;  // in the largest group
  /// Devices of each group, the root first; empty where all groups are those of `axes`, no device
  /// is in none, and all send alike.
  ir::GroupList groups = {};
  const ir::PermuteMap* map = nullptr;  // of an spmd permute
  std::vector<DevicePair> pairs = {};   // of a StableHLO permute
};

/// Source and target of each message of a permute. Cost: devices.
std::vector<DevicePair> pairs_of(const CollectiveView& view);

/// Bytes that the busiest device sends. Cost: constant, but for listed groups and for permutes that
/// list or relabel devices.
int64_t most_sent(const CollectiveView& view);

/// Bytes that each device sends.
struct SentBytes {
  int64_t each = 0;                // by every device
  std::vector<int64_t> more = {};  // and by each device in addition; empty: nothing

  /// Of the busiest device.
  int64_t most() const;
  void add(const SentBytes& other, int64_t times);
};

/// Cost: constant where all devices send alike, else devices.
SentBytes sent_bytes(const CollectiveView& view);

/// Bytes over the links of an axis of the mesh, by the devices that send along it: `bytes` each. Of
/// a broadcast and a reduction to one device the links of the root are the busy ones.
/// Cost: as sent_bytes.
SentBytes sent_along(const CollectiveView& view, int32_t axis, int64_t bytes);

/// The collectives of one per-device program, which is verified and outlives this.
class CollectiveViews {
 public:
  explicit CollectiveViews(const ir::Module& program);

  /// Nullopt for an op that does not communicate, or whose groups name devices that do not exist.
  std::optional<CollectiveView> of(ir::OpId op) const;

 private:
  struct NamedMesh {
    std::string_view name;
    const Mesh* mesh;
  };

  std::optional<CollectiveView> spmd_view(ir::OpId op, Exchange exchange) const;
  std::optional<CollectiveView> process_view(ir::OpId op, Exchange exchange) const;
  std::optional<CollectiveView> permute_view(ir::OpId op, CollectiveView view) const;
  void find_axes(CollectiveView& view, const ir::GroupList& groups) const;

  const ir::Module& program_;
  std::vector<NamedMesh> meshes_;  // as the program lists them
  ir::ProcessCounts counts_;
};

}  // namespace shardy::partitioning
