// Runs all patterns of canonicalization to a fixpoint.
#include <array>

#include "passes/export/canonicalize.hpp"
#include "passes/export/export_passes.hpp"
#include "shardy/passes/export_pipeline.hpp"

namespace shardy::passes {

namespace {

using Pattern = bool (*)(ir::Module&);

struct PatternRow {
  Pattern apply;
  bool CanonicalizeOptions::*group;
};

constexpr std::array kPatterns = {
    PatternRow{&join_reshards, &CanonicalizeOptions::reshards},
    PatternRow{&simplify_collectives, &CanonicalizeOptions::collectives},
    PatternRow{&reuse_reshards, &CanonicalizeOptions::unlabelled},
    PatternRow{&drop_unused_manual_arguments, &CanonicalizeOptions::unlabelled},
    PatternRow{&erase_empty_manual_computations, &CanonicalizeOptions::unlabelled},
    PatternRow{&inline_trivial_manual_computations, &CanonicalizeOptions::unlabelled},
};

}  // namespace

std::optional<CanonicalizeOptions> only_labelled(std::string_view label) {
  CanonicalizeOptions options{.reshards = false, .collectives = false, .unlabelled = false};
  if (label == "sdy-reshard") {
    options.reshards = true;
    return options;
  }
  if (label == "sdy-collective") {
    options.collectives = true;
    return options;
  }
  return std::nullopt;
}

PassErrors canonicalize(ir::Module& module, const CanonicalizeOptions& options) {
  // Terminates: each pattern reduces the number of reshards, collectives or manual computations.
  for (bool changed = true; changed;) {
    changed = erase_dead_ops(module);
    for (const PatternRow& row : kPatterns) {
      if (options.*row.group) changed = row.apply(module) || changed;
    }
  }
  return {};
}

}  // namespace shardy::passes
