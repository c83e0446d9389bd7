#include "shardy/report/hints.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include "report/parts.hpp"
#include "report/threads.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/report/alike.hpp"

namespace shardy::report {

using ir::Module;

double modelled_seconds(const Cost& cost, double operations_per_second) {
  return cost.seconds + cost.operations / operations_per_second;
}

namespace {

/// What became of one candidate.
struct Tried {
  bool is_refused = true;
  Cost cost = {};
  double seconds = 0;
  std::vector<CollectiveChange> collectives = {};
};

Tried try_change(const Module& module, const AnnotationChange& change, const Report& before,
                 const HintOptions& options, const checking::Context& context) {
  Module changed = module;
  if (!annotate(changed, change.place, change.sharding)) return {};
  const auto compiled = checking::compile(changed, options.compile, context);
  if (!compiled) return {};
  Difference difference = report::difference(before, make_report(*compiled, options.model));
  return {.is_refused = false,
          .cost = difference.after,
          .seconds = modelled_seconds(difference.after, options.operations_per_second),
          .collectives = std::move(difference.collectives)};
}

std::vector<Tried> try_all(const Module& module, const std::vector<AnnotationChange>& changes,
                           const Report& before, const HintOptions& options,
                           const checking::Context& context) {
  std::vector<Tried> tried(changes.size());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // guards done and on_try
  std::size_t done = 0;
  const auto work = [&] {
    for (std::size_t at = next++; at < changes.size(); at = next++) {
      tried[at] = try_change(module, changes[at], before, options, context);
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

/// Whether less of a kind of collectives is sent.
bool shrinks(const Tried& tried, const Collective& row) {
  return std::ranges::any_of(tried.collectives, [&](const CollectiveChange& change) {
    return change.bytes_after < change.bytes_before && change.kind == row.kind &&
           change.axes == row.axes && change.type == row.type && change.serves == row.serves;
  });
}

auto order_of(const Tried& tried) {
  return std::tuple(tried.seconds, tried.cost.peak_bytes, tried.cost.bytes);
}

/// For each of the costliest kinds the best change that makes it smaller; the best of all first.
std::vector<std::size_t> choose(const std::vector<Tried>& tried, const Report& before,
                                double seconds, const HintOptions& options) {
  std::vector<std::size_t> better;
  for (std::size_t at = 0; at < tried.size(); ++at) {
    const bool fits =
        !options.max_peak_bytes || tried[at].cost.peak_bytes <= *options.max_peak_bytes;
    if (!tried[at].is_refused && fits && tried[at].seconds < seconds) better.push_back(at);
  }
  std::ranges::stable_sort(better, [&](std::size_t one, std::size_t other) {
    return order_of(tried[one]) < order_of(tried[other]);
  });
  std::set<std::size_t> chosen;  // positions in `better`
  if (!better.empty()) chosen.insert(0);
  const std::vector<Alike> rows = alike(before);
  for (std::size_t row = 0; row < std::min(options.top, rows.size()); ++row) {
    for (std::size_t at = 0; at < better.size(); ++at) {
      if (!shrinks(tried[better[at]], *rows[row].first)) continue;
      chosen.insert(at);
      break;
    }
  }
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

Hint hint_of(const text::WrittenValues& names, const AnnotationChange& change, Tried tried) {
  const Module& module = names.module();
  const AnnotationSite site = site_of(module, change.place);
  std::ranges::stable_sort(tried.collectives, {}, [](const CollectiveChange& each) {
    return each.bytes_after - each.bytes_before;
  });
  return {.change = change,
          .value = place_name(names, change.place),
          .constrained = constrained_name(names, site),
          .location = site.op.valid() ? module.location_text(site.op) : "",
          .before = sharding_text(annotation(module, change.place)),
          .after = sharding_text(change.sharding),
          .cost = tried.cost,
          .seconds = tried.seconds,
          .collectives = std::move(tried.collectives)};
}

std::optional<Error> wrong_option(const HintOptions& options) {
  if (options.num_threads < 0) return Error{"the number of threads is negative"};
  if (!(options.operations_per_second > 0)) return Error{"no operations a second"};
  return std::nullopt;
}

}  // namespace

tl::expected<Hints, Diagnostics> find_hints(const Module& module, const HintOptions& options,
                                            const checking::Context& context) {
  if (auto wrong = wrong_option(options)) return tl::unexpected(Diagnostics{*std::move(wrong)});
  auto compiled = compile_for_report(module, options.compile, context);
  if (!compiled) return tl::unexpected(std::move(compiled).error());
  const Report before = make_report(*compiled, options.model);
  Hints hints{.before = report::difference(before, before).before,
              .hints = {},
              .diagnostics = std::move(compiled->diagnostics)};
  hints.seconds = modelled_seconds(hints.before, options.operations_per_second);
  if (is_one_per_device(module)) return hints;  // nothing is left to annotate
  const auto reasons = Reasons::make(module, options.compile, context);
  if (!reasons) return tl::unexpected(reasons.error());
  std::vector<AnnotationChange> changes = hint_candidates(before, *reasons, options.top);
  hints.tried = std::min(changes.size(), options.max_tries);
  hints.left_out = changes.size() - hints.tried;
  changes.resize(hints.tried);
  std::vector<Tried> tried = try_all(module, changes, before, options, context);
  hints.refused = static_cast<std::size_t>(std::ranges::count_if(tried, &Tried::is_refused));
  for (const std::size_t at : choose(tried, before, hints.seconds, options)) {
    hints.hints.push_back(hint_of(reasons->names(), changes[at], std::move(tried[at])));
  }
  return hints;
}

}  // namespace shardy::report
