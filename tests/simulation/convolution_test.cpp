// Compares convolution with the sum that defines it. Spec: stablehlo 23.
#include <array>
#include <cmath>
#include <complex>
#include <limits>

#include "simulation/random_values.hpp"

namespace shardy_test::convolution_test {
namespace {

using shardy::ir::ConvolutionDims;
using shardy::ir::DenseArrayAttr;
using shardy::ir::IntegerAttr;
using shardy::ir::OpSpec;

/// A convolution: its dim numbers, and window attributes with one entry per spatial dim.
struct Case {
  ConvolutionDims dims;
  Dims strides, lhs_dilation, rhs_dilation, low, high, reversed;
  int64_t feature_groups = 1;
  int64_t batch_groups = 1;
  Dims lhs, rhs, result;

  std::size_t num_spatial() const { return strides.size(); }
};

std::size_t at(int64_t dim) { return static_cast<std::size_t>(dim); }

/// The dims of a tensor in random order: the batch dim, the feature dim and the spatial dims.
struct Places {
  int64_t first, second;
  Dims spatial;
};
Places random_places(Random& random, std::size_t num_spatial) {
  Dims order(num_spatial + 2);
  std::iota(order.begin(), order.end(), 0);
  order = random.shuffled(order);
  return {order[0], order[1], {order.begin() + 2, order.end()}};
}

Case random_case(Random& random) {
  Case made;
  const auto num_spatial = static_cast<std::size_t>(random.between(0, 3));
  const Places input = random_places(random, num_spatial);
  const Places kernel = random_places(random, num_spatial);
  const Places output = random_places(random, num_spatial);
  made.dims = {input.first,    input.second, input.spatial, kernel.first,  kernel.second,
               kernel.spatial, output.first, output.second, output.spatial};
  const int64_t groups = random.chance(50) ? 1 : random.between(2, 3);
  (random.chance(50) ? made.feature_groups : made.batch_groups) = groups;
  made.lhs.resize(num_spatial + 2);
  made.rhs.resize(num_spatial + 2);
  made.result.resize(num_spatial + 2);
  const int64_t channels = random.chance(4) ? 0 : random.between(1, 3);
  made.lhs[at(input.first)] = random.between(1, 2) * made.batch_groups;
  made.lhs[at(input.second)] = channels * made.feature_groups;
  made.rhs[at(kernel.first)] = channels;
  made.rhs[at(kernel.second)] = random.between(1, 3) * groups;
  made.result[at(output.first)] = made.lhs[at(input.first)] / made.batch_groups;
  made.result[at(output.second)] = made.rhs[at(kernel.second)];
  for (std::size_t dim = 0; dim < num_spatial; ++dim) {
    const int64_t size = random.chance(4) ? 0 : random.between(1, 5);
    const int64_t window = random.chance(4) ? 0 : random.between(1, 3);
    made.strides.push_back(random.between(1, 3));
    made.lhs_dilation.push_back(random.chance(60) ? 1 : random.between(2, 3));
    made.rhs_dilation.push_back(random.chance(60) ? 1 : random.between(2, 3));
    made.low.push_back(random.between(-1, 2));
    made.high.push_back(random.between(-1, 2));
    made.reversed.push_back(random.chance(30) ? 1 : 0);
    const int64_t dilated = size == 0 ? 0 : (size - 1) * made.lhs_dilation[dim] + 1;
    const int64_t padded = made.low[dim] + dilated + made.high[dim];
    const int64_t reach = window == 0 ? 0 : (window - 1) * made.rhs_dilation[dim] + 1;
    made.lhs[at(input.spatial[dim])] = size;
    made.rhs[at(kernel.spatial[dim])] = window;
    made.result[at(output.spatial[dim])] =
        padded <= 0 || reach > padded ? 0 : (padded - reach) / made.strides[dim] + 1;
  }
  return made;
}

/// Sets `input` to the position of the input element that a position of the window reads. Returns
/// false for padding.
bool look(const Case& made, const Dims& index, const Dims& window, Dims& input) {
  for (std::size_t dim = 0; dim < made.num_spatial(); ++dim) {
    const int64_t position = index[at(made.dims.output_spatial[dim])];
    const int64_t t =
        position * made.strides[dim] + window[dim] * made.rhs_dilation[dim] - made.low[dim];
    const auto to = at(made.dims.input_spatial[dim]);
    if (t < 0 || t % made.lhs_dilation[dim] != 0) return false;
    if (t / made.lhs_dilation[dim] >= made.lhs[to]) return false;
    input[to] = t / made.lhs_dilation[dim];
  }
  return true;
}

/// Visits all products of an output element in the order of the specification.
void for_each_product(const Case& made, const Dims& index,
                      const std::function<void(const Dims* input, const Dims& kernel)>& visit) {
  const ConvolutionDims& dims = made.dims;
  const int64_t feature = index[at(dims.output_feature)];
  const int64_t outputs = made.rhs[at(dims.kernel_output_feature)];
  const int64_t channels = made.rhs[at(dims.kernel_input_feature)];
  Dims windows;
  for (const int64_t dim : dims.kernel_spatial) windows.push_back(made.rhs[at(dim)]);
  for_each_index(windows, [&](const Dims& window) {
    for (int64_t channel = 0; channel < channels; ++channel) {
      Dims input(made.lhs.size());
      Dims kernel(made.rhs.size());
      input[at(dims.input_batch)] = index[at(dims.output_batch)];
      if (made.batch_groups > 1) {
        input[at(dims.input_batch)] += feature / (outputs / made.batch_groups) *
                                       (made.lhs[at(dims.input_batch)] / made.batch_groups);
      }
      input[at(dims.input_feature)] =
          feature / (outputs / made.feature_groups) * channels + channel;
      kernel[at(dims.kernel_input_feature)] = channel;
      kernel[at(dims.kernel_output_feature)] = feature;
      for (std::size_t dim = 0; dim < windows.size(); ++dim) {
        kernel[at(dims.kernel_spatial[dim])] =
            made.reversed[dim] != 0 ? windows[dim] - 1 - window[dim] : window[dim];
      }
      visit(look(made, index, window, input) ? &input : nullptr, kernel);
    }
  });
}

Tensor convolution(const Tensor& lhs, const Tensor& rhs, const Case& made, ElementType element,
                   bool spelled = true) {
  return evaluate_graph({lhs, rhs}, [&](GraphBuilder& graph, const Values& args) {
    OpSpec spec{.kind = OpKind::Convolution, .operands = args};
    spec.result_types = {Type::tensor(made.result, element)};
    spec.attributes.set("dimension_numbers", made.dims);
    spec.attributes.set("feature_group_count", IntegerAttr{made.feature_groups, ElementType::I64});
    spec.attributes.set("batch_group_count", IntegerAttr{made.batch_groups, ElementType::I64});
    if (spelled) {
      const auto set = [&](const char* name, const Dims& values) {
        spec.attributes.set(name, DenseArrayAttr{ElementType::I64, values});
      };
      set("window_strides", made.strides);
      set("lhs_dilation", made.lhs_dilation);
      set("rhs_dilation", made.rhs_dilation);
      spec.attributes.set("window_reversal", DenseArrayAttr{ElementType::I1, made.reversed});
      Dims padding;
      for (std::size_t dim = 0; dim < made.num_spatial(); ++dim) {
        padding.insert(padding.end(), {made.low[dim], made.high[dim]});
      }
      spec.attributes.set(
          "padding",
          integers(ElementType::I64, {static_cast<int64_t>(made.num_spatial()), 2}, padding)
              .to_literal());
    }
    return graph.op(std::move(spec));
  })[0];
}

TEST_CASE("convolution sums the products of each window", "[simulation][convolution][random]") {
  Random random;
  for (int round = 0; round < 3000; ++round) {
    const Case made = random_case(random);
    const ElementType element = random.pick(std::vector<ElementType>{
        ElementType::F32, ElementType::F64, ElementType::I32, ElementType::I64, ElementType::BF16});
    const Tensor lhs = random.numbers(element, made.lhs, -2, 2);
    const Tensor rhs = random.numbers(element, made.rhs, -2, 2);
    const Grid left(lhs);
    const Grid right(rhs);
    const Grid expected = grid_of(made.result, [&](const Dims& index) {
      double sum = 0;
      for_each_product(made, index, [&](const Dims* input, const Dims& kernel) {
        if (input != nullptr) sum += left.at(*input) * right.at(kernel);
      });
      return sum;
    });
    const Tensor got = convolution(lhs, rhs, made, element);
    if (got == expected.as(element)) continue;
    FAIL("round " << round << to_string(lhs) << to_string(rhs) << to_string(got)
                  << Catch::StringMaker<Dims>::convert(made.low)
                  << Catch::StringMaker<Dims>::convert(made.strides));
  }
}

TEST_CASE("convolution adds up positions first, then channels, each step rounded",
          "[simulation][convolution][random]") {
  Random random;
  for (int round = 0; round < 300; ++round) {
    const Case made = random_case(random);
    const auto fractions = [&](const Dims& dims) {
      std::vector<double> numbers;
      for (int64_t index = 0; index < shardy::product(dims); ++index) {
        numbers.push_back(static_cast<float>(random.between(-1000, 1000)) / 7.0F);
      }
      return tensor(ElementType::F32, dims, numbers);
    };
    const Tensor lhs = fractions(made.lhs);
    const Tensor rhs = fractions(made.rhs);
    const Grid left(lhs);
    const Grid right(rhs);
    const Grid expected = grid_of(made.result, [&](const Dims& index) {
      float sum = 0;
      for_each_product(made, index, [&](const Dims* input, const Dims& kernel) {
        const float x = input != nullptr ? static_cast<float>(left.at(*input)) : 0.0F;
        const float product = x * static_cast<float>(right.at(kernel));
        sum += product;
      });
      return static_cast<double>(sum);
    });
    CHECK(convolution(lhs, rhs, made, ElementType::F32) == expected.as(ElementType::F32));
  }
}

/// Returns the convolution of `x` with `kernel`, with padding of `low` and `high`, one spatial dim,
/// one batch and one feature.
Tensor slide(const Tensor& x, const Tensor& kernel, int64_t low, int64_t high,
             ElementType element) {
  Case made;
  made.dims = {0, 1, {2}, 0, 1, {2}, 0, 1, {2}};
  made.strides = made.lhs_dilation = made.rhs_dilation = {1};
  made.low = {low};
  made.high = {high};
  made.reversed = {0};
  made.lhs = {1, 1, x.num_elements()};
  made.rhs = {1, 1, kernel.num_elements()};
  made.result = {1, 1, x.num_elements() + low + high - kernel.num_elements() + 1};
  const Tensor result =
      convolution(x.reshaped(x.type().with_dims(made.lhs)),
                  kernel.reshaped(kernel.type().with_dims(made.rhs)), made, element);
  return result.reshaped(result.type().with_dims({result.num_elements()}));
}

TEST_CASE("convolution sums in the type of the specification", "[simulation][convolution]") {
  using enum ElementType;
  // For f16 and bf16, sums are in f32 and are rounded once at the end.
  CHECK(slide(vector_of(F16, {2048, 1, 1}), vector_of(F16, {1, 1, 1}), 0, 0, F16) ==
        vector_of(F16, {2050}));
  CHECK(slide(vector_of(BF16, {256, 1, 1}), vector_of(BF16, {1, 1, 1}), 0, 0, BF16) ==
        vector_of(BF16, {258}));
  // For f32, each step is rounded to f32.
  CHECK(slide(vector_of(F32, {0x1p24, 1, 1}), vector_of(F32, {1, 1, 1}), 0, 0, F32) ==
        vector_of(F32, {0x1p24}));
  // Integers wrap around, booleans are or of ands.
  CHECK(slide(vector_of(I8, {100, 100}), vector_of(I8, {1, 1}), 0, 0, I8) == vector_of(I8, {-56}));
  CHECK(slide(vector_of(UI8, {200, 100}), vector_of(UI8, {1, 1}), 0, 0, UI8) ==
        vector_of(UI8, {44}));
  CHECK(slide(vector_of(I1, {1, 0, 1}), vector_of(I1, {1, 1}), 1, 0, I1) ==
        vector_of(I1, {1, 1, 1}));
  const auto pair = [](std::complex<float> x) { return bits<std::complex<float>>(Complex64, {x}); };
  CHECK(slide(pair({1, 2}), pair({3, 4}), 0, 0, Complex64) == pair({-5, 10}));
  // Operands of other types become those of the result first.
  CHECK(slide(vector_of(I8, {100, 100}), vector_of(I8, {1, 1}), 0, 0, I32) ==
        vector_of(I32, {200}));
  CHECK(slide(vector_of(F32, {2049}), vector_of(F32, {1}), 0, 0, F16) == vector_of(F16, {2048}));
}

TEST_CASE("padding zeros are multiplied in a convolution", "[simulation][convolution]") {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor got = slide(vector_of(ElementType::F32, {1, 2}),
                           vector_of(ElementType::F32, {inf, 1}), 1, 0, ElementType::F32);
  CHECK(std::isnan(got.to_doubles()[0]));  // 0 * inf + 1
  CHECK(got.to_doubles()[1] == inf);
  // The sum starts from +0.
  CHECK(slide(vector_of(ElementType::F32, {0}), vector_of(ElementType::F32, {-1}), 0, 0,
              ElementType::F32) == vector_of(ElementType::F32, {0}));
}

TEST_CASE("a convolution without window attributes has stride 1 and no padding",
          "[simulation][convolution]") {
  Case made;
  made.dims = {0, 1, {2}, 0, 1, {2}, 0, 1, {2}};
  made.lhs = {1, 1, 4};
  made.rhs = {1, 1, 2};
  made.result = {1, 1, 3};
  CHECK(convolution(tensor(ElementType::F32, {1, 1, 4}, {1, 2, 3, 4}),
                    tensor(ElementType::F32, {1, 1, 2}, {1, 10}), made, ElementType::F32,
                    false) == tensor(ElementType::F32, {1, 1, 3}, {21, 32, 43}));
}

TEST_CASE("a convolution of many rows equals the sum of its products",
          "[simulation][convolution]") {
  // More rows than are made into patches at once; odd sizes.
  Random random;
  Case made;
  made.dims = {0, 3, {1, 2}, 2, 3, {0, 1}, 0, 3, {1, 2}};
  made.strides = made.lhs_dilation = made.rhs_dilation = {1, 1};
  made.low = made.high = {1, 1};
  made.reversed = {0, 0};
  made.lhs = {2, 19, 23, 17};
  made.rhs = {3, 3, 17, 11};
  made.result = {2, 19, 23, 11};
  const Tensor lhs = random.numbers(ElementType::F32, made.lhs);
  const Tensor rhs = random.numbers(ElementType::F32, made.rhs);
  const Grid left(lhs);
  const Grid right(rhs);
  const Grid expected = grid_of(made.result, [&](const Dims& index) {
    double sum = 0;
    for (int64_t y = 0; y < 3; ++y) {
      for (int64_t x = 0; x < 3; ++x) {
        const int64_t row = index[1] + y - 1;
        const int64_t column = index[2] + x - 1;
        if (row < 0 || row >= 19 || column < 0 || column >= 23) continue;
        for (int64_t c = 0; c < 17; ++c) {
          sum += left.at({index[0], row, column, c}) * right.at({y, x, c, index[3]});
        }
      }
    }
    return sum;
  });
  CHECK(convolution(lhs, rhs, made, ElementType::F32) == expected.as(ElementType::F32));
}

}  // namespace
}  // namespace shardy_test::convolution_test
