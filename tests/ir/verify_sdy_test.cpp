// Diagnostics of the verifier for the sdy ops that carry shardings. Spec: dialect 3.
#include "ir/verify_row.hpp"

namespace shardy_test::verify_sdy_test {
namespace {

using enum OpKind;

const std::string kF32 = "tensor<8xf32>";

OpId reshard(ModuleMaker& m, ValueId x, Attribute sharding, OpKind kind = SdyReshard) {
  return m.op({.kind = kind,
               .operands = {x},
               .result_types = {m.module.type(x)},
               .attributes = attributes({{"sharding", std::move(sharding)}})});
}
/// From an argument with the one sharding to the other.
void reshard(ModuleMaker& m, std::string_view from, std::string_view to) {
  reshard(m, m.argument(kF32, from), m.sharding(to));
}

const std::vector<VerifyRow> kReshards = {
    {"to another layout", [](ModuleMaker& m) { reshard(m, "<@m, [{\"x\"}]>", "<@m, [{\"y\"}]>"); }},
    {"no sharding",
     [](ModuleMaker& m) {
       const ValueId x = m.argument(kF32);
       m.op({.kind = SdyReshard, .operands = {x}, .result_types = {m.module.type(x)}});
     },
     {"op 1: 'sdy.reshard' op requires attribute 'sharding'"}},
    {"spelled",
     [](ModuleMaker& m) {
       reshard(m, m.argument(kF32), shardy::parse_sharding("<@m, [{}]>").value(),
               SdyShardingConstraint);
     },
     {"op 1: 'sdy.sharding_constraint' op attribute 'sharding' must be a resolved sharding"}},
    {"another rank",
     [](ModuleMaker& m) { reshard(m, "", "<@m, []>"); },
     {"op 1: 'sdy.reshard' op sharding doesn't match tensor rank: 0 != 1"}},
    {"reduces by its own op",
     [](ModuleMaker& m) { reshard(m, "<@m, [{}], unreduced=max{\"x\"}>", "<@m, [{}]>"); }},
    {"introduces a sum",
     [](ModuleMaker& m) { reshard(m, "<@m, [{}]>", "<@m, [{}], unreduced={\"x\"}>"); }},
    {"introduces out of nothing",
     [](ModuleMaker& m) { reshard(m, "", "<@m, [{}], unreduced=max{\"x\"}>"); }},
    {"introduces a maximum",
     [](ModuleMaker& m) { reshard(m, "<@m, [{}]>", "<@m, [{}], unreduced=max{\"x\"}>"); },
     {"op 1: 'sdy.reshard' op cannot introduce 'max' unreduced axes. Expected 'sum'."}},
    {"changes the reduction",
     [](ModuleMaker& m) {
       reshard(m, "<@m, [{}], unreduced=max{\"x\"}>", "<@m, [{}], unreduced={\"x\"}>");
     },
     {"op 1: 'sdy.reshard' op cannot change the reduction operator of kept unreduced axes from max "
      "to sum."}},
    {"on another mesh nothing is compared",
     [](ModuleMaker& m) {
       reshard(m, "<@m, [{}], unreduced={\"x\"}>", "<@other, [{}], unreduced=max{\"a\"}>");
     }},
    {"sees through barriers",
     [](ModuleMaker& m) {
       const ValueId barrier =
           m.value({.kind = SdyPropagationBarrier,
                    .operands = {m.argument(kF32, "<@m, [{}]>")},
                    .result_types = {type_of(kF32)},
                    .attributes = attributes(
                        {{"allowed_direction", EnumAttr{"sdy.propagation_direction", "NONE"}}})});
       reshard(m, barrier, m.sharding("<@m, [{}], unreduced=min{\"x\"}>"));
     },
     {"op 2: 'sdy.reshard' op cannot introduce 'min' unreduced axes. Expected 'sum'."}},
};

TEST_CASE("a reshard has a sharding that fits its operand shape", "[ir][verify]") {
  check_rows(kReshards);
}

// ---- Computations -------------------------------------------------------------------------------

/// An op of one operand, with an identity body.
void named(ModuleMaker& m, std::string_view list, Attribute shardings) {
  m.op({.kind = SdyNamedComputation,
        .operands = {m.argument(kF32)},
        .result_types = {type_of(kF32)},
        .attributes = attributes({{"name", "f"}, {std::string(list), std::move(shardings)}}),
        .regions = {m.region({{kF32}, {kF32}, SdyReturn})}});
}

const std::vector<VerifyRow> kNamed = {
    {"fits", [](ModuleMaker& m) { named(m, "in_shardings", m.shardings({"<@m, [{\"x\"}]>"})); }},
    {"in of another rank",
     [](ModuleMaker& m) { named(m, "in_shardings", m.shardings({"<@m, []>"})); },
     {"op 1: 'sdy.named_computation' op in_shardings - sharding doesn't match tensor rank: 0 != "
      "1"}},
    {"too many in",
     [](ModuleMaker& m) {
       named(m, "in_shardings", m.shardings({"<@m, [{}]>", "<@m, [{}]>"}));
     },
     {"op 1: 'sdy.named_computation' op in_shardings shardings don't match number of values: 2 "
      "shardings vs 1 values"}},
    {"out of another rank",
     [](ModuleMaker& m) { named(m, "out_shardings", m.shardings({"<@m, []>"})); },
     {"op 1: 'sdy.named_computation' op out_shardings - sharding doesn't match tensor rank: 0 != "
      "1"}},
    {"spelled",
     [](ModuleMaker& m) { named(m, "out_shardings", UnresolvedShardingList{}); },
     {"op 1: 'sdy.named_computation' op attribute 'out_shardings' must be resolved shardings"}},
    {"another result",
     [](ModuleMaker& m) {
       m.op({.kind = SdyNamedComputation,
             .result_types = {type_of("tensor<9xf32>")},
             .attributes = attributes({{"name", "f"}}),
             .regions = {m.region({{}, {kF32}, SdyReturn})}});
     },
     {"op 1: 'sdy.named_computation' op inferred type(s) 'tensor<8xf32>' are incompatible with "
      "return type(s) 'tensor<9xf32>'"}},
    {"a compatible result that is not equal",
     [](ModuleMaker& m) {
       m.op({.kind = SdyNamedComputation,
             .result_types = {type_of("tensor<?xf32>")},
             .attributes = attributes({{"name", "f"}}),
             .regions = {m.region({{}, {kF32}, SdyReturn})}});
     },
     {"op 1: 'sdy.named_computation' op inferred type(s) 'tensor<8xf32>' are incompatible with "
      "return type(s) 'tensor<?xf32>'"}},
    {"a compatible argument that is not equal",
     [](ModuleMaker& m) {
       m.op({.kind = SdyNamedComputation,
             .operands = {m.argument(kF32)},
             .result_types = {type_of(kF32)},
             .attributes = attributes({{"name", "f"}}),
             .regions = {m.region({{"tensor<?xf32>"}, {kF32}, SdyReturn})}});
     },
     {"op 1: 'sdy.named_computation' op expected the type of the 0'th block argument to match the "
      "type of the corresponding operand: 'tensor<?xf32>' vs 'tensor<8xf32>'"}},
};

TEST_CASE("shardings of a named computation fit its operands and results", "[ir][verify]") {
  check_rows(kNamed);
}

struct Manual {
  std::vector<std::string> in = {"<@m, [{\"x\"}]>"};
  std::vector<std::string> out = {"<@m, [{\"x\", \"y\"}]>"};
  std::vector<std::string> axes = {"x"};
  std::string operand = kF32;
  std::string arg = "tensor<4xf32>";
  std::string returned = "tensor<4xf32>";
  std::string result = kF32;
};

OpId manual(ModuleMaker& m, const Manual& text) {
  return m.op({.kind = SdyManualComputation,
               .operands = {m.argument(text.operand)},
               .result_types = {type_of(text.result)},
               .attributes = attributes({{"in_shardings", m.shardings(text.in)},
                                         {"out_shardings", m.shardings(text.out)},
                                         {"manual_axes", ManualAxesAttr{text.axes}}}),
               .regions = {m.region({{text.arg}, {text.returned}, SdyReturn})}});
}
VerifyRow manual_row(std::string name, const Manual& text, const std::string& error = {}) {
  VerifyRow row{std::move(name), [text](ModuleMaker& m) { manual(m, text); }};
  if (!error.empty()) row.errors = {"op 1: 'sdy.manual_computation' op " + error};
  return row;
}

std::vector<VerifyRow> manual_rows() {
  const std::string token = "!stablehlo.token";
  return {
      manual_row("fits", {}),
      manual_row("tokens", {.in = {"<@m, []>"},
                            .out = {"<@m, []>"},
                            .operand = token,
                            .arg = token,
                            .returned = token,
                            .result = token}),
      manual_row("sub-axes count their own size",
                 {.in = {"<@m, [{\"y\":(1)2}]>"}, .out = {"<@m, [{\"y\":(1)2}]>"}, .axes = {"y"}}),
      manual_row("dynamic", {.operand = "tensor<?xf32>",
                             .arg = "tensor<?xf32>",
                             .returned = "tensor<?xf32>",
                             .result = "tensor<?xf32>"}),
      manual_row("without manual axes meshes may differ",
                 {.out = {"<@other, [{}]>"}, .axes = {}, .arg = kF32, .returned = kF32}),
      manual_row("an operand sharding of another rank", {.in = {"<@m, []>"}},
                 "operand - sharding doesn't match tensor rank: 0 != 1"),
      manual_row("two operand shardings", {.in = {"<@m, [{}]>", "<@m, [{}]>"}},
                 "operand shardings don't match number of values: 2 shardings vs 1 values"),
      manual_row("a result sharding of another rank", {.out = {"<@m, []>"}},
                 "result - sharding doesn't match tensor rank: 0 != 1"),
      manual_row("a free operand axis first", {.in = {"<@m, [{\"y\", \"x\"}]>"}},
                 "operand sharding at index 0 must have all manual axes come before free axes in "
                 "its dimension sharding at index 0. Saw manual axis \"x\" after free axis \"y\""),
      manual_row("a free result axis first", {.out = {"<@m, [{\"y\":(1)2, \"x\"}]>"}},
                 "result sharding at index 0 must have all manual axes come before free axes in "
                 "its dimension sharding at index 0. Saw manual axis \"x\" after free axis "
                 "\"y\":(1)2"),
      manual_row("an operand that does not divide", {.operand = "tensor<7xf32>"},
                 "operand dimension size 7 is not divisible by the manual axes size 2"),
      manual_row("a result that does not divide", {.result = "tensor<7xf32>"},
                 "result dimension size 7 is not divisible by the manual axes size 2"),
      manual_row("an argument of the global shape", {.arg = kF32},
                 "operand shape, corresponding sharding, and region operand shape at index 0 must "
                 "match. Expected local shape 'tensor<4xf32>', actual local shape 'tensor<8xf32>'"),
      manual_row("an argument of another element", {.arg = "tensor<4xf64>"},
                 "operand shape, corresponding sharding, and region operand shape at index 0 must "
                 "match. Expected local shape 'tensor<4xf32>', actual local shape 'tensor<4xf64>'"),
      manual_row("a result of the global shape", {.returned = kF32},
                 "result shape, corresponding sharding, and region result shape at index 0 must "
                 "match. Expected local shape 'tensor<4xf32>', actual local shape 'tensor<8xf32>'"),
      manual_row("two meshes", {.out = {"<@other, [{}]>"}, .returned = kF32},
                 "all in and out shardings must be bound to the same mesh or an empty mesh"),
      manual_row("an unknown axis", {.axes = {"x", "q"}}, "unknown manual axis: \"q\""),
      {"two arguments for one operand",
       [](ModuleMaker& m) { m.module.add_argument(m.module.block(manual(m, {})), type_of(kF32)); },
       {"op 1: 'sdy.manual_computation' op number of op operands and region operands must match. "
        "Op has 1 op operands and 2 region operands"}},
      {"two returned values for one result",
       [](ModuleMaker& m) {
         const BlockId body = m.module.block(manual(m, {}));
         const OpId last = m.module.last_op(body);
         m.module.set_operands(last, std::vector(2, m.module.operand(last, 0)));
       },
       {"op 1: 'sdy.manual_computation' op number of op results and region results must match. Op "
        "has 1 op results and 2 region results"}},
      {"nothing at all",
       [](ModuleMaker& m) {
         m.op({.kind = SdyManualComputation,
               .attributes = attributes({{"in_shardings", ShardingList{}},
                                         {"out_shardings", ShardingList{}},
                                         {"manual_axes", ManualAxesAttr{{"q"}}}}),
               .regions = {m.region({{}, {}, SdyReturn})}});
       }},
      {"spelled",
       [](ModuleMaker& m) {
         m.module.attributes(manual(m, {})).set("in_shardings", UnresolvedShardingList{});
       },
       {"op 1: 'sdy.manual_computation' op attribute 'in_shardings' must be resolved shardings"}},
  };
}

TEST_CASE("a manual computation works on the local types of its shardings", "[ir][verify]") {
  check_rows(manual_rows());
}

const std::string kBound = " which is already bound by a parent sdy.manual_computation op";

/// In the body of `computation`, before its return.
void inside(ModuleMaker& m, OpId computation, const std::function<void()>& make) {
  m.block = m.module.block(computation);
  const OpId last = m.module.last_op(m.block);
  m.module.remove(last);
  make();
  m.module.append(m.block, last);
  m.block = m.module.parent_block(computation);
}
/// A computation along these axes that nothing goes into and nothing comes out of.
OpId empty_manual(ModuleMaker& m, std::vector<std::string> axes,
                  const std::vector<std::string>& in = {}) {
  return m.op({.kind = SdyManualComputation,
               .attributes = attributes({{"in_shardings", m.shardings(in)},
                                         {"out_shardings", ShardingList{}},
                                         {"manual_axes", ManualAxesAttr{std::move(axes)}}}),
               .regions = {m.region({{}, {}, SdyReturn})}});
}
void annotated(ModuleMaker& m, std::string_view sharding) {
  m.op({.name = "test.op",
        .result_types = {type_of(kF32)},
        .attributes = attributes({{"sdy.sharding", m.shardings({std::string(sharding)})}})});
}

const std::vector<VerifyRow> kScopes = {
    {"free axes inside",
     [](ModuleMaker& m) {
       inside(m, empty_manual(m, {"x"}), [&] { annotated(m, "<@m, [{\"y\"}]>"); });
     }},
    {"manual axes outside again",
     [](ModuleMaker& m) {
       empty_manual(m, {"x"});
       annotated(m, "<@m, [{\"x\"}]>");
     }},
    {"a manual axis inside",
     [](ModuleMaker& m) {
       inside(m, empty_manual(m, {"x"}), [&] {
         annotated(m, "<@m, [{\"x\"}]>");
         annotated(m, "<@m, [{}], replicated={\"x\"}>");
         annotated(m, "<@same, [{}], unreduced={\"x\"}>");
       });
     },
     {"op 2: 'test.op' op result - operates on axis \"x\"" + kBound,
      "op 3: 'test.op' op result - operates on axis \"x\"" + kBound,
      "op 4: 'test.op' op result - operates on axis \"x\"" + kBound}},
    {"bound two levels above",
     [](ModuleMaker& m) {
       inside(m, empty_manual(m, {"x"}), [&] {
         const OpId inner = empty_manual(m, {"y"});
         inside(m, inner, [&] { annotated(m, "<@m, [{\"x\"}]>"); });
         m.block = m.module.parent_block(inner);
         annotated(m, "<@m, [{\"y\"}]>");
       });
     },
     {"op 3: 'test.op' op result - operates on axis \"x\"" + kBound}},
    {"bound again",
     [](ModuleMaker& m) {
       inside(m, empty_manual(m, {"x"}), [&] {
         const OpId inner = empty_manual(m, {"y", "x"});
         m.block = m.module.parent_block(inner);
         annotated(m, "<@m, [{\"x\"}]>");
       });
     },
     {"op 2: 'sdy.manual_computation' op operates on axis \"x\"" + kBound,
      "op 3: 'test.op' op result - operates on axis \"x\"" + kBound}},
    {"on the mesh of the parent, by another name",
     [](ModuleMaker& m) {
       inside(m, empty_manual(m, {"x"}, {"<@m, []>"}),
              [&] { empty_manual(m, {"y"}, {"<@same, []>"}); });
     }},
    {"on another order of devices",
     [](ModuleMaker& m) {
       inside(m, empty_manual(m, {"x"}, {"<@m, []>"}),
              [&] { empty_manual(m, {"y"}, {"<@shuffled, []>"}); });
       empty_manual(m, {"y"}, {"<@shuffled, []>"});
     },
     {"op 2: 'sdy.manual_computation' op is on a mesh with other device_ids than the mesh of a "
      "parent sdy.manual_computation op; both must be on one mesh"}},
};

TEST_CASE("shardings inside a manual computation cannot use its manual axes", "[ir][verify]") {
  check_rows(kScopes);
}

TEST_CASE("an error about a bound axis names the computation that binds the axis", "[ir][verify]") {
  ModuleMaker m;
  const OpId outer = empty_manual(m, {"x"});
  inside(m, outer, [&] { annotated(m, "<@m, [{\"x\"}]>"); });
  m.finish();
  const auto notes = [&] { return verify(m.module).at(0).notes; };
  CHECK(notes() == std::vector<std::string>{"the parent is at op 1"});
  m.module.set_location(outer, LocationId());
  CHECK(notes() == std::vector<std::string>{"the parent is an enclosing op"});
}

// ---- Edges --------------------------------------------------------------------------------------

OpId edge(ModuleMaker& m, ValueId x, AttributeMap attributes = {}, OpKind kind = SdyDataFlowEdge) {
  return m.op({.kind = kind,
               .operands = {x},
               .result_types = {m.module.type(x)},
               .attributes = std::move(attributes)});
}
ValueId barrier(ModuleMaker& m, std::string_view type) {
  return m.value({.kind = OptimizationBarrier,
                  .operands = {m.argument(type)},
                  .result_types = {type_of(type)}});
}

const std::vector<VerifyRow> kEdges = {
    {"fits",
     [](ModuleMaker& m) {
       edge(m, barrier(m, kF32), attributes({{"sharding", m.sharding("<@m, [{\"x\"}]>")}}));
     }},
    {"of a named computation",
     [](ModuleMaker& m) {
       edge(m, m.value({.kind = SdyNamedComputation,
                        .result_types = {type_of(kF32)},
                        .attributes = attributes({{"name", "f"}}),
                        .regions = {m.region({{}, {kF32}, SdyReturn})}}));
     }},
    {"dynamic",
     [](ModuleMaker& m) { edge(m, barrier(m, "tensor<?xf32>")); },
     {"op 2: 'sdy.data_flow_edge' op expected sdy.data_flow_edge to have a static-shaped result"}},
    {"unranked",
     [](ModuleMaker& m) { edge(m, barrier(m, "tensor<*xf32>")); },
     {"op 2: 'sdy.data_flow_edge' op expected sdy.data_flow_edge to have a static-shaped result"}},
    {"used twice",
     [](ModuleMaker& m) {
       const ValueId x = barrier(m, kF32);
       edge(m, x);
       m.op({.name = "test.op", .operands = {x}});
     },
     {"op 2: 'sdy.data_flow_edge' op expected input of sdy.data_flow_edge to have a single user"}},
    {"of a reshard",
     [](ModuleMaker& m) {
       edge(m, m.module.result(reshard(m, m.argument(kF32), m.sharding("<@m, [{}]>"))));
     },
     {"op 2: 'sdy.data_flow_edge' op expected input of sdy.data_flow_edge to not be defined by an "
      "SDY op"}},
    {"a sharding of another rank",
     [](ModuleMaker& m) {
       edge(m, barrier(m, kF32), attributes({{"sharding", m.sharding("<@m, []>")}}));
     },
     {"op 2: 'sdy.data_flow_edge' op sharding doesn't match tensor rank: 0 != 1"}},
    {"a spelled sharding",
     [](ModuleMaker& m) {
       edge(m, barrier(m, kF32), attributes({{"sharding", "<@m, [{}]>"}}));
     },
     {"op 2: 'sdy.data_flow_edge' op attribute 'sharding' must be a resolved sharding"}},
};

ValueId call(ModuleMaker& m) {
  return m.value({.kind = FuncCall,
                  .operands = {m.argument("tensor<2xf32>")},
                  .result_types = {type_of("tensor<3xi32>")},
                  .attributes = attributes({{"callee", SymbolAttr{"callee"}}})});
}
const std::string kFuncEdge = "'sdy.func_data_flow_edge' op expected ";
const std::string kFuncInput = kFuncEdge + "input of sdy.func_data_flow_edge to ";

const std::vector<VerifyRow> kFuncEdges = {
    {"of an argument", [](ModuleMaker& m) { edge(m, m.argument(kF32), {}, SdyFuncDataFlowEdge); }},
    {"of a call", [](ModuleMaker& m) { edge(m, call(m), {}, SdyFuncDataFlowEdge); }},
    {"of another op",
     [](ModuleMaker& m) { edge(m, barrier(m, kF32), {}, SdyFuncDataFlowEdge); },
     {"op 2: " + kFuncInput + "be a result of call op"}},
    {"of another argument",
     [](ModuleMaker& m) {
       const OpId op = m.op({.name = "test.op", .regions = {m.region({{kF32}, {}})}});
       inside(m, op,
              [&] { edge(m, m.module.args(m.module.block(op))[0], {}, SdyFuncDataFlowEdge); });
     },
     {"op 2: " + kFuncInput + "be a block argument of a func op"}},
    {"dynamic",
     [](ModuleMaker& m) { edge(m, m.argument("tensor<?xf32>"), {}, SdyFuncDataFlowEdge); },
     {"op 1: " + kFuncEdge + "sdy.func_data_flow_edge to have a static-shaped result"}},
    {"used twice",
     [](ModuleMaker& m) {
       const ValueId x = m.argument(kF32);
       edge(m, x, {}, SdyFuncDataFlowEdge);
       m.op({.name = "test.op", .operands = {x}});
     },
     {"op 1: " + kFuncInput + "have a single user"}},
};

/// Edges of the result `<@m, [{"x", "y"}]>` of a computation that is manual along x.
std::vector<VerifyRow> manual_edge_rows() {
  const auto row = [](const std::string& sharding, bool fits) {
    VerifyRow made{
        sharding, [sharding](ModuleMaker& m) {
          edge(m, m.module.result(manual(m, {})), attributes({{"sharding", m.sharding(sharding)}}));
        }};
    if (!fits) {
      made.errors = {
          "op 2: 'sdy.data_flow_edge' op has other manual axes than the result that it "
          "represents: " +
          sharding + " vs <@m, [{\"x\", \"y\"}]>"};
    }
    return made;
  };
  return {row("<@m, [{\"x\", \"y\"}]>", true),
          row("<@m, [{\"x\", ?}]>", true),
          row("<@m, [{}]>", false),
          row("<@m, [{\"y\"}]>", false),
          row("<@m, [{\"y\", \"x\"}]>", false),
          row("<@m, [{\"y\":(1)2, \"x\"}]>", false)};
}

TEST_CASE("a data-flow edge is on a value that owns an edge", "[ir][verify]") {
  check_rows(kEdges);
}
TEST_CASE("a data-flow edge has the manual axes of its result", "[ir][verify]") {
  check_rows(manual_edge_rows());
}
TEST_CASE("a function edge is on an argument or on a result of a call", "[ir][verify]") {
  check_rows(kFuncEdges);
}

TEST_CASE("an edge on an sdy op names that op", "[ir][verify]") {
  ModuleMaker m;
  edge(m, m.module.result(reshard(m, m.argument(kF32), m.sharding("<@m, [{}]>"))));
  m.finish();
  CHECK(verify(m.module).at(0).notes == std::vector<std::string>{"it is defined by 'sdy.reshard'"});
}

}  // namespace
}  // namespace shardy_test::verify_sdy_test
