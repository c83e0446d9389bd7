// Drops annotations of a program while its price does not grow.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "autoshard/emission.hpp"
#include "autoshard/found_sharding.hpp"
#include "autoshard/program_pricer.hpp"
#include "shardy/autoshard/autoshard.hpp"
#include "shardy/ir/module.hpp"

// Spec: autoshard U.8.2.

namespace shardy::autoshard {

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
  std::optional<DroppedChanges> run(ChangeGroups all, const ProgramPrice& limit);

 private:
  ChangeGroups sufficient(const ChangeGroups& all, const ProgramPrice& limit);
  std::vector<std::size_t> changes_by_op(const ChangeGroups& all) const;
  ChangeGroups joined(const ChangeGroups& all) const;
  std::vector<bool> are_as_cheap(std::span<const std::vector<SourceChange>> lists,
                                 const ProgramPrice& limit);
  ChangeGroups without_propagated(ChangeGroups changes);

  ProgramPricer& pricer_;
  const ir::Module& program_;
  std::stop_token stop_;
  bool is_exact_ = false;  // lowers each program
  std::function<void()> note_;
};

}  // namespace shardy::autoshard
