// Levels of the strategy hierarchy.
#pragma once

#include <cstdint>

namespace shardy::propagation {

/// How much of the hierarchy of propagation 1 runs; each one runs the one before it inside.
enum class Algorithm : uint8_t {
  Basic,         // one sweep of the basic strategy
  Aggressive,    // the sweeps of `Options::strategy`
  OpPriority,    // those at each level of op priorities
  UserPriority,  // that for each user priority
};

/// The sweeps of one level.
enum class Strategy : uint8_t { Aggressive, Basic, BasicThenAggressive };

}  // namespace shardy::propagation
