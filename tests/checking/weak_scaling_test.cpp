// A mixture of experts on more devices with proportionally more tokens. Measures what a device and
// a rank send.
#include <set>

#include "checking/device_case.hpp"
#include "checking/rank_runs.hpp"
#include "models.hpp"
#include "shardy/report/report.hpp"
#include "support/settings.hpp"

using namespace shardy;
using simulation::RankOptions;

namespace weak_scaling_test {
namespace {

constexpr int64_t kExperts = 8;        // a replica of the experts has as many devices
constexpr int64_t kDevicesOfRank = 4;  // puts the experts of a replica on two ranks

shardy_test::DeviceCase layer(int64_t replicas) {
  auto prepared = shardy_test::device_case(examples::mixture_of_experts(replicas).value(), 5);
  REQUIRE(prepared);
  REQUIRE(prepared->num_devices == kExperts * replicas);
  return *std::move(prepared);
}

/// Returns the messages and the bytes of values that each rank sent.
std::vector<std::pair<int64_t, int64_t>> sent_by_ranks(const shardy_test::DeviceCase& prepared) {
  const auto transports = simulation::thread_transports(prepared.num_devices / kDevicesOfRank);
  RankOptions options;
  options.run.num_workers = 1;
  options.patience = std::chrono::seconds(60);
  std::vector<std::pair<int64_t, int64_t>> sent;
  for (const auto& each : shardy_test::on_ranks(transports, [&](simulation::Transport& transport) {
         return shardy_test::run_part(prepared.program, prepared.inputs, transport, options);
       })) {
    if (!each) FAIL(each.error().headline());
    sent.emplace_back(each->traffic.messages_sent, each->traffic.bytes_sent);
  }
  return sent;
}

}  // namespace

TEST_CASE("in the report a device of a mixture of experts sends as much on 8 as on 2,048 devices",
          "[ranks][law]") {
  std::set<std::pair<int64_t, int64_t>> exchanges;  // bytes and messages of all_to_all
  for (const int64_t replicas : {1, 2, 3, 8, 64, 256}) {
    CAPTURE(replicas);
    const auto compiled = checking::compile(examples::mixture_of_experts(replicas).value());
    REQUIRE(compiled.has_value());
    const report::Report costs = report::make_report(*compiled);
    REQUIRE(costs.by_kind.size() == 2);
    CHECK(costs.by_kind[0].count == 2);
    exchanges.insert({costs.by_kind[0].bytes, costs.by_kind[0].messages});
    // The loss is one number. Its all-reduce sends 2 (D - 1) / D of its four bytes.
    CHECK(costs.by_kind[1].count == 1);
    CHECK(costs.by_kind[1].bytes <= 8);
    CHECK(costs.by_kind[1].messages == 2);
  }
  CHECK(exchanges.size() == 1);
}

TEST_CASE("in a run a device of a mixture of experts sends as much on 8 as on many devices",
          "[ranks][law]") {
  for (const int64_t replicas : {1, 3, 8}) {
    CAPTURE(replicas);
    const shardy_test::DeviceCase prepared = layer(replicas);
    auto arguments = simulation::arguments_of(prepared.program, *prepared.program.main_function(),
                                              prepared.inputs, {0, prepared.num_devices});
    REQUIRE(arguments);
    const auto result = simulation::run(prepared.program, "main", *arguments);
    REQUIRE(result);
    for (const auto& device : result->devices) {
      CHECK(device.traffic.at(ir::OpKind::SpmdAllToAll) == simulation::Traffic{2, 1792});
      CHECK(device.traffic.at(ir::OpKind::SpmdAllReduce).count == 1);
      CHECK(device.traffic.at(ir::OpKind::SpmdAllReduce).bytes_sent <= 8);
    }
  }
}

TEST_CASE("a rank of a mixture of experts sends as much on 2 as on many ranks", "[ranks][law]") {
  constexpr int64_t kPath = 64;    // path bytes in front of each message
  constexpr int64_t kBlock = 128;  // from a device to a device: 4 slots of 8 f32 numbers
  constexpr int64_t kLoss = 64;    // bytes of one packed number
  constexpr int64_t kPairs = kDevicesOfRank * kDevicesOfRank;
  // SHARDY_MOE_RANKS=512 tests 2,048 devices.
  const auto most = static_cast<int64_t>(shardy_test::setting("SHARDY_MOE_RANKS", 32));
  for (int64_t ranks = 8; ranks <= most; ranks *= 2) {
    CAPTURE(ranks);
    const auto sent = sent_by_ranks(layer(ranks * kDevicesOfRank / kExperts));
    int64_t num_folders = 0;
    for (const auto& [messages, bytes] : sent) {
      // Each rank sends to the other rank of its replica and back, and sends four losses to the
      // rank that adds them up.
      const int64_t exchanged = 2 * (kPairs * kBlock + kPath);
      if (messages > 3) {
        ++num_folders;  // sends the result to all other ranks
        CHECK(messages == 2 + ranks - 1);
        CHECK(bytes == exchanged + (ranks - 1) * (kLoss + kPath));
      } else {
        CHECK(messages == 3);
        CHECK(bytes == exchanged + kDevicesOfRank * kLoss + kPath);
      }
    }
    CHECK(num_folders == 1);
  }
}

}  // namespace weak_scaling_test
