#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/support/detail/inline.hpp>
#include <span>
#include <string>
#include <string_view>

namespace shardy {

/// No tensor has more dims. Far beyond what programs have, it bounds the time and memory that a
/// small text can ask for.
inline constexpr std::size_t kMaxRank = 1000;
/// Why a shape cannot have that many dims.
std::string too_many_dims();

/// The part of a value's type that the algebra needs: its kind, its sizes if it is ranked (a
/// negative one is dynamic), and its text for messages. Views both; for parameters only.
/// A tuple of one element is seen as that element; only other ones are tuples here.
struct ValueShape {
  /// Kind of the value.
  enum class Kind { Ranked, Unranked, NotShaped, Tuple };

  Kind kind = Kind::Ranked;            // what kind of value it is
  std::span<const int64_t> dims = {};  // of Ranked: elements along each dim; -1: not known
  std::string_view text = {};          // of NotShaped: its type, for messages
};

}  // namespace shardy

#ifdef SHARDY_BODIES
namespace shardy {

SHARDY_INLINE std::string too_many_dims() {
  return "a tensor has at most " + std::to_string(kMaxRank) + " dims";
}

}  // namespace shardy
#endif  // SHARDY_BODIES
