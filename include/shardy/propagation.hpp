// Propagation over a flat problem, for any IR. The adapter for modules: propagation/ir_adapter.hpp.
#pragma once

#include <shardy/propagation/extensions.hpp>
#include <shardy/propagation/log.hpp>
#include <shardy/propagation/meet.hpp>
#include <shardy/propagation/problem_builder.hpp>
#include <shardy/propagation/propagate.hpp>
#include <shardy/propagation/slot_explanation.hpp>
