// Texts of a great many equal parts, and what reading them may take.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace shardy::text {

constexpr std::size_t kLargestRatio = 60;  // bytes for each of the text
/// Memory of the tables and of an empty module, which does not depend on the text.
constexpr std::size_t kFixedBytes = 200'000;

inline std::string repeated(std::string_view text, std::size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (std::size_t index = 0; index < count; ++index) all += text;
  return all;
}

/// `ka`, `kb`, ..., `kaab`, ...: short names, no two the same, none a word of the language.
inline std::string word(std::size_t index) {
  std::string name = "k";
  do {
    name += static_cast<char>('a' + index % 26);
    index /= 26;
  } while (index > 0);
  return name;
}

/// `each(0)`, `each(1)`, ... with a separator between.
inline std::string joined(std::size_t count, std::string_view separator,
                          const std::function<std::string(std::size_t)>& each) {
  std::string all;
  for (std::size_t index = 0; index < count; ++index) {
    if (index > 0) all += separator;
    all += each(index);
  }
  return all;
}

inline std::string in_function(const std::string& body, std::string_view arguments = "") {
  return "func.func @f(" + std::string(arguments) + ") {\n" + body + "\n  return\n}\n";
}

}  // namespace shardy::text
