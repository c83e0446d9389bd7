// Terse texts, without a blank that could go, of a great many equal parts: reading them takes at
// most sixty times as many bytes as the text has, too.
#include <fmt/core.h>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"
#include "support/counted_memory.hpp"
#include "text/mlir/repeated_text.hpp"

namespace shardy::text::terse_memory_test {
namespace {

using shardy_test::peak_of;

/// `i`, `j`, ..., `z`, `z_1`, ...
std::string factor(std::size_t index) {
  constexpr std::size_t kLetters = 18;
  if (index < kLetters) return {static_cast<char>('i' + index)};
  return "z_" + std::to_string(index - kLetters + 1);
}

/// An op with one attribute.
std::string attr(const std::string& value) {
  return in_function(R"("a.b"(){a=)" + value + "}:()->()");
}

struct Kind {
  std::string_view name;
  std::function<std::string(std::size_t)> text;  // of so many parts
  bool is_program = true;
};

// NOLINTNEXTLINE(cert-err58-cpp)
const Kind kKinds[] = {
    {"flat", [](std::size_t n) { return in_function(repeated(R"("a.b"():()->())", n)); }},
    {"flat1", [](std::size_t n) { return in_function(repeated(R"("a"():()->())", n)); }},
    {"flat attr", [](std::size_t n) { return in_function(repeated(R"("a.b"(){a}:()->())", n)); }},
    {"flat attr int",
     [](std::size_t n) {
       return in_function(joined(
           n, "", [](std::size_t i) { return R"("a.b"(){a=)" + std::to_string(i) + "}:()->()"; }));
     }},
    {"flat prop", [](std::size_t n) { return in_function(repeated(R"("a.b"()<{a}>:()->())", n)); }},
    {"flat loc",
     [](std::size_t n) { return in_function(repeated(R"("a.b"():()->()loc(""))", n)); }},
    {"flat loc of a long alias",
     [](std::size_t n) {
       return "#l=loc(\"" + std::string(60'000, 'x') + "\")\n" +
              in_function(repeated(R"("a.b"():()->()loc(#l))", n));
     }},
    {"location aliases",
     [](std::size_t n) {
       return joined(n, "", [](std::size_t i) { return "#" + word(i) + "=loc(\"\")\n"; }) +
              in_function("");
     }},
    {"flat results of a long alias",
     [](std::size_t n) {
       return "!t=tuple<" + repeated("i1,", 20'000) + "i1>\n" +
              in_function(repeated(R"("a.b"():()->!t)", n));
     }},
    {"flat regions",
     [](std::size_t n) { return in_function(repeated(R"("a.b"()({}):()->())", n)); }},
    {"flat blocks",
     [](std::size_t n) { return in_function(repeated(R"("a.b"()({^a:}):()->())", n)); }},
    {"flat block arg",
     [](std::size_t n) { return in_function(repeated(R"("a.b"()({^a(%a:i1):}):()->())", n)); }},
    {"flat result", [](std::size_t n) { return in_function(repeated(R"("a.b"():()->i1)", n)); }},
    {"flat 3 results",
     [](std::size_t n) { return in_function(repeated(R"("a.b"():()->(i1,i1,i1))", n)); }},
    {"flat 100 results",
     [](std::size_t n) {
       return in_function(repeated(R"("a.b"():()->()" + repeated("i1,", 99) + "i1)", n / 30));
     }},
    {"flat named",
     [](std::size_t n) {
       return in_function(
           joined(n, "", [](std::size_t i) { return "%" + word(i) + R"(="a.b"():()->i1)"; }));
     }},
    {"flat operand",
     [](std::size_t n) { return in_function(repeated(R"("a.b"(%a):(i1)->())", n), "%a:i1"); }},
    {"flat shardings",
     [](std::size_t n) {
       return R"(sdy.mesh@m=<["a"=2]>)" +
              in_function(repeated(
                  R"("a.b"(){sdy.sharding=#sdy.sharding_per_value<[<@m,[{}]>]>}:()->tensor<2xi1>)",
                  n));
     }},
    {"flat sharded",
     [](std::size_t n) {
       return R"(sdy.mesh@m=<["a"=2]>)" +
              in_function(repeated(
                  R"("a.b"(){sdy.sharding=#sdy.sharding_per_value<[<@m,[{"a"}]>]>}:()->tensor<2xi1>)",
                  n));
     }},
    {"sharded args",
     [](std::size_t n) {
       return R"(sdy.mesh@m=<["a"=2]>)" +
              in_function("", joined(n, ",", [](std::size_t i) {
                            return "%" + word(i) +
                                   ":tensor<2xi1>{sdy.sharding=#sdy.sharding<@m,[{}]>}";
                          }));
     }},
    {"sharded results",
     [](std::size_t n) {
       return R"(sdy.mesh@m=<["a"=2]>)" +
              in_function(R"("a.b"(){sdy.sharding=#sdy.sharding_per_value<[)" +
                          repeated("<@m,[{}]>,", n - 1) + "<@m,[{}]>]>}:()->(" +
                          repeated("tensor<2xi1>,", n - 1) + "tensor<2xi1>)");
     }},
    {"rule",
     [](std::size_t n) {
       return in_function(R"("a.b"()" + repeated("%a,", n - 1) +
                              "%a){sdy.sharding_rule=#sdy.op_sharding_rule<(" +
                              repeated("[],", n - 1) + "[])->([])>}:(" +
                              repeated("tensor<i1>,", n - 1) + "tensor<i1>)->tensor<i1>",
                          "%a:tensor<i1>");
     }},
    {"symbol users",
     [](std::size_t n) {
       return joined(n, "", [](std::size_t i) {
         return "func.func @" + word(i) + "(){call@" + word(i ? i - 1 : 0) + "():()->()return}";
       });
     }},
    {"distinct nested keys",
     [](std::size_t n) {
       return attr("[" + joined(n, ",", [](std::size_t i) { return "{" + word(i) + "}"; }) + "]");
     }},
    {"distinct arrays",
     [](std::size_t n) {
       return attr(
           "[" + joined(n, ",", [](std::size_t i) { return "[" + std::to_string(i) + "]"; }) + "]");
     }},
    {"aliases of aliases",
     [](std::size_t n) {
       return "#a=#sdy.mesh<[]>\n" +
              joined(n, "\n", [](std::size_t i) { return "#" + word(i) + "=#a"; }) + "\n" +
              in_function("");
     }},
    {"flat types",
     [](std::size_t n) {
       return in_function(joined(n, "", [](std::size_t i) {
         return R"("a.b"():()->tensor<)" + std::to_string(i) + "xi1>";
       }));
     }},
    {"constants",
     [](std::size_t n) {
       return in_function(joined(n, "", [](std::size_t i) {
         return "%" + word(i) + "=stablehlo.constant dense<1>:tensor<i1>";
       }));
     }},
    {"constants2",
     [](std::size_t n) {
       return in_function(joined(n, "", [](std::size_t i) {
         return "%" + word(i) + "=sdy.constant dense<" + std::to_string(i) + ">:tensor<i32>";
       }));
     }},
    {"calls", [](std::size_t n) { return in_function(repeated("call@f():()->()", n)); }},
    {"returns", [](std::size_t n) { return in_function(repeated("return ", n)); }, false},
    {"results",
     [](std::size_t n) {
       return in_function("%0:" + std::to_string(n) + R"( = "a.b"():()->()" +
                          repeated("i1,", n - 1) + "i1)");
     }},
    {"results unnamed",
     [](std::size_t n) {
       return in_function(R"("a.b"():()->()" + repeated("i1,", n - 1) + "i1)");
     }},
    {"operands",
     [](std::size_t n) {
       return in_function(
           R"("a.b"()" + repeated("%a,", n - 1) + "%a):(" + repeated("i1,", n - 1) + "i1)->()",
           "%a:i1");
     }},
    {"return operands",
     [](std::size_t n) {
       return "func.func @f(%a:i1){return " + repeated("%a,", n - 1) +
              "%a:" + repeated("i1,", n - 1) + "i1}";
     },
     false},
    {"func args",
     [](std::size_t n) {
       return in_function("", joined(n, ",", [](std::size_t i) { return "%" + word(i) + ":i1"; }));
     }},
    {"func arg attrs",
     [](std::size_t n) {
       return in_function("",
                          joined(n, ",", [](std::size_t i) { return "%" + word(i) + ":i1{a.b}"; }));
     }},
    {"func results",
     [](std::size_t n) { return "func.func private@f()->(" + repeated("i1,", n - 1) + "i1)"; }},
    {"func result attrs",
     [](std::size_t n) {
       return "func.func private@f()->(" + repeated("i1{a.b},", n - 1) + "i1)";
     }},
    {"decl args",
     [](std::size_t n) { return "func.func private@f(" + repeated("i1,", n - 1) + "i1)"; }},
    {"declarations",
     [](std::size_t n) {
       return joined(n, "", [](std::size_t i) { return "func.func private@" + word(i) + "()"; });
     }},
    {"functions",
     [](std::size_t n) {
       return joined(n, "", [](std::size_t i) { return "func.func @" + word(i) + "(){return}"; });
     }},
    {"meshes",
     [](std::size_t n) {
       return joined(n, "", [](std::size_t i) { return "sdy.mesh@" + word(i) + "=<[]>"; });
     }},
    {"mesh axes",
     [](std::size_t n) {
       return "sdy.mesh@m=<[" +
              joined(n, ",", [](std::size_t i) { return R"(")" + word(i) + R"("=1)"; }) + "]>";
     }},
    {"mesh devices",
     [](std::size_t n) {
       return R"(sdy.mesh@m=<["a"=)" + std::to_string(n) + "],device_ids=[" +
              joined(n, ",", [n](std::size_t i) { return std::to_string(n - 1 - i); }) + "]>";
     }},
    {"blocks",
     [](std::size_t n) {
       return in_function(R"("a.b"()({)" +
                          joined(n, "", [](std::size_t i) { return "^" + word(i) + ":"; }) +
                          "}):()->()");
     }},
    {"block args",
     [](std::size_t n) {
       return in_function(R"("a.b"()({^a()" +
                          joined(n, ",", [](std::size_t i) { return "%" + word(i) + ":i1"; }) +
                          "):}):()->()");
     }},
    {"successors",
     [](std::size_t n) {
       return in_function(R"("a.b"()({^a:"a.b"()[)" + repeated("^a,", n - 1) +
                          "^a]:()->()}):()->()");
     }},
    {"many regions",
     [](std::size_t n) {
       return in_function(R"("a.b"()()" + repeated("{},", n - 1) + "{}):()->()");
     }},
    {"aliases",
     [](std::size_t n) {
       return joined(n, "\n", [](std::size_t i) { return "#" + word(i) + "=1"; }) + "\n" +
              in_function("");
     }},
    {"type aliases",
     [](std::size_t n) {
       return joined(n, "\n", [](std::size_t i) { return "!" + word(i) + "=i1"; }) + "\n" +
              in_function("");
     }},
    {"keys",
     [](std::size_t n) {
       return in_function(R"("a.b"(){)" + joined(n, ",", [](std::size_t i) { return word(i); }) +
                          "}:()->()");
     }},
    {"sorted keys",
     [](std::size_t n) {
       return in_function(R"("a.b"(){)" +
                          joined(n, ",", [](std::size_t i) { return fmt::format("k{:05x}", i); }) +
                          "}:()->()");
     }},
    {"nested keys", [](std::size_t n) { return attr("[" + repeated("{a},", n - 1) + "{a}]"); }},
    {"keys int", [](std::size_t n) { return attr("[" + repeated("{a=1},", n - 1) + "{a=1}]"); }},
    {"arrays 1", [](std::size_t n) { return attr("[" + repeated("[1],", n - 1) + "[1]]"); }},
    {"arrays [[]]", [](std::size_t n) { return attr("[" + repeated("[[]],", n - 1) + "[[]]]"); }},
    {"strings", [](std::size_t n) { return attr("[" + repeated(R"("",)", n - 1) + R"(""])"); }},
    {"strings2",
     [](std::size_t n) {
       return attr("[" + joined(n, ",", [](std::size_t i) { return R"(")" + word(i) + R"(")"; }) +
                   "]");
     }},
    {"symbols", [](std::size_t n) { return attr("[" + repeated("@a,", n - 1) + "@a]"); }},
    {"symbols2",
     [](std::size_t n) {
       return attr("[" + joined(n, ",", [](std::size_t i) { return "@" + word(i); }) + "]");
     }},
    {"symbol paths", [](std::size_t n) { return attr("[" + repeated("@a::@b,", n - 1) + "@a]"); }},
    {"types", [](std::size_t n) { return attr("[" + repeated("i1,", n - 1) + "i1]"); }},
    {"int types",
     [](std::size_t n) {
       return attr(
           "[" + joined(n, ",", [](std::size_t i) { return "i" + std::to_string(i + 100); }) + "]");
     }},
    {"func types of odd widths",
     [](std::size_t n) {
       return attr("[" +
                   joined(n, ",", [](std::size_t i) { return "()->i" + std::to_string(i + 100); }) +
                   "]");
     }},
    {"func types of two odd widths",
     [](std::size_t n) {
       return attr("[" +
                   joined(n, ",",
                          [](std::size_t i) {
                            return "(i" + std::to_string(2 * i + 100) + ")->i" +
                                   std::to_string(2 * i + 101);
                          }) +
                   "]");
     }},
    {"tuple types of odd widths",
     [](std::size_t n) {
       return attr(
           "[" +
           joined(n, ",", [](std::size_t i) { return "tuple<i" + std::to_string(i + 100) + ">"; }) +
           "]");
     }},
    {"func types", [](std::size_t n) { return attr("[" + repeated("()->(),", n - 1) + "i1]"); }},
    {"tuple elements",
     [](std::size_t n) { return attr("tuple<" + repeated("i1,", n - 1) + "i1>"); }},
    {"func inputs", [](std::size_t n) { return attr("(" + repeated("i1,", n - 1) + "i1)->()"); }},
    {"func results type",
     [](std::size_t n) { return attr("()->(" + repeated("i1,", n - 1) + "i1)"); }},
    {"tensor dims", [](std::size_t n) { return attr("tensor<" + repeated("1x", n - 1) + "i1>"); },
     false},
    {"tensors",
     [](std::size_t n) {
       return attr(
           "[" +
           joined(n, ",", [](std::size_t i) { return "tensor<" + std::to_string(i) + "xi1>"; }) +
           "]");
     }},
    {"floats",
     [](std::size_t n) {
       return attr("[" + joined(n, ",", [](std::size_t i) { return std::to_string(i) + "."; }) +
                   "]");
     }},
    {"units", [](std::size_t n) { return attr("[" + repeated("unit,", n - 1) + "unit]"); }},
    {"dense scalars",
     [](std::size_t n) { return attr("[" + repeated("dense<1>:tensor<i1>,", n - 1) + "unit]"); }},
    {"dense scalars2",
     [](std::size_t n) {
       return attr(
           "[" +
           joined(n, ",",
                  [](std::size_t i) { return "dense<" + std::to_string(i) + ">:tensor<i32>"; }) +
           "]");
     }},
    {"dense empties",
     [](std::size_t n) { return attr("[" + repeated("dense<>:tensor<0xi1>,", n - 1) + "unit]"); }},
    {"dense arrays",
     [](std::size_t n) { return attr("[" + repeated("array<i1>,", n - 1) + "unit]"); }},
    {"dense array i8",
     [](std::size_t n) { return attr("array<i8:" + repeated("1,", n - 1) + "1>"); }},
    {"dense bools",
     [](std::size_t n) {
       return attr("dense<[" + repeated("true,", n - 1) + "false]>:tensor<" + std::to_string(n) +
                   "xi1>");
     }},
    {"dense i4",
     [](std::size_t n) {
       return attr("dense<[" + repeated("1,", n - 1) + "0]>:tensor<" + std::to_string(n) + "xi4>");
     }},
    {"dense f64",
     [](std::size_t n) {
       return attr("dense<[" + repeated("1.,", n - 1) + "0.]>:tensor<" + std::to_string(n) +
                   "xf64>");
     }},
    {"dense strings",
     [](std::size_t n) {
       return attr("dense<[" + repeated(R"("",)", n - 1) + R"("a"]>:tensor<)" + std::to_string(n) +
                   "x!foo.bar>");
     }},
    {"opaques", [](std::size_t n) { return attr("[" + repeated("#a<b>,", n - 1) + "unit]"); }},
    {"opaque types", [](std::size_t n) { return attr("[" + repeated("!a.b,", n - 1) + "unit]"); }},
    {"affine maps",
     [](std::size_t n) { return attr("[" + repeated("affine_map<()->()>,", n - 1) + "unit]"); }},
    {"locs",
     [](std::size_t n) {
       return in_function(R"("a.b"():()->()loc(fused[)" + repeated(R"("a",)", n - 1) + R"("a"]))");
     }},
    {"sharding dims",
     [](std::size_t n) { return attr("#sdy.sharding<@m,[" + repeated("{},", n - 1) + "{}]>"); },
     false},
    {"sharding dims?",
     [](std::size_t n) { return attr("#sdy.sharding<@m,[" + repeated("{?},", n - 1) + "{}]>"); },
     false},
    {"sharding dims a",
     [](std::size_t n) {
       return attr("#sdy.sharding<@m,[" +
                   joined(n, ",", [](std::size_t i) { return R"({")" + word(i) + R"("})"; }) +
                   "]>");
     },
     false},
    {"sharding axes",
     [](std::size_t n) {
       return attr("#sdy.sharding<@m,[{" +
                   joined(n, ",", [](std::size_t i) { return R"(")" + word(i) + R"(")"; }) + "}]>");
     }},
    {"sharding same axes",
     [](std::size_t n) {
       return attr("#sdy.sharding<@m,[{" + repeated(R"("",)", n - 1) + R"(""}]>)");
     }},
    {"sharding sub axes",
     [](std::size_t n) {
       return attr("#sdy.sharding<@m,[{" +
                   joined(n, ",", [](std::size_t i) { return R"(")" + word(i) + R"(":(1)2)"; }) +
                   "}]>");
     }},
    {"sharding replicated",
     [](std::size_t n) {
       return attr("#sdy.sharding<@m,[],replicated={" +
                   joined(n, ",", [](std::size_t i) { return R"(")" + word(i) + R"(")"; }) + "}>");
     }},
    {"shardings",
     [](std::size_t n) { return attr("[" + repeated("#sdy.sharding<@m,[]>,", n - 1) + "unit]"); }},
    {"per value",
     [](std::size_t n) {
       return attr("#sdy.sharding_per_value<[" + repeated("<@m,[]>,", n - 1) + "<@m,[]>]>");
     }},
    {"per value 1",
     [](std::size_t n) {
       return attr("#sdy.sharding_per_value<[" + repeated("<@m,[{}]>,", n - 1) + "<@m,[{}]>]>");
     }},
    {"inline meshes",
     [](std::size_t n) {
       return attr("[" + repeated("#sdy.sharding<mesh<[]>,[]>,", n - 1) + "unit]");
     }},
    {"manual axes",
     [](std::size_t n) {
       return attr("#sdy<manual_axes{" +
                   joined(n, ",", [](std::size_t i) { return R"(")" + word(i) + R"(")"; }) + "}>");
     }},
    {"axis lists",
     [](std::size_t n) {
       return attr("#sdy<list_of_axis_ref_lists[" + repeated("{},", n - 1) + "{}]>");
     }},
    {"rule operands",
     [](std::size_t n) {
       return attr("#sdy.op_sharding_rule<(" + repeated("[],", n - 1) + "[])->([])>");
     }},
    {"rule factors",
     [](std::size_t n) {
       const std::string rule =
           "#sdy.op_sharding_rule<([" + joined(100, ",", factor) + "])->([]){" +
           joined(100, ",", [](std::size_t i) { return factor(i) + "=1"; }) + "}>";
       return attr("[" + repeated(rule + ",", n / 100) + "unit]");
     }},
    {"rule one factor dims",
     [](std::size_t n) {
       return attr("#sdy.op_sharding_rule<([" + repeated("i", n - 1) + "i])->([]){i=1}>");
     },
     false},
    {"rule dims",
     [](std::size_t n) {
       return attr("#sdy.op_sharding_rule<([" + repeated("i,", n - 1) + "i])->([]){i=1}>");
     },
     false},
    {"gathers",
     [](std::size_t n) { return attr("[" + repeated("#stablehlo.gather<>,", n - 1) + "unit]"); }},
    {"scatters",
     [](std::size_t n) { return attr("[" + repeated("#stablehlo.scatter<>,", n - 1) + "unit]"); }},
    {"distinct gathers",
     [](std::size_t n) {
       return attr("[" +
                   joined(n, ",",
                          [](std::size_t i) {
                            return "#stablehlo.gather<offset_dims=[" + std::to_string(i) + "]>";
                          }) +
                   "]");
     }},
    {"distinct scatters",
     [](std::size_t n) {
       return attr("[" +
                   joined(n, ",",
                          [](std::size_t i) {
                            return "#stablehlo.scatter<index_vector_dim=" + std::to_string(i) + ">";
                          }) +
                   "]");
     }},
    {"distinct dots",
     [](std::size_t n) {
       return attr("[" +
                   joined(n, ",",
                          [](std::size_t i) {
                            return "#stablehlo.dot<lhs_contracting_dimensions=[" +
                                   std::to_string(i) + "],rhs_contracting_dimensions=[0]>";
                          }) +
                   "]");
     }},
    {"dots",
     [](std::size_t n) { return attr("[" + repeated("#stablehlo.dot<>,", n - 1) + "unit]"); }},
    {"convs",
     [](std::size_t n) {
       return attr("[" + repeated("#stablehlo.conv<[b,f]x[i,o]->[b,f]>,", n - 1) + "unit]");
     }},
    {"bounds",
     [](std::size_t n) {
       return attr("[" + repeated("tensor<?xi1,#stablehlo.bounds<1>>,", n - 1) + "unit]");
     }},
    {"bounds list",
     [](std::size_t n) { return attr("#stablehlo.bounds<" + repeated("1,", n - 1) + "1>"); }},
    {"gather dims",
     [](std::size_t n) {
       return attr("#stablehlo.gather<offset_dims=[" + repeated("1,", n - 1) + "1]>");
     }},
    {"replica groups",
     [](std::size_t n) {
       return attr("dense<[" +
                   joined(n, ",", [](std::size_t i) { return "[" + std::to_string(i) + "]"; }) +
                   "]>:tensor<" + std::to_string(n) + "x1xi64>");
     }},
    {"unclosed regions", [](std::size_t n) { return in_function(repeated(R"("a"()({)", n)); },
     false},
    {"nested 500",
     [](std::size_t n) {
       return in_function(
           repeated(repeated(R"("a"()({)", 500) + repeated("}):()->()", 500), n / 500));
     }},
    {"optimization_barrier",
     [](std::size_t n) {
       return in_function(repeated(R"("stablehlo.optimization_barrier"():()->())", n));
     }},
    {"modules", [](std::size_t n) { return repeated("module{}", n); }},
    {"module attrs",
     [](std::size_t n) {
       return "module attributes{" + joined(n, ",", [](std::size_t i) { return "a." + word(i); }) +
              "}{}";
     }},
    {"manual comps",
     [](std::size_t n) {
       return in_function(
           repeated("sdy.manual_computation()in_shardings=[]out_shardings=[]manual_axes={}(){sdy."
                    "return}:()->()",
                    n));
     }},
    {"named comps",
     [](std::size_t n) {
       return in_function(repeated(R"(sdy.named_computation<"">()(){sdy.return}:()->())", n));
     }},
    {"quants",
     [](std::size_t n) {
       return attr("[" +
                   joined(n, ",",
                          [](std::size_t i) {
                            return "!quant.uniform<i8:f32," + std::to_string(i + 1) + ".>";
                          }) +
                   "]");
     }},
    {"quant scales",
     [](std::size_t n) {
       return attr("!quant.uniform<i8:f32:0,{" + repeated("1.,", n - 1) + "1.}>");
     }},
    {"resources",
     [](std::size_t n) {
       return in_function("") + "{-#dialect_resources:{a:{" +
              joined(n, ",", [](std::size_t i) { return word(i) + R"(:"0x01")"; }) + "}}#-}";
     }},
    {"opaque nested", [](std::size_t n) { return attr("#a<" + repeated("b,", n - 1) + "b>"); }},
};

TEST_CASE("reading terse text takes at most 60 bytes of memory per byte", "[text][mlir][memory]") {
  for (const Kind& kind : kKinds) {
    for (const std::size_t count : {16'400U, 40'000U}) {  // just above what doubling would give
      const std::string text = kind.text(count);
      bool is_program = false;
      const std::size_t peak = peak_of([&] { is_program = parse_mlir(text).has_value(); });
      CAPTURE(kind.name, count, text.size(), peak);
      CHECK(is_program == kind.is_program);
      CHECK(peak <= kLargestRatio * text.size() + kFixedBytes);
    }
  }
}

constexpr std::size_t kParts = 16'400;

/// So many parts; `$` is replaced by the number of the part.
std::string numbered(std::string_view part) {
  return joined(kParts, "", [&](std::size_t index) {
    std::string text(part);
    return text.replace(text.find('$'), 1, std::to_string(index + 100));
  });
}

void check_memory(const std::string& text) {
  bool is_program = false;
  const std::size_t peak = peak_of([&] { is_program = parse_mlir(text).has_value(); });
  CAPTURE(text.size(), peak);
  CHECK(is_program);
  CHECK(peak <= kLargestRatio * text.size() + kFixedBytes);
}

TEST_CASE("shardings with one long alias have the same memory limit", "[text][mlir][memory]") {
  const std::string axes =
      joined(2000, ",", [](std::size_t index) { return '"' + word(index) + "\"=1"; });
  for (const std::string_view kind : {"#sdy.sharding<#m,[{?}p$]>", "#sdy.sharding<#n,[{?}p$]>",
                                      "#sdy.sharding_per_value<[<#m,[{?}p$]>]>"}) {
    check_memory("#m=#sdy.mesh<[" + axes + "]>\n#n=#m\n" +
                 numbered(R"("a"(){a=)" + std::string(kind) + "}:()->()"));
  }
}

TEST_CASE("shardings from aliases have the same memory limit", "[text][mlir][memory]") {
  // As many uses as there may be: their expansion is half of the text.
  const std::string dims = joined(2000, ",", [](std::size_t) { return "{}"; });
  const std::string uses = joined(kParts, "", [](std::size_t index) {
    return R"("a"(){a=#sdy.sharding_per_value<[)" + std::string(index % 110 == 0 ? "#s," : "") +
           "<@m,[{?}p" + std::to_string(index) + "]>]>}:()->()";
  });
  check_memory("#s=#sdy.sharding<@m,[" + dims.substr(0, 2999) + "]>\n" + uses);
}

}  // namespace
}  // namespace shardy::text::terse_memory_test
