// Repeated blocks: most of a run of equal blocks are removed from the network. They get the choices
// and messages of one of the remaining blocks.
//
//   blocks  0 - 1 - 2 - 3 - 4 - 5 - 6 - 7    (1 to 6 are equal)
//   kept    0 - 1 - 2 - 3 - - - - - 6 - 7    4 and 5 get the choices and messages of 3
#include "autoshard/block_folding.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
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
      std::vector<LinkNumbers> links;
      for (const WorkLink& link : network_.links_of(node)) {
        const auto numbers = link_numbers(block, link);
        if (!numbers) return {};
        links.push_back(*numbers);
      }
      std::ranges::sort(links);
      text.push_back(static_cast<int64_t>(links.size()));
      for (const LinkNumbers& link : links) text.insert(text.end(), link.begin(), link.end());
    }
    return text;
  }

 private:
  using LinkNumbers = std::array<int64_t, 5>;

  /// Returns what must be equal in links of equal blocks. Links to the same and to neighbouring
  /// blocks are named by step and member. Returns std::nullopt if the link skips a block.
  std::optional<LinkNumbers> link_numbers(int32_t block, const WorkLink& link) const {
    const BlockPlace other = places_[at(link.other)];
    const int64_t is_first = link.is_first ? 1 : 0;
    const int64_t table = network_.edges[at(link.edge)].table;
    if (other.block < 0) return LinkNumbers{0, 0, link.other, is_first, table};
    const int64_t step = int64_t{other.block} - block;
    if (step < -1 || step > 1) return std::nullopt;
    return LinkNumbers{1, step, other.member, is_first, table};
  }

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
    find_edges();
    if (!keep_nodes()) return std::nullopt;
    keep_edges();
    for (int32_t node = 0; node < whole_.num_nodes(); ++node) {
      folded_.node_of.push_back(new_node_[at(representative(node))]);
    }
    if (!represent_edges()) return std::nullopt;
    add_usages();
    return std::move(folded_);
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

  /// Finds the edges between nodes that remain. Edges from block `middle` to the block after it
  /// lead to block `next`.
  void find_edges() {
    for (const WorkEdge& edge : whole_.edges) {
      const int32_t block_a = places_[at(edge.a)].block;
      const int32_t block_b = places_[at(edge.b)].block;
      const bool is_kept = !is_left_out(block_a) && !is_left_out(block_b);
      const bool leaves_middle =
          std::min(block_a, block_b) == middle() && std::max(block_a, block_b) == middle() + 1;
      if (is_kept || leaves_middle) {
        kept_edges_.push_back({end_of(edge.a), end_of(edge.b), edge.table});
      }
    }
  }

  /// Numbers the remaining nodes such that edges lead to later nodes, and in their order in the
  /// full network where edges allow it. Returns false if the edges have a cycle.
  bool keep_nodes() {
    const auto nodes = at(whole_.num_nodes());
    std::vector<std::vector<int32_t>> later(nodes);
    std::vector<int32_t> num_earlier(nodes, 0);
    for (const WorkEdge& edge : kept_edges_) {
      later[at(edge.a)].push_back(edge.b);
      ++num_earlier[at(edge.b)];
    }
    std::set<int32_t> ready;
    std::size_t left = 0;
    for (int32_t node = 0; node < whole_.num_nodes(); ++node) {
      if (is_left_out(places_[at(node)].block)) continue;
      ++left;
      if (num_earlier[at(node)] == 0) ready.insert(node);
    }
    new_node_.assign(nodes, -1);
    for (; !ready.empty(); --left) {
      const int32_t node = *ready.begin();
      ready.erase(ready.begin());
      keep_node(node);
      for (const int32_t other : later[at(node)]) {
        if (--num_earlier[at(other)] == 0) ready.insert(other);
      }
    }
    folded_.network.tables = whole_.tables;
    folded_.network.cells = whole_.cells;
    folded_.network.classes = whole_.classes;
    return left == 0;
  }

  void keep_node(int32_t node) {
    WorkNetwork& few = folded_.network;
    new_node_[at(node)] = few.num_nodes();
    for (int32_t i = whole_.first[at(node)]; i < whole_.first[at(node) + 1]; ++i) {
      few.original.push_back(whole_.original[at(i)]);
      few.unary.push_back(whole_.unary[at(i)]);
    }
    few.first.push_back(static_cast<int32_t>(few.unary.size()));
  }

  void keep_edges() {
    WorkNetwork& few = folded_.network;
    for (const WorkEdge& edge : kept_edges_) {
      few.edges.push_back({new_node_[at(edge.a)], new_node_[at(edge.b)], edge.table});
    }
    std::ranges::sort(few.edges, {},
                      [](const WorkEdge& edge) { return std::pair(edge.a, edge.b); });
    link_edges(few);
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

  void add_usages() {
    WorkNetwork& few = folded_.network;
    few.limit = whole_.limit;
    few.num_points = whole_.num_points;
    few.times = whole_.times;
    few.bytes = whole_.bytes;
    few.node_usages = whole_.node_usages;
    few.edge_usages = whole_.edge_usages;
    for (WorkUsage& usage : few.node_usages) usage.owner = folded_.node_of[at(usage.owner)];
    for (WorkUsage& usage : few.edge_usages) usage.owner = folded_.edge_of[at(usage.owner)];
    std::ranges::stable_sort(few.node_usages, {}, &WorkUsage::owner);
    std::ranges::stable_sort(few.edge_usages, {}, &WorkUsage::owner);
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
  std::vector<WorkEdge> kept_edges_;  // between nodes of the full network
  std::vector<int32_t> new_node_;     // per node of the full network; -1: removed
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

namespace {

/// Returns how often each of the numbers below `size` occurs.
std::vector<int64_t> counts_of(std::span<const int32_t> numbers, std::size_t size) {
  std::vector<int64_t> counts(size, 0);
  for (const int32_t number : numbers) ++counts[at(number)];
  return counts;
}

}  // namespace

void count_removed(FoldedNetwork& folded) {
  WorkNetwork& few = folded.network;
  const auto nodes = counts_of(folded.node_of, at(few.num_nodes()));
  for (int32_t node = 0; node < few.num_nodes(); ++node) {
    for (int32_t i = few.first[at(node)]; i < few.first[at(node) + 1]; ++i) {
      few.unary[at(i)] *= nodes[at(node)];
    }
  }
  const auto edges = counts_of(folded.edge_of, few.edges.size());
  std::map<std::pair<int32_t, int64_t>, int32_t> made;
  for (std::size_t edge = 0; edge < edges.size(); ++edge) {
    int32_t& table = few.edges[edge].table;
    if (edges[edge] == 1) continue;
    const auto next = static_cast<int32_t>(few.tables.size());
    const auto [known, is_new] = made.try_emplace({table, edges[edge]}, next);
    if (is_new) {
      WorkTable counted = few.tables[at(table)];
      const std::size_t begin = at(counted.begin);
      counted.begin = static_cast<int64_t>(few.cells.size());
      const std::size_t size = at(counted.num_cells());
      for (std::size_t cell = begin; cell < begin + size; ++cell) {
        const int64_t price = few.cells[cell];
        few.cells.push_back(price < kInfinite ? price * edges[edge] : price);
      }
      few.tables.push_back(counted);
    }
    table = known->second;
  }
}

EdgeMessages unfolded_messages(const WorkNetwork& whole, const FoldedNetwork& folded,
                               const EdgeMessages& messages, bool is_shared) {
  EdgeMessages result = zero_messages(whole);
  const auto counts = counts_of(folded.edge_of, folded.network.edges.size());
  for (std::size_t edge = 0; edge < whole.edges.size(); ++edge) {
    const std::size_t from = at(folded.edge_of[edge]);
    const double part = is_shared ? 1.0 / static_cast<double>(counts[from]) : 1.0;
    const auto share = [&](double message) { return message * part; };
    std::transform(messages.to_a.begin() + messages.first_a[from],
                   messages.to_a.begin() + messages.first_a[from + 1],
                   result.to_a.begin() + result.first_a[edge], share);
    std::transform(messages.to_b.begin() + messages.first_b[from],
                   messages.to_b.begin() + messages.first_b[from + 1],
                   result.to_b.begin() + result.first_b[edge], share);
  }
  return result;
}

}  // namespace shardy::autoshard
