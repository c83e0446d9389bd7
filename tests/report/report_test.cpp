// The numbers of a report equal those of a run of the program.
#include "shardy/report/report.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "checking/programs.hpp"
#include "report/axis_traffic.hpp"
#include "report/program_analysis.hpp"
#include "shardy/checking/sweep.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/text/json.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"
#include "support/files.hpp"

using namespace shardy;
using report::Collective;
using report::Report;

namespace report_test {
namespace {

/// Returns the number of random programs of each kind; SHARDY_REPORT_CASES overrides it.
uint64_t num_cases() {
  const char* text = std::getenv("SHARDY_REPORT_CASES");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 40;
}

/// The collectives and bytes that a device sent for one op, over all its runs.
struct Seen {
  int64_t count = 0;
  int64_t bytes = 0;
};

struct Run {
  std::map<std::size_t, std::map<int64_t, Seen>> sent;  // by op and device
  std::vector<simulation::DeviceAccount> devices;
  std::map<std::string, int64_t> by_axis;  // bytes of the device that sends most along the axis
  int64_t peak = 0;                        // largest peak of a device
};

Run run(const ir::Module& program, const simulation::Tensors& inputs) {
  Run seen;
  simulation::RunOptions options{.num_workers = 1};
  shardy_test::AxisTraffic axes(program);
  options.observer = [&](const simulation::OpEvent& event) {
    if (!event.instance) return;
    axes.add(event);
    Seen& device = seen.sent[event.op.index()][event.device];
    ++device.count;
    device.bytes += event.bytes_sent;
  };
  const auto result = simulation::run_global(program, "main", inputs, options);
  INFO((result ? std::string() : result.error().message));
  REQUIRE(result.has_value());
  for (const simulation::DeviceAccount& device : result->devices) {
    seen.peak = std::max(seen.peak, device.peak_live_bytes);
  }
  seen.devices = result->devices;
  seen.by_axis = axes.busiest();
  return seen;
}

/// The peak counts all branches, and values that a loop may carry.
bool has_branches(const ir::Module& program) {
  const std::vector<ir::OpId> ops = ir::pre_order(program);
  return std::ranges::any_of(ops, [&](ir::OpId op) {
    return program.is(op, ir::OpKind::If) || program.is(op, ir::OpKind::Case) ||
           program.is(op, ir::OpKind::While);
  });
}

/// Checks for ops that other programs partition: the programs of processes and Python callbacks.
bool is_partitioned_elsewhere(const ir::Module& module) {
  const std::vector<ir::OpId> ops = ir::pre_order(module);
  return std::ranges::any_of(ops, [&](ir::OpId op) {
    const auto* target = module.attribute<std::string>(op, ir::attr::kCallTargetName);
    return module.name(op) == "interpreter.run_parallel" ||
           (target != nullptr && *target == "CustomSPMDPartitioning");
  });
}

struct Compared {
  int64_t exact = 0;
  int64_t peaks = 0;
  int64_t kinds = 0;
  int64_t axes = 0;
};

void compare_compiled(const checking::CompiledProgram& compiled, const simulation::Tensors& inputs,
                      Compared& compared) {
  const Report report = report::make_report(compiled);
  const Run seen = run(compiled.program, inputs);
  INFO(text::to_mlir(compiled.program));
  const partitioning::ProgramCost cost = partitioning::program_cost(compiled.program, CostModel());
  CHECK(cost.bytes_sent == report.all.bytes);
  CHECK(cost.messages == report.all.count);
  const bool is_exact = std::ranges::all_of(
      report.collectives, [](const Collective& row) { return row.times.is_exact; });
  if (is_exact) {
    std::map<std::string, int64_t> by_axis;
    for (const report::Total& axis : report.by_axis) by_axis[axis.name] = axis.bytes;
    CHECK(by_axis == seen.by_axis);
    compared.axes += std::ssize(by_axis);
  }
  std::size_t ran = 0;
  for (const Collective& row : report.collectives) {
    CAPTURE(row.kind, row.location, row.type);
    const auto found = seen.sent.find(row.op.index());
    ran += found != seen.sent.end() ? 1 : 0;
    if (!row.times.is_exact) continue;
    ++compared.exact;
    REQUIRE((found != seen.sent.end()) == (row.times.count > 0));
    int64_t most = 0;
    for (const auto& [device, sent] : found->second) {
      CHECK(sent.count == row.times.count);
      most = std::max(most, sent.bytes);
    }
    CHECK(most == row.times.count * row.bytes);
  }
  CHECK(ran == seen.sent.size());
  CHECK(report.work.efficiency() > 0);
  CHECK(report.work.efficiency() <= 1);
  const double all = report.work.per_device * static_cast<double>(report.work.devices);
  CHECK(report::needed_flops(compiled.propagated) <= all);
  CHECK(report::run_difference(compiled, report, seen.devices) == "");
  compared.kinds += std::ssize(report.by_kind);
  int64_t live = 0;
  for (const report::LiveValue& value : report.peak.live) live += value.bytes;
  CHECK(live == report.peak.bytes);
  if (has_branches(compiled.program)) {
    CHECK(report.peak.bytes >= seen.peak);
  } else {
    CHECK(report.peak.bytes == seen.peak);
    ++compared.peaks;
  }
}

/// Checks that reports of the printed program, in both forms, equal the report of the program.
void compare_printed(const checking::CompiledProgram& compiled) {
  const auto printed = text::parse_mlir(text::to_mlir(compiled.program));
  REQUIRE(printed.has_value());
  const auto taken = report::compile_for_report(*printed);
  INFO((taken ? std::string() : shardy_test::text_of(taken.error())));
  REQUIRE(taken.has_value());
  const Report before = report::make_report(compiled);
  const Report after = report::make_report(*taken);
  CHECK(after.all.bytes == before.all.bytes);
  CHECK(after.all.count == before.all.count);
  CHECK(after.all.seconds == before.all.seconds);
  CHECK(after.peak.bytes == before.peak.bytes);
  CHECK(after.work.per_device == before.work.per_device);
  CHECK(after.work.efficiency() == 1);
  REQUIRE(after.by_kind.size() == before.by_kind.size());
  for (std::size_t kind = 0; kind < after.by_kind.size(); ++kind) {
    CHECK(after.by_kind[kind].name == before.by_kind[kind].name);
    CHECK(after.by_kind[kind].bytes == before.by_kind[kind].bytes);
  }
}

void compare(const ir::Module& module, const simulation::Tensors& inputs, Compared& compared) {
  for (const bool is_stablehlo : {false, true}) {
    CAPTURE(is_stablehlo);
    checking::CompileOptions options;
    if (is_stablehlo) options.partition.stablehlo.emplace();
    const auto compiled = checking::compile(module, options);
    if (!compiled && is_partitioned_elsewhere(module)) return;
    INFO((compiled ? std::string() : shardy_test::text_of(compiled.error())));
    REQUIRE(compiled.has_value());
    compare_compiled(*compiled, inputs, compared);
    if (simulation::num_devices(compiled->program, *compiled->program.main_function()) > 1) {
      compare_printed(*compiled);
    }
  }
}

Report report_of(const std::string& text) {
  const auto module = text::parse_mlir(text);
  INFO((module ? std::string() : shardy_test::text_of(module.error())));
  REQUIRE(module.has_value());
  const auto compiled = checking::compile(*module);
  INFO((compiled ? std::string() : shardy_test::text_of(compiled.error())));
  REQUIRE(compiled.has_value());
  return report::make_report(*compiled);
}

TEST_CASE("random programs have the traffic and memory of their report", "[report]") {
  using Options = checking::RandomProgramOptions;
  const std::vector<Options> kinds = {
      {.max_dim = 6},
      {.max_dim = 6, .max_depth = 2},
      {.max_dim = 6, .unreduced = true, .collectives = true},
      {.max_dim = 6, .max_depth = 1, .barriers = true, .device_orders = true},
      {.max_dim = 6, .indexed = true, .windows = true, .whole_dims = true},
      {.max_dim = 6, .max_depth = 1, .manual_collectives = true},
  };
  Compared compared;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    for (uint64_t seed = 0; seed < num_cases(); ++seed) {
      CAPTURE(kind, seed);
      const checking::RandomProgram random = checking::random_program(seed, kinds[kind]);
      compare(random.module, random.inputs, compared);
    }
  }
  // In the first program, a reduction is along a sub-axis that cannot coexist with the one that
  // stays unreduced. In the second, a pad keeps no element. In the third, the groups are of another
  // device order, and their coordinates along an axis are not a grid.
  for (const auto& [kind, seed] : {std::pair(2, 1004), std::pair(2, 626), std::pair(3, 2050)}) {
    CAPTURE(kind, seed);
    const checking::RandomProgram random = checking::random_program(
        static_cast<uint64_t>(seed), kinds[static_cast<std::size_t>(kind)]);
    compare(random.module, random.inputs, compared);
  }
  CHECK(compared.exact > 100);
  CHECK(compared.axes > 100);
  CHECK(compared.peaks > 50);
}

TEST_CASE("the examples have the traffic and memory of their report", "[report]") {
  Compared compared;
  for (const std::string folder : {"/programs", "/jax"}) {
    for (const auto& path : shardy_test::files_in(SHARDY_EXAMPLES + folder, ".mlir")) {
      CAPTURE(path.filename().string());
      auto module = text::parse_mlir(shardy_test::read_text(path));
      REQUIRE(module.has_value());
      REQUIRE(passes::import_shardings(*module).has_value());
      compare(*module, shardy_test::small_integers(*module, 1), compared);
    }
  }
  CHECK(compared.exact > 100);
  CHECK(compared.axes > 100);
}

// Four iterations: `1 + 4 * 2` runs in the loop and its condition.
TEST_CASE("collectives in loops with a trip count are counted per iteration", "[report]") {
  const Report report = report_of(R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<8x8xf32>
  cond {
    %end = stablehlo.constant dense<7> : tensor<i32>
    %test = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %test : tensor<i1>
  } do {
    %two = stablehlo.constant dense<2> : tensor<i32>
    %next = stablehlo.add %i, %two : tensor<i32>
    %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %p = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %next, %p : tensor<i32>, tensor<8x8xf32>
  }
  return %0#1 : tensor<8x8xf32>
}
)");
  REQUIRE(report.collectives.size() == 1);
  const Collective& row = report.collectives.front();
  CHECK(row.kind == "spmd.all_gather");
  CHECK(row.axes == R"({"x"})");
  CHECK(row.times == report::Times{.count = 4, .is_exact = true});
  CHECK(row.bytes == 3 * 64);
  CHECK(row.serves == "stablehlo.dot_general");
  CHECK(report.all.count == 4);
  CHECK(report.all.bytes == 4 * 3 * 64);
  CHECK(report.by_axis.front().bytes == 4 * 3 * 64);
  // Each of 64 elements needs 8 products of two flops, in four iterations; no device repeats them.
  CHECK(report.work.once == 4 * (2. * 8 * 64 + 1) + 5);
  CHECK(report.work.devices == 4);
}

