#include <algorithm>
#include <set>
#include <utility>

#include "autoshard/choice_search.hpp"

namespace shardy::autoshard {

namespace {

/// A sum of prices by the choices of a few nodes, in row-major order.
struct CostFactor {
  std::vector<int32_t> scope;  // ascending indices of nodes in the subset
  std::vector<int64_t> prices;
};

/// An eliminated node: its neighbours at the time of elimination, and its cheapest choice for each
/// of their choices.
struct EliminationStep {
  int32_t place = 0;
  std::vector<int32_t> scope;
  std::vector<int32_t> best;
};

int64_t mul_capped(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/// The order of elimination, which depends only on sizes.
class EliminationOrder {
 public:
  EliminationOrder(const WorkNetwork& network, std::span<const int32_t> subset,
                   const EliminationLimits& limits)
      : limits_(limits), neighbours_(subset.size()), cost_(subset.size()) {
    std::vector<int32_t> place(at(network.num_nodes()), -1);
    for (std::size_t i = 0; i < subset.size(); ++i) place[at(subset[i])] = static_cast<int32_t>(i);
    for (std::size_t i = 0; i < subset.size(); ++i) {
      sizes_.push_back(network.size(subset[i]));
      for (const WorkLink& link : network.links_of(subset[i])) {
        if (place[at(link.other)] >= 0) neighbours_[i].push_back(place[at(link.other)]);
      }
      std::ranges::sort(neighbours_[i]);
    }
    for (std::size_t i = 0; i < subset.size(); ++i) insert(static_cast<int32_t>(i));
  }

  /// Computes the order. Returns false if a table is too large.
  bool run() {
    int64_t total = 0;
    while (!queue_.empty()) {
      const auto [cells, place] = *queue_.begin();
      if (cells > limits_.cells) {
        if (!limits_.freeze) return false;
        freeze_largest();
        continue;
      }
      total += cells / sizes_[at(place)];
      if (total > 4 * limits_.cells) return false;
      queue_.erase(queue_.begin());
      order_.push_back(place);
      join_neighbours(place);
    }
    return true;
  }

  const std::vector<int32_t>& order() const { return order_; }
  const std::vector<int32_t>& frozen() const { return frozen_; }

 private:
  void insert(int32_t place) {
    int64_t cells = sizes_[at(place)];
    for (const int32_t other : neighbours_[at(place)]) {
      cells = mul_capped(cells, sizes_[at(other)]);
    }
    cost_[at(place)] = cells;
    queue_.emplace(cells, place);
  }
  void erase(int32_t place) { queue_.erase({cost_[at(place)], place}); }

  void remove_from_neighbours(int32_t place) {
    for (const int32_t other : neighbours_[at(place)]) {
      erase(other);
      std::erase(neighbours_[at(other)], place);
    }
  }
  void join_neighbours(int32_t place) {
    const std::vector<int32_t> scope = neighbours_[at(place)];
    remove_from_neighbours(place);
    std::vector<int32_t> merged;
    for (const int32_t other : scope) {
      auto& list = neighbours_[at(other)];
      merged.clear();
      std::ranges::set_union(list, scope, std::back_inserter(merged));
      std::erase(merged, other);
      list = merged;
      insert(other);
    }
  }
  void freeze_largest() {
    const auto [cells, place] = *queue_.begin();
    int32_t worst = place;
    for (const int32_t other : neighbours_[at(place)]) {
      if (neighbours_[at(other)].size() > neighbours_[at(worst)].size()) worst = other;
    }
    erase(worst);
    remove_from_neighbours(worst);
    for (const int32_t other : neighbours_[at(worst)]) insert(other);
    frozen_.push_back(worst);
  }

  const EliminationLimits& limits_;
  std::vector<std::vector<int32_t>> neighbours_;  // ascending
  std::vector<int64_t> cost_;  // number of cells of the table, times the choices of the node
  std::vector<int64_t> sizes_;
  std::set<std::pair<int64_t, int32_t>> queue_;
  std::vector<int32_t> order_, frozen_;
};

/// An elimination with prices in a given order.
class Eliminator {
 public:
  Eliminator(const WorkNetwork& network, const ScaledCosts& costs, std::span<const int32_t> subset,
             const std::vector<int32_t>& order, const std::vector<int32_t>& choice)
      : network_(network),
        costs_(costs),
        subset_(subset),
        place_(at(network.num_nodes()), -1),
        factors_of_(subset.size()) {
    for (const int32_t i : order) place_[at(subset[at(i)])] = i;
    for (const int32_t i : order) add_unary(i, choice);
    for (const int32_t i : order) add_pairs(i);
  }

  void run(const std::vector<int32_t>& order, std::vector<int32_t>& choice) {
    for (const int32_t place : order) steps_.push_back(eliminate_place(place));
    for (std::size_t i = steps_.size(); i-- > 0;) {
      const EliminationStep& step = steps_[i];
      std::size_t cell = 0;
      for (const int32_t other : step.scope) {
        cell = cell * size(other) + at(choice[at(subset_[at(other)])]);
      }
      choice[at(subset_[at(step.place)])] = step.best[cell];
    }
  }

 private:
  std::size_t size(int32_t place) const { return at(network_.size(subset_[at(place)])); }

  void add_factor(CostFactor factor) {
    for (const int32_t place : factor.scope) {
      factors_of_[at(place)].push_back(static_cast<int32_t>(factors_.size()));
    }
    factors_.push_back(std::move(factor));
  }

  /// Adds the prices of a node and of its pairs with nodes that keep their choice.
  void add_unary(int32_t place, const std::vector<int32_t>& choice) {
    const int32_t node = subset_[at(place)];
    const auto begin = costs_.unary.begin() + network_.first[at(node)];
    CostFactor factor{{place}, {begin, begin + network_.size(node)}};
    for (const WorkLink& link : network_.links_of(node)) {
      if (place_[at(link.other)] >= 0) continue;
      const TableCells table = costs_.cells_of(link.edge);
      const int32_t other = choice[at(link.other)];
      for (std::size_t i = 0; i < factor.prices.size(); ++i) {
        factor.prices[i] =
            add_capped(factor.prices[i], table.of(link, static_cast<int32_t>(i), other));
      }
    }
    add_factor(std::move(factor));
  }

  void add_pairs(int32_t place) {
    const int32_t node = subset_[at(place)];
    for (const WorkLink& link : network_.links_of(node)) {
      const int32_t other = place_[at(link.other)];
      if (other < 0 || other < place) continue;
      const TableCells table = costs_.cells_of(link.edge);
      CostFactor factor{{place, other}, {}};
      const auto rows = static_cast<int32_t>(size(place));
      const auto columns = static_cast<int32_t>(size(other));
      factor.prices.reserve(at(rows) * at(columns));
      for (int32_t x = 0; x < rows; ++x) {
        for (int32_t y = 0; y < columns; ++y) factor.prices.push_back(table.of(link, x, y));
      }
      add_factor(std::move(factor));
    }
  }

  /// An iteration over a factor in the order of a new factor's scope.
  struct Walk {
    const int64_t* prices;
    std::size_t own_stride = 0;        // stride of the eliminated node
    std::vector<std::size_t> strides;  // strides of the nodes in the new scope
  };

  std::vector<Walk> walks(int32_t place, const std::vector<int32_t>& scope) const {
    std::vector<Walk> result;
    for (const int32_t index : factors_of_[at(place)]) {
      const CostFactor& factor = factors_[at(index)];
      Walk walk{factor.prices.data(), 0, std::vector<std::size_t>(scope.size(), 0)};
      std::size_t stride = 1;
      for (std::size_t i = factor.scope.size(); i-- > 0;) {
        const int32_t other = factor.scope[i];
        if (other == place) {
          walk.own_stride = stride;
        } else {
          walk.strides[at(std::ranges::lower_bound(scope, other) - scope.begin())] = stride;
        }
        stride *= size(other);
      }
      result.push_back(std::move(walk));
    }
    return result;
  }

  std::vector<int32_t> scope_of(int32_t place) const {
    std::vector<int32_t> scope;
    for (const int32_t index : factors_of_[at(place)]) {
      const CostFactor& factor = factors_[at(index)];
      scope.insert(scope.end(), factor.scope.begin(), factor.scope.end());
    }
    std::ranges::sort(scope);
    scope.erase(std::unique(scope.begin(), scope.end()), scope.end());
    std::erase(scope, place);
    return scope;
  }

  void forget_factors(int32_t place) {
    const std::vector<int32_t> used = factors_of_[at(place)];
    for (const int32_t index : used) {
      for (const int32_t other : factors_[at(index)].scope) {
        std::erase(factors_of_[at(other)], index);
      }
      factors_[at(index)] = {};
    }
  }

  EliminationStep eliminate_place(int32_t place) {
    EliminationStep step{place, scope_of(place), {}};
    std::vector<Walk> list = walks(place, step.scope);
    std::size_t cells = 1;
    for (const int32_t other : step.scope) cells *= size(other);
    CostFactor sum{step.scope, std::vector<int64_t>(cells)};
    step.best.resize(cells);
    std::vector<std::size_t> digits(step.scope.size(), 0);
    std::vector<int64_t> price(size(place));
    for (std::size_t cell = 0; cell < cells; ++cell) {
      add_up(list, price);
      const auto least = std::ranges::min_element(price);
      sum.prices[cell] = *least;
      step.best[cell] = static_cast<int32_t>(least - price.begin());
      count_up(step.scope, digits, list);
    }
    forget_factors(place);
    if (!step.scope.empty()) add_factor(std::move(sum));
    return step;
  }

  static void add_up(const std::vector<Walk>& list, std::vector<int64_t>& price) {
    std::ranges::fill(price, 0);
    for (const Walk& walk : list) {
      const int64_t* from = walk.prices;
      for (int64_t& sum : price) {
        sum = add_capped(sum, *from);
        from += walk.own_stride;
      }
    }
  }

  void count_up(const std::vector<int32_t>& scope, std::vector<std::size_t>& digits,
                std::vector<Walk>& list) const {
    for (std::size_t i = scope.size(); i-- > 0;) {
      if (++digits[i] < size(scope[i])) {
        for (Walk& walk : list) walk.prices += walk.strides[i];
        return;
      }
      digits[i] = 0;
      for (Walk& walk : list) walk.prices -= walk.strides[i] * (size(scope[i]) - 1);
    }
  }

  const WorkNetwork& network_;
  const ScaledCosts& costs_;
  std::span<const int32_t> subset_;
  std::vector<int32_t> place_;  // per node: index in the subset; -1: the node keeps its choice
  std::vector<CostFactor> factors_;
  std::vector<std::vector<int32_t>> factors_of_;  // per index in the subset
  std::vector<EliminationStep> steps_;
};

}  // namespace

bool eliminate(const WorkNetwork& network, const ScaledCosts& costs,
               std::span<const int32_t> subset, const EliminationLimits& limits,
               std::vector<int32_t>& choice) {
  EliminationOrder order(network, subset, limits);
  if (!order.run()) return false;
  Eliminator(network, costs, subset, order.order(), choice).run(order.order(), choice);
  return true;
}

}  // namespace shardy::autoshard
