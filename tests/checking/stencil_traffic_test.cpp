// Stencils: values made of slices and written into larger ones, borders made of updates and
// concatenations. Each device sends the rows that its neighbours need. Spec: resharding A.10.3,
// A.10.4, C.8.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "checking/window_programs.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/text/mlir.hpp"

using namespace shardy;
using namespace shardy_test;

namespace stencil_traffic_test {
namespace {

/// Bytes of the busiest device; the run is that of the unsharded program, bit for bit.
int64_t sent(const std::string& text) { return most_bytes_sent(run_checked(text).sharded); }

std::string number(int64_t value) { return std::to_string(value); }

/// Shards of the rows and of the columns.
struct Grid {
  int64_t rows = 1;
  int64_t columns = 1;
};

const std::vector<Grid> kGrids = {{2, 1}, {3, 1}, {4, 1}, {6, 1}, {8, 1},
                                  {2, 2}, {4, 2}, {2, 4}, {3, 3}, {6, 2}};

/// Sizes of the dims: even and uneven, also such that the interior has other tiles.
std::vector<std::pair<int64_t, int64_t>> sizes_on(const Grid& grid) {
  const int64_t rows = 8 * grid.rows;
  const int64_t columns = 6 * grid.columns;
  return {
      {rows, columns}, {rows - 1, columns - 1}, {rows + 2, columns + 1}, {rows + 1, columns + 2}};
}

int64_t tile_of(int64_t size, int64_t shards) { return (size + shards - 1) / shards; }

/// Builds a function of one f32 matrix %x, sharded over the grid, that returns one of its shape.
class Program {
 public:
  Program(const Grid& grid, int64_t rows, int64_t columns)
      : grid_(grid), rows_(rows), columns_(columns) {}

  static std::string type(int64_t rows, int64_t columns) {
    return "tensor<" + number(rows) + "x" + number(columns) + "xf32>";
  }

  /// Elements [row, row + rows) and [column, column + columns) of a value of that type.
  std::string slice(const std::string& value, std::pair<int64_t, int64_t> whole, int64_t row,
                    int64_t rows, int64_t column, int64_t columns) {
    return op("stablehlo.slice " + value + " [" + number(row) + ":" + number(row + rows) + ", " +
              number(column) + ":" + number(column + columns) + "] : (" +
              type(whole.first, whole.second) + ") -> " + type(rows, columns));
  }

  std::string binary(const std::string& kind, const std::string& a, const std::string& b,
                     int64_t rows, int64_t columns) {
    return op("stablehlo." + kind + " " + a + ", " + b + " : " + type(rows, columns));
  }

  std::string update(const std::string& value, std::pair<int64_t, int64_t> whole,
                     const std::string& part, std::pair<int64_t, int64_t> size, int64_t row,
                     int64_t column) {
    const std::string at = start(row) + ", " + start(column);
    return op("stablehlo.dynamic_update_slice " + value + ", " + part + ", " + at + " : (" +
              type(whole.first, whole.second) + ", " + type(size.first, size.second) +
              ", tensor<i32>, tensor<i32>) -> " + type(whole.first, whole.second));
  }

  std::string pad(const std::string& value, std::pair<int64_t, int64_t> size, int64_t low_row,
                  int64_t high_row, int64_t low_column, int64_t high_column) {
    const std::string fill = op("stablehlo.constant dense<3.0> : tensor<f32>");
    return op("stablehlo.pad " + value + ", " + fill + ", low = [" + number(low_row) + ", " +
              number(low_column) + "], high = [" + number(high_row) + ", " + number(high_column) +
              "], interior = [0, 0] : (" + type(size.first, size.second) + ", tensor<f32>) -> " +
              type(size.first + low_row + high_row, size.second + low_column + high_column));
  }

