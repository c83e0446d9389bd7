// The meshes that a program runs on. Spec: dialect 6.1.
#pragma once

#include <cstdint>
#include <optional>
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

}  // namespace shardy::ir
