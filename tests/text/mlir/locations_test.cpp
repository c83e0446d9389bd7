// Locations of ops, and the aliases that they share. Spec: stablehlo 2.
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

namespace shardy::text::locations_test {
namespace {

ir::Module read(const std::string& text) {
  auto module = parse_mlir(text);
  if (!module) FAIL(error_text("text", text, module.error()));
  return *std::move(module);
}

std::string first_error(const std::string& text) {
  const auto module = parse_mlir(text);
  return module ? "(none)"
                : module.error().front().location.text() + ": " + module.error().front().message;
}

std::string with_locations(const ir::Module& module) {
  return to_mlir(module, {.locations = true});
}

/// The locations of the ops of the first function, without aliases; empty: line and column.
std::vector<std::string> locations_of(const ir::Module& module) {
  std::vector<std::string> all;
  for (const ir::OpId op : module.ops(module.entry(module.functions().front()))) {
    const std::string text = module.location_text(op);
    all.push_back(text.starts_with("loc") ? text : "");
  }
  return all;
}

TEST_CASE("location aliases are read in any order", "[text][mlir]") {
  const std::string program = R"(func.func @f() {
  %0 = stablehlo.iota dim = 0 : tensor<4xi32> loc(#loc2)
  return loc(#loc)
}
)";
  const std::string aliases =
      "#loc = loc(unknown)\n#loc1 = loc(\"f.py\":4:2)\n#loc2 = loc(\"name\"(#loc1))\n";
  const std::string backwards =
      "#loc2 = loc(\"name\"(#loc1))\n#loc1 = loc(\"f.py\":4:2)\n#loc = loc(unknown)\n";
  for (const std::string& text : {program + aliases, aliases + program, program + backwards,
                                  backwards + program, backwards + program + "#other = 1\n"}) {
    CAPTURE(text);
    const ir::Module module = read(text);
    const std::vector<std::string> locations = locations_of(module);
    CHECK(locations[0] == R"(loc("name"("f.py":4:2)))");
    CHECK(locations[1].empty());
    CHECK(to_mlir(module).find("loc") == std::string::npos);
    const std::string printed = with_locations(module);
    CHECK(printed.find("tensor<4xi32> loc(#loc2)\n") != std::string::npos);
    CHECK(printed.find("#loc1 = loc(\"f.py\":4:2)\n") != std::string::npos);
    CHECK(printed.find("#loc = ") == std::string::npos);  // no printed op has it
    CHECK(locations_of(read(printed))[0] == locations[0]);
  }
}

TEST_CASE("location definitions are read in any layout", "[text][mlir]") {
  const std::string program = "func.func @f() {\n  return loc(#a)\n}\n";
  const std::string wanted = R"(loc(callsite("g"("f.py":1:2 to :9) at fused["x", "y"])))";
  for (const std::string aliases : {
           "#b = loc(fused[\"x\", \"y\"])\n#a = loc(callsite(\"g\"(\"f.py\":1:2 to :9) at #b))\n",
           "#b = loc(fused[\"x\", \"y\"])\r\n#a = loc(callsite(\"g\"(\"f.py\":1:2 to :9) at "
           "#b))\r\n",
           "  #b=loc(fused[\"x\",  \"y\"])   #a = loc (callsite(\"g\"(\"f.py\":1:2 to :9) at #b))",
           "#b = loc(fused[\"x\",\n  \"y\"]) // why\n#a = loc(callsite(\"g\"(\"f.py\":1:2\tto "
           ":9)\nat #b))",
       }) {
    CAPTURE(aliases);
    CHECK(locations_of(read(program + aliases)).front() == wanted);
    CHECK(locations_of(read(aliases + "\n" + program)).front() == wanted);
    CHECK(locations_of(read(with_locations(read(program + aliases)))).front() == wanted);
  }
}

TEST_CASE("all forms of locations read back", "[text][mlir]") {
  const std::vector<std::string> forms = {
      R"("f.py":1:2)",
      R"("f.py":1:2 to 3:4)",
      R"("f.py":1:2 to :9)",
      R"("name")",
      R"("a \22)\22 ("(#loc1))",
      R"("name"("f.py":1:2))",
      R"(callsite(#loc1 at #loc2))",
      R"(callsite("a" at callsite("b"(#loc1) at callsite(#loc2 at unknown))))",
      R"(fused["a", #loc1, "f.py":1:2, unknown])",
      R"(fused<"why">["a", #loc2])",
      R"(fused<#di.scope<1>>[#loc1])",
      R"("a"(fused[callsite("b"("c.py":1:1) at #loc2), #loc1]))",
  };
  std::string text = "func.func @f(%x: tensor<2xf32>) {\n";
  std::string aliases = "#loc1 = loc(\"g.py\":5:6)\n#loc2 = loc(\"#loc1\"(#loc1))\n";
  for (std::size_t index = 0; index < forms.size(); ++index) {
    const std::string alias = "#form" + std::to_string(index);
    text += "  stablehlo.negate %x : tensor<2xf32> loc(" + forms[index] + ")\n";
    text += "  stablehlo.negate %x : tensor<2xf32> loc(" + alias + ")\n";
    aliases += alias + " = loc(" + forms[index] + ")\n";
  }
  const ir::Module module = read(text + "  return\n}\n" + aliases);
  const std::vector<std::string> locations = locations_of(module);
  for (std::size_t index = 0; index < forms.size(); ++index) {
    CHECK(locations[2 * index] == locations[2 * index + 1]);
    CHECK(locations[2 * index].find("(#loc") == std::string::npos);
  }
  CHECK(locations[4 * 2] == R"(loc("a \22)\22 ("("g.py":5:6)))");
  CHECK(locations[6 * 2] == R"(loc(callsite("g.py":5:6 at "#loc1"("g.py":5:6))))");
  const std::string printed = with_locations(module);
  CHECK(printed.ends_with("}\n" + aliases));
  const ir::Module again = read(printed);
  CHECK(locations_of(again) == locations);
  CHECK(with_locations(again) == printed);
}

TEST_CASE("only the aliases that ops use are printed", "[text][mlir]") {
  const ir::Module module = read(
      "\"a.b\"() : () -> () loc(#c)\n#a = loc(\"a\")\n#b = loc(\"b\")\n#c = loc(\"c\"(#a))\n"
      "#d = loc(fused[#b, #c])\n");
  CHECK(with_locations(module) ==
        "module {\n  \"a.b\"() : () -> () loc(#c)\n}\n#a = loc(\"a\")\n#c = loc(\"c\"(#a))\n");
}

/// The location of an op `loc(#a)` where these lines define aliases.
std::string location_with(const std::string& aliases) {
  const ir::Module module = read("\"a.b\"() : () -> () loc(#a)\n" + aliases);
  return module.location_text(module.first_op(module.body()));
}

TEST_CASE("location aliases are replaced by their definitions", "[text][mlir]") {
  CHECK(location_with("#a = loc(\"x\")\n") == "loc(\"x\")");
  CHECK(location_with("#b = loc(\"#c\")\n#a = loc(callsite(#b at #d))\n#d = loc(\"\\\"#b\")\n") ==
        "loc(callsite(\"#c\" at \"\\\"#b\"))");
  CHECK(location_with("#b = loc(unknown)\n#a = loc(fused[#b, \"x\", #b])\n") ==
        "loc(fused[unknown, \"x\", unknown])");
  CHECK(location_with("#b = loc(unknown)\n#c = loc(#b)\n#a = loc(#c)\n") == "1:1");
  CHECK(
      location_with("#loc01 = loc(\"y\")\n#loc1 = loc(\"x\")\n#a = loc(fused[#loc1, #loc01])\n") ==
      "loc(fused[\"x\", \"y\"])");
  CHECK(location_with("#loc4294967295 = loc(\"x\")\n#a = loc(#loc4294967295)\n") == "loc(\"x\")");
  CHECK(location_with("#a = loc(fused<#di.scope>[\"x\"])\n") == "loc(fused<#di.scope>[\"x\"])");
  CHECK(location_with("#a = loc(fused<(#s) -> #t>[\"x\"])\n") == "loc(fused<(#s) -> #t>[\"x\"])");
}

TEST_CASE("undefined location aliases are errors", "[text][mlir]") {
  const std::string op = "\"a.b\"() : () -> () loc(#a)\n";
  CHECK(first_error(op) == "1:24: location alias '#a' is not defined");
  CHECK(first_error(op + "#b = loc(\"a\")\n") == "1:24: location alias '#a' is not defined");
  CHECK(first_error("\"a.b\"() : () -> () loc(callsite(\"x\" at #loc7))\n#loc = loc(\"a\")\n") ==
        "1:40: location alias '#loc7' is not defined");
  CHECK(first_error(op + "#b = loc(\"a\")\n#a = loc(fused[#b, #c])\n") ==
        "3:1: location alias '#c' is not defined");
  CHECK(first_error("func.func @f(%x: tensor<2xf32> loc(#x)) {\n  return\n}\n") ==
        "1:36: location alias '#x' is not defined");
  CHECK(first_error(op + "#a = loc(fused<#s, \">\", <#t>, #u>[#c])\n") ==
        "2:1: location alias '#c' is not defined");
  CHECK(first_error("\"a.b\"() : () -> () loc(fused<#s -> #t, #u>[#c])\n")
            .ends_with("location alias '#c' is not defined"));
}

TEST_CASE("cyclic location aliases are errors", "[text][mlir]") {
  const std::string op = "\"a.b\"() : () -> () loc(#a)\n";
  CHECK(first_error(op + "#a = loc(#a)\n") == "2:1: location alias '#a' refers to itself");
  CHECK(first_error(op + "#a = loc(#b)\n#b = loc(fused[\"x\", #a])\n") ==
        "2:1: location alias '#a' refers to itself");
  CHECK(first_error(op + "#a = loc(\"x\")\n#c = loc(#b)\n#d = loc(#c)\n#b = loc(#d)\n") ==
        "3:1: location alias '#c' refers to itself");
  std::string shared = "#a = loc(\"x\"(#b0))\n";  // many paths to one alias are not a cycle
  for (int level = 0; level < 1000; ++level) {
    const std::string next = "#b" + std::to_string(level + 1);
    shared += "#b" + std::to_string(level) + " = loc(fused[" + next + ", " + next + "])\n";
  }
  CHECK(first_error(op + shared + "#b1000 = loc(\"y\")\n") == "(none)");
  CHECK(first_error(op + shared + "#b1000 = loc(#b500)\n").find("refers to itself") !=
        std::string::npos);
}

TEST_CASE("messages print only the first levels of long location chains", "[text][mlir]") {
  std::string deep = "#a = loc(callsite(\"f0\" at #b0))\n";
  std::string wide = "#a = loc(fused[\"f.py\":1:2, #b0])\n";
  for (int level = 0; level < 100; ++level) {
    const std::string name = "#b" + std::to_string(level);
    const std::string next = "#b" + std::to_string(level + 1);
    deep += name + " = loc(callsite(\"f" + std::to_string(level + 1) + "\" at " + next + "))\n";
    wide += name + " = loc(fused[" + next + ", " + next + "])\n";
  }
  const std::string last = "#b100 = loc(\"end\")\n";
  CHECK(location_with(deep + last).starts_with(R"(loc(callsite("f0" at callsite("f1" at )"));
  CHECK(location_with(deep + last).find("at #b62)") != std::string::npos);
  CHECK(location_with(wide + last).starts_with(R"(loc(fused["f.py":1:2, fused[)"));
  CHECK(location_with(wide + last).size() < 1'000'000);
}

TEST_CASE("location chains of 100,000 levels are read and printed", "[text][mlir]") {
  constexpr int kLevels = 100'000;
  std::string forwards = "#loc0 = loc(\"end\")\n";
  std::string backwards;
  for (int level = 1; level <= kLevels; ++level) {
    const std::string frame = "callsite(\"f\" at #loc" + std::to_string(level - 1) + ")";
    forwards += "#loc" + std::to_string(level) + " = loc(" + frame + ")\n";
  }
  for (int level = kLevels; level > 0; --level) {
    backwards += "#loc" + std::to_string(level) + " = loc(callsite(\"f\" at #loc" +
                 std::to_string(level - 1) + "))\n";
  }
  backwards += "#loc0 = loc(\"end\")\n";
  const std::string op = "\"a.b\"() : () -> () loc(#loc" + std::to_string(kLevels) + ")\n";
  for (const std::string& aliases : {forwards, backwards}) {
    const ir::Module module = read(op + aliases);
    const std::string printed = with_locations(module);
    CHECK(printed.ends_with(aliases));
    CHECK(with_locations(read(printed)) == printed);
    CHECK(module.location_text(module.first_op(module.body())).size() < 2000);
  }
  std::string nested;
  for (int level = 0; level < kLevels; ++level) nested += "callsite(\"f\" at ";
  nested += "\"end\"" + std::string(kLevels, ')');
  const ir::Module module = read("\"a.b\"() : () -> () loc(#a)\n#a = loc(" + nested + ")\n");
  CHECK(with_locations(module).ends_with("#a = loc(" + nested + ")\n"));
}

/// Ops with call-site chains as JAX prints them: each has a frame of its own in a chain that
/// `ops_per_chain` ops share.
std::string jax_locations(int ops, int frames, int ops_per_chain) {
  std::string text = "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n";
  std::string aliases;
  int next = 0;
  const auto alias = [&](const std::string& location) {
    const std::string name = "#loc" + std::to_string(next++);
    aliases += name + " = loc(" + location + ")\n";
    return name;
  };
  const auto frame = [&](int line) {
    const std::string place = "\"/home/user/model.py\":" + std::to_string(line) + ":4 to :30";
    return alias("\"fn_" + std::to_string(line) + "\"(" + alias(place) + ")");
  };
  std::string chain;
  for (int op = 0; op < ops; ++op) {
    if (op % ops_per_chain == 0) chain = frame(op);
    for (int depth = 2; op % ops_per_chain == 0 && depth < frames; ++depth) {
      chain = alias("callsite(" + frame(op + depth) + " at " + chain + ")");
    }
    const std::string site = alias("callsite(" + frame(op) + " at " + chain + ")");
    const std::string operand = op == 0 ? "%x" : "%" + std::to_string(op - 1);
    text += "  %" + std::to_string(op) + " = stablehlo.tanh " + operand + " : tensor<8xf32> loc(" +
            alias("\"jit(step)/tanh\"(" + site + ")") + ")\n";
  }
  return text + "  return %" + std::to_string(ops - 1) + " : tensor<8xf32>\n}\n" + aliases;
}

TEST_CASE("many long call-site chains are read", "[text][mlir]") {
  for (const int ops : {1, 10, 1000}) {
    for (const int frames : {2, 5, 10, 40}) {
      CAPTURE(ops, frames);
      CHECK(first_error(jax_locations(ops, frames, 20)) == "(none)");
    }
  }
  const ir::Module module = read(jax_locations(30, 10, 20));
  const ir::OpId function = module.functions().front();
  const ir::OpId last = module.last_op(module.entry(function));
  const std::string location = module.location_text(module.defining_op(module.operand(last, 0)));
  CHECK(location.starts_with(
      "loc(\"jit(step)/tanh\"(callsite(\"fn_29\"(\"/home/user/model.py\":29:4"));
  CHECK(location.find('#') == std::string::npos);
}

TEST_CASE("location aliases can be used as attributes", "[text][mlir]") {
  const std::string aliases = "#f = loc(\"f.py\":1:2)\n#g = loc(callsite(\"g\"(#f) at #f))\n";
  const std::string expanded = R"(callsite("g"("f.py":1:2) at "f.py":1:2))";
  for (const std::string value : {"#g", "loc(#g)", "[#g]"}) {
    CAPTURE(value);
    const ir::Module module = read(aliases + "\"a.b\"() {a = " + value + "} : () -> ()\n");
    CHECK(to_mlir(module).find(expanded) != std::string::npos);
    CHECK(to_mlir(read(to_mlir(module))) == to_mlir(module));
  }
  CHECK(first_error("#f = loc(unknown)\n#f = loc(unknown)\n").find("redefinition") !=
        std::string::npos);
  CHECK(first_error("#f = 1\n#f = loc(unknown)\n").find("redefinition") != std::string::npos);
  CHECK(first_error("#f = loc(unknown)\n#f = 1\n").find("redefinition") != std::string::npos);
  std::string wide = "#b0 = loc(\"x\")\n";
  for (int level = 1; level < 40; ++level) {
    const std::string last = "#b" + std::to_string(level - 1);
    wide += "#b" + std::to_string(level) + " = loc(fused[" + last + ", " + last + "])\n";
  }
  CHECK(first_error(wide + "\"a.b\"() : () -> ()\n") == "(none)");
  CHECK(first_error(wide + "\"a.b\"() {a = #b39} : () -> ()\n")
            .find("too many parts after its aliases are expanded") != std::string::npos);
}

TEST_CASE("call-site chains are printed as they are read", "[text][mlir]") {
  const std::string text = jax_locations(1000, 10, 20);
  const ir::Module module = read(text);
  const std::string printed = with_locations(module);
  CHECK(printed.size() < text.size() * 11 / 10);
  const ir::Module again = read(printed);
  CHECK(with_locations(again) == printed);
  CHECK(locations_of(again) == locations_of(module));
}

TEST_CASE("a location copied to another module keeps its source location", "[text][mlir]") {
  const ir::Module from = read(jax_locations(3, 5, 2));
  const ir::OpId op = from.first_op(from.entry(from.functions().front()));
  const auto moved_to = [&](ir::Module to) {
    const ir::LocationId location = to.add_location(from, from.location(op));
    CHECK(to.source_location(location) == from.source_location(op));
    return to.written_location(location);
  };
  CHECK(moved_to({}) == from.written_location(from.location(op)));
  CHECK(moved_to(from) == from.written_location(from.location(op)));
  CHECK(moved_to(read("\"a.b\"() : () -> () loc(#loc2)\n#loc2 = loc(\"other\")\n")) ==
        from.location_text(op));
  CHECK_FALSE(ir::Module().add_location(from, ir::LocationId()).valid());
}

}  // namespace
}  // namespace shardy::text::locations_test
