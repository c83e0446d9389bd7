// Shardings of a finished partitioning, as lists of the module. Spec: interop 2.5, 7.1.
#pragma once

#include "passes/interop/sharding_strings.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::passes {

/// Returns whether main is what one device runs, with shapes and shardings of whole tensors beside
/// it.
bool is_device_program(const ir::Module& module);

/// Exports shardings of arguments and results of a per-device program as `mhlo.spmd_*`: on them
/// `mhlo.sharding` would be that of global tensors with local shapes. Errors: shardings without a
/// text.
Status export_device_program(ir::Module& module, const ShardingStrings& strings);

/// Erases device shardings that were written elsewhere.
void erase_device_shardings(ir::Module& module);

/// `sdy.parameters_shardings` and `sdy.output_shardings` of the module become `mhlo.spmd_*`.
/// Errors: not one per argument or result; an unknown mesh; what has no text.
Status export_module_lists(ir::Module& module, const ShardingStrings& strings);

/// The other way: a per-device program whose arguments and results have no shardings gets those of
/// the lists as `mhlo.sharding`. Errors: not one text per argument; no texts.
Status place_module_lists(ir::Module& module);

}  // namespace shardy::passes
