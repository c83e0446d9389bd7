// Traffic of ops with run-time indices. Bytes are counted as in partitioning 11.9: an all_reduce of
// b bytes over G devices sends 2b(G-1)/G, a reduce_scatter b(G-1)/G, and an all_gather of shards of
// b bytes b(G-1).
#include <string>
#include <vector>

#include "checking/program_check.hpp"
#include "checking/programs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using shardy_test::text_of;
using shardy_test::traffic_of;

namespace indexed_traffic_test {
namespace {

ir::Module parsed(const std::string& text) {
  auto module = text::parse_mlir(text);
  INFO((module ? std::string() : text_of(module.error())));
  REQUIRE(module.has_value());
  return *std::move(module);
}

std::string sharding(const std::string& dims) {
  return dims.empty() ? "" : " {sdy.sharding = #sdy.sharding<@mesh, [" + dims + "]>}";
}

struct Shardings {
  std::string table, indices, result;
};

/// Looks up rows of a table of 64 by 16 floats on 8 devices.
std::string lookup(const Shardings& at) {
  return "sdy.mesh @mesh = <[\"x\"=8]>\nfunc.func @main(%t: tensor<64x16xf32>" +
         sharding(at.table) + ", %i: tensor<8x1xi32>" + sharding(at.indices) +
         ") -> (tensor<8x16xf32>" + sharding(at.result) + ") {\n" + R"(
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
    collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 16>}> : (tensor<64x16xf32>, tensor<8x1xi32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
})";
}

/// The gradient of the table of `lookup`. If `table` is 0, the gradient starts from zeros.
std::string gradient(const Shardings& at, const std::string& body) {
  return "sdy.mesh @mesh = <[\"x\"=8]>\nfunc.func @main(%t: tensor<64x16xf32>" +
         sharding(at.table) + ", %i: tensor<8x1xi32>" + sharding(at.indices) +
         ", %u: tensor<8x16xf32>" + sharding(at.indices) + ") -> (tensor<64x16xf32>" +
         sharding(at.result) + ") {\n" + R"(
  %0 = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
    update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
    index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      )" +
         body + R"(
    }) : (tensor<64x16xf32>, tensor<8x1xi32>, tensor<8x16xf32>) -> tensor<64x16xf32>
  return %0 : tensor<64x16xf32>
})";
}

const std::string kAdds =
    "%s = stablehlo.add %a, %b : tensor<f32>\n      stablehlo.return %s : tensor<f32>";
const std::string kSets = "stablehlo.return %b : tensor<f32>";

}  // namespace

// Spec: partitioning 8.16.
TEST_CASE("a lookup in a sharded vocabulary sends its result once", "[indexed][traffic]") {
  CHECK(traffic_of(lookup({R"({"x"}, {})", "", ""})) == "all_reduce 896");  // 2 * 512 * 7/8
  // The result is sharded, so only its shards are summed. Each device holds rows for all indices,
  // with zeros for the rows of other devices.
  CHECK(traffic_of(lookup({R"({"x"}, {})", "", R"({}, {"x"})"}), 1.6) == "reduce_scatter 448");
  // Data and vocabulary are sharded along one axis, so all 8 indices are gathered.
  CHECK(traffic_of(lookup({R"({"x"}, {})", R"({"x"}, {})", R"({"x"}, {})"}), 1.6) ==
        "all_gather 28, reduce_scatter 448; the op is sharded along another dim on these axes");
}

TEST_CASE("a lookup with sharded features or sharded indices sends nothing", "[indexed][traffic]") {
  CHECK(traffic_of(lookup({R"({}, {"x"})", "", R"({}, {"x"})"})).empty());
  CHECK(traffic_of(lookup({"", R"({"x"}, {})", R"({"x"}, {})"})).empty());
}

// Spec: partitioning 8.17.
TEST_CASE("the gradient of a sharded table sends nothing", "[indexed][traffic]") {
  CHECK(traffic_of(gradient({R"({"x"}, {})", "", R"({"x"}, {})"}, kAdds)).empty());
  CHECK(traffic_of(gradient({R"({"x"}, {})", "", R"({"x"}, {})"}, kSets)).empty());
}

