// Traffic of ops that need all elements of a sharded dim, on 8 devices. An all_reduce of b bytes
// over G devices sends 2b(G-1)/G, an all_to_all b(G-1)/G, and an all_gather of shards of b bytes
// b(G-1).
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "checking/program_check.hpp"
#include "checking/programs.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/text/mlir.hpp"

using namespace shardy;
using shardy_test::text_of;
using shardy_test::traffic_of;

namespace whole_dim_traffic_test {
namespace {

/// Returns the text of a function whose arguments are sharded along x.
std::string on_eight(const std::string& args, const std::string& results, const std::string& body) {
  return "sdy.mesh @mesh = <[\"x\"=8]>\nfunc.func @main(" + args + ") -> (" + results + ") {" +
         body + "}\n";
}

std::string sharded_type(const std::string& type, const std::string& dims) {
  return type + " {sdy.sharding = #sdy.sharding<@mesh, [" + dims + "]>}";
}

}  // namespace

namespace {

std::string argmax(const std::string& rows = "16") {
  std::string text = on_eight("%x: " + sharded_type("tensor<16x100xf32>", R"({}, {"x"})"),
                              "tensor<16xf32>, tensor<16xi32>", R"(
  %i = stablehlo.iota dim = 1 : tensor<16x100xi32>
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %n = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "stablehlo.reduce"(%x, %i, %z, %n) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
      %p = stablehlo.compare GT, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %e = stablehlo.compare EQ, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %l = stablehlo.compare LT, %b, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %f = stablehlo.and %e, %l : tensor<i1>
      %q = stablehlo.or %p, %f : tensor<i1>
      %s = stablehlo.select %p, %a, %c : tensor<i1>, tensor<f32>
      %t = stablehlo.select %q, %b, %d : tensor<i1>, tensor<i32>
      stablehlo.return %s, %t : tensor<f32>, tensor<i32>
    }) : (tensor<16x100xf32>, tensor<16x100xi32>, tensor<f32>, tensor<i32>)
      -> (tensor<16xf32>, tensor<16xi32>)
  return %0#0, %0#1 : tensor<16xf32>, tensor<16xi32>
)");
  for (std::size_t at = 0; (at = text.find("<16x", at)) != std::string::npos; ++at) {
    text.replace(at + 1, 2, rows);
  }
  return text;
}

}  // namespace

// Spec: partitioning 8.10.
TEST_CASE("argmax over a sharded dim exchanges one candidate per row", "[whole_dim][traffic]") {
  // A device sends the candidates of 2 rows, values and positions of 4 bytes, to each of 7 devices,
  // and then the results of its 2 rows. Each operand is reassembled after its mask.
  CHECK(traffic_of(argmax(), 1.4) == "2x all_gather 112, 2x all_to_all 112");
  // All devices receive all candidates of a single row.
  CHECK(traffic_of(argmax("1"), 3.2) == "2x all_gather 56");
}

TEST_CASE("argmax gathers candidates of two devices unless a result has no use",
          "[whole_dim][traffic]") {
  const auto replace = [](std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
      text.replace(at, from.size(), to);
    }
    return text;
  };
  const std::string on_two = replace(argmax(), "=8]", "=2]");
  CHECK(traffic_of(on_two, 1.4) == "2x all_gather 128");
  const std::string results = "tensor<16xf32>, tensor<16xi32>";
  const std::string positions =
      replace(replace(on_two, "-> (" + results + ") {", "-> (tensor<16xi32>) {"),
              "return %0#0, %0#1 : " + results, "return %0#1 : tensor<16xi32>");
  CHECK(traffic_of(positions, 1.4) == "all_gather 32, 2x all_to_all 64");
}

