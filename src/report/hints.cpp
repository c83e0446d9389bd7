#include "shardy/report/hints.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "checking/compile_stages.hpp"
#include "passes/export/mesh_planners.hpp"
#include "passes/interop/sharding_attributes.hpp"
#include "report/change_folding.hpp"
#include "report/pricing.hpp"
#include "report/program_analysis.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/report/report.hpp"

namespace shardy::report {

using ir::Module;
using ir::OpId;

// Arguments and results of main that share a buffer, and therefore a sharding.

namespace {

using Kind = AnnotationPlace::Kind;

/// Pairs the arguments and results of a function.
class Pairing {
 public:
  Pairing(const Module& module, OpId function)
      : module_(module),
        function_(function),
        results_(module.function(function).result_types),
        args_(module.arg_types(function)),
        is_given_(args_.size()),
        is_taken_(results_.size()) {}

  std::size_t num_arguments() const { return args_.size(); }

  void pair(std::size_t argument, std::size_t result) {
    if (result >= results_.size() || !fits(argument, result)) return;
    is_given_[argument] = true;
    is_taken_[result] = true;
    const ir::ValueId value = module_.args(module_.entry(function_))[argument];
    ties_.push_back({{Kind::Argument, function_, static_cast<uint32_t>(argument), value},
                     {Kind::Result, function_, static_cast<uint32_t>(result), {}}});
  }

  void pair_with_first(std::size_t argument) {
    for (std::size_t result = 0; result < results_.size(); ++result) pair(argument, result);
  }

  std::vector<BufferTie> take() { return std::move(ties_); }

 private:
  bool fits(std::size_t argument, std::size_t result) const {
    return !is_given_[argument] && !is_taken_[result] && args_[argument].is_tensor() &&
           args_[argument] == results_[result];
  }

