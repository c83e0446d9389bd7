// Lists changes of one node by their price.
//
//   choice 0 0 1, node 1 has the choices 0 to 2   ->   0 1 1 (price + 3), 0 2 1 (price + 7)
//
// Finds the reasons of annotations.
//
//   %w1 [{}, {"model"}]: next best [{"data"}, {}], 1.17 ms slower: reshard of %w1 for dot at 48:15
#include "autoshard/next_best.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "shardy/algebra/text.hpp"
#include "shardy/report/hints.hpp"

namespace shardy::autoshard {

namespace {

/// A node and its other choice.
struct NodeChange {
  int64_t price = 0;  // of the node and its edges; kForbidden or more: not allowed
  int32_t node = 0;
  int32_t choice = 0;
};

/// Returns the prices of all choices of all nodes, each with the edges of the node to the choices
/// of the other nodes.
std::vector<int64_t> prices_of_changes(const CostNetwork& network,
                                       std::span<const int32_t> choice) {
  std::vector<int64_t> prices = network.unary;
  const auto add = [&](int32_t node, int32_t other, int64_t price) {
    int64_t& sum = prices[static_cast<std::size_t>(
        network.first_choice[static_cast<std::size_t>(node)] + other)];
    sum = price >= kForbidden ? kForbidden : std::min(kForbidden, sum + price);
  };
  for (const CostEdge& edge : network.edges) {
    const int32_t from = choice[static_cast<std::size_t>(edge.from)];
    const int32_t to = choice[static_cast<std::size_t>(edge.to)];
    for (int32_t other = 0; other < network.num_choices(edge.from); ++other) {
      add(edge.from, other, network.cell(edge.table, other, to));
    }
    for (int32_t other = 0; other < network.num_choices(edge.to); ++other) {
      add(edge.to, other, network.cell(edge.table, from, other));
    }
  }
  return prices;
}

}  // namespace

std::vector<std::vector<int32_t>> choice_neighbors(const CostNetwork& network,
                                                   std::span<const int32_t> choice,
                                                   std::size_t count) {
  const std::vector<int64_t> prices = prices_of_changes(network, choice);
  std::vector<NodeChange> changes;
  for (int32_t node = 0; node < network.num_nodes(); ++node) {
    const auto first =
        static_cast<std::size_t>(network.first_choice[static_cast<std::size_t>(node)]);
    const int32_t own = choice[static_cast<std::size_t>(node)];
    const int64_t before = prices[first + static_cast<std::size_t>(own)];
    for (int32_t other = 0; other < network.num_choices(node); ++other) {
      const int64_t price = prices[first + static_cast<std::size_t>(other)];
      if (other != own && price < kForbidden) changes.push_back({price - before, node, other});
    }
  }
  const std::size_t kept = std::min(count, changes.size());
  std::partial_sort(changes.begin(), changes.begin() + static_cast<std::ptrdiff_t>(kept),
                    changes.end(), [](const NodeChange& a, const NodeChange& b) {
                      return std::tuple(a.price, a.node, a.choice) <
                             std::tuple(b.price, b.node, b.choice);
                    });
  changes.resize(kept);
  std::vector<std::vector<int32_t>> neighbors;
  for (const NodeChange& change : changes) {
    neighbors.emplace_back(choice.begin(), choice.end());
    neighbors.back()[static_cast<std::size_t>(change.node)] = change.choice;
  }
  return neighbors;
}

namespace {

constexpr double kFemto = 1e-15;

/// The limit of sweeps of one search, and its gap within a limit. They are small, because many
/// searches run.
constexpr int64_t kMostSweeps = 60;
constexpr double kGap = 1e-3;

}  // namespace

NextBestSearch::NextBestSearch(const ProgramModel& model, const ir::Module& module,
                               std::span<const int32_t> choice, const SolveOptions& solving,
                               int64_t limit)
    : model_(model),
      module_(module),
      choice_(choice),
      solving_(solving),
      network_(model.network()),
      price_(autoshard::price_of(model.network(), choice)),
      names_(model.module()) {
  solving_.effort = std::min(solving.effort, kMostSweeps);
  solving_.gap = kGap;
  solving_.on_progress = {};
  network_.limit = limit;
  if (limit == kUnlimited) return;
  CostNetwork unlimited = network_;
  unlimited.limit = kUnlimited;
  auto found = solve(unlimited, solving_);
  if (found && found->price_fs < price_) free_ = std::move(found->choice);
}

/// Returns the node of the changed value. Each value that a loop carries, or that branches or a
/// barrier return, has a node of its own; their op has one change.
int32_t NextBestSearch::node_of(const SourceChange& change) const {
  const auto& nodes = model_.nodes();
  const ModelNode& first = nodes[static_cast<std::size_t>(change.node)];
  if (change.is_input || first.kind != ModelNode::Kind::Carried) return change.node;
  const auto found = std::ranges::find_if(nodes, [&](const ModelNode& node) {
    return node.kind == first.kind && node.op == first.op && node.index == change.port;
  });
  return static_cast<int32_t>(found - nodes.begin());
}

TensorSharding NextBestSearch::state_of(const SourceChange& change, int32_t node,
                                        int32_t choice) const {
  const ModelNode& at = model_.nodes()[static_cast<std::size_t>(node)];
  if (change.is_input) return model_.input_state(node, choice, change.port, change.value);
  if (at.kind == ModelNode::Kind::Op) {
    const ir::ValueId value = module_.result(at.op, change.port);
    return model_.output_state(node, choice, change.port, value);
  }
  return model_.output_state(node, choice, 0, at.value);
}

NextBest NextBestSearch::of(const SourceChange& change) {
  NextBest next;
  const int32_t node = node_of(change);
  const auto at = static_cast<std::size_t>(node);
  const TensorSharding state = state_of(change, node, choice_[at]);
  const auto first = network_.unary.begin() + network_.first_choice[at];
  const std::vector<int64_t> prices(first, first + network_.num_choices(node));
  for (int32_t choice = 0; choice < network_.num_choices(node); ++choice) {
    if (state_of(change, node, choice) == state) first[choice] = kForbidden;
  }
  const auto found = solve(network_, solving_);
  std::ranges::copy(prices, first);
  if (!free_.empty() && !(state_of(change, node, free_[at]) == state)) {
    next.unlimited = to_string(state_of(change, node, free_[at]));
  }
  if (!found || found->status == SolveStatus::Infeasible) return next;
  next.is_exact = found->status == SolveStatus::Proven;
  const int64_t other = next.is_exact ? found->price_fs : found->bound_fs;
  next.seconds = static_cast<double>(std::max<int64_t>(0, other - price_)) *
                 static_cast<double>(model_.network().unit_fs) * kFemto;
  if (found->choice.empty()) return next;
  next.sharding = to_string(state_of(change, node, found->choice[at]));
  next.cause = cause_of(found->choice);
  return next;
}

std::string NextBestSearch::place_of(int32_t node) const {
  const ModelNode& at = model_.nodes()[static_cast<std::size_t>(node)];
  switch (at.kind) {
    case ModelNode::Kind::Op:
    case ModelNode::Kind::Carried: {
      const std::string location = model_.module().location_text(at.op);
      return std::string(model_.module().name(at.op)) + (location.empty() ? "" : " at " + location);
    }
    case ModelNode::Kind::Result:
      return "result " + std::to_string(at.index);
    case ModelNode::Kind::Argument:
      return "the result in its buffer";
    case ModelNode::Kind::Copies:
      return at.index > 0 ? "its users that are alike" : "all its users";
  }
  return {};
}

/// Returns the node or link whose price increases most.
std::string NextBestSearch::cause_of(std::span<const int32_t> other) const {
  const CostNetwork& network = model_.network();
  std::string cause;
  int64_t most = 0;
  for (int32_t node = 0; node < network.num_nodes(); ++node) {
    const auto at = static_cast<std::size_t>(node);
    const auto prices = network.prices(node);
    const int64_t grown =
        prices[static_cast<std::size_t>(other[at])] - prices[static_cast<std::size_t>(choice_[at])];
    if (grown <= most) continue;
    most = grown;
    cause = place_of(node);
  }
  const auto grown_price = [&](const CostEdge& ends) {
    const auto price = [&](std::span<const int32_t> choice) {
      return network.cell(ends.table, choice[static_cast<std::size_t>(ends.from)],
                          choice[static_cast<std::size_t>(ends.to)]);
    };
    return price(other) - price(choice_);
  };
  std::size_t edge = 0;
  for (const ModelLink& link : model_.links()) {
    if (link.source == link.reader) continue;
    const int64_t grown = grown_price(network.edges[edge++]);
    if (grown <= most) continue;
    most = grown;
    cause = "reshard of " + report::place_name(names_, {.value = link.value}) + " for " +
            place_of(link.reader);
  }
  for (int32_t node = 0; node < network.num_nodes(); ++node) {  // the edges of equal ops follow
    if (model_.nodes()[static_cast<std::size_t>(node)].equal_to < 0) continue;
    const int64_t grown = grown_price(network.edges[edge++]);
    if (grown <= most) continue;
    most = grown;
    cause = place_of(node);
  }
  return cause;
}

}  // namespace shardy::autoshard
