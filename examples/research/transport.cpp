// A custom transport. Packets between the ranks of a run pass through queues that count and reorder
// the packets. The results equal those of a run on one rank bit by bit.
#include <fmt/core.h>

#include <cstring>
#include <mutex>
#include <shardy/shardy.hpp>
#include <shardy/simulation/rank_run.hpp>
#include <shardy/text/mlir.hpp>
#include <thread>
#include <vector>

namespace {

using namespace shardy;
using simulation::SharedBytes;

/// The state that all transports share: a queue for each rank.
struct Post {
  explicit Post(std::size_t ranks) : queues(ranks) {}
  std::mutex mutex;
  std::vector<std::vector<SharedBytes>> queues;
  int64_t packets = 0;
};

// [transport]
class Shuffled : public simulation::Transport {
 public:
  Shuffled(Post& post, int64_t rank) : post_(post), rank_(rank) {}

  int64_t rank() const override { return rank_; }
  int64_t ranks() const override { return static_cast<int64_t>(post_.queues.size()); }

  /// Sends a packet: one block of memory, with the alignment that the engine requires.
  Status post(int64_t to, std::vector<SharedBytes> pieces) override {
    std::size_t size = 0;
    for (const SharedBytes& piece : pieces) size += piece.size;
    const std::shared_ptr<std::byte> packet(
        static_cast<std::byte*>(std::aligned_alloc(64, (size / 64 + 1) * 64)),
        [](std::byte* bytes) { std::free(bytes); });
    std::size_t end = 0;
    for (const SharedBytes& piece : pieces) {
      if (piece.size > 0) std::memcpy(packet.get() + end, piece.data.get(), piece.size);
      end += piece.size;
    }
    const std::scoped_lock lock(post_.mutex);
    post_.queues[static_cast<std::size_t>(to)].push_back({packet, size});
    ++post_.packets;
    return {};
  }

  /// Returns the newest packet first, because a transport may reorder packets.
  Result<std::optional<SharedBytes>> poll() override {
    const std::scoped_lock lock(post_.mutex);
    auto& mine = post_.queues[static_cast<std::size_t>(rank_)];
    if (mine.empty()) return std::nullopt;
    SharedBytes packet = mine.back();
    mine.pop_back();
    return packet;
  }

  void abort(const Error& /*reason*/) override {}

 private:
  Post& post_;
  int64_t rank_;
};
// [transport]

constexpr std::string_view kProgram = R"(
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func @main(%a: tensor<12x18xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>},
                  %b: tensor<18x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<12x7xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<12x18xf32>, tensor<18x7xf32>) -> tensor<12x7xf32>
    %1 = stablehlo.tanh %0 : tensor<12x7xf32>
    return %1 : tensor<12x7xf32>
  })";

}  // namespace

int main() {
  const auto module = text::parse_mlir(kProgram).value();
  const ir::Module program = checking::compile(module).value().program;
  const ir::OpId main = program.main_function().value();
  const auto inputs = checking::random_inputs(module, 1).value();
  const int64_t devices = simulation::num_devices(program, main);

  std::vector<simulation::Tensors> arguments =
      simulation::arguments_of(program, main, inputs, {0, devices}).value();
  const auto alone = simulation::run(program, "main", arguments).value();

  constexpr int64_t kRanks = 4;
  Post post(kRanks);
  std::vector<std::vector<simulation::Tensors>> outputs(kRanks);
  std::vector<std::thread> ranks;
  for (int64_t rank = 0; rank < kRanks; ++rank) {
    ranks.emplace_back([&, rank] {
      Shuffled transport(post, rank);
      const auto block = simulation::devices_of_rank(devices, rank, kRanks);
      simulation::RankOptions options;
      options.num_devices = devices;
      auto mine = simulation::arguments_of(program, main, inputs, block).value();
      auto result = simulation::run_on_rank(program, "main", std::move(mine), transport, options);
      if (!result) return fmt::print("rank {}: {}\n", rank, result.error().message);
      outputs[static_cast<std::size_t>(rank)] = std::move(result->run.outputs);
    });
  }
  for (std::thread& rank : ranks) rank.join();

  std::vector<simulation::Tensors> all;
  for (auto& some : outputs) all.insert(all.end(), some.begin(), some.end());
  fmt::print("{} devices on {} ranks, packets were sent: {}\n", devices, kRanks, post.packets > 0);
  fmt::print("bit for bit the run on one rank: {}\n", all == alone.outputs);
}
