// The best plans of dims whose shards do not nest cost what the cheapest path costs, each step with
// the halos that it exchanges. Spec: resharding B.7, C.1, C.2.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <queue>
#include <random>
#include <shardy/resharding/best_plan.hpp>
#include <shardy/resharding/cost.hpp>
#include <shardy/resharding/detail/nesting.hpp>
#include <utility>
#include <vector>

#include "resharding/sharding_space.hpp"
#include "support/catch.hpp"

namespace shardy::testing::uneven_plans_test {
namespace {

using Shape = std::vector<int64_t>;
using Cost = std::pair<int64_t, int64_t>;  // bytes, messages

/// All one-step neighbours of a sharding, in number order of `shardings`; the cost of each is that
/// of the step. Finds steps by comparing axes, without the planner.
class Paths {
 public:
  Paths(const Mesh& mesh, std::size_t rank, Shape shape)
      : shape_(std::move(shape)), shardings_(all_shardings(mesh, rank, false)) {}

  const std::vector<TensorSharding>& shardings() const { return shardings_; }

  std::vector<Cost> from(std::size_t start) const {
    std::vector<Cost> best(shardings_.size(), {INT64_MAX, 0});
    std::priority_queue<std::pair<Cost, std::size_t>, std::vector<std::pair<Cost, std::size_t>>,
                        std::greater<>>
        queue;
    best[start] = {0, 0};
    queue.push({best[start], start});
    while (!queue.empty()) {
      const auto [cost, here] = queue.top();
      queue.pop();
      if (cost != best[here]) continue;
      for (std::size_t next = 0; next < shardings_.size(); ++next) {
        for (const ReshardStep& step : steps(shardings_[here], shardings_[next])) {
          const StepCost sent = step_cost({shape_, 1}, shardings_[here], step);
          const Cost reached(cost.first + sent.bytes, cost.second + sent.messages);
          if (!(reached < best[next])) continue;
          best[next] = reached;
          queue.push({reached, next});
        }
      }
    }
    return best;
  }

 private:
  static std::vector<ReshardStep> steps(const TensorSharding& a, const TensorSharding& b) {
    std::vector<std::size_t> longer;
    std::vector<std::size_t> shorter;
    bool is_permuted = false;
    bool has_equal_counts = true;
    AxisLists more(a.rank());
    for (std::size_t dim = 0; dim < a.rank(); ++dim) {
      const AxisList& old = a.dim(dim).axes;
      const AxisList& now = b.dim(dim).axes;
      has_equal_counts = has_equal_counts && sharding_size(old) == sharding_size(now);
      if (old == now) continue;
      const AxisList common = greatest_common_prefix(old, now);
      if (common == old) {
        longer.push_back(dim);
        more[dim] = rest_after(now, old);
      } else if (common == now) {
        shorter.push_back(dim);
        more[dim] = rest_after(old, now);
      } else {
        is_permuted = true;
      }
    }
    std::vector<ReshardStep> found;
    if (has_equal_counts) found.push_back({.kind = StepKind::CollectivePermute, .out = b});
    if (is_permuted) return found;
    if (longer.size() == 1 && shorter.empty()) {
      found.push_back({.kind = StepKind::AllSlice, .dim_axes = more, .out = b});
    } else if (longer.empty() && shorter.size() == 1) {
      found.push_back({.kind = StepKind::AllGather, .dim_axes = more, .out = b});
    } else if (longer.size() == 1 && shorter.size() == 1 &&
               sort_and_merge(more[longer[0]]) == sort_and_merge(more[shorter[0]])) {
      const AllToAllMove move{more[shorter[0]], static_cast<int64_t>(shorter[0]),
                              static_cast<int64_t>(longer[0])};
      found.push_back({.kind = StepKind::AllToAll, .params = {move}, .out = b});
    }
    return found;
  }

