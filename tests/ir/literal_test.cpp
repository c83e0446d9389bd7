// Dense constants: buffers, splats, equality.
#include "ir/module_maker.hpp"
#include "shardy/ir/attribute.hpp"
#include "shardy/ir/detail/number.hpp"

namespace shardy_test::literal_test {
namespace {

std::vector<std::byte> bytes(const std::vector<int>& values) {
  std::vector<std::byte> made;
  for (const int value : values) made.push_back(static_cast<std::byte>(value));
  return made;
}
const Type kI8x3 = Type::tensor({3}, ElementType::I8);
const Type kI16x2 = Type::tensor({2}, ElementType::I16);

TEST_CASE("a literal needs one element per element of its static type", "[ir][literal]") {
  const auto [type, size, message] = GENERATE(table<std::string, std::size_t, std::string>({
      {"tensor<3xi8>", 3, "(no error)"},
      {"tensor<3xi8>", 2, "literal has 2 bytes, its type needs 3"},
      {"tensor<3xi16>", 3, "literal has 3 bytes, its type needs 6"},
      {"tensor<3xi4>", 3, "(no error)"},
      {"tensor<0xf32>", 0, "(no error)"},
      {"tensor<0xf32>", 4, "literal has 4 bytes, its type needs 0"},
      {"tensor<f64>", 8, "(no error)"},
      {"tensor<?xi8>", 3, "a literal needs a static tensor type"},
      {"i8", 1, "a literal needs a static tensor type"},
  }));
  CAPTURE(type, size);
  CHECK(message_of(Literal::make(type_of(type), std::vector<std::byte>(size))) == message);
}

TEST_CASE("a splat holds exactly one element", "[ir][literal]") {
  const auto [type, size, message] = GENERATE(table<std::string, std::size_t, std::string>({
      {"tensor<3xi16>", 2, "(no error)"},
      {"tensor<0xi16>", 2, "(no error)"},
      {"tensor<3xi16>", 6, "a splat literal holds exactly one element"},
      {"tensor<3xi16>", 0, "a splat literal holds exactly one element"},
      {"tensor<?xi16>", 2, "a literal needs a static tensor type"},
  }));
  CAPTURE(type, size);
  CHECK(message_of(Literal::make_splat(type_of(type), std::vector<std::byte>(size))) == message);
}

TEST_CASE("elements are read row-major, splats everywhere", "[ir][literal]") {
  const Literal literal = Literal::make(kI16x2, bytes({1, 0, 0, 1})).value();
  CHECK(literal.at<int16_t>(0) == 1);
  CHECK(literal.at<int16_t>(1) == 256);
  CHECK(literal.num_elements() == 2);
  CHECK_FALSE(literal.is_splat());
  CHECK(literal.expanded() == bytes({1, 0, 0, 1}));

  const Literal splat = Literal::make_splat(kI16x2, bytes({7, 0})).value();
  CHECK(splat.at<int16_t>(1) == 7);
  CHECK(splat.is_splat());
  CHECK(splat.stored().size() == 2);
  CHECK(splat.expanded() == bytes({7, 0, 7, 0}));
}

TEST_CASE("a splat equals a literal of its repeated element", "[ir][literal]") {
  const Literal splat = Literal::make_splat(kI8x3, bytes({5})).value();
  const Literal same = Literal::make(kI8x3, bytes({5, 5, 5})).value();
  const Literal other = Literal::make(kI8x3, bytes({5, 5, 6})).value();
  CHECK((splat == same));
  CHECK((same == splat));
  CHECK((splat == Literal::make_splat(kI8x3, bytes({5})).value()));
  CHECK_FALSE((splat == other));
  CHECK_FALSE((same == other));
  CHECK_FALSE((splat == Literal::make_splat(kI8x3, bytes({6})).value()));
}

TEST_CASE("literals of different types differ, and literals without elements are equal",
          "[ir][literal]") {
  CHECK_FALSE((Literal::make(kI8x3, bytes({1, 2, 3})).value() ==
               Literal::make(Type::tensor({3}, ElementType::UI8), bytes({1, 2, 3})).value()));
  const Type none = Type::tensor({0}, ElementType::I8);
  CHECK((Literal::make_splat(none, bytes({1})).value() == Literal::make(none, {}).value()));
  CHECK((Literal::make_splat(none, bytes({1})).value() ==
         Literal::make_splat(none, bytes({2})).value()));
}

TEST_CASE("a reshaped literal has the same elements", "[ir][literal]") {
  const Type matrix = Type::tensor({1, 3}, ElementType::I8);
  const Literal literal = Literal::make(kI8x3, bytes({1, 2, 3})).value().reshaped(matrix);
  CHECK(literal.type() == matrix);
  CHECK(literal.expanded() == bytes({1, 2, 3}));
  CHECK(Literal::make_splat(kI8x3, bytes({1})).value().reshaped(matrix).is_splat());
}

TEST_CASE("literals are made from C++ numbers", "[ir][literal]") {
  const Type f16 = Type::tensor({2}, ElementType::F16);
  CHECK(literal_from(f16, std::vector<double>{1.0, -0.0}).expanded() == bytes({0, 0x3C, 0, 0x80}));
  CHECK((literal_from(f16, std::vector<int>{1, 1}) == splat_literal(f16, 1)));
  CHECK((int_splat_literal(kI8x3, 300) == splat_literal(kI8x3, 44)));
  CHECK((splat_literal(kI8x3, 300) == splat_literal(kI8x3, 127)));
  CHECK(literal_from(kI16x2, std::vector<int64_t>{-1, 256}).expanded() ==
        bytes({0xFF, 0xFF, 0, 1}));
}

}  // namespace
}  // namespace shardy_test::literal_test
