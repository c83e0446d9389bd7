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

/// Returns the network without prices. Forbidden prices stay.
CostNetwork without_prices(const CostNetwork& network) {
  CostNetwork free = network;
  const auto clear = [](int64_t& price) { price = price >= kForbidden ? kForbidden : 0; };
  std::ranges::for_each(free.unary, clear);
  std::vector<int32_t> bytes_from(network.tables.size(), -1);
  for (EdgeUsage& usage : free.edge_usages) {  // copies the byte tables, which other edges share
    int32_t& copy = bytes_from[at(usage.table)];
    if (copy < 0) {
      const auto cells = network.table_cells(usage.table);
      copy = static_cast<int32_t>(free.tables.size());
      CostTable table = network.tables[at(usage.table)];
      table.begin = static_cast<int64_t>(free.cells.size());
      free.tables.push_back(table);
      free.cells.insert(free.cells.end(), cells.begin(), cells.end());
    }
    usage.table = copy;
  }
  std::for_each_n(free.cells.begin(), network.cells.size(), clear);
  return free;
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
  constexpr int kMostTries = 40;
  constexpr int kMostUnknown = 3;
  SolveOptions search = options;  // options for one limit
  search.effort = std::min<int64_t>(options.effort, 100);
  int unknown = 0;
  CostNetwork free = without_prices(network);
  NetworkSolution best = solve_at(free, kUnlimited, options.start, options);
  if (best.choice.empty()) return best;
  int64_t least = 0;  // no choice has a lower peak
  int64_t next = best.peak_bytes / 2;
  for (int i = 0; i < kMostTries && unknown < kMostUnknown && !best.stopped; ++i) {
    if (least >= best.peak_bytes) break;
    const NetworkSolution found = solve_at(free, next, best.choice, search);
    best.sweeps += found.sweeps;
    best.stopped = found.stopped;
    if (!found.choice.empty()) {
      best.choice = found.choice;
      best.peak_bytes = found.peak_bytes;
      next = least + (best.peak_bytes - least) / 2;
    } else if (found.status == SolveStatus::Infeasible) {
      least = next + 1;
      next = least + (best.peak_bytes - least) / 2;
    } else {  // tries a limit nearer to the peak found
      ++unknown;
      next += (best.peak_bytes - next + 1) / 2;
    }
    next = std::min(next, best.peak_bytes - 1);
  }
  // Searches the cheapest choice with this peak.
  CostNetwork priced = network;
  const NetworkSolution cheapest = solve_at(priced, best.peak_bytes, best.choice, options);
  if (!cheapest.choice.empty()) best.choice = cheapest.choice;
  best.price_fs = best.peak_bytes;
  best.bound_fs = std::min(least, best.peak_bytes);
  best.status = best.bound_fs == best.price_fs ? SolveStatus::Proven : SolveStatus::Bounded;
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
