// Bodies of literal.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <shardy/ir/element_type.hpp>
#include <shardy/ir/literal.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace shardy::ir {

SHARDY_INLINE Literal::Literal(Type type, std::vector<std::byte> bytes, bool splat)
    : data_(std::make_shared<const Data>(Data{std::move(type), std::move(bytes), splat})) {}

SHARDY_INLINE Result<Literal> Literal::make(Type type, std::vector<std::byte> bytes) {
  if (!type.is_static_tensor()) return fail("a literal needs a static tensor type");
  if (static_cast<int64_t>(bytes.size()) != type.num_bytes()) {
    return fail("literal has " + std::to_string(bytes.size()) + " bytes, its type needs " +
                std::to_string(type.num_bytes()));
  }
  return Literal(std::move(type), std::move(bytes), false);
}

SHARDY_INLINE Result<Literal> Literal::make_splat(Type type, std::vector<std::byte> element) {
  if (!type.is_static_tensor()) return fail("a literal needs a static tensor type");
  if (element.size() != size_bytes(type.element())) {
    return fail("a splat literal holds exactly one element");
  }
  return Literal(std::move(type), std::move(element), true);
}

SHARDY_INLINE std::span<const std::byte> Literal::element_bytes(int64_t index) const {
  SHARDY_EXPECTS(index >= 0 && index < num_elements());
  const std::size_t size = size_bytes(type().element());
  return stored().subspan(is_splat() ? 0 : static_cast<std::size_t>(index) * size, size);
}

SHARDY_INLINE std::vector<std::byte> Literal::expanded() const {
  if (!is_splat()) return held().bytes;
  std::vector<std::byte> bytes;
  bytes.reserve(static_cast<std::size_t>(type().num_bytes()));
  for (int64_t index = 0; index < num_elements(); ++index) {
    bytes.insert(bytes.end(), held().bytes.begin(), held().bytes.end());
  }
  return bytes;
}

SHARDY_INLINE Literal Literal::reshaped(Type type) const {
  SHARDY_EXPECTS(type.element() == this->type().element());
  SHARDY_EXPECTS(type.num_elements() == num_elements());
  return {std::move(type), held().bytes, is_splat()};
}

SHARDY_INLINE bool Literal::same_elements(const Literal& a, const Literal& b) {
  if (a.num_elements() == 0) return true;
  if (a.is_splat() == b.is_splat()) return a.held().bytes == b.held().bytes;
  const std::size_t size = size_bytes(a.type().element());
  for (int64_t index = 0; index < a.num_elements(); ++index) {
    if (std::memcmp(a.element_bytes(index).data(), b.element_bytes(index).data(), size) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace shardy::ir
