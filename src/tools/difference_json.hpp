// Costs of two programs, as JSON.
#pragma once

#include <span>

#include "shardy/report/report.hpp"
#include "tools/json_report.hpp"

namespace shardy::tools {

/// The members of a cost, into an object that is begun.
void add_cost(text::JsonWriter& out, const report::Cost& cost);
/// The member `collectives`: those that differ.
void write_changes(text::JsonWriter& out, std::span<const report::CollectiveChange> changes);

}  // namespace shardy::tools
