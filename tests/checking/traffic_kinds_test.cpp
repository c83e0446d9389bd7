// The least traffic of some kinds of programs: sums that loops add up, moves before ops that
// shorten dims, slices of padded and concatenated values. Spec: resharding C.8, A.10.3.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "checking/window_programs.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/text/mlir.hpp"

using namespace shardy;
using namespace shardy_test;

namespace traffic_kinds_test {
namespace {

/// Returns the bytes of the busiest device over all collectives. Checks that the run equals the
/// unsharded run bit for bit.
int64_t sent(const std::string& text) { return most_bytes_sent(run_checked(text).sharded); }

std::string number(int64_t value) { return std::to_string(value); }

/// Replaces each of `names` by its text.
std::string filled(std::string text,
                   const std::vector<std::pair<std::string, std::string>>& names) {
  for (const auto& [name, by] : names) {
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at + by.size())) {
      text.replace(at, name.size(), by);
    }
  }
  return text;
}

const char* const kSums = R"(MESH
func.func @main(%x: tensor<STEPSxROWSxDEPTHxT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>},
                %g: tensor<STEPSxROWSx7xT> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>},
                %b: tensor<DEPTHx7xT> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %wide: tensor<4096xT>)
    -> (tensor<DEPTHx7xT> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<4096xT>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c, %w = %b) : tensor<i32>, tensor<DEPTHx7xT>
  cond {
    %n = stablehlo.constant dense<STEPS> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %z = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %xi = stablehlo.dynamic_slice %x, %i, %z, %z, sizes = [1, ROWS, DEPTH]
      : (tensor<STEPSxROWSxDEPTHxT>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1xROWSxDEPTHxT>
    %gi = stablehlo.dynamic_slice %g, %i, %z, %z, sizes = [1, ROWS, 7]
      : (tensor<STEPSxROWSx7xT>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1xROWSx7xT>
    %xr = stablehlo.reshape %xi : (tensor<1xROWSxDEPTHxT>) -> tensor<ROWSxDEPTHxT>
    %gr = stablehlo.reshape %gi : (tensor<1xROWSx7xT>) -> tensor<ROWSx7xT>
    %d = stablehlo.dot_general %xr, %gr, contracting_dims = [0] x [0]
      : (tensor<ROWSxDEPTHxT>, tensor<ROWSx7xT>) -> tensor<DEPTHx7xT>
    BODY
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %a : tensor<i32>, tensor<DEPTHx7xT>
  }
  return %0#1, %wide : tensor<DEPTHx7xT>, tensor<4096xT>
})";

/// A loop whose steps make %a from the carried %w and the product %d.
std::string sums(int64_t devices, int64_t depth, int64_t steps, const std::string& element,
                 const std::string& body) {
  return filled(kSums, {{"MESH", mesh_text(devices)},
                        {"BODY", body},
                        {"STEPS", number(steps)},
                        {"ROWS", number(3 * devices)},
                        {"DEPTH", number(depth)},
                        {"xT>", "x" + element + ">"}});
}

/// Returns the bytes of the product, with its padding, that each device sends if the product is
/// scattered.
int64_t scattered(int64_t devices, int64_t depth) {
  return (devices - 1) * ((depth + devices - 1) / devices) * 7 * 4;
}

}  // namespace

TEST_CASE("sums that a loop accumulates sharded are scattered once", "[rewrites][traffic]") {
  const std::string adds = "%a = stablehlo.add %w, %d : tensor<DEPTHx7xT>";
  const std::string twice = R"(%s = stablehlo.add %w, %d : tensor<DEPTHx7xT>
    %h = stablehlo.negate %d : tensor<DEPTHx7xT>
    %e = stablehlo.dot_general %xr, %gr, contracting_dims = [0] x [0]
      : (tensor<ROWSxDEPTHxT>, tensor<ROWSx7xT>) -> tensor<DEPTHx7xT>
    %a = stablehlo.add %e, %w : tensor<DEPTHx7xT>)";
  for (const int64_t devices : {2, 3, 4, 6, 8}) {
    for (const int64_t depth : {devices * 2, devices * 3 - 1}) {
      CAPTURE(devices, depth);
      for (const int64_t steps : {2, 5}) {
        CHECK(sent(sums(devices, depth, steps, "i32", adds)) == scattered(devices, depth));
      }
      CHECK(sent(sums(devices, depth, 3, "f32", adds)) == scattered(devices, depth));
      CHECK(sent(sums(devices, depth, 3, "i32", twice)) == scattered(devices, depth));
    }
  }
}

