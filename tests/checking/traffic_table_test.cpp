// Traffic of typical patterns of models, except convolutions (window_traffic_test) and lookups
// (indexed_traffic_test). Spec: partitioning 5.5, 8.11, 8.16, 8.20, 8.23.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "checking/memory_use.hpp"
#include "checking/window_programs.hpp"
#include "shardy/ir/walk.hpp"

using namespace shardy;
using namespace shardy_test;

namespace traffic_table_test {
namespace {

const std::string kX = "\"x\"";  // the axis of 8 devices

std::string sent(const std::string& text) { return to_text(most_sent(run_checked(text))); }

/// GELU in the form in which JAX prints `jax.nn.gelu(x, approximate=False)`.
std::string gelu(const std::string& sharding) {
  return mesh_text(8) +
         "func.func public @main(%arg0: tensor<16x32xf32> {sdy.sharding = "
         "#sdy.sharding<@mesh, [" +
         sharding + R"(]>}) -> tensor<16x32xf32> {
  %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
  %0 = stablehlo.sqrt %cst : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
  %2 = stablehlo.divide %arg0, %1 : tensor<16x32xf32>
  %3 = stablehlo.composite "chlo.erf" %2 {decomposition = @chlo.erf.impl, version = 1 : i32}
    : (tensor<16x32xf32>) -> tensor<16x32xf32>
  %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
  %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
  %5 = stablehlo.add %3, %4 : tensor<16x32xf32>
  %6 = stablehlo.multiply %arg0, %5 : tensor<16x32xf32>
  return %6 : tensor<16x32xf32>
}
func.func private @chlo.erf.impl(%arg0: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %0 = chlo.erf %arg0 : tensor<16x32xf32> -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}
)";
}

/// Drops half of the elements, by random bits that all devices make.
std::string dropout() {
  return mesh_text(8) + R"(
func.func @main(%x: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %key: tensor<2xui64>) -> tensor<16x32xf32> {
  %state, %bits = stablehlo.rng_bit_generator %key, algorithm = THREE_FRY
    : (tensor<2xui64>) -> (tensor<2xui64>, tensor<16x32xui32>)
  %half = stablehlo.constant dense<2147483648> : tensor<16x32xui32>
  %keep = stablehlo.compare LT, %bits, %half : (tensor<16x32xui32>, tensor<16x32xui32>) -> tensor<16x32xi1>
  %two = stablehlo.constant dense<2.0> : tensor<16x32xf32>
  %scaled = stablehlo.multiply %x, %two : tensor<16x32xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<16x32xf32>
  %y = stablehlo.select %keep, %scaled, %zero : tensor<16x32xi1>, tensor<16x32xf32>
  return %y : tensor<16x32xf32>
})";
}

/// Reduces the rows and columns of each image and channel to their maximum or sum.
std::string global_pooling(int64_t rows, const std::string& reducer, const std::string& element,
                           const std::string& begin) {
  const TestDims base = {{2}, {rows, kX}, {6}, {3}};
  const TestDims out = {{2}, {1}, {1}, {3}};
  return mesh_text(8) + "func.func @main(%x: " + value_text(base, element) + ") -> (" +
         value_text(out, element) + ") {\n  %z = stablehlo.constant dense<" + begin +
         "> : tensor<" + element + ">\n  %0 = \"stablehlo.reduce_window\"(%x, %z) <{" +
         "window_dimensions = array<i64: 1, " + std::to_string(rows) + ", 6, 1>}> ({\n" +
         "  ^bb0(%a: tensor<" + element + ">, %b: tensor<" + element + ">):\n    %s = stablehlo." +
         reducer + " %a, %b : tensor<" + element + ">\n    stablehlo.return %s : tensor<" +
         element + ">\n  }) : (" + type_text(base, element) + ", tensor<" + element + ">) -> " +
         type_text(out, element) + "\n  return %0 : " + type_text(out, element) + "\n}\n";
}

