#include "ir/sharding_map.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shardy/algebra/mesh.hpp"
#include "shardy/algebra/tensor_sharding.hpp"
#include "support/catch.hpp"

namespace shardy_test::sharding_map_test {

namespace {

using shardy::AxisRef;
using shardy::DimSharding;
using shardy::Mesh;
using shardy::TensorSharding;
using shardy::ir::ShardingMap;

Mesh mesh_of(int64_t size) { return *Mesh::make({{"a", size}, {"b", 2}}); }

/// Returns a new object: a sharding of rank `rank` along "a" in dim 0.
TensorSharding sharding_of(std::size_t rank, int64_t size = 4, const char* name = "m") {
  std::vector<DimSharding> dims(rank);
  if (rank > 0) dims[0].axes = {AxisRef{0, 1, size}};
  return *TensorSharding::make(mesh_of(size), std::string(name), std::move(dims));
}

}  // namespace

TEST_CASE("equal shardings of different objects have one value", "[ir][sharding_map]") {
  ShardingMap<int> map;
  const TensorSharding first = sharding_of(2);
  const TensorSharding same = sharding_of(2);
  CHECK(map.find(first) == nullptr);
  int& value = map.add(first, 7);
  CHECK(map.find(first) == &value);
  CHECK(map.find(same) == &value);
  CHECK(map.find(same) == &value);  // now by its address
  map.add(sharding_of(3), 8);
  CHECK(value == 7);
}

TEST_CASE("shardings that differ in rank, mesh or mesh name have separate values",
          "[ir][sharding_map]") {
  ShardingMap<int> map;
  const std::vector<TensorSharding> all = {sharding_of(0),         sharding_of(1),
                                           sharding_of(2),         sharding_of(1, 8),
                                           sharding_of(1, 4, "n"), sharding_of(1).closed_like()};
  for (std::size_t index = 0; index < all.size(); ++index) {
    CHECK(map.find(all[index]) == nullptr);
    map.add(all[index], static_cast<int>(index));
  }
  for (std::size_t index = 0; index < all.size(); ++index) {
    REQUIRE(map.find(all[index]) != nullptr);
    CHECK(*map.find(all[index]) == static_cast<int>(index));
  }
}

// A new object may get the address of a destroyed one.
TEST_CASE("the value of a destroyed sharding is not that of a later object", "[ir][sharding_map]") {
  ShardingMap<std::size_t> map;
  for (std::size_t rank = 0; rank < 40; ++rank) map.add(sharding_of(rank), rank);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t rank = 0; rank < 40; ++rank) {
      const std::size_t* found = map.find(sharding_of(rank));
      REQUIRE(found != nullptr);
      CHECK(*found == rank);
    }
  }
}

}  // namespace shardy_test::sharding_map_test
