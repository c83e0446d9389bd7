// Traffic of windowed ops: halos, partial sums and totals, and no traffic if each window is local.
// Spec: partitioning 7, 8.9, 8.11, 8.12.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "checking/memory_use.hpp"
#include "checking/window_programs.hpp"

using namespace shardy;
using namespace shardy_test;

namespace window_traffic_test {
namespace {

struct Row {
  const char* name;
  std::string text;
  Sent sent;
  // Limit of the memory of a device, relative to the necessary memory (memory_use.hpp).
  double memory = 1.25;
};

/// A convolution on 8 devices.
struct Convolution {
  TestDims lhs, rhs, out;
  std::string numbers, window;
  int64_t feature_groups = 1;
  int64_t batch_groups = 1;
};

std::string convolution(const Convolution& c) {
  return mesh_text(8) + "func.func @main(%x: " + value_text(c.lhs) + ", %k: " + value_text(c.rhs) +
         ") -> (" + value_text(c.out) +
         ") {\n  %0 = stablehlo.convolution(%x, %k) dim_numbers = " + c.numbers + ", window = {" +
         c.window + "} {batch_group_count = " + std::to_string(c.batch_groups) +
         " : i64, feature_group_count = " + std::to_string(c.feature_groups) + " : i64} : (" +
         type_text(c.lhs) + ", " + type_text(c.rhs) + ") -> " + type_text(c.out) +
         "\n  return %0 : " + type_text(c.out) + "\n}\n";
}

constexpr const char* kForward = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]";
// The gradient of the kernel, as JAX prints it: the batch is summed over, and the result is the
// kernel.
constexpr const char* kKernelGradient = "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]";
// The gradient of the input of a strided convolution.
constexpr const char* kInputGradient = "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]";

std::string window_reduction(const TestDims& base, const TestDims& out, const std::string& window) {
  return mesh_text(8) + "func.func @main(%x: " + value_text(base) + ") -> (" + value_text(out) +
         R"() {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) <{)" +
         window + R"(}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : ()" +
         type_text(base) + ", tensor<f32>) -> " + type_text(out) +
         "\n  return %0 : " + type_text(out) + "\n}\n";
}

std::string selection(int64_t devices, const TestDims& base, const TestDims& source,
                      const std::string& window) {
  return mesh_text(devices) + "func.func @main(%x: " + value_text(base) +
         ", %s: " + value_text(source) + ") -> (" + value_text(base) + R"() {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %z) <{)" +
         window + R"(}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : ()" +
         type_text(base) + ", " + type_text(source) + ", tensor<f32>) -> " + type_text(base) +
         "\n  return %0 : " + type_text(base) + "\n}\n";
}

const std::string kX = "\"x\"";  // the axis of 8 devices

std::vector<Row> convolution_rows() {
  constexpr int64_t kRow = 16 * 3 * 4;            // bytes of a row of 16 x 3 elements
  constexpr int64_t kGradRow = 16 * 4 * 4;        // bytes of a row of 16 x 4 elements
  constexpr int64_t kKernel = 3 * 3 * 3 * 4 * 4;  // bytes of a kernel of 3 x 3 x 3 x 4
  constexpr int64_t kReduced = 2 * kKernel * 7 / 8;
  const TestDims kernel = {{3}, {3}, {3}, {4}};
  const std::string same = "pad = [[1, 1], [1, 1]]";
  return {
      {"data-parallel",
       convolution({{{8, kX}, {6}, {16}, {3}}, kernel, {{8, kX}, {6}, {16}, {4}}, kForward, same}),
       {}},
      {"output features",
       convolution({{{2}, {6}, {16}, {3}},
                    {{3}, {3}, {3}, {8, kX}},
                    {{2}, {6}, {16}, {8, kX}},
                    kForward,
                    same}),
       {}},
      {"input features: one sum",
       convolution({{{2}, {6}, {16}, {8, kX}},
                    {{3}, {3}, {8, kX}, {4}},
                    {{2}, {6}, {16}, {4}},
                    kForward,
                    same}),
       {{kAllReduce, {1, 2 * (2 * 6 * 16 * 4 * 4) * 7 / 8}}}},
      {"depthwise, data-parallel",
       convolution({{{8, kX}, {6}, {16}, {6}},
                    {{3}, {3}, {1}, {6}},
                    {{8, kX}, {6}, {16}, {6}},
                    kForward,
                    same,
                    6}),
       {}},
      {"depthwise, channels",
       convolution({{{2}, {6}, {16}, {16, kX}},
                    {{3}, {3}, {1}, {16, kX}},
                    {{2}, {6}, {16}, {16, kX}},
                    kForward,
                    same,
                    16}),
       {}},
      {"spatial: a row from each side",
       convolution(
           {{{1}, {32, kX}, {16}, {3}}, kernel, {{1}, {32, kX}, {16}, {4}}, kForward, same}),
       {{kPermute, {2, 2 * kRow}}}},
      {"spatial, uneven: a row from each side",
       convolution(
           {{{1}, {30, kX}, {16}, {3}}, kernel, {{1}, {30, kX}, {16}, {4}}, kForward, same}),
       {{kPermute, {2, 2 * kRow}}}},
      {"spatial, dilated kernel: two rows from each side",
       convolution({{{1}, {32, kX}, {16}, {3}},
                    kernel,
                    {{1}, {32, kX}, {16}, {4}},
                    kForward,
                    "pad = [[2, 2], [1, 1]], rhs_dilate = [2, 1]"}),
       {{kPermute, {2, 4 * kRow}}}},
      {"spatial, stride 2: a row from below",
       convolution({{{1}, {32, kX}, {16}, {3}},
                    kernel,
                    {{1}, {16, kX}, {16}, {4}},
                    kForward,
                    "stride = [2, 1], pad = [[0, 1], [1, 1]]"}),
       {{kPermute, {1, kRow}}}},
      {"spatial, 1x1 kernel",
       convolution({{{1}, {32, kX}, {16}, {3}},
                    {{1}, {1}, {3}, {4}},
                    {{1}, {32, kX}, {16}, {4}},
                    kForward,
                    ""}),
       {}},
      {"spatial, patches that tile",
       convolution({{{1}, {32, kX}, {16}, {3}},
                    {{2}, {2}, {3}, {4}},
                    {{1}, {16, kX}, {8}, {4}},
                    kForward,
                    "stride = [2, 2]"}),
       {}},
      {"kernel gradient, data-parallel: one sum of the kernel",
       convolution({{{8, kX}, {6}, {16}, {3}},
                    {{8, kX}, {6}, {16}, {4}},
                    {{3}, {3}, {3}, {4}},
                    kKernelGradient,
                    same}),
       {{kAllReduce, {1, kReduced}}}},
      {"kernel gradient of a strided convolution, data-parallel: one sum of the kernel",
       convolution({{{8, kX}, {6}, {16}, {3}},
                    {{8, kX}, {3}, {16}, {4}},
                    {{3}, {3}, {3}, {4}},
                    kKernelGradient,
                    "pad = [[0, 1], [1, 1]], rhs_dilate = [2, 1]"}),
       {{kAllReduce, {1, kReduced}}}},
      {"kernel gradient, spatial: halos and one sum",
       convolution({{{1}, {32, kX}, {16}, {3}},
                    {{1}, {32, kX}, {16}, {4}},
                    {{3}, {3}, {3}, {4}},
                    kKernelGradient,
                    same}),
       {{kPermute, {2, 2 * kRow}}, {kAllReduce, {1, kReduced}}}},
      {"kernel gradient of a strided convolution, spatial: a halo and one sum",
       convolution({{{1}, {32, kX}, {16}, {3}},
                    {{1}, {16, kX}, {16}, {4}},
                    {{3}, {3}, {3}, {4}},
                    kKernelGradient,
                    "pad = [[0, 1], [1, 1]], rhs_dilate = [2, 1]"}),
       {{kPermute, {1, kRow}}, {kAllReduce, {1, kReduced}}}},
      {"kernel gradient of a depthwise convolution, data-parallel: one sum of the kernel",
       convolution({{{8, kX}, {6}, {16}, {6}},
                    {{8, kX}, {6}, {16}, {6}},
                    {{3}, {3}, {1}, {6}},
                    kKernelGradient,
                    same,
                    1,
                    6}),
       {{kAllReduce, {1, 2 * (3 * 3 * 6 * 4) * 7 / 8}}}},
      {"kernel gradient of a depthwise convolution, channels",
       convolution({{{2}, {6}, {16}, {16, kX}},
                    {{2}, {6}, {16}, {16, kX}},
                    {{3}, {3}, {1}, {16, kX}},
                    kKernelGradient,
                    same,
                    1,
                    16}),
       {}},
      {"input gradient of a strided convolution, spatial: one row",
       convolution({{{1}, {16, kX}, {16}, {4}},
                    kernel,
                    {{1}, {32, kX}, {16}, {3}},
                    kInputGradient,
                    "pad = [[2, 1], [1, 1]], lhs_dilate = [2, 1], reverse = [true, true]"}),
       {{kPermute, {1, kGradRow}}}},
  };
}

std::vector<Row> window_rows() {
  constexpr int64_t kRow = 16 * 3 * 4;
  const std::string pairs =
      "window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>";
  const std::string triples =
      "window_dimensions = array<i64: 1, 3, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>, "
      "padding "
      "= dense<[[0, 0], [0, 1], [0, 0], [0, 0]]> : tensor<4x2xi64>";
  const std::string scan =
      "window_dimensions = array<i64: 64, 1>, padding = dense<[[63, 0], [0, 0]]> : tensor<2x2xi64>";
  return {
      {"pooling, data-parallel",
       window_reduction({{8, kX}, {6}, {16}, {3}}, {{8, kX}, {3}, {8}, {3}}, pairs),
       {}},
      {"pooling that tiles, spatial",
       window_reduction({{1}, {32, kX}, {16}, {3}}, {{1}, {16, kX}, {8}, {3}}, pairs),
       {}},
      {"pooling that overlaps, spatial: a row from below",
       window_reduction({{1}, {32, kX}, {16}, {3}}, {{1}, {16, kX}, {8}, {3}}, triples),
       {{kPermute, {1, kRow}}},
       1.7},  // the shard is copied into a buffer with its halos
      {"a scan along a dim that is whole",
       window_reduction({{64}, {16, kX}}, {{64}, {16, kX}}, scan),
       {}},
      {"a scan along a cut dim: totals",
       window_reduction({{64, kX}, {16}}, {{64, kX}, {16}}, scan),
       {{kAllGather, {1, 7 * 16 * 4}}},
       1.5},  // totals, their spread over the tile, and the values added to them
      {"gradient of pooling, data-parallel",
       selection(8, {{8, kX}, {6}, {16}, {3}}, {{8, kX}, {3}, {8}, {3}}, pairs),
       {}},
      {"gradient of pooling that tiles, spatial",
       selection(8, {{1}, {32, kX}, {16}, {3}}, {{1}, {16, kX}, {8}, {3}}, pairs),
       {}},
      // The traffic is a row of elements, a row of positions (8 bytes each) and a row of the
      // source.
      {"gradient of pooling that overlaps, spatial: three halos",
       selection(8, {{1}, {32, kX}, {16}, {3}}, {{1}, {16, kX}, {8}, {3}}, triples),
       {{kPermute, {3, kRow + 8 * 3 * (8 + 4)}}},
       3.3},  // positions of 8 bytes for elements of 4
  };
}

void check_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const checking::CheckReport report = run_checked(row.text);
    INFO(text::to_mlir(report.compiled.program));
    CHECK(to_text(most_sent(report)) == to_text(row.sent));
    CHECK(report.compiled.notes.empty());
    const MemoryUse use = memory_use(report);
    CAPTURE(use.peak, use.exchanged, use.own);
    CHECK(use.ratio() <= row.memory);
  }
}

}  // namespace