  Shape shape_;
  std::vector<TensorSharding> shardings_;
};

}  // namespace

TEST_CASE("best plans of uneven dims cost what the cheapest path costs",
          "[resharding][best][cheapest]") {
  std::mt19937_64 random(3);
  const auto upto = [&](int64_t most) { return 1 + static_cast<int64_t>(random() % most); };
  std::size_t misaligned = 0;
  for (const Shape& sizes : {Shape{2, 2}, Shape{2, 3}, Shape{3, 2}, Shape{4}, Shape{8}, Shape{2, 4},
                             Shape{3, 3}, Shape{2, 2, 2}}) {
    for (int round = 0; round < 12; ++round) {
      const Mesh mesh = make_mesh(sizes);
      const std::size_t rank = round % 4 == 0 ? 1 : 2;
      Shape shape = {upto(round % 2 == 0 ? 40 : 2000)};
      if (rank == 2) shape.push_back(upto(30));
      const Paths paths(mesh, rank, shape);
      const std::size_t start = random() % paths.shardings().size();
      const std::vector<Cost> cheapest = paths.from(start);
      for (std::size_t end = 0; end < cheapest.size(); ++end) {
        const TensorSharding& from = paths.shardings()[start];
        const TensorSharding& to = paths.shardings()[end];
        const TensorSize tensor{shape, 1};
        const BestPlan plan = plan_best_reshard(tensor, from, to, BoundAxes::none()).value();
        const StepCost cost = plan_cost(tensor, from, plan.steps);
        CAPTURE(to_string(mesh), shape, to_string(from), to_string(to));
        CHECK(plan.is_proven);
        CHECK(Cost(cost.bytes, cost.messages) == cheapest[end]);
        const auto size = [&](const TensorSharding& sharding) {
          return sharding.dim(0).sharded_size();
        };
        const bool divides = size(to) % size(from) == 0;
        misaligned += divides && !tiles_nest(shape[0], size(from), size(to) / size(from)) ? 1 : 0;
      }
    }
  }
  CHECK(misaligned > 100);
}

TEST_CASE("a step between shards that do not nest costs its halo exchange", "[resharding][cost]") {
  // 1001 rows on 2 x 4: tiles of 501 rows along x, of 126 along both, parts of 126 rows of a tile.
  const Mesh mesh = make_mesh({2, 4});
  const AxisList axes = {mesh.full_axis(0), mesh.full_axis(1)};
  const TensorSharding whole = TensorSharding::fully_closed(mesh, "mesh", 2);
  const TensorSharding by_x = whole.with_dim_axes({{axes[0]}, {}});
  const TensorSharding by_both = whole.with_dim_axes({axes, {}});
  const Shape shape = {1001, 8};
  const auto cost = [&](const TensorSharding& from, const ReshardStep& step) {
    return step_cost({shape, 4}, from, step).bytes;
  };
  const AxisLists minor = {{axes[1]}, {}};
  // Two shards of 4 * 126 rows: the second begins 3 rows later.
  CHECK(cost(by_x, {.kind = StepKind::AllSlice, .dim_axes = minor, .out = by_both}) == 3 * 32);
  CHECK(cost(by_both, {.kind = StepKind::AllGather, .dim_axes = minor, .out = by_x}) ==
        3 * 126 * 32 + 3 * 32);
  const TensorSharding partial = by_x.with_unreduced({axes[1]});
  CHECK(cost(partial, {.kind = StepKind::ReduceScatter, .dim_axes = minor, .out = by_both}) ==
        3 * 126 * 32 + 3 * 32);
}

TEST_CASE("a halo exchange on a ring loads the links of the ring", "[resharding][cost]") {
  // 10 rows on a ring of 4 in 2 x 2 parts of 3, 3, 3 and 1 rows, nested: 3, 2, 3 and 2.
  const Mesh mesh = make_mesh({4});
  const TensorSharding fine =
      TensorSharding::fully_closed(mesh, "mesh", 1).with_dim_axes({{{0, 1, 4}}});
  const TensorSharding coarse = fine.with_dim_axes({{{0, 1, 2}}});
  const ReshardStep gather{.kind = StepKind::AllGather, .dim_axes = {{{0, 2, 2}}}, .out = coarse};
  const CostModel ring{{Topology::Ring, 1e9, 0}, {}};
  const StepCost full = step_cost({Shape{10}, 1}, fine, gather);
  const StepCost routed = step_cost({Shape{10}, 1}, fine, gather, ring);
  CHECK(full.bytes == routed.bytes);
  CHECK(routed.messages >= full.messages);
  CHECK(routed.axis_bytes[0] >= routed.bytes);
}

}  // namespace shardy::testing::uneven_plans_test
