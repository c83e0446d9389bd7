#include <cstdint>
#include <random>
#include <shardy/resharding/detail/halo_plan.hpp>
#include <vector>

#include "support/catch.hpp"

using namespace shardy;

namespace reshape_groups_test {
namespace {

using Dims = std::vector<int64_t>;

AxisRef axis(int32_t index, int64_t size) { return {index, 1, size}; }

}  // namespace

TEST_CASE("reshape groups are the finest groups of dims with equal products", "[partitioning]") {
  struct Row {
    Dims in;
    Dims out;
    std::vector<ReshapeGroup> groups;
  };
  const std::vector<Row> rows = {
      {{2, 6}, {12}, {{0, 2, 0, 1}}},
      {{12}, {2, 6}, {{0, 1, 0, 2}}},
      {{2, 3}, {2, 3}, {{0, 1, 0, 1}, {1, 2, 1, 2}}},
      {{4, 6}, {6, 4}, {{0, 2, 0, 2}}},
      {{1, 4}, {4}, {{0, 2, 0, 1}}},
      {{4}, {1, 4, 1}, {{0, 1, 0, 3}}},
      {{1, 4}, {1, 2, 2}, {{0, 1, 0, 1}, {1, 2, 1, 3}}},
      {{2, 3, 1}, {2, 3}, {{0, 1, 0, 1}, {1, 3, 1, 2}}},
      {{}, {1, 1}, {{0, 0, 0, 2}}},
      {{}, {}, {{0, 0, 0, 0}}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.in, row.out);
    CHECK(reshape_groups(row.in, row.out) == row.groups);
  }
}

TEST_CASE("shards are consecutive in flat order only under the conditions of partitioning 8.3 d",
          "[partitioning]") {
  const auto flat = [](Dims dims, std::vector<AxisList> axes) { return flat_tiling(dims, axes); };
  SECTION("the first dim alone") {
    const auto tiling = flat({3, 2}, {{axis(0, 2)}, {}});
    REQUIRE(tiling);
    CHECK(tiling->volume == 4);
    CHECK_FALSE(tiling->even);
  }
  SECTION("one element per shard, then a sharded dim") {
    const auto tiling = flat({2, 3}, {{axis(0, 2)}, {axis(1, 2)}});
    REQUIRE(tiling);
    CHECK(tiling->volume == 2);
    CHECK(tiling->levels.size() == 2);
    CHECK(tiling->levels[0].step == 3);
    CHECK(tiling->levels[1].step == 2);
  }
  SECTION("a whole dim before a sharded one") { CHECK_FALSE(flat({2, 4}, {{}, {axis(0, 2)}})); }
  SECTION("two sharded dims of one group") {
    CHECK_FALSE(flat({4, 4}, {{axis(0, 2)}, {axis(1, 2)}}));
  }
  SECTION("sub-axes of one axis join") {
    const auto tiling = flat({2, 6}, {{{0, 1, 2}}, {{0, 2, 2}}});
    REQUIRE(tiling);
    CHECK(tiling->axes == AxisList{{0, 1, 4}});
  }
}

TEST_CASE("a flat exchange gives every shard its elements", "[partitioning][law]") {
  // The lists are [dims of the result] and the shards of each dim. All sharded dims but the last
  // have one element per shard.
  std::mt19937_64 engine(3);
  const auto between = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine() % static_cast<uint64_t>(high - low + 1));
  };
  for (int round = 0; round < 20000; ++round) {
    const int64_t major = between(1, 3);
    const int64_t last_shards = between(1, 4);
    const Dims dims = {major, between(1, 9), between(1, 4)};
    const std::vector<AxisList> axes = {
        major > 1 ? AxisList{axis(0, major)} : AxisList{},
        last_shards > 1 ? AxisList{axis(1, last_shards)} : AxisList{},
        {}};
    const auto to = flat_tiling(dims, axes);
    REQUIRE(to);
    const int64_t shards = major * last_shards;
    const int64_t size = product(dims);
    // The operand is one dim of that size times a row. It is sharded evenly or unevenly.
    const int64_t row = size % 2 == 0 ? 2 : 1;
    const int64_t tile = ceil_div(size / row, shards) * row;
    const HaloPlan plan = plan_flat_halo(shards, tile, *to, {.max_pieces = between(1, 8)});
    const int64_t last_tile = ceil_div(dims[1], last_shards);
    for (int64_t shard = 0; shard < shards; ++shard) {
      const int64_t start =
          (shard / last_shards) * dims[1] * dims[2] + (shard % last_shards) * last_tile * dims[2];
      std::vector<int64_t> buffer;
      int64_t offset = 0;
      if (plan.kind == HaloPlan::Kind::Gather) {
        for (int64_t position = 0; position < shards * tile; ++position) buffer.push_back(position);
        buffer.insert(buffer.end(), static_cast<std::size_t>(plan.pad_high), -1);
        offset = start;
      } else {
        for (const HaloPiece& piece : plan.pieces) {
          for (int64_t at = piece.begin; at < piece.end; ++at) {
            buffer.push_back((shard + piece.hop) * tile + at);
          }
        }
        offset = plan.constant_offset ? plan.offset : start - shard * tile - plan.low;
      }
      for (int64_t at = 0; at < to->volume; ++at) {
        const int64_t in_dim = (shard % last_shards) * last_tile + at / dims[2];
        if (in_dim >= dims[1]) continue;  // padding
        CAPTURE(dims, shards, tile, shard, at, static_cast<int>(plan.kind));
        const auto index = static_cast<std::size_t>(
            std::clamp<int64_t>(offset, 0, std::ssize(buffer) - to->volume) + at);
        REQUIRE(buffer[index] == start + at);
      }
    }
  }
}

}  // namespace reshape_groups_test
