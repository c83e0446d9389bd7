// The command view: writes a page that shows one program or compares two, or the graph of a program
// for other viewers.
#include "tools/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/checking/compile.hpp"
#include "shardy/report/report.hpp"
#include "shardy/view/page.hpp"
#include "support/quantities.hpp"
#include "text/error_places.hpp"
#include "text/json_writer.hpp"
#include "tools/commands.hpp"
#include "tools/explain_report.hpp"
#include "tools/explained_program.hpp"
#include "tools/files.hpp"
#include "tools/hints.hpp"
#include "tools/report.hpp"
#include "tools/reporter.hpp"

namespace shardy::tools {

namespace {

std::string base_name(const std::string& path) {
  if (path == "-") return "standard input";
  return path.substr(path.rfind('/') + 1);
}

// ---- One program --------------------------------------------------------------------------------

/// Returns the rows of totals: the report's figures, the number of collectives and the parts of the
/// time.
std::vector<view::TotalRow> totals_of(const report::Report& report,
                                      const report::DeviceTime& time) {
  std::vector<view::TotalRow> rows;
  for (const FigureRow& row : figures_of(report, time)) {
    const bool is_time = row.id == "seconds" || row.id == "useful" || row.id == "operations";
    rows.push_back({row.id, row.label, row.text, row.value, !is_time});
  }
  rows.push_back({"collectives", "collectives", grouped(report.all.count),
                  static_cast<double>(report.all.count)});
  const auto add_time = [&](const char* id, const char* label, double seconds) {
    rows.push_back({id, label, time_text(seconds), seconds, false});
  };
  add_time("collective_seconds", "time of collectives", time.collectives);
  add_time("operation_seconds", "time of operations", time.operations);
  if (time.hidden > 0) add_time("hidden_seconds", "hidden time of collectives", time.hidden);
  if (time.memory > 0) add_time("memory_seconds", "time waiting for memory", time.memory);
  return rows;
}

/// Returns the conflicts ordered by the bytes of their collectives, as in `explain --all --json`.
std::vector<RankedConflict> conflicts_of(const ShownProgram& shown) {
  std::vector<const propagation::ExplainedConflict*> all;
  for (const auto& conflict : shown.explained.explanation.conflicts) all.push_back(&conflict);
  return ranked_conflicts(all, shown.report);
}

void add_explanation(view::ProgramTexts& texts, const ShownProgram& shown) {
  const propagation::Explanation& explanation = shown.explained.explanation;
  const auto conflicts = conflicts_of(shown);
  for (const RankedConflict& each : conflicts) {
    texts.conflict_order.push_back(
        static_cast<std::size_t>(each.conflict - explanation.conflicts.data()));
  }
  texts.conflicts = conflicts_json(conflicts);
  texts.missing_rules = missing_rules_json(explanation.missing_rules);
  for (const auto& decision : explanation.decisions) {
    texts.decisions.push_back(decision_text(decision));
  }
  for (const auto& value : explanation.values) {
    for (const auto& absent : value.absent) texts.absences.push_back(absence_text(absent));
  }
}

/// Returns the hints with the values whose annotations they edit.
DiagnosedResult<view::HintTexts> hints_of(const CommandOptions& options, const Source& source,
                                          const ir::Module& module,
                                          const Diagnostics& diagnostics) {
  CommandOptions search = options;
  search.hints.operations_per_second = options.report.rates.operations_per_second;
  const auto hints = hints_for(search, module);
  if (!hints) return tl::unexpected(hints.error());
  view::HintTexts texts;
  texts.document = hints_json(source, module, *hints, diagnostics);
  for (const report::Hint& hint : hints->hints) {
    texts.patches.push_back(hint_text(source, module, hint));
    texts.values.emplace_back();
    for (const report::HintEdit& edit : hint.edits) {
      if (edit.place.value.valid()) {
        texts.values.back().push_back(edit.place.value);
      } else if (edit.place.kind == report::AnnotationPlace::Kind::Argument) {
        texts.values.back().push_back(
            module.args(module.entry(edit.place.function))[edit.place.index]);
      }
    }
  }
  return texts;
}

}  // namespace

view::ProgramData data_of(const ShownProgram& shown, const CommandOptions& options) {
  return {.names = shown.explained.names,
          .explanation = shown.explained.explanation,
          .compiled = shown.priced.compiled,
          .report = shown.report,
          .options = options.stages.compile,
          .context = options.context,
          .numbered = shown.numbered ? &*shown.numbered : nullptr,
          .num_steps = shown.explained.num_steps,
          .timeline = report::make_timeline(
              shown.priced.compiled, {.model = shown.priced.model, .rates = options.report.rates})};
}

DiagnosedResult<ShownProgram> show_program(const CommandOptions& options, const Source& source,
                                           PricedProgram priced, text::WrittenNames names,
                                           const Diagnostics& diagnostics) {
  std::optional<propagation::Explanation> numbered;
  const auto ignore = [](const Diagnostics&) {};
  if (!view::has_unique_places(priced.module)) {
    auto copy = explain_module(view::numbered(priced.module), names, options, ignore);
    if (copy) numbered = std::move(copy->explanation);
  }
  auto explained = explain_module(priced.module, std::move(names), options, ignore);
  if (!explained) return tl::unexpected(std::move(explained).error());
  report::Report report = report_on(options, priced);
  const report::DeviceTime time =
      report::device_time(priced.compiled, priced.model, options.report.rates);
  ShownProgram shown{
      std::move(priced), *std::move(explained), std::move(numbered), std::move(report), time, {}};
  view::ProgramTexts& texts = shown.texts;
  texts.title = base_name(options.file);
  texts.file = source.path;
  texts.command = "shardy view " + options.file + options.flags;
  texts.source = source.text;
  texts.is_json = source.format == Format::Json;
  texts.totals = totals_of(shown.report, time);
  texts.notes = diagnostics;
  texts.report = report_json(shown.report, time, diagnostics);
  add_explanation(texts, shown);
  if (options.with_hints) {
    auto hints = hints_of(options, source, shown.priced.module, diagnostics);
    if (!hints) return tl::unexpected(std::move(hints).error());
    texts.hints = *std::move(hints);
  }
  return shown;
}

namespace {

/// Returns the program with all data of its page; std::nullopt after printing an error.
std::optional<ShownProgram> shown_program(const CommandOptions& options, Source& source,
                                          Reporter& reporter,
                                          std::span<const report::Setting> settings = {}) {
  text::WrittenNames names;
  auto priced = priced_program(options, source, reporter, settings, &names);
  if (!priced) return std::nullopt;
  reporter.emit(no_mesh_note(*priced));
  auto shown =
      show_program(options, source, *std::move(priced), std::move(names), reporter.diagnostics());
  if (shown) return *std::move(shown);
  reporter.refuse(shown.error());
  return std::nullopt;
}

}  // namespace

// ---- Static text --------------------------------------------------------------------------------

namespace {

constexpr std::size_t kStaticRows = 50;

view::TextTable collectives_table(const report::Report& report) {
  view::TextTable table{.caption = "Collectives",
                        .head = {"bytes sent", "count", "time", "collective", "for"},
                        .rows = {}};
  for (const report::EqualCollectives& row : report::group_equal(report)) {
    if (table.rows.size() == kStaticRows) break;
    const report::Collective& first = *row.first;
    std::string places;
    for (const Location& location : row.locations) {
      if (places.size() > 100) break;
      places += (places.empty() ? " at " : ", ") + text::place_text(location);
    }
    table.rows.push_back(
        {grouped(row.bytes), grouped(row.count), time_text(row.seconds),
         first.kind + (first.axes.empty() ? "" : " " + first.axes) + " of " + first.type,
         first.serves + places});
  }
  return table;
}

/// Live values of one type that like ops made, such as the weights of all layers.
struct LiveGroup {
  const report::LiveValue* first;
  int64_t count = 0;
  int64_t bytes = 0;
};

std::string without_digits(std::string text) {
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text;
}

/// Groups live values; the largest groups come first.
std::vector<LiveGroup> live_groups(const report::Report& report) {
  std::vector<LiveGroup> groups;
  std::map<std::string, std::size_t> group_of;
  for (const report::LiveValue& value : report.peak.live) {
    const std::string made = without_digits(value.made_by + " " + text::place_text(value.location));
    const auto [at, is_new] = group_of.try_emplace(made + value.type, groups.size());
    if (is_new) groups.push_back({.first = &value});
    LiveGroup& group = groups[at->second];
    ++group.count;
    group.bytes += value.bytes;
  }
  std::ranges::stable_sort(groups, std::greater<>(), &LiveGroup::bytes);
  return groups;
}

view::TextTable peak_table(const report::Report& report) {
  view::TextTable table{.caption = "Values that are live at peak memory",
                        .head = {"bytes", "count", "type", "made by", "place"},
                        .rows = {}};
  for (const LiveGroup& group : live_groups(report)) {
    if (table.rows.size() == kStaticRows) break;
    const report::LiveValue& value = *group.first;
    const std::string others =
        group.count == 1 ? "" : fmt::format(" and {} like it", grouped(group.count - 1));
    table.rows.push_back({grouped(group.bytes), grouped(group.count), value.type,
                          value.made_by + others, text::place_text(value.location)});
  }
  return table;
}

std::string static_of(const ShownProgram& shown) {
  std::vector<view::TextRow> totals;
  for (const FigureRow& row : figures_of(shown.report, shown.time)) {
    totals.push_back({row.label, row.text});
  }
  const std::vector<view::TextTable> tables = {collectives_table(shown.report),
                                               peak_table(shown.report)};
  return view::static_html(totals, tables);
}

}  // namespace

view::Page page_of(const ShownProgram& shown, const CommandOptions& options) {
  return {.title = shown.texts.title,
          .parts = view::program_parts(data_of(shown, options), shown.texts),
          .static_html = static_of(shown)};
}

// ---- Many programs ------------------------------------------------------------------------------

view::Page sweep_page(const view::SweepTable& table) {
  view::TextTable front{
      .caption = "Pareto front of time and peak memory",
      .head = {"time per device", "peak memory (bytes)", "bytes sent", "strategy"},
      .rows = {}};
  for (const std::size_t number : table.front) {
    const view::SweepRow& row = table.rows[number];
    front.rows.push_back({time_text(row.seconds), grouped(row.peak_bytes), grouped(row.bytes),
                          table.strategies[number].name + ": " +
                              view::view_command(table.program, table.strategies[number])});
  }
  return {.title = table.title,
          .parts = view::sweep_parts(table),
          .static_html = view::static_html({}, std::span(&front, 1))};
}

// ---- Two programs -------------------------------------------------------------------------------

namespace {

std::string list_json(const std::vector<int64_t>& numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ","));
}

