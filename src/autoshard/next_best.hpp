// Choices that differ from a choice at one node. The reasons of annotations: the price of the next
// best choice, and the cause of the difference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "autoshard/emission.hpp"
#include "autoshard/program_model.hpp"
#include "shardy/autoshard/autoshard.hpp"
#include "shardy/autoshard/problem.hpp"
#include "shardy/text/written_values.hpp"

// Spec: autoshard U.8.3.

namespace shardy::autoshard {

/// Returns at most `count` allowed choices that differ from `choice` at one node, cheapest first;
/// ties by node, then by choice of the node. Requires: check_problem, check_choice. Cost: linear in
/// the cells of a row of each edge.
std::vector<std::vector<int32_t>> choice_neighbors(const CostNetwork& network,
                                                   std::span<const int32_t> choice,
                                                   std::size_t count);

/// Finds the cheapest choices with another sharding of one value.
class NextBestSearch {
 public:
  /// `choice` is the choice of the program, `limit` the limit of live bytes. The arguments must
  /// outlive this object.
  NextBestSearch(const ProgramModel& model, const ir::Module& module,
                 std::span<const int32_t> choice, const SolveOptions& solving, int64_t limit);

  /// Returns the cheapest choice in which the changed value has another state. Cost: one
  /// search of the network.
  NextBest of(const SourceChange& change);

 private:
  int32_t node_of(const SourceChange& change) const;
  TensorSharding state_of(const SourceChange& change, int32_t node, int32_t choice) const;
  std::string cause_of(std::span<const int32_t> other) const;
  std::string place_of(int32_t node) const;

  const ProgramModel& model_;
  const ir::Module& module_;
  std::span<const int32_t> choice_;
  SolveOptions solving_;
  CostNetwork network_;        // the prices of one node at a time are forbidden
  std::vector<int32_t> free_;  // the best choice without a limit; empty if no limit exists
  int64_t price_ = 0;          // price of `choice`
  text::WrittenValues names_;
};

}  // namespace shardy::autoshard
