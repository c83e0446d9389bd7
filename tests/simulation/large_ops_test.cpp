// Ops that are large enough for blocks, threads and kept memory: none of it shows in results.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <type_traits>

#include "simulation/random_values.hpp"
#include "simulation/text_programs.hpp"

namespace shardy_test::large_ops_test {
namespace {

/// Numbers that rounding errors show in.
Tensor uneven_numbers(const Type& type) {
  std::vector<double> values(static_cast<std::size_t>(type.num_elements()));
  for (std::size_t at = 0; at < values.size(); ++at) {
    values[at] = static_cast<double>(at * 7919 % 10007) / 997 - 5;
  }
  return Tensor::from_doubles(type, values).value();
}

// ---- Transposition -----------------------------------------------------------------------------

/// Bytes that differ from place to place.
Tensor patterned(const Type& type) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(type.num_bytes()));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    bytes[at] = static_cast<std::byte>(at * 2654435761U >> 11U);
  }
  return Tensor::make(type, bytes).value();
}

/// The first place of [batch, rows, columns] where `turned` is not its transposition.
std::optional<int64_t> first_wrong(const Tensor& x, const Tensor& turned) {
  const auto dims = x.type().dims();
  const auto size = static_cast<int64_t>(shardy::ir::size_bytes(x.type().element()));
  for (int64_t batch = 0; batch < dims[0]; ++batch) {
    for (int64_t row = 0; row < dims[1]; ++row) {
      for (int64_t column = 0; column < dims[2]; ++column) {
        const int64_t from = (batch * dims[1] + row) * dims[2] + column;
        const int64_t to = (batch * dims[2] + column) * dims[1] + row;
        if (std::memcmp(x.data() + from * size, turned.data() + to * size,
                        static_cast<std::size_t>(size)) != 0) {
          return from;
        }
      }
    }
  }
  return std::nullopt;
}

TEST_CASE("large transposes move each element to its index", "[simulation][large]") {
  // Small and beyond a cache; sides that fill blocks, cache lines, registers, and that do not.
  const std::vector<Dims> shapes = {{1, 16, 16},    {1, 40, 24},    {2, 130, 67},   {1, 33, 515},
                                    {1, 512, 640},  {1, 1031, 517}, {3, 384, 1000}, {1, 1024, 1024},
                                    {1, 2050, 300}, {1, 17, 5000},  {1, 5000, 33}};
  for (const ElementType element :
       {ElementType::UI8, ElementType::F8E4M3FN, ElementType::I16, ElementType::BF16,
        ElementType::I32, ElementType::I64, ElementType::Complex128}) {
    for (const Dims& shape : shapes) {
      CAPTURE(element, shape);
      const Tensor x = patterned(Type::tensor(shape, element));
      const Type turned = Type::tensor({shape[0], shape[2], shape[1]}, element);
      const Tensor result =
          run_op("stablehlo.transpose %a, dims = [0, 2, 1]", {x}, shardy::ir::to_string(turned));
      CHECK(first_wrong(x, result) == std::nullopt);
    }
  }
}

TEST_CASE("large transposes of rows move each row to its index", "[simulation][large]") {
  // Small, beyond a near cache, past the caches; rows of whole cache lines, and others.
  for (const Dims& shape : {Dims{2, 5, 3, 7}, Dims{3, 40, 6, 20}, Dims{2, 200, 16, 63},
                            Dims{4, 256, 9, 64}, Dims{8, 256, 16, 64}, Dims{9, 257, 16, 63}}) {
    CAPTURE(shape);
    const Tensor x = patterned(Type::tensor(shape, ElementType::F32));
    const Type turned = Type::tensor({shape[2], shape[0], shape[1], shape[3]}, ElementType::F32);
    const Tensor result =
        run_op("stablehlo.transpose %a, dims = [2, 0, 1, 3]", {x}, shardy::ir::to_string(turned));
    const int64_t num_rows = shape[0] * shape[1];
    const auto bytes = static_cast<std::size_t>(shape[3]) * 4;
    bool equal = true;
    for (int64_t row = 0; row < num_rows * shape[2]; ++row) {
      const int64_t to = row % shape[2] * num_rows + row / shape[2];
      equal = equal && std::ranges::equal(
                           x.bytes().subspan(static_cast<std::size_t>(row) * bytes, bytes),
                           result.bytes().subspan(static_cast<std::size_t>(to) * bytes, bytes));
    }
    CHECK(equal);
  }
}

