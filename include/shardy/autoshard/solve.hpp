// Solver of optimization problems (problem.hpp). A choice is one strategy per node. The solver
// returns the best choice that it finds, and a lower bound of the prices of all choices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <shardy/autoshard/problem.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

// Spec: autoshard U.6, U.7.3.

namespace shardy::autoshard {

/// Progress of a search, for display.
struct SolveProgress {
  int64_t sweeps = 0;               // number of sweeps so far
  int64_t bound_fs = 0;             // lower bound of all prices so far
  int64_t price_fs = kNoPrice;      // price of the best choice so far; kNoPrice: none
  std::span<const int32_t> choice;  // the best choice if it is new since the last call, else empty
};

/// Options of solve.
struct SolveOptions {
  int64_t effort = 400;  // maximal number of sweeps before branching (U.6.4); >= 1
  /// Relative gap (price - bound) / price at which a search with a memory limit ends.
  double gap = 1e-4;
  std::stop_token stop = {};            // ends the search; the best choice so far is returned
  std::span<const int32_t> start = {};  // initial choice; empty: none
  /// Called with the progress after each round of sweeps, on the thread of the caller.
  std::function<void(const SolveProgress& progress)> on_progress = {};
};

/// Result of a search, by what it proves.
enum class SolveStatus : uint8_t {
  Proven,      // no choice within the limit has a lower price
  Bounded,     // a choice was found, but the bound is lower than its price
  NotFound,    // no choice within the limit was found, but one may exist
  Infeasible,  // no choice is within the limit, or each has a forbidden price
};

/// Returns "proven", "bounded", "not found" or "infeasible".
std::string_view to_string(SolveStatus status);

/// Result of the solver.
struct NetworkSolution {
  std::vector<int32_t> choice;  // choice of each node; empty if no choice was found
  int64_t price_fs = kNoPrice;  // price of the choice
  int64_t bound_fs = 0;         // no choice within the limit has a lower price than this
  int64_t peak_bytes = 0;       // peak of live bytes of the choice
  SolveStatus status = SolveStatus::NotFound;  // whether the choice is proven to be the best
  int64_t sweeps = 0;                          // number of sweeps
  int64_t left = 0;      // choices of all nodes that are left after fixing by reduced costs
  bool stopped = false;  // true if the stop token ended the search
};

/// Returns the best choice found within the limit of the network, with a lower bound of all prices.
/// The result depends only on the network and on `effort`, `gap` and `start`. Errors: those of
/// check_problem; options out of range; an invalid `start` (check_choice).
Result<NetworkSolution> solve(const CostNetwork& network, const SolveOptions& options);

/// Returns the choice with the least peak of live bytes found, ignoring the limit of the network.
/// In the result, price_fs and bound_fs are bytes (U.6.9). Of the choices with this peak, the
/// result is the cheapest one found. Errors: as solve.
Result<NetworkSolution> solve_least_peak(const CostNetwork& network, const SolveOptions& options);

/// Returns at most `count` choices, cheapest first. No returned choice is worse than another in
/// both price and peak. The limits of peaks decrease in geometric steps from the peak of the
/// cheapest choice to the least peak (U.7.3). Each search starts with the choice of the least peak.
/// Errors: as solve; count < 1.
Result<std::vector<NetworkSolution>> solve_front(const CostNetwork& network, std::size_t count,
                                                 const SolveOptions& options);

}  // namespace shardy::autoshard