  /// Three values along a dim: edges of one row or column, and `size` between.
  std::string joined(const std::string& low, const std::string& value, const std::string& high,
                     std::pair<int64_t, int64_t> size, int64_t dim) {
    const std::string edge = dim == 0 ? type(1, size.second) : type(size.first, 1);
    const std::string whole =
        dim == 0 ? type(size.first + 2, size.second) : type(size.first, size.second + 2);
    return op("stablehlo.concatenate " + low + ", " + value + ", " + high +
              ", dim = " + number(dim) + " : (" + edge + ", " + type(size.first, size.second) +
              ", " + edge + ") -> " + whole);
  }

  std::string returning(const std::string& value) const {
    const std::string io =
        type(rows_, columns_) + " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>}";
    return "sdy.mesh @mesh = <[\"x\"=" + number(grid_.rows) + ", \"y\"=" + number(grid_.columns) +
           "]>\nfunc.func @main(%x: " + io + ") -> (" + io + ") {\n" + body_ + "  return " + value +
           " : " + type(rows_, columns_) + "\n}\n";
  }

 private:
  std::string op(const std::string& text) {
    const std::string name = "%v" + number(count_++);
    body_ += "  " + name + " = " + text + "\n";
    return name;
  }
  std::string start(int64_t at) {
    return op("stablehlo.constant dense<" + number(at) + "> : tensor<i32>");
  }

