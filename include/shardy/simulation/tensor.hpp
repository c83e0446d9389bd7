// Run-time values: typed, row-major, immutable buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <shardy/ir/literal.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace shardy::simulation {

/// The elements of a static tensor, row-major and contiguous, in the layout of ir::Literal; or an
/// opaque value: a token or a tuple. Immutable; copies share the buffer.
///
/// Invariant: the size is that of the type; i1 elements are 0 or 1, and sub-byte integers are sign-
/// or zero-extended. A default-constructed object has no value and alone converts to false. Spec:
/// stablehlo 15.
class Tensor {
 public:
  Tensor() = default;

  /// Copies `bytes`. Errors: not a static tensor type, another size, elements that are not
  /// canonical.
  static Result<Tensor> make(ir::Type type, std::span<const std::byte> bytes);
  /// Shares the caller's bytes, which must not change while tensors share them. Errors: as make;
  /// bytes that are not aligned for the element type.
  static Result<Tensor> borrow(ir::Type type, std::shared_ptr<const std::byte> bytes,
                               std::size_t size);
  /// Returns the literal's elements, with splats expanded. Errors: as make.
  static Result<Tensor> from_literal(const ir::Literal& literal);
  /// Converts one number per element, as `stablehlo.convert` from f64. Errors: not a static tensor
  /// type, another count.
  static Result<Tensor> from_doubles(const ir::Type& type, std::span<const double> values);
  /// Converts one number per element, as `stablehlo.convert` from i64. Errors: not a static tensor
  /// type, another count.
  static Result<Tensor> from_integers(const ir::Type& type, std::span<const int64_t> values);

  /// Returns the token value.
  static Tensor token();
  /// Returns a tuple. Requires: all parts have a value.
  static Tensor tuple(std::vector<Tensor> parts);

  /// Checks whether there is a value.
  explicit operator bool() const { return data_ != nullptr; }
  /// Returns the type; a default type without a value.
  const ir::Type& type() const { return type_; }
  /// Returns the elements of a tuple. Requires: a tuple.
  std::span<const Tensor> parts() const;
  /// Returns the elements, row-major; empty without a value, and for tuples.
  std::span<const std::byte> bytes() const {
    if (!type_.is_tensor()) return {};
    return {data_.get(), static_cast<std::size_t>(num_bytes())};
  }
  /// Returns the address of the first element.
  const std::byte* data() const { return data_.get(); }
  /// Returns the number of elements. Requires: a tensor.
  int64_t num_elements() const { return type_.num_elements(); }
  /// Returns the size in bytes of a tensor, or of all tensors of a tuple.
  int64_t num_bytes() const {
    if (!data_) return 0;
    return type_.is_tensor() ? type_.num_bytes() : num_part_bytes();
  }
  /// Returns the elements as T. Requires: T has the size of the element type.
  template <typename T>
  std::span<const T> elements() const {
    SHARDY_EXPECTS(sizeof(T) == ir::size_bytes(type_.element()));
    return {reinterpret_cast<const T*>(data_.get()), static_cast<std::size_t>(num_elements())};
  }

  /// Returns the elements with another shape, sharing the buffer. Requires: equal byte sizes.
  Tensor reshaped(ir::Type type) const;
  /// Returns `type.num_elements()` consecutive elements from element `first`, sharing the buffer.
  /// Requires: they are in range.
  Tensor part(ir::Type type, int64_t first) const;
  /// Returns a copy of type and elements. Requires: a tensor.
  ir::Literal to_literal() const;
  /// Returns the elements as doubles: integers rounded, complex numbers by their real part.
  /// Requires: a tensor.
  std::vector<double> to_doubles() const;

  /// Compares types and bits: NaNs by payload, -0.0 and +0.0 differ.
  friend bool operator==(const Tensor& a, const Tensor& b);

