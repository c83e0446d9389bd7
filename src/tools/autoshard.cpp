// autoshard: the annotations with which a device needs the least modelled time.
#include "shardy/autoshard/autoshard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "report/program_analysis.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/resharding/cost.hpp"
#include "support/quantities.hpp"
#include "tools/annotation_patch.hpp"
#include "tools/files.hpp"
#include "tools/json_report.hpp"
#include "tools/reporter.hpp"

namespace shardy::tools {

namespace {

using autoshard::AnnotationEdit;
using autoshard::FoundSharding;
using autoshard::NetworkSolution;
using autoshard::ProgramPrice;
using autoshard::SolveStatus;

constexpr double kFemto = 1e-15;

// ---- As text ------------------------------------------------------------------------------------

std::string price_row(const char* name, const ProgramPrice& price, const std::string& rest) {
  return fmt::format("{:<24}{}; peak memory {}{}\n", name, time_text(price.seconds),
                     headline_bytes(price.cost.peak_bytes), rest);
}

/// Returns the difference between price and bound as a share of the price.
double gap_of(const NetworkSolution& model) {
  if (model.price_fs <= 0 || model.choice.empty()) return 0;
  return static_cast<double>(model.price_fs - model.bound_fs) / static_cast<double>(model.price_fs);
}

/// Returns "proven" only if the network has all strategies.
std::string status_text(const FoundSharding& found) {
  const bool is_proven = found.model.status == SolveStatus::Proven;
  return is_proven && !found.is_complete ? "bounded" : std::string(to_string(found.model.status));
}

std::string model_row(const FoundSharding& found) {
  const NetworkSolution& model = found.model;
  if (model.choice.empty()) {
    return fmt::format("{:<24}no choice of the model was found within the limit\n", "model");
  }
  return fmt::format("{:<24}{} before rewrites; bound {}; {}, gap {:.2f} %\n", "model",
                     time_text(static_cast<double>(model.price_fs) * kFemto),
                     time_text(static_cast<double>(model.bound_fs) * kFemto), status_text(found),
                     100 * gap_of(model));
}

PatchedEdit patched(const AnnotationEdit& edit) {
  PatchedEdit form{.edit = edit.edit, .is_op_attribute = edit.is_op_attribute};
  if (!edit.before_op.empty()) {
    form.new_constraint =
        "before " + edit.before_op + (edit.is_shared ? ", for all users" : ", for it alone");
  }
  return form;
}

std::string found_text(const Source& source, const ir::Module& module, const FoundSharding& found) {
  std::string out = price_row("now", found.before, "");
  out += price_row("best", found.after, found.fits ? "" : "; above the limit");
  out += model_row(found);
  out += fmt::format("{:<24}{}\n", "programs compiled",
                     grouped(static_cast<int64_t>(found.num_programs)));
  if (!found.is_complete) {
    out += "some ops have more strategies than the search: the bound is of those in it\n";
  }
  if (!found.is_changed) {
    return out + "\nthe program stays as it is: no annotations that were found are better\n";
  }
  out += "\n";
  for (const AnnotationEdit& edit : found.edits) add_patch(out, source, module, patched(edit));
  return out;
}

// ---- As JSON ------------------------------------------------------------------------------------

void write_price(text::JsonWriter& out, std::string_view key, const ProgramPrice& price) {
  out.key(key).begin_object();
  add_members(out, price.cost);
  out.key("modelled_seconds").number(price.seconds);
  out.end_object();
}

void write_edit(text::JsonWriter& out, const Source& source, const ir::Module& module,
                const AnnotationEdit& edit) {
  out.begin_object();
  add(out, "value", edit.edit.value, "place", edit_place(source, module, edit.edit), "before",
      edit.edit.before, "after", edit.edit.after, "before_op", edit.before_op, "all_users",
      edit.is_shared);
  out.end_object();
}

std::string found_json(const Source& source, const ir::Module& module, const FoundSharding& found,
                       const Diagnostics& diagnostics) {
  text::JsonWriter out = report_writer();
  begin_report(out, "autoshard");
  write_price(out, "now", found.before);
  write_price(out, "best", found.after);
  add(out, "changed", found.is_changed, "fits", found.fits);
  out.key("model").begin_object();
  add(out, "status", status_text(found), "peak_bytes", found.model.peak_bytes);
  out.key("seconds").number(static_cast<double>(found.model.price_fs) * kFemto);
  out.key("bound").number(static_cast<double>(found.model.bound_fs) * kFemto);
  out.key("gap").number(gap_of(found.model));
  out.end_object();
  out.key("set").begin_array(text::JsonWriter::Layout::Broken);
  for (const AnnotationEdit& edit : found.edits) write_edit(out, source, module, edit);
  out.end_array();
  out.key("work").begin_object();
  add(out, "nodes", found.num_nodes, "sweeps", found.model.sweeps, "compiled", found.num_programs,
      "refused", found.num_refused);
  out.end_object();
  add(out, "diagnostics", diagnostics);
  out.end_object();
  return out.take() + "\n";
}

// ---- The command --------------------------------------------------------------------------------

DiagnosedResult<FoundSharding> search(const CommandOptions& options, const ir::Module& module) {
  const auto model =
      parse_cost_model(options.stages.compile.pipeline.exporting.resharding.axis_costs);
  if (!model) return tl::unexpected(Diagnostics{model.error()});
  const InterruptGuard guard;
  Progress progress;
  autoshard::AutoshardOptions asked = options.autoshard;
  asked.stop = guard.token();
  asked.compile = options.stages.compile;
  asked.model = *model;
  asked.on_progress = [&](const autoshard::AutoshardProgress& at) {
    std::string text = at.stage;
    if (at.price_fs < autoshard::kForbidden) {
      text +=
          fmt::format(": best {}, bound {}", time_text(static_cast<double>(at.price_fs) * kFemto),
                      time_text(static_cast<double>(at.bound_fs) * kFemto));
    }
    if (at.programs > 1) text += fmt::format(", {} programs compiled", at.programs);
    progress.stage(text);
  };
  return autoshard::autoshard(module, asked, options.context);
}

/// Prints the values that keep the least peak above the limit.
int refuse_memory(const CommandOptions& options, Reporter& reporter, const FoundSharding& found) {
  Error error{.message = fmt::format(
                  "no program that was found fits in {}: the least peak memory per device is {}",
                  headline_bytes(*options.autoshard.memory),
                  headline_bytes(found.after.cost.peak_bytes))};
  error.notes.emplace_back("shardy report --memory lists the values at the peak");
  return reporter.refuse({std::move(error)}, kFailed);
}

int write_found(const CommandOptions& options, const Source& source, Reporter& reporter,
                FoundSharding& found, const passes::ProgramMarks& written) {
  if (!export_form(options, reporter, found.program)) return kBadInput;
  return write_program(options, source, found.program, written);
}

}  // namespace

int autoshard_command(const CommandOptions& options) {
  Source source{options.file};
  Reporter reporter(source, options.json);
  if (!options.apply_hint && options.output != "-") {
    return reporter.refuse(
        {Error{.message = "-o is the file to which --apply writes the annotated program",
               .notes = {"add --apply, or redirect the summary with >"}}});
  }
  if (options.apply_hint && options.json && options.output == "-") {
    return reporter.refuse({Error{
        .message = "standard output is used by the result; -o FILE writes the program to a file"}});
  }
  auto module = read_input(options, source);
  if (!module) return reporter.refuse(module.error());
  const passes::ProgramMarks written = passes::marks_of(*module);
  if (!reporter.import(*module, options.import_form)) return kBadInput;
  if (report::is_one_per_device(*module)) {
    return reporter.refuse({Error{.message = "the program is already a per-device program; run "
                                             "autoshard on the program before partitioning"}});
  }
  auto found = search(options, *module);
  if (!found) return reporter.refuse(found.error());
  reporter.emit_without_notes(found->diagnostics);
  if (!found->fits) return refuse_memory(options, reporter, *found);
  if (!options.apply_hint || options.output != "-") {
    print_text(stdout, options.json ? found_json(source, *module, *found, reporter.diagnostics())
                                    : found_text(source, *module, *found));
  }
  return options.apply_hint ? write_found(options, source, reporter, *found, written) : kDone;
}

}  // namespace shardy::tools
