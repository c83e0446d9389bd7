// From one sharding to another as a list of collective steps.
#pragma once

#include <shardy/resharding/best_plan.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/resharding/device_pairs.hpp>
#include <shardy/resharding/plan.hpp>
#include <shardy/resharding/step.hpp>
