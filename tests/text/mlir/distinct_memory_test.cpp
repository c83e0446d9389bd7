// Terse texts of a great many distinct parts of one kind: reading them takes at most twenty times
// as many bytes as the text has.
#include <cstddef>
#include <string>
#include <string_view>

#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"
#include "support/counted_memory.hpp"
#include "text/mlir/repeated_text.hpp"

namespace shardy::text {
namespace {

using shardy_test::peak_of;

constexpr std::size_t kParts = 16'400;  // just above what doubling would give

// Of each part: `$` stands for a number of its own, `~` for a word of its own.

constexpr std::string_view kAttributes[] = {
    "()->i$",
    "tensor<$xi1,#a>",
    "tensor<1xi1,#a<$>>",
    "#a.b$",
    "#a<b$>",
    "!a.b$",
    "!a<b$>",
    "dense<1>:tensor<$xi1>",
    "dense<$>:tensor<1xi64>",
    "array<i64:$>",
    "array<i1:true>",
    "array<f32:$.>",
    "$",
    "$.",
    "$.:f64",
    R"("$")",
    "@a$",
    "@a::@b$",
    R"(@"$")",
    "unit",
    "[$]",
    "[[$]]",
    "{a=$}",
    "{a$}",
    "{a$={}}",
    "#sdy.sharding<@m,[{}]>",
    "#sdy.sharding<@m$,[]>",
    "#sdy.sharding<@~,[{}]>",
    R"(#sdy.sharding<@m,[{"~"}]>)",
    "#sdy.sharding<@m,[{?}p$]>",
    R"(#sdy.sharding<@m,[{}],replicated={"~"}>)",
    R"(#sdy.sharding<mesh<["~"=1]>,[]>)",
    R"(#sdy.sharding<mesh<["a"=$]>,[]>)",
    "#sdy.sharding<mesh<[],device_ids=[$]>,[]>",
    "#sdy.sharding_per_value<[<@m,[]>]>",
    "#sdy.sharding_per_value<[]>",
    R"(#sdy.mesh<["~"=1]>)",
    "#sdy.mesh<[]>",
    R"(#sdy<manual_axes{"~"}>)",
    "#sdy<manual_axes{}>",
    R"(#sdy<list_of_axis_ref_lists[{"~"}]>)",
    "#sdy<list_of_axis_ref_lists[]>",
    R"(#sdy<axis_ref_list{"~"}>)",
    "#sdy.op_sharding_rule<([i])->([i]){i=$}>",
    "#sdy.op_sharding_rule<([i,j])->([ij]){i=2,j=$}>",
    "#stablehlo.channel_handle<handle=$,type=0>",
    "#stablehlo.channel_handle<handle=1,type=1>",
    "#stablehlo.output_operand_alias<output_tuple_indices=[$],operand_index=0,operand_tuple_"
    "indices=[]>",
    "#stablehlo<precision DEFAULT>",
    "#stablehlo<comparison_direction EQ>",
    "#stablehlo.bounds<$>",
    "tensor<?xi1,#stablehlo.bounds<$>>",
    "#stablehlo.gather<offset_dims=[$]>",
    "#stablehlo.scatter<update_window_dims=[$]>",
    "#stablehlo.dot<lhs_batching_dimensions=[$],rhs_batching_dimensions=[0]>",
    "#stablehlo.result_accuracy<mode=#stablehlo.result_accuracy_mode<DEFAULT>>",
    "#stablehlo.dot_algorithm<lhs_precision_type=f32,rhs_precision_type=f32,accumulation_type=f32,"
    "lhs_component_count=1,rhs_component_count=1,num_primitive_operations=$,allow_imprecise_"
    "accumulation=false>",
    "#stablehlo.mesh<mesh=@a$>",
    "tuple<i$>",
    "tuple<tuple<i$>>",
    "tuple<>",
    "tensor<$xf32>",
    "tensor<$x1xf32>",
    "tensor<$x1x1x1xf32>",
    "tensor<f32>",
    "tensor<*xf32>",
    "memref<$xf32>",
    "vector<$xf32>",
    "complex<f32>",
    "!stablehlo.token",
    "()->()",
    "(i$)->()",
    "(i1,i1)->i$",
    "tuple<i1,i$>",
    "!quant.uniform<i8:f32,$.>",
    "tensor<$x!quant.uniform<i8:f32,1.>>",
    "!quant.uniform<i8:f32:0,{1.,$.}>",
    R"(loc("$"))",
    R"(loc("a":$:1))",
    "loc(unknown)",
    R"(loc(callsite("a"at"$")))",
    R"(loc(fused["$"]))",
    "affine_map<()->($)>",
    "dense<[]>:tensor<0xi8>",
    R"(dense<"0x01">:tensor<1xi8>)",
    "dense<true>:tensor<i1>",
    "dense<($,1.)>:tensor<complex<f32>>",
    R"(dense<"$">:tensor<!a.b>)",
    "sparse<[],[]>:tensor<1xi1>",
    "dense_resource<a$>:tensor<1xi1>",
    "none",
    "index",
    "1:index",
    "-$",
    "0x$",
    "true",
    R"(opaque<"a","0x$">)",
    "distinct[$]<1>",
    "#vhlo.foo<$>",
    "bf16",
    "f8E4M3FN",
    "i$",
    "si$",
    "ui$",
    "!~",
    "dense<1.>:tensor<$xf32>",
    "#mpmd.x<$>",
    R"(["$",1])",
    "[$,$]",
    "[@a$,1.]",
    "{a=1,b$}"};

constexpr std::string_view kOps[] = {
    R"("a$"():()->())",
    R"("a.b"(){a$}:()->())",
    R"("a.b"(){a="$"}:()->())",
    R"("a.b"(){a=@a$}:()->())",
    "%~=stablehlo.constant dense<$>:tensor<i32>",
    "%~=stablehlo.constant dense<$.>:tensor<f32>",
    "stablehlo.constant dense<1>:tensor<$xi8>",
    "%~=stablehlo.iota dim=0:tensor<1xi8>",
    "stablehlo.iota dim=0:tensor<$xi8>",
    "stablehlo.add %a,%a:tensor<f32>",
    "stablehlo.abs %a:tensor<f32>",
    "%~=stablehlo.abs %a:tensor<f32>",
    "stablehlo.transpose %a,dims=[]:(tensor<f32>)->tensor<f32>",
    "stablehlo.reshape %a:(tensor<f32>)->tensor<1xf32>",
    "stablehlo.convert %a:(tensor<f32>)->tensor<i1>",
    "stablehlo.convert %a:tensor<f32>",
    "stablehlo.compare EQ,%a,%a:(tensor<f32>,tensor<f32>)->tensor<i1>",
    "stablehlo.select %b,%a,%a:tensor<i1>,tensor<f32>",
    "stablehlo.broadcast_in_dim %a,dims=[]:(tensor<f32>)->tensor<$xf32>",
    "stablehlo.dot_general %a,%a,contracting_dims=[]x[]:(tensor<f32>,tensor<f32>)->tensor<f32>",
    "stablehlo.slice %c[0:1]:(tensor<1xf32>)->tensor<1xf32>",
    "stablehlo.pad %c,%a,low=[0],high=[$],interior=[0]:(tensor<1xf32>,tensor<f32>)->tensor<?xf32>",
    "stablehlo.custom_call@a():()->()",
    "stablehlo.custom_call@a$():()->()",
    "%~=stablehlo.create_token:!stablehlo.token",
    "stablehlo.partition_id:tensor<ui32>",
    "stablehlo.tuple:tuple<>",
    "stablehlo.tuple %a:tuple<tensor<f32>>",
    "stablehlo.optimization_barrier %a:tensor<f32>",
    "sdy.sharding_constraint %a<@m,[]>:tensor<f32>",
    "sdy.reshard %a<@m,[]>:tensor<f32>",
    "sdy.sharding_group %a group_id=$:tensor<f32>",
    "sdy.propagation_barrier %a allowed_direction=NONE:tensor<f32>",
    "sdy.constant dense<$>:tensor<i32>",
    "func.call@g():()->()",
    R"(call@g():()->()loc("$"))",
    R"("a.b"():()->()loc(#l))",
    R"("a.b"():()->()loc(unknown))",
    R"("a.b"():()->()loc(callsite("a"at"b")))",
    R"("a.b"()({}):()->())",
    R"("a.b"()({},{}):()->())",
    R"("a.b"()({"a"():()->()}):()->())",
    R"("a.b"()({^a:^b:}):()->())",
    R"("a.b"()({^a(%~:i1):}):()->())",
    R"(%~:2="a"():()->(i1,i1))",
    R"("a"(%a):(tensor<f32>)->())",
    R"("a"(%a,%a):(tensor<f32>,tensor<f32>)->())",
    R"("a"():()->tuple<>)",
    R"("a"():()->i$)",
    R"("a"():()->!a.b$)",
    R"("a"():()->tensor<$xi1>)",
    R"("a"():()->(i1,i$))",
    R"("stablehlo.abs"(%a):(tensor<f32>)->tensor<f32>)",
    "stablehlo.while()cond{stablehlo.return %b:tensor<i1>}do{stablehlo.return}",
    R"("stablehlo.if"(%b)({stablehlo.return},{stablehlo.return}):(tensor<i1>)->())",
    R"("stablehlo.case"(%i)({stablehlo.return}):(tensor<i32>)->())",
    "stablehlo.reduce(%c init:%a)applies stablehlo.add across "
    "dimensions=[0]:(tensor<1xf32>,tensor<f32>)->tensor<f32>",
    "chlo.erf %a:tensor<f32>->tensor<f32>",
    "check.expect_eq_const %a,dense<1.>:tensor<f32>",
    R"("a.b"(){a=[]}:()->())",
    R"("a.b"(){a=[$]}:()->())",
    R"("a.b"(){a={}}:()->())",
    R"("a.b"(){a,b,c,d,e}:()->())",
    R"("a.b"()<{a=$}>{b=$}:()->())",
    R"("a.b"(){sdy.sharding=#sdy.sharding_per_value<[]>}:()->())",
    R"("a.b"(){mhlo.sharding="{}"}:()->())",
    R"(stablehlo.composite "a.b"{decomposition=@f}:()->())",
    "stablehlo.get_tuple_element %t[0]:(tuple<tensor<i1>>)->tensor<i1>",
    "stablehlo.concatenate %c,dim=0:(tensor<1xf32>)->tensor<1xf32>",
    "stablehlo.reverse %c,dims=[]:tensor<1xf32>",
    "stablehlo.sine %a{a$}:tensor<f32>",
    "stablehlo.get_dimension_size %c,dim=0:(tensor<1xf32>)->tensor<i32>"};

constexpr std::string_view kTopLevelOps[] = {"func.func @~(%a:i1){return}",
                                             "func.func private@~(i1)",
                                             "func.func private@~()attributes{a}",
                                             "module@~{}",
                                             "func.func private@~(i1{a.b=$})",
                                             "func.func private@~(tensor<$xi1>)",
                                             "module{func.func @f(){return}}",
                                             R"(sdy.mesh@~=<["a"=1]>)",
                                             "sdy.mesh@~=<[],device_ids=[$]>",
                                             R"(sdy.mesh@~=<[]>loc("$"))",
                                             "#~=loc(\"$\")\n",
                                             "#~=#sdy.mesh<[]>\n",
                                             "#~=[$]\n",
                                             "!~=tensor<$xi1>\n",
                                             R"("a"():()->())",
                                             R"("a.b"(){sym_name="~"}:()->())",
                                             R"(func.func @~()->i1{%0="a"():()->i1 return %0:i1})",
                                             "#loc$=loc(\"a\":$:1)\n"};

std::string part(std::string_view kind, std::size_t index) {
  std::string text;
  for (const char c : kind) {
    if (c == '$') {
      text += std::to_string(index);
    } else if (c == '~') {
      text += word(index);
    } else {
      text += c;
    }
  }
  return text;
}

std::string parts(std::string_view kind, std::string_view separator) {
  return joined(kParts, separator, [&](std::size_t index) { return part(kind, index + 100); });
}

void check_memory(std::string_view kind, const std::string& text) {
  bool is_program = false;
  const std::size_t peak = peak_of([&] { is_program = parse_mlir(text).has_value(); });
  CAPTURE(kind, text.size(), peak);
  CHECK(is_program);
  CHECK(peak <= kLargestRatio * text.size() + kFixedBytes);
}

TEST_CASE("lists of distinct attributes take at most 20 bytes for each of their text",
          "[text][mlir][memory]") {
  for (const std::string_view kind : kAttributes) {
    check_memory(kind, in_function(R"("a.b"(){a=[)" + parts(kind, ",") + "]}:()->()"));
  }
}

TEST_CASE("ops with distinct attributes take at most 20 bytes for each of their text",
          "[text][mlir][memory]") {
  for (const std::string_view kind : kAttributes) {
    check_memory(kind, in_function(parts(R"("a"(){a=)" + std::string(kind) + "}:()->()", "")));
  }
}

TEST_CASE("distinct ops take at most 20 bytes for each of their text", "[text][mlir][memory]") {
  for (const std::string_view kind : kOps) {
    check_memory(kind, "sdy.mesh@m=<[]>func.func private@g()" +
                           in_function(parts(kind, ""),
                                       "%a:tensor<f32>,%b:tensor<i1>,%c:tensor<1xf32>,"
                                       "%i:tensor<i32>,%t:tuple<tensor<i1>>"));
  }
}

TEST_CASE("distinct ops of modules take at most 20 bytes for each of their text",
          "[text][mlir][memory]") {
  for (const std::string_view kind : kTopLevelOps) check_memory(kind, parts(kind, ""));
}

TEST_CASE("shardings around one long alias take at most 20 bytes for each of their text",
          "[text][mlir][memory]") {
  const std::string axes =
      joined(2000, ",", [](std::size_t index) { return '"' + word(index) + "\"=1"; });
  const std::string_view kinds[] = {"#sdy.sharding<#m,[{?}p$]>", "#sdy.sharding<#n,[{?}p$]>",
                                    "#sdy.sharding_per_value<[<#m,[{?}p$]>]>"};
  for (const std::string_view kind : kinds) {
    check_memory(kind, "#m=#sdy.mesh<[" + axes + "]>\n#n=#m\n" +
                           parts(R"("a"(){a=)" + std::string(kind) + "}:()->()", ""));
  }
}

TEST_CASE("shardings that aliases stand for take at most 20 bytes for each byte of text",
          "[text][mlir][memory]") {
  // As many uses as there may be: the text that they stand for is half of the text.
  const std::string dims = joined(2000, ",", [](std::size_t) { return "{}"; });
  const std::string uses = joined(kParts, "", [](std::size_t index) {
    return R"("a"(){a=#sdy.sharding_per_value<[)" + std::string(index % 110 == 0 ? "#s," : "") +
           part("<@m,[{?}p$]>]>}:()->()", index);
  });
  check_memory("#s", "#s=#sdy.sharding<@m,[" + dims.substr(0, 2999) + "]>\n" + uses);
}

}  // namespace
}  // namespace shardy::text
