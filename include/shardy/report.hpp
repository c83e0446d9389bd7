// Costs of a sharded program, with locations.
#pragma once

#include <shardy/report/hints.hpp>
#include <shardy/report/report.hpp>
#include <shardy/report/sweep.hpp>
