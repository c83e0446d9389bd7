// The program of README.md.
// [hello]
#include <fmt/core.h>

#include <shardy/shardy.hpp>

using namespace shardy;

int main() {
  ir::GraphBuilder g;
  g.mesh("mesh", {{"x", 2}, {"y", 4}});
  g.function("main");
  const auto a = g.argument(ir::Type::tensor({8, 16}, ir::ElementType::F32), R"([{"x"}, {"y"}])");
  const auto b = g.argument(ir::Type::tensor({16, 6}, ir::ElementType::F32));
  g.ret({g.tanh(g.dot(a, b))});
  const ir::Module program = g.finish().value();
  const auto report = check(program, random_inputs(program, 1).value()).value();
  for (const auto& [kind, traffic] : report.sharded.devices[0].traffic) {
    fmt::print("{} x {}\n", traffic.count, ir::info(kind).name);
  }
  fmt::print("{} devices, equal to the unsharded run: {}\n", report.sharded.devices.size(),
             report.equal());
}
// [hello]