  Grid grid_;
  int64_t rows_;
  int64_t columns_;
  std::string body_;
  int64_t count_ = 0;
};

enum class Border : uint8_t { Update, Pad };

/// Four neighbours of the interior, written back or padded.
std::string jacobi(const Grid& grid, int64_t rows, int64_t columns, Border border) {
  Program at(grid, rows, columns);
  const std::pair<int64_t, int64_t> whole = {rows, columns};
  const int64_t r = rows - 2;
  const int64_t c = columns - 2;
  const std::string above = at.slice("%x", whole, 0, r, 1, c);
  const std::string below = at.slice("%x", whole, 2, r, 1, c);
  const std::string left = at.slice("%x", whole, 1, r, 0, c);
  const std::string right = at.slice("%x", whole, 1, r, 2, c);
  const std::string sum = at.binary("add", at.binary("add", above, below, r, c),
                                    at.binary("subtract", left, right, r, c), r, c);
  return at.returning(border == Border::Update ? at.update("%x", whole, sum, {r, c}, 1, 1)
                                               : at.pad(sum, {r, c}, 1, 1, 1, 1));
}

/// A row to each side and a column to each side: both neighbours of inner devices need them.
int64_t edges(const Grid& grid, int64_t rows, int64_t columns, bool periodic) {
  const auto sides = [&](int64_t shards) {
    return shards == 1 ? 0 : periodic ? 2 : std::min<int64_t>(2, shards - 1);
  };
  const int64_t tile_rows = tile_of(rows, grid.rows);
  const int64_t tile_columns = tile_of(columns, grid.columns);
  return 4 * (sides(grid.rows) * tile_columns + sides(grid.columns) * tile_rows);
}

}  // namespace

TEST_CASE("a stencil of the interior sends a row and a column to each neighbour",
          "[rewrites][traffic]") {
  for (const Grid& grid : kGrids) {
    for (const auto& [rows, columns] : sizes_on(grid)) {
      CAPTURE(grid.rows, grid.columns, rows, columns);
      const int64_t least = edges(grid, rows, columns, false);
      CHECK(sent(jacobi(grid, rows, columns, Border::Update)) <= least);
      CHECK(sent(jacobi(grid, rows, columns, Border::Pad)) <= least);
    }
  }
}

TEST_CASE("a border row between concatenated rows is computed where it is joined",
          "[rewrites][traffic]") {
  for (const Grid& grid : kGrids) {
    if (grid.columns > 1) continue;
    for (const auto& [rows, columns] : sizes_on(grid)) {
      CAPTURE(grid.rows, rows, columns);
      Program at(grid, rows, columns);
      const std::pair<int64_t, int64_t> whole = {rows, columns};
      const int64_t r = rows - 2;
      const std::string sum = at.binary("add", at.slice("%x", whole, 0, r, 0, columns),
                                        at.slice("%x", whole, 2, r, 0, columns), r, columns);
      const std::string first = at.slice("%x", whole, 0, 1, 0, columns);
      const std::string last = at.slice("%x", whole, rows - 1, 1, 0, columns);
      CHECK(sent(at.returning(at.joined(first, sum, last, {r, columns}, 0))) <=
            edges(grid, rows, columns, false));
    }
  }
}

namespace {

/// Values with a border of one element, taken from the other end.
enum class Periodic : uint8_t { Updates, Joined };

std::string with_border(Program& at, int64_t rows, int64_t columns, Periodic kind) {
  const std::pair<int64_t, int64_t> size = {rows, columns};
  const std::pair<int64_t, int64_t> whole = {rows + 2, columns + 2};
  const std::string first = at.slice("%x", size, 0, 1, 0, columns);
  const std::string last = at.slice("%x", size, rows - 1, 1, 0, columns);
  if (kind == Periodic::Joined) {
    const std::string tall = at.joined(last, "%x", first, size, 0);
    const std::pair<int64_t, int64_t> tall_size = {rows + 2, columns};
    const std::string left = at.slice(tall, tall_size, 0, rows + 2, 0, 1);
    const std::string right = at.slice(tall, tall_size, 0, rows + 2, columns - 1, 1);
    return at.joined(right, tall, left, tall_size, 1);
  }
  const std::string left = at.slice("%x", size, 0, rows, 0, 1);
  const std::string right = at.slice("%x", size, 0, rows, columns - 1, 1);
  std::string value = at.pad("%x", size, 1, 1, 1, 1);
  value = at.update(value, whole, last, {1, columns}, 0, 1);
  value = at.update(value, whole, first, {1, columns}, rows + 1, 1);
  value = at.update(value, whole, right, {rows, 1}, 1, 0);
  return at.update(value, whole, left, {rows, 1}, 1, columns + 1);
}

std::string periodic(const Grid& grid, int64_t rows, int64_t columns, Periodic kind) {
  Program at(grid, rows, columns);
  const std::pair<int64_t, int64_t> whole = {rows + 2, columns + 2};
  const std::string value = with_border(at, rows, columns, kind);
  const std::string above = at.slice(value, whole, 0, rows, 1, columns);
  const std::string below = at.slice(value, whole, 2, rows, 1, columns);
  const std::string left = at.slice(value, whole, 1, rows, 0, columns);
  const std::string right = at.slice(value, whole, 1, rows, 2, columns);
  const std::string vertical = at.binary("add", above, below, rows, columns);
  const std::string horizontal = at.binary("subtract", left, right, rows, columns);
  return at.returning(at.binary("add", vertical, horizontal, rows, columns));
}

}  // namespace

TEST_CASE("a stencil with periodic borders sends only the edges of each device",
          "[rewrites][traffic]") {
  for (const Grid& grid : kGrids) {
    for (const auto& [rows, columns] : sizes_on(grid)) {
      CAPTURE(grid.rows, grid.columns, rows, columns);
      const int64_t least = edges(grid, rows, columns, true);
      CHECK(sent(periodic(grid, rows, columns, Periodic::Updates)) <= least);
      CHECK(sent(periodic(grid, rows, columns, Periodic::Joined)) <= least);
    }
  }
}

namespace {

/// Sums of `taps` consecutive rows: fewer rows than %x has, in other tiles.
std::string sums(int64_t shards, int64_t rows, int64_t taps) {
  const int64_t count = rows - taps + 1;
  const auto type = [](int64_t size) { return Program::type(size, 3); };
  std::string body = "  %s0 = stablehlo.slice %x [0:" + number(count) + ", 0:3] : (" + type(rows) +
                     ") -> " + type(count) + "\n  %a0 = stablehlo.negate %s0 : " + type(count) +
                     "\n";
  for (int64_t tap = 1; tap < taps; ++tap) {
    const std::string index = number(tap);
    body += "  %s" + index + " = stablehlo.slice %x [" + index + ":" + number(count + tap) +
            ", 0:3] : (" + type(rows) + ") -> " + type(count) + "\n  %a" + index +
            " = stablehlo.add %a" + number(tap - 1) + ", %s" + index + " : " + type(count) + "\n";
  }
  const std::string sharding = " {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}";
  return mesh_text(shards) + "func.func @main(%x: " + type(rows) + sharding + ") -> (" +
         type(count) + sharding + ") {\n" + body + "  return %a" + number(taps - 1) + " : " +
         type(count) + "\n}\n";
}

/// Rows to the left and to the right of the tile of some shard that its windows read.
int64_t halo_of_sums(int64_t shards, int64_t rows, int64_t taps) {
  const int64_t have = tile_of(rows, shards);
  const int64_t make = tile_of(rows - taps + 1, shards);
  int64_t left = 0;
  int64_t right = 0;
  for (int64_t shard = 0; shard < shards; ++shard) {
    const int64_t begin = shard * make;
    const int64_t end = std::min(begin + make + taps - 1, rows);
    if (begin >= rows - taps + 1) continue;
    left = std::max(left, shard * have - begin);
    right = std::max(right, end - (shard + 1) * have);
  }
  return shards == 2 ? std::max(left, right) : left + right;
}

}  // namespace

TEST_CASE("windows of consecutive rows share one halo per side", "[rewrites][traffic]") {
  for (const int64_t shards : {2, 3, 4, 6, 8}) {
    for (const int64_t rows : {8 * shards, 9 * shards - 1, 9 * shards - 2}) {
      for (const int64_t taps : {2, 3, 5}) {
        CAPTURE(shards, rows, taps);
        CHECK(sent(sums(shards, rows, taps)) <= 12 * halo_of_sums(shards, rows, taps));
      }
    }
  }
}

// ---- Random chains ------------------------------------------------------------------------------

namespace {

struct Extent {
  int64_t begin = 0;
  int64_t size = 0;
};

Extent any_extent(checking::Random& random, int64_t size) {
  const int64_t count = std::max<int64_t>(1, size - random.between(0, 4));
  return {random.between(0, size - count), count};
}

/// Ops on some slices of %x of one size.
std::string any_tree(Program& at, checking::Random& random, std::pair<int64_t, int64_t> whole,
                     std::pair<int64_t, int64_t> size) {
  const auto slice = [&] {
    return at.slice("%x", whole, random.between(0, whole.first - size.first), size.first,
                    random.between(0, whole.second - size.second), size.second);
  };
  std::string value = slice();
  const std::vector<std::string> kinds = {"add", "subtract", "maximum"};
  for (int64_t count = random.between(0, 3); count > 0; --count) {
    value = at.binary(random.pick(kinds), value, slice(), size.first, size.second);
  }
  return value;
}

std::string any_chain(checking::Random& random) {
  const Grid grid = random.pick(kGrids);
  const std::pair<int64_t, int64_t> whole = {random.between(3, 4 * grid.rows + 3),
                                             random.between(3, 4 * grid.columns + 3)};
  Program at(grid, whole.first, whole.second);
  std::string value = "%x";
  for (int64_t step = random.between(1, 3); step > 0; --step) {
    const Extent rows = any_extent(random, whole.first);
    const Extent columns = any_extent(random, whole.second);
    const std::pair<int64_t, int64_t> size = {rows.size, columns.size};
    const std::string part = any_tree(at, random, whole, size);
    const int64_t high_row = whole.first - rows.size - rows.begin;
    const int64_t high_column = whole.second - columns.size - columns.begin;
    switch (random.between(0, 2)) {
      case 0:
        value = at.update(value, whole, part, size, rows.begin, columns.begin);
        break;
      case 1:
        value = at.binary("add", value,
                          at.pad(part, size, rows.begin, high_row, columns.begin, high_column),
                          whole.first, whole.second);
        break;
      default: {
        const int64_t inner = whole.first - 2;
        const std::string low = any_tree(at, random, whole, {1, whole.second});
        const std::string middle = any_tree(at, random, whole, {inner, whole.second});
        const std::string high = any_tree(at, random, whole, {1, whole.second});
        value = at.binary("subtract", value, at.joined(low, middle, high, {inner, whole.second}, 0),
                          whole.first, whole.second);
      }
    }
  }
  return at.returning(value);
}

/// Slices of a value with borders of updates.
std::string any_border(checking::Random& random) {
  const Grid grid = random.pick(kGrids);
  const int64_t rows = random.between(2, 4 * grid.rows + 3);
  const int64_t columns = random.between(2, 4 * grid.columns + 3);
  Program at(grid, rows, columns);
  const std::pair<int64_t, int64_t> whole = {rows + 2, columns + 2};
  const Periodic kind = random.between(0, 1) == 0 ? Periodic::Updates : Periodic::Joined;
  std::string border = with_border(at, rows, columns, kind);
  if (random.between(0, 1) == 0) {
    const Extent row = any_extent(random, whole.first);
    const Extent column = any_extent(random, whole.second);
    const std::string part = any_tree(at, random, {rows, columns},
                                      {std::min(row.size, rows), std::min(column.size, columns)});
    border =
        at.update(border, whole, part, {std::min(row.size, rows), std::min(column.size, columns)},
                  row.begin, column.begin);
  }
  std::string value = "%x";
  for (int64_t count = random.between(1, 4); count > 0; --count) {
    value = at.binary(
        "subtract", value,
        at.slice(border, whole, random.between(0, 2), rows, random.between(0, 2), columns), rows,
        columns);
  }
  return at.returning(value);
}

}  // namespace

TEST_CASE("values concatenated from slices have the same elements at any offsets",
          "[rewrites][random]") {
  checking::Random random(54);
  for (int round = 0; round < 200; ++round) {
    run_checked(any_chain(random));
    run_checked(any_border(random));
  }
}

TEST_CASE("paddings near the ends of int64 are refused by the pad that has them", "[rewrites]") {
  const std::pair<std::string, std::string> paddings[] = {
      {"9223372036854775790", "-9223372036854775788"},
      {"-9223372036854775790", "9223372036854775792"}};
  for (const auto& [low, high] : paddings) {
    CAPTURE(low);
    const std::string text =
        R"(sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.pad %a, %z, low = [)" +
        low + "], high = [" + high +
        R"(], interior = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<18xf32>
  %n = stablehlo.negate %p : tensor<18xf32>
  %q = stablehlo.pad %n, %z, low = [3], high = [3], interior = [0] : (tensor<18xf32>, tensor<f32>) -> tensor<24xf32>
  return %q : tensor<24xf32>
})";
    const auto compiled = checking::compile(text::parse_mlir(text).value());
    REQUIRE_FALSE(compiled);
    const Error& error = compiled.error().front();
    CHECK(error.headline() ==
          "E_UNSUPPORTED_OP: stablehlo.pad: padding is too large to be lowered");
    CHECK(error.location.line() == 4);
  }
}

// The slices of a concatenation move to its operands; an empty slice has elements of no operand.
TEST_CASE("a slice without elements of joined values stays", "[rewrites]") {
  for (const int64_t at : {0, 3, 8, 16}) {
    CAPTURE(at);
    run_checked(R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                %y: tensor<8x18xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
    -> (tensor<0x16xf32>, tensor<4x16xf32>) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.pad %x, %c, low = [0, 1], high = [0, 1], interior = [0, 0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8x18xf32>
  %0 = stablehlo.concatenate %p, %y, dim = 0 : (tensor<8x18xf32>, tensor<8x18xf32>) -> tensor<16x18xf32>
  %1 = stablehlo.slice %0 [)" +
                number(at) + ":" + number(at) + R"(, 0:16] : (tensor<16x18xf32>) -> tensor<0x16xf32>
  %2 = stablehlo.slice %0 [6:10, 2:18] : (tensor<16x18xf32>) -> tensor<4x16xf32>
  return %1, %2 : tensor<0x16xf32>, tensor<4x16xf32>
}
)");
  }
}

}  // namespace stencil_traffic_test
