// Edge ops come and go. Spec: dialect 5.3, 6; passes 4.7, 4.11, 5.2, 5.3.
#include "ir/listing.hpp"
#include "ir/verify_row.hpp"
#include "shardy/ir/detail/edge_shardings.hpp"

namespace shardy_test::edge_ops_test {
namespace {

using enum OpKind;
using Lines = std::vector<std::string>;

const std::string kF32 = "tensor<8xf32>";
const std::string kToken = "!stablehlo.token";

/// A loop over a tensor, a token and a tensor, whose second result is sharded along x; its results
/// are used by a later op.
OpId loop(ModuleMaker& m) {
  const std::vector<std::string> types = {kF32, kToken, kF32};
  OpSpec spec{.kind = While, .result_types = types_of(types)};
  for (const std::string& type : types) spec.operands.push_back(m.argument(type));
  spec.regions = {m.region({types, {"tensor<i1>"}}), m.region({types, types})};
  const OpId op = m.op(std::move(spec));
  m.op({.name = "test.use", .operands = m.module.results(op)});
  m.finish();
  return op;
}

TEST_CASE("every edge owner of static shape gets an edge op", "[ir][edge_ops]") {
  ModuleMaker m;
  const OpId op = loop(m);
  set_sharding(m.module, m.module.result(op, 2), m.sharding("<@m, [{\"x\"}]>"));
  const Lines before = listing(m);
  insert_data_flow_edges(m.module);
  const std::string list = " sdy.sharding=[<@m, [{?}]><@m, []><@m, [{\"x\"}]>]";
  const Lines with_edges = {
      "%3, %4, %5 = stablehlo.while(%0, %1, %2)" + list + " ^(%6, %7, %8) ^(%9, %10, %11)",
      "stablehlo.return(%12)",
      "stablehlo.return(%13, %14, %15)",
      "%16 = sdy.data_flow_edge(%3) <@m, [{?}]>",
      "%17 = sdy.data_flow_edge(%5) <@m, [{\"x\"}]>",
      "test.use(%16, %4, %17)",
      "func.return()",
  };
  CHECK(listing(m) == with_edges);
  CHECK(located(verify(m.module)).empty());
  insert_data_flow_edges(m.module);  // what has one gets no second one
  CHECK(listing(m) == with_edges);
  sink_data_flow_edges(m.module);
  CHECK(listing(m) == before);
}

TEST_CASE("edge owners of dynamic or no shape get no edge op", "[ir][edge_ops]") {
  const auto [type, is_static] = GENERATE(table<std::string, bool>({
      {"tensor<8xf32>", true},
      {"tensor<f32>", true},
      {"tensor<0xf32>", true},
      {"vector<4xf32>", true},
      {"tensor<?xf32>", false},
      {"tensor<*xf32>", false},
      {"!stablehlo.token", false},
  }));
  CAPTURE(type);
  CHECK(has_static_shape(type_of(type)) == is_static);
  ModuleMaker m;
  m.op({.kind = OptimizationBarrier,
        .operands = {m.argument(type)},
        .result_types = {type_of(type)}});
  m.finish();
  insert_data_flow_edges(m.module);
  CHECK(listing(m).size() == (is_static ? 3 : 2));
}

/// A node of two operands and two results, whose body returns its arguments.
OpId manual(ModuleMaker& m) {
  const RegionId region = m.module.new_region();
  const BlockId body = m.module.new_block(region, types_of({"tensor<4xf32>", "tensor<8xf32>"}));
  const auto args = m.module.args(body);
  m.module.append(body, m.module.create(OpSpec{.kind = SdyReturn, .operands = {args[0], args[1]}}));
  const OpId op =
      m.op({.kind = SdyManualComputation,
            .operands = {m.argument(kF32), m.argument(kF32)},
            .result_types = types_of({kF32, kF32}),
            .attributes = attributes(
                {{"in_shardings",
                  m.shardings({"<@m, [{\"x\", ?}]>", "<@m, [{?}], replicated={\"x\"}>"})},
                 {"out_shardings",
                  m.shardings({"<@m, [{\"x\", ?}]>", "<@m, [{?}], replicated={\"x\"}>"})},
                 {"manual_axes", ManualAxesAttr{{"x"}}}}),
            .regions = {region}});
  m.finish(m.module.results(op));
  m.module.function(m.main).result_types = types_of({kF32, kF32});
  return op;
}

/// The edge ops of a module, in order.
std::vector<OpId> edges(const Module& module) {
  std::vector<OpId> found;
  for (const OpId op : pre_order(module)) {
    if (module.is(op, SdyDataFlowEdge)) found.push_back(op);
  }
  return found;
}

TEST_CASE("edges inside a manual computation have local shardings until they sink",
          "[ir][edge_ops]") {
  ModuleMaker m;
  manual(m);
  insert_data_flow_edges(m.module);
  const std::string in = "in_shardings=[<@m, [{\"x\", ?}]><@m, [{?}], replicated={\"x\"}>]";
  const std::string out = " out_shardings=[<@m, [{\"x\", ?}]><@m, [{?}], replicated={\"x\"}>]";
  CHECK(listing(m) == Lines{"%2, %3 = sdy.manual_computation(%0, %1) " + in + out + " ^(%4, %5)",
                            "%6 = sdy.data_flow_edge(%4) <@m, [{?}]>",
                            "%7 = sdy.data_flow_edge(%5) <@m, [{?}]>", "sdy.return(%6, %7)",
                            "%8 = sdy.data_flow_edge(%2) <@m, [{\"x\", ?}]>",
                            "%9 = sdy.data_flow_edge(%3) <@m, [{?}], replicated={\"x\"}>",
                            "func.return(%8, %9)"});
  CHECK(located(verify(m.module)).empty());
  m.module.attributes(edges(m.module)[0]).set("sharding", m.sharding("<@m, [{\"y\", ?}]>"));
  sink_data_flow_edges(m.module);
  CHECK(listing(m) ==
        Lines{"%2, %3 = sdy.manual_computation(%0, %1) in_shardings=[<@m, [{\"x\", \"y\", ?}]><@m, "
              "[{?}], replicated={\"x\"}>]" +
                  out + " ^(%4, %5)",
              "sdy.return(%4, %5)", "func.return(%2, %3)"});
}

TEST_CASE("an edge owner without sharding becomes open if another owner has a sharding",
          "[ir][edge_ops]") {
  ModuleMaker m;
  const OpId op = loop(m);
  insert_data_flow_edges(m.module);
  sink_data_flow_edges(m.module);
  CHECK(m.module.attributes(op).empty());
  set_sharding(m.module, m.module.result(op), m.sharding("<@m, [{\"x\"}]>"));
  insert_data_flow_edges(m.module);
  // The edge of the first owner loses its sharding, that of the last one gets one.
  m.module.attributes(edges(m.module)[0]).erase("sharding");
  m.module.attributes(edges(m.module)[1]).set("sharding", m.sharding("<@same, [{\"y\"}]>"));
  sink_data_flow_edges(m.module);
  CHECK(listing(m).front().find("sdy.sharding=[<@same, [{?}]><@same, []><@same, [{\"y\"}]>]") !=
        std::string::npos);
}

TEST_CASE("a data-flow edge on a value that owns no edge is removed", "[ir][edge_ops]") {
  ModuleMaker m;
  const ValueId x = m.argument(kF32);
  const ValueId edge =
      m.value({.kind = SdyDataFlowEdge,
               .operands = {x},
               .result_types = {type_of(kF32)},
               .attributes = attributes({{"sharding", m.sharding("<@m, [{\"x\"}]>")}})});
  m.finish({edge});
  sink_data_flow_edges(m.module);
  CHECK(listing(m) == Lines{"func.return(%0)"});
  CHECK(get_sharding(m.module, x) == std::nullopt);
}

TEST_CASE("debugging attributes of edge ops are kept on request", "[ir][edge_ops]") {
  ModuleMaker m;
  const OpId op = manual(m);
  insert_data_flow_edges(m.module);
  const AttributeMap origins = attributes({{"y", "input: 0"}});
  const OpaqueAttr steps{
      "#sdy.propagation_edges<[{step-0 = [{\"y\" = operand-0 -> [result-0]}]}]>"};
  m.module.attributes(edges(m.module)[1]).set("sdy.sharding_origins", origins);
  m.module.attributes(edges(m.module)[2]).set("sdy.propagation_edges", steps);
  Module copy = m.module;
  sink_data_flow_edges(copy);
  CHECK(copy.attributes(op).size() == 3);  // both lists of shardings, the manual axes

  sink_data_flow_edges(m.module, {.sharding_origins = true, .propagation_edges = true});
  const AttributeMap& kept = m.module.attributes(op);
  CHECK(kept.size() == 5);
  REQUIRE(kept.get<ArrayAttr>("sdy.block_arg_sharding_origins"));
  CHECK(kept.get<ArrayAttr>("sdy.block_arg_sharding_origins")->elements ==
        std::vector<Attribute>{AttributeMap(), origins});
  REQUIRE(kept.get<ArrayAttr>("sdy.result_propagation_edges"));
  CHECK(kept.get<ArrayAttr>("sdy.result_propagation_edges")->elements ==
        std::vector<Attribute>{steps});
}

// ---- Edges of functions -------------------------------------------------------------------------

/// @main calls @f twice; @f hands its argument on.
struct Calls {
  ModuleMaker m;
  OpId f = m.module.add_function("f", types_of({kF32, kToken}), types_of({kF32, kToken}));
  ValueId first;

