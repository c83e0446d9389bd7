// The command diff: compares the costs of two programs, or of one program with two sets of
// annotations.
#include "tools/diff.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "shardy/report/report.hpp"
#include "support/quantities.hpp"
#include "tools/files.hpp"
#include "tools/json_report.hpp"
#include "tools/report.hpp"

namespace shardy::tools {

namespace {

using report::Cost;
using report::ReportDifference;

/// Returns a row with the text of a quantity for both programs; the change is "=" if it is equal.
template <class Number>
DiffRow quantity_row(std::string_view name, Number before, Number after,
                     std::string (*text)(Number)) {
  return {
      std::string(name), text(before), text(after),
      before == after ? "=" : change_text(static_cast<double>(before), static_cast<double>(after))};
}

}  // namespace

std::vector<DiffRow> diff_rows(const ReportDifference& difference) {
  const Cost& before = difference.before;
  const Cost& after = difference.after;
  return {quantity_row("bytes sent", before.bytes, after.bytes, &bytes_text),
          quantity_row("collectives", before.count, after.count, &grouped),
          quantity_row("time of collectives", before.seconds, after.seconds, &time_text),
          quantity_row("peak memory", before.peak_bytes, after.peak_bytes, &bytes_text),
          quantity_row("operations", before.operations, after.operations, &operations_number)};
}

namespace {

void add_row(std::string& out, const DiffRow& row) {
  out += fmt::format("{:<24}{:>20}{:>20}{:>12}\n", row.label, row.before, row.after, row.change);
}

std::string diff_text(const ReportDifference& difference, std::size_t top) {
  std::string out;
  add_row(out, {"per device", "before", "after", "change"});
  for (const DiffRow& row : diff_rows(difference)) add_row(out, row);
  if (!difference.collectives.empty()) {
    out += fmt::format("\n{:>15} {:>13} {:>12}  collectives that differ\n", "change in bytes",
                       "count before", "count after");
  }
  std::size_t shown = 0;
  for (const report::CollectiveChange& change : difference.collectives) {
    if (shown++ == top) break;
    out += fmt::format("{:>15} {:>13} {:>12}  {} {} of {}{}\n",
                       signed_grouped(change.bytes_after - change.bytes_before),
                       grouped(change.count_before), grouped(change.count_after), change.kind,
                       change.axes, change.type,
                       change.serves.empty() ? std::string() : " for " + change.serves);
  }
  out += more_text(std::min(top, difference.collectives.size()), difference.collectives.size());
  if (!difference.shardings.empty()) out += "\nvalues with another sharding\n";
  shown = 0;
  for (const report::ShardingChange& change : difference.shardings) {
    if (shown++ == top) break;
    out += fmt::format("  {} from {}{}: {} -> {}\n", change.type, change.made_by,
                       change.location.empty() ? std::string() : " at " + change.location.text(),
                       change.before.empty() ? "none" : change.before,
                       change.after.empty() ? "none" : change.after);
  }
  out += more_text(std::min(top, difference.shardings.size()), difference.shardings.size());
  if (difference.values_before + difference.values_after > 0) {
    out += fmt::format("\n{} values are only in the first program, {} only in the second\n",
                       grouped(difference.values_before), grouped(difference.values_after));
  }
  return out;
}

}  // namespace

std::string diff_json(const ReportDifference& difference, bool is_worse) {
  text::JsonWriter out = report_writer();
  begin_report(out, "diff");
  add(out, "before", difference.before, "after", difference.after, "worse", is_worse, "collectives",
      difference.collectives, "shardings", difference.shardings, "values_before",
      difference.values_before, "values_after", difference.values_after);
  out.end_object();
  return out.take() + "\n";
}

int diff_command(const CommandOptions& options) {
  Source first{options.file};
  Reporter of_first(first, options.json);
  if (options.other_file.empty() && options.before.empty() && options.after.empty()) {
    return of_first.refuse(
        {Error{"expected OTHER, the second program, or --before and --after",
               {},
               {"for example: shardy diff model.mlir --after '%arg0=[{\"x\"}, {}]'"}}});
  }
  const auto before = report_of(options, first, of_first, options.before);
  if (!before) return kBadInput;
  const bool is_same_file = options.other_file.empty() || options.other_file == options.file;
  Source second =
      is_same_file ? first : Source{options.other_file};  // standard input can be read only once
  Reporter of_second(second, options.json);
  const auto after = report_of(options, second, of_second, options.after);
  if (!after) return kBadInput;
  const ReportDifference difference = report::difference(*before, *after);
  const bool is_worse = difference.is_worse(options.worse_by.value_or(0));
  print_text(stdout, options.json ? diff_json(difference, is_worse)
                                  : diff_text(difference, options.report.top));
  return is_worse && options.worse_by ? kFailed : kDone;
}

}  // namespace shardy::tools
