// Reports of programs, as text and as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "shardy/report/report.hpp"
#include "shardy/report/sweep.hpp"
#include "tools/commands.hpp"
#include "tools/json_report.hpp"
#include "tools/reporter.hpp"

namespace shardy::tools {

/// Returns the report of a file, compiled as by its command, with `settings` instead of its
/// annotations; a source that has its text is not read again. std::nullopt after a printed error.
std::optional<report::Report> report_of(const CommandOptions& options, Source& source,
                                        Reporter& reporter,
                                        std::span<const report::Setting> settings = {});

/// Two rows: what a device sends, and its modelled time, of collectives and of operations.
std::string cost_text(const report::Cost& cost, double operations_per_second);
std::string report_text(const report::Report& report, const ReportSelection& selection);
/// Returns the full report as JSON. `said`: the diagnostics of the command.
std::string report_json(const report::Report& report, const Diagnostics& said,
                        double operations_per_second);

/// "1,234,567".
std::string grouped(int64_t number);
/// Returns the line after a table that omits rows.
std::string more_text(std::size_t shown, std::size_t all);

// Costs of two programs, as JSON.

/// The members of a cost, into an object that is begun.
void add_cost(text::JsonWriter& out, const report::Cost& cost);
/// The member `collectives`: those that differ.
void write_changes(text::JsonWriter& out, std::span<const report::CollectiveChange> changes);

}  // namespace shardy::tools
