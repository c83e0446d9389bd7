#include "shardy/simulation/tensor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>

#include "shardy/ir/number.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/support/prime_field.hpp"
#include "simulation/buffer_pool.hpp"

namespace shardy::simulation {
namespace {

using ir::ElementType;

bool is_canonical(std::span<const std::byte> bytes, ElementType element) {
  const int bits = ir::info(element).bits;
  if (bits >= 8) return true;
  const int low = ir::is_signed_integer(element) ? -(1 << (bits - 1)) : 0;
  const int high = low + (1 << bits) - 1;
  return std::ranges::all_of(bytes, [&](std::byte byte) {
    const int unsigned_value = std::to_integer<int>(byte);
    const int value = low < 0 && unsigned_value >= 128 ? unsigned_value - 256 : unsigned_value;
    return value >= low && value <= high;
  });
}

/// The byte that fills elements of few bits so that they stay canonical.
std::byte small_poison(ElementType element, std::byte pattern) {
  if (ir::is_float(element)) return pattern & std::byte((1 << ir::info(element).bits) - 1);
  std::byte byte{};
  ir::encode_int_into({&byte, 1}, std::to_integer<int64_t>(pattern), element);
  return byte;
}

/// One element in all places.
void fill_exact(std::span<std::byte> out, uint64_t value) {
  for (std::size_t at = 0; at < out.size(); at += sizeof(value)) {
    std::memcpy(&out[at], &value, sizeof(value));
  }
}

void fill_floats(std::span<std::byte> out, ElementType element) {
  // Exponent all ones, mantissa 1..1 0100101...: a quiet NaN that is easy to recognize.
  const bool is_double = element == ElementType::F64 || element == ElementType::Complex128;
  if (is_double || element == ElementType::F32 || element == ElementType::Complex64) {
    const uint64_t bits = is_double ? 0x7FF8A5A5A5A5A5A5ULL : 0x7FE5A5A5ULL;
    const std::size_t size = is_double ? 8 : 4;
    for (std::size_t at = 0; at < out.size(); at += size) std::memcpy(&out[at], &bits, size);
    return;
  }
  const std::vector<std::byte> nan = ir::encode(std::numeric_limits<double>::quiet_NaN(), element);
  for (std::size_t at = 0; at < out.size(); at += nan.size()) {
    std::memcpy(&out[at], nan.data(), nan.size());
  }
}

void fill(std::span<std::byte> out, ElementType element, Fill fill) {
  const std::byte pattern{static_cast<unsigned char>(fill == Fill::Zero     ? 0
                                                     : fill == Fill::Poison ? 0xA5
                                                                            : 0x5A)};
  if (fill != Fill::Zero && ir::is_boolean(element)) {
    const std::size_t first = fill == Fill::Poison ? 0 : 1;
    for (std::size_t at = 0; at < out.size(); ++at) {
      out[at] = std::byte{static_cast<unsigned char>((at + first) % 2)};
    }
    return;
  }
  if (fill != Fill::Zero && ir::is_exact(element)) {
    return fill_exact(out, fill == Fill::Poison ? prime_field::kNotANumber
                                                : prime_field::reduced(prime_field::mixed(7)));
  }
  if (fill == Fill::Poison && (ir::is_float(element) || ir::is_complex(element))) {
    return fill_floats(out, element);
  }
  const bool small = ir::info(element).bits < 8 && !ir::is_boolean(element);
  std::ranges::fill(out, small ? small_poison(element, pattern) : pattern);
}

std::string element_text(const Tensor& tensor, int64_t index) {
  const ElementType element = tensor.type().element();
  const std::size_t size = ir::size_bytes(element);
  const auto bytes = tensor.bytes().subspan(static_cast<std::size_t>(index) * size, size);
  if (!ir::is_float(element) && !ir::is_complex(element)) {
    const int64_t value = ir::decode_int(bytes, element);
    return element == ElementType::UI64 ? std::to_string(static_cast<uint64_t>(value))
                                        : std::to_string(value);
  }
  const auto shortest = [](double value) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.17g", value);
    char brief[32];
    std::snprintf(brief, sizeof(brief), "%.6g", value);
    return std::string(std::strtod(brief, nullptr) == value || std::isnan(value) ? brief : text);
  };
  std::string real = shortest(ir::decode_double(bytes, element));
  if (ir::is_float(element)) return real;
  const ElementType part = ir::part_of(element);
  return "(" + real + ", " + shortest(ir::decode_double(bytes.subspan(size / 2), part)) + ")";
}

Status verify_static(const ir::Type& type) {
  if (type.is_static_tensor()) return {};
  return fail("a value at run time needs a static tensor type, got: " + ir::to_string(type));
}

/// They are as many as the type needs, and elements of few bits are canonical.
Status verify_bytes(const ir::Type& type, std::span<const std::byte> bytes) {
  if (static_cast<int64_t>(bytes.size()) != type.num_bytes()) {
    return fail(ir::to_string(type) + " needs " + std::to_string(type.num_bytes()) +
                " bytes, got: " + std::to_string(bytes.size()));
  }
  if (is_canonical(bytes, type.element())) return {};
  return fail("an element is out of the range of its type " +
              std::string(to_string(type.element())));
}

template <typename T>
Result<Tensor> from_numbers(const ir::Type& type, std::span<const T> values) {
  SHARDY_TRY_STATUS(verify_static(type));
  if (static_cast<int64_t>(values.size()) != type.num_elements()) {
    return fail(ir::to_string(type) + " has " + std::to_string(type.num_elements()) +
                " elements, got: " + std::to_string(values.size()));
  }
  return Tensor::from_literal(ir::literal_from<T>(type, values));
}

}  // namespace

