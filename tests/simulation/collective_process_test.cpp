// Grids of processes, their groups, and the StableHLO collectives. Spec: stablehlo 31.
#include <algorithm>

#include "simulation/run_text.hpp"

namespace shardy_test::collective_process_test {
namespace {

using shardy::simulation::ProcessGrid;
using shardy::simulation::RunOptions;
using shardy::simulation::RunResult;

/// A program in which each process calls @f with its own number, as i64, in a tensor of 2 elements:
/// [10 p, 10 p + 1]; `body` makes %0 of %x.
std::string on_grid(const std::string& body, const std::string& result_type) {
  return R"(
func.func @main() -> )" +
         result_type + R"( {
  %p = stablehlo.partition_id : tensor<ui32>
  %r = stablehlo.replica_id : tensor<ui32>
  %hundred = stablehlo.constant dense<100> : tensor<ui32>
  %ten = stablehlo.constant dense<10> : tensor<ui32>
  %a = stablehlo.multiply %r, %hundred : tensor<ui32>
  %b = stablehlo.multiply %p, %ten : tensor<ui32>
  %c = stablehlo.add %a, %b : tensor<ui32>
  %d = stablehlo.convert %c : (tensor<ui32>) -> tensor<i64>
  %e = stablehlo.broadcast_in_dim %d, dims = [] : (tensor<i64>) -> tensor<2xi64>
  %i = stablehlo.iota dim = 0 : tensor<2xi64>
  %x = stablehlo.add %e, %i : tensor<2xi64>
)" + body +
         "  return %0 : " + result_type + "\n}\n";
}

constexpr const char* kSum =
    " ({\n  ^bb0(%l: tensor<i64>, %m: tensor<i64>):\n    %s = stablehlo.add %l, %m : tensor<i64>\n"
    "    stablehlo.return %s : tensor<i64>\n  })";

using PerDevice = std::vector<std::vector<double>>;

/// The result of each process, (0, 0), (0, 1), ..., for 1, 2 and as many workers as devices.
PerDevice results_of(const std::string& text, ProcessGrid grid) {
  PerDevice first;
  for (const int64_t workers : {1, 2, 8}) {
    RunOptions options;
    options.grid = grid;
    options.num_workers = workers;
    const RunResult result = run_text(text, options);
    PerDevice values;
    for (const auto& outputs : result.outputs) values.push_back(outputs[0].to_doubles());
    if (first.empty()) first = values;
    CHECK(values == first);
  }
  return first;
}

std::string all_reduce(const std::string& attributes) {
  return on_grid("  %0 = \"stablehlo.all_reduce\"(%x) <{" + attributes + "}>" + kSum +
                     " : (tensor<2xi64>) -> tensor<2xi64>\n",
                 "tensor<2xi64>");
}

constexpr const char* kChannel = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>";

// %d is the number of the process, 100 r.
TEST_CASE("a reducer reads the outer values of its process", "[simulation][process]") {
  const std::string reducer =
      " ({\n  ^bb0(%l: tensor<i64>, %m: tensor<i64>):\n    %s = stablehlo.add %l, %m : "
      "tensor<i64>\n"
      "    %t = stablehlo.add %s, %d : tensor<i64>\n    stablehlo.return %t : tensor<i64>\n  })";
  const auto [op, attributes, type, results] =
      GENERATE(table<std::string, std::string, std::string, PerDevice>({
          {"all_reduce", "", "tensor<2xi64>", {{100, 102}, {200, 202}}},
          {"reduce_scatter", ", scatter_dimension = 0 : i64", "tensor<1xi64>", {{100}, {202}}},
          {"collective_reduce", "", "tensor<2xi64>", {{100, 102}, {0, 0}}},
      }));
  const std::string line = "  %0 = \"stablehlo." + op +
                           "\"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>" +
                           attributes + "}>" + reducer + " : (tensor<2xi64>) -> " + type + "\n";
  CHECK(results_of(on_grid(line, type), {2, 1}) == results);
}

TEST_CASE("processes read their ids", "[simulation][process]") {
  CHECK(results_of(on_grid("  %0 = stablehlo.add %x, %i : tensor<2xi64>\n", "tensor<2xi64>"),
                   {2, 3}) ==
        PerDevice{{0, 2}, {10, 12}, {20, 22}, {100, 102}, {110, 112}, {120, 122}});
}