TEST_CASE("a sum that loop steps read is scattered in each step", "[rewrites][traffic]") {
  const std::string reads = R"(%h = stablehlo.multiply %w, %w : tensor<DEPTHx7xT>
    %s = stablehlo.add %h, %d : tensor<DEPTHx7xT>
    %a = stablehlo.add %s, %w : tensor<DEPTHx7xT>)";
  const std::string greatest = "%a = stablehlo.maximum %w, %d : tensor<DEPTHx7xT>";
  for (const int64_t devices : {2, 3, 4}) {
    CAPTURE(devices);
    CHECK(sent(sums(devices, 2 * devices, 3, "i32", reads)) == 3 * scattered(devices, 2 * devices));
    CHECK(sent(sums(devices, 2 * devices, 3, "i32", greatest)) ==
          3 * scattered(devices, 2 * devices));
  }
}

namespace {

/// Gathers `rows` by 6 by 5 numbers along the rows, and then applies an op.
std::string gathered_then(int64_t devices, int64_t rows, const std::string& ops,
                          const std::string& result) {
  return filled(
      R"(MESH
func.func @main(%x: tensor<ROWSx6x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}, %at: tensor<i32>) -> RESULT {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %g = sdy.sharding_constraint %x <@mesh, [{}, {}, {}]> : tensor<ROWSx6x5xf32>
  OPS
  return %r : RESULT
})",
      {{"MESH", mesh_text(devices)}, {"OPS", ops}, {"RESULT", result}, {"ROWS", number(rows)}});
}

}  // namespace

TEST_CASE("a gather is sunk below slices and reductions of other dims", "[rewrites][traffic]") {
  const std::string slices =
      R"(%r = stablehlo.slice %g [0:ROWS, 1:5:2, 2:5] : (tensor<ROWSx6x5xf32>) -> tensor<ROWSx2x3xf32>)";
  const std::string moves = R"(%i = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.dynamic_slice %g, %i, %at, %i, sizes = [ROWS, 2, 5] : (tensor<ROWSx6x5xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<ROWSx2x5xf32>)";
  const std::string reduces =
      R"(%n = stablehlo.negate %g : tensor<ROWSx6x5xf32>
  %r = stablehlo.reduce(%n init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<ROWSx6x5xf32>, tensor<f32>) -> tensor<ROWSx5xf32>)";
  const std::string chain =
      R"(%s = stablehlo.slice %g [0:ROWS, 0:4, 0:5] : (tensor<ROWSx6x5xf32>) -> tensor<ROWSx4x5xf32>
  %r = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1, 2] : (tensor<ROWSx4x5xf32>, tensor<f32>) -> tensor<ROWSxf32>)";
  for (const int64_t devices : {2, 3, 4, 6, 8}) {
    for (const int64_t rows : {devices * 2, devices * 3 - 1}) {
      CAPTURE(devices, rows);
      const int64_t each = (devices - 1) * ((rows + devices - 1) / devices) * 4;
      CHECK(sent(gathered_then(devices, rows, slices, "tensor<ROWSx2x3xf32>")) == 6 * each);
      CHECK(sent(gathered_then(devices, rows, moves, "tensor<ROWSx2x5xf32>")) == 10 * each);
      CHECK(sent(gathered_then(devices, rows, reduces, "tensor<ROWSx5xf32>")) == 5 * each);
      CHECK(sent(gathered_then(devices, rows, chain, "tensor<ROWSxf32>")) == each);
    }
  }
}