TEST_CASE("convolutions send only halos and sums of sharded dims", "[checking][windows]") {
  check_rows(convolution_rows());
}

TEST_CASE("window reductions send only halos and totals", "[checking][windows]") {
  check_rows(window_rows());
}

namespace {

/// The gradients of a convolution and a dense layer, with pooling between the two.
std::string training_step(const std::string& images, const std::string& targets,
                          const std::string& weights) {
  const auto sharded = [](const std::string& dims) {
    return " {sdy.sharding = #sdy.sharding<@mesh, [" + dims + "]>}";
  };
  return mesh_text(8) + "func.func @main(%x: tensor<8x32x16x3xf64>" + sharded(images) +
         ", %t: tensor<8x10xf64>" + sharded(targets) +
         ", %k: tensor<3x3x3x4xf64>, %w: tensor<512x10xf64>" + sharded(weights) +
         ") -> (tensor<3x3x3x4xf64>" + sharded("{}, {}, {}, {}") + ", tensor<512x10xf64>" +
         sharded(weights) + R"() {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %least = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %zeros = stablehlo.constant dense<0.0> : tensor<8x32x16x4xf64>
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<8x32x16x3xf64>, tensor<3x3x3x4xf64>) -> tensor<8x32x16x4xf64>
  %a = stablehlo.maximum %y, %zeros : tensor<8x32x16x4xf64>
  %p = "stablehlo.reduce_window"(%a, %least) <{window_dimensions = array<i64: 1, 2, 2, 1>,
    window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%u: tensor<f64>, %v: tensor<f64>):
      %m = stablehlo.maximum %u, %v : tensor<f64>
      stablehlo.return %m : tensor<f64>
    }) : (tensor<8x32x16x4xf64>, tensor<f64>) -> tensor<8x16x8x4xf64>
  %r = stablehlo.reshape %p : (tensor<8x16x8x4xf64>) -> tensor<8x512xf64>
  %l = stablehlo.dot_general %r, %w, contracting_dims = [1] x [0]
    : (tensor<8x512xf64>, tensor<512x10xf64>) -> tensor<8x10xf64>
  %g = stablehlo.subtract %l, %t : tensor<8x10xf64>
  %dw = stablehlo.dot_general %r, %g, contracting_dims = [0] x [0]
    : (tensor<8x512xf64>, tensor<8x10xf64>) -> tensor<512x10xf64>
  %dr = stablehlo.dot_general %g, %w, contracting_dims = [1] x [1]
    : (tensor<8x10xf64>, tensor<512x10xf64>) -> tensor<8x512xf64>
  %dp = stablehlo.reshape %dr : (tensor<8x512xf64>) -> tensor<8x16x8x4xf64>
  %da = "stablehlo.select_and_scatter"(%a, %dp, %zero) <{window_dimensions = array<i64: 1, 2, 2, 1>,
    window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%u: tensor<f64>, %v: tensor<f64>):
      %c = stablehlo.compare GE, %u, %v : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }, {
    ^bb0(%u: tensor<f64>, %v: tensor<f64>):
      %c = stablehlo.add %u, %v : tensor<f64>
      stablehlo.return %c : tensor<f64>
    }) : (tensor<8x32x16x4xf64>, tensor<8x16x8x4xf64>, tensor<f64>) -> tensor<8x32x16x4xf64>
  %on = stablehlo.compare GT, %y, %zeros
    : (tensor<8x32x16x4xf64>, tensor<8x32x16x4xf64>) -> tensor<8x32x16x4xi1>
  %dy = stablehlo.select %on, %da, %zeros : tensor<8x32x16x4xi1>, tensor<8x32x16x4xf64>
  %dk = stablehlo.convolution(%x, %dy) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f],
    window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<8x32x16x3xf64>, tensor<8x32x16x4xf64>) -> tensor<3x3x3x4xf64>
  return %dk, %dw : tensor<3x3x3x4xf64>, tensor<512x10xf64>
}
)";
}

}  // namespace

