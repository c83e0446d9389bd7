#include "shardy/report/sweep.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "checking/compile_stages.hpp"
#include "ir/program_facts.hpp"
#include "passes/export/mesh_planners.hpp"
#include "report/change_folding.hpp"
#include "report/layer_unfolding.hpp"
#include "report/pricing.hpp"
#include "report/program_analysis.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/detail/type_shape.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/report/hints.hpp"

namespace shardy::report {

// Lists of strategies: combinations of alternatives, and random ones.

namespace {

tl::unexpected<Error> too_many(std::size_t limit, const char* what) {
  return tl::unexpected(Error{"more than " + std::to_string(limit) + " " + what,
                              {},
                              {"give fewer alternatives, or several sweeps"}});
}

Status expect_not_too_many(std::size_t num_strategies, std::size_t num_settings_each) {
  if (num_strategies > kMaxStrategies) return too_many(kMaxStrategies, "strategies");
  if (num_settings_each > kMaxSettings / std::max<std::size_t>(1, num_strategies)) {
    return too_many(kMaxSettings, "settings in all strategies");
  }
  return {};
}

/// The settings of one value.
using Alternatives = std::vector<const Setting*>;

std::vector<Alternatives> by_value(std::span<const Setting> settings) {
  std::vector<Alternatives> values;
  for (const Setting& setting : settings) {
    const auto same = std::ranges::find_if(
        values, [&](const Alternatives& each) { return each.front()->value == setting.value; });
    (same != values.end() ? *same : values.emplace_back()).push_back(&setting);
  }
  return values;
}

}  // namespace

Result<std::vector<SweepStrategy>> all_choices(std::span<const Setting> settings) {
  std::vector<SweepStrategy> strategies;
  if (settings.empty()) return strategies;
  const std::vector<Alternatives> values = by_value(settings);
  std::size_t count = 1;
  for (const Alternatives& each : values) {
    if (each.size() > kMaxStrategies / count) return too_many(kMaxStrategies, "strategies");
    count *= each.size();
  }
  SHARDY_TRY_STATUS(expect_not_too_many(count, values.size()));
  for (std::size_t number = 0; number < count; ++number) {
    SweepStrategy strategy{std::to_string(number), std::vector<Setting>(values.size())};
    std::size_t rest = number;
    for (std::size_t value = values.size(); value-- > 0; rest /= values[value].size()) {
      strategy.set[value] = *values[value][rest % values[value].size()];
    }
    strategies.push_back(std::move(strategy));
  }
  return strategies;
}

namespace {

/// An argument or a result of main, and the mesh over which it is sharded.
struct RandomPlace {
  std::string name;
  std::size_t rank = 0;
  MeshRef mesh;
};

class RandomPlaces {
 public:
  RandomPlaces(const ir::Module& module, ir::OpId main, MeshRef mesh)
      : module_(module), names_(module), main_(main), mesh_(std::move(mesh)) {}

  std::vector<RandomPlace> all() {
    const auto& args = module_.args(module_.entry(main_));
    for (std::size_t index = 0; index < args.size(); ++index) {
      add({.kind = AnnotationPlace::Kind::Argument,
           .function = main_,
           .index = static_cast<uint32_t>(index),
           .value = args[index]});
    }
    const std::size_t num_results = module_.function(main_).result_types.size();
    for (std::size_t index = 0; index < num_results; ++index) {
      add({.kind = AnnotationPlace::Kind::Result,
           .function = main_,
           .index = static_cast<uint32_t>(index)});
    }
    return std::move(places_);
  }

 private:
  void add(const AnnotationPlace& place) {
    const ir::Type& type = type_of(module_, place);
    if (!type.is_static_tensor()) return;
    const auto old = annotation(module_, place);
    const bool has_mesh = old && old->mesh_name() && old->mesh().num_axes() > 0;
    places_.push_back({place_name(names_, place), static_cast<std::size_t>(type.rank()),
                       has_mesh ? old->mesh_ref() : mesh_});
  }

