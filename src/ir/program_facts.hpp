// Facts about whole programs: the meshes and devices that run them, their memory, the names of
// their random draws, and the axes that manual computations bind.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/verify_context.hpp"
#include "shardy/algebra/manual_axes.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::ir {

/// Returns the function and all functions that it calls directly or indirectly, each once. Cost:
/// linear in these functions.
std::vector<OpId> reached_functions(const Module& module, OpId function);

/// Returns the mesh ops that the functions use in shardings, per-device ops or replica groups, in
/// the order of the module.
std::vector<OpId> meshes_in_use(const Module& module, const std::vector<OpId>& functions);

/// Returns the main function and its callees; all functions if the module has no main function.
std::vector<OpId> program_functions(const Module& module);

/// Returns the first mesh with axes that the functions use; std::nullopt if they use no such mesh.
std::optional<MeshRef> mesh_of(const Module& module, const std::vector<OpId>& functions);

/// Returns the first mesh with axes that the program uses, else the first mesh with axes of the
/// module, else std::nullopt.
std::optional<MeshRef> mesh_of_program(const Module& module);

/// Returns the number of devices that run the functions: the size of the largest mesh that they
/// use. If they use no mesh with axes, the size of mesh_of_program.
int64_t devices_of(const Module& module, const std::vector<OpId>& functions);

/// Returns the bytes of the tables and attributes of a module, estimated by its ops and values.
/// Constants are shared between modules and do not count. Cost: constant.
int64_t program_bytes(const Module& module);

/// The names of all stablehlo.rng ops of a module and of all calls. The name of a draw in a callee
/// includes the name of the call. A name is the attribute kDrawAttr if the op has one. Otherwise
/// the name consists of the function and the number of the op among the draws and calls of the
/// function. Names depend neither on locations nor on the text form of the program.
class DrawNames {
 public:
  /// Finds no names if the module has no stablehlo.rng. Cost: linear in the module.
  explicit DrawNames(const Module& module);

  /// Requires: `op` is a draw or a call of the module, and the module has draws.
  const std::string& of(OpId op) const { return names_.at(op); }

 private:
  friend void name_draws(Module& module);

  std::unordered_map<OpId, std::string> names_;
};

/// Stores the names as attributes of the ops, which passes keep.
void name_draws(Module& module);
/// Returns whether a draw of the module has no attribute with its name.
bool has_unnamed_draws(const Module& module);

// ---- Axes that manual computations bind ---------------------------------------------------------

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