/// Looks up `count` rows of a table of 64 by 16 numbers.
std::string lookup(int64_t count, const std::string& result) {
  const std::string rows = std::to_string(count);
  return mesh_text(8) +
         R"(func.func @main(%t: tensor<64x16xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
    %i: tensor<)" +
         rows + "x1xi32>) -> (tensor<" + rows +
         "x16xi32> {sdy.sharding = " + "#sdy.sharding<@mesh, [" + result + "]>}) {\n" + R"(
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
    collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 16>}> : (tensor<64x16xi32>, tensor<)" +
         rows + "x1xi32>) -> tensor<" + rows + "x16xi32>\n  return %0 : tensor<" + rows +
         "x16xi32>\n}";
}

}  // namespace

TEST_CASE("GELU as printed by JAX sends nothing", "[traffic]") {
  CHECK(sent(gelu(R"({"x"}, {})")).empty());
  CHECK(sent(gelu(R"({}, {"x"})")).empty());
}

TEST_CASE("dropout under data parallelism sends nothing", "[traffic]") {
  CHECK(sent(dropout()).empty());
}

// Spec: partitioning 8.11.
TEST_CASE("pooling over a whole sharded dim takes one all-reduce", "[traffic]") {
  // An all-reduce of 2 by 3 numbers sends 2 * 24 * 7/8 bytes.
  const std::string one = to_text({{kAllReduce, {1, 42}}});
  CHECK(sent(global_pooling(32, "add", "f32", "0.0")) == one);
  CHECK(sent(global_pooling(30, "maximum", "f32", "0xFF800000")) == one);
  CHECK(sent(global_pooling(5, "add", "i32", "7")) == one);  // some devices have no row
  CHECK(sent(global_pooling(9, "minimum", "i32", "3")) == one);
}

// Spec: partitioning 8.16.
TEST_CASE("a table is gathered if that sends less than the rows found in it", "[traffic]") {
  // A gather of the table sends 7 of 8 shards of 512 bytes. A sum of the rows found sends 2 * 64 *
  // 7/8 bytes per row.
  const auto found = [](int64_t rows) { return to_text({{kAllReduce, {1, rows * 112}}}); };
  const std::string table = to_text({{kAllGather, {1, 3584}}});
  CHECK(sent(lookup(1, "{}, {}")) == found(1));
  CHECK(sent(lookup(32, "{}, {}")) == found(32));
  CHECK(sent(lookup(33, "{}, {}")) == table);
  CHECK(sent(lookup(200, "{}, {}")) == table);
  // If the result is sharded along rows, the table is resharded along features (7/8 of a shard of
  // 512 bytes), all indices are gathered (7/8 of 256 bytes), and the result is resharded along rows
  // (448 bytes).
  CHECK(sent(lookup(64, R"({"x"}, {})")) ==
        to_text({{kAllGather, {1, 224}}, {"spmd.all_to_all", {2, 448 + 448}}}));
  // If the result is sharded along features, only the table is resharded: 7/8 of its shard.
  CHECK(sent(lookup(64, R"({}, {"x"})")) == to_text({{"spmd.all_to_all", {1, 448}}}));
  const checking::CheckReport report = run_checked(lookup(33, "{}, {}"));
  REQUIRE(report.compiled.notes.size() == 1);
  CHECK(report.compiled.notes[0].reason == "the table has fewer bytes than the gathered result");
  CHECK(report.compiled.notes[0].bytes_moved == 3584);
}

// ---- Size does not matter (partitioning 4.5) ----------------------------------------------------

