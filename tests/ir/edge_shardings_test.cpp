// Shardings of the owners of data-flow edges, and which edge a value belongs to. Spec: dialect 5.1,
// 5.2, 9.1.
#include "shardy/ir/detail/edge_shardings.hpp"

#include "ir/module_maker.hpp"

namespace shardy_test::edge_shardings_test {
namespace {

using enum OpKind;
using shardy::ir::EdgeOwners;
using shardy::ir::EdgeTransform;

const std::string kF32 = "tensor<8x8xf32>";
const RegionText kBody{{kF32, kF32}, {kF32, kF32}};

OpId make(ModuleMaker& m, OpKind kind, std::size_t num_operands,
          const std::vector<RegionText>& regions, AttributeMap attributes = {}) {
  OpSpec spec{.kind = kind, .result_types = types_of({kF32, kF32})};
  for (std::size_t index = 0; index < num_operands; ++index) {
    spec.operands.push_back(m.argument(kF32));
  }
  for (const RegionText& region : regions) spec.regions.push_back(m.region(region));
  spec.attributes = std::move(attributes);
  return m.op(std::move(spec));
}
OpId loop(ModuleMaker& m) { return make(m, While, 2, {{{kF32, kF32}, {"tensor<i1>"}}, kBody}); }
OpId branches(ModuleMaker& m) {
  return make(m, Case, 1, {{{}, {kF32, kF32}}, {{}, {kF32, kF32}}, {{}, {kF32, kF32}}});
}
OpId named(ModuleMaker& m) {
  return make(m, SdyNamedComputation, 2, {{{kF32, kF32}, {kF32, kF32}, SdyReturn}});
}
OpId manual(ModuleMaker& m, const std::vector<std::string>& in,
            const std::vector<std::string>& out) {
  return make(m, SdyManualComputation, 2, {{{kF32, kF32}, {kF32, kF32}, SdyReturn}},
              attributes({{"in_shardings", m.shardings(in)},
                          {"out_shardings", m.shardings(out)},
                          {"manual_axes", ManualAxesAttr{{"x"}}}}));
}

OpId terminator(const ModuleMaker& m, OpId op, std::size_t region) {
  return m.module.last_op(m.module.block(op, region));
}
std::vector<ValueId> args(const ModuleMaker& m, OpId op, std::size_t region) {
  const auto all = m.module.args(m.module.block(op, region));
  return {all.begin(), all.end()};
}
std::vector<std::string> texts(const std::vector<TensorSharding>& shardings) {
  std::vector<std::string> texts;
  for (const TensorSharding& sharding : shardings) texts.push_back(to_string(sharding));
  return texts;
}

TEST_CASE("the edge of a loop result includes the loop body", "[ir][data_flow]") {
  ModuleMaker m;
  const OpId op = loop(m);
  const ValueId owner = m.module.result(op, 1);
  CHECK(edge_owners(m.module, op, EdgeOwners::BlockArgs).empty());
  CHECK(edge_owners(m.module, op, EdgeOwners::Results) == m.module.results(op));
  CHECK(edge_sources(m.module, owner) == std::vector<Use>{{op, 1}, {terminator(m, op, 1), 1}});
  CHECK(non_owner_targets(m.module, owner) ==
        std::vector<ValueId>{args(m, op, 0)[1], args(m, op, 1)[1]});
  for (const ValueId target : {owner, args(m, op, 0)[1], args(m, op, 1)[1]}) {
    CHECK(edge_owner_of_target(m.module, target) == owner);
  }
  for (const Use source : edge_sources(m.module, owner)) {
    CHECK(edge_owner_of_source(m.module, source) == owner);
  }
}

TEST_CASE("neither the condition of a loop nor the index of a case feeds an edge (D4)",
          "[ir][data_flow]") {
  ModuleMaker m;
  const OpId op = loop(m);
  CHECK(edge_owner_of_source(m.module, {terminator(m, op, 0), 0}) == std::nullopt);
  const OpId choice = branches(m);
  CHECK(edge_owner_of_source(m.module, {choice, 0}) == std::nullopt);
}

TEST_CASE("an edge of a case has one source per branch", "[ir][data_flow]") {
  ModuleMaker m;
  const OpId op = branches(m);
  const ValueId owner = m.module.result(op, 1);
  const std::vector<Use> sources = {
      {terminator(m, op, 0), 1}, {terminator(m, op, 1), 1}, {terminator(m, op, 2), 1}};
  CHECK(edge_sources(m.module, owner) == sources);
  CHECK(non_owner_targets(m.module, owner).empty());
  CHECK(edge_owner_of_source(m.module, sources[2]) == owner);
}

TEST_CASE("the edge of a barrier has its operand as source", "[ir][data_flow]") {
  ModuleMaker m;
  const OpId op = make(m, OptimizationBarrier, 2, {});
  CHECK(edge_sources(m.module, m.module.result(op, 1)) == std::vector<Use>{{op, 1}});
  CHECK(edge_owner_of_source(m.module, {op, 1}) == m.module.result(op, 1));
}

TEST_CASE("computations have edges into and out of their body (D4)", "[ir][data_flow]") {
  ModuleMaker m;
  const OpId op = GENERATE(0, 1) == 0 ? named(m)
                                      : manual(m, {"<@m, [{}, {}]>", "<@m, [{}, {}]>"},
                                               {"<@m, [{}, {}]>", "<@m, [{}, {}]>"});
  const ValueId inside = args(m, op, 0)[1];
  CHECK(edge_owners(m.module, op, EdgeOwners::BlockArgs) == args(m, op, 0));
  CHECK(edge_owners(m.module, op, EdgeOwners::Results) == m.module.results(op));
  CHECK(edge_sources(m.module, inside) == std::vector<Use>{{op, 1}});
  CHECK(edge_owner_of_source(m.module, {op, 1}) == inside);
  CHECK(edge_sources(m.module, m.module.result(op)) == std::vector<Use>{{terminator(m, op, 0), 0}});
  CHECK(edge_owner_of_source(m.module, {terminator(m, op, 0), 0}) == m.module.result(op));
}

TEST_CASE("other ops with regions have no edges", "[ir][data_flow]") {
  ModuleMaker m;
  const OpId op = make(m, If, 1, {{{}, {kF32, kF32}}, {{}, {kF32, kF32}}});
  CHECK(edge_owners(m.module, op, EdgeOwners::Results).empty());
  CHECK(edge_owner_of_target(m.module, m.module.result(op)) == std::nullopt);
  CHECK(edge_owner_of_source(m.module, {terminator(m, op, 0), 0}) == std::nullopt);
  CHECK(edge_sources(m.module, m.module.result(op)).empty());
}

TEST_CASE("only edges of manual computations must divide", "[ir][edge_shardings]") {
  ModuleMaker m;
  CHECK_FALSE(keep_edge_shardings_divisible(m.module, loop(m)));
  CHECK_FALSE(keep_edge_shardings_divisible(m.module, named(m)));
  const std::string any = "<@m, [{}, {}]>";
  CHECK(keep_edge_shardings_divisible(m.module, manual(m, {any, any}, {any, any})));
}

TEST_CASE("either all edge owners of an op have shardings or none has", "[ir][edge_shardings]") {
  ModuleMaker m;
  const OpId op = loop(m);
  CHECK(edge_owner_shardings(m.module, op, EdgeOwners::Results).empty());
  set_edge_owner_sharding(m.module, m.module.result(op, 1), m.sharding("<@m, [{\"x\"}, {}]>"));
  CHECK(texts(edge_owner_shardings(m.module, op, EdgeOwners::Results)) ==
        std::vector<std::string>{"<@m, [{?}, {?}]>", "<@m, [{\"x\"}, {}]>"});
  CHECK(edge_owner_shardings(m.module, op, EdgeOwners::BlockArgs).empty());
  // Arguments of a loop own no edge.
  set_edge_owner_sharding(m.module, args(m, op, 1)[1], m.sharding("<@m, [{}, {}]>"));
  CHECK(to_string(edge_owner_shardings(m.module, op, EdgeOwners::Results)[1]) ==
        "<@m, [{\"x\"}, {}]>");
}

TEST_CASE("a named computation has separate shardings for arguments and results",
          "[ir][edge_shardings]") {
  ModuleMaker m;
  const OpId op = named(m);
  const std::vector<std::string> in = {"<@m, [{\"x\"}, {}]>", "<@m, [{}, {?}]>"};
  const std::vector<std::string> out = {"<@m, [{}, {\"y\"}]>", "<@m, [{}, {}]>"};
  set_edge_owner_shardings(m.module, op, EdgeOwners::BlockArgs, m.shardings(in).shardings);
  set_edge_owner_shardings(m.module, op, EdgeOwners::Results, m.shardings(out).shardings);
  CHECK(texts(edge_owner_shardings(m.module, op, EdgeOwners::BlockArgs)) == in);
  CHECK(texts(edge_owner_shardings(m.module, op, EdgeOwners::Results)) == out);
  CHECK(texts(m.module.attribute<ShardingList>(op, "in_shardings")->shardings) == in);
  CHECK(texts(m.module.attribute<ShardingList>(op, "out_shardings")->shardings) == out);
}

TEST_CASE("argument edges of a manual computation are local, result edges are global",
          "[ir][edge_shardings]") {
  ModuleMaker m;
  const OpId op = manual(m, {"<@m, [{\"x\"}, {?}]>", "<@m, [{}, {}], replicated={\"x\"}>"},
                         {"<@m, [{\"x\"}, {?}]>", "<@m, [{\"x\"}, {}]>"});
  CHECK(texts(edge_owner_shardings(m.module, op, EdgeOwners::BlockArgs)) ==
        std::vector<std::string>{"<@m, [{}, {?}]>", "<@m, [{}, {}]>"});
  CHECK(texts(edge_owner_shardings(m.module, op, EdgeOwners::Results)) ==
        std::vector<std::string>{"<@m, [{\"x\"}, {?}]>", "<@m, [{\"x\"}, {}]>"});

  const std::vector<TensorSharding> inside =
      m.shardings({"<@m, [{\"y\":(1)2}, {}]>", "<@m, [{}, {\"y\"}]>"}).shardings;
  set_edge_owner_shardings(m.module, op, EdgeOwners::BlockArgs, inside);
  CHECK(texts(m.module.attribute<ShardingList>(op, "in_shardings")->shardings) ==
        std::vector<std::string>{"<@m, [{\"x\", \"y\":(1)2}, {}]>",
                                 "<@m, [{}, {\"y\"}], replicated={\"x\"}>"});
  CHECK(edge_owner_shardings(m.module, op, EdgeOwners::BlockArgs) == inside);

  set_edge_owner_sharding(m.module, m.module.result(op), m.sharding("<@m, [{\"x\", \"y\"}, {}]>"));
  CHECK(texts(m.module.attribute<ShardingList>(op, "out_shardings")->shardings) ==
        std::vector<std::string>{"<@m, [{\"x\", \"y\"}, {}]>", "<@m, [{\"x\"}, {}]>"});
}

TEST_CASE("edge sources of a manual computation have the sharding of the other side",
          "[ir][edge_shardings]") {
  ModuleMaker m;
  const OpId op = manual(m, {"<@m, [{\"x\"}, {?}]>", "<@m, [{\"x\"}, {}]>"},
                         {"<@m, [{}, {\"x\"}]>", "<@m, [{\"x\"}, {}]>"});
  const ValueId argument = args(m, op, 0)[0];
  const ValueId result = m.module.result(op);
  const auto view = [&](ValueId owner, const std::string& text, EdgeTransform transform) {
    return to_string(transform_target_sharding(m.module, owner, m.sharding(text), transform));
  };
  using enum EdgeTransform;
  CHECK(view(argument, "<@m, [{\"y\"}, {}]>", BeforePropagation) == "<@m, [{\"x\", \"y\"}, {}]>");
  CHECK(view(argument, "<@m, [{\"x\", \"y\"}, {}]>", AfterPropagation) == "<@m, [{\"y\"}, {}]>");
  CHECK(view(result, "<@m, [{}, {\"x\", \"y\"}]>", BeforePropagation) == "<@m, [{}, {\"y\"}]>");
  CHECK(view(result, "<@m, [{}, {\"y\"}]>", AfterPropagation) == "<@m, [{}, {\"x\", \"y\"}]>");
}

TEST_CASE("edge sources of other ops have the stored sharding", "[ir][edge_shardings]") {
  ModuleMaker m;
  const OpId op = named(m);
  const TensorSharding sharding = m.sharding("<@m, [{\"x\"}, {}]>");
  for (const ValueId owner : {args(m, op, 0)[0], m.module.result(op)}) {
    for (const auto transform :
         {EdgeTransform::BeforePropagation, EdgeTransform::AfterPropagation}) {
      CHECK(transform_target_sharding(m.module, owner, sharding, transform) == sharding);
    }
  }
}

}  // namespace
}  // namespace shardy_test::edge_shardings_test
