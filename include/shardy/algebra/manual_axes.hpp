#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/algebra/axis_list.hpp>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/quote.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>

// Shardings on the two sides of a manual computation. Spec: algebra 6.2.

namespace shardy {

/// Names of whole mesh axes.
using AxisNames = std::span<const std::string>;

/// Returns whether the axis of the ref is one of the manual ones.
bool is_manual(const Mesh& mesh, const AxisRef& ref, AxisNames manual);

/// Position of the first free axis of a dim, whose manual axes all come first.
std::size_t first_free(const Mesh& mesh, AxisSpan dim_axes, AxisNames manual);

/// Returns the number of shards along the manual axes of one dim; sub-axes count their own size.
int64_t manual_size(const Mesh& mesh, AxisSpan dim_axes, AxisNames manual);

/// The view from inside: without manual axes. A dim that becomes empty and closed loses its
/// priority (quirk Q7 of algebra 11).
TensorSharding erase_manual(const TensorSharding& sharding, AxisNames manual);

/// The manual axes of each dim alone. Replicated and unreduced axes keep the free ones, odd as that
/// is: callers look at the dims only.
TensorSharding erase_free(const TensorSharding& sharding, AxisNames manual);

/// The view from outside: per dim the manual axes of `outer`, then what `inner` has; explicitly
/// replicated and unreduced axes are those of `outer`, but for what `inner` shards by or cuts
/// apart. The mesh is that of `inner`. Requires: equal ranks; no manual axes in `inner`.
TensorSharding add_free(const TensorSharding& outer, const TensorSharding& inner, AxisNames manual);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/manual_axes_inl.hpp>
#endif