// Process (r, p) of a grid of 2 replicas and 2 partitions holds 100 r + 10 p.
TEST_CASE("all_reduce groups have four forms", "[simulation][process]") {
  const auto [attributes, sums] = GENERATE(table<std::string, std::vector<double>>({
      {"replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>", {100, 120, 100, 120}},
      {"replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>", {0, 10, 100, 110}},
      {"replica_groups = dense<> : tensor<0x0xi64>", {100, 120, 100, 120}},
      {std::string(kChannel) + ", replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>",
       {220, 220, 220, 220}},
      {std::string(kChannel) + ", replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>",
       {10, 10, 210, 210}},
      {std::string(kChannel) + ", replica_groups = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>, "
                               "use_global_device_ids",
       {110, 110, 110, 110}},
      {std::string(kChannel) + ", replica_groups = dense<[[0, 1, 3], [2, -1, -1]]> : "
                               "tensor<2x3xi64>, use_global_device_ids",
       {120, 120, 100, 120}},
  }));
  CAPTURE(attributes);
  const PerDevice values = results_of(all_reduce(attributes), {2, 2});
  std::vector<double> firsts;
  for (const auto& each : values) firsts.push_back(each[0]);
  CHECK(firsts == sums);
}

TEST_CASE("all_reduce reduces in the order of processes", "[simulation][process]") {
  // (x0 - x1) - x2 with x = 0, 10, 20, whatever the order of the group.
  const std::string text = on_grid(
      std::string("  %0 = \"stablehlo.all_reduce\"(%x) <{") + kChannel +
          ", replica_groups = dense<[[2, 0, 1]]> : tensor<1x3xi64>, use_global_device_ids}> ({\n"
          "  ^bb0(%l: tensor<i64>, %m: tensor<i64>):\n    %s = stablehlo.subtract %l, %m : "
          "tensor<i64>\n    stablehlo.return %s : tensor<i64>\n  }) : (tensor<2xi64>) -> "
          "tensor<2xi64>\n",
      "tensor<2xi64>");
  CHECK(results_of(text, {1, 3})[0] == std::vector<double>{-30, -31});
}

TEST_CASE("all_gather concatenates in the order of the group", "[simulation][process]") {
  const std::string text = on_grid(
      std::string("  %0 = \"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, ") + kChannel +
          ", replica_groups = dense<[[2, 0], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> "
          ": (tensor<2xi64>) -> tensor<4xi64>\n",
      "tensor<4xi64>");
  CHECK(results_of(text, {1, 4}) ==
        PerDevice{{20, 21, 0, 1}, {10, 11, 30, 31}, {20, 21, 0, 1}, {10, 11, 30, 31}});
}

TEST_CASE("all_gather across replicas and partitions is ordered by partition",
          "[simulation][process]") {
  const std::string text = on_grid(
      std::string("  %0 = \"stablehlo.all_gather\"(%x) <{all_gather_dim = 0 : i64, ") + kChannel +
          ", replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<2xi64>) -> "
          "tensor<8xi64>\n",
      "tensor<8xi64>");
  CHECK(results_of(text, {2, 2})[3] == std::vector<double>{100, 101, 0, 1, 110, 111, 10, 11});
}

TEST_CASE("reduce_scatter distributes slices in the order of the group", "[simulation][process]") {
  const std::string text = on_grid(
      std::string("  %0 = \"stablehlo.reduce_scatter\"(%x) <{") + kChannel +
          ", replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64, "
          "use_global_device_ids}>" +
          kSum + " : (tensor<2xi64>) -> tensor<1xi64>\n",
      "tensor<1xi64>");
  CHECK(results_of(text, {1, 2}) == PerDevice{{12}, {10}});
}

TEST_CASE("all_to_all sends a slice to each process of the group", "[simulation][process]") {
  const auto [form, grid, expected] = GENERATE(table<std::string, ProcessGrid, PerDevice>({
      {"", {2, 1}, {{0, 100}, {1, 101}}},
      {std::string(kChannel) + ", ", {1, 2}, {{0, 10}, {1, 11}}},
  }));
  const std::string text =
      on_grid("  %0 = \"stablehlo.all_to_all\"(%x) <{" + form +
                  "concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : "
                  "tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : "
                  "(tensor<2xi64>) -> tensor<2xi64>\n",
              "tensor<2xi64>");
  CHECK(results_of(text, grid) == expected);
}

