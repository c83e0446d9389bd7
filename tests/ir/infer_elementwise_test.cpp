// Result types of elementwise ops. Spec: stablehlo 15.1, 17, 19, 20.
#include "ir/infer_row.hpp"

namespace shardy_test::infer_elementwise_test {
namespace {

/// Letters of the element classes that an op takes, as stablehlo 17 writes them.
struct ClassRow {
  OpKind kind;
  std::size_t num_operands;
  std::string letters;
  std::string words;
};

using enum OpKind;

const std::string kAll = "booleans, integers, floats or complex numbers";
const std::string kNumbers = "integers, floats or complex numbers";
const std::string kBits = "booleans or integers";
const std::string kAnalytic = "floats or complex numbers";

const std::vector<ClassRow> kClassRows = {
    {Abs, 1, "SFC", "signed integers, floats or complex numbers"},
    {Add, 2, "PSUFC", kAll},
    {And, 2, "PSU", kBits},
    {Atan2, 2, "FC", kAnalytic},
    {Cbrt, 1, "FC", kAnalytic},
    {Ceil, 1, "F", "floats"},
    {Cosine, 1, "FC", kAnalytic},
    {CountLeadingZeros, 1, "SU", "integers"},
    {Divide, 2, "SUFC", kNumbers},
    {Exponential, 1, "FC", kAnalytic},
    {ExponentialMinusOne, 1, "FC", kAnalytic},
    {Floor, 1, "F", "floats"},
    {Imag, 1, "FC", kAnalytic},
    {IsFinite, 1, "F", "floats"},
    {Log, 1, "FC", kAnalytic},
    {LogPlusOne, 1, "FC", kAnalytic},
    {Logistic, 1, "FC", kAnalytic},
    {Maximum, 2, "PSUFC", kAll},
    {Minimum, 2, "PSUFC", kAll},
    {Multiply, 2, "PSUFC", kAll},
    {Negate, 1, "SUFC", kNumbers},
    {Not, 1, "PSU", kBits},
    {Or, 2, "PSU", kBits},
    {PopulationCount, 1, "SU", "integers"},
    {Power, 2, "SUFC", kNumbers},
    {Real, 1, "FC", kAnalytic},
    {Remainder, 2, "SUF", "integers or floats"},
    {RoundNearestAfz, 1, "F", "floats"},
    {RoundNearestEven, 1, "F", "floats"},
    {Rsqrt, 1, "FC", kAnalytic},
    {ShiftLeft, 2, "SU", "integers"},
    {ShiftRightArithmetic, 2, "SU", "integers"},
    {ShiftRightLogical, 2, "SU", "integers"},
    {Sign, 1, "SFC", "signed integers, floats or complex numbers"},
    {Sine, 1, "FC", kAnalytic},
    {Sqrt, 1, "FC", kAnalytic},
    {Subtract, 2, "SUFC", kNumbers},
    {Tan, 1, "FC", kAnalytic},
    {Tanh, 1, "FC", kAnalytic},
    {Xor, 2, "PSU", kBits},
};

char letter_of(ElementType element) {
  constexpr std::string_view kLetters = "PSUFC-";  // in the order of ElementClass
  return kLetters[static_cast<std::size_t>(info(element).kind)];
}

std::string result_element(OpKind kind, ElementType element) {
  if (kind == IsFinite) return "i1";
  if (kind == Abs || kind == Real || kind == Imag) {
    if (element == ElementType::Complex64) return "f32";
    if (element == ElementType::Complex128) return "f64";
  }
  return std::string(to_string(element));
}

TEST_CASE("an elementwise op accepts exactly the element types of its classes", "[ir][infer]") {
  for (const ClassRow& row : kClassRows) {
    for (std::size_t index = 0; index < kElementTypes.size(); ++index) {
      const auto element = static_cast<ElementType>(index);
      const std::string type = "tensor<3x" + std::string(to_string(element)) + ">";
      InferRow question{.name = type, .kind = row.kind};
      question.operands.assign(row.num_operands, type);
      if (row.letters.find(letter_of(element)) != std::string::npos) {
        question.types = "tensor<3x" + result_element(row.kind, element) + ">";
      } else {
        question.error = "operand 0 must be a tensor of " + row.words + ", got " + type;
      }
      check_row(question);
    }
  }
}

Attribute direction(const std::string& word) {
  return EnumAttr{"stablehlo.comparison_direction", word};
}
AttributeMap comparison(const std::string& word, const std::string& type) {
  return attributes({{"comparison_direction", direction(word)},
                     {"compare_type", EnumAttr{"stablehlo.comparison_type", type}}});
}
AttributeMap precision(int64_t exponent, int64_t mantissa) {
  return attributes({{"exponent_bits", integer(exponent)}, {"mantissa_bits", integer(mantissa)}});
}

const std::string kDirectionForm =
    "attribute 'comparison_direction' must be one of EQ NE GE GT LE LT, ";
const std::string kTypeForm =
    "attribute 'compare_type' must be one of NOTYPE FLOAT TOTALORDER SIGNED UNSIGNED, ";

const std::vector<InferRow> kShapeRows = {
    {.name = "rank 0",
     .kind = Add,
     .operands = {"tensor<i1>", "tensor<i1>"},
     .types = "tensor<i1>"},
    {.name = "each operand knows one size",
     .kind = Add,
     .operands = {"tensor<?x3xf32>", "tensor<2x?xf32>"},
     .types = "tensor<2x3xf32>"},
    {.name = "unknown size", .kind = Tanh, .operands = {"tensor<?xf32>"}, .types = "tensor<?xf32>"},
    {.name = "other size",
     .kind = Add,
     .operands = {"tensor<2xf32>", "tensor<3xf32>"},
     .error = "operand 1 must have the type of operand 0, tensor<2xf32>, got tensor<3xf32>"},
    {.name = "other rank",
     .kind = Add,
     .operands = {"tensor<2xf32>", "tensor<2x1xf32>"},
     .error = "operand 1 must have the type of operand 0, tensor<2xf32>, got tensor<2x1xf32>"},
    {.name = "other element",
     .kind = Add,
     .operands = {"tensor<2xf32>", "tensor<2xf64>"},
     .error = "operand 1 must have the type of operand 0, tensor<2xf32>, got tensor<2xf64>"},
    // The rank is known for any encoding: the sizes of one operand are not those of the other.
    {.name = "other rank with an encoding",
     .kind = Add,
     .operands = {"tensor<?x?xf32>", "tensor<4xf32, #test.e>"},
     .error =
         "operand 1 must have the type of operand 0, tensor<?x?xf32>, got tensor<4xf32, #test.e>"},
    {.name = "an encoding",
     .kind = Add,
     .operands = {"tensor<?xf32>", "tensor<4xf32, #test.e>"},
     .types = "tensor<4xf32>"},
    {.name = "no tensor",
     .kind = Abs,
     .operands = {"!stablehlo.token"},
     .error = "operand 0 must be a tensor of signed integers, floats or complex numbers, got "
              "!stablehlo.token"},
    {.name = "too few",
     .kind = Add,
     .operands = {"tensor<f32>"},
     .error = "expects 2 operands, got 1"},
    {.name = "too many",
     .kind = Abs,
     .operands = {"tensor<f32>", "tensor<f32>"},
     .error = "expects 1 operand, got 2"},
    {.name = "a region",
     .kind = Abs,
     .operands = {"tensor<f32>"},
     .regions = {RegionText{}},
     .error = "expects 0 regions, got 1"},
};

TEST_CASE("the result of an elementwise op has the shape of its operands", "[ir][infer]") {
  check_rows(kShapeRows);
}

const std::vector<InferRow> kRows = {
    {.name = "f32",
     .kind = Complex,
     .operands = {"tensor<2xf32>", "tensor<2xf32>"},
     .types = "tensor<2xcomplex<f32>>"},
    {.name = "f64",
     .kind = Complex,
     .operands = {"tensor<2xf64>", "tensor<2xf64>"},
     .types = "tensor<2xcomplex<f64>>"},
    {.name = "f16",
     .kind = Complex,
     .operands = {"tensor<2xf16>", "tensor<2xf16>"},
     .error = "operand 0 must be a tensor of f32 or f64, got tensor<2xf16>"},
    {.name = "integers",
     .kind = Complex,
     .operands = {"tensor<2xi32>", "tensor<2xi32>"},
     .error = "operand 0 must be a tensor of floats, got tensor<2xi32>"},

    {.name = "keeps the type",
     .kind = ReducePrecision,
     .operands = {"tensor<4xbf16>"},
     .attributes = precision(1, 0),
     .types = "tensor<4xbf16>"},
    {.name = "integers",
     .kind = ReducePrecision,
     .operands = {"tensor<4xi8>"},
     .attributes = precision(1, 0),
     .error = "operand 0 must be a tensor of floats, got tensor<4xi8>"},
    {.name = "no exponent",
     .kind = ReducePrecision,
     .operands = {"tensor<4xf32>"},
     .attributes = precision(0, 0),
     .error = "exponent_bits must be at least 1, got 0"},
    {.name = "negative mantissa",
     .kind = ReducePrecision,
     .operands = {"tensor<4xf32>"},
     .attributes = precision(1, -1),
     .error = "mantissa_bits must be at least 0, got -1"},
    {.name = "no attribute",
     .kind = ReducePrecision,
     .operands = {"tensor<4xf32>"},
     .attributes = attributes({{"exponent_bits", integer(1)}}),
     .error = "requires attribute 'mantissa_bits'"},
    {.name = "no integer",
     .kind = ReducePrecision,
     .operands = {"tensor<4xf32>"},
     .attributes = attributes({{"exponent_bits", "5"}}),
     .error = "attribute 'exponent_bits' must be an integer"},

    {.name = "without a type",
     .kind = Compare,
     .operands = {"tensor<2xi8>", "tensor<2xi8>"},
     .attributes = attributes({{"comparison_direction", direction("LT")}}),
     .types = "tensor<2xi1>"},
    {.name = "no type in particular",
     .kind = Compare,
     .operands = {"tensor<i8>", "tensor<i8>"},
     .attributes = comparison("EQ", "NOTYPE"),
     .types = "tensor<i1>"},
    {.name = "floats",
     .kind = Compare,
     .operands = {"tensor<f16>", "tensor<f16>"},
     .attributes = comparison("NE", "FLOAT"),
     .types = "tensor<i1>"},
    {.name = "complex",
     .kind = Compare,
     .operands = {"tensor<complex<f32>>", "tensor<complex<f32>>"},
     .attributes = comparison("GE", "FLOAT"),
     .types = "tensor<i1>"},
    {.name = "booleans",
     .kind = Compare,
     .operands = {"tensor<i1>", "tensor<i1>"},
     .attributes = comparison("GT", "UNSIGNED"),
     .types = "tensor<i1>"},
    {.name = "total order of integers",
     .kind = Compare,
     .operands = {"tensor<i8>", "tensor<i8>"},
     .attributes = comparison("LE", "TOTALORDER"),
     .error = "compare_type TOTALORDER is for floats, but operand 0 is tensor<i8>"},
    {.name = "signed floats",
     .kind = Compare,
     .operands = {"tensor<f32>", "tensor<f32>"},
     .attributes = comparison("LE", "SIGNED"),
     .error = "compare_type SIGNED is for signed integers, but operand 0 is tensor<f32>"},
    {.name = "unsigned signed",
     .kind = Compare,
     .operands = {"tensor<i8>", "tensor<i8>"},
     .attributes = comparison("LE", "UNSIGNED"),
     .error =
         "compare_type UNSIGNED is for booleans or unsigned integers, but operand 0 is tensor<i8>"},
    {.name = "float integers",
     .kind = Compare,
     .operands = {"tensor<i8>", "tensor<i8>"},
     .attributes = comparison("LE", "FLOAT"),
     .error = "compare_type FLOAT is for floats or complex numbers, but operand 0 is tensor<i8>"},
    {.name = "no direction",
     .kind = Compare,
     .operands = {"tensor<i8>", "tensor<i8>"},
     .error = "requires attribute 'comparison_direction'"},
    {.name = "a string",
     .kind = Compare,
     .operands = {"tensor<i8>", "tensor<i8>"},
     .attributes = attributes({{"comparison_direction", "LT"}}),
     .error = "attribute 'comparison_direction' must be an enumerator"},
    {.name = "another enum",
     .kind = Compare,
     .operands = {"tensor<i8>", "tensor<i8>"},
     .attributes = attributes({{"comparison_direction", EnumAttr{"test.e", "LT"}}}),
     .error = kDirectionForm + "of stablehlo.comparison_direction"},
    {.name = "another word",
     .kind = Compare,
     .operands = {"tensor<i8>", "tensor<i8>"},
     .attributes = attributes({{"comparison_direction", direction("lt")}}),
     .error = kDirectionForm + "got lt"},
    {.name = "a type as a string",
     .kind = Compare,
     .operands = {"tensor<i8>", "tensor<i8>"},
     .attributes =
         attributes({{"comparison_direction", direction("LT")}, {"compare_type", "FLOAT"}}),
     .error = kTypeForm + "of stablehlo.comparison_type"},
    {.name = "another type",
     .kind = Compare,
     .operands = {"tensor<i8>", "tensor<i8>"},
     .attributes = comparison("LT", "INT"),
     .error = kTypeForm + "got INT"},

    {.name = "a predicate for all",
     .kind = Select,
     .operands = {"tensor<i1>", "tensor<2xf32>", "tensor<2xf32>"},
     .types = "tensor<2xf32>"},
    {.name = "dynamic sizes",
     .kind = Select,
     .operands = {"tensor<?x3xi1>", "tensor<2x?xf32>", "tensor<?x3xf32>"},
     .types = "tensor<2x3xf32>"},
    {.name = "predicate of numbers",
     .kind = Select,
     .operands = {"tensor<i8>", "tensor<2xf32>", "tensor<2xf32>"},
     .error = "operand 0 must be a tensor of booleans, got tensor<i8>"},
    {.name = "a token",
     .kind = Select,
     .operands = {"tensor<i1>", "!stablehlo.token", "!stablehlo.token"},
     .error = "operand 1 must be a tensor, got !stablehlo.token"},
    {.name = "a token below",
     .kind = Select,
     .operands = {"tensor<i1>", "tensor<2xf32>", "!stablehlo.token"},
     .error = "operand 2 must be a tensor, got !stablehlo.token"},
    {.name = "two types",
     .kind = Select,
     .operands = {"tensor<i1>", "tensor<2xf32>", "tensor<2xi32>"},
     .error = "operand 2 must have the type of operand 1, tensor<2xf32>, got tensor<2xi32>"},
    {.name = "predicate of another shape",
     .kind = Select,
     .operands = {"tensor<3xi1>", "tensor<2xf32>", "tensor<2xf32>"},
     .error =
         "operand 0 must have rank 0 or the shape of operand 1, tensor<2xf32>, got tensor<3xi1>"},

    {.name = "scalar bounds",
     .kind = Clamp,
     .operands = {"tensor<f32>", "tensor<2xf32>", "tensor<f32>"},
     .types = "tensor<2xf32>"},
    {.name = "one bound of each kind",
     .kind = Clamp,
     .operands = {"tensor<2xf32>", "tensor<2xf32>", "tensor<f32>"},
     .types = "tensor<2xf32>"},
    {.name = "another low",
     .kind = Clamp,
     .operands = {"tensor<f64>", "tensor<2xf32>", "tensor<f32>"},
     .error = "operand 0 must have the element type of operand 1, f32, got tensor<f64>"},
    {.name = "another high",
     .kind = Clamp,
     .operands = {"tensor<f32>", "tensor<2xf32>", "tensor<3xf32>"},
     .error =
         "operand 2 must have rank 0 or the shape of operand 1, tensor<2xf32>, got tensor<3xf32>"},
    {.name = "indices",
     .kind = Clamp,
     .operands = {"tensor<index>", "tensor<index>", "tensor<index>"},
     .error = "operand 1 must be a tensor of " + kAll + ", got tensor<index>"},

    {.name = "takes the written element",
     .kind = Convert,
     .operands = {"tensor<2x?xf32>"},
     .results = {"tensor<7xi8>"},
     .types = "tensor<2x?xi8>"},
    {.name = "nothing written",
     .kind = Convert,
     .operands = {"tensor<2xf32>"},
     .error = "needs its one result type to be given, got 0"},
    {.name = "two written",
     .kind = Convert,
     .operands = {"tensor<2xf32>"},
     .results = {"tensor<2xi8>", "tensor<2xi8>"},
     .error = "needs its one result type to be given, got 2"},
    {.name = "a token written",
     .kind = Convert,
     .operands = {"tensor<2xf32>"},
     .results = {"!stablehlo.token"},
     .error = "result must be a tensor, got !stablehlo.token"},
    {.name = "to index",
     .kind = Convert,
     .operands = {"tensor<2xf32>"},
     .results = {"tensor<2xindex>"},
     .error = "result must be a tensor of " + kAll + ", got tensor<2xindex>"},
    {.name = "of index",
     .kind = Convert,
     .operands = {"tensor<2xindex>"},
     .results = {"tensor<2xi8>"},
     .error = "operand 0 must be a tensor of " + kAll + ", got tensor<2xindex>"},
    {.name = "too large",
     .kind = Convert,
     .operands = {"tensor<9223372036854775807xi8>"},
     .results = {"tensor<1xf32>"},
     .error = "tensor is too large: its byte size does not fit 64 bits"},
};

TEST_CASE("elementwise ops with own typing rules have results of the right types", "[ir][infer]") {
  check_rows(kRows);
}

TEST_CASE("the elementwise test tables contain every elementwise op", "[ir][infer]") {
  for (auto index = static_cast<std::size_t>(Abs); index <= static_cast<std::size_t>(Xor);
       ++index) {
    const auto kind = static_cast<OpKind>(index);
    CAPTURE(info(kind).name);
    CHECK((std::ranges::count(kClassRows, kind, &ClassRow::kind) == 1 ||
           std::ranges::count(kRows, kind, &InferRow::kind) >= 2));
  }
}

}  // namespace
}  // namespace shardy_test::infer_elementwise_test