TEST_CASE("the report shows replicated and padded work", "[report]") {
  const Report report = report_of(R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%a: tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = stablehlo.negate %a : tensor<10xf32>
  %1 = stablehlo.negate %b : tensor<12xf32>
  return %0, %1 : tensor<10xf32>, tensor<12xf32>
}
)");
  CHECK(report.collectives.empty());
  REQUIRE(report.values.size() == 4);
  CHECK(report.values[0].made_by == "argument 0 of @main");
  CHECK(report.values[0].local_type == "tensor<3xf32>");
  CHECK(report.values[0].local_bytes == 12);
  CHECK(report.values[0].padding_bytes == 2);
  CHECK(report.values[1].local_bytes == 48);
  CHECK(report.values[1].padding_bytes == 0);
  CHECK(report.work.once == 22);
  CHECK(report.work.per_device == 3 + 12);
  CHECK(report.work.efficiency() == 22. / 60);
  CHECK(report.peak.bytes == 12 + 48 + 48);  // argument 0 is dead
}

/// Returns `body` in a manual computation over four devices along "x".
std::string manual_program(const std::string& body) {
  return R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<1024xf32>) -> tensor<1024xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%a: tensor<256xf32>) {
)" + body +
         R"(
    sdy.return %r : tensor<256xf32>
  } : (tensor<1024xf32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
)";
}

