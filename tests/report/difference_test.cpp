#include <string>

#include "shardy/report/report.hpp"
#include "support/catch.hpp"

using namespace shardy::report;

namespace difference_test {
namespace {

Collective gather(std::string axes, int64_t count, int64_t bytes) {
  return {.op = {},
          .kind = "spmd.all_gather",
          .axes = std::move(axes),
          .type = "tensor<4xf32>",
          .serves = "stablehlo.add",
          .location = "1:1",
          .times = {.count = count},
          .bytes = bytes};
}

ReportedValue value(std::string made_by, std::string sharding) {
  return {.made_by = std::move(made_by),
          .location = "1:1",
          .type = "tensor<4xf32>",
          .sharding = std::move(sharding),
          .local_type = {}};
}

TEST_CASE("a difference compares equal collectives by their total executions",
          "[report][difference]") {
  Report before;
  before.collectives = {gather("{x}", 2, 8), gather("{y}", 1, 8)};
  Report after;
  after.collectives = {gather("{x}", 1, 8), gather("{x}", 1, 8), gather("{z}", 3, 16)};
  const ReportDifference found = difference(before, after);
  REQUIRE(found.collectives.size() == 2);
  CHECK(found.collectives[0].axes == "{z}");
  CHECK(found.collectives[0].count_after == 3);
  CHECK(found.collectives[0].bytes_after == 48);
  CHECK(found.collectives[1].axes == "{y}");
  CHECK(found.collectives[1].count_before == 1);
  CHECK(found.collectives[1].count_after == 0);
}

TEST_CASE("a difference matches the n-th values of the same origin", "[report][difference]") {
  Report before;
  before.values = {value("a", "1"), value("b", "1"), value("a", "2"), value("c", "1")};
  Report after;
  after.values = {value("a", "1"), value("a", "3"), value("b", "1"), value("a", "4")};
  const ReportDifference found = difference(before, after);
  REQUIRE(found.shardings.size() == 1);
  CHECK(found.shardings[0].before == "2");
  CHECK(found.shardings[0].after == "3");
  CHECK(found.values_before == 1);
  CHECK(found.values_after == 1);
}

TEST_CASE("a difference is worse if it sends more, takes longer or holds more",
          "[report][difference]") {
  ReportDifference found;
  found.before = found.after = {.bytes = 100, .seconds = 1, .peak_bytes = 1000};
  CHECK_FALSE(found.is_worse());
  found.after.count = 9;
  found.after.operations = 9;
  CHECK_FALSE(found.is_worse());
  found.after.bytes = 110;
  CHECK(found.is_worse());
  CHECK_FALSE(found.is_worse(0.2));
  found.after = found.before;
  found.after.peak_bytes = 1001;
  CHECK(found.is_worse());
  found.after = found.before;
  found.after.seconds = 1.5;
  CHECK(found.is_worse(0.4));
  found.before.bytes = 0;
  found.after = found.before;
  found.after.bytes = 1;
  CHECK(found.is_worse(100));
}

}  // namespace

}  // namespace difference_test
