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
      int64_t width = 1;
      for (const WorkLink& link : network_.links_of(node)) width += network_.size(link.other);
      if (size == 1) continue;
      const auto [known, is_new] = known_.try_emplace(description(node), -1);
      if (is_new && work + size * size * width <= kMostCells) {
        work += size * size * width;
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

  void filter(int32_t node) {
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
    for (const WorkLink& link : network_.links_of(node)) {
      const int64_t least = least_saved(node, link, better, worse);
      if (least == -kInfinite) return false;
      saved += std::min(least, kInfinite / 4);
    }
    return saved > 0 || (saved == 0 && better < worse);
  }

  /// Returns the least price, over the choices of the neighbour, that `better` saves; -kInfinite if
  /// `better` may be forbidden.
  int64_t least_saved(int32_t node, const WorkLink& link, int32_t better, int32_t worse) {
    const int64_t* cells = network_.table_begin(network_.edges[at(link.edge)].table);
    const std::size_t others = at(network_.size(link.other));
    const std::size_t stride = link.is_first ? 1 : at(network_.size(node));
    const std::size_t row = link.is_first ? others : 1;
    int64_t least = kInfinite;
    for (std::size_t i = 0; i < others; ++i) {
      if (flag(link.other, static_cast<int32_t>(i)) == 0) continue;
      const int64_t by_worse = cells[at(worse) * row + i * stride];
      const int64_t by_better = cells[at(better) * row + i * stride];
      if (by_worse >= kInfinite) continue;
      if (by_better >= kInfinite) return -kInfinite;
      least = std::min(least, by_worse - by_better);
    }
    return least;
  }

  bool needs_no_more_bytes(int32_t node, int32_t better, int32_t worse) const {
    auto usage = std::ranges::lower_bound(network_.node_usages, node, {}, &WorkUsage::owner);
    for (; usage != network_.node_usages.end() && usage->owner == node; ++usage) {
      const int64_t* bytes = network_.bytes.data() + usage->bytes;
      if (bytes[better] > bytes[worse]) return false;
    }
    if (network_.edge_usages.empty()) return true;
    return std::ranges::all_of(network_.links_of(node), [&](const WorkLink& link) {
      return edge_needs_no_more_bytes(node, link, better, worse);
    });
  }

  bool edge_needs_no_more_bytes(int32_t node, const WorkLink& link, int32_t better,
                                int32_t worse) const {
    auto usage = std::ranges::lower_bound(network_.edge_usages, link.edge, {}, &WorkUsage::owner);
    const int32_t others = network_.size(link.other);
    for (; usage != network_.edge_usages.end() && usage->owner == link.edge; ++usage) {
      const int64_t* bytes = network_.table_begin(static_cast<int32_t>(usage->bytes));
      for (int32_t i = 0; i < others; ++i) {
        const auto cell = [&](int32_t own) {
          return bytes[link.is_first ? int64_t{own} * others + i
                                     : int64_t{i} * network_.size(node) + own];
        };
        if (cell(better) > cell(worse)) return false;
      }
    }
    return true;
  }

  const WorkNetwork& network_;
  std::vector<char> keep_;
  std::map<std::vector<int64_t>, int32_t> numbers_;
  std::vector<int32_t> prices_of_;                 // per node
  std::vector<int32_t> flags_of_;                  // per node: number of its current flags
  std::map<std::vector<int64_t>, int32_t> known_;  // flags by description; -1: too much work
  std::map<int32_t, std::vector<char>> lists_by_number_;
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
