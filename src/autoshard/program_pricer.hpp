// The prices of annotated programs by their reports. Programs are compiled on several threads.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "autoshard/emission.hpp"
#include "passes/export/mesh_planners.hpp"
#include "report/pricing.hpp"
#include "shardy/autoshard/autoshard.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/ir/module.hpp"

// Spec: autoshard U.7.

namespace shardy::autoshard {

/// Compiles one program with many lists of changes. Programs that are equal after propagation are
/// lowered once.
class ProgramPricer {
 public:
  /// `searched`, `options` and `context` must outlive this object.
  ProgramPricer(const ir::Module& searched, const AutoshardOptions& options,
                const checking::Context& context, std::vector<ModelTie> ties)
      : searched_(searched), options_(options), context_(context), ties_(std::move(ties)) {}

  /// Returns the price of a compiled program.
  ProgramPrice price_of(const checking::CompiledProgram& compiled) const;
  /// Propagates the program with changes that most of the next lists will contain. This helps to
  /// find programs that are equal after propagation.
  void set_base(std::span<const SourceChange> changes);
  /// Returns the price of the program with each list of changes. std::nullopt after an error, if a
  /// tie does not hold, and, except for the first list, after a stop.
  std::vector<std::optional<ProgramPrice>> price_all(
      std::span<const std::vector<SourceChange>> lists);

  std::size_t num_programs() const { return num_programs_; }
  std::size_t num_refused() const { return num_refused_; }

 private:
  double feed_seconds(const ir::Module& program) const;
  std::optional<ProgramPrice> price(std::span<const SourceChange> changes);

  const ir::Module& searched_;
  const AutoshardOptions& options_;
  const checking::Context& context_;
  std::vector<ModelTie> ties_;
  std::optional<ir::Module> base_;  // after propagation
  report::ResultsByModule<std::optional<ProgramPrice>> known_;
  passes::KnownPlans plans_;      // of all programs
  std::size_t num_programs_ = 0;  // number of programs tried
  std::size_t num_refused_ = 0;   // number of programs with compilation errors
};

}  // namespace shardy::autoshard
