// Dense constants: the elements of a static tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shardy/ir/element_type.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/support/math.hpp"
#include "shardy/support/result.hpp"

namespace shardy::ir {

/// The elements of a static tensor, row-major, or one element that stands for all (a splat).
///
/// Buffers hold host-order elements of size_bytes(element) bytes: i1 as one byte 0 or 1, sub-byte
/// integers sign- or zero-extended to a byte, bf16 and f16 as their 16 bits, complex as two floats.
/// Immutable; cheap to copy. Compares by type and content: a splat equals the same elements written
/// out.
class Literal {
 public:
  /// Row-major elements. Errors: the type is no static tensor, the size differs from the type's.
  static Result<Literal> make(Type type, std::vector<std::byte> bytes) {
    if (!type.is_static_tensor()) return fail("a literal needs a static tensor type");
    if (static_cast<int64_t>(bytes.size()) != type.num_bytes()) {
      return fail("literal has " + std::to_string(bytes.size()) + " bytes, its type needs " +
                  std::to_string(type.num_bytes()));
    }
    return Literal(std::move(type), std::move(bytes), false);
  }

  /// One element for all. Errors: as above; `element` must be one element.
  static Result<Literal> make_splat(Type type, std::vector<std::byte> element) {
    if (!type.is_static_tensor()) return fail("a literal needs a static tensor type");
    if (element.size() != size_bytes(type.element())) {
      return fail("a splat literal holds exactly one element");
    }
    return Literal(std::move(type), std::move(element), true);
  }

  const Type& type() const { return data_->type; }
  /// True when one stored element stands for all.
  bool is_splat() const { return data_->splat; }
  /// All elements, or the one element of a splat.
  std::span<const std::byte> stored() const { return data_->bytes; }
  int64_t num_elements() const { return type().num_elements(); }
  /// The bytes of element `index` in row-major order. Requires: 0 <= index < num_elements().
  std::span<const std::byte> element_bytes(int64_t index) const {
    const std::size_t size = size_bytes(type().element());
    return stored().subspan(is_splat() ? 0 : static_cast<std::size_t>(index) * size, size);
  }
  /// Element `index` as a T of the element's size.
  template <typename T>
  T at(int64_t index) const {
    T value;
    std::memcpy(&value, element_bytes(index).data(), sizeof(T));
    return value;
  }
  /// All elements, row-major, splats written out.
  std::vector<std::byte> expanded() const {
    if (!is_splat()) return data_->bytes;
    std::vector<std::byte> bytes;
    bytes.reserve(static_cast<std::size_t>(type().num_bytes()));
    for (int64_t index = 0; index < num_elements(); ++index) {
      bytes.insert(bytes.end(), data_->bytes.begin(), data_->bytes.end());
    }
    return bytes;
  }
  /// The same elements under another shape. Requires: equal element type and element count.
  Literal reshaped(Type type) const {
    SHARDY_ASSERT(type.element() == this->type().element());
    SHARDY_ASSERT(type.num_elements() == num_elements());
    return {std::move(type), data_->bytes, is_splat()};
  }

  friend bool operator==(const Literal& a, const Literal& b) {
    return a.data_ == b.data_ || (a.type() == b.type() && same_elements(a, b));
  }

 private:
  struct Data {
    Type type;
    std::vector<std::byte> bytes;
    bool splat;
  };
  Literal(Type type, std::vector<std::byte> bytes, bool splat)
      : data_(std::make_shared<const Data>(Data{std::move(type), std::move(bytes), splat})) {}

  static bool same_elements(const Literal& a, const Literal& b) {
    if (a.num_elements() == 0) return true;
    if (a.is_splat() == b.is_splat()) return a.data_->bytes == b.data_->bytes;
    const std::size_t size = size_bytes(a.type().element());
    for (int64_t index = 0; index < a.num_elements(); ++index) {
      if (std::memcmp(a.element_bytes(index).data(), b.element_bytes(index).data(), size) != 0) {
        return false;
      }
    }
    return true;
  }

  std::shared_ptr<const Data> data_;
};

}  // namespace shardy::ir
