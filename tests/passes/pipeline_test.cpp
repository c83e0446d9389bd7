// Options, registration, planning, running and the text of pipelines, with passes that only count.
#include <shardy/passes/pipeline.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace shardy;
using namespace shardy::passes;

namespace pipeline_test {
namespace {

/// `a` and `b` add their name and option to the name of the module, `fails` has an error, `both`
/// is a and b, `loop` contains itself.
PassRegistry letters() {
  const auto append = [](std::string letter) {
    return [letter](ir::Module& module, PassContext& context) {
      const auto* name = module.module_attributes().get<std::string>("sym_name");
      const std::string before = name == nullptr ? "" : *name;
      module.module_attributes().set("sym_name",
                                     before + letter + std::to_string(context.number("n")));
      if (context.number("n") > 5) context.warn("large number", "take a small one");
      return Diagnostics();
    };
  };
  const std::vector<PassOption> number = {{"n", OptionType::Int, "1", "a number"}};
  PassRegistry registry;
  REQUIRE(registry.add({.name = "a", .aliases = {"old-a"}, .options = number, .run = append("a")}));
  REQUIRE(registry.add(
      {.name = "b", .kind = PassKind::Function, .options = number, .run = append("b")}));
  REQUIRE(registry.add({.name = "fails", .run = [](ir::Module&, PassContext&) {
                          return Diagnostics{Error{"it failed", "1:2", {}}};
                        }}));
  REQUIRE(registry.add(
      {.name = "both", .options = number, .expand = [](const OptionValues& values) {
         return std::vector<PassCall>{{"a", "n=" + std::to_string(values.number("n"))}, {"b"}};
       }}));
  REQUIRE(registry.add({.name = "loop", .expand = [](const OptionValues&) {
                          return std::vector<PassCall>{{"a"}, {"loop"}};
                        }}));
  return registry;
}

std::string name_after(const std::vector<PassCall>& calls) {
  ir::Module module;
  CHECK(run_pipeline(module, letters(), calls).empty());
  const auto* name = module.module_attributes().get<std::string>("sym_name");
  return name == nullptr ? "" : *name;
}

std::string error_of(const std::vector<PassCall>& calls) {
  const auto planned = plan_passes(letters(), calls);
  return planned ? "" : planned.error().message;
}

/// `a{n=1} b` for each call.
std::string listing(const std::string& text) {
  const PassRegistry registry = letters();
  const auto calls = parse_pipeline(registry, text);
  if (!calls) return calls.error().message;
  std::string result;
  for (const PassCall& call : *calls) result += call.name + "{" + call.options + "} ";
  return result;
}

}  // namespace

TEST_CASE("passes run in order, with their options", "[passes][pipeline]") {
  CHECK(name_after({}).empty());
  CHECK(name_after({{"b", "n=2"}, {"a"}, {"old-a", "n=3"}}) == "b2a1a3");
}

TEST_CASE("a pipeline passes options to its passes", "[passes][pipeline]") {
  CHECK(name_after({{"both", "n=4"}, {"both"}}) == "a4b1a1b1");
}

TEST_CASE("unknown passes and options are found before anything runs", "[passes][pipeline]") {
  CHECK(error_of({{"a"}, {"c"}}) == "unknown pass: c");
  CHECK(error_of({{"old-a", "m=2"}}) == "old-a: no such option: m");
  CHECK(error_of({{"loop"}}) == "a pipeline contains itself: loop");
}

TEST_CASE("a pipeline stops at the first pass that fails", "[passes][pipeline]") {
  ir::Module module;
  const std::vector<PassCall> calls = {{"fails"}, {"a"}};
  const Diagnostics errors = run_pipeline(module, letters(), calls);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0] == Error{"it failed", "1:2", {}});
  CHECK(module.module_attributes().empty());
}

