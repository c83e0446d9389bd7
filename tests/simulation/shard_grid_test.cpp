// The contents of a grid of shards for each device equal the shards of the simulator.
#include <algorithm>
#include <functional>
#include <numeric>
#include <shardy/algebra/shard_layout.hpp>
#include <utility>
#include <vector>

#include "algebra/small_spaces.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/simulation/run.hpp"
#include "simulation/random_values.hpp"

namespace shardy_test::shard_grid_test {
namespace {

using shardy::GridShard;
using shardy::ShardGrid;
using shardy::ShardHolder;
using shardy::TensorSharding;
using shardy::simulation::scatter_input;

using Indices = std::vector<int64_t>;

/// Calls `visit` with each tuple of numbers below `sizes`, row-major.
void for_each_index(std::span<const int64_t> sizes,
                    const std::function<void(const Indices&)>& visit) {
  if (std::ranges::find(sizes, 0) != sizes.end()) return;
  Indices at(sizes.size(), 0);
  while (true) {
    visit(at);
    std::size_t dim = sizes.size();
    while (dim > 0 && ++at[dim - 1] == sizes[dim - 1]) at[--dim] = 0;
    if (dim == 0) return;
  }
}

/// Values of a device by the words of the grid: elements count from 1, padding and all summands
/// but the first are 0.
std::vector<double> told_buffer(const ShardGrid& grid, const GridShard& shard, int64_t summand) {
  std::vector<double> elements;
  for_each_index(grid.local_shape(), [&](const Indices& local) {
    int64_t number = 0;
    bool is_valid = summand == 0;
    for (std::size_t dim = 0; dim < local.size(); ++dim) {
      const int64_t global = shard.elements[dim].begin + local[dim];
      is_valid = is_valid && global < shard.elements[dim].end;
      number = number * grid.shape()[dim] + global;
    }
    elements.push_back(is_valid ? static_cast<double>(number + 1) : 0);
  });
  return elements;
}

/// Number of devices in the grid; fails if one holds something else.
int64_t expect_as_split(const TensorSharding& sharding, const Indices& shape) {
  const ShardGrid grid = ShardGrid::make(sharding, shape).value();
  const int64_t num_devices = sharding.mesh().num_devices();
  const Tensors parts =
      scatter_input(counting(ElementType::I32, shape, 1), sharding, num_devices).value();
  std::vector<int> visits(static_cast<std::size_t>(num_devices), 0);
  for_each_index(grid.num_shards(), [&](const Indices& indices) {
    const GridShard shard = grid.shard(indices, 100);
    for (const ShardHolder& holder : shard.holders) {
      const auto device = static_cast<std::size_t>(holder.device);
      ++visits[device];
      const Tensor& part = parts[device];
      const bool is_same = std::ranges::equal(part.type().dims(), grid.local_shape()) &&
                           part.to_doubles() == told_buffer(grid, shard, holder.summand);
      if (!is_same) FAIL(to_string(sharding) << " device " << holder.device);
    }
  });
  if (std::ranges::any_of(visits, [](int times) { return times != 1; })) FAIL(to_string(sharding));
  return num_devices;
}

/// The same devices in another order, if there is one.
std::vector<int64_t> turned(const std::vector<int64_t>& sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  std::vector<int64_t> ids(static_cast<std::size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  std::ranges::reverse(ids);
  std::swap(ids.front(), ids[ids.size() / 2]);
  return ids;
}

TEST_CASE("a shard grid has the same elements per device as the simulator",
          "[simulation][io][law]") {
  int64_t checked = 0;
  for (const std::vector<int64_t>& sizes : mesh_sizes(8)) {
    for (const Mesh& mesh : {mesh_of_sizes(sizes), mesh_of_sizes(sizes, turned(sizes))}) {
      for_each_sharding(mesh, 1, [&](const TensorSharding& sharding) {
        for (int64_t size = 0; size <= 9; ++size) checked += expect_as_split(sharding, {size});
      });
      for_each_sharding(mesh, 2, [&](const TensorSharding& sharding) {
        for (const Indices& shape : {Indices{5, 8}, {1, 7}, {6, 0}}) {
          checked += expect_as_split(sharding, shape);
        }
      });
    }
  }
  CHECK(checked > 20000);
}

TEST_CASE("a shard grid distinguishes partial values from replicas", "[simulation][io][law]") {
  int64_t checked = 0;
  for (const std::vector<int64_t>& sizes : mesh_sizes(8)) {
    const Mesh mesh = mesh_of_sizes(sizes, turned(sizes));
    const auto lists = axis_lists(mesh);
    for_each_sharding(mesh, 1, [&](const TensorSharding& sharding) {
      for (const shardy::AxisList& unreduced : lists) {
        const auto made = TensorSharding::make(mesh, "m", {sharding.dim(0)}, {}, unreduced);
        if (made) checked += expect_as_split(*made, {5});
      }
    });
  }
  CHECK(checked > 1500);
}

TEST_CASE("a shard grid lists at most the requested number of holders", "[simulation][io]") {
  const Mesh mesh = Mesh::make({{"x", int64_t{1} << 40}, {"y", 4}}).value();
  const TensorSharding sharding = TensorSharding::closed({mesh, "m"}, {{mesh.full_axis(1)}});
  const ShardGrid grid = ShardGrid::make(sharding, {8}).value();
  CHECK(grid.num_replicas() == int64_t{1} << 40);
  const std::vector<ShardHolder> wanted = {{1, 0, 0}, {5, 1, 0}, {9, 2, 0}};
  CHECK(grid.shard(Indices{1}, 3).holders == wanted);
}

TEST_CASE("a shard grid needs a static shape with the rank of its sharding", "[simulation][io]") {
  const Mesh mesh = Mesh::make({{"x", 2}}).value();
  const TensorSharding sharding = TensorSharding::closed({mesh, "m"}, {{}});
  CHECK(ShardGrid::make(sharding, {2, 2}).error().message ==
        "a sharding of 1 dims for a tensor of 2 dims");
  CHECK(ShardGrid::make(sharding, {-1}).error().message == "dim 0 has no size");
  const Mesh one = Mesh::maximal(3).value();
  const ShardGrid grid =
      ShardGrid::make(TensorSharding::fully_closed(one, std::nullopt, 2), {4, 4}).value();
  CHECK(grid.shard(Indices{0, 0}, 9).holders == std::vector<ShardHolder>{{3, 0, 0}});
}

}  // namespace
}  // namespace shardy_test::shard_grid_test
