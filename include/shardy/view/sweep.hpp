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

/// Costs of one strategy, or its error.
struct SweepRow {
  double seconds = 0;              // modelled time
  double collective_seconds = 0;   // modelled time of collectives
  int64_t peak_bytes = 0;          // peak memory per device
  int64_t bytes = 0;               // bytes sent per device
  double operations = 0;           // operations per device
  std::optional<bool> equal = {};  // whether results equal the unsharded run, if checked
  /// Error of a strategy that does not compile, whose other members are unset; else empty.
  std::string error = {};
};

/// A sweep with all data of its page.
struct SweepTable {
  std::string title;                                    // page title
  std::string command;                                  // command line of the sweep
  std::span<const report::SweepStrategy> strategies{};  // strategies by number
  /// Rows of the first strategies; there may be fewer rows than strategies.
  std::vector<SweepRow> rows;
  std::vector<std::size_t> front;  // numbers of the strategies of the Pareto front, fastest first
};

/// Returns the parts of the document of a sweep. docs/view.schema.json describes them.
std::vector<PagePart> sweep_parts(const SweepTable& table);

/// Returns the annotations of a strategy as command-line options: `--set '%arg0=[{"x"}, {}]'`.
std::string set_options(const report::SweepStrategy& strategy);

}  // namespace shardy::view
