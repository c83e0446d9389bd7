#include "partitioning/instruction_reference.hpp"

#include "ir/process_groups.hpp"
#include "partitioning/global_to_local.hpp"
#include "partitioning/pad_for_divisibility.hpp"
#include "partitioning/permutation_factors.hpp"
#include "partitioning/stablehlo_collectives.hpp"
#include "passes/export/export_passes.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/export_pipeline.hpp"

namespace shardy::partitioning {

using ir::Module;
using ir::OpId;
using passes::PassErrors;

namespace {

PassErrors lower(Module& alone, const ReferenceLowering& options, const rules::Registry& rules) {
  PassErrors errors =
      resolve_permutation_factors(alone,
                                  {.enable_halo_exchange = options.enable_halo_exchange,
                                   .replica_count = options.replica_count,
                                   .partition_count = options.partition_count},
                                  rules);
  if (!errors.empty()) return errors;
  passes::InsertExplicitReshardsOptions reshards;
  reshards.enable_full_version = true;
  errors = passes::insert_explicit_reshards(alone, reshards, rules);
  if (!errors.empty()) return errors;
  errors = passes::reshard_to_collectives(alone);
  if (!errors.empty()) return errors;
  errors = pad_for_divisibility(alone, FunctionIo::Grows);
  if (errors.empty()) errors = ir::verify(alone);  // checks that shard sizes are consistent
  if (!errors.empty()) return errors;
  GlobalToLocalOptions local;
  local.replica_count = options.replica_count;
  local.partition_count = options.partition_count;
  errors = convert_global_to_local(alone, local, rules);
  if (!errors.empty()) return errors;
  passes::drop_sharding_and_mesh(alone);
  return ir::verify(alone);
}

/// Adds `by` to the channels: each op starts with channel 1, but the module may use some.
void move_channels(Module& alone, int64_t by) {
  for (const OpId op : ir::pre_order(alone)) {
    const int64_t channel = ir::channel_of(alone, op);
    if (channel == 0 || by == 0) continue;
    alone.attributes(op).set(ir::attr::kChannelHandle, channel_handle(channel + by));
  }
}

}  // namespace

PassErrors lower_by_reference(Module& alone, const ReferenceLowering& options,
                              const rules::Registry& rules) {
  PassErrors errors = lower(alone, options, rules);
  if (errors.empty()) move_channels(alone, options.last_channel);
  return errors;
}

}  // namespace shardy::partitioning
