// Random programs that use all that a module can hold.
#pragma once

#include <cstdint>
#include <shardy/ir/attribute.hpp>
#include <shardy/ir/module.hpp>

namespace shardy::text::testing {

struct RandomModuleOptions {
  std::size_t max_ops = 6;      // of a block
  std::size_t max_depth = 3;    // of nested regions
  bool with_locations = false;  // every op has one
  bool writable = false;        // in MLIR text, too
};

/// A module that ir::verify accepts: odd names, meshes with and without device ids, functions with
/// and without a body, calls in both directions, regions of several blocks, foreign ops and types,
/// attributes of all forms, literals of all element types.
ir::Module random_module(uint64_t seed, const RandomModuleOptions& options = {});

}  // namespace shardy::text::testing
