// The command autoshard: finds the annotations with which a device needs the least modelled time,
// or solves a problem in a file.
#include "shardy/autoshard/autoshard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "report/program_analysis.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/autoshard/problem.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/resharding/cost.hpp"
#include "support/quantities.hpp"
#include "tools/files.hpp"
#include "tools/hints.hpp"
#include "tools/json_report.hpp"
#include "tools/report.hpp"
#include "tools/reporter.hpp"
#include "tools/view.hpp"

namespace shardy::tools {

namespace {

using autoshard::AnnotationEdit;
using autoshard::CostNetwork;
using autoshard::FoundSharding;
using autoshard::kUnlimited;
using autoshard::NetworkSolution;
using autoshard::ProgramPrice;
using autoshard::SolveStatus;

constexpr double kFemto = 1e-15;
/// Time between two lines of progress, if standard error is not a terminal.
constexpr std::chrono::seconds kProgressInterval{10};

// ---- The problem in files: JSON, CPLEX LP text, choices -----------------------------------------

/// Returns the difference of price and bound as a share of the price; 0 if no choice was found.
double gap_of(const NetworkSolution& found) {
  if (found.choice.empty() || found.price_fs <= 0) return 0;
  return static_cast<double>(found.price_fs - found.bound_fs) / static_cast<double>(found.price_fs);
}

/// Reads the choice of a network from a file. Errors: those of the file and of read_choice.
Result<std::vector<int32_t>> read_solution(const std::string& path, const CostNetwork& network) {
  SHARDY_TRY(const std::string text, read_file(path));
  auto choice = autoshard::read_choice(text, network);
  if (choice) return choice;
  Error error = with_prefix(path + ":" + choice.error().location.text() + ": ", choice.error());
  error.location = {};
  return tl::unexpected(std::move(error));
}

/// Writes the problem to the files of the options. Errors: those of the files and of write_lp; a
/// problem that is too large for read_problem.
Status export_problem(const ProblemFiles& files, const CostNetwork& network) {
  if (!files.export_problem.empty()) {
    const int64_t pairs = autoshard::num_pairs(network);
    if (pairs > autoshard::kMaxCells) {
      return fail(
          fmt::format("{} pairs of choices; a file has at most {}", pairs, autoshard::kMaxCells));
    }
    SHARDY_TRY_STATUS(write_file(files.export_problem, autoshard::write_problem(network)));
  }
  if (files.export_lp.empty()) return {};
  SHARDY_TRY(const std::string text, autoshard::write_lp(network));
  return write_file(files.export_lp, text);
}

// ---- The command autoshard --problem, which solves or prices a problem in a file ----------------

constexpr double kPercent = 100;
constexpr const char* kStoppedText = "before the search ended: the best result so far";

std::string limit_text(const CostNetwork& network) {
  return network.limit == kUnlimited ? "" : fmt::format(" of {}", grouped(network.limit));
}

std::string solution_text(const CostNetwork& network, const NetworkSolution& found, bool is_given) {
  const auto row = [](const char* name, const std::string& value) {
    return fmt::format("{:<24}{}\n", name, value);
  };
  std::string out = row("nodes", grouped(network.num_nodes()));
  if (found.choice.empty()) {
    return out + row("price", fmt::format("none within {}; {}", grouped(network.limit),
                                          to_string(found.status)));
  }
  out += row("price", grouped(found.price_fs));
  if (!is_given) {
    out += row("bound", fmt::format("{}; {}, gap {:.2f} %", grouped(found.bound_fs),
                                    to_string(found.status), kPercent * gap_of(found)));
  }
  if (found.stopped) out += row("stopped", kStoppedText);
  out += row("peak", grouped(found.peak_bytes) + limit_text(network));
  return out + "\n" + autoshard::write_choice(found.choice) + "\n";
}

std::string solution_json(const CostNetwork& network, const NetworkSolution& found,
                          const Diagnostics& diagnostics) {
  text::JsonWriter out = report_writer();
  begin_report(out, "autoshard_problem");
  add(out, "nodes", network.num_nodes(), "status", to_string(found.status), "found",
      !found.choice.empty(), "price", found.choice.empty() ? 0 : found.price_fs, "bound",
      found.bound_fs, "gap", gap_of(found), "peak", found.peak_bytes, "stopped", found.stopped,
      "sweeps", found.sweeps, "choice", found.choice, "diagnostics", diagnostics);
  out.end_object();
  return out.take() + "\n";
}

/// Reads the problem, and sets `source` to its text, to which errors refer.
Result<CostNetwork> read_network(const CommandOptions& options, Source& source) {
  SHARDY_TRY(source.text, read_file(source.path));
  SHARDY_TRY(CostNetwork network, autoshard::read_problem(source.text));
  if (options.autoshard.memory) network.limit = *options.autoshard.memory;
  return network;
}

/// Requests a stop of `source` after so many seconds, unless the thread is stopped before; 0:
/// never.
std::jthread stop_after(double seconds, std::stop_source source) {
  if (seconds == 0) return {};
  return std::jthread([seconds, source = std::move(source)](const std::stop_token& own) mutable {
    std::mutex mutex;
    std::condition_variable_any waiting;
    std::unique_lock lock(mutex);
    waiting.wait_for(lock, own, std::chrono::duration<double>(std::min(seconds, 1e9)),
                     [] { return false; });
    if (!own.stop_requested()) source.request_stop();
  });
}

/// Searches the cheapest choice. Ctrl-C or the time limit ends the search with the best choice so
/// far.
Result<NetworkSolution> search(const CommandOptions& options, const CostNetwork& network) {
  const InterruptGuard guard;
  const std::jthread timer = stop_after(options.time_limit, guard.source());
  Progress progress(kProgressInterval);
  autoshard::SolveOptions solving{.effort = options.autoshard.effort, .stop = guard.token()};
  solving.on_progress = [&](const autoshard::SolveProgress& at) {
    const bool has_choice = at.price_fs < autoshard::kNoPrice;
    progress.stage(fmt::format("sweep {}: best {}, bound {}", grouped(at.sweeps),
                               has_choice ? grouped(at.price_fs) : "none yet",
                               grouped(at.bound_fs)));
  };
  progress.stage("reading the problem");
  return autoshard::solve(network, solving);
}

/// Returns the prices of the choice in a file.
Result<NetworkSolution> given_solution(const CostNetwork& network, const std::string& path) {
  SHARDY_TRY(const std::vector<int32_t> choice, read_solution(path, network));
  NetworkSolution given;
  given.price_fs = autoshard::price_of(network, choice);
  if (given.price_fs == autoshard::kNoPrice) return fail(path + ": the choice is forbidden");
  given.peak_bytes = autoshard::peak_of(network, choice).bytes;
  given.choice = choice;
  given.status = SolveStatus::Bounded;
  return given;
}

/// Solves the problem in a file, or prices a given choice of it. Returns the exit status.
int problem_command(const CommandOptions& options) {
  Source source{options.problem.problem};
  Reporter reporter(source, options.json);
  const auto network = read_network(options, source);
  if (!network) return reporter.refuse({network.error()});
  if (const Status done = export_problem(options.problem, *network); !done) {
    return reporter.refuse({done.error()});
  }
  const bool is_given = !options.problem.solution.empty();
  const auto found =
      is_given ? given_solution(*network, options.problem.solution) : search(options, *network);
  if (!found) return reporter.refuse({found.error()});
  print_text(stdout, options.json ? solution_json(*network, *found, reporter.diagnostics())
                                  : solution_text(*network, *found, is_given));
  if (options.output != "-" && !found->choice.empty()) {
    const std::string text = autoshard::write_choice(found->choice) + "\n";
    if (const Status done = write_file(options.output, text); !done) {
      return reporter.refuse({done.error()});
    }
  }
  const bool fits = !found->choice.empty() && found->peak_bytes <= network->limit;
  return fits ? kDone : kFailed;
}

// ---- A program: results as text -----------------------------------------------------------------

std::string price_row(const char* name, const ProgramPrice& price, const std::string& rest) {
  return fmt::format("{:<24}{}; peak memory {}{}\n", name, time_text(price.seconds),
                     headline_bytes(price.cost.peak_bytes), rest);
}

/// Returns the status of the search. It is "proven" only if the network has all strategies.
std::string status_text(const FoundSharding& found) {
  const bool is_proven = found.model.status == SolveStatus::Proven;
  return is_proven && !found.is_complete ? "bounded" : std::string(to_string(found.model.status));
}

std::string model_row(const FoundSharding& found) {
  const NetworkSolution& model = found.model;
  if (model.choice.empty()) {
    const std::string bound =
        model.bound_fs > 0 ? "; bound " + time_text(static_cast<double>(model.bound_fs) * kFemto)
                           : std::string();
    return fmt::format(
        "{:<24}no choice: the search was stopped, the limit allows none, or no value "
        "can be sharded{}\n",
        "model", bound);
  }
  return fmt::format("{:<24}{} before rewrites; bound {}; {}, gap {:.2f} %\n", "model",
                     time_text(static_cast<double>(model.price_fs) * kFemto),
                     time_text(static_cast<double>(model.bound_fs) * kFemto), status_text(found),
                     100 * gap_of(model));
}

PatchedEdit patched(const AnnotationEdit& edit) {
  PatchedEdit form{.edit = edit.edit, .is_op_attribute = edit.is_op_attribute};
  if (!edit.before_op.empty()) {
    const std::string users = edit.is_shared       ? ", for all users"
                              : edit.num_users > 1 ? fmt::format(", for {} users", edit.num_users)
                                                   : ", only for this op";
    form.new_constraint = "before " + edit.before_op + users;
    if (edit.copy > 0) form.new_constraint += fmt::format(", with shardy.copy = {}", edit.copy);
  }
  return form;
}

/// Returns a text such as `%x dim 0 of 64, with 12 other dims; %w dim 1 of 16`.
std::string role_text(const autoshard::AxisRole& role) {
  constexpr std::size_t kMostClasses = 4;
  if (role.dims.empty()) return "nothing";
  std::vector<std::string> texts;
  for (const autoshard::ShardedDims& dims : role.dims) {
    if (texts.size() == kMostClasses) {
      texts.push_back(fmt::format("{} more", role.dims.size() - kMostClasses));
      break;
    }
    const std::size_t others = dims.num_dims - 1;
    const std::string_view plural = others == 1 ? "" : "s";
    texts.push_back(others == 0 ? fmt::format("{} of {}", dims.name, dims.size)
                                : fmt::format("{} of {}, with {} other dim{}", dims.name, dims.size,
                                              others, plural));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// Returns a text such as `next best [{"a"}, {}], 1.17 ms slower: reshard of %w for stablehlo.dot
/// at 48:15`.
std::string next_best_text(const autoshard::NextBest& next) {
  std::string text = "no other sharding fits";
  if (next.is_exact && next.sharding.empty() && next.seconds == 0) return text;
  text = fmt::format("next best {}, {}{} slower", next.sharding, next.is_exact ? "" : "at least ",
                     time_text(next.seconds));
  if (!next.cause.empty()) text += ": " + next.cause;
  if (!next.unlimited.empty()) text += "; without a limit of memory " + next.unlimited;
  return text;
}

/// Returns a text such as `without it 1.17 ms slower, peak memory +4,096 bytes`.
std::string without_text(const autoshard::PriceWithout& without) {
  if (!without.is_allowed) return "without it the program does not compile";
  const bool is_slower = without.seconds >= 0;
  std::string text = fmt::format("without it {} {}", time_text(std::abs(without.seconds)),
                                 is_slower ? "slower" : "faster");
  if (without.peak_bytes == 0) return text;
  return text + fmt::format(", peak memory {} bytes", signed_grouped(without.peak_bytes));
}

std::string found_text(const Source& source, const ir::Module& module, const FoundSharding& found) {
  std::string out = price_row("now", found.before, "");
  out += price_row("best", found.after, found.fits ? "" : "; above the limit");
  out += model_row(found);
  out += fmt::format("{:<24}{}\n", "programs compiled",
                     grouped(static_cast<int64_t>(found.num_programs)));
  if (found.is_stopped) out += fmt::format("{:<24}{}\n", "stopped", kStoppedText);
  for (const autoshard::AxisRole& role : found.axes) {
    out += fmt::format("{:<24}{}\n", fmt::format("axis \"{}\"", role.axis), role_text(role));
  }
  if (!found.whole.empty()) {
    out += fmt::format("{:<24}{}\n", "replicated", fmt::join(found.whole, ", "));
  }
  if (!found.is_complete) {
    out +=
        "the search omitted strategies of some ops; the bound holds only for the included ones\n";
  }
  if (!found.is_changed) {
    return out + "\nno better annotations were found; the program is unchanged\n";
  }
  out += "\n";
  for (const AnnotationEdit& edit : found.edits) {
    add_patch(out, source, module, patched(edit));
    if (edit.without) out += "   " + without_text(*edit.without) + "\n";
    if (edit.next_best) out += "   " + next_best_text(*edit.next_best) + "\n";
  }
  return out;
}

/// Returns a table of the programs of a front.
std::string front_table(const std::vector<FoundSharding>& front) {
  std::string out = price_row("now", front.front().before, "");
  for (std::size_t at = 0; at < front.size(); ++at) {
    out += price_row(fmt::format("program {}", at).c_str(), front[at].after,
                     "; model " + status_text(front[at]));
  }
  return out;
}

/// Returns a table of the programs of a front and the annotations of each.
std::string front_text(const Source& source, const ir::Module& module,
                       const std::vector<FoundSharding>& front) {
  std::string out = front_table(front);
  for (std::size_t at = 0; at < front.size(); ++at) {
    out += fmt::format("\nprogram {}\n", at);
    for (const AnnotationEdit& edit : front[at].edits) {
      add_patch(out, source, module, patched(edit));
    }
  }
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
      edit.is_shared, "users", edit.num_users, "copy", edit.copy);
  if (edit.next_best) {
    out.key("next_best").begin_object();
    add(out, "sharding", edit.next_best->sharding, "exact", edit.next_best->is_exact, "cause",
        edit.next_best->cause, "unlimited", edit.next_best->unlimited);
    out.key("seconds").number(edit.next_best->seconds);
    out.end_object();
  }
  if (edit.without) {
    out.key("without").begin_object();
    add(out, "allowed", edit.without->is_allowed);
    out.key("seconds").number(edit.without->seconds);
    add(out, "peak_bytes", edit.without->peak_bytes);
    out.end_object();
  }
  out.end_object();
}

void write_edits(text::JsonWriter& out, const Source& source, const ir::Module& module,
                 const FoundSharding& found) {
  out.key("set").begin_array(text::JsonWriter::JsonLayout::Broken);
  for (const AnnotationEdit& edit : found.edits) write_edit(out, source, module, edit);
  out.end_array();
}

void write_axes(text::JsonWriter& out, const FoundSharding& found) {
  out.key("axes").begin_array(text::JsonWriter::JsonLayout::Broken);
  for (const autoshard::AxisRole& role : found.axes) {
    out.begin_object();
    add(out, "axis", role.axis);
    out.key("dims").begin_array(text::JsonWriter::JsonLayout::Broken);
    for (const autoshard::ShardedDims& dims : role.dims) {
      out.begin_object();
      add(out, "name", dims.name, "size", dims.size, "dims", dims.num_dims);
      out.end_object();
    }
    out.end_array();
    out.end_object();
  }
  out.end_array();
  add(out, "whole", found.whole);
}

void write_model(text::JsonWriter& out, const FoundSharding& found) {
  out.key("model").begin_object();
  add(out, "status", status_text(found), "peak_bytes", found.model.peak_bytes);
  out.key("seconds").number(static_cast<double>(found.model.price_fs) * kFemto);
  out.key("bound").number(static_cast<double>(found.model.bound_fs) * kFemto);
  out.key("gap").number(gap_of(found.model));
  out.end_object();
}

std::string found_json(const Source& source, const ir::Module& module, const FoundSharding& found,
                       const Diagnostics& diagnostics) {
  text::JsonWriter out = report_writer();
  begin_report(out, "autoshard");
  write_price(out, "now", found.before);
  write_price(out, "best", found.after);
  add(out, "changed", found.is_changed, "fits", found.fits, "stopped", found.is_stopped);
  write_model(out, found);
  write_edits(out, source, module, found);
  write_axes(out, found);
  out.key("work").begin_object();
  add(out, "nodes", found.num_nodes, "sweeps", found.model.sweeps, "compiled", found.num_programs,
      "refused", found.num_refused);
  out.end_object();
  add(out, "diagnostics", diagnostics);
  out.end_object();
  return out.take() + "\n";
}

std::string front_json(const Source& source, const ir::Module& module,
                       const std::vector<FoundSharding>& front, const Diagnostics& diagnostics) {
  text::JsonWriter out = report_writer();
  begin_report(out, "autoshard_front");
  write_price(out, "now", front.front().before);
  out.key("front").begin_array(text::JsonWriter::JsonLayout::Broken);
  for (const FoundSharding& found : front) {
    out.begin_object(text::JsonWriter::JsonLayout::Broken);
    write_price(out, "best", found.after);
    write_model(out, found);
    write_edits(out, source, module, found);
    out.end_object();
  }
  out.end_array();
  add(out, "diagnostics", diagnostics);
  out.end_object();
  return out.take() + "\n";
}

// ---- The command --------------------------------------------------------------------------------

/// Returns the options of the search: options of the command, a token that Ctrl-C stops, progress
/// output.
DiagnosedResult<autoshard::AutoshardOptions> search_options(const CommandOptions& options) {
  const auto model =
      parse_cost_model(options.stages.compile.pipeline.exporting.resharding.axis_costs);
  if (!model) return tl::unexpected(Diagnostics{model.error()});
  autoshard::AutoshardOptions asked = options.autoshard;
  asked.compile = options.stages.compile;
  asked.model = *model;
  return asked;
}

std::string progress_text(const autoshard::AutoshardProgress& at) {
  std::string text = at.stage;
  if (at.price_fs < autoshard::kForbidden) {
    text += fmt::format(": best {}, bound {}", time_text(static_cast<double>(at.price_fs) * kFemto),
                        time_text(static_cast<double>(at.bound_fs) * kFemto));
  }
  if (at.programs > 1) text += fmt::format(", {} programs compiled", at.programs);
  return text;
}

/// Searches one program or a front. Ctrl-C or the time limit ends the search with the best result
/// so far.
DiagnosedResult<std::vector<FoundSharding>> search(const CommandOptions& options,
                                                   autoshard::AutoshardOptions asked,
                                                   const ir::Module& module) {
  const InterruptGuard guard;
  const std::jthread timer = stop_after(options.time_limit, guard.source());
  Progress progress(kProgressInterval);
  asked.stop = guard.token();
  asked.on_progress = [&](const autoshard::AutoshardProgress& at) {
    progress.stage(progress_text(at));
  };
  if (options.front > 0) return autoshard::front(module, options.front, asked, options.context);
  auto found = autoshard::autoshard(module, asked, options.context);
  if (!found) return tl::unexpected(std::move(found).error());
  std::vector<FoundSharding> all;
  all.push_back(*std::move(found));
  return all;
}

/// Returns the program of the choice in a file, with its own price instead of the price of the best
/// choice.
DiagnosedResult<std::vector<FoundSharding>> given(const CommandOptions& options,
                                                  const autoshard::AutoshardOptions& asked,
                                                  const ir::Module& module) {
  const auto refuse = [](Error error) { return tl::unexpected(Diagnostics{std::move(error)}); };
  const auto network = autoshard::make_network(module, asked, options.context);
  if (!network) return refuse(network.error());
  const auto choice = read_solution(options.problem.solution, *network);
  if (!choice) return refuse(choice.error());
  auto program = autoshard::annotated_program(module, *choice, asked, options.context);
  if (!program) return refuse(program.error());
  const auto before = autoshard::price_of_program(module, asked, options.context);
  if (!before) return tl::unexpected(before.error());
  const auto after = autoshard::price_of_program(*program, asked, options.context);
  if (!after) return tl::unexpected(after.error());
  FoundSharding found;
  found.before = *before;
  found.after = *after;
  found.is_changed = true;
  found.program = *std::move(program);
  found.model.choice = *choice;
  found.model.price_fs = network->in_fs(autoshard::price_of(*network, *choice));
  found.model.peak_bytes = autoshard::peak_of(*network, *choice).bytes;
  found.model.status = SolveStatus::Bounded;
  found.fits = !asked.memory || after->cost.peak_bytes <= *asked.memory;
  found.num_nodes = static_cast<std::size_t>(network->num_nodes());
  found.num_programs = 2;
  std::vector<FoundSharding> all;
  all.push_back(std::move(found));
  return all;
}

/// Replaces the mesh of the program if the command has one, and writes the problem files of the
/// command.
Status prepare(const CommandOptions& options, const autoshard::AutoshardOptions& asked,
               ir::Module& module) {
  if (!options.mesh.empty()) {
    SHARDY_TRY(const Mesh mesh, parse_mesh(options.mesh));
    SHARDY_TRY(module, autoshard::program_on_mesh(module, mesh, asked.ignore_annotations));
  }
  if (options.problem.export_problem.empty() && options.problem.export_lp.empty()) return {};
  SHARDY_TRY(const autoshard::CostNetwork network,
             autoshard::make_network(module, asked, options.context));
  return export_problem(options.problem, network);
}

/// Prints the error that no program fits the memory limit, with the least peak that was found and
/// the largest values that live there.
int refuse_memory(const CommandOptions& options, Reporter& reporter, const FoundSharding& found) {
  Error error{.message = fmt::format(
                  "no program that was found fits in {}: the least peak memory per device is {}",
                  headline_bytes(*options.autoshard.memory),
                  headline_bytes(found.after.cost.peak_bytes))};
  constexpr std::size_t kMostValues = 5;
  std::vector<report::LiveValue> live;
  if (const auto compiled =
          report::compile_for_report(found.program, options.stages.compile, options.context)) {
    live = report::make_report(*compiled).peak.live;
  }
  for (const report::LiveValue& value : std::span(live).first(std::min(live.size(), kMostValues))) {
    error.notes.push_back(fmt::format(
        "live at the peak: {} of {} from {}{}", headline_bytes(value.bytes), value.type,
        value.made_by, value.location.text().empty() ? "" : " at " + value.location.text()));
  }
  if (live.size() > kMostValues) {
    error.notes.push_back(fmt::format("and {} smaller values; shardy report --memory lists all",
                                      live.size() - kMostValues));
  }
  return reporter.refuse({std::move(error)}, kFailed);
}

int write_found(const CommandOptions& options, const Source& source, Reporter& reporter,
                FoundSharding& found, const passes::ProgramMarks& written) {
  if (!export_form(options, reporter, found.program)) return kBadInput;
  if (!options.patch) return write_program(options, source, found.program, written);
  const std::string text = program_text(options, source, found.program, written);
  const Status status = write_file(options.output, unified_diff(source.text, text, source.path));
  return status ? kDone : reporter.refuse({status.error()});
}

int refuse_options(const CommandOptions& options, Reporter& reporter) {
  const auto refuse = [&](const char* message, std::vector<std::string> notes) {
    return reporter.refuse({Error{.message = message, .notes = std::move(notes)}});
  };
  if (options.file.empty()) return refuse("no program; FILE is required without --problem", {});
  if (!options.view.empty()) {
    if (options.front == 0) {
      return refuse("--view draws the programs of a front; --front N searches it", {});
    }
    Status can_write = view::expect_page();
    if (can_write) can_write = expect_writable(options.view);
    if (!can_write) return reporter.refuse({can_write.error()});
  }
  if (options.patch && options.apply_hint) {
    return refuse("--patch writes the difference from FILE; --apply writes the program", {});
  }
  if (options.front > 0 && (options.apply_hint || options.patch)) {
    return refuse("--front has several programs; --apply and --patch write one",
                  {"--memory BYTES --apply writes that of a limit"});
  }
  if (!options.apply_hint && !options.patch && options.output != "-") {
    return refuse("-o is the file to which --apply writes the annotated program",
                  {"add --apply, or redirect the summary with >"});
  }
  if ((options.apply_hint || options.patch) && options.json && options.output == "-") {
    return refuse("standard output is used by the result; -o FILE writes the program to a file",
                  {});
  }
  return kDone;
}

view::SweepRow row_of(const ProgramPrice& price) {
  return {.seconds = price.seconds,
          .collective_seconds = price.cost.seconds,
          .peak_bytes = price.cost.peak_bytes,
          .bytes = price.cost.bytes,
          .operations = price.cost.operations};
}

/// Writes the page of a front: the source program, then the programs that were found. The name of
/// each annotation of a new constraint includes the location of the constraint.
Status write_page(const CommandOptions& options, const ir::Module& module,
                  const std::vector<FoundSharding>& found) {
  if (options.view.empty()) return {};
  const text::WrittenValues names(module);
  std::vector<report::SweepStrategy> strategies = {{"now", {}}};
  std::vector<view::SweepRow> rows = {row_of(found.front().before)};
  std::vector<double> seconds = {rows.front().seconds};
  std::vector<int64_t> peaks = {rows.front().peak_bytes};
  for (std::size_t number = 0; number < found.size(); ++number) {
    report::SweepStrategy& strategy = strategies.emplace_back();
    strategy.name = fmt::format("program {}", number);
    for (const AnnotationEdit& edit : found[number].edits) {
      strategy.set.push_back(
          {report::place_name(names, edit.edit.place), edit.edit.after.value_or("none")});
    }
    rows.push_back(row_of(found[number].after));
    if (std::ranges::any_of(found[number].edits,
                            [](const AnnotationEdit& edit) { return edit.copy != 0; })) {
      rows.back().search_options = options.search_words;
      rows.back().search_options.push_back(
          fmt::format("--memory={}", found[number].memory.value_or(rows.back().peak_bytes)));
    }
    seconds.push_back(rows.back().seconds);
    peaks.push_back(rows.back().peak_bytes);
  }
  const view::SweepTable table{.title = "front of " + options.file,
                               .command = "shardy autoshard " + options.file + options.flags,
                               .program = options.file,
                               .strategies = strategies,
                               .rows = std::move(rows),
                               .front = report::pareto_front(seconds, peaks)};
  SHARDY_TRY(const std::string html, view::to_html(sweep_page(table)));
  return write_file(options.view, html);
}

/// Prints the result of a search.
void print_found(const CommandOptions& options, const Source& source, const ir::Module& module,
                 const std::vector<FoundSharding>& found, const Diagnostics& diagnostics) {
  if (options.front > 0) {
    if (!options.json && !options.view.empty()) {
      return print_text(stdout,
                        front_table(found) + "annotations of each are in " + options.view + "\n");
    }
    print_text(stdout, options.json ? front_json(source, module, found, diagnostics)
                                    : front_text(source, module, found));
  } else {
    print_text(stdout, options.json ? found_json(source, module, found.front(), diagnostics)
                                    : found_text(source, module, found.front()));
  }
}

}  // namespace

int autoshard_command(const CommandOptions& options) {
  if (!options.problem.problem.empty()) return problem_command(options);
  Source source{options.file};
  Reporter reporter(source, options.json);
  if (const int refused = refuse_options(options, reporter); refused != kDone) return refused;
  auto module = read_input(options, source);
  if (!module) return reporter.refuse(module.error());
  const passes::ProgramMarks written = passes::marks_of(*module);
  if (!reporter.import(*module, options.import_form)) return kBadInput;
  if (report::is_one_per_device(*module)) {
    return reporter.refuse({Error{.message = "the program is already a per-device program; run "
                                             "autoshard on the program before partitioning"}});
  }
  const auto asked = search_options(options);
  if (!asked) return reporter.refuse(asked.error());
  if (const Status prepared = prepare(options, *asked, *module); !prepared) {
    return reporter.refuse({prepared.error()});
  }
  auto found = options.problem.solution.empty() ? search(options, *asked, *module)
                                                : given(options, *asked, *module);
  if (!found) return reporter.refuse(found.error());
  reporter.emit_without_notes(found->front().diagnostics);
  if (!found->front().fits) return refuse_memory(options, reporter, found->front());
  const bool writes = options.apply_hint || options.patch;
  if (!writes || options.output != "-") {
    print_found(options, source, *module, *found, reporter.diagnostics());
  }
  if (const Status shown = write_page(options, *module, *found); !shown) {
    return reporter.refuse({shown.error()});
  }
  return writes ? write_found(options, source, reporter, found->front(), written) : kDone;
}

}  // namespace shardy::tools