TEST_CASE("sharded updates that add send the replicated table once, updates that set are gathered",
          "[indexed][traffic]") {
  // 2 * 4096 * 7/8
  CHECK(traffic_of(gradient({"", R"({"x"}, {})", ""}, kAdds)) == "all_reduce 7168");
  // Each device receives the indices and the updates of 7 other devices: 28 + 448.
  CHECK(traffic_of(gradient({"", R"({"x"}, {})", ""}, kSets)) ==
        "2x all_gather 476; the op needs the dim replicated; the op needs the dim replicated");
}

namespace {

/// Picks labels from rows of logits, whose batch and vocabulary are sharded.
std::string labels(bool is_counted) {
  const std::string counted = R"(
  %z = stablehlo.iota dim = 0 : tensor<8x1xi32>
  %i = stablehlo.concatenate %z, %l, dim = 1 : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x2xi32>
  %0 = "stablehlo.gather"(%t, %i) <{dimension_numbers = #stablehlo.gather<
    collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 1>}> : (tensor<8x64xf32>, tensor<8x2xi32>) -> tensor<8xf32>)";
  const std::string batched = R"(
  %0 = "stablehlo.gather"(%t, %l) <{dimension_numbers = #stablehlo.gather<
    collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0],
    start_index_map = [1], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 1>}> : (tensor<8x64xf32>, tensor<8x1xi32>) -> tensor<8xf32>)";
  return R"(sdy.mesh @mesh = <["b"=2, "v"=4]>
func.func @main(%t: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"v"}]>},
                %l: tensor<8x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {)" +
         (is_counted ? counted : batched) + "\n  return %0 : tensor<8xf32>\n}";
}

}  // namespace

TEST_CASE("labels in a sharded vocabulary send one number per row", "[indexed][traffic]") {
  // 2 * 4 rows * 4 bytes * 3/4
  CHECK(traffic_of(labels(false)) == "all_reduce 24");
  CHECK(traffic_of(labels(true), 1.3) == "all_reduce 24");  // a device needs 416 bytes
}

TEST_CASE("labels as a mask over a sharded vocabulary send one number per row",
          "[indexed][traffic]") {
  CHECK(traffic_of(R"(sdy.mesh @mesh = <["b"=2, "v"=4]>
func.func @main(%t: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"v"}]>},
                %l: tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  %k = stablehlo.iota dim = 1 : tensor<8x64xi32>
  %w = stablehlo.broadcast_in_dim %l, dims = [0] : (tensor<8xi32>) -> tensor<8x64xi32>
  %m = stablehlo.compare EQ, %k, %w : (tensor<8x64xi32>, tensor<8x64xi32>) -> tensor<8x64xi1>
  %c = stablehlo.constant dense<0.0> : tensor<8x64xf32>
  %s = stablehlo.select %m, %t, %c : tensor<8x64xi1>, tensor<8x64xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%s init: %z) applies stablehlo.add across dimensions = [1]
    : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
})") == "all_reduce 24");
}

TEST_CASE("torch_index_select sends as many bytes as a gather", "[indexed][traffic]") {
  const std::string select = R"(
  %0 = "stablehlo.torch_index_select"(%t, %i) <{dim = 0 : i64, batch_dims = 0 : i64}>
    : (tensor<64x16xf32>, tensor<8xi32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
})";
  const auto text = [&](const std::string& table, const std::string& result) {
    return "sdy.mesh @mesh = <[\"x\"=8]>\nfunc.func @main(%t: tensor<64x16xf32>" + sharding(table) +
           ", %i: tensor<8xi32>) -> (tensor<8x16xf32>" + sharding(result) + ") {" + select;
  };
  CHECK(traffic_of(text(R"({"x"}, {})", "")) == "all_reduce 896");
  CHECK(traffic_of(text(R"({}, {"x"})", R"({}, {"x"})")).empty());
}

