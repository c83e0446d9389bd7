#include <cstdint>
#include <optional>
#include <random>
#include <shardy/resharding/detail/halo_plan.hpp>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace shardy;

namespace halo_plan_test {
namespace {

int64_t between(std::mt19937_64& engine, int64_t low, int64_t high) {
  return low + static_cast<int64_t>(engine() % static_cast<uint64_t>(high - low + 1));
}

/// Elements of each shard after the plan: -1 matches anything.
class PlanModel {
 public:
  PlanModel(const HaloRequest& want, const HaloPlan& plan) : want_(want), plan_(plan) {}

  std::vector<int64_t> window(int64_t shard) const {
    if (plan_.kind == HaloPlan::Kind::Empty) return std::vector<int64_t>(size_of(want_.length), -1);
    std::vector<int64_t> buffer;
    int64_t offset = 0;
    if (plan_.kind == HaloPlan::Kind::Compact && !plan_.pieces.empty()) return pieces(shard);
    if (plan_.kind == HaloPlan::Kind::Compact) {
      buffer = compact(shard);
      offset = want_.start(shard) - want_.start.divided_by(want_.dim.tile)(shard) * want_.dim.tile;
    } else if (plan_.kind == HaloPlan::Kind::Gather) {
      buffer.assign(size_of(plan_.pad_low), -1);
      for (int64_t source = 0; source < want_.dim.shards; ++source) append_tile(buffer, source);
      buffer.insert(buffer.end(), size_of(plan_.pad_high), -1);
      offset = want_.start(shard) + plan_.pad_low;
    } else {
      buffer.assign(size_of(plan_.pad_low), -1);
      for (const HaloPiece& piece : plan_.pieces) {
        for (int64_t at = piece.begin; at < piece.end; ++at) {
          const bool comes = piece.only.value_or(shard) == shard;
          buffer.push_back(comes ? element(shard + piece.hop, at) : -1);
        }
      }
      buffer.insert(buffer.end(), size_of(plan_.pad_high), -1);
      offset = plan_.constant_offset
                   ? plan_.offset
                   : want_.start(shard) - shard * want_.dim.tile - plan_.low + plan_.pad_low;
    }
    const int64_t last = static_cast<int64_t>(buffer.size()) - want_.length;
    REQUIRE(last >= 0);
    offset = std::clamp<int64_t>(offset, 0, last);  // as dynamic_slice does
    return {buffer.begin() + offset, buffer.begin() + offset + want_.length};
  }

 private:
  static std::size_t size_of(int64_t count) { return static_cast<std::size_t>(count); }
  int64_t element(int64_t source, int64_t at) const {
    const int64_t position = source * want_.dim.tile + at;
    const bool exists = source >= 0 && source < want_.dim.shards && position < want_.dim.size;
    return exists ? position : -1;
  }
  void append_tile(std::vector<int64_t>& buffer, int64_t source) const {
    for (int64_t at = 0; at < want_.dim.tile; ++at) buffer.push_back(element(source, at));
  }
  std::vector<int64_t> compact(int64_t shard) const {
    std::vector<int64_t> buffer;
    for (int64_t tile = 0; tile < plan_.tiles; ++tile) {
      const int64_t source = want_.start.divided_by(want_.dim.tile)(shard) + tile;
      append_tile(buffer, source);
    }
    return buffer;
  }

  /// Each piece comes from the tile in which it begins, and no shard sends it to two receivers of a
  /// class.
  std::vector<int64_t> pieces(int64_t shard) const {
    std::vector<int64_t> buffer;
    const int64_t tile = want_.dim.tile;
    for (const HaloPiece& piece : plan_.pieces) {
      const int64_t begin = want_.start(shard) + piece.begin;
      const int64_t source = floor_div(begin, tile);
      for (int64_t other = floor_mod(shard, plan_.residues); other < want_.dim.shards;
           other += plan_.residues) {
        REQUIRE((other == shard || floor_div(want_.start(other) + piece.begin, tile) != source));
      }
      for (int64_t at = piece.begin; at < piece.end; ++at) {
        buffer.push_back(element(source, begin - source * tile + at - piece.begin));
        REQUIRE(begin - source * tile + at - piece.begin < tile);
      }
    }
    return buffer;
  }

