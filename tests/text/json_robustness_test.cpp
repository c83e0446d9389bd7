// Any contents of a file are an error with a place, or a program that can be used.
#include <cstddef>
#include <cstdint>
#include <shardy/ir/verify.hpp>
#include <shardy/text/json.hpp>
#include <shardy/text/mlir.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "text/random_parts.hpp"
#include "text/text_files.hpp"

namespace shardy::text::testing::json_robustness_test {
namespace {

/// A pointer or a line and column.
bool names_a_place(const Error& error) {
  return error.location.is_pointer() || error.location.line() > 0;
}

/// True if it is a program.
bool check_text(std::string_view text) {
  const auto read = parse_json(text);
  if (!read) {
    REQUIRE_FALSE(read.error().empty());
    for (const Error& error : read.error()) {
      CAPTURE(error.location, error.message);
      CHECK(names_a_place(error));
      CHECK_FALSE(error.message.empty());
    }
    return false;
  }
  CHECK(text_of(ir::verify(*read)).empty());
  const auto again = parse_json(to_json(*read));
  CHECK(text_of(again ? Diagnostics() : again.error()).empty());
  if (again) CHECK(same_program(*read, *again));
  return true;
}

TEST_CASE("a truncated file is an error", "[text][json][robustness]") {
  for (const auto& path : example_files()) {
    const std::string text = read_text(path);
    const std::size_t last = text.find_last_of('}');
    REQUIRE(check_text(text));
    for (std::size_t size = 0; size <= last; ++size) {
      CAPTURE(path, size);
      const auto read = parse_json(std::string_view(text).substr(0, size));
      REQUIRE_FALSE(read);
      CHECK(read.error().size() == 1);
      CHECK(names_a_place(read.error().front()));
    }
  }
}

/// One change of a kind that slips of the pen and broken disks make.
void mutate(Random& random, std::string& text) {
  static const std::vector<std::string> kTokens = {"null",
                                                   "true",
                                                   "-1",
                                                   "0",
                                                   "99999999999999999999",
                                                   "1e999",
                                                   "\"x\"",
                                                   "{}",
                                                   "[]",
                                                   "\"\"",
                                                   "[",
                                                   "]",
                                                   "{",
                                                   "}",
                                                   ",",
                                                   ":",
                                                   "\"",
                                                   "\\u0000",
                                                   "\xFF",
                                                   "?",
                                                   "\"%0#1\"",
                                                   "0.5",
                                                   "\"type\"",
                                                   "\"op\"",
                                                   "\"tensor<?x0xf32>\"",
                                                   "9223372036854775807",
                                                   "\"return\""};
  if (text.empty()) return;
  const std::size_t at = random.below(text.size());
  switch (random.below(5)) {
    case 0:
      text[at] = static_cast<char>(random.bits());
      return;
    case 1:
      text.erase(at, 1 + random.below(20));
      return;
    case 2:
      text.insert(at, random.pick(kTokens));
      return;
    case 3: {  // a value, or what looks like one, becomes another
      const std::size_t begin = text.find_first_of(":,[", at);
      if (begin == std::string::npos) return;
      const std::size_t end = text.find_first_of(",]}", begin + 1);
      if (end != std::string::npos) text.replace(begin + 1, end - begin - 1, random.pick(kTokens));
      return;
    }
    default: {
      const std::string piece = text.substr(random.below(text.size()), 1 + random.below(60));
      text.insert(at, piece);
    }
  }
}

TEST_CASE("a file with random changes is an error or a program",
          "[text][json][robustness][random]") {
  Random random(Catch::rngSeed());
  std::size_t num_programs = 0;
  for (const auto& path : example_files()) {
    const std::string original = read_text(path);
    for (int round = 0; round < 3000; ++round) {
      std::string text = original;
      for (std::size_t changes = 1 + random.below(3); changes > 0; --changes) mutate(random, text);
      CAPTURE(path, round);
      INFO(text);
      if (check_text(text)) ++num_programs;
    }
  }
  CHECK(num_programs > 50);  // not every change breaks a file
}

TEST_CASE("random bytes are an error", "[text][json][robustness][random]") {
  Random random(Catch::rngSeed());
  for (int round = 0; round < 2000; ++round) {
    std::string text(random.below(40), '\0');
    for (char& c : text) c = static_cast<char>(random.bits());
    CAPTURE(round);
    CHECK_FALSE(check_text(text));
  }
}

}  // namespace
}  // namespace shardy::text::testing::json_robustness_test
