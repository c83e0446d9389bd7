// Elementwise kernels on large tensors, next to a copy of as many bytes, both in memory that the
// process has already: runs keep it.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <shardy/ir/graph_builder.hpp>
#include <shardy/simulation/kernels/kernel.hpp>
#include <string>
#include <vector>

#include "simulation/buffer_pool.hpp"
#include "thread_clock.hpp"

namespace {

using shardy::ir::ElementType;
using shardy::ir::GraphBuilder;
using shardy::ir::OpKind;
using shardy::ir::Type;
using shardy::ir::ValueId;
using shardy::simulation::Tensor;
using shardy::simulation::Tensors;
using shardy::simulation::TensorWriter;
using Clock = ThreadClock;
using Values = std::vector<ValueId>;
using enum ElementType;

struct ElementwiseCase {
  std::string name;
  std::vector<ElementType> operands;
  std::function<ValueId(GraphBuilder&, const Values&)> op;
  float (*library)(float) = nullptr;  // the function of the C library, if arithmetic is the bound
};

ElementwiseCase of_kind(const std::string& name, OpKind kind, std::vector<ElementType> operands,
                        float (*library)(float) = nullptr) {
  return {name, std::move(operands),
          [kind](GraphBuilder& graph, const Values& x) {
            return graph.value_of({.kind = kind, .operands = x});
          },
          library};
}

ElementwiseCase conversion(const std::string& name, ElementType from, ElementType to) {
  return {
      name, {from}, [to](GraphBuilder& graph, const Values& x) { return graph.convert(x[0], to); }};
}

const std::vector<ElementwiseCase>& cases() {
  static const std::vector<ElementwiseCase> kCases = {
      of_kind("add_f32", OpKind::Add, {F32, F32}),
      of_kind("add_f64", OpKind::Add, {F64, F64}),
      of_kind("add_bf16", OpKind::Add, {BF16, BF16}),
      of_kind("add_f16", OpKind::Add, {F16, F16}),
      of_kind("add_i32", OpKind::Add, {I32, I32}),
      of_kind("multiply_f32", OpKind::Multiply, {F32, F32}),
      of_kind("maximum_f32", OpKind::Maximum, {F32, F32}),
      of_kind("negate_f32", OpKind::Negate, {F32}),
      {"compare_f32",
       {F32, F32},
       [](GraphBuilder& graph, const Values& x) { return graph.compare(x[0], x[1], "LT"); }},
      {"select_f32",
       {I1, F32, F32},
       [](GraphBuilder& graph, const Values& x) { return graph.select(x[0], x[1], x[2]); }},
      conversion("convert_f32_bf16", F32, BF16),
      conversion("convert_bf16_f32", BF16, F32),
      conversion("convert_i32_f32", I32, F32),
      of_kind("exponential_f32", OpKind::Exponential, {F32}, &std::exp),
      of_kind("tanh_f32", OpKind::Tanh, {F32}, &std::tanh),
  };
  return kCases;
}

Type type_of(int64_t size, ElementType element) { return Type::tensor({size}, element); }

Tensor operand_of(int64_t size, ElementType element) {
  std::vector<double> values(static_cast<std::size_t>(size));
  for (std::size_t at = 0; at < values.size(); ++at) {
    values[at] = element == I1 ? static_cast<double>(at % 3 / 2) : static_cast<double>(at % 97) / 9;
  }
  return *Tensor::from_doubles(type_of(size, element), values);
}

template <class Work>
double seconds_of(const Work& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void call_library(float (*function)(float), const Tensor& x, TensorWriter& to) {
  const auto* from = reinterpret_cast<const float*>(x.data());
  auto* results = reinterpret_cast<float*>(to.data());
  for (int64_t at = 0; at < x.type().num_elements(); ++at) results[at] = function(from[at]);
  benchmark::DoNotOptimize(results);
}

void copy(const Tensor& x, TensorWriter& to) {
  std::memcpy(to.data(), x.data(), x.bytes().size());
  benchmark::DoNotOptimize(to.data());
}

/// Claim: at least 0.7 where the op is bound by memory. Exponential and tanh are not: an element
/// takes longer to compute than to move, in the C library as well. Claim: at least as fast as that.
void elementwise(benchmark::State& state) {
  const ElementwiseCase& each = cases()[static_cast<std::size_t>(state.range(0))];
  const int64_t size = state.range(1);
  const shardy::simulation::KeptBuffers kept;
  GraphBuilder graph;
  graph.function("main");
  Values arguments;
  Tensors operands;
  for (const ElementType element : each.operands) {
    arguments.push_back(graph.argument(type_of(size, element)));
    operands.push_back(operand_of(size, element));
  }
  const ValueId result = each.op(graph, arguments);
  graph.ret({result});
  const auto op = graph.module().defining_op(result);
  const shardy::ir::Module module = *graph.finish();
  const auto kernel = *shardy::simulation::make_kernel({.module = module, .op = op});
  double bytes = static_cast<double>(module.type(result).num_bytes());
  for (const Tensor& operand : operands) bytes += static_cast<double>(operand.num_bytes());
  const Tensor copied = operand_of(size, F32);
  // Memory of its own: what the op writes past the caches would have to be fetched for the copy.
  auto to = *TensorWriter::make(copied.type());
  Times op_times;
  Times copy_times;
  Times library_times;
  for (auto _ : state) {
    op_times.add(seconds_of([&] { benchmark::DoNotOptimize(kernel({.operands = operands})); }));
    copy_times.add(seconds_of([&] { copy(copied, to); }));
    if (each.library == nullptr) continue;
    library_times.add(seconds_of([&] { call_library(each.library, operands.front(), to); }));
  }
  const double copied_bytes = 2.0 * static_cast<double>(copied.num_bytes());
  state.SetLabel(each.name);
  const double rate = bytes / op_times.typical();
  state.counters["GB/s"] = rate * 1e-9;
  state.counters["of_copy"] = rate / (copied_bytes / copy_times.typical());  // 1: as fast as a copy
  if (each.library == nullptr) return;
  state.counters["of_library"] = library_times.typical() / op_times.typical();
}
BENCHMARK(elementwise)
    ->ArgNames({"case", "elements"})
    ->ArgsProduct({benchmark::CreateDenseRange(0, static_cast<int64_t>(cases().size()) - 1, 1),
                   {int64_t{1} << 22, int64_t{1} << 25}})  // beyond near, beyond shared caches
    ->Iterations(40);

}  // namespace
