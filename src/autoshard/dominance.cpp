#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "autoshard/work_network.hpp"

namespace shardy::autoshard {

namespace {

/// The limit of work per call, in cells. Larger nodes keep all their choices.
constexpr int64_t kMostCells = 200'000'000;

/// Compares two choices of one node for all remaining choices of its neighbours. Nodes with equal
/// data, as in repeated blocks, are compared once.
class DominanceFilter {
 public:
  explicit DominanceFilter(const WorkNetwork& network)
      : network_(network), keep_(network.unary.size(), 1) {
    for (int32_t node = 0; node < network.num_nodes(); ++node) {
      const auto begin = network.unary.begin() + network.first[at(node)];
      prices_of_.push_back(number_of({begin, begin + network.size(node)}));
      flags_of_.push_back(number_of(std::vector<int64_t>(at(network.size(node)), 1)));
    }
  }

  /// Clears the flags of dominated choices. Returns their number.
  int64_t run() {
    int64_t removed = 0;
    int64_t work = 0;
    for (int32_t node = 0; node < network_.num_nodes(); ++node) {
      const int64_t size = network_.size(node);
      if (size == 1) continue;
      const auto [known, is_new] = known_.try_emplace(description(node), -1);
      if (is_new && work + work_of(node) <= kMostCells) {
        work += work_of(node);
        filter(node);
        known->second = number_of({flags_begin(node), flags_begin(node) + size});
        lists_by_number_.emplace(known->second,
                                 std::vector<char>(flags_begin(node), flags_begin(node) + size));
      }
      if (known->second < 0) continue;
      const std::vector<char>& flags = lists_by_number_.at(known->second);
      std::ranges::copy(flags, flags_begin(node));
      flags_of_[at(node)] = known->second;
      removed += std::ranges::count(flags, 0);
    }
    return removed;
  }

  std::vector<char> take() { return std::move(keep_); }

 private:
  char& flag(int32_t node, int32_t choice) { return keep_[at(network_.first[at(node)] + choice)]; }
  std::vector<char>::iterator flags_begin(int32_t node) {
    return keep_.begin() + network_.first[at(node)];
  }

  /// Returns a number that is equal for equal lists.
  int32_t number_of(std::vector<int64_t> list) {
    const auto number = static_cast<int32_t>(numbers_.size());
    return numbers_.try_emplace(std::move(list), number).first->second;
  }

  /// Returns all data on which the comparison of a node's choices depends.
  std::vector<int64_t> description(int32_t node) {
    std::vector<int64_t> text{prices_of_[at(node)]};
    auto usage = std::ranges::lower_bound(network_.node_usages, node, {}, &WorkUsage::owner);
    for (; usage != network_.node_usages.end() && usage->owner == node; ++usage) {
      const auto bytes = network_.bytes.begin() + usage->bytes;
      text.push_back(number_of({bytes, bytes + network_.size(node)}));
    }
    for (const WorkLink& link : network_.links_of(node)) {
      text.insert(text.end(), {-1, link.is_first ? 1 : 0, network_.edges[at(link.edge)].table,
                               flags_of_[at(link.other)]});
      auto pair = std::ranges::lower_bound(network_.edge_usages, link.edge, {}, &WorkUsage::owner);
      for (; pair != network_.edge_usages.end() && pair->owner == link.edge; ++pair) {
        text.push_back(pair->bytes);
      }
    }
    return text;
  }

  /// Returns the number of comparisons of cells, and of pairs of choices, that a node needs.
  int64_t work_of(int32_t node) const {
    const int64_t size = network_.size(node);
    const auto links = network_.links_of(node);
    int64_t work = size * size * (1 + static_cast<int64_t>(links.size()));
    for (const WorkLink& link : links) {
      const WorkTable& table = network_.tables[at(network_.edges[at(link.edge)].table)];
      const int64_t own = link.is_first ? table.rows : table.columns;
      work += own * table.num_cells();
    }
    return work;
  }

  /// The comparisons of the classes of a node's choices in one table.
  struct ClassPairs {
    TableCells table;
    bool is_first = false;       // the rows are the classes
    std::vector<char> is_left;   // per class of the other node: it has a remaining choice
    std::vector<int64_t> saved;  // per pair of classes: result of compare, or kUnknown
    std::size_t count() const { return is_first ? table.rows : table.columns; }
    std::size_t class_of(int32_t choice) const {
      return at(is_first ? table.row_of[choice] : table.column_of[choice]);
    }
    int64_t cell(std::size_t own, std::size_t other) const {
      return table.cells[is_first ? own * table.columns + other : other * table.columns + own];
    }
  };
  static constexpr int64_t kUnknown = INT64_MIN;

