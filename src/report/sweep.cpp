#include "shardy/report/sweep.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "report/threads.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/report/annotation.hpp"

namespace shardy::report {

namespace {

/// Hands results on in the order of the strategies, whichever is done first.
class Delivery {
 public:
  Delivery(std::size_t first, const std::function<bool(const StrategyResult&)>& on_result)
      : next_(first), on_result_(on_result) {}

  void take(StrategyResult result) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(result.index, std::move(result));
    for (auto at = waiting_.find(next_); at != waiting_.end(); at = waiting_.find(next_)) {
      if (!has_ended() && on_result_ && !on_result_(at->second)) ended_ = true;
      waiting_.erase(at);
      ++next_;
    }
  }
  bool has_ended() const { return ended_; }

 private:
  std::mutex mutex_;  // guards next_ and waiting_, and calls of on_result_
  std::size_t next_;
  std::map<std::size_t, StrategyResult> waiting_;
  const std::function<bool(const StrategyResult&)>& on_result_;
  std::atomic<bool> ended_ = false;
};

/// Places of the text of a sharding are no places of the program.
Error of_value(const Setting& setting, Error error) {
  error.location.clear();
  const bool is_named =
      !setting.value.empty() && error.message.find(setting.value) != std::string::npos;
  if (!is_named) error.message = setting.value + ": " + error.message;
  return error;
}

using Places = std::map<std::string, Result<AnnotationPlace>>;

/// What the names of all settings mean: names repeat from strategy to strategy.
void find_places(const text::WrittenValues& names, std::span<const Setting> settings,
                 Places& places) {
  for (const Setting& setting : settings) {
    if (places.contains(setting.value)) continue;
    places.emplace(setting.value, find_annotation_place(names, setting.value));
  }
}

Places places_of(const ir::Module& module, std::span<const Strategy> strategies) {
  const text::WrittenValues names(module);
  Places places;
  for (const Strategy& strategy : strategies) find_places(names, strategy.set, places);
  return places;
}

/// A setting, and where it is written.
struct Annotation {
  const Setting* setting;
  AnnotationPlace place;
  AnnotationSite site;
  std::optional<TensorSharding> sharding;

  Error error(Error error) const { return of_value(*setting, std::move(error)); }
};

/// Returns whether one of them would be lost.
bool is_same_site(const Annotation& a, const Annotation& b) {
  if (a.place == b.place) return true;
  const bool are_constraints = a.site.kind == AnnotationSite::Kind::Constraint &&
                               b.site.kind == AnnotationSite::Kind::Constraint;
  return are_constraints && a.site.op == b.site.op;
}

Result<Annotation> read_setting(const ir::Module& module, const Setting& setting,
                                const Places& places) {
  const auto of_setting = [&](Error error) { return of_value(setting, std::move(error)); };
  SHARDY_TRY(const AnnotationPlace place, places.at(setting.value).map_error(of_setting));
  SHARDY_TRY(auto sharding,
             parse_annotation(module, place, setting.sharding).map_error(of_setting));
  return Annotation{&setting, place, site_of(module, place), std::move(sharding)};
}

/// All shardings are read against the module before its first change.
Status annotate_at(ir::Module& module, std::span<const Setting> settings, const Places& places) {
  std::vector<Annotation> annotations;
  annotations.reserve(settings.size());
  for (const Setting& setting : settings) {
    SHARDY_TRY(Annotation read, read_setting(module, setting, places));
    const auto same = std::ranges::find_if(
        annotations, [&](const Annotation& each) { return is_same_site(each, read); });
    if (same != annotations.end()) {
      return tl::unexpected(
          Error{same->setting->value + " and " + setting.value + " have one annotation",
                {},
                {"set it once"}});
    }
    annotations.push_back(std::move(read));
  }
  for (const Annotation& each : annotations) {
    SHARDY_TRY_STATUS(annotate(module, each.place, each.sharding).map_error([&](Error error) {
      return each.error(std::move(error));
    }));
  }
  return {};
}

/// Measures single strategies; all that it reads is shared by threads and never changed.
class Measurer {
 public:
  Measurer(const ir::Module& module, std::span<const Strategy> strategies,
           const SweepOptions& options, const checking::Context& context)
      : module_(module),
        strategies_(strategies),
        options_(options),
        context_(context),
        places_(places_of(module, strategies)) {}

