#include "api/values.hpp"

#include <cstdio>
#include <cstdlib>

#include "aggregates.hpp"

namespace shardy::api_test {
namespace {

/// Returns the value; aborts the test if it could not be made. All texts of this file are valid.
template <class Made>
auto must(Made made) {
  if (!made) {
    std::fprintf(stderr, "a value of the test cannot be made\n");
    std::abort();
  }
  return *std::move(made);
}

constexpr std::array<std::string_view, 6> kMeshes = {
    R"(<["x"=2, "y"=4]>)",     R"(<["x"=6]>)",
    R"(<["a"=1, "b"=3]>)",     R"(<[]>)",
    R"(<[], device_ids=[0]>)", R"(<["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>)"};
constexpr std::array<std::string_view, 8> kShardings = {
    R"(<@m, [{"x"}, {"y"}]>)",
    R"(<@m, [{?}, {"x", ?}p1]>)",
    R"(<@m, []>)",
    R"(<@m, [{"x":(1)2}, {}], replicated={"y":(2)2}>)",
    R"(<@m, [{}], unreduced={"x"}>)",
    R"(<@m, [{"y":(2)2}, {"x"}, {}]>)",
    R"(<@m, [{}, {}]>)",
    R"(<@m, [{"y", "x", ?}]>)"};
constexpr std::array<std::string_view, 5> kRules = {
    "<([i, k], [k, j])->([i, j]) {i=4, j=8, k=16} reduction={k}>",
    "<([i, j])->([i, j]) {i=8, j=6}>", "<([ij])->([i, j]) {i=2, j=4}>",
    "<([i, j], [], [])->([i, k]) {i=16, j=32, k=4} reduction={j} need_replication={k}>",
    "<([i])->([]) {i=4} reduction={i}>"};
constexpr std::array<std::string_view, 5> kPrograms = {
    R"(sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>}, %b: tensor<16x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.sharding_constraint %0 <@m, [{}, {"y"}]> : tensor<8x8xf32>
  %2 = func.call @f(%1) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
func.func private @f(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.tanh %a : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
})",
    R"(sdy.mesh @m = <["x"=2]>
func.func @main(%a: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %n, %v = %a) : tensor<i32>, tensor<4xf32>
  cond {
    %1 = stablehlo.compare GT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %v, %v : tensor<4xf32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %2 = stablehlo.subtract %i, %one : tensor<i32>
    stablehlo.return %2, %1 : tensor<i32>, tensor<4xf32>
  }
  return %0#1 : tensor<4xf32>
})",
    R"(sdy.mesh @m = <["x"=2]>
func.func @main(%a: tensor<4x6xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%b: tensor<2xf32>) {
    %2 = stablehlo.negate %b : tensor<2xf32>
    sdy.return %2 : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
})",
    R"(func.func @g(%a: tensor<f32>) -> tensor<f32> {
  %0 = "my.op"(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
})",
    ""};
constexpr std::array<std::string_view, 9> kTypes = {
    "tensor<8x16xf32>", "tensor<f32>",          "tensor<4xi32>",
    "tensor<2x?xbf16>", "!stablehlo.token",     "tensor<0x3xf64>",
    "tensor<3xi1>",     "tuple<tensor<2xf32>>", "tensor<2x2xcomplex<f32>>"};
constexpr std::array<std::string_view, 14> kTexts = {"",
                                                     "x",
                                                     "y",
                                                     "main",
                                                     "f",
                                                     "sdy.sharding",
                                                     "stablehlo.add",
                                                     "dense<",
                                                     R"([{"x"}, {}])",
                                                     R"(<@m, [{"x"}]>)",
                                                     R"(<["x"=2]>)",
                                                     "\xff\x01",
                                                     "ij,jk->ik",
                                                     "%0"};

}  // namespace

std::string Values<std::string>::make(Draw& draw) {
  if (draw.once_in(6)) return std::string(draw.one_of(kPrograms));
  if (draw.once_in(6)) return std::string(draw.one_of(kRules));
  if (draw.once_in(6)) return std::string(draw.one_of(kTypes));
  if (draw.once_in(6)) return std::string(draw.one_of(kMeshes));
  return std::string(draw.one_of(kTexts));
}

