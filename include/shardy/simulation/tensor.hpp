// Values at run time: typed, row-major, immutable buffers.
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

/// The elements of a static tensor, row-major and contiguous, laid out as in ir::Literal; or one of
/// the values that only pass through: a token, a tuple. Immutable; a copy shares the buffer.
///
/// Invariant: the bytes are those the type needs; i1 elements are 0 or 1 and sub-byte integers are
/// sign- or zero-extended. The default is "no value": the only one that converts to false.
/// Spec: stablehlo 15.
class Tensor {
 public:
  Tensor() = default;

  /// Copies `bytes`. Errors: no static tensor type, another size, elements that are not canonical.
  static Result<Tensor> make(ir::Type type, std::span<const std::byte> bytes);
  /// Takes the bytes of somebody else, who lets them be as long as a tensor shares them. Errors: as
  /// make; bytes that are not aligned for the elements.
  static Result<Tensor> borrow(ir::Type type, std::shared_ptr<const std::byte> bytes,
                               std::size_t size);
  /// Splats are written out. Errors: as make.
  static Result<Tensor> from_literal(const ir::Literal& literal);
  /// One number per element, converted as `stablehlo.convert` does from f64 and i64.
  /// Errors: no static tensor type, another count.
  static Result<Tensor> from_doubles(const ir::Type& type, std::span<const double> values);
  /// Errors: no static tensor type, another count.
  static Result<Tensor> from_integers(const ir::Type& type, std::span<const int64_t> values);

  /// The value of all tokens.
  static Tensor token();
  /// Requires: values.
  static Tensor tuple(std::vector<Tensor> parts);

  /// Returns whether there is a value: a default one has none.
  explicit operator bool() const { return data_ != nullptr; }
  /// Returns the type; a default-made one without a value.
  const ir::Type& type() const { return type_; }
  /// The values of a tuple. Requires: a tuple.
  std::span<const Tensor> parts() const;
  /// The elements, row-major; empty without a value, and of tuples.
  std::span<const std::byte> bytes() const {
    if (!type_.is_tensor()) return {};
    return {data_.get(), static_cast<std::size_t>(num_bytes())};
  }
  /// Where the elements begin.
  const std::byte* data() const { return data_.get(); }
  /// Requires: a tensor.
  int64_t num_elements() const { return type_.num_elements(); }
  /// Returns the bytes of a tensor, or of all tensors of a tuple.
  int64_t num_bytes() const {
    if (!data_) return 0;
    return type_.is_tensor() ? type_.num_bytes() : num_part_bytes();
  }
  /// The elements as T. Requires: T has the size of the element type.
  template <typename T>
  std::span<const T> elements() const {
    SHARDY_EXPECTS(sizeof(T) == ir::size_bytes(type_.element()));
    return {reinterpret_cast<const T*>(data_.get()), static_cast<std::size_t>(num_elements())};
  }

  /// The same elements under another shape, sharing the buffer. Requires: equal byte sizes.
  Tensor reshaped(ir::Type type) const;
  /// `type.num_elements()` consecutive elements from element `first` on, sharing the buffer.
  /// Requires: they are inside.
  Tensor part(ir::Type type, int64_t first) const;
  /// A copy of type and elements. Requires: a tensor.
  ir::Literal to_literal() const;
  /// Every element as a double: integers rounded, complex by their real part. Requires: a tensor.
  std::vector<double> to_doubles() const;

  /// Equal types and equal bits: NaNs by payload, -0.0 apart from +0.0.
  friend bool operator==(const Tensor& a, const Tensor& b);

 private:
  friend class TensorWriter;
  Tensor(ir::Type type, std::shared_ptr<const std::byte> data)
      : type_(std::move(type)), data_(std::move(data)) {}
  int64_t num_part_bytes() const;

  ir::Type type_;
  std::shared_ptr<const std::byte> data_;  // of a tuple: its std::vector<Tensor>
};

using Tensors = std::vector<Tensor>;  // several values: the arguments or results of a function

/// A buffer that is being filled; `finish` makes it a Tensor. The elements start unspecified.
class TensorWriter {
 public:
  /// Errors: no static tensor type, no memory.
  static Result<TensorWriter> make(ir::Type type);

  /// Returns the type of the written tensor.
  const ir::Type& type() const { return type_; }
  /// Where the elements begin.
  std::byte* data() { return data_.get(); }
  /// The elements, row-major.
  std::span<std::byte> bytes() {
    return {data_.get(), static_cast<std::size_t>(type_.num_bytes())};
  }
  /// The elements as T. Requires: T has the size of the element type.
  template <typename T>
  std::span<T> elements() {
    SHARDY_EXPECTS(sizeof(T) == ir::size_bytes(type_.element()));
    return {reinterpret_cast<T*>(data_.get()), static_cast<std::size_t>(type_.num_elements())};
  }
  /// Returns the tensor. Requires: every element is written and canonical; this is not checked.
  Tensor finish() && { return {std::move(type_), std::move(data_)}; }

 private:
  TensorWriter(ir::Type type, std::shared_ptr<std::byte> data)
      : type_(std::move(type)), data_(std::move(data)) {}

  ir::Type type_;
  std::shared_ptr<std::byte> data_;
};

/// The fill of elements that no valid element may depend on: `spmd.undef` and the padding of
/// inputs. Running with two different poisons and comparing finds masks that are missing. Spec:
/// partitioning 11.7.
enum class Fill : uint8_t {
  Zero,
  Poison,      // floats a NaN, integers bytes 0xA5, i1 alternating from 0
  OtherPoison  // every byte 0x5A, i1 alternating from 1
};

/// Errors: no static tensor type, no memory.
Result<Tensor> filled_tensor(const ir::Type& type, Fill fill);

/// `tensor<2x3xf32> [1, 2, 3, 4, 5, 6]`, at most `max_elements` of them.
std::string to_string(const Tensor& tensor, int64_t max_elements = 64);
/// All of it, as `interpreter.print` shows it: `tensor<ui8> {1}`, rows on lines of their own.
/// Spec: stablehlo 32.
std::string value_text(const Tensor& tensor);

/// Largest size of the header of a file.
inline constexpr std::size_t kMaxNpyHeaderBytes = std::size_t{1} << 16;

/// The tensor that the bytes of a file hold: versions 1.0 to 3.0, C or Fortran order, little endian
/// numbers. Element types that NumPy does not have are raw bytes there (`|V1`, `|V2`), which only a
/// `wanted` type tells; 2 and 4 bit integers are bytes.
///
/// Errors: anything else, bytes too few or too many, another type than `wanted`. A file of which
/// the end was not read, but more than the type takes, gives the same errors as the whole.
Result<Tensor> read_npy(std::span<const std::byte> file,
                        const std::optional<ir::Type>& wanted = std::nullopt);

/// The same of a file that stays in memory, or is mapped into it, as long as the tensor lives: it
/// shares the elements if they are in C order, so that only those are read that somebody asks for.
Result<Tensor> map_npy(std::shared_ptr<const std::byte> file, std::size_t size,
                       const std::optional<ir::Type>& wanted = std::nullopt);

/// Returns the header of a file with such a tensor. Errors: the type is not a static tensor.
Result<std::vector<std::byte>> npy_header(const ir::Type& type);

/// The bytes of a file, version 1.0, C order. Errors: no tensor.
Result<std::vector<std::byte>> write_npy(const Tensor& tensor);

}  // namespace shardy::simulation
