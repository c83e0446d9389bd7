// Registry rows of Shardy's partitioning passes. Spec: passes 5.19, partitioning 10.
#include <utility>
#include <vector>

#include "partitioning/ir_names.hpp"
#include "partitioning/reference/passes.hpp"
#include "passes/common/ops.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/passes/pipeline.hpp"

namespace shardy::partitioning {

using passes::OptionType;
using passes::PassContext;

Diagnostics verify_processes(const ir::ProcessCounts& counts) {
  if (counts.replicas <= 1 || counts.partitions <= 1) return {};
  return {
      Error{"Shardy partitioner does not support replica_count > 1 && partition_count > 1 yet."}};
}

namespace {

/// Adds a note to errors about local types, which shardings that disagree cause: the note names the
/// passes that must run before.
Diagnostics expect_agreement(const Module& module, Diagnostics errors) {
  if (!errors.empty()) return errors;
  errors = ir::verify(module);
  if (errors.empty()) return errors;
  errors.front().notes.emplace_back(
      "run the export passes, sdy-insert-explicit-reshards=enable-full-version and "
      "sdy-reshard-to-collectives first");
  return errors;
}

Diagnostics divisibility(Module& module) {
  return expect_agreement(module, pad_for_divisibility(module));
}

ir::ProcessCounts processes_of(PassContext& context) {
  return {context.number("replica-count"), context.number("partition-count")};
}

Diagnostics permutation_factors(Module& module, PassContext& context) {
  return resolve_permutation_factors(module,
                                     {.enable_halo_exchange = context.flag("enable-halo-exchange"),
                                      .processes = processes_of(context)},
                                     context.rules());
}

Diagnostics global_to_local(Module& module, PassContext& context) {
  const GlobalToLocalOptions options = {.per_dim_all_gather = context.flag("per-dim-all-gather"),
                                        .combine_multi_dimension_reduce_scatter =
                                            context.flag("combine-multi-dimension-reduce-scatter"),
                                        .enable_rgv3 = context.flag("enable-rgv3"),
                                        .keep_global_types = context.flag("keep-global-types"),
                                        .processes = processes_of(context)};
  return expect_agreement(module, convert_global_to_local(module, options, context.rules()));
}

const std::vector<passes::PassOption>& process_options() {
  static const std::vector<passes::PassOption> options = {
      {"replica-count", OptionType::Int, "1", "number of replicas"},
      {"partition-count", OptionType::Int, "1", "number of partitions"}};
  return options;
}

/// Returns the options of a pass, followed by the options for replicas and partitions.
std::vector<passes::PassOption> with_processes(std::vector<passes::PassOption> options) {
  options.insert(options.end(), process_options().begin(), process_options().end());
  return options;
}

}  // namespace

void register_reference_passes(passes::PassRegistry& registry, ForeignLowerings lowerings) {
  static_cast<void>(registry.add({
      .name = "sdy-per-instruction-partitioning",
      .summary = "partitions ops one by one, each in a separate manual computation",
      .phase = passes::PassPhase::Export,
      .options = with_processes(
          {{"filter", OptionType::String, "",
            "ops to partition: substrings of names, func=NAME, selectLow=N, selectHigh=N; empty: "
            "all"},
           {"lowering", OptionType::String, "native",
            "lowering: native, by the partitioner, or reference, by Shardy's passes"},
           {"enable-halo-exchange", OptionType::Bool, "true",
            "slices, pads and reverses exchange halos; lowering=reference"}}),
      .run =
          [lowerings = std::move(lowerings)](Module& module, PassContext& context) {
            return partition_instructions(module, lowerings, context);
          },
      .wants = {&passes::require_owned_edges, &passes::require_named_meshes},
  }));
  static_cast<void>(registry.add({
      .name = "sdy-resolve-permutation-factors",
      .summary =
          "lowers ops that move elements along sharded dims to halo exchanges, or replicates dims",
      .phase = passes::PassPhase::Export,
      .options = with_processes({{"enable-halo-exchange", OptionType::Bool, "true",
                                  "slices, pads and reverses exchange halos"}}),
      .run = &permutation_factors,
      .wants = {&passes::require_owned_edges},
  }));
  static_cast<void>(registry.add({
      .name = "sdy-pad-for-divisibility",
      .summary = "pads dims to multiples of their shards and masks the padding",
      .phase = passes::PassPhase::Export,
      .kind = passes::PassKind::Function,
      .run = passes::body(&divisibility),
      .wants = {&passes::require_owned_edges},
  }));
  static_cast<void>(registry.add({
      .name = "sdy-convert-global-to-local",
      .summary = "converts global shapes and collectives of shardings to the per-device program",
      .phase = passes::PassPhase::Export,
      .options = with_processes(
          {{"per-dim-all-gather", OptionType::Bool, "false", "one all-gather for each dim"},
           {"combine-multi-dimension-reduce-scatter", OptionType::Bool, "false",
            "one reduce-scatter for all dims, instead of an all-reduce"},
           {"enable-rgv3", OptionType::Bool, "false",
            "replica groups name axes of a mesh where no axis is split"},
           {"keep-global-types", OptionType::Bool, "false",
            "arguments and results carry their global types, so that `shardy run` can run it"}}),
      .run = &global_to_local,
      .wants = {&passes::require_owned_edges},
  }));
}

}  // namespace shardy::partitioning
