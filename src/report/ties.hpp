// Arguments and results of main that share a buffer, and so a sharding.
#pragma once

#include <span>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/report/hints.hpp"

namespace shardy::report {

/// A result that takes the buffer of an argument.
struct Tie {
  AnnotationPlace argument;
  AnnotationPlace result;
};

/// Ties between tensors of equal type, each argument and each result in one at most: those of
/// `tf.aliasing_output`; then of each argument with `jax.buffer_donor`, or with `by_type` of each
/// argument, to the first result that is left. Cost: arguments times results.
std::vector<Tie> ties_of(const ir::Module& module, bool by_type);

/// The changes, each once, with changes of a result made those of its argument and of both.
std::vector<AnnotationChange> tied(std::vector<AnnotationChange> changes,
                                   std::span<const Tie> ties);

/// Checks whether a device can hold both in one buffer. `program`: per-device, of the same main.
bool holds(const ir::Module& program, const Tie& tie);

}  // namespace shardy::report
