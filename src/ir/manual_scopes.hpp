// The axes that manual computations bind in their bodies and in the functions that the bodies call.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "ir/verify_context.hpp"
#include "shardy/algebra/manual_axes.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::ir {

/// Returns the axes of the mesh that are not bound. Collectives at this op exchange data along
/// these axes only.
AxisList free_axes(const Mesh& mesh, const BoundAxes& bound);

/// Returns the mesh of the first sharding of a manual computation that has axes.
std::optional<MeshRef> mesh_of_manual(const Module& module, OpId manual);

/// The axes bound at an op, and the mesh that orders the devices there.
struct ManualContext {
  BoundAxes bound;
  std::optional<Mesh> mesh;  // mesh of the outermost manual computation that binds axes
  friend bool operator==(const ManualContext&, const ManualContext&) = default;
};

/// The axes that are bound at each op of a module. Axes are bound by the manual computations around
/// the op and by those around direct or indirect calls of its function. If a function is called
/// from several ops, all axes bound at any of these ops are bound in the function. Valid until a
/// call or a manual computation is added or moved to another function.
class ManualScopes {
 public:
  /// Cost: linear in the program; constant if the program has no manual computations.
  explicit ManualScopes(const Module& module);

  /// Returns the axes bound at the entry of a function.
  const ManualScope& of_function(OpId function) const;
  /// Returns the axes bound at the op. For a manual computation these do not include its own manual
  /// axes.
  BoundAxes at(OpId op) const;
  /// Returns the bound axes at the op and the mesh of outermost(op).
  ManualContext context(OpId op) const;
  /// Returns the outermost manual computation that binds an axis at the op. If the function is
  /// called from several manual computations, returns one of them. Returns an invalid op if no axis
  /// is bound.
  OpId outermost(OpId op) const;
  /// Returns whether the op is in the body of a manual computation, possibly one that binds no
  /// axis, or in a function that a body calls directly or indirectly.
  bool in_body(OpId op) const;

 private:
  ManualScope around(OpId op) const;
  bool add_call(OpId call, OpId callee);

  const Module& module_;
  std::unordered_map<OpId, ManualScope> functions_;  // only functions with bound axes
  std::unordered_set<OpId> called_in_body_;
  bool has_manual_ = false;
};

}  // namespace shardy::ir
