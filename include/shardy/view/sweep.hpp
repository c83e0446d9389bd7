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
  std::optional<bool> equal = {};  // whether results equal those of the unsharded run, if checked
  /// Error of a strategy that does not compile, whose other members are unset; else empty.
  std::string error = {};
};

/// A sweep with all data of its page.
struct SweepTable {
  std::string title;                                    // page title
  std::string command;                                  // command line of the sweep
  std::string program;                                  // file of the annotated program
  std::span<const report::SweepStrategy> strategies{};  // strategies by number
  /// Rows of the first strategies; there may be fewer rows than strategies.
  std::vector<SweepRow> rows;
  std::vector<std::size_t> front;  // numbers of the strategies of the Pareto front, fastest first
};

/// Returns the parts of the document of a sweep. docs/view.schema.json describes them.
std::vector<Part> sweep_parts(const SweepTable& table);

/// Returns the command that shows the program with the annotations of a strategy: `shardy view
/// model.mlir --after '%arg0=[{"x"}, {}]'`. Empty for a strategy without annotations.
std::string view_command(const std::string& program, const report::SweepStrategy& strategy);

}  // namespace shardy::view
