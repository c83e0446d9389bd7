// Window reductions, scans and selections under every sharding of their dims. The sharded run must
// have the bits of the unsharded run, and must not gather needlessly. Spec: partitioning 7, 8.11,
// 8.12.
#include <cstdint>
#include <string>
#include <vector>

#include "checking/window_programs.hpp"

using namespace shardy;
using namespace shardy_test;
using partitioning::Window;

// ---- Window reductions -----------------------------------------------------------------------

namespace window_ops_test {
namespace {

/// A reduction of windows along dim 1 of three dims. The body is the StableHLO op of the given
/// name.
struct Reduction {
  int64_t devices = 2;
  Window window;
  std::string body = "add";
  std::string element = "f32";
  std::string init = "2.0";
  Window other = {{}, 2};  // along dim 2
  std::string axes = {};
  std::string other_axes = {};
};

std::string text_of(const Reduction& r) {
  const TestDims base = {{2, ""}, {r.window.base, r.axes}, {r.other.base, r.other_axes}};
  const TestDims out = {{2, ""}, {r.window.count(), r.axes}, {r.other.count(), r.other_axes}};
  const std::string scalar = "tensor<" + r.element + ">";
  const auto array = [&](const std::string& name, int64_t Window::*member) {
    return name + " = array<i64: " + list({1, r.window.*member, r.other.*member}) + ">, ";
  };
  return mesh_text(r.devices) + "func.func @main(%x: " + value_text(base, r.element) + ") -> (" +
         value_text(out, r.element) + ") {\n  %z = stablehlo.constant dense<" + r.init +
         "> : " + scalar + "\n  %0 = \"stablehlo.reduce_window\"(%x, %z) <{" +
         array("window_dimensions", &Window::size) + array("window_strides", &Window::stride) +
         array("base_dilations", &Window::base_dilation) +
         array("window_dilations", &Window::window_dilation) + "padding = dense<[[0, 0], [" +
         list({r.window.low, r.window.high}) + "], [" + list({r.other.low, r.other.high}) +
         "]]> : tensor<3x2xi64>}> ({\n  ^bb0(%a: " + scalar + ", %b: " + scalar +
         "):\n    %s = stablehlo." + r.body + " %a, %b : " + scalar +
         "\n    stablehlo.return %s : " + scalar + "\n  }) : (" + type_text(base, r.element) +
         ", " + scalar + ") -> " + type_text(out, r.element) +
         "\n  return %0 : " + type_text(out, r.element) + "\n}\n";
}

/// Scans gather totals.
int64_t totals_of(const Window& window) { return scan_of(window) != partitioning::Scan::None; }

}  // namespace

TEST_CASE("window reductions over sharded dims exchange halos", "[checking][windows]") {
  Sample sample(50);
  for_windows(9, 5, 3, [&](const Window& window) {
    for (const int64_t devices : kMeshes) {
      for (const std::string body : {"add", "maximum"}) {
        if (!sample.next()) continue;
        const Reduction reduction{
            .devices = devices, .window = window, .body = body, .axes = mesh_axes(devices)};
        check_native(text_of(reduction), totals_of(window));
      }
    }
  });
}

TEST_CASE("window reductions are sharded in two dims", "[checking][windows]") {
  const std::vector<Window> others = {
      {{.size = 2, .stride = 2}, 5},
      {{.size = 2, .base_dilation = 2, .low = 1, .high = 1}, 3},
      {{.size = 3, .stride = 2, .base_dilation = 3, .window_dilation = 2, .low = 2, .high = 1}, 6}};
  Sample sample(20);
  for_windows(6, 3, 2, [&](const Window& window) {
    for (const Window& other : others) {
      if (!sample.next()) continue;
      check_native(text_of(Reduction{.devices = 22,
                                     .window = window,
                                     .other = other,
                                     .axes = "\"x\"",
                                     .other_axes = "\"y\""}),
                   totals_of(window) + totals_of(other));
    }
  });
}

// Spec: partitioning 8.11.
TEST_CASE("scans of sharded dims exchange totals", "[checking][windows]") {
  struct Body {
    std::string name, element, init;
  };
  const std::vector<Body> bodies = {{"add", "i32", "0"},
                                    {"add", "f32", "0.0"},
                                    {"add", "f32", "-0.0"},
                                    {"add", "f32", "1.0"},
                                    {"multiply", "i32", "1"},
                                    {"multiply", "i32", "2"},
                                    {"maximum", "f32", "0.0"},
                                    {"minimum", "i32", "1"},
                                    {"and", "i1", "true"},
                                    {"or", "i1", "false"},
                                    {"xor", "i32", "0"},
                                    {"xor", "i32", "5"},
                                    {"maximum", "f32", "0xFF800000"}};
  const Window pass{{}, 2};
  const Window pairs{{.size = 2, .high = 1}, 5};
  const Window sums{{.size = 5, .high = 4}, 5};
  Sample sample(2);
  for (const int64_t devices : kMeshes) {
    for (const Body& body : bodies) {
      for (int64_t base = 1; base <= 9; ++base) {
        for (const int64_t more : {0, 2}) {
          for (const bool is_forward : {true, false}) {
            const int64_t reach = base + more - 1;
            Window window{{.size = base + more}, base};
            (is_forward ? window.low : window.high) = reach;
            for (const Window& other : {pass, pairs, sums}) {
              const bool is_split = devices == 22 && other.base > 2;
              if (!sample.next()) continue;
              const std::string text =
                  text_of(Reduction{.devices = devices,
                                    .window = window,
                                    .body = body.name,
                                    .element = body.element,
                                    .init = body.init,
                                    .other = other,
                                    .axes = is_split ? "\"x\"" : mesh_axes(devices),
                                    .other_axes = is_split ? "\"y\"" : ""});
              check_native(text, is_split ? 2 : 1);
            }
          }
        }
      }
    }
  }
}

TEST_CASE("a window reduction of several operands is sharded like one of a single operand",
          "[checking][windows]") {
  Sample sample(3);
  for (const int64_t devices : kMeshes) {
    for (int64_t base = 2; base <= 9; ++base) {
      for (int64_t low = 0; low <= base - 1; ++low) {
        const Window window{{.size = low + 1, .low = low}, base};
        if (!sample.next()) continue;
        const TestDims dims = {{base, mesh_axes(devices)}, {2, ""}};
        const std::string f = value_text(dims);
        const std::string i = value_text(dims, "i32");
        check_native(mesh_text(devices) + "func.func @main(%x: " + f + ", %y: " + i + ") -> (" + f +
                     ", " + i + R"() {
  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %n = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = "stablehlo.reduce_window"(%x, %y, %z, %n) <{window_dimensions = array<i64: )" +
                     list({window.size, 1}) + ">, padding = dense<[[" + list({low, 0}) +
                     R"(], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
    %p = stablehlo.compare GE, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %s = stablehlo.select %p, %a, %c : tensor<i1>, tensor<f32>
    %t = stablehlo.select %p, %b, %d : tensor<i1>, tensor<i32>
    stablehlo.return %s, %t : tensor<f32>, tensor<i32>
  }) : ()" + type_text(dims) +
                     ", " + type_text(dims, "i32") + ", tensor<f32>, tensor<i32>) -> (" +
                     type_text(dims) + ", " + type_text(dims, "i32") + ")\n  return %0#0, %0#1 : " +
                     type_text(dims) + ", " + type_text(dims, "i32") + "\n}\n");
      }
    }
  }
}

