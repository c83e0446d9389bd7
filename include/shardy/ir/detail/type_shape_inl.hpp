// Bodies of type_shape.hpp.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <shardy/algebra/value_shape.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/ir/type_shape.hpp>
#include <shardy/ir/type_text.hpp>
#include <shardy/support/inline.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy::ir::detail {

/// Sizes of a tensor or vector whose elements are foreign, out of its text: `tensor<2x?x!q>`.
SHARDY_INLINE std::vector<int64_t> dims_in_text(std::string_view text) {
  std::vector<int64_t> dims;
  text.remove_prefix(text.find('<') + 1);
  while (!text.empty()) {
    int64_t dim = kDynamicDim;
    std::size_t used = 1;
    if (text.front() != '?') {
      const auto [rest, failure] = std::from_chars(text.data(), text.data() + text.size(), dim);
      if (failure != std::errc()) break;
      used = static_cast<std::size_t>(rest - text.data());
    }
    if (text.substr(used, 1) != "x") break;
    dims.push_back(dim);
    text.remove_prefix(used + 1);
  }
  return dims;
}

}  // namespace shardy::ir::detail

namespace shardy::ir {

SHARDY_INLINE TypeShape::TypeShape(Type type) : type_(std::move(type)) {
  const auto* tuple = type_.as<TupleType>();
  if (tuple && tuple->elements.size() == 1) type_ = Type(tuple->elements.front());
  text_ = to_string(type_);
  if (const auto* opaque = type_.as<OpaqueType>()) classify(opaque->text);
  if (type_.is_tensor()) kind_ = ValueShape::Kind::Ranked;
}

SHARDY_INLINE void TypeShape::classify(std::string_view text) {
  if (text.starts_with("tensor<*")) {
    kind_ = ValueShape::Kind::Unranked;
  } else if (text.starts_with("tensor<") || text.starts_with("vector<")) {
    kind_ = ValueShape::Kind::Ranked;
    foreign_dims_ = detail::dims_in_text(text);
  }
}

}  // namespace shardy::ir
