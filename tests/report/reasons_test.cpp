// The reported reasons of a collective are steps of propagation.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "shardy/ir/sharding_access.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/report/report.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"

using namespace shardy;
using report::AxisStep;
using report::Report;

namespace reasons_test {
namespace {

struct Explained {
  ir::Module module;
  checking::CompiledProgram compiled;
  Report report;
};

Explained explained(ir::Module module, std::size_t top) {
  auto compiled = checking::compile(module);
  REQUIRE(compiled.has_value());
  Report report = report::make_report(*compiled);
  const auto reasons = report::Reasons::make(module);
  REQUIRE(reasons.has_value());
  report::add_reasons(report, *reasons, top);
  return {std::move(module), *std::move(compiled), std::move(report)};
}

std::string text_of(const AxisStep& step) {
  constexpr const char* kNames[] = {"annotation", "import", "group", "step", "skipped"};
  const std::string kind = kNames[static_cast<std::size_t>(step.kind)];
  return kind + " " +
         (step.kind == AxisStep::Kind::Step ? step.op + " " + step.direction : step.value);
}

std::vector<std::string> texts_of(const report::AxisOrigin& origin) {
  std::vector<std::string> texts;
  for (const AxisStep& step : origin.steps) texts.push_back(text_of(step));
  return texts;
}

/// A chain of adds, of which the first is annotated and the product in the end disagrees.
ir::Module chain_of(std::size_t length) {
  std::string text = R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                %w: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<4x4xf32> {
  %0 = stablehlo.tanh %a : tensor<4x4xf32>
)";
  for (std::size_t index = 0; index < length; ++index) {
    const std::string from = "%" + std::to_string(index);
    text += "  %" + std::to_string(index + 1) + " = stablehlo.add " + from + ", " + from +
            " : tensor<4x4xf32>\n";
  }
  text += "  %last = stablehlo.dot_general %" + std::to_string(length) +
          ", %w, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> "
          "tensor<4x4xf32>\n  return %last : tensor<4x4xf32>\n}\n";
  auto module = text::parse_mlir(text);
  REQUIRE(module.has_value());
  return *std::move(module);
}

}  // namespace

TEST_CASE("a collective has the path of its axes from their annotations", "[reasons]") {
  const Explained all = explained(chain_of(2), 1);
  REQUIRE(all.report.collectives.size() == 1);
  const report::Collective& row = all.report.collectives.front();
  CAPTURE(row.kind, row.serves);
  REQUIRE(row.cause.has_value());
  CHECK(all.module.name(row.cause->op) == "stablehlo.dot_general");
  const auto& tensors = row.cause->tensors;
  REQUIRE(tensors.size() == 3);
  CHECK(tensors[0].role == "operand 0");
  CHECK(tensors[0].name == "%2");
  CHECK(tensors[0].sharding == R"(<@mesh, [{?}, {"x", ?}]>)");
  REQUIRE(tensors[0].axes.size() == 1);
  CHECK(tensors[0].axes[0].dim == 1);
  CHECK(texts_of(tensors[0].axes[0]) ==
        std::vector<std::string>{"annotation %a", "step stablehlo.tanh forward",
                                 "step stablehlo.add forward", "step stablehlo.add forward"});
  CHECK(texts_of(tensors[1].axes[0]) == std::vector<std::string>{"annotation %w"});
  REQUIRE_FALSE(row.cause->conflicts.empty());
  CHECK(row.cause->conflicts[0].find("needed: ") != std::string::npos);
}

TEST_CASE("a long path of axes is reported by its ends", "[reasons]") {
  const Explained all = explained(chain_of(100), 1);
  const auto& steps = all.report.collectives.front().cause->tensors[0].axes[0].steps;
  REQUIRE(steps.size() == 9);
  CHECK(steps.front().kind == AxisStep::Kind::Annotation);
  CHECK(steps[4].kind == AxisStep::Kind::Skipped);
  CHECK(steps[4].value == "94");
  CHECK(steps.back().op == "stablehlo.add");
}

TEST_CASE("only the costliest kinds of collectives have reasons", "[reasons]") {
  const Explained none = explained(chain_of(2), 0);
  CHECK_FALSE(none.report.collectives.front().cause.has_value());
}

TEST_CASE("collectives of the examples have reasons that fit their program", "[reasons]") {
  int num_explained = 0;
  int all = 0;
  for (const auto& file : std::filesystem::directory_iterator(SHARDY_EXAMPLES "/jax")) {
    const std::string name = file.path().filename();
    if (name.find("custom_partitioning") != std::string::npos || !name.ends_with("_sdy.mlir")) {
      continue;
    }
    CAPTURE(name);
    auto module = text::parse_mlir(shardy_test::read_text(file.path()));
    REQUIRE(module.has_value());
    REQUIRE(passes::import_shardings(*module).has_value());
    const Explained program = explained(*std::move(module), 1000);
    for (const report::EqualCollectives& alike : report::group_equal(program.report)) {
      ++all;
      const report::Collective& row = *alike.first;
      if (!row.cause) continue;
      ++num_explained;
      CHECK(program.module.name(row.cause->op) == row.serves);
      CHECK(program.module.location_text(row.cause->op) == row.location);
      for (const report::TensorOrigin& tensor : row.cause->tensors) {
        for (const report::AxisOrigin& axis : tensor.axes) {
          REQUIRE_FALSE(axis.steps.empty());
          CHECK(axis.steps.front().kind != AxisStep::Kind::Step);
          CHECK(tensor.sharding.find(axis.axis) != std::string::npos);
        }
      }
    }
  }
  CAPTURE(num_explained, all);
  CHECK(all > 50);
  CHECK(num_explained * 10 > all * 9);
}

}  // namespace reasons_test