Result<TensorWriter> TensorWriter::make(ir::Type type) {
  SHARDY_TRY_STATUS(verify_static(type));
  // One byte at least: an empty tensor is a tensor, and no null pointer reaches memcpy.
  const auto size = static_cast<std::size_t>(std::max<int64_t>(type.num_bytes(), 1));
  std::shared_ptr<std::byte> bytes = take_buffer(size);
  if (bytes == nullptr) return fail("no memory for a value of type " + ir::to_string(type));
  return TensorWriter(std::move(type), std::move(bytes));
}

Result<Tensor> Tensor::make(ir::Type type, std::span<const std::byte> bytes) {
  SHARDY_TRY(TensorWriter writer, TensorWriter::make(std::move(type)));
  SHARDY_TRY_STATUS(verify_bytes(writer.type(), bytes));
  std::ranges::copy(bytes, writer.data());
  return std::move(writer).finish();
}

Result<Tensor> Tensor::borrow(ir::Type type, std::shared_ptr<const std::byte> bytes,
                              std::size_t size) {
  SHARDY_TRY_STATUS(verify_static(type));
  if (size == 0) return make(std::move(type), {});
  SHARDY_TRY_STATUS(verify_bytes(type, {bytes.get(), size}));
  // No element needs more, and no kernel asks for more than its elements do.
  const std::size_t alignment = std::min<std::size_t>(ir::size_bytes(type.element()), 8);
  if (std::bit_cast<std::uintptr_t>(bytes.get()) % alignment != 0) {
    return fail("the bytes of " + ir::to_string(type) + " are not aligned to " +
                std::to_string(alignment));
  }
  return Tensor(std::move(type), std::move(bytes));
}

Result<Tensor> Tensor::from_literal(const ir::Literal& literal) {
  if (!literal.is_splat()) return make(literal.type(), literal.stored());
  if (!is_canonical(literal.stored(), literal.type().element())) {
    return fail("an element is out of the range of its type " +
                std::string(to_string(literal.type().element())));
  }
  SHARDY_TRY(TensorWriter writer, TensorWriter::make(literal.type()));
  const std::size_t size = literal.stored().size();
  const std::span<std::byte> out = writer.bytes();
  for (std::size_t at = 0; at < out.size(); at += size) {
    std::memcpy(&out[at], literal.stored().data(), size);
  }
  return std::move(writer).finish();
}

