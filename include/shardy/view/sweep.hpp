// The document of a sweep: the cost of each strategy, and the Pareto front.
#pragma once

#include <cstddef>
#include <optional>
#include <shardy/report/sweep.hpp>
#include <shardy/view/page.hpp>
#include <span>
#include <string>
#include <vector>

namespace shardy::view {

/// Costs of a strategy, or why it was refused.
struct SweepRow {
  double seconds = 0;              // modelled
  double collective_seconds = 0;   // of collectives
  int64_t peak_bytes = 0;          // per device
  int64_t bytes = 0;               // sent per device
  double operations = 0;           // per device
  std::optional<bool> equal = {};  // equals the unsharded run, if checked
  std::string error = {};          // not empty: refused, and the numbers mean nothing
};

/// A sweep to show.
struct SweepTable {
  std::string title;                                    // of the page
  std::string command;                                  // command line of the sweep
  std::span<const report::SweepStrategy> strategies{};  // by number
  std::vector<SweepRow> rows;                           // of the first strategies
  std::vector<std::size_t> front;  // numbers of the Pareto front, fastest first
};

/// Returns the parts of the document of a sweep. docs/view.schema.json describes them.
std::vector<Part> sweep_parts(const SweepTable& table);

/// Returns annotations as options of the command line: `--set '%arg0=[{"x"}, {}]'`.
std::string set_options(const report::SweepStrategy& strategy);

}  // namespace shardy::view