/// Links the shardings that differ with the values of both documents.
std::string pairs_json(const ShownProgram& before, const ShownProgram& after) {
  const view::ValuePairs pairs = view::changed_values(before.explained.original, before.report,
                                                      after.explained.original, after.report);
  std::vector<int64_t> rows(pairs.before.size());
  std::iota(rows.begin(), rows.end(), 0);
  return fmt::format("{{\"before\":{},\"after\":{},\"shardings\":{}}}", list_json(pairs.before),
                     list_json(pairs.after), list_json(rows));
}

std::string compare_head(const CommandOptions& options, const std::vector<DiffRow>& rows,
                         const std::string& title) {
  text::JsonWriter out(std::size_t{1} << 40U, true);
  const auto add = [&](std::string_view key, std::string_view value) {
    out.key(key).string(value);
  };
  out.begin_object();
  out.key("schema_version").integer(1);
  add("kind", "compare");
  add("title", title);
  add("command", "shardy view " + options.file + options.flags);
  out.key("rows").begin_array();
  for (const DiffRow& row : rows) {
    out.begin_object();
    add("label", row.label);
    add("before", row.before);
    add("after", row.after);
    add("change", row.change);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take();
}

view::TextTable changes_table(const report::ReportDifference& difference) {
  view::TextTable table{.caption = "Collectives lost and gained",
                        .head = {"change in bytes", "before", "after", "collective", "for"},
                        .rows = {}};
  for (const report::CollectiveChange& change : difference.collectives) {
    if (table.rows.size() == kStaticRows) break;
    table.rows.push_back(
        {signed_grouped(change.bytes_after - change.bytes_before), grouped(change.count_before),
         grouped(change.count_after),
         change.kind + (change.axes.empty() ? "" : " " + change.axes) + " of " + change.type,
         change.serves});
  }
  return table;
}

view::Page compare_page(const CommandOptions& options, const ShownProgram& before,
                        const ShownProgram& after) {
  const report::ReportDifference difference = report::difference(before.report, after.report);
  const std::vector<DiffRow> rows = diff_rows(difference);
  view::Page page;
  page.title = before.texts.title == after.texts.title
                   ? before.texts.title + ": two sets of annotations"
                   : before.texts.title + " and " + after.texts.title;
  page.parts.push_back({"head", compare_head(options, rows, page.title)});
  for (const auto& [name, shown] : {std::pair("before.", &before), std::pair("after.", &after)}) {
    for (view::PagePart& part : view::program_parts(data_of(*shown, options), shown->texts)) {
      page.parts.push_back({name + part.name, std::move(part.json)});
    }
  }
  page.parts.push_back({"diff", diff_json(difference, difference.is_worse(0))});
  page.parts.push_back({"pairs", pairs_json(before, after)});
  view::TextTable totals{"Differences", {"per device", "before", "after", "change"}, {}};
  for (const DiffRow& row : rows) {
    totals.rows.push_back({row.label, row.before, row.after, row.change});
  }
  const view::TextTable tables[] = {std::move(totals), changes_table(difference)};
  page.static_html = view::static_html({}, tables);
  return page;
}

// ---- Output -------------------------------------------------------------------------------------

/// Returns an error if the file must not be replaced. Only an earlier page, an empty file, or a
/// file that does not exist may be replaced.
Status expect_free(const std::string& path) {
  constexpr std::size_t kBeginning = 4096;
  const auto beginning = read_beginning(path, kBeginning);
  if (!beginning) return {};  // the file does not exist, or its error occurs again at writing
  if (beginning->empty() || beginning->find("content=\"shardy view\"") != std::string::npos) {
    return {};
  }
  return tl::unexpected(Error{
      .message = path + " exists and is not a page of shardy view",
      .notes = {"-o FILE chooses another output file, or allows shardy to replace this one"}});
}

/// Returns the path of the output. Without an option for it, the path is derived from the input;
/// error: expect_free rejects that path.
Result<std::string> output_path(const CommandOptions& options) {
  if (options.output != "-" || options.view_format != "html" || options.has_output) {
    return options.output;
  }
  const std::string path = options.file == "-" ? "program.html" : base_name(options.file) + ".html";
  SHARDY_TRY_STATUS(expect_free(path));
  return path;
}

int write_view(const std::string& path, Reporter& reporter, const std::string& content) {
  if (const Status written = write_file(path, content); !written) {
    return reporter.refuse({written.error()});
  }
  if (path != "-") print_text(stdout, path + "\n");
  return kDone;
}

int write_page(const CommandOptions& options, const std::string& path, Reporter& reporter,
               const view::Page& page) {
  if (options.view_format == "json") {
    return write_view(path, reporter, view::document_json(page.parts));
  }
  const auto html = view::to_html(page);
  if (!html) return reporter.refuse({html.error()});
  return write_view(path, reporter, *html);
}

int compare(const CommandOptions& options, const std::string& path) {
  Source first{options.file};
  Reporter of_first(first);
  if (options.view_format == "dot" || options.view_format == "model-explorer") {
    return of_first.refuse(
        {Error{"--format=" + options.view_format + " has the graph of one program",
               {},
               {"leave out OTHER, --before and --after"}}});
  }
  const auto before = shown_program(options, first, of_first, options.before);
  if (!before) return kBadInput;
  const bool is_same_file = options.other_file.empty() || options.other_file == options.file;
  // Standard input can be read only once.
  Source second = is_same_file ? first : Source{options.other_file};
  Reporter of_second(second);
  CommandOptions other = options;
  if (!is_same_file) other.file = options.other_file;
  const auto after = shown_program(other, second, of_second, options.after);
  if (!after) return kBadInput;
  return write_page(options, path, of_first, compare_page(options, *before, *after));
}

}  // namespace

int view_command(const CommandOptions& options) {
  Source source{options.file};
  Reporter reporter(source);
  const auto path = output_path(options);
  if (!path) return reporter.refuse({path.error()});
  const Status can_write = options.view_format == "html" ? view::expect_page() : Status();
  if (!can_write) return reporter.refuse({can_write.error()});
  if (!options.other_file.empty() || !options.before.empty() || !options.after.empty()) {
    return compare(options, *path);
  }
  const auto shown = shown_program(options, source, reporter);
  if (!shown) return kBadInput;
  if (options.view_format == "dot") {
    return write_view(*path, reporter, view::to_dot(data_of(*shown, options)));
  }
  if (options.view_format == "model-explorer") {
    return write_view(*path, reporter,
                      view::to_model_explorer(data_of(*shown, options), shown->texts.title));
  }
  return write_page(options, *path, reporter, page_of(*shown, options));
}

}  // namespace shardy::tools
