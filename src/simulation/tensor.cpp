#include "shardy/simulation/tensor.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/support/detail/math.hpp"
#include "shardy/support/detail/prime_field.hpp"
#include "shardy/support/detail/quote.hpp"
#include "simulation/buffer_pool.hpp"
#include "simulation/strided_copy.hpp"

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

/// Returns the poison byte for elements of few bits; the byte is a canonical element.
std::byte small_poison(ElementType element, std::byte pattern) {
  if (ir::is_float(element)) return pattern & std::byte((1 << ir::info(element).bits) - 1);
  std::byte byte{};
  ir::encode_int_into({&byte, 1}, std::to_integer<int64_t>(pattern), element);
  return byte;
}

/// Fills the buffer with one element.
void fill_exact(std::span<std::byte> out, uint64_t value) {
  for (std::size_t at = 0; at < out.size(); at += sizeof(value)) {
    std::memcpy(&out[at], &value, sizeof(value));
  }
}

void fill_floats(std::span<std::byte> out, ElementType element) {
  // A quiet NaN that is easy to recognize: exponent all ones, mantissa 1..1 0100101...
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

/// Checks that the type needs this number of bytes and that elements of few bits are canonical.
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

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;  // alignment of the first element in the file
constexpr std::size_t kMaxRank = 64;

struct TypeCode {
  std::string_view code;
  ElementType element;
};
constexpr TypeCode kCodes[] = {
    {"|b1", ElementType::I1},        {"|i1", ElementType::I8},         {"<i2", ElementType::I16},
    {"<i4", ElementType::I32},       {"<i8", ElementType::I64},        {"|u1", ElementType::UI8},
    {"<u2", ElementType::UI16},      {"<u4", ElementType::UI32},       {"<u8", ElementType::UI64},
    {"<f2", ElementType::F16},       {"<f4", ElementType::F32},        {"<f8", ElementType::F64},
    {"<c8", ElementType::Complex64}, {"<c16", ElementType::Complex128}};

/// Returns the NumPy code of the element type.
std::string_view code_of(ElementType element) {
  const auto* const row = std::ranges::find(kCodes, element, &TypeCode::element);
  if (row != std::end(kCodes)) return row->code;
  if (ir::is_signed_integer(element)) return "|i1";
  if (ir::is_unsigned_integer(element)) return "|u1";
  return ir::size_bytes(element) == 1 ? "|V1" : "|V2";
}

/// Returns the beginning of the text of a file, quoted for messages.
std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 60;
  const std::string escaped = in_quotes(text.substr(0, kShown));
  return "'" + escaped.substr(1, escaped.size() - 2) + (text.size() > kShown ? "...'" : "'");
}

// ---- Header ------------------------------------------------------------------------------------

struct Header {
  std::string descr;
  bool is_fortran = false;
  std::vector<int64_t> dims;
};

