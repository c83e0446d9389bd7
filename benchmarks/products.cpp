// Products of the simulator as ratios to what bounds them, measured in the same run: Eigen's, and
// the product that a convolution equals.
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <chrono>
#include <cstdint>
#include <memory>

#include "eigen_v3.hpp"
#include "one_op.hpp"
#include "simulation/buffer_pool.hpp"
#include "thread_clock.hpp"

namespace {

using shardy::ir::ElementType;
using shardy::ir::GraphBuilder;
using shardy::ir::OpKind;
using shardy::ir::OpSpec;
using shardy::ir::Type;

struct Sizes {
  int64_t rows, columns, depth;
};

std::unique_ptr<OneOp> dot_op(const Sizes& sizes, ElementType element) {
  return one_op({Type::tensor({sizes.rows, sizes.depth}, element),
                 Type::tensor({sizes.depth, sizes.columns}, element)},
                [](GraphBuilder& graph, const Values& arguments) {
                  return graph.dot(arguments[0], arguments[1]);
                });
}

#if defined(__x86_64__)
const bool runs_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
constexpr bool runs_v3 = false;
#endif

/// Claim: at least 0.9 of Eigen as it is built by default. Built for x86-64-v3 it fuses products
/// and sums, which our dot must not (stablehlo 22).
template <class T>
void dot_ratio_to_eigen(benchmark::State& state) {
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const int64_t size = state.range(0);
  const auto dot = dot_op({size, size, size}, sizeof(T) == 4 ? ElementType::F32 : ElementType::F64);
  const Eigen::Map<const Matrix> x(dot->operands[0].elements<T>().data(), size, size);
  const Eigen::Map<const Matrix> y(dot->operands[1].elements<T>().data(), size, size);
  const shardy::simulation::KeptBuffers kept;
  Times dot_time;
  Times eigen_time;
  Times eigen_v3_time;
  Matrix product(size, size);
  for (auto _ : state) {
    dot_time.add(dot->run());
    const auto begin = Clock::now();
    product.noalias() = x * y;
    benchmark::DoNotOptimize(product.data());
    const std::chrono::duration<double> gone = Clock::now() - begin;
    eigen_time.add(gone.count());
    if (!runs_v3) continue;
    const auto begin_v3 = Clock::now();
    eigen_v3_product(dot->operands[0].elements<T>().data(), dot->operands[1].elements<T>().data(),
                     product.data(), size);
    benchmark::DoNotOptimize(product.data());
    const std::chrono::duration<double> gone_v3 = Clock::now() - begin_v3;
    eigen_v3_time.add(gone_v3.count());
  }
  state.counters["ratio"] = eigen_time.typical() / dot_time.typical();
  if (runs_v3) state.counters["ratio_v3"] = eigen_v3_time.typical() / dot_time.typical();
  state.counters["GFLOPS"] = 2e-9 * static_cast<double>(size * size * size) / dot_time.typical();
}

/// 3x3 windows over images. Claim: at least 0.5.
void convolution_ratio_to_dot(benchmark::State& state) {
  const int64_t channels = state.range(0);
  const int64_t size = 28;
  const auto convolution = one_op(
      {Type::tensor({4, size, size, channels}, ElementType::F32),
       Type::tensor({3, 3, channels, 64}, ElementType::F32)},
      [&](GraphBuilder& graph, const Values& arguments) {
        OpSpec spec{.kind = OpKind::Convolution, .operands = arguments};
        spec.attributes.set("dimension_numbers",
                            shardy::ir::ConvolutionDims{0, 3, {1, 2}, 2, 3, {0, 1}, 0, 3, {1, 2}});
        for (const char* name : {"feature_group_count", "batch_group_count"}) {
          spec.attributes.set(name, shardy::ir::IntegerAttr{1, ElementType::I64});
        }
        spec.attributes.set(
            "padding", shardy::ir::int_splat_literal(Type::tensor({2, 2}, ElementType::I64), 1));
        return graph.value_of(std::move(spec));
      });
  const auto dot = dot_op({4 * size * size, 64, 9 * channels}, ElementType::F32);
  const shardy::simulation::KeptBuffers kept;
  Times convolution_time;
  Times dot_time;
  for (auto _ : state) {
    convolution_time.add(convolution->run());
    dot_time.add(dot->run());
  }
  state.counters["ratio"] = dot_time.typical() / convolution_time.typical();
}

}  // namespace

BENCHMARK_TEMPLATE(dot_ratio_to_eigen, float)
    ->Arg(256)
    ->Arg(512)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(dot_ratio_to_eigen, double)
    ->Arg(256)
    ->Arg(512)
    ->Arg(1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(convolution_ratio_to_dot)->Arg(3)->Arg(16)->Arg(64)->Unit(benchmark::kMillisecond);
