// Arguments and results of main that share a buffer, and so a sharding.
#pragma once

#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/report/hints.hpp"

namespace shardy::report {

/// A result that takes the buffer of an argument.
struct BufferTie {
  AnnotationPlace argument;
  AnnotationPlace result;
};

/// Returns ties between tensors of equal type, each argument and each result in at most one: first
/// those of `tf.aliasing_output`; then each argument with `jax.buffer_donor` (with `by_type`, each
/// argument) is tied to the first free result. Cost: arguments times results.
std::vector<BufferTie> buffer_ties(const ir::Module& module, bool by_type);

}  // namespace shardy::report