  Calls() {
    const auto args = m.module.args(m.module.entry(f));
    m.module.append(m.module.entry(f),
                    m.module.create(OpSpec{.kind = FuncReturn, .operands = {args[0], args[1]}}));
    set_arg_sharding(m.module, f, 0, m.sharding("<@m, [{\"y\"}]>"));
    const ValueId x = m.argument(kF32, "<@m, [{\"x\"}]>");
    first = call({x, m.argument(kToken)})[0];
    m.finish({call({first, m.module.args(m.module.entry(m.main))[1]})[0]});
    m.module.function(m.main).result_types = types_of({kF32});
  }
  std::vector<ValueId> call(std::vector<ValueId> operands) {
    return m.module.results(m.op({.kind = FuncCall,
                                  .operands = std::move(operands),
                                  .result_types = types_of({kF32, kToken}),
                                  .attributes = attributes({{"callee", SymbolAttr{"f"}}})}));
  }
};

TEST_CASE("arguments of functions other than main and results of calls get edges",
          "[ir][edge_ops]") {
  Calls calls;
  ModuleMaker& m = calls.m;
  set_sharding(m.module, calls.first, m.sharding("<@m, [{\"x\"}]>"));
  REQUIRE(insert_func_data_flow_edges(m.module));
  REQUIRE(insert_func_data_flow_edges(m.module));  // a second time nothing happens
  CHECK(located(verify(m.module)).empty());
  CHECK(listing(m) == Lines{"%2, %3 = func.call(%0, %1) sdy.sharding=[<@m, [{\"x\"}]><@m, []>]",
                            "%4 = sdy.func_data_flow_edge(%2) sdy.sharding=[<@m, [{\"x\"}]>]",
                            "%5, %6 = func.call(%4, %1)", "%7 = sdy.func_data_flow_edge(%5)",
                            "func.return(%7)"});
  CHECK(Listing(m.module).lines(m.module.entry(calls.f)) ==
        Lines{"%2 = sdy.func_data_flow_edge(%0) sdy.sharding=[<@m, [{\"y\"}]>]",
              "func.return(%2, %1)"});
}

TEST_CASE("function edges pass their shardings to their values", "[ir][edge_ops]") {
  Calls calls;
  ModuleMaker& m = calls.m;
  REQUIRE(insert_func_data_flow_edges(m.module));
  for (const OpId op : pre_order(m.module)) {
    if (!m.module.is(op, SdyFuncDataFlowEdge)) continue;
    m.module.attributes(op).erase("sdy.sharding");
    if (m.module.operand(op, 0) == calls.first) {
      set_sharding(m.module, m.module.result(op), m.sharding("<@m, [{\"y\"}]>"));
    }
  }
  sink_func_data_flow_edges(m.module);
  CHECK(listing(m) == Lines{"%2, %3 = func.call(%0, %1) sdy.sharding=[<@m, [{\"y\"}]><@m, []>]",
                            "%4, %5 = func.call(%2, %1)", "func.return(%4)"});
  CHECK(Listing(m.module).lines(m.module.entry(calls.f)) == Lines{"func.return(%0, %1)"});
  // Its edge had lost the sharding.
  CHECK(to_string(arg_sharding(m.module, calls.f, 0).value()) == "<@m, [{?}]>");
}

TEST_CASE("function edges need a main function", "[ir][edge_ops]") {
  Module module;
  module.add_function("f", {}, {});
  module.add_function("g", {}, {});
  const auto status = insert_func_data_flow_edges(module);
  REQUIRE_FALSE(status);
  CHECK(status.error().message == "Failed to lookup function: main");
}

}  // namespace
}  // namespace shardy_test::edge_ops_test