  const ir::Module& module_;
  text::WrittenValues names_;
  ir::OpId main_;
  MeshRef mesh_;
  std::vector<RandomPlace> places_;
};

Result<MeshRef> program_mesh(const ir::Module& module) {
  if (auto mesh = ir::mesh_of_program(module)) return *std::move(mesh);
  return tl::unexpected(Error{"the program has no mesh to shard over",
                              {},
                              {"give it one: sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>"}});
}

}  // namespace

Result<std::vector<SweepStrategy>> random_strategies(const ir::Module& module, std::size_t count,
                                                     uint64_t seed) {
  const auto main = module.main_function();
  if (!main || module.is_external(*main)) return fail("the module has no main function");
  SHARDY_TRY(MeshRef mesh, program_mesh(module));
  const std::vector<RandomPlace> places = RandomPlaces(module, *main, std::move(mesh)).all();
  SHARDY_TRY_STATUS(expect_not_too_many(count, places.size()));
  std::vector<SweepStrategy> strategies;
  for (std::size_t number = 0; number < count; ++number) {
    const uint64_t own_seed = seed + number;
    checking::Random random(own_seed);
    SweepStrategy strategy{"seed " + std::to_string(own_seed), {}};
    for (const RandomPlace& place : places) {
      const TensorSharding sharding =
          checking::random_sharding(random, place.mesh.mesh, place.rank, BoundAxes::none())
              .with_mesh(place.mesh);
      strategy.set.push_back({place.name, to_string(sharding)});
    }
    strategies.push_back(std::move(strategy));
  }
  return strategies;
}

// ---- Equal layers -------------------------------------------------------------------------------

namespace {

/// The places of main that correspond in equal layers, such as the weights of one kind.
class CorrespondingPlaces {
 public:
  explicit CorrespondingPlaces(const ir::Module& module) : names_(module) {
    const auto layers = find_layers(module);
    if (!layers) return;
    positions_.insert(layers->placed.begin(), layers->placed.end());
    const ir::OpId main = *module.main_function();
    const auto& args = module.args(module.entry(main));
    for (uint32_t index = 0; index < args.size(); ++index) {
      if (module.num_uses(args[index]) == 0) continue;
      const ir::Use use = module.uses(args[index]).back();
      add({AnnotationPlace::Kind::Argument, main, index, args[index]}, use.op, use.operand);
    }
    const std::vector<ir::ValueId> returned = module.returned_values(main);
    for (uint32_t index = 0; index < returned.size(); ++index) {
      const ir::OpId op = module.defining_op(returned[index]);
      if (!op.valid()) continue;
      add({AnnotationPlace::Kind::Result, main, index, {}}, op,
          module.owner(returned[index]).index);
    }
  }

  /// Returns the names of the corresponding places, with this one; only this one without layers.
  std::vector<std::string> of(const std::string& name) const {
    const auto found = classes_.find(name);
    return found != classes_.end() ? names_of_.at(found->second) : std::vector{name};
  }

 private:
  using Key = std::tuple<AnnotationPlace::Kind, int32_t, uint32_t>;

  void add(const AnnotationPlace& place, ir::OpId op, uint32_t index) {
    const auto position = positions_.find(op);
    if (position == positions_.end()) return;
    const Key key(place.kind, position->second.member, index);
    const std::string name = place_name(names_, place);
    classes_.emplace(name, key);
    names_of_[key].push_back(name);
  }

