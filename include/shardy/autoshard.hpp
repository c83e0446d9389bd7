// Automatic sharding: a search for the annotations of a program with the least modelled time. Also
// its optimization problem, which chooses one strategy per node, and the solver.
#pragma once

#include <shardy/autoshard/autoshard.hpp>
#include <shardy/autoshard/problem.hpp>
