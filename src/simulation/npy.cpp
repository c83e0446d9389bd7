#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "shardy/ir/type_text.hpp"
#include "shardy/simulation/tensor.hpp"
#include "shardy/support/math.hpp"
#include "shardy/support/quote.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {
namespace {

using ir::ElementType;

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;  // of the first element in the file
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

/// How elements of a type stand in a file.
std::string_view code_of(ElementType element) {
  const auto* const row = std::ranges::find(kCodes, element, &TypeCode::element);
  if (row != std::end(kCodes)) return row->code;
  if (ir::is_signed_integer(element)) return "|i1";
  if (ir::is_unsigned_integer(element)) return "|u1";
  return ir::size_bytes(element) == 1 ? "|V1" : "|V2";
}

/// Text of a file, of which a message shows the beginning.
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
    return fail("this is no .npy file: it does not begin as one");
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

/// From Fortran order, in which the first dim varies fastest.
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

}  // namespace

namespace {

/// A file whose elements are those of a type.
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
  // Elements that are not aligned are copied.
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