// ---- algebra ------------------------------------------------------------------------------------

Mesh Values<Mesh>::make(Draw& draw) { return must(parse_mesh(draw.one_of(kMeshes))); }

AxisRef Values<AxisRef>::make(Draw& draw) {
  constexpr std::array<AxisRef, 6> kOften = {
      {{0, 1, 2}, {1, 1, 4}, {1, 1, 2}, {1, 2, 2}, {0, 1, 6}, {0, 2, 3}}};
  draw.spoil();  // the mesh of the call may not have this axis
  if (!draw.once_in(6)) return draw.one_of(kOften);
  return {draw.value<int32_t>(), draw.value<int64_t>(), draw.value<int64_t>()};
}

TensorSharding Values<TensorSharding>::make(Draw& draw) {
  const Mesh mesh = must(parse_mesh(kMeshes[draw.below(2) * 5]));
  const auto sharding = resolve(must(parse_sharding(draw.one_of(kShardings))), mesh);
  return sharding ? *sharding : TensorSharding::fully_open(mesh, std::nullopt, draw.below(4));
}

OpShardingRule Values<OpShardingRule>::make(Draw& draw) {
  return must(parse_rule(draw.one_of(kRules)));
}

DeviceArray Values<DeviceArray>::make(Draw& draw) {
  if (draw.once_in(2)) return must(DeviceArray::iota({2, 4}, {4, 2}, {1, 0}));
  return must(DeviceArray::list({3, 1}, {2, 0, 1}));
}

HloSharding Values<HloSharding>::make(Draw& draw) {
  switch (draw.below(6)) {
    case 0:
      return HloSharding();
    case 1:
      return HloSharding::manual();
    case 2:
      return must(HloSharding::maximal(3));
    case 3:
      return must(HloSharding::tuple({HloSharding::unknown(), HloSharding()}));
    case 4:
      return must(HloSharding::tiled(draw.value<DeviceArray>(), {HloDimKind::Replicated}));
    default:
      return must(HloSharding::tiled(draw.value<DeviceArray>()));
  }
}

ShardGrid Values<ShardGrid>::make(Draw& draw) {
  auto sharding = draw.value<TensorSharding>();
  const std::size_t rank = sharding.rank();
  return must(ShardGrid::make(std::move(sharding), std::vector<int64_t>(rank, 8)));
}

AttributeAliases Values<AttributeAliases>::make(Draw& draw) {
  AttributeAliases aliases;
  if (draw.once_in(2)) aliases.add("m", R"(#sdy.mesh<["x"=2]>)");
  return aliases;
}

// ---- support, resharding ------------------------------------------------------------------------

Location Values<Location>::make(Draw& draw) {
  if (draw.once_in(2)) return Location(draw.value<std::string>());
  return {draw.value<uint32_t>(), draw.value<uint32_t>()};
}
Scanner Values<Scanner>::make(Draw& draw) { return Scanner(draw.value<std::string_view>()); }
std::unique_ptr<std::atomic<bool>> Values<std::atomic<bool>>::make(Draw& draw) {
  return std::make_unique<std::atomic<bool>>(draw.once_in(2));
}
LimitChecker Values<LimitChecker>::make(Draw& draw) { return LimitChecker(draw.get<WorkLimits>()); }

BoundAxes Values<BoundAxes>::make(Draw& draw) {
  return draw.once_in(2) ? BoundAxes::none() : BoundAxes::of(draw.get<std::vector<std::string>>());
}
ReshardPlanner Values<ReshardPlanner>::make(Draw& draw) {
  return ReshardPlanner(draw.once_in(2) ? PlanKind::Best : PlanKind::Reference);
}

// ---- ir -----------------------------------------------------------------------------------------

ir::Module Values<ir::Module>::make(Draw& draw) {
  static const std::vector<ir::Module> kModules = [] {
    std::vector<ir::Module> modules;
    for (const std::string_view text : kPrograms) modules.push_back(must(text::parse_mlir(text)));
    return modules;
  }();
  return kModules[draw.below(kModules.size())];
}

