// What including a header costs: the compiler's front end on a file that holds one #include.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace {

void include_header(benchmark::State& state, const char* header) {
  const std::string source = std::string(SHARDY_SCRATCH) + "/include_time.cpp";
  std::ofstream(source) << "#include <" << header << ">\n";
  const std::string command =
      std::string(SHARDY_COMPILER) + " -std=c++20 -fsyntax-only -I" + SHARDY_INCLUDE + " " + source;
  for (auto _ : state) {
    if (std::system(command.c_str()) != 0) state.SkipWithError("the header does not compile");
  }
}

}  // namespace

BENCHMARK_CAPTURE(include_header, shardy, "shardy/shardy.hpp")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(3);
BENCHMARK_CAPTURE(include_header, tensor_sharding, "shardy/algebra/tensor_sharding.hpp")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(3);
BENCHMARK_CAPTURE(include_header, problem, "shardy/propagation/problem.hpp")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(3);
