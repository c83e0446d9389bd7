// A common view of the collectives of a per-device program, in the spmd dialect and in
// StableHLO. Spec: partitioning 4.2, 4.4, 11.9.
//
//   "spmd.all_reduce"(%a) {axes = x, mesh = @mesh}           ->   AllReduce, 1024 bytes,
//   "stablehlo.all_reduce"(%a) {replica_groups = [[0, 1], ..]}    along "x" of @mesh
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/process_groups.hpp"
#include "partitioning/stablehlo_collectives.hpp"
#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/mesh.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::partitioning {

/// The communication pattern within a group. Broadcast: the root sends to all others. Reduce: all
/// others send to the root.
enum class ExchangePattern : uint8_t {
  AllGather,
  AllReduce,
  ReduceScatter,
  AllToAll,
  Broadcast,
  Reduce,
  Permute
};

/// One collective of either dialect.
struct CollectiveView {
  ExchangePattern exchange = ExchangePattern::Permute;
  int64_t bytes = 0;  // size of the operands on one device
  /// The name of the mesh whose axes form the groups. Empty if the groups are not along the axes of
  /// any mesh.
  std::string mesh_name = {};
  Mesh mesh = {};  // the mesh `mesh_name`; without a name, one axis as large as the largest group
  AxisList axes = {};   // along which the devices of a group differ
  int64_t devices = 1;  // number in the largest group
  /// The devices of each group, the root first. Empty if `axes` define the groups, the groups
  /// contain
  /// all devices, and all devices send the same number of bytes.
  ir::GroupList groups = {};
  const ir::PermuteMap* map = nullptr;  // null unless the op is an spmd.permute
  std::vector<DevicePair> pairs = {};   // set for a StableHLO permute
};

/// Returns the source and target of each message of a permute. Cost: linear in devices.
std::vector<DevicePair> pairs_of(const CollectiveView& view);

/// Returns the bytes that the busiest device sends. Cost: constant; linear in devices for listed
/// groups and for permutes that list or relabel devices.
int64_t most_sent(const CollectiveView& view);

/// The bytes that each device sends: `each`, plus its element of `more`.
struct SentBytes {
  int64_t each = 0;                // common to all devices
  std::vector<int64_t> more = {};  // per device; empty: all zero

  /// Returns the largest number of bytes of a device.
  int64_t most() const;
  void add(const SentBytes& other, int64_t times);
};

/// Returns the bytes sent by each device. Cost: constant if all devices send equally, else linear
/// in devices.
SentBytes sent_bytes(const CollectiveView& view);

/// Returns the bytes over the links of a mesh axis if each sending device sends `bytes` along it.
/// Broadcast and reduce load the links of the root. Cost: as for sent_bytes.
SentBytes sent_along(const CollectiveView& view, int32_t axis, int64_t bytes);

/// The collectives of one verified per-device program, which must outlive this object.
class CollectiveViews {
 public:
  explicit CollectiveViews(const ir::Module& program);

  /// Checks whether the op is a collective.
  bool communicates(ir::OpId op) const;
  /// Returns the view of the op; std::nullopt for an op that does not communicate or whose groups
  /// list devices that do not exist.
  std::optional<CollectiveView> of(ir::OpId op) const;

 private:
  struct DeclaredMesh {
    std::string_view name;
    const Mesh* mesh;
  };

  std::optional<CollectiveView> spmd_view(ir::OpId op, ExchangePattern exchange) const;
  std::optional<CollectiveView> process_view(ir::OpId op, ExchangePattern exchange) const;
  std::optional<CollectiveView> permute_view(ir::OpId op, CollectiveView view) const;
  void find_axes(CollectiveView& view, const ir::GroupList& groups) const;

  const ir::Module& program_;
  std::vector<DeclaredMesh> meshes_;  // in program order
  ir::ProcessCounts counts_;
};

}  // namespace shardy::partitioning
