// Results that are written past the caches: each element once, and nothing around them.
#include <algorithm>
#include <cstring>
#include <vector>

#include "simulation/kernels/elementwise.hpp"
#include "simulation/text_programs.hpp"

namespace shardy_test {
namespace {

namespace sim = shardy::simulation;

template <class T>
void check_streamed(std::size_t count, std::size_t offset) {
  CAPTURE(sizeof(T), count, offset);
  constexpr std::size_t kMargin = 128;
  std::vector<std::byte> memory(count * sizeof(T) + 2 * kMargin + sim::kLineBytes);
  const auto past = static_cast<std::size_t>(sim::past_line(memory.data()));
  const std::size_t place = kMargin - past + offset * sizeof(T);
  std::vector<int> written(count);
  sim::detail::stream_elements(memory.data() + place, count, sizeof(T),
                               [&](std::size_t first, std::size_t size, std::byte* to) {
                                 for (std::size_t at = 0; at < size; ++at) {
                                   const T value = static_cast<T>((first + at) % 101 + 1);
                                   std::memcpy(to + at * sizeof(T), &value, sizeof(T));
                                   ++written[first + at];
                                 }
                               });
  std::vector<std::byte> expected(memory.size());
  for (std::size_t at = 0; at < count; ++at) {
    const T value = static_cast<T>(at % 101 + 1);
    std::memcpy(expected.data() + place + at * sizeof(T), &value, sizeof(T));
  }
  CHECK(std::ranges::all_of(written, [](int times) { return times == 1; }));
  CHECK(memory == expected);
}

template <class T>
void check_places() {
  constexpr std::size_t kChunk = 8192 / sizeof(T);
  for (const std::size_t count :
       {std::size_t{0}, std::size_t{1}, std::size_t{7}, kChunk - 1, kChunk, 3 * kChunk + 5}) {
    for (std::size_t offset = 0; offset < 64 / sizeof(T); offset += 3) {
      check_streamed<T>(count, offset);
    }
  }
}

TEST_CASE("streamed elements begin and end anywhere in lines", "[simulation][large]") {
  check_places<uint8_t>();
  check_places<uint16_t>();
  check_places<float>();
  check_places<double>();
}

TEST_CASE("results beyond the caches are those of small ones", "[simulation][large]") {
  constexpr auto kFloats = static_cast<int64_t>(sim::kStreamedBytes / sizeof(float));
  const Tensor x = counting(ElementType::F32, {kFloats + 13});  // no whole cache lines
  const auto is_right = [&](const Tensor& got, const auto& expected) {
    return std::ranges::equal(got.elements<float>(), x.elements<float>(),
                              [&](float result, float of) { return result == expected(of); });
  };
  const std::string text = shardy::ir::to_string(x.type());
  CHECK(is_right(run_op("stablehlo.negate %a", {x}, text), [](float v) { return -v; }));
  CHECK(is_right(run_op("stablehlo.add %a, %a", {x, x}, text), [](float v) { return v + v; }));
}

}  // namespace
}  // namespace shardy_test
