#include <random>
#include <shardy/support/scanner.hpp>
#include <string>
#include <tuple>

#include "support/catch.hpp"

namespace shardy::scanner_test {
namespace {

using shardy_test::located_message_of;
using shardy_test::message_of;

TEST_CASE("spaces and comments only separate tokens", "[support][scanner]") {
  Scanner scanner(" ( // all of this ( is nothing\n\t12)\r\n // and this");
  CHECK(scanner.eat('('));
  CHECK(scanner.int64() == 12);
  CHECK(scanner.expect(")"));
  CHECK(scanner.at_end());
  CHECK(scanner.expect_end());
  CHECK(scanner.peek() == '\0');
  CHECK_FALSE(scanner.eat('\0'));
}

TEST_CASE("a word does not match the beginning of a longer word", "[support][scanner]") {
  Scanner scanner("replicated_axes = mesh<");
  CHECK_FALSE(scanner.eat("replicated"));
  CHECK(scanner.eat("replicated_axes"));
  CHECK(scanner.eat('='));
  CHECK(scanner.eat("mesh"));
  CHECK(scanner.eat("<"));
}

TEST_CASE("the scanner reads integers up to the largest int64", "[support][scanner]") {
  const auto [text, value] = GENERATE(table<std::string, int64_t>({
      {"0", 0},
      {"-7", -7},
      {"0x1F", 31},
      {"0xff", 255},
      {"9223372036854775807", INT64_MAX},
      {"-9223372036854775808", INT64_MIN},
      {"0x7fffffffffffffff", INT64_MAX},
      {"007", 7},
  }));
  CAPTURE(text);
  CHECK(Scanner(text).int64() == value);
}

TEST_CASE("integers that overflow and text without digits are errors", "[support][scanner]") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {"9223372036854775808", "1:1: integer doesn't fit in 64 bits"},
      {" -9223372036854775809", "1:2: integer doesn't fit in 64 bits"},
      {"0x8000000000000000", "1:1: integer doesn't fit in 64 bits"},
      {"99999999999999999999999999", "1:1: integer doesn't fit in 64 bits"},
      {"-", "1:1: expected an integer, found '-'"},
      {"abc", "1:1: expected an integer, found 'abc'"},
      {"\n  ", "2:3: expected an integer, found end of text"},
  }));
  CAPTURE(text);
  CHECK(located_message_of(Scanner(text).int64()) == message);
}

TEST_CASE("decimal stops at the x of a shape", "[support][scanner]") {
  Scanner scanner("0x4xf32");
  CHECK(scanner.decimal() == 0);
  CHECK(scanner.rest() == "x4xf32");
}

TEST_CASE("strings decode their escapes", "[support][scanner]") {
  const auto [text, value] = GENERATE(table<std::string, std::string>({
      {R"("")", ""},
      {R"("a b")", "a b"},
      {R"("\"\\\n\t")", "\"\\\n\t"},
      {R"("\41\7e")", "A~"},
      {R"("//")", "//"},
      {"\"\xc3\xa9\"", "\xc3\xa9"},
  }));
  CAPTURE(text);
  CHECK(Scanner(text).string() == value);
}

TEST_CASE("invalid strings are errors", "[support][scanner]") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {R"(  "abc)", "1:3: expected '\"' at the end of the string"},
      {"\"a\nb\"", "1:1: expected '\"' at the end of the string"},
      {R"("a\q")", "1:3: unknown escape in string"},
      {R"("a\4)", "1:3: unknown escape in string"},
      {R"("a\)", "1:3: unknown escape in string"},
      {"x", "1:1: expected a string, found 'x'"},
  }));
  CAPTURE(text);
  CHECK(located_message_of(Scanner(text).string()) == message);
}

TEST_CASE("symbols are identifiers or strings right after the at sign", "[support][scanner]") {
  CHECK(Scanner("@main.1$x").symbol() == "main.1$x");
  CHECK(Scanner(R"( @"a b")").symbol() == "a b");
  CHECK(message_of(Scanner("@ a").symbol()) == "expected a symbol name, found 'a'");
  CHECK(message_of(Scanner("@1").symbol()) == "expected a symbol name, found '1'");
  CHECK(message_of(Scanner("@").symbol()) == "expected a symbol name, found end of text");
  CHECK(message_of(Scanner("a").symbol()) == "expected a symbol, found 'a'");
}

TEST_CASE("quoted text reads back", "[support][scanner][law]") {
  CHECK(in_quotes("a\"b\\c\n") == R"("a\22b\\c\0A")");
  CHECK(symbol_text("m.1") == "@m.1");
  CHECK(symbol_text("1m") == "@\"1m\"");
  CHECK(symbol_text("") == "@\"\"");
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = {'x', static_cast<char>(byte), '4'};
    CAPTURE(byte);
    CHECK(Scanner(in_quotes(text)).string() == text);
    const std::string symbol = symbol_text(text);
    CHECK(Scanner(symbol).symbol() == text);
  }
}

TEST_CASE("random bytes give a token or an error", "[support][scanner][random]") {
  std::mt19937 random(Catch::rngSeed());
  constexpr std::string_view kBytes = "\"\\/@-0x9az_ \n\xff";
  std::uniform_int_distribution<std::size_t> any(0, kBytes.size() - 1);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::size_t size = any(random); size > 0; --size) text += kBytes[any(random)];
    CAPTURE(Catch::rngSeed(), text);
    Scanner scanner(text);
    while (!scanner.at_end()) {
      const std::size_t before = scanner.position();
      const bool read = scanner.int64() || scanner.string() || scanner.symbol() || scanner.ident();
      if (!read) scanner.seek(scanner.position() + 1);
      REQUIRE(scanner.position() > before);
    }
  }
}

}  // namespace
}  // namespace shardy::scanner_test