  const HaloRequest& want_;
  const HaloPlan& plan_;
};

HaloRequest random_request(std::mt19937_64& engine) {
  const int64_t shards = between(engine, 1, 9);
  HaloRequest want;
  want.dim = Tiling::of(between(engine, 0, 20), shards);
  want.start = {between(engine, 0, 7), between(engine, -15, 15), between(engine, 1, 4)};
  want.length = between(engine, 1, 9);
  want.receivers = between(engine, 1, shards);
  if (between(engine, 0, 1) == 0) {
    const int64_t begin = between(engine, 0, want.dim.size);
    want.wanted = NeededRange{begin, between(engine, begin, want.dim.size)};
  }
  return want;
}

}  // namespace

TEST_CASE("window_extent is the extent over all shards that need data", "[partitioning][law]") {
  std::mt19937_64 engine(1);
  for (int round = 0; round < 200000; ++round) {
    const HaloRequest want = random_request(engine);
    if (want.dim.size == 0) continue;
    std::optional<WindowExtent> expected;
    const NeededRange wanted = want.counted();
    for (int64_t shard = 0; shard < want.receivers; ++shard) {
      const int64_t begin = want.start(shard);
      if (begin >= wanted.end || begin + want.length <= wanted.begin) continue;
      if (wanted.begin == wanted.end) continue;
      const int64_t own = shard * want.dim.tile;
      if (!expected) {
        expected = WindowExtent{shard, shard, INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN};
      }
      expected->last_shard = shard;
      expected->low = std::min(expected->low, std::max(begin, wanted.begin) - own);
      expected->high = std::max(expected->high, std::min(begin + want.length, wanted.end) - own);
      expected->min_start = std::min(expected->min_start, begin - own);
      expected->max_start = std::max(expected->max_start, begin - own);
    }
    const auto extent =
        window_extent(want.start, want.length, want.dim.tile, want.receivers, wanted);
    CAPTURE(want.dim.size, want.dim.shards, want.start.a, want.start.b, want.start.c, want.length);
    REQUIRE(extent.has_value() == expected.has_value());
    if (!extent) continue;
    REQUIRE(extent->low == expected->low);
    REQUIRE(extent->high == expected->high);
    REQUIRE(extent->min_start == expected->min_start);
    REQUIRE(extent->max_start == expected->max_start);
  }
}

TEST_CASE("every halo strategy gives each shard the elements that it needs",
          "[partitioning][law]") {
  std::mt19937_64 engine(2);
  for (int round = 0; round < 100000; ++round) {
    const HaloRequest want = random_request(engine);
    for (const auto& [hull, compact] : {std::pair(true, true), std::pair(true, false),
                                        std::pair(false, true), std::pair(false, false)}) {
      const HaloPlan plan = plan_halo(want, {hull, compact, between(engine, 1, 9)});
      for (int64_t shard = 0; shard < want.receivers; ++shard) {
        const std::vector<int64_t> window = PlanModel(want, plan).window(shard);
        for (int64_t at = 0; at < want.length; ++at) {
          const int64_t position = want.start(shard) + at;
          const NeededRange wanted = want.counted();
          const bool exists = position >= wanted.begin && position < wanted.end;
          const int64_t got = window[static_cast<std::size_t>(at)];
          if (exists && got != position) {
            CAPTURE(want.dim.size, want.dim.shards, want.start.a, want.start.b, want.start.c);
            CAPTURE(want.length, want.receivers, shard, at, static_cast<int>(plan.kind));
            REQUIRE(got == position);
          }
          if (plan.in_range) REQUIRE(exists);
        }
      }
    }
  }
}

TEST_CASE("examples of the halo exchange", "[partitioning]") {
  SECTION("A: pad by 2 and 1, 7 elements on 2 shards") {
    const HaloPlan plan = plan_halo({Tiling::of(7, 2), {5, -2, 1}, 5, 2});
    CHECK(plan.kind == HaloPlan::Kind::Hull);
    CHECK(plan.pieces == std::vector<HaloPiece>{{-1, 3, 4}, {0, 0, 3}});
    CHECK(plan.low == -1);
    CHECK(plan.pad_low == 1);
    CHECK(plan.pad_high == 1);
    CHECK_FALSE(plan.constant_offset);
  }
  SECTION("B: slice [2:9:2] of 10 on 4 shards") {
    const HaloPlan plan = plan_halo({Tiling::of(10, 4), {2, 2, 1}, 1, 4});
    CHECK(plan.kind == HaloPlan::Kind::Hull);
    CHECK(plan.pieces == std::vector<HaloPiece>{{-1, 2, 3, 3}, {0, 0, 3}});  // to shard 3 alone
  }
  SECTION("C: doubling 16 elements on 16 shards needs 2 whole tiles") {
    const HaloPlan plan = plan_halo({Tiling::of(16, 16), {2, 0, 1}, 2, 16});
    CHECK(plan.kind == HaloPlan::Kind::Compact);
    CHECK(plan.tiles == 2);
    CHECK(plan.residues == 1);
  }
  SECTION("C on 1000 shards is the same") {
    const HaloPlan plan = plan_halo({Tiling::of(1000, 1000), {2, 0, 1}, 2, 1000});
    CHECK(plan.kind == HaloPlan::Kind::Compact);
    CHECK(plan.tiles == 2);
  }
  SECTION("D: slice [4:12] of 16 on 8 shards has two classes of receivers") {
    const HaloPlan plan = plan_halo({Tiling::of(16, 8), {1, 4, 1}, 1, 8});
    CHECK(plan.kind == HaloPlan::Kind::Compact);
    CHECK(plan.pieces == std::vector<HaloPiece>{{0, 0, 1}});
    CHECK(plan.residues == 2);
    CHECK(plan.received == 2);
  }
  SECTION("E: windows of 200 of 1000 elements on 8 shards are 8 pieces of one tile each") {
    const HaloPlan plan = plan_halo({Tiling::of(1000, 8), {200, 0, 1}, 200, 5});
    CHECK(plan.kind == HaloPlan::Kind::Compact);
    CHECK(plan.tiles == 0);
    CHECK(plan.residues == 1);
    CHECK(plan.pieces.size() == 8);
    CHECK(plan.pieces[3] == HaloPiece{0, 75, 100});
    CHECK(plan.received == 200);
  }
  SECTION("a shift by one stage is one piece") {
    const HaloPlan plan = plan_halo({Tiling::of(8, 8), {1, -1, 1}, 1, 8});
    CHECK(plan.pieces == std::vector<HaloPiece>{{-1, 0, 1}});
  }
}

TEST_CASE("halo plans on three and six shards with a short last shard", "[partitioning]") {
  using Kind = HaloPlan::Kind;
  SECTION("each shard needs one element of both neighbours") {
    // 10 elements in shards of 4, 4 and 2; windows [4p - 1, 4p + 5) inside [0, 10) are [0, 5),
    // [3, 9) and [7, 10), which are [-1, 5) relative to the own shard.
    const HaloPlan plan = plan_halo({Tiling::of(10, 3), {4, -1, 1}, 6, 3});
    CHECK(plan == HaloPlan{.kind = Kind::Hull,
                           .pieces = {{-1, 3, 4}, {0, 0, 4}, {1, 0, 1}},
                           .low = -1,
                           .constant_offset = true,
                           .all_read = true,
                           .received = 2});
  }
  SECTION("windows of three in shards of four reach back only in the last shard") {
    // Windows [3p + 1, 3p + 4): [1, 4) and [4, 7) are in shards [0, 4) and [4, 8), [7, 10) begins
    // one element before the shard [8, 10).
    const HaloPlan plan = plan_halo({Tiling::of(10, 3), {3, 1, 1}, 3, 3});
    CHECK(plan == HaloPlan{.kind = Kind::Hull,
                           .pieces = {{-1, 3, 4, 2}, {0, 0, 4}},
                           .low = -1,
                           .in_range = true,
                           .all_read = true,
                           .received = 1});
  }
  SECTION("windows inside their shards need no halo, and the last of six shards is empty") {
    // 13 elements in shards of 3: 3, 3, 3, 3, 1 and 0.
    const HaloPlan plan = plan_halo({Tiling::of(13, 6), {3, 0, 1}, 3, 6});
    CHECK(plan == HaloPlan{.kind = Kind::Local, .pieces = {{0, 0, 3}}, .constant_offset = true});
  }
  SECTION("windows past the end need no elements") {
    CHECK(plan_halo({Tiling::of(13, 6), {0, 13, 1}, 2, 6}) == HaloPlan{});
    CHECK(plan_halo({Tiling::of(0, 3), {0, 0, 1}, 2, 3}) == HaloPlan{});
  }
  SECTION("every shard needs all elements") {
    // A gather brings 2 * 4 elements to each, hops to four neighbours 4 + 4 + 4 + 2.
    const HaloPlan plan = plan_halo({Tiling::of(10, 3), {0, 0, 1}, 10, 3});
    CHECK(
        plan ==
        HaloPlan{
            .kind = Kind::Gather, .pieces = {}, .in_range = true, .all_read = true, .received = 8});
  }
}

TEST_CASE("the busiest shard of several halo plans equals that of a search over all shards",
          "[partitioning][law]") {
  std::mt19937_64 engine(5);
  for (int round = 0; round < 20000; ++round) {
    std::vector<HaloPlan> plans;
    std::vector<int64_t> weights;
    const int64_t shards = between(engine, 1, 9);
    for (int64_t index = between(engine, 1, 3); index > 0; --index) {
      HaloRequest want = random_request(engine);
      want.dim = Tiling::of(want.dim.size, shards);
      want.receivers = shards;
      plans.push_back(plan_halo(want, {true, false, 9}));
      weights.push_back(between(engine, 1, 4));
    }
    int64_t most = 0;
    for (int64_t shard = 0; shard < shards; ++shard) {
      int64_t sum = 0;
      for (std::size_t index = 0; index < plans.size(); ++index) {
        sum += received_by(plans[index], shard, shards) * weights[index];
      }
      most = std::max(most, sum);
    }
    REQUIRE(most_received(plans, weights, shards) == most);
  }
}

TEST_CASE("tiles_nest is true only if each fine tile is inside one coarse tile", "[partitioning]") {
  for (int64_t size = 0; size <= 30; ++size) {
    for (int64_t coarse = 1; coarse <= 6; ++coarse) {
      for (int64_t parts = 1; parts <= 6; ++parts) {
        const int64_t tile = ceil_div(size, coarse);
        const int64_t fine = ceil_div(size, coarse * parts);
        bool nested = true;
        for (int64_t position = 0; position < size; ++position) {
          nested = nested && position / tile == position / fine / parts;
        }
        CAPTURE(size, coarse, parts);
        // If they nest only because of a short dim, treating them as not nested costs only bytes.
        if (tiles_nest(size, coarse, parts)) CHECK(nested);
      }
    }
  }
}

}  // namespace halo_plan_test