TEST_CASE("a transpose moves few contiguous elements together", "[simulation][large]") {
  for (const int64_t inner : {2, 3, 4, 5, 8, 16}) {
    const Tensor x = patterned(Type::tensor({70, 90, inner}, ElementType::UI8));
    const Tensor result = run_op("stablehlo.transpose %a, dims = [1, 0, 2]", {x},
                                 "tensor<90x70x" + std::to_string(inner) + "xui8>");
    bool equal = true;
    for (int64_t row = 0; row < 70; ++row) {
      for (int64_t column = 0; column < 90; ++column) {
        equal = equal && std::memcmp(x.data() + (row * 90 + column) * inner,
                                     result.data() + (column * 70 + row) * inner,
                                     static_cast<std::size_t>(inner)) == 0;
      }
    }
    CHECK(equal);
  }
}

// ---- Rows and vectors --------------------------------------------------------------------------

TEST_CASE("rows reduced together keep the order of each sum", "[simulation][large][reduce]") {
  for (const auto& shape : {std::pair{16, 16}, std::pair{37, 150}, std::pair{130, 67}}) {
    const int num_rows = shape.first;
    const int size = shape.second;
    CAPTURE(num_rows, size);
    const Tensor x = uneven_numbers(Type::tensor({num_rows, size}, ElementType::F32));
    const std::string types = "(" + shardy::ir::to_string(x.type()) + ", tensor<f32>) -> tensor<" +
                              std::to_string(num_rows) + "xf32>";
    const auto reduced = [&](const std::string& op) {
      return run_line("%0 = stablehlo.reduce(%a init: %b) applies stablehlo." + op +
                          " across dimensions = [1] : " + types,
                      {x, scalar(ElementType::F32, 0.1)},
                      {"tensor<" + std::to_string(num_rows) + "xf32>"})[0];
    };
    std::vector<float> sums;
    std::vector<float> largest;
    for (int64_t row = 0; row < num_rows; ++row) {
      float sum = 0.1F;
      float most = 0.1F;
      for (int column = 0; column < size; ++column) {
        const float element = x.elements<float>()[static_cast<std::size_t>(row * size + column)];
        sum = sum + element;
        most = std::max(most, element);
      }
      sums.push_back(sum);
      largest.push_back(most);
    }
    CHECK(std::ranges::equal(reduced("add").elements<float>(), sums));
    CHECK(std::ranges::equal(reduced("maximum").elements<float>(), largest));
  }
}

TEST_CASE("rows of narrow and wide elements can be reduced together",
          "[simulation][large][reduce]") {
  for (const ElementType element : {ElementType::UI8, ElementType::I16, ElementType::I64}) {
    CAPTURE(element);
    const Tensor x = patterned(Type::tensor({40, 200}, element));
    const Tensor folded = run_op(
        "stablehlo.reduce(%a init: %b) applies stablehlo.xor across "
        "dimensions = [1]",
        {x, tensor(element, {}, {5})}, shardy::ir::to_string(Type::tensor({40}, element)));
    const auto size = shardy::ir::size_bytes(element);
    for (std::size_t row = 0; row < 40; ++row) {
      std::vector<std::byte> expected(size);
      expected[0] = std::byte{5};
      for (std::size_t at = 0; at < 200 * size; ++at) {
        expected[at % size] ^= x.bytes()[row * 200 * size + at];
      }
      CHECK(std::ranges::equal(folded.bytes().subspan(row * size, size), expected));
    }
  }
}

