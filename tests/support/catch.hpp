// Catch2, version 2 or 3, with text instead of bytes for every type that has `to_string`.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <optional>
#include <shardy/algebra/mesh.hpp>
#include <shardy/support/result.hpp>
#include <string>

namespace shardy_test {

/// `to_string` is looked up where the type lives. Catch prints the elements of ranges one by one.
template <class T>
concept HasText = !Catch::is_range<T>::value && requires(const T& value) {
  std::string(to_string(value));
};

/// The message of `result`, or a sentence that no message is equal to.
template <class T>
std::string message_of(const shardy::Result<T>& result) {
  return result ? "(no error)" : result.error().headline();
}

/// `line:column: message`
template <class T>
std::string located_message_of(const shardy::Result<T>& result) {
  return result ? "(no error)" : result.error().location.text() + ": " + result.error().headline();
}

}  // namespace shardy_test

template <shardy_test::HasText T>
struct Catch::StringMaker<T> {
  static std::string convert(const T& value) { return std::string(to_string(value)); }
};

template <>
struct Catch::StringMaker<shardy::AxisRef> {
  static std::string convert(const shardy::AxisRef& ref) {
    return "axis " + std::to_string(ref.axis) + ":(" + std::to_string(ref.pre) + ")" +
           std::to_string(ref.size);
  }
};

template <>
struct Catch::StringMaker<shardy::Error> {
  static std::string convert(const shardy::Error& error) {
    return error.location.text() + ": " + error.headline();
  }
};

template <class T>
struct Catch::StringMaker<std::optional<T>> {
  static std::string convert(const std::optional<T>& value) {
    return value ? Catch::Detail::stringify(*value) : "nothing";
  }
};
