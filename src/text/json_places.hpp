// The place in a JSON text of the word that an error is about.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "shardy/support/result.hpp"
#include "text/json_document.hpp"

namespace shardy::text {

/// `"x"` or `@m`, with its marks, at the end of a message that is about it; empty: none.
std::string_view quoted_word(std::string_view message);

/// The argument or result of a function that a message is about: `arg 3 - `, `result 0 - `.
struct FunctionPart {
  bool is_result = false;
  std::size_t index = 0;
};
std::optional<FunctionPart> function_part(std::string_view message);

/// The pointer of the string that holds the axis or mesh which the message of an error quotes, in
/// the op, argument or result that the error is about; the location of the error if there is none.
std::string pointer_of_word(const JsonDocument& document, const Error& error);

}  // namespace shardy::text
