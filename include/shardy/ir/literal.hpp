// Dense constants: the elements of a static tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <shardy/ir/type.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/detail/span_of.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <utility>
#include <vector>

namespace shardy::ir {

/// A constant tensor of static shape: its elements, row-major, or one element that is repeated (a
/// splat).
///
/// An element takes size_bytes(element) bytes in host byte order: i1 one byte 0 or 1, integers of
/// fewer than 8 bits one byte with sign or zero extension, bf16 and f16 two bytes, complex numbers
/// two floats. Literals are immutable and cheap to copy. Equality compares types and elements: a
/// splat equals a literal that stores each element.
class Literal {
 public:
  /// Makes a literal of row-major elements. Errors: `type` is not a static tensor; `bytes` and the
  /// type differ in size.
  static Result<Literal> make(Type type, std::vector<std::byte> bytes);

  /// Makes a splat. Errors: `type` is not a static tensor; `element` does not have the size of one
  /// element.
  static Result<Literal> make_splat(Type type, std::vector<std::byte> element);

  /// Returns the type of the tensor.
  const Type& type() const { return held().type; }
  /// Returns true if the literal stores one element for all positions.
  bool is_splat() const { return held().splat; }
  /// Returns the stored bytes: all elements, or the one element of a splat.
  std::span<const std::byte> stored() const { return span_of(held().bytes); }
  /// Returns the number of elements of the tensor.
  int64_t num_elements() const { return type().num_elements(); }
  /// Returns the bytes of element `index` in row-major order. Requires: 0 <= index <
  /// num_elements().
  std::span<const std::byte> element_bytes(int64_t index) const;
  /// Returns element `index`, in row-major order, as a T. Requires: T has the size of an element; 0
  /// <= index < num_elements().
  template <typename T>
  T at(int64_t index) const {
    const std::span<const std::byte> bytes = element_bytes(index);
    SHARDY_EXPECTS(bytes.size() == sizeof(T));
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
  /// Returns the bytes of all elements, row-major, also for a splat.
  std::vector<std::byte> expanded() const;
  /// Returns the elements with another type. Requires: equal element types and numbers of elements.
  Literal reshaped(Type type) const;

  friend bool operator==(const Literal& a, const Literal& b) {
    return a.data_ == b.data_ || (a.type() == b.type() && same_elements(a, b));
  }

 private:
  struct Data {
    Type type;
    std::vector<std::byte> bytes;
    bool splat;
  };
  Literal(Type type, std::vector<std::byte> bytes, bool splat);

  static bool same_elements(const Literal& a, const Literal& b);

  /// Returns the content. A moved-from literal has none.
  const Data& held() const {
    SHARDY_EXPECTS(data_ != nullptr);
    return *data_;
  }

  std::shared_ptr<const Data> data_;
};

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <string>

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
#endif  // SHARDY_BODIES
