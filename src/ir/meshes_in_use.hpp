// The meshes that a program runs on. Spec: dialect 6.1.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"

namespace shardy::ir {

/// The function and those that it calls, directly or indirectly, each once.
/// Cost: linear in these functions.
std::vector<OpId> reached_functions(const Module& module, OpId function);

/// The mesh ops used by the functions in shardings, per-device ops or replica groups, in the order
/// of the module.
std::vector<OpId> meshes_in_use(const Module& module, const std::vector<OpId>& functions);

/// The functions of the program: the main function and its callees; without a main function all.
std::vector<OpId> program_functions(const Module& module);

/// Returns the first mesh with axes that the functions use; std::nullopt without one.
std::optional<MeshRef> mesh_of(const Module& module, const std::vector<OpId>& functions);

/// Returns the mesh of the program, else the first one of the module with axes; std::nullopt
/// without one.
std::optional<MeshRef> mesh_of_program(const Module& module);

/// The number of devices that run the functions: those of the largest mesh that they use; of
/// mesh_of_program if they use no mesh with axes.
int64_t devices_of(const Module& module, const std::vector<OpId>& functions);

}  // namespace shardy::ir
