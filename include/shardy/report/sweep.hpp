// Many annotations of one program, and what each of them costs.
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

/// A value as find_annotation_place takes it, and a sharding as parse_annotation does, or `none`.
struct Setting {
  std::string value;     // `%name` of a value of the program
  std::string sharding;  // the sharding to give it, as sdy writes it
  friend bool operator==(const Setting&, const Setting&) = default;
};

/// Puts annotations over those of the module, in their order. Errors: those of
/// find_annotation_place, parse_annotation and annotate, with the value in front.
Status annotate(ir::Module& module, std::span<const Setting> settings);

/// Annotations that are put over those of the program, in their order.
struct Strategy {
  std::string name;          // as the file of strategies calls it
  std::vector<Setting> set;  // what it changes of the program
  friend bool operator==(const Strategy&, const Strategy&) = default;
};

/// No list has more strategies, or more settings in all of them.
inline constexpr std::size_t kMaxStrategies = 1'000'000;
/// No list has more settings in all of its strategies.
inline constexpr std::size_t kMaxSettings = 10'000'000;

/// One strategy for each choice of one setting per value: settings of one value are alternatives,
/// in their order, and the last value changes fastest. Named by their numbers, from 0 on. Errors:
/// more than kMaxStrategies or kMaxSettings.
Result<std::vector<Strategy>> all_choices(std::span<const Setting> settings);

/// `count` strategies that shard every argument and result of main at random over the first mesh
/// that has axes, or the mesh that its annotation is on. The seeds follow each other from `seed`
/// on and are the names: `seed 7`. Errors: no main, no mesh, too many.
Result<std::vector<Strategy>> random_strategies(const ir::Module& module, std::size_t count,
                                                uint64_t seed);

/// Sharding of a value after propagation.
struct PlacedSharding {
  std::string value;     // `%arg0`, `result 0`
  std::string sharding;  // as sdy writes it
};

/// Cost of one strategy.
struct StrategyResult {
  std::size_t index = 0;    // of the strategy
  Diagnostics errors = {};  // why there is nothing else; of one that was measured: empty
  /// Modelled: of collectives, and of operations one after the other. Infinite until measured, so
  /// that a refused strategy sorts last.
  double seconds = std::numeric_limits<double>::infinity();
  Cost cost = {};                   // a device pays; `seconds` of it are those of collectives
  std::vector<Total> by_kind = {};  // collectives, the most bytes first
  std::vector<PlacedSharding> shardings = {};  // of arguments and results, if asked for
  std::optional<bool> equal = {};              // to the unsharded run, if that was checked
  /// Returns whether the program could be compiled with it.
  bool is_measured() const { return errors.empty(); }
};

/// How strategies are compiled and compared.
struct SweepOptions {
  checking::CompileOptions compile = {};  // how each strategy is compiled and priced
  CostModel model = {};                   // of axes, as make_report takes it
  double operations_per_second = 100e12;  // of a device; >= 1
  int64_t num_threads = 0;                // 0: one per core
  bool shardings = false;                 // of arguments and results
  bool check = false;                     // runs each program and compares; on random inputs
  uint64_t input_seed = 0;                // of these
  std::size_t first = 0;                  // strategy with which to begin
  /// Called with each result in the order of the strategies, by one thread at a time; false ends
  /// the sweep. Results do not depend on the number of threads.
  std::function<bool(const StrategyResult& result)> on_result = {};
};

/// Annotates, compiles and prices the program once for each strategy, on several threads. They
/// share the module, the context and the strategies, all of which they only read; each works on a
/// copy of the module of its own. A strategy that does not fit the program is a result with errors.
///
/// Errors: a negative number of threads, less than one operation a second; with `check` a program
/// without random inputs. Cost: one compilation each, and memory for as many results as a slow
/// strategy lets the others be ahead.
Status sweep(const ir::Module& module, std::span<const Strategy> strategies,
             const SweepOptions& options, const checking::Context& context = {});

/// Returns the results that no other dominates: none is faster and not larger, or
/// smaller and no slower; the fastest first. Of equal ones the first. Requires: equal sizes.
/// Cost: n log n.
std::vector<std::size_t> pareto_front(std::span<const double> times,
                                      std::span<const int64_t> bytes);

}  // namespace shardy::report
