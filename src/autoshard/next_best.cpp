// Finds the reasons of annotations.
//
//   %w1 [{}, {"model"}]: next best [{"data"}, {}], 1.17 ms slower: reshard of %w1 for dot at 48:15
#include "autoshard/next_best.hpp"

#include <algorithm>
#include <utility>

#include "shardy/algebra/text.hpp"
#include "shardy/report/hints.hpp"

namespace shardy::autoshard {

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
  if (auto found = solve(unlimited, solving_)) free_ = std::move(found->choice);
}

TensorSharding NextBestSearch::state_of(const SourceChange& change, int32_t choice) const {
  const ModelNode& node = model_.nodes()[static_cast<std::size_t>(change.node)];
  ir::ValueId value = node.value;
  if (change.is_input) value = change.value;
  if (!change.is_input && node.kind == ModelNode::Kind::Op) {
    value = module_.result(node.op, change.port);
  }
  return change.is_input ? model_.input_state(change.node, choice, change.port, value)
                         : model_.output_state(change.node, choice, change.port, value);
}

NextBest NextBestSearch::of(const SourceChange& change) {
  NextBest next;
  const std::size_t node = static_cast<std::size_t>(change.node);
  const TensorSharding state = state_of(change, choice_[node]);
  const auto first = network_.unary.begin() + network_.first_choice[node];
  const std::vector<int64_t> prices(first, first + network_.num_choices(change.node));
  for (int32_t choice = 0; choice < network_.num_choices(change.node); ++choice) {
    if (state_of(change, choice) == state) first[choice] = kForbidden;
  }
  const auto found = solve(network_, solving_);
  std::ranges::copy(prices, first);
  if (!free_.empty() && !(state_of(change, free_[node]) == state)) {
    next.unlimited = to_string(state_of(change, free_[node]));
  }
  if (!found || found->status == SolveStatus::Infeasible) return next;
  next.is_exact = found->status == SolveStatus::Proven;
  const int64_t other = next.is_exact ? found->price_fs : found->bound_fs;
  next.seconds = static_cast<double>(std::max<int64_t>(0, other - price_)) * kFemto;
  if (found->choice.empty()) return next;
  next.sharding = to_string(state_of(change, found->choice[node]));
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
      return "all its users";
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
  std::size_t edge = 0;
  for (const ModelLink& link : model_.links()) {
    if (link.source == link.reader) continue;
    const CostEdge& ends = network.edges[edge++];
    const CostTable& table = network.tables[static_cast<std::size_t>(ends.table)];
    const auto cells = network.table_cells(ends.table);
    const auto price = [&](std::span<const int32_t> choice) {
      const int64_t row = choice[static_cast<std::size_t>(ends.from)];
      return cells[static_cast<std::size_t>(row * table.columns +
                                            choice[static_cast<std::size_t>(ends.to)])];
    };
    const int64_t grown = price(other) - price(choice_);
    if (grown <= most) continue;
    most = grown;
    cause = "reshard of " + report::place_name(names_, {.value = link.value}) + " for " +
            place_of(link.reader);
  }
  return cause;
}

}  // namespace shardy::autoshard
