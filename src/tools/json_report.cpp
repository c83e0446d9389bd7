#include "tools/json_report.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "text/json_string.hpp"

namespace shardy::tools {

namespace {

/// Makes UTF-8 of all strings. Keys of reports are words of ours, or names of ops.
template <class Json>
void spell_bytes(Json& value) {  // NOLINT(misc-no-recursion): as deep as reports are
  if (value.is_string()) {
    value = text::json_utf8(value.template get_ref<const std::string&>());
  } else if (value.is_structured()) {
    for (Json& each : value) spell_bytes(each);
  }
}

template <class Json>
std::string report(Json document) {
  constexpr int kIndent = 2;
  spell_bytes(document);
  return document.dump(kIndent, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string json_report(nlohmann::json document) { return report(std::move(document)); }
std::string json_report(nlohmann::ordered_json document) { return report(std::move(document)); }

}  // namespace shardy::tools
