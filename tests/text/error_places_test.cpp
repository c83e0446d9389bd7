// The place of a diagnostic follows from its subject, whatever its message is.
#include "text/error_places.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

using namespace shardy;
using Kind = DiagnosticSubject::Kind;

namespace text_error_places_test {
namespace {

constexpr std::string_view kMlir =
    R"(sdy.mesh @m = <["x"=2]>
func.func @f(%a: tensor<8xf32>, %b: tensor<8xf32> {tf.x = 1 : i32, sdy.sharding = #sdy.sharding<@m, [{"x"}], replicated={"x"}>}) -> (tensor<8xf32> {mhlo.sharding = "{replicated}"}) {
  return %a : tensor<8xf32>
}
)";

/// Returns the text from the place of a diagnostic at the function on, shortened.
std::string text_at_place(DiagnosticSubject subject, std::string message) {
  const Diagnostics placed = text::with_mlir_places(
      kMlir, {Diagnostic{.message = std::move(message), .location = {2, 1}, .subject = subject}});
  const std::size_t line = kMlir.find("func.func");
  REQUIRE(placed.size() == 1);
  REQUIRE(placed[0].location.line() == 2);
  return std::string(kMlir.substr(line + placed[0].location.column() - 1, 12));
}

}  // namespace

TEST_CASE("the words of a message do not change its place", "[text][error_places]") {
  const std::string words =
      "result 0 - unknown mesh: @m, arg 0 - duplicate axis ref: \"x\", sub-axis \"x\"";
  CHECK(text_at_place({}, words) == "func.func @f");
  CHECK(text_at_place({.kind = Kind::Argument, .index = 1}, words) == "%b: tensor<8");
}

TEST_CASE("a subject is an argument or result, its sharding, or a name in it",
          "[text][error_places]") {
  CHECK(text_at_place({.kind = Kind::Argument, .index = 0}, "") == "%a: tensor<8");
  CHECK(text_at_place({.kind = Kind::Argument, .is_sharding = true, .index = 0}, "") ==
        "%a: tensor<8");
  CHECK(text_at_place({.kind = Kind::Argument, .is_sharding = true, .index = 1}, "") ==
        "sdy.sharding");
  CHECK(text_at_place({.kind = Kind::Argument, .index = 1, .name = "@m"}, "") == "@m, [{\"x\"}],");
  CHECK(text_at_place({.kind = Kind::Argument, .index = 1, .name = "\"x\""}, "") ==
        "\"x\"}], repli");
  CHECK(text_at_place({.kind = Kind::Argument, .is_repeated = true, .index = 1, .name = "\"x\""},
                      "") == "\"x\"}>}) -> (");
  CHECK(text_at_place({.kind = Kind::Result, .is_sharding = true, .index = 0}, "") ==
        "mhlo.shardin");
  // The function has no second result, and no such axis.
  CHECK(text_at_place({.kind = Kind::Result, .index = 1}, "") == "func.func @f");
  CHECK(text_at_place({.name = "\"z\""}, "") == "func.func @f");
}

TEST_CASE("a JSON pointer leads to the sharding or to the name in it", "[text][error_places]") {
  const auto document = text::JsonDocument::parse(
      R"({"args": [{"type": "f32[8]"}, {"type": "f32[8]", "sharding": ["x", ["y", "x"]]}]})",
      {8, 1});
  REQUIRE(document.has_value());
  const auto pointer = [&](DiagnosticSubject subject) {
    const Error error{.message = "result 0 - unknown axis name: \"q\" of a sharding",
                      .location = Location("/args/1"),
                      .subject = std::move(subject)};
    return text::pointer_of_subject(*document, error).text();
  };
  CHECK(pointer({}) == "/args/1");
  CHECK(pointer({.is_sharding = true}) == "/args/1/sharding");
  CHECK(pointer({.is_sharding = true, .name = "\"y\""}) == "/args/1/sharding/1/0");
  CHECK(pointer({.is_repeated = true, .name = "\"x\""}) == "/args/1/sharding/1/1");
  CHECK(pointer({.is_sharding = true, .name = "\"z\""}) == "/args/1");
}

}  // namespace text_error_places_test
