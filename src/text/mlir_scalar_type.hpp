// The type of the elements of a tensor as tensors of rank 0: what reductions compute with.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "shardy/ir/type.hpp"

namespace shardy::text {

/// Returns std::nullopt for other types than tensors. Quantized tensors are recognized by their
/// text: `tensor<4x!quant..>`.
inline std::optional<ir::Type> scalar_type_of(const ir::Type& type) {
  if (type.is_tensor()) return ir::Type::tensor({}, type.element());
  const auto* opaque = type.as<ir::OpaqueType>();
  if (!opaque || !opaque->text.starts_with("tensor<")) return std::nullopt;
  const std::size_t element = opaque->text.find('!');
  if (element == std::string::npos) return std::nullopt;
  return ir::Type(ir::OpaqueType{"tensor<" + opaque->text.substr(element)});
}

}  // namespace shardy::text
