// Ops on dims that are merged and later split again must send nothing in between. Spec:
// partitioning 8.3 f.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "checking/programs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;

namespace merged_dims_test {
namespace {

ir::Module parsed(const std::string& text) {
  auto module = text::parse_mlir(text);
  INFO(text);
  INFO((module ? std::string() : module.error().front().headline()));
  REQUIRE(module.has_value());
  return *std::move(module);
}

/// Returns the bytes of all collectives. Checks that the results are those of the unsharded
/// program.
int64_t sent(const std::string& text) {
  const ir::Module module = parsed(text);
  INFO(text);
  checking::CheckOptions options;
  options.run.kernels.fill = simulation::Fill::Poison;
  const auto report = checking::check(module, shardy_test::small_integers(module, 5), options);
  INFO((report ? std::string() : report.error().front().message));
  REQUIRE(report.has_value());
  REQUIRE(report->equal());
  const auto compiled = checking::compile(module);
  REQUIRE(compiled.has_value());
  return partitioning::program_cost(compiled->program).bytes_sent;
}

/// A mesh of x times y devices, and a batch and a sequence that are sharded over the mesh.
struct Sizes {
  int64_t x = 2;
  int64_t y = 4;
  int64_t batch = 8;
  int64_t length = 32;
};

/// A program on `%m`, the merged rows with 6 columns. BODY turns `%m` into `%r` with `width`
/// columns.
std::string program(const Sizes& sizes, int64_t width, const std::string& body) {
  const auto& [x, y, batch, length] = sizes;
  const int64_t rows = batch * length;
  return fmt::format(
      R"(sdy.mesh @mesh = <["x"={0}, "y"={1}]>
func.func @main(%a: tensor<{2}x{3}x6xi32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{"y"}}, {{}}]>}},
                %w: tensor<6x6xi32>, %bias: tensor<6xi32>)
    -> (tensor<{2}x{3}x{5}xi32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{"y"}}, {{}}]>}}) {{
  %m = stablehlo.reshape %a : (tensor<{2}x{3}x6xi32>) -> tensor<{4}x6xi32>
{6}
  %s = stablehlo.reshape %r : (tensor<{4}x{5}xi32>) -> tensor<{2}x{3}x{5}xi32>
  return %s : tensor<{2}x{3}x{5}xi32>
}}
)",
      x, y, batch, length, rows, width, body);
}

/// Appends ops to a chain of values with the merged rows.
class Chain {
 public:
  Chain(int64_t rows, uint64_t seed) : rows_(rows), random_(seed) {}

  void grow() {
    switch (random_() % 10) {
      case 0:
        return emit("stablehlo.negate " + last_, width_);
      case 1:
        return emit("stablehlo.multiply " + last_ + ", " + last_, width_);
      case 2: {
        if (width_ != 6) return;
        const std::string bias = name();
        line(bias + " = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<6xi32>) -> " +
             type(6));
        return emit("stablehlo.add " + last_ + ", " + bias, 6);
      }
      case 3: {
        const std::string splat = name();
        line(splat + " = stablehlo.constant dense<3> : " + type(width_));
        return emit("stablehlo.maximum " + last_ + ", " + splat, width_);
      }
      case 4:
        if (width_ != 6) return;
        return emit("stablehlo.dot_general " + last_ + ", %w, contracting_dims = [1] x [0] : (" +
                        type(6) + ", tensor<6x6xi32>) -> " + type(6),
                    6, true);
      case 5: {
        const std::string turned = name();
        const std::string flipped = name();
        const std::string other = fmt::format("tensor<{}x{}xi32>", width_, rows_);
        line(fmt::format("{} = stablehlo.transpose {}, dims = [1, 0] : ({}) -> {}", turned, last_,
                         type(width_), other));
        line(flipped + " = stablehlo.abs " + turned + " : " + other);
        return emit(fmt::format("stablehlo.transpose {}, dims = [1, 0] : ({}) -> {}", flipped,
                                other, type(width_)),
                    width_, true);
      }
      case 6: {
        const std::string zero = name();
        const std::string sum = name();
        const std::string column = fmt::format("tensor<{}xi32>", rows_);
        line(zero + " = stablehlo.constant dense<0> : tensor<i32>");
        line(
            fmt::format("{} = stablehlo.reduce({} init: {}) applies stablehlo.add across "
                        "dimensions = [1] : ({}, tensor<i32>) -> {}",
                        sum, last_, zero, type(width_), column));
        const std::string spread = name();
        line(fmt::format("{} = stablehlo.broadcast_in_dim {}, dims = [0] : ({}) -> {}", spread, sum,
                         column, type(width_)));
        return emit("stablehlo.subtract " + last_ + ", " + spread, width_);
      }
      case 7:
        if (width_ > 6) return;
        return emit(fmt::format("stablehlo.concatenate {0}, {0}, dim = 1 : ({1}, {1}) -> {2}",
                                last_, type(width_), type(2 * width_)),
                    2 * width_, true);
      case 8:
        if (width_ <= 6) return;
        return emit(fmt::format("stablehlo.slice {} [0:{}, 3:9] : ({}) -> {}", last_, rows_,
                                type(width_), type(6)),
                    6, true);
      default: {
        const std::string places = name();
        line(places + " = stablehlo.iota dim = 1 : " + type(width_));
        return emit("stablehlo.add " + last_ + ", " + places, width_);
      }
    }
  }

