// Facts about whole programs: the meshes and devices that run them, their memory, and the names of
// their random draws.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

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

}  // namespace shardy::ir
