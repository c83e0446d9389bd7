// Splits, merges and moved boundaries of sharded dims. The elements must stay equal, and only the
// elements that change their device may be sent. Spec: partitioning 5.5, 8.3.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "checking/window_programs.hpp"

using namespace shardy;
using namespace shardy_test;

namespace reshape_ops_test {
namespace {

using Dims = std::vector<int64_t>;

/// One side of a reshape: its dims, and the axes that shard them.
struct Side {
  Dims dims;
  std::vector<std::string> axes;  // axes of each dim, as text
};

std::string type_of(const Dims& dims) {
  std::string text = "tensor<";
  for (const int64_t dim : dims) text += std::to_string(dim) + "x";
  return text + "i32>";
}

std::string value_of(const Side& side) {
  std::string lists;
  for (const std::string& axes : side.axes) lists += (lists.empty() ? "{" : ", {") + axes + "}";
  return type_of(side.dims) + " {sdy.sharding = #sdy.sharding<@mesh, [" + lists + "]>}";
}

std::string reshape(const std::string& mesh, const Side& from, const Side& to) {
  return "sdy.mesh @mesh = <" + mesh + ">\nfunc.func @main(%x: " + value_of(from) + ") -> (" +
         value_of(to) + ") {\n  %0 = stablehlo.reshape %x : (" + type_of(from.dims) + ") -> " +
         type_of(to.dims) + "\n  return %0 : " + type_of(to.dims) + "\n}\n";
}

int64_t up(int64_t size, int64_t parts) { return (size + parts - 1) / parts; }

/// The elements of a flat dim of `size` that a device receives at most, found by enumeration. Each
/// of `shards` devices has `have` consecutive elements and needs `want` elements.
struct Exchange {
  int64_t size, shards, have, want;

