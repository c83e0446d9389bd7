// The passes of the export phase. Spec: passes 5 and 6, resharding.
#include <fmt/core.h>

#include <string>
#include <vector>

#include "shardy/passes/built_in.hpp"
#include "shardy/passes/export/canonicalize.hpp"
#include "shardy/passes/export/export_pipeline.hpp"

namespace shardy::passes {

namespace {

/// All patterns, or those of the labels asked for without those of the labels not wanted.
PassErrors run_canonicalize(ir::Module& module, PassContext& context) {
  CanonicalizeOptions chosen;
  const std::vector<std::string> enabled = context.options().list("enable-patterns");
  if (!enabled.empty()) {
    chosen = {.reshards = false, .collectives = false, .unlabelled = false};
  }
  const auto choose = [&](const std::vector<std::string>& labels, bool wanted) {
    for (const std::string& label : labels) {
      const std::optional<CanonicalizeOptions> group = only_labelled(label);
      if (!group) context.warn("no pattern has the label " + label);
      if (group && group->reshards) chosen.reshards = wanted;
      if (group && group->collectives) chosen.collectives = wanted;
    }
  };
  choose(enabled, true);
  choose(context.options().list("disable-patterns"), false);
  return canonicalize(module, chosen);
}

Pass canonicalize_pass() {
  return {
      .name = "canonicalize",
      .summary = "applies the patterns of canonicalization until none fits",
      .phase = PassPhase::Export,
      .options = {{"enable-patterns", OptionType::String, "",
                   "labels of the patterns that run: sdy-reshard, sdy-collective; empty: all"},
                  {"disable-patterns", OptionType::String, "",
                   "labels of the patterns that do not run"}},
      .run = &run_canonicalize,
  };
}

}  // namespace

void register_export_passes(PassRegistry& registry) {
  const std::vector<Pass> passes = {
      {.name = "sdy-sharding-constraint-to-reshard",
       .summary = "turns sharding constraints into reshards",
       .phase = PassPhase::Export,
       .kind = PassKind::Function,
       .run = body(&sharding_constraint_to_reshard)},
      {.name = "sdy-close-shardings",
       .summary = "closes all dims and drops explicitly replicated axes",
       .phase = PassPhase::Export,
       .run = body(&close_shardings)},
      {.name = "sdy-insert-explicit-reshards",
       .summary = "makes the shardings around every op agree with its rule by reshards",
       .phase = PassPhase::Export,
       .kind = PassKind::Function,
       .options = {{"enable-full-version", OptionType::Bool, "false",
                    "reshard around every op, not only where reductions need it"}},
       .run = body(&insert_explicit_reshards)},
      {.name = "sdy-reshard-to-collectives",
       .summary = "turns reshards into sequences of collectives",
       .phase = PassPhase::Export,
       .kind = PassKind::Function,
       .options = {{"keep-redundant-reshards", OptionType::Bool, "false",
                    "leave reshards between equivalent shardings"}},
       .run = body(&reshard_to_collectives)},
      canonicalize_pass(),
  };
  for (const Pass& pass : passes) static_cast<void>(registry.add(pass));
}

std::vector<PassCall> lowering_pipeline() {
  return {{"sdy-sharding-constraint-to-reshard"},
          {"sdy-close-shardings"},
          {"sdy-insert-explicit-reshards", "enable-full-version=true"},
          {"canonicalize", "enable-patterns=sdy-reshard"},
          {"sdy-reshard-to-collectives"},
          {"canonicalize", "enable-patterns=sdy-collective"}};
}

}  // namespace shardy::passes
