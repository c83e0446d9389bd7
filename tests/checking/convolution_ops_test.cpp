// Convolutions under every sharding of their dims. The sharded run must have the bits of the
// unsharded run, and must not gather needlessly. Spec: partitioning 7, 8.9.
#include <cstdint>
#include <string>
#include <vector>

#include "checking/window_programs.hpp"

using namespace shardy;
using namespace shardy_test;
using partitioning::Window;

namespace convolution_ops_test {
namespace {

/// A convolution in one spatial dim.
struct Convolution {
  int64_t devices = 2;
  Window window;
  bool is_reversed = false;
  int64_t batches = 1;
  int64_t inputs = 1;   // input features per group
  int64_t outputs = 1;  // output features per group
  int64_t feature_groups = 1;
  int64_t batch_groups = 1;
  // The axes that shard the dims.
  std::string batch = {}, input = {}, output = {}, group = {}, windows = {}, taps = {};
};

std::string joined(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + ", " + b;
}

std::string text_of(const Convolution& c) {
  const int64_t groups = c.feature_groups * c.batch_groups;
  const bool batch_groups = c.batch_groups > 1;
  const TestDims lhs = {
      {c.batch_groups * c.batches, batch_groups ? joined(c.group, c.batch) : c.batch},
      {c.window.base, c.windows + c.taps},
      {c.feature_groups * c.inputs, batch_groups ? c.input : joined(c.group, c.input)}};
  const TestDims rhs = {{c.window.size, c.taps},
                        {c.inputs, c.input},
                        {groups * c.outputs, joined(c.group, c.output)}};
  const TestDims out = {{c.batches, c.batch},
                        {c.window.count(), c.windows},
                        {groups * c.outputs, joined(c.group, c.output)}};
  return mesh_text(c.devices) + "func.func @main(%x: " + value_text(lhs) +
         ", %k: " + value_text(rhs) + ") -> (" + value_text(out) +
         ") {\n  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
         "window = {stride = [" +
         std::to_string(c.window.stride) + "], pad = [[" + list({c.window.low, c.window.high}) +
         "]], lhs_dilate = [" + std::to_string(c.window.base_dilation) + "], rhs_dilate = [" +
         std::to_string(c.window.window_dilation) + "], reverse = [" +
         (c.is_reversed ? "true" : "false") +
         "]} {batch_group_count = " + std::to_string(c.batch_groups) +
         " : i64, feature_group_count = " + std::to_string(c.feature_groups) + " : i64} : (" +
         type_text(lhs) + ", " + type_text(rhs) + ") -> " + type_text(out) +
         "\n  return %0 : " + type_text(out) + "\n}\n";
}

void check_sharded(const Convolution& convolution, bool is_native) {
  const std::string text = text_of(convolution);
  if (is_native) return check_native(text);
  run_checked(text);
}

}  // namespace

TEST_CASE("convolutions over sharded spatial dims exchange halos", "[checking][windows]") {
  Sample sample(60);
  for_windows(9, 4, 3, [&](const Window& window) {
    for (const int64_t devices : kMeshes) {
      for (const bool is_reversed : {false, true}) {
        if (window.count() > 1 && window.base > 1 && sample.next()) {
          check_native(text_of({.devices = devices,
                                .window = window,
                                .is_reversed = is_reversed,
                                .windows = mesh_axes(devices)}));
        }
        if (window.size > 1 && window.base > 1 && sample.next()) {
          // If the convolution has as many windows as elements, propagation shards the windows too.
          check_sharded({.devices = devices,
                         .window = window,
                         .is_reversed = is_reversed,
                         .taps = mesh_axes(devices)},
                        window.count() < window.size);
        }
      }
    }
  });
}

TEST_CASE("each way of exchanging halos gives the same convolution", "[checking][windows]") {
  Sample sample(400);
  for_windows(9, 4, 3, [&](const Window& window) {
    for (const int64_t devices : kMeshes) {
      if (window.count() == 1 || !sample.next()) continue;
      const std::string text =
          text_of({.devices = devices, .window = window, .windows = mesh_axes(devices)});
      for (const auto strategy :
           {partitioning::HaloStrategy::Hull, partitioning::HaloStrategy::Compact,
            partitioning::HaloStrategy::Gather}) {
        run_checked(text, nullptr, strategy);
      }
    }
  });
}

TEST_CASE("convolutions over sharded batches and features need no halos", "[checking][windows]") {
  const Window window{{.size = 3, .low = 1, .high = 1}, 4};
  Sample sample(3);
  for (const int64_t devices : kMeshes) {
    const std::string axes = mesh_axes(devices);
    for (int64_t size = 1; size <= 9; ++size) {
      const Convolution c{.devices = devices, .window = window, .inputs = 2};
      std::vector<Convolution> cases(3, c);
      cases[0].batches = size;
      cases[0].batch = axes;
      cases[1].inputs = size;
      cases[1].input = axes;
      cases[2].outputs = size;
      cases[2].output = axes;
      for (const Convolution& each : cases) {
        // A single output feature has no factor of its own.
        if (sample.next()) check_sharded(each, each.outputs > 1 || each.output.empty());
      }
    }
  }
}

TEST_CASE("whole groups of a convolution in each shard need no communication",
          "[checking][windows]") {
  const Window window{{.size = 3, .low = 1, .high = 1}, 4};
  Sample sample(8);
  for (const int64_t devices : kMeshes) {
    const int64_t shards = devices == 22 ? 4 : devices;
    const std::string axes = mesh_axes(devices);
    for (int64_t groups = 2; groups <= 9; ++groups) {
      for (int64_t inputs = 1; inputs <= 4; ++inputs) {
        for (int64_t outputs = 1; outputs <= 3; ++outputs) {
          const bool is_depthwise = inputs == 1 && outputs == 1;
          const bool is_native = is_depthwise || groups % shards == 0;
          const Convolution c{.devices = devices,
                              .window = window,
                              .inputs = inputs,
                              .outputs = outputs,
                              .group = axes};
          if (sample.next()) {
            Convolution features = c;
            features.batches = 2;
            features.feature_groups = groups;
            check_sharded(features, is_native);
          }
          if (sample.next()) {
            Convolution batches = c;
            batches.inputs = 2;
            batches.batches = inputs;
            batches.batch_groups = groups;
            check_sharded(batches, is_native);
          }
        }
      }
    }
  }
}

TEST_CASE("groups, group features and other dims of a convolution are sharded over two axes",
          "[checking][windows]") {
  const Window window{{.size = 3, .stride = 2, .low = 2, .high = 1}, 5};
  const std::string x = "\"x\"";
  const std::string y = "\"y\"";
  Sample sample(6);
  for (const int64_t groups : {2, 3, 4, 6}) {
    for (int64_t inside = 1; inside <= 6; ++inside) {
      for (const bool is_batch : {false, true}) {
        Convolution c{
            .devices = 22, .window = window, .batches = 3, .inputs = 2, .outputs = 2, .group = x};
        (is_batch ? c.batch_groups : c.feature_groups) = groups;
        std::vector<Convolution> cases(5, c);
        cases[0].inputs = inside;
        cases[0].input = y;
        cases[1].outputs = inside;
        cases[1].output = y;
        cases[2].batches = inside;
        cases[2].batch = y;
        cases[3].window.base = inside + 1;
        cases[3].windows = y;
        cases[4].window.base = inside + 1;
        cases[4].taps = y;
        for (const Convolution& each : cases) {
          if (sample.next()) run_checked(text_of(each));
        }
      }
    }
  }
}

TEST_CASE("several dims of one convolution can be sharded together", "[checking][windows]") {
  using Member = std::string Convolution::*;
  const std::vector<Member> sharded_dims = {&Convolution::batch, &Convolution::input,
                                            &Convolution::output, &Convolution::windows,
                                            &Convolution::taps};
  Sample sample(12);
  for_windows(5, 3, 1, [&](const Window& window) {
    for (const Member first : sharded_dims) {
      for (const Member second : sharded_dims) {
        const bool both_spatial = first != second &&
                                  (first == sharded_dims[3] || first == sharded_dims[4]) &&
                                  (second == sharded_dims[3] || second == sharded_dims[4]);
        if (first == second || both_spatial || window.base_dilation == 2 || !sample.next())
          continue;
        Convolution c{.devices = 22, .window = window, .batches = 3, .inputs = 3, .outputs = 3};
        c.*first = "\"x\"";
        c.*second = "\"y\"";
        run_checked(text_of(c));
      }
    }
  });
}

}  // namespace convolution_ops_test