  /// Returns the number of elements from neighbours.
  int64_t halos() const {
    int64_t before = 0;
    int64_t after = 0;
    for (int64_t shard = 0; shard < shards && shard * want < size; ++shard) {
      before = std::max(before, shard * have - shard * want);
      after = std::max(after, std::min((shard + 1) * want, size) - (shard + 1) * have);
    }
    return before + after;
  }
  int64_t everything() const { return (shards - 1) * have; }
  int64_t least() const { return std::min(halos(), everything()); }
};

struct Case {
  Side from, to;
  Exchange exchange;
  int64_t rest = 1;  // number of elements that move with each element
};

/// Shards the first dim larger than 1 on both sides along the axes of a mesh.
std::vector<Case> cases(const std::string& axes, int64_t shards) {
  std::vector<Case> all;
  const auto add = [&](const Dims& from, const Dims& to) {
    Case each{{from, {}}, {to, {}}, {}, 1};
    const auto shard_first_dim = [&](Side& side) {
      side.axes.assign(side.dims.size(), "");
      const auto first = std::ranges::find_if(side.dims, [](int64_t dim) { return dim > 1; });
      if (first != side.dims.end()) {
        side.axes[static_cast<std::size_t>(first - side.dims.begin())] = axes;
      }
      return first == side.dims.end() ? 1 : *first;
    };
    const int64_t in = shard_first_dim(each.from);
    const int64_t out = shard_first_dim(each.to);
    int64_t size = 1;
    for (const int64_t dim : from) size *= dim;
    each.exchange = {size, shards, up(in, shards) * (size / in), up(out, shards) * (size / out)};
    all.push_back(each);
    // A dim of another group moves along unchanged.
    for (Side* side : {&each.from, &each.to}) {
      side->dims.push_back(3);
      side->axes.emplace_back();
    }
    each.rest = 3;
    all.push_back(each);
  };
  for (int64_t a = 1; a <= 9; ++a) {
    for (int64_t b = 2; b <= 5; ++b) {
      if (a * b < 2) continue;
      add({a, b}, {a * b});
      add({a * b}, {a, b});
      add({a, 1, b}, {1, a * b});
      for (int64_t c = 2; c <= 9; ++c) {
        if (c != a && a * b % c == 0 && a * b / c > 1) add({a, b}, {c, a * b / c});
      }
    }
  }
  return all;
}

void check_case(const std::string& mesh, const Case& each) {
  const std::string text = reshape(mesh, each.from, each.to);
  INFO(text);
  const checking::CheckReport report = run_checked(text);
  INFO(text::to_mlir(report.compiled.program));
  const int64_t most = each.exchange.least() * each.rest * 4;
  for (const simulation::DeviceAccount& device : report.sharded.devices) {
    int64_t sent = 0;
    for (const auto& [kind, traffic] : device.traffic) sent += traffic.bytes_sent;
    CHECK(sent <= most);
    const bool gathers = device.traffic.contains(ir::OpKind::SpmdAllGather);
    CHECK((!gathers || each.exchange.everything() <= each.exchange.halos()));
  }
}

struct MeshRow {
  const char* mesh;
  const char* axes;
  int64_t shards;
};

}  // namespace

TEST_CASE("splits and merges of dims send only the elements that change their device",
          "[reshape][differential]") {
  Sample sample(6);
  for (const MeshRow& row :
       {MeshRow{R"(["x"=2])", R"("x")", 2}, MeshRow{R"(["x"=3])", R"("x")", 3},
        MeshRow{R"(["x"=4])", R"("x")", 4}, MeshRow{R"(["x"=2, "y"=2])", R"("x", "y")", 4},
        MeshRow{R"(["x"=4, "y"=3])", R"("x":(2)2, "y")", 6}}) {
    for (const Case& each : cases(row.axes, row.shards)) {
      if (sample.next()) check_case(row.mesh, each);
    }
  }
}

TEST_CASE("splitting a dim into one-element shards and a sharded dim exchanges in flat order",
          "[reshape][differential]") {
  Sample sample(2);
  for (int64_t minor = 2; minor <= 9; ++minor) {
    for (const int64_t rest : {1, 3}) {
      const Side whole{{2 * minor, rest}, {R"("x", "y")", ""}};
      const Side split{{2, minor, rest}, {R"("x")", R"("y")", ""}};
      for (const auto& [from, to] : {std::pair(whole, split), std::pair(split, whole)}) {
        if (!sample.next()) continue;
        const std::string text = reshape(R"(["x"=2, "y"=2])", from, to);
        const checking::CheckReport report = run_checked(text);
        INFO(text);
        INFO(text::to_mlir(report.compiled.program));
        // The uneven shards of the second kind are not contiguous.
        const bool is_tiling = from.dims.size() == 2 || minor % 2 == 0;
        CHECK((!is_tiling || report.compiled.notes.empty() ||
               report.compiled.notes[0].reason == "halos would not send fewer bytes"));
      }
    }
  }
}

TEST_CASE("splits and merges of 8 shards send the listed bytes", "[reshape][traffic]") {
  struct Row {
    const char* name;
    Side from, to;
    Sent sent;
  };
  const std::string x = R"("x")";
  const std::vector<Row> rows = {
      {"even merge", {{8, 3}, {x, ""}}, {{24}, {x}}, {}},
      {"even split", {{24}, {x}}, {{8, 3}, {x, ""}}, {}},
      // Each device has 4 elements and needs 3. The permutes move 1 element at a time, to even and
      // to odd receivers. The device that has [20, 24) sends all its elements.
      {"uneven merge", {{12, 2}, {x, ""}}, {{24}, {x}}, {{kPermute, {6, 4 * 4}}}},
      // Each device has 3 elements, and the first six devices need 4. The permutes move 1 element
      // at a time. The last device sends its elements [21, 24).
      {"uneven split", {{24}, {x}}, {{12, 2}, {x, ""}}, {{kPermute, {4, 4 * 3}}}},
      {"moved boundary", {{8, 6}, {x, ""}}, {{16, 3}, {x, ""}}, {}},
      // Each device has 8 elements, and the first six devices need 6. The last of these needs [30,
      // 36), 10 elements before its own.
      {"uneven moved boundary", {{9, 4}, {x, ""}}, {{12, 3}, {x, ""}}, {{kPermute, {2, 4 * 10}}}},
      {"another dim moves along",
       {{12, 2, 5}, {x, "", ""}},
       {{24, 5}, {x, ""}},
       {{kPermute, {6, 4 * 5 * 4}}}},
      // Each device has 125 columns, and the first five devices need 200. The permutes move 25
      // columns at a time. No device sends more than it has.
      {"far split",
       {{2, 1000}, {"", x}},
       {{2, 10, 100}, {"", x, ""}},
       {{kPermute, {8, 4 * 2 * 125}}}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const std::string text = reshape(R"(["x"=8])", row.from, row.to);
    const checking::CheckReport report = run_checked(text);
    INFO(text::to_mlir(report.compiled.program));
    CHECK(report.compiled.notes.empty());
    CHECK(to_text(most_sent(report)) == to_text(row.sent));
  }
}

}  // namespace reshape_ops_test
