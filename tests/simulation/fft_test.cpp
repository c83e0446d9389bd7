// Fourier transforms against the defining sum. Spec: stablehlo 26.
#include <numbers>
#include <random>

#include "simulation/signals.hpp"

namespace shardy_test::fft_test {
namespace {

/// The defining sum along one dim, without scale. sign: -1 forward, +1 inverse.
Signal dft(const Signal& x, const Dims& dims, std::size_t dim, int sign) {
  int64_t inner = 1;
  for (std::size_t at = dim + 1; at < dims.size(); ++at) inner *= dims[at];
  const int64_t size = dims[dim];
  Signal result(x.size());
  for (int64_t at = 0; at < static_cast<int64_t>(x.size()); ++at) {
    const int64_t k = at / inner % size;
    const int64_t first = at - k * inner;
    for (int64_t n = 0; n < size; ++n) {
      const long double angle = 2 * std::numbers::pi_v<long double> *
                                static_cast<long double>(n * k % size) /
                                static_cast<long double>(size);
      result[static_cast<std::size_t>(at)] +=
          x[static_cast<std::size_t>(first + n * inner)] *
          std::polar(1.0L, static_cast<long double>(sign) * angle);
    }
  }
  return result;
}

Signal full_dft(Signal x, const Dims& dims, std::size_t num_dims, int sign) {
  long double scale = 1;
  for (std::size_t dim = dims.size() - num_dims; dim < dims.size(); ++dim) {
    x = dft(x, dims, dim, sign);
    scale *= static_cast<long double>(dims[dim]);
  }
  if (sign > 0) {
    for (Long& value : x) value /= scale;
  }
  return x;
}

std::string length_text(const Dims& dims, std::size_t num_dims) {
  std::string text;
  for (std::size_t dim = dims.size() - num_dims; dim < dims.size(); ++dim) {
    text += (text.empty() ? "" : ", ") + std::to_string(dims[dim]);
  }
  return "[" + text + "]";
}

/// The first `half` of each last dim.
Signal first_half(const Signal& x, int64_t size, int64_t half) {
  Signal kept;
  for (std::size_t at = 0; at < x.size(); ++at) {
    if (static_cast<int64_t>(at) % size < half) kept.push_back(x[at]);
  }
  return kept;
}

struct FftCase {
  Dims dims;
  std::size_t num_dims;
};

const std::vector<FftCase> kFftCases = [] {
  std::vector<FftCase> cases = {{{3, 8}, 1},    {{2, 4, 6}, 2}, {{2, 3, 4, 5}, 3}, {{5, 7}, 2},
                                {{2, 2, 2}, 3}, {{1, 1}, 2},    {{4, 3, 2}, 2},    {{64}, 1},
                                {{60}, 1},      {{97}, 1},      {{128}, 1},        {{2, 211}, 1},
                                {{3, 1, 5}, 3}, {{9, 15}, 2},   {{2, 7, 9}, 3}};
  for (int64_t size = 1; size <= 20; ++size) cases.push_back({{size}, 1});
  return cases;
}();

/// Forward and back, of random numbers.
void check_sums(std::mt19937& random, ElementType element, const FftCase& each,
                long double tolerance) {
  const Signal x = random_signal(random, shardy::product(each.dims), true);
  const Tensor input = tensor_from(element, each.dims, x);
  const std::string length = length_text(each.dims, each.num_dims);
  CAPTURE(length, to_string(element));
  for (const int sign : {-1, 1}) {
    const std::string type = sign < 0 ? "FFT" : "IFFT";
    const Tensor got = run_op("stablehlo.fft %a, type = " + type + ", length = " + length, {input},
                              type_text(element, each.dims));
    CHECK(distance(signal_of(got), full_dft(x, each.dims, each.num_dims, sign)) < tolerance);
  }
}

TEST_CASE("fft equals the sum of its definition", "[simulation][kernels][fft]") {
  std::mt19937 random(1);
  for (const FftCase& each : kFftCases) {
    check_sums(random, ElementType::Complex64, each, 1e-7L);
    check_sums(random, ElementType::Complex128, each, 1e-15L);
  }
}

TEST_CASE("lengths with large prime factors are transformed fast and accurately",
          "[simulation][kernels][fft]") {
  std::mt19937 random(3);
  const ElementType element = ElementType::Complex128;
  for (const Dims& dims : {Dims{257}, Dims{2, 263}, Dims{514}, Dims{1009}, Dims{257, 3}}) {
    check_sums(random, element, {dims, dims.size()}, 4e-15L);
  }
  // A plain transform would take a minute.
  const Dims long_line = {99'991};
  const Signal x = random_signal(random, long_line[0], true);
  const std::string type = type_text(element, long_line);
  const Tensor spectrum = run_op("stablehlo.fft %a, type = FFT, length = [99991]",
                                 {tensor_from(element, long_line, x)}, type);
  const Tensor back = run_op("stablehlo.fft %a, type = IFFT, length = [99991]", {spectrum}, type);
  CHECK(distance(signal_of(back), x) < 1e-14L);
}

TEST_CASE("rfft is half of the spectrum, irfft its inverse", "[simulation][kernels][fft]") {
  std::mt19937 random(2);
  for (const ElementType part : {ElementType::F32, ElementType::F64}) {
    const long double tolerance = part == ElementType::F32 ? 4e-7L : 2e-15L;
    const ElementType element = complex_of(part);
    for (const FftCase& each : kFftCases) {
      const Signal x = random_signal(random, shardy::product(each.dims), false);
      const int64_t half = each.dims.back() / 2 + 1;
      Dims half_dims = each.dims;
      half_dims.back() = half;
      const std::string length = length_text(each.dims, each.num_dims);
      CAPTURE(length, to_string(part));
      const Tensor spectrum =
          run_op("stablehlo.fft %a, type = RFFT, length = " + length,
                 {tensor_from(part, each.dims, x)}, type_text(element, half_dims));
      const Signal expected =
          first_half(full_dft(x, each.dims, each.num_dims, -1), each.dims.back(), half);
      CHECK(distance(signal_of(spectrum), expected) < tolerance);
      const Tensor back = run_op("stablehlo.fft %a, type = IRFFT, length = " + length, {spectrum},
                                 type_text(part, each.dims));
      CHECK(distance(signal_of(back), x) < tolerance);
    }
  }
}

TEST_CASE("irfft ignores imaginary parts of the bins that mirror themselves",
          "[simulation][kernels][fft]") {
  const Signal x = {Long(3, 7), Long(1, -1), Long(2, 5)};
  const Signal clean = {Long(3, 0), Long(1, -1), Long(2, 0)};
  const auto inverse = [](const Signal& spectrum, const std::string& size) {
    return run_op("stablehlo.fft %a, type = IRFFT, length = [" + size + "]",
                  {tensor_from(ElementType::Complex128, {3}, spectrum)},
                  "tensor<" + size + "xf64>");
  };
  CHECK(inverse(x, "4") == inverse(clean, "4"));
  CHECK(inverse(x, "4").to_doubles() == std::vector<double>{1.75, 0.75, 0.75, -0.25});
  // For an odd length the last bin has a mirror, and counts with its imaginary part.
  CHECK_FALSE(inverse(x, "5") == inverse(clean, "5"));
}

TEST_CASE("transforms of empty tensors are empty or zero", "[simulation][kernels][fft]") {
  const Tensor nothing = tensor_from(ElementType::Complex64, {0}, {});
  CHECK(run_op("stablehlo.fft %a, type = FFT, length = [0]", {nothing}, "tensor<0xcomplex<f32>>")
            .num_elements() == 0);
  CHECK(run_op("stablehlo.fft %a, type = RFFT, length = [0]",
               {tensor(ElementType::F32, {2, 0}, {})}, "tensor<2x0xcomplex<f32>>")
            .num_elements() == 0);
  CHECK(run_op("stablehlo.fft %a, type = FFT, length = [4]",
               {tensor_from(ElementType::Complex64, {0, 4}, {})}, "tensor<0x4xcomplex<f32>>")
            .num_elements() == 0);
}

}  // namespace
}  // namespace shardy_test::fft_test