ir::Type Values<ir::Type>::make(Draw& draw) { return must(ir::parse_type(draw.one_of(kTypes))); }

ir::FunctionType Values<ir::FunctionType>::make(Draw& draw) {
  return {draw.value<std::vector<ir::Type>>(), draw.get<std::vector<ir::Type>>()};
}

ir::Attribute Values<ir::Attribute>::make(Draw& draw) {
  switch (draw.below(8)) {
    case 0:
      return ir::UnitAttr{};
    case 1:
      return ir::IntegerAttr{draw.value<int64_t>(), ir::ElementType::I64};
    case 2:
      return draw.value<std::string>();
    case 3:
      return draw.value<TensorSharding>();
    case 4:
      return draw.value<OpShardingRule>();
    case 5:
      return ir::DenseArrayAttr{ir::ElementType::I64, draw.value<std::vector<int64_t>>()};
    case 6:
      return ir::ShardingList{draw.value<std::vector<TensorSharding>>()};
    default:
      return draw.value<Mesh>();
  }
}

ir::AttributeName Values<ir::AttributeName>::make(Draw& draw) {
  return ir::AttributeName(draw.value<std::string>());
}

ir::AttributeMap Values<ir::AttributeMap>::make(Draw& draw) {
  constexpr std::array<std::string_view, 8> kNames = {
      "sdy.sharding", "dimension",         "permutation", "sym_name",
      "value",        "sdy.sharding_rule", "dims",        "slice_sizes"};
  ir::AttributeMap map;
  for (std::size_t left = draw.below(4); left > 0; --left)
    map.set(draw.one_of(kNames), draw.value<ir::Attribute>());
  return map;
}

ir::Literal Values<ir::Literal>::make(Draw& draw) {
  const ir::Type type = ir::Type::tensor({2, 3}, ir::ElementType::F32);
  if (draw.once_in(2)) return must(ir::Literal::make_splat(type, std::vector<std::byte>(4)));
  return must(ir::Literal::make(type, std::vector<std::byte>(24)));
}

ir::TypeShape Values<ir::TypeShape>::make(Draw& draw) {
  return ir::TypeShape(draw.value<ir::Type>());
}

ir::Builder Values<ir::Builder>::make(Draw& draw) {
  auto& module = draw.get<ir::Module>();
  return ir::Builder::at_start(module, module.body());
}

ir::OpIterator Values<ir::OpIterator>::make(Draw& draw) {
  if (draw.once_in(3)) return {};
  auto& module = draw.get<ir::Module>();
  return {&module, module.first_op(module.body())};
}

ir::ShardingSpec Values<ir::ShardingSpec>::make(Draw& draw) {
  if (draw.once_in(3)) return {};
  if (draw.once_in(2)) return draw.value<TensorSharding>();
  return R"([{"x"}, {}])";
}

ir::LocationAliases Values<ir::LocationAliases>::make(Draw& draw) {
  ir::LocationAliases aliases;
  while (!draw.once_in(3)) {
    aliases.add(draw.value<std::string>(), "(" + draw.value<std::string>() + ")");
  }
  return aliases;
}

std::unique_ptr<ir::GraphBuilder> Values<ir::GraphBuilder>::make(Draw& draw) {
  auto graph = std::make_unique<ir::GraphBuilder>();
  if (draw.once_in(4)) return graph;
  graph->mesh("m", draw.get<Mesh>());
  if (draw.once_in(4)) return graph;
  graph->function("main");
  for (std::size_t left = 6; left > 0; --left) {
    graph->argument(ir::Type::tensor({8, 8}, ir::ElementType::F32));
  }
  return graph;
}

// ---- rules --------------------------------------------------------------------------------------

rules::OpView Values<rules::OpView>::make(Draw& draw) {
  draw.spoil();  // the op may be of a kind that the called rule does not support
  auto& module = draw.get<ir::Module>();
  std::vector<ir::OpId> all = ir::pre_order(module);
  if (all.empty()) all = {module.add_mesh("m", must(parse_mesh(kMeshes[0])))};
  return {module, all[draw.below(all.size())]};
}