TEST_CASE("collective_permute gives zeros to a process without source", "[simulation][process]") {
  const auto [form, pairs, grid, expected] =
      GENERATE(table<std::string, std::string, ProcessGrid, PerDevice>({
          {"", "dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>", {3, 1}, {{0, 0}, {0, 1}, {100, 101}}},
          {"",
           "dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>",
           {2, 2},
           {{100, 101}, {110, 111}, {0, 1}, {10, 11}}},
          {std::string(kChannel) + ", ",
           "dense<[[0, 1], [2, 2]]> : tensor<2x2xi64>",
           {1, 4},
           {{0, 0}, {0, 1}, {20, 21}, {0, 0}}},
          {std::string(kChannel) + ", ", "dense<> : tensor<0x2xi64>", {1, 2}, {{0, 0}, {0, 0}}},
      }));
  CAPTURE(form, pairs);
  const std::string text =
      on_grid("  %0 = \"stablehlo.collective_permute\"(%x) <{" + form +
                  "source_target_pairs = " + pairs + "}> : (tensor<2xi64>) -> tensor<2xi64>\n",
              "tensor<2xi64>");
  CHECK(results_of(text, grid) == expected);
}

TEST_CASE("collective_broadcast gives the value of the root, and zeros outside its groups",
          "[simulation][process]") {
  const std::string text =
      on_grid(std::string("  %0 = \"stablehlo.collective_broadcast\"(%x) <{") + kChannel +
                  ", replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<2xi64>) -> "
                  "tensor<2xi64>\n",
              "tensor<2xi64>");
  CHECK(results_of(text, {1, 3}) == PerDevice{{10, 11}, {10, 11}, {0, 0}});
  const std::string some =
      on_grid(std::string("  %0 = \"stablehlo.collective_broadcast\"(%x) <{") + kChannel +
                  ", replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>}> : (tensor<2xi64>) -> "
                  "tensor<2xi64>\n",
              "tensor<2xi64>");
  CHECK(results_of(some, {1, 4}) == PerDevice{{0, 0}, {20, 21}, {20, 21}, {0, 0}});
}

TEST_CASE("a dynamic root selects the process that broadcasts", "[simulation][process]") {
  const std::string text =
      on_grid(std::string("  %root = stablehlo.constant dense<1> : tensor<1xi32>\n"
                          "  %0 = \"stablehlo.collective_broadcast\"(%x, %root) <{") +
                  kChannel +
                  ", has_dynamic_root, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : "
                  "(tensor<2xi64>, tensor<1xi32>) -> tensor<2xi64>\n",
              "tensor<2xi64>");
  CHECK(results_of(text, {1, 2}) == PerDevice{{10, 11}, {10, 11}});
}

TEST_CASE("collective_reduce leaves the sum on the root", "[simulation][process]") {
  const std::string text = on_grid(
      std::string("  %0 = \"stablehlo.collective_reduce\"(%x) <{") + kChannel +
          ", replica_groups = dense<[[1, 0, 2]]> : tensor<1x3xi64>, use_global_device_ids}>" +
          kSum + " : (tensor<2xi64>) -> tensor<2xi64>\n",
      "tensor<2xi64>");
  CHECK(results_of(text, {1, 3}) == PerDevice{{0, 0}, {30, 33}, {0, 0}});
}

TEST_CASE("cross-replica-sum is a sum over replicas", "[simulation][process]") {
  const std::string text = on_grid(
      "  %0 = \"stablehlo.cross-replica-sum\"(%x) <{replica_groups = dense<[[0, 1]]> : "
      "tensor<1x2xi64>}> : (tensor<2xi64>) -> tensor<2xi64>\n",
      "tensor<2xi64>");
  CHECK(results_of(text, {2, 1}) == PerDevice{{100, 102}, {100, 102}});
}

