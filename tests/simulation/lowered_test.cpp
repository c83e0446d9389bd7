// Ops that are executed through others, reinterpretations of bits, top_k. Spec: stablehlo 19,
// 29, 30.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "simulation/text_programs.hpp"

namespace shardy_test::lowered_test {
namespace {

const double kNan = std::nan("");

// ---- broadcast ---------------------------------------------------------------------------------

TEST_CASE("broadcast adds dims in front", "[simulation][kernels][broadcast]") {
  CHECK(run_op("stablehlo.broadcast %a, sizes = [2, 1]", {vector_of(ElementType::I8, {1, 2, 3})},
               "tensor<2x1x3xi8>") == tensor(ElementType::I8, {2, 1, 3}, {1, 2, 3, 1, 2, 3}));
}

TEST_CASE("broadcasting ops broadcast their operands", "[simulation][kernels][broadcast]") {
  const Tensor column = tensor(ElementType::F32, {2, 1}, {1, 2});
  const Tensor row = vector_of(ElementType::F32, {10, 20, 30});
  CHECK(run_op("chlo.broadcast_add %a, %b", {column, row}, "tensor<2x3xf32>") ==
        tensor(ElementType::F32, {2, 3}, {11, 21, 31, 12, 22, 32}));
  CHECK(run_op("chlo.broadcast_subtract %a, %b {broadcast_dimensions = array<i64: 0>}",
               {tensor(ElementType::F32, {2, 3}, {1, 2, 3, 4, 5, 6}),
                vector_of(ElementType::F32, {1, 2})},
               "tensor<2x3xf32>") == tensor(ElementType::F32, {2, 3}, {0, 1, 2, 2, 3, 4}));
}

TEST_CASE("each broadcasting op computes its elementwise op", "[simulation][kernels][broadcast]") {
  struct BroadcastCase {
    std::string op;
    ElementType element;
    std::vector<double> expected;
  };
  const std::vector<BroadcastCase> cases = {
      {"add", ElementType::F32, {8, 9}},
      {"subtract", ElementType::F32, {4, 5}},
      {"multiply", ElementType::F32, {12, 14}},
      {"divide", ElementType::F32, {3, 3.5}},
      {"remainder", ElementType::F32, {0, 1}},
      {"power", ElementType::F32, {36, 49}},
      {"maximum", ElementType::F32, {6, 7}},
      {"minimum", ElementType::F32, {2, 2}},
      {"and", ElementType::I32, {2, 2}},
      {"or", ElementType::I32, {6, 7}},
      {"xor", ElementType::I32, {4, 5}},
      {"shift_left", ElementType::I32, {24, 28}},
      {"shift_right_arithmetic", ElementType::I32, {1, 1}},
      {"shift_right_logical", ElementType::I32, {1, 1}},
      {"next_after", ElementType::F64, {std::nextafter(6, 2), std::nextafter(7, 2)}},
  };
  for (const BroadcastCase& each : cases) {
    CAPTURE(each.op);
    const std::string type = "tensor<2x" + std::string(to_string(each.element)) + ">";
    CHECK(run_op("chlo.broadcast_" + each.op + " %a, %b",
                 {vector_of(each.element, {6, 7}), scalar(each.element, 2)},
                 type) == vector_of(each.element, each.expected));
  }
  const Tensor pair = vector_of(ElementType::F32, {1, 3});
  const Tensor two = scalar(ElementType::F32, 2);
  CHECK(run_op("chlo.broadcast_compare %a, %b {comparison_direction = "
               "#chlo<comparison_direction LT>}",
               {pair, two}, "tensor<2xi1>") == vector_of(ElementType::I1, {1, 0}));
  CHECK(run_op("chlo.broadcast_select %a, %b, %c", {vector_of(ElementType::I1, {1, 0}), two, pair},
               "tensor<2xf32>") == vector_of(ElementType::F32, {2, 3}));
  CHECK(run_op("chlo.broadcast_atan2 %a, %b",
               {vector_of(ElementType::F64, {0, 1}), scalar(ElementType::F64, 1)}, "tensor<2xf64>")
            .to_doubles()[1] == Approx(std::atan(1.0)));
  CHECK(run_op("chlo.broadcast_zeta %a, %b",
               {vector_of(ElementType::F64, {2, 4}), scalar(ElementType::F64, 1)}, "tensor<2xf64>")
            .to_doubles()[0] == Approx(M_PI * M_PI / 6).epsilon(1e-15));
  CHECK(run_op("chlo.broadcast_polygamma %a, %b",
               {scalar(ElementType::F64, 1), vector_of(ElementType::F64, {1, 2})}, "tensor<2xf64>")
            .to_doubles()[0] == Approx(M_PI * M_PI / 6).epsilon(1e-15));
  CHECK(
      run_op("chlo.broadcast_complex %a, %b", {pair, two}, "tensor<2xcomplex<f32>>").to_doubles() ==
      std::vector<double>{1, 3});
}

TEST_CASE("chlo.constant equals its literal", "[simulation][kernels][chlo]") {
  CHECK(run_line("%0 = chlo.constant dense<[1, 2]> : tensor<2xi32>", {}, {"tensor<2xi32>"})[0] ==
        vector_of(ElementType::I32, {1, 2}));
}

TEST_CASE("constant_like fills a shape", "[simulation][kernels][chlo]") {
  const Tensor x = tensor(ElementType::F32, {2, 2}, {1, 2, 3, 4});
  CHECK(run_op("\"chlo.constant_like\"(%a) <{value = 2.5 : f32}>", {x}, "tensor<2x2xf32>") ==
        tensor(ElementType::F32, {2, 2}, {2.5, 2.5, 2.5, 2.5}));
  CHECK(run_op("\"chlo.constant_like\"(%a) <{value = 7 : i32}>",
               {vector_of(ElementType::I32, {1, 2})},
               "tensor<2xi32>") == vector_of(ElementType::I32, {7, 7}));
}

// ---- top_k -------------------------------------------------------------------------------------

void check_top_k(const Tensor& x, int64_t k, const Tensor& values, const Tensor& places) {
  const std::string types =
      shardy::ir::to_string(values.type()) + ", " + shardy::ir::to_string(places.type());
  const Tensors got =
      run_line("%0:2 = chlo.top_k(%a, k = " + std::to_string(k) +
                   ") : " + shardy::ir::to_string(x.type()) + " -> (" + types + ")",
               {x}, {shardy::ir::to_string(values.type()), shardy::ir::to_string(places.type())});
  CHECK(got[0] == values);
  CHECK(got[1] == places);
}

TEST_CASE("top_k is a stable descending sort", "[simulation][kernels][top_k]") {
  check_top_k(tensor(ElementType::F32, {2, 4}, {1, 3, 2, 3, -1, -4, -2, -3}), 2,
              tensor(ElementType::F32, {2, 2}, {3, 3, -1, -2}),
              tensor(ElementType::I32, {2, 2}, {1, 3, 0, 2}));
  check_top_k(vector_of(ElementType::F64, {-0.0, 0.0, kNan, -kNan, INFINITY}), 5,
              vector_of(ElementType::F64, {kNan, INFINITY, 0.0, -0.0, -kNan}),
              vector_of(ElementType::I32, {2, 4, 1, 0, 3}));
  check_top_k(vector_of(ElementType::I1, {0, 1, 0, 1}), 3, vector_of(ElementType::I1, {1, 1, 0}),
              vector_of(ElementType::I32, {1, 3, 0}));
  check_top_k(vector_of(ElementType::UI8, {200, 3, 255}), 2,
              vector_of(ElementType::UI8, {255, 200}), vector_of(ElementType::I32, {2, 0}));
  check_top_k(vector_of(ElementType::I8, {-56, 3, -1}), 2, vector_of(ElementType::I8, {3, -1}),
              vector_of(ElementType::I32, {1, 2}));
  check_top_k(vector_of(ElementType::F8E4M3FN, {1, 448, -2}), 2,
              vector_of(ElementType::F8E4M3FN, {448, 1}), vector_of(ElementType::I32, {1, 0}));
}

TEST_CASE("top_k returns at most as many elements as the dim has", "[simulation][kernels][top_k]") {
  check_top_k(vector_of(ElementType::F16, {1, 2}), 5, vector_of(ElementType::F16, {2, 1}),
              vector_of(ElementType::I32, {1, 0}));
  check_top_k(tensor(ElementType::F16, {3, 0}, {}), 5, tensor(ElementType::F16, {3, 0}, {}),
              tensor(ElementType::I32, {3, 0}, {}));
  check_top_k(vector_of(ElementType::F16, {1, 2}), 0, vector_of(ElementType::F16, {}),
              vector_of(ElementType::I32, {}));
}

TEST_CASE("top_k agrees with a sort of random rows", "[simulation][kernels][top_k][random]") {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> row(1 + random() % 30);
    for (double& value : row) value = static_cast<double>(random() % 10);
    std::vector<double> places(row.size());
    std::iota(places.begin(), places.end(), 0);
    std::stable_sort(places.begin(), places.end(), [&](double left, double right) {
      return row[static_cast<std::size_t>(left)] > row[static_cast<std::size_t>(right)];
    });
    const std::size_t k = 1 + random() % row.size();
    places.resize(k);
    std::vector<double> values;
    for (const double place : places) values.push_back(row[static_cast<std::size_t>(place)]);
    check_top_k(vector_of(ElementType::I16, row), static_cast<int64_t>(k),
                vector_of(ElementType::I16, values), vector_of(ElementType::I32, places));
  }
}

// ---- bitcast_convert ---------------------------------------------------------------------------

Tensor bitcast(const Tensor& x, const std::string& type) {
  return run_op("stablehlo.bitcast_convert %a", {x}, type);
}

TEST_CASE("bitcast_convert keeps the bits", "[simulation][kernels][bitcast]") {
  CHECK(bitcast(vector_of(ElementType::F32, {1, -2}), "tensor<2xi32>") ==
        vector_of(ElementType::I32, {0x3F800000, -0x40000000}));
  CHECK(bitcast(vector_of(ElementType::I32, {0x7F800000}), "tensor<1xf32>") ==
        vector_of(ElementType::F32, {INFINITY}));
  CHECK(bitcast(vector_of(ElementType::BF16, {1}), "tensor<1xui16>") ==
        vector_of(ElementType::UI16, {0x3F80}));
  CHECK(bitcast(vector_of(ElementType::F16, {1}), "tensor<1xi16>") ==
        vector_of(ElementType::I16, {0x3C00}));
  CHECK(bitcast(vector_of(ElementType::F8E4M3FN, {1}), "tensor<1xi8>") ==
        vector_of(ElementType::I8, {0x38}));
  CHECK(bitcast(vector_of(ElementType::UI4, {15, 8}), "tensor<2xi4>") ==
        vector_of(ElementType::I4, {-1, -8}));
  CHECK(bitcast(vector_of(ElementType::F4E2M1FN, {6, -1}), "tensor<2xui4>") ==
        vector_of(ElementType::UI4, {7, 10}));
  CHECK(bitcast(vector_of(ElementType::I1, {1, 0}), "tensor<2xi1>") ==
        vector_of(ElementType::I1, {1, 0}));
}

TEST_CASE("bitcast_convert to narrower elements adds a dim, least significant first",
          "[simulation][kernels][bitcast]") {
  CHECK(bitcast(vector_of(ElementType::UI32, {0x01020304}), "tensor<1x4xui8>") ==
        tensor(ElementType::UI8, {1, 4}, {4, 3, 2, 1}));
  CHECK(bitcast(vector_of(ElementType::UI32, {0x01020304}), "tensor<1x2xui16>") ==
        tensor(ElementType::UI16, {1, 2}, {0x0304, 0x0102}));
  CHECK(bitcast(vector_of(ElementType::UI8, {0x1F, 0x80}), "tensor<2x2xi4>") ==
        tensor(ElementType::I4, {2, 2}, {-1, 1, 0, -8}));
  CHECK(bitcast(vector_of(ElementType::UI8, {0xE4}), "tensor<1x4xui2>") ==
        tensor(ElementType::UI2, {1, 4}, {0, 1, 2, 3}));
  CHECK(bitcast(vector_of(ElementType::I16, {0x1234}), "tensor<1x4xui4>") ==
        tensor(ElementType::UI4, {1, 4}, {4, 3, 2, 1}));
  CHECK(bitcast(vector_of(ElementType::UI4, {0xB}), "tensor<1x2xi2>") ==
        tensor(ElementType::I2, {1, 2}, {-1, -2}));
  CHECK(bitcast(scalar(ElementType::F64, 1), "tensor<2xui32>") ==
        vector_of(ElementType::UI32, {0, 0x3FF00000}));
  CHECK(bitcast(vector_of(ElementType::Complex128, {1}), "tensor<1x2xcomplex<f32>>")
            .elements<uint64_t>()[0] == 0x3FF0000000000000);
}

TEST_CASE("bitcast_convert to wider elements removes a dim", "[simulation][kernels][bitcast]") {
  CHECK(bitcast(tensor(ElementType::UI8, {1, 4}, {4, 3, 2, 1}), "tensor<1xui32>") ==
        vector_of(ElementType::UI32, {0x01020304}));
  CHECK(bitcast(tensor(ElementType::I4, {2, 2}, {-1, 1, 0, -8}), "tensor<2xui8>") ==
        vector_of(ElementType::UI8, {0x1F, 0x80}));
  CHECK(bitcast(vector_of(ElementType::UI2, {0, 1, 2, 3}), "tensor<ui8>") ==
        scalar(ElementType::UI8, 0xE4));
  CHECK(bitcast(tensor(ElementType::UI4, {1, 4}, {4, 3, 2, 1}), "tensor<1xi16>") ==
        vector_of(ElementType::I16, {0x1234}));
  CHECK(bitcast(tensor(ElementType::I32, {0, 2}, {}), "tensor<0xf64>").num_elements() == 0);
}

// ---- dot, einsum -------------------------------------------------------------------------------

TEST_CASE("dot contracts the last dim with the first", "[simulation][kernels][dot]") {
  const Tensor matrix = tensor(ElementType::F32, {2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor column = vector_of(ElementType::F32, {1, 10, 100});
  CHECK(run_op("stablehlo.dot %a, %b", {matrix, column}, "tensor<2xf32>") ==
        vector_of(ElementType::F32, {321, 654}));
  CHECK(run_op("stablehlo.dot %a, %b", {column, column}, "tensor<f32>") ==
        scalar(ElementType::F32, 10101));
  CHECK(run_op("stablehlo.dot %a, %b", {vector_of(ElementType::F32, {1, 2}), matrix},
               "tensor<3xf32>") == vector_of(ElementType::F32, {9, 12, 15}));
  CHECK(run_op("stablehlo.dot %a, %b",
               {tensor(ElementType::I32, {1, 2}, {1, 2}), tensor(ElementType::I32, {2, 1}, {3, 4})},
               "tensor<1x1xi32>") == tensor(ElementType::I32, {1, 1}, {11}));
}

TEST_CASE("einsum sums over the letters missing in the result", "[simulation][kernels][einsum]") {
  const Tensor a = tensor(ElementType::F32, {2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b = tensor(ElementType::F32, {3, 2}, {1, 0, 0, 1, 1, 1});
  const auto einsum = [](const std::string& config, const Tensors& x, const std::string& type) {
    return run_op("stablehlo.einsum %a, %b, config = \"" + config + "\"", x, type);
  };
  CHECK(einsum("ij,jk->ik", {a, b}, "tensor<2x2xf32>") ==
        tensor(ElementType::F32, {2, 2}, {4, 5, 10, 11}));
  CHECK(einsum("ij,jk->ki", {a, b}, "tensor<2x2xf32>") ==
        tensor(ElementType::F32, {2, 2}, {4, 10, 5, 11}));
  CHECK(einsum("ij,ij->ij", {a, a}, "tensor<2x3xf32>") ==
        tensor(ElementType::F32, {2, 3}, {1, 4, 9, 16, 25, 36}));
  CHECK(einsum("ij,ij->", {a, a}, "tensor<f32>") == scalar(ElementType::F32, 91));
  CHECK(einsum("ij,jk->k", {a, b}, "tensor<2xf32>") == vector_of(ElementType::F32, {14, 16}));
  CHECK(einsum("i,j->ij",
               {vector_of(ElementType::F32, {1, 2}), vector_of(ElementType::F32, {3, 4})},
               "tensor<2x2xf32>") == tensor(ElementType::F32, {2, 2}, {3, 4, 6, 8}));
  CHECK(einsum(",i->i", {scalar(ElementType::F32, 2), vector_of(ElementType::F32, {3, 4})},
               "tensor<2xf32>") == vector_of(ElementType::F32, {6, 8}));
  const auto unary = [&](const std::string& config, const std::string& type) {
    return run_op("stablehlo.unary_einsum %a, config = \"" + config + "\"", {a}, type);
  };
  CHECK(unary("ij->ji", "tensor<3x2xf32>") == tensor(ElementType::F32, {3, 2}, {1, 4, 2, 5, 3, 6}));
  CHECK(unary("ij->i", "tensor<2xf32>") == vector_of(ElementType::F32, {6, 15}));
  CHECK(unary("ij->", "tensor<f32>") == scalar(ElementType::F32, 21));
}

TEST_CASE("torch_index_select picks slices", "[simulation][kernels][gather]") {
  const Tensor x = tensor(ElementType::F32, {2, 3}, {1, 2, 3, 4, 5, 6});
  const auto select = [](int64_t dim, int64_t batch_dims, const Tensors& operands,
                         const std::string& type) {
    return run_op(
        "\"stablehlo.torch_index_select\"(%a, %b) <{batch_dims = " + std::to_string(batch_dims) +
            " : i64, dim = " + std::to_string(dim) + " : i64}>",
        operands, type);
  };
  CHECK(select(1, 0, {x, vector_of(ElementType::I32, {2, 0})}, "tensor<2x2xf32>") ==
        tensor(ElementType::F32, {2, 2}, {3, 1, 6, 4}));
  CHECK(select(0, 0, {x, vector_of(ElementType::I64, {1, 1, 0})}, "tensor<3x3xf32>") ==
        tensor(ElementType::F32, {3, 3}, {4, 5, 6, 4, 5, 6, 1, 2, 3}));
  CHECK(select(1, 1, {x, tensor(ElementType::I32, {2, 1}, {2, 0})}, "tensor<2x1xf32>") ==
        tensor(ElementType::F32, {2, 1}, {3, 4}));
}

// ---- Batch normalization -----------------------------------------------------------------------

std::string batch_norm(const std::string& form, const std::string& operands, int64_t feature) {
  return "\"stablehlo.batch_norm_" + form + "\"(" + operands + ") <{epsilon = 0.0 : f32, " +
         "feature_index = " + std::to_string(feature) + " : i64}>";
}

TEST_CASE("batch_norm_inference scales and shifts each feature",
          "[simulation][kernels][batch_norm]") {
  const Tensor x = tensor(ElementType::F32, {2, 2}, {1, 10, 3, 30});
  const auto pair = [](double first, double second) {
    return vector_of(ElementType::F32, {first, second});
  };
  CHECK(run_op(batch_norm("inference", "%a, %b, %c, %d, %e", 1),
               {x, pair(2, 1), pair(5, 0), pair(1, 10), pair(4, 16)},
               "tensor<2x2xf32>") == tensor(ElementType::F32, {2, 2}, {5, 0, 7, 5}));
}

TEST_CASE("batch_norm_training returns the moments", "[simulation][kernels][batch_norm]") {
  const Tensor x = tensor(ElementType::F32, {2, 2}, {1, 10, 3, 14});
  const Tensor one = vector_of(ElementType::F32, {1, 1});
  const Tensor zero = vector_of(ElementType::F32, {0, 0});
  const Tensors got = run_line(
      "%0:3 = " + batch_norm("training", "%a, %b, %c", 1) +
          " : (tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, "
          "tensor<2xf32>)",
      {x, one, zero}, {"tensor<2x2xf32>", "tensor<2xf32>", "tensor<2xf32>"});
  CHECK(got[0] == tensor(ElementType::F32, {2, 2}, {-1, -1, 1, 1}));
  CHECK(got[1] == vector_of(ElementType::F32, {2, 12}));
  CHECK(got[2] == vector_of(ElementType::F32, {1, 4}));
}

TEST_CASE("batch_norm_grad is the derivative of the sum of the results times the gradient",
          "[simulation][kernels][batch_norm]") {
  const std::vector<double> x = {1, 4, 2, 8, 5, 7};
  const std::vector<double> gradient = {0.5, -1, 2, 0.25, 1, 3};
  const double scale = 1.5;
  const auto loss = [&](const std::vector<double>& values, double factor) {
    double mean = 0;
    for (const double value : values) mean += value / 6;
    double variance = 0;
    for (const double value : values) variance += (value - mean) * (value - mean) / 6;
    double sum = 0;
    for (std::size_t at = 0; at < 6; ++at) {
      sum += gradient[at] * factor * (values[at] - mean) / std::sqrt(variance);
    }
    return sum;
  };
  double mean = 0;
  for (const double value : x) mean += value / 6;
  double variance = 0;
  for (const double value : x) variance += (value - mean) * (value - mean) / 6;
  const Tensors got = run_line(
      "%0:3 = " + batch_norm("grad", "%a, %b, %c, %d, %e", 0) +
          " : (tensor<1x6xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1x6xf64>) -> "
          "(tensor<1x6xf64>, tensor<1xf64>, tensor<1xf64>)",
      {tensor(ElementType::F64, {1, 6}, x), vector_of(ElementType::F64, {scale}),
       vector_of(ElementType::F64, {mean}), vector_of(ElementType::F64, {variance}),
       tensor(ElementType::F64, {1, 6}, gradient)},
      {"tensor<1x6xf64>", "tensor<1xf64>", "tensor<1xf64>"});
  for (std::size_t at = 0; at < 6; ++at) {
    std::vector<double> more = x;
    std::vector<double> less = x;
    more[at] += 1e-5;
    less[at] -= 1e-5;
    const double slope = (loss(more, scale) - loss(less, scale)) / 2e-5;
    CHECK(got[0].to_doubles()[at] == Approx(slope).margin(1e-7));
  }
  CHECK(got[1].to_doubles()[0] == Approx(loss(x, 1)));
  CHECK(got[2].to_doubles()[0] == Approx(5.75));
}

}  // namespace
}  // namespace shardy_test::lowered_test