  const Module& module_;
  OpId function_;
  const std::vector<ir::Type>& results_;
  std::vector<ir::Type> args_;
  std::vector<bool> is_given_;
  std::vector<bool> is_taken_;
  std::vector<BufferTie> ties_;
};

bool is_donor(const ir::AttributeMap& attributes) {
  const bool* donor = attributes.get<bool>(passes::kBufferDonorAttr);
  return donor != nullptr && *donor;
}

/// Returns the tie of the place; null if it has none.
const BufferTie* find_tie(std::span<const BufferTie> ties, const AnnotationPlace& place) {
  const auto found = std::ranges::find_if(
      ties, [&](const BufferTie& tie) { return tie.argument == place || tie.result == place; });
  return found == ties.end() ? nullptr : &*found;
}

}  // namespace

std::vector<BufferTie> buffer_ties(const Module& module, bool by_type) {
  const auto main = module.main_function();
  if (!main || module.is_external(*main)) return {};
  Pairing pairing(module, *main);
  const auto& attributes = module.function(*main).arg_attributes;
  for (std::size_t index = 0; index < attributes.size(); ++index) {
    const auto* alias = attributes[index].get<ir::IntegerAttr>(passes::kAliasingOutputAttr);
    if (alias != nullptr && alias->value >= 0) {
      pairing.pair(index, static_cast<std::size_t>(alias->value));
    }
  }
  for (std::size_t index = 0; index < attributes.size(); ++index) {
    if (is_donor(attributes[index])) pairing.pair_with_first(index);
  }
  for (std::size_t index = 0; by_type && index < pairing.num_arguments(); ++index) {
    pairing.pair_with_first(index);
  }
  return pairing.take();
}

namespace {

/// The place and the sharding of a change.
using ChangeKey = std::tuple<Kind, uint32_t, uint32_t, uint32_t, std::optional<TensorSharding>>;

ChangeKey key_of(const AnnotationChange& change) {
  const AnnotationPlace& place = change.place;
  return {place.kind, place.function.value, place.index, place.value.value, change.sharding};
}

/// Returns the changes, each once. A change of a tied result becomes two changes: one of its
/// argument, one of both.
std::vector<AnnotationChange> tied(std::vector<AnnotationChange> changes,
                                   std::span<const BufferTie> ties) {
  std::vector<AnnotationChange> joined;
  std::set<ChangeKey> seen;
  for (AnnotationChange& change : changes) {
    const BufferTie* tie = find_tie(ties, change.place);
    if (tie != nullptr) {
      change.place = tie->argument;
      change.tied = {tie->result};
    }
    const bool is_new = seen.insert(key_of(change)).second;
    if (is_new || tie == nullptr) joined.push_back(std::move(change));
  }
  return joined;
}

/// Checks whether a device can keep both in one buffer. `program` is the per-device program of the
/// same main.
bool holds(const Module& program, const BufferTie& tie) {
  const auto main = program.main_function();
  return main && tie.argument.index < program.arg_types(*main).size() &&
         tie.result.index < program.function(*main).result_types.size() &&
         checking::can_take_buffer(program, tie.argument.index, tie.result.index);
}

}  // namespace

Status annotate(Module& module, const AnnotationChange& change) {
  SHARDY_TRY_STATUS(annotate(module, change.place, change.sharding));
  for (const AnnotationPlace& place : change.tied) {
    SHARDY_TRY_STATUS(annotate(module, place, change.sharding));
  }
  return {};
}

namespace {

/// A candidate that was compiled and priced.
struct PricedCandidate {
  bool is_priced = false;  // false after a stop
  bool is_refused = true;
  bool is_parting = false;  // changes a tied result without its argument
  Cost cost = {};
  double seconds = 0;
  std::vector<CollectiveChange> collectives = {};
  std::vector<double> part_seconds = {};  // in a folded program, per part
};

/// The unchanged program, and the prices of changes by the propagated programs.
struct Baseline {
  const Module& module;
  const Module& propagated;
  const Report& report;
  std::vector<BufferTie> ties;             // ties that hold in the unchanged program
  passes::KnownPlans& plans;               // of the unchanged program and of all changes
  const ChangeFolding* folding = nullptr;  // of a folded program
  ResultsByModule<PricedCandidate> known = {};
};

PricedCandidate price(Baseline& before, checking::PropagatedProgram program,
                      const HintOptions& options, const checking::Context& context) {
  const auto compiled =
      checking::lower_program(std::move(program), options.compile, context, {&before.plans});
  if (!compiled) return {.is_priced = true};
  const Report after = make_cost_report(*compiled, options.model);
  const Cost cost = cost_of(after);
  const auto parts = [&](const BufferTie& tie) { return !holds(compiled->program, tie); };
  PricedCandidate priced{.is_priced = true,
                         .is_refused = false,
                         .is_parting = std::ranges::any_of(before.ties, parts),
                         .cost = cost,
                         .seconds = modelled_seconds(cost, options.operations_per_second),
                         .collectives = collective_changes(before.report, after)};
  if (before.folding != nullptr) {
    priced.part_seconds =
        before.folding->seconds_of_parts(*compiled, after, options.operations_per_second);
  }
  return priced;
}

PricedCandidate try_change(Baseline& before, const AnnotationChange& change,
                           const HintOptions& options, const checking::Context& context) {
  Module changed = before.module;
  if (!annotate(changed, change)) return {.is_priced = true};
  auto program = checking::propagate_program(changed, options.compile, context);
  if (!program) return {.is_priced = true};
  ModuleChanges changes(before.propagated, program->module);
  if (auto known = before.known.find(changes)) return *std::move(known);
  PricedCandidate tried = price(before, *std::move(program), options, context);
  before.known.add(std::move(changes), tried);
  return tried;
}

/// Prices changes on several threads.
std::vector<PricedCandidate> try_all(Baseline& before, const std::vector<AnnotationChange>& changes,
                                     const HintOptions& options, const checking::Context& context) {
  std::vector<PricedCandidate> tried(changes.size());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // guards done, and calls of on_try
  std::size_t done = 0;
  const auto work = [&] {
    for (std::size_t at = next++; at < changes.size(); at = next++) {
      if (options.cancel.stop_requested()) return;
      tried[at] = try_change(before, changes[at], options, context);
      const std::lock_guard lock(mutex);
      ++done;
      if (options.on_try) options.on_try(done);
    }
  };
  std::vector<std::jthread> helpers;
  const std::size_t threads = threads_for(options.num_threads, changes.size());
  for (std::size_t count = 1; count < threads; ++count) helpers.emplace_back(work);
  work();
  helpers.clear();  // joins the threads
  return tried;
}

// ---- Selection of hints -------------------------------------------------------------------------

/// Checks whether the candidate sends fewer bytes with this kind of collectives.
bool shrinks(const PricedCandidate& tried, const Collective& row) {
  return std::ranges::any_of(tried.collectives, [&](const CollectiveChange& change) {
    return change.bytes_after < change.bytes_before && change.kind == row.kind &&
           change.axes == row.axes && change.type == row.type && change.serves == row.serves;
  });
}

auto order_of(const PricedCandidate& tried) {
  return std::tuple(tried.seconds, tried.cost.peak_bytes, tried.cost.bytes);
}

/// Checks whether the program with the candidate is faster, fits in memory and keeps its ties.
bool is_better(const PricedCandidate& tried, double seconds, const HintOptions& options) {
  const bool fits = !options.max_peak_bytes || tried.cost.peak_bytes <= *options.max_peak_bytes;
  return !tried.is_refused && !tried.is_parting && fits && tried.seconds < seconds;
}

/// Returns the better candidates, the best first.
std::vector<std::size_t> better_ones(const std::vector<PricedCandidate>& tried, double seconds,
                                     const HintOptions& options) {
  std::vector<std::size_t> better;
  for (std::size_t at = 0; at < tried.size(); ++at) {
    if (is_better(tried[at], seconds, options)) better.push_back(at);
  }
  std::ranges::stable_sort(better, [&](std::size_t one, std::size_t other) {
    return order_of(tried[one]) < order_of(tried[other]);
  });
  return better;
}

/// Returns the positions in `better` of the best change of each place.
std::set<std::size_t> best_of_places(const std::vector<std::size_t>& better,
                                     const std::vector<AnnotationChange>& changes) {
  std::set<std::size_t> best;
  for (std::size_t at = 0; at < better.size(); ++at) {
    const auto has_place = [&](std::size_t earlier) {
      return changes[better[earlier]].place == changes[better[at]].place;
    };
    if (std::ranges::none_of(best, has_place)) best.insert(at);
  }
  return best;
}

/// Returns the positions in `better` of the best change that reduces each of the most expensive
/// rows.
std::set<std::size_t> best_of_rows(const std::vector<std::size_t>& better,
                                   const std::vector<PricedCandidate>& tried,
                                   std::span<const EqualCollectives> rows) {
  std::set<std::size_t> best;
  for (const EqualCollectives& row : rows) {
    const auto found = std::ranges::find_if(
        better, [&](std::size_t at) { return shrinks(tried[at], *row.first); });
    if (found != better.end()) best.insert(static_cast<std::size_t>(found - better.begin()));
  }
  return best;
}

/// Returns the best candidate, and the best one for each of the most expensive kinds of
/// collectives; without collectives, the best one for each place.
std::vector<std::size_t> choose(const std::vector<AnnotationChange>& changes,
                                const std::vector<PricedCandidate>& tried, const Report& before,
                                double seconds, const HintOptions& options) {
  const std::vector<std::size_t> better = better_ones(tried, seconds, options);
  const std::vector<EqualCollectives> rows = group_equal(before);
  std::set<std::size_t> chosen =
      rows.empty() ? best_of_places(better, changes)
                   : best_of_rows(better, tried,
                                  std::span(rows).first(std::min(options.kinds, rows.size())));
  if (!better.empty()) chosen.insert(0);
  std::vector<std::size_t> hints;
  for (const std::size_t at : chosen) {
    if (hints.size() < options.top) hints.push_back(better[at]);
  }
  return hints;
}

std::optional<std::string> sharding_text(const std::optional<TensorSharding>& sharding) {
  if (!sharding) return std::nullopt;
  return to_string(*sharding);
}

std::string constrained_name(const text::WrittenValues& names, const AnnotationSite& site) {
  if (site.kind != AnnotationSite::Kind::Constraint) return {};
  return place_name(names, {.value = names.module().operand(site.op, 0)});
}

HintEdit edit_at(const text::WrittenValues& names, const AnnotationPlace& place,
                 const std::optional<TensorSharding>& sharding) {
  const Module& module = names.module();
  const AnnotationSite site = site_of(module, place);
  return {.place = place,
          .value = place_name(names, place),
          .constrained = constrained_name(names, site),
          .location = site.op.valid() ? module.source_location(site.op) : Location(),
          .before = sharding_text(annotation(module, place)),
          .after = sharding_text(sharding)};
}

Hint hint_of(const text::WrittenValues& names, const AnnotationChange& change,
             PricedCandidate tried) {
  std::ranges::stable_sort(tried.collectives, {}, [](const CollectiveChange& each) {
    return each.bytes_after - each.bytes_before;
  });
  Hint hint{.change = change,
            .edits = {edit_at(names, change.place, change.sharding)},
            .cost = tried.cost,
            .seconds = tried.seconds,
            .collectives = std::move(tried.collectives)};
  for (const AnnotationPlace& place : change.tied) {
    hint.edits.push_back(edit_at(names, place, change.sharding));
  }
  return hint;
}

Status check_options(const HintOptions& options) {
  if (options.num_threads < 0) return fail("the number of threads is negative");
  if (!(options.operations_per_second > 0)) {
    return fail("the operations per second are not positive");
  }
  return {};
}

/// Returns changes for the most expensive collectives, then for replicated arguments.
std::vector<AnnotationChange> candidates(const Module& module, const Report& before,
                                         const checking::CompiledProgram& compiled,
                                         const Reasons& reasons, const HintOptions& options) {
  std::vector<AnnotationChange> changes = hint_candidates(before, reasons, options.kinds);
  std::set<ChangeKey> seen;
  for (const AnnotationChange& change : changes) seen.insert(key_of(change));
  for (AnnotationChange& change : argument_candidates(module, compiled.propagated)) {
    if (seen.insert(key_of(change)).second) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace

namespace {

/// Compiles the unchanged program and stores the propagated program.
DiagnosedResult<checking::CompiledProgram> compile_baseline(const Module& module,
                                                            const HintOptions& options,
                                                            const checking::Context& context,
                                                            Module& propagated,
                                                            passes::KnownPlans& plans) {
  if (is_one_per_device(module)) return compile_for_report(module, options.compile, context);
  auto program = checking::propagate_program(module, options.compile, context);
  if (!program) return tl::unexpected(std::move(program).error());
  propagated = program->module;
  return checking::lower_program(*std::move(program), options.compile, context,
                                 {&plans, options.num_threads != 1});
}

/// Returns the ties that hold in the per-device program.
std::vector<BufferTie> holding(std::vector<BufferTie> ties, const Module& program) {
  std::erase_if(ties, [&](const BufferTie& tie) { return !holds(program, tie); });
  return ties;
}

/// Counts the candidates that were priced. Candidates after a stop are not counted.
void count_tried(const std::vector<PricedCandidate>& tried, Hints& hints) {
  for (const PricedCandidate& each : tried) {
    hints.tried += each.is_priced ? 1 : 0;
    hints.refused += each.is_priced && each.is_refused ? 1 : 0;
    hints.parted += each.is_parting ? 1 : 0;
  }
}

// ---- Changes of a program with equal layers -----------------------------------------------------

/// Prices of changes in the folded program with some of the rules for collectives.
class FoldedPrices {
 public:
  FoldedPrices(const ChangeFolding& folding, std::span<const BufferTie> ties, HintOptions options,
               const checking::Context& context, passes::KnownPlans& plans)
      : folding_(folding),
        ties_(ties),
        options_(std::move(options)),
        context_(context),
        baseline_{folding.module(), propagated_, report_, {}, plans, &folding} {}
  FoldedPrices(const FoldedPrices&) = delete;
  FoldedPrices& operator=(const FoldedPrices&) = delete;

  HintOptions& options() { return options_; }

  /// Prices the unchanged program. Returns false if it does not compile.
  bool start() {
    const auto compiled =
        compile_baseline(folding_.module(), options_, context_, propagated_, baseline_.plans);
    if (!compiled) return false;
    report_ = make_cost_report(*compiled, options_.model);
    std::vector<BufferTie> ties;
    for (const BufferTie& tie : ties_) {
      const auto folded =
          folding_.fold({.place = tie.argument, .sharding = {}, .tied = {tie.result}});
      if (folded) ties.push_back({folded->change.place, folded->change.tied.front()});
    }
    baseline_.ties = holding(std::move(ties), compiled->program);
    parts_ = folding_.seconds_of_parts(*compiled, report_, options_.operations_per_second);
    for (const Collective& row : report_.collectives) {
      rows_.emplace(row.kind, row.axes, row.type, row.serves);
    }
    return true;
  }

  /// Requires: start returned true.
  std::vector<PricedCandidate> price(const std::vector<AnnotationChange>& changes) {
    return try_all(baseline_, changes, options_, context_);
  }

  /// Returns the seconds that a change saves if each part counts with its weight. Requires: the
  /// change compiles.
  double saved(const PricedCandidate& price, const std::vector<double>& weights) const {
    double saved = 0;
    for (std::size_t part = 0; part < weights.size(); ++part) {
      saved += weights[part] * (parts_[part] - price.part_seconds[part]);
    }
    return saved;
  }

  /// Checks whether a change sends fewer bytes with this kind of collectives. If the unchanged
  /// program has no such collectives, because the rules combine others in it, the change has to
  /// send fewer bytes with collectives of this op and these axes.
  bool is_estimated_to_shrink(const PricedCandidate& price, const Collective& row) const {
    const bool has_row = rows_.contains({row.kind, row.axes, row.type, row.serves});
    return std::ranges::any_of(price.collectives, [&](const CollectiveChange& change) {
      return change.bytes_after < change.bytes_before && change.kind == row.kind &&
             change.axes == row.axes &&
             (!has_row || (change.serves == row.serves && change.type == row.type));
    });
  }

 private:
  const ChangeFolding& folding_;
  std::span<const BufferTie> ties_;
  HintOptions options_;
  const checking::Context& context_;
  Module propagated_;          // the unchanged program
  Report report_;              // of the unchanged program
  std::vector<double> parts_;  // seconds of the unchanged program
  std::set<std::tuple<std::string, std::string, std::string, std::string>> rows_;
  Baseline baseline_;
};

/// Ranks changes by their prices in the folded program, first without rules that need another
/// program, the best of them with all rules, and compiles the whole program with the best ones.
class RankedSearch {
 public:
  RankedSearch(Baseline& whole, const ChangeFolding& folding, std::span<const BufferTie> ties,
               const std::vector<AnnotationChange>& changes, const HintOptions& options,
               const checking::Context& context)
      : whole_(whole),
        folding_(folding),
        changes_(changes),
        seconds_(modelled_seconds(cost_of(whole.report), options.operations_per_second)),
        options_(options),
        context_(context),
        rows_(group_equal(whole.report)),
        class_of_(changes.size(), kNone),
        quick_(folding, ties, options, context, whole.plans),
        exact_(folding, ties, options, context, whole.plans),
        tried_(changes.size()) {
    rows_.resize(std::min(options.kinds, rows_.size()));
    std::vector<std::string> rules = checking::chosen_rules(options.compile);
    std::erase(rules, passes::kBestCommonAxes);
    std::erase(rules, passes::kMoveShardings);
    quick_.options().compile.collectives.rules = std::move(rules);
    exact_.options().on_try = {};
  }

  /// Returns the prices in the whole program; of the other changes, only the counts are in `hints`.
  std::vector<PricedCandidate> run(Hints& hints) {
    add_classes();
    if (!quick_.start() || !exact_.start()) {
      tried_ = try_all(whole_, changes_, options_, context_);
      count_tried(tried_, hints);
      return std::move(tried_);
    }
    prices_ = quick_.price(classes_);
    is_exact_.assign(classes_.size(), false);
    rank();
    Batch batch;
    for (std::size_t at = 0; at < changes_.size(); ++at) {
      if (class_of_[at] == kNone) batch.changes.insert(at);
    }
    compile(batch.changes);
    while (!options_.cancel.stop_requested()) {
      batch = next_batch();
      if (batch.classes.empty() && batch.changes.empty()) break;
      if (batch.classes.empty()) compile(batch.changes);
      price_exactly(batch.classes);
    }
    count(hints);
    return std::move(tried_);
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  /// Number of different changes to confirm in the whole program for each kind of collectives.
  static constexpr std::size_t kConfirmed = 2;
  /// Number of changes to price with all rules at a time for each kind of collectives.
  static constexpr std::size_t kExact = 16;

  /// Work that has to be done before the next hints are known.
  struct Batch {
    std::set<std::size_t> classes;  // to price with all rules
    std::set<std::size_t> changes;  // to compile in the whole program
  };

  /// Finds the changes of the folded program. Changes of corresponding places are one class.
  void add_classes() {
    std::map<std::pair<ChangeKey, bool>, std::size_t> known;
    layer_of_.assign(changes_.size(), -1);
    for (std::size_t at = 0; at < changes_.size(); ++at) {
      auto folded = folding_.fold(changes_[at]);
      if (!folded) continue;
      layer_of_[at] = folded->layer;
      const auto key = std::pair(key_of(folded->change), folded->change.tied.empty());
      const auto [found, is_new] = known.try_emplace(key, classes_.size());
      if (is_new) classes_.push_back(std::move(folded->change));
      class_of_[at] = found->second;
    }
  }

  const FoldedPrices& prices_of(std::size_t each) const {
    return is_exact_[each] ? exact_ : quick_;
  }

  void price_exactly(const std::set<std::size_t>& classes) {
    if (classes.empty()) return;
    std::vector<AnnotationChange> changes;
    changes.reserve(classes.size());
    for (const std::size_t each : classes) changes.push_back(classes_[each]);
    std::vector<PricedCandidate> priced = exact_.price(changes);
    std::size_t next = 0;
    for (const std::size_t each : classes) {
      prices_[each] = std::move(priced[next++]);
      is_exact_[each] = true;
    }
    rank();
  }

  /// Returns the estimated seconds that a change saves in the whole program, in units of a
  /// billionth of its seconds, because sums of equal times differ in the last digits.
  int64_t gain(std::size_t at) const {
    const std::size_t each = class_of_[at];
    const double saved = prices_of(each).saved(prices_[each], folding_.weights(layer_of_[at]));
    return std::llround(saved / seconds_ * 1e9);
  }

  /// Orders the changes that are estimated to make the program faster, those with exact prices
  /// first. While no price is exact, the other changes follow: with all rules they may be faster.
  void rank() {
    const bool has_exact = std::ranges::find(is_exact_, true) != is_exact_.end();
    std::vector<std::tuple<bool, int64_t, int64_t, int64_t, std::size_t>> order;
    for (std::size_t at = 0; at < changes_.size(); ++at) {
      const std::size_t each = class_of_[at];
      if (each == kNone || prices_[each].is_refused || prices_[each].is_parting) continue;
      const int64_t saved = gain(at);
      if (saved <= 0 && has_exact) continue;
      const Cost& cost = prices_[each].cost;
      order.emplace_back(!is_exact_[each], -saved, cost.peak_bytes, cost.bytes, at);
    }
    std::ranges::sort(order);
    order_.clear();
    for (const auto& each : order) order_.push_back(std::get<4>(each));
  }

  /// Returns changes to price or to compile next: for each kind of collectives the best estimates,
  /// until enough of them are confirmed.
  Batch next_batch() const {
    Batch batch;
    add_next(batch, kConfirmed, nullptr);
    for (const EqualCollectives& row : rows_) add_next(batch, kConfirmed, row.first);
    if (rows_.empty()) add_next(batch, std::max(options_.top, kConfirmed), nullptr);
    return batch;
  }

  void add_next(Batch& batch, std::size_t wanted, const Collective* row) const {
    std::set<std::size_t> confirmed;  // classes
    std::set<std::size_t> unpriced;   // classes without exact prices
    for (const std::size_t at : order_) {
      const std::size_t each = class_of_[at];
      if (confirmed.size() >= wanted || unpriced.size() >= kExact) break;
      if (confirmed.contains(each) || unpriced.contains(each)) continue;
      if (row != nullptr && !prices_of(each).is_estimated_to_shrink(prices_[each], *row)) continue;
      if (!is_exact_[each]) {
        unpriced.insert(each);
        continue;
      }
      const PricedCandidate& tried = tried_[at];
      if (!tried.is_priced) batch.changes.insert(at);
      const bool holds = !tried.is_priced || (is_better(tried, seconds_, options_) &&
                                              (row == nullptr || shrinks(tried, *row)));
      if (holds) confirmed.insert(each);
    }
    batch.classes.merge(unpriced);
  }

  void compile(const std::set<std::size_t>& batch) {
    std::vector<AnnotationChange> changes;
    changes.reserve(batch.size());
    for (const std::size_t at : batch) changes.push_back(changes_[at]);
    HintOptions options = options_;
    options.on_try = {};
    std::vector<PricedCandidate> priced = try_all(whole_, changes, options, context_);
    std::size_t next = 0;
    for (const std::size_t at : batch) tried_[at] = std::move(priced[next++]);
  }

  void count(Hints& hints) const {
    for (std::size_t at = 0; at < changes_.size(); ++at) {
      const bool is_whole = tried_[at].is_priced;
      const bool is_folded = !is_whole && class_of_[at] != kNone;
      const PricedCandidate& each = is_folded ? prices_[class_of_[at]] : tried_[at];
      count_tried({each}, hints);
      if (is_whole) ++hints.compiled_whole;
    }
    hints.layers = folding_.num_layers();
    hints.kept_layers = folding_.num_kept();
  }

  Baseline& whole_;
  const ChangeFolding& folding_;
  const std::vector<AnnotationChange>& changes_;
  double seconds_;  // of the unchanged program
  const HintOptions& options_;
  const checking::Context& context_;
  std::vector<EqualCollectives> rows_;
  std::vector<AnnotationChange> classes_;  // changes of the folded program
  std::vector<std::size_t> class_of_;      // per change; kNone: it has no counterpart
  std::vector<int32_t> layer_of_;          // per change
  FoldedPrices quick_;                     // without best common axes and moved shardings
  FoldedPrices exact_;                     // with all rules
  std::vector<PricedCandidate> prices_;    // per class, in the folded program
  std::vector<bool> is_exact_;             // per class: the price is one with all rules
  std::vector<std::size_t> order_;         // changes by their estimates, the best first
  std::vector<PricedCandidate> tried_;     // per change, in the whole program
};

}  // namespace

DiagnosedResult<Hints> find_hints(const Module& module, const HintOptions& options,
                                  const checking::Context& context) {
  if (const Status valid = check_options(options); !valid) {
    return tl::unexpected(Diagnostics{valid.error()});
  }
  ir::Module propagated;  // empty for a per-device program, which has no candidates
  passes::KnownPlans plans;
  auto compiled = compile_baseline(module, options, context, propagated, plans);
  if (!compiled) return tl::unexpected(std::move(compiled).error());
  const Report before = make_report(*compiled, options.model);
  Hints hints{
      .before = cost_of(before), .hints = {}, .diagnostics = std::move(compiled->diagnostics)};
  hints.seconds = modelled_seconds(hints.before, options.operations_per_second);
  if (is_one_per_device(module)) return hints;  // a per-device program has no annotations
  const auto reasons = Reasons::make(module, options.compile, context);
  if (!reasons) return tl::unexpected(reasons.error());
  const std::vector<BufferTie> ties = buffer_ties(module, options.tie);
  std::vector<AnnotationChange> changes =
      tied(candidates(module, before, *compiled, *reasons, options), ties);
  const std::size_t num_candidates = changes.size();
  changes.resize(std::min(num_candidates, options.max_tries));
  Baseline baseline{module, propagated, before, holding(ties, compiled->program), plans};
  std::vector<PricedCandidate> tried;
  const auto folding = module.num_ops() >= options.least_folded_ops && changes.size() > 1
                           ? ChangeFolding::make(module)
                           : std::nullopt;
  if (folding) {
    RankedSearch search(baseline, *folding, ties, changes, options, context);
    tried = search.run(hints);
  } else {
    tried = try_all(baseline, changes, options, context);
    count_tried(tried, hints);
  }
  hints.left_out = num_candidates - hints.tried;
  for (const std::size_t at : choose(changes, tried, before, hints.seconds, options)) {
    hints.hints.push_back(hint_of(reasons->names(), changes[at], std::move(tried[at])));
  }
  return hints;
}

}  // namespace shardy::report
