// Blocks that are turned in registers of each size, next to element by element.
#include <algorithm>
#include <cstring>
#include <vector>

#include "simulation/register_versions.hpp"
#include "simulation/turned_blocks.hpp"
#include "support/catch.hpp"

namespace shardy_test {
namespace {

namespace sim = shardy::simulation;

/// Bytes around what is written: a copy must leave them alone.
constexpr std::size_t kMargin = 64;

struct TurnedCase {
  int64_t rows;     // of `to`: contiguous elements
  int64_t columns;  // of `from`
  int64_t from_gap;
  int64_t to_gap;
  int64_t to_offset;    // elements
  bool upward = false;  // rows of `from` are read from the last to the first
};

template <std::size_t kBytes>
struct Buffers {
  explicit Buffers(const TurnedCase& each)
      : from_pitch(each.columns + each.from_gap), to_pitch(each.rows + each.to_gap) {
    from.resize(static_cast<std::size_t>(from_pitch * each.rows) * kBytes);
    for (std::size_t at = 0; at < from.size(); ++at) {
      from[at] = static_cast<std::byte>(at * 2654435761U >> 11U);
    }
    to.resize(static_cast<std::size_t>(to_pitch * each.columns + each.to_offset) * kBytes +
              3 * kMargin);
    // Behind the begin of a cache line.
    place = kMargin + static_cast<std::size_t>(sim::kLineBytes - sim::past_line(to.data())) +
            static_cast<std::size_t>(each.to_offset) * kBytes;
  }

  /// Elements [place + ..] of a buffer like `to`, one by one.
  std::vector<std::byte> expected(const TurnedCase& each) const {
    std::vector<std::byte> result(to.size());
    for (int64_t row = 0; row < each.rows; ++row) {
      for (int64_t column = 0; column < each.columns; ++column) {
        const int64_t from_row = each.upward ? each.rows - 1 - row : row;
        const auto source = static_cast<std::size_t>(from_row * from_pitch + column) * kBytes;
        const auto target = place + static_cast<std::size_t>(column * to_pitch + row) * kBytes;
        std::memcpy(result.data() + target, from.data() + source, kBytes);
      }
    }
    return result;
  }

