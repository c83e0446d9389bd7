// Reading MLIR text: megabytes per second, beside what a JSON parser takes for as many bytes, and
// time per op, which must not grow with the program.
#include <benchmark/benchmark.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <shardy/text/mlir.hpp>
#include <string>

namespace {

using Clock = std::chrono::steady_clock;

/// Constants of 10,000 floats each, as JAX prints those that are not elided as hex.
std::string dense_text(int constants) {
  std::string text = "func.func @main() {\n";
  for (int constant = 0; constant < constants; ++constant) {
    text += "  %" + std::to_string(constant) + " = stablehlo.constant dense<[";
    for (int element = 0; element < 10'000; ++element) {
      if (element > 0) text += ", ";
      text += std::to_string(element % 97) + "." + std::to_string(100'000 + element * 7) + "e-02";
    }
    text += "]> : tensor<10000xf32>\n";
  }
  return text + "  return\n}\n";
}

/// A chain of ops of several forms.
std::string op_text(int64_t ops) {
  std::string text =
      "func.func @main(%arg0: tensor<8x16xf32>, %arg1: tensor<16x16xf32>) {\n"
      "  %0 = stablehlo.negate %arg0 : tensor<8x16xf32>\n";
  for (int64_t op = 1; op < ops; ++op) {
    const std::string last = "%" + std::to_string(op - 1);
    text += "  %" + std::to_string(op) + " = ";
    switch (op % 3) {
      case 0:
        text += "stablehlo.dot_general " + last +
                ", %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : "
                "(tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>\n";
        break;
      case 1:
        text += "stablehlo.add " + last + ", %arg0 : tensor<8x16xf32>\n";
        break;
      default:
        text += "stablehlo.tanh " + last + " {mhlo.x = \"y\"} : tensor<8x16xf32>\n";
    }
  }
  return text + "  return\n}\n";
}

/// A list of numbers of about as many bytes.
std::string json_text(std::size_t size) {
  std::string text = "[0";
  for (int number = 1; text.size() < size; ++number) {
    text += ", " + std::to_string(number % 97) + "." + std::to_string(100'000 + number % 9973);
  }
  return text + "]";
}

double seconds_to_read(const std::string& text) {
  const auto begin = Clock::now();
  const auto module = shardy::text::parse_mlir(text);
  const std::chrono::duration<double> gone = Clock::now() - begin;
  if (!module) std::abort();
  return gone.count();
}

double seconds_to_read_json(const std::string& text) {
  const auto begin = Clock::now();
  const auto json = nlohmann::json::parse(text);
  const std::chrono::duration<double> gone = Clock::now() - begin;
  benchmark::DoNotOptimize(json);
  return gone.count();
}

void read_text(benchmark::State& state, const std::string& text) {
  const std::string json = json_text(text.size());
  double gone = 0;
  double json_gone = 0;
  for (auto _ : state) {
    const double seconds = seconds_to_read(text);
    gone += seconds;
    state.SetIterationTime(seconds);
    json_gone += seconds_to_read_json(json);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
  state.counters["speed_to_json"] = json_gone / gone;
}

/// Claim: 100 MB/s.
void read_mlir_dense(benchmark::State& state) { read_text(state, dense_text(100)); }

/// Claim: 30 MB/s, and time per op the same for 1k and 1M ops.
void read_mlir_ops(benchmark::State& state) {
  read_text(state, op_text(state.range(0)));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

}  // namespace

BENCHMARK(read_mlir_dense)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(read_mlir_ops)
    ->ArgName("ops")
    ->RangeMultiplier(10)
    ->Range(1000, 1'000'000)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
