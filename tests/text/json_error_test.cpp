// Errors of wrong programs, compared whole: the message, the place and the remedy.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <set>
#include <shardy/text/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "text/text_files.hpp"

namespace shardy::text::testing::json_error_test {
namespace {

/// A program of json_errors.txt, which tests/tools/cli_test.py reads as well.
struct Row {
  std::string name;
  std::string program;
  std::string errors;
};

struct Table {
  std::string head;
  std::vector<Row> rows;
};

constexpr std::string_view kRow = "=== ";
constexpr std::string_view kErrors = "---\n";

Table read_table() {
  const std::string text = read_text(path_of("json_errors.txt"));
  Table table;
  std::size_t begin = text.find(kRow);
  table.head = text.substr(0, begin);
  while (begin != std::string::npos) {
    const std::size_t end = std::min(text.find("\n=== ", begin), text.size() - 1);
    const std::string row = text.substr(begin + kRow.size(), end - begin - kRow.size());
    const std::size_t line = row.find('\n') + 1;
    const std::size_t mark = row.find(kErrors, line);
    table.rows.push_back({row.substr(0, line - 1), row.substr(line, mark - line - 1),
                          row.substr(mark + kErrors.size())});
    begin = text.find(kRow, end);
  }
  return table;
}

void write_table(const Table& table) {
  std::ofstream file(path_of("json_errors.txt"), std::ios::binary);
  file << table.head;
  for (const Row& row : table.rows) {
    file << kRow << row.name << '\n' << row.program << '\n' << kErrors << row.errors << '\n';
  }
}

/// "(none)" for a program.
std::string errors_of(std::string_view text, const JsonOptions& options = {}) {
  const auto read = parse_json(text, options);
  return read ? "(none)" : text_of(read.error());
}

TEST_CASE("an invalid program is an error with its location and a hint", "[text][json][error]") {
  Table table = read_table();
  REQUIRE(table.rows.size() >= 160);
  const bool update = std::getenv("SHARDY_UPDATE_GOLDEN") != nullptr;
  std::set<std::string> names;
  for (Row& row : table.rows) {
    CAPTURE(row.name, row.program);
    CHECK(names.insert(row.name).second);
    const std::string errors = errors_of(row.program);
    CHECK(errors != "(none)");
    if (update) {
      row.errors = errors;
    } else {
      CHECK(errors == row.errors);
    }
  }
  if (update) write_table(table);
}

// ---- What a table of text does not hold --------------------------------------------------------

TEST_CASE("a NUL byte or invalid UTF-8 is an error at its location", "[text][json][error]") {
  const auto [program, errors] = GENERATE(table<std::string, std::string>({
      {std::string("{\"shardy\": 1}\0", 14), "1:14: not valid JSON: a NUL byte\n"},
      {"{\"shardy\": 1, \"comment\": \"\xFF\"}",
       "1:27: not valid JSON: invalid string: ill-formed UTF-8 byte; last read: '\"\\xFF'\n"},
      {"{\"shardy\": 1, \"comment\": \"\xE2\x82\"}",
       "1:29: not valid JSON: invalid string: ill-formed UTF-8 byte; last read: "
       "'\"\\xE2\\x82\"'\n"},
      {"{\"shardy\": 1, \"comment\": \"\xC0\x80\"}",
       "1:27: not valid JSON: invalid string: ill-formed UTF-8 byte; last read: '\"\\xC0'\n"},
      {"{\"shardy\": 1,\n \xE2\x82\xAC}",
       "2:2: not valid JSON: invalid literal; last read: '1,<U+000A> \\xE2'; expected string "
       "literal\n"},
      {"\xFE\xFF{\"shardy\": 1}", "1:1: not valid JSON: invalid literal; last read: '\\xFE'\n"},
      {"{\"shardy\": 1}\x01",
       "1:14: not valid JSON: invalid literal; last read: '1}<U+0001>'; expected end of input\n"},
  }));
  CHECK(errors_of(program) == errors);
}

TEST_CASE("nesting above 512 levels is an error at any depth", "[text][json][error]") {
  const std::string lists(10'000'000, '[');
  const std::string message = "lists and objects are nested more than 512 levels deep\n";
  CHECK(errors_of(lists) == "1:513: " + message);
  CHECK(errors_of("{\"shardy\": " + lists) == "1:523: " + message);
  std::string objects;
  for (int level = 0; level < 600; ++level) objects += "{\"a\":\n";
  CHECK(errors_of(objects) == "513:1: " + message);
}

TEST_CASE("attributes have a separate limit of nesting levels", "[text][json][error]") {
  const std::size_t levels = 100'000;
  const std::string program =
      "{\"shardy\": 1, \"body\": [{\"op\": \"a.b\", \"results\": [], \"attributes\": {\"a\": " +
      std::string(levels, '[') + std::string(levels, ']') + "}}]}";
  std::string pointer = "/body/0/attributes/a";
  for (int level = 0; level < 200; ++level) pointer += "/0";
  CHECK(errors_of(program, {.max_depth = 1'000'000}) ==
        pointer + ": attributes are nested more than 200 levels deep\n    line 1\n");
}

TEST_CASE("long numbers, strings and keys are shortened in errors", "[text][json][error]") {
  const std::size_t size = 1'000'000;
  // All but 200 bytes of the message of the parser, which begins before the digits.
  const std::string number = "{\"shardy\": " + std::string(size, '9') + "}";
  CHECK(errors_of(number) == "1:1000011: not valid JSON: number overflow parsing '" +
                                 std::string(200 - 25, '9') + "...\n");
  const std::string meshes = "{\"shardy\": 1, \"meshes\": \"" + std::string(size, 'a') + "\"}";
  CHECK(errors_of(meshes) == "/meshes: \"meshes\" is a list or an object, found the string \"" +
                                 std::string(60, 'a') + "\"\n    line 1\n");
  const std::string key(size, 'k');
  const std::string errors = errors_of("{\"shardy\": 1, \"" + key + "\": 2}");
  const bool is_short =
      errors == "/" + key + ": a program has no key \"" + std::string(60, 'k') +
                    "\"\n    known keys: shardy attributes meshes functions body comment\n" +
                    "    line 1\n";
  CHECK(is_short);  // Catch takes long to lay such a text out
}

TEST_CASE("at most the requested number of errors is reported", "[text][json][error]") {
  std::string program = "{\"shardy\": 1, \"body\": [0";
  for (int item = 1; item < 1000; ++item) program += ", " + std::to_string(item);
  program += "]}";
  const auto read = parse_json(program);
  REQUIRE_FALSE(read);
  CHECK(read.error().size() == 20);
  CHECK(parse_json(program, {.max_errors = 3}).error().size() == 3);
  CHECK(parse_json(program, {.max_errors = 0}).error().size() == 1);
  CHECK(parse_json("{\"shardy\": 1, \"a\": 1, \"a\": 1, \"a\": 1, \"a\": 1}", {.max_errors = 2})
            .error()
            .size() == 2);
}

}  // namespace
}  // namespace shardy::text::testing::json_error_test
