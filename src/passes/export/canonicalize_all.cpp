// The patterns of canonicalization together, and their names.
#include <array>

#include "shardy/passes/export/canonicalize.hpp"
#include "shardy/passes/export/export_pipeline.hpp"

namespace shardy::passes {

namespace {

using Pattern = bool (*)(ir::Module&);

struct PatternRow {
  Pattern apply;
  bool CanonicalizeOptions::*group;
};

constexpr std::array kPatterns = {
    PatternRow{&join_reshards, &CanonicalizeOptions::reshards},
    PatternRow{&erase_unused_reshards, &CanonicalizeOptions::reshards},
    PatternRow{&simplify_collectives, &CanonicalizeOptions::collectives},
    PatternRow{&reuse_reshards, &CanonicalizeOptions::unlabelled},
    PatternRow{&drop_unused_manual_arguments, &CanonicalizeOptions::unlabelled},
    PatternRow{&erase_empty_manual_computations, &CanonicalizeOptions::unlabelled},
    PatternRow{&inline_trivial_manual_computations, &CanonicalizeOptions::unlabelled},
};

struct PassRow {
  const char* name;
  const char* summary;
  Pattern apply;
};

constexpr std::array kPasses = {
    PassRow{"reuse-reshards", "makes reshards of one layout one", &reuse_reshards},
    PassRow{"drop-unused-manual-arguments",
            "removes what manual computations take in and do not use",
            &drop_unused_manual_arguments},
    PassRow{"erase-empty-manual-computations", "removes manual computations that do nothing",
            &erase_empty_manual_computations},
    PassRow{"inline-trivial-manual-computations",
            "inlines manual computations whose manual axes have one device",
            &inline_trivial_manual_computations},
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
  // Ends: every pattern takes reshards, collectives or manual computations away.
  for (bool changed = true; changed;) {
    changed = false;
    for (const PatternRow& row : kPatterns) {
      if (options.*row.group) changed = row.apply(module) || changed;
    }
  }
  return {};
}

PassErrors canonicalize_reshards(ir::Module& module) {
  return canonicalize(module, *only_labelled("sdy-reshard"));
}

PassErrors canonicalize_collectives(ir::Module& module) {
  return canonicalize(module, *only_labelled("sdy-collective"));
}

void register_canonicalization_passes(PassRegistry& registry) {
  // A second registration of the same passes changes nothing.
  static_cast<void>(
      registry.add({"canonicalize", "applies all patterns of canonicalization until none fits",
                    [](ir::Module& module) { return canonicalize(module); }}));
  for (const PassRow& row : kPasses) {
    const auto run = [apply = row.apply](ir::Module& module) {
      apply(module);
      return PassErrors();
    };
    static_cast<void>(registry.add({row.name, row.summary, run}));
  }
}

}  // namespace shardy::passes
