// The text of floats, as MLIR prints them. Spec: stablehlo 13.3.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "shardy/ir/type.hpp"

namespace shardy::ir {

/// Returns the text of one element of a float type, such as `1.000000e-01`, `0.699999988`,
/// `9.99999974E-6`, `0x7F800000`.
std::string float_text(std::span<const std::byte> bytes, ElementType type);
inline std::string float_text(const std::vector<std::byte>& bytes, ElementType type) {
  return float_text(std::span(bytes), type);
}

/// Returns the element of the given type for the value of an attribute; `float_value` is the
/// inverse. Unlike the conversions of the processor, the two functions keep the bits of all NaNs.
std::vector<std::byte> float_bytes(double value, ElementType type);
double float_value(std::span<const std::byte> bytes, ElementType type);

}  // namespace shardy::ir