// Each all_reduce sends 2 * 1,024 bytes * 3/4.
TEST_CASE("the report prices collectives of the input program, also in loops", "[report]") {
  const Report single = report_of(manual_program(R"(
    %r = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %w = stablehlo.add %u, %v : tensor<f32>
      stablehlo.return %w : tensor<f32>
    }) : (tensor<256xf32>) -> tensor<256xf32>)"));
  REQUIRE(single.by_kind.size() == 1);
  CHECK(single.by_kind.front().name == "stablehlo.all_reduce");
  CHECK(single.by_kind.front().bytes == 1536);
  CHECK(single.by_axis.front().name == "x");
  CHECK(single.collectives.front().axes == R"({"x"})");
  const Report looped = report_of(manual_program(R"(
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %l:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<256xf32>
    cond {
      %end = stablehlo.constant dense<3> : tensor<i32>
      %test = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %test : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %s = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>}> : (tensor<256xf32>) -> tensor<256xf32>
      stablehlo.return %next, %s : tensor<i32>, tensor<256xf32>
    }
    %r = stablehlo.negate %l#1 : tensor<256xf32>)"));
  REQUIRE(looped.by_kind.size() == 1);
  CHECK(looped.by_kind.front().count == 3);
  CHECK(looped.by_kind.front().bytes == 3 * 1024);
}

