// The lines of a sweep, both ways: strategies that are read, results that are written and resumed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/report/sweep.hpp"
#include "shardy/support/result.hpp"

namespace shardy::tools {

/// The part of a line that the summary of a sweep needs.
struct SweptStrategy {
  std::size_t index = 0;
  bool is_measured = false;
  bool is_wrong = false;  // it was checked, and is not equal to the unsharded run
  double seconds = 0;
  int64_t peak_bytes = 0;
  int64_t bytes = 0;
  std::string line = {};  // without its end
};

/// Returns the line of a result: the strategy, then its cost or its error. `sweep` identifies the
/// sweep.
SweptStrategy line_of(const report::StrategyResult& result, const report::Strategy& strategy,
                      std::string_view sweep);

/// The lines of a file that a sweep has left: those of the first strategies, in order. A line that
/// has no end is left out. Errors: lines of another program or of other strategies.
Result<std::vector<SweptStrategy>> read_lines(std::string_view text,
                                              std::span<const report::Strategy> strategies,
                                              std::string_view sweep);

/// `{"name": ..., "set": {"%arg0": "[{\"x\"}, {}]", ...}}`, one a line; empty lines are nothing.
/// Errors: anything else, with the number of the line.
Result<std::vector<report::Strategy>> read_strategies(std::string_view text);

/// 16 hexadecimal digits that differ where the text does.
std::string fingerprint(std::string_view text);

}  // namespace shardy::tools
