// Along which mesh axes devices hold different parts of the values of a per-device program.
#pragma once

#include <unordered_map>
#include <utility>

#include "shardy/algebra/axis_list.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::partitioning {

/// Arguments vary along the axes of their shardings, results of ops along those of their operands,
/// but for what collectives make equal. What is carried by a loop varies as at its begin; results
/// of branches are taken to be equal.
class VaryingAxes {
 public:
  explicit VaryingAxes(const ir::Module& program);

  /// None for values that were made since.
  const AxisList& of(ir::ValueId value) const;
  void set(ir::ValueId value, AxisList axes) { axes_[value] = std::move(axes); }

 private:
  void add_arguments(const ir::Module& program, ir::OpId function);
  void add_op(const ir::Module& program, ir::OpId op);

  std::unordered_map<ir::ValueId, AxisList> axes_;  // for look-ups only
};

}  // namespace shardy::partitioning
