// Files of problems and of their solutions: JSON, CPLEX LP text.
#pragma once

#include <cstdint>
#include <shardy/autoshard/problem.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Spec: autoshard U.9.2 to U.9.4.

namespace shardy::autoshard {

/// Most pairs of choices of a problem that write_lp writes: each is a variable.
inline constexpr int64_t kMaxLpCells = 20'000'000;

/// Reads a problem in the JSON form of the contest on intra-operator parallelism (ASPLOS/EuroSys
/// 2025), with our members `temps`, `scatter`, `labels` and `blocks`. Unknown members are skipped.
/// Errors: invalid JSON, at `line:column`; a missing member or one of the wrong type or size, at
/// its JSON pointer, such as `/problem/edges/costs/3`; those of check_problem.
Result<CostNetwork> read_problem(std::string_view json);

/// Returns the text that read_problem reads as a network with the same nodes, prices and bytes.
/// Requires: check_problem.
std::string write_problem(const CostNetwork& network);

/// Returns the problem as a mixed integer program in CPLEX LP text (U.5): a binary variable
/// `s_<node>_<choice>` per choice, a variable `e_<node>_<node>_<choice>_<choice>` per pair that is
/// not forbidden, a row `m_<time>` per time point that can exceed the limit and whose live set no
/// other one contains. Errors: more than kMaxLpCells pairs. Requires: check_problem.
Result<std::string> write_lp(const CostNetwork& network);

/// Reads a list of the choices of all nodes: `[0, 0, 2]`. Errors: invalid JSON, another type, at
/// `/3`; those of check_choice.
Result<std::vector<int32_t>> read_choice(std::string_view json, const CostNetwork& network);

/// Returns the text that read_choice reads.
std::string write_choice(std::span<const int32_t> choice);

}  // namespace shardy::autoshard