  text::WrittenValues names_;
  std::unordered_map<ir::OpId, BlockPosition> positions_;  // never iterated
  std::map<std::string, Key> classes_;
  std::map<Key, std::vector<std::string>> names_of_;
};

}  // namespace

Result<std::vector<SweepStrategy>> with_equal_layers(const ir::Module& module,
                                                     std::vector<SweepStrategy> strategies) {
  const auto main = module.main_function();
  if (!main || module.is_external(*main)) return fail("the module has no main function");
  const CorrespondingPlaces places(module);
  std::size_t num_settings = 0;
  for (SweepStrategy& strategy : strategies) {
    std::map<std::string, std::string> shardings;  // of values of the given settings and others
    std::vector<Setting> added;
    std::set<std::string> given;
    for (const Setting& setting : strategy.set) given.insert(setting.value);
    for (Setting& setting : strategy.set) {
      if (const auto known = shardings.find(setting.value); known != shardings.end()) {
        setting.sharding = known->second;
        continue;
      }
      for (std::string& name : places.of(setting.value)) {
        shardings.emplace(name, setting.sharding);
        if (!given.contains(name)) added.push_back({std::move(name), setting.sharding});
      }
    }
    std::ranges::move(added, std::back_inserter(strategy.set));
    num_settings += strategy.set.size();
    if (num_settings > kMaxSettings) return too_many(kMaxSettings, "settings in all strategies");
  }
  return strategies;
}

std::vector<std::size_t> pareto_front(std::span<const double> times,
                                      std::span<const int64_t> bytes) {
  SHARDY_EXPECTS(times.size() == bytes.size());
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return times[a] != times[b] ? times[a] < times[b] : bytes[a] < bytes[b];
  });
  std::vector<std::size_t> front;
  for (const std::size_t each : order) {
    if (front.empty() || bytes[each] < bytes[front.back()]) front.push_back(each);
  }
  return front;
}

namespace {

/// Reports results in the order of the strategies, for any order of their computation.
class OrderedReporter {
 public:
  OrderedReporter(std::size_t first, const std::function<bool(const StrategyResult&)>& on_result)
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

/// Removes the location, which refers to the text of a sharding and not to the program.
Error of_value(const Setting& setting, Error error) {
  error.location = {};
  const bool is_named =
      !setting.value.empty() && error.message.find(setting.value) != std::string::npos;
  if (!is_named) error.message = setting.value + ": " + error.message;
  return error;
}

using Places = std::map<std::string, Result<AnnotationPlace>>;

/// Looks up the names of all settings once, because strategies repeat names.
void find_places(const text::WrittenValues& names, std::span<const Setting> settings,
                 Places& places) {
  for (const Setting& setting : settings) {
    if (places.contains(setting.value)) continue;
    places.emplace(setting.value, find_annotation_place(names, setting.value));
  }
}

Places places_of(const ir::Module& module, std::span<const SweepStrategy> strategies) {
  const text::WrittenValues names(module);
  Places places;
  for (const SweepStrategy& strategy : strategies) find_places(names, strategy.set, places);
  return places;
}

/// A setting and the place that it annotates.
struct Annotation {
  const Setting* setting;
  AnnotationPlace place;
  AnnotationSite site;
  std::optional<TensorSharding> sharding;

  Error error(Error error) const { return of_value(*setting, std::move(error)); }
};

/// Finds two annotations of one place or of one constraint. The program could keep only one of
/// them.
class AnnotationSites {
 public:
  /// Returns an earlier annotation of the same place; null if none exists.
  const Annotation* add(const Annotation& each, std::size_t index,
                        const std::vector<Annotation>& all) {
    const AnnotationPlace& place = each.place;
    const std::size_t first =
        places_
            .try_emplace({static_cast<uint8_t>(place.kind), place.function.value, place.index,
                          place.value.value},
                         index)
            .first->second;
    if (first != index) return &all[first];
    if (each.site.kind != AnnotationSite::Kind::Constraint) return nullptr;
    const std::size_t same = constraints_.try_emplace(each.site.op, index).first->second;
    return same != index ? &all[same] : nullptr;
  }

