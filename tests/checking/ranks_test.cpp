// Runs on several ranks must give the bits of a run on one rank, for any order of packets in the
// network.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "checking/check_steps.hpp"
#include "checking/device_case.hpp"
#include "checking/rank_runs.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "support/settings.hpp"

using namespace shardy;
using shardy_test::DeviceCase;
using shardy_test::setting;
using simulation::DeviceBlock;
using simulation::RankOptions;
using simulation::RunResult;

namespace ranks_test {
namespace {

RunResult on_threads(const DeviceCase& prepared) {
  const ir::OpId main = *prepared.program.main_function();
  auto arguments =
      simulation::arguments_of(prepared.program, main, prepared.inputs, {0, prepared.num_devices});
  REQUIRE(arguments);
  auto result = simulation::run(prepared.program, prepared.program.symbol_name(main), *arguments);
  INFO((result ? std::string() : result.error().headline()));
  REQUIRE(result);
  return *std::move(result);
}

/// Checks that each number of ranks gives the outputs and accounts of the run on one rank, bit for
/// bit.
void compare_ranks(const DeviceCase& prepared, const shardy_test::NetworkOptions& network) {
  const RunResult expected = on_threads(prepared);
  for (const int64_t ranks : {1, 2, 3, 4, 8}) {
    if (ranks > prepared.num_devices) break;
    CAPTURE(ranks, prepared.num_devices);
    RankOptions options;
    options.run.num_workers = 1 + static_cast<int64_t>(network.seed % 2);
    options.patience = std::chrono::seconds(60);
    if (network.seed % 2 == 0) options.min_divided_bytes = 0;  // divide operands of any size
    const auto transports = shardy_test::faulty_transports(ranks, network);
    const RunResult got = shardy_test::put_together(
        shardy_test::on_ranks(transports, [&](simulation::Transport& transport) {
          return shardy_test::run_part(prepared.program, prepared.inputs, transport, options);
        }));
    REQUIRE(got.outputs.size() == expected.outputs.size());
    CHECK(got.outputs == expected.outputs);
    CHECK(got.devices == expected.devices);
    CHECK(got.checks.count == expected.checks.count);
  }
}

TEST_CASE("blocks of devices are contiguous, cover all devices and differ by at most one device",
          "[ranks][law]") {
  for (int64_t devices = 1; devices <= 40; ++devices) {
    for (int64_t ranks = 1; ranks <= devices; ++ranks) {
      int64_t next = 0;
      for (int64_t rank = 0; rank < ranks; ++rank) {
        const DeviceBlock block = simulation::devices_of_rank(devices, rank, ranks);
        CHECK(block.first == next);
        CHECK((block.count == devices / ranks || block.count == (devices + ranks - 1) / ranks));
        for (; next < block.first + block.count; ++next) {
          CHECK(simulation::rank_of_device(devices, next, ranks) == rank);
        }
      }
      CHECK(next == devices);
    }
  }
}

TEST_CASE("random programs give the same bits on any number of ranks", "[ranks][random]") {
  uint64_t num_run = 0;
  // SHARDY_RANK_CASES and SHARDY_RANK_SEED are for long runs.
  const uint64_t wanted = setting("SHARDY_RANK_CASES", 60);
  for (uint64_t seed = setting("SHARDY_RANK_SEED", 1); num_run < wanted; ++seed) {
    CAPTURE(seed);
    const auto prepared = shardy_test::random_device_case(seed);
    if (!prepared || prepared->num_devices < 2) continue;
    ++num_run;
    compare_ranks(*prepared, {.max_delay = static_cast<int64_t>(seed % 3 * 20), .seed = seed});
  }
}

TEST_CASE("a row-sharded program has the same results under the same shardings",
          "[ranks][random]") {
  int64_t num_run = 0;
  int64_t num_other = 0;  // cases whose arguments are split in another way
  for (uint64_t seed = 1; num_run < 60; ++seed) {
    CAPTURE(seed);
    const ir::Module module = checking::random_program(seed, {.max_depth = 2}).module;
    const auto compiled = checking::compile(module);
    const auto inputs = checking::random_inputs(module, seed);
    if (!compiled || !inputs) continue;
    const ir::OpId main = *compiled->program.main_function();
    const auto results = simulation::whole_results(compiled->program, main);
    const auto other = checking::sharded_by_rows(module, results);
    if (!other) continue;
    ++num_run;
    const auto resharded_reference = checking::compile(*other);
    REQUIRE(resharded_reference.has_value());
    const ir::OpId other_main = *resharded_reference->program.main_function();
    const auto other_results = simulation::whole_results(resharded_reference->program, other_main);
    REQUIRE(other_results.size() == results.size());
    for (std::size_t index = 0; index < results.size(); ++index) {
      if (!results[index].sharding) continue;
      CHECK(other_results[index].sharding == results[index].sharding);
    }
    const auto arguments = simulation::whole_arguments(compiled->program, main);
    const auto other_arguments =
        simulation::whole_arguments(resharded_reference->program, other_main);
    for (std::size_t index = 0; index < arguments.size(); ++index) {
      num_other += arguments[index].sharding == other_arguments[index].sharding ? 0 : 1;
    }
    const auto got = simulation::run_global(resharded_reference->program, "main", *inputs);
    const auto expected = simulation::run_global(module, "main", *inputs);
    REQUIRE(got);
    REQUIRE(expected);
    const auto tolerances = checking::result_tolerances(module, *module.main_function());
    for (std::size_t index = 0; index < results.size(); ++index) {
      const auto difference =
          checking::compare(got->outputs[index], expected->outputs[index], tolerances[index]);
      CHECK(difference.mismatches == 0);
    }
  }
  CHECK(num_other > 60);
}

TEST_CASE("a divided all_reduce sends the bytes of its two steps and gives the same bits",
          "[ranks]") {
  // 8 devices hold 4 KiB each. Each rank has two devices.
  auto program = text::parse_mlir(R"(
sdy.mesh @mesh = <["x"=8]>
func.func @main(%arg0: tensor<1024xf32> {spmd.global_type = tensor<8192xf32>, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<1024xf32> {spmd.global_type = tensor<8192xf32>, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = "spmd.all_reduce"(%arg0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) {axes = #sdy.axis_ref_list<{"x"}>, mesh = @mesh} : (tensor<1024xf32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
)");
  REQUIRE(program);
  std::vector<double> values(8192);
  for (std::size_t at = 0; at < values.size(); ++at) {
    values[at] = static_cast<double>(at * 7919 % 10007) / 997;
  }
  const simulation::Tensors inputs = {
      *simulation::Tensor::from_doubles(ir::Type::tensor({8192}, ir::ElementType::F32), values)};
  const auto run = [&](int64_t min_divided_bytes, int64_t ranks = 4) {
    RankOptions options;
    options.min_divided_bytes = min_divided_bytes;
    const auto transports = shardy_test::faulty_transports(ranks, {.max_delay = 5, .seed = 3});
    return shardy_test::on_ranks(transports, [&](simulation::Transport& transport) {
      return shardy_test::run_part(*program, inputs, transport, options);
    });
  };
  using Sent = std::pair<int64_t, int64_t>;  // messages, bytes
  const auto traffic = [](const std::vector<shardy_test::RankOutcome>& outcomes) {
    Sent all;
    for (const auto& each : outcomes) {
      REQUIRE(each);
      all.first += each->traffic.messages_sent;
      all.second += each->traffic.bytes_sent;
    }
    return all;
  };
  constexpr int64_t kBytes = 4096;
  constexpr int64_t kPath = 64;  // path bytes in front of each message
  auto whole = run(8 * kBytes + 1);
  auto divided = run(8 * kBytes);
  // Each rank sends two operands to three other ranks, or a quarter of the operands and a quarter
  // of the sum.
  CHECK(traffic(whole).first == 12);
  CHECK(traffic(whole).second == 24 * kBytes + 12 * kPath);
  CHECK(traffic(divided).first == 24);
  CHECK(traffic(divided).second == 9 * kBytes + 24 * kPath);
  // Small operands of eight ranks go to one rank, which sends the sum back.
  auto by_one = run(8 * kBytes + 1, 8);
  CHECK(traffic(by_one).first == 14);
  CHECK(traffic(by_one).second == 14 * kBytes + 14 * kPath);
  const auto outputs = shardy_test::put_together(std::move(whole)).outputs;
  CHECK(outputs == shardy_test::put_together(std::move(divided)).outputs);
  CHECK(outputs == shardy_test::put_together(std::move(by_one)).outputs);
}

TEST_CASE("the examples give the same bits on any number of ranks", "[ranks]") {
  const std::filesystem::path root(SHARDY_EXAMPLES);
  std::vector<std::filesystem::path> files;
  for (const char* folder : {".", "programs", "jax"}) {
    for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
      const auto kind = entry.path().extension();
      if (kind == ".json" || kind == ".mlir") files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  int64_t num_run = 0;
  for (const std::filesystem::path& file : files) {
    CAPTURE(file);
    std::ifstream stream(file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    auto module = file.extension() == ".json" ? text::parse_json(text) : text::parse_mlir(text);
    if (!module || !module->main_function()) continue;
    if (!passes::import_shardings(*module).has_value()) continue;
    const auto prepared = shardy_test::device_case(*std::move(module), 7);
    if (!prepared || prepared->num_devices < 2) continue;
    ++num_run;
    compare_ranks(*prepared, {.max_delay = 5, .seed = static_cast<uint64_t>(num_run)});
  }
  CHECK(num_run > 40);
}

}  // namespace

}  // namespace ranks_test
