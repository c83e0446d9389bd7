// Helpers for tests of manual computations, which run all planners on one program.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "checking/programs.hpp"
#include "shardy/algebra/mesh.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/resharding/best_plan.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

namespace shardy_test {

inline shardy::ir::Module parsed(const std::string& text) {
  auto module = shardy::text::parse_mlir(text);
  INFO((module ? std::string() : text_of(module.error())) << text);
  REQUIRE(module.has_value());
  return *std::move(module);
}

inline shardy::checking::CheckOptions planned(shardy::PlanKind plans, shardy::PlanKind axes) {
  shardy::checking::CheckOptions options;
  options.compile.pipeline.exporting.resharding = {.plans = plans, .common_axes = axes};
  return options;
}

/// Returns an empty text if the sharded run equals the unsharded run. Otherwise returns "differs"
/// or the first error.
inline std::string outcome(const shardy::ir::Module& module,
                           const shardy::checking::CheckOptions& options,
                           const shardy::checking::Context& context = {}) {
  const auto report = shardy::checking::check(module, small_integers(module, 1), options, context);
  if (!report) return report.error().front().message;
  return report->equal() ? "" : "differs";
}

inline void check_all_planners(const std::string& text) {
  const shardy::ir::Module module = parsed(text);
  for (const shardy::PlanKind plans : {shardy::PlanKind::Reference, shardy::PlanKind::Best}) {
    for (const shardy::PlanKind axes : {shardy::PlanKind::Reference, shardy::PlanKind::Best}) {
      CAPTURE(to_string(plans), to_string(axes), text);
      CHECK(outcome(module, planned(plans, axes)).empty());
    }
  }
}

inline shardy::Mesh mesh_of(std::vector<shardy::MeshAxis> axes) {
  return shardy::Mesh::make(std::move(axes)).value();
}

}  // namespace shardy_test