/// Reads the dictionary of a header: three keys, each once, in any order.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  Result<Header> read() {
    SHARDY_TRY_STATUS(expect('{'));
    while (peek() != '}') {
      SHARDY_TRY_STATUS(entry());
      if (!eat(',')) break;
    }
    SHARDY_TRY_STATUS(expect('}'));
    skip_space();
    if (at_ != text_.size()) return wrong("the end");
    if (!has_descr_ || !has_order_ || !has_shape_) {
      return fail("the header of the .npy file needs 'descr', 'fortran_order' and 'shape'");
    }
    return std::move(header_);
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  char peek() {
    skip_space();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool eat(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  bool eat(std::string_view word) {
    skip_space();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  tl::unexpected<Error> wrong(std::string_view expected) const {
    return fail("the header of the .npy file is wrong: expected " + std::string(expected) +
                " at character " + std::to_string(at_));
  }
  Status expect(char c) {
    if (eat(c)) return {};
    return wrong(std::string("'") + c + "'");
  }

  Result<std::string> string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return wrong("a string");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return wrong("a string that ends");
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }

  Result<int64_t> size() {
    skip_space();
    int64_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) return wrong("a size");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  Status shape() {
    SHARDY_TRY_STATUS(expect('('));
    while (peek() != ')') {
      SHARDY_TRY(const int64_t dim, size());
      header_.dims.push_back(dim);
      if (header_.dims.size() > kMaxRank) return wrong("fewer dims");
      if (!eat(',')) break;
    }
    return expect(')');
  }

  Status once(bool& seen, std::string_view key) {
    if (!seen) {
      seen = true;
      return {};
    }
    return fail("the header of the .npy file has '" + std::string(key) + "' twice");
  }

  Status entry() {
    SHARDY_TRY(const std::string key, string());
    SHARDY_TRY_STATUS(expect(':'));
    if (key == "descr") {
      SHARDY_TRY_STATUS(once(has_descr_, key));
      if (peek() == '[') return fail("records in .npy files are not supported");
      SHARDY_TRY(header_.descr, string());
      return {};
    }
    if (key == "fortran_order") {
      SHARDY_TRY_STATUS(once(has_order_, key));
      header_.is_fortran = eat("True");
      if (header_.is_fortran || eat("False")) return {};
      return wrong("True or False");
    }
    if (key == "shape") {
      SHARDY_TRY_STATUS(once(has_shape_, key));
      return shape();
    }
    return fail("the header of the .npy file has an unknown key " + quoted(key));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Header header_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

struct File {
  Header header;
  std::span<const std::byte> data;
};

Result<File> split_file(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with(kMagic) || text.size() < kMagic.size() + 4) {
    return fail("not a .npy file: the magic string at its beginning is missing");
  }
  const auto byte = [&](std::size_t at) { return std::to_integer<uint32_t>(file[at]); };
  const uint32_t major = byte(kMagic.size());
  const uint32_t minor = byte(kMagic.size() + 1);
  if (major < 1 || major > 3 || minor != 0) {
    return fail("version " + std::to_string(major) + "." + std::to_string(minor) +
                " of .npy files is not supported");
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  std::size_t begin = kMagic.size() + 2;
  if (file.size() < begin + length_bytes) return fail("the .npy file ends in its header");
  std::size_t length = 0;
  for (std::size_t index = 0; index < length_bytes; ++index) {
    length |= std::size_t{byte(begin + index)} << (8 * index);
  }
  begin += length_bytes;
  if (begin + length > kMaxNpyHeaderBytes) {
    return fail("the header of the .npy file is longer than " + std::to_string(kMaxNpyHeaderBytes) +
                " bytes");
  }
  if (file.size() - begin < length) return fail("the .npy file ends in its header");
  SHARDY_TRY(Header header, HeaderReader(text.substr(begin, length)).read());
  return File{std::move(header), file.subspan(begin + length)};
}

// ---- Elements ----------------------------------------------------------------------------------

Result<ElementType> element_of(const Header& header, const std::optional<ir::Type>& wanted) {
  const std::string& descr = header.descr;
  if (wanted && wanted->is_static_tensor() && code_of(wanted->element()) == descr) {
    return wanted->element();
  }
  const auto* const row = std::ranges::find(kCodes, std::string_view(descr), &TypeCode::code);
  if (row != std::end(kCodes)) return row->element;
  if (descr.starts_with('>')) {
    return fail("big-endian numbers in .npy files are not supported: " + quoted(descr));
  }
  if (descr == "|V1" || descr == "|V2") {
    return fail("the .npy file holds raw bytes " + quoted(descr) + ", not " +
                (wanted ? ir::to_string(*wanted) : "numbers of a known type"));
  }
  return fail("elements " + quoted(descr) + " of .npy files are not supported");
}

/// Copies a tensor from Fortran order, in which the first dim varies fastest.
Result<Tensor> to_row_major(const Tensor& tensor, const ir::Type& type) {
  const std::vector<int64_t> strides = row_major_strides(type.dims());
  std::vector<CopyDim> dims;
  int64_t stride = 1;
  for (std::size_t dim = 0; dim < strides.size(); ++dim) {
    dims.push_back({type.dim(dim), stride, strides[dim]});
    stride *= type.dim(dim);
  }
  SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
  if (type.num_elements() > 0) {
    StridedCopy(std::move(dims), ir::size_bytes(type.element())).run(tensor.data(), out.data());
  }
  return std::move(out).finish();
}

/// A file whose elements have the element type of a type.
struct TypedFile {
  ir::Type type;
  File file;
};

Result<TypedFile> typed_file(std::span<const std::byte> file,
                             const std::optional<ir::Type>& wanted) {
  SHARDY_TRY(File parts, split_file(file));
  SHARDY_TRY(const ElementType element, element_of(parts.header, wanted));
  SHARDY_TRY(ir::Type type, ir::Type::make_tensor(parts.header.dims, element));
  if (wanted && type != *wanted) {
    return fail("the .npy file holds " + ir::to_string(type) + ", not " + ir::to_string(*wanted));
  }
  if (std::ssize(parts.data) != type.num_bytes()) {
    const bool has_more = std::ssize(parts.data) > type.num_bytes();
    return fail("the .npy file holds " +
                (has_more ? "more bytes" : std::to_string(parts.data.size()) + " bytes") +
                " of elements, " + ir::to_string(type) + " needs " +
                std::to_string(type.num_bytes()));
  }
  if (element == ElementType::I1 && std::ranges::any_of(parts.data, [](std::byte value) {
        return std::to_integer<int>(value) > 1;
      })) {
    return fail("a boolean of the .npy file is neither 0 nor 1");
  }
  return TypedFile{std::move(type), std::move(parts)};
}

Result<Tensor> read_typed(const TypedFile& read) {
  SHARDY_TRY(Tensor tensor, Tensor::make(read.type, read.file.data));
  return read.file.header.is_fortran ? to_row_major(tensor, read.type)
                                     : Result<Tensor>(std::move(tensor));
}

}  // namespace

Result<TensorWriter> TensorWriter::make(ir::Type type) {
  SHARDY_TRY_STATUS(verify_static(type));
  // At least one byte, because a tensor without elements needs a buffer, too, and memcpy must not
  // get a null pointer.
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
  // The largest alignment that an element or a kernel needs.
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

Result<Tensor> read_npy(std::span<const std::byte> file, const std::optional<ir::Type>& wanted) {
  SHARDY_TRY(const TypedFile read, typed_file(file, wanted));
  return read_typed(read);
}

Result<Tensor> map_npy(std::shared_ptr<const std::byte> file, std::size_t size,
                       const std::optional<ir::Type>& wanted) {
  const std::shared_ptr<const std::byte> owner = std::move(file);
  if (owner == nullptr) size = 0;
  SHARDY_TRY(const TypedFile read, typed_file({owner.get(), size}, wanted));
  const std::span<const std::byte> data = read.file.data;
  if (read.file.header.is_fortran) return read_typed(read);
  // Copies elements that are not aligned.
  auto shared =
      Tensor::borrow(read.type, std::shared_ptr<const std::byte>(owner, data.data()), data.size());
  return shared ? shared : read_typed(read);
}

Result<std::vector<std::byte>> npy_header(const ir::Type& type) {
  if (!type.is_static_tensor()) return fail("only tensors can be written as .npy files");
  std::string shape;
  for (const int64_t dim : type.dims()) {
    shape += std::to_string(dim) + (type.rank() == 1 ? "," : ", ");
  }
  if (type.rank() > 1) shape.resize(shape.size() - 2);
  std::string header = "{'descr': '" + std::string(code_of(type.element())) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  constexpr std::size_t kPreamble = kMagic.size() + 4;
  while ((kPreamble + header.size() + 1) % kAlignment != 0) header += ' ';
  header += '\n';
  std::string text(kMagic);
  text += {'\x01', '\x00', static_cast<char>(header.size() & 0xFFU),
           static_cast<char>(header.size() >> 8U)};
  text += header;
  std::vector<std::byte> file(text.size());
  std::memcpy(file.data(), text.data(), text.size());
  return file;
}

Result<std::vector<std::byte>> write_npy(const Tensor& tensor) {
  if (!tensor) return fail("only tensors can be written as .npy files");
  SHARDY_TRY(std::vector<std::byte> file, npy_header(tensor.type()));
  file.insert(file.end(), tensor.bytes().begin(), tensor.bytes().end());
  return file;
}

}  // namespace shardy::simulation
