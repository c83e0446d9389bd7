// Measures the cost of a collective on a device that is one of 8, and on one of 4,096.
//
//     simulation_growth [--check]
//
// Each row is one kind of op. All devices are in one group, or they are in groups of 8. The buffer
// of a device has the same size for any number of devices. The numbers are nanoseconds of one
// thread for one device and one op, the least of three runs. The last number is the ratio
// of the numbers for the most and the fewest devices. The ratio is 1 if the total time grows in
// proportion to the number of devices. The buffers of 8 devices fit in a near cache, and those of
// 4,096 devices in none. So an `add` costs twice as much, and an all_to_all, whose pieces lie
// apart, up to ten times as much. With --check, a ratio above 16 is an error. A cost that grows
// with the square of the number of devices has the ratio 512.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cpu_time.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/text/mlir.hpp"

namespace {

using shardy::Result;
using shardy::ir::Module;
using shardy::ir::Type;
using shardy::simulation::Tensor;
using shardy::simulation::Tensors;
using shardy_benchmarks::cpu_seconds;
using shardy_benchmarks::refuse;

constexpr int64_t kNumDevices[] = {8, 64, 512, 4096};
constexpr int64_t kFew = 8;
constexpr int kNumOps = 16;
constexpr int kNumRounds = 3;
constexpr double kMostGrowth = 16;

struct Row {
  const char* name;
  /// The program text, in which AXES, MESH, TYPE and RESULT are replaced.
  const char* op;
  int64_t num_elements;  // number of elements in the buffer of one device
  enum class Size { Same, Gathered, Scattered } result = Size::Same;
};

constexpr const char* kReducer = R"( ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }))";

const Row kRows[] = {
    {"add", "stablehlo.add %x, %x : TYPE", 4096},
    {"all_gather",
     R"("spmd.all_gather"(%x) <{axes = AXES, dim = 0 : i64, mesh = @mesh}> : (TYPE) -> RESULT)", 1,
     Row::Size::Gathered},
    {"all_reduce", R"("spmd.all_reduce"(%x) <{axes = AXES, mesh = @mesh}>REDUCER : (TYPE) -> TYPE)",
     4096},
    {"reduce_scatter",
     R"("spmd.reduce_scatter"(%x) <{axes = AXES, dim = 0 : i64, mesh = @mesh}>REDUCER : (TYPE) -> RESULT)",
     4096, Row::Size::Scattered},
    {"all_to_all",
     R"("spmd.all_to_all"(%x) <{axes = AXES, concat_dim = 0 : i64, mesh = @mesh, split_dim = 0 : i64}> : (TYPE) -> TYPE)",
     4096},
    {"permute",
     R"("spmd.permute"(%x) <{axes = AXES, map = #spmd.permute_map<rotate, [1]>, mesh = @mesh}> : (TYPE) -> TYPE)",
     4096},
    {"broadcast_from",
     R"("spmd.broadcast_from"(%x) <{axes = AXES, mesh = @mesh, root = 1 : i64}> : (TYPE) -> TYPE)",
     4096},
};

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string program(const Row& row, int64_t num_devices, int64_t group) {
  const auto tensor = [](int64_t size) { return fmt::format("tensor<{}xf32>", size); };
  const int64_t result = row.result == Row::Size::Gathered    ? row.num_elements * group
                         : row.result == Row::Size::Scattered ? row.num_elements / group
                                                              : row.num_elements;
  std::string op = replaced(row.op, "AXES", R"(#sdy<axis_ref_list{"x"}>)");
  op = replaced(op, "REDUCER", kReducer);
  op = replaced(op, "TYPE", tensor(row.num_elements));
  op = replaced(op, "RESULT", tensor(result));
  std::string text = fmt::format(
      "sdy.mesh @mesh = <[\"groups\"={}, \"x\"={}]>\nfunc.func @main(%x: {}) -> {} {{\n",
      num_devices / group, group, tensor(row.num_elements), tensor(result));
  for (int index = 0; index < kNumOps; ++index) text += fmt::format("  %{} = {}\n", index, op);
  return text + fmt::format("  return %{} : {}\n}}\n", kNumOps - 1, tensor(result));
}

/// Each device has different values, so that no op is computed once for all devices.
std::vector<Tensors> buffers(int64_t num_devices, int64_t num_elements) {
  std::vector<Tensors> buffers;
  for (int64_t device = 0; device < num_devices; ++device) {
    std::vector<double> values(static_cast<std::size_t>(num_elements), 0.5);
    values.front() = static_cast<double>(device);
    const Type type = Type::tensor({num_elements}, shardy::ir::ElementType::F32);
    buffers.push_back({*Tensor::from_doubles(type, values)});
  }
  return buffers;
}

/// Returns the nanoseconds for one op on one device.
double cost(const Row& row, int64_t num_devices, int64_t group) {
  const std::string text = program(row, num_devices, group);
  const auto module = shardy::text::parse_mlir(text);
  if (!module) refuse(shardy::text::error_text(row.name, text, module.error()));
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < kNumRounds; ++round) {
    std::vector<Tensors> arguments = buffers(num_devices, row.num_elements);
    const double begin = cpu_seconds();
    const auto result =
        shardy::simulation::run(*module, "main", std::move(arguments), {.num_workers = 1});
    least = std::min(least, cpu_seconds() - begin);
    if (!result) refuse(result.error().headline());
  }
  return 1e9 * least / static_cast<double>(num_devices * kNumOps);
}

/// Prints a row. Returns an error message if the ratio is too large.
std::optional<std::string> print_row(const Row& row, bool in_groups) {
  const std::string name = fmt::format("{}, {}", row.name, in_groups ? "groups of 8" : "one group");
  std::vector<double> costs;
  std::string line = fmt::format("{:<28}", name);
  for (const int64_t num_devices : kNumDevices) {
    costs.push_back(cost(row, num_devices, in_groups ? kFew : num_devices));
    line += fmt::format("{:>10.0f}", costs.back());
  }
  const double growth = costs.back() / costs.front();
  fmt::print("{}{:>10.2f}\n", line, growth);
  std::fflush(stdout);
  if (growth <= kMostGrowth) return std::nullopt;
  return fmt::format("{} grows {:.1f} times as fast as the number of devices", name, growth);
}

}  // namespace

int main(int argc, char** argv) {
  const bool checks = argc > 1 && std::string_view(argv[1]) == "--check";
  std::string line = fmt::format("{:<28}", "ns per device and op");
  for (const int64_t num_devices : kNumDevices) line += fmt::format("{:>10}", num_devices);
  fmt::print("{}{:>10}\n", line, "ratio");
  int status = 0;
  for (const Row& row : kRows) {
    for (const bool in_groups : {true, false}) {
      const auto too_much = print_row(row, in_groups);
      if (!too_much || !checks) continue;
      fmt::print(stderr, "{}\n", *too_much);
      status = 1;
    }
  }
  return status;
}
