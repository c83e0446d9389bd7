// Communication of per-device programs as StableHLO collectives. Spec: partitioning 4.4.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shardy/algebra/axis_list.hpp"
#include "shardy/algebra/mesh.hpp"
#include "shardy/ir/builder.hpp"
#include "shardy/partitioning/stablehlo_form.hpp"

namespace shardy::partitioning {

/// Checks whether each result of a collective's reducer depends only on the corresponding operand.
/// True for ops without reducer.
bool has_separate_reducers(const ir::Module& module, ir::OpId op);

/// Returns the greatest channel of the program; 0 without channels.
int64_t last_channel(const ir::Module& module);
/// Returns `#stablehlo.channel_handle<handle = 3, type = 1>`: type 1 is device to device.
ir::Attribute channel_handle(int64_t channel);

/// Returns `dense<[[0, 1], [2, 3]]>` with `rows` rows.
ir::Attribute matrix(const std::vector<int64_t>& numbers, int64_t rows);
/// Returns rows of devices that differ along the axes; the one with index `root` is first in each.
ir::Attribute listed_groups(const Mesh& mesh, const AxisList& axes, int64_t root = 0);
/// Returns the groups as axes of a mesh; `mesh_text` is `@mesh` or an inlined mesh.
ir::Attribute mesh_groups(const std::string& mesh_text, const Mesh& mesh, const AxisList& axes);

/// A builder of collectives, each with a new channel.
class CollectiveWriter {
 public:
  CollectiveWriter(ir::Module& module, const StablehloForm& form)
      : module_(module), form_(form), channel_(last_channel(module)) {}

  /// Writes the StableHLO form of an spmd collective and returns its results. Requires:
  /// has_separate_reducers.
  std::vector<ir::ValueId> write(ir::OpId op, ir::Builder& builder);

 private:
  ir::OpSpec spec_for(ir::OpId op, ir::OpKind kind) const;
  void add_channel(ir::OpSpec& spec);
  std::vector<ir::ValueId> made(ir::OpSpec spec, ir::Builder& builder);
  std::vector<ir::ValueId> combined(ir::OpId op, ir::Builder& builder);
  std::vector<ir::ValueId> permuted(ir::OpId op, ir::Builder& builder);
  ir::RegionId reducer_of(ir::OpId op, std::size_t index);

  ir::Module& module_;
  StablehloForm form_;
  int64_t channel_;
};

}  // namespace shardy::partitioning
