#include <algorithm>
#include <cmath>
#include <shardy/autoshard/problem.hpp>
#include <shardy/support/contract.hpp>
#include <string>
#include <utility>

#include "autoshard/network_solver.hpp"

namespace shardy::autoshard {

namespace {

Status check_options(const CostNetwork& network, const SolveOptions& options) {
  if (options.effort < 1) {
    return fail("effort " + std::to_string(options.effort) + "; allowed are 1 and more");
  }
  if (!(options.gap >= 0) || !std::isfinite(options.gap)) {
    return fail("gap " + std::to_string(options.gap) + "; allowed are 0 and more");
  }
  if (options.start.empty()) return {};
  const Status start = check_choice(network, options.start);
  if (!start) return tl::unexpected(with_prefix("start: ", start.error()));
  return {};
}

/// Returns the solution with the limit `bytes`, starting from the choice `start`.
NetworkSolution solve_at(CostNetwork& network, int64_t bytes, std::span<const int32_t> start,
                         const SolveOptions& options) {
  network.limit = bytes;
  SolveOptions own = options;
  own.start = start;
  return NetworkSolver(network, own).run();
}

}  // namespace

std::string_view to_string(SolveStatus status) {
  switch (status) {
    case SolveStatus::Proven:
      return "proven";
    case SolveStatus::Bounded:
      return "bounded";
    case SolveStatus::NotFound:
      return "not found";
    default:
      return "infeasible";
  }
}

Result<NetworkSolution> solve(const CostNetwork& network, const SolveOptions& options) {
  SHARDY_TRY_STATUS(check_problem(network));
  SHARDY_TRY_STATUS(check_options(network, options));
  return NetworkSolver(network, options).run();
}

Result<NetworkSolution> solve_least_peak(const CostNetwork& network, const SolveOptions& options) {
  SHARDY_TRY_STATUS(check_problem(network));
  SHARDY_TRY_STATUS(check_options(network, options));
  NetworkSolution best = find_least_peak(network, options);
  if (best.choice.empty()) return best;
  // Searches the cheapest choice with this peak. The least peak leaves few choices.
  constexpr int64_t kMostSteps = 40;
  CostNetwork priced = network;
  SolveOptions few = options;
  few.effort = std::min(few.effort, kMostSteps);
  const NetworkSolution cheapest = solve_at(priced, best.peak_bytes, best.choice, few);
  if (!cheapest.choice.empty()) best.choice = cheapest.choice;
  return best;
}

Result<std::vector<NetworkSolution>> solve_front(const CostNetwork& network, std::size_t count,
                                                 const SolveOptions& options) {
  SHARDY_TRY_STATUS(check_problem(network));
  SHARDY_TRY_STATUS(check_options(network, options));
  if (count < 1) return fail("a front of 0 choices; allowed are 1 and more");
  CostNetwork limited = network;
  std::vector<NetworkSolution> front;
  const NetworkSolution cheapest = solve_at(limited, network.limit, options.start, options);
  if (cheapest.choice.empty()) return front;
  front.push_back(cheapest);
  if (count == 1 || cheapest.peak_bytes == 0) return front;
  SHARDY_TRY(const NetworkSolution smallest, solve_least_peak(network, options));
  const double ratio = static_cast<double>(std::max<int64_t>(smallest.peak_bytes, 1)) /
                       static_cast<double>(cheapest.peak_bytes);
  for (std::size_t i = 1; i < count; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(count - 1);
    auto limit =
        static_cast<int64_t>(static_cast<double>(cheapest.peak_bytes) * std::pow(ratio, part));
    limit = i + 1 == count ? smallest.peak_bytes : std::max(limit, smallest.peak_bytes);
    if (limit >= front.back().peak_bytes) continue;
    // This choice fits every limit of the front. The previous choice does not fit the current
    // limit.
    NetworkSolution next = solve_at(limited, limit, smallest.choice, options);
    if (next.choice.empty()) continue;
    std::erase_if(front,
                  [&](const NetworkSolution& larger) { return larger.price_fs >= next.price_fs; });
    front.push_back(std::move(next));
  }
  return front;
}

}  // namespace shardy::autoshard