namespace {

/// A function of `rows` by 3 numbers %x, sharded along the rows.
std::string of_rows(int64_t devices, int64_t rows, const std::string& ops) {
  return filled(R"(MESH
func.func @main(%x: tensor<ROWSx3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<ROWSx3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %zero = stablehlo.constant dense<2.0> : tensor<f32>
  OPS
  return %r : tensor<ROWSx3xf32>
})",
                {{"MESH", mesh_text(devices)},
                 {"OPS", ops},
                 {"ROWS+1", number(rows + 1)},
                 {"ROWS+2", number(rows + 2)},
                 {"ROWS+3", number(rows + 3)},
                 {"ROWS-1", number(rows - 1)},
                 {"ROWS", number(rows)}});
}

constexpr int64_t kRow = 12;

const char* const kWindow =
    R"(%p = stablehlo.pad %x, %zero, low = [3, 0], high = [0, 0], interior = [0, 0] : (tensor<ROWSx3xf32>, tensor<f32>) -> tensor<ROWS+3x3xf32>
  %a = stablehlo.slice %p [0:ROWS, 0:3] : (tensor<ROWS+3x3xf32>) -> tensor<ROWSx3xf32>
  %b = stablehlo.slice %p [1:ROWS+1, 0:3] : (tensor<ROWS+3x3xf32>) -> tensor<ROWSx3xf32>
  %c = stablehlo.slice %p [2:ROWS+2, 0:3] : (tensor<ROWS+3x3xf32>) -> tensor<ROWSx3xf32>
  %s = stablehlo.subtract %a, %b : tensor<ROWSx3xf32>
  %t = stablehlo.add %s, %c : tensor<ROWSx3xf32>
  %r = stablehlo.subtract %t, %x : tensor<ROWSx3xf32>)";

const char* const kPeriodic =
    R"(%l = stablehlo.slice %x [ROWS-1:ROWS, 0:3] : (tensor<ROWSx3xf32>) -> tensor<1x3xf32>
  %f = stablehlo.slice %x [0:1, 0:3] : (tensor<ROWSx3xf32>) -> tensor<1x3xf32>
  %p = stablehlo.concatenate %l, %x, %f, dim = 0 : (tensor<1x3xf32>, tensor<ROWSx3xf32>, tensor<1x3xf32>) -> tensor<ROWS+2x3xf32>
  %a = stablehlo.slice %p [0:ROWS, 0:3] : (tensor<ROWS+2x3xf32>) -> tensor<ROWSx3xf32>
  %b = stablehlo.slice %p [2:ROWS+2, 0:3] : (tensor<ROWS+2x3xf32>) -> tensor<ROWSx3xf32>
  %s = stablehlo.add %a, %b : tensor<ROWSx3xf32>
  %r = stablehlo.subtract %s, %x : tensor<ROWSx3xf32>)";

}  // namespace

TEST_CASE("slices of a padded value share one halo", "[rewrites][traffic]") {
  for (const int64_t devices : {2, 3, 4, 6, 8}) {
    for (const int64_t tile : {4, 8, 13}) {
      CAPTURE(devices, tile);
      CHECK(sent(of_rows(devices, devices * tile, kWindow)) == 3 * kRow);
    }
    // The last tile is not full. The elements beyond it are masked once for all slices.
    CHECK(sent(of_rows(devices, devices * 9 - 1, kWindow)) == 3 * kRow);
  }
}

TEST_CASE("slices of a value with periodic borders send only the border rows",
          "[rewrites][traffic]") {
  for (const int64_t devices : {2, 3, 4, 6, 8}) {
    for (const int64_t tile : {4, 8, 13}) {
      CAPTURE(devices, tile);
      CHECK(sent(of_rows(devices, devices * tile, kPeriodic)) == 2 * kRow);
    }
  }
}

// ---- Slices of sharded dims ---------------------------------------------------------------------