TEST_CASE("training steps of convolutional networks send only gradients and halos",
          "[checking][windows]") {
  constexpr int64_t kKernel = 3 * 3 * 3 * 4 * 8;
  constexpr int64_t kWeights = 512 * 10 * 8;
  constexpr int64_t kLogits = 8 * 10 * 8;
  constexpr int64_t kRows = 8 * 16 * 3 * 8;  // one row of each image
  const auto sums = [](int64_t bytes) { return 2 * bytes * 7 / 8; };
  SECTION("data-parallel: the gradients") {
    const auto report =
        run_checked(training_step(R"({"x"}, {}, {}, {})", R"({"x"}, {})", "{}, {}"));
    CHECK(to_text(most_sent(report)) ==
          to_text({{kAllReduce, {1, sums(kKernel) + sums(kWeights)}}}));
    CHECK(report.compiled.notes.empty());
  }
  SECTION("spatial: rows from both sides, sums of logits, one gradient") {
    const auto report =
        run_checked(training_step(R"({}, {"x"}, {}, {})", "{}, {}", R"({"x"}, {})"));
    CHECK(to_text(most_sent(report)) ==
          to_text({{kPermute, {2, 2 * kRows}}, {kAllReduce, {2, sums(kKernel) + sums(kLogits)}}}));
    CHECK(report.compiled.notes.empty());
  }
}

