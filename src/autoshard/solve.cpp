#include <algorithm>
#include <cmath>
#include <shardy/autoshard/solve.hpp>
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
  if (options.num_threads < 0) {
    return fail(std::to_string(options.num_threads) + " threads; allowed are 0 and more");
  }
  if (options.start.empty()) return {};
  const Status start = check_choice(network, options.start);
  if (!start) return tl::unexpected(with_prefix("start: ", start.error()));
  return {};
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

}  // namespace shardy::autoshard
