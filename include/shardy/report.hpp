// The cost of a sharded program with places.
#pragma once

#include <shardy/report/alike.hpp>
#include <shardy/report/annotation.hpp>
#include <shardy/report/difference.hpp>
#include <shardy/report/hints.hpp>
#include <shardy/report/reasons.hpp>
#include <shardy/report/report.hpp>
#include <shardy/report/sweep.hpp>
#include <shardy/report/timeline.hpp>
