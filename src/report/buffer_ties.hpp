// Arguments and results of main that share a buffer, and therefore a sharding.
#pragma once

#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/report/hints.hpp"

namespace shardy::report {

/// A result that reuses the buffer of an argument.
struct BufferTie {
  AnnotationPlace argument;
  AnnotationPlace result;
};

/// Returns ties between tensors of equal type. Each argument and each result has at most one tie.
/// First come ties of `tf.aliasing_output`. Then each argument with `jax.buffer_donor` (with
/// `by_type`, each argument) is tied to the first result without a tie. Cost: arguments times
/// results.
std::vector<BufferTie> buffer_ties(const ir::Module& module, bool by_type);

}  // namespace shardy::report
