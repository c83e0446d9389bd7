// Value semantics for plain structs: text for {fmt} and streams, a hash, and an order. All are
// derived from a list of the struct's fields, which the compiler compares with the struct.
#pragma once

#include <cmath>
#include <compare>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <ostream>
#include <shardy/algebra/detail/format.hpp>
#include <shardy/support/detail/hash.hpp>
#include <shardy/support/detail/quote.hpp>
#include <shardy/support/typed_id.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace shardy::detail {

/// The fields of a struct: `of(value)` returns them as a tuple, `kNames` is "a, b". Specialized by
/// SHARDY_VALUE.
template <class T>
struct Fields {};

/// Functions of types that are not structs with fields: `text(value)`, `hash(value)`, `order(a,
/// b)`.
template <class T>
struct OwnValue {};

template <class T>
concept HasOwnValue = requires(const T& value) {
  OwnValue<T>::hash(value);
};

/// True for types with a `to_string` function.
template <class T>
inline constexpr bool kHasOwnText = false;

template <class T>
concept HasFields = requires(const T& value) {
  Fields<T>::of(value);
};

/// True for types that have no order without these headers.
template <class T>
concept GetsOrder = HasOwnValue<T> || requires {
  requires !Fields<T>::kHasOwnOrder;
};

template <class T>
concept HasValueText = HasFields<T> || HasOwnValue<T> || kHasOwnText<T>;

template <class T>
concept Optional = requires(const T& value) {
  typename T::value_type;
  { value.has_value() } -> std::convertible_to<bool>;
  *value;
};

template <class T>
concept List = requires(const T& value) {
  value.begin();
  value.end();
};

template <class Tag>
std::string value_text(const TypedId<Tag>& id);
template <class A, class B>
std::string value_text(const std::pair<A, B>& pair);
template <class T>
std::string value_text(const T& value);

inline void append_field(std::string& text, std::string_view& names, std::string_view value) {
  const std::size_t comma = names.find(',');
  if (text.back() != '{') text += ", ";
  text.append(names.substr(0, comma)).append("=").append(value);
  names.remove_prefix(comma == std::string_view::npos ? names.size() : comma + 1);
  while (names.starts_with(' ')) names.remove_prefix(1);
}

template <class T>
std::string fields_text(const T& value) {
  std::string text = std::string(Fields<T>::kName) + "{";
  std::string_view names = Fields<T>::kNames;
  std::apply([&](const auto&... field) { (append_field(text, names, value_text(field)), ...); },
             Fields<T>::of(value));
  return text + "}";
}

template <class T>
std::string list_text(const T& list) {
  std::string text;
  for (const auto& element : list) text += (text.empty() ? "" : ", ") + value_text(element);
  return "[" + text + "]";
}

template <class Tag>
std::string value_text(const TypedId<Tag>& id) {
  return id.valid() ? "#" + std::to_string(id.value) : "none";
}

template <class A, class B>
std::string value_text(const std::pair<A, B>& pair) {
  return value_text(pair.first) + ": " + value_text(pair.second);
}

template <class T>
std::string value_text(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_arithmetic_v<T>) {
    return fmt::format("{}", value);
  } else if constexpr (kHasOwnText<T>) {
    return std::string(to_string(value));
  } else if constexpr (HasOwnValue<T>) {
    return OwnValue<T>::text(value);
  } else if constexpr (HasFields<T>) {
    return fields_text(value);
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<long long>(value));
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return in_quotes(value);
  } else if constexpr (Optional<T>) {
    return value.has_value() ? value_text(*value) : "none";
  } else {
    return list_text(value);
  }
}

template <class A, class B>
std::size_t value_hash(const std::pair<A, B>& pair);
template <class T>
std::size_t value_hash(const T& value);

template <class A, class B>
std::size_t value_hash(const std::pair<A, B>& pair) {
  return hash_combine(value_hash(pair.first), value_hash(pair.second));
}

template <class T>
std::size_t value_hash(const T& value) {
  if constexpr (HasOwnValue<T>) {
    return OwnValue<T>::hash(value);
  } else if constexpr (HasFields<T>) {
    std::size_t seed = 0;
    std::apply([&](const auto&... field) { ((seed = hash_combine(seed, value_hash(field))), ...); },
               Fields<T>::of(value));
    return seed;
  } else if constexpr (std::is_default_constructible_v<std::hash<T>>) {
    return std::hash<T>{}(value);
  } else if constexpr (Optional<T>) {
    return value.has_value() ? hash_combine(1, value_hash(*value)) : 0;
  } else {
    std::size_t seed = 0;
    for (const auto& element : value) seed = hash_combine(seed, value_hash(element));
    return hash_combine(seed, static_cast<std::size_t>(std::distance(value.begin(), value.end())));
  }
}

template <class A, class B>
std::strong_ordering value_order(const std::pair<A, B>& a, const std::pair<A, B>& b);
template <class T>
std::strong_ordering value_order(const T& a, const T& b);

