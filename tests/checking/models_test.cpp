// The lowering of the example programs and of scaled programs.
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/checking/check.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/text/json.hpp"
#include "support/catch.hpp"

using namespace shardy;
using ir::ElementType;
using ir::GraphBuilder;
using ir::OpId;
using ir::OpKind;
using ir::Type;

namespace models_test {
namespace {

ir::Module example(const std::string& name) {
  std::ifstream file(SHARDY_EXAMPLES "/" + name + ".json");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  auto module = text::parse_json(text);
  REQUIRE(module.has_value());
  return *std::move(module);
}

/// Returns the communication ops of the per-device program in order, each as name, operand type and
/// result type.
std::vector<std::string> communication(const ir::Module& program) {
  std::vector<std::string> ops;
  for (const OpId op : ir::pre_order(program)) {
    if (!program.has_trait(op, ir::kCollective)) continue;
    ops.push_back(std::string(program.name(op)) + " " +
                  to_string(program.type(program.operand(op, 0))) + " -> " +
                  to_string(program.type(program.result(op))));
  }
  return ops;
}

/// Returns the name and the local result types of every op.
std::vector<std::string> skeleton(const ir::Module& program) {
  std::vector<std::string> ops;
  for (const OpId op : ir::pre_order(program)) {
    std::string line(program.name(op));
    for (const ir::ValueId result : program.results(op))
      line += " " + to_string(program.type(result));
    ops.push_back(std::move(line));
  }
  return ops;
}

/// A program with uneven dims on the given number of devices: a matrix product, a maximum, a slice,
/// a pad, a concatenation and a reshape. The local shapes do not depend on the number of devices.
ir::Module scaled_program(int64_t devices) {
  GraphBuilder g;
  g.mesh("mesh", {{"x", devices}});
  g.function("main");
  const int64_t rows = 4 * devices - 1;
  const auto f32 = [](std::vector<int64_t> dims) {
    return Type::tensor(std::move(dims), ElementType::F32);
  };
  const auto a = g.argument(f32({rows, 6}), R"([{"x"}, {}])");
  const auto b = g.argument(f32({rows, 5}), R"([{"x"}, {}])");
  const auto product = g.dot_general(a, b, {{}, {}, {0}, {0}});
  const auto largest = g.reduce_max(a, {0});
  const auto padded = g.pad(a, g.splat(f32({}), 9), {1, 0}, {0, 0});
  const auto part = g.slice(a, {1, 0}, {rows, 6}, {2, 1});
  const auto joined = g.concatenate({a, padded}, 0);
  const auto split = g.reshape(a, {rows, 2, 3});
  const auto numbers = g.iota(f32({rows, 6}), 0);
  const char* resharded_reference = R"([{"x"}, {}])";
  g.ret({product, largest, padded, part, joined, split, g.add(a, numbers)},
        {"[{}, {}]", "[{}]", resharded_reference, resharded_reference, resharded_reference,
         R"([{"x"}, {}, {}])", resharded_reference});
  return g.finish().value();
}

}  // namespace

TEST_CASE("the mixture of experts exchanges tokens twice and gathers nothing", "[checking]") {
  const ir::Module module = example("moe");
  const auto compiled = checking::compile(module);
  REQUIRE(compiled.has_value());
  CHECK(communication(compiled->program) ==
        std::vector<std::string>{"spmd.all_reduce tensor<f32> -> tensor<f32>",
                                 // Dispatch and combine have the shapes [E, G, C, M] and [G, E, C,
                                 // M], with 8 experts, 8 groups and 4 slots.
                                 "spmd.all_to_all tensor<8x1x4x8xf32> -> tensor<1x8x4x8xf32>",
                                 "spmd.all_to_all tensor<8x1x4x8xf32> -> tensor<1x8x4x8xf32>"});
  CHECK(compiled->notes.empty());
}

TEST_CASE("the transformer block all-reduces only after attention and after the MLP",
          "[checking]") {
  const auto compiled = checking::compile(example("transformer"));
  REQUIRE(compiled.has_value());
  const std::string sum = "spmd.all_reduce tensor<2x8x16xf32> -> tensor<2x8x16xf32>";
  CHECK(communication(compiled->program) == std::vector<std::string>{sum, sum});
}

TEST_CASE("a program for 65,536 devices is as long as a program for 8 devices", "[checking]") {
  const auto few = checking::compile(scaled_program(8));
  const auto many = checking::compile(scaled_program(65536));
  REQUIRE(few.has_value());
  REQUIRE(many.has_value());
  const std::string few_text = text::to_json(few->program);
  const std::string many_text = text::to_json(many->program);
  CHECK(skeleton(few->program).size() == skeleton(many->program).size());
  CHECK(skeleton(few->program) == skeleton(many->program));
  // The text may only have longer numbers.
  CHECK(many_text.size() <= few_text.size() + few_text.size() / 10);
}

}  // namespace models_test
