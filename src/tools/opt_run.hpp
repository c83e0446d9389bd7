// One program through passes: read, verified, changed, printed.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/passes/pipeline.hpp"
#include "tools/input.hpp"
#include "tools/opt_options.hpp"

namespace shardy::tools {

/// Outcome of a program.
struct OptResult {
  std::string output;  // empty if it failed
  Diagnostics said;
  std::size_t num_of_input = 0;  // of them, those of reading, the first ones
  bool has_failed = false;
};

/// Runs the passes of the options over programs, one after the other.
class OptRun {
 public:
  /// Requires: options that parse_opt_arguments gave for that registry.
  OptRun(const passes::PassRegistry& registry, const OptOptions& options);

  /// `format`: Json or Mlir.
  OptResult run(std::string_view text, Format format);

  /// The passes of all programs with the time that each took, as a table.
  std::string timing_table() const;

 private:
  using Seconds = std::chrono::duration<double>;

  tl::expected<ir::Module, Diagnostics> read(std::string_view text, Format format) const;
  passes::PassErrors run_passes(ir::Module& module, OptResult& result);
  passes::PassErrors after_pass(const passes::Pass& pass, const ir::Module& module);
  std::string print(const ir::Module& module, Format format) const;
  void add_time(std::string name, std::chrono::steady_clock::time_point begin);

  const OptOptions& options_;
  std::vector<passes::PlannedPass> planned_;
  std::vector<std::pair<std::string, Seconds>> times_;
  std::size_t num_dumps_ = 0;
};

}  // namespace shardy::tools
