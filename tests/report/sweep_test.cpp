// Each line of a sweep equals the report of that program alone, for any number of threads.
#include "shardy/report/sweep.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "shardy/algebra/text.hpp"
#include "shardy/algebra/unresolved.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/report/hints.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"

using namespace shardy;
using report::Setting;
using report::StrategyResult;
using report::SweepStrategy;

namespace sweep_test {
namespace {

const std::string kLayer = R"(sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%a: tensor<8x16xf32>, %w: tensor<16x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0]
      : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.tanh %0 : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
)";

ir::Module layer() { return text::parse_mlir(kLayer).value(); }

std::vector<StrategyResult> swept(const ir::Module& module,
                                  const std::vector<SweepStrategy>& strategies,
                                  report::SweepOptions options = {}) {
  std::vector<StrategyResult> results;
  options.on_result = [&](const StrategyResult& result) {
    results.push_back(result);
    return true;
  };
  REQUIRE(report::sweep(module, strategies, options));
  return results;
}

/// All of it as text.
std::string text_of(const StrategyResult& result) {
  std::string text = std::to_string(result.index) + " " + std::to_string(result.seconds) + " " +
                     std::to_string(result.cost.bytes) + " " + std::to_string(result.cost.count) +
                     " " + std::to_string(result.cost.peak_bytes) + " " +
                     std::to_string(result.cost.operations);
  for (const Diagnostic& error : result.errors) text += " " + error.message;
  for (const report::Total& kind : result.by_kind) {
    text += " " + kind.name + "=" + std::to_string(kind.count);
  }
  for (const auto& each : result.shardings) text += " " + each.value + "=" + each.sharding;
  return text;
}

std::vector<std::string> texts_of(const std::vector<StrategyResult>& results) {
  std::vector<std::string> texts;
  for (const StrategyResult& result : results) texts.push_back(text_of(result));
  return texts;
}

/// The same by other means: shardings are put into the arguments by hand.
StrategyResult alone(ir::Module module, const SweepStrategy& strategy, std::size_t index) {
  const ir::OpId main = *module.main_function();
  for (const Setting& setting : strategy.set) {
    const auto wanted = parse_sharding(setting.sharding);
    const std::size_t arg = setting.value == "%a" ? 0 : 1;
    const Mesh mesh = *module.find_mesh("mesh");
    ir::set_arg_sharding(module, main, arg, resolve(wanted.value(), mesh).value());
  }
  const auto compiled = checking::compile(module);
  REQUIRE(compiled.has_value());
  const report::Report costs = report::make_report(*compiled);
  StrategyResult result{.index = index, .by_kind = costs.by_kind};
  result.cost = {costs.all.bytes, costs.all.count, costs.all.seconds, costs.peak.bytes,
                 costs.work.per_device};
  result.seconds = costs.all.seconds + costs.work.per_device / 100e12;
  return result;
}

const std::vector<Setting> kSettings = {{"%a", R"(<@mesh, [{"x"}, {}]>)"},
                                        {"%w", R"(<@mesh, [{}, {"y"}]>)"},
                                        {"%a", R"(<@mesh, [{}, {"y"}]>)"},
                                        {"%w", R"(<@mesh, [{"y"}, {"x"}]>)"},
                                        {"%a", R"(<@mesh, [{"x", "y"}, {}]>)"}};

}  // namespace

TEST_CASE("all_choices combines alternative settings of different values", "[sweep]") {
  const std::vector<SweepStrategy> choices = report::all_choices(kSettings).value();
  REQUIRE(choices.size() == 6);
  CHECK(choices[0] == SweepStrategy{"0", {kSettings[0], kSettings[1]}});
  CHECK(choices[1] == SweepStrategy{"1", {kSettings[0], kSettings[3]}});
  CHECK(choices[4] == SweepStrategy{"4", {kSettings[4], kSettings[1]}});
  CHECK(report::all_choices({}).value().empty());
  std::vector<Setting> many;
  for (int value = 0; value < 64; ++value) {
    many.push_back({"%" + std::to_string(value), "none"});
    many.push_back({"%" + std::to_string(value), "[{}]"});
  }
  CHECK(report::all_choices(many).error().message == "more than 1000000 strategies");
}

