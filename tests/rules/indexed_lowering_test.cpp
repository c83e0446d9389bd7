// The rules by which the lowering takes ops that pick elements by run-time indices. Spec:
// partitioning 1.2 (I4), 8.6, 8.7, 8.16, 8.17.
#include "shardy/rules/detail/indexed_lowering.hpp"

#include <string>

#include "rules/rule_text.hpp"
#include "shardy/rules/registry.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using namespace shardy::rules;

namespace indexed_lowering_test {
namespace {

/// The module around `ops`, the last of which is looked at.
ir::Module module_of(const std::string& ops) {
  const std::string text =
      "func.func @main(%x: tensor<6x8xf32>, %i: tensor<i32>, "
      "%l: tensor<6x1xi32>, %u: tensor<6xf32>, %v: tensor<6x3xf32>) {\n" +
      ops + "  return\n}\n";
  const auto module = text::parse_mlir(text);
  INFO((module ? std::string() : module.error().front().message));
  REQUIRE(module.has_value());
  return *module;
}

ir::OpId last_op(const ir::Module& module) {
  ir::OpId last;
  for (const ir::OpId op : module.ops(module.entry(*module.main_function()))) {
    if (!module.is(op, ir::OpKind::FuncReturn)) last = op;
  }
  return last;
}

std::string rule_of(const std::string& ops) {
  const ir::Module module = module_of(ops);
  return text_of(Registry().lowering_rule_for(OpView(module, last_op(module))));
}

std::vector<CountingDim> counting_of(const std::string& ops) {
  const ir::Module module = module_of(ops);
  return counting_dims(OpView(module, last_op(module)));
}

const std::string kGather =
    R"(  %r = "stablehlo.gather"(%x, %j) <{dimension_numbers = #stablehlo.gather<
    collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 1>}> : (tensor<6x8xf32>, tensor<6x2xi32>) -> tensor<6xf32>
)";

std::string scatter(const std::string& body) {
  return R"(  %r = "stablehlo.scatter"(%x, %j, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
    inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
)" + body +
         R"(    }) : (tensor<6x8xf32>, tensor<6x2xi32>, tensor<6xf32>) -> tensor<6x8xf32>
)";
}

const std::string kAdd =
    "%s = stablehlo.add %a, %b : tensor<f32>\n stablehlo.return %s : tensor<f32>\n";

}  // namespace

TEST_CASE("a dynamically sliced dim is a reduction factor of its lowering rule",
          "[rules][lowering]") {
  CHECK(rule_of("  %r = stablehlo.dynamic_slice %x, %i, %i, sizes = [6, 3] : (tensor<6x8xf32>, "
                "tensor<i32>, tensor<i32>) -> tensor<6x3xf32>\n") ==
        "([i, j], [], [])->([i, k]) {i=6, j=8, k=3} reduction={j} need_replication={k}");
  CHECK(rule_of("  %r = stablehlo.dynamic_update_slice %x, %v, %i, %i : (tensor<6x8xf32>, "
                "tensor<6x3xf32>, tensor<i32>, tensor<i32>) -> tensor<6x8xf32>\n") ==
        "([i, j], [i, k], [], [])->([i, j]) {i=6, j=8, k=3} need_replication={k}");
}

TEST_CASE("an update narrower than its operand is replicated despite constant starts",
          "[rules][lowering]") {
  CHECK(rule_of("  %c = stablehlo.constant dense<1> : tensor<i32>\n"
                "  %r = stablehlo.dynamic_update_slice %x, %v, %c, %c : (tensor<6x8xf32>, "
                "tensor<6x3xf32>, tensor<i32>, tensor<i32>) -> tensor<6x8xf32>\n") ==
        "([i, j], [i, k], [], [])->([i, j]) {i=6, j=8, k=3} need_replication={k}");
}

