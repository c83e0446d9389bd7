// Prices of annotated programs by their reports, compiled on several threads.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "autoshard/emission.hpp"
#include "report/pricing.hpp"
#include "shardy/autoshard/autoshard.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/ir/module.hpp"

// Spec: autoshard U.7.

namespace shardy::autoshard {

/// Compiles one program under many lists of changes. Programs that propagation makes equal are
/// lowered once.
class ProgramPricer {
 public:
  /// `searched`, `options` and `context` must outlive it.
  ProgramPricer(const ir::Module& searched, const AutoshardOptions& options,
                const checking::Context& context, std::vector<ModelTie> ties)
      : searched_(searched), options_(options), context_(context), ties_(std::move(ties)) {}

  /// Returns the price of a compiled program.
  ProgramPrice price_of(const checking::CompiledProgram& compiled) const;
  /// Propagates the program under changes that most of the next lists will share, to find programs
  /// that are equal after propagation.
  void set_base(std::span<const SourceChange> changes);
  /// Returns the price of the program under each list of changes; std::nullopt for errors,
  /// for ties that do not hold, and for those after a stop except the first.
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
  report::AnswersByModule<std::optional<ProgramPrice>> known_;
  std::size_t num_programs_ = 0;  // tried
  std::size_t num_refused_ = 0;   // compiled with errors
};

}  // namespace shardy::autoshard
