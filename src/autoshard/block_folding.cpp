// Repeated blocks: most of a run of equal blocks are removed from the network. They get the choices
// and messages of one of the remaining blocks.
//
//   blocks  0 - 1 - 2 - 3 - 4 - 5 - 6 - 7    (1 to 6 are equal)
//   kept    0 - 1 - 2 - 3 - - - - - 6 - 7    4 and 5 get the choices and messages of 3
#include "autoshard/block_folding.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace shardy::autoshard {

namespace {

/// The number of equal blocks that remain before the first removed one and after the last removed
/// one.
constexpr int32_t kKeptBefore = 3;
constexpr int32_t kKeptAfter = 2;

/// Returns the places in blocks that have one node per member and are numbered less than nodes.
std::vector<BlockPlace> usable_places(std::span<const BlockPlace> blocks) {
  std::map<std::pair<int32_t, int32_t>, int32_t> count;
  for (const BlockPlace& place : blocks) ++count[{place.block, place.member}];
  std::vector<BlockPlace> places(blocks.begin(), blocks.end());
  for (BlockPlace& place : places) {
    const bool is_usable = place.block >= 0 && place.member >= 0 &&
                           at(place.block) < blocks.size() &&
                           count[{place.block, place.member}] == 1;
    if (!is_usable) place = {};
  }
  return places;
}

/// A run of equal blocks.
struct BlockRun {
  int32_t begin = 0;
  int32_t end = 0;  // index after the last block
  int32_t size() const { return end - begin; }
};

/// The nodes of each block by their members, and the description of each block.
class BlockTable {
 public:
  BlockTable(const WorkNetwork& network, std::span<const BlockPlace> places)
      : network_(network), places_(places) {
    for (int32_t node = 0; node < network.num_nodes(); ++node) {
      const BlockPlace place = places[at(node)];
      if (place.block < 0) continue;
      if (at(place.block) >= nodes_.size()) nodes_.resize(at(place.block) + 1);
      nodes_[at(place.block)].emplace(place.member, node);
    }
    for (int32_t node = 0; node < network.num_nodes(); ++node) describe_choices(node);
  }

  int32_t num_blocks() const { return static_cast<int32_t>(nodes_.size()); }
  /// Returns the node of a member; -1 if the block has no such node.
  int32_t node(int32_t block, int32_t member) const {
    if (block < 0 || block >= num_blocks()) return -1;
    const auto found = nodes_[at(block)].find(member);
    return found == nodes_[at(block)].end() ? -1 : found->second;
  }
  /// Returns numbers that are equal for equal blocks; empty if the block equals no other block.
  std::vector<int64_t> description(int32_t block) const {
    std::vector<int64_t> text;
    for (const auto& [member, node] : nodes_[at(block)]) {
      text.insert(text.end(), {member, choices_of_[at(node)]});
      std::vector<std::vector<int64_t>> links;
      for (const WorkLink& link : network_.links_of(node)) {
        const BlockPlace other = places_[at(link.other)];
        const int64_t step = int64_t{other.block} - block;
        const bool is_near = other.block >= 0 && step >= -1 && step <= 1;
        if (other.block >= 0 && !is_near) return {};
        links.push_back({is_near ? 1 : 0, is_near ? step : 0, is_near ? other.member : link.other,
                         link.is_first ? 1 : 0, network_.edges[at(link.edge)].table});
      }
      std::ranges::sort(links);
      text.push_back(static_cast<int64_t>(links.size()));
      for (const std::vector<int64_t>& link : links) {
        text.insert(text.end(), link.begin(), link.end());
      }
    }
    return text;
  }

 private:
  /// Gives equal lists of choices with equal prices one number.
  void describe_choices(int32_t node) {
    std::vector<int64_t> list;
    for (int32_t i = network_.first[at(node)]; i < network_.first[at(node) + 1]; ++i) {
      list.insert(list.end(), {network_.original[at(i)], network_.unary[at(i)]});
    }
    const auto number = static_cast<int32_t>(lists_.size());
    choices_of_.push_back(lists_.try_emplace(std::move(list), number).first->second);
  }

  const WorkNetwork& network_;
  std::span<const BlockPlace> places_;
  std::vector<std::map<int32_t, int32_t>> nodes_;  // per block: node of each member
  std::map<std::vector<int64_t>, int32_t> lists_;
  std::vector<int32_t> choices_of_;  // per node: number of its list of choices
};

BlockRun longest_run(const BlockTable& table) {
  BlockRun best;
  BlockRun run;
  std::vector<int64_t> before;
  for (int32_t block = 0; block < table.num_blocks(); ++block) {
    std::vector<int64_t> text = table.description(block);
    const bool goes_on = !text.empty() && text == before;
    if (!goes_on) run = {block, block};
    run.end = block + 1;
    if (!text.empty() && run.size() > best.size()) best = run;
    before = std::move(text);
  }
  return best;
}

/// Builds the smaller network.
class Folder {
 public:
  Folder(const WorkNetwork& whole, std::span<const BlockPlace> places, const BlockTable& table,
         BlockRun run)
      : whole_(whole), places_(places), table_(table), run_(run) {}

  std::optional<FoldedNetwork> fold() {
    keep_nodes();
    if (!keep_edges()) return std::nullopt;
    for (int32_t node = 0; node < whole_.num_nodes(); ++node) {
      folded_.node_of.push_back(new_node_[at(representative(node))]);
    }
    return represent_edges() ? std::optional(std::move(folded_)) : std::nullopt;
  }

