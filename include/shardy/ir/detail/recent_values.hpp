// Recent values, which equal new ones share or replace.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <shardy/ir/attribute.hpp>
#include <shardy/ir/op_table.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/support/detail/inline.hpp>
#include <utility>
#include <vector>

namespace shardy::ir {

/// The four most recent values, the newest first.
template <class T>
class RecentValues {
 public:
  /// Returns the newest value that `matches` accepts; null if it accepts none. Before four values
  /// were added, `matches` also gets T().
  template <class Matches>
  const T* find(const Matches& matches) const {
    const auto found = std::find_if(values_.begin(), values_.end(), matches);
    return found != values_.end() ? &*found : nullptr;
  }
  /// Adds a value in place of the oldest one.
  const T& add(T value) {
    std::move_backward(values_.begin(), values_.end() - 1, values_.end());
    return values_.front() = std::move(value);
  }

 private:
  std::array<T, 4> values_;
};

/// Recent types and attributes of a module, of which equal new ones share the memory. A copy begins
/// without any.
class SharedValues {
 public:
  SharedValues() = default;
  SharedValues(const SharedValues& /*other*/) {}
  SharedValues(SharedValues&&) noexcept = default;
  SharedValues& operator=(const SharedValues& /*other*/) { return *this; }
  SharedValues& operator=(SharedValues&&) noexcept = default;
  ~SharedValues() = default;

  // Each function returns an equal recent value, or the given one, which becomes recent.

  Type shared(Type type);
  Attribute shared(Attribute value);
  AttributeMap shared(AttributeMap attributes, OpKind kind);

 private:
  /// Recent values by hash; empty before the first one.
  template <class T>
  using Groups = std::vector<RecentValues<T>>;

  template <class T>
  static T find_or_add(Groups<T>& groups, std::size_t hash, T value);

  Groups<Type> types_;
  Groups<AttributeMap> maps_;     // by the kind of the op
  Groups<Attribute> attributes_;  // by form
};

template <class T>
T SharedValues::find_or_add(Groups<T>& groups, std::size_t hash, T value) {
  constexpr std::size_t kGroups = 64;
  if (groups.empty()) groups.resize(kGroups);
  RecentValues<T>& group = groups[hash % kGroups];
  const T* const recent = group.find([&](const T& each) { return each == value; });
  return recent != nullptr ? *recent : group.add(std::move(value));
}

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
namespace shardy::ir {

SHARDY_INLINE Type SharedValues::shared(Type type) {
  const TensorType* const tensor = type.tensor();
  if (tensor == nullptr) return type;
  auto hash = static_cast<uint64_t>(tensor->element);
  for (const int64_t dim : tensor->dims) hash = hash * 31 + static_cast<uint64_t>(dim);
  return find_or_add(types_, hash ^ (hash >> 6U), std::move(type));
}

SHARDY_INLINE Attribute SharedValues::shared(Attribute value) {
  const std::size_t form = value.form();
  return find_or_add(attributes_, form, std::move(value));
}

SHARDY_INLINE AttributeMap SharedValues::shared(AttributeMap attributes, OpKind kind) {
  constexpr std::size_t kMost = 8;  // attributes; longer lists are rarely equal
  if (attributes.empty() || attributes.size() > kMost || kind == OpKind::Constant) {
    return attributes;
  }
  return find_or_add(maps_, static_cast<std::size_t>(kind), std::move(attributes));
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