rules::RuleBuilder Values<rules::RuleBuilder>::make(Draw& draw) {
  if (draw.once_in(4)) return rules::RuleBuilder({}, {});
  return rules::RuleBuilder({2, 0, 2}, {2});
}

rules::Registry Values<rules::Registry>::make(Draw& /*draw*/) { return {}; }
rules::OpSignature Values<rules::OpSignature>::make(Draw& draw) {
  return rules::OpSignature(draw.get<ir::Module>());
}
std::unique_ptr<rules::RuleTable> Values<rules::RuleTable>::make(Draw& draw) {
  return std::make_unique<rules::RuleTable>(draw.get<ir::Module>(), draw.get<rules::Registry>(),
                                            rules::RuleOptions());
}

// ---- propagation --------------------------------------------------------------------------------

propagation::FlatRule Values<propagation::FlatRule>::make(Draw& draw) {
  return propagation::FlatRule(draw.get<OpShardingRule>());
}

propagation::ModuleProblem Values<propagation::ModuleProblem>::make(Draw& draw) {
  auto problem = propagation::make_problem(draw.get<ir::Module>(), draw.get<rules::Registry>());
  if (problem) return *std::move(problem);
  return must(
      propagation::make_problem(must(text::parse_mlir(kPrograms[0])), draw.get<rules::Registry>()));
}

propagation::Problem Values<propagation::Problem>::make(Draw& draw) {
  return draw.value<propagation::ModuleProblem>().problem;
}

std::unique_ptr<propagation::ProblemBuilder> Values<propagation::ProblemBuilder>::make(Draw& draw) {
  auto builder = std::make_unique<propagation::ProblemBuilder>();
  if (draw.once_in(2)) return builder;
  const auto rule = builder->add_rule(must(parse_rule(kRules[1])));
  const auto a = builder->add_slot({.shape = {8, 6}});
  const auto b = builder->add_slot({.shape = {8, 6}});
  propagation::NodeSpec node;
  node.rule = *rule;
  node.operands.push_back({*a});
  node.results.push_back({*b});
  static_cast<void>(builder->add_node(node));
  return builder;
}

propagation::Projection Values<propagation::Projection>::make(Draw& draw) {
  propagation::Projection projection;
  if (!draw.once_in(4)) projection.reset(draw.get<propagation::FlatRule>());
  draw.spoil();  // the projection may belong to another rule than the one passed with it
  return projection;
}

std::unique_ptr<propagation::StepObserver> Values<propagation::StepObserver>::make(Draw& draw) {
  return Values<propagation::DecisionLog>::make(draw);
}
std::unique_ptr<propagation::ModuleObserver> Values<propagation::ModuleObserver>::make(Draw& draw) {
  return Values<propagation::DebugAttributes>::make(draw);
}
std::unique_ptr<propagation::LoggingObserver> Values<propagation::LoggingObserver>::make(
    Draw& draw) {
  return std::make_unique<propagation::LoggingObserver>(draw.once_in(2) ? 0 : 7);
}
std::unique_ptr<propagation::DecisionLog> Values<propagation::DecisionLog>::make(Draw& draw) {
  return std::make_unique<propagation::DecisionLog>(draw.once_in(2) ? 0 : 7);
}
std::unique_ptr<propagation::DebugAttributes> Values<propagation::DebugAttributes>::make(
    Draw& draw) {
  draw.spoil();  // the observer may belong to another module than the one that is propagated
  return std::make_unique<propagation::DebugAttributes>(draw.get<ir::Module>(),
                                                        propagation::IrDebugOptions{true, true});
}
std::unique_ptr<propagation::Explainer> Values<propagation::Explainer>::make(Draw& draw) {
  draw.spoil();  // the observer may belong to another module than the one that is propagated
  return std::make_unique<propagation::Explainer>(draw.get<ir::Module>(),
                                                  draw.get<propagation::WrittenProgram>());
}
propagation::WrittenProgram Values<propagation::WrittenProgram>::make(Draw& draw) {
  return {draw.value<ir::Module>(), [](ir::ValueId) { return std::string("%v"); }};
}

