// Run-time values: typed, row-major, immutable buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <shardy/ir/attribute.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace shardy::simulation {

/// A run-time value: the elements of a static tensor, row-major and contiguous in the layout of
/// ir::Literal, or a token or a tuple. Immutable; copies share the buffer.
///
/// Invariant: the buffer has the size of the type; i1 elements are 0 or 1; integers of fewer than 8
/// bits are sign- or zero-extended. Only a default-constructed object has no value, and converts to
/// false. Spec: stablehlo 15.
class Tensor {
 public:
  Tensor() = default;

  /// Makes a tensor with a copy of `bytes`. Errors: a type that is not a static tensor; another
  /// size; elements that violate the invariant.
  static Result<Tensor> make(ir::Type type, std::span<const std::byte> bytes);
  /// Makes a tensor that shares the caller's bytes, which must not change while any tensor shares
  /// them. Errors: as make; bytes that are not aligned for the element type.
  static Result<Tensor> borrow(ir::Type type, std::shared_ptr<const std::byte> bytes,
                               std::size_t size);
  /// Makes a tensor of the literal's elements; splats are expanded. Errors: as make.
  static Result<Tensor> from_literal(const ir::Literal& literal);
  /// Makes a tensor of one number per element, converted as by `stablehlo.convert` from f64.
  /// Errors: a type that is not a static tensor; another number of values.
  static Result<Tensor> from_doubles(const ir::Type& type, std::span<const double> values);
  /// Makes a tensor of one number per element, converted as by `stablehlo.convert` from i64.
  /// Errors: a type that is not a static tensor; another number of values.
  static Result<Tensor> from_integers(const ir::Type& type, std::span<const int64_t> values);

  /// Returns a token.
  static Tensor token();
  /// Returns a tuple. Requires: all elements have a value.
  static Tensor tuple(std::vector<Tensor> parts);

  /// Checks whether the object has a value.
  explicit operator bool() const { return data_ != nullptr; }
  /// Returns the type; a default type if the object has no value.
  const ir::Type& type() const { return type_; }
  /// Returns the elements of a tuple. Requires: a tuple.
  std::span<const Tensor> parts() const;
  /// Returns the elements as bytes, row-major; empty for tuples and without a value.
  std::span<const std::byte> bytes() const {
    if (!type_.is_tensor()) return {};
    return {data_.get(), static_cast<std::size_t>(num_bytes())};
  }
  /// Returns the address of the first element.
  const std::byte* data() const { return data_.get(); }
  /// Returns the number of elements. Requires: a tensor.
  int64_t num_elements() const { return type_.num_elements(); }
  /// Returns the bytes of a tensor, or of all tensors of a tuple.
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

  /// Returns the elements with another shape. The result shares the buffer. Requires: equal byte
  /// sizes.
  Tensor reshaped(ir::Type type) const;
  /// Returns a tensor of `type.num_elements()` consecutive elements from element `first` on. The
  /// result shares the buffer. Requires: these elements exist.
  Tensor part(ir::Type type, int64_t first) const;
  /// Returns a literal with a copy of the elements. Requires: a tensor.
  ir::Literal to_literal() const;
  /// Returns the elements as doubles. Integers are rounded; complex numbers are replaced by their
  /// real part. Requires: a tensor.
  std::vector<double> to_doubles() const;

  /// Compares types and bits: NaNs are equal if their bits are; -0.0 and +0.0 differ.
  friend bool operator==(const Tensor& a, const Tensor& b);

 private:
  friend class TensorWriter;
  Tensor(ir::Type type, std::shared_ptr<const std::byte> data)
      : type_(std::move(type)), data_(std::move(data)) {}
  int64_t num_part_bytes() const;

  ir::Type type_;
  std::shared_ptr<const std::byte> data_;  // a tuple: points to its std::vector<Tensor>
};

using Tensors = std::vector<Tensor>;  // the arguments or results of a function

/// A buffer for the elements of a new tensor, which `finish` returns. Elements are initially
/// unspecified.
class TensorWriter {
 public:
  /// Allocates a buffer. Errors: a type that is not a static tensor; out of memory.
  static Result<TensorWriter> make(ir::Type type);

  /// Returns the type of the tensor.
  const ir::Type& type() const { return type_; }
  /// Returns the address of the first element.
  std::byte* data() { return data_.get(); }
  /// Returns the bytes of all elements, row-major.
  std::span<std::byte> bytes() {
    return {data_.get(), static_cast<std::size_t>(type_.num_bytes())};
  }
  /// Returns the elements as T. Requires: T has the size of the element type.
  template <typename T>
  std::span<T> elements() {
    SHARDY_EXPECTS(sizeof(T) == ir::size_bytes(type_.element()));
    return {reinterpret_cast<T*>(data_.get()), static_cast<std::size_t>(type_.num_elements())};
  }
  /// Returns the tensor. Requires: every element was written and satisfies the invariant of Tensor;
  /// not checked.
  Tensor finish() && { return {std::move(type_), std::move(data_)}; }

 private:
  TensorWriter(ir::Type type, std::shared_ptr<std::byte> data)
      : type_(std::move(type)), data_(std::move(data)) {}

  ir::Type type_;
  std::shared_ptr<std::byte> data_;
};

/// Content of elements on which no valid element may depend: results of `spmd.undef` and padding of
/// inputs. If two runs with different poison values differ, a mask is missing. Spec: partitioning
/// 11.7.
enum class Fill : uint8_t {
  Zero,
  Poison,      // floats NaN, integers bytes 0xA5, i1 alternating from 0
  OtherPoison  // all bytes 0x5A, i1 alternating from 1
};

/// Returns a tensor of this content. Errors: a type that is not a static tensor; out of memory.
Result<Tensor> filled_tensor(const ir::Type& type, Fill fill);

/// Returns text such as `tensor<2x3xf32> [1, 2, 3, 4, 5, 6]`, with at most `max_elements` elements.
std::string to_string(const Tensor& tensor, int64_t max_elements = 64);
/// Returns the text that `interpreter.print` prints, with all elements: `tensor<ui8> {1}`, rows on
/// separate lines. Spec: stablehlo 32.
std::string value_text(const Tensor& tensor);

/// Maximal header size of an .npy file.
inline constexpr std::size_t kMaxNpyHeaderBytes = std::size_t{1} << 16;

/// Reads an .npy file: versions 1.0 to 3.0, C or Fortran order, little endian. Element types that
/// NumPy does not have are stored as raw bytes (`|V1`, `|V2`), and `wanted` must give their type.
/// 2- and 4-bit integers are stored as bytes.
///
/// Errors: other formats; too few or too many bytes; another type than `wanted`. If a file is
/// truncated after more bytes than the type needs, the errors are as for the complete file.
Result<Tensor> read_npy(std::span<const std::byte> file,
                        const std::optional<ir::Type>& wanted = std::nullopt);

/// Reads an .npy file that stays in memory or mapped while the tensor exists. Elements in C order
/// are shared, so that only accessed pages are read. Otherwise as read_npy.
Result<Tensor> map_npy(std::shared_ptr<const std::byte> file, std::size_t size,
                       const std::optional<ir::Type>& wanted = std::nullopt);

/// Returns the header of an .npy file for a tensor of type `type`. Errors: a type that is not a
/// static tensor.
Result<std::vector<std::byte>> npy_header(const ir::Type& type);

/// Returns the content of an .npy file, version 1.0 in C order. Errors: the value is not a tensor.
Result<std::vector<std::byte>> write_npy(const Tensor& tensor);

}  // namespace shardy::simulation
