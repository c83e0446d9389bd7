// Result types of contractions, reductions and control flow. Spec: stablehlo 15.1, 22, 24.1, 28.
#include "ir/infer_row.hpp"

namespace shardy_test::infer_control_flow_test {
namespace {

using enum OpKind;

AttributeMap dims(std::string name, std::vector<int64_t> values) {
  return attributes({{std::move(name), integers(std::move(values))}});
}

AttributeMap dot(DotDims dot_dims, std::vector<std::string> precisions = {}) {
  AttributeMap map = attributes({{"dot_dimension_numbers", std::move(dot_dims)}});
  ArrayAttr config;
  for (const std::string& word : precisions) {
    config.elements.emplace_back(EnumAttr{"stablehlo.precision", word});
  }
  if (!precisions.empty()) map.set("precision_config", config);
  return map;
}
AttributeMap with(AttributeMap map, std::string_view name, Attribute value) {
  map.set(name, std::move(value));
  return map;
}
const DotDims kMatrix{{}, {}, {1}, {0}};
const std::vector<std::string> kMatrices = {"tensor<2x3xf32>", "tensor<3x5xf32>"};
const std::string kPrecisionWords =
    "attribute 'precision_config' must hold DEFAULT, HIGH or HIGHEST, of stablehlo.precision";

const std::vector<InferRow> kDots = {
    {.name = "matrices",
     .kind = DotGeneral,
     .operands = kMatrices,
     .attributes = dot(kMatrix, {"DEFAULT", "HIGHEST"}),
     .types = "tensor<2x5xf32>"},
    {.name = "batch dims, then free ones of lhs, then of rhs",
     .kind = DotGeneral,
     .operands = {"tensor<2x3x5x7xf32>", "tensor<7x11x3xf32>"},
     .attributes = dot({{1}, {2}, {3}, {0}}),
     .types = "tensor<3x2x5x11xf32>"},
    {.name = "the batch size that is known",
     .kind = DotGeneral,
     .operands = {"tensor<?x4xi8>", "tensor<3x4xi8>"},
     .attributes = dot({{0}, {0}, {1}, {1}}),
     .types = "tensor<3xi8>"},
    {.name = "the written element",
     .kind = DotGeneral,
     .operands = {"tensor<2xi8>", "tensor<2xi16>"},
     .attributes = dot({{}, {}, {0}, {0}}),
     .results = {"tensor<i32>"},
     .types = "tensor<i32>"},
    {.name = "two elements",
     .kind = DotGeneral,
     .operands = {"tensor<2xi8>", "tensor<2xi16>"},
     .attributes = dot({{}, {}, {0}, {0}}),
     .error = "operand 1 must have the element type of operand 0, i8, got tensor<2xi16>"},
    {.name = "indices",
     .kind = DotGeneral,
     .operands = {"tensor<2xi8>", "tensor<2xindex>"},
     .attributes = dot({{}, {}, {0}, {0}}),
     .error = "operand 1 must be a tensor of booleans, integers, floats or complex numbers, got "
              "tensor<2xindex>"},
    {.name = "no dims",
     .kind = DotGeneral,
     .operands = kMatrices,
     .error = "requires attribute 'dot_dimension_numbers'"},
    {.name = "dims of another form",
     .kind = DotGeneral,
     .operands = kMatrices,
     .attributes = dims("dot_dimension_numbers", {1}),
     .error = "attribute 'dot_dimension_numbers' must be dot dimensions"},
    {.name = "lhs out of range",
     .kind = DotGeneral,
     .operands = kMatrices,
     .attributes = dot({{}, {}, {2}, {0}}),
     .error = "lhs batching and contracting dims must be in range [0, 2), got 2"},
    {.name = "rhs batches and contracts one dim",
     .kind = DotGeneral,
     .operands = kMatrices,
     .attributes = dot({{0}, {0}, {1}, {0}}),
     .error = "rhs batching and contracting dims must not name a dim twice, got [0, 0]"},
    {.name = "unpaired",
     .kind = DotGeneral,
     .operands = kMatrices,
     .attributes = dot({{}, {}, {1, 0}, {0}}),
     .error = "lhs and rhs must have as many contracting dims, got [1, 0] and [0]"},
    {.name = "unpaired batch",
     .kind = DotGeneral,
     .operands = kMatrices,
     .attributes = dot({{0}, {}, {1}, {0}}),
     .error = "lhs and rhs must have as many batching dims, got [0] and []"},
    {.name = "two sizes",
     .kind = DotGeneral,
     .operands = kMatrices,
     .attributes = dot({{}, {}, {0}, {0}}),
     .error = "paired contracting dims must have one size, got 2 for dim 0 of lhs and 3 for dim 0 "
              "of rhs"},
    {.name = "three precisions",
     .kind = DotGeneral,
     .operands = kMatrices,
     .attributes = dot(kMatrix, {"DEFAULT", "DEFAULT", "DEFAULT"}),
     .error = "attribute 'precision_config' must be an array of at most 2 elements"},
    {.name = "precisions of another form",
     .kind = DotGeneral,
     .operands = kMatrices,
     .attributes = with(dot(kMatrix), "precision_config", "HIGH"),
     .error = "attribute 'precision_config' must be an array of at most 2 elements"},
    {.name = "unknown precision",
     .kind = DotGeneral,
     .operands = kMatrices,
     .attributes = dot(kMatrix, {"LOW"}),
     .error = kPrecisionWords},
    {.name = "precision as a string",
     .kind = DotGeneral,
     .operands = kMatrices,
     .attributes = with(dot(kMatrix), "precision_config", ArrayAttr{{"HIGH"}}),
     .error = kPrecisionWords},
};

const RegionText kAddF32{{"tensor<f32>", "tensor<f32>"}, {"tensor<f32>"}};
const std::vector<std::string> kReduced = {"tensor<2x3xf32>", "tensor<f32>"};

const std::vector<InferRow> kReductions = {
    {.name = "drops dims",
     .kind = Reduce,
     .operands = kReduced,
     .attributes = dims("dimensions", {0}),
     .regions = {kAddF32},
     .types = "tensor<3xf32>"},
    {.name = "two at once",
     .kind = Reduce,
     .operands = {"tensor<2x3xf32>", "tensor<2x?xi32>", "tensor<f32>", "tensor<i32>"},
     .attributes = dims("dimensions", {1}),
     .regions = {{{"tensor<f32>", "tensor<i32>", "tensor<f32>", "tensor<i32>"},
                  {"tensor<f32>", "tensor<i32>"}}},
     .types = "tensor<2xf32>, tensor<2xi32>"},
    {.name = "a wider accumulator",
     .kind = Reduce,
     .operands = {"tensor<2xbf16>", "tensor<f32>"},
     .attributes = dims("dimensions", {0}),
     .regions = {kAddF32},
     .types = "tensor<f32>"},
    {.name = "a narrower accumulator",
     .kind = Reduce,
     .operands = {"tensor<2xf64>", "tensor<f32>"},
     .attributes = dims("dimensions", {0}),
     .regions = {kAddF32},
     .error = "operand 0, tensor<2xf64>, cannot be accumulated as tensor<f32>"},
    {.name = "an initial value of another class",
     .kind = Reduce,
     .operands = {"tensor<2xf32>", "tensor<i8>"},
     .attributes = dims("dimensions", {0}),
     .regions = {kAddF32},
     .error = "operand 1, tensor<i8>, cannot be accumulated as tensor<f32>"},
    {.name = "no initial value",
     .kind = Reduce,
     .operands = {"tensor<2xf32>", "tensor<f32>", "tensor<f32>"},
     .attributes = dims("dimensions", {0}),
     .regions = {kAddF32},
     .error = "expects as many inputs as initial values, got 3 operands"},
    {.name = "inputs of two shapes",
     .kind = Reduce,
     .operands = {"tensor<2xf32>", "tensor<3xf32>", "tensor<f32>", "tensor<f32>"},
     .attributes = dims("dimensions", {0}),
     .regions = {kAddF32},
     .error = "operand 1 must have the shape of operand 0, tensor<2xf32>, got tensor<3xf32>"},
    {.name = "initial value of a shape",
     .kind = Reduce,
     .operands = {"tensor<2xf32>", "tensor<2xf32>"},
     .attributes = dims("dimensions", {0}),
     .regions = {kAddF32},
     .error = "operand 1 must be a tensor of rank 0, got tensor<2xf32>"},
    {.name = "a token as initial value",
     .kind = Reduce,
     .operands = {"tensor<2xf32>", "!stablehlo.token"},
     .attributes = dims("dimensions", {0}),
     .regions = {kAddF32},
     .error = "operand 1 must be a tensor, got !stablehlo.token"},
    {.name = "dims twice",
     .kind = Reduce,
     .operands = kReduced,
     .attributes = dims("dimensions", {0, 0}),
     .regions = {kAddF32},
     .error = "dimensions must not name a dim twice, got [0, 0]"},
    {.name = "no body",
     .kind = Reduce,
     .operands = kReduced,
     .attributes = dims("dimensions", {0}),
     .error = "expects 1 region, got 0"},
    {.name = "a body without arguments",
     .kind = Reduce,
     .operands = kReduced,
     .attributes = dims("dimensions", {0}),
     .regions = {RegionText{}},
     .error = "region 0: expects 2 block arguments that are tensors of rank 0"},
    {.name = "a body on vectors",
     .kind = Reduce,
     .operands = kReduced,
     .attributes = dims("dimensions", {0}),
     .regions = {{{"tensor<3xf32>", "tensor<3xf32>"}, {}}},
     .error = "region 0: expects 2 block arguments that are tensors of rank 0"},
    {.name = "one argument too few",
     .kind = Reduce,
     .operands = kReduced,
     .attributes = dims("dimensions", {0}),
     .regions = {{{"tensor<f32>"}, {"tensor<f32>"}}},
     .error = "region 0: expects 2 block arguments, got 1"},
    {.name = "arguments of two types",
     .kind = Reduce,
     .operands = kReduced,
     .attributes = dims("dimensions", {0}),
     .regions = {{{"tensor<f32>", "tensor<i32>"}, {"tensor<f32>"}}},
     .error = "region 0: block argument 1 must be tensor<f32>, got tensor<i32>"},
    {.name = "returns nothing",
     .kind = Reduce,
     .operands = kReduced,
     .attributes = dims("dimensions", {0}),
     .regions = {{{"tensor<f32>", "tensor<f32>"}, {}}},
     .error = "region 0: must return 1 value, got 0"},
    {.name = "returns something else",
     .kind = Reduce,
     .operands = kReduced,
     .attributes = dims("dimensions", {0}),
     .regions = {{{"tensor<f32>", "tensor<f32>"}, {"tensor<f64>"}}},
     .error = "region 0: returned value 0 must be tensor<f32>, got tensor<f64>"},
    {.name = "ends in the return of functions",
     .kind = Reduce,
     .operands = kReduced,
     .attributes = dims("dimensions", {0}),
     .regions = {{{"tensor<f32>", "tensor<f32>"}, {"tensor<f32>"}, FuncReturn}},
     .error = "block of region 0 must end in 'stablehlo.return'"},
};

const RegionText kCond{{"tensor<2xf32>"}, {"tensor<i1>"}};
const RegionText kBody{{"tensor<2xf32>"}, {"tensor<2xf32>"}};
const RegionText kBranch{{}, {"tensor<2xf32>", "!stablehlo.token"}};

const std::vector<InferRow> kControlFlow = {
    {.name = "carries its operands",
     .kind = While,
     .operands = {"tensor<2xf32>"},
     .regions = {kCond, kBody},
     .types = "tensor<2xf32>"},
    {.name = "carries nothing", .kind = While, .regions = {{{}, {"tensor<i1>"}}, RegionText{}}},
    {.name = "cond without arguments",
     .kind = While,
     .operands = {"tensor<2xf32>"},
     .regions = {{{}, {"tensor<i1>"}}, kBody},
     .error = "cond: block arguments must be as many as operands, 1, got 0"},
    {.name = "cond on another type",
     .kind = While,
     .operands = {"tensor<3xf32>"},
     .regions = {kCond, kBody},
     .error = "cond: block argument 0 must have the type of operand 0, tensor<3xf32>, got "
              "tensor<2xf32>"},
    {.name = "cond of numbers",
     .kind = While,
     .operands = {"tensor<2xf32>"},
     .regions = {kBody, kBody},
     .error = "cond: must return tensor<i1>, got (tensor<2xf32>)"},
    {.name = "cond of two",
     .kind = While,
     .operands = {"tensor<2xf32>"},
     .regions = {{{"tensor<2xf32>"}, {"tensor<i1>", "tensor<i1>"}}, kBody},
     .error = "cond: must return tensor<i1>, got (tensor<i1>, tensor<i1>)"},
    {.name = "body on another type",
     .kind = While,
     .operands = {"tensor<2xf32>"},
     .regions = {kCond, {{"tensor<2xi32>"}, {"tensor<2xf32>"}}},
     .error = "body: block argument 0 must have the type of operand 0, tensor<2xf32>, got "
              "tensor<2xi32>"},
    {.name = "body returns too much",
     .kind = While,
     .operands = {"tensor<2xf32>"},
     .regions = {kCond, {{"tensor<2xf32>"}, {"tensor<2xf32>", "tensor<2xf32>"}}},
     .error = "body: returned values must be as many as operands, 1, got 2"},
    {.name = "one region", .kind = While, .regions = {kCond}, .error = "expects 2 regions, got 1"},

    {.name = "what all branches return",
     .kind = Case,
     .operands = {"tensor<i32>"},
     .regions = {kBranch, kBranch, kBranch},
     .types = "tensor<2xf32>, !stablehlo.token"},
    {.name = "index of another width",
     .kind = Case,
     .operands = {"tensor<i64>"},
     .regions = {kBranch},
     .error = "operand 0 must be tensor<i32>, got tensor<i64>"},
    {.name = "no branch",
     .kind = Case,
     .operands = {"tensor<i32>"},
     .error = "expects at least 1 region, got 0"},
    {.name = "branches that differ",
     .kind = Case,
     .operands = {"tensor<i32>"},
     .regions = {kBranch, {{}, {"tensor<2xf32>", "tensor<2xf32>"}}},
     .error = "branch 1: returned value 1 must have the type of branch 0's returned value 1, "
              "!stablehlo.token, got tensor<2xf32>"},
    {.name = "branches that return more and less",
     .kind = Case,
     .operands = {"tensor<i32>"},
     .regions = {kBranch, RegionText{}},
     .error = "branch 1: returned values must be as many as branch 0's returned values, 2, got 0"},
    {.name = "a branch that asks",
     .kind = Case,
     .operands = {"tensor<i32>"},
     .regions = {kBranch, kBody},
     .error = "branch 1: must have no block arguments, got 1"},

    {.name = "two branches",
     .kind = If,
     .operands = {"tensor<i1>"},
     .regions = {kBranch, kBranch},
     .types = "tensor<2xf32>, !stablehlo.token"},
    {.name = "predicate of a shape",
     .kind = If,
     .operands = {"tensor<2xi1>"},
     .regions = {kBranch, kBranch},
     .error = "operand 0 must be tensor<i1>, got tensor<2xi1>"},
    {.name = "one branch",
     .kind = If,
     .operands = {"tensor<i1>"},
     .regions = {kBranch},
     .error = "expects 2 regions, got 1"},

    {.name = "any types",
     .kind = OptimizationBarrier,
     .operands = {"tensor<2xf32>", "!stablehlo.token"},
     .types = "tensor<2xf32>, !stablehlo.token"},
    {.name = "a region",
     .kind = OptimizationBarrier,
     .regions = {RegionText{}},
     .error = "expects 0 regions, got 1"},

    {.name = "has no results", .kind = StablehloReturn, .operands = {"tensor<2xf32>"}},
    {.name = "a region",
     .kind = StablehloReturn,
     .regions = {RegionText{}},
     .error = "expects 0 regions, got 1"},
    {.name = "has no results", .kind = FuncReturn, .operands = {"tensor<2xf32>"}},
    {.name = "a region",
     .kind = FuncReturn,
     .regions = {RegionText{}},
     .error = "expects 0 regions, got 1"},
    {.name = "has no results", .kind = Func, .regions = {{{"tensor<2xf32>"}, {}, FuncReturn}}},
    {.name = "an operand",
     .kind = Func,
     .operands = {"tensor<2xf32>"},
     .regions = {{{}, {}, FuncReturn}},
     .error = "expects 0 operands, got 1"},
    {.name = "ends in another return", .kind = Func, .regions = {RegionText{}}},

    {.name = "has no results", .kind = BuiltinModule, .regions = {RegionText{}}},
    {.name = "no body", .kind = BuiltinModule, .error = "expects 1 region, got 0"},

    {.name = "what the callee returns",
     .kind = FuncCall,
     .operands = {"tensor<2xf32>"},
     .attributes = attributes({{"callee", SymbolAttr{"callee"}}}),
     .types = "tensor<3xi32>"},
    {.name = "nobody", .kind = FuncCall, .error = "requires attribute 'callee'"},
    {.name = "a string",
     .kind = FuncCall,
     .attributes = attributes({{"callee", "callee"}}),
     .error = "attribute 'callee' must be a symbol"},
    {.name = "unknown",
     .kind = FuncCall,
     .attributes = attributes({{"callee", SymbolAttr{"f"}}}),
     .error = "'f' does not reference a valid function"},
    {.name = "a mesh",
     .kind = FuncCall,
     .attributes = attributes({{"callee", SymbolAttr{"m"}}}),
     .error = "'m' does not reference a valid function"},
    {.name = "too few",
     .kind = FuncCall,
     .attributes = attributes({{"callee", SymbolAttr{"callee"}}}),
     .error = "operands must be as many as callee arguments, 1, got 0"},
    {.name = "another type",
     .kind = FuncCall,
     .operands = {"tensor<2xi32>"},
     .attributes = attributes({{"callee", SymbolAttr{"callee"}}}),
     .error =
         "operand 0 must have the type of callee argument 0, tensor<2xf32>, got tensor<2xi32>"},
    {.name = "an unknown dim",
     .kind = FuncCall,
     .operands = {"tensor<?xf32>"},
     .attributes = attributes({{"callee", SymbolAttr{"callee"}}}),
     .error =
         "operand 0 must have the type of callee argument 0, tensor<2xf32>, got tensor<?xf32>"},
};

TEST_CASE("dot_general has a result of the right type", "[ir][infer]") { check_rows(kDots); }
TEST_CASE("reduce has results of the right types", "[ir][infer]") { check_rows(kReductions); }
TEST_CASE("control flow has results of the right types", "[ir][infer]") {
  check_rows(kControlFlow);
}
TEST_CASE("every dot, reduction and control-flow op has rows in the type inference tests",
          "[ir][infer]") {
  check_covered(kDots, DotGeneral);
  check_family_covered({kReductions}, "reduce");
  check_family_covered({kControlFlow}, "control_flow");
}

TEST_CASE("a control-flow region must have exactly one block", "[ir][infer]") {
  ModuleMaker maker;
  OpSpec spec{.kind = While, .regions = {maker.region(kCond), maker.module.new_region()}};
  CHECK(message_of(infer_result_types(maker.module, spec)) ==
        "'stablehlo.while' op region 1 must have one block, got 0");
  maker.module.new_block(spec.regions[1]);
  CHECK(message_of(infer_result_types(maker.module, spec)) ==
        "'stablehlo.while' op block of region 1 must end in 'stablehlo.return'");
  maker.module.new_block(spec.regions[1]);
  CHECK(message_of(infer_result_types(maker.module, spec)) ==
        "'stablehlo.while' op region 1 must have one block, got 2");
}

}  // namespace
}  // namespace shardy_test::infer_control_flow_test
