#include <shardy/passes/pass.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"

using shardy::Result;
using shardy::passes::OptionType;
using shardy::passes::OptionValues;
using shardy::passes::parse_options;
using shardy::passes::PassOption;

namespace {

const std::vector<PassOption> kOptions = {
    {"verbose", OptionType::Bool, "", "says more"},
    {"inline", OptionType::Bool, "true", "inlines"},
    {"count", OptionType::Int, "3", "how many"},
    {"name", OptionType::String, "", "what to call it"},
    {"strategy", OptionType::Enum, "fast", "how", {"fast", "slow"}},
};

OptionValues values_of(const std::string& text) {
  const Result<OptionValues> values = parse_options(kOptions, text);
  REQUIRE(values);
  return *values;
}

}  // namespace

TEST_CASE("options that are not given have their defaults", "[passes][options]") {
  const OptionValues values = values_of("  ");
  CHECK_FALSE(values.flag("verbose"));
  CHECK(values.flag("inline"));
  CHECK(values.number("count") == 3);
  CHECK(values.text("name").empty());
  CHECK(values.text("strategy") == "fast");
}

TEST_CASE("options are read as MLIR writes them", "[passes][options]") {
  const OptionValues values =
      values_of("verbose inline=0  count=-12 name='two words' strategy=slow");
  CHECK(values.flag("verbose"));
  CHECK_FALSE(values.flag("inline"));
  CHECK(values.number("count") == -12);
  CHECK(values.text("name") == "two words");
  CHECK(values.text("strategy") == "slow");
}

TEST_CASE("quotes and braces around a value go, those inside stay", "[passes][options]") {
  const auto [text, name] = GENERATE(table<std::string, std::string>({
      {"name=\"a b\"", "a b"},
      {"name={a=1 b={c d}}", "a=1 b={c d}"},
      {"name={ a }", "a"},
      {"name=a'b c'd", "a'b c'd"},
      {"name=", ""},
      {"name=x name=y", "y"},
      {"name=a=b", "a=b"},
  }));
  CHECK(values_of(text).text("name") == name);
}

TEST_CASE("a list is split at commas", "[passes][options]") {
  CHECK(values_of("name=a,b").list("name") == std::vector<std::string>{"a", "b"});
  CHECK(values_of("").list("name").empty());
}

TEST_CASE("options that do not exist and values of other types are refused", "[passes][options]") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {"colour=red", "no such option: colour"},
      {"verbose=maybe", "option verbose is of type bool, got: maybe"},
      {"count=1x", "option count is of type int, got: 1x"},
      {"count=99999999999999999999", "option count is of type int, got: 99999999999999999999"},
      {"count", "option count is of type int, got: "},
      {"strategy=best", "option strategy is of type fast|slow, got: best"},
  }));
  const Result<OptionValues> values = parse_options(kOptions, text);
  REQUIRE_FALSE(values);
  CHECK(values.error().message == message);
}
