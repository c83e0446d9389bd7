#pragma once

#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/result.hpp>
#include <span>

namespace shardy {

/// The reductions by which an op may make axes unreduced, and reduce them; absent: it may not.
struct UnreducedTransition {
  std::optional<ReductionOp> introduce = std::nullopt;  // the op by which values become partial
  std::optional<ReductionOp> remove = std::nullopt;     // the op by which they become whole
};

/// One for each value; nullopt: it has none.
using MaybeShardings = std::span<const std::optional<TensorSharding>>;

namespace detail {

bool same_mesh(const TensorSharding* first, MaybeShardings shardings);

Status check_kept(MaybeShardings operands, MaybeShardings results);

}  // namespace detail

/// Checks the unreduced axes of operands and results of an op; absent shardings are skipped,
/// and shardings on different meshes are not compared. Spec: algebra 9.4.
Status verify_unreduced_transition(MaybeShardings operands, MaybeShardings results,
                                   UnreducedTransition allowed);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/unreduced_transition_inl.hpp>
#endif