// Spec: partitioning 4.5.
TEST_CASE("the op count of window ops does not depend on the number of devices",
          "[checking][windows]") {
  const auto count_of = [](const std::string& text) {
    const auto module = text::parse_mlir(text);
    REQUIRE(module.has_value());
    const auto compiled = checking::compile(*module);
    REQUIRE(compiled.has_value());
    const ir::Module& program = compiled->program;
    int64_t count = 0;
    for (const ir::OpId op : program.ops(program.entry(*program.main_function()))) {
      count += op.valid() ? 1 : 0;
    }
    return count;
  };
  const auto programs = [](int64_t devices) {
    const int64_t rows = 4 * devices;
    const std::string head = "sdy.mesh @mesh = <[\"x\"=" + std::to_string(devices) + "]>\n";
    const auto on_devices = [&](const std::string& text) {
      return head + text.substr(text.find("func.func"));
    };
    const TestDims lhs = {{1}, {rows, kX}, {6}, {2}};
    const TestDims half = {{1}, {rows / 2, kX}, {6}, {2}};
    const TestDims kernel = {{3}, {3}, {2}, {2}};
    const std::string same = "pad = [[1, 1], [1, 1]]";
    const std::string triples =
        "window_dimensions = array<i64: 1, 3, 1, 1>, window_strides = array<i64: 1, 2, 1, 1>, "
        "padding = dense<[[0, 0], [0, 1], [0, 0], [0, 0]]> : tensor<4x2xi64>";
    const std::string scan = "window_dimensions = array<i64: 1, " + std::to_string(rows) +
                             ", 1, 1>, padding = dense<[[0, 0], [" + std::to_string(rows - 1) +
                             ", 0], [0, 0], [0, 0]]> : tensor<4x2xi64>";
    return std::vector<std::string>{
        on_devices(convolution({lhs, kernel, lhs, kForward, same})),
        on_devices(convolution({lhs, lhs, kernel, kKernelGradient, same})),
        on_devices(convolution(
            {half, kernel, lhs, kInputGradient, "pad = [[2, 1], [1, 1]], lhs_dilate = [2, 1]"})),
        on_devices(window_reduction(lhs, half, triples)),
        on_devices(window_reduction(lhs, lhs, scan)),
        on_devices(selection(8, lhs, half, triples))};
  };
  const std::vector<std::string> few = programs(8);
  for (const int64_t devices : {64, 4096, 1 << 20}) {
    const std::vector<std::string> many = programs(devices);
    for (std::size_t index = 0; index < few.size(); ++index) {
      CAPTURE(devices, index);
      CHECK(count_of(many[index]) == count_of(few[index]));
    }
  }
}

