// Bodies of type.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <shardy/algebra/value_shape.hpp>
#include <shardy/ir/element_type.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/math.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/shared.hpp>
#include <string>
#include <utility>
#include <vector>

namespace shardy::ir {

SHARDY_INLINE Type::Node::Node(Data of) : data(std::move(of)) {}
SHARDY_INLINE void Type::Node::destroy(const Node* node) { delete node; }
SHARDY_INLINE Type::Type(Data data) : node_(Shared<Node>::make(std::move(data))) {}
SHARDY_INLINE Type::Type(ScalarType scalar) : node_(shared_scalar(scalar.element)) {}
SHARDY_INLINE Type::Type(TupleType tuple) : Type(Data(std::move(tuple))) {}
SHARDY_INLINE Type::Type(FunctionType function) : Type(Data(std::move(function))) {}
SHARDY_INLINE Type::Type(OpaqueType opaque) : Type(Data(std::move(opaque))) {}

SHARDY_INLINE bool TupleType::operator==(const TupleType& other) const = default;
SHARDY_INLINE bool FunctionType::operator==(const FunctionType& other) const = default;

SHARDY_INLINE FunctionType::FunctionType(std::vector<Type> inputs, std::span<const Type> results)
    : types_(std::move(inputs)), num_inputs_(types_.size()) {
  types_.reserve(num_inputs_ + results.size());
  types_.insert(types_.end(), results.begin(), results.end());
}

SHARDY_INLINE const Type::Data& Type::token() {
  static const Data kToken{TokenType{}};
  return kToken;
}

SHARDY_INLINE bool Type::same_content(const Type& a, const Type& b) { return a.data() == b.data(); }

SHARDY_INLINE bool TensorType::operator==(const TensorType&) const = default;
SHARDY_INLINE bool OpaqueType::operator==(const OpaqueType&) const = default;

SHARDY_INLINE Type Type::tensor(std::vector<int64_t> dims, ElementType element) {
  Result<Type> type = make_tensor(std::move(dims), element);
  SHARDY_EXPECTS(type.has_value());
  return type ? *std::move(type) : Type();
}

/// One description for all scalars of an element type.
SHARDY_INLINE const Shared<Type::Node>& Type::shared_scalar(ElementType element) {
  static const auto kScalars = [] {
    std::array<Shared<Node>, kElementTypes.size()> all;
    for (std::size_t index = 0; index < all.size(); ++index) {
      all[index] = Shared<Node>::make(Data(ScalarType{static_cast<ElementType>(index)}));
    }
    return all;
  }();
  SHARDY_EXPECTS(static_cast<std::size_t>(element) < kScalars.size());
  return kScalars[static_cast<std::size_t>(element)];
}

SHARDY_INLINE Result<Type> Type::make_tensor(std::vector<int64_t> dims, ElementType element,
                                             std::string encoding) {
  if (dims.size() > kMaxRank) {
    return fail(too_many_dims() + ", got: " + std::to_string(dims.size()));
  }
  auto bytes = static_cast<int64_t>(size_bytes(element));
  for (const int64_t dim : dims) {
    if (dim == kDynamicDim || dim == 0) continue;
    if (dim < 0) return fail("tensor dim must not be negative, got: " + std::to_string(dim));
    const std::optional<int64_t> next = checked_mul(bytes, dim);
    if (!next) return fail("tensor is too large: its byte size does not fit 64 bits");
    bytes = *next;
  }
  return Type(Data(TensorType{std::move(dims), element, std::move(encoding)}));
}

}  // namespace shardy::ir
