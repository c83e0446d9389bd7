// Checks that sharded runs of programs give the results of unsharded runs.
#pragma once

#include <shardy/checking/check.hpp>
#include <shardy/checking/compile.hpp>
#include <shardy/checking/sweep.hpp>
