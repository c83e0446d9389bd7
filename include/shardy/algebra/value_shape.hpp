#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace shardy {

/// No tensor has more dims. Far beyond what programs have, it bounds the time and memory that a
/// small text can ask for.
inline constexpr std::size_t kMaxRank = 1000;
std::string too_many_dims();

/// What the algebra has to know of the type of a value: its kind, its sizes if it is ranked (a
/// negative one is dynamic), and its text for messages. Views both; for parameters only.
/// A tuple of one element is seen as that element; only other ones are tuples here.
struct ValueShape {
  enum class Kind { Ranked, Unranked, NotShaped, Tuple };

  Kind kind = Kind::Ranked;
  std::span<const int64_t> dims = {};
  std::string_view text = {};
};

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/value_shape_inl.hpp>
#endif