// Spec: partitioning 8.12.
TEST_CASE("the example of select_and_scatter gives the listed values", "[checking][windows]") {
  const std::string text = selection(2, {{6, kX}}, {{5, kX}}, "window_dimensions = array<i64: 2>");
  const simulation::Tensors inputs = {shaped({3, 1, 4, 1, 5, 9}, {6}),
                                      shaped({10, 20, 30, 40, 50}, {5})};
  const checking::CheckReport report = run_checked(text, &inputs);
  CHECK(report.sharded.outputs.front() == shaped({10, 0, 50, 0, 40, 50}, {6}));
}

// ---- Stencils of slices of a pad ----------------------------------------------------------------

namespace {

/// Shifts along two dims.
using Shift = std::array<int64_t, 2>;

/// The sum of shifted values. Each is a slice of the padded value, which is `fill` outside of the
/// value.
std::string stencil(const std::string& mesh, const TestDims& dims, const std::vector<Shift>& shifts,
                    int64_t fill) {
  Shift low = {0, 0};
  Shift high = {0, 0};
  for (const Shift& shift : shifts) {
    for (const std::size_t dim : {0U, 1U}) {
      low[dim] = std::max(low[dim], -shift[dim]);
      high[dim] = std::max(high[dim], shift[dim]);
    }
  }
  const std::string type = type_text(dims);
  const std::string padded =
      type_text({{dims[0].size + low[0] + high[0], ""}, {dims[1].size + low[1] + high[1], ""}});
  std::string text =
      "sdy.mesh @mesh = <[" + mesh + "]>\nfunc.func @main(%x: " + value_text(dims) + ") -> (" +
      value_text(dims) + ") {\n  %z = stablehlo.constant dense<" + std::to_string(fill) +
      ".0> : tensor<f32>\n  %p = stablehlo.pad %x, %z, low = [" + list({low[0], low[1]}) +
      "], high = [" + list({high[0], high[1]}) + "], interior = [0, 0] : (" + type +
      ", tensor<f32>) -> " + padded + "\n  %a0 = stablehlo.add %x, %x : " + type + "\n";
  for (std::size_t at = 0; at < shifts.size(); ++at) {
    std::string ranges;
    for (const std::size_t dim : {0U, 1U}) {
      const int64_t start = low[dim] + shifts[at][dim];
      ranges += (dim > 0 ? ", " : "") + std::to_string(start) + ":" +
                std::to_string(start + dims[dim].size);
    }
    const std::string index = std::to_string(at);
    text += "  %s" + index + " = stablehlo.slice %p [" + ranges + "] : (" + padded + ") -> " +
            type + "\n  %a" + std::to_string(at + 1) + " = stablehlo.add %a" + index + ", %s" +
            index + " : " + type + "\n";
  }
  return text + "  return %a" + std::to_string(shifts.size()) + " : " + type + "\n}\n";
}

const std::vector<Shift> kFivePoints = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};

}  // namespace