TEST_CASE("sums and products of f16 are rounded once", "[simulation][large]") {
  const Tensor raw = patterned(Type::tensor({60001}, ElementType::F16));
  const Tensor other = patterned(Type::tensor({2, 60001}, ElementType::F16));
  const Tensor y = other.part(raw.type(), 60001);
  const std::vector<double> a = raw.to_doubles();
  const std::vector<double> b = y.to_doubles();
  std::vector<double> sums;
  std::vector<double> products;
  for (std::size_t at = 0; at < a.size(); ++at) {
    sums.push_back(a[at] + b[at]);  // exact in f64
    products.push_back(a[at] * b[at]);
  }
  const auto agree = [&](const std::string& op, const std::vector<double>& exact) {
    const Tensor got = run_op("stablehlo." + op + " %a, %b", {raw, y}, "tensor<60001xf16>");
    const std::vector<double> rounded = Tensor::from_doubles(raw.type(), exact)->to_doubles();
    return std::ranges::equal(got.to_doubles(), rounded, [](double x, double z) {
      return x == z || (std::isnan(x) && std::isnan(z));
    });
  };
  CHECK(agree("add", sums));
  CHECK(agree("multiply", products));
}

// ---- Threads -----------------------------------------------------------------------------------

constexpr const char* kLargeOps = R"(
func.func @main(%a: tensor<300x260xf32>, %b: tensor<260x270xf32>, %c: tensor<2x40x40x8xf32>,
                %d: tensor<3x3x8x16xf32>, %e: tensor<40x50x60xf32>, %s: tensor<f32>)
    -> (tensor<300x270xf32>, tensor<2x38x38x16xf32>, tensor<40x60xf32>, tensor<40x50xf32>,
        tensor<50x60xf32>, tensor<60x50x40xf32>, tensor<40x50x60xbf16>, tensor<40x50x60xf32>,
        tensor<300x260xf32>, tensor<40x50x60xf32>, tensor<300x260xf32>) {
  %0 = stablehlo.dot %a, %b : (tensor<300x260xf32>, tensor<260x270xf32>) -> tensor<300x270xf32>
  %1 = stablehlo.convolution(%c, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<2x40x40x8xf32>, tensor<3x3x8x16xf32>) -> tensor<2x38x38x16xf32>
  %2 = stablehlo.reduce(%e init: %s) applies stablehlo.add across dimensions = [1]
    : (tensor<40x50x60xf32>, tensor<f32>) -> tensor<40x60xf32>
  %3 = stablehlo.reduce(%e init: %s) applies stablehlo.add across dimensions = [2]
    : (tensor<40x50x60xf32>, tensor<f32>) -> tensor<40x50xf32>
  %4 = stablehlo.reduce(%e init: %s) applies stablehlo.maximum across dimensions = [0]
    : (tensor<40x50x60xf32>, tensor<f32>) -> tensor<50x60xf32>
  %5 = stablehlo.transpose %e, dims = [2, 1, 0] : (tensor<40x50x60xf32>) -> tensor<60x50x40xf32>
  %6 = stablehlo.convert %e : (tensor<40x50x60xf32>) -> tensor<40x50x60xbf16>
  %7 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<40x50xf32>) -> tensor<40x50x60xf32>
  %8 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %less = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
  }) : (tensor<300x260xf32>) -> tensor<300x260xf32>
  %9 = stablehlo.compare LT, %e, %7 : (tensor<40x50x60xf32>, tensor<40x50x60xf32>)
    -> tensor<40x50x60xi1>
  %10 = stablehlo.select %9, %e, %7 : tensor<40x50x60xi1>, tensor<40x50x60xf32>
  %11 = stablehlo.tanh %a : tensor<300x260xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %10, %11 : tensor<300x270xf32>,
    tensor<2x38x38x16xf32>, tensor<40x60xf32>, tensor<40x50xf32>, tensor<50x60xf32>,
    tensor<60x50x40xf32>, tensor<40x50x60xbf16>, tensor<40x50x60xf32>, tensor<300x260xf32>,
    tensor<40x50x60xf32>, tensor<300x260xf32>
}
)";