TEST_CASE("a collective with several operands exchanges all of them", "[simulation][process]") {
  const std::string text = on_grid(
      std::string("  %1:2 = \"stablehlo.all_reduce\"(%x, %i) <{") + kChannel +
          ", replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}>" + kSum +
          " : (tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>)\n"
          "  %0 = stablehlo.concatenate %1#0, %1#1, dim = 0 : (tensor<2xi64>, tensor<2xi64>) -> "
          "tensor<4xi64>\n",
      "tensor<4xi64>");
  CHECK(results_of(text, {1, 2})[1] == std::vector<double>{10, 12, 0, 2});
}

TEST_CASE("groups from mesh axes vary the other axes first", "[simulation][process]") {
  // Spec: stablehlo 31.2: mesh x=2, y=3.
  const auto [axes, sums] = GENERATE(table<std::string, std::vector<double>>({
      {"#stablehlo.axis_ref<name = \"x\">", {30, 50, 70, 30, 50, 70}},
      {"#stablehlo.axis_ref<name = \"y\">", {30, 30, 30, 120, 120, 120}},
      {"#stablehlo.axis_ref<name = \"y\">, #stablehlo.axis_ref<name = \"x\">",
       {150, 150, 150, 150, 150, 150}},
  }));
  CAPTURE(axes);
  const std::string text =
      "sdy.mesh @m = <[\"x\"=2, \"y\"=3]>\n" +
      all_reduce(std::string(kChannel) +
                 ", replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [" +
                 axes + "]>, use_global_device_ids");
  const PerDevice values = results_of(text, {1, 6});
  std::vector<double> firsts;
  for (const auto& each : values) firsts.push_back(each[0]);
  CHECK(firsts == sums);
}

TEST_CASE("mesh axis groups need a mesh and axes, each field once", "[simulation][process]") {
  const auto [fields, error] =
      GENERATE(table<std::string, std::string>({{"mesh = @m", "both a mesh and axes"},
                                                {"mash = @m, axes = []", "'mesh' or 'axes'"},
                                                {"axes = [], axes = []", "'mesh' or 'axes'"}}));
  RunOptions options;
  options.grid = ProcessGrid{1, 6};
  const std::string error_text =
      error_of("sdy.mesh @m = <[\"x\"=2, \"y\"=3]>\n" +
                   all_reduce(std::string(kChannel) +
                              ", replica_groups = #stablehlo.replica_group_mesh_axes<" + fields +
                              ">, use_global_device_ids"),
               options);
  CAPTURE(error_text);
  CHECK(error_text.find("expected " + error) != std::string::npos);
}

TEST_CASE("a program sets its numbers of partitions and replicas", "[simulation][process]") {
  const std::string body = all_reduce("replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>");
  const std::string text =
      "module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 2 : i32} {" + body +
      "}\n";
  const RunResult result = run_text(text);
  REQUIRE(result.outputs.size() == 2);
  CHECK(result.outputs[1][0].to_doubles() == std::vector<double>{100, 102});
}

TEST_CASE("an invalid or too large number of processes is an error", "[simulation][process]") {
  const auto [partitions, replicas] = GENERATE(table<std::string, std::string>(
      {{"0", "1"}, {"1", "-2"}, {"2000000000", "1"}, {"1025", "1024"}}));
  const std::string text = "module attributes {mhlo.num_partitions = " + partitions +
                           " : i32, mhlo.num_replicas = " + replicas + " : i32} {" +
                           main_of("  %0 = stablehlo.partition_id : tensor<ui32>\n") + "}\n";
  CHECK(error_of(text) ==
        ": a run has 1 to 1048576 processes, but the module has mhlo.num_replicas = " + replicas +
            ", mhlo.num_partitions = " + partitions);
}

TEST_CASE("a program without collectives runs on one process", "[simulation][process]") {
  const std::string text =
      "module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 2 : i32} {" +
      main_of("") + "}\n";
  CHECK(shardy::simulation::process_grid(parse_program(text)) == ProcessGrid{1, 1});
}

TEST_CASE("a group with a process outside of the run is an error", "[simulation][process]") {
  RunOptions options;
  options.grid = ProcessGrid{1, 2};
  CHECK(error_of(all_reduce("replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"), options) ==
        "14:8: stablehlo.all_reduce: process 1 is not one of the 1 that the run has");
}

