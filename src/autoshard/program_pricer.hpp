// Annotated programs after propagation, and their prices by their reports. Programs are propagated
// and compiled on several threads. Annotations that do not change the price are dropped.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "autoshard/emission.hpp"
#include "checking/compile_stages.hpp"
#include "passes/export/mesh_planners.hpp"
#include "shardy/autoshard/autoshard.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/ir/module.hpp"

// Spec: autoshard U.7.

namespace shardy::autoshard {

/// The shardings of a propagated program, as hashes: of its operands and results per op of the
/// source, then of the arguments and results of main, then one hash of the other constraints that
/// change a sharding. Lowering depends on nothing else, except for the marks of shardings that the
/// user wrote.
using ShardingDigest = std::vector<std::size_t>;

/// A program with a list of changes.
struct PricedChanges {
  std::optional<ProgramPrice> price = {};
  ShardingDigest digest = {};  // empty: the program has no price
};

/// Compiles one program with many lists of changes. Programs with equal digests are lowered once.
class ProgramPricer {
 public:
  /// `searched`, `options`, `context` and `plans` must outlive this object. `plans` are shared with
  /// other programs.
  ProgramPricer(const ir::Module& searched, const AutoshardOptions& options,
                const checking::Context& context, std::vector<ModelTie> ties,
                passes::KnownPlans& plans)
      : searched_(searched),
        options_(options),
        context_(context),
        ties_(std::move(ties)),
        plans_(plans) {}

  /// Returns the price of a compiled program.
  ProgramPrice price_of(const checking::CompiledProgram& compiled) const;
  /// Returns the price of the program with each list of changes. std::nullopt after an error, if a
  /// tie does not hold, and, except for the first list, after a stop. With `is_exact`, lowers each
  /// program.
  std::vector<std::optional<ProgramPrice>> price_all(
      std::span<const std::vector<SourceChange>> lists, bool is_exact = false);
  /// Returns the prices of price_all with the digests of the programs.
  std::vector<PricedChanges> price_each(std::span<const std::vector<SourceChange>> lists,
                                        bool is_exact = false);
  /// Propagates the program with each list of changes. std::nullopt after an error and, except for
  /// the first list, after a stop.
  std::vector<std::optional<ShardingDigest>> digest_all(
      std::span<const std::vector<SourceChange>> lists);

  std::size_t num_programs() const { return num_programs_; }
  std::size_t num_refused() const { return num_refused_; }

 private:
  double feed_seconds(const ir::Module& program) const;
  std::optional<checking::PropagatedProgram> propagated(
      std::span<const SourceChange> changes) const;
  bool holds_ties(const ir::Module& program) const;
  std::optional<ProgramPrice> lowered(checking::PropagatedProgram program) const;

  /// A propagated program, and the index of the first list of changes with an equal program.
  struct DigestedProgram {
    std::optional<checking::PropagatedProgram> program = {};
    ShardingDigest digest = {};
    std::size_t first = 0;
  };
  void lower_all(std::span<const std::size_t> numbers, std::vector<DigestedProgram>& programs,
                 std::vector<std::optional<ProgramPrice>>& prices);

  const ir::Module& searched_;
  const AutoshardOptions& options_;
  const checking::Context& context_;
  std::vector<ModelTie> ties_;
  std::map<ShardingDigest, std::optional<ProgramPrice>> known_;
  passes::KnownPlans& plans_;
  std::size_t num_programs_ = 0;  // number of programs lowered or refused
  std::size_t num_refused_ = 0;   // number of programs with compilation errors
};

// Spec: autoshard U.8.2.

/// The remaining annotations of a program, and its price with them.
struct DroppedChanges {
  std::vector<SourceChange> changes;
  ProgramPrice price;
};

/// Checks whether a price has neither more time nor a higher peak than a limit.
bool is_within(const std::optional<ProgramPrice>& price, const ProgramPrice& limit);

/// A search for the fewest annotations of one program.
class AnnotationDropper {
 public:
  /// `pricer` compiles the program `program`. The arguments must outlive this object. `note` is
  /// called before programs are propagated or compiled.
  AnnotationDropper(ProgramPricer& pricer, const ir::Module& program, std::stop_token stop,
                    std::function<void()> note)
      : pricer_(pricer), program_(program), stop_(std::move(stop)), note_(std::move(note)) {}

  /// Drops changes while the price is within `limit`, the price with all of them. Lowers programs
  /// with equal digests once, and again at the end. std::nullopt: without changes the price would
  /// exceed the limit.
  std::optional<DroppedChanges> run(const ChangeGroups& all, const ProgramPrice& limit);
  /// Drops families of changes that rewrites of collectives make unnecessary; with `only_partial`,
  /// tries those of partial results only.
  std::vector<SourceChange> without_families(std::vector<SourceChange> changes,
                                             const ProgramPrice& limit, bool only_partial);

 private:
  ChangeGroups sufficient(const ChangeGroups& all, const ProgramPrice& limit);
  std::vector<std::size_t> changes_by_op(const ChangeGroups& all) const;
  ChangeGroups with_families(const ChangeGroups& all) const;
  std::vector<ChangeAnswer> are_as_cheap(std::span<const std::vector<SourceChange>> lists,
                                         const ProgramPrice& limit);
  ChangeGroups without_propagated(ChangeGroups changes);

  ProgramPricer& pricer_;
  const ir::Module& program_;
  std::stop_token stop_;
  bool is_exact_ = false;  // lowers each program
  std::function<void()> note_;
};

}  // namespace shardy::autoshard