// Spec: resharding A.10.3.
TEST_CASE("slices of a pad send only the rows that they shift", "[checking][windows]") {
  for (const int64_t n : {2, 3, 4, 6}) {
    CAPTURE(n);
    const TestDims dims = {{12 * n, kX}, {32, "\"y\""}};
    const std::string mesh = "\"x\"=" + std::to_string(n) + ", \"y\"=2";
    // Each device sends rows of 16 to both neighbours if it has two, and a column of 12 to its only
    // neighbour.
    const int64_t rows = n == 2 ? 1 : 2;
    int64_t sent = 0;
    for (const auto& [kind, traffic] :
         most_sent(run_checked(stencil(mesh, dims, kFivePoints, 0)))) {
      CHECK(kind == "spmd.permute");
      sent += traffic.bytes_sent;
    }
    CHECK(sent == (rows * 16 + 12) * 4);
  }
}

TEST_CASE("slices of a pad have the same elements under any shifts", "[checking][windows]") {
  checking::Random random(3);
  for (int round = 0; round < 120; ++round) {
    const int64_t n = random.pick(std::vector<int64_t>{2, 3, 4, 6});
    const std::string mesh = "\"x\"=" + std::to_string(n) + ", \"y\"=2";
    const TestDims dims = {{random.between(4, 15), kX}, {random.between(3, 9), "\"y\""}};
    std::vector<Shift> shifts;
    const int64_t count = random.between(1, 4);
    for (int64_t at = 0; at < count; ++at) {
      shifts.push_back({random.between(-3, 3), random.between(-2, 2)});
    }
    run_checked(stencil(mesh, dims, shifts, random.between(0, 1) * 3));
  }
}

}  // namespace window_traffic_test
