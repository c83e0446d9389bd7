// Partitioning: lowers a program with final shardings to one program that every device runs.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/ir/module.hpp>
#include <shardy/partitioning/foreign.hpp>
#include <shardy/partitioning/halo_options.hpp>
#include <shardy/partitioning/replication_note.hpp>
#include <shardy/partitioning/stablehlo_form.hpp>
#include <shardy/rules/registry.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace shardy::partitioning {

/// Treatment of arguments and results whose dims do not divide. Spec: partitioning 1.2 I7.
enum class IoPadding : uint8_t {
  Divisible,  // an uneven dim is an error
  Padded      // buffers have ceil(n / P) elements; padding is unspecified
};

/// Options of partition.
struct PartitionOptions {
  /// Treatment of uneven dims of arguments and results.
  IoPadding io_padding = IoPadding::Divisible;
  HaloOptions halo;              // how halos are exchanged
  bool lenient_reshard = false;  // lower remaining sdy.reshard ops by gathering and slicing
  /// Emit plain StableHLO of that form; std::nullopt: `spmd` ops. Spec: partitioning 4.4.
  std::optional<StablehloForm> stablehlo = {};
};

/// Sharding rules and lowerings of an embedder's ops.
struct ForeignOps {
  rules::Registry rules = {};       // sharding rules
  ForeignLowerings lowerings = {};  // lowerings to per-device ops
};

/// The per-device program and notes on replication.
struct PartitionResult {
  ir::Module module;                   // per-device program
  std::vector<ReplicationNote> notes;  // in program order
};

/// Lowers a program to one per-device program for all devices of the mesh.
///
/// The input has global shapes, and its shardings differ only across sdy collectives (see the
/// export passes). The result has local shapes and communicates by `spmd` ops over mesh axes, so
/// that its size does not depend on the number of devices, or by StableHLO collectives. Arguments
/// and results have `sdy.sharding` and `spmd.global_type` attributes. Errors: one per op that
/// cannot be lowered, in program order, each with its code of partitioning 12. Spec: partitioning
/// 1-9.
tl::expected<PartitionResult, Diagnostics> partition(const ir::Module& module,
                                                     const PartitionOptions& options = {},
                                                     const ForeignOps& foreign = {});

/// Returns an error for each argument and result of main that IoPadding::Divisible rejects. For
/// source programs: the export passes shorten shardings found by propagation. Spec: partitioning
/// 1.2 I7.
Diagnostics non_divisible_io(const ir::Module& module);

}  // namespace shardy::partitioning