// ---- Selections ------------------------------------------------------------------------------

namespace {

/// A select_and_scatter along dims 1 and 2 of three.
struct Selection {
  int64_t devices = 2;
  Window window;
  Window other = {{}, 2};
  std::string axes = {};
  std::string other_axes = {};
  std::string init = "0.0";
  std::string body = "add";
};

std::string text_of(const Selection& s) {
  const TestDims base = {{2, ""}, {s.window.base, s.axes}, {s.other.base, s.other_axes}};
  const TestDims source = {{2, ""}, {s.window.count(), s.axes}, {s.other.count(), s.other_axes}};
  const auto array = [&](const std::string& name, int64_t Window::*member) {
    return name + " = array<i64: " + list({1, s.window.*member, s.other.*member}) + ">, ";
  };
  return mesh_text(s.devices) + "func.func @main(%x: " + value_text(base) +
         ", %s: " + value_text(source) + ") -> (" + value_text(base) +
         ") {\n  %z = stablehlo.constant dense<" + s.init +
         "> : tensor<f32>\n  %0 = \"stablehlo.select_and_scatter\"(%x, %s, %z) <{" +
         array("window_dimensions", &Window::size) + array("window_strides", &Window::stride) +
         "padding = dense<[[0, 0], [" + list({s.window.low, s.window.high}) + "], [" +
         list({s.other.low, s.other.high}) + R"(]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.)" +
         s.body + R"( %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : ()" +
         type_text(base) + ", " + type_text(source) + ", tensor<f32>) -> " + type_text(base) +
         "\n  return %0 : " + type_text(base) + "\n}\n";
}

}  // namespace

TEST_CASE("select_and_scatter over sharded dims updates the shard that has the selected element",
          "[checking][windows]") {
  Sample sample(8);
  for (int64_t base = 1; base <= 9; ++base) {
    for (int64_t size = 1; size <= 4; ++size) {
      for (int64_t stride = 1; stride <= 4; ++stride) {
        for (int64_t low = -1; low <= 3; ++low) {
          for (int64_t high = -1; high <= 3; ++high) {
            const Window window{{.size = size, .stride = stride, .low = low, .high = high}, base};
            for (const int64_t devices : kMeshes) {
              if (window.count() == 0 || !sample.next()) continue;
              check_native(text_of(
                  Selection{.devices = devices, .window = window, .axes = mesh_axes(devices)}));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("select_and_scatter is sharded in two dims and folds in the order of the windows",
          "[checking][windows]") {
  const std::vector<Window> others = {{{.size = 2, .stride = 2}, 4},
                                      {{.size = 3, .low = 1, .high = 1}, 5},
                                      {{.size = 2, .stride = 1}, 3}};
  Sample sample(4);
  for (int64_t base = 1; base <= 6; ++base) {
    for (int64_t size = 1; size <= 3; ++size) {
      for (int64_t stride = 1; stride <= 3; ++stride) {
        for (int64_t low = 0; low <= 2; ++low) {
          for (const Window& other : others) {
            const Window window{{.size = size, .stride = stride, .low = low}, base};
            for (const std::string body : {"add", "subtract"}) {
              if (window.count() == 0 || !sample.next()) continue;
              for (const bool is_sharded : {true, false}) {
                check_native(text_of(Selection{.devices = 22,
                                               .window = window,
                                               .other = other,
                                               .axes = "\"x\"",
                                               .other_axes = is_sharded ? "\"y\"" : "",
                                               .init = "1.0",
                                               .body = body}));
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace window_ops_test
