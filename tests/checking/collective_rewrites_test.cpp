// Rewrites of collectives leave results as they are, and nothing is sent or held that was not.
// Spec: resharding C.8.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "checking/collective_programs.hpp"
#include "checking/programs.hpp"
#include "partitioning/combine_reductions.hpp"
#include "shardy/checking/compare.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/partitioning/program_cost.hpp"
#include "shardy/passes/optimize_collectives.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

using namespace shardy;
using checking::CompileOptions;
using passes::CollectiveRewrite;
using shardy_test::CollectiveProgram;
using shardy_test::text_of;

namespace {

/// Programs in which each rule is to fit; SHARDY_REWRITE_CASES overrides it.
int64_t num_cases() {
  const char* text = std::getenv("SHARDY_REWRITE_CASES");
  return text != nullptr ? std::strtoll(text, nullptr, 10) : 20;
}

ir::Module partitioned(const ir::Module& collectives) {
  auto result = partitioning::partition(
      collectives, {.io_padding = partitioning::IoPadding::Padded, .fetch = {}});
  INFO((result ? std::string() : text_of(result.error())));
  REQUIRE(result.has_value());
  const std::vector<Error> wrong = ir::verify(result->module);
  INFO(text_of(wrong));
  REQUIRE(wrong.empty());
  return std::move(result->module);
}

simulation::GlobalResult run(const ir::Module& program, const simulation::Tensors& inputs) {
  simulation::RunOptions options;
  options.num_workers = 1;
  options.kernels.fill = simulation::Fill::Poison;
  auto result = simulation::run_global(program, "main", inputs, options);
  INFO((result ? std::string() : result.error().message));
  REQUIRE(result.has_value());
  return *std::move(result);
}

struct Load {
  int64_t bytes_sent = 0;
  int64_t peak_bytes = 0;
};

/// Of the busiest device.
Load load_of(const simulation::GlobalResult& result) {
  Load load;
  for (const simulation::DeviceAccount& device : result.devices) {
    int64_t sent = 0;
    for (const auto& [kind, traffic] : device.traffic) sent += traffic.bytes_sent;
    load.bytes_sent = std::max(load.bytes_sent, sent);
    load.peak_bytes = std::max(load.peak_bytes, device.peak_live_bytes);
  }
  return load;
}

CompileOptions without_rewrites() {
  CompileOptions options;
  options.collectives.rules = std::vector<std::string>();
  return options;
}

/// The program with one rule, wherever it fits, whether that pays in all or not.
std::vector<CollectiveRewrite> rewrite(const std::string& rule, ir::Module& collectives,
                                       ir::Module& program) {
  if (rule == checking::kCombineReductions) {
    program = partitioned(collectives);
    return partitioning::combine_reductions(program, int64_t{1} << 16);
  }
  auto rewrites = passes::optimize_collectives(collectives, {.rules = {rule}});
  REQUIRE(rewrites.has_value());
  if (rewrites->empty()) return {};
  const std::vector<Error> wrong = ir::verify(collectives);
  INFO(text_of(wrong));
  REQUIRE(wrong.empty());
  program = partitioned(collectives);
  return *std::move(rewrites);
}

struct Sent {
  int64_t before = 0;
  int64_t after = 0;
};

/// What is sent without the rule and with it, if it fits somewhere in the program; then it must not
/// change results.
std::optional<Sent> check_rule(const std::string& rule, uint64_t seed) {
  const CollectiveProgram random(seed);
  auto compiled = checking::compile(random.module(), without_rewrites());
  INFO((compiled ? std::string() : text_of(compiled.error())));
  REQUIRE(compiled.has_value());
  INFO(text::to_mlir(compiled->collectives));
  ir::Module collectives = compiled->collectives;
  ir::Module program;
  const std::vector<CollectiveRewrite> rewrites = rewrite(rule, collectives, program);
  if (rewrites.empty()) return std::nullopt;
  INFO(text::to_mlir(collectives));
  for (const CollectiveRewrite& each : rewrites) {
    REQUIRE(each.rule == rule);
    REQUIRE(each.bytes_after <= each.bytes_before);
    REQUIRE(each.messages_after <= each.messages_before);
    REQUIRE((each.bytes_after < each.bytes_before || each.messages_after < each.messages_before));
  }
  const simulation::Tensors inputs = shardy_test::small_integers(random.module(), seed);
  const auto wanted = run(random.module(), inputs);
  const auto before = run(compiled->program, inputs);
  const auto after = run(program, inputs);
  REQUIRE(before.outputs == wanted.outputs);
  REQUIRE(after.outputs == wanted.outputs);
  return Sent{load_of(before).bytes_sent, load_of(after).bytes_sent};
}

void check_rule(const std::string& rule) {
  const int64_t wanted = num_cases();
  int64_t fitted = 0;
  int64_t worse = 0;
  Sent all;
  for (uint64_t seed = 1; fitted < wanted; ++seed) {
    CAPTURE(rule, seed);
    REQUIRE(seed < static_cast<uint64_t>(1000 * wanted));
    const auto sent = check_rule(rule, seed);
    if (!sent) continue;
    ++fitted;
    worse += sent->after > sent->before ? 1 : 0;
    all.before += sent->before;
    all.after += sent->after;
  }
  // Partitioning may have shared a part of what is rewritten; whole programs are compared below.
  CHECK(worse <= wanted / 100);
  CHECK(all.after <= all.before);
}

}  // namespace

