// Finds the repeated blocks of a program: runs of ops with equal strategies.
//
//   ops     a b c d | x y z | x y z | x y z | x y z | e | z' x' | z' x' | z' x' | z' x' | f
//   blocks            0       1       2       3           3       2       1       0
//
// The second run uses values of the first run in reversed order, as a backward pass does.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "autoshard/model_network.hpp"
#include "report/layer_folding.hpp"

namespace shardy::autoshard {

using Kind = ModelNode::Kind;

namespace {

/// Assigns positions in blocks to nodes.
class BlockFinder {
 public:
  BlockFinder(std::span<const ModelNode> nodes, std::span<const ModelLink> links,
              std::span<const int32_t> strategies_of)
      : nodes_(nodes), links_(links), places_(nodes.size()), position_(nodes.size()) {
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      if (nodes[node].kind != Kind::Op) continue;
      position_[node] = ops_.size();
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
    if (!place_ops()) return {};
    for (std::size_t node = 0; node < nodes_.size(); ++node) place_copies(node);
    for (std::size_t node = 0; node < nodes_.size(); ++node) place_end(node);
    return std::move(places_);
  }

 private:
  BlockPlace& place(int32_t node) { return places_[static_cast<std::size_t>(node)]; }

  /// Assigns positions to the ops of repeated blocks. Returns false if the program has none.
  bool place_ops() {
    const auto found = report::repeated_blocks(
        sequence_, [&](std::size_t at) { return linked_ops(ops_[at]); },
        std::numeric_limits<std::size_t>::max());
    num_members_ = found.num_members;
    for (std::size_t at = 0; at < ops_.size(); ++at) {
      place(ops_[at]) = {found.positions[at].block, found.positions[at].member};
    }
    return found.num_runs > 0;
  }

  /// Returns the positions in ops_ of the ops that are linked with an op, directly or by copies.
  std::vector<std::size_t> linked_ops(int32_t node) const {
    std::vector<std::size_t> linked;
    const auto add = [&](int32_t other) {
      const auto at = static_cast<std::size_t>(other);
      if (nodes_[at].kind == Kind::Op) linked.push_back(position_[at]);
    };
    for (const std::size_t link : links_of_[static_cast<std::size_t>(node)]) {
      const int32_t other = links_[link].source == node ? links_[link].reader : links_[link].source;
      add(other);
      if (nodes_[static_cast<std::size_t>(other)].kind != Kind::Copies) continue;
      for (const std::size_t next : links_of_[static_cast<std::size_t>(other)]) {
        const ModelLink& through = links_[next];
        const int32_t end = through.source == other ? through.reader : through.source;
        if (end != node) add(end);
      }
    }
    return linked;
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
      const uint32_t position = made.output + nodes_[node].index;
      const int32_t member = member_of(Kind::Copies, made.source, position, nodes_[node].phase);
      places_[node] = {place(made.source).block, member};
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
    std::vector<int32_t> sources = {argument};  // then its copies
    std::vector<const ModelLink*> readers;
    for (std::size_t at = 0; at < sources.size(); ++at) {
      for (const std::size_t link : links_of_[static_cast<std::size_t>(sources[at])]) {
        if (links_[link].source != sources[at]) continue;
        const int32_t reader = links_[link].reader;
        if (nodes_[static_cast<std::size_t>(reader)].kind != Kind::Copies) {
          readers.push_back(&links_[link]);
        } else if (std::ranges::find(sources, reader) == sources.end()) {
          sources.push_back(reader);
        }
      }
    }
    place_argument(sources, readers);
  }

  /// Adds an argument and its copies, which `sources` contains, to the block of its users.
  void place_argument(const std::vector<int32_t>& sources, std::vector<const ModelLink*>& readers) {
    const int32_t argument = sources.front();
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
    for (const int32_t each : std::span(sources).subspan(1)) {
      const ModelNode& copies = nodes_[static_cast<std::size_t>(each)];
      place(each) = {block, member_of(Kind::Copies, argument, copies.index, copies.phase)};
    }
  }

  std::span<const ModelNode> nodes_;
  std::span<const ModelLink> links_;
  std::vector<BlockPlace> places_;
  std::vector<int32_t> ops_;                        // nodes of ops in program order
  std::vector<std::size_t> position_;               // per node of an op: index in ops_
  std::vector<int32_t> sequence_;                   // number of the strategies of each of ops_
  std::vector<std::vector<std::size_t>> links_of_;  // per node, both directions
  std::map<std::tuple<Kind, int32_t, uint32_t, uint32_t>, int32_t> members_;
  std::size_t num_members_ = 0;
};

}  // namespace

std::vector<BlockPlace> find_blocks(std::span<const ModelNode> nodes,
                                    std::span<const ModelLink> links,
                                    std::span<const int32_t> strategies_of) {
  return BlockFinder(nodes, links, strategies_of).run();
}

}  // namespace shardy::autoshard