TEST_CASE("an asynchronous collective is started and awaited", "[simulation][process]") {
  const std::string text = on_grid(
      std::string("  %f = \"stablehlo.async_start\"(%x) ({\n  ^bb0(%arg0: tensor<2xi64>):\n"
                  "    %g = \"stablehlo.all_gather\"(%arg0) <{all_gather_dim = 0 : i64, ") +
          kChannel +
          ", replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : "
          "(tensor<2xi64>) -> tensor<4xi64>\n    stablehlo.return %g : tensor<4xi64>\n  }) : "
          "(tensor<2xi64>) -> !stablehlo.future<tensor<4xi64>>\n"
          "  %0 = \"stablehlo.async_done\"(%f) : (!stablehlo.future<tensor<4xi64>>) -> "
          "tensor<4xi64>\n",
      "tensor<4xi64>");
  CHECK(results_of(text, {1, 2})[0] == std::vector<double>{0, 1, 10, 11});
}

// ---- run_parallel ------------------------------------------------------------------------------

constexpr const char* kGather = R"(
func.func @gather(%x: tensor<1xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<1xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func @other(%x: tensor<1xi32>) -> tensor<2xi32> {
  %y = stablehlo.add %x, %x : tensor<1xi32>
  %0 = "stablehlo.all_gather"(%y) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<1xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func @wide(%x: tensor<1xi32>) -> tensor<2xf32> {
  %y = stablehlo.convert %x : (tensor<1xi32>) -> tensor<1xf32>
  %0 = "stablehlo.all_gather"(%y) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @never(%x: tensor<1xi32>) -> tensor<2xi32> {
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func @id() -> tensor<ui32> {
  %0 = stablehlo.partition_id : tensor<ui32>
  return %0 : tensor<ui32>
}
)";

std::string parallel(const std::string& programs, const std::string& results = "tensor<2xi32>",
                     const std::string& more = {}) {
  return kGather + main_of(R"(
  %a = stablehlo.constant dense<3> : tensor<1xi32>
  %b = stablehlo.constant dense<4> : tensor<1xi32>
  %0:2 = "interpreter.run_parallel"(%a, %b) <{programs = )" +
                           programs + R"(}> : (tensor<1xi32>, tensor<1xi32>) -> (tensor<2xi32>, )" +
                           results + R"()
)" + more);
}

TEST_CASE("run_parallel runs one function on all processes", "[simulation][process]") {
  check_passes(parallel("[[@gather, @gather]]", "tensor<2xi32>",
                        "  check.expect_eq_const %0#0, dense<[3, 4]> : tensor<2xi32>\n"
                        "  check.expect_eq_const %0#1, dense<[3, 4]> : tensor<2xi32>\n"),
               2);
}

TEST_CASE("different functions exchange data by channel and group", "[simulation][process]") {
  check_passes(parallel("[[@gather, @other]]", "tensor<2xi32>",
                        "  check.expect_eq_const %0#1, dense<[3, 8]> : tensor<2xi32>\n"),
               1);
}

TEST_CASE("rows of programs in run_parallel are replicas", "[simulation][process]") {
  check_passes(kGather + main_of(R"(
  %0:4 = "interpreter.run_parallel"() <{programs = [[@id, @id], [@id, @id]]}> : () -> (tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>)
  check.expect_eq_const %0#1, dense<1> : tensor<ui32>
  check.expect_eq_const %0#2, dense<0> : tensor<ui32>
  check.expect_eq_const %0#3, dense<1> : tensor<ui32>
)"),
               3);
}

TEST_CASE("checks inside parallel functions are counted", "[simulation][process]") {
  const RunResult result = run_text(R"(
func.func @f(%x: tensor<i32>) {
  check.expect_eq_const %x, dense<1> : tensor<i32>
  return
}
)" + main_of(R"(
  %a = stablehlo.constant dense<1> : tensor<i32>
  %b = stablehlo.constant dense<2> : tensor<i32>
  "interpreter.run_parallel"(%a, %b) <{programs = [[@f, @f]]}> : (tensor<i32>, tensor<i32>) -> ()
)"));
  CHECK(result.checks.count == 2);
  REQUIRE(result.checks.failed.size() == 1);
  CHECK(result.checks.failed[0].device == 1);
}

TEST_CASE("a program that run_parallel cannot run is an error", "[simulation][process]") {
  const auto [programs, message] = GENERATE(table<std::string, std::string>({
      {"[]", "`programs` attribute cannot be empty"},
      {"[[]]", "`programs` attribute cannot be empty"},
      {"[[@id, @id], [@id]]",
       "Sizes of second dimension of `programs` should all match 2 but got 1"},
      {"[[@nowhere]]", "Function \"nowhere\" not found"},
      {"[[@gather, @gather]]",
       "Number of inputs (0) should match the sum of the number of "
       "inputs of all programs (2)"},
      {"[[@id]]",
       "Number of results (0) should match the sum of the number of results of all "
       "programs (1)"},
  }));
  CAPTURE(programs);
  const std::string text =
      kGather +
      main_of("  \"interpreter.run_parallel\"() <{programs = " + programs + "}> : () -> ()\n");
  const std::string error = error_of(text);
  CHECK(error.substr(error.find(' ') + 1) == "interpreter.run_parallel: " + message);
}

TEST_CASE("a process that never reaches a collective is named", "[simulation][process]") {
  const auto result = try_run(parallel("[[@gather, @never]]"));
  REQUIRE_FALSE(result);
  CHECK(
      result.error().headline().find("E_DIVERGENT: stablehlo.all_gather is never reached by device "
                                     "1 of its group") != std::string::npos);
}

TEST_CASE("processes with different operands of a collective are named", "[simulation][process]") {
  const auto result = try_run(parallel("[[@gather, @wide]]", "tensor<2xf32>"));
  REQUIRE_FALSE(result);
  CHECK(result.error().headline().find(
            "E_COLLECTIVE_MISMATCH: stablehlo.all_gather does not fit that "
            "of device") != std::string::npos);
}

TEST_CASE("collectives of a manual computation communicate across its devices",
          "[simulation][process]") {
  check_passes(R"(
sdy.mesh @m = <["x"=4]>
)" + main_of(R"(
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%arg0: tensor<1xi64>) {
    %1 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %3 = stablehlo.add %a, %b : tensor<i64>
      stablehlo.return %3 : tensor<i64>
    }) : (tensor<1xi64>) -> tensor<1xi64>
    %2 = stablehlo.partition_id : tensor<ui32>
    %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<i64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i64>) -> tensor<1xi64>
    %5 = stablehlo.add %1, %4 : tensor<1xi64>
    sdy.return %5 : tensor<1xi64>
  } : (tensor<4xi64>) -> tensor<4xi64>
  check.expect_eq_const %0, dense<[4, 7, 6, 9]> : tensor<4xi64>
)"),
               1);
}

