// Sorts of rows that are sharded along their only dim. The devices exchange tiles if that sends
// fewer bytes than a gather of the row. Spec: partitioning 8.18.
#include <string>
#include <vector>

#include "checking/program_check.hpp"
#include "checking/programs.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/text/mlir.hpp"

using namespace shardy;
using shardy_test::check_program;
using shardy_test::text_of;
using shardy_test::traffic_of;

namespace sort_exchange_test {
namespace {

struct Sort {
  std::string mesh, axes;
  std::vector<std::string> elements;  // element types, the key's type first
  std::string order = "LT, %a0, %b0, TOTALORDER";
  std::string front = {};  // dims of size 1 before the sorted dim
  std::string back = {};
  bool is_stable = true;
};

std::string sorting(const Sort& sort, int64_t size) {
  std::string args, names, types, params, results;
  const auto add = [](std::string& list, const std::string& next) {
    list += (list.empty() ? "" : ", ") + next;
  };
  std::string dims = "{" + sort.axes + "}";
  if (!sort.front.empty()) dims = "{}, " + dims;
  if (!sort.back.empty()) dims += ", {}";
  for (std::size_t index = 0; index < sort.elements.size(); ++index) {
    const std::string at = std::to_string(index);
    const std::string& element = sort.elements[index];
    const std::string type =
        "tensor<" + sort.front + std::to_string(size) + "x" + sort.back + element + ">";
    const std::string sharded_type =
        type + " {sdy.sharding = #sdy.sharding<@mesh, [" + dims + "]>}";
    add(args, "%x" + at + ": " + sharded_type);
    add(results, sharded_type);
    add(names, "%x" + at);
    add(types, type);
    add(params, "%a" + at + ": tensor<" + element + ">, %b" + at + ": tensor<" + element + ">");
  }
  const std::string key = "tensor<" + sort.elements.front() + ">";
  const std::string all =
      names.find(',') == std::string::npos ? "" : ":" + std::to_string(sort.elements.size());
  std::string returned;
  for (std::size_t index = 0; index < sort.elements.size(); ++index) {
    add(returned, all.empty() ? "%r" : "%r#" + std::to_string(index));
  }
  return "sdy.mesh @mesh = <[" + sort.mesh + "]>\nfunc.func @main(" + args + ") -> (" + results +
         ") {\n  %r" + all + " = \"stablehlo.sort\"(" + names +
         ") <{dimension = " + (sort.front.empty() ? "0" : "1") +
         " : i64, is_stable = " + (sort.is_stable ? "true" : "false") + "}> ({\n  ^bb0(" + params +
         "):\n    %two = stablehlo.constant dense<2> : tensor<i32>\n    %p = stablehlo.compare " +
         sort.order + " : (" + key + ", " + key +
         ") -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n  }) : (" + types + ") -> (" +
         types + ")\n  return " + returned + " : " + types + "\n}\n";
}

const std::vector<std::string> kWide = {"f64", "i64", "complex<f64>"};

bool gathers(const std::string& text) {
  const auto module = text::parse_mlir(text);
  INFO(text);
  INFO((module ? std::string() : text_of(module.error())));
  REQUIRE(module.has_value());
  const auto compiled = checking::compile(*module);
  INFO((compiled ? std::string() : text_of(compiled.error())));
  REQUIRE(compiled.has_value());
  return text::to_mlir(compiled->program).find("all_gather") != std::string::npos;
}

}  // namespace

TEST_CASE("a sort of sharded rows equals a sort of whole rows", "[whole_dim][sort]") {
  const std::vector<Sort> sorts = {
      {R"("x"=8)", R"("x")", kWide},
      {R"("x"=8)", R"("x")", {"i8", "f64", "f64", "i64", "f64"}, "GT, %a0, %b0, SIGNED"},
      {R"("x"=2, "y"=4)", R"("y", "x")", kWide, "LT, %a0, %b0, TOTALORDER", "1x", "1x", false},
      {R"("x"=3, "y"=16)", R"("y":(1)8)", kWide},
      {R"("x"=4, "y"=3, "z"=2)", R"("z", "x")", kWide, "GT, %a0, %b0, TOTALORDER"},
      {R"("x"=32)", R"("x")", {"f32"}},
      {R"("x"=32)", R"("x")", {"ui8", "i16"}, "LT, %b0, %a0, UNSIGNED"},
  };
  for (const Sort& sort : sorts) {
    for (const int64_t size : {1, 2, 5, 8, 9, 16, 23, 31, 33, 64, 70}) {
      CAPTURE(sort.mesh, sort.axes, size);
      const std::string text = sorting(sort, size);
      // 3 bytes each; the positions are larger
      const bool is_exchanged = sort.elements.front() != "ui8";
      if (size > 1) CHECK(gathers(text) != is_exchanged);
      shardy_test::IndexedProgram program;
      program.text = text;
      program.bounds.resize(sort.elements.size());
      program.moves_only = size % 2 == 0;
      check_program(program, static_cast<uint64_t>(size));
    }
  }
}

TEST_CASE("a sort gathers if that sends less or if its comparator is not a known order",
          "[whole_dim][sort]") {
  CHECK(gathers(sorting({R"("x"=8)", R"("x")", {"f32"}}, 24)));
  CHECK(gathers(sorting({R"("x"=4)", R"("x")", kWide}, 24)));
  CHECK(gathers(sorting({R"("x"=9)", R"("x")", kWide}, 36)));
  CHECK(gathers(sorting({R"("x"=2048)", R"("x")", {"f32"}}, 4096)));
  CHECK(gathers(sorting({R"("x"=8)", R"("x")", kWide, "LT, %a0, %b0, FLOAT"}, 24)));
  CHECK(gathers(sorting({R"("x"=8)", R"("x")", kWide, "LE, %a0, %b0, TOTALORDER"}, 24)));
}

TEST_CASE("a sort by exchanges sends one shard per round", "[whole_dim][sort][traffic]") {
  // 3 levels of 1 + 2 + 3 rounds, with 3 elements of 8 + 8 + 16 + 4 bytes.
  CHECK(traffic_of(sorting({R"("x"=8)", R"("x")", kWide}, 24), 1.25) == "24x permute 648");
}

}  // namespace sort_exchange_test