  int64_t width() const { return width_; }
  std::string finish() const {
    return text_ + "  %r = stablehlo.abs " + last_ + " : " + type(width_);
  }

 private:
  std::string name() { return "%v" + std::to_string(next_++); }
  std::string type(int64_t width) const { return fmt::format("tensor<{}x{}xi32>", rows_, width); }
  void line(const std::string& op) { text_ += "  " + op + "\n"; }
  void emit(const std::string& op, int64_t width, bool has_type = false) {
    const std::string made = name();
    line(made + " = " + op + (has_type ? "" : " : " + type(width)));
    last_ = made;
    width_ = width;
  }

  int64_t rows_;
  std::mt19937_64 random_;
  std::string last_ = "%m";
  std::string text_;
  int64_t width_ = 6;
  int next_ = 0;
};

}  // namespace

TEST_CASE("ops on merged rows of a sharded batch and sequence send nothing",
          "[checking][traffic]") {
  uint64_t seed = 1;
  for (const auto& [x, y] : {std::pair<int64_t, int64_t>{1, 2},
                             {2, 1},
                             {2, 2},
                             {2, 3},
                             {3, 2},
                             {2, 4},
                             {4, 2},
                             {1, 8}}) {
    for (int round = 0; round < 6; ++round, ++seed) {
      // Every second round has uneven sizes.
      const Sizes sizes{x, y, x * 2 + (round % 2), y * 3 + (round % 3 == 1 ? 1 : 0)};
      Chain chain(sizes.batch * sizes.length, seed);
      for (int step = 0; step < 1 + 2 * round; ++step) chain.grow();
      CAPTURE(x, y, round);
      CHECK(sent(program(sizes, chain.width(), chain.finish())) == 0);
    }
  }
}

TEST_CASE("a layer on merged rows sends only the sum of its weight gradients",
          "[checking][traffic]") {
  for (const auto& [x, y] : {std::pair<int64_t, int64_t>{2, 2}, {2, 3}, {2, 4}, {4, 2}, {1, 4}}) {
    const int64_t batch = 2 * x;
    const int64_t length = 3 * y;
    CAPTURE(x, y);
    const std::string text = fmt::format(
        R"(sdy.mesh @mesh = <["x"={0}, "y"={1}]>
func.func @main(%a: tensor<{2}x{3}x12xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{"y"}}, {{}}]>}},
                %g: tensor<{2}x{3}x24xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{"y"}}, {{}}]>}},
                %w: tensor<12x24xf32>)
    -> (tensor<{2}x{3}x24xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{"y"}}, {{}}]>}},
        tensor<{2}x{3}x12xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{"y"}}, {{}}]>}},
        tensor<12x24xf32>) {{
  %m = stablehlo.reshape %a : (tensor<{2}x{3}x12xf32>) -> tensor<{4}x12xf32>
  %n = stablehlo.reshape %g : (tensor<{2}x{3}x24xf32>) -> tensor<{4}x24xf32>
  %0 = stablehlo.dot_general %m, %w, contracting_dims = [1] x [0] : (tensor<{4}x12xf32>, tensor<12x24xf32>) -> tensor<{4}x24xf32>
  %1 = stablehlo.reshape %0 : (tensor<{4}x24xf32>) -> tensor<{2}x{3}x24xf32>
  %2 = stablehlo.dot_general %n, %w, contracting_dims = [1] x [1] : (tensor<{4}x24xf32>, tensor<12x24xf32>) -> tensor<{4}x12xf32>
  %3 = stablehlo.reshape %2 : (tensor<{4}x12xf32>) -> tensor<{2}x{3}x12xf32>
  %4 = stablehlo.dot_general %m, %n, contracting_dims = [0] x [0] : (tensor<{4}x12xf32>, tensor<{4}x24xf32>) -> tensor<12x24xf32>
  return %1, %3, %4 : tensor<{2}x{3}x24xf32>, tensor<{2}x{3}x12xf32>, tensor<12x24xf32>
}}
)",
        x, y, batch, length, batch * length);
    const int64_t devices = x * y;
    CHECK(sent(text) == 2 * (devices - 1) * 12 * 24 * 4 / devices);
  }
}

TEST_CASE("rows stay merged if an op needs the merged rows", "[checking]") {
  // The sort needs the merged rows. The other chain does not need them, but uses the same value.
  const Sizes sizes;
  const std::string body =
      R"(  %0 = "stablehlo.sort"(%m) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%p: tensor<i32>, %q: tensor<i32>):
    %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %lt : tensor<i1>
  }) : (tensor<256x6xi32>) -> tensor<256x6xi32>
  %r = stablehlo.add %0, %m : tensor<256x6xi32>)";
  CHECK(sent(program(sizes, 6, body)) > 0);
}

}  // namespace merged_dims_test