namespace {

/// Makes rows [begin, begin + count) of `rows` by 3 numbers, which are sharded along the rows, with
/// the type TYPE.
std::string rows_as(int64_t devices, int64_t rows, int64_t begin, int64_t count,
                    const std::string& type) {
  return filled(R"(MESH
func.func @main(%x: tensor<ROWSx3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<COUNTx3xTYPE> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.slice %x [BEGIN:END, 0:3] : (tensor<ROWSx3xf32>) -> tensor<COUNTx3xf32>
  %1 = stablehlo.convert %0 : (tensor<COUNTx3xf32>) -> tensor<COUNTx3xTYPE>
  return %1 : tensor<COUNTx3xTYPE>
})",
                {{"MESH", mesh_text(devices)},
                 {"TYPE", type},
                 {"BEGIN", number(begin)},
                 {"END", number(begin + count)},
                 {"ROWS", number(rows)},
                 {"COUNT", number(count)}});
}

}  // namespace

TEST_CASE("rows converted to a narrower type are sent in the narrower type",
          "[rewrites][traffic]") {
  for (const int64_t devices : {2, 3, 4, 6, 8}) {
    for (const int64_t begin : {1, 5, 9}) {
      CAPTURE(devices, begin);
      const int64_t rows = 16 * devices;
      const int64_t count = rows - begin - 7;
      const int64_t wide = sent(rows_as(devices, rows, begin, count, "f32"));
      CHECK(wide > 0);
      CHECK(2 * sent(rows_as(devices, rows, begin, count, "bf16")) == wide);
      // The conversion does not move in front if a few rows are read, because all rows would be
      // converted.
      CHECK(sent(rows_as(devices, rows, begin, devices, "bf16")) ==
            sent(rows_as(devices, rows, begin, devices, "f32")));
    }
  }
}

TEST_CASE("rows on one device are sent to each other device once", "[rewrites][traffic]") {
  for (const int64_t devices : {2, 3, 4, 6, 8}) {
    CAPTURE(devices);
    CHECK(sent(rows_as(devices, 16 * devices, 16, 2 * devices, "f32")) == 2 * (devices - 1) * kRow);
  }
}

// ---- Slices of sharded dims in loops ------------------------------------------------------------

namespace {

/// Products of sharded rows with each of the first STEPS blocks of %k, which is sharded along them.
std::string blocks_in_loop(int64_t devices, int64_t blocks, int64_t width, int64_t steps) {
  return filled(R"(MESH
func.func @main(%q: tensor<ROWSxWIDTHxi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %k: tensor<BLOCKSx5xWIDTHxi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>})
    -> (tensor<ROWSx5xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %z = stablehlo.constant dense<0> : tensor<ROWSx5xi32>
  %0:2 = stablehlo.while(%i = %c, %m = %z) : tensor<i32>, tensor<ROWSx5xi32>
  cond {
    %n = stablehlo.constant dense<STEPS> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %nil = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %s = stablehlo.dynamic_slice %k, %i, %nil, %nil, sizes = [1, 5, WIDTH] : (tensor<BLOCKSx5xWIDTHxi32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x5xWIDTHxi32>
    %b = stablehlo.reshape %s : (tensor<1x5xWIDTHxi32>) -> tensor<5xWIDTHxi32>
    %d = stablehlo.dot_general %q, %b, contracting_dims = [1] x [1] : (tensor<ROWSxWIDTHxi32>, tensor<5xWIDTHxi32>) -> tensor<ROWSx5xi32>
    %a = stablehlo.maximum %m, %d : tensor<ROWSx5xi32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %a : tensor<i32>, tensor<ROWSx5xi32>
  }
  return %0#1 : tensor<ROWSx5xi32>
})",
                {{"MESH", mesh_text(devices)},
                 {"BLOCKS", number(blocks)},
                 {"STEPS", number(steps)},
                 {"WIDTH", number(width)},
                 {"ROWS", number(6 * devices)}});
}

}  // namespace

