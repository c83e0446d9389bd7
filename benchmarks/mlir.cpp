// Measures parsing and printing of MLIR text. Reports megabytes per second, beside the speed of a
// JSON parser on as many bytes, and the time per op, which must not grow with the program.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <shardy/text/mlir.hpp>
#include <string>
#include <string_view>

namespace {

/// Returns constants of 10,000 floats each, as hex digits, which is the form in which JAX prints
/// constants that are not elided.
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

/// Returns a chain of ops of several text forms.
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

/// Returns constants whose elements are hex digits, as MLIR prints long lists.
std::string blob_text(int constants) {
  std::string text = "func.func @main() {\n";
  for (int constant = 0; constant < constants; ++constant) {
    text += "  %" + std::to_string(constant) + " = stablehlo.constant dense<\"0x";
    for (int element = 0; element < 10'000; ++element) {
      constexpr std::string_view kHex = "0123456789ABCDEF";
      for (unsigned digit = 0; digit < 8; ++digit) {
        text += kHex[(static_cast<unsigned>(element) * 2654435761U >> (4 * digit)) & 15U];
      }
    }
    text += "\"> : tensor<10000xf32>\n";
  }
  return text + "  return\n}\n";
}

/// Returns a JSON list of about `size` bytes, in which each element is the text `element`.
std::string json_text(std::size_t size, std::string_view element) {
  std::string text = "[0";
  while (text.size() < size) {
    text += ", ";
    text += element;
  }
  return text + "]";
}

/// Returns the bytes of the text as one JSON string.
std::string json_string(const std::string& text) { return nlohmann::json(text).dump(); }

/// Returns the processor time of this process, on which other load of the machine has little
/// effect.
template <class Work>
double cpu_seconds(Work&& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

double seconds_to_read(const std::string& text) {
  return cpu_seconds([&] {
    const auto module = shardy::text::parse_mlir(text);
    if (!module) std::abort();
  });
}

double seconds_to_read_json(const std::string& text) {
  return cpu_seconds([&] {
    const auto json = nlohmann::json::parse(text);
    benchmark::DoNotOptimize(json);
  });
}

/// Measures parsing of `text` against JSON of as many bytes, filled with copies of `json_element`.
void read_text(benchmark::State& state, const std::string& text, std::string_view json_element) {
  const std::string json = json_text(text.size(), json_element);
  const std::string same_bytes = json_string(text);
  double gone = 0;
  double json_gone = 0;
  double string_gone = 0;
  for (auto _ : state) {
    const double seconds = seconds_to_read(text);
    gone += seconds;
    state.SetIterationTime(seconds);
    json_gone += seconds_to_read_json(json);
    string_gone += seconds_to_read_json(same_bytes);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(text.size()));
  state.counters["speed_to_json"] = json_gone / gone;
  state.counters["speed_to_json_string"] = string_gone / gone;
}

/// Claim: 100 MB/s.
void read_mlir_dense(benchmark::State& state) {
  read_text(state, dense_text(100), "63.169993e-02");
}

void read_mlir_blob(benchmark::State& state) { read_text(state, blob_text(100), "\"3F800000\""); }

/// Claims: 30 MB/s, and the same time per op for 1k and 1M ops.
void read_mlir_ops(benchmark::State& state) {
  read_text(state, op_text(state.range(0)),
            R"({"op": "stablehlo.add", "operands": ["%12", "%arg0"], "type": "tensor<8x16xf32>"})");
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void print_mlir_ops(benchmark::State& state) {
  const auto module = shardy::text::parse_mlir(op_text(state.range(0)));
  if (!module) std::abort();
  std::size_t size = 0;
  for (auto _ : state) {
    const double seconds = cpu_seconds([&] { size = shardy::text::to_mlir(*module).size(); });
    state.SetIterationTime(seconds);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(size));
}

}  // namespace

BENCHMARK(read_mlir_dense)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(read_mlir_blob)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(read_mlir_ops)
    ->ArgName("ops")
    ->RangeMultiplier(10)
    ->Range(1000, 1'000'000)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(print_mlir_ops)
    ->ArgName("ops")
    ->Arg(100'000)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
