// Axes that manual computations bind, also in the functions that their bodies call.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "ir/verify_context.hpp"
#include "shardy/algebra/manual_axes.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::ir {

/// Returns the axes of the mesh that are not bound: devices exchange data along these only.
AxisList free_axes(const Mesh& mesh, const BoundAxes& bound);

/// Returns the mesh of the first sharding of a manual computation that has axes.
std::optional<MeshRef> mesh_of_manual(const Module& module, OpId manual);

/// Axes bound at an op, and the order of the devices there.
struct ManualContext {
  BoundAxes bound;
  std::optional<Mesh> mesh;  // of the outermost manual computation that binds axes
  friend bool operator==(const ManualContext&, const ManualContext&) = default;
};

/// The axes that are bound at each op of a module: by the manual computations around it, and by
/// those around the calls of its function, directly or indirectly. A function that is called from
/// several places has the bound axes of all of them. Valid as long as no call and no manual
/// computation is added or moved to another function.
class ManualScopes {
 public:
  /// Cost: linear in the program; constant without manual computations.
  explicit ManualScopes(const Module& module);

  /// Bound axes at the entry of a function.
  const ManualScope& of_function(OpId function) const;
  /// Bound axes at the op; a manual computation does not bind its own.
  BoundAxes at(OpId op) const;
  /// Returns the bound axes at the op and the mesh of outermost(op).
  ManualContext context(OpId op) const;
  /// Returns the outermost manual computation that binds an axis at the op. For a function that is
  /// called from several manual computations, returns one of them. Invalid without bound axes.
  OpId outermost(OpId op) const;
  /// Returns whether the op is in a manual computation, which may bind no axis, or in a function
  /// that a body calls, directly or indirectly.
  bool in_body(OpId op) const;

 private:
  ManualScope around(OpId op) const;
  bool add_call(OpId call, OpId callee);

  const Module& module_;
  std::unordered_map<OpId, ManualScope> functions_;  // only those with bound axes
  std::unordered_set<OpId> called_in_body_;
  bool has_manual_ = false;
};

}  // namespace shardy::ir