Result<Tensor> Tensor::from_doubles(const ir::Type& type, std::span<const double> values) {
  return from_numbers(type, values);
}

Result<Tensor> Tensor::from_integers(const ir::Type& type, std::span<const int64_t> values) {
  return from_numbers(type, values);
}

Tensor Tensor::token() {
  static constexpr std::byte kNothing{};
  return {ir::TokenType{}, std::shared_ptr<const std::byte>(std::shared_ptr<void>(), &kNothing)};
}

Tensor Tensor::tuple(std::vector<Tensor> parts) {
  ir::TupleType type;
  for (const Tensor& part : parts) type.elements.push_back(part.type());
  const auto held = std::make_shared<const std::vector<Tensor>>(std::move(parts));
  const auto* const place = reinterpret_cast<const std::byte*>(held.get());
  return {ir::Type(std::move(type)), std::shared_ptr<const std::byte>(held, place)};
}

std::span<const Tensor> Tensor::parts() const {
  SHARDY_EXPECTS(data_ != nullptr && type_.as<ir::TupleType>() != nullptr);
  return *reinterpret_cast<const std::vector<Tensor>*>(data_.get());
}

int64_t Tensor::num_part_bytes() const {
  if (type_.as<ir::TupleType>() == nullptr) return 0;
  int64_t total = 0;
  for (const Tensor& part : parts()) total += part.num_bytes();
  return total;
}

Tensor Tensor::reshaped(ir::Type type) const {
  SHARDY_EXPECTS(type.num_bytes() == num_bytes());
  return {std::move(type), data_};
}

Tensor Tensor::part(ir::Type type, int64_t first) const {
  SHARDY_EXPECTS(type.element() == type_.element() && first >= 0 && first <= num_elements());
  SHARDY_EXPECTS(type.num_elements() <= num_elements() - first);
  const std::size_t offset = static_cast<std::size_t>(first) * ir::size_bytes(type_.element());
  return {std::move(type), std::shared_ptr<const std::byte>(data_, data_.get() + offset)};
}

ir::Literal Tensor::to_literal() const {
  Result<ir::Literal> literal = ir::Literal::make(type_, {bytes().begin(), bytes().end()});
  SHARDY_EXPECTS(literal.has_value());
  return *std::move(literal);
}

std::vector<double> Tensor::to_doubles() const {
  std::vector<double> values;
  const std::size_t size = ir::size_bytes(type_.element());
  values.reserve(static_cast<std::size_t>(num_elements()));
  for (std::size_t at = 0; at < bytes().size(); at += size) {
    values.push_back(ir::decode_double(bytes().subspan(at, size), type_.element()));
  }
  return values;
}

bool operator==(const Tensor& a, const Tensor& b) {
  if (!a || !b) return !a && !b;
  if (a.type_ != b.type_) return false;
  if (a.data_ == b.data_) return true;
  if (!a.type_.is_tensor()) return std::ranges::equal(a.parts(), b.parts());
  return std::ranges::equal(a.bytes(), b.bytes());
}

Result<Tensor> filled_tensor(const ir::Type& type, Fill pattern) {
  SHARDY_TRY(TensorWriter writer, TensorWriter::make(type));
  fill(writer.bytes(), type.element(), pattern);
  return std::move(writer).finish();
}

std::string to_string(const Tensor& tensor, int64_t max_elements) {
  if (!tensor) return "(no tensor)";
  if (!tensor.type().is_tensor()) return ir::to_string(tensor.type());
  std::string text = ir::to_string(tensor.type()) + " [";
  const int64_t shown = std::min(tensor.num_elements(), max_elements);
  for (int64_t index = 0; index < shown; ++index) {
    if (index > 0) text += ", ";
    text += element_text(tensor, index);
  }
  if (shown < tensor.num_elements()) text += ", ...";
  return text + "]";
}

}  // namespace shardy::simulation
