// Errors, warnings and notes in one type.
#include <string>

#include "shardy/support/detail/quote.hpp"
#include "shardy/support/result.hpp"
#include "support/catch.hpp"

namespace shardy::diagnostic_test {
namespace {

Result<int> halved(int number) {
  if (number % 2 != 0) return fail("odd");
  return number / 2;
}

Status expect_even(int number) {
  SHARDY_TRY_STATUS(halved(number));
  return {};
}

/// Without braces: each macro is the one statement of its branch.
Result<int> reduced(int number) {
  int result = number;
  if (number > 10)
    SHARDY_TRY(result, halved(number));
  else
    SHARDY_TRY_STATUS(expect_even(number));
  for (int again = 0; again < 2; ++again) SHARDY_TRY(result, halved(result));
  return result;
}

TEST_CASE("SHARDY_TRY is a single statement", "[support][result]") {
  CHECK(reduced(40) == 5);
  CHECK(reduced(8) == 2);
  CHECK(reduced(11).error().message == "odd");
  CHECK(reduced(3).error().message == "odd");
  CHECK(reduced(2).error().message == "odd");
}

TEST_CASE("an error is a diagnostic with a severity, and its message excludes the code",
          "[support][diagnostic]") {
  const Status plain = fail("no such thing");
  CHECK(plain.error() == Diagnostic{"no such thing"});
  CHECK(plain.error().severity == Severity::Error);
  CHECK(plain.error().headline() == "no such thing");

  const Status placed = fail_at("12:7", "no such thing");
  CHECK(placed.error() == Error{"no such thing", "12:7", {}});

  const Status coded = fail_as("E_KERNEL", "no such thing");
  CHECK(coded.error().code == "E_KERNEL");
  CHECK(coded.error().message == "no such thing");
  CHECK(coded.error().headline() == "E_KERNEL: no such thing");
  CHECK(coded.error() != plain.error());
  CHECK(with_prefix("operand 1 - ", coded.error()).headline() ==
        "E_KERNEL: operand 1 - no such thing");
}

TEST_CASE("a location is a line and a column, a pointer or another text", "[support][diagnostic]") {
  const auto [text, line, column, is_pointer] =
      GENERATE(table<std::string, uint32_t, uint32_t, bool>({
          {"12:7", 12, 7, false},
          {"4294967295:1", 4294967295, 1, false},
          {"012:7", 0, 0, false},  // numbers are spelled in one way
          {"4294967296:1", 0, 0, false},
          {"12:", 0, 0, false},
          {"12:7x", 0, 0, false},
          {"/functions/0/args/1", 0, 0, true},
          {"\"model.py\":3:4", 0, 0, false},
          {"", 0, 0, false},
      }));
  const Location location(text);
  CAPTURE(text);
  CHECK(location.text() == text);
  CHECK(location.line() == line);
  CHECK(location.column() == column);
  CHECK(location.is_pointer() == is_pointer);
  CHECK(location.empty() == text.empty());
  if (line != 0) CHECK(location == Location(line, column));
}

TEST_CASE("severities have the words of compilers", "[support][diagnostic]") {
  CHECK(to_string(Severity::Error) == "error");
  CHECK(to_string(Severity::Warning) == "warning");
  CHECK(to_string(Severity::Remark) == "remark");
  CHECK(to_string(Severity::Note) == "note");
}

TEST_CASE("the closest known word is found for a misspelled word only", "[support][closest]") {
  CHECK(closest("modle", {"data", "model"}) == "model");
  CHECK(closest("dat", {"data", "date"}) == "data");  // both are one edit away: the first wins
  CHECK(closest("w3", {"w2"}) == "w2");
  CHECK(closest("tahn", {"tan", "than", "tanh"}) == "than");  // swapped letters are one edit
  CHECK(closest("tahn", {"tan", "tanh"}) == "tanh");          // only `tanh` has the same letters
  CHECK(closest("bsh", {"bash", "zsh"}) == "bash");
  CHECK(closest("ba", {"ab"}) == "ab");
  CHECK(closest("cab", {"abc"}) == "abc");     // two edits: a swap moves a letter by one position
  CHECK(closest("x", {"y"}) == std::nullopt);  // no letter in common
  CHECK(closest("pipeline", {"data", "model"}) == std::nullopt);
  CHECK(closest("x", {}) == std::nullopt);
  CHECK(closest(std::string(65, 'x'), {std::string(65, 'x').c_str()}) == std::nullopt);
}

}  // namespace
}  // namespace shardy::diagnostic_test
