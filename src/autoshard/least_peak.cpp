// Finds the choice with the least peak. Points of time get weights, whose sum is 1. The least
// weighted sum of live bytes is a lower bound of each peak, and its choice shows which points are
// full: their weights grow.
//
//   live bytes of the choice   3 | 9 | 5     weights   1/3 1/3 1/3   bound 5
//   the next choice            6 | 6 | 5               1/4 1/2 1/4   bound 5.75, peak 6

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "autoshard/block_folding.hpp"
#include "autoshard/network_solver.hpp"

namespace shardy::autoshard {

namespace {

constexpr int64_t kMostWeights = 100;
constexpr int64_t kSweepsPerWeights = 4;
/// Steps without a better bound or peak after which the search ends.
constexpr int kMostFutile = 15;
/// Moves without a lower peak after which a choice is left as it is.
constexpr int64_t kMostFutileMoves = 40;
/// Choices up to which limits between the bound and the peak are tried.
constexpr std::size_t kMostBisected = 1024;
/// Relative difference of peak and bound at which the search ends.
constexpr double kPeakGap = 1e-3;

/// Returns the network without prices. Forbidden prices stay.
CostNetwork without_prices(const CostNetwork& network) {
  CostNetwork free = network;
  const auto clear = [](int64_t& price) { price = price >= kForbidden ? kForbidden : 0; };
  std::ranges::for_each(free.unary, clear);
  std::vector<int32_t> bytes_from(network.tables.size(), -1);
  for (EdgeUsage& usage : free.edge_usages) {  // copies the byte tables, which other edges share
    int32_t& copy = bytes_from[at(usage.table)];
    if (copy < 0) {
      const auto cells = network.table_cells(usage.table);
      copy = static_cast<int32_t>(free.tables.size());
      CostTable table = network.tables[at(usage.table)];
      table.begin = static_cast<int64_t>(free.cells.size());
      free.tables.push_back(table);
      free.cells.insert(free.cells.end(), cells.begin(), cells.end());
    }
    usage.table = copy;
  }
  std::for_each_n(free.cells.begin(), network.cells.size(), clear);
  return free;
}

int64_t peak_in(const WorkNetwork& network, std::span<const int32_t> choice) {
  const std::vector<int64_t> live = live_bytes(network, choice);
  return live.empty() ? 0 : *std::ranges::max_element(live);
}

class LeastPeakSearch {
 public:
  LeastPeakSearch(const CostNetwork& problem, const SolveOptions& options,
                  std::optional<int64_t> limit)
      : problem_(problem), options_(options), limit_(limit) {}

  NetworkSolution run() {
    CostNetwork free = without_prices(problem_);
    free.limit = kUnlimited;
    SolveOptions quiet = options_;
    quiet.on_progress = {};
    found_ = NetworkSolver(free, quiet).run();  // ends at once, unless many pairs are forbidden
    if (found_.choice.empty()) return std::move(found_);
    full_ = make_work_network(free, 0);
    if (restrict_choices(full_, std::vector<char>(full_.unary.size(), 1)) &&
        remove_dominated(full_)) {
      found_.bound_fs = least_live_bytes(full_);
      folded_ = fold_blocks(full_, problem_.blocks);
      network_ = folded_ ? folded_->network : full_;
      search();
      raise_bound();
      if (full_.unary.size() <= kMostBisected && !is_known(found_.bound_fs)) bisect(free);
    }
    found_.price_fs = found_.peak_bytes;
    found_.bound_fs = std::min(found_.bound_fs, found_.peak_bytes);
    const bool is_proven = found_.bound_fs == found_.peak_bytes;
    found_.status = is_proven ? SolveStatus::Proven : SolveStatus::Bounded;
    found_.stopped = options_.stop.stop_requested();
    return std::move(found_);
  }

 private:
  /// Searches in the folded network, if blocks are equal, and else in the full one.
  void search() {
    SolverStage stage(network_, 0);
    weights_.assign(at(network_.num_points), 1.0);
    best_weights_ = weights_;
    local_bound_ = found_.bound_fs;
    stage.passing().sweep(kSweepsPerWeights);
    offer(stage.passing().decode(true));
    double rate = 8;
    int futile = 0;
    for (int64_t step = 0; step < std::min(kMostWeights, options_.effort); ++step) {
      if (is_closed() || futile > kMostFutile || options_.stop.stop_requested()) return;
      const int64_t bound = bound_of(stage, weights_, kSweepsPerWeights);
      found_.sweeps += kSweepsPerWeights;
      const std::vector<int32_t> choice =
          descend(network_, stage.costs(), stage.passing().decode(step % 2 == 0));
      const bool is_lower = offer(choice);
      const bool is_higher = bound > local_bound_;
      if (is_higher) {
        local_bound_ = bound;
        best_weights_ = weights_;
      }
      rate *= is_higher ? 1.5 : 0.6;
      futile = is_lower || is_higher ? 0 : futile + 1;
      move_weights(live_bytes(network_, choice), rate);
    }
  }

  /// Checks whether the limit is above the least peak, or below it because of this bound.
  bool is_known(int64_t bound) const {
    return limit_ && (found_.peak_bytes <= *limit_ || bound > *limit_);
  }
  bool is_closed() const {
    if (is_known(local_bound_)) return true;
    const int64_t gap = found_.peak_bytes - local_bound_;
    return static_cast<double>(gap) <= kPeakGap * static_cast<double>(found_.peak_bytes);
  }

