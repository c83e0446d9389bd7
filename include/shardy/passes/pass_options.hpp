// Options of passes: declarations and values.
#pragma once

#include <cstdint>
#include <map>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace shardy::passes {

/// Type of an option's values.
enum class OptionType : uint8_t { Bool, Int, String, Enum };

/// Declaration of an option.
struct PassOption {
  std::string name;                       // as in `name=value`
  OptionType type = OptionType::Bool;     // type of its values
  std::string default_value;              // in text form; empty: false, 0, empty text
  std::string help;                       // one sentence
  std::vector<std::string> choices = {};  // values of an Enum
};

/// Values of all options of a pass, with defaults.
class OptionValues {
 public:
  /// Returns the value of a Bool. Requires: an option of that name and type.
  bool flag(std::string_view name) const;
  /// Returns the value of an Int. Requires: an option of that name and type.
  int64_t number(std::string_view name) const;
  /// Returns the value of a String or an Enum. Requires: an option of that name and type.
  const std::string& text(std::string_view name) const;
  /// Returns the comma-separated items of a String. Requires: an option of that name and type.
  std::vector<std::string> list(std::string_view name) const;

  using Value = std::variant<bool, int64_t, std::string>;  // value of an option
  /// Sets or replaces the value of an option.
  void set(std::string name, Value value);

 private:
  template <typename T>
  const T& get(std::string_view name) const;

  std::map<std::string, Value, std::less<>> values_;
};

/// Parses `a=b c='two words' d={x=1} flag`, the syntax of MLIR's pass options; an option without a
/// value is true. Errors: an undeclared option, a value of another type.
Result<OptionValues> parse_options(std::span<const PassOption> options, std::string_view text);

/// Returns `bool`, `int`, `string`, or the choices: `a|b|c`.
std::string type_text(const PassOption& option);

}  // namespace shardy::passes