/// Runs a program on four devices with inputs from a fixed seed.
Run run_of(const std::string& text) {
  const auto module = text::parse_mlir(text);
  REQUIRE(module.has_value());
  const auto compiled = checking::compile(*module);
  REQUIRE(compiled.has_value());
  return run(compiled->program, shardy_test::small_integers(*module, 1));
}

/// The all_reduce in each branch sends 2 * 1,024 bytes * 3/4, the permute 1,024 bytes.
TEST_CASE("the report prices collectives of the input program in branches and unknown loops",
          "[report]") {
  const std::string reduce =
      R"("stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
      ^bb0(%u: tensor<f32>, %v: tensor<f32>):
        %w = stablehlo.add %u, %v : tensor<f32>
        stablehlo.return %w : tensor<f32>
      }) : (tensor<256xf32>) -> tensor<256xf32>)";
  const std::string branches = manual_program(R"(
    %one = stablehlo.constant dense<1> : tensor<i32>
    %r = "stablehlo.case"(%one) ({
      stablehlo.return %a : tensor<256xf32>
    }, {
      %s = )" + reduce + R"(
      stablehlo.return %s : tensor<256xf32>
    }) : (tensor<i32>) -> tensor<256xf32>)");
  const Report report_of_case = report_of(branches);
  REQUIRE(report_of_case.collectives.size() == 1);
  CHECK(report_of_case.collectives.front().times == report::Times{.count = 1, .is_exact = false});
  CHECK(report_of_case.all.bytes == 1536);
  for (const simulation::DeviceAccount& device : run_of(branches).devices) {
    CHECK(device.traffic.at(ir::OpKind::AllReduce).bytes_sent == 1536);
  }
  const std::string loop = manual_program(R"(
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %l:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<256xf32>
    cond {
      %end = stablehlo.constant dense<5> : tensor<i32>
      %test = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %test : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %next = stablehlo.add %i, %one : tensor<i32>
      %s = )" + reduce + R"(
      %t = stablehlo.add %s, %x : tensor<256xf32>
      stablehlo.return %next, %t : tensor<i32>, tensor<256xf32>
    }
    %r = stablehlo.negate %l#1 : tensor<256xf32>)");
  const Report looped = report_of(loop);
  const int64_t ran = run_of(loop).devices.front().traffic.at(ir::OpKind::AllReduce).bytes_sent;
  CHECK(looped.by_kind.front().bytes == ran);
  CHECK(looped.by_axis.front().bytes == ran);
}

TEST_CASE("shifts in opposite directions do not add up for a device", "[report]") {
  const Report report = report_of(manual_program(R"(
    %s = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>}> : (tensor<256xf32>) -> tensor<256xf32>
    %t = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>}> : (tensor<256xf32>) -> tensor<256xf32>
    %r = stablehlo.add %s, %t : tensor<256xf32>)"));
  CHECK(report.all.count == 2);
  CHECK(report.all.bytes == 1024);
  CHECK(report.by_kind.front().bytes == 1024);
  REQUIRE(report.by_axis.size() == 1);
  CHECK(report.by_axis.front().bytes == 1024);
  CHECK(report.by_axis.front().count == 2);
}

double useful(const std::string& arguments, const std::string& result, const std::string& body) {
  return report_of("sdy.mesh @mesh = <[\"x\"=4]>\nfunc.func @main(" + arguments + ") -> " + result +
                   " {\n" + body + "\n}\n")
      .work.efficiency();
}

