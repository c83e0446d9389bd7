// Solver of problems with one strategy per node: the best choice that it finds, and a lower bound
// of all choices.
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
  int64_t sweeps = 0;               // so far
  int64_t bound_fs = 0;             // lower bound so far
  int64_t price_fs = kNoPrice;      // of the best choice so far; kNoPrice: none
  std::span<const int32_t> choice;  // the best choice if it is new, else empty
};

/// Options of solve.
struct SolveOptions {
  int64_t effort = 400;                 // most sweeps before branching (U.6.4); >= 1
  double gap = 1e-4;                    // ends when (price - bound) <= gap * price, with a limit
  std::stop_token stop = {};            // ends the search; the best choice so far is returned
  std::span<const int32_t> start = {};  // a choice to begin with; empty: none
  /// Receives the state after each round of sweeps, on the thread of the caller.
  std::function<void(const SolveProgress& progress)> on_progress = {};
};

/// State of the proof of a choice.
enum class SolveStatus : uint8_t {
  Proven,      // no choice within the limit is cheaper
  Bounded,     // the bound is below the price
  NotFound,    // no choice within the limit was found, but one may exist
  Infeasible,  // no choice is within the limit, or none is without a forbidden price
};

/// "proven", "bounded", "not found", "infeasible".
std::string_view to_string(SolveStatus status);

/// The answer of the solver.
struct NetworkSolution {
  std::vector<int32_t> choice;                 // per node; empty if none was found
  int64_t price_fs = kNoPrice;                 // of the choice
  int64_t bound_fs = 0;                        // no choice within the limit has a lower price
  int64_t peak_bytes = 0;                      // of the choice
  SolveStatus status = SolveStatus::NotFound;  // of the proof
  int64_t sweeps = 0;                          // work: sweeps of bounds
  int64_t left = 0;      // choices left after fixing by reduced costs, of all nodes
  bool stopped = false;  // by the stop token
};

/// Returns the best choice found within the limit of the network, with a lower bound. The answer
/// depends on the network and on `effort`, `gap` and `start` alone. Errors: those of check_problem;
/// options out of range; a start that check_choice refuses.
Result<NetworkSolution> solve(const CostNetwork& network, const SolveOptions& options);

/// Returns a choice with the least peak found, ignoring the memory limit of the network; price_fs
/// and bound_fs are bytes (U.6.9). Among choices with this peak the cheapest found. Errors: as
/// solve.
Result<NetworkSolution> solve_least_peak(const CostNetwork& network, const SolveOptions& options);

/// Returns at most `count` choices that no other one of them dominates in price and peak, the
/// cheapest first: from the peak of the cheapest choice down to the least peak in geometric steps
/// (U.7.3). Each search begins with the choice of the least peak. Errors: as solve; count < 1.
Result<std::vector<NetworkSolution>> solve_front(const CostNetwork& network, std::size_t count,
                                                 const SolveOptions& options);

}  // namespace shardy::autoshard
