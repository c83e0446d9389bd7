// Files of the problem that autoshard solves: JSON, CPLEX LP text, choices.
#pragma once

#include <string>
#include <vector>

#include "shardy/autoshard/problem.hpp"
#include "shardy/autoshard/solve.hpp"
#include "shardy/support/result.hpp"
#include "tools/commands.hpp"

namespace shardy::tools {

/// Solves the problem in a file, or prices a given choice of it. Returns the exit status.
int problem_command(const CommandOptions& options);

/// Returns the difference of price and bound as a share of the price; 0 if no choice was found.
double gap_of(const autoshard::NetworkSolution& found);

/// Reads the choice of a network from a file. Errors: those of the file and of read_choice.
Result<std::vector<int32_t>> read_solution(const std::string& path,
                                           const autoshard::CostNetwork& network);

/// Writes the problem to the files of the options. Errors: those of the files and of write_lp.
Status export_problem(const ProblemFiles& files, const autoshard::CostNetwork& network);

}  // namespace shardy::tools
