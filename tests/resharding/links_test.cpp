#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <shardy/resharding/cost.hpp>
#include <shardy/resharding/detail/axis_lists.hpp>
#include <shardy/resharding/detail/links.hpp>
#include <string>
#include <utility>
#include <vector>

#include "resharding/sharding_reader.hpp"
#include "resharding/sharding_space.hpp"
#include "support/catch.hpp"

namespace shardy::testing::links_test {
namespace {

using links::Links;
using Shape = std::vector<int64_t>;

/// One byte a second, so that times are loads, and a message takes no time.
CostModel unit_model(Topology topology) {
  return {.other = {.topology = topology, .bytes_per_second = 1}, .axes = {}};
}

double seconds(const links::Exchange& exchange) { return exchange.time / links::kFemtoseconds; }

/// The busiest directed link of a chain of `size` devices when each sends so many bytes to others.
/// Routed link by link, the shorter way, half each way where both are as long.
double busiest(int64_t size, Topology topology,
               const std::map<std::pair<int64_t, int64_t>, double>& flows) {
  std::map<std::pair<int64_t, int64_t>, double> loads;  // by the device that sends, and the way
  const auto walk = [&](int64_t from, int64_t to, int64_t direction, double bytes) {
    for (int64_t at = from; at != to; at = (at + direction + size) % size) {
      loads[{at, direction}] += bytes;
    }
  };
  for (const auto& [ends, bytes] : flows) {
    const auto [from, to] = ends;
    const int64_t up = (to - from + size) % size;
    if (topology == Topology::Line) {
      walk(from, to, to > from ? 1 : -1, bytes);
    } else if (topology == Topology::Ring || 2 * up < size) {
      walk(from, to, 1, bytes);
    } else if (2 * up > size) {
      walk(from, to, -1, bytes);
    } else {
      walk(from, to, 1, bytes / 2);
      walk(from, to, -1, bytes / 2);
    }
  }
  double most = 0;
  for (const auto& [link, load] : loads) most = std::max(most, load);
  return most;
}

// Spec: resharding C.1: the flows are the definition, closed forms their results.
TEST_CASE("the load of links in an all_to_all equals the sum of its flows",
          "[resharding][links][law]") {
  for (const Topology topology : {Topology::Ring, Topology::BidirectionalRing, Topology::Line}) {
    for (const int64_t size : {2, 3, 4, 5, 6, 8, 9, 12}) {
      for (int64_t pre = 1; pre <= size; ++pre) {
        for (int64_t part = 2; part * pre <= size; ++part) {
          if (size % (pre * part) != 0) continue;
          // Parts that are not major go along a line, also where there is one direction.
          const Topology kind = pre > 1 ? Topology::Line : topology;
          const int64_t stride = size / (pre * part);
          std::map<std::pair<int64_t, int64_t>, double> flows;
          for (int64_t from = 0; from < size; ++from) {
            for (int64_t to = 0; to < size; ++to) {
              const bool same_group =
                  from % stride == to % stride && from / stride / part == to / stride / part;
              if (same_group && from != to) flows[{from, to}] += 1;
            }
          }
          const AxisList axes = {{0, pre, part}};
          const Links links(make_mesh({size}), unit_model(topology));
          CAPTURE(to_string(topology), size, pre, part);
          CHECK(std::abs(seconds(links.all_to_all(static_cast<double>(part), axes)) -
                         busiest(size, kind, flows)) < 1e-9);
        }
      }
    }
  }
}

TEST_CASE("the load of links in a permute equals the sum of its flows",
          "[resharding][links][law]") {
  for (const Topology topology : {Topology::Ring, Topology::BidirectionalRing, Topology::Line}) {
    for (const int64_t size : {4, 6, 8}) {
      const Mesh mesh = make_mesh({size});
      for (const int64_t shift : {1, 2, 3}) {
        Shape ids;
        for (int64_t device = 0; device < size; ++device) ids.push_back((device + shift) % size);
        const TensorSharding from = TensorSharding::closed({mesh, "m"}, {{mesh.full_axis(0)}});
        const TensorSharding to = from.with_mesh({make_mesh({size}, ids), "n"});
        std::map<std::pair<int64_t, int64_t>, double> flows;
        for (int64_t device = 0; device < size; ++device) {
          flows[{device, (device + shift) % size}] += 1;
        }
        CAPTURE(to_string(topology), size, shift);
        CHECK(std::abs(seconds(Links(mesh, unit_model(topology)).permute(1, from, to)) -
                       busiest(size, topology, flows)) < 1e-9);
      }
    }
  }
}

// The numbers of the orders equal those of a walk over all devices.
TEST_CASE("the axes that a permute crosses are computed without listing devices",
          "[resharding][links][law]") {
  std::size_t crossed = 0;
  for (const Shape& sizes : {Shape{4}, Shape{6}, Shape{2, 3}, Shape{2, 4}, Shape{2, 2, 3}}) {
    const std::vector<TensorSharding> all = all_shardings(make_mesh(sizes), 2);
    for (const TensorSharding& from : all) {
      for (const TensorSharding& to : all) {
        bool is_permute = can_coexist(from.ordered_axis_refs(), to.ordered_axis_refs());
        for (std::size_t dim = 0; dim < 2; ++dim) {
          is_permute = is_permute && from.dim(dim).sharded_size() == to.dim(dim).sharded_size();
        }
        if (!is_permute) continue;
        const std::vector<int32_t> axes = links::axes_crossed(permute_orders(from, to));
        CAPTURE(sizes, from, to);
        REQUIRE(axes == links::axes_crossed(from.mesh(), links::permute_targets(from, to)));
        crossed += axes.size();
      }
    }
  }
  CHECK(crossed > 100);
}

TEST_CASE("messages along two axes cross them in turn, and the busiest link decides",
          "[resharding][links]") {
  const Mesh mesh = make_mesh({4, 4});
  const TensorSharding from =
      TensorSharding::closed({mesh, "m"}, {{mesh.full_axis(0)}, {mesh.full_axis(1)}});
  const TensorSharding to =
      TensorSharding::closed({mesh, "m"}, {{mesh.full_axis(1)}, {mesh.full_axis(0)}});
  // Along the first axis device (i, j) goes to (j, j): from row 0 up three of four columns pass to
  // rows 1, 2 and 3; the same of row 3 down. Each link of a column carries what one device sends.
  // Along the second axis (j, j) sends on what came from all (i, j).
  const links::Exchange line = Links(mesh, unit_model(Topology::Line)).permute(1, from, to);
  CHECK(line.time / links::kFemtoseconds == 3);
  CHECK(line.messages == 6);
  CHECK(seconds(Links(mesh, unit_model(Topology::Full)).permute(1, from, to)) == 1);
}

// Spec: resharding C.1, the table.
TEST_CASE("gathers and reductions have the cost of the table", "[resharding][links]") {
  const Mesh mesh = make_mesh({8});
  const AxisList axis = {mesh.full_axis(0)};
  struct Row {
    Topology topology;
    double gather;  // b = 8
    double scatter;
    int64_t messages;  // of either
    int64_t exchanges;
  };
  for (const Row& row :
       {Row{Topology::Full, 56, 7, 1, 1}, Row{Topology::Ring, 56, 7, 7, 7},
        Row{Topology::BidirectionalRing, 28, 3.5, 4, 4}, Row{Topology::Line, 56, 7, 7, 7}}) {
    const Links links(mesh, unit_model(row.topology));
    CAPTURE(to_string(row.topology));
    CHECK(seconds(links.all_gather(8, axis)) == row.gather);
    CHECK(links.all_gather(8, axis).messages == row.messages);
    CHECK(seconds(links.reduce_scatter(8, axis)) == row.scatter);
    CHECK(seconds(links.all_reduce(8, axis)) == 2 * row.scatter);
    CHECK(links.all_reduce(8, axis).messages == 2 * row.messages);
    CHECK(links.all_to_all(8, axis).messages == row.exchanges);
    CHECK(links.all_gather(8, axis).bytes == 56);
    CHECK(links.all_to_all(8, axis).bytes == 7);
  }
}

TEST_CASE("a direct exchange over two networks takes the time of the slower network",
          "[resharding][links]") {
  const Mesh mesh = make_mesh({2, 4});
  CostModel model = unit_model(Topology::Full);
  model.axes.push_back({"b", {.topology = Topology::Full, .bytes_per_second = 4}});
  const Links links(mesh, model);
  const AxisList both = {mesh.full_axis(0), mesh.full_axis(1)};
  // To 4 of 8 members over the slow one, to 3 over the fast one.
  CHECK(seconds(links.all_to_all(8, both)) == 4);
  CHECK(seconds(links.all_gather(8, both)) == 32);
  CHECK(seconds(links.all_to_all(8, AxisList{mesh.full_axis(1)})) == 1.5);
}

TEST_CASE("a gather over two axes runs axis by axis, minor axis first", "[resharding][links]") {
  const Mesh mesh = make_mesh({2, 4});
  const Links links(mesh, unit_model(Topology::Ring));
  std::vector<double> loads(2);
  const AxisList axes = {mesh.full_axis(0), mesh.full_axis(1)};
  CHECK(seconds(links.all_gather(1, axes, &loads)) == 7);
  CHECK(loads == std::vector<double>{4, 3});
  loads = {0, 0};
  const AxisList swapped = {mesh.full_axis(1), mesh.full_axis(0)};
  CHECK(seconds(links.all_gather(1, swapped, &loads)) == 7);
  CHECK(loads == std::vector<double>{1, 6});
}

TEST_CASE("costs of axes are parsed and printed", "[resharding][cost_text]") {
  const CostModel model =
      parse_cost_model("x=ring:100GB/s:1us, y = biring:2.5TB/s ,z=line, *=full:64GiB/s:250ns")
          .value();
  CHECK(model.of("x") == AxisCost{Topology::Ring, 100e9, 1e-6});
  CHECK(model.of("y") == AxisCost{Topology::BidirectionalRing, 2.5e12, 0});
  CHECK(model.of("z") == AxisCost{Topology::Line, 100e9, 0});
  CHECK(model.of("w").topology == Topology::Full);
  CHECK(model.of("w").bytes_per_second == 64.0 * 1024 * 1024 * 1024);
  CHECK(model.of("w").latency_seconds == 250 * 1e-9);
  CHECK(parse_cost_model(" ").value() == CostModel());
  for (const char* text : {"x=ring:100GB/s:1us", "x=full:3.35TB/s:700ns,y=line:1B/s:0ns",
                           "a=biring:12.5kB/s:2ms,*=ring:1MB/s:3s"}) {
    CHECK(to_string(parse_cost_model(text).value()) == text);
  }
}

TEST_CASE("invalid costs of axes are errors", "[resharding][cost_text][error]") {
  const auto message = [](const char* text) {
    return shardy_test::message_of(parse_cost_model(text));
  };
  CHECK(message("x") == "expected AXIS=LINKS:BANDWIDTH:TIME, got: x");
  CHECK(message("x=ring,") == "expected AXIS=LINKS:BANDWIDTH:TIME, got: ");
  CHECK(message("x=mesh") == "expected full, ring, biring or line, got: mesh");
  CHECK(message("x=ring:100") == "expected a bandwidth like 100GB/s, got: 100");
  const std::string range = "expected a bandwidth from 1B/s to 1e21GB/s, got: ";
  CHECK(message("x=ring:1e-300GB/s") == range + "1e-300GB/s");
  CHECK(message("x=ring:1e22GB/s") == range + "1e22GB/s");
  CHECK(message("x=ring:1GB/s:1e10s") == "expected a time up to 1e9s, got: 1e10s");
  CHECK(message("x=ring:0GB/s") == "expected a bandwidth like 100GB/s, got: 0GB/s");
  CHECK(message("x=ring:-1GB/s") == "expected a bandwidth like 100GB/s, got: -1GB/s");
  CHECK(message("x=ring:infGB/s") == "expected a bandwidth like 100GB/s, got: infGB/s");
  CHECK(message("x=ring:nanGB/s") == "expected a bandwidth like 100GB/s, got: nanGB/s");
  CHECK(message("x=ring:1GB/s:1") == "expected a time like 1us, got: 1");
  CHECK(message("x=ring:1GB/s:1us:2") == "expected LINKS:BANDWIDTH:TIME, got: ring:1GB/s:1us:2");
  CHECK(message("x=ring,x=line") == "two costs of axis x");
}

TEST_CASE("the last setting of an axis counts", "[resharding][cost_text]") {
  const CostModel mesh = parse_cost_model("x=ring:1GB/s,y=line:2GB/s").value();
  const CostModel over = merged(mesh, parse_cost_model("y=full:3GB/s").value());
  CHECK(to_string(over) == "x=ring:1GB/s:0ns,y=full:3GB/s:0ns");
  const CostModel all = merged(mesh, parse_cost_model("*=full:3GB/s").value());
  CHECK(to_string(all) == "*=full:3GB/s:0ns");
}

}  // namespace
}  // namespace shardy::testing::links_test