TEST_CASE("collectives of a nested manual computation cross the outer axes",
          "[simulation][process]") {
  check_passes(R"(
sdy.mesh @m = <["x"=2, "y"=2]>
)" + main_of(R"(
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"x"}]>] out_shardings=[<@m, [{"x"}]>] manual_axes={"x"} (%a: tensor<2xi64>) {
    %1 = sdy.manual_computation(%a) in_shardings=[<@m, [{"y"}]>] out_shardings=[<@m, [{"y"}]>] manual_axes={"y"} (%b: tensor<1xi64>) {
      %2 = "stablehlo.all_reduce"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%l: tensor<i64>, %m: tensor<i64>):
        %s = stablehlo.add %l, %m : tensor<i64>
        stablehlo.return %s : tensor<i64>
      }) : (tensor<1xi64>) -> tensor<1xi64>
      %3 = stablehlo.partition_id : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i64>
      %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i64>) -> tensor<1xi64>
      %6 = stablehlo.add %2, %5 : tensor<1xi64>
      sdy.return %6 : tensor<1xi64>
    } : (tensor<2xi64>) -> tensor<2xi64>
    sdy.return %1 : tensor<2xi64>
  } : (tensor<4xi64>) -> tensor<4xi64>
  check.expect_eq_const %0, dense<[4, 7, 6, 9]> : tensor<4xi64>
)"),
               1);
}

}  // namespace
}  // namespace shardy_test::collective_process_test
