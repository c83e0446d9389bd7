// Prints changes of annotations, for hints and autoshard.
//
//   @@ model.mlir:4 @@
//   -%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}
//   +%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}
#include "tools/annotation_patch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "shardy/algebra/text.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/support/detail/quote.hpp"
#include "text/error_places.hpp"

namespace shardy::tools {

using report::AnnotationPlace;
using report::AnnotationSite;
using report::HintEdit;

namespace {

/// Returns the line of the text `%arg1: ` in the head of the function; else the line of the
/// function.
std::string argument_line(const Source& source, const ir::Module& module,
                          const AnnotationPlace& place, const std::string& name) {
  const std::string symbol = symbol_text(module.symbol_name(place.function));
  std::size_t at = source.text.find("func " + symbol + "(");
  for (const char* word : {"public ", "private "}) {
    if (at == std::string::npos) at = source.text.find(word + symbol + "(");
  }
  if (at == std::string::npos) return {};
  if (place.kind == AnnotationPlace::Kind::Argument) {
    const std::size_t argument = source.text.find(name + ":", at);
    if (argument != std::string::npos) at = argument;
  }
  return std::to_string(1 + std::count(source.text.begin(),
                                       source.text.begin() + static_cast<std::ptrdiff_t>(at),
                                       '\n'));
}

}  // namespace

std::string edit_place(const Source& source, const ir::Module& module,
                       const report::HintEdit& edit) {
  const std::string path = source.path == "-" ? "standard input" : source.path;
  const bool is_op = edit.place.kind != AnnotationPlace::Kind::Argument &&
                     edit.place.kind != AnnotationPlace::Kind::Result;
  if (!is_op && source.format != Format::Json) {
    const std::string name = edit.value.substr(edit.value.find('%') + 1);
    const std::string line = argument_line(source, module, edit.place, "%" + name);
    if (!line.empty()) return path + ":" + line;
  }
  std::string place = text::place_text(edit.location);
  if (!is_op && source.format == Format::Json) {
    const bool is_argument = edit.place.kind == AnnotationPlace::Kind::Argument;
    place += (is_argument ? "/args/" : "/results/") + std::to_string(edit.place.index);
  }
  return place.empty() ? path : path + ":" + place;
}

namespace {

/// Returns the annotated op or argument as MLIR text.
std::string hint_piece(const ir::Module& module, const HintEdit& edit,
                       const std::optional<std::string>& sharding, const PatchedEdit& form,
                       bool is_inserted) {
  const std::string type = ir::to_string(report::type_of(module, edit.place));
  const AnnotationSite site = report::site_of(module, edit.place);
  if (is_inserted && !form.is_op_attribute) {
    return fmt::format("sdy.sharding_constraint {} {} : {}", edit.value, *sharding, type);
  }
  if (site.kind == AnnotationSite::Kind::Constraint && !form.is_op_attribute) {
    if (!sharding) return {};
    return fmt::format("{} = {} {} {} : {}", edit.value, module.name(site.op), edit.constrained,
                       *sharding, type);
  }
  const std::string attribute =
      sharding ? fmt::format(" {{sdy.sharding = #sdy.sharding{}}}", *sharding) : "";
  return fmt::format("{}: {}{}", edit.value, type, attribute);
}

}  // namespace

void add_patch(std::string& out, const Source& source, const ir::Module& module,
               const PatchedEdit& patched) {
  const HintEdit& edit = patched.edit;
  const AnnotationSite site = report::site_of(module, edit.place);
  const bool is_new = !patched.new_constraint.empty();
  const bool is_first_attribute = edit.place.kind == AnnotationPlace::Kind::Attribute;
  const bool is_inserted = is_new || is_first_attribute || site.kind == AnnotationSite::Kind::None;
  out += fmt::format("   @@ {} @@{}{}\n", edit_place(source, module, edit), is_new ? " " : "",
                     patched.new_constraint);
  const std::string before =
      is_inserted ? "" : hint_piece(module, edit, edit.before, patched, false);
  const std::string after = hint_piece(module, edit, edit.after, patched, is_inserted);
  if (!before.empty()) out += "   -" + before + "\n";
  if (!after.empty()) out += "   +" + after + "\n";
}

}  // namespace shardy::tools