 private:
  std::map<std::tuple<uint8_t, uint32_t, uint32_t, uint32_t>, std::size_t> places_;
  std::map<ir::OpId, std::size_t> constraints_;
};

Result<Annotation> read_setting(const ir::Module& module, const Setting& setting,
                                const Places& places) {
  const auto of_setting = [&](Error error) { return of_value(setting, std::move(error)); };
  SHARDY_TRY(const AnnotationPlace place, places.at(setting.value).map_error(of_setting));
  SHARDY_TRY(auto sharding,
             parse_annotation(module, place, setting.sharding).map_error(of_setting));
  return Annotation{&setting, place, site_of(module, place), std::move(sharding)};
}

/// Annotates the module. All shardings are parsed before the module is changed.
Status annotate_at(ir::Module& module, std::span<const Setting> settings, const Places& places) {
  std::vector<Annotation> annotations;
  annotations.reserve(settings.size());
  AnnotationSites sites;
  for (const Setting& setting : settings) {
    SHARDY_TRY(Annotation read, read_setting(module, setting, places));
    const Annotation* same = sites.add(read, annotations.size(), annotations);
    if (same != nullptr) {
      return tl::unexpected(
          Error{same->setting->value + " and " + setting.value + " share one annotation",
                {},
                {"set it once"}});
    }
    annotations.push_back(std::move(read));
  }
  // Constraints of all users come after other annotations, and constraints of one operand come
  // last.
  const auto order = [](const Annotation& each) {
    const bool is_use = each.place.kind == AnnotationPlace::Kind::Use;
    return is_use ? (each.place.function.valid() ? 2 : 1) : 0;
  };
  std::ranges::stable_sort(annotations, {}, order);
  for (const Annotation& each : annotations) {
    SHARDY_TRY_STATUS(annotate(module, each.place, each.sharding).map_error([&](Error error) {
      return each.error(std::move(error));
    }));
  }
  return {};
}

/// Measures single strategies. Threads share its data, which never changes.
class Measurer {
 public:
  Measurer(const ir::Module& module, std::span<const SweepStrategy> strategies,
           const SweepOptions& options, const checking::Context& context)
      : module_(module),
        strategies_(strategies),
        options_(options),
        context_(context),
        places_(places_of(module, strategies)) {}

  Status prepare() {
    if (options_.shardings) {
      const auto main = module_.main_function();
      if (!main) return fail("the module has no main function");
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
    auto compiled = compile_folded(module, result.is_folded);
    if (!compiled) compiled = compile(module, result);
    if (!compiled) {
      result.errors = std::move(compiled).error();
      std::erase_if(result.errors,
                    [](const Diagnostic& each) { return each.severity != Severity::Error; });
      return result;
    }
    const Report report = make_cost_report(*compiled, options_.model);
    result.cost = cost_of(report);
    result.seconds = modelled_seconds(result.cost, options_.operations_per_second);
    result.by_kind = report.by_kind;
    if (options_.shardings) result.shardings = shardings_of(compiled->propagated);
    return result;
  }

 private:
  /// Compiles a few of the equal layers of the program. The per-device program is whole.
  DiagnosedResult<checking::CompiledProgram> compile_folded(const ir::Module& module,
                                                            bool& is_folded) const {
    auto layers = options_.equal_layers && !options_.check
                      ? compile_few_layers(module, options_.compile, context_, &plans_)
                      : std::nullopt;
    if (!layers) return tl::unexpected(Diagnostics());
    if (options_.shardings) {
      auto whole = checking::propagate_program(module, options_.compile, context_);
      if (!whole) return tl::unexpected(std::move(whole).error());
      layers->compiled.propagated = std::move(whole->module);
    }
    is_folded = true;
    return std::move(layers->compiled);
  }

  DiagnosedResult<checking::CompiledProgram> compile(const ir::Module& module,
                                                     StrategyResult& result) const {
    if (!options_.check) {
      auto program = checking::propagate_program(module, options_.compile, context_);
      if (!program) return tl::unexpected(std::move(program).error());
      return checking::lower_program(*std::move(program), options_.compile, context_, {&plans_});
    }
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
  std::span<const SweepStrategy> strategies_;
  const SweepOptions& options_;
  const checking::Context& context_;
  Places places_;
  simulation::Tensors inputs_;
  mutable passes::KnownPlans plans_;  // of all strategies; thread-safe
};

}  // namespace

Status annotate(ir::Module& module, std::span<const Setting> settings) {
  Places places;
  find_places(text::WrittenValues(module), settings, places);
  return annotate_at(module, settings, places);
}

Status sweep(const ir::Module& module, std::span<const SweepStrategy> strategies,
             const SweepOptions& options, const checking::Context& context) {
  if (options.num_threads < 0) return fail("the number of threads is negative");
  if (!(options.operations_per_second >= 1))
    return fail("the operations per second are less than 1");
  if (options.first >= strategies.size()) return {};
  Measurer measurer(module, strategies, options, context);
  SHARDY_TRY_STATUS(measurer.prepare());
  OrderedReporter delivery(options.first, options.on_result);
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
