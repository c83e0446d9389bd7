// Ranks must agree on a deadlock. The tests send the packets one by one in all orders of arrival.
#include "simulation/rank_failure.hpp"

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using namespace shardy;
using simulation::ByteReader;
using simulation::ByteWriter;
using simulation::Incoming;
using simulation::PacketKind;
using simulation::RankFailure;
using simulation::RankLink;
using simulation::ValueCounts;

namespace rank_failure_test {
namespace {

/// Rank 0 with its end of the network, and the link of rank 1, whose part the test plays.
struct TwoRanks {
  std::vector<std::unique_ptr<simulation::Transport>> transports = simulation::thread_transports(2);
  simulation::RankOptions options;
  simulation::Program program;
  RankLink link{*transports[0], options, 1};
  RankLink other{*transports[1], options, 1};
  RankFailure end{program, link, 2, [] { return std::vector<simulation::PackedDeviceState>(); }};

  TwoRanks() {
    std::thread greets([&] { static_cast<void>(other.agree()); });
    const Status agreed = link.agree();
    greets.join();
    REQUIRE(agreed);
  }

  void report_idle(int64_t round, const ValueCounts& counts) {
    ByteWriter out;
    out.number(round).number(counts.sent).number(counts.taken);
    other.send(0, PacketKind::Idle, out.bytes());
  }
  void answer(int64_t round, bool is_idle, const ValueCounts& counts) {
    ByteWriter out;
    out.number(round).number(is_idle ? 1 : 0).number(counts.sent).number(counts.taken).number(0);
    other.send(0, PacketKind::DeviceState, out.bytes());
  }
  /// Rank 0, which is idle, receives all packets that have arrived.
  void take_all() {
    link.pulse();
    while (const auto incoming = link.receive()) end.take(*incoming, true, {0, 0});
  }
  /// Returns the number of the question that rank 1 is asked; 0 if rank 1 is asked nothing.
  int64_t asked() {
    other.pulse();
    const auto incoming = other.receive();
    if (!incoming || incoming->header.kind != PacketKind::Probe) return 0;
    return ByteReader(incoming->payload()).number();
  }
};

}  // namespace

TEST_CASE("a run ends if no rank made progress since the query", "[ranks][end]") {
  TwoRanks ranks;
  ranks.end.idle({0, 0});
  ranks.report_idle(0, {0, 0});
  ranks.take_all();
  REQUIRE(ranks.asked() == 1);
  ranks.answer(1, true, {0, 0});
  ranks.take_all();
  CHECK(ranks.end.is_over());
  CHECK(ranks.end.outcome());
}

TEST_CASE("a rank may report that it is idle again before its reply arrives", "[ranks][end]") {
  TwoRanks ranks;
  ranks.end.idle({0, 0});
  ranks.report_idle(0, {0, 0});
  ranks.take_all();
  REQUIRE(ranks.asked() == 1);
  ranks.report_idle(1, {0, 0});
  ranks.answer(1, false, {0, 0});
  ranks.take_all();
  REQUIRE_FALSE(ranks.end.is_over());
  REQUIRE(ranks.asked() == 2);
  ranks.answer(2, true, {0, 0});
  ranks.take_all();
  CHECK(ranks.end.is_over());
}

TEST_CASE("a rank that made progress is queried again only after it reports", "[ranks][end]") {
  TwoRanks ranks;
  ranks.end.idle({0, 0});
  ranks.report_idle(0, {0, 0});
  ranks.take_all();
  REQUIRE(ranks.asked() == 1);
  ranks.answer(1, false, {0, 0});
  ranks.take_all();
  CHECK(ranks.asked() == 0);
  // One answer belongs to no question, and one to another question.
  ranks.answer(1, true, {0, 0});
  ranks.answer(7, true, {0, 0});
  ranks.take_all();
  CHECK_FALSE(ranks.end.is_over());
  CHECK(ranks.asked() == 0);
  ranks.report_idle(1, {0, 0});
  ranks.take_all();
  CHECK(ranks.asked() == 2);
}

}  // namespace rank_failure_test
