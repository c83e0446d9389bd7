// Reading takes at most sixty times as many bytes as the text has, and ends soon, whatever it is.
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"
#include "support/counted_memory.hpp"
#include "text/mlir/repeated_text.hpp"

namespace shardy::text::memory_test {
namespace {

using shardy_test::peak_of;

std::string constant(const std::string& elements, const std::string& type) {
  return in_function("  %0 = stablehlo.constant dense<" + elements + "> : tensor<" + type + ">");
}

/// A chain of ops of several forms, each after `separator`.
std::string chain(std::size_t count, const std::string& separator) {
  const std::string ops = joined(count, separator, [](std::size_t index) -> std::string {
    const std::string last = "%" + (index == 0 ? "a" : std::to_string(index - 1));
    const std::string head = "%" + std::to_string(index) + " = stablehlo.";
    switch (index % 3) {
      case 0:
        return head + "add " + last + ", %a : tensor<8x8xf32>";
      case 1:
        return head + "tanh " + last + " {mhlo.x = \"y\"} : tensor<8x8xf32>";
      default:
        return head + "dot_general " + last +
               ", %a, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : "
               "(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>";
    }
  });
  return in_function(ops, "%a: tensor<8x8xf32>");
}

struct Row {
  std::string_view name;
  bool is_program;
  std::function<std::string()> text;
};

// NOLINTNEXTLINE(cert-err58-cpp)
const Row kRows[] = {
    {"floats", true,
     [] { return constant("[" + repeated("1.5, ", 99'999) + "2.5]", "100000xf32"); }},
    {"wide floats of few characters", true,
     [] { return constant("[" + repeated("1.,", 99'999) + "2.]", "100000xf64"); }},
    {"complex numbers", true,
     [] {
       return constant("[" + repeated("(1.0,2.0),", 49'999) + "(1.0,3.0)]", "50000xcomplex<f64>");
     }},
    {"integers of one digit", true,
     [] { return constant("[" + repeated("1,", 99'999) + "2]", "100000xi64"); }},
    {"a list of lists", true,
     [] { return constant("[" + repeated("[1,2],", 49'999) + "[2,1]]", "50000x2xi64"); }},
    {"a blob", true,
     [] { return constant("\"0x" + repeated("0000803F", 100'000) + "\"", "100000xf32"); }},
    {"a small literal of a large type", false,
     [] { return constant("[1.0, 2.0]", "1000000000000xf64") + repeated("\n", 1'000'000); }},
    {"an array of numbers", true,
     [] {
       return in_function(
           "\"a.b\"() {a = [" +
           joined(100'000, ",", [](std::size_t index) { return std::to_string(index % 7); }) +
           "]} : () -> ()");
     }},
    {"an array of different numbers", true,
     [] {
       return in_function(
           "\"a.b\"() {a = [" +
           joined(100'000, ", ",
                  [](std::size_t index) { return std::to_string(1'000'000 + index); }) +
           "]} : () -> ()");
     }},
    {"empty arrays in an array", true,
     [] { return in_function("\"a.b\"() {a = [" + repeated("[], ", 50'000) + "{}]} : () -> ()"); }},
    {"a dense array", true,
     [] {
       return in_function("\"a.b\"() {a = array<i64: " + repeated("1, ", 99'999) +
                          "2>} : () -> ()");
     }},
    {"many small attributes", true,
     [] {
       return in_function("\"a.b\"() {" +
                          joined(50'000, ", ",
                                 [](std::size_t index) {
                                   return "key" + std::to_string(10'000 + index) + " = 1";
                                 }) +
                          "} : () -> ()");
     }},
    {"many small attributes, the last one first", true,
     [] {
       return in_function("\"a.b\"() {" +
                          joined(50'000, ", ",
                                 [](std::size_t index) {
                                   return "key" + std::to_string(99'999 - index) + " = 1";
                                 }) +
                          "} : () -> ()");
     }},
    {"a key twice among many", false,
     [] {
       return in_function("\"a.b\"() {" +
                          joined(50'000, ", ",
                                 [](std::size_t index) {
                                   return "key" + std::to_string(99'999 - index % 49'999) + " = 1";
                                 }) +
                          "} : () -> ()");
     }},
    {"ops", true, [] { return chain(30'000, "\n  "); }},
    {"ops in one line", true, [] { return chain(30'000, " "); }},
    {"ops in generic form", true,
     [] {
       return in_function(
           joined(30'000, "\n",
                  [](std::size_t) {
                    return std::string("  \"foo.bar\"(%a, %a) : (tensor<f32>, tensor<f32>) -> ()");
                  }),
           "%a: tensor<f32>");
     }},
    {"small functions", true,
     [] {
       return joined(10'000, "\n", [](std::size_t index) {
         return "func.func @f" + std::to_string(index) +
                "(%a: tensor<f32>) -> tensor<f32> {\n  return %a : tensor<f32>\n}";
       });
     }},
    {"comments", true, [] { return repeated("// a comment\n", 100'000) + in_function(""); }},
    {"a long comment", true, [] { return "//" + std::string(10'000'000, 'x'); }},
    {"blanks", true, [] { return std::string(1'000'000, ' ') + in_function(""); }},
    {"empty lines", true, [] { return std::string(1'000'000, '\n') + in_function(""); }},
    {"nested regions", true,
     [] {
       return in_function(repeated("\"foo.bar\"() ({\n", 999) + repeated("}) : () -> ()\n", 999));
     }},
    {"regions nested too deeply", false,
     [] {
       return in_function(repeated("\"foo.bar\"() ({\n", 20'000) +
                          repeated("}) : () -> ()\n", 20'000));
     }},
    {"returns", false, [] { return in_function(repeated("return ", 100'000)); }},
    {"open brackets", false,
     [] { return in_function("\"a.b\"() {a = " + std::string(1'000'000, '[')); }},
    {"open types", false, [] { return "func.func @f(%x: " + std::string(1'000'000, '('); }},
    {"open elements", false, [] { return constant(std::string(1'000'000, '['), "2x2xi32"); }},
    {"open braces", false, [] { return std::string(1'000'000, '{'); }},
    {"a huge number", false,
     [] { return in_function("\"a.b\"() {a = 1" + std::string(1'000'000, '0') + "} : () -> ()"); }},
    {"a huge float", true,
     [] { return constant("1." + std::string(1'000'000, '0') + "e+99999999", "f32"); }},
    {"a long name", false, [] { return in_function("%" + std::string(1'000'000, 'x')); }},
    {"a long string", true,
     [] {
       return in_function("\"a.b\"() {a = \"" + std::string(1'000'000, 'x') + "\"} : () -> ()");
     }},
    {"a string of escapes", true,
     [] {
       return in_function("\"a.b\"() {a = \"" + repeated("\\0A", 300'000) + "\"} : () -> ()");
     }},
    {"an opaque attribute", true,
     [] {
       return in_function("\"a.b\"() {a = #foo.bar<" + repeated("x  ", 300'000) + ">} : () -> ()");
     }},
    {"percent signs", false, [] { return std::string(1'000'000, '%'); }},
    {"zeros", false, [] { return std::string(1'000'000, '\0'); }},
};

TEST_CASE("reading text takes at most 60 bytes of memory per byte", "[text][mlir][memory]") {
  for (const Row& row : kRows) {
    const std::string text = row.text();
    bool is_program = false;
    const std::size_t peak = peak_of([&] { is_program = parse_mlir(text).has_value(); });
    CAPTURE(row.name, text.size(), peak);
    CHECK(is_program == row.is_program);
    CHECK(peak <= kLargestRatio * text.size() + kFixedBytes);
  }
}

/// Ops with 10 frames each, as JAX prints them: all but the innermost are of a chain that 20 share.
std::string call_site_chains(std::size_t ops) {
  std::string body;
  std::string aliases;
  std::size_t last = 0;
  const auto alias = [&](const std::string& location) {
    aliases += "#loc" + std::to_string(++last) + " = loc(" + location + ")\n";
    return "#loc" + std::to_string(last);
  };
  const auto frame = [&](std::size_t line) {
    const std::string place =
        alias("\"/home/user/model.py\":" + std::to_string(line) + ":4 to :30");
    return alias("\"fn_" + std::to_string(line) + "\"(" + place + ")");
  };
  std::string chain;
  for (std::size_t op = 0; op < ops; ++op) {
    if (op % 20 == 0) chain = frame(op);
    for (std::size_t depth = 2; op % 20 == 0 && depth < 10; ++depth) {
      chain = alias("callsite(" + frame(op + depth) + " at " + chain + ")");
    }
    const std::string site = alias("callsite(" + frame(op) + " at " + chain + ")");
    body += "  stablehlo.tanh %x : tensor<8xf32> loc(" + alias("\"tanh\"(" + site + ")") + ")\n";
  }
  return in_function(body, "%x: tensor<8xf32>") + aliases;
}

TEST_CASE("reading call-site chains takes at most 3 bytes of memory per byte",
          "[text][mlir][memory]") {
  constexpr std::size_t kRatio = 3;
  for (const std::size_t ops : {1000U, 20'000U}) {
    const std::string text = call_site_chains(ops);
    CAPTURE(ops, text.size());
    ir::Module module;
    CHECK(peak_of([&] { module = *parse_mlir(text); }) <= kRatio * text.size() + kFixedBytes);
    std::string printed;
    const std::size_t peak = peak_of([&] { printed = to_mlir(module, {.locations = true}); });
    CHECK(printed.size() <= text.size() * 11 / 10);
    CHECK(peak <= kRatio * text.size() + kFixedBytes);
    CHECK(peak_of([&] { const ir::Module copy = module; }) <= text.size() + kFixedBytes);
  }
}

TEST_CASE("text of 100 MB is an error", "[text][mlir][memory]") {
  constexpr std::size_t kSize = 100'000'000;
  const auto ends_soon = [](const std::string& text) {
    const std::size_t peak = peak_of([&] {
      const auto module = parse_mlir(text);
      REQUIRE_FALSE(module);
      CHECK(module.error().size() <= 20);
      CHECK(error_text("f", text, module.error()).size() < 1'000'000);
    });
    CHECK(peak <= kLargestRatio * text.size());
  };
  ends_soon(std::string(kSize, '['));
  ends_soon("func.func @f(%x: tensor<" + std::string(kSize, '9') + "xf32>)");
  ends_soon("func.func @f() { " + repeated("%0 = ", kSize / 5));
  ends_soon("func.func @f() {\n\"a.b\"() {a = " + repeated("[\"x\", ", kSize / 6));
}

}  // namespace
}  // namespace shardy::text::memory_test
