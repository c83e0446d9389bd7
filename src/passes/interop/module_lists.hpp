// Shardings of a partitioned program as lists of the module. Spec: interop 2.5, 7.1.
#pragma once

#include "passes/interop/sharding_strings.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::passes {

/// Checks whether main is a per-device program: local shapes with global types and shardings as
/// attributes.
bool is_device_program(const ir::Module& module);

/// Exports shardings of arguments and results of a per-device program as `mhlo.spmd_*`:
/// `mhlo.sharding` would apply to global shapes, but the types are local. Errors: shardings without
/// a text form.
Status export_device_program(ir::Module& module, const ShardingStrings& strings);

/// Erases shardings of device programs that were exported.
void erase_device_shardings(ir::Module& module);

/// Replaces `sdy.parameters_shardings` and `sdy.output_shardings` of the module by `mhlo.spmd_*`.
/// Errors: not one per argument or result; an unknown mesh; a sharding without a text form.
Status export_module_lists(ir::Module& module, const ShardingStrings& strings);

/// The inverse: gives arguments and results of a per-device program without shardings those of the
/// lists, as `mhlo.sharding`. Errors: not one text per argument; values that are not texts.
Status place_module_lists(ir::Module& module);

}  // namespace shardy::passes
