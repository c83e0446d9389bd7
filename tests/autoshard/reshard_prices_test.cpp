// Prices that reshards share, against a plan for each reshard; graphs of states, by hand and by
// laws.
#include "autoshard/reshard_prices.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "shardy/algebra/text.hpp"
#include "shardy/autoshard/problem.hpp"
#include "support/catch.hpp"

using namespace shardy;
using autoshard::cut_atoms;
using autoshard::MeshAtoms;
using autoshard::ReshardPrices;
using autoshard::StateSpace;

namespace autoshard_reshard_prices_test {
namespace {

MeshAtoms atoms_of(std::vector<MeshAxis> axes) {
  const auto mesh = Mesh::make(std::move(axes));
  REQUIRE(mesh.has_value());
  return cut_atoms({*mesh, "mesh"}, {}, true);
}

/// A pair of states; the first one is partial along an atom that it does not use, at times.
std::pair<TensorSharding, TensorSharding> random_pair(const StateSpace& space,
                                                      const MeshAtoms& atoms,
                                                      std::mt19937_64& random) {
  const auto draw = [&] {
    return space.state(
        static_cast<int32_t>(random() % static_cast<uint64_t>(space.num_complete())));
  };
  TensorSharding from = draw();
  const AxisRef atom = atoms.atoms[random() % atoms.atoms.size()];
  if (random() % 2 == 0 && !overlaps(atom, from.dim_axes())) from = from.with_unreduced({atom});
  return {std::move(from), draw()};
}

int64_t price_of_plan(const TensorSize& tensor, const TensorSharding& from,
                      const TensorSharding& to, const BestPlanOptions& options) {
  ReshardPlanner planner(PlanKind::Best, options);
  const auto steps = planner.plan(tensor, from, to, BoundAxes::none());
  REQUIRE(steps.has_value());
  return autoshard::femtoseconds(plan_cost(tensor, from, *steps, options.model).seconds);
}

/// Returns the price between two states of another mesh whose axes have the same names.
int64_t price_in(StateSpace& states, const MeshAtoms& atoms, const TensorSharding& from,
                 const TensorSharding& to, ReshardPrices& prices) {
  const auto number = [&](const TensorSharding& state) {
    std::vector<AxisList> dims;
    for (std::size_t dim = 0; dim < state.rank(); ++dim) dims.push_back(state.dim(dim).axes);
    return states.intern(
        TensorSharding::closed(atoms.mesh, std::move(dims)).with_unreduced(state.unreduced_axes()));
  };
  return states.price(number(from), number(to), prices);
}

/// States and prices of two meshes with equal atoms. The second mesh also has an axis of size 1,
/// whose own cost makes its links unequal to those of the first mesh.
struct MeshPair {
  MeshPair(const std::vector<int64_t>& shape, const std::vector<int64_t>& other_shape,
           AxisCost cost)
      : equal(atoms_of({{"a", 4}, {"b", 4}, {"c", 8}})),
        unequal(atoms_of({{"a", 4}, {"b", 4}, {"c", 8}, {"one", 1}})),
        other_planner(PlanKind::Best, {.model = {{}, {{"one", cost}}}}),
        space(equal, shape, 2),
        other_space(unequal, other_shape, 2) {
    REQUIRE(equal.atoms == unequal.atoms);
  }

  /// Calls `check` with the prices of `count` random reshards on both meshes.
  template <class Check>
  void for_random_pairs(int count, uint64_t seed, Check check) {
    std::mt19937_64 random(seed);
    for (int i = 0; i < count; ++i) {
      const auto [from, to] = random_pair(space, equal, random);
      CAPTURE(to_string(from), to_string(to));
      check(price_in(space, equal, from, to, prices),
            price_in(other_space, unequal, from, to, other_prices));
    }
  }

