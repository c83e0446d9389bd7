// Options of passes: declared with the pass, given as text.
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

/// An option as help texts and tables show it.
struct PassOption {
  std::string name;                       // as in `name=value`
  OptionType type = OptionType::Bool;     // what values it takes
  std::string default_value;              // as one would write it; empty: false, 0, no text
  std::string help;                       // one sentence for help texts
  std::vector<std::string> choices = {};  // of an Enum
};

/// The values of all options of a pass, defaults filled in.
class OptionValues {
 public:
  /// The value of a Bool. Requires: an option of that name and type.
  bool flag(std::string_view name) const;
  /// The value of an Int. Requires: an option of that name and type.
  int64_t number(std::string_view name) const;
  /// The value of a String or an Enum. Requires: an option of that name and type.
  const std::string& text(std::string_view name) const;
  /// The items of a String that are separated by commas. Requires: an option of that name and type.
  std::vector<std::string> list(std::string_view name) const;

  using Value = std::variant<bool, int64_t, std::string>;  // the value of any option
  /// Sets or replaces the value of an option.
  void set(std::string name, Value value);

 private:
  template <typename T>
  const T& get(std::string_view name) const;

  std::map<std::string, Value, std::less<>> values_;
};

/// `a=b c='two words' d={x=1} flag`, as MLIR's pass options are written; a flag alone is true.
/// Errors: an option that is not declared, a value that its type does not have.
Result<OptionValues> parse_options(std::span<const PassOption> options, std::string_view text);

/// `bool`, `int`, `string`, or the choices: `a|b|c`.
std::string type_text(const PassOption& option);

}  // namespace shardy::passes
