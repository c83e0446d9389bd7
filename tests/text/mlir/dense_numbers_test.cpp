// Numbers of dense literals: what the C library makes of each.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "shardy/ir/detail/number.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

namespace shardy::text::dense_numbers_test {
namespace {

using ir::ElementType;

std::string error_in(const std::string& text) {
  const auto module = parse_mlir(text);
  return module ? "" : module.error().front().message;
}

/// The elements of a list, separated in all ways.
ir::Literal read_list(const std::vector<std::string>& elements, const std::string& type) {
  static constexpr std::string_view kSeparators[] = {", ", ", ", ", ", ",", " ,\n ", " , /", "\n,"};
  std::string list;
  for (std::size_t index = 0; index < elements.size(); ++index) {
    const std::string_view separator = kSeparators[index * 7 % std::size(kSeparators)];
    if (index > 0) list += separator;
    if (index > 0 && separator.ends_with('/')) list += "/ a comment, 1.5\n";
    list += elements[index];
  }
  const std::string tensor = "tensor<" + std::to_string(elements.size()) + "x" + type + ">";
  const std::string text = R"("a.b"() {v = dense<[)" + list + "]> : " + tensor + "} : () -> ()";
  CAPTURE(text);
  const auto module = parse_mlir(text);
  REQUIRE(module.has_value());
  const auto* literal = module->attribute<ir::Literal>(module->first_op(module->body()), "v");
  REQUIRE(literal != nullptr);
  return *literal;
}

std::string digits(std::mt19937& random, std::size_t least, std::size_t most) {
  std::string text(least + random() % (most - least + 1), '0');
  for (char& c : text) c = static_cast<char>('0' + random() % 10);
  return text;
}

std::string real_text(std::mt19937& random) {
  std::string text = random() % 3 == 0 ? "-" : "";
  text += random() % 4 == 0 ? "0" : digits(random, 1, random() % 8 == 0 ? 30 : 4);
  text += "." + digits(random, 0, random() % 8 == 0 ? 30 : 12);
  if (random() % 2 == 0) return text;
  static constexpr std::string_view kMarks[] = {"e", "E", "e-", "e+", "E-", "e-0", "e0"};
  return text + std::string(kMarks[random() % std::size(kMarks)]) +
         digits(random, 1, random() % 8 == 0 ? 4 : 2);
}

TEST_CASE("reals of dense lists are rounded to nearest", "[text][mlir][dense]") {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> texts(1 + random() % 700);
    for (std::string& text : texts) text = real_text(random);
    const ir::Literal f64 = read_list(texts, "f64");
    const ir::Literal f32 = read_list(texts, "f32");
    const ir::Literal bf16 = read_list(texts, "bf16");
    for (std::size_t index = 0; index < texts.size(); ++index) {
      const double value = std::strtod(texts[index].c_str(), nullptr);
      CAPTURE(texts[index]);
      const auto place = static_cast<int64_t>(index);
      REQUIRE(std::bit_cast<uint64_t>(f64.at<double>(place)) == std::bit_cast<uint64_t>(value));
      REQUIRE(std::bit_cast<uint32_t>(f32.at<float>(place)) ==
              std::bit_cast<uint32_t>(static_cast<float>(value)));
      REQUIRE(std::ranges::equal(bf16.element_bytes(place), ir::encode(value, ElementType::BF16)));
    }
  }
}

TEST_CASE("integers of dense lists have their written values", "[text][mlir][dense]") {
  std::mt19937_64 random(1);
  struct Kind {
    std::string name;
    int bits;
    bool is_unsigned;
  };
  for (const Kind& kind : {Kind{"i4", 4, false}, Kind{"i8", 8, false}, Kind{"ui8", 8, true},
                           Kind{"i16", 16, false}, Kind{"i32", 32, false}, Kind{"ui32", 32, true},
                           Kind{"i64", 64, false}, Kind{"ui64", 64, true}}) {
    const auto width = static_cast<unsigned>(kind.bits);
    for (int round = 0; round < 40; ++round) {
      std::vector<int64_t> values(1 + random() % 600);
      std::vector<std::string> texts;
      for (int64_t& value : values) {
        const uint64_t bits = random() >> (64 - width + random() % width);
        value = ir::detail::wrap(static_cast<int64_t>(bits), kind.bits, !kind.is_unsigned);
        texts.push_back(kind.is_unsigned ? std::to_string(bits) : std::to_string(value));
      }
      const ir::Literal literal = read_list(texts, kind.name);
      for (std::size_t index = 0; index < values.size(); ++index) {
        CAPTURE(kind.name, texts[index]);
        const auto bytes = literal.element_bytes(static_cast<int64_t>(index));
        REQUIRE(ir::decode_int(bytes, literal.type().element()) == values[index]);
      }
    }
  }
}

TEST_CASE("dense lists of numbers that overflow their type are errors", "[text][mlir][dense]") {
  const auto error = [](const std::string& elements, const std::string& type) {
    return error_in(R"("a.b"() {v = dense<)" + elements + "> : tensor<" + type + ">} : () -> ()");
  };
  const std::string out_of_range = "integer constant out of range for type";
  CHECK(error("[1, 256]", "2xi8") == out_of_range);
  CHECK(error("[1, -129]", "2xi8") == out_of_range);
  CHECK(error("[1, 255, -128]", "3xi8") == "");
  CHECK(error("[1, 16]", "2xui4") == out_of_range);
  CHECK(error("[1, 18446744073709551616]", "2xi64") == out_of_range);
  CHECK(error("[1, 18446744073709551615]", "2xi64") == "");
  for (const char* zero : {"-0", "-1"}) {
    CHECK(error("[1, " + std::string(zero) + "]", "2xui8") ==
          "expected unsigned integer elements, but parsed negative value");
  }
  CHECK(error("[1, 2.5]", "2xi32") == "expected integer elements, but parsed floating-point");
  CHECK(error("[1.0, 2.5 3.5]", "2xf32") == "expected ',', found '3.5'");
  CHECK(error("[1.0, 2.5, ]", "3xf32") == "expected element literal of primitive type, found ']'");
  CHECK(error("[1.0, 2.5e]", "2xf32") == "expected ',', found 'e'");
  CHECK(error("[1.0, 2.5, 3.5]", "2xf32") ==
        "inferred shape of elements literal ([3]) does not match type ([2])");
  CHECK(error("[[1.0], [2.5]]", "2xf32") ==
        "inferred shape of elements literal ([2, 1]) does not match type ([2])");
  CHECK(error("[1.0, [2.5]]", "2xf32") ==
        "tensor literal is invalid; ranks are not consistent between elements");
}

}  // namespace
}  // namespace shardy::text::dense_numbers_test
