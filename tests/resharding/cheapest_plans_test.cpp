// The best plans cost what the cheapest way costs, for all pairs of shardings of meshes with at
// most five prime factors. Spec: resharding C.5, 3.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <shardy/resharding/best_plan.hpp>
#include <shardy/resharding/cost.hpp>
#include <string>
#include <vector>

#include "resharding/cheapest_paths.hpp"
#include "resharding/check_plan.hpp"
#include "resharding/sharding_space.hpp"
#include "support/catch.hpp"

namespace shardy::testing::cheapest_plans_test {
namespace {

using Shape = std::vector<int64_t>;

/// SHARDY_PLAN_PAIRS: the number of pairs per mesh, or `all`.
std::size_t num_pairs() {
  const char* text = std::getenv("SHARDY_PLAN_PAIRS");
  if (text == nullptr) return 400;
  return std::string(text) == "all" ? SIZE_MAX : std::strtoull(text, nullptr, 10);
}

/// All shardings of a mesh over its prime factors, and what they are to the search for paths.
struct Space {
  explicit Space(const Shape& sizes, std::size_t rank)
      : mesh(make_mesh(sizes)),
        atoms(paths::prime_atoms(mesh)),
        shape(rank, 2 * mesh.num_devices()) {
    for (const AxisRef& atom : atoms) atom_sizes.push_back(atom.size);
    for (std::size_t at = 1; at < atoms.size(); ++at) {
      const bool is_same_axis = atoms[at].axis == atoms[at - 1].axis;
      is_mixed = is_mixed || (is_same_axis && atoms[at].size != atoms[at - 1].size);
    }
    for (const TensorSharding& sharding : all_shardings(mesh, rank, false)) {
      shardings.emplace_back(sharding, paths::state_of(sharding, atoms));
    }
  }

  Mesh mesh;
  bool is_mixed = false;  // an axis of size 6 may be split as 3 * 2, too, which the paths omit
  std::vector<AxisRef> atoms;
  Shape atom_sizes;
  Shape shape;
  std::vector<std::pair<TensorSharding, paths::State>> shardings;
};

/// The same for states that differ in the names of atoms of one size: paths from them cost the
/// same.
std::vector<Shape> shape_of(const paths::State& state, const Shape& atom_sizes) {
  std::vector<Shape> sizes;
  for (const auto& list : state) {
    sizes.emplace_back();
    for (const int atom : list) sizes.back().push_back(atom_sizes[static_cast<std::size_t>(atom)]);
  }
  return sizes;
}

void check_pair(const Space& space, const TensorSharding& from, const TensorSharding& to,
                const paths::Cost& cheapest) {
  const TensorSize tensor{space.shape, 1};
  const BestPlan plan = plan_best_reshard(tensor, from, to, BoundAxes::none()).value();
  const StepCost cost = plan_cost(tensor, from, plan.steps);
  const paths::Cost planned(cost.bytes, cost.messages);
  const bool is_cheapest = planned == cheapest || (space.is_mixed && planned < cheapest);
  if (plan.is_proven && is_cheapest) return;
  FAIL_CHECK(to_string(space.mesh)
             << " " << to_string(from) << " -> " << to_string(to) << ": " << cost.bytes << " in "
             << cost.messages << ", cheapest " << cheapest.first << " in " << cheapest.second);
}

/// All pairs, or a few targets of a few sources. Above four atoms one source represents those that
/// differ in the names of atoms of one size.
void check_mesh(const Shape& sizes, std::size_t rank) {
  CAPTURE(sizes, rank);
  const Space space(sizes, rank);
  const std::size_t count = space.shardings.size();
  const bool is_all = num_pairs() >= count * count;
  constexpr std::size_t kSources = 4;  // the search for paths takes longer than plans
  const std::size_t stride = is_all ? 1 : 1 + count * kSources / num_pairs();
  std::mt19937_64 random(sizes.size());
  std::set<std::vector<Shape>> seen;
  std::size_t checked = 0;
  for (std::size_t at = 0; at < count && (is_all || checked < num_pairs()); ++at) {
    const auto& [from, start] = space.shardings[is_all ? at : random() % count];
    const bool is_new = seen.insert(shape_of(start, space.atom_sizes)).second;
    if (is_all && space.atoms.size() > 4 && !is_new) continue;
    const auto cheapest = paths::Paths(space.shape, space.atom_sizes).from(start);
    for (std::size_t to = is_all ? 0 : random() % stride; to < count; to += stride) {
      check_pair(space, from, space.shardings[to].first, cheapest.at(space.shardings[to].second));
      ++checked;
    }
  }
  CAPTURE(checked);
  CHECK(checked > 0);
}

}  // namespace

TEST_CASE("best plans of meshes with one to three prime factors are the cheapest",
          "[resharding][best][cheapest]") {
  for (const Shape& sizes :
       {Shape{2}, Shape{3}, Shape{4}, Shape{6}, Shape{9}, Shape{2, 2}, Shape{2, 3}, Shape{3, 2},
        Shape{8}, Shape{12}, Shape{2, 4}, Shape{4, 2}, Shape{4, 3}, Shape{2, 6}, Shape{2, 2, 2},
        Shape{2, 2, 3}, Shape{2, 3, 2}, Shape{2, 3, 5}, Shape{3, 3, 2}}) {
    for (const std::size_t rank : {std::size_t{1}, std::size_t{2}}) check_mesh(sizes, rank);
  }
  check_mesh({2, 2}, 3);
  check_mesh({2, 3}, 3);
  check_mesh({2, 2, 2}, 3);
}

TEST_CASE("best plans of meshes with four prime factors are the cheapest",
          "[resharding][best][cheapest]") {
  for (const Shape& sizes :
       {Shape{4, 4}, Shape{16}, Shape{2, 8}, Shape{4, 6}, Shape{6, 6}, Shape{2, 2, 4},
        Shape{2, 4, 3}, Shape{2, 2, 2, 2}, Shape{2, 3, 2, 3}}) {
    for (const std::size_t rank : {std::size_t{1}, std::size_t{2}}) check_mesh(sizes, rank);
  }
}

TEST_CASE("best plans of meshes with five prime factors are the cheapest",
          "[resharding][best][cheapest]") {
  for (const Shape& sizes : {Shape{4, 4, 2}, Shape{4, 8}, Shape{32}, Shape{2, 2, 2, 2, 2},
                             Shape{4, 2, 6}, Shape{2, 3, 2, 3, 2}}) {
    for (const std::size_t rank : {std::size_t{1}, std::size_t{2}}) check_mesh(sizes, rank);
  }
}

}  // namespace shardy::testing::cheapest_plans_test
