// Finds the repeated blocks of a program: runs of ops with equal strategies.
//
//   ops     a b c d | x y z | x y z | x y z | x y z | e | z' x' | z' x' | z' x' | z' x' | f
//   blocks            0       1       2       3           3       2       1       0
//
// The second run uses values of the first run in reversed order, as a backward pass does.
#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "autoshard/model_network.hpp"

namespace shardy::autoshard {

using Kind = ModelNode::Kind;

namespace {

constexpr int32_t kLeastBlocks = 4;
constexpr std::size_t kMostPeriod = 4096;  // limit of ops per block

/// A run of equal pieces of a sequence.
struct PeriodicRun {
  std::size_t begin = 0;
  std::size_t period = 0;
  std::size_t count = 0;  // number of pieces
  std::size_t length() const { return period * count; }
};

/// Returns the run that covers the most elements of a sequence; on ties, the one with the shortest
/// period. Cost: the length of the sequence times the longest period.
PeriodicRun longest_periodic_run(std::span<const int32_t> sequence) {
  PeriodicRun best;
  const std::size_t most = std::min(kMostPeriod, sequence.size() / kLeastBlocks);
  for (std::size_t period = 1; period <= most; ++period) {
    // Number of elements, up to here, that equal the element one period before.
    std::size_t equal = 0;
    for (std::size_t at = period; at < sequence.size(); ++at) {
      equal = sequence[at] == sequence[at - period] ? equal + 1 : 0;
      const std::size_t count = equal / period + 1;
      if (count < kLeastBlocks || count * period <= best.length()) continue;
      best = {at + 1 - equal - period, period, count};
    }
  }
  return best;
}

/// Assigns positions in blocks to nodes.
class BlockFinder {
 public:
  BlockFinder(std::span<const ModelNode> nodes, std::span<const ModelLink> links,
              std::span<const int32_t> strategies_of)
      : nodes_(nodes), links_(links), places_(nodes.size()) {
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      if (nodes[node].kind != Kind::Op) continue;
      ops_.push_back(static_cast<int32_t>(node));
      sequence_.push_back(strategies_of[node]);
    }
    links_of_.resize(nodes.size());
    for (std::size_t link = 0; link < links.size(); ++link) {
      links_of_[static_cast<std::size_t>(links[link].source)].push_back(link);
      links_of_[static_cast<std::size_t>(links[link].reader)].push_back(link);
    }
  }

  std::vector<BlockPlace> run() {
    place_runs(0, sequence_.size());
    if (num_runs_ == 0) return {};
    for (std::size_t node = 0; node < nodes_.size(); ++node) place_copies(node);
    for (std::size_t node = 0; node < nodes_.size(); ++node) place_end(node);
    return std::move(places_);
  }

 private:
  BlockPlace& place(int32_t node) { return places_[static_cast<std::size_t>(node)]; }

  /// Assigns positions to the longest run of a range of ops, then to the runs before and after it.
  void place_runs(std::size_t begin, std::size_t end) {
    const PeriodicRun run = longest_periodic_run(std::span(sequence_).subspan(begin, end - begin));
    if (run.count < kLeastBlocks) return;
    const std::size_t first = begin + run.begin;
    place_run({first, run.period, run.count});
    place_runs(begin, first);
    place_runs(first + run.length(), end);
  }

  void place_run(const PeriodicRun& run) {
    const Numbering numbering = numbering_of(run);
    for (std::size_t at = 0; at < run.length(); ++at) {
      const auto piece = static_cast<int32_t>(at / run.period);
      const int32_t block = numbering.of(piece);
      const auto member = static_cast<int32_t>(num_members_ + at % run.period);
      if (block >= 0) place(ops_[run.begin + at]) = {block, member};
    }
    num_members_ += run.period;
    ++num_runs_;
  }

  /// Block numbers for the pieces of a run.
  struct Numbering {
    bool is_reversed = false;
    int32_t offset = 0;
    int32_t of(int32_t piece) const { return is_reversed ? offset - piece : offset + piece; }
    auto operator<=>(const Numbering&) const = default;
  };

  /// Returns the numbering with which most values of placed blocks stay within a block. Reversed
  /// numbers join a backward pass with its forward pass.
  Numbering numbering_of(const PeriodicRun& run) {
    std::map<Numbering, std::size_t> votes;
    for (std::size_t at = 0; at < run.length(); ++at) {
      const auto piece = static_cast<int32_t>(at / run.period);
      for_each_neighbour(ops_[run.begin + at], [&](int32_t other) {
        const int32_t block = place(other).block;
        if (block < 0) return;
        ++votes[{false, block - piece}];
        ++votes[{true, block + piece}];
      });
    }
    Numbering best;
    std::size_t most = 0;
    for (const auto& [numbering, count] : votes) {
      if (count > most) best = numbering;
      most = std::max(most, count);
    }
    return best;
  }

