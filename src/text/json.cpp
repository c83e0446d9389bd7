#include "shardy/text/json.hpp"

#include <algorithm>
#include <utility>

#include "shardy/ir/verify.hpp"
#include "text/json_document.hpp"
#include "text/json_places.hpp"
#include "text/json_reader.hpp"

namespace shardy::text {

namespace {

/// Says on which line the place of each error is; of the whole program, whose pointer is empty, in
/// place of the pointer.
std::vector<Error> with_lines(std::vector<Error> errors, const JsonDocument& document) {
  for (Error& error : errors) {
    if (error.location.empty()) {
      error.location = std::to_string(document.root().line()) + ":1";
    } else if (error.location.starts_with('/')) {
      error.notes.push_back("line " + std::to_string(document.find(error.location).line()));
    }
  }
  return errors;
}

}  // namespace

tl::expected<ir::Module, std::vector<Error>> parse_json(std::string_view text,
                                                        const JsonOptions& options) {
  const std::size_t max_errors = std::max<std::size_t>(options.max_errors, 1);
  const tl::expected<JsonDocument, std::vector<Error>> document =
      JsonDocument::parse(text, {options.max_depth, max_errors});
  if (!document) return tl::unexpected(document.error());
  JsonReader reader(*document, max_errors, options.names);
  tl::expected<ir::Module, std::vector<Error>> module = reader.read();
  const auto failed = [&](std::vector<Error> errors) {
    if (errors.size() > max_errors) errors.resize(max_errors);
    return tl::unexpected(with_lines(std::move(errors), *document));
  };
  if (!module) return failed(std::move(module).error());
  std::vector<Error> errors = ir::resolve(*module);
  if (errors.empty() && options.verify) errors = ir::verify(*module, max_errors);
  for (Error& error : errors) error.location = pointer_of_word(*document, error);
  if (!errors.empty()) return failed(std::move(errors));
  for (const auto& [op, location] : reader.given_locations()) {
    module->set_location(op, module->add_location(location));
  }
  return module;
}

}  // namespace shardy::text
