// Makes and runs programs of one windowed op under one sharding, as text.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "checking/programs.hpp"
#include "checking/stablehlo_forms.hpp"
#include "partitioning/window_plan.hpp"
#include "shardy/checking/check.hpp"
#include "shardy/simulation/run.hpp"
#include "shardy/text/mlir.hpp"
#include "support/catch.hpp"

namespace shardy_test {

/// A dim of a tensor: its size, and the axes that shard it as text, such as `"x", "y"`.
struct TestDim {
  int64_t size = 1;
  std::string axes = {};
};
using TestDims = std::vector<TestDim>;

inline std::string list(const std::vector<int64_t>& numbers) {
  std::string text;
  for (const int64_t number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

inline std::string type_text(const TestDims& dims, const std::string& element = "f32") {
  std::string text = "tensor<";
  for (const TestDim& dim : dims) text += std::to_string(dim.size) + "x";
  return text + element + ">";
}

inline std::string sharding_text(const TestDims& dims) {
  std::string text;
  for (const TestDim& dim : dims) text += (text.empty() ? "{" : ", {") + dim.axes + "}";
  return "{sdy.sharding = #sdy.sharding<@mesh, [" + text + "]>}";
}

/// An argument or result of main.
inline std::string value_text(const TestDims& dims, const std::string& element = "f32") {
  return type_text(dims, element) + " " + sharding_text(dims);
}

/// A mesh of one axis with `devices` devices. The number 22 gives two axes of two devices each.
inline std::string mesh_text(int64_t devices) {
  const std::string axes = devices == 22 ? R"("x"=2, "y"=2)" : "\"x\"=" + std::to_string(devices);
  return "sdy.mesh @mesh = <[" + axes + "]>\n";
}
inline std::string mesh_axes(int64_t devices) { return devices == 22 ? R"("x", "y")" : "\"x\""; }
inline constexpr std::array<int64_t, 4> kMeshes = {2, 3, 4, 22};

inline shardy::checking::CheckReport run_checked(
    const std::string& text, const shardy::simulation::Tensors* inputs = nullptr,
    shardy::partitioning::HaloStrategy strategy = shardy::partitioning::HaloStrategy::Cost) {
  const auto module = shardy::text::parse_mlir(text);
  INFO(text);
  INFO((module ? std::string() : text_of(module.error())));
  REQUIRE(module.has_value());
  shardy::checking::CheckOptions options;
  options.compile.partition.halo.strategy = strategy;
  options.run.kernels.fill = shardy::simulation::Fill::Poison;
  options.run.num_workers = 1;
  options.tolerance = 0;
  const shardy::simulation::Tensors values =
      inputs != nullptr ? *inputs : small_integers(*module, 7);
  auto report = shardy::checking::check(*module, values, options);
  INFO((report ? std::string() : text_of(report.error())));
  REQUIRE(report.has_value());
  INFO(shardy::text::to_mlir(report->compiled.program));
  REQUIRE(report->equal());
  check_stablehlo_form(report->compiled.program, values, report->sharded.outputs,
                       report->compiled.program.num_ops());
  return *std::move(report);
}

/// Checks that the sharded run has the bits of the unsharded run, and that it gathers only if halos
/// would send as many bytes. `gathers` more gathers are expected.
inline void check_native(const std::string& text, int64_t gathers = 0) {
  const shardy::checking::CheckReport report = run_checked(text);
  INFO(text);
  INFO(shardy::text::to_mlir(report.compiled.program));
  for (const auto& note : report.compiled.notes) {
    if (note.kind != shardy::partitioning::Replication::Gathered) continue;
    CAPTURE(note.reason);
    REQUIRE(note.reason.find("halos would not send fewer bytes") != std::string::npos);
    ++gathers;
  }
  for (const shardy::simulation::DeviceAccount& device : report.sharded.devices) {
    const auto gathered = device.traffic.find(shardy::ir::OpKind::SpmdAllGather);
    REQUIRE((gathered == device.traffic.end() || gathered->second.count <= gathers));
  }
}

/// Visits every n-th case; SHARDY_WINDOW_CASES=all visits all of them.
class Sample {
 public:
  explicit Sample(uint64_t every) : every_(every) {
    const char* setting = std::getenv("SHARDY_WINDOW_CASES");
    if (setting != nullptr && std::string(setting) == "all") every_ = 1;
  }
  bool next() {
    // The visited cases are spread evenly, without a pattern that loops could share.
    const uint64_t mixed = ++count_ * 0x9E3779B97F4A7C15U;
    return every_ == 1 || (mixed >> 32U) % every_ == 0;
  }

 private:
  uint64_t every_;
  uint64_t count_ = 0;
};

/// Visits every window with up to `max_size` taps that fits into up to `max_base` padded elements.
template <class Visit>
void for_windows(int64_t max_base, int64_t max_size, int64_t max_padding, const Visit& visit) {
  for (int64_t base = 1; base <= max_base; ++base) {
    for (int64_t size = 1; size <= max_size; ++size) {
      for (int64_t stride = 1; stride <= 3; ++stride) {
        for (int64_t low = -1; low <= max_padding; ++low) {
          for (int64_t high = -1; high <= max_padding; ++high) {
            for (int64_t base_dilation = 1; base_dilation <= 3; ++base_dilation) {
              for (int64_t dilation = 1; dilation <= (size > 1 ? 2 : 1); ++dilation) {
                const shardy::partitioning::Window window{{.size = size,
                                                           .stride = stride,
                                                           .base_dilation = base_dilation,
                                                           .window_dilation = dilation,
                                                           .low = low,
                                                           .high = high},
                                                          base};
                if (window.count() > 0) visit(window);
              }
            }
          }
        }
      }
    }
  }
}

// ---- Traffic ---------------------------------------------------------------------------------

/// Returns the bytes that devices send, by op.
using Sent = std::map<std::string, shardy::simulation::Traffic>;

inline std::string to_text(const Sent& sent) {
  std::string text;
  for (const auto& [op, traffic] : sent) {
    text += op + ": " + std::to_string(traffic.count) + " with " +
            std::to_string(traffic.bytes_sent) + " bytes\n";
  }
  return text;
}

/// Returns the bytes that the busiest device sends, by op.
inline Sent most_sent(const shardy::checking::CheckReport& report) {
  Sent most;
  for (const shardy::simulation::DeviceAccount& device : report.sharded.devices) {
    for (const auto& [kind, traffic] : device.traffic) {
      shardy::simulation::Traffic& entry = most[std::string(shardy::ir::info(kind).name)];
      entry.count = std::max(entry.count, traffic.count);
      entry.bytes_sent = std::max(entry.bytes_sent, traffic.bytes_sent);
    }
  }
  return most;
}

inline constexpr const char* kPermute = "spmd.permute";
inline constexpr const char* kAllReduce = "spmd.all_reduce";
inline constexpr const char* kAllGather = "spmd.all_gather";

/// Returns a tensor of that shape with the same elements.
inline shardy::simulation::Tensor shaped(const std::vector<int64_t>& numbers,
                                         std::vector<int64_t> dims) {
  const shardy::ir::Type type =
      shardy::ir::Type::tensor(std::move(dims), shardy::ir::ElementType::F32);
  return *shardy::simulation::Tensor::from_integers(type, numbers);
}

}  // namespace shardy_test
