// Bodies of value_shape.hpp.
#pragma once

#include <shardy/algebra/value_shape.hpp>
#include <shardy/support/inline.hpp>
#include <string>

namespace shardy {

SHARDY_INLINE std::string too_many_dims() {
  return "a tensor has at most " + std::to_string(kMaxRank) + " dims";
}

}  // namespace shardy
