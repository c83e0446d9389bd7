// Reports of the command line as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace shardy::tools {

/// The document as ASCII text that ends in a newline. What is no UTF-8 in its strings goes byte by
/// byte as the code points U+10FF00..U+10FFFF, as in programs.
std::string json_report(nlohmann::json document);
std::string json_report(nlohmann::ordered_json document);

}  // namespace shardy::tools
