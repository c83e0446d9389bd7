// Mesh axes along which devices hold different values in a per-device program.
#pragma once

#include <unordered_map>
#include <utility>

#include "shardy/algebra/axis_list.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::partitioning {

/// Arguments vary along the axes of their shardings, results along those of their operands, except
/// results that collectives make equal. Loop-carried values vary as their initial values; results
/// of branches are assumed equal.
class VaryingAxes {
 public:
  explicit VaryingAxes(const ir::Module& program);

  /// Returns no axes for values created after the analysis.
  const AxisList& of(ir::ValueId value) const;
  void set(ir::ValueId value, AxisList axes) { axes_[value] = std::move(axes); }

 private:
  void add_arguments(const ir::Module& program, ir::OpId function);
  void add_op(const ir::Module& program, ir::OpId op);

  std::unordered_map<ir::ValueId, AxisList> axes_;  // never iterated
};

}  // namespace shardy::partitioning
