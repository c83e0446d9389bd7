#include "text/alias_extent.hpp"

#include <algorithm>

namespace shardy::text {

using ir::Attribute;
using ir::Type;

bool AliasExtent::take(int depth, int deepest, const char* what) {
  if (depth >= deepest) error_ = std::string(what) + " is nested too deeply";
  if (left_ == 0)
    error_ = std::string(what) + " has too many parts with what its aliases stand for";
  if (left_ > 0) --left_;
  return error_.empty();
}

bool AliasExtent::add(const Type& type, int depth) {
  if (!take(depth, kDeepestType, "type")) return false;
  const auto add_all = [&](std::span<const Type> types) {
    return std::ranges::all_of(types, [&](const Type& each) { return add(each, depth + 1); });
  };
  if (const auto* tuple = type.as<ir::TupleType>()) return add_all(tuple->elements);
  const auto* function = type.as<ir::FunctionType>();
  return !function || (add_all(function->inputs()) && add_all(function->results()));
}

bool AliasExtent::add(const Attribute& attribute, int depth) {
  if (!take(depth, kDeepestAttribute, "attribute")) return false;
  if (const auto* list = attribute.as<ir::ArrayAttr>()) {
    return std::ranges::all_of(list->elements,
                               [&](const Attribute& each) { return add(each, depth + 1); });
  }
  if (const auto* map = attribute.as<ir::AttributeMap>()) {
    return std::ranges::all_of(
        *map, [&](const ir::NamedAttribute& each) { return add(each.value, depth + 1); });
  }
  const auto* type = attribute.as<ir::TypeAttr>();
  return !type || add(type->type, 0);
}

}  // namespace shardy::text