  /// Calls `visit` with the ops that are linked with an op, directly or by copies.
  template <class Visit>
  void for_each_neighbour(int32_t node, Visit visit) {
    for (const std::size_t link : links_of_[static_cast<std::size_t>(node)]) {
      const int32_t other = links_[link].source == node ? links_[link].reader : links_[link].source;
      const Kind kind = nodes_[static_cast<std::size_t>(other)].kind;
      if (kind == Kind::Op) visit(other);
      if (kind != Kind::Copies) continue;
      for (const std::size_t next : links_of_[static_cast<std::size_t>(other)]) {
        const ModelLink& through = links_[next];
        const int32_t end = through.source == other ? through.reader : through.source;
        if (end != node && nodes_[static_cast<std::size_t>(end)].kind == Kind::Op) visit(end);
      }
    }
  }

  /// Numbers a copies node, an argument or a result as a member of its op's block. Copies nodes of
  /// one value differ in their phase.
  int32_t member_of(Kind kind, int32_t owner, uint32_t position, uint32_t phase = 0) {
    const auto next = static_cast<int32_t>(num_members_ + members_.size());
    const auto key = std::tuple(kind, place(owner).member, position, phase);
    return members_.try_emplace(key, next).first->second;
  }

  /// Adds the copies of an op's value to the block of the op.
  void place_copies(std::size_t node) {
    if (nodes_[node].kind != Kind::Copies) return;
    for (const std::size_t link : links_of_[node]) {
      const ModelLink& made = links_[link];
      if (made.reader != static_cast<int32_t>(node) || place(made.source).block < 0) continue;
      places_[node] = {place(made.source).block,
                       member_of(Kind::Copies, made.source, made.output, nodes_[node].phase)};
      return;
    }
  }

  /// Adds a result to the block of the op that computes it. Adds an argument and its copies to
  /// the block of its users, if these are in one block.
  void place_end(std::size_t node) {
    const Kind kind = nodes_[node].kind;
    if (kind == Kind::Result) {
      for (const std::size_t link : links_of_[node]) {
        const ModelLink& made = links_[link];
        if (place(made.source).block < 0) continue;
        places_[node] = {place(made.source).block, member_of(kind, made.source, made.output)};
      }
    }
    if (kind != Kind::Argument) return;
    const auto argument = static_cast<int32_t>(node);
    std::vector<int32_t> copies;  // one per phase
    std::vector<const ModelLink*> readers;
    for (const std::size_t link : links_of_[node]) {
      if (links_[link].source != argument) continue;
      const int32_t reader = links_[link].reader;
      if (nodes_[static_cast<std::size_t>(reader)].kind != Kind::Copies) {
        readers.push_back(&links_[link]);
        continue;
      }
      copies.push_back(reader);
      for (const std::size_t next : links_of_[static_cast<std::size_t>(reader)]) {
        const bool is_use =
            links_[next].source == reader && links_[next].kind == ModelLink::Kind::Use;
        if (is_use) readers.push_back(&links_[next]);
      }
    }
    place_argument(argument, copies, readers);
  }

  void place_argument(int32_t argument, std::span<const int32_t> copies,
                      std::vector<const ModelLink*>& readers) {
    std::erase_if(readers, [&](const ModelLink* link) { return link->reader == argument; });
    if (readers.empty()) return;
    const ModelLink& first = **std::ranges::min_element(readers, {}, [&](const ModelLink* link) {
      return std::tuple(place(link->reader).member, link->input);
    });
    const int32_t block = place(first.reader).block;
    const bool is_shared = std::ranges::any_of(
        readers, [&](const ModelLink* link) { return place(link->reader).block != block; });
    if (block < 0 || is_shared) return;
    place(argument) = {block, member_of(Kind::Argument, first.reader, first.input)};
    for (const int32_t each : copies) {
      const uint32_t phase = nodes_[static_cast<std::size_t>(each)].phase;
      place(each) = {block, member_of(Kind::Copies, argument, 0, phase)};
    }
  }

  std::span<const ModelNode> nodes_;
  std::span<const ModelLink> links_;
  std::vector<BlockPlace> places_;
  std::vector<int32_t> ops_;                        // nodes of ops in program order
  std::vector<int32_t> sequence_;                   // number of the strategies of each of ops_
  std::vector<std::vector<std::size_t>> links_of_;  // per node, both directions
  std::map<std::tuple<Kind, int32_t, uint32_t, uint32_t>, int32_t> members_;
  std::size_t num_members_ = 0;
  std::size_t num_runs_ = 0;
};

}  // namespace

std::vector<BlockPlace> find_blocks(std::span<const ModelNode> nodes,
                                    std::span<const ModelLink> links,
                                    std::span<const int32_t> strategies_of) {
  return BlockFinder(nodes, links, strategies_of).run();
}

}  // namespace shardy::autoshard