template <class A, class B>
std::strong_ordering value_order(const std::pair<A, B>& a, const std::pair<A, B>& b) {
  const auto first = value_order(a.first, b.first);
  return first != 0 ? first : value_order(a.second, b.second);
}

template <class T>
std::strong_ordering fields_order(const T& a, const T& b) {
  std::strong_ordering order = std::strong_ordering::equal;
  const auto compare = [&](const auto& x, const auto& y) {
    if (order == 0) order = value_order(x, y);
  };
  std::apply(
      [&](const auto&... mine) {
        std::apply([&](const auto&... theirs) { (compare(mine, theirs), ...); }, Fields<T>::of(b));
      },
      Fields<T>::of(a));
  return order;
}

template <class T>
std::strong_ordering list_order(const T& a, const T& b) {
  auto x = a.begin();
  auto y = b.begin();
  for (; x != a.end() && y != b.end(); ++x, ++y) {
    if (const auto order = value_order(*x, *y); order != 0) return order;
  }
  if (x == a.end()) {
    return y == b.end() ? std::strong_ordering::equal : std::strong_ordering::less;
  }
  return std::strong_ordering::greater;
}

template <class T>
std::strong_ordering value_order(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    // Positive and negative zero are equal, as for operator==.
    if (a == b) return std::strong_ordering::equal;
    // strong_order puts NaNs with a sign bit, such as 0.0 / 0.0 on x86, before -infinity.
    if (const auto order = std::isnan(a) <=> std::isnan(b); order != 0) return order;
    return std::strong_order(a, b);
  } else if constexpr (HasOwnValue<T>) {
    return OwnValue<T>::order(a, b);
  } else if constexpr (HasFields<T>) {
    if constexpr (Fields<T>::kHasOwnOrder) {
      return a <=> b;
    } else {
      return fields_order(a, b);
    }
  } else if constexpr (Optional<T>) {
    if (!a.has_value() || !b.has_value()) return a.has_value() <=> b.has_value();
    return value_order(*a, *b);
  } else if constexpr (std::is_enum_v<T> || std::is_arithmetic_v<T> ||
                       std::is_convertible_v<const T&, std::string_view> || !List<T>) {
    return a <=> b;
  } else {
    return list_order(a, b);
  }
}

}  // namespace shardy::detail

namespace shardy {

/// Prints any value that has fields or text: `Range{begin=0, end=4}`.
template <detail::HasValueText T>
std::ostream& operator<<(std::ostream& out, const T& value) {
  return out << detail::value_text(value);
}

/// Compares by fields, in their order. Floats are compared as numbers, NaNs last.
template <class T>
requires detail::GetsOrder<T> std::strong_ordering operator<=>(const T& a, const T& b) {
  return detail::value_order(a, b);
}

}  // namespace shardy

/// Makes the operators visible to argument-dependent lookup for types of the namespace `space`.
#define SHARDY_VALUES_OF(space)             \
  namespace space {                         \
  using ::shardy::operator<<;  /* NOLINT */ \
  using ::shardy::operator<=>; /* NOLINT */ \
  }

#define SHARDY_VALUE_(Type, own_order, ...)                                               \
  template <>                                                                             \
  struct shardy::detail::Fields<Type> {                                                   \
    static constexpr std::string_view kFullName = #Type;                                  \
    static constexpr std::string_view kName = kFullName.substr(kFullName.rfind(':') + 1); \
    static constexpr std::string_view kNames = #__VA_ARGS__;                              \
    static constexpr bool kHasOwnOrder = own_order;                                       \
    static auto of(const Type& value_of_all) {                                            \
      const auto& [__VA_ARGS__] = value_of_all;                                           \
      return std::tie(__VA_ARGS__);                                                       \
    }                                                                                     \
  };

/// Gives a struct text, a hash and an order by its fields. List all fields, in order, at the top
/// level of a header. Requires: the struct has operator==.
#define SHARDY_VALUE(Type, ...) SHARDY_VALUE_(Type, false, __VA_ARGS__)
/// Gives a struct text and a hash by its fields, and keeps its own order.
#define SHARDY_ORDERED_VALUE(Type, ...) SHARDY_VALUE_(Type, true, __VA_ARGS__)
/// Gives text to a type by the function `to_string` of its namespace.
#define SHARDY_VALUE_WITH_TEXT(Type) \
  template <>                        \
  inline constexpr bool shardy::detail::kHasOwnText<Type> = true;

template <class T>
requires(shardy::detail::HasFields<T> || shardy::detail::HasOwnValue<T>) struct std::hash<T> {
  std::size_t operator()(const T& value) const { return shardy::detail::value_hash(value); }
};

template <shardy::detail::HasValueText T>
requires(!shardy::detail::HasText<T>) struct fmt::formatter<T> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const T& value, Context& context) const {
    return fmt::formatter<std::string_view>::format(shardy::detail::value_text(value), context);
  }
};