TEST_CASE("a loop gathers slices of a sharded dim or reduces the few rows that it reads",
          "[rewrites][traffic]") {
  for (const int64_t devices : {2, 3, 4, 6, 8}) {
    for (const int64_t each : {1, 2}) {
      CAPTURE(devices, each);
      const int64_t blocks = each * devices;
      const int64_t width = 2 * devices;
      const int64_t slice = 4 * 5 * width;
      const int64_t once = blocks * slice / devices * (devices - 1);
      CHECK(sent(blocks_in_loop(devices, blocks, width, blocks)) == once);
      // Dims that do not divide stay.
      CHECK(sent(blocks_in_loop(devices, blocks, width + 1, blocks)) > once);
    }
    const int64_t slice = 4 * 5 * 2 * devices;
    CHECK(sent(blocks_in_loop(devices, 4 * devices, 2 * devices, 3)) ==
          3 * 2 * slice / devices * (devices - 1));
  }
}

namespace {

/// Counts the ops of a kind in the per-device program.
int64_t num_ops(const std::string& text, ir::OpKind kind) {
  const auto program = checking::compile(text::parse_mlir(text).value()).value().program;
  const auto ops = ir::pre_order(program);
  return std::ranges::count_if(ops, [&](ir::OpId op) { return program.is(op, kind); });
}

}  // namespace

TEST_CASE("a loop of very many steps gathers slices of a sharded dim", "[rewrites][traffic]") {
  const auto program = [](int64_t steps) {
    return filled(R"(MESH
func.func @main(%k: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c = stablehlo.constant dense<0> : tensor<i64>
  %0:2 = stablehlo.while(%i = %c, %w = %b) : tensor<i64>, tensor<4x8xf32>
  cond {
    %n = stablehlo.constant dense<STEPS> : tensor<i64>
    %1 = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %z = stablehlo.constant dense<0> : tensor<i64>
    %one = stablehlo.constant dense<1> : tensor<i64>
    %x = stablehlo.dynamic_slice %k, %i, %z, sizes = [4, 8] : (tensor<16x8xf32>, tensor<i64>, tensor<i64>) -> tensor<4x8xf32>
    %a = stablehlo.multiply %w, %x : tensor<4x8xf32>
    %j = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %j, %a : tensor<i64>, tensor<4x8xf32>
  }
  return %0#1 : tensor<4x8xf32>
})",
                  {{"MESH", mesh_text(4)}, {"STEPS", number(steps)}});
  };
  // The slices of 2^62 steps have 2^64 rows.
  for (const int64_t steps : {int64_t{8}, int64_t{1} << 62}) {
    CAPTURE(steps);
    CHECK(num_ops(program(steps), ir::OpKind::SpmdAllGather) == 1);
    CHECK(num_ops(program(steps), ir::OpKind::SpmdAllReduce) == 0);
  }
}

// ---- Dims that change their axes ----------------------------------------------------------------

