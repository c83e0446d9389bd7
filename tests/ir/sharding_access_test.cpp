// Places in the IR that store the sharding of a value. Spec: dialect 2, 5.2; algebra 6.1, 6.2.
#include "shardy/ir/sharding_access.hpp"

#include "ir/module_maker.hpp"

namespace shardy_test::sharding_access_test {
namespace {

using enum OpKind;

const std::string kF32 = "tensor<8x8xf32>";
const std::string kAlongX = "<@m, [{\"x\"}, {}]>";
const std::string kOpen = "<@m, [{?}, {?}]>";

std::string text(const std::optional<TensorSharding>& sharding) {
  return sharding ? to_string(*sharding) : "none";
}
std::string sharding_of(const ModuleMaker& m, ValueId value) {
  return text(get_sharding(m.module, value));
}
/// Stored attribute `name` of the op, a list.
std::vector<std::string> list_of(const ModuleMaker& m, OpId op, std::string_view name) {
  const auto* list = m.module.attribute<ShardingList>(op, name);
  std::vector<std::string> texts;
  if (list == nullptr) return {"none"};
  for (const TensorSharding& sharding : list->shardings) texts.push_back(to_string(sharding));
  return texts;
}

/// An op with so many results, one operand, and one region per entry of `regions`.
OpId make(ModuleMaker& m, OpKind kind, std::size_t num_results,
          const std::vector<RegionText>& regions = {}, AttributeMap attributes = {}) {
  OpSpec spec{.kind = kind,
              .name = "test.op",
              .operands = {m.argument(kF32)},
              .result_types = std::vector<Type>(num_results, type_of(kF32)),
              .attributes = std::move(attributes)};
  for (const RegionText& region : regions) spec.regions.push_back(m.region(region));
  return m.op(std::move(spec));
}
const RegionText kBody{{kF32}, {kF32}};

TEST_CASE("an op has one sharding per result", "[ir][sharding_access]") {
  ModuleMaker m;
  const OpId op =
      m.op({.name = "test.op", .result_types = types_of({kF32, "!stablehlo.token", kF32})});
  const ValueId last = m.module.result(op, 2);
  CHECK(sharding_of(m, last) == "none");
  set_sharding(m.module, last, m.sharding(kAlongX));
  CHECK(sharding_of(m, last) == kAlongX);
  CHECK(list_of(m, op, "sdy.sharding") == std::vector<std::string>{kOpen, "<@m, []>", kAlongX});
  set_sharding(m.module, m.module.result(op), m.sharding("<@same, [{}, {}]>"));
  CHECK(list_of(m, op, "sdy.sharding") ==
        std::vector<std::string>{"<@same, [{}, {}]>", "<@m, []>", kAlongX});
}

TEST_CASE("if one result is on a single device, the other results are on that device",
          "[ir][sharding_access]") {
  ModuleMaker m;
  const OpId op = make(m, Unknown, 2);
  set_sharding(m.module, m.module.result(op), m.sharding("<@max, []>"));
  CHECK(list_of(m, op, "sdy.sharding") == std::vector<std::string>{"<@max, []>", "<@max, []>"});
}

TEST_CASE("arguments and results of functions have shardings of their own",
          "[ir][sharding_access]") {
  ModuleMaker m;
  const ValueId x = m.argument(kF32);
  const ValueId y = m.argument(kF32, kAlongX);
  CHECK(sharding_of(m, x) == "none");
  CHECK(sharding_of(m, y) == kAlongX);
  set_sharding(m.module, x, m.sharding(kOpen));
  CHECK(text(arg_sharding(m.module, m.main, 0)) == kOpen);
  CHECK(text(arg_sharding(m.module, m.main, 7)) == "none");

  CHECK(text(result_sharding(m.module, m.main, 1)) == "none");
  set_result_sharding(m.module, m.main, 1, m.sharding(kAlongX));
  CHECK(text(result_sharding(m.module, m.main, 1)) == kAlongX);
  CHECK(text(result_sharding(m.module, m.main, 0)) == "none");
  m.module.function(m.main).arg_attributes.clear();
  set_arg_sharding(m.module, m.main, 1, m.sharding(kAlongX));
  CHECK(text(arg_sharding(m.module, m.main, 1)) == kAlongX);
}

TEST_CASE("sdy ops store the sharding of their result in their own attribute",
          "[ir][sharding_access]") {
  const auto [kind, attribute] = GENERATE(table<OpKind, std::string>({
      {SdyShardingConstraint, "sharding"},
      {SdyReshard, "sharding"},
      {SdyDataFlowEdge, "sharding"},
      {SdyAllGather, "out_sharding"},
      {SdyAllSlice, "out_sharding"},
      {SdyAllToAll, "out_sharding"},
      {SdyCollectivePermute, "out_sharding"},
      {SdyAllReduce, "out_sharding"},
      {SdyReduceScatter, "out_sharding"},
      {SdyShardedToUnreduced, "out_sharding"},
      {SdyReplicatedToUnreduced, "out_sharding"},
  }));
  ModuleMaker m;
  const OpId op = make(m, kind, 1);
  CAPTURE(info(kind).name);
  CHECK(sharding_of(m, m.module.result(op)) == "none");
  set_sharding(m.module, m.module.result(op), m.sharding(kAlongX));
  CHECK(sharding_of(m, m.module.result(op)) == kAlongX);
  CHECK(m.module.attributes(op).size() == 1);
  REQUIRE(m.module.attribute<TensorSharding>(op, attribute) != nullptr);
}

TEST_CASE("arguments of a loop have the shardings of its results", "[ir][sharding_access]") {
  ModuleMaker m;
  const OpId loop = make(m, While, 1, {{{kF32}, {"tensor<i1>"}}, kBody});
  const ValueId cond_arg = m.module.args(m.module.block(loop, 0))[0];
  const ValueId body_arg = m.module.args(m.module.block(loop, 1))[0];
  CHECK(shardable_value(m.module, body_arg) == m.module.result(loop));
  set_sharding(m.module, body_arg, m.sharding(kAlongX));
  CHECK(sharding_of(m, m.module.result(loop)) == kAlongX);
  CHECK(sharding_of(m, cond_arg) == kAlongX);
  CHECK(list_of(m, loop, "sdy.sharding") == std::vector{kAlongX});
}

TEST_CASE("an edge op has the sharding of all targets of its edge", "[ir][sharding_access]") {
  ModuleMaker m;
  const OpId loop = make(m, While, 1, {{{kF32}, {"tensor<i1>"}}, kBody});
  const ValueId body_arg = m.module.args(m.module.block(loop, 1))[0];
  const OpId edge = m.op({.kind = SdyDataFlowEdge,
                          .operands = {m.module.result(loop)},
                          .result_types = {type_of(kF32)}});
  set_sharding(m.module, body_arg, m.sharding(kAlongX));
  CHECK(m.module.attribute<TensorSharding>(edge, "sharding") != nullptr);
  CHECK(list_of(m, loop, "sdy.sharding") == std::vector<std::string>{"none"});
  CHECK(sharding_of(m, m.module.result(loop)) == kAlongX);
  CHECK(sharding_of(m, m.module.result(edge)) == kAlongX);
  // A second user of the owner: no edge op any more.
  m.op({.name = "test.op", .operands = {m.module.result(loop)}});
  CHECK(sharding_of(m, body_arg) == "none");
}

TEST_CASE("reducer arguments and branch arguments of other ops cannot have shardings",
          "[ir][sharding_access]") {
  ModuleMaker m;
  const OpId reduce = make(m, Reduce, 1, {kBody});
  const ValueId arg = m.module.args(m.module.block(reduce))[0];
  CHECK(shardable_value(m.module, arg) == std::nullopt);
  set_sharding(m.module, arg, m.sharding(kAlongX));
  CHECK(sharding_of(m, arg) == "none");
  CHECK(m.module.attributes(reduce).empty());
}

TEST_CASE("arguments of an asynchronous body have the shardings of the operands",
          "[ir][sharding_access]") {
  ModuleMaker m;
  const ValueId x = m.argument(kF32, kAlongX);
  const OpId start =
      m.op({.kind = AsyncStart, .operands = {x}, .regions = {m.region({{kF32, kF32}, {}})}});
  const auto args = m.module.args(m.module.block(start));
  CHECK(shardable_value(m.module, args[0]) == x);
  CHECK(sharding_of(m, args[0]) == kAlongX);
  CHECK(shardable_value(m.module, args[1]) == std::nullopt);
}

TEST_CASE("a named computation has sharding lists for operands and results",
          "[ir][sharding_access]") {
  ModuleMaker m;
  const OpId op = make(m, SdyNamedComputation, 1, {{{kF32}, {kF32}, SdyReturn}});
  const ValueId arg = m.module.args(m.module.block(op))[0];
  CHECK(sharding_of(m, arg) == "none");
  set_sharding(m.module, arg, m.sharding(kAlongX));
  set_sharding(m.module, m.module.result(op), m.sharding(kOpen));
  CHECK(list_of(m, op, "in_shardings") == std::vector{kAlongX});
  CHECK(list_of(m, op, "out_shardings") == std::vector{kOpen});
  CHECK(sharding_of(m, arg) == kAlongX);
  CHECK(sharding_of(m, m.module.result(op)) == kOpen);
}

TEST_CASE("inside a manual computation shardings omit its manual axes", "[ir][sharding_access]") {
  ModuleMaker m;
  const OpId op =
      make(m, SdyManualComputation, 1, {{{kF32}, {kF32}, SdyReturn}},
           attributes({{"in_shardings", m.shardings({"<@m, [{\"x\", \"y\":(1)2}, {?}]>"})},
                       {"out_shardings", m.shardings({"<@m, [{\"x\"}, {}]>"})},
                       {"manual_axes", ManualAxesAttr{{"x"}}}}));
  const ValueId arg = m.module.args(m.module.block(op))[0];
  CHECK(sharding_of(m, arg) == "<@m, [{\"y\":(1)2}, {?}]>");
  set_sharding(m.module, arg, m.sharding("<@m, [{?}, {\"y\"}]>"));
  CHECK(list_of(m, op, "in_shardings") == std::vector<std::string>{"<@m, [{\"x\", ?}, {\"y\"}]>"});
  CHECK(sharding_of(m, arg) == "<@m, [{?}, {\"y\"}]>");
  CHECK(sharding_of(m, m.module.result(op)) == "<@m, [{\"x\"}, {}]>");  // as from outside
}

TEST_CASE("get_sharding_bypassing_barriers skips propagation barriers", "[ir][sharding_access]") {
  ModuleMaker m;
  const ValueId x = m.argument(kF32, kAlongX);
  const auto barrier = [&](ValueId of) {
    return m.value(
        {.kind = SdyPropagationBarrier, .operands = {of}, .result_types = {type_of(kF32)}});
  };
  const ValueId top = barrier(barrier(x));
  CHECK(sharding_of(m, top) == "none");
  CHECK(bypass_barriers(m.module, top) == x);
  CHECK(text(get_sharding_bypassing_barriers(m.module, top)) == kAlongX);
  // A circle, which only a broken module has, ends.
  m.module.set_operand(m.module.defining_op(m.module.operand(m.module.defining_op(top), 0)), 0,
                       top);
  CHECK(text(get_sharding_bypassing_barriers(m.module, top)) == "none");
}

TEST_CASE("get_or_create makes a sharding of the right rank", "[ir][sharding_access]") {
  ModuleMaker m;
  const shardy::MeshRef mesh{m.mesh_named("m"), "m"};
  const ValueId x = m.argument(kF32);
  const ValueId token = m.argument("!stablehlo.token");
  CHECK(to_string(get_or_create_sharding(m.module, x, mesh)) == kOpen);
  CHECK(to_string(get_or_create_sharding(m.module, x, mesh, true)) == "<@m, [{}, {}]>");
  CHECK(to_string(get_or_create_sharding(m.module, token, mesh)) == "<@m, []>");
  set_sharding(m.module, x, m.sharding(kAlongX));
  CHECK(to_string(get_or_create_sharding(m.module, x, mesh)) == kAlongX);
}

TEST_CASE("erasing manual axes by name keeps the free axes", "[ir][sharding_access]") {
  const auto [outer, erased] = GENERATE(table<std::string, std::string>({
      {"<@m, [{\"x\", \"y\"}, {}]>", "<@m, [{\"y\"}, {}]>"},
      {"<@m, [{\"x\"}, {?}]>", "<@m, [{}, {?}]>"},
      {"<@m, [{\"x\"}p1, {}]>", "<@m, [{}, {}]>"},
      {"<@m, [{\"x\", ?}p1, {}]>", "<@m, [{?}p1, {}]>"},
      {"<@m, [{}, {}], replicated={\"x\", \"y\":(1)2}>", "<@m, [{}, {}], replicated={\"y\":(1)2}>"},
      {"<@m, [{}, {}], unreduced=max{\"x\", \"y\"}>", "<@m, [{}, {}], unreduced=max{\"y\"}>"},
      {"<@m, [{}, {}], unreduced=max{\"x\"}>", "<@m, [{}, {}]>"},
      {"<@m, [{\"y\"}, {}]>", "<@m, [{\"y\"}, {}]>"},
  }));
  const ModuleMaker m;
  const std::vector<std::string> manual = {"x"};
  const TensorSharding sharding = m.sharding(outer);
  CHECK(to_string(erase_manual(sharding, manual)) == erased);
  CHECK(erase_manual(sharding, {}) == sharding);
}

TEST_CASE("adding free axes appends them after the manual axes", "[ir][sharding_access]") {
  const auto [outer, inner, joined] = GENERATE(table<std::string, std::string, std::string>({
      {"<@m, [{\"x\", \"y\"}, {}]>", "<@m, [{}, {\"y\", ?}p2]>", "<@m, [{\"x\"}, {\"y\", ?}p2]>"},
      {"<@m, [{\"x\"}, {}], replicated={\"y\"}>", "<@m, [{?}, {\"y\":(1)2}]>",
       "<@m, [{\"x\", ?}, {\"y\":(1)2}], replicated={\"y\":(2)2}>"},
      {"<@m, [{\"x\"}, {}], unreduced=max{\"y\"}>", "<@m, [{}, {}]>",
       "<@m, [{\"x\"}, {}], unreduced=max{\"y\"}>"},
      {"<@same, [{\"x\"}, {}]>", "<@m, [{\"y\"}, {}]>", "<@m, [{\"x\", \"y\"}, {}]>"},
      {"<@m, [{\"x\"}, {}]>", "<@max, []>", "<@max, []>"},
  }));
  const ModuleMaker m;
  const std::vector<std::string> manual = {"x"};
  CHECK(to_string(add_free(m.sharding(outer), m.sharding(inner), manual)) == joined);
}

}  // namespace
}  // namespace shardy_test::sharding_access_test
