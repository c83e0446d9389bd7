// Lowering: a program whose shardings are final becomes one program that every device runs.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/partitioning/fetch_options.hpp>
#include <shardy/partitioning/foreign.hpp>
#include <shardy/partitioning/replication_note.hpp>
#include <shardy/partitioning/stablehlo_form.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace shardy::partitioning {

/// Buffers of arguments and results whose dims do not divide. Spec: partitioning 1.2 I7.
enum class IoPadding : uint8_t {
  Divisible,  // such a dim is an error
  Padded      // callers pass and get ceil(n / P) elements, the rest unspecified
};

/// How a program is lowered to one device.
struct PartitionOptions {
  /// Treatment of uneven dims of arguments and results.
  IoPadding io_padding = IoPadding::Divisible;
  FetchOptions fetch;            // how halos are exchanged
  bool lenient_reshard = false;  // lower what is left of sdy.reshard by gathering and slicing
  /// The program as plain StableHLO of that form; else with `spmd` ops. Spec: partitioning 4.4.
  std::optional<StablehloForm> stablehlo = {};
};

/// Lowerings and rules of an embedder's ops.
struct ForeignOps {
  rules::Registry rules = {};       // their sharding rules
  ForeignLowerings lowerings = {};  // their per-device forms
};

/// The per-device program, and what of it is replicated.
struct PartitionResult {
  ir::Module module;                   // the per-device program
  std::vector<ReplicationNote> notes;  // in program order
};

/// One per-device program for all devices of the mesh.
///
/// The input has global shapes, and its shardings differ only across sdy collectives (passes/export
/// makes it so). The result has local shapes and communicates by `spmd` ops over mesh axes, so that
/// its size does not depend on the number of devices, or by StableHLO collectives. Arguments and
/// results carry `sdy.sharding` and `spmd.global_type`. Errors: one per op that cannot be lowered,
/// in program order, each with its code of partitioning 12. Spec: partitioning 1-9.
tl::expected<PartitionResult, Diagnostics> partition(const ir::Module& module,
                                                     const PartitionOptions& options = {},
                                                     const ForeignOps& foreign = {});

/// Returns the shardings of arguments and results of main that IoPadding::Divisible refuses.
/// For programs as written: the export passes shorten those that propagation found. Spec: 1.2 I7.
Diagnostics non_divisible_io(const ir::Module& module);

}  // namespace shardy::partitioning