namespace {

/// Replaces each number in the program by #. Only numbers may depend on the number of devices.
std::string shape_of(const std::string& text) {
  const auto module = text::parse_mlir(text);
  REQUIRE(module.has_value());
  const auto compiled = checking::compile(*module);
  INFO((compiled ? std::string() : text_of(compiled.error())));
  REQUIRE(compiled.has_value());
  std::string shape;
  for (const char each : text::to_mlir(compiled->program)) {
    const bool is_digit = each >= '0' && each <= '9';
    if (!is_digit) shape += each;
    if (is_digit && (shape.empty() || shape.back() != '#')) shape += '#';
  }
  return shape;
}

std::string number(int64_t value) { return std::to_string(value); }

/// Two convolutions of images sharded by rows, with pooling between them, and a sum of all
/// elements.
std::string convolutional(int64_t devices) {
  const std::string rows = number(4 * devices);
  const std::string half = number(2 * devices);
  return "sdy.mesh @mesh = <[\"x\"=" + number(devices) + "]>\nfunc.func @main(%x: tensor<1x" +
         rows + R"(x6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}, {}]>},
    %k: tensor<3x3x2x2xf32>) -> tensor<1x2xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x)" +
         rows + "x6x2xf32>, tensor<3x3x2x2xf32>) -> tensor<1x" + rows + R"(x6x2xf32>
  %1 = "stablehlo.reduce_window"(%0, %z) <{window_dimensions = array<i64: 1, 2, 1, 1>,
    window_strides = array<i64: 1, 2, 1, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<1x)" +
         rows + "x6x2xf32>, tensor<f32>) -> tensor<1x" + half + R"(x6x2xf32>
  %2 = stablehlo.convolution(%1, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x)" +
         half + "x6x2xf32>, tensor<3x3x2x2xf32>) -> tensor<1x" + half + R"(x6x2xf32>
  %3 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [1, 2]
    : (tensor<1x)" +
         half + R"(x6x2xf32>, tensor<f32>) -> tensor<1x2xf32>
  return %3 : tensor<1x2xf32>
})";
}

/// A lookup in a sharded table, an update of the table, and a rotation of the table.
std::string gathering(int64_t devices) {
  const std::string rows = number(8 * devices);
  const std::string most = number(8 * devices - 1);
  const std::string table = "tensor<" + rows + "x16xf32>";
  return "sdy.mesh @mesh = <[\"x\"=" + number(devices) + "]>\nfunc.func @main(%t: " + table +
         R"( {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<8x1xi32>)
    -> ()" +
         table + R"( {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
    collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 16>}> : ()" +
         table + R"(, tensor<8x1xi32>) -> tensor<8x16xf32>
  %1 = "stablehlo.scatter"(%t, %i, %0) <{scatter_dimension_numbers = #stablehlo.scatter<
    update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
    index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : ()" +
         table + ", tensor<8x1xi32>, tensor<8x16xf32>) -> " + table + R"(
  %2 = stablehlo.slice %1 [1:)" +
         rows + ", 0:16] : (" + table + ") -> tensor<" + most +
         R"(x16xf32>
  %3 = stablehlo.slice %1 [0:1, 0:16] : ()" +
         table + R"() -> tensor<1x16xf32>
  %4 = stablehlo.concatenate %2, %3, dim = 0 : (tensor<)" +
         most + "x16xf32>, tensor<1x16xf32>) -> " + table + "\n  return %4 : " + table + "\n}";
}

}  // namespace

TEST_CASE("program text is equal for 8 and for a million devices", "[traffic]") {
  for (const int64_t devices : {64, 4096, 1 << 20}) {
    CAPTURE(devices);
    CHECK(shape_of(convolutional(devices)) == shape_of(convolutional(8)));
    CHECK(shape_of(gathering(devices)) == shape_of(gathering(8)));
  }
}

// ---- Memory -------------------------------------------------------------------------------------

TEST_CASE("each device needs little more memory than its arguments and its share of the program",
          "[traffic][memory]") {
  const auto ratio = [](const std::string& text) { return memory_use(run_checked(text)).ratio(); };
  CHECK(ratio(lookup(8, "{}, {}")) <= 1.25);
  CHECK(ratio(lookup(33, "{}, {}")) <= 1.25);
  CHECK(ratio(gathering(8)) <= 1.25);
  CHECK(ratio(convolutional(8)) <= 1.35);  // a tile is copied between its halos
  CHECK(ratio(gelu(R"({"x"}, {})")) <= 1.25);
  CHECK(ratio(dropout()) <= 1.25);
  CHECK(ratio(global_pooling(32, "add", "f32", "0.0")) <= 1.25);
  // The end of the tile is masked, and the tile is put together again.
  CHECK(ratio(global_pooling(30, "maximum", "f32", "0xFF800000")) <= 2.25);
  // Several shards have padding. The predicates, and the values that replace the padding, are as
  // large as the tile.
  CHECK(ratio(global_pooling(9, "minimum", "i32", "3")) <= 3);
}

}  // namespace traffic_table_test
