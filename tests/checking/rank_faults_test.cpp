// For each fault between ranks, all ranks must end with an error that names the fault and its
// place.
#include <chrono>
#include <string>

#include "checking/rank_runs.hpp"
#include "shardy/ir/graph_builder.hpp"
#include "shardy/text/mlir.hpp"

using namespace shardy;
using namespace std::chrono_literals;
using shardy_test::Fault;
using shardy_test::NetworkOptions;
using shardy_test::RankOutcome;
using simulation::RankOptions;
using simulation::Tensor;
using simulation::Tensors;
using simulation::Transport;

namespace rank_faults_test {
namespace {

/// Three sums, one after the other, over four devices.
constexpr const char* kSums = R"(
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<4xf32> {spmd.global_type = tensor<16xf32>, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {spmd.global_type = tensor<16xf32>, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.negate %arg0 : tensor<4xf32>
  %1 = "spmd.all_reduce"(%0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) {axes = #sdy.axis_ref_list<{"x"}>, mesh = @mesh} : (tensor<4xf32>) -> tensor<4xf32> loc("sums":5:3)
  return %1 : tensor<4xf32>
}
)";

ir::Module program_of(const std::string& text) {
  auto module = text::parse_mlir(text);
  if (!module) FAIL(text::error_text("program", text, module.error()));
  return *std::move(module);
}

Tensors sixteen() {
  std::vector<double> values(16);
  for (std::size_t index = 0; index < values.size(); ++index)
    values[index] = 0.1 * static_cast<double>(index);
  return {*Tensor::from_doubles(ir::Type::tensor({16}, ir::ElementType::F32), values)};
}

RankOptions quick() {
  RankOptions options;
  options.patience = 1s;
  options.start_patience = 2s;
  options.run.num_workers = 1;
  return options;
}

/// Checks that all ranks end within seconds and with an error. Returns the errors by rank.
Diagnostics errors_of(const std::vector<std::unique_ptr<Transport>>& transports,
                      const shardy_test::RankBody& body) {
  const auto begin = std::chrono::steady_clock::now();
  const auto outcomes = shardy_test::on_ranks(transports, body);
  CHECK(std::chrono::steady_clock::now() - begin < 10s);
  Diagnostics errors;
  for (const RankOutcome& each : outcomes) {
    REQUIRE_FALSE(each);
    errors.push_back(each.error());
    CHECK_FALSE(each.error().message.empty());
  }
  return errors;
}

Diagnostics errors_with(const shardy_test::FaultPlan& faults,
                        const RankOptions& options = quick()) {
  const ir::Module program = program_of(kSums);
  const auto transports = shardy_test::faulty_transports(4, {.faults = faults});
  return errors_of(transports, [&](Transport& transport) {
    return shardy_test::run_part(program, sixteen(), transport, options);
  });
}

/// The fault of packet 1 from rank 1 to rank 2. That packet has values, because rank 1 greets only
/// rank 0.
shardy_test::FaultPlan from_1_to_2(Fault fault) {
  return [fault](int64_t from, int64_t to, int64_t number) {
    return from == 1 && to == 2 && number == 1 ? fault : Fault::None;
  };
}

TEST_CASE("the program of the fault tests runs without faults", "[ranks][faults]") {
  const ir::Module program = program_of(kSums);
  const auto transports = shardy_test::faulty_transports(4, {});
  for (int round = 0; round < 3; ++round) {  // one transport carries several runs
    const auto all =
        shardy_test::put_together(shardy_test::on_ranks(transports, [&](Transport& transport) {
          return shardy_test::run_part(program, sixteen(), transport, quick());
        }));
    CHECK(all.outputs.size() == 4);
    CHECK(all.outputs[0] == all.outputs[3]);
  }
}

TEST_CASE("the receiver of a lost packet reports the loss", "[ranks][faults]") {
  for (const Error& error : errors_with(from_1_to_2(Fault::Lose))) {
    CHECK(error.headline() ==
          "E_TRANSPORT: packet 1 from rank 1 to rank 2 is lost: later ones have arrived");
  }
}

TEST_CASE("a duplicate packet is an error", "[ranks][faults]") {
  for (const Error& error : errors_with(from_1_to_2(Fault::Double))) {
    CHECK(error.headline() == "E_TRANSPORT: packet 1 from rank 1 to rank 2 came twice");
  }
}

TEST_CASE("a truncated packet is an error that names both ranks", "[ranks][faults]") {
  for (const Error& error : errors_with(from_1_to_2(Fault::CutPayload))) {
    CHECK(error.headline() ==
          "E_TRANSPORT: packet 1 from rank 1 to rank 2 has 120 bytes instead of 128: it is "
          "truncated");
  }
  for (const Error& error : errors_with(from_1_to_2(Fault::CutHeader))) {
    CHECK(error.headline() ==
          "E_TRANSPORT: rank 2 got a packet of 64 bytes, less than a header: it is truncated");
  }
}

TEST_CASE("a broken header is an error", "[ranks][faults]") {
  for (const Error& error : errors_with(from_1_to_2(Fault::FlipHeader))) {
    CHECK(error.headline() ==
          "E_TRANSPORT: rank 2 got a packet of 256 bytes whose header is broken");
  }
}

TEST_CASE("a silent rank is named with the ops that wait for it", "[ranks][faults]") {
  // Rank 3 sends its handshake and then no more packets.
  const auto errors = errors_with([](int64_t from, int64_t /*to*/, int64_t number) {
    return from == 3 && number >= 2 ? Fault::Lose : Fault::None;
  });
  CHECK(errors.size() == 4);
  int64_t num_named = 0;
  for (const Error& error : errors) {
    const std::string& text = error.headline();
    if (text.find("rank 3 is lost") != std::string::npos ||
        text.find("from rank 3 ") != std::string::npos) {
      ++num_named;
    }
  }
  CHECK(num_named >= 3);
  const auto& notes = errors[0].notes;
  CHECK(std::ranges::any_of(notes, [](const std::string& note) {
    return note.find("waits at spmd.all_reduce") != std::string::npos &&
           note.find("rank 3") != std::string::npos;
  }));
}

/// Options for a fold in two steps. Packet 1 from rank 1 to rank 2 is the operand of its device,
/// and packet 2 is the folded part.
RankOptions divided() {
  RankOptions options = quick();
  options.min_divided_bytes = 0;
  return options;
}

TEST_CASE("a fault in either step of a divided reduction is named", "[ranks][faults]") {
  for (const int64_t which : {1, 2}) {
    const auto at = [which](Fault fault) -> shardy_test::FaultPlan {
      return [fault, which](int64_t from, int64_t to, int64_t number) {
        return from == 1 && to == 2 && number == which ? fault : Fault::None;
      };
    };
    const std::string packet = "packet " + std::to_string(which) + " from rank 1 to rank 2";
    for (const Error& error : errors_with(at(Fault::Lose), divided())) {
      CHECK(error.headline() == "E_TRANSPORT: " + packet + " is lost: later ones have arrived");
    }
    for (const Error& error : errors_with(at(Fault::Double), divided())) {
      CHECK(error.headline() == "E_TRANSPORT: " + packet + " came twice");
    }
    for (const Error& error : errors_with(at(Fault::CutPayload), divided())) {
      CHECK(error.headline() ==
            "E_TRANSPORT: " + packet + " has 120 bytes instead of 128: it is truncated");
    }
  }
}

/// Checks that the error names the lost rank and the op at which a device waits for it.
void check_waits_for(const Error& error, const std::string& rank) {
  CAPTURE(error.headline(), error.notes);
  CHECK(error.headline().find(rank) != std::string::npos);
  CHECK(std::ranges::any_of(error.notes, [&](const std::string& note) {
    return note.ends_with("waits at spmd.all_reduce (loc(\"sums\":5:3)) for " + rank);
  }));
}

TEST_CASE("a rank that does not send its reduced slice is named", "[ranks][faults]") {
  // Rank 3 sends its handshake, the operand of its device, and then no more packets.
  const auto errors = errors_with(
      [](int64_t from, int64_t to, int64_t number) {
        return from == 3 && number > (to == 0 ? 2 : 1) ? Fault::Lose : Fault::None;
      },
      divided());
  for (std::size_t rank = 0; rank < 3; ++rank) check_waits_for(errors[rank], "rank 3");
}

TEST_CASE("a rank that reduces for eight devices and does not send the result is named",
          "[ranks][faults]") {
  std::string text = kSums;
  text.replace(text.find("\"x\"=4"), 5, "\"x\"=8");
  for (std::size_t at = 0; (at = text.find("tensor<4xf32>")) != std::string::npos;) {
    text.replace(at, 13, "tensor<2xf32>");
  }
  const ir::Module program = program_of(text);
  // Rank 0 folds, because the op is the first one. Rank 0 lets all ranks begin, and then sends no
  // more packets.
  const auto transports = shardy_test::faulty_transports(
      8, {.faults = [](int64_t from, int64_t /*to*/, int64_t number) {
        return from == 0 && number > 1 ? Fault::Lose : Fault::None;
      }});
  const auto errors = errors_of(transports, [&](Transport& transport) {
    return shardy_test::run_part(program, sixteen(), transport, quick());
  });
  for (std::size_t rank = 1; rank < 8; ++rank) check_waits_for(errors[rank], "rank 0");
}

TEST_CASE("ranks that divide reductions differently are named", "[ranks][faults]") {
  const ir::Module program = program_of(kSums);
  const auto transports = shardy_test::faulty_transports(2, {});
  for (const Error& error : errors_of(transports, [&](Transport& transport) {
         return shardy_test::run_part(program, sixteen(), transport,
                                      transport.rank() == 0 ? quick() : divided());
       })) {
    CHECK(error.headline() ==
          "E_RANKS_DIFFER: rank 1 differs from rank 0 in the size from which all_reduces are "
          "divided");
  }
}

TEST_CASE("a rank that never starts is named", "[ranks][faults]") {
  const ir::Module program = program_of(kSums);
  const auto transports = shardy_test::faulty_transports(3, {});
  std::vector<std::unique_ptr<Transport>> some;
  auto all = shardy_test::faulty_transports(3, {});
  some.push_back(std::move(all[0]));
  some.push_back(std::move(all[1]));
  for (const Error& error : errors_of(some, [&](Transport& transport) {
         return shardy_test::run_part(program, sixteen(), transport, quick());
       })) {
    CHECK(error.headline() == "E_RANK_LOST: rank 2 has not begun the run within 2 s");
  }
}

TEST_CASE("ranks with different programs or inputs are named", "[ranks][faults]") {
  const ir::Module program = program_of(kSums);
  const auto run_with = [&](auto change) {
    const auto transports = shardy_test::faulty_transports(4, {});
    return errors_of(transports, [&](Transport& transport) {
      RankOptions options = quick();
      options.agreements = {{"the program", 1}, {"the inputs", 2}};
      change(transport.rank(), options);
      return shardy_test::run_part(program, sixteen(), transport, options);
    });
  };
  for (const Error& error : run_with([](int64_t rank, RankOptions&options) {
         if (rank == 2) options.agreements[0].hash = 7;
       })) {
    CHECK(error.headline() == "E_RANKS_DIFFER: rank 2 differs from rank 0 in the program");
  }
  for (const Error& error : run_with([](int64_t rank, RankOptions&options) {
         if (rank > 0) options.agreements[1].hash = 7;
       })) {
    CHECK(error.headline() == "E_RANKS_DIFFER: ranks 1, 2 and 3 differ from rank 0 in the inputs");
  }
}

TEST_CASE("a rank with another program is found by its ops", "[ranks][faults]") {
  const ir::Module program = program_of(kSums);
  std::string text = kSums;
  text.replace(text.find("stablehlo.negate"), 16, "stablehlo.cosine");
  const ir::Module other = program_of(text);
  const auto transports = shardy_test::faulty_transports(2, {});
  for (const Error& error : errors_of(transports, [&](Transport& transport) {
         return shardy_test::run_part(transport.rank() == 1 ? other : program, sixteen(), transport,
                                      quick());
       })) {
    CHECK(error.headline() ==
          "E_RANKS_DIFFER: rank 1 differs from rank 0 in the ops of the program");
  }
}

TEST_CASE("a rank that refuses to run notifies the other ranks", "[ranks][faults]") {
  const ir::Module program = program_of(kSums);
  const auto transports = shardy_test::faulty_transports(2, {});
  for (const Error& error : errors_of(transports, [&](Transport& transport) -> RankOutcome {
         if (transport.rank() == 0) {
           return shardy_test::run_part(program, sixteen(), transport, quick());
         }
         RankOptions options = quick();
         options.num_devices = 4;
         return run_on_rank(program, "main", {}, transport, options);
       })) {
    CHECK(error.headline() == "rank 1 runs 2 devices, got arguments for 0");
  }
}

TEST_CASE("more ranks than devices are an error", "[ranks][faults]") {
  const ir::Module program = program_of(kSums);
  const auto transports = shardy_test::faulty_transports(5, {});
  for (const Error& error : errors_of(transports, [&](Transport& transport) {
         RankOptions options = quick();
         options.num_devices = 4;
         return run_on_rank(program, "main", {}, transport, options);
       })) {
    CHECK(error.headline() == "a run on 4 devices has as many ranks at most, got: 5");
  }
}

TEST_CASE("cancelling one rank ends all ranks", "[ranks][faults]") {
  const ir::Module program = program_of(kSums);
  const auto transports = shardy_test::faulty_transports(2, {});
  std::stop_source stop;
  stop.request_stop();
  for (const Error& error : errors_of(transports, [&](Transport& transport) {
         RankOptions options = quick();
         if (transport.rank() == 1) options.run.cancel = stop.get_token();
         return shardy_test::run_part(program, sixteen(), transport, options);
       })) {
    CHECK(error.code == "E_CANCELLED");
  }
}

/// A program in which devices branch differently by their input. A run on one rank and runs on
/// several ranks must give the same errors, on all ranks.
void same_error_on_ranks(const std::string& text, const std::vector<double>& values) {
  const ir::Module program = program_of(text);
  const ir::OpId main = *program.main_function();
  const int64_t devices = simulation::num_devices(program, main);
  const Tensors inputs = {*Tensor::from_doubles(
      ir::Type::tensor({static_cast<int64_t>(values.size())}, ir::ElementType::F32), values)};
  const auto arguments = simulation::arguments_of(program, main, inputs, {0, devices});
  REQUIRE(arguments);
  const auto expected = simulation::run(program, "main", *arguments);
  REQUIRE_FALSE(expected);
  for (int64_t ranks = 1; ranks <= devices; ++ranks) {
    CAPTURE(ranks);
    const auto transports = shardy_test::faulty_transports(ranks, {.max_delay = 3});
    for (const Error& error : errors_of(transports, [&](Transport& transport) {
           return shardy_test::run_part(program, inputs, transport, quick());
         })) {
      CHECK(error == expected.error());
    }
  }
}

constexpr const char* kBranches = R"(
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<1xf32> {spmd.global_type = tensor<4xf32>, sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) -> (tensor<1xf32> {spmd.global_type = tensor<4xf32>, sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) {
  %0 = stablehlo.convert %arg0 : (tensor<1xf32>) -> tensor<1xi32>
  %1 = stablehlo.reshape %0 : (tensor<1xi32>) -> tensor<i32>
  %2 = "stablehlo.case"(%1) ({
    %3 = "spmd.all_gather"(%arg0) {axes = #sdy.axis_ref_list<{"x"}>, mesh = @mesh, dim = 0 : i64} : (tensor<1xf32>) -> tensor<2xf32> loc("ways":1:1)
    %4 = stablehlo.slice %3 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    "stablehlo.return"(%4) : (tensor<1xf32>) -> ()
  }, {
    %5 = "spmd.all_gather"(%arg0) {axes = #sdy.axis_ref_list<{"y"}>, mesh = @mesh, dim = 0 : i64} : (tensor<1xf32>) -> tensor<2xf32> loc("ways":2:1)
    %6 = stablehlo.slice %5 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    "stablehlo.return"(%6) : (tensor<1xf32>) -> ()
  }, {
    "stablehlo.return"(%arg0) : (tensor<1xf32>) -> ()
  }) : (tensor<i32>) -> tensor<1xf32>
  return %2 : tensor<1xf32>
}
)";

TEST_CASE("devices that diverge are reported as in a run on one rank", "[ranks][faults]") {
  same_error_on_ranks(kBranches, {0, 0, 2, 0});  // one device never arrives
  same_error_on_ranks(kBranches, {0, 1, 1, 0});  // each device waits for another
  same_error_on_ranks(kBranches, {2, 2, 2, 0});
}

}  // namespace

}  // namespace rank_faults_test
