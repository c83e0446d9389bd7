// Device ids and communication of per-device programs in StableHLO. Spec: partitioning 4.3, 4.4.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/mesh.hpp"
#include "shardy/ir/attribute.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/support/result.hpp"

namespace shardy::partitioning {

// ---- Numbers of devices -------------------------------------------------------------------------

/// Creates an i64 constant of rank 0.
ir::ValueId i64_constant(ir::Builder& builder, int64_t number);

/// Returns the partition or replica id of the device as i64.
ir::ValueId device_number(ir::Builder& builder, ir::OpKind kind);

/// Returns table[index] of a constant table.
ir::ValueId table_entry(ir::Builder& builder, const std::vector<int64_t>& table, ir::ValueId index);

/// Returns the coordinate of the device along the axes, major first. Computes it from the device
/// id, or looks it up in a table if the mesh lists device ids.
ir::ValueId coordinate_of(ir::Builder& builder, const Mesh& mesh, std::span<const AxisRef> axes,
                          ir::ValueId device);

/// Returns one E_MESH_MISMATCH per spmd op whose mesh does not contain all devices of the program.
/// Spec: partitioning 4.4.
Diagnostics wrong_device_counts(const ir::Module& module);

// ---- Pairs of devices ---------------------------------------------------------------------------

// The permute maps and groups of collectives as lists of devices. Spec: partitioning 4.3, 4.4.

using DevicePair = std::pair<int64_t, int64_t>;  // source, target

/// Returns the (source, target) pairs, ordered by the source's position on `mesh`.
std::vector<DevicePair> device_pairs(const ir::PermuteMap& map, const Mesh& mesh,
                                     std::span<const AxisRef> axes);

// ---- Collectives --------------------------------------------------------------------------------

/// Checks whether each result of the collective's reducer depends only on the corresponding
/// operand. True for ops without a reducer.
bool has_separate_reducers(const ir::Module& module, ir::OpId op);

/// Returns the greatest channel of the program; 0 if it has no channels.
int64_t last_channel(const ir::Module& module);
/// Returns `#stablehlo.channel_handle<handle = 3, type = 1>` for channel 3. Type 1 is device to
/// device.
ir::Attribute channel_handle(int64_t channel);

/// A source of channels for new collectives. Each is greater than all channels of the module.
class CollectiveChannels {
 public:
  CollectiveChannels(const ir::Module& module, int64_t replica_count)
      : replica_count_(replica_count), last_(last_channel(module)) {}

  /// Adds the next channel to a collective. Without a channel, collectives other than reductions
  /// and gathers communicate across replicas.
  void add_to(ir::OpSpec& spec);

 private:
  int64_t replica_count_;
  int64_t last_;
};

/// Returns `dense<[[0, 1], [2, 3]]>`: the numbers in `rows` rows.
ir::Attribute matrix(const std::vector<int64_t>& numbers, int64_t rows);
/// Returns one row per pair.
ir::Attribute matrix(const std::vector<DevicePair>& pairs);
/// Returns rows of devices that differ along the axes. The device with index `root` comes first in
/// each row.
ir::Attribute listed_groups(const Mesh& mesh, const AxisList& axes, int64_t root = 0);
/// Returns the groups as axes of a mesh. `mesh_text` is `@mesh` or an inlined mesh.
ir::Attribute mesh_groups(const std::string& mesh_text, const Mesh& mesh, const AxisList& axes);

/// A builder of collectives, each of which has a new channel.
class CollectiveWriter {
 public:
  CollectiveWriter(ir::Module& module, const StablehloForm& form)
      : module_(module), form_(form), channels_(module, form.replica_count) {}

  /// Writes the StableHLO form of an spmd collective and returns its results. Requires:
  /// has_separate_reducers.
  std::vector<ir::ValueId> write(ir::OpId op, ir::Builder& builder);

 private:
  ir::OpSpec spec_for(ir::OpId op, ir::OpKind kind) const;
  std::vector<ir::ValueId> made(ir::OpSpec spec, ir::Builder& builder);
  std::vector<ir::ValueId> combined(ir::OpId op, ir::Builder& builder);
  std::vector<ir::ValueId> permuted(ir::OpId op, ir::Builder& builder);
  ir::RegionId reducer_of(ir::OpId op, std::size_t index);

  ir::Module& module_;
  StablehloForm form_;
  CollectiveChannels channels_;
};

}  // namespace shardy::partitioning
