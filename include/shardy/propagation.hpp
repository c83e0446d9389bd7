// Propagation over a problem that is independent of any IR. For propagation over modules include
// propagation/ir_adapter.hpp.
#pragma once

#include <shardy/propagation/log.hpp>
#include <shardy/propagation/meet.hpp>
#include <shardy/propagation/problem.hpp>
#include <shardy/propagation/problem_builder.hpp>
#include <shardy/propagation/propagate.hpp>
