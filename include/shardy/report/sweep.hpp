// Costs of many sets of annotations of one program.
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

/// An annotation to set: a value, in the syntax of find_annotation_place, and a sharding, in the
/// syntax of parse_annotation, or `none`.
struct Setting {
  std::string value;     // name of the value: `%arg0`
  std::string sharding;  // sharding in sdy syntax, or `none`
  friend bool operator==(const Setting&, const Setting&) = default;
};

/// Applies annotations to the module, in order. Errors: those of find_annotation_place,
/// parse_annotation and annotate, with the value as prefix.
Status annotate(ir::Module& module, std::span<const Setting> settings);

/// A named list of annotations, applied in order.
struct SweepStrategy {
  std::string name;          // name in the file of strategies
  std::vector<Setting> set;  // annotations to apply
  friend bool operator==(const SweepStrategy&, const SweepStrategy&) = default;
};

/// Maximal number of strategies in a list.
inline constexpr std::size_t kMaxStrategies = 1'000'000;
/// Maximal number of settings in all strategies of a list together.
inline constexpr std::size_t kMaxSettings = 10'000'000;

/// Returns one strategy for each combination of one setting per value. Settings of one value are
/// alternatives, in the given order; the setting of the last value changes fastest. Names are
/// numbers from 0. Errors: more than kMaxStrategies or kMaxSettings.
Result<std::vector<SweepStrategy>> all_choices(std::span<const Setting> settings);

/// Returns `count` strategies that shard each argument and result of main randomly. Uses the mesh
/// of an existing annotation, else the first mesh with axes. Strategy i has the seed `seed` + i,
/// and the seed as its name: `seed 7`. Errors: no main function; no mesh; too many strategies.
Result<std::vector<SweepStrategy>> random_strategies(const ir::Module& module, std::size_t count,
                                                     uint64_t seed);

/// Sets corresponding arguments and results of equal layers alike: the first setting of such a
/// value replaces later ones, and values without a setting get one. Errors: no main function; more
/// than kMaxSettings.
Result<std::vector<SweepStrategy>> with_equal_layers(const ir::Module& module,
                                                     std::vector<SweepStrategy> strategies);

/// Sharding of a value after propagation.
struct PlacedSharding {
  std::string value;     // name of the value: `%arg0`, `result 0`
  std::string sharding;  // sharding in sdy syntax
};

/// Cost of one strategy.
struct StrategyResult {
  std::size_t index = 0;    // number of the strategy
  Diagnostics errors = {};  // reason why the strategy was not measured; empty if it was
  /// Modelled time of collectives and operations. Infinite if the strategy was not measured, so
  /// that such strategies are sorted last.
  double seconds = std::numeric_limits<double>::infinity();
  Cost cost = {};                   // cost per device; its `seconds` has only collectives
  std::vector<Total> by_kind = {};  // totals by kind of collective, most bytes first
  std::vector<PlacedSharding> shardings = {};  // shardings of arguments and results, if requested
  /// True if the results equal the results of the unsharded run; std::nullopt if not checked.
  std::optional<bool> equal = {};
  /// True if a program with fewer of its equal layers was compiled. Costs are those of the whole
  /// program.
  bool is_folded = false;
  /// Checks whether the program was compiled with the strategy.
  bool is_measured() const { return errors.empty(); }
};

/// Options of sweep.
struct SweepOptions {
  checking::CompileOptions compile = {};  // compilation of each strategy
  CostModel model = {};                   // axis costs, as for make_report
  double operations_per_second = 100e12;  // per device; >= 1
  int64_t num_threads = 0;                // 0: one per core
  bool shardings = false;                 // report the shardings of arguments and results
  bool check = false;       // run each program on random inputs and compare with the unsharded run
  uint64_t input_seed = 0;  // seed of the random inputs
  std::size_t first = 0;    // number of the first strategy
  /// Compiles a program with equal layers, equally annotated, with few of them, unless they differ
  /// when compiled. Costs are those of the whole program. Not with `check` or limits.
  bool equal_layers = false;
  /// Called with each result, in the order of strategies, by one thread at a time. Returning false
  /// ends the sweep. Results do not depend on the number of threads.
  std::function<bool(const StrategyResult& result)> on_result = {};
};

/// Annotates and compiles the program once per strategy, on several threads. The threads only read
/// `module`, `context` and `strategies`, and work on copies of the module. A strategy that does not
/// fit the program has a result with errors.
///
/// Errors: a negative number of threads; less than one operation per second; with `check`, a
/// program that cannot get random inputs. Cost: one compilation per strategy, and memory for
/// results that wait for a slower earlier strategy.
Status sweep(const ir::Module& module, std::span<const SweepStrategy> strategies,
             const SweepOptions& options, const checking::Context& context = {});

/// Returns the indices of the Pareto-optimal results: no other result is faster and not larger, or
/// smaller and not slower. Of equal results only the first is included. Order: fastest first.
/// Requires: lists of equal size. Cost: n log n.
std::vector<std::size_t> pareto_front(std::span<const double> times,
                                      std::span<const int64_t> bytes);

}  // namespace shardy::report
