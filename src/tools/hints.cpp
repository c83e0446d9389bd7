// The command hints: finds changes of one annotation that make a program cheaper.
#include "tools/hints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "report/program_analysis.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/report/hints.hpp"
#include "shardy/resharding/cost.hpp"
#include "shardy/support/detail/quote.hpp"
#include "shardy/view/page.hpp"
#include "support/quantities.hpp"
#include "text/error_places.hpp"
#include "tools/files.hpp"
#include "tools/json_report.hpp"
#include "tools/report.hpp"
#include "tools/reporter.hpp"

namespace shardy::tools {

namespace {

using report::Cost;
using report::Hint;
using report::HintEdit;
using report::Hints;

// ---- As text ------------------------------------------------------------------------------------

void add_collectives(std::string& out, const Hint& hint) {
  constexpr std::size_t kShown = 6;
  for (const report::CollectiveChange& each :
       std::span(hint.collectives).first(std::min(kShown, hint.collectives.size()))) {
    out += fmt::format("   {:>14}  {} {} of {}{}\n",
                       signed_grouped(each.bytes_after - each.bytes_before), each.kind, each.axes,
                       each.type, each.serves.empty() ? std::string() : " for " + each.serves);
  }
  if (hint.collectives.size() > kShown) {
    out += fmt::format("   {:>14}  and {} more\n", "", hint.collectives.size() - kShown);
  }
}

std::string cost_line(const Hints& hints, const Hint& hint) {
  const Cost& before = hints.before;
  return fmt::format("time {}, sent {} bytes, peak memory {} bytes, operations {}",
                     change_text(hints.seconds, hint.seconds),
                     signed_grouped(hint.cost.bytes - before.bytes),
                     signed_grouped(hint.cost.peak_bytes - before.peak_bytes),
                     change_text(before.operations, hint.cost.operations));
}

}  // namespace

namespace {

/// Returns the command that compares the program with the changed one.
std::string hint_command(const Source& source, const Hint& hint) {
  report::SweepStrategy changes;
  for (const HintEdit& edit : hint.edits) {
    changes.set.push_back({edit.value, edit.after.value_or("none")});
  }
  return view::view_command(source.path, changes);
}

/// Returns the command that changes several annotations at once.
std::string search_command(const Source& source) {
  return "shardy autoshard " + source.path + " --ignore-annotations";
}

}  // namespace

std::string hint_text(const Source& source, const ir::Module& module, const Hint& hint) {
  std::string out;
  for (const HintEdit& edit : hint.edits) add_patch(out, source, module, {.edit = edit});
  out += "   " + hint_command(source, hint) + "\n";
  add_collectives(out, hint);
  return out;
}

namespace {

std::string no_hints_text(const ir::Module& module, const Hints& hints) {
  if (report::is_one_per_device(module)) {
    return "no hints: the program is already a per-device program; run hints on the program before "
           "partitioning";
  }
  if (module.meshes().empty()) {
    return "no hints: the program has no mesh; shardy autoshard FILE --mesh '<[\"x\"=8]>' chooses "
           "annotations for 8 devices";
  }
  if (hints.tried == 0) {
    return "no hints: the program sends nothing, and has no unsharded argument that an axis can "
           "shard";
  }
  return "no hints: no other annotation that was tried makes the program faster";
}

/// Returns a text such as `, 2 of them errors`.
std::string excluded_text(const Hints& hints) {
  std::string text;
  if (hints.refused > 0) text += fmt::format(", {} of them errors", hints.refused);
  if (hints.parted > 0) {
    text += fmt::format(", {} of them with a result that is not sharded as its donated argument",
                        hints.parted);
  }
  return text;
}

std::string hints_text(const Source& source, const ir::Module& module, const Hints& hints,
                       double operations_per_second) {
  std::string out = cost_text(hints.before, operations_per_second);
  out +=
      fmt::format("{:<24}{}\n", "peak memory per device", headline_bytes(hints.before.peak_bytes));
  out += fmt::format("{:<24}{}{}\n", "changes tried", grouped(static_cast<int64_t>(hints.tried)),
                     excluded_text(hints));
  if (hints.layers > 0) {
    out += fmt::format(
        "compiled whole          {}; the others with {} of {} equal layers; --whole "
        "compiles all\n",
        grouped(static_cast<int64_t>(hints.compiled_whole)), hints.kept_layers, hints.layers);
  }
  if (hints.left_out > 0) {
    out += fmt::format("not tried               {}; --tries {} tries them, too\n",
                       grouped(static_cast<int64_t>(hints.left_out)), hints.tried + hints.left_out);
  }
  if (hints.hints.empty()) out += "\n" + no_hints_text(module, hints) + "\n";
  std::size_t number = 0;
  for (const Hint& hint : hints.hints) {
    out += fmt::format("\n{}. {}\n", ++number, cost_line(hints, hint));
    out += hint_text(source, module, hint);
  }
  if (hints.tried > 0) out += "\nseveral changes at once: " + search_command(source) + "\n";
  return out;
}

// ---- As JSON ------------------------------------------------------------------------------------

void write_cost_of(text::JsonWriter& out, std::string_view key, const Cost& cost, double seconds) {
  out.key(key).begin_object();
  add_members(out, cost);
  add(out, "modelled_seconds", seconds);
  out.end_object();
}

void add_edit(text::JsonWriter& out, const Source& source, const ir::Module& module,
              const HintEdit& edit) {
  add(out, "value", edit.value, "place", edit_place(source, module, edit), "before", edit.before,
      "after", edit.after);
}

void write_hint(text::JsonWriter& out, const Source& source, const ir::Module& module,
                const Hint& hint) {
  out.begin_object(text::JsonWriter::JsonLayout::Broken);
  add_edit(out, source, module, hint.edits.front());
  out.key("tied").begin_array();
  for (const HintEdit& edit : std::span(hint.edits).subspan(1)) {
    out.begin_object();
    add_edit(out, source, module, edit);
    out.end_object();
  }
  out.end_array();
  write_cost_of(out, "cost", hint.cost, hint.seconds);
  add(out, "collectives", hint.collectives, "command", hint_command(source, hint));
  out.end_object();
}

}  // namespace

std::string hints_json(const Source& source, const ir::Module& module, const Hints& hints,
                       const Diagnostics& diagnostics) {
  text::JsonWriter out = report_writer();
  begin_report(out, "hints");
  write_cost_of(out, "before", hints.before, hints.seconds);
  add(out, "tried", hints.tried, "refused", hints.refused, "parted", hints.parted, "not_tried",
      hints.left_out, "several_at_once", search_command(source));
  if (hints.layers > 0) {
    out.key("folded").begin_object();
    add(out, "layers", hints.layers, "kept_layers", hints.kept_layers, "compiled_whole",
        hints.compiled_whole);
    out.end_object();
  }
  out.key("hints").begin_array(text::JsonWriter::JsonLayout::Broken);
  for (const Hint& hint : hints.hints) write_hint(out, source, module, hint);
  out.end_array();
  add(out, "diagnostics", diagnostics);
  out.end_object();
  return out.take() + "\n";
}

// ---- The command --------------------------------------------------------------------------------

DiagnosedResult<Hints> hints_for(const CommandOptions& options, const ir::Module& module) {
  const auto model =
      parse_cost_model(options.stages.compile.pipeline.exporting.resharding.axis_costs);
  if (!model) return tl::unexpected(Diagnostics{model.error()});
  const InterruptGuard guard;
  Progress progress;
  progress.stage("compiling");
  report::HintOptions asked = options.hints;
  asked.cancel = guard.token();
  asked.compile = options.stages.compile;
  asked.model = *model;
  asked.on_try = [&](std::size_t done) {
    progress.stage(fmt::format("trying changes: {} are done", done));
  };
  return report::find_hints(module, asked, options.context);
}

namespace {

/// Writes the program with the best hint. Does nothing without hints.
int write_hinted(const CommandOptions& options, const Source& source, Reporter& reporter,
                 ir::Module& module, const passes::ProgramMarks& written, const Hints& hints) {
  if (hints.hints.empty()) {
    Diagnostic note{
        .message = "no change of one annotation makes the program faster: it is written unchanged"};
    note.severity = Severity::Note;
    reporter.emit({std::move(note)});
  } else {
    const Status done = report::annotate(module, hints.hints.front().change);
    if (!done) return reporter.refuse({done.error()});
  }
  if (!export_form(options, reporter, module)) return kBadInput;
  return write_program(options, source, module, written);
}

}  // namespace

int hints_command(const CommandOptions& options) {
  Source source{options.file};
  Reporter reporter(source, options.json);
  if (!options.apply_hint && options.output != "-") {
    return reporter.refuse(
        {Error{.message = "-o is the file to which --apply writes the changed program",
               .notes = {"add --apply, or redirect the hints with >"}}});
  }
  if (options.apply_hint && options.json && options.output == "-") {
    return reporter.refuse({Error{
        .message =
            "standard output is used by the hints; -o FILE writes the changed program to a file"}});
  }
  auto module = read_input(options, source);
  if (!module) return reporter.refuse(module.error());
  const passes::ProgramMarks written = passes::marks_of(*module);
  if (!reporter.import(*module, options.import_form)) return kBadInput;
  const auto hints = hints_for(options, *module);
  if (!hints) return reporter.refuse(hints.error());
  reporter.emit_without_notes(hints->diagnostics);
  if (!options.apply_hint || options.output != "-") {
    print_text(stdout, options.json ? hints_json(source, *module, *hints, reporter.diagnostics())
                                    : hints_text(source, *module, *hints,
                                                 options.hints.operations_per_second));
  }
  return options.apply_hint ? write_hinted(options, source, reporter, *module, written, *hints)
                            : kDone;
}

// Prints changes of annotations, for hints and autoshard.
//
//   @@ model.mlir:4 @@
//   -%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}
//   +%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}

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