  ClassPairs pairs_of(const WorkLink& link, int32_t table) const {
    ClassPairs pairs{network_.table_cells(table), link.is_first, {}, {}};
    pairs.saved.assign(pairs.count() * pairs.count(), kUnknown);
    pairs.is_left.assign(link.is_first ? pairs.table.columns : pairs.table.rows, 0);
    const int32_t* class_of = link.is_first ? pairs.table.column_of : pairs.table.row_of;
    for (int32_t i = 0; i < network_.size(link.other); ++i) {
      if (keep_[at(network_.first[at(link.other)] + i)] != 0) pairs.is_left[at(class_of[i])] = 1;
    }
    return pairs;
  }

  /// Returns the least price, over the remaining classes of the other node, that class `better`
  /// saves; -kInfinite if `better` may be forbidden.
  static int64_t least_saved(ClassPairs& pairs, std::size_t better, std::size_t worse) {
    int64_t& saved = pairs.saved[better * pairs.count() + worse];
    if (saved != kUnknown) return saved;
    saved = kInfinite;
    for (std::size_t i = 0; i < pairs.is_left.size(); ++i) {
      if (pairs.is_left[i] == 0) continue;
      const int64_t by_worse = pairs.cell(worse, i);
      const int64_t by_better = pairs.cell(better, i);
      if (by_worse >= kInfinite) continue;
      if (by_better >= kInfinite) return saved = -kInfinite;
      saved = std::min(saved, by_worse - by_better);
    }
    return saved;
  }

  void filter(int32_t node) {
    prices_.clear();
    bytes_.clear();
    for (const WorkLink& link : network_.links_of(node)) {
      prices_.push_back(pairs_of(link, network_.edges[at(link.edge)].table));
      auto usage = std::ranges::lower_bound(network_.edge_usages, link.edge, {}, &WorkUsage::owner);
      for (; usage != network_.edge_usages.end() && usage->owner == link.edge; ++usage) {
        bytes_.push_back(pairs_of(link, static_cast<int32_t>(usage->bytes)));
        std::ranges::fill(bytes_.back().is_left, 1);
      }
    }
    for (int32_t worse = 0; worse < network_.size(node); ++worse) {
      for (int32_t better = 0; better < network_.size(node); ++better) {
        if (better == worse || flag(node, better) == 0 || !dominates(node, better, worse)) continue;
        flag(node, worse) = 0;
        break;
      }
    }
  }

  bool dominates(int32_t node, int32_t better, int32_t worse) {
    const int64_t* unary = network_.unary.data() + network_.first[at(node)];
    int64_t saved = unary[worse] - unary[better];
    if (!needs_no_more_bytes(node, better, worse)) return false;
    for (ClassPairs& pairs : prices_) {
      const int64_t least = least_saved(pairs, pairs.class_of(better), pairs.class_of(worse));
      if (least == -kInfinite) return false;
      saved += std::min(least, kInfinite / 4);
    }
    return saved > 0 || (saved == 0 && better < worse);
  }

  bool needs_no_more_bytes(int32_t node, int32_t better, int32_t worse) {
    auto usage = std::ranges::lower_bound(network_.node_usages, node, {}, &WorkUsage::owner);
    for (; usage != network_.node_usages.end() && usage->owner == node; ++usage) {
      const int64_t* bytes = network_.bytes.data() + usage->bytes;
      if (bytes[better] > bytes[worse]) return false;
    }
    return std::ranges::all_of(bytes_, [&](ClassPairs& pairs) {
      return least_saved(pairs, pairs.class_of(better), pairs.class_of(worse)) >= 0;
    });
  }

  const WorkNetwork& network_;
  std::vector<char> keep_;
  std::map<std::vector<int64_t>, int32_t> numbers_;
  std::vector<int32_t> prices_of_;                 // per node
  std::vector<int32_t> flags_of_;                  // per node: number of its current flags
  std::map<std::vector<int64_t>, int32_t> known_;  // flags by description; -1: too much work
  std::map<int32_t, std::vector<char>> lists_by_number_;
  std::vector<ClassPairs> prices_, bytes_;  // of the node that is filtered, per edge and usage
};

}  // namespace

bool remove_dominated(WorkNetwork& network) {
  constexpr int kMostRounds = 4;
  for (int round = 0; round < kMostRounds; ++round) {
    DominanceFilter filter(network);
    if (filter.run() == 0) break;
    if (!restrict_choices(network, filter.take())) return false;
  }
  return true;
}

}  // namespace shardy::autoshard