 private:
  friend class TensorWriter;
  Tensor(ir::Type type, std::shared_ptr<const std::byte> data)
      : type_(std::move(type)), data_(std::move(data)) {}
  int64_t num_part_bytes() const;

  ir::Type type_;
  std::shared_ptr<const std::byte> data_;  // for a tuple: its std::vector<Tensor>
};

using Tensors = std::vector<Tensor>;  // the arguments or results of a function

/// A buffer to fill; `finish` converts it to a Tensor. Elements are initially unspecified.
class TensorWriter {
 public:
  /// Allocates a buffer. Errors: not a static tensor type, out of memory.
  static Result<TensorWriter> make(ir::Type type);

  /// Returns the type of the written tensor.
  const ir::Type& type() const { return type_; }
  /// Returns the address of the first element.
  std::byte* data() { return data_.get(); }
  /// Returns the elements, row-major.
  std::span<std::byte> bytes() {
    return {data_.get(), static_cast<std::size_t>(type_.num_bytes())};
  }
  /// Returns the elements as T. Requires: T has the size of the element type.
  template <typename T>
  std::span<T> elements() {
    SHARDY_EXPECTS(sizeof(T) == ir::size_bytes(type_.element()));
    return {reinterpret_cast<T*>(data_.get()), static_cast<std::size_t>(type_.num_elements())};
  }
  /// Returns the tensor. Requires: every element is written and canonical; not checked.
  Tensor finish() && { return {std::move(type_), std::move(data_)}; }

 private:
  TensorWriter(ir::Type type, std::shared_ptr<std::byte> data)
      : type_(std::move(type)), data_(std::move(data)) {}

  ir::Type type_;
  std::shared_ptr<std::byte> data_;
};

/// Content of elements that no valid element may depend on: `spmd.undef` and padding of inputs.
/// Comparing runs with two different poisons finds missing masks. Spec: partitioning 11.7.
enum class Fill : uint8_t {
  Zero,
  Poison,      // NaN for floats, bytes 0xA5 for integers, i1 alternating from 0
  OtherPoison  // every byte 0x5A, i1 alternating from 1
};

/// Returns a tensor with that content. Errors: not a static tensor type, out of memory.
Result<Tensor> filled_tensor(const ir::Type& type, Fill fill);

/// Returns `tensor<2x3xf32> [1, 2, 3, 4, 5, 6]` with at most `max_elements` elements.
std::string to_string(const Tensor& tensor, int64_t max_elements = 64);
/// Returns the full text as `interpreter.print` shows it: `tensor<ui8> {1}`, rows on separate
/// lines. Spec: stablehlo 32.
std::string value_text(const Tensor& tensor);

/// Limit of the header size of an .npy file.
inline constexpr std::size_t kMaxNpyHeaderBytes = std::size_t{1} << 16;

/// Reads an .npy file: versions 1.0 to 3.0, C or Fortran order, little endian. Element types that
/// NumPy lacks are stored as raw bytes (`|V1`, `|V2`) and need a `wanted` type; 2 and 4 bit
/// integers are stored as bytes.
///
/// Errors: other formats, too few or too many bytes, another type than `wanted`. A file truncated
/// after more bytes than the type needs gives the same errors as the complete file.
Result<Tensor> read_npy(std::span<const std::byte> file,
                        const std::optional<ir::Type>& wanted = std::nullopt);

/// As read_npy for a file that stays in memory or mapped while the tensor exists: elements in C
/// order are shared, so that only accessed pages are read.
Result<Tensor> map_npy(std::shared_ptr<const std::byte> file, std::size_t size,
                       const std::optional<ir::Type>& wanted = std::nullopt);

/// Returns the header of an .npy file for that type. Errors: not a static tensor type.
Result<std::vector<std::byte>> npy_header(const ir::Type& type);

/// Returns an .npy file, version 1.0, C order. Errors: not a tensor.
Result<std::vector<std::byte>> write_npy(const Tensor& tensor);

}  // namespace shardy::simulation