TEST_CASE("argmax with sharded results keeps the candidates that a device combined",
          "[whole_dim][traffic]") {
  const auto replace = [](std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  const std::string rows = R"({"x"})";
  const std::string sharded = "-> (" + sharded_type("tensor<16xf32>", rows) + ", " +
                              sharded_type("tensor<16xi32>", rows) + ") {";
  const std::string whole = "-> (tensor<16xf32>, tensor<16xi32>) {";
  // The rows of the operand would be 16 * 100 * 7/8 elements.
  CHECK(traffic_of(replace(argmax(), whole, sharded), 1.4) == "2x all_to_all 112");
  const std::string on_two = replace(replace(argmax(), "=8]", "=2]"), whole, sharded);
  CHECK(traffic_of(on_two, 1.4) == "2x all_to_all 64");
}

TEST_CASE("a reduction with any region exchanges one partial value per result",
          "[whole_dim][traffic]") {
  // The init value is not an identity; rows and columns are reduced. A device combines one of 3
  // results, or none.
  CHECK(traffic_of(on_eight("%x: " + sharded_type("tensor<16x100x3xi32>", R"({}, {"x"}, {})"),
                            "tensor<3xi32>", R"(
  %z = stablehlo.constant dense<7> : tensor<i32>
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      %k = stablehlo.constant dense<1> : tensor<i32>
      %t = stablehlo.add %s, %k : tensor<i32>
      stablehlo.return %t : tensor<i32>
    }) : (tensor<16x100x3xi32>, tensor<i32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
)")) == "all_gather 28, all_to_all 28");
}

namespace {

std::string best_two() {
  return on_eight("%x: " + sharded_type("tensor<4x100xf32>", R"({}, {"x"})"),
                  "tensor<4x2xf32>, tensor<4x2xi32>", R"(
  %0:2 = chlo.top_k(%x, k = 2) : tensor<4x100xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %0#0, %0#1 : tensor<4x2xf32>, tensor<4x2xi32>
)");
}

}  // namespace

// Spec: partitioning 8.18.
TEST_CASE("top_k of a sharded dim gathers only candidates", "[whole_dim][traffic]") {
  // 4 rows of 2 values and 2 positions.
  CHECK(traffic_of(best_two()) == "2x all_gather 448");
}

namespace {

/// Beams of scores for a sharded vocabulary. Takes the best scores over beams and vocabulary.
std::string best_of_beams(int64_t devices, int64_t vocabulary, int64_t count) {
  const std::string k = std::to_string(count);
  const std::string in = "tensor<2x4x" + std::to_string(vocabulary) + "xf32>";
  const std::string row = "tensor<2x" + std::to_string(4 * vocabulary) + "xf32>";
  const std::string best = "(tensor<2x" + k + "xf32>, tensor<2x" + k + "xi32>)";
  return "sdy.mesh @mesh = <[\"x\"=" + std::to_string(devices) +
         "]>\nfunc.func @main(%x: " + sharded_type(in, R"({}, {}, {"x"})") + ") -> " + best +
         " {\n  %0 = stablehlo.reshape %x : (" + in + ") -> " + row +
         "\n  %1:2 = chlo.top_k(%0, k = " + k + ") : " + row + " -> " + best +
         "\n  return %1#0, %1#1 : " + best.substr(1, best.size() - 2) + "\n}\n";
}

}  // namespace

// Spec: resharding A.10.2.
TEST_CASE("top_k of merged dims gathers only candidates of each device", "[whole_dim][traffic]") {
  for (const int64_t devices : {2, 3, 4, 6, 8}) {
    CAPTURE(devices);
    // 2 rows of 3 values and 3 positions.
    const std::string candidates = "2x all_gather " + std::to_string(2 * 3 * 8 * (devices - 1));
    CHECK(traffic_of(best_of_beams(devices, 24 * devices, 3)) == candidates);
    // Shards of different sizes need candidates for each beam.
    const std::string by_beam = "2x all_gather " + std::to_string(2 * 4 * 3 * 8 * (devices - 1));
    CHECK(traffic_of(best_of_beams(devices, 24 * devices - 1, 3), 2) == by_beam);
  }
}

namespace {

/// Sorts rows with their positions and takes the elements `range` of each row.
std::string some_of_sorted(const std::string& range, const std::string& compared, int64_t size) {
  const std::string row = std::to_string(size);
  const std::string taken = "tensor<4x2xf32>, tensor<4x2xi32>";
  const std::string sorted = "tensor<4x" + row + "xf32>, tensor<4x" + row + "xi32>";
  return on_eight("%x: " + sharded_type("tensor<4x" + row + "xf32>", R"({}, {"x"})"), taken,
                  "\n  %i = stablehlo.iota dim = 1 : tensor<4x" + row +
                      "xi32>\n  %0:2 = \"stablehlo.sort\"(%x, %i) <{dimension = 1 : i64}> ({"
                      "\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: "
                      "tensor<i32>):\n    %p = stablehlo.compare " +
                      compared +
                      " : (tensor<f32>, tensor<f32>) -> tensor<i1>\n    stablehlo.return %p : "
                      "tensor<i1>\n  }) : (" +
                      sorted + ") -> (" + sorted + ")\n  %1 = stablehlo.slice %0#0 [0:4, " + range +
                      "] : (tensor<4x" + row + "xf32>) -> tensor<4x2xf32>\n  %2 = " +
                      "stablehlo.slice %0#1 [0:4, " + range + "] : (tensor<4x" + row +
                      "xi32>) -> tensor<4x2xi32>\n  return %1, %2 : " + taken + "\n");
}

}  // namespace

// Spec: resharding A.10.6.
TEST_CASE("a sort of which only the ends are used gathers only candidates",
          "[whole_dim][traffic]") {
  // 4 rows of 2 values and 2 positions.
  const std::string total = "GT, %a, %b, TOTALORDER";
  CHECK(traffic_of(some_of_sorted("0:2", total, 160)) == "2x all_gather 448");
  CHECK(traffic_of(some_of_sorted("158:160", total, 160)) == "2x all_gather 448");
  // 8 devices would have 16 candidates of each row, as many as a shard has elements. Otherwise each
  // device sorts some of the rows.
  CHECK(traffic_of(some_of_sorted("0:2", total, 128), 4) == "3x all_to_all 1344, 16x permute 224");
  CHECK(traffic_of(some_of_sorted("80:82", total, 160), 4) == "3x all_to_all 1680, 16x permute 0");
  // A comparison of floats is not a total order, because NaN has no order.
  CHECK(traffic_of(some_of_sorted("0:2", "GT, %a, %b", 160), 4) ==
        "3x all_to_all 1680, 16x permute 224");
}

// Spec: partitioning 8.24.
TEST_CASE("batch normalization sends sums per feature, twice in training and once in the gradient",
          "[whole_dim][traffic]") {
  const std::string x = sharded_type("tensor<16x5x3xf32>", R"({"x"}, {}, {})");
  CHECK(traffic_of(on_eight("%x: " + x + ", %s: tensor<3xf32>, %o: tensor<3xf32>",
                            x + ", tensor<3xf32>, tensor<3xf32>", R"(
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 0.5 : f32, feature_index = 2 : i64}>
    : (tensor<16x5x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<16x5x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<16x5x3xf32>, tensor<3xf32>, tensor<3xf32>
)")) == "2x all_reduce 42");
  CHECK(traffic_of(on_eight("%x: " + x + ", %s: tensor<3xf32>, %v: tensor<3xf32>, %g: " + x,
                            x + ", tensor<3xf32>, tensor<3xf32>", R"(
  %w = stablehlo.multiply %v, %v : tensor<3xf32>
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %v, %w, %g) <{epsilon = 0.5 : f32, feature_index = 2 : i64}>
    : (tensor<16x5x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<16x5x3xf32>)
    -> (tensor<16x5x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<16x5x3xf32>, tensor<3xf32>, tensor<3xf32>
)"),
                   1.75) ==
        "all_reduce 42");  // the peak has the differences from the mean and products
}

namespace {

/// Keys of 4 bytes with values of 8 bytes in sharded rows of 24 elements.
std::string sorted(const std::string& rows) {
  const std::string keys = "tensor<" + rows + "24xf32>";
  const std::string values = "tensor<" + rows + "24xi64>";
  const std::string dims = rows.empty() ? R"({"x"})" : R"({}, {"x"})";
  return on_eight("%k: " + sharded_type(keys, dims) + ", %v: " + sharded_type(values, dims),
                  sharded_type(keys, dims) + ", " + sharded_type(values, dims),
                  R"(
  %0:2 = "stablehlo.sort"(%k, %v) <{dimension = )" +
                      std::string(rows.empty() ? "0" : "1") + R"( : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i64>, %d: tensor<i64>):
      %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) : ()" + keys + ", " +
                      values + ") -> (" + keys + ", " + values +
                      ")\n  return %0#0, %0#1 : " + keys + ", " + values + "\n");
}

std::string transformed(const std::string& rows) {
  const std::string type = "tensor<" + rows + "24xcomplex<f32>>";
  const std::string dims = rows.empty() ? R"({"x"})" : R"({}, {"x"})";
  return on_eight("%x: " + sharded_type(type, dims), sharded_type(type, dims),
                  "\n  %0 = stablehlo.fft %x, type = FFT, length = [24] : (" + type + ") -> " +
                      type + "\n  return %0 : " + type + "\n");
}

const std::string kGathered = "; the op needs the dim replicated";

}  // namespace

// Spec: partitioning 8.18, 8.19. Each device keeps 2 of 16 rows of 3 elements. Of 11 rows it has 2,
// including padding. Blocks of 2 by 3 elements go to 7 devices.
TEST_CASE("sorts and FFTs exchange the axes of their dim to another dim and back",
          "[whole_dim][traffic]") {
  CHECK(traffic_of(sorted("16x")) == "4x all_to_all 1008");  // 2 * 7 * 6 * (4 + 8)
  CHECK(traffic_of(sorted("11x")) == "4x all_to_all 1008");
  CHECK(traffic_of(transformed("16x")) == "2x all_to_all 672");  // 2 * 7 * 6 * 8
  CHECK(traffic_of(transformed("11x")) == "2x all_to_all 672");
}

TEST_CASE("a sorted or transformed vector is gathered and has a note", "[whole_dim][traffic]") {
  // Each device sends its 3 elements to 7 devices.
  CHECK(traffic_of(sorted(""), 1.8) == "2x all_gather 252" + kGathered + kGathered);
  CHECK(traffic_of(transformed(""), 1.8) == "all_gather 168" + kGathered);
}

namespace {

/// A transform of two dims over `mesh`. One dim or both dims are sharded.
std::string transformed_plane(const std::string& mesh, const std::string& type,
                              const std::vector<std::string>& types, const std::string& from,
                              const std::string& to) {
  const std::string& length = types.back();
  return "sdy.mesh @mesh = <[" + mesh + "]>\nfunc.func @main(%x: " + sharded_type(types[0], from) +
         ") -> (" + sharded_type(types[1], to) + ") {\n  %0 = stablehlo.fft %x, type = " + type +
         ", length = [" + length + "] : (" + types[0] + ") -> " + types[1] +
         "\n  return %0 : " + types[1] + "\n}\n";
}

/// Returns the bytes that a device sends. Checks that the results are close to the unsharded
/// results, and equal to them over the prime field.
int64_t sent_by_transform(const std::string& text) {
  INFO(text);
  const auto module = text::parse_mlir(text);
  INFO((module ? std::string() : text_of(module.error())));
  REQUIRE(module.has_value());
  const auto report = checking::check(*module, shardy_test::small_integers(*module, 3));
  INFO((report ? std::string() : text_of(report.error())));
  REQUIRE(report.has_value());
  CHECK(report->equal());
  return partitioning::program_cost(report->compiled.program).bytes_sent;
}

}  // namespace

// Spec: resharding A.10.1. Each device sends blocks of ceil(24/n) by ceil(36/n) numbers of 8 bytes
// to n - 1 devices.
TEST_CASE("an FFT of two dims exchanges the dims between its passes", "[whole_dim][traffic]") {
  const std::string plane = "tensor<24x36xcomplex<f32>>";
  for (const int64_t n : {2, 3, 4, 6, 8}) {
    CAPTURE(n);
    const std::string mesh = "\"x\"=" + std::to_string(n);
    const int64_t exchange = (24 / n) * ((36 + n - 1) / n) * 8 * (n - 1);
    const std::vector<std::string> types = {plane, plane, "24, 36"};
    const std::string rows = R"({"x"}, {})", columns = R"({}, {"x"})";
    for (const std::string type : {"FFT", "IFFT"}) {
      CHECK(sent_by_transform(transformed_plane(mesh, type, types, rows, rows)) == 2 * exchange);
      CHECK(sent_by_transform(transformed_plane(mesh, type, types, columns, columns)) ==
            2 * exchange);
      CHECK(sent_by_transform(transformed_plane(mesh, type, types, rows, columns)) == exchange);
    }
  }
}

// The inverse begins with the dim that the transform ends with, so the exchanges around the product
// cancel. For n = 2 each transform gathers, which sends as much as its two exchanges would send.
TEST_CASE("an FFT, a product and an inverse FFT take two exchanges", "[whole_dim][traffic]") {
  const std::string plane = "tensor<24x36xcomplex<f32>>";
  for (const int64_t n : {3, 4, 6, 8}) {
    for (const std::string held : {R"({"x"}, {})", R"({}, {"x"})"}) {
      CAPTURE(n, held);
      const std::string text = "sdy.mesh @mesh = <[\"x\"=" + std::to_string(n) +
                               "]>\nfunc.func @main(%x: " + sharded_type(plane, held) + ") -> (" +
                               sharded_type(plane, held) +
                               ") {\n  %0 = stablehlo.fft %x, type = FFT, " +
                               "length = [24, 36] : (" + plane + ") -> " + plane +
                               "\n  %1 = stablehlo.multiply %0, %0 : " + plane +
                               "\n  %2 = stablehlo.fft %1, type = IFFT, length = [24, 36] : (" +
                               plane + ") -> " + plane + "\n  return %2 : " + plane + "\n}\n";
      CHECK(sent_by_transform(text) == 2 * (24 / n) * ((36 + n - 1) / n) * 8 * (n - 1));
    }
  }
}

TEST_CASE("a real FFT of two dims exchanges half of the spectrum", "[whole_dim][traffic]") {
  const std::string real = "tensor<24x36xf32>", half = "tensor<24x19xcomplex<f32>>";
  for (const int64_t n : {2, 3, 4, 6, 8}) {
    CAPTURE(n);
    const std::string mesh = "\"x\"=" + std::to_string(n);
    const int64_t exchange = (24 / n) * ((19 + n - 1) / n) * 8 * (n - 1);
    const std::string rows = R"({"x"}, {})", columns = R"({}, {"x"})";
    const std::vector<std::string> there = {real, half, "24, 36"}, back = {half, real, "24, 36"};
    CHECK(sent_by_transform(transformed_plane(mesh, "RFFT", there, rows, columns)) == exchange);
    // A gather of the real numbers, which sends less for n = 2.
    const int64_t gathered = (24 / n) * 36 * 4 * (n - 1);
    CHECK(sent_by_transform(transformed_plane(mesh, "RFFT", there, rows, rows)) ==
          std::min(2 * exchange, gathered));
    CHECK(sent_by_transform(transformed_plane(mesh, "IRFFT", back, columns, rows)) == exchange);
  }
}

TEST_CASE("an FFT of three dims over two axes exchanges along one axis at a time",
          "[whole_dim][traffic]") {
  const std::string cube = "tensor<12x12x12xcomplex<f32>>";
  const std::vector<std::string> types = {cube, cube, "12, 12, 12"};
  const std::string held = R"({"x"}, {"y"}, {})";
  // 1,728 numbers of 8 bytes are on 4 devices. There are two exchanges along each axis, of half of
  // the numbers each.
  CHECK(sent_by_transform(transformed_plane(R"("x"=2, "y"=2)", "FFT", types, held, held)) ==
        4 * 1728 * 8 / 4 / 2);
}

TEST_CASE("triangular_solve sends nothing for sharded columns and exchanges sharded rows",
          "[whole_dim][traffic]") {
  const auto solved = [](const std::string& dims) {
    const std::string b = sharded_type("tensor<6x16xf32>", dims);
    const std::string a = sharded_type("tensor<6x6xf32>", "{}, {}");
    return traffic_of(on_eight("%a: " + a + ", %b: " + b, b, R"(
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, unit_diagonal = true,
    transpose_a = #stablehlo<transpose NO_TRANSPOSE>}>
    : (tensor<6x6xf32>, tensor<6x16xf32>) -> tensor<6x16xf32>
  return %0 : tensor<6x16xf32>
)"));
  };
  CHECK(solved(R"({}, {"x"})").empty());
  // The transform of rows sends blocks of 1 by 2 elements to 7 devices and back.
  CHECK(solved(R"({"x"}, {})") == "2x all_to_all 112");
}

namespace {

std::string random_bits(const std::string& dims) {
  return on_eight("%s: tensor<2xui64>", sharded_type("tensor<20x6xui32>", dims), R"(
  %0:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm PHILOX>}>
    : (tensor<2xui64>) -> (tensor<2xui64>, tensor<20x6xui32>)
  return %0#1 : tensor<20x6xui32>
)");
}

}  // namespace

// Spec: partitioning 8.20.
TEST_CASE("random bits are generated on the devices that use them", "[whole_dim][traffic]") {
  // A block of words that begins elsewhere is made and sliced; indices, of 8 bytes in a row of 20,
  // are added up.
  CHECK(traffic_of(random_bits(R"({"x"}, {})"), 1.9).empty());
  CHECK(traffic_of(random_bits(R"({}, {"x"})"), 6).empty());
}

// Spec: partitioning 4.5.
TEST_CASE("the op count of whole-dim ops does not depend on the number of devices",
          "[whole_dim][traffic]") {
  const auto count = [](std::string text, const std::string& devices, const std::string& size) {
    const auto replace = [&](const std::string& from, const std::string& to) {
      for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    };
    replace("\"x\"=8", "\"x\"=" + devices);
    replace("x100x", "x" + size + "x");
    replace("<20x6x", "<" + size + "x6x");
    const auto module = text::parse_mlir(text);
    INFO((module ? std::string() : text_of(module.error())));
    REQUIRE(module.has_value());
    const auto compiled = checking::compile(*module);
    INFO((compiled ? std::string() : text_of(compiled.error())));
    REQUIRE(compiled.has_value());
    return compiled->program.num_ops();
  };
  for (const std::string& program :
       {argmax("12"), best_two(), random_bits(R"({"x"}, {})"), random_bits(R"({}, {"x"})")}) {
    INFO(program);
    CHECK(count(program, "8", "96") == count(program, "1048576", "12582912"));
  }
}

namespace {

std::string experts(const std::string& lhs, const std::string& rhs, const std::string& sizes,
                    const std::string& result, const std::string& numbers) {
  const auto bare = [](const std::string& text) { return text.substr(0, text.find(' ')); };
  return on_eight("%x: " + lhs + ", %w: " + rhs + ", %g: " + sizes, result,
                  "\n  %0 = \"chlo.ragged_dot\"(%x, %w, %g) <{ragged_dot_dimension_numbers = "
                  "#chlo.ragged_dot<" +
                      numbers + ">}> : (" + bare(lhs) + ", " + bare(rhs) + ", " + bare(sizes) +
                      ") -> " + bare(result) + "\n  return %0 : " + bare(result) + "\n");
}

}  // namespace

// Spec: partitioning 8.8. A token has 16 features. Each of 8 experts makes 32 features from them.
TEST_CASE("ragged products of experts send no token and no expert", "[whole_dim][traffic]") {
  const std::string tokens =
      "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], "
      "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]";
  const std::string x = "tensor<64x16xf32>", w = "tensor<8x16x32xf32>", y = "tensor<64x32xf32>";
  const std::string g = "tensor<8xi32>";
  const std::string first = R"({"x"}, {})";
  CHECK(traffic_of(experts(sharded_type(x, first), w, g, sharded_type(y, first), tokens), 1.6)
            .empty());
  CHECK(traffic_of(experts(x, sharded_type(w, R"({}, {}, {"x"})"), g,
                           sharded_type(y, R"({}, {"x"})"), tokens),
                   1.6)
            .empty());
  // Experts, or the features that are summed, are on different devices: the sums have 64x32
  // results.
  CHECK(traffic_of(experts(x, sharded_type(w, R"({"x"}, {}, {})"), g, y, tokens), 1.6) ==
        "all_reduce 14336");
  CHECK(traffic_of(experts(sharded_type(x, R"({}, {"x"})"), sharded_type(w, R"({}, {"x"}, {})"), g,
                           y, tokens),
                   1.6) == "all_reduce 14336");
  // The gradient of each expert is a sum over tokens.
  const std::string sums =
      "lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], "
      "lhs_ragged_dimensions = [0]";
  CHECK(traffic_of(experts(sharded_type(x, first), sharded_type(y, first), g, w, sums), 1.6) ==
        "all_reduce 28672");
  CHECK(traffic_of(experts(x, y, g, sharded_type(w, R"({"x"}, {}, {})"), sums), 1.6).empty());
}

}  // namespace whole_dim_traffic_test
