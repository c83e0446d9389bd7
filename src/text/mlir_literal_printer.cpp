// Dense literals as MLIR text. Spec: stablehlo 13.4.
#include <algorithm>

#include "shardy/ir/number.hpp"
#include "text/mlir_float_text.hpp"
#include "text/mlir_number_text.hpp"
#include "text/mlir_printer.hpp"

namespace shardy::text {

using ir::ElementType;

void MlirAttributePrinter::element(std::span<const std::byte> bytes, ElementType type) {
  if (ir::is_complex(type)) {
    const ElementType part = bytes.size() == 8 ? ElementType::F32 : ElementType::F64;
    out_ += '(' + float_text(bytes.first(bytes.size() / 2), part);
    out_ += ',' + float_text(bytes.subspan(bytes.size() / 2), part) + ')';
  } else if (ir::is_float(type)) {
    out_ += float_text(bytes, type);
  } else {
    append_integer_of(out_, ir::decode_int(bytes, type), type);
  }
}

void MlirAttributePrinter::elements(const ir::Literal& literal) {
  const ElementType type = literal.type().element();
  const auto dims = literal.type().dims();
  std::vector<int64_t> strides(dims.size(), 1);  // how many elements a list of that level holds
  for (std::size_t dim = dims.size(); dim-- > 0;) {
    strides[dim] = dims[dim] * (dim + 1 < dims.size() ? strides[dim + 1] : 1);
  }
  for (int64_t index = 0; index < literal.num_elements(); ++index) {
    if (index > 0) out_ += ", ";
    for (const int64_t stride : strides) {
      if (index % stride == 0) out_ += '[';
    }
    element(literal.element_bytes(index), type);
    for (const int64_t stride : strides) {
      if ((index + 1) % stride == 0) out_ += ']';
    }
  }
}

void MlirAttributePrinter::blob(const ir::Literal& literal) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const int bits = ir::info(literal.type().element()).bits;
  const auto mask = static_cast<unsigned>(bits < 8 ? (1 << bits) - 1 : 0xFF);
  out_ += "\"0x";
  for (const std::byte byte : literal.stored()) {
    const unsigned value = std::to_integer<unsigned>(byte) & mask;
    out_ += kHex[value >> 4U];
    out_ += kHex[value & 15U];
  }
  out_ += '"';
}

namespace {

bool all_equal(const ir::Literal& literal) {
  if (literal.is_splat()) return true;
  const auto bytes = literal.stored();
  const std::size_t size = ir::size_bytes(literal.type().element());
  return std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(size), bytes.end(), bytes.begin());
}

}  // namespace

void MlirAttributePrinter::literal(const ir::Literal& literal) {
  constexpr int64_t kMostInLists = 100;
  out_ += "dense<";
  const int64_t count = literal.num_elements();
  // Older parsers read blobs of i1 as bits.
  const bool as_list = legacy_ && ir::is_boolean(literal.type().element());
  if (count == 0) {
  } else if (all_equal(literal)) {
    element(literal.element_bytes(0), literal.type().element());
  } else if (count > kMostInLists && !as_list) {
    blob(literal);
  } else {
    elements(literal);
  }
  out_ += "> : ";
  type(literal.type());
}

}  // namespace shardy::text
