// The passes that need the partitioner. Spec: passes 5.19, partitioning 4.4, 10.
#include <utility>
#include <vector>

#include "partitioning/per_instruction.hpp"
#include "passes/common/preconditions.hpp"
#include "shardy/partitioning/passes.hpp"
#include "shardy/partitioning/stablehlo_form.hpp"
#include "shardy/passes/built_in.hpp"

namespace shardy::partitioning {

using ir::Module;
using passes::OptionType;
using passes::PassContext;
using passes::PassErrors;

namespace {

PassErrors stablehlo_form(Module& module, PassContext& context) {
  const bool by_mesh = context.flag("mesh-groups");
  return to_stablehlo_form(module, {.groups = by_mesh ? ReplicaGroups::Mesh : ReplicaGroups::List,
                                    .replica_count = context.number("replica-count"),
                                    .partition_count = context.number("partition-count")});
}

const std::vector<passes::PassOption>& process_options() {
  static const std::vector<passes::PassOption> options = {
      {"replica-count", OptionType::Int, "1", "number of replicas"},
      {"partition-count", OptionType::Int, "1", "number of partitions"}};
  return options;
}

/// Options of a pass, and behind them those of processes.
std::vector<passes::PassOption> with_processes(std::vector<passes::PassOption> options) {
  options.insert(options.end(), process_options().begin(), process_options().end());
  return options;
}

}  // namespace

void register_partitioning_passes(passes::PassRegistry& registry, ForeignLowerings lowerings) {
  static_cast<void>(registry.add({
      .name = "sdy-per-instruction-partitioning",
      .summary = "partitions ops one by one, each in a manual computation of its own",
      .phase = passes::PassPhase::Export,
      .options = with_processes(
          {{"filter", OptionType::String, "",
            "which ops: parts of names, selectLow=N, selectHigh=N; empty: all"},
           {"enable-halo-exchange", OptionType::Bool, "true", "accepted, no effect"}}),
      .run =
          [lowerings = std::move(lowerings)](Module& module, PassContext& context) {
            return partition_instructions(module, lowerings, context);
          },
      .wants = {&passes::wants_owned_edges, &passes::wants_named_meshes},
  }));
  static_cast<void>(registry.add({
      .name = "spmd-to-stablehlo",
      .summary = "turns the spmd ops of a per-device program into plain StableHLO",
      .phase = passes::PassPhase::Export,
      .options = with_processes({{"mesh-groups", OptionType::Bool, "false",
                                  "replica groups name axes of a mesh instead of devices"}}),
      .run = &stablehlo_form,
  }));
}

passes::PassRegistry all_passes(ForeignLowerings lowerings) {
  passes::PassRegistry registry = passes::built_in_passes();
  register_partitioning_passes(registry, std::move(lowerings));
  return registry;
}

}  // namespace shardy::partitioning
