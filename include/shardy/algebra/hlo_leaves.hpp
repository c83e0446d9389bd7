#pragma once

#include <optional>
#include <shardy/algebra/hlo_named.hpp>
#include <shardy/algebra/hlo_sharding.hpp>
#include <shardy/support/result.hpp>
#include <string_view>
#include <variant>
#include <vector>

// The shardings of all results of an op, in whatever form XLA writes them. Spec: interop 2.

namespace shardy {

/// The sharding of one value, no tuple.
using HloLeaf = std::variant<HloSharding, NamedHloSharding>;

/// A sharding of one value, or a tuple of them, flattened.
struct HloLeaves {
  bool is_tuple = false;        // whether the leaves are those of a tuple
  std::vector<HloLeaf> leaves;  // of all tensors, in order
};

/// Reads text with or without the names of axes, with comments, and messages in bytes.
/// Errors: those of the text; `neither text nor a sharding message`.
Result<HloLeaves> parse_hlo_leaves(std::string_view text);

/// A message of protobuf. Spec: interop 2.4.
Result<HloLeaves> read_hlo_message(std::string_view bytes);

/// Returns the reduction kind in the metadata of a sharding; Sum if it has none.
/// Errors: `unknown kind of reduction`.
Result<ReductionOp> reduction_of_metadata(const HloSharding& sharding);

/// The same without group and metadata. Requires: no tuple.
HloSharding without_extras(const HloSharding& sharding);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/hlo_leaves_inl.hpp>
#include <shardy/algebra/detail/hlo_message_inl.hpp>
#endif
