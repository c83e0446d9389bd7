// Small programs and tensors for the tests of the simulator.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "shardy/ir/graph_builder.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/simulation/tensor.hpp"
#include "support/catch.hpp"

namespace shardy_test {

using shardy::Mesh;
using shardy::MeshAxis;
using shardy::Result;
using shardy::ir::ElementType;
using shardy::ir::GraphBuilder;
using shardy::ir::Module;
using shardy::ir::OpKind;
using shardy::ir::Type;
using shardy::ir::ValueId;
using shardy::simulation::RunOptions;
using shardy::simulation::RunResult;
using shardy::simulation::Tensor;
using shardy::simulation::Tensors;
using Dims = std::vector<int64_t>;
using Values = std::vector<ValueId>;

inline Tensor tensor(ElementType element, const Dims& dims, const std::vector<double>& values) {
  const Result<Tensor> made = Tensor::from_doubles(Type::tensor(dims, element), values);
  REQUIRE(made);
  return *made;
}
inline Tensor vector_of(ElementType element, const std::vector<double>& values) {
  return tensor(element, {static_cast<int64_t>(values.size())}, values);
}
inline Tensor scalar(ElementType element, double value) { return tensor(element, {}, {value}); }
/// For values that need all 64 bits.
inline Tensor integers(ElementType element, const Dims& dims, const std::vector<int64_t>& values) {
  const Result<Tensor> made = Tensor::from_integers(Type::tensor(dims, element), values);
  REQUIRE(made);
  return *made;
}
template <typename T>
Tensor bits(ElementType element, const std::vector<T>& values) {
  const Result<Tensor> made =
      Tensor::make(Type::tensor({static_cast<int64_t>(values.size())}, element),
                   std::as_bytes(std::span(values)));
  REQUIRE(made);
  return *made;
}
/// 0, 1, 2, ... from `first` on.
inline Tensor counting(ElementType element, const Dims& dims, double first = 0) {
  std::vector<double> values;
  for (int64_t index = 0; index < shardy::product(dims); ++index) {
    values.push_back(first + static_cast<double>(index));
  }
  return tensor(element, dims, values);
}

/// Writes the body of @main, given its arguments; returns what @main returns.
using Body = std::function<Values(GraphBuilder& graph, const Values& arguments)>;

/// A module with @main over arguments of these types. `prepare` adds meshes and other functions.
inline Module program(const std::vector<Type>& types, const Body& body,
                      const std::function<void(GraphBuilder&)>& prepare = {}) {
  GraphBuilder graph;
  if (prepare) prepare(graph);
  graph.function("main");
  Values arguments;
  for (const Type& type : types) arguments.push_back(graph.argument(type));
  graph.ret(body(graph, arguments));
  Result<Module> module = graph.finish();
  if (!module) FAIL(located_message_of(module));
  return *std::move(module);
}

/// Results of @main on one device.
inline Tensors evaluate_graph(const Tensors& inputs, const Body& body) {
  std::vector<Type> types;
  for (const Tensor& input : inputs) types.push_back(input.type());
  const Module module = program(types, body);
  const Result<RunResult> result = shardy::simulation::run(module, "main", {inputs});
  if (!result) FAIL(located_message_of(result));
  return result->outputs[0];
}

/// The one result of one op without attributes.
inline Tensor evaluate_op(OpKind kind, const Tensors& inputs) {
  return evaluate_graph(inputs, [&](GraphBuilder& graph, const Values& arguments) {
    return Values{graph.value_of({.kind = kind, .operands = arguments})};
  })[0];
}

}  // namespace shardy_test