 private:
  /// Returns the block that represents the removed ones: the last block that remains before them.
  int32_t middle() const { return run_.begin + kKeptBefore - 1; }
  int32_t next() const { return run_.end - kKeptAfter; }
  bool is_left_out(int32_t block) const { return block > middle() && block < next(); }

  int32_t representative(int32_t node) const {
    const BlockPlace place = places_[at(node)];
    return is_left_out(place.block) ? table_.node(middle(), place.member) : node;
  }
  /// Returns an end of an edge. Nodes of removed blocks become nodes of block `next`.
  int32_t end_of(int32_t node) const {
    const BlockPlace place = places_[at(node)];
    return is_left_out(place.block) ? table_.node(next(), place.member) : node;
  }

  void keep_nodes() {
    WorkNetwork& few = folded_.network;
    new_node_.assign(at(whole_.num_nodes()), -1);
    for (int32_t node = 0; node < whole_.num_nodes(); ++node) {
      if (is_left_out(places_[at(node)].block)) continue;
      new_node_[at(node)] = few.num_nodes();
      for (int32_t i = whole_.first[at(node)]; i < whole_.first[at(node) + 1]; ++i) {
        few.original.push_back(whole_.original[at(i)]);
        few.unary.push_back(whole_.unary[at(i)]);
      }
      few.first.push_back(static_cast<int32_t>(few.unary.size()));
    }
    few.tables = whole_.tables;
    few.cells = whole_.cells;
  }

  /// Keeps the edges between nodes that remain. Edges from block `middle` to the block after it
  /// lead to block `next`. Returns false if that would reverse an edge.
  bool keep_edges() {
    WorkNetwork& few = folded_.network;
    for (const WorkEdge& edge : whole_.edges) {
      const int32_t block_a = places_[at(edge.a)].block;
      const int32_t block_b = places_[at(edge.b)].block;
      const bool is_kept = !is_left_out(block_a) && !is_left_out(block_b);
      const bool leaves_middle =
          std::min(block_a, block_b) == middle() && std::max(block_a, block_b) == middle() + 1;
      if (!is_kept && !leaves_middle) continue;
      const int32_t a = new_node_[at(end_of(edge.a))];
      const int32_t b = new_node_[at(end_of(edge.b))];
      if (a >= b) return false;
      few.edges.push_back({a, b, edge.table});
    }
    std::ranges::sort(few.edges, {},
                      [](const WorkEdge& edge) { return std::pair(edge.a, edge.b); });
    link_edges(few);
    return true;
  }

  /// Finds the edge of the smaller network that represents each edge. The edge from block `middle`
  /// to block `next` represents the edges between two adjacent blocks, except those before and
  /// after these two.
  bool represent_edges() {
    for (const WorkEdge& edge : whole_.edges) {
      const int32_t block_a = places_[at(edge.a)].block;
      const int32_t block_b = places_[at(edge.b)].block;
      const int32_t later = std::max(block_a, block_b);
      const bool crosses = block_a >= 0 && block_b >= 0 && block_a != block_b;
      int32_t a = representative(edge.a);
      int32_t b = representative(edge.b);
      if (crosses && later > middle() && later <= next()) {
        a = table_.node(block_a < block_b ? middle() : next(), places_[at(edge.a)].member);
        b = table_.node(block_a < block_b ? next() : middle(), places_[at(edge.b)].member);
      }
      const int32_t found = edge_between(new_node_[at(a)], new_node_[at(b)]);
      if (found < 0 || folded_.network.edges[at(found)].table != edge.table) return false;
      folded_.edge_of.push_back(found);
    }
    return true;
  }

  int32_t edge_between(int32_t a, int32_t b) const {
    for (const WorkLink& link : folded_.network.links_of(a)) {
      if (link.other == b && link.is_first) return link.edge;
    }
    return -1;
  }

  const WorkNetwork& whole_;
  std::span<const BlockPlace> places_;
  const BlockTable& table_;
  BlockRun run_;
  FoldedNetwork folded_;
  std::vector<int32_t> new_node_;  // per node of the full network; -1: removed
};

}  // namespace

std::optional<FoldedNetwork> fold_blocks(const WorkNetwork& whole,
                                         std::span<const BlockPlace> blocks) {
  if (blocks.empty()) return std::nullopt;
  const std::vector<BlockPlace> places = usable_places(blocks);
  const BlockTable table(whole, places);
  const BlockRun run = longest_run(table);
  if (run.size() <= kKeptBefore + kKeptAfter) return std::nullopt;
  return Folder(whole, places, table, run).fold();
}

std::vector<int32_t> unfolded_choice(const FoldedNetwork& folded, std::span<const int32_t> choice) {
  std::vector<int32_t> result;
  for (const int32_t node : folded.node_of) result.push_back(choice[at(node)]);
  return result;
}

EdgeMessages unfolded_messages(const WorkNetwork& whole, const FoldedNetwork& folded,
                               const EdgeMessages& messages) {
  EdgeMessages result = zero_messages(whole);
  for (std::size_t edge = 0; edge < whole.edges.size(); ++edge) {
    const std::size_t from = at(folded.edge_of[edge]);
    std::copy(messages.to_a.begin() + messages.first_a[from],
              messages.to_a.begin() + messages.first_a[from + 1],
              result.to_a.begin() + result.first_a[edge]);
    std::copy(messages.to_b.begin() + messages.first_b[from],
              messages.to_b.begin() + messages.first_b[from + 1],
              result.to_b.begin() + result.first_b[edge]);
  }
  return result;
}

}  // namespace shardy::autoshard