TEST_CASE("hooks run for every pass and may end the pipeline", "[passes][pipeline]") {
  ir::Module module;
  std::string seen;
  PipelineHooks hooks;
  hooks.sinks.diagnose = [&](const Diagnostic& each) { seen += "(" + each.message + ")"; };
  hooks.before = [&](const Pass& pass, const ir::Module&) { seen += "<" + pass.name; };
  hooks.after = [&](const Pass& pass, const ir::Module&) {
    seen += ">";
    return pass.name == "b" ? Diagnostics{Error{"enough", {}, {}}} : Diagnostics();
  };
  const std::vector<PassCall> calls = {{"both", "n=6"}, {"a"}};
  const Diagnostics errors = run_pipeline(module, letters(), calls, hooks);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].message == "enough");
  CHECK(seen == "<a(large number)><b>");
}

TEST_CASE("a registry rejects invalid passes", "[passes][pipeline]") {
  PassRegistry registry = letters();
  const auto none = [](ir::Module&, PassContext&) { return Diagnostics(); };
  CHECK(registry.add({.name = "old-a", .run = none}).error().message ==
        "a pass of that name exists: old-a");
  CHECK(registry.add({.name = "c"}).error().message ==
        "a pass either runs or is made of other passes: c");
  CHECK(registry.add({.name = "c", .options = {{"n", OptionType::Int, "x", ""}}, .run = none})
            .error()
            .message == "c: option n cannot be x");
}

TEST_CASE("the text of a pipeline is read", "[passes][pipeline]") {
  CHECK(listing("builtin.module()").empty());
  CHECK(listing("builtin.module(a)") == "a{} ");
  CHECK(listing(" builtin.module( a{n=1}, func.func(b{n=2 x={y}},b) ,a )") ==
        "a{n=1} b{n=2 x={y}} b{} a{} ");
  CHECK(listing("any(a,any(a,func.func()))") == "a{} a{} ");
  CHECK(listing("builtin.module(func.func(b))") == "b{} ");
}

TEST_CASE("invalid pipeline text is an error", "[passes][pipeline]") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {"a,b",
       "expected pass pipeline to be wrapped with the anchor operation type, e.g. "
       "'builtin.module(...)'"},
      {"builtin.module(c)", "'c' does not refer to a registered pass or pass pipeline"},
      {"builtin.module(a", "expected ',' after parsing pipeline"},
      {"builtin.module(a b)", "expected ',' after parsing pipeline"},
      {"builtin.module(a,)", "'' does not refer to a registered pass or pass pipeline"},
      {"builtin.module(a))", "encountered extra closing ')' creating unbalanced parentheses"},
      {"builtin.module(a{n=1)", "missing closing '}' while processing pass options"},
      {"builtin.module(func.func(a))",
       "can't add pass 'a' restricted to 'builtin.module' on a PassManager intended to run on "
       "'func.func', did you intend to nest?"},
      {"builtin.module(scf.for(a))", "passes cannot be nested in 'scf.for'"},
  }));
  CHECK(listing(text) == message);
}

// ---- Options ------------------------------------------------------------------------------------

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

TEST_CASE("omitted options have their defaults", "[passes][options]") {
  const OptionValues values = values_of("  ");
  CHECK_FALSE(values.flag("verbose"));
  CHECK(values.flag("inline"));
  CHECK(values.number("count") == 3);
  CHECK(values.text("name").empty());
  CHECK(values.text("strategy") == "fast");
}

TEST_CASE("options are read as MLIR prints them", "[passes][options]") {
  const OptionValues values =
      values_of("verbose inline=0  count=-12 name='two words' strategy=slow");
  CHECK(values.flag("verbose"));
  CHECK_FALSE(values.flag("inline"));
  CHECK(values.number("count") == -12);
  CHECK(values.text("name") == "two words");
  CHECK(values.text("strategy") == "slow");
}

TEST_CASE("quotes and braces around an option value are removed, and inner ones are kept",
          "[passes][options]") {
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

TEST_CASE("unknown options and values of other types are errors", "[passes][options]") {
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

}  // namespace pipeline_test