TEST_CASE("a dim with partial windows is a reduction factor of its lowering rule",
          "[rules][lowering]") {
  CHECK(rule_of(R"(  %r = "stablehlo.gather"(%x, %l) <{dimension_numbers = #stablehlo.gather<
    offset_dims = [1, 2], start_index_map = [1], index_vector_dim = 1>,
    slice_sizes = array<i64: 6, 3>}> : (tensor<6x8xf32>, tensor<6x1xi32>) -> tensor<6x6x3xf32>
)") == "([j, k], [i, m])->([i, j, l]) {i=6, j=6, k=8, l=3, m=1} reduction={k} "
       "need_replication={l, m}");
  CHECK(rule_of(R"(  %w = stablehlo.broadcast_in_dim %v, dims = [0, 1]
    : (tensor<6x3xf32>) -> tensor<6x3xf32>
  %r = "stablehlo.scatter"(%x, %l, %w) <{scatter_dimension_numbers = #stablehlo.scatter<
    update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
    index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %b : tensor<f32>
    }) : (tensor<6x8xf32>, tensor<6x1xi32>, tensor<6x3xf32>) -> tensor<6x8xf32>
)") == "([l, j], [i, m], [i, k])->([l, j]) {i=6, j=8, k=3, l=6, m=1} "
       "need_replication={i, k, m}");
}

TEST_CASE("an index that counts along a batch dim makes a batch dim of the table",
          "[rules][lowering]") {
  const std::string counted =
      "  %z = stablehlo.iota dim = 0 : tensor<6x1xi32>\n"
      "  %j = stablehlo.concatenate %z, %l, dim = 1 : (tensor<6x1xi32>, tensor<6x1xi32>) -> "
      "tensor<6x2xi32>\n";
  CHECK(counting_of(counted + kGather) == std::vector<CountingDim>{{0, 0}});
  CHECK(rule_of(counted + kGather) ==
        "([i, j], [i, k])->([i]) {i=6, j=8, k=2} reduction={j} need_replication={k}");
  CHECK(rule_of(counted + scatter(kAdd)) ==
        "([i, j], [i, k], [i])->([i, j]) {i=6, j=8, k=2} need_replication={k}");
}

TEST_CASE("a counting index is found through conversions, broadcasts and reshapes only",
          "[rules][lowering]") {
  const std::string join =
      "  %j = stablehlo.concatenate %z, %l, dim = 1 : (tensor<6x1xi32>, tensor<6x1xi32>) -> "
      "tensor<6x2xi32>\n";
  CHECK(counting_of("  %a = stablehlo.iota dim = 0 : tensor<6xi64>\n"
                    "  %b = stablehlo.convert %a : (tensor<6xi64>) -> tensor<6xi32>\n"
                    "  %z = stablehlo.reshape %b : (tensor<6xi32>) -> tensor<6x1xi32>\n" +
                    join + kGather) == std::vector<CountingDim>{{0, 0}});
  CHECK(counting_of("  %a = stablehlo.iota dim = 0 : tensor<6xi32>\n"
                    "  %z = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<6xi32>) -> "
                    "tensor<6x1xi32>\n" +
                    join + kGather) == std::vector<CountingDim>{{0, 0}});
  CHECK(counting_of("  %a = stablehlo.iota dim = 0 : tensor<6x1xi32>\n"
                    "  %z = stablehlo.negate %a : tensor<6x1xi32>\n" +
                    join + kGather)
            .empty());
  // Along a dim of another size it is not a batch dim.
  CHECK(counting_of("  %z = stablehlo.iota dim = 1 : tensor<6x1xi32>\n" + join + kGather).empty());
  CHECK(counting_of("  %z = stablehlo.iota dim = 0 : tensor<6x1xi32>\n"
                    "  %j = stablehlo.concatenate %l, %z, dim = 1 : (tensor<6x1xi32>, "
                    "tensor<6x1xi32>) -> tensor<6x2xi32>\n" +
                    kGather)
            .empty());
}

TEST_CASE("torch_index_select is lowered as a gather", "[rules][lowering]") {
  const std::string select =
      R"(  %r = "stablehlo.torch_index_select"(%x, %l) <{dim = 1 : i64, batch_dims = 1 : i64}>
    : (tensor<6x8xf32>, tensor<6x1xi32>) -> tensor<6x1xf32>
)";
  CHECK(rule_of(select) == "([i, k], [i, j])->([i, j]) {i=6, j=1, k=8} reduction={k}");
  const ir::Module module = module_of(select);
  const auto rule = Registry().rule_for(OpView(module, last_op(module)));
  REQUIRE(rule.has_value());
  CHECK_FALSE(rule->has_value());
}

}  // namespace indexed_lowering_test
