// Registry rows of the passes that use the partitioner. Spec: partitioning 4.4, 10.
#include <utility>

#include "partitioning/reference/passes.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/pipeline.hpp"

namespace shardy::partitioning {

using passes::OptionType;

namespace {

Diagnostics stablehlo_form(ir::Module& module, passes::PassContext& context) {
  const bool by_mesh = context.flag("mesh-groups");
  return to_stablehlo_form(module,
                           {.groups = by_mesh ? ReplicaGroupsForm::Mesh : ReplicaGroupsForm::List,
                            .replica_count = context.number("replica-count"),
                            .partition_count = context.number("partition-count")});
}

}  // namespace

void register_partitioning_passes(passes::PassRegistry& registry, ForeignLowerings lowerings) {
  register_reference_passes(registry, std::move(lowerings));
  static_cast<void>(registry.add({
      .name = "spmd-to-stablehlo",
      .summary = "turns the spmd ops of a per-device program into plain StableHLO",
      .phase = passes::PassPhase::Export,
      .options = {{"mesh-groups", OptionType::Bool, "false",
                   "replica groups name axes of a mesh instead of devices"},
                  {"replica-count", OptionType::Int, "1", "number of replicas"},
                  {"partition-count", OptionType::Int, "1", "number of partitions"}},
      .run = &stablehlo_form,
  }));
}

passes::PassRegistry all_passes(ForeignLowerings lowerings) {
  passes::PassRegistry registry = passes::built_in_passes();
  register_partitioning_passes(registry, std::move(lowerings));
  return registry;
}

}  // namespace shardy::partitioning