/// Ops that share out windows, lines, matrices or elements of one byte.
constexpr const char* kSharedOps = R"(
func.func @main(%a: tensor<300x260xf32>, %i: tensor<700x1xi32>, %m: tensor<80x24x24xf32>,
                %z: tensor<90x64xcomplex<f32>>, %s: tensor<f32>, %t: tensor<f8E4M3FN>)
    -> (tensor<700x260xf32>, tensor<300x260xf32>, tensor<300x260xf32>, tensor<300x260xf32>,
        tensor<300x260xf8E4M3FN>, tensor<300x260xf8E4M3FN>, tensor<300x260xf8E4M3FN>,
        tensor<80x24x24xf32>, tensor<80x24x24xf32>, tensor<90x64xcomplex<f32>>) {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
    collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 260>}>
    : (tensor<300x260xf32>, tensor<700x1xi32>) -> tensor<700x260xf32>
  %1 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %less = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
  }) : (tensor<300x260xf32>) -> tensor<300x260xf32>
  %2 = stablehlo.clamp %s, %a, %1 : (tensor<f32>, tensor<300x260xf32>, tensor<300x260xf32>)
    -> tensor<300x260xf32>
  %3 = stablehlo.reduce_precision %a, format = e5m3 : tensor<300x260xf32>
  %4 = stablehlo.convert %a : (tensor<300x260xf32>) -> tensor<300x260xf8E4M3FN>
  %5 = stablehlo.multiply %4, %4 : tensor<300x260xf8E4M3FN>
  %6 = stablehlo.exponential %4 : tensor<300x260xf8E4M3FN>
  %7 = stablehlo.clamp %t, %5, %6 : (tensor<f8E4M3FN>, tensor<300x260xf8E4M3FN>,
    tensor<300x260xf8E4M3FN>) -> tensor<300x260xf8E4M3FN>
  %8 = stablehlo.dot_general %m, %m, batching_dims = [0] x [0], contracting_dims = [2] x [2]
    : (tensor<80x24x24xf32>, tensor<80x24x24xf32>) -> tensor<80x24x24xf32>
  %row = stablehlo.iota dim = 1 : tensor<80x24x24xi32>
  %column = stablehlo.iota dim = 2 : tensor<80x24x24xi32>
  %diagonal = stablehlo.compare EQ, %row, %column
    : (tensor<80x24x24xi32>, tensor<80x24x24xi32>) -> tensor<80x24x24xi1>
  %one = stablehlo.convert %diagonal : (tensor<80x24x24xi1>) -> tensor<80x24x24xf32>
  %9 = stablehlo.add %8, %one : tensor<80x24x24xf32>
  %10 = stablehlo.cholesky %9, lower = true : tensor<80x24x24xf32>
  %11 = "stablehlo.triangular_solve"(%10, %m) <{left_side = true, lower = true,
    transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}>
    : (tensor<80x24x24xf32>, tensor<80x24x24xf32>) -> tensor<80x24x24xf32>
  %12 = stablehlo.fft %z, type = FFT, length = [90, 64]
    : (tensor<90x64xcomplex<f32>>) -> tensor<90x64xcomplex<f32>>
  return %0, %1, %2, %3, %5, %6, %7, %10, %11, %12 : tensor<700x260xf32>, tensor<300x260xf32>,
    tensor<300x260xf32>, tensor<300x260xf32>, tensor<300x260xf8E4M3FN>, tensor<300x260xf8E4M3FN>,
    tensor<300x260xf8E4M3FN>, tensor<80x24x24xf32>, tensor<80x24x24xf32>,
    tensor<90x64xcomplex<f32>>
}
)";

Module parsed(const std::string& text) {
  auto module = shardy::text::parse_mlir(text);
  if (!module) FAIL(shardy::text::error_text("program", text, module.error()));
  return *std::move(module);
}

Tensors arguments_of(const Module& module) {
  Tensors arguments;
  for (const ValueId argument : module.args(module.entry(*module.main_function()))) {
    arguments.push_back(uneven_numbers(module.type(argument)));
  }
  return arguments;
}