TEST_CASE("a sweep reports the same cost per strategy as a separate compilation", "[sweep]") {
  const std::vector<SweepStrategy> choices = report::all_choices(kSettings).value();
  std::vector<StrategyResult> wanted;
  for (const SweepStrategy& strategy : choices) {
    wanted.push_back(alone(layer(), strategy, wanted.size()));
  }
  CHECK(texts_of(swept(layer(), choices)) == texts_of(wanted));
  CHECK(wanted[0].cost.bytes != wanted[1].cost.bytes);
}

TEST_CASE("sweep results are in order and do not depend on the number of threads", "[sweep]") {
  for (const char* name : {"jax/transformer_sdy.mlir", "jax/moe_sdy.mlir"}) {
    const std::string path = std::string(SHARDY_EXAMPLES) + "/" + name;
    const ir::Module module = text::parse_mlir(shardy_test::read_text(path)).value();
    const std::vector<SweepStrategy> random = report::random_strategies(module, 12, 3).value();
    CHECK(random == report::random_strategies(module, 12, 3).value());
    CHECK(random[1].name == "seed 4");
    CHECK(random[1] == report::random_strategies(module, 1, 4).value()[0]);
    const auto one = swept(module, random, {.num_threads = 1, .shardings = true});
    REQUIRE(one.size() == 12);
    for (const StrategyResult& result : one) CHECK(result.is_measured());
    for (const int64_t threads : {2, 3, 16}) {
      CHECK(texts_of(swept(module, random, {.num_threads = threads, .shardings = true})) ==
            texts_of(one));
    }
  }
}

TEST_CASE("a strategy that does not fit the program is a result with the reason", "[sweep]") {
  const std::vector<SweepStrategy> strategies = {{"unknown", {{"%b", "[{}, {}]"}}},
                                                 {"rank", {{"%a", "[{}]"}}},
                                                 {"axis", {{"%a", R"([{"z"}, {}])"}}},
                                                 {"text", {{"%a", "[{"}}},
                                                 {"fits", {{"%a", R"([{"x"}, {}])"}}}};
  const auto results = swept(layer(), strategies);
  REQUIRE(results.size() == 5);
  for (std::size_t index = 0; index < 4; ++index) {
    CAPTURE(index);
    REQUIRE_FALSE(results[index].is_measured());
    CHECK(results[index].seconds == std::numeric_limits<double>::infinity());
    const std::string& message = results[index].errors.front().message;
    CHECK(message.starts_with(index == 0 ? "no such value: %b" : "%a: "));
    CHECK(results[index].errors.front().location.empty());
  }
  CHECK(results[4].is_measured());
}

TEST_CASE("a strategy with two settings of one annotation is a result with an error", "[sweep]") {
  const ir::Module module = text::parse_mlir(R"(sdy.mesh @mesh = <["x"=2]>
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.tanh %a : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
)")
                                .value();
  // The constraint on %0 is the one that makes %1.
  const std::vector<SweepStrategy> strategies = {{"", {{"%a", "none"}, {"a", R"([{"x"}])"}}},
                                                 {"", {{"%0", "none"}, {"%1", R"([{}])"}}},
                                                 {"", {{"%1", "none"}, {"%1", "none"}}},
                                                 {"", {{"%1", "none"}, {"%a", "none"}}}};
  const auto results = swept(module, strategies);
  const std::vector<std::string> messages = {"%a and a", "%0 and %1", "%1 and %1"};
  for (std::size_t index = 0; index < messages.size(); ++index) {
    REQUIRE_FALSE(results[index].is_measured());
    CHECK(results[index].errors.front().message == messages[index] + " share one annotation");
  }
  CHECK(results[3].is_measured());
}

