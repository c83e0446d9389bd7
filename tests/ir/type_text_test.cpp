// Types, element types, and their text. Spec: stablehlo part 1, 3.
#include "ir/module_maker.hpp"
#include "shardy/ir/detail/type_shape.hpp"

namespace shardy_test::type_text_test {
namespace {

TEST_CASE("every element type has one name, which parses as that type", "[ir][type]") {
  for (std::size_t index = 0; index < kElementTypes.size(); ++index) {
    const auto element = static_cast<ElementType>(index);
    const std::string name(to_string(element));
    CAPTURE(name);
    CHECK(parse_element_type(name) == element);
    CHECK(parse_element_type(name + "x") == std::nullopt);
    const Type tensor = Type::tensor({2, 3}, element);
    CHECK(to_string(tensor) == "tensor<2x3x" + name + ">");
    CHECK(type_of(to_string(tensor)) == tensor);
    CHECK(type_of("tensor<" + name + ">") == Type::tensor({}, element));
    const Type scalar(ScalarType{element});
    CHECK(to_string(scalar) == name);
    CHECK(type_of(name) == scalar);
  }
  CHECK(parse_element_type("") == std::nullopt);
}

TEST_CASE("an element has the smallest number of bytes that holds its bits", "[ir][type]") {
  for (std::size_t index = 0; index < kElementTypes.size(); ++index) {
    const auto element = static_cast<ElementType>(index);
    CAPTURE(to_string(element));
    CHECK(static_cast<int>(size_bytes(element)) == std::max(info(element).bits / 8, 1));
    const int classes = is_boolean(element) + is_signed_integer(element) +
                        is_unsigned_integer(element) + is_float(element) + is_complex(element) +
                        (element == ElementType::Index);
    CHECK(classes == 1);
    CHECK(is_integer(element) == (is_signed_integer(element) || is_unsigned_integer(element)));
  }
}

TEST_CASE("the text of a type parses as that type", "[ir][type]") {
  const std::string text = GENERATE(
      as<std::string>(), "tensor<f32>", "tensor<0xf32>", "tensor<?x4x?xbf16>",
      "tensor<9223372036854775807xi8>", "tensor<4xf32, #stablehlo.bounds<3>>",
      "tensor<2xcomplex<f64>>", "!stablehlo.token", "tuple<>", "tuple<tensor<f32>, tuple<i1>>",
      "() -> ()", "(tensor<f32>) -> tensor<i1>", "(i1, index) -> (i1, i1)",
      "(() -> ()) -> (() -> i1)", "tensor<*xf32>", "tensor<4x!quant.uniform<i8:f32, 0.1>>",
      "tensor<4xi7>", "tensor<4xsi8>", "tensor<4xvector<2xf32>>", "memref<4xf32>", "vector<4xf32>",
      "!quant.any", "!foo.bar<\"a > b\", [1, {x}], () -> ()>", "none");
  CHECK(to_string(type_of(text)) == text);
}

TEST_CASE("white space in types is ignored", "[ir][type]") {
  const auto [text, canonical] = GENERATE(table<std::string, std::string>({
      {" tensor < 2 x 3 x f32 > ", "tensor<2x3xf32>"},
      {"tensor<0x4xf32>", "tensor<0x4xf32>"},
      {"tensor<2xcomplex < f32 > >", "tensor<2xcomplex<f32>>"},
      {"tensor<2xf32 ,  #a.b<1,\n\t2> >", "tensor<2xf32, #a.b<1, 2>>"},
      {"( i1 ,i2)->i4", "(i1, i2) -> i4"},
      {"(i1)->(i1)", "(i1) -> i1"},
      {"tuple<i1,i2>", "tuple<i1, i2>"},
      {"!a.b<  \"x  y\"   z >", "!a.b< \"x  y\" z >"},
      {"!stablehlo.token<1>", "!stablehlo.token<1>"},
  }));
  CHECK(to_string(type_of(text)) == canonical);
}

TEST_CASE("text that is not a type is an error at its location", "[ir][type]") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {"", "1:1: expected a type, found the end of the text"},
      {"4", "1:1: expected a type, found '4'"},
      {"tensor", "1:7: expected '<', found the end of the text"},
      {"tensor<4xf32", "1:13: expected '>', found the end of the text"},
      {"tensor<4>", "1:9: expected 'x', found '>'"},
      {"tensor<4x>", "1:10: expected an element type, found '>'"},
      {"tensor<4xq>", "1:10: expected an element type, found 'q'"},
      {"tensor<-1xf32>", "1:8: expected an element type, found '-'"},
      {"tensor<4xcomplex<i8>>", "1:10: expected an element type, found 'complex'"},
      {"tensor<4xf32,>", "1:14: expected an encoding, found '>'"},
      {"tensor<9223372036854775808xi8>", "1:8: tensor dim does not fit 64 bits"},
      {"tensor<9223372036854775807x2xi8>",
       "1:33: tensor is too large: its byte size does not fit 64 bits"},
      {"complex<i8>", "1:1: expected complex<f32> or complex<f64>, found 'complex'"},
      {"tuple<i1", "1:9: expected '>', found the end of the text"},
      {"tuple<i1,>", "1:10: expected a type, found '>'"},
      {"(i1)", "1:5: expected '->', found the end of the text"},
      {"(i1 -> i1", "1:5: expected ')', found '-'"},
      {"!", "1:2: expected a type name, found the end of the text"},
      {"!a<[>", "1:5: expected a matching bracket, found '>'"},
      {"!a<(", "1:5: expected a closing bracket, found the end of the text"},
      {"!a<\"x", "1:6: expected the end of a string, found the end of the text"},
      {"i1 i1", "1:4: expected the end of the type, found 'i1'"},
  }));
  CAPTURE(text);
  CHECK(located_message_of(parse_type(text)) == message);
}

