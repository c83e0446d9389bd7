// Automatic sharding: the annotations of a program with the least modelled time; problems of one
// strategy per node, and their solver.
#pragma once

#include <shardy/autoshard/autoshard.hpp>
#include <shardy/autoshard/problem.hpp>
#include <shardy/autoshard/solve.hpp>
