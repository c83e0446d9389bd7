// A program without most of its equal blocks, such as the layers of a model. Its candidates and
// annotations are compared in place of those of the whole program.
//
//   blocks  0 - 1 - 2 - 3 - 4 - 5
//   kept    0 - 1 - - - - - - - 5   2, 3 and 4 get the annotations of 1
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "autoshard/emission.hpp"
#include "autoshard/program_model.hpp"
#include "report/layer_folding.hpp"
#include "shardy/ir/module.hpp"

// Spec: autoshard U.7.1, U.8.2.

namespace shardy::autoshard {

/// The changes of a program that apply to its folded program.
struct FoldedChanges {
  ChangeGroups folded;             // changes of the folded program
  std::vector<std::size_t> whole;  // index of each of them in the changes of the whole program
};

/// A program without most of its blocks (U.6.3). The last block before the removed ones is the
/// model: removed blocks have its changes.
class FoldedProgram {
 public:
  /// Removes all blocks but the first `before` and the last `after`. Returns null if these are all
  /// but one, or if blocks cannot be removed. `model` is the model of `searched` and must outlive
  /// this object. Requires: before, after >= 1.
  static std::unique_ptr<FoldedProgram> make(const ProgramModel& model, const ir::Module& searched,
                                             int32_t before, int32_t after);

  const ir::Module& module() const { return folded_.module(); }
  /// Returns the ties between remaining arguments and results.
  std::vector<ModelTie> ties(std::span<const ModelTie> all) const;
  /// Returns the changes of remaining ops, arguments and results. Corresponding changes of the
  /// blocks are a group, the model first. std::nullopt: a removed block has other changes than the
  /// model.
  std::optional<FoldedChanges> fold(std::span<const SourceChange> all) const;
  /// Returns the changes of the whole program that correspond to `kept`, a part of `folded` in its
  /// order. Removed blocks get the changes of the model. `folded` is fold(all).
  std::vector<SourceChange> unfold(std::span<const SourceChange> all, const FoldedChanges& folded,
                                   std::span<const SourceChange> kept) const;

 private:
  /// Number of a change within its block: corresponding changes of other blocks have equal numbers.
  using ChangeKey = std::tuple<int32_t, SourceChange::Kind, uint32_t, bool>;

  FoldedProgram(const ProgramModel& model, report::FoldedModule folded, int32_t before,
                int32_t after, int32_t last)
      : model_(model), folded_(std::move(folded)), kept_(before), after_(after), last_(last) {}

  BlockPlace place_of(const SourceChange& change) const;
  static ChangeKey key_of(const SourceChange& change, const BlockPlace& place);
  bool is_removed(int32_t block) const { return block >= kept_ && block < last_; }
  std::optional<SourceChange> folded(const SourceChange& change) const;
  std::vector<ir::Use> folded_uses(const SourceChange& change) const;

  const ProgramModel& model_;
  report::FoldedModule folded_;
  int32_t kept_ = 0;   // blocks before the removed ones
  int32_t after_ = 0;  // blocks after them
  int32_t last_ = 0;   // the first block after the removed ones
};

}  // namespace shardy::autoshard