namespace {

/// A matrix whose dims are wanted along each other's axes.
std::string swapped(int64_t x, int64_t y, int64_t rows, int64_t columns) {
  return filled(R"(sdy.mesh @mesh = <["x"=X_SIZE, "y"=Y_SIZE]>
func.func @main(%a: TYPE {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (TYPE {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
  %0 = stablehlo.add %a, %a : TYPE
  return %0 : TYPE
})",
                {{"X_SIZE", number(x)},
                 {"Y_SIZE", number(y)},
                 {"TYPE", "tensor<" + number(rows) + "x" + number(columns) + "xf32>"}});
}

int64_t tile_of(int64_t size, int64_t shards) { return (size + shards - 1) / shards; }

}  // namespace

TEST_CASE("swapping axes of two dims sends each element once", "[rewrites][traffic]") {
  const std::vector<std::pair<int64_t, int64_t>> meshes = {{2, 2}, {2, 4}, {4, 2}, {4, 4}};
  for (const auto& [x, y] : meshes) {
    for (const auto& [rows, columns] :
         std::vector<std::pair<int64_t, int64_t>>{{16, 16}, {48, 40}, {47, 39}}) {
      CAPTURE(x, y, rows, columns);
      const int64_t held = 4 * tile_of(rows, x) * tile_of(columns, y);
      CHECK(10 * sent(swapped(x, y, rows, columns)) <= 11 * held);
    }
  }
  // Axes of which none divides the other: an all-to-all over the smaller one, then each block of
  // the tile to its device. Without padding.
  for (const auto& [x, y] :
       std::vector<std::pair<int64_t, int64_t>>{{2, 3}, {3, 2}, {3, 4}, {4, 3}}) {
    CAPTURE(x, y);
    const int64_t held = 24 * 48 * 4 / (x * y);
    const int64_t least = std::min(x, y);
    CHECK(sent(swapped(x, y, 24, 48)) == held * (least - 1) / least + held);
  }
  // 15 columns become 16: 2 from the neighbour, 16 x 24 in three blocks, half of 8 x 46.
  CHECK(sent(swapped(2, 3, 47, 45)) == 4 * (24 * 2 + 16 * 24 + 8 * 23));
  // Tiles that do not nest, 23 and 2 * 12 columns: one of 12 columns goes to a neighbour before.
  CHECK(sent(swapped(2, 4, 47, 45)) == 4 * (24 * 12 + 24));
  // On 4 x 2 the permute comes before the column. It moves below the exchange of the column.
  CHECK(sent(swapped(4, 2, 47, 45)) == 4 * (24 * 12 + 12));
}

namespace {

/// Attention over HEADS heads of WIDTH features, all along one dim of the weights.
std::string attention(int64_t devices, int64_t heads, int64_t width) {
  return filled(R"(MESH
func.func @main(%x: tensor<32x16xf32>,
    %wq: tensor<16xFUSEDxf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
    %wk: tensor<16xFUSEDxf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<HEADSx32x32xf32> {
  %q0 = stablehlo.dot_general %x, %wq, contracting_dims = [1] x [0] : (tensor<32x16xf32>, tensor<16xFUSEDxf32>) -> tensor<32xFUSEDxf32>
  %k0 = stablehlo.dot_general %x, %wk, contracting_dims = [1] x [0] : (tensor<32x16xf32>, tensor<16xFUSEDxf32>) -> tensor<32xFUSEDxf32>
  %q = stablehlo.reshape %q0 : (tensor<32xFUSEDxf32>) -> tensor<32xHEADSxWIDTHxf32>
  %k = stablehlo.reshape %k0 : (tensor<32xFUSEDxf32>) -> tensor<32xHEADSxWIDTHxf32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [1] x [1], contracting_dims = [2] x [2] : (tensor<32xHEADSxWIDTHxf32>, tensor<32xHEADSxWIDTHxf32>) -> tensor<HEADSx32x32xf32>
  return %s : tensor<HEADSx32x32xf32>
})",
                {{"MESH", mesh_text(devices)},
                 {"FUSED", number(heads * width)},
                 {"HEADS", number(heads)},
                 {"WIDTH", number(width)}});
}

}  // namespace

TEST_CASE("uneven heads are gathered until they divide evenly", "[rewrites][traffic]") {
  // Devices, heads, and the groups of devices that then have other heads.
  struct Heads {
    int64_t devices;
    int64_t heads;
    int64_t groups;
  };
  for (const auto& [devices, heads, groups] :
       std::vector<Heads>{{4, 6, 2}, {4, 10, 2}, {8, 6, 2}, {8, 12, 4}, {6, 4, 2}, {6, 9, 3}}) {
    for (const int64_t width : {12, 24}) {
      CAPTURE(devices, heads, width);
      // Queries and keys, within each group.
      const int64_t held = 4 * 32 * heads * width / devices;
      CHECK(sent(attention(devices, heads, width)) == 2 * held * (devices / groups - 1));
    }
  }
}

}  // namespace traffic_kinds_test
