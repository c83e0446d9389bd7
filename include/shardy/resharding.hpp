// Reshards: the collectives from one sharding to another, and their costs.
#pragma once

#include <shardy/resharding/best_plan.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/resharding/device_pairs.hpp>
#include <shardy/resharding/step.hpp>
