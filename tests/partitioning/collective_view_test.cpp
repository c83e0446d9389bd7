// Computes the bytes that collectives send from the descriptions of the collectives. Spec:
// partitioning 11.9, resharding C.1.
#include "partitioning/collective_view.hpp"

#include <cstdint>
#include <vector>

#include "shardy/algebra/text.hpp"
#include "support/catch.hpp"

using namespace shardy;
using namespace shardy::partitioning;

namespace collective_view_test {
namespace {

using Numbers = std::vector<int64_t>;

const Mesh& mesh() {
  static const Mesh kMesh = parse_mesh(R"(<["x"=2, "y"=3]>)").value();  // device 3x + y
  return kMesh;
}

/// A collective of 10 bytes per device along "y", in groups of 3 devices.
CollectiveView along_y(ExchangePattern exchange) {
  CollectiveView view;
  view.exchange = exchange;
  view.bytes = 10;
  view.mesh = mesh();
  view.axes = {{1, 1, 3}};
  view.devices = 3;
  return view;
}

}  // namespace

TEST_CASE("each device of a group of three sends a third, rounded up",
          "[partitioning][collective]") {
  struct Row {
    ExchangePattern exchange;
    int64_t bytes;
  };
  const std::vector<Row> rows = {
      {ExchangePattern::AllGather, 20},     // 10 to two others
      {ExchangePattern::AllReduce, 14},     // 2 * 10 * 2/3 = 13.3
      {ExchangePattern::ReduceScatter, 7},  // 10 * 2/3 = 6.7
      {ExchangePattern::AllToAll, 7},
  };
  for (const Row& row : rows) {
    const CollectiveView view = along_y(row.exchange);
    CAPTURE(static_cast<int>(row.exchange));
    CHECK(most_sent(view) == row.bytes);
    CHECK(sent_bytes(view).each == row.bytes);
    CHECK(sent_bytes(view).more.empty());
  }
}

TEST_CASE("the root of a broadcast sends, and the root of a reduction receives",
          "[partitioning][collective]") {
  CollectiveView view = along_y(ExchangePattern::Broadcast);
  view.groups = {{1, 0, 2}, {4, 3, 5}};  // roots first
  CHECK(sent_bytes(view).more == Numbers{0, 20, 0, 0, 20, 0});
  CHECK(most_sent(view) == 20);
  view.exchange = ExchangePattern::Reduce;
  CHECK(sent_bytes(view).more == Numbers{10, 0, 10, 10, 0, 10});
  CHECK(most_sent(view) == 10);
}

TEST_CASE("the traffic of groups of unequal sizes depends on the size of each group",
          "[partitioning][collective]") {
  CollectiveView view = along_y(ExchangePattern::AllGather);
  view.groups = {{0}, {1, 2}, {3, 4, 5}};
  CHECK(sent_bytes(view).more == Numbers{0, 10, 10, 20, 20, 20});
  CHECK(most_sent(view) == 20);
}

TEST_CASE("a permute counts traffic on the axes along which its messages travel",
          "[partitioning][collective]") {
  CollectiveView view = along_y(ExchangePattern::Permute);
  // 0 -> 1 goes along "y", 0 -> 3 and 1 -> 4 go along "x", and 3 -> 1 goes along both axes. Device
  // 2 keeps its data.
  view.pairs = {{0, 1}, {0, 3}, {1, 4}, {3, 1}, {2, 2}};
  CHECK(sent_bytes(view).more == Numbers{20, 10, 0, 10});
  CHECK(sent_along(view, 0, 10).more == Numbers{10, 10, 0, 10});
  CHECK(sent_along(view, 1, 10).more == Numbers{10, 0, 0, 10});
  CHECK(most_sent(view) == 20);
}

TEST_CASE("a shift by zero or by at least the group size sends nothing",
          "[partitioning][collective]") {
  CollectiveView view = along_y(ExchangePattern::Permute);
  ir::PermuteMap map;
  map.kind = ir::PermuteMap::Kind::Shift;
  view.map = &map;
  for (const int64_t distance : {-3, 0, 3}) {
    map.numbers = {distance};
    CHECK(most_sent(view) == 0);
  }
  for (const int64_t distance : {-2, 1, 2}) {
    map.numbers = {distance};
    CHECK(most_sent(view) == 10);
  }
  map.kind = ir::PermuteMap::Kind::Rotate;
  map.numbers = {3};
  CHECK(most_sent(view) == 0);
  map.numbers = {4};
  CHECK(most_sent(view) == 10);
}

TEST_CASE("bytes of several executions add up per device", "[partitioning][collective]") {
  SentBytes sent{5, {0, 7}};
  sent.add({2, {1, 0, 4}}, 3);
  CHECK(sent.each == 11);                 // 5 + 3 * 2
  CHECK(sent.more == Numbers{3, 7, 12});  // {0, 7} + 3 * {1, 0, 4}
  CHECK(sent.most() == 23);
}

}  // namespace collective_view_test