TEST_CASE("collectives that are joined give what they gave", "[rewrites][differential]") {
  check_rule("join-collectives");
}

TEST_CASE("values that are sliced earlier are what they were", "[rewrites][differential]") {
  check_rule("slice-earlier");
}

TEST_CASE("values that are moved later are what they were", "[rewrites][differential]") {
  check_rule("move-later");
}

TEST_CASE("values that are converted behind a move are what they were",
          "[rewrites][differential]") {
  check_rule("convert-later");
}

TEST_CASE("parts that are combined before they are reduced give what they gave",
          "[rewrites][differential]") {
  check_rule("combine-first");
}

TEST_CASE("moves that begin where others end give what they gave", "[rewrites][differential]") {
  check_rule("share-moves");
}

TEST_CASE("all-reduces that are one op give what they gave", "[rewrites][differential]") {
  check_rule(std::string(checking::kCombineReductions));
}

TEST_CASE("no program sends or holds more with all rewrites than without",
          "[rewrites][differential]") {
  int64_t rewritten = 0;
  for (uint64_t seed = 1; rewritten < 2 * num_cases(); ++seed) {
    CAPTURE(seed);
    const CollectiveProgram random(seed);
    const auto plain = checking::compile(random.module(), without_rewrites());
    const auto best = checking::compile(random.module());
    INFO((best ? std::string() : text_of(best.error())));
    REQUIRE(plain.has_value());
    REQUIRE(best.has_value());
    if (best->rewrites.empty()) {
      REQUIRE(text::to_mlir(best->program) == text::to_mlir(plain->program));
      continue;
    }
    ++rewritten;
    const simulation::Tensors inputs = shardy_test::small_integers(random.module(), seed);
    const auto wanted = run(random.module(), inputs);
    const auto before = run(plain->program, inputs);
    const auto after = run(best->program, inputs);
    REQUIRE(after.outputs == wanted.outputs);
    CHECK(load_of(after).bytes_sent <= load_of(before).bytes_sent);
    CHECK(load_of(after).peak_bytes <= load_of(before).peak_bytes);
  }
}

// Three ways, of which one begins at the end of another, which ends behind it.
TEST_CASE("ways begin where others have ended", "[rewrites]") {
  const checking::RandomProgram random =
      checking::random_program(500549, {.max_dim = 6, .max_depth = 1, .collectives = true});
  const auto compiled = checking::compile(random.module);
  INFO((compiled ? std::string() : text_of(compiled.error())));
  REQUIRE(compiled.has_value());
  const auto wanted = run(random.module, random.inputs);
  CHECK(run(compiled->program, random.inputs).outputs == wanted.outputs);
}

TEST_CASE("what a program costs by its text is what a run of it costs", "[rewrites]") {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    const CollectiveProgram random(seed);
    const auto compiled = checking::compile(random.module());
    REQUIRE(compiled.has_value());
    INFO(text::to_mlir(compiled->program));
    const auto result = run(compiled->program, shardy_test::small_integers(random.module(), seed));
    const partitioning::ProgramCost cost = partitioning::program_cost(compiled->program);
    CHECK(cost.peak_bytes == load_of(result).peak_bytes);
    CHECK(cost.bytes_sent >= load_of(result).bytes_sent);  // some permutes move nothing
  }
}