// Spec: partitioning 8.6, 8.7.
TEST_CASE("a cache that is sharded along the sequence is updated in place", "[indexed][traffic]") {
  const auto update = [](int64_t window) {
    const std::string part = "tensor<2x" + std::to_string(window) + "x4xf32>";
    return R"(sdy.mesh @mesh = <["x"=8]>
func.func @main(%t: tensor<2x64x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %u: )" +
           part + R"(, %i: tensor<i32>)
    -> (tensor<2x64x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %t, %u, %c, %i, %c : (tensor<2x64x4xf32>, )" +
           part + R"(, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<2x64x4xf32>
  return %0 : tensor<2x64x4xf32>
})";
  };
  for (const int64_t window : {1, 3}) CHECK(traffic_of(update(window)).empty());
  // The bytes that are read, sent and written grow with the window, which is as large as the tile
  // or larger.
  CHECK(traffic_of(update(8), 1.45).empty());
  CHECK(traffic_of(update(20), 2.4).empty());
}

TEST_CASE("an update at constant offsets sends each element only to its shard",
          "[indexed][traffic]") {
  // Rows 0 to 2 belong to device 0, and rows 7 to 9 (127 is clamped) to devices 2 and 3. Device 1
  // sends its row to devices 0 and 2. Two permutes of different devices are one.
  const std::string text = R"(sdy.mesh @mesh = <["x"=4]>
func.func @main(%t: tensor<10x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %u: tensor<3x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %i: tensor<i8>)
    -> (tensor<10x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
        tensor<10x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %c = stablehlo.constant dense<0> : tensor<i8>
  %low = stablehlo.constant dense<-128> : tensor<i8>
  %high = stablehlo.constant dense<127> : tensor<i8>
  %0 = stablehlo.dynamic_update_slice %t, %u, %low, %c
    : (tensor<10x3xf32>, tensor<3x3xf32>, tensor<i8>, tensor<i8>) -> tensor<10x3xf32>
  %1 = stablehlo.dynamic_update_slice %t, %u, %high, %i
    : (tensor<10x3xf32>, tensor<3x3xf32>, tensor<i8>, tensor<i8>) -> tensor<10x3xf32>
  return %0, %1 : tensor<10x3xf32>, tensor<10x3xf32>
})";
  CHECK(traffic_of(text, 3) == "3x permute 24");
}

namespace {

/// Returns rows of the table of `lookup` from a run-time start on.
std::string window(int64_t size, const std::string& result) {
  const std::string part = "tensor<" + std::to_string(size) + "x16xf32>";
  return R"(sdy.mesh @mesh = <["x"=8]>
func.func @main(%t: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %i: tensor<i32>) -> ()" +
         part + sharding(result) + R"() {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %t, %i, %c, sizes = [)" +
         std::to_string(size) + R"(, 16] : (tensor<64x16xf32>, tensor<i32>, tensor<i32>) -> )" +
         part + "\n  return %0 : " + part + "\n}";
}

}  // namespace

TEST_CASE("a window of a sharded dim sends the window once", "[indexed][traffic]") {
  CHECK(traffic_of(window(1, "")) == "all_reduce 112");    // 2 * 64 * 7/8
  CHECK(traffic_of(window(12, "")) == "all_reduce 1344");  // 2 * 768 * 7/8
  // The operand is moved to a sharding along its other dim, and the window is moved back to the
  // first dim.
  CHECK(traffic_of(window(16, R"({"x"}, {})"), 2.2) == "2x all_to_all 560");
}

