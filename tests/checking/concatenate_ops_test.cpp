// Concatenations of parts of a sharded value must have the elements of the unsharded run. Each
// shard must get its elements from the devices that hold them. Spec: partitioning 5.5, 8.13.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "checking/window_programs.hpp"

using namespace shardy;
using namespace shardy_test;

namespace concatenate_ops_test {
namespace {

/// Elements [begin, end) of the argument, negated or as they are.
struct Part {
  int64_t begin = 0;
  int64_t end = 0;
  bool is_negated = false;
};

/// A concatenation of `rows` by 3 elements. Returns the result, and on request its parts.
std::string joined(int64_t mesh, int64_t rows, const std::vector<Part>& parts,
                   bool returns_parts = false) {
  const std::string axes = mesh_axes(mesh);
  const auto value = [&](int64_t size) { return value_text({{size, axes}, {3}}, "i32"); };
  const auto type = [](int64_t size) { return type_text({{size}, {3}}, "i32"); };
  std::string body, operands, types, results, more_values, more_types;
  int64_t total = 0;
  for (std::size_t index = 0; index < parts.size(); ++index) {
    const Part& part = parts[index];
    const int64_t size = part.end - part.begin;
    const std::string name = "%s" + std::to_string(index);
    body += "  " + name + " = stablehlo.slice %x [" + std::to_string(part.begin) + ":" +
            std::to_string(part.end) + ", 0:3] : (" + type(rows) + ") -> " + type(size) + "\n";
    const std::string used = part.is_negated ? "%n" + std::to_string(index) : name;
    if (part.is_negated) {
      body += "  " + used + " = stablehlo.negate " + name + " : " + type(size) + "\n";
    }
    operands += (index == 0 ? "" : ", ") + used;
    types += (index == 0 ? "" : ", ") + type(size);
    if (returns_parts) {
      results += ", " + value(size);
      more_values += ", " + used;
      more_types += ", " + type(size);
    }
    total += size;
  }
  return mesh_text(mesh) + "func.func @main(%x: " + value(rows) + ") -> (" + value(total) +
         results + ") {\n" + body + "  %0 = stablehlo.concatenate " + operands + ", dim = 0 : (" +
         types + ") -> " + type(total) + "\n  return %0" + more_values + " : " + type(total) +
         more_types + "\n}\n";
}

}  // namespace

TEST_CASE("concatenations of two slices of a sharded value have its elements",
          "[concatenate][differential]") {
  Sample sample(40);
  for (const int64_t mesh : kMeshes) {
    for (int64_t rows = 2; rows <= 9; ++rows) {
      for (int64_t a = 0; a < rows; ++a) {
        for (int64_t b = a + 1; b <= rows; ++b) {
          for (int64_t c = 0; c < rows; ++c) {
            for (int64_t d = c + 1; d <= rows; ++d) {
              if (!sample.next()) continue;
              const bool is_even = (a + b + c + d) % 2 == 0;
              run_checked(joined(mesh, rows, {{a, b, is_even}, {c, d, !is_even}}, d == rows));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("concatenations of three slices of a sharded value have its elements",
          "[concatenate][differential]") {
  Sample sample(10);
  for (const int64_t mesh : kMeshes) {
    for (int64_t rows = 3; rows <= 9; ++rows) {
      for (int64_t a = 1; a < rows - 1; ++a) {
        for (int64_t b = a + 1; b < rows; ++b) {
          for (const std::vector<Part>& parts : {std::vector<Part>{{b, rows}, {a, b, true}, {0, a}},
                                                 {{a, b}, {0, a, true}, {b, rows, true}},
                                                 {{0, a, true}, {b, rows}, {a, b}}}) {
            if (sample.next()) run_checked(joined(mesh, rows, parts));
          }
        }
      }
    }
  }
}

// The value has 64 rows of 3 numbers on 8 devices: 8 rows of 12 bytes each per device.
TEST_CASE("a ring rotation sends the rows that move", "[concatenate][traffic]") {
  for (int64_t shift = 1; shift < 64; ++shift) {
    CAPTURE(shift);
    const checking::CheckReport report = run_checked(joined(8, 64, {{shift, 64}, {0, shift}}));
    INFO(text::to_mlir(report.compiled.program));
    CHECK(shardy_test::most_bytes_sent(report.sharded) ==
          12 * std::min({shift, 64 - shift, int64_t{8}}));
    CHECK(report.compiled.notes.empty());
  }
}

TEST_CASE("an uneven ring rotation sends at most one shard and the difference of shard sizes",
          "[concatenate][traffic]") {
  for (int64_t shift = 1; shift < 61; ++shift) {  // tiles of 8, except the last one of 5
    CAPTURE(shift);
    const checking::CheckReport report = run_checked(joined(8, 61, {{shift, 61}, {0, shift}}));
    INFO(text::to_mlir(report.compiled.program));
    CHECK(shardy_test::most_bytes_sent(report.sharded) <= 12 * (8 + 3));
    CHECK(report.compiled.notes.empty());
  }
}

TEST_CASE("swapping the halves of a sharded dim sends one shard per device",
          "[concatenate][traffic]") {
  const checking::CheckReport report = run_checked(joined(8, 64, {{32, 64, true}, {0, 32}}));
  CHECK(shardy_test::most_bytes_sent(report.sharded) == 12 * 8);
  CHECK(report.compiled.notes.empty());
}

TEST_CASE("a rotation by a few rows on two devices sends only these rows",
          "[concatenate][traffic]") {
  for (int64_t shift = 1; shift < 16; ++shift) {  // 8 rows per device
    CAPTURE(shift);
    const checking::CheckReport report = run_checked(joined(2, 16, {{shift, 16}, {0, shift}}));
    INFO(text::to_mlir(report.compiled.program));
    CHECK(shardy_test::most_bytes_sent(report.sharded) == 12 * std::min(shift, 16 - shift));
  }
}

}  // namespace concatenate_ops_test
