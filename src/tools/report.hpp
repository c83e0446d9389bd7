// Reports of programs, and the differences between two programs, as text and as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/checking/compile.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/report/report.hpp"
#include "shardy/report/sweep.hpp"
#include "shardy/resharding/cost.hpp"
#include "shardy/text/written_values.hpp"
#include "tools/commands.hpp"
#include "tools/reporter.hpp"

namespace shardy::tools {

/// Returns the report of a file, compiled as by its command, with `settings` as annotations. Does
/// not read a source again that has its text. Returns std::nullopt after printing an error.
std::optional<report::Report> report_of(const CommandOptions& options, Source& source,
                                        Reporter& reporter,
                                        std::span<const report::Setting> settings = {});

/// Returns two rows: the bytes sent per device and the modelled time per device.
std::string cost_text(const report::Cost& cost, double operations_per_second);

/// A compiled program and its costs.
struct PricedProgram {
  ir::Module module;  // as in the file, with its settings
  checking::CompiledProgram compiled;
  CostModel model;
};
/// Reads a program, unless the source has its text, sets shardings, and compiles it. `names`
/// receives the names of its values unless it is null. Returns std::nullopt after printing an
/// error.
std::optional<PricedProgram> priced_program(const CommandOptions& options, Source& source,
                                            Reporter& reporter,
                                            std::span<const report::Setting> settings,
                                            text::WrittenNames* names = nullptr);
/// Returns the report of a priced program, with the reasons that the options request.
report::Report report_on(const CommandOptions& options, const PricedProgram& priced);
/// Returns the note on a report of one device, because the program has no mesh; empty otherwise.
Diagnostics no_mesh_note(const PricedProgram& priced);

/// A figure at the head of a report.
struct FigureRow {
  std::string id;     // such as `bytes`
  std::string label;  // such as `bytes sent per device`
  std::string text;   // such as `936 bytes in 6 collectives`
  double value = 0;   // as in JSON
};
/// Returns the figures at the head of a report, in order.
std::vector<FigureRow> figures_of(const report::Report& report, const report::DeviceTime& time);

/// Returns the rows of cost_text for a modelled time with its parts.
std::string cost_text(const report::Cost& cost, const report::DeviceTime& time);
std::string report_text(const report::Report& report, const report::DeviceTime& time,
                        const ReportSelection& selection);
/// Returns the full report as JSON. `diagnostics`: diagnostics of the command.
std::string report_json(const report::Report& report, const report::DeviceTime& time,
                        const Diagnostics& diagnostics);

// Rows of the summaries of `run` and `check`.

/// Returns a row with a name and a number, such as "devices       8". `rest` follows the number.
std::string summary_row(std::string_view name, int64_t number, std::string_view rest = "");
/// Returns the row of the peak memory per device.
std::string peak_row(int64_t bytes);
/// Returns the head of the table of collectives.
std::string traffic_head();
/// Returns the row of a kind of collective, with the bytes sent per device.
std::string traffic_row(std::string_view kind, int64_t count, int64_t bytes);

/// Returns the line after a table that omits rows.
std::string more_text(std::size_t shown, std::size_t all);

/// A quantity of two programs as text.
struct DiffRow {
  std::string label;   // such as `bytes sent`
  std::string before;  // value of the first program
  std::string after;   // value of the second program
  std::string change;  // relative to the first program; `=` if equal
};
/// Returns the rows of the totals.
std::vector<DiffRow> diff_rows(const report::ReportDifference& difference);
/// Returns the whole difference as JSON.
std::string diff_json(const report::ReportDifference& difference, bool is_worse);

}  // namespace shardy::tools
