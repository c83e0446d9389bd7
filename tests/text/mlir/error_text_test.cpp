// Escaped text of names, places and lines of untrusted input, for terminals.
#include <string>
#include <string_view>

#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

namespace shardy::text::error_text_test {
namespace {

std::string shown(const Error& error, std::string_view text = {}) {
  return error_text("f", text, {error});
}

TEST_CASE("terminal control characters are escaped in errors", "[text][mlir]") {
  const auto [raw, spelled] = GENERATE(table<std::string, std::string>({
      {"\x1B[31m", "\\1B[31m"},
      {"\a\b\r\x7F", "\\07\\08\\0D\\7F"},
      {"a\tb", "a\tb"},
      {"\xC2\x9B", "\\C2\\9B"},                          // U+009B begins a sequence as \1B[ does
      {"\xFF, \xC3", "\\FF, \\C3"},                      // no UTF-8
      {"\xE2\x80\xAE\xD8\x9C", "\\E2\\80\\AE\\D8\\9C"},  // turn the text around
      {"\xE2\x80\xA8", "\\E2\\80\\A8"},                  // ends a line
      {"\xC3\xA9 \xF0\x9F\x99\x82", "\xC3\xA9 \xF0\x9F\x99\x82"},
  }));
  CHECK(shown({raw, "1:1", {}}, "") == "f:1:1: error: " + spelled + "\n\n^\n");
  CHECK(shown({"m", {}, {raw}}) == "f: error: m\nnote: " + spelled + "\n");
  CHECK(shown({"m", "1:1", {}}, raw) == "f:1:1: error: m\n" + spelled + "\n^\n");
  CHECK(error_text(raw, "", {{"m", {}, {}}}) == spelled + ": error: m\n");
}

TEST_CASE("a name in an error message cannot start a new line", "[text][mlir]") {
  CHECK(shown({"no @a\nf:1:1: error: b", {}, {}}) == "f: error: no @a\\0Af:1:1: error: b\n");
  CHECK(shown({"differ:\n  index=[0]\n  index=[1]", {}, {}}) ==
        "f: error: differ:\n  index=[0]\n  index=[1]\n");
}

TEST_CASE("every diagnostic prints its severity, code and location in one form", "[text][mlir]") {
  Diagnostic each{"m", "1:1", {"n"}, "W_X", Severity::Warning};
  CHECK(shown(each, "ab") == "f:1:1: warning: W_X: m\nab\n^\nnote: n\n");
  each.severity = Severity::Remark;
  each.code = {};
  each.location = "/functions/0/body/1";  // in JSON
  CHECK(shown(each, "{}") == "f:/functions/0/body/1: remark: m\nnote: n\n");
  each.location = R"(/attributes/a"b":1)";
  CHECK(shown(each, "{}") == "f:/attributes/a\"b\":1: remark: m\nnote: n\n");
  each.location = R"("g.py":4:2)";
  CHECK(shown(each, "{}") == "g.py:4:2: remark: m\nnote: n\n");
  CHECK(error_text("", "", {{"m"}, {"n"}}) == "error: m\nerror: n\n");
}

TEST_CASE("the caret of an error is below the shown text", "[text][mlir]") {
  CHECK(shown({"m", "1:4", {}}, "\t\x1B\tx") == "f:1:4: error: m\n\t\\1B\tx\n\t   \t^\n");
  CHECK(shown({"m", "1:4", {}}, "\xC3\xA9+x") == "f:1:4: error: m\n\xC3\xA9+x\n  ^\n");
  CHECK(shown({"m", "1:3", {}}, "ab\r\ncd") == "f:1:3: error: m\nab\n  ^\n");
}

}  // namespace
}  // namespace shardy::text::error_text_test
