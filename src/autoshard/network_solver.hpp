// Searches the cheapest choice per node of a problem. Message passing (TRW-S sweeps) gives lower
// bounds; decoding, local descent and solving blocks of nodes again give choices. Within a memory
// limit, each program point has a price per byte (a Lagrange multiplier). A final search covers the
// remaining choices.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <shardy/autoshard/problem.hpp>
#include <span>
#include <vector>

#include "autoshard/chain_bound.hpp"
#include "autoshard/choice_search.hpp"
#include "autoshard/work_network.hpp"

namespace shardy::autoshard {

/// A network with its prices and messages.
class SolverStage {
 public:
  SolverStage(WorkNetwork network, int scale);
  SolverStage(const SolverStage&) = delete;
  SolverStage& operator=(const SolverStage&) = delete;

  const WorkNetwork& network() const { return network_; }
  const ScaledCosts& costs() const { return costs_; }
  MessagePassing& passing() { return *passing_; }
  const EdgeMessages& messages() const { return passing_->messages(); }
  /// Replaces the messages.
  void set_messages(EdgeMessages messages);
  /// Sets the price per live byte at each point, in scaled units. Requires: one price >= 0 per
  /// point.
  void set_byte_prices(std::span<const double> prices);
  ChainBound bound(bool with_choice) const {
    return chain_bound(network_, costs_, messages(), with_choice);
  }
  /// Returns a lower bound of the peak of each choice, if all other prices are 0: the bound divided
  /// by the sum of the prices per byte. Requires: the limit of the network is 0.
  int64_t peak_bound() const;
  /// Returns the stage with only the choices that `keep` flags. It has the messages, but a
  /// price of 0 per byte. Null if a node has no choice left.
  std::unique_ptr<SolverStage> restricted(std::vector<char> keep) const;

 private:
  WorkNetwork network_;
  ScaledCosts costs_;
  BytePrices bytes_;
  std::unique_ptr<MessagePassing> passing_;
};

/// Solves one problem. Spec: U.6.
class NetworkSolver {
 public:
  /// Requires: check_problem accepts the problem; options are in range.
  /// With `seeks_fitting`, the search within a limit begins with find_least_peak.
  NetworkSolver(const CostNetwork& problem, const SolveOptions& options, bool seeks_fitting = true);

  NetworkSolution run();

 private:
  bool has_limit() const { return full_.num_points > 0; }
  bool stop_requested() const { return options_.stop.stop_requested(); }
  bool is_within_gap() const;
  void count_sweeps(const WorkNetwork& network, int64_t sweeps);
  bool is_spent(double share) const;
  int64_t largest_price() const;

  void offer_start();
  void offer(const WorkNetwork& network, const ChoiceState& state);
  void offer_free(const WorkNetwork& network, std::vector<int32_t> choice);
  void raise_bound(int64_t price);
  void report_progress();

  ChainBound run_round(SolverStage& stage, bool is_full, bool has_messages);
  void search_without_limit();
  bool start_folded(SolverStage& stage);
  std::vector<int32_t> sweep_folded(SolverStage& few);
  void try_choices(SolverStage& stage);
  void improve_blocks(SolverStage& stage);
  bool solve_by_elimination(const SolverStage& stage);
  void find_fitting();
  void search_within_limit();
  std::vector<double> search_byte_prices();
  std::optional<std::vector<double>> search_folded_limit(SolverStage& stage);
  class LimitSearch;
  void close(SolverStage& stage);
  void lower_bytes_of_best();
  std::vector<int32_t> search_equal(int64_t limit, const ClosingGoal& goal) const;
  void choose_among_equal();
  NetworkSolution finish() const;

  const CostNetwork& problem_;
  const SolveOptions& options_;
  bool seeks_fitting_ = true;
  WorkNetwork full_;
  int scale_ = 0;
  int64_t sweeps_ = 0;
  int64_t cells_ = 0;  // cells that the sweeps read, forward and backward counted once
  int64_t left_ = 0;
  uint64_t block_counter_ = 0;
  bool is_folded_ = false;  // full_ is a folded network; `problem_` is the whole one
  bool is_infeasible_ = false;
  bool is_complete_ = false;  // no better choice exists
  bool has_new_best_ = false;
  int64_t bound_ = 0;
  std::vector<int32_t> best_;  // choice of the problem within the limit
  int64_t best_price_ = kInfinite;
  std::vector<int32_t> free_;  // choice of the problem without the limit
  int64_t free_price_ = kInfinite;
  EdgeMessages full_messages_;  // messages of full_
};

/// Returns the index of each node's choice in the network; std::nullopt if the network does not
/// contain one of them.
std::optional<std::vector<int32_t>> local_choice(const WorkNetwork& network,
                                                 std::span<const int32_t> choice);

/// Searches the choice with the least peak, ignoring the limit of the network and all prices that
/// are not forbidden. In the result, price_fs and bound_fs are bytes. Ends early if a choice has a
/// peak of at most `limit`, or if the bound is above it. Requires: check_problem accepts the
/// network; options are in range. Spec: autoshard U.6.9.
NetworkSolution find_least_peak(const CostNetwork& network, const SolveOptions& options,
                                std::optional<int64_t> limit = std::nullopt);

}  // namespace shardy::autoshard