  /// Records the choice of the network after moves that lower its peak. Returns whether its peak is
  /// the least one.
  bool offer(std::vector<int32_t> choice) {
    ChoiceState state(network_, std::move(choice));
    if (state.price() >= kInfinite) return false;
    bool is_lower = record(state.choice());
    for (const int64_t part : {int64_t{64}, int64_t{1024}, INT64_MAX}) {
      while (!is_closed()) {
        network_.limit = std::max(
            local_bound_, found_.peak_bytes - std::max<int64_t>(1, found_.peak_bytes / part));
        ChoiceState lower(network_, state.choice());
        if (!repair(network_, lower, kMostFutileMoves)) break;
        state.reset(lower.choice());
        if (!record(lower.choice())) break;
        is_lower = true;
      }
    }
    return is_lower;
  }

  /// Records the choice if its peak in the full network is the least one. Returns whether it is.
  bool record(const std::vector<int32_t>& choice) {
    const std::vector<int32_t> all = folded_ ? unfolded_choice(*folded_, choice) : choice;
    const int64_t peak = peak_in(full_, all);
    if (peak >= found_.peak_bytes || work_price(full_, all) >= kInfinite) return false;
    found_.peak_bytes = peak;
    found_.choice = original_choice(full_, all);
    return true;
  }

  /// Returns a lower bound of the peak of each choice of the stage's network, with points of these
  /// weights.
  int64_t bound_of(SolverStage& stage, std::span<const double> weights, int64_t sweeps) const {
    const std::vector<int64_t> largest = largest_live_bytes(stage.network());
    const auto most = static_cast<double>(*std::ranges::max_element(largest));
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    // Weighted sums of live bytes are below 2^59.
    const double unit = std::ldexp(1.0, 58 - std::ilogb(most + 1)) / sum;
    std::vector<double> prices;
    for (const double weight : weights) prices.push_back(weight * unit);
    stage.set_byte_prices(prices);
    stage.passing().sweep(sweeps);
    return stage.peak_bound();
  }

  /// Multiplies the weights of full points.
  void move_weights(const std::vector<int64_t>& live, double rate) {
    const auto peak = static_cast<double>(std::max<int64_t>(1, *std::ranges::max_element(live)));
    const double largest = *std::ranges::max_element(weights_);
    for (std::size_t point = 0; point < live.size(); ++point) {
      const double full = static_cast<double>(live[point]) / peak - 1;
      weights_[point] = std::max(weights_[point] / largest, 1e-9) * std::exp(rate * full);
    }
  }

  /// Raises the bound of the result. The bound of a folded network is not valid for the full one,
  /// which gets its messages.
  void raise_bound() {
    if (!folded_) found_.bound_fs = std::max(found_.bound_fs, local_bound_);
    if (!folded_ || local_bound_ <= found_.bound_fs) return;
    SolverStage few(network_, 0);
    bound_of(few, best_weights_, 4 * kSweepsPerWeights);
    SolverStage whole(full_, 0);
    whole.set_messages(unfolded_messages(full_, *folded_, few.messages(), true));
    for (int64_t sweeps = 0; sweeps <= 2 * kSweepsPerWeights; sweeps += kSweepsPerWeights) {
      found_.bound_fs = std::max(found_.bound_fs, bound_of(whole, best_weights_, sweeps));
      if (found_.bound_fs >= local_bound_ || options_.stop.stop_requested()) return;
    }
  }

  /// Searches choices within limits between the bound and the peak. Ends after limits for which
  /// neither a choice nor a proof is found.
  void bisect(CostNetwork& free) {
    constexpr int kMostTries = 40;
    constexpr int kMostUnknown = 3;
    SolveOptions search = options_;  // options for one limit
    search.on_progress = {};
    search.effort = std::min(options_.effort, kMostWeights);
    int unknown = 0;
    int64_t next = found_.bound_fs;
    for (int i = 0; i < kMostTries && unknown < kMostUnknown; ++i) {
      if (found_.bound_fs >= found_.peak_bytes || options_.stop.stop_requested()) return;
      free.limit = std::min(next, found_.peak_bytes - 1);
      search.start = found_.choice;
      NetworkSolution lower = NetworkSolver(free, search, false).run();
      found_.sweeps += lower.sweeps;
      if (!lower.choice.empty()) {
        found_.choice = std::move(lower.choice);
        found_.peak_bytes = lower.peak_bytes;
      } else if (lower.status == SolveStatus::Infeasible) {
        found_.bound_fs = free.limit + 1;
      } else {  // tries a limit nearer to the peak found
        ++unknown;
        next = free.limit + (found_.peak_bytes - free.limit + 1) / 2;
        continue;
      }
      next = found_.bound_fs + (found_.peak_bytes - found_.bound_fs) / 2;
    }
  }

  const CostNetwork& problem_;
  const SolveOptions& options_;
  std::optional<int64_t> limit_;
  WorkNetwork full_;
  std::optional<FoldedNetwork> folded_;
  WorkNetwork network_;  // the folded network, or the full one
  NetworkSolution found_;
  int64_t local_bound_ = 0;  // of the choices of network_
  std::vector<double> weights_, best_weights_;
};

}  // namespace

NetworkSolution find_least_peak(const CostNetwork& network, const SolveOptions& options,
                                std::optional<int64_t> limit) {
  return LeastPeakSearch(network, options, limit).run();
}

}  // namespace shardy::autoshard