TEST_CASE("threads inside a device change no bit, no statistics and no order",
          "[simulation][large][workers]") {
  const Module module = parsed(GENERATE(kLargeOps, kSharedOps));
  const Tensors arguments = arguments_of(module);
  const auto run_with = [&](int64_t num_workers, std::vector<uint32_t>& order) {
    shardy::simulation::RunOptions options{.num_workers = num_workers};
    options.observer = [&](const shardy::simulation::OpEvent& event) {
      order.push_back(event.op.value);
      if (event.end < event.begin) order.push_back(0);
    };
    return shardy::simulation::run(module, "main", {arguments}, options);
  };
  std::vector<uint32_t> order;
  const auto alone = run_with(1, order);
  INFO((alone ? std::string() : alone.error().message));
  REQUIRE(alone);
  for (const int64_t num_workers : {2, 3, 8}) {
    std::vector<uint32_t> other_order;
    const auto together = run_with(num_workers, other_order);
    REQUIRE(together);
    CHECK(together->outputs == alone->outputs);
    CHECK(together->devices == alone->devices);
    CHECK(other_order == order);
  }
}

TEST_CASE("limits also apply to ops that run concurrently", "[simulation][large][workers]") {
  const Module module = parsed(kLargeOps);
  const Tensors arguments = arguments_of(module);
  const auto peak =
      shardy::simulation::run(module, "main", {arguments})->devices[0].peak_live_bytes;
  for (const int64_t num_workers : {1, 4}) {
    CAPTURE(num_workers);
    const auto run_limited = [&](int64_t max_bytes, int64_t max_steps) {
      return shardy::simulation::run(module, "main", {arguments}, {.num_workers = num_workers},
                                     {.limits = {.max_steps = max_steps, .max_bytes = max_bytes}});
    };
    CHECK(run_limited(peak, 100));
    const auto too_large = run_limited(peak - 1, 100);
    REQUIRE_FALSE(too_large);
    CHECK(too_large.error().headline() ==
          "E_MEMORY_LIMIT: more than " + std::to_string(peak - 1) + " bytes are live");
    const auto too_long = run_limited(peak, 3);
    REQUIRE_FALSE(too_long);
    CHECK(too_long.error().headline() == "E_STEP_LIMIT: more than 3 steps");
  }
}

// ---- Memory ------------------------------------------------------------------------------------

TEST_CASE("a buffer is reused after its last user", "[simulation][large]") {
  const Module module = parsed(R"(
func.func @main(%a: tensor<64x1024xf32>) -> tensor<64x1024xf32> {
  %0 = stablehlo.add %a, %a : tensor<64x1024xf32>
  %1 = stablehlo.multiply %0, %a : tensor<64x1024xf32>
  %2 = stablehlo.negate %1 : tensor<64x1024xf32>
  %3 = stablehlo.abs %2 : tensor<64x1024xf32>
  %4 = stablehlo.add %3, %a : tensor<64x1024xf32>
  %5 = stablehlo.subtract %4, %a : tensor<64x1024xf32>
  %6 = stablehlo.negate %5 : tensor<64x1024xf32>
  return %6 : tensor<64x1024xf32>
}
)");
  std::vector<const std::byte*> buffers;
  shardy::simulation::RunOptions options{.num_workers = 1};
  options.observer = [&](const shardy::simulation::OpEvent& event) {
    buffers.push_back(event.results[0].data());
  };
  const auto result = shardy::simulation::run(module, "main", {arguments_of(module)}, options);
  REQUIRE(result);
  REQUIRE(buffers.size() == 7);
  // An op reads one of two buffers and writes the other.
  CHECK(std::set<const std::byte*>(buffers.begin(), buffers.end()).size() == 2);
  for (std::size_t op = 2; op < buffers.size(); ++op) CHECK(buffers[op] == buffers[op - 2]);
}

}  // namespace
}  // namespace shardy_test::large_ops_test
