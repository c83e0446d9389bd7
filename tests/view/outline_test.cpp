// The outline of a program: scopes of locations, folded layers, totals of nodes.

#include <cstdint>
#include <string>
#include <vector>

#include "shardy/ir/walk.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"
#include "view/program_index.hpp"
#include "view/viewed_program.hpp"

namespace shardy_test::outline_test {
namespace {

using namespace shardy;
using view::OutlineNode;

/// The nodes as lines: kind, label and times, indented by depth.
std::string text_of(const view::Outline& outline) {
  std::string text;
  for (const OutlineNode& node : outline.nodes) {
    std::string line = node.label;
    if (node.times > 1) line += " x " + std::to_string(node.times);
    for (int64_t at = node.parent; at >= 0;
         at = outline.nodes[static_cast<std::size_t>(at)].parent) {
      line = "  " + line;
    }
    text += line + "\n";
  }
  return text;
}

struct Outlined {
  std::unique_ptr<ViewedProgram> viewed;
  view::Outline outline;
};
Outlined outlined(const std::string& text) {
  const auto module = text::parse_mlir(text);
  REQUIRE(module);
  Outlined result{viewed(*module, text), {}};
  REQUIRE(result.viewed != nullptr);
  const view::ProgramData data = result.viewed->data();
  const view::ProgramIndex index(data);
  result.outline = view::outline_of(index, index.costs());
  return result;
}

TEST_CASE("the scope of an op is its location without the op name", "[outline]") {
  using Parts = std::vector<std::string>;
  CHECK(view::scope_of(R"(loc("jit(step)/layer_3/attn/dot_general"("model.py":31:4)))") ==
        Parts{"jit(step)", "layer_3", "attn"});
  CHECK(view::scope_of("12:7").empty());
  CHECK(view::scope_of(R"(loc("embed"))").empty());
}

constexpr const char* kLayers = R"(
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.tanh %x : tensor<8x8xf32> loc("jit(f)/embed/tanh"("m.py":1:1))
  %1 = stablehlo.add %0, %0 : tensor<8x8xf32> loc("jit(f)/layer_0/attn/add"("m.py":2:1))
  %2 = stablehlo.tanh %1 : tensor<8x8xf32> loc("jit(f)/layer_0/mlp/tanh"("m.py":3:1))
  %3 = stablehlo.add %2, %2 : tensor<8x8xf32> loc("jit(f)/layer_1/attn/add"("m.py":2:1))
  %4 = stablehlo.tanh %3 : tensor<8x8xf32> loc("jit(f)/layer_1/mlp/tanh"("m.py":3:1))
  return %4 : tensor<8x8xf32>
})";

TEST_CASE("scopes are nested, and equal layers are folded", "[outline]") {
  CHECK(text_of(outlined(kLayers).outline) ==
        "main\n"
        "  embed\n"
        "    tanh\n"
        "  layer_* x 2\n"
        "    layer_0\n"
        "      attn\n"
        "        add\n"
        "      mlp\n"
        "        tanh\n"
        "    layer_1\n"
        "      attn\n"
        "        add\n"
        "      mlp\n"
        "        tanh\n"
        "  return\n");
}

TEST_CASE("repeated ops without names are folded", "[outline]") {
  std::string text = "func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {\n";
  std::string last = "%x";
  for (int layer = 0; layer < 6; ++layer) {
    const std::string name = "%v" + std::to_string(layer);
    text +=
        name + "a = stablehlo.dot_general " + last + ", " + last +
        ", contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n";
    text += name + "b = stablehlo.tanh " + name + "a : tensor<4x4xf32>\n";
    last = name + "b";
  }
  text += "return " + last + " : tensor<4x4xf32> }\n";
  const view::Outline outline = outlined(text).outline;
  REQUIRE(outline.nodes.size() > 2);
  CHECK(outline.nodes[1].kind == OutlineNode::Kind::Repeat);
  CHECK(outline.nodes[1].times == 6);
  CHECK(outline.nodes[1].label == "dot_general and 1 more");
  CHECK(outline.nodes[2].label == "1 of 6");
  CHECK(outline.nodes[1].ops == 12);
}

TEST_CASE("each op has one outline node, and totals equal those of the report", "[outline]") {
  const Outlined result = outlined(R"(
    sdy.mesh @mesh = <["x"=2]>
    func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                    %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
        -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %1 = stablehlo.tanh %0 : tensor<8x8xf32>
      return %1 : tensor<8x8xf32>
    })");
  const view::Outline& outline = result.outline;
  const report::Report& report = result.viewed->report;
  REQUIRE(report.all.bytes > 0);
  CHECK(outline.nodes.front().cost.bytes == report.all.bytes);
  CHECK(outline.nodes.front().cost.collectives == report.all.count);
  CHECK(outline.nodes.front().cost.peak_bytes == report.peak.bytes);
  CHECK(outline.nodes.front().ops == 3);
  const ir::Module& module = result.viewed->names.module();
  for (const ir::OpId op : ir::pre_order(module)) {
    if (module.is(op, ir::OpKind::SdyMesh)) continue;
    const int64_t node = outline.node_of(op);
    REQUIRE(node >= 0);
    CHECK(outline.nodes[static_cast<std::size_t>(node)].op == op);
  }
}

TEST_CASE("collectives of layers with a shared location are counted in their layers", "[outline]") {
  std::string text =
      "sdy.mesh @mesh = <[\"x\"=2]>\n"
      "func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}, "
      "%w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}) -> "
      "tensor<8x8xf32> {\n";
  std::string last = "%x";
  for (int layer = 0; layer < 3; ++layer) {
    const std::string name = "%v" + std::to_string(layer);
    text += name + " = stablehlo.dot_general " + last +
            ", %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> "
            "tensor<8x8xf32> "
            "loc(\"layer/dot\"(\"m.py\":5:1))\n" +
            name + "t = stablehlo.tanh " + name +
            " : tensor<8x8xf32> loc(\"layer/tanh\"(\"m.py\":6:1))\n" + name +
            "c = sdy.sharding_constraint " + name +
            "t <@mesh, [{}, {\"x\"}]> : tensor<8x8xf32> "
            "loc(\"layer/c\"(\"m.py\":7:1))\n";
    last = name + "c";
  }
  text += "return " + last + " : tensor<8x8xf32> }\n";
  const Outlined result = outlined(text);
  const view::ProgramData data = result.viewed->data();
  const view::ProgramIndex index(data);
  std::vector<ir::OpId> served;
  for (const report::Collective& row : result.viewed->report.collectives) {
    REQUIRE(index.origin(row.op).valid());
    if (served.empty() || served.back() != index.origin(row.op))
      served.push_back(index.origin(row.op));
  }
  std::ranges::sort(served);
  CHECK(std::unique(served.begin(), served.end()) == served.end());
  CHECK(served.size() >= 3);
}

}  // namespace
}  // namespace shardy_test::outline_test
