// Result types of tuples, tokens, sizes, checks and CHLO ops. Spec: stablehlo 9, 12, 19, 29, 32.
#include "ir/infer_row.hpp"

namespace shardy_test::infer_structure_test {
namespace {

using enum OpKind;

Literal ones(std::string_view type) {
  const Type of = type_of(type);
  std::vector<std::byte> bytes(size_bytes(of.element()), std::byte{1});
  return Literal::make_splat(of, std::move(bytes)).value();
}
AttributeMap value(std::string_view type) { return attributes({{"value", ones(type)}}); }
AttributeMap number(std::string name, int64_t of) {
  return attributes({{std::move(name), integer(of)}});
}

const std::vector<InferRow> kParts = {
    {.name = "of all operands",
     .kind = Tuple,
     .operands = {"tensor<2xf32>", "!stablehlo.token"},
     .types = "tuple<tensor<2xf32>, !stablehlo.token>"},
    {.name = "of nothing", .kind = Tuple, .types = "tuple<>"},
    {.name = "a region",
     .kind = Tuple,
     .regions = {RegionText{}},
     .error = "expects 0 regions, got 1"},
    {.name = "one of them",
     .kind = GetTupleElement,
     .operands = {"tuple<tensor<2xf32>, !stablehlo.token>"},
     .attributes = number("index", 1),
     .types = "!stablehlo.token"},
    {.name = "no tuple",
     .kind = GetTupleElement,
     .operands = {"tensor<2xf32>"},
     .attributes = number("index", 0),
     .error = "operand 0 must be a tuple, got tensor<2xf32>"},
    {.name = "out of range",
     .kind = GetTupleElement,
     .operands = {"tuple<tensor<2xf32>>"},
     .attributes = number("index", 1),
     .error = "index must be in range [0, 1), got 1"},
    {.name = "no index",
     .kind = GetTupleElement,
     .operands = {"tuple<tensor<2xf32>>"},
     .error = "requires attribute 'index'"},
    {.name = "all tokens",
     .kind = AfterAll,
     .operands = {"!stablehlo.token", "!stablehlo.token"},
     .types = "!stablehlo.token"},
    {.name = "a tensor",
     .kind = AfterAll,
     .operands = {"!stablehlo.token", "tensor<f32>"},
     .error = "operand 1 must be a token, got tensor<f32>"},
    {.name = "from nothing", .kind = CreateToken, .types = "!stablehlo.token"},
    {.name = "from a token",
     .kind = CreateToken,
     .operands = {"!stablehlo.token"},
     .error = "expects 0 operands, got 1"},
    {.name = "numbers of the element type of the bounds",
     .kind = Rng,
     .operands = {"tensor<f32>", "tensor<f32>", "tensor<2xi64>"},
     .results = {"tensor<3x4xf32>"},
     .types = "tensor<3x4xf32>"},
    {.name = "a dim that the shape does not have",
     .kind = Rng,
     .operands = {"tensor<f32>", "tensor<f32>", "tensor<2xi64>"},
     .results = {"tensor<3xf32>"},
     .error = "operand 2 must hold one size per dim of the result, got tensor<2xi64> for "
              "tensor<3xf32>"},
    {.name = "bounds of two types",
     .kind = Rng,
     .operands = {"tensor<f32>", "tensor<f64>", "tensor<1xi64>"},
     .results = {"tensor<3xf32>"},
     .error = "operand 1 must have the type of operand 0, tensor<f32>, got tensor<f64>"},
    {.name = "bounds of rank 1",
     .kind = Rng,
     .operands = {"tensor<1xf32>", "tensor<1xf32>", "tensor<1xi64>"},
     .results = {"tensor<3xf32>"},
     .error = "operand 0 must be a tensor of rank 0, got tensor<1xf32>"},
    {.name = "the state and bits of any shape",
     .kind = RngBitGenerator,
     .operands = {"tensor<2xui64>"},
     .results = {"tensor<2xui64>", "tensor<3x4xui32>"},
     .types = "tensor<2xui64>, tensor<3x4xui32>"},
    {.name = "the state of the operand, whatever is written",
     .kind = RngBitGenerator,
     .operands = {"tensor<2xui64>"},
     .results = {"tensor<3xui64>", "tensor<4xf32>"},
     .types = "tensor<2xui64>, tensor<4xf32>"},
    {.name = "one result",
     .kind = RngBitGenerator,
     .operands = {"tensor<2xui64>"},
     .results = {"tensor<2xui64>"},
     .error = "needs its two result types to be given, got 1"},
    {.name = "bits as booleans",
     .kind = RngBitGenerator,
     .operands = {"tensor<2xui64>"},
     .results = {"tensor<2xui64>", "tensor<4xi1>"},
     .error = "result 1 must be a static tensor of integers or floats, got tensor<4xi1>"},
    {.name = "bits of no tensor",
     .kind = RngBitGenerator,
     .operands = {"tensor<2xui64>"},
     .results = {"tensor<2xui64>", "!foo.bits"},
     .error = "result 1 must be a static tensor of integers or floats, got !foo.bits"},
    {.name = "a number",
     .kind = GetDimensionSize,
     .operands = {"tensor<2x?xf32>"},
     .attributes = number("dimension", 1),
     .types = "tensor<i32>"},
    {.name = "out of range",
     .kind = GetDimensionSize,
     .operands = {"tensor<2xf32>"},
     .attributes = number("dimension", 1),
     .error = "dimension must be in range [0, 1), got 1"},
    {.name = "no dim",
     .kind = GetDimensionSize,
     .operands = {"tensor<2xf32>"},
     .error = "requires attribute 'dimension'"},
    {.name = "a token",
     .kind = GetDimensionSize,
     .operands = {"!stablehlo.token"},
     .attributes = number("dimension", 1),
     .error = "operand 0 must be a tensor, got !stablehlo.token"},
    {.name = "the written type",
     .kind = SetDimensionSize,
     .operands = {"tensor<2xf32>", "tensor<i32>"},
     .attributes = number("dimension", 0),
     .results = {"tensor<?xf32>"},
     .types = "tensor<?xf32>"},
    {.name = "nothing written",
     .kind = SetDimensionSize,
     .operands = {"tensor<2xf32>", "tensor<i32>"},
     .attributes = number("dimension", 0),
     .error = "needs its one result type to be given, got 0"},
    {.name = "out of range",
     .kind = SetDimensionSize,
     .operands = {"tensor<2xf32>", "tensor<i32>"},
     .attributes = number("dimension", -1),
     .results = {"tensor<?xf32>"},
     .error = "dimension must be in range [0, 1), got -1"},
    {.name = "new dims in front",
     .kind = Broadcast,
     .operands = {"tensor<2xf32>"},
     .attributes = attributes({{"broadcast_sizes", integers({3, 0})}}),
     .types = "tensor<3x0x2xf32>"},
    {.name = "negative",
     .kind = Broadcast,
     .operands = {"tensor<2xf32>"},
     .attributes = attributes({{"broadcast_sizes", integers({-3})}}),
     .error = "broadcast_sizes must not be negative, got [-3]"},
    {.name = "too large",
     .kind = Broadcast,
     .operands = {"tensor<2xf32>"},
     .attributes = attributes({{"broadcast_sizes", integers({4611686018427387904})}}),
     .error = "tensor is too large: its byte size does not fit 64 bits"},
    {.name = "no sizes",
     .kind = Broadcast,
     .operands = {"tensor<2xf32>"},
     .error = "requires attribute 'broadcast_sizes'"},
    {.name = "a token",
     .kind = Broadcast,
     .operands = {"!stablehlo.token"},
     .error = "operand 0 must be a tensor, got !stablehlo.token"},
    {.name = "equal widths",
     .kind = BitcastConvert,
     .operands = {"tensor<2xf32>"},
     .results = {"tensor<2xui32>"},
     .types = "tensor<2xui32>"},
    {.name = "to narrower elements",
     .kind = BitcastConvert,
     .operands = {"tensor<2xf32>"},
     .results = {"tensor<2x4xi8>"},
     .types = "tensor<2x4xi8>"},
    {.name = "to wider elements",
     .kind = BitcastConvert,
     .operands = {"tensor<?x2xi32>"},
     .results = {"tensor<3xf64>"},
     .types = "tensor<3xf64>"},
    {.name = "complex parts stay together",
     .kind = BitcastConvert,
     .operands = {"tensor<2xcomplex<f32>>"},
     .results = {"tensor<2xcomplex<f32>>"},
     .types = "tensor<2xcomplex<f32>>"},
    {.name = "nothing written",
     .kind = BitcastConvert,
     .operands = {"tensor<2xf32>"},
     .error = "needs its one result type to be given, got 0"},
    {.name = "another number of bits",
     .kind = BitcastConvert,
     .operands = {"tensor<2xf32>"},
     .results = {"tensor<2x3xi8>"},
     .error = "the shapes of operand 0 and of the result must hold the same bits, got "
              "tensor<2xf32> and tensor<2x3xi8>"},
    {.name = "a last dim of another size",
     .kind = BitcastConvert,
     .operands = {"tensor<4xi32>"},
     .results = {"tensor<f64>"},
     .error = "the shapes of operand 0 and of the result must hold the same bits, got "
              "tensor<4xi32> and tensor<f64>"},
    {.name = "complex to real",
     .kind = BitcastConvert,
     .operands = {"tensor<2xcomplex<f32>>"},
     .results = {"tensor<2xf64>"},
     .error = "cannot convert between tensor<2xcomplex<f32>> and tensor<2xf64>"},
    {.name = "numbers to booleans",
     .kind = BitcastConvert,
     .operands = {"tensor<2xi8>"},
     .results = {"tensor<2x8xi1>"},
     .error = "cannot convert between tensor<2xi8> and tensor<2x8xi1>"},
    {.name = "a token",
     .kind = BitcastConvert,
     .operands = {"!stablehlo.token"},
     .results = {"tensor<2xf32>"},
     .error = "operand 0 must be a tensor, got !stablehlo.token"},
};

const std::vector<InferRow> kOthers = {
    {.name = "two of one type",
     .kind = CheckExpectAlmostEq,
     .operands = {"tensor<2xf32>", "tensor<?xf32>"}},
    {.name = "two types",
     .kind = CheckExpectAlmostEq,
     .operands = {"tensor<2xf32>", "tensor<2xf64>"},
     .error = "operand 1 must have the type of operand 0, tensor<2xf32>, got tensor<2xf64>"},
    {.name = "two of one type",
     .kind = CheckExpectClose,
     .operands = {"tensor<2xf32>", "tensor<?xf32>"}},
    {.name = "two types",
     .kind = CheckExpectClose,
     .operands = {"tensor<2xf32>", "tensor<2xf64>"},
     .error = "operand 1 must have the type of operand 0, tensor<2xf32>, got tensor<2xf64>"},
    {.name = "two of one type",
     .kind = CheckExpectEq,
     .operands = {"tensor<2xf32>", "tensor<?xf32>"}},
    {.name = "two types",
     .kind = CheckExpectEq,
     .operands = {"tensor<2xf32>", "tensor<2xf64>"},
     .error = "operand 1 must have the type of operand 0, tensor<2xf32>, got tensor<2xf64>"},
    {.name = "the type of the constant",
     .kind = CheckExpectAlmostEqConst,
     .operands = {"tensor<2xf32>"},
     .attributes = value("tensor<2xf32>")},
    {.name = "another type",
     .kind = CheckExpectAlmostEqConst,
     .operands = {"tensor<2xf32>"},
     .attributes = value("tensor<3xf32>"),
     .error = "operand 0 must have the type of the constant, tensor<3xf32>, got tensor<2xf32>"},
    {.name = "the type of the constant",
     .kind = CheckExpectEqConst,
     .operands = {"tensor<2xf32>"},
     .attributes = value("tensor<2xf32>")},
    {.name = "another type",
     .kind = CheckExpectEqConst,
     .operands = {"tensor<2xf32>"},
     .attributes = value("tensor<3xf32>"),
     .error = "operand 0 must have the type of the constant, tensor<3xf32>, got tensor<2xf32>"},
    {.name = "has no results", .kind = CheckExpectSerializedEq, .operands = {"tensor<2xf32>"}},
    {.name = "of nothing", .kind = CheckExpectSerializedEq, .error = "expects 1 operand, got 0"},
    {.name = "has no results", .kind = InterpreterPrint, .operands = {"tensor<2xf32>"}},
    {.name = "of nothing", .kind = InterpreterPrint, .error = "expects 1 operand, got 0"},
    {.name = "what it looks at",
     .kind = InterpreterProbe,
     .operands = {"tensor<2xf32>"},
     .types = "tensor<2xf32>"},
    {.name = "of nothing", .kind = InterpreterProbe, .error = "expects 1 operand, got 0"},
    {.name = "a literal",
     .kind = ChloConstant,
     .attributes = value("tensor<2xi8>"),
     .types = "tensor<2xi8>"},
    {.name = "no value", .kind = ChloConstant, .error = "requires attribute 'value'"},
    {.name = "the largest",
     .kind = ChloTopK,
     .operands = {"tensor<2x5xf32>"},
     .attributes = number("k", 3),
     .types = "tensor<2x3xf32>, tensor<2x3xi32>"},
    {.name = "no more than there are",
     .kind = ChloTopK,
     .operands = {"tensor<2x5xi1>"},
     .attributes = number("k", 7),
     .types = "tensor<2x5xi1>, tensor<2x5xi32>"},
    {.name = "of an unknown number",
     .kind = ChloTopK,
     .operands = {"tensor<?xf32>"},
     .attributes = number("k", 3),
     .types = "tensor<3xf32>, tensor<3xi32>"},
    {.name = "a negative number",
     .kind = ChloTopK,
     .operands = {"tensor<?xf32>"},
     .attributes = number("k", -1),
     .error = "k must be at least 0, got -1"},
    {.name = "of a scalar",
     .kind = ChloTopK,
     .operands = {"tensor<f32>"},
     .attributes = number("k", 1),
     .error = "operand's rank must be at least 1"},
    {.name = "no number",
     .kind = ChloTopK,
     .operands = {"tensor<5xf32>"},
     .error = "requires attribute 'k'"},
    {.name = "of complex numbers",
     .kind = ChloTopK,
     .operands = {"tensor<2xcomplex<f32>>"},
     .attributes = number("k", 1),
     .error =
         "operand 0 must be a tensor of booleans, integers or floats, got tensor<2xcomplex<f32>>"},
};

/// The operands that CHLO defines an op of one operand for.
std::string classes_of(OpKind kind) {
  switch (kind) {
    case ChloBesselI1e:
    case ChloDigamma:
    case ChloErf:
    case ChloErfInv:
    case ChloErfc:
    case ChloIsInf:
    case ChloIsNegInf:
    case ChloIsPosInf:
    case ChloLgamma:
      return "floats";
    case ChloSquare:
      return "integers, floats or complex numbers";
    default:
      return "floats or complex numbers";
  }
}

/// CHLO's elementwise ops follow one rule.
std::vector<InferRow> elementwise_rows() {
  std::vector<InferRow> rows;
  for (auto index = static_cast<std::size_t>(ChloAcos); index < static_cast<std::size_t>(ChloMulhi);
       ++index) {
    const auto kind = static_cast<OpKind>(index);
    const bool asks = kind == ChloIsInf || kind == ChloIsNegInf || kind == ChloIsPosInf;
    rows.push_back({.name = "keeps the shape",
                    .kind = kind,
                    .operands = {"tensor<2x?xf32>"},
                    .types = asks ? "tensor<2x?xi1>" : "tensor<2x?xf32>"});
    rows.push_back(
        {.name = "a token",
         .kind = kind,
         .operands = {"!stablehlo.token"},
         .error = "operand 0 must be a tensor of " + classes_of(kind) + ", got !stablehlo.token"});
    rows.push_back(
        {.name = "booleans",
         .kind = kind,
         .operands = {"tensor<2xi1>"},
         .error = "operand 0 must be a tensor of " + classes_of(kind) + ", got tensor<2xi1>"});
  }
  rows.push_back({.name = "integers",
                  .kind = ChloMulhi,
                  .operands = {"tensor<2xi32>", "tensor<?xi32>"},
                  .types = "tensor<2xi32>"});
  rows.push_back({.name = "floats",
                  .kind = ChloMulhi,
                  .operands = {"tensor<2xf32>", "tensor<2xf32>"},
                  .error = "operand 0 must be a tensor of integers, got tensor<2xf32>"});
  for (const OpKind kind : {ChloNextAfter, ChloPolygamma, ChloZeta}) {
    rows.push_back({.name = "keeps the type",
                    .kind = kind,
                    .operands = {"tensor<2xf32>", "tensor<?xf32>"},
                    .types = "tensor<2xf32>"});
    rows.push_back({.name = "two types",
                    .kind = kind,
                    .operands = {"tensor<2xf32>", "tensor<3xf32>"},
                    .error = "operand 1 must have the type of operand 0, tensor<2xf32>, got "
                             "tensor<3xf32>"});
  }
  return rows;
}

AttributeMap ragged(RaggedDotDims dims) {
  return attributes({{"ragged_dot_dimension_numbers", std::move(dims)}});
}
const RaggedDotDims kRows{{}, {}, {1}, {1}, {0}, {0}};
const RaggedDotDims kSums{{0}, {1}, {2, 3}, {0, 3}, {3}, {}};
const std::vector<InferRow> kRaggedDots = {
    {.name = "rows of groups",
     .kind = ChloRaggedDot,
     .operands = {"tensor<8x4xf32>", "tensor<2x4x6xf32>", "tensor<2xi64>"},
     .attributes = ragged(kRows),
     .types = "tensor<8x6xf32>"},
    {.name = "sums of groups, sizes of their own",
     .kind = ChloRaggedDot,
     .operands = {"tensor<3x7x2x4xf32>", "tensor<2x3x6x4xf32>", "tensor<3x2x5xui8>"},
     .attributes = ragged(kSums),
     .types = "tensor<5x3x7x6xf32>"},
    {.name = "groups of batches",
     .kind = ChloRaggedDot,
     .operands = {"tensor<3x8x4xf32>", "tensor<3x4x6xf32>", "tensor<2xi64>"},
     .attributes = ragged({{0}, {0}, {2}, {1}, {0}, {}}),
     .types = "tensor<3x8x6xf32>"},
    {.name = "two ragged dims",
     .kind = ChloRaggedDot,
     .operands = {"tensor<8x4xf32>", "tensor<2x4x6xf32>", "tensor<2xi64>"},
     .attributes = ragged({{}, {}, {1}, {1}, {0, 1}, {0}}),
     .error = "there must be exactly one ragged dim in the lhs"},
    {.name = "a ragged dim that is none",
     .kind = ChloRaggedDot,
     .operands = {"tensor<8x4xf32>", "tensor<2x4x6xf32>", "tensor<2xi64>"},
     .attributes = ragged({{}, {}, {1}, {1}, {2}, {0}}),
     .error = "lhs_ragged_dimensions must be in range [0, 2), got 2"},
    {.name = "no group dim",
     .kind = ChloRaggedDot,
     .operands = {"tensor<8x4xf32>", "tensor<2x4x6xf32>", "tensor<2xi64>"},
     .attributes = ragged({{}, {}, {1}, {1}, {0}, {}}),
     .error = "rhs must have exactly one group dim when the ragged dim is neither batching nor "
              "contracting"},
    {.name = "a group dim of sums",
     .kind = ChloRaggedDot,
     .operands = {"tensor<8x4xf32>", "tensor<2x4x6xf32>", "tensor<2xi64>"},
     .attributes = ragged({{}, {}, {1}, {1}, {1}, {0}}),
     .error = "rhs must have no group dim when the ragged dim is batching or contracting"},
    {.name = "another number of groups",
     .kind = ChloRaggedDot,
     .operands = {"tensor<8x4xf32>", "tensor<2x4x6xf32>", "tensor<3xi64>"},
     .attributes = ragged(kRows),
     .error = "rhs group dim is expected to have size 3, got 2"},
    {.name = "sizes of another shape",
     .kind = ChloRaggedDot,
     .operands = {"tensor<3x7x2x4xf32>", "tensor<2x3x6x4xf32>", "tensor<2x3x5xi32>"},
     .attributes = ragged(kSums),
     .error = "group_sizes is expected to have shape [3, 2, 5], got [2, 3, 5]"},
    {.name = "one size",
     .kind = ChloRaggedDot,
     .operands = {"tensor<8x4xf32>", "tensor<2x4x6xf32>", "tensor<i64>"},
     .attributes = ragged(kRows),
     .error = "expected rank of group_sizes to be at least 1"},
    {.name = "a group dim that is contracted",
     .kind = ChloRaggedDot,
     .operands = {"tensor<8x4xf32>", "tensor<4x6xf32>", "tensor<4xi64>"},
     .attributes = ragged({{}, {}, {1}, {0}, {0}, {0}}),
     .error = "rhs batching, contracting and group dims must not name a dim twice, got [0, 0]"},
};

TEST_CASE("tuples, tokens and sizes have results of the right types", "[ir][infer]") {
  check_rows(kParts);
}
TEST_CASE("checks and CHLO ops have results of the right types", "[ir][infer]") {
  check_rows(kOthers);
  check_rows(kRaggedDots);
  check_rows(elementwise_rows());
}
TEST_CASE("every check op and every CHLO op has rows in the type inference tests", "[ir][infer]") {
  check_family_covered({kOthers, elementwise_rows()}, "check");
  check_family_covered({kOthers, kRaggedDots, elementwise_rows()}, "chlo");
}

}  // namespace
}  // namespace shardy_test::infer_structure_test

namespace shardy_test {

RowTables structure_rows() {
  using namespace infer_structure_test;
  return {kParts};
}

}  // namespace shardy_test