// ---- simulation ---------------------------------------------------------------------------------

simulation::Tensor Values<simulation::Tensor>::make(Draw& draw) {
  switch (draw.below(5)) {
    case 0:
      draw.spoil();
      return {};
    case 1:
      return simulation::Tensor::token();
    case 2:
      return must(simulation::Tensor::from_integers(ir::Type::tensor({4}, ir::ElementType::I32),
                                                    std::array<int64_t, 4>{1, 2, 3, 4}));
    default:
      return must(simulation::Tensor::from_doubles(ir::Type::tensor({2, 2}, ir::ElementType::F32),
                                                   std::array<double, 4>{1, 2, 3, 4}));
  }
}

simulation::TensorWriter Values<simulation::TensorWriter>::make(Draw& /*draw*/) {
  return must(simulation::TensorWriter::make(ir::Type::tensor({2, 3}, ir::ElementType::F32)));
}

namespace {

class Alone : public simulation::Transport {
 public:
  int64_t rank() const override { return 0; }
  int64_t ranks() const override { return 1; }
  Status post(int64_t /*to*/, std::vector<simulation::SharedBytes> /*pieces*/) override {
    return fail("no such peer");
  }
  Result<std::optional<simulation::SharedBytes>> poll() override { return std::nullopt; }
  void abort(const Error& /*reason*/) override {}
};

class OneProcess : public simulation::MpiSession {
 public:
  simulation::Transport& transport() override { return transport_; }
  void abort(int /*status*/) override {}

 private:
  Alone transport_;
};

}  // namespace

std::unique_ptr<simulation::Transport> Values<simulation::Transport>::make(Draw& /*draw*/) {
  return std::make_unique<Alone>();
}
std::unique_ptr<simulation::MpiSession> Values<simulation::MpiSession>::make(Draw& /*draw*/) {
  return std::make_unique<OneProcess>();
}

// ---- passes and above ---------------------------------------------------------------------------

passes::OptionValues Values<passes::OptionValues>::make(Draw& draw) {
  passes::OptionValues values;
  if (draw.once_in(2)) values.set("x", true);
  if (draw.once_in(2)) values.set("y", int64_t{3});
  if (draw.once_in(2)) values.set("main", std::string("a,b"));
  return values;
}

std::unique_ptr<passes::PassContext> Values<passes::PassContext>::make(Draw& draw) {
  return std::make_unique<passes::PassContext>(
      draw.get<passes::OptionValues>(), draw.get<passes::PassSinks>(), draw.get<rules::Registry>());
}

passes::PassRegistry Values<passes::PassRegistry>::make(Draw& draw) {
  passes::PassRegistry registry;
  if (draw.once_in(2)) passes::register_export_passes(registry);
  return registry;
}

partitioning::CollectivePrices Values<partitioning::CollectivePrices>::make(Draw& draw) {
  return partitioning::CollectivePrices(draw.get<ir::Module>());
}

checking::Random Values<checking::Random>::make(Draw& draw) {
  return checking::Random(draw.below(99));
}

checking::CompiledProgram Values<checking::CompiledProgram>::make(Draw& draw) {
  auto compiled = checking::compile(draw.get<ir::Module>());
  if (compiled) return *std::move(compiled);
  return must(checking::compile(must(text::parse_mlir(kPrograms[2]))));
}

report::Reasons Values<report::Reasons>::make(Draw& draw) {
  auto reasons = report::Reasons::make(draw.get<ir::Module>());
  if (reasons) return *std::move(reasons);
  return must(report::Reasons::make(must(text::parse_mlir(kPrograms[2]))));
}

text::WrittenNames Values<text::WrittenNames>::make(Draw& draw) {
  return text::WrittenNames::of(draw.get<ir::Module>());
}
text::WrittenValues Values<text::WrittenValues>::make(Draw& draw) {
  return text::WrittenValues(draw.get<ir::Module>());
}

}  // namespace shardy::api_test
