// Kernels of the simulator as ratios to what bounds them, measured in the same run: memcpy, the
// product that a convolution equals, Eigen's product.
#include <benchmark/benchmark.h>

#include <Eigen/Core>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <shardy/ir/graph_builder.hpp>
#include <shardy/simulation/kernels/kernel.hpp>
#include <shardy/simulation/tensor.hpp>

#include "eigen_v3.hpp"
#include "simulation/buffer_pool.hpp"
#include "thread_clock.hpp"

namespace {

using Clock = ThreadClock;
using shardy::ir::ElementType;
using shardy::ir::GraphBuilder;
using shardy::ir::Module;
using shardy::ir::OpKind;
using shardy::ir::OpSpec;
using shardy::ir::Type;
using shardy::ir::ValueId;
using shardy::simulation::Kernel;
using shardy::simulation::Tensor;
using shardy::simulation::Tensors;
using shardy::simulation::TensorWriter;
using Values = std::vector<ValueId>;

/// One op with its operands; the module must live as long as the kernel.
struct OneOp {
  Module module;
  Kernel kernel;
  Tensors operands;

  /// Seconds of one run.
  double run() const {
    const auto begin = Clock::now();
    auto results = kernel({.operands = operands});
    const std::chrono::duration<double> gone = Clock::now() - begin;
    if (!results) std::abort();
    benchmark::DoNotOptimize(results->front().data());
    return gone.count();
  }
};

Tensor small_numbers(const Type& type) {
  std::vector<double> values(static_cast<std::size_t>(type.num_elements()));
  for (std::size_t index = 0; index < values.size(); ++index) {
    values[index] = static_cast<double>(index * 7 % 13) - 6;
  }
  return Tensor::from_doubles(type, values).value();
}

template <class Body>
std::unique_ptr<OneOp> one_op(const std::vector<Type>& types, const Body& body) {
  GraphBuilder graph;
  graph.function("main");
  Values arguments;
  auto made = std::make_unique<OneOp>();
  for (const Type& type : types) {
    arguments.push_back(graph.argument(type));
    made->operands.push_back(small_numbers(type));
  }
  const ValueId result = body(graph, arguments);
  graph.ret({result});
  made->module = graph.finish().value();
  const auto op =
      made->module.defining_op(made->module.returned_values(*made->module.main_function()).front());
  made->kernel = shardy::simulation::make_kernel({.module = made->module, .op = op}).value();
  return made;
}

/// Seconds to copy a tensor.
double copy_time(const Tensor& x, TensorWriter& to) {
  const auto begin = Clock::now();
  std::memcpy(to.data(), x.data(), static_cast<std::size_t>(x.num_bytes()));
  benchmark::DoNotOptimize(to.data());
  const std::chrono::duration<double> gone = Clock::now() - begin;
  return gone.count();
}

/// Reports what the op moves in a second, in shares of what memcpy moves.
void against_memcpy(benchmark::State& state, const OneOp& op) {
  const Tensor& x = op.operands.front();
  const auto result = op.kernel({.operands = op.operands});
  const double op_bytes = static_cast<double>(x.num_bytes() + result->front().num_bytes());
  const shardy::simulation::KeptBuffers kept;  // as in a run
  // Memory of its own: what the op writes past the caches would have to be fetched for the copy.
  auto to = TensorWriter::make(x.type());
  if (!to) std::abort();
  Times op_time;
  Times memcpy_time;
  for (auto _ : state) {
    op_time.add(op.run());
    memcpy_time.add(copy_time(x, *to));
  }
  const double op_rate = op_bytes / op_time.typical();
  const double memcpy_rate = 2 * static_cast<double>(x.num_bytes()) / memcpy_time.typical();
  state.counters["ratio"] = op_rate / memcpy_rate;
}

/// Claim: at least 0.7.
void transpose_ratio_to_memcpy(benchmark::State& state) {
  const auto element = static_cast<ElementType>(state.range(0));
  const Type type = Type::tensor({state.range(1), state.range(2)}, element);
  against_memcpy(state, *one_op({type}, [](GraphBuilder& graph, const Values& arguments) {
                   return graph.transpose(arguments[0], {1, 0});
                 }));
}

/// The heads of attention. Claim: at least 0.7.
void transpose_inner_ratio_to_memcpy(benchmark::State& state) {
  const Type type = Type::tensor({8, 256, 16, 64}, ElementType::F32);
  against_memcpy(state, *one_op({type}, [](GraphBuilder& graph, const Values& arguments) {
                   return graph.transpose(arguments[0], {0, 2, 1, 3});
                 }));
}

/// Claim: at least 0.7.
void reduce_ratio_to_memcpy(benchmark::State& state) {
  const Type type = Type::tensor({state.range(2), 1024}, ElementType::F32);
  const auto combiner = static_cast<OpKind>(state.range(1));
  against_memcpy(state, *one_op({type, Type::tensor({}, ElementType::F32)},
                                [&](GraphBuilder& graph, const Values& arguments) {
                                  return graph.reduce(arguments[0], arguments[1], {state.range(0)},
                                                      combiner);
                                }));
}

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

BENCHMARK(transpose_ratio_to_memcpy)
    ->ArgNames({"element", "rows", "columns"})
    ->ArgsProduct({{static_cast<int64_t>(ElementType::I8), static_cast<int64_t>(ElementType::BF16),
                    static_cast<int64_t>(ElementType::F32), static_cast<int64_t>(ElementType::F64),
                    static_cast<int64_t>(ElementType::Complex128)},
                   {1024},
                   {2048}})
    // Rows that are no whole cache lines.
    ->Args({static_cast<int64_t>(ElementType::BF16), 1000, 2040})
    ->Args({static_cast<int64_t>(ElementType::F32), 1001, 2001})
    // Beyond shared caches.
    ->Args({static_cast<int64_t>(ElementType::BF16), 8192, 8192})
    ->Args({static_cast<int64_t>(ElementType::F32), 8192, 8192})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(transpose_inner_ratio_to_memcpy)->Unit(benchmark::kMillisecond);
BENCHMARK(reduce_ratio_to_memcpy)
    ->ArgNames({"dim", "combiner", "rows"})
    ->ArgsProduct({{0, 1},
                   {static_cast<int64_t>(OpKind::Add), static_cast<int64_t>(OpKind::Maximum),
                    static_cast<int64_t>(OpKind::Minimum), static_cast<int64_t>(OpKind::Multiply)},
                   {int64_t{1} << 11, int64_t{1} << 16}})  // beyond near, beyond shared caches
    ->Unit(benchmark::kMillisecond);
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
