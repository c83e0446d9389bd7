// Diagnostics of the verifier for propagation edges. Spec: dialect 8.2.
#include "ir/verify_row.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy_test::verify_debug_test {
namespace {

using enum OpKind;

const std::string kF32 = "tensor<8xf32>";
const std::string kName = "sdy.propagation_edges";

Attribute steps(const std::string& body) {
  return OpaqueAttr{"#sdy.propagation_edges<" + body + ">"};
}
/// One axis in one step.
Attribute one(const std::string& axis, const std::string& moves) {
  return steps("[{step-0 = [{\"" + axis + "\" = " + moves + "}]}]");
}

/// An op of two operands and one result; operands have these shardings, if any.
OpId add(ModuleMaker& m, Attribute edges, const std::string& lhs = "<@m, [{\"x\"}]>",
         const std::string& rhs = "") {
  const ValueId a = m.argument(kF32, lhs);
  const ValueId b = m.argument(kF32, rhs);
  return m.op({.kind = Add,
               .operands = {a, b},
               .result_types = {type_of(kF32)},
               .attributes = attributes({{kName, std::move(edges)}})});
}

VerifyRow row(std::string name, Attribute edges, const std::string& error = {}) {
  VerifyRow row{std::move(name), [edges](ModuleMaker& m) { add(m, edges); }};
  if (!error.empty()) row.errors = {"op 1: 'stablehlo.add' op " + error};
  return row;
}

const std::string kWrongType =
    "should have a propagation edges attribute of type PropagationEdges for attr named '";
const std::string kWrongEdges = kWrongType + kName + "'";

const std::vector<VerifyRow> kValues = {
    row("fits", one("x", "operand-0 -> [operand-1, result-0]")),
    row("the other wrapping",
        OpaqueAttr{"#sdy<propagation_edges<[{step-3 = [{\"x\" = result-0 -> [operand-0]}]}]>>"}),
    row("a part of an axis", steps("[{step-7 = [{\"y\":(1)2 = operand-0 -> [result-0]}]}]")),
    row("text", "<[]>", kWrongEdges),
    row("another attribute", OpaqueAttr{"#sdy.mesh<[\"x\"=2]>"}, kWrongEdges),
    row("no steps", steps("[]"), "expected '{', found ']'"),
    row("a negative step", steps("[{step--1 = [{\"x\" = operand-0 -> [result-0]}]}]"),
        "negative step index: -1"),
    row("a step twice",
        steps("[{step-1 = [{\"x\" = operand-0 -> [result-0]}]}, {step-1 = [{\"y\" = operand-0 -> "
              "[result-0]}]}]"),
        "duplicate step index"),
    row("its own target", one("x", "operand-0 -> [operand-0]"),
        "duplicate targets for step index: 0 and axis: \"x\""),
    row("a target twice", one("x", "operand-0 -> [result-0, result-0]"),
        "duplicate targets for step index: 0 and axis: \"x\""),
};

const std::vector<VerifyRow> kPlaces = {
    row("an operand too many", one("x", "operand-2 -> [result-0]"),
        "expected a value ref to have an operand index in range [0, 2), got: 2"),
    row("a result too many", one("x", "operand-0 -> [result-1]"),
        "expected a value ref to have a result index in range [0, 1), got: 1"),
    row("values without sharding", one("x", "operand-1 -> [result-0]"),
        "expected propagation edges attr to reference a sharding"),
    row("an axis of no mesh", one("z", "operand-0 -> [result-0]"),
        "expected axis ref to be in one of the meshes"),
    {"two meshes",
     [](ModuleMaker& m) {
       add(m, one("x", "operand-0 -> [operand-1]"), "<@m, [{\"x\"}]>", "<@other, [{\"a\"}]>");
     },
     {"op 1: 'stablehlo.add' op expected a common mesh of the shardings that propagation edges "
      "reference"}},
    {"a mesh that is not referred to",
     [](ModuleMaker& m) {
       add(m, one("x", "operand-0 -> [result-0]"), "<@m, [{\"x\"}]>", "<@other, [{\"a\"}]>");
     }},
};

TEST_CASE("invalid propagation edges are errors", "[ir][verify]") { check_rows(kValues); }
TEST_CASE("propagation edges refer to operands and results of their op", "[ir][verify]") {
  check_rows(kPlaces);
}

/// A loop of one value whose edge op carries the attribute.
void loop_edge(ModuleMaker& m, Attribute edges) {
  const ValueId x = m.argument(kF32, "<@m, [{\"x\"}]>");
  const OpId loop =
      m.op({.kind = While,
            .operands = {x},
            .result_types = {type_of(kF32)},
            .regions = {m.region({{kF32}, {"tensor<i1>"}}), m.region({{kF32}, {kF32}})}});
  m.op({.kind = SdyDataFlowEdge,
        .operands = {m.module.result(loop)},
        .result_types = {type_of(kF32)},
        .attributes = attributes({{kName, std::move(edges)}})});
}

const std::vector<VerifyRow> kEdges = {
    {"the second source of a loop",
     [](ModuleMaker& m) { loop_edge(m, one("x", "operand-0 -> [operand-1, result-0]")); }},
    {"a third source",
     [](ModuleMaker& m) { loop_edge(m, one("x", "operand-0 -> [operand-2, result-0]")); },
     {"op 2: 'sdy.data_flow_edge' op expected a value ref to have an operand index in range [0, "
      "2), got: 2"}},
    {"any number of callers",
     [](ModuleMaker& m) {
       m.op({.kind = SdyFuncDataFlowEdge,
             .operands = {m.argument(kF32)},
             .result_types = {type_of(kF32)},
             .attributes = attributes({{kName, one("x", "operand-5 -> [result-0]")},
                                       {"sdy.sharding", m.shardings({"<@m, [{\"x\"}]>"})}})});
     }},
    {"on an edge without owner",
     [](ModuleMaker& m) {
       m.op({.kind = SdyDataFlowEdge,
             .operands = {m.argument(kF32)},
             .result_types = {type_of(kF32)},
             .attributes = attributes({{kName, one("x", "operand-1 -> [result-0]")}})});
     },
     {"op 1: 'sdy.data_flow_edge' op expected a value ref to have an operand index in range [0, "
      "1), got: 1"}},
};

TEST_CASE("the step operands of an edge op are the sources of the edge", "[ir][verify]") {
  check_rows(kEdges);
}

VerifyRow array_row(std::string name, std::string attribute, Attribute value,
                    const std::string& error = {}) {
  VerifyRow row{std::move(name), [attribute, value](ModuleMaker& m) {
                  m.op({.name = "test.op", .attributes = attributes({{attribute, value}})});
                }};
  if (!error.empty()) row.errors = {"op 1: 'test.op' op " + error};
  return row;
}

std::vector<VerifyRow> array_rows() {
  const Attribute fits = one("q", "operand-9 -> [result-8]");  // of other values: not looked up
  const std::string in = "sdy.block_arg_propagation_edges";
  const std::string out = "sdy.result_propagation_edges";
  return {
      array_row("one", in, ArrayAttr{{fits}}),
      array_row("two", out, ArrayAttr{{fits, fits}}),
      array_row("none", out, ArrayAttr{}),
      array_row("no array", in, fits, kWrongType + in + "'"),
      array_row("another element", out, ArrayAttr{{fits, true}}, kWrongType + out + "'"),
      array_row("a broken element", out, ArrayAttr{{one("q", "operand-0 -> [operand-0]")}},
                "duplicate targets for step index: 0 and axis: \"q\""),
  };
}

TEST_CASE("edges that sank into an op are an array", "[ir][verify]") { check_rows(array_rows()); }

}  // namespace
}  // namespace shardy_test::verify_debug_test
