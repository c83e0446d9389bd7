// Automatic sharding: problems of one strategy per node, and their solver.
#pragma once

#include <shardy/autoshard/problem.hpp>
#include <shardy/autoshard/problem_files.hpp>
#include <shardy/autoshard/solve.hpp>
