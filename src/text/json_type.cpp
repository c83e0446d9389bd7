#include "text/json_type.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/ir/type_text.hpp"
#include "shardy/support/scanner.hpp"
#include "text/json_fields.hpp"
#include "text/mlir_attribute_reader.hpp"

namespace shardy::text {

namespace {

/// The dims of `f32[4,?]`, from the bracket on.
Result<std::vector<int64_t>> read_dims(Scanner& scanner) {
  std::vector<int64_t> dims;
  SHARDY_TRY_STATUS(scanner.expect("["));
  SHARDY_TRY_STATUS(read_list(scanner, "]", [&]() -> Status {
    if (scanner.eat('?')) {
      dims.push_back(ir::kDynamicDim);
      return {};
    }
    SHARDY_TRY(const int64_t dim, scanner.decimal());
    dims.push_back(dim);
    return {};
  }));
  SHARDY_TRY_STATUS(scanner.expect_end());
  return dims;
}

/// `f32[4,?]`; nothing if the text does not begin so.
std::optional<Result<ir::Type>> read_short_form(std::string_view text) {
  const std::size_t bracket = text.find('[');
  if (bracket == std::string_view::npos) return std::nullopt;
  const std::optional<ir::ElementType> element = ir::parse_element_type(text.substr(0, bracket));
  if (!element) return std::nullopt;
  Scanner scanner(text);
  scanner.seek(bracket);
  return read_dims(scanner).and_then(
      [&](std::vector<int64_t> dims) { return ir::Type::make_tensor(std::move(dims), *element); });
}

}  // namespace

Result<ir::Type> read_type(JsonNode node) {
  if (!node.is_string()) {
    return fail_at(node, R"(a type is a string such as "tensor<4x8xf32>" or "f32[4,8]", found )" +
                             node.description());
  }
  std::optional<Result<ir::Type>> type = read_short_form(node.string());
  if (!type) type = ir::parse_type(node.string()).and_then(&printable_type);
  return std::move(*type).map_error([&](Error error) {
    Error here = in_text_of(node, std::move(error));
    here.notes.emplace_back(R"(types are written as "tensor<4x8xf32>" or "f32[4,8]")");
    return here;
  });
}

std::string type_text(const ir::Type& type) {
  if (!type.is_tensor() || !type.tensor()->encoding.empty()) return to_string(type);
  std::string text = std::string(to_string(type.element())) + "[";
  for (const int64_t dim : type.dims()) {
    if (text.back() != '[') text += ',';
    text += dim == ir::kDynamicDim ? "?" : std::to_string(dim);
  }
  return text + "]";
}

}  // namespace shardy::text