  Status prepare() {
    if (options_.shardings) {
      const auto main = module_.main_function();
      if (!main) return fail("there is no main function");
    }
    if (!options_.check) return {};
    SHARDY_TRY(inputs_, checking::random_inputs(module_, options_.input_seed));
    return {};
  }

  StrategyResult measure(std::size_t index) const {
    StrategyResult result;
    result.index = index;
    ir::Module module = module_;
    if (const Status annotated = annotate_at(module, strategies_[index].set, places_); !annotated) {
      result.errors = {annotated.error()};
      return result;
    }
    auto compiled = compile(module, result);
    if (!compiled) {
      result.errors = std::move(compiled).error();
      std::erase_if(result.errors,
                    [](const Diagnostic& each) { return each.severity != Severity::Error; });
      return result;
    }
    const Report report = make_report(*compiled, options_.model);
    result.cost = cost_of(report);
    result.seconds = modelled_seconds(result.cost, options_.operations_per_second);
    result.by_kind = report.by_kind;
    if (options_.shardings) result.shardings = shardings_of(compiled->propagated);
    return result;
  }

 private:
  tl::expected<checking::CompiledProgram, Diagnostics> compile(const ir::Module& module,
                                                               StrategyResult& result) const {
    if (!options_.check) return checking::compile(module, options_.compile, context_);
    checking::CheckOptions check{.compile = options_.compile, .exact = true};
    check.run.num_workers = 1;
    auto checked = checking::check(module, inputs_, check, context_);
    if (!checked) return tl::unexpected(std::move(checked).error());
    result.equal = checked->equal() && checked->sharded.checks.passed();
    return std::move(checked->compiled);
  }

  static std::vector<PlacedSharding> shardings_of(const ir::Module& propagated) {
    std::vector<PlacedSharding> all;
    const auto main = propagated.main_function();
    if (!main) return all;
    const text::WrittenValues names(propagated);
    const auto add = [&](const AnnotationPlace& place) {
      const auto sharding = annotation(propagated, place);
      all.push_back({place_name(names, place), sharding ? to_string(*sharding) : "none"});
    };
    const auto& args = propagated.args(propagated.entry(*main));
    for (uint32_t index = 0; index < args.size(); ++index) {
      add({AnnotationPlace::Kind::Argument, *main, index, args[index]});
    }
    for (uint32_t index = 0; index < propagated.function(*main).result_types.size(); ++index) {
      add({AnnotationPlace::Kind::Result, *main, index, {}});
    }
    return all;
  }

  const ir::Module& module_;
  std::span<const Strategy> strategies_;
  const SweepOptions& options_;
  const checking::Context& context_;
  Places places_;
  simulation::Tensors inputs_;
};

}  // namespace

Status annotate(ir::Module& module, std::span<const Setting> settings) {
  Places places;
  find_places(text::WrittenValues(module), settings, places);
  return annotate_at(module, settings, places);
}

Status sweep(const ir::Module& module, std::span<const Strategy> strategies,
             const SweepOptions& options, const checking::Context& context) {
  if (options.num_threads < 0) return fail("a number of threads that is negative");
  if (!(options.operations_per_second >= 1))
    return fail("a device that does no operation a second");
  if (options.first >= strategies.size()) return {};
  Measurer measurer(module, strategies, options, context);
  SHARDY_TRY_STATUS(measurer.prepare());
  Delivery delivery(options.first, options.on_result);
  std::atomic<std::size_t> next = options.first;
  const auto work = [&] {
    for (std::size_t index = next++; index < strategies.size() && !delivery.has_ended();
         index = next++) {
      delivery.take(measurer.measure(index));
    }
  };
  std::vector<std::jthread> helpers;
  const std::size_t num_threads =
      threads_for(options.num_threads, strategies.size() - options.first);
  while (helpers.size() + 1 < num_threads) helpers.emplace_back(work);
  work();
  return {};
}

}  // namespace shardy::report
