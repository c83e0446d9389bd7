// A compiler with its own program form gets its per-device program from shardy++. The instructions
// become a module, and the library propagates, reshards and partitions the module. The ops of the
// per-device program become instructions with local shapes and collectives.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <shardy/checking/check.hpp>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/graph_builder.hpp>
#include <shardy/ir/walk.hpp>
#include <shardy/report/report.hpp>
#include <string>
#include <vector>

namespace {

using namespace shardy;

// [foreign]
/// An instruction of the other compiler: its name, the numbers of its operands, and the shape of
/// its result.
struct Instruction {
  std::string name;
  std::vector<std::size_t> operands = {};
  std::vector<int64_t> shape = {};
  std::string sharding = {};  // of parameters, as text; empty if unsharded
  std::string detail = {};    // the axes of a collective
};
using Program = std::vector<Instruction>;

std::string to_string(const Program& program) {
  std::string text;
  for (std::size_t number = 0; number < program.size(); ++number) {
    const Instruction& each = program[number];
    text += fmt::format("  %{} = {}", number, each.name);
    for (const std::size_t operand : each.operands) text += fmt::format(" %{}", operand);
    text += " [";
    for (const int64_t size : each.shape) text += fmt::format(" {}", size);
    text += " ]" + (each.detail.empty() ? "" : " " + each.detail) + "\n";
  }
  return text;
}
// [foreign]

// [import]
/// Converts the program to a module. The last instruction becomes the result.
Result<ir::Module> to_module(const Program& program) {
  ir::GraphBuilder graph;
  graph.mesh("mesh", {{"data", 2}, {"model", 4}});
  graph.function("main");
  std::vector<ir::ValueId> values;
  const auto operand = [&](const Instruction& of, std::size_t index) {
    return values[of.operands[index]];
  };
  for (const Instruction& each : program) {
    if (each.name == "parameter") {
      values.push_back(
          graph.argument(ir::Type::tensor(each.shape, ir::ElementType::F32), each.sharding));
    } else if (each.name == "matmul") {
      values.push_back(graph.dot(operand(each, 0), operand(each, 1)));
    } else if (each.name == "add") {
      values.push_back(graph.add(operand(each, 0), operand(each, 1)));
    } else if (each.name == "tanh") {
      values.push_back(graph.tanh(operand(each, 0)));
    } else {
      return fail("no such instruction: " + each.name);
    }
  }
  graph.ret({values.back()});
  return graph.finish();
}
// [import]

// [export]
/// The instruction for each op that the per-device program of the example may contain.
const std::map<std::string, std::string, std::less<>> kNames = {
    {"stablehlo.dot_general", "matmul"},  {"stablehlo.add", "add"},
    {"stablehlo.tanh", "tanh"},           {"spmd.all_gather", "all-gather"},
    {"spmd.all_reduce", "all-reduce"},    {"spmd.reduce_scatter", "reduce-scatter"},
    {"spmd.all_to_all", "all-to-all"},    {"spmd.permute", "permute"},
    {"stablehlo.dynamic_slice", "slice"}, {"spmd.coord", "coordinate"},
    {"stablehlo.constant", "constant"},   {"stablehlo.multiply", "multiply"},
};

/// Converts a per-device program to instructions. Errors: the compiler has no instruction for an
/// op.
Result<Program> from_module(const ir::Module& module) {
  const ir::OpId main = *module.main_function();
  Program program;
  std::map<ir::ValueId, std::size_t> numbers;
  const auto add = [&](ir::ValueId value, Instruction instruction) {
    const auto dims = module.type(value).dims();
    instruction.shape.assign(dims.begin(), dims.end());
    numbers[value] = program.size();
    program.push_back(std::move(instruction));
  };
  for (const ir::ValueId argument : module.args(module.entry(main))) {
    add(argument, {.name = "parameter"});
  }
  for (const ir::OpId op : module.ops(module.entry(main))) {
    if (module.num_results(op) == 0) continue;  // the return op
    const auto name = kNames.find(module.name(op));
    if (name == kNames.end()) return fail("no instruction for " + std::string(module.name(op)));
    Instruction instruction{.name = name->second};
    for (const ir::ValueId operand : module.operands(op)) {
      instruction.operands.push_back(numbers.at(operand));
    }
    if (const auto* axes = module.attribute<ir::AxesAttr>(op, ir::attr::kAxes)) {
      instruction.detail = shardy::to_string(axes->mesh, axes->axes);
    }
    add(module.result(op), std::move(instruction));
  }
  return program;
}
// [export]

Status run() {
  const Program program = {
      {.name = "parameter", .shape = {16, 32}, .sharding = R"([{"data"}, {}])"},
      {.name = "parameter", .shape = {32, 64}, .sharding = R"([{}, {"model"}])"},
      {.name = "parameter", .shape = {64, 32}, .sharding = R"([{"model"}, {}])"},
      {.name = "matmul", .operands = {0, 1}, .shape = {16, 64}},
      {.name = "tanh", .operands = {3}, .shape = {16, 64}},
      {.name = "matmul", .operands = {4, 2}, .shape = {16, 32}},
      {.name = "add", .operands = {5, 0}, .shape = {16, 32}},
  };
  SHARDY_TRY(const ir::Module module, to_module(program));
  const auto compiled = checking::compile(module);
  if (!compiled) return tl::unexpected(compiled.error().front());
  SHARDY_TRY(const Program local, from_module(compiled->program));
  fmt::print("program\n{}per device\n{}", to_string(program), to_string(local));
  SHARDY_TRY(const simulation::Tensors inputs, checking::random_inputs(module, 1));
  const auto report = checking::check(module, inputs);
  if (!report) return tl::unexpected(report.error().front());
  fmt::print("equal to the unsharded run: {}\n", report->equal());
  return {};
}

}  // namespace

int main() {
  if (const Status status = run(); !status) {
    fmt::print("{}\n", status.error().message);
    return 1;
  }
}