  MeshAtoms equal;
  MeshAtoms unequal;
  ReshardPlanner planner{PlanKind::Best, {}};
  ReshardPlanner other_planner;
  ReshardPrices prices{equal, planner};
  ReshardPrices other_prices{unequal, other_planner};
  StateSpace space;
  StateSpace other_space;
};

struct Case {
  std::vector<MeshAxis> axes;
  std::vector<int64_t> shape;
  CostModel model;
};

}  // namespace

TEST_CASE("the price of a reshard is that of its plan", "[autoshard][random]") {
  const CostModel late{{.latency_seconds = 1e-6}, {}};
  const CostModel rings{{}, {{"b", {.topology = Topology::Ring, .bytes_per_second = 25e9}}}};
  const Case each = GENERATE_COPY(values<Case>({
      {{{"a", 2}, {"b", 4}, {"c", 2}}, {16, 64, 32}, {}},
      {{{"a", 2}, {"b", 4}, {"c", 2}}, {12, 4, 48}, {}},
      {{{"a", 2}, {"b", 2}, {"c", 2}}, {8, 24, 8, 2}, {}},
      {{{"a", 3}, {"b", 2}, {"c", 3}}, {18, 6, 12}, {}},
      {{{"a", 2}, {"b", 4}, {"c", 2}}, {16, 32}, late},
      {{{"a", 2}, {"b", 4}, {"c", 2}}, {16, 32}, rings},
  }));
  const MeshAtoms atoms = atoms_of(each.axes);
  const StateSpace space(atoms, each.shape, 2);
  ReshardPlanner planner(PlanKind::Best, {.model = each.model});
  ReshardPrices prices(atoms, planner);
  std::mt19937_64 random(7);
  for (int i = 0; i < 120; ++i) {
    const auto [from, to] = random_pair(space, atoms, random);
    CAPTURE(to_string(from), to_string(to));
    CHECK(prices.price({each.shape, 2}, from, to) ==
          price_of_plan({each.shape, 2}, from, to, {.model = each.model}));
  }
}

TEST_CASE("equivalent reshards share one plan", "[autoshard]") {
  const MeshAtoms atoms = atoms_of({{"a", 2}, {"b", 4}, {"c", 2}});
  const auto state = [&](std::vector<AxisList> dims) {
    return TensorSharding::closed(atoms.mesh, std::move(dims));
  };
  const AxisRef a = atoms.atoms[0];
  const AxisRef b = atoms.atoms[1];
  const AxisRef c = atoms.atoms[2];
  ReshardPlanner planner(PlanKind::Best, {});
  ReshardPrices prices(atoms, planner);
  const std::vector<int64_t> shape{16, 64};
  // An all-to-all of 16 * 64 * 4 / 2 bytes sends half of them.
  const int64_t price = prices.price({shape, 4}, state({{a}, {}}), state({{}, {a}}));
  CHECK(price == autoshard::femtoseconds(1024 / 1e11));
  const std::vector<int64_t> larger{64, 32};
  CHECK(prices.price({shape, 4}, state({{}, {a}}), state({{a}, {}})) == price);
  CHECK(prices.price({shape, 4}, state({{c}, {}}), state({{}, {c}})) == price);
  CHECK(prices.price({larger, 8}, state({{c}, {}}), state({{}, {c}})) == 4 * price);
  CHECK(prices.num_plans() == 1);
  CHECK(prices.price({shape, 4}, state({{b}, {}}), state({{}, {b}})) ==
        autoshard::femtoseconds(768 / 1e11));
  CHECK(prices.num_plans() == 2);
  // A complete value does not become partial.
  CHECK(prices.price({shape, 4}, state({{}, {}}), state({{}, {}}).with_unreduced({a})) ==
        autoshard::kForbidden);
}

TEST_CASE("a graph of states has the prices of its reshards", "[autoshard][random]") {
  const std::vector<int64_t> shape{64, 32, 128, 16};
  const MeshAtoms atoms = atoms_of({{"a", 4}, {"b", 4}, {"c", 8}});
  StateSpace space(atoms, shape, 2);
  ReshardPlanner planner(PlanKind::Best, {});
  ReshardPrices prices(atoms, planner);
  REQUIRE(prices.graph_of({shape, 2}, static_cast<std::size_t>(space.num_complete())).graph !=
          nullptr);
  const AxisRef a = atoms.atoms[0];
  const AxisRef b = atoms.atoms[1];
  const double whole = 64 * 32 * 128 * 16 * 2;
  const auto number = [&](std::vector<AxisList> dims, const AxisList& unreduced) {
    return space.intern(
        TensorSharding::closed(atoms.mesh, std::move(dims)).with_unreduced(unreduced));
  };
  const auto fs = [](double bytes) { return autoshard::femtoseconds(bytes / 1e11); };
  const int32_t none = number({{}, {}, {}, {}}, {});
  const int32_t rows = number({{a}, {}, {}, {}}, {});
  const int32_t columns = number({{}, {a}, {}, {}}, {});
  const int32_t both = number({{a}, {b}, {}, {}}, {});
  const AxisRef c = atoms.atoms[2];
  const int32_t sums = number({{b}, {c}, {}, {}}, {a});
  CHECK(space.price(rows, none, prices) == fs(whole * 3 / 4));
  CHECK(space.price(none, both, prices) == 0);
  CHECK(space.price(rows, columns, prices) == fs(whole / 4 * 3 / 4));
  // The sum, and the scattered sum, of a part of 32 on each device.
  CHECK(space.price(sums, number({{b}, {c}, {}, {}}, {}), prices) == fs(2 * whole / 32 * 3 / 4));
  CHECK(space.price(sums, number({{b, a}, {c}, {}, {}}, {}), prices) == fs(whole / 32 * 3 / 4));
  // Along unused axes devices slice first, sum a part of 32, then gather it.
  const int32_t whole_sums = number({{}, {}, {}, {}}, {a});
  CHECK(space.price(whole_sums, none, prices) == fs(2 * whole / 32 * 3 / 4 + whole * 31 / 32));
  CHECK(space.price(none, whole_sums, prices) == autoshard::kForbidden);
  std::mt19937_64 random(7);
  const auto draw = [&] {
    return static_cast<int32_t>(random() % static_cast<uint64_t>(space.num_complete()));
  };
  for (int i = 0; i < 300; ++i) {
    const int32_t from = draw();
    const int32_t to = draw();
    const int32_t over = draw();
    const int64_t price = space.price(from, to, prices);
    CAPTURE(to_string(space.state(from)), to_string(space.state(over)), to_string(space.state(to)));
    const auto least =
        static_cast<double>(least_bytes({shape, 2}, space.state(from), space.state(to)));
    CHECK(price >= fs(least));
    CHECK(price <= space.price(from, over, prices) + space.price(over, to, prices) + 1);
  }
}

// A graph stores the permutes of equal links by groups of states, and others as edges. An axis of
// size 1 with other links changes no price, but makes the links unequal.
TEST_CASE("permutes by group cost as much as permutes by edge", "[autoshard][random]") {
  MeshPair meshes({64, 32, 16}, {64, 32, 16}, {.bytes_per_second = 1e9});
  meshes.for_random_pairs(300, 3,
                          [](int64_t by_group, int64_t by_edge) { CHECK(by_group == by_edge); });
}

// Without latency, dims count by their common divisor with the devices. Latency on an axis of size
// 1 makes the links unequal and keeps the dims as they are, so no dims and no atoms are exchanged.
TEST_CASE("searches of exchanged dims and axes are shared", "[autoshard][random]") {
  const std::vector<int64_t> shape{64, 64, 16};
  const std::vector<int64_t> longer{64, 192, 16};
  MeshPair meshes(shape, longer, {.latency_seconds = 1});
  meshes.for_random_pairs(400, 5, [](int64_t price, int64_t longer_price) {
    if (price >= autoshard::kForbidden) {
      CHECK(longer_price >= autoshard::kForbidden);
    } else {
      CHECK(std::abs(longer_price - 3 * price) <= 3);
    }
  });
  const auto searches = [](ReshardPrices& prices, const std::vector<int64_t>& dims) {
    return prices.graph_of({dims, 2}, 1000).graph->num_searches();
  };
  CHECK(searches(meshes.prices, shape) * 2 < searches(meshes.other_prices, longer));
}

TEST_CASE("a graph of states has prices on meshes of very many devices", "[autoshard]") {
  const std::vector<int64_t> shape{64, 64, 16, 16};
  const MeshAtoms atoms = atoms_of({{"a", 4}, {"b", 4}, {"c", int64_t{1} << 40}});
  StateSpace space(atoms, shape, 2);
  ReshardPlanner planner(PlanKind::Best, {});
  ReshardPrices prices(atoms, planner);
  const auto states = static_cast<std::size_t>(space.num_complete());
  REQUIRE(prices.graph_of({shape, 2}, states).graph != nullptr);
  const AxisRef a = atoms.atoms[0];
  const int32_t rows = space.intern(TensorSharding::closed(atoms.mesh, {{a}, {}, {}, {}}));
  const int32_t none = space.intern(TensorSharding::closed(atoms.mesh, {{}, {}, {}, {}}));
  CHECK(space.price(rows, none, prices) ==
        autoshard::femtoseconds(64 * 64 * 16 * 16 * 2 * 3 / 4 / 1e11));
  const AxisRef c = atoms.atoms[2];
  const int32_t sums = space.intern(
      TensorSharding::closed(atoms.mesh, {{a}, {}, {}, {}}).with_unreduced(AxisList{c}));
  // Devices slice along "b", sum a quarter of 524,288 bytes along "c", and gather it.
  CHECK(space.price(sums, rows, prices) ==
        autoshard::femtoseconds((2 * 524288 / 4 + 524288 * 3 / 4) / 1e11));
}

}  // namespace autoshard_reshard_prices_test
