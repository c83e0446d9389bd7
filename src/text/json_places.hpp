// Where in a JSON text the word stands that an error is about.
#pragma once

#include <string>

#include "shardy/support/diagnostic.hpp"
#include "text/json_document.hpp"

namespace shardy::text {

/// The pointer of the string that holds the axis or mesh which the message of an error quotes, in
/// the op, argument or result that the error is about; the location of the error if there is none.
std::string pointer_of_word(const JsonDocument& document, const Error& error);

}  // namespace shardy::text