  int64_t from_pitch;
  int64_t to_pitch;
  std::size_t place;
  std::vector<std::byte> from;
  std::vector<std::byte> to;
};

template <std::size_t kBytes>
struct Blocks {
  template <std::size_t kRegisterBytes>
  using Of = sim::detail::TurnedBlocks<kBytes, kRegisterBytes>;
};

/// Those that the plane is large enough for.
template <std::size_t kBytes>
auto turned_versions(const sim::Plane& plane) {
  auto versions = register_versions<Blocks<kBytes>::template Of>();
#if defined(SHARDY_WIDE_CODE)
  using Widest = typename Blocks<kBytes>::template Of<64>;
  if (sim::runs_widest_code() && Widest::fits(plane)) {
    versions.push_back({"widest", &sim::Versions<Widest>::widest});
  }
#endif
  return versions;
}

/// As a part of results of each size.
template <std::size_t kBytes>
void check_turned(const TurnedCase& each) {
  constexpr auto kStep = static_cast<std::ptrdiff_t>(kBytes);
  Buffers<kBytes> buffers(each);
  const std::vector<std::byte> expected = buffers.expected(each);
  const std::ptrdiff_t from_step = buffers.from_pitch * kStep;
  const std::ptrdiff_t begin = each.upward ? (each.rows - 1) * from_step : 0;
  sim::Plane plane = {{each.columns, kStep, buffers.to_pitch * kStep},
                      {each.rows, each.upward ? -from_step : from_step, kStep}};
  for (const auto& [name, loop] : turned_versions<kBytes>(plane)) {
    for (const auto room : {sim::Room::NearCache, sim::Room::SharedCache, sim::Room::Memory}) {
      CAPTURE(name, kBytes, each.rows, each.columns, each.from_gap, each.to_gap, each.to_offset,
              room, each.upward);
      plane.room = room;
      std::ranges::fill(buffers.to, std::byte{0});
      loop(buffers.from.data() + begin, buffers.to.data() + buffers.place, plane);
      sim::finish_streams();
      REQUIRE(buffers.to == expected);
    }
  }
}

template <std::size_t kBytes>
void check_sizes() {
  constexpr auto kSide = static_cast<int64_t>(16 / kBytes);
  constexpr auto kRegister = static_cast<int64_t>(32 / kBytes);
  constexpr auto kBlock = static_cast<int64_t>(128 / kBytes);
  const std::vector<int64_t> rows = {kSide,      kSide + 1,  kBlock - 1,     kBlock,
                                     kBlock + 1, 2 * kBlock, 2 * kBlock + 3, 3 * kBlock - 1};
  for (const int64_t num_rows : rows) {
    for (const int64_t num_columns :
         {kRegister, kRegister + 1, kBlock - 1, kBlock + 5, int64_t{203}}) {
      if (num_columns < kRegister) continue;
      for (const int64_t gap : {0, 1, 5}) {
        check_turned<kBytes>({num_rows, num_columns, gap, gap, gap});
      }
      // Rows of whole cache lines, and such that begin alike in them.
      const int64_t whole = (num_rows + kBlock - 1) / kBlock * kBlock;
      check_turned<kBytes>({num_rows, num_columns, 0, whole - num_rows, 0});
      check_turned<kBytes>({num_rows, num_columns, 3, whole - num_rows, 3});
    }
  }
}

TEST_CASE("blocks turned in registers of each size are turned right", "[simulation][layout]") {
  check_sizes<1>();
  check_sizes<2>();
  check_sizes<4>();
  check_sizes<8>();
  check_sizes<16>();
}

/// Each place of a cache line at which rows may begin and end.
template <std::size_t kBytes>
void check_ends() {
  constexpr auto kLine = static_cast<int64_t>(64 / kBytes);
  constexpr int64_t kColumns = std::max<int64_t>(32, kLine) + 7;
  for (int64_t num_rows = 2 * kLine; num_rows <= 7 * kLine; ++num_rows) {
    for (const int64_t offset : {int64_t{0}, int64_t{1}, kLine / 2, kLine - 1}) {
      check_turned<kBytes>({num_rows, kColumns, 0, 0, offset});
    }
    check_turned<kBytes>({num_rows, kColumns, 2, 3, 1});
    check_turned<kBytes>({num_rows, kColumns, 0, 0, 1, true});
  }
}

TEST_CASE("rows of each length begin and end in cache lines", "[simulation][layout]") {
  check_ends<1>();
  check_ends<2>();
  check_ends<4>();
  check_ends<8>();
  check_ends<16>();
}

TEST_CASE("bands of many columns are turned stripe by stripe", "[simulation][layout]") {
  for (const int64_t columns : {2047, 2048, 2049, 4500}) {
    check_turned<1>({300, columns, 0, 84, 0});
    check_turned<2>({150, columns, 0, 42, 0});
    check_turned<4>({75, columns, 1, 0, 0});
  }
}

/// Rows of the operand, of the result or of both share few sets of a near cache.
template <std::size_t kBytes>
void check_crowds() {
  constexpr auto kStep = static_cast<int64_t>(kBytes);
  constexpr auto kBlock = static_cast<int64_t>(256 / kBytes);
  constexpr int64_t kPage = 4096 / kStep;
  for (const int64_t num_rows : {kBlock - 1, kBlock, 2 * kBlock + 3}) {
    for (const int64_t num_columns : {63, 64, 201}) {
      const int64_t to_gap = kPage - num_rows;
      const int64_t from_gap = kPage - num_columns;
      check_turned<kBytes>({num_rows, num_columns, 1, to_gap, 0});
      check_turned<kBytes>({num_rows, num_columns, from_gap, 3, 1});
      check_turned<kBytes>({num_rows, num_columns, from_gap, to_gap, 3});
      check_turned<kBytes>({num_rows, num_columns, from_gap + 1, to_gap + 1, 1, true});
    }
  }
}

TEST_CASE("rows that share sets of a cache are turned right", "[simulation][layout]") {
  check_crowds<1>();
  check_crowds<2>();
  check_crowds<4>();
  check_crowds<8>();
  check_crowds<16>();
}

TEST_CASE("more than four of 64 lines in a set of 64 crowd it", "[simulation][layout]") {
  using sim::detail::crowds_cache;
  for (const int64_t step : {4096, -4096, 8192, 2048, 1024, 512, 4100, 4094, 2050}) {
    CAPTURE(step);
    CHECK(crowds_cache(step, 64));
    CHECK_FALSE(crowds_cache(step, 4));
  }
  for (const int64_t step : {16, 64, 128, 192, 256, 2000, 2060, 4080, 4096 + 64, -2000}) {
    CAPTURE(step);
    CHECK_FALSE(crowds_cache(step, 64));
  }
}

}  // namespace
}  // namespace shardy_test
