// Elementwise kernels on large tensors, next to a copy of as many bytes into fresh memory.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <shardy/ir/graph_builder.hpp>
#include <shardy/simulation/kernels/kernel.hpp>
#include <string>
#include <vector>

namespace {

using shardy::ir::ElementType;
using shardy::ir::GraphBuilder;
using shardy::ir::OpKind;
using shardy::ir::Type;
using shardy::simulation::Tensor;
using shardy::simulation::Tensors;
using Clock = std::chrono::steady_clock;

constexpr int64_t kBytes = int64_t{1} << 25;  // of one operand: beyond the caches

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Seconds to move one byte: read, and written to memory that was not used before.
double seconds_per_byte() {
  const std::vector<std::byte> from(static_cast<std::size_t>(kBytes), std::byte{1});
  double best = 1e9;
  for (int round = 0; round < 10; ++round) {
    const auto begin = Clock::now();
    const std::unique_ptr<std::byte[]> to(new std::byte[from.size()]);
    std::memcpy(to.get(), from.data(), from.size());
    benchmark::DoNotOptimize(to.get());
    best = std::min(best, seconds_since(begin));
  }
  return best / (2.0 * static_cast<double>(kBytes));
}

struct ElementwiseCase {
  std::string name;
  OpKind kind;
  ElementType element;
  std::size_t num_operands;
  ElementType result;
};

const std::vector<ElementwiseCase>& cases() {
  static const std::vector<ElementwiseCase> kCases = {
      {"add_f32", OpKind::Add, ElementType::F32, 2, ElementType::F32},
      {"add_f64", OpKind::Add, ElementType::F64, 2, ElementType::F64},
      {"add_bf16", OpKind::Add, ElementType::BF16, 2, ElementType::BF16},
      {"add_f16", OpKind::Add, ElementType::F16, 2, ElementType::F16},
      {"add_i32", OpKind::Add, ElementType::I32, 2, ElementType::I32},
      {"multiply_f32", OpKind::Multiply, ElementType::F32, 2, ElementType::F32},
      {"maximum_f32", OpKind::Maximum, ElementType::F32, 2, ElementType::F32},
      {"negate_f32", OpKind::Negate, ElementType::F32, 1, ElementType::F32},
      {"convert_f32_bf16", OpKind::Convert, ElementType::F32, 1, ElementType::BF16},
      {"convert_i32_f32", OpKind::Convert, ElementType::I32, 1, ElementType::F32},
      {"exponential_f32", OpKind::Exponential, ElementType::F32, 1, ElementType::F32},
      {"tanh_f32", OpKind::Tanh, ElementType::F32, 1, ElementType::F32},
  };
  return kCases;
}

Type type_of(ElementType element) {
  return Type::tensor({kBytes / static_cast<int64_t>(shardy::ir::size_bytes(element))}, element);
}

/// A function that holds the op.
shardy::ir::Module program_of(const ElementwiseCase& each, shardy::ir::OpId& op) {
  GraphBuilder graph;
  graph.function("main");
  std::vector<shardy::ir::ValueId> operands;
  for (std::size_t index = 0; index < each.num_operands; ++index) {
    operands.push_back(graph.argument(type_of(each.element)));
  }
  const auto result = each.kind == OpKind::Convert
                          ? graph.convert(operands[0], each.result)
                          : graph.value_of({.kind = each.kind, .operands = operands});
  graph.ret({result});
  op = graph.module().defining_op(result);
  return *graph.finish();
}

Tensor operand_of(ElementType element) {
  const Type type = type_of(element);
  std::vector<double> values(static_cast<std::size_t>(type.num_elements()));
  for (std::size_t at = 0; at < values.size(); ++at) values[at] = 1 + static_cast<double>(at % 97);
  return *Tensor::from_doubles(type, values);
}

void elementwise(benchmark::State& state) {
  const ElementwiseCase& each = cases()[static_cast<std::size_t>(state.range(0))];
  shardy::ir::OpId op;
  const shardy::ir::Module module = program_of(each, op);
  const Tensors operands(each.num_operands, operand_of(each.element));
  const auto kernel = *shardy::simulation::make_kernel({.module = module, .op = op});
  double best = 1e9;
  for (auto _ : state) {
    const auto begin = Clock::now();
    benchmark::DoNotOptimize(kernel({.operands = operands}));
    best = std::min(best, seconds_since(begin));
  }
  const double result_bytes = static_cast<double>(kBytes) *
                              static_cast<double>(shardy::ir::size_bytes(each.result)) /
                              static_cast<double>(shardy::ir::size_bytes(each.element));
  const double moved = static_cast<double>(each.num_operands) * kBytes + result_bytes;
  state.SetLabel(each.name);
  state.counters["GB/s"] = moved / best * 1e-9;
  state.counters["of_copy"] = moved * seconds_per_byte() / best;  // 1: as fast as a copy
}
BENCHMARK(elementwise)->DenseRange(0, static_cast<int64_t>(cases().size()) - 1)->MinTime(0.2);

}  // namespace