TEST_CASE("useful work is at most all work", "[report]") {
  CHECK(report_of(manual_program("%r = stablehlo.negate %a : tensor<256xf32>")).work.efficiency() ==
        1);
  const std::string in = R"(%a: tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})";
  CHECK(useful(in, "tensor<64xf32>", "  return %a : tensor<64xf32>") == 1);
  const double sums = useful(in, "tensor<64xf32>", R"(
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 64>, padding = dense<[[63, 0]]> : tensor<1x2xi64>}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %w = stablehlo.add %u, %v : tensor<f32>
      stablehlo.return %w : tensor<f32>
  }) : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>)");
  CHECK((sums > 0.1 && sums <= 1));
  const double sorted = useful(in, "tensor<64xf32>", R"(
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%u: tensor<f32>, %v: tensor<f32>):
      %w = stablehlo.compare LT, %u, %v : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %w : tensor<i1>
  }) : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>)");
  CHECK((sorted > 0.01 && sorted <= 1));
  const double scattered =
      useful(in + ", %i: tensor<8x1xi32>, %u: tensor<8xf32>", "tensor<64xf32>", R"(
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %w = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %w : tensor<f32>
  }) : (tensor<64xf32>, tensor<8x1xi32>, tensor<8xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>)");
  CHECK((scattered > 0.01 && scattered <= 1));
}

TEST_CASE("ops with quantized operands or results have no counted work", "[report]") {
  const Report report = report_of(R"(
func.func @main(%a: tensor<3x5xf32>, %b: tensor<5x2xf32>) -> tensor<3x2xf32> {
  %0 = stablehlo.uniform_quantize %a : (tensor<3x5xf32>) -> tensor<3x5x!quant.uniform<i8:f32, 0.5:3>>
  %1 = stablehlo.uniform_quantize %b : (tensor<5x2xf32>) -> tensor<5x2x!quant.uniform<i8:f32, 0.25>>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<3x5x!quant.uniform<i8:f32, 0.5:3>>, tensor<5x2x!quant.uniform<i8:f32, 0.25>>) -> tensor<3x2x!quant.uniform<i32:f32, 0.125>>
  %3 = stablehlo.uniform_dequantize %2 : (tensor<3x2x!quant.uniform<i32:f32, 0.125>>) -> tensor<3x2xf32>
  return %3 : tensor<3x2xf32>
})");
  CHECK(report.work.once == 0);
  CHECK(report.work.per_device == 0);
}

TEST_CASE("work replicated on four devices counts once as useful work", "[report]") {
  const std::string in = "%a: tensor<64xf32>, %p: tensor<i1>, %n: tensor<i32>";
  CHECK(useful(in, "tensor<64xf32>", R"(
  %0 = stablehlo.negate %a : tensor<64xf32>
  return %0 : tensor<64xf32>)") == 0.25);
  // The predicate of an `if` selects no number of a branch.
  CHECK(useful(in, "tensor<64xf32>", R"(
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.negate %a : tensor<64xf32>
    stablehlo.return %1 : tensor<64xf32>
  }, {
    stablehlo.return %a : tensor<64xf32>
  }) : (tensor<i1>) -> tensor<64xf32>
  return %0 : tensor<64xf32>)") == 0.25);
  // Ops are not counted if only unused reshards, manual computations, loops or cases use them.
  CHECK(useful(in, "tensor<64xf32>", R"(
  %0 = stablehlo.sine %a : tensor<64xf32>
  %1 = sdy.reshard %0 <@mesh, [{"x"}]> : tensor<64xf32>
  %2 = sdy.all_gather [{"x"}] %1 out_sharding=<@mesh, [{}]> : tensor<64xf32>
  %3 = stablehlo.cosine %a : tensor<64xf32>
  %4:2 = sdy.manual_computation(%3, %a) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>] manual_axes={"x"} (%u: tensor<16xf32>, %v: tensor<16xf32>) {
    sdy.return %u, %v : tensor<16xf32>, tensor<16xf32>
  } : (tensor<64xf32>, tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)
  %5 = "stablehlo.case"(%n) ({
    %7 = stablehlo.exponential %a : tensor<64xf32>
    stablehlo.return %7 : tensor<64xf32>
  }) : (tensor<i32>) -> tensor<64xf32>
  %6 = stablehlo.negate %a : tensor<64xf32>
  return %6 : tensor<64xf32>)") == 1);
  // Equal ops are counted once, even with different shardings.
  CHECK(useful(in, "tensor<64xf32>", R"(
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<64xf32>
  %1 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<64xf32>
  %2 = stablehlo.add %0, %1 : tensor<64xf32>
  return %2 : tensor<64xf32>)") <= 1);
}

}  // namespace

}  // namespace report_test
