#include "shardy/report/hints.hpp"

#include <algorithm>
#include <atomic>
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

/// Returns the changes, each once. A change of a tied result becomes two changes: one of its
/// argument, one of both.
std::vector<AnnotationChange> tied(std::vector<AnnotationChange> changes,
                                   std::span<const BufferTie> ties) {
  std::vector<AnnotationChange> joined;
  for (AnnotationChange& change : changes) {
    if (const BufferTie* tie = find_tie(ties, change.place)) {
      change.place = tie->argument;
      change.tied = {tie->result};
      if (std::ranges::find(joined, change) != joined.end()) continue;
    }
    joined.push_back(std::move(change));
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
  bool is_refused = true;
  bool is_parting = false;  // changes a tied result without its argument
  Cost cost = {};
  double seconds = 0;
  std::vector<CollectiveChange> collectives = {};
};

/// The unchanged program, and the prices of changes by the propagated programs.
struct Baseline {
  const Module& module;
  const Module& propagated;
  const Report& report;
  std::vector<BufferTie> ties;  // ties that hold in the unchanged program
  ResultsByModule<PricedCandidate> known = {};
  passes::KnownPlans& plans;  // of the unchanged program and of all changes
};

PricedCandidate price(Baseline& before, checking::PropagatedProgram program,
                      const HintOptions& options, const checking::Context& context) {
  const auto compiled =
      checking::lower_program(std::move(program), options.compile, context, &before.plans);
  if (!compiled) return {};
  const Report after = make_cost_report(*compiled, options.model);
  const Cost cost = cost_of(after);
  const auto parts = [&](const BufferTie& tie) { return !holds(compiled->program, tie); };
  return {.is_refused = false,
          .is_parting = std::ranges::any_of(before.ties, parts),
          .cost = cost,
          .seconds = modelled_seconds(cost, options.operations_per_second),
          .collectives = collective_changes(before.report, after)};
}

PricedCandidate try_change(Baseline& before, const AnnotationChange& change,
                           const HintOptions& options, const checking::Context& context) {
  Module changed = before.module;
  if (!annotate(changed, change)) return {};
  auto program = checking::propagate_program(changed, options.compile, context);
  if (!program) return {};
  ModuleChanges changes(before.propagated, program->module);
  if (auto known = before.known.find(changes)) return *std::move(known);
  PricedCandidate tried = price(before, *std::move(program), options, context);
  before.known.add(std::move(changes), tried);
  return tried;
}

std::vector<PricedCandidate> try_all(Baseline& before, const std::vector<AnnotationChange>& changes,
                                     const HintOptions& options, const checking::Context& context,
                                     std::size_t& done) {
  std::vector<PricedCandidate> tried(changes.size());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // guards done, and calls of on_try
  done = 0;
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

/// Returns the candidates with which the program is faster, fits in memory and keeps its ties, the
/// best first.
std::vector<std::size_t> better_ones(const std::vector<PricedCandidate>& tried, double seconds,
                                     const HintOptions& options) {
  std::vector<std::size_t> better;
  for (std::size_t at = 0; at < tried.size(); ++at) {
    const PricedCandidate& each = tried[at];
    const bool fits = !options.max_peak_bytes || each.cost.peak_bytes <= *options.max_peak_bytes;
    const bool is_allowed = !each.is_refused && !each.is_parting;
    if (is_allowed && fits && each.seconds < seconds) better.push_back(at);
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
  for (AnnotationChange& change : argument_candidates(module, compiled.propagated)) {
    if (std::ranges::find(changes, change) == changes.end()) changes.push_back(std::move(change));
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
  return checking::lower_program(*std::move(program), options.compile, context, &plans);
}

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
  Baseline baseline{module, propagated, before, ties, {}, plans};
  std::erase_if(baseline.ties,
                [&](const BufferTie& tie) { return !holds(compiled->program, tie); });
  std::vector<PricedCandidate> tried = try_all(baseline, changes, options, context, hints.tried);
  hints.left_out = num_candidates - hints.tried;
  const std::size_t cancelled = changes.size() - hints.tried;  // they count as rejected in `tried`
  hints.refused =
      static_cast<std::size_t>(std::ranges::count_if(tried, &PricedCandidate::is_refused)) -
      cancelled;
  hints.parted =
      static_cast<std::size_t>(std::ranges::count_if(tried, &PricedCandidate::is_parting));
  for (const std::size_t at : choose(changes, tried, before, hints.seconds, options)) {
    hints.hints.push_back(hint_of(reasons->names(), changes[at], std::move(tried[at])));
  }
  return hints;
}

}  // namespace shardy::report
