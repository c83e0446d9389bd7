// Costs of many annotations of one program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <shardy/checking/check.hpp>
#include <shardy/checking/compile.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/report/report.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <vector>

namespace shardy::report {

/// A value, in the syntax of find_annotation_place, and a sharding, in that of parse_annotation, or
/// `none`.
struct Setting {
  std::string value;     // `%name` of a value of the program
  std::string sharding;  // sharding in sdy syntax, or `none`
  friend bool operator==(const Setting&, const Setting&) = default;
};

/// Applies annotations to the module in order. Errors: those of find_annotation_place,
/// parse_annotation and annotate, prefixed with the value.
Status annotate(ir::Module& module, std::span<const Setting> settings);

/// A named list of annotations, applied in order.
struct SweepStrategy {
  std::string name;          // name in the file of strategies
  std::vector<Setting> set;  // annotations to apply
  friend bool operator==(const SweepStrategy&, const SweepStrategy&) = default;
};

/// Limit of strategies per list.
inline constexpr std::size_t kMaxStrategies = 1'000'000;
/// Limit of settings in all strategies of a list.
inline constexpr std::size_t kMaxSettings = 10'000'000;

/// Returns one strategy per combination of one setting per value: settings of one value are
/// alternatives, in order, and the last value changes fastest. Names are numbers from 0. Errors:
/// more than kMaxStrategies or kMaxSettings.
Result<std::vector<SweepStrategy>> all_choices(std::span<const Setting> settings);

/// Returns `count` strategies that shard each argument and result of main randomly over the first
/// mesh with axes, or over the mesh of its annotation. Seeds count from `seed` and are the names:
/// `seed 7`. Errors: no main function, no mesh, too many.
Result<std::vector<SweepStrategy>> random_strategies(const ir::Module& module, std::size_t count,
                                                     uint64_t seed);

/// Sharding of a value after propagation.
struct PlacedSharding {
  std::string value;     // `%arg0`, `result 0`
  std::string sharding;  // in sdy syntax
};

/// Cost of one strategy.
struct StrategyResult {
  std::size_t index = 0;    // number of the strategy
  Diagnostics errors = {};  // why it was not measured; empty if it was
  /// Modelled: collectives and operations in sequence. Infinite if not measured, so that rejected
  /// strategies sort last.
  double seconds = std::numeric_limits<double>::infinity();
  Cost cost = {};                              // per device; its `seconds` are those of collectives
  std::vector<Total> by_kind = {};             // most bytes first
  std::vector<PlacedSharding> shardings = {};  // of arguments and results, if requested
  std::optional<bool> equal = {};              // equals the unsharded run, if checked
  /// Checks whether the program was compiled with the strategy.
  bool is_measured() const { return errors.empty(); }
};

/// Options of sweep.
struct SweepOptions {
  checking::CompileOptions compile = {};  // compilation of each strategy
  CostModel model = {};                   // axis costs, as for make_report
  double operations_per_second = 100e12;  // per device; >= 1
  int64_t num_threads = 0;                // 0: one per core
  bool shardings = false;                 // report shardings of arguments and results
  bool check = false;                     // run each program on random inputs and compare
  uint64_t input_seed = 0;                // seed of these inputs
  std::size_t first = 0;                  // number of the first strategy
  /// Receives each result in the order of the strategies, called by one thread at a time; false
  /// ends the sweep. Results do not depend on the number of threads.
  std::function<bool(const StrategyResult& result)> on_result = {};
};

/// Annotates and compiles the program once per strategy, on several threads, which share module,
/// context and strategies read-only and work on copies of the module. A strategy that does not fit
/// the program gives a result with errors.
///
/// Errors: a negative number of threads, fewer than one operation per second; with `check` a
/// program without random inputs. Cost: one compilation per strategy, and memory for the results
/// that wait for a slower earlier strategy.
Status sweep(const ir::Module& module, std::span<const SweepStrategy> strategies,
             const SweepOptions& options, const checking::Context& context = {});

/// Returns the indices of results that no other dominates: none is faster and not larger, or
/// smaller and not slower; the fastest first, the first of equal ones. Requires: equal sizes. Cost:
/// n log n.
std::vector<std::size_t> pareto_front(std::span<const double> times,
                                      std::span<const int64_t> bytes);

}  // namespace shardy::report
