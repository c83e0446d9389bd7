#include "shardy/report/hints.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <span>
#include <thread>
#include <tuple>
#include <utility>

#include "report/parts.hpp"
#include "report/threads.hpp"
#include "report/ties.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/report/alike.hpp"

namespace shardy::report {

using ir::Module;

Status annotate(Module& module, const AnnotationChange& change) {
  SHARDY_TRY_STATUS(annotate(module, change.place, change.sharding));
  for (const AnnotationPlace& place : change.tied) {
    SHARDY_TRY_STATUS(annotate(module, place, change.sharding));
  }
  return {};
}

namespace {

/// The program as it is.
struct Baseline {
  const Module& module;
  const Report& report;
  std::vector<Tie> ties;  // that hold
};

/// A candidate, compiled and priced.
struct Tried {
  bool is_refused = true;
  bool is_parting = false;  // of a result from the argument whose buffer it took
  Cost cost = {};
  double seconds = 0;
  std::vector<CollectiveChange> collectives = {};
};

Tried try_change(const Baseline& before, const AnnotationChange& change, const HintOptions& options,
                 const checking::Context& context) {
  Module changed = before.module;
  if (!annotate(changed, change)) return {};
  const auto compiled = checking::compile(changed, options.compile, context);
  if (!compiled) return {};
  Difference difference = report::difference(before.report, make_report(*compiled, options.model));
  const auto parts = [&](const Tie& tie) { return !holds(compiled->program, tie); };
  return {.is_refused = false,
          .is_parting = std::ranges::any_of(before.ties, parts),
          .cost = difference.after,
          .seconds = modelled_seconds(difference.after, options.operations_per_second),
          .collectives = std::move(difference.collectives)};
}

std::vector<Tried> try_all(const Baseline& before, const std::vector<AnnotationChange>& changes,
                           const HintOptions& options, const checking::Context& context,
                           std::size_t& done) {
  std::vector<Tried> tried(changes.size());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // guards done and on_try
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
  helpers.clear();  // joins
  return tried;
}

// ---- Which of them are hints --------------------------------------------------------------------

/// Checks whether less of a kind of collectives is sent.
bool shrinks(const Tried& tried, const Collective& row) {
  return std::ranges::any_of(tried.collectives, [&](const CollectiveChange& change) {
    return change.bytes_after < change.bytes_before && change.kind == row.kind &&
           change.axes == row.axes && change.type == row.type && change.serves == row.serves;
  });
}

auto order_of(const Tried& tried) {
  return std::tuple(tried.seconds, tried.cost.peak_bytes, tried.cost.bytes);
}

/// Those with which the program is faster, fits in memory and keeps its ties; the best first.
std::vector<std::size_t> better_ones(const std::vector<Tried>& tried, double seconds,
                                     const HintOptions& options) {
  std::vector<std::size_t> better;
  for (std::size_t at = 0; at < tried.size(); ++at) {
    const Tried& each = tried[at];
    const bool fits = !options.max_peak_bytes || each.cost.peak_bytes <= *options.max_peak_bytes;
    const bool is_allowed = !each.is_refused && !each.is_parting;
    if (is_allowed && fits && each.seconds < seconds) better.push_back(at);
  }
  std::ranges::stable_sort(better, [&](std::size_t one, std::size_t other) {
    return order_of(tried[one]) < order_of(tried[other]);
  });
  return better;
}

/// Positions in `better` of the best change of each place.
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

/// Positions in `better` of the best change that shrinks each of the costliest rows.
std::set<std::size_t> best_of_rows(const std::vector<std::size_t>& better,
                                   const std::vector<Tried>& tried, std::span<const Alike> rows) {
  std::set<std::size_t> best;
  for (const Alike& row : rows) {
    const auto found = std::ranges::find_if(
        better, [&](std::size_t at) { return shrinks(tried[at], *row.first); });
    if (found != better.end()) best.insert(static_cast<std::size_t>(found - better.begin()));
  }
  return best;
}

/// The best of all, and of each of the costliest kinds or, if nothing is sent, of each place.
std::vector<std::size_t> choose(const std::vector<AnnotationChange>& changes,
                                const std::vector<Tried>& tried, const Report& before,
                                double seconds, const HintOptions& options) {
  const std::vector<std::size_t> better = better_ones(tried, seconds, options);
  const std::vector<Alike> rows = alike(before);
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
          .location = site.op.valid() ? module.location_text(site.op) : "",
          .before = sharding_text(annotation(module, place)),
          .after = sharding_text(sharding)};
}

Hint hint_of(const text::WrittenValues& names, const AnnotationChange& change, Tried tried) {
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

std::optional<Error> wrong_option(const HintOptions& options) {
  if (options.num_threads < 0) return Error{"the number of threads is negative"};
  if (!(options.operations_per_second > 0)) return Error{"no operations a second"};
  return std::nullopt;
}

/// Returns changes for the costliest collectives, then for arguments that nothing shards.
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

tl::expected<Hints, Diagnostics> find_hints(const Module& module, const HintOptions& options,
                                            const checking::Context& context) {
  if (auto wrong = wrong_option(options)) return tl::unexpected(Diagnostics{*std::move(wrong)});
  auto compiled = compile_for_report(module, options.compile, context);
  if (!compiled) return tl::unexpected(std::move(compiled).error());
  const Report before = make_report(*compiled, options.model);
  Hints hints{
      .before = cost_of(before), .hints = {}, .diagnostics = std::move(compiled->diagnostics)};
  hints.seconds = modelled_seconds(hints.before, options.operations_per_second);
  if (is_one_per_device(module)) return hints;  // nothing is left to annotate
  const auto reasons = Reasons::make(module, options.compile, context);
  if (!reasons) return tl::unexpected(reasons.error());
  const std::vector<Tie> ties = ties_of(module, options.tie);
  std::vector<AnnotationChange> changes =
      tied(candidates(module, before, *compiled, *reasons, options), ties);
  const std::size_t num_candidates = changes.size();
  changes.resize(std::min(num_candidates, options.max_tries));
  Baseline baseline{module, before, ties};
  std::erase_if(baseline.ties, [&](const Tie& tie) { return !holds(compiled->program, tie); });
  std::vector<Tried> tried = try_all(baseline, changes, options, context, hints.tried);
  hints.left_out = num_candidates - hints.tried;
  const std::size_t cancelled = changes.size() - hints.tried;  // counted as refused in `tried`
  hints.refused =
      static_cast<std::size_t>(std::ranges::count_if(tried, &Tried::is_refused)) - cancelled;
  hints.parted = static_cast<std::size_t>(std::ranges::count_if(tried, &Tried::is_parting));
  for (const std::size_t at : choose(changes, tried, before, hints.seconds, options)) {
    hints.hints.push_back(hint_of(reasons->names(), changes[at], std::move(tried[at])));
  }
  return hints;
}

}  // namespace shardy::report
