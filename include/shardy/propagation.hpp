// Propagation over a flat problem, for whatever IR. That of modules: propagation/ir_adapter.hpp.
#pragma once

#include <shardy/propagation/extensions.hpp>
#include <shardy/propagation/log.hpp>
#include <shardy/propagation/problem_builder.hpp>
#include <shardy/propagation/propagate.hpp>
