// One op of the simulator, to be measured.
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <shardy/ir/graph_builder.hpp>
#include <shardy/simulation/kernels/kernel.hpp>
#include <shardy/simulation/tensor.hpp>
#include <utility>
#include <vector>

#include "thread_clock.hpp"

using Clock = ThreadClock;
using Values = std::vector<shardy::ir::ValueId>;

/// With its operands; the module must live as long as the kernel.
struct OneOp {
  shardy::ir::Module module;
  shardy::simulation::Kernel kernel;
  shardy::simulation::Tensors operands;

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

inline shardy::simulation::Tensor small_numbers(const shardy::ir::Type& type) {
  std::vector<double> values(static_cast<std::size_t>(type.num_elements()));
  for (std::size_t index = 0; index < values.size(); ++index) {
    values[index] = static_cast<double>(index * 7 % 13) - 6;
  }
  return shardy::simulation::Tensor::from_doubles(type, values).value();
}

template <class Body>
std::unique_ptr<OneOp> one_op(const std::vector<shardy::ir::Type>& types, const Body& body) {
  shardy::ir::GraphBuilder graph;
  graph.function("main");
  Values arguments;
  auto made = std::make_unique<OneOp>();
  for (const shardy::ir::Type& type : types) {
    arguments.push_back(graph.argument(type));
    made->operands.push_back(small_numbers(type));
  }
  const shardy::ir::ValueId result = body(graph, arguments);
  graph.ret({result});
  made->module = graph.finish().value();
  const auto op =
      made->module.defining_op(made->module.returned_values(*made->module.main_function()).front());
  made->kernel = shardy::simulation::make_kernel({.module = made->module, .op = op}).value();
  return made;
}