TEST_CASE("a loop sends one layer of a sharded stack per step, and nothing of a sharded cache",
          "[indexed][traffic]") {
  const auto loop = [](const std::string& step) {
    return R"(sdy.mesh @mesh = <["x"=4]>
func.func @main(%w: tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>},
                %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<8x4x4xf32>
                {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%k = %zero, %a = %y, %s = %w)
      : tensor<i32>, tensor<4x4xf32>, tensor<8x4x4xf32>
    cond {
      %n = stablehlo.constant dense<8> : tensor<i32>
      %c = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %z = stablehlo.constant dense<0> : tensor<i32>
)" + step + R"(
      %one = stablehlo.constant dense<1> : tensor<i32>
      %k1 = stablehlo.add %k, %one : tensor<i32>
      stablehlo.return %k1, %b, %t : tensor<i32>, tensor<4x4xf32>, tensor<8x4x4xf32>
    }
  return %0#1, %0#2 : tensor<4x4xf32>, tensor<8x4x4xf32>
})";
  };
  // 8 iterations, each of 2 * 64 bytes * 3/4
  CHECK(traffic_of(loop(R"(
      %l = stablehlo.dynamic_slice %s, %k, %z, %z, sizes = [1, 4, 4]
        : (tensor<8x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x4xf32>
      %m = stablehlo.reshape %l : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
      %b = stablehlo.add %a, %m : tensor<4x4xf32>
      %t = stablehlo.negate %s : tensor<8x4x4xf32>)")) == "8x all_reduce 768");
  CHECK(traffic_of(loop(R"(
      %m = stablehlo.reshape %a : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
      %b = stablehlo.negate %a : tensor<4x4xf32>
      %t = stablehlo.dynamic_update_slice %s, %m, %k, %z, %z : (tensor<8x4x4xf32>,
        tensor<1x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<8x4x4xf32>)"))
            .empty());
}

TEST_CASE("a scatter adds the local updates of each device to a partial table",
          "[indexed][traffic]") {
  // One all-reduce sums the table, after the scatter: 2 * 96 bytes * 1/2.
  CHECK(traffic_of(R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%c: tensor<6x4xf32>,
                %i: tensor<8x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %u: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<6x4xf32>) {
  %t = sdy.sharding_constraint %c <@mesh, [{}, {}], unreduced={"x"}> : tensor<6x4xf32>
  %0 = "stablehlo.scatter"(%t, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
    update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
    index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"x"}>]>}
    : (tensor<6x4xf32>, tensor<8x1xi32>, tensor<8x4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
})") == "all_reduce 96");
}

// Spec: partitioning 3.1.
TEST_CASE("a window sharded on another device order is sent to that order", "[indexed][traffic]") {
  // 2 * 8 bytes * 1/2. After the all_reduce all devices hold the window, and each device takes its
  // part in the other order.
  CHECK(traffic_of(R"(sdy.mesh @mesh = <["x"=3, "a"=2]>
sdy.mesh @other = <["x"=3, "a"=2], device_ids=[3, 5, 4, 0, 1, 2]>
func.func @main(%t: tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@other, [{}, {"a"}]>},
                %i: tensor<i32>)
    -> (tensor<2x1xf32> {sdy.sharding = #sdy.sharding<@other, [{}, {"a"}]>}) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %t, %z, %i, sizes = [2, 1]
    : (tensor<6x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x1xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}, {}]> : tensor<2x1xf32>
  %2 = sdy.sharding_constraint %1 <@mesh, [{"a"}, {}]> : tensor<2x1xf32>
  return %2 : tensor<2x1xf32>
})",
                   1.6) == "all_reduce 8");
}

// Spec: partitioning 4.5.
TEST_CASE("the op count of gathers and scatters does not depend on the number of devices",
          "[indexed][traffic]") {
  const auto count = [](std::string text, const std::string& devices, const std::string& rows) {
    const auto replace = [&](const std::string& from, const std::string& to) {
      for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    };
    replace("\"x\"=8", "\"x\"=" + devices);
    replace("64x16", rows + "x16");
    const auto compiled = checking::compile(parsed(text));
    INFO((compiled ? std::string() : text_of(compiled.error())));
    REQUIRE(compiled.has_value());
    return compiled->program.num_ops();
  };
  const std::vector<std::string> programs = {
      lookup({R"({"x"}, {})", "", ""}),
      gradient({R"({"x"}, {})", "", R"({"x"}, {})"}, kAdds),
      window(1, ""),
      window(12, ""),
  };
  for (const std::string& program : programs) {
    INFO(program);
    CHECK(count(program, "8", "64") == count(program, "1048576", "8388608"));
  }
}

}  // namespace indexed_traffic_test
