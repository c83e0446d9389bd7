// Values of single texts.
#include <functional>
#include <string>

#include "shardy/ir/type_text.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

namespace shardy::text::reader_test {
namespace {

using ir::OpKind;

ir::Module read(const std::string& text) {
  auto module = parse_mlir(text);
  if (!module) FAIL(error_text("text", text, module.error()));
  return *std::move(module);
}

std::string first_error(const std::string& text, const MlirOptions& options = {}) {
  const auto module = parse_mlir(text, options);
  return module ? "(none)"
                : module.error().front().location.text() + ": " + module.error().front().message;
}

TEST_CASE("an empty text is an empty module", "[text][mlir]") {
  CHECK(to_mlir(read("")) == "module {\n}\n");
  CHECK(to_mlir(read("module @a attributes {b = 1} {}")) ==
        "module @a attributes {b = 1 : i64} {\n}\n");
}

TEST_CASE("an unnamed module can contain several modules", "[text][mlir]") {
  const std::string text = "module {\n  module @a {\n  }\n  module @b {\n  }\n}\n";
  CHECK(to_mlir(read("module @a {} module @b {}")) == text);
  CHECK(to_mlir(read(text)) == text);
}

/// `0 = FIRST`, and each of `1` to `last` made of the one before by `next`.
std::string chain_of_aliases(char mark, const std::string& first, int last,
                             const std::function<std::string(const std::string&)>& next) {
  std::string text = std::string(1, mark) + "x0 = " + first + "\n";
  for (int index = 1; index <= last; ++index) {
    const std::string before = mark + ("x" + std::to_string(index - 1));
    text += mark + ("x" + std::to_string(index)) + " = " + next(before) + "\n";
  }
  return text;
}

TEST_CASE("type aliases are replaced by their definitions", "[text][mlir]") {
  const std::string aliases =
      "!q = !quant.uniform<i8:f32, 2.0>\n!t = tuple<i1, !foo.bar>\n!f = (!t) -> !q\n";
  const ir::Module module = read(aliases +
                                 "\"a.b\"() {a = !f, b = tuple<!t, tensor<4x!q>>, c = vector<2x!q>,"
                                 " d = !foo.bar<!q>} : () -> !t\n");
  CHECK(to_mlir(module) ==
        "module {\n  %0 = \"a.b\"() {"
        "a = (tuple<i1, !foo.bar>) -> !quant.uniform<i8:f32, 2.000000e+00>, "
        "b = tuple<tuple<i1, !foo.bar>, tensor<4x!quant.uniform<i8:f32, 2.000000e+00>>>, "
        "c = vector<2x!quant.uniform<i8:f32, 2.000000e+00>>, "
        "d = !foo.bar<!quant.uniform<i8:f32, 2.000000e+00>>} : () -> tuple<i1, !foo.bar>\n}\n");
}

TEST_CASE("aliases that expand to too much text are errors", "[text][mlir]") {
  const auto fails = [](const std::string& text, const std::string& message) {
    CAPTURE(text.substr(0, 200), message);
    CHECK(first_error(text).find(message) != std::string::npos);
  };
  const auto twice = [](const std::string& name) { return "tuple<" + name + ", " + name + ">"; };
  const auto in_tuple = [](const std::string& name) { return "tuple<" + name + ">"; };
  const auto pair = [](const std::string& name) { return "[" + name + ", " + name + "]"; };
  const auto in_list = [](const std::string& name) { return "[" + name + "]"; };
  CHECK(first_error(chain_of_aliases('!', "i1", 10, twice)) == "(none)");
  CHECK(first_error(chain_of_aliases('#', "1", 10, pair)) == "(none)");
  CHECK(first_error(chain_of_aliases('!', "i1", 63, in_tuple)) == "(none)");
  CHECK(first_error(chain_of_aliases('#', "1", 199, in_list)) == "(none)");
  fails(chain_of_aliases('!', "i1", 40, twice),
        "type has too many parts after its aliases are expanded");
  fails(chain_of_aliases('#', "1", 40, pair),
        "attribute has too many parts after its aliases are expanded");
  fails(chain_of_aliases('!', "i1", 64, in_tuple), "type is nested too deeply");
  fails(chain_of_aliases('#', "1", 200, in_list), "attribute is nested too deeply");
  fails(chain_of_aliases('#', "1", 100'000, in_list), "attribute is nested too deeply");
  std::string uses = "!t = !foo.bar<\"" + std::string(50'000, 'x') + "\">\n";
  for (int index = 0; index < 20; ++index) uses += "\"a.b\"() : () -> vector<2x!t>\n";
  fails(uses, "the expanded type aliases of this text are too large");
}

/// An op for each of `count` shardings that differ, with an alias as their mesh.
std::string uses_of_mesh(std::size_t num_axes, int count) {
  std::string axes;
  for (std::size_t axis = 0; axis < num_axes; ++axis) {
    axes += (axis > 0 ? ",\"x" : "\"x") + std::to_string(axis) + "\"=1";
  }
  std::string text =
      "#m = #sdy.mesh<[" + axes + "]>\n#s = #sdy.sharding<mesh<[" + axes + "]>, []>\n";
  for (int index = 0; index < count; ++index) {
    text += "\"a.b\"() {a = #sdy.sharding<#m, [{?}p" + std::to_string(index) + "]>} : () -> ()\n";
  }
  return text;
}

TEST_CASE("mesh aliases are shared, uses of sharding aliases have a limit", "[text][mlir]") {
  CHECK(first_error(uses_of_mesh(2000, 2000)) == "(none)");
  std::string few = uses_of_mesh(200, 0);
  few += R"("a.b"() {a = #sdy.sharding_per_value<[#s, #s]>} : () -> ())";
  CHECK(first_error(few) == "(none)");
  std::string many = uses_of_mesh(2000, 0) + R"("a.b"() {a = #sdy.sharding_per_value<[#s)";
  for (int use = 0; use < 100; ++use) many += ", #s";
  many += "]>} : () -> ()";
  CHECK(first_error(many).find("the expanded attribute aliases of this text are too large") !=
        std::string::npos);
}

TEST_CASE("terminators without operands may be omitted", "[text][mlir]") {
  const std::string text = R"(module {
  func.func @f() {
    sdy.named_computation<"n">() () {
      sdy.return
    } : () -> ()
    return
  }
}
)";
  const std::size_t at = text.find("      sdy.return\n");
  CHECK(to_mlir(read(text.substr(0, at) + text.substr(at + 17))) == text);
}

TEST_CASE("resources of a file are kept in its text", "[text][mlir]") {
  const std::string text = R"(module {
  func.func @f() {
    %cst = stablehlo.constant dense_resource<a> : tensor<1xf32>
    return
  }
}

{-#
  dialect_resources: { builtin: { a: "0x040000000000803F" } }
#-}
)";
  CHECK(to_mlir(read(text)) == text);
}

TEST_CASE("resources of a file can be loaded as values for a run", "[text][mlir]") {
  const auto loaded = [](const std::string& value, const std::string& resources) {
    ir::Module module = read("func.func @f() {\n  %0 = stablehlo.constant " + value +
                             "\n  return\n}\n{-#\n  dialect_resources: {\n    builtin: {" +
                             resources + "}\n  }\n#-}\n");
    const Status status = load_resources(module);
    if (!status) return status.error().location.text() + ": " + status.error().message;
    const std::string text = to_mlir(module);
    const std::size_t begin = text.find("constant ") + 9;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  const std::string floats = R"(a: "0x040000000000803F00000040")";
  CHECK(loaded("dense_resource<a> : tensor<2xf32>", floats) ==
        "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>");
  CHECK(loaded("dense_resource<\"b c\"> : tensor<2xi8>", floats + R"(, "b c": "0x0100000007F9")") ==
        "dense<[7, -7]> : tensor<2xi8>");
  CHECK(loaded("dense_resource<b> : tensor<2xf32>", floats) == "dense_resource<b> : tensor<2xf32>");
  CHECK(loaded("dense_resource<__elided__> : tensor<2xf32>", floats) ==
        "dense_resource<__elided__> : tensor<2xf32>");
  CHECK(loaded("dense_resource<a> : tensor<3xf32>", floats) ==
        "2:8: elements hex data size is invalid for provided type: 'tensor<3xf32>'");
  CHECK(loaded("dense_resource<a> : tensor<3xf32>", R"(a: "04000000")") ==
        "2:8: the resource 'a' is not a hex string with an alignment");
}

TEST_CASE("nested regions use no call stack, other nesting has a limit", "[text][mlir]") {
  const auto nested = [](int levels) {
    std::string text = "func.func @f(%c: tensor<i1>) {\n";
    for (int level = 0; level < levels; ++level) text += "\"foo.bar\"() ({\n";
    for (int level = 0; level < levels; ++level) text += "}) : () -> ()\n";
    return text + "return\n}\n";
  };
  CHECK(first_error(nested(100000)).find("regions are nested more than 1000 levels deep") !=
        std::string::npos);
  CHECK(first_error(nested(1000)).find("regions are nested more than 1000 levels deep") !=
        std::string::npos);
  const ir::Module module = read(nested(999));
  CHECK(to_mlir(module) == to_mlir(read(to_mlir(module))));
  CHECK(to_mlir(module, {.generic = true}).size() > 1000);
  const std::string brackets(100000, '[');
  CHECK(first_error("\"foo.bar\"() {a = " + brackets + "} : () -> ()")
            .find("attribute is nested too deeply") != std::string::npos);
  CHECK(first_error("\"foo.bar\"() {a = dense<" + brackets + "> : tensor<2xi32>} : () -> ()") !=
        "(none)");
  CHECK(first_error("\"foo.bar\"() : () -> " + std::string(100000, '(')) != "(none)");
  CHECK(first_error("func.func @f(%x: " + std::string(1000, ' ') + "tuple<tuple<tuple<") !=
        "(none)");
}

TEST_CASE("a literal of a huge type takes memory only for its elements", "[text][mlir]") {
  const std::string type = " : tensor<1000000000000000xi1>";
  const auto constant = [&](const std::string& value) {
    return "func.func @f() {\n  %0 = stablehlo.constant dense<" + value + ">" + type +
           "\n  return\n}\n";
  };
  CHECK(first_error(constant("true")) == "(none)");
  CHECK(first_error(constant("[true]")).starts_with("2:33: inferred shape"));
  CHECK(first_error(constant("\"0x0102\"")).starts_with("2:33: elements hex data size"));
}

TEST_CASE("the reader reports at most the requested number of errors", "[text][mlir]") {
  std::string text = "func.func @f() {\n";
  for (int line = 0; line < 50; ++line) text += "  stablehlo.return %x : tensor<i1>\n";
  text += "}\n";
  CHECK(parse_mlir(text).error().size() == 20);
  CHECK(parse_mlir(text, {.max_errors = 3}).error().size() == 3);
}

TEST_CASE("each prefix of a program is an error or a program", "[text][mlir]") {
  const std::string text = R"(module @m {
  sdy.mesh @m = <["x"=2]>
  func.func @f(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<4xf32> {
    %cst = stablehlo.constant dense<[1.0, 2.0, 3.0, 0x7F800000]> : tensor<4xf32>
    %0 = "stablehlo.custom_call"(%arg0, %cst) <{call_target_name = "a\22"}> {b = [1, {c}]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1:2 = stablehlo.while(%a = %0, %b = %cst) : tensor<4xf32>, tensor<4xf32> cond {
      %c = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      stablehlo.return %a, %b : tensor<4xf32>, tensor<4xf32>
    }
    return %1#0 : tensor<4xf32>
  }
}
)";
  read(text);
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto module = parse_mlir(text.substr(0, size));
    if (module) static_cast<void>(to_mlir(*module));
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char c : {'(', '}', '"', '%', ' ', '<', '9'}) {
      std::string changed = text;
      changed[at] = c;
      const auto module = parse_mlir(changed);
      if (module) static_cast<void>(to_mlir(*module));
    }
  }
}

TEST_CASE("lines of dashes separate programs, which keep their line numbers", "[text][mlir]") {
  const auto programs = split_programs("a\n// -----\nb\nc\n  // -----\n");
  REQUIRE(programs.size() == 3);
  CHECK(programs[0] == "a\n");
  CHECK(programs[1] == "\n\nb\nc\n");
  CHECK(programs[2] == "\n\n\n\n\n");
}

TEST_CASE("an error in a long line shows the text around it", "[text][mlir]") {
  const std::string text = std::string(50'000, ' ') + "%%" + std::string(50'000, ' ');
  const auto module = parse_mlir(text);
  REQUIRE_FALSE(module);
  const std::string shown = error_text("f", text, module.error());
  CHECK(shown.find("f:1:50002: error: ") == 0);
  CHECK(shown.find("%%") != std::string::npos);
  CHECK(shown.size() < 8'000);
}

// The custom form has one list of types.
TEST_CASE("a loop with compatible but different types prints in a form that reads back",
          "[text][mlir]") {
  const std::string loop = R"(func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<i1>) -> RESULT {
  %0 = "stablehlo.while"(%arg0) ({
  ^bb0(%a: CONDITION):
    stablehlo.return %arg1 : tensor<i1>
  }, {
  ^bb0(%a: BODY):
    %1 = "foreign.op"(%a) : (BODY) -> tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<4xf32>) -> RESULT
  return %0 : RESULT
})";
  struct Row {
    const char *condition, *body, *result;
  };
  for (const Row& row : {Row{"tensor<?xf32>", "tensor<4xf32>", "tensor<4xf32>"},
                         Row{"tensor<4xf32>", "tensor<?xf32>", "tensor<4xf32>"},
                         Row{"tensor<4xf32>", "tensor<4xf32>", "tensor<?xf32>"},
                         Row{"tensor<4xf32>", "tensor<4xf32>", "tensor<4xf32>"}}) {
    std::string text = loop;
    const auto put = [&](std::string_view word, const char* type) {
      for (std::size_t at = 0; (at = text.find(word)) != std::string::npos;) {
        text.replace(at, word.size(), type);
      }
    };
    put("CONDITION", row.condition);
    put("BODY", row.body);
    put("RESULT", row.result);
    CAPTURE(text);
    const ir::Module module = read(text);
    const std::string printed = to_mlir(module);
    CHECK(to_mlir(read(printed)) == printed);
    const bool is_plain =
        std::string_view(row.condition) == row.body && std::string_view(row.body) == row.result;
    CHECK((printed.find("stablehlo.while(") != std::string::npos) == is_plain);
  }
}

// Spec: partitioning 4.3.
TEST_CASE("adjacent axes in the orders of a relabel may stay unmerged", "[text][mlir]") {
  const std::string text = R"(module {
  sdy.mesh @m = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "spmd.permute"(%arg0) <{axes = #sdy<axis_ref_list{"x", "y"}>, map = #spmd.permute_map<relabel, [], <["x"=2, "y"=4]>, {"y":(1)2, "y":(2)2, "x"}, {"x", "y":(1)2, "y":(2)2}>, mesh = @m}> : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
)";
  CHECK(to_mlir(read(text)) == text);
}

}  // namespace
}  // namespace shardy::text::reader_test
