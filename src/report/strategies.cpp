// Lists of strategies: choices, and at random.
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "ir/meshes_in_use.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/checking/random_program.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_shape.hpp"
#include "shardy/report/annotation.hpp"
#include "shardy/report/sweep.hpp"

namespace shardy::report {

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

/// Settings of one value.
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

Result<std::vector<Strategy>> all_choices(std::span<const Setting> settings) {
  std::vector<Strategy> strategies;
  if (settings.empty()) return strategies;
  const std::vector<Alternatives> values = by_value(settings);
  std::size_t count = 1;
  for (const Alternatives& each : values) {
    if (each.size() > kMaxStrategies / count) return too_many(kMaxStrategies, "strategies");
    count *= each.size();
  }
  SHARDY_TRY_STATUS(expect_not_too_many(count, values.size()));
  for (std::size_t number = 0; number < count; ++number) {
    Strategy strategy{std::to_string(number), std::vector<Setting>(values.size())};
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

Result<std::vector<Strategy>> random_strategies(const ir::Module& module, std::size_t count,
                                                uint64_t seed) {
  const auto main = module.main_function();
  if (!main || module.is_external(*main)) return fail("there is no main function");
  SHARDY_TRY(MeshRef mesh, program_mesh(module));
  const std::vector<RandomPlace> places = RandomPlaces(module, *main, std::move(mesh)).all();
  SHARDY_TRY_STATUS(expect_not_too_many(count, places.size()));
  std::vector<Strategy> strategies;
  for (std::size_t number = 0; number < count; ++number) {
    const uint64_t own_seed = seed + number;
    checking::Random random(own_seed);
    Strategy strategy{"seed " + std::to_string(own_seed), {}};
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

}  // namespace shardy::report