TEST_CASE("values of built programs have their printed names in a sweep", "[sweep]") {
  ir::GraphBuilder g;
  g.mesh("mesh", {{"x", 2}});
  g.function("main");
  const auto type = ir::Type::tensor({8, 8}, ir::ElementType::F32);
  const ir::ValueId a = g.argument(type);
  const ir::ValueId b = g.argument(type);
  g.ret({g.dot(a, b)});
  const ir::Module module = g.finish().value();
  const auto random = report::random_strategies(module, 3, 0).value();
  CHECK(random[0].set[1].value == "%arg_0");
  for (const StrategyResult& result : swept(module, random)) CHECK(result.is_measured());
  const auto results = swept(module, {{"op", {{"%0", R"([{"x"}, {}])"}}}});
  CHECK(results[0].is_measured());
}

TEST_CASE("the setting none removes an annotation", "[sweep]") {
  const auto results = swept(layer(), {{"as it is", {}}, {"none", {{"%w", "none"}}}});
  CHECK(results[0].cost.count > 0);
  CHECK(results[1].cost.count == 0);
}

TEST_CASE("the caller can stop a sweep and start it again at a later strategy", "[sweep]") {
  const std::vector<SweepStrategy> choices = report::all_choices(kSettings).value();
  std::vector<std::size_t> seen;
  report::SweepOptions options{.num_threads = 3};
  options.on_result = [&](const StrategyResult& result) {
    seen.push_back(result.index);
    return seen.size() < 2;
  };
  REQUIRE(report::sweep(layer(), choices, options));
  CHECK(seen == std::vector<std::size_t>{0, 1});
  const auto rest = swept(layer(), choices, {.first = 4});
  REQUIRE(rest.size() == 2);
  CHECK(rest[0].index == 4);
  CHECK(swept(layer(), choices, {.first = 9}).empty());
  CHECK_FALSE(report::sweep(layer(), choices, {.num_threads = -1}));
  CHECK_FALSE(report::sweep(layer(), choices, {.operations_per_second = 0}));
}

TEST_CASE("a sweep with checks compares each program with its unsharded run", "[sweep]") {
  const auto random = report::random_strategies(layer(), 6, 0).value();
  for (const StrategyResult& result : swept(layer(), random, {.check = true})) {
    CHECK(result.equal == true);
  }
  CHECK_FALSE(swept(layer(), random)[0].equal.has_value());
}

TEST_CASE("a program without a mesh has no random strategies", "[sweep]") {
  const ir::Module module = text::parse_mlir(
                                "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                                "  return %x : tensor<4xf32>\n}\n")
                                .value();
  CHECK(report::random_strategies(module, 1, 0).error().message ==
        "the program has no mesh to shard over");
}

TEST_CASE("the front contains the programs that no other program beats", "[sweep][law]") {
  checking::Random random(5);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> times;
    std::vector<int64_t> bytes;
    for (int64_t count = random.between(0, 12); count > 0; --count) {
      times.push_back(static_cast<double>(random.between(0, 4)));
      bytes.push_back(random.between(0, 4));
    }
    // None is as good in both unless it is equal and comes later.
    std::vector<std::size_t> wanted;
    for (std::size_t each = 0; each < times.size(); ++each) {
      bool is_best = true;
      for (std::size_t other = 0; other < times.size(); ++other) {
        const bool is_as_good = times[other] <= times[each] && bytes[other] <= bytes[each];
        const bool is_equal = times[other] == times[each] && bytes[other] == bytes[each];
        if (other != each && is_as_good && (!is_equal || other < each)) is_best = false;
      }
      if (is_best) wanted.push_back(each);
    }
    std::ranges::sort(wanted, {}, [&](std::size_t each) { return times[each]; });
    CHECK(report::pareto_front(times, bytes) == wanted);
  }
}

}  // namespace sweep_test