std::string tuples(std::size_t depth) {
  std::string text;
  for (std::size_t level = 0; level < depth; ++level) text += "tuple<";
  return text + "i1" + std::string(depth, '>');
}

TEST_CASE("types nest at most 64 levels deep", "[ir][type]") {
  CHECK(to_string(type_of(tuples(63))) == tuples(63));
  CHECK(located_message_of(parse_type(tuples(64))) == "1:385: type is nested too deeply");
  std::string functions;
  for (int level = 0; level < 100; ++level) functions += "() -> (";
  CHECK(message_of(parse_type(functions + "i1")) == "type is nested too deeply");
}

TEST_CASE("parse_type_prefix reads a type from the front of a text", "[ir][type]") {
  const std::string text = "a : tensor<4xf32> loc(x)";
  std::size_t position = 4;
  CHECK(to_string(parse_type_prefix(text, position).value()) == "tensor<4xf32>");
  CHECK(position == 17);
  position = 0;
  CHECK(located_message_of(parse_type_prefix("(4)", position)) ==
        "1:2: expected a type, found '4'");
  CHECK(position == 0);
}

TEST_CASE("make_tensor rejects shapes whose byte size overflows", "[ir][type]") {
  const int64_t largest = std::numeric_limits<int64_t>::max();
  CHECK(message_of(Type::make_tensor({3, -1}, ElementType::I8)) ==
        "tensor dim must not be negative, got: -1");
  CHECK(message_of(Type::make_tensor({largest}, ElementType::I16)) ==
        "tensor is too large: its byte size does not fit 64 bits");
  CHECK(message_of(Type::make_tensor({largest, 0, 2}, ElementType::I8)) ==
        "tensor is too large: its byte size does not fit 64 bits");
  CHECK(Type::make_tensor({largest, 0}, ElementType::I8).value().num_bytes() == 0);
  CHECK(Type::make_tensor({kDynamicDim, largest}, ElementType::I8).has_value());
}

TEST_CASE("types compare by content", "[ir][type]") {
  CHECK(Type() == Type(TokenType{}));
  CHECK(type_of("tuple<tensor<2xf32>>") == type_of("tuple< tensor<2xf32> >"));
  const std::vector<Type> different =
      types_of({"!stablehlo.token", "tensor<2xf32>", "tensor<?xf32>", "tensor<2xf64>",
                "tensor<2xf32, #a.b>", "f32", "tuple<f32>", "() -> f32", "(f32) -> ()", "!a.b"});
  for (std::size_t a = 0; a < different.size(); ++a) {
    for (std::size_t b = 0; b < different.size(); ++b) {
      CAPTURE(different[a], different[b]);
      CHECK((different[a] == different[b]) == (a == b));
    }
  }
}

TEST_CASE("tensor types return their sizes", "[ir][type]") {
  const Type type = type_of("tensor<2x3xi16>");
  CHECK(type.rank() == 2);
  CHECK(type.dim(1) == 3);
  CHECK(type.num_elements() == 6);
  CHECK(type.num_bytes() == 12);
  CHECK(type.is_static_tensor());
  CHECK_FALSE(type_of("tensor<2x?xi16>").is_static_tensor());
  CHECK_FALSE(type_of("i16").is_static_tensor());
  CHECK(to_string(type.with_dims({5})) == "tensor<5xi16>");
  CHECK(to_string(type.with_element(ElementType::F32)) == "tensor<2x3xf32>");
}

TEST_CASE("shardings use the shape of their type", "[ir][type]") {
  using Kind = shardy::ValueShape::Kind;
  const auto [text, kind, dims] = GENERATE(table<std::string, Kind, std::vector<int64_t>>({
      {"tensor<2x?xf32>", Kind::Ranked, {2, kDynamicDim}},
      {"tensor<f32>", Kind::Ranked, {}},
      {"tuple<tensor<2xf32>>", Kind::Ranked, {2}},
      {"tuple<tensor<2xf32>, i1>", Kind::NotShaped, {}},
      {"tuple<>", Kind::NotShaped, {}},
      {"tensor<*xf32>", Kind::Unranked, {}},
      {"tensor<2x?x!a.b>", Kind::Ranked, {2, kDynamicDim}},
      {"tensor<!a.b>", Kind::Ranked, {}},
      {"tensor<3xi7>", Kind::Ranked, {3}},
      {"vector<4x5xf32>", Kind::Ranked, {4, 5}},
      {"memref<4xf32>", Kind::NotShaped, {}},
      {"!stablehlo.token", Kind::NotShaped, {}},
      {"f32", Kind::NotShaped, {}},
  }));
  CAPTURE(text);
  const Type type = type_of(text);
  const TypeShape shape(type);
  CHECK((shape.kind() == kind));
  CHECK(std::vector(shape.dims().begin(), shape.dims().end()) == dims);
  CHECK(sharding_rank(type) == dims.size());
}

TEST_CASE("only a tuple of one element can have a sharding", "[ir][type]") {
  CHECK_FALSE(is_unshardable_tuple(type_of("tuple<i1>")));
  CHECK_FALSE(is_unshardable_tuple(type_of("tensor<2xf32>")));
  CHECK(is_unshardable_tuple(type_of("tuple<>")));
  CHECK(is_unshardable_tuple(type_of("tuple<i1, i1>")));
}

}  // namespace
}  // namespace shardy_test::type_text_test
