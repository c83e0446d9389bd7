// Files of the problem that autoshard solves: JSON, CPLEX LP text, choices.
#pragma once

#include <string>
#include <vector>

#include "shardy/autoshard/problem.hpp"
#include "shardy/autoshard/solve.hpp"
#include "shardy/support/result.hpp"
#include "tools/commands.hpp"

namespace shardy::tools {

/// Solves a problem file, or prices a choice of it. Returns the exit status.
int problem_command(const CommandOptions& options);

/// Returns the difference between price and bound as a share of the price; 0 without a choice.
double gap_of(const autoshard::NetworkSolution& found);

/// Reads the choice of a network from a file. Errors: of the file; those of read_choice.
Result<std::vector<int32_t>> read_solution(const std::string& path,
                                           const autoshard::CostNetwork& network);

/// Writes the files of the problem that the options name. Errors: of the files; those of write_lp.
Status export_problem(const ProblemFiles& files, const autoshard::CostNetwork& network);

}  // namespace shardy::tools
