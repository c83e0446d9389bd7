#include "autoshard/network_solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "autoshard/block_folding.hpp"
#include "autoshard/choice_search.hpp"

namespace shardy::autoshard {

namespace {

constexpr int64_t kSweepsPerRound = 20;
constexpr int64_t kSweepsPerStep = 12;
constexpr int kBlocksPerRound = 8;
/// Steps on the whole network after a search on the folded one: a step there takes longer.
constexpr int64_t kWholeSteps = 8;
/// Cells of tables that a search within a limit may read, per unit of effort.
constexpr double kCellsPerEffort = 5e6;
/// Share of these that the sweeps without the limit may read.
constexpr double kShareOfStart = 0.25;
constexpr EliminationLimits kBlockLimits{.cells = 20'000, .freeze = true};

/// Converts messages to a network with fewer choices of the same nodes.
EdgeMessages carry_messages(const WorkNetwork& from, const EdgeMessages& messages,
                            const WorkNetwork& to) {
  std::vector<int32_t> old_place(to.original.size());
  for (int32_t node = 0; node < to.num_nodes(); ++node) {
    int32_t old = from.first[at(node)];
    for (int32_t i = to.first[at(node)]; i < to.first[at(node) + 1]; ++i) {
      while (from.original[at(old)] != to.original[at(i)]) ++old;
      old_place[at(i)] = old - from.first[at(node)];
    }
  }
  EdgeMessages result = zero_messages(to);
  for (std::size_t edge = 0; edge < to.edges.size(); ++edge) {
    const int32_t* of_a = old_place.data() + to.first[at(to.edges[edge].a)];
    const int32_t* of_b = old_place.data() + to.first[at(to.edges[edge].b)];
    for (int64_t i = result.first_a[edge]; i < result.first_a[edge + 1]; ++i) {
      result.to_a[at(i)] =
          messages.to_a[at(messages.first_a[edge] + of_a[i - result.first_a[edge]])];
    }
    for (int64_t i = result.first_b[edge]; i < result.first_b[edge + 1]; ++i) {
      result.to_b[at(i)] =
          messages.to_b[at(messages.first_b[edge] + of_b[i - result.first_b[edge]])];
    }
  }
  return result;
}

/// Returns the flags of the choices whose bound allows a price of at most `price`.
std::vector<char> possible_choices(const ScaledCosts& costs, const ChainBound& bound,
                                   int64_t price) {
  std::vector<char> keep(bound.with_choice.size(), 1);
  for (std::size_t i = 0; i < keep.size() && price < kInfinite; ++i) {
    keep[i] = costs.to_femtoseconds(bound.with_choice[i]) <= price ? 1 : 0;
  }
  return keep;
}

/// Checks whether a stage of the choices to keep is worth its construction: a twentieth of them is
/// left out, or a node has none.
bool is_worth_restricting(const WorkNetwork& network, std::span<const char> keep) {
  const int64_t left = std::ranges::count(keep, 1);
  if (left * 20 <= static_cast<int64_t>(keep.size()) * 19) return true;
  for (int32_t node = 0; node < network.num_nodes(); ++node) {
    const auto of_node = keep.subspan(at(network.first[at(node)]), at(network.size(node)));
    if (std::ranges::count(of_node, 1) == 0) return true;
  }
  return false;
}

}  // namespace

std::optional<std::vector<int32_t>> local_choice(const WorkNetwork& network,
                                                 std::span<const int32_t> choice) {
  std::vector<int32_t> local(choice.size());
  for (std::size_t node = 0; node < choice.size(); ++node) {
    const auto begin = network.original.begin() + network.first[node];
    const auto end = network.original.begin() + network.first[node + 1];
    const auto found = std::lower_bound(begin, end, choice[node]);
    if (found == end || *found != choice[node]) return std::nullopt;
    local[node] = static_cast<int32_t>(found - begin);
  }
  return local;
}

// ---- Stage --------------------------------------------------------------------------------------

SolverStage::SolverStage(WorkNetwork network, int scale)
    : network_(std::move(network)), costs_(scale_costs(network_, scale)) {
  set_messages(zero_messages(network_));
}

void SolverStage::set_messages(EdgeMessages messages) {
  passing_ = std::make_unique<MessagePassing>(network_, costs_, std::move(messages));
}

void SolverStage::set_byte_prices(std::span<const double> prices) {
  const double largest = prices.empty() ? 0 : *std::ranges::max_element(prices);
  bytes_ = {};
  bytes_.digits = largest > 0 ? std::clamp(40 - std::ilogb(largest), 0, 60) : 0;
  const double most = std::ldexp(1.0, 50);
  for (const double price : prices) {
    const double scaled = std::ldexp(price, bytes_.digits);
    bytes_.of_point.push_back(static_cast<int64_t>(std::min(scaled, most)));
  }
  price_bytes(network_, bytes_, costs_);
  passing_->update_costs();
}

int64_t SolverStage::peak_bound() const { return peak_bound_of(bytes_, bound(false).bound); }

std::unique_ptr<SolverStage> SolverStage::restricted(std::vector<char> keep) const {
  WorkNetwork fewer = network_;
  if (!restrict_choices(fewer, std::move(keep))) return nullptr;
  auto stage = std::make_unique<SolverStage>(std::move(fewer), costs_.scale);
  stage->set_messages(carry_messages(network_, messages(), stage->network()));
  return stage;
}

// ---- Best choices -------------------------------------------------------------------------------

NetworkSolver::NetworkSolver(const CostNetwork& problem, const SolveOptions& options,
                             bool seeks_fitting)
    : problem_(problem), options_(options), seeks_fitting_(seeks_fitting) {}

void NetworkSolver::offer(const WorkNetwork& network, const ChoiceState& state) {
  if (!state.fits() || state.price() >= best_price_) return;
  best_price_ = state.price();
  best_ = original_choice(network, state.choice());
  has_new_best_ = true;
}

void NetworkSolver::offer_free(const WorkNetwork& network, std::vector<int32_t> choice) {
  ChoiceState state(network, std::move(choice));
  offer(network, state);
  if (state.price() >= free_price_) return;
  free_price_ = state.price();
  free_ = original_choice(network, state.choice());
}

void NetworkSolver::offer_start() {
  if (options_.start.empty()) return;
  // The start is a valid choice even if the presolve removed some of its choices from the network.
  const int64_t price = price_of(problem_, options_.start);
  if (price == kNoPrice) return;
  free_.assign(options_.start.begin(), options_.start.end());
  free_price_ = price;
  if (peak_of(problem_, options_.start).bytes > problem_.limit) return;
  best_ = free_;
  best_price_ = price;
  has_new_best_ = true;
}

/// Raises the bound. A bound without any allowed choice means that no choice exists.
void NetworkSolver::raise_bound(int64_t price) {
  if (price >= kInfinite) {
    is_infeasible_ = true;
  } else {
    bound_ = std::max(bound_, price);
  }
}

bool NetworkSolver::is_within_gap() const {
  if (best_price_ >= kInfinite) return false;
  const auto gap = static_cast<double>(best_price_ - bound_);
  return gap <= options_.gap * static_cast<double>(best_price_);
}

/// Counts sweeps, and the cells of tables that they read.
void NetworkSolver::count_sweeps(const WorkNetwork& network, int64_t sweeps) {
  sweeps_ += sweeps;
  int64_t cells = 0;
  for (const WorkEdge& edge : network.edges) cells += network.tables[at(edge.table)].num_cells();
  cells_ += cells * sweeps;
}

/// Checks whether the sweeps read more than a share of the cells that a search may read.
bool NetworkSolver::is_spent(double share) const {
  return static_cast<double>(cells_) >
         share * kCellsPerEffort * static_cast<double>(options_.effort);
}

void NetworkSolver::report_progress() {
  if (!options_.on_progress || is_folded_) return;
  SolveProgress progress;
  progress.sweeps = sweeps_;
  progress.bound_fs = bound_;
  if (best_price_ < kInfinite) progress.price_fs = best_price_;
  if (std::exchange(has_new_best_, false)) progress.choice = best_;
  options_.on_progress(progress);
}

// ---- Without a limit ----------------------------------------------------------------------------

void NetworkSolver::improve_blocks(SolverStage& stage) {
  const WorkNetwork& network = stage.network();
  if (free_.empty()) return;
  auto choice = local_choice(network, free_);
  if (!choice) return;
  for (int i = 0; i < kBlocksPerRound; ++i) {
    const auto block = block_around(network, block_counter_++);
    eliminate(network, stage.costs(), block, kBlockLimits, *choice);
  }
  offer_free(network, std::move(*choice));
}

void NetworkSolver::try_choices(SolverStage& stage) {
  const WorkNetwork& network = stage.network();
  for (const bool forward : {true, false}) {
    offer_free(network, descend(network, stage.costs(), stage.passing().decode(forward)));
  }
  improve_blocks(stage);
}

bool NetworkSolver::solve_by_elimination(const SolverStage& stage) {
  std::vector<int32_t> all(at(stage.network().num_nodes()));
  std::iota(all.begin(), all.end(), 0);
  std::vector<int32_t> choice(all.size(), 0);
  if (!eliminate(stage.network(), stage.costs(), all, {}, choice)) return false;
  offer_free(stage.network(), std::move(choice));
  return true;
}

/// Sweeps over a folded network until its bound equals the price of a choice or stops increasing.
/// Returns the best choice.
std::vector<int32_t> NetworkSolver::sweep_folded(SolverStage& few) {
  const WorkNetwork& network = few.network();
  std::vector<int32_t> best;
  int64_t best_price = kInfinite;
  int64_t bound = -1;
  while (!stop_requested() && sweeps_ < options_.effort) {
    few.passing().sweep(kSweepsPerRound);
    sweeps_ += kSweepsPerRound;
    const int64_t last_bound = bound;
    bound = few.costs().to_femtoseconds(few.bound(false).bound);
    for (const bool forward : {true, false}) {
      std::vector<int32_t> choice = descend(network, few.costs(), few.passing().decode(forward));
      for (int i = 0; i < kBlocksPerRound / 2; ++i) {
        const auto block = block_around(network, block_counter_++);
        eliminate(network, few.costs(), block, kBlockLimits, choice);
      }
      const int64_t price = work_price(network, choice);
      if (best.empty() || price < best_price) best = std::move(choice);
      best_price = std::min(best_price, price);
    }
    if (bound >= best_price || bound - last_bound <= bound / 10'000'000) break;
  }
  return best;
}

/// Solves the network with few of its equal blocks. Copies the messages and choices of one of them
/// to the removed blocks. Returns false if no blocks are equal. Spec: U.6.3.
bool NetworkSolver::start_folded(SolverStage& stage) {
  const auto folded = fold_blocks(full_, problem_.blocks);
  if (!folded) return false;
  SolverStage few(folded->network, scale_);
  const std::vector<int32_t> choice = sweep_folded(few);
  stage.set_messages(unfolded_messages(full_, *folded, few.messages()));
  if (!choice.empty()) {
    offer_free(full_, descend(full_, stage.costs(), unfolded_choice(*folded, choice)));
  }
  return true;
}

/// Passes messages, computes a bound with them, and tries choices. `is_full`: the stage has all
/// choices.
ChainBound NetworkSolver::run_round(SolverStage& stage, bool is_full, bool has_messages) {
  if (!has_messages) {
    stage.passing().sweep(kSweepsPerRound);
    count_sweeps(stage.network(), kSweepsPerRound);
  }
  if (is_full) full_messages_ = stage.messages();
  ChainBound bound = stage.bound(true);
  raise_bound(stage.costs().to_femtoseconds(bound.bound));
  try_choices(stage);
  report_progress();
  return bound;
}

void NetworkSolver::search_without_limit() {
  auto stage = std::make_unique<SolverStage>(full_, scale_);
  bool is_full = true;
  bool is_tried = false;  // nodes of the stage cannot be eliminated
  bool has_messages = start_folded(*stage);
  for (int64_t last_bound = -1; !stop_requested();) {
    const ChainBound bound = run_round(*stage, is_full, std::exchange(has_messages, false));
    if (bound_ >= free_price_) return;
    const std::vector<char> keep = possible_choices(stage->costs(), bound, free_price_);
    if (is_worth_restricting(stage->network(), keep)) {
      stage = stage->restricted(keep);
      if (stage == nullptr) return raise_bound(free_price_);
      left_ = std::ranges::count(keep, 1);
      is_full = false;
      is_tried = false;
    }
    // Rounded prices (a negative scale) do not prove an optimum to the last femtosecond.
    if (scale_ >= 0 && !std::exchange(is_tried, true) && solve_by_elimination(*stage)) {
      return raise_bound(free_price_);
    }
    const bool stalled = bound_ - last_bound <= bound_ / 10'000'000;
    // A cheapest choice above the limit is only the start of the search within it.
    if (has_limit() && free_price_ < best_price_ && is_spent(kShareOfStart)) break;
    last_bound = bound_;
    if (stalled || sweeps_ >= options_.effort) break;
  }
  if (!has_limit() && !stop_requested()) close(*stage);
}

// ---- Within the limit ---------------------------------------------------------------------------

/// A search for prices per byte, by steps in the direction of the bytes above the limit (Polyak).
class NetworkSolver::LimitSearch {
 public:
  /// `prices` are the prices per byte of the stage, one per point.
  LimitSearch(NetworkSolver& solver, std::unique_ptr<SolverStage> stage, std::vector<double> prices)
      : solver_(solver),
        stage_(std::move(stage)),
        prices_(std::move(prices)),
        largest_price_(solver.largest_price()) {}

  void run(int64_t steps) {
    for (int64_t step = 0; step < steps; ++step) {
      const bool fixes = step % 10 == 9;
      const ChainBound bound = stage_->bound(fixes);
      note_bound(bound.bound);
      std::vector<int32_t> choice = find_choice(step);
      solver_.report_progress();
      if (is_over() || solver_.is_spent(1) || solver_.stop_requested()) break;
      if (fixes && !fix(bound)) break;
      if (fixes && !choice.empty()) choice = decode(step);
      if (!step_prices(static_cast<double>(bound.bound), choice)) break;
      stage_->set_byte_prices(prices_);
      stage_->passing().sweep(kSweepsPerStep);
      solver_.count_sweeps(network(), kSweepsPerStep);
    }
  }

  SolverStage& stage() {
    stage_->set_byte_prices(best_prices());
    return *stage_;
  }
  const std::vector<double>& best_prices() const {
    return best_prices_.size() == prices_.size() ? best_prices_ : prices_;
  }

 private:
  const WorkNetwork& network() const { return stage_->network(); }

  bool is_over() {
    if (solver_.bound_ > largest_price_) solver_.is_infeasible_ = true;
    return solver_.is_infeasible_ || solver_.is_within_gap();
  }

  void note_bound(int64_t scaled) {
    if (scaled > best_bound_) {
      best_bound_ = scaled;
      best_prices_ = prices_;
      since_ = 0;
    } else if (++since_ > 12) {
      theta_ *= 0.8;
      since_ = 0;
    }
    solver_.raise_bound(stage_->costs().to_femtoseconds(scaled));
  }

  std::vector<int32_t> decode(int64_t step) {
    return descend(network(), stage_->costs(), stage_->passing().decode(step % 2 == 0));
  }

  /// Returns the choice of this step, which may not fit the limit. Records the choices that fit.
  std::vector<int32_t> find_choice(int64_t step) {
    std::vector<int32_t> choice = decode(step);
    if (step % 4 == 3) choice = move_blocks(step, std::move(choice));
    ChoiceState state(network(), choice);
    if (state.fits() || repair(network(), state)) {
      descend_within_limit(network(), state);
      solver_.offer(network(), state);
    }
    return choice;
  }

  /// Improves blocks of nodes with priced bytes, starting from the best choice or the choice of
  /// this step.
  std::vector<int32_t> move_blocks(int64_t step, std::vector<int32_t> moved) {
    if (step % 8 == 3) {
      auto best = solver_.best_.empty() ? std::nullopt : local_choice(network(), solver_.best_);
      if (best) moved = std::move(*best);
    }
    for (int i = 0; i < kBlocksPerRound; ++i) {
      const auto block = block_around(network(), solver_.block_counter_++);
      if (!eliminate(network(), stage_->costs(), block, kBlockLimits, moved)) continue;
      solver_.offer(network(), ChoiceState(network(), moved));
    }
    return moved;
  }

  /// Removes choices that cannot be part of a better choice. Returns false if a node has no choice
  /// left.
  bool fix(const ChainBound& bound) {
    if (solver_.best_price_ >= kInfinite) return true;
    std::vector<char> keep = possible_choices(stage_->costs(), bound, solver_.best_price_ - 1);
    const int64_t left = std::ranges::count(keep, 1);
    if (!is_worth_restricting(network(), keep)) return true;
    const std::vector<int64_t> times = network().times;
    auto fewer = stage_->restricted(std::move(keep));
    if (fewer == nullptr) {
      solver_.is_complete_ = true;
      return false;
    }
    stage_ = std::move(fewer);
    solver_.left_ = left;
    prices_ = at_times(prices_, times);
    best_prices_ = at_times(best_prices_, times);
    stage_->set_byte_prices(prices_);
    return true;
  }

  /// Returns the prices of the remaining points.
  std::vector<double> at_times(const std::vector<double>& prices,
                               const std::vector<int64_t>& times) const {
    std::vector<double> result;
    for (const int64_t time : network().times) {
      result.push_back(prices[at(std::ranges::lower_bound(times, time) - times.begin())]);
    }
    return result;
  }

  /// Updates the prices. Returns false if the prices are the best ones.
  bool step_prices(double bound, const std::vector<int32_t>& choice) {
    const std::vector<int64_t> live = live_bytes(network(), choice);
    double norm = 0;
    std::vector<double> excess(live.size(), 0.0);
    for (std::size_t i = 0; i < live.size(); ++i) {
      excess[i] = static_cast<double>(live[i] - network().limit);
      if (prices_[i] <= 0 && excess[i] < 0) excess[i] = 0;
      norm += excess[i] * excess[i];
    }
    if (norm <= 0) return false;
    const double size = std::max(std::abs(static_cast<double>(best_bound_)), 1e6);
    double target = std::max(bound, static_cast<double>(best_bound_)) + 0.15 * size;
    if (solver_.best_price_ < kInfinite) {
      target =
          std::min(target, std::ldexp(static_cast<double>(solver_.best_price_), solver_.scale_));
    }
    const double length = theta_ * std::max(target - bound, 1e-6 * size) / norm;
    for (std::size_t i = 0; i < live.size(); ++i) {
      prices_[i] = std::max(0.0, prices_[i] + length * excess[i]);
    }
    return true;
  }

  NetworkSolver& solver_;
  std::unique_ptr<SolverStage> stage_;
  std::vector<double> prices_, best_prices_;  // price of a byte at each point, scaled
  int64_t largest_price_ = 0;
  int64_t best_bound_ = INT64_MIN;  // scaled
  double theta_ = 1;
  int since_ = 0;  // number of steps since the best bound
};

/// Returns an upper limit of the price of all choices. A bound above it proves that no choice fits.
int64_t NetworkSolver::largest_price() const {
  int64_t sum = 0;
  std::vector<int64_t> largest_of;
  for (const WorkTable& table : full_.tables) {
    int64_t largest = 0;
    const int64_t* cells = full_.cells.data() + table.begin;
    for (int64_t k = 0; k < table.num_cells(); ++k) {
      if (cells[k] < kInfinite) largest = std::max(largest, cells[k]);
    }
    largest_of.push_back(largest);
  }
  for (const WorkEdge& edge : full_.edges) sum += largest_of[at(edge.table)];
  for (int32_t node = 0; node < full_.num_nodes(); ++node) {
    const auto begin = full_.unary.begin() + full_.first[at(node)];
    sum += *std::max_element(begin, begin + full_.size(node));
  }
  return sum;
}

/// Searches within the limit. Returns the prices per byte of the best bound, for the points of
/// full_.
std::vector<double> NetworkSolver::search_byte_prices() {
  auto stage = std::make_unique<SolverStage>(full_, scale_);
  stage->passing().sweep(kSweepsPerRound);
  LimitSearch search(*this, std::move(stage), std::vector<double>(at(full_.num_points), 0.0));
  search.run(options_.effort);
  std::vector<double> prices(at(full_.num_points), 0.0);
  const std::vector<int64_t>& times = search.stage().network().times;
  for (std::size_t point = 0; point < times.size(); ++point) {
    prices[at(std::ranges::lower_bound(full_.times, times[point]) - full_.times.begin())] =
        search.best_prices()[point];
  }
  return prices;
}

/// Searches with few of the equal blocks, which have the prices and live bytes of all. Offers the
/// choice in which removed blocks have the choices of their representative. Gives the stage of the
/// whole network messages, and returns its prices per byte; std::nullopt if no blocks are equal.
/// Spec: U.6.7.
std::optional<std::vector<double>> NetworkSolver::search_folded_limit(SolverStage& stage) {
  if (is_folded_) return std::nullopt;
  auto folded = fold_blocks(full_, problem_.blocks);
  if (!folded) return std::nullopt;
  count_removed(*folded);
  NetworkSolver few(problem_, options_);
  few.is_folded_ = true;
  few.full_ = folded->network;
  few.scale_ = scale_;
  std::vector<double> prices = few.search_byte_prices();
  sweeps_ += few.sweeps_;
  if (!few.best_.empty()) {
    const auto choice = local_choice(folded->network, few.best_);
    ChoiceState state(full_, unfolded_choice(*folded, *choice));
    // Blocks next to the removed ones may have other choices than the representative.
    if (state.price() < kInfinite && !state.fits()) repair(full_, state);
    offer(full_, state);
  }
  report_progress();
  SolverStage priced(std::move(folded->network), scale_);
  priced.set_byte_prices(prices);
  priced.passing().sweep(2 * kSweepsPerRound);
  folded->network = priced.network();
  stage.set_messages(unfolded_messages(full_, *folded, priced.messages(), true));
  return prices;
}

/// If no choice is known that fits the limit: searches one, or a proof that none does.
void NetworkSolver::find_fitting() {
  if (best_price_ < kInfinite || !seeks_fitting_) return;
  const NetworkSolution least = find_least_peak(problem_, options_, full_.limit);
  sweeps_ += least.sweeps;
  is_infeasible_ |= least.bound_fs > full_.limit;
  if (least.choice.empty() || least.peak_bytes > full_.limit) return;
  best_ = least.choice;
  best_price_ = price_of(problem_, best_);
  has_new_best_ = true;
  report_progress();
}

void NetworkSolver::search_within_limit() {
  find_fitting();
  if (is_infeasible_ || stop_requested()) return;
  auto stage = std::make_unique<SolverStage>(full_, scale_);
  auto prices = search_folded_limit(*stage);
  const int64_t steps = prices ? kWholeSteps : options_.effort;
  if (!prices) {
    stage->set_messages(std::move(full_messages_));
    prices.emplace(at(full_.num_points), 0.0);
  }
  stage->set_byte_prices(*prices);
  LimitSearch search(*this, std::move(stage), *std::move(prices));
  search.run(steps);
  if (is_infeasible_ || is_complete_ || stop_requested()) return;
  close(search.stage());
}

// ---- Result -------------------------------------------------------------------------------------

void NetworkSolver::close(SolverStage& stage) {
  if (bound_ >= best_price_) return;
  ClosingGoal goal{.price = best_price_, .lower_peak = false, .stop = options_.stop};
  const ClosingResult result = search_all(stage.network(), stage.costs(), stage.messages(), goal);
  if (!result.choice.empty()) {
    offer(stage.network(), ChoiceState(stage.network(), result.choice));
  }
  is_complete_ |= result.complete;
  report_progress();
}

void NetworkSolver::lower_bytes_of_best() {
  const int64_t peak = peak_of(problem_, best_).bytes;
  if (peak == 0) return;
  WorkNetwork all = make_work_network(problem_, 0);
  all.limit = peak;
  ChoiceState state(all, best_);
  release_bytes(all, state);
  best_ = state.choice();
}

/// Searches the choices within a limit whose bounds allow the best price. Returns the choice of the
/// goal; empty: not found.
std::vector<int32_t> NetworkSolver::search_equal(int64_t limit, const ClosingGoal& goal) const {
  WorkNetwork equal = make_work_network(problem_, limit);
  if (!restrict_choices(equal, std::vector<char>(equal.unary.size(), 1))) return {};
  auto stage = std::make_unique<SolverStage>(std::move(equal), scale_);
  stage->passing().sweep(2 * kSweepsPerRound);
  stage = stage->restricted(possible_choices(stage->costs(), stage->bound(true), best_price_));
  if (stage == nullptr) return {};
  const ClosingResult result =
      search_all(stage->network(), stage->costs(), stage->messages(), goal);
  if (result.choice.empty()) return {};
  return original_choice(stage->network(), result.choice);
}

/// Replaces a solution that is not proven, or of a large problem, by one of its price with fewer
/// live bytes. Replaces another solution by the one with the lowest peak of those with its price,
/// and this by the first one with its peak, by the indices of choices in the order of nodes. Spec:
/// U.5.
void NetworkSolver::choose_among_equal() {
  constexpr int64_t kMostChoices = 4096;
  constexpr int64_t kMostSteps = 20'000;
  if (stop_requested()) return;
  const bool is_small = static_cast<int64_t>(problem_.unary.size()) <= kMostChoices;
  if (bound_ < best_price_ || !is_small) return lower_bytes_of_best();
  ClosingGoal goal{.price = best_price_, .most_steps = kMostSteps, .stop = options_.stop};
  goal.lower_peak = true;
  // A search ignores the time points that cannot exceed its limit, so the next one may find less.
  for (bool is_lower = true; is_lower;) {
    const int64_t peak = peak_of(problem_, best_).bytes;
    auto lower = peak > 0 ? search_equal(peak - 1, goal) : std::vector<int32_t>();
    is_lower = !lower.empty();
    if (is_lower) best_ = std::move(lower);
  }
  goal.lower_peak = false;
  goal.first_index = true;
  auto first = search_equal(peak_of(problem_, best_).bytes, goal);
  if (!first.empty()) best_ = std::move(first);
}

NetworkSolution NetworkSolver::finish() const {
  NetworkSolution solution;
  solution.sweeps = sweeps_;
  solution.left = left_;
  solution.stopped = stop_requested();
  solution.bound_fs = bound_;
  if (best_price_ >= kInfinite) {
    const bool none = is_infeasible_ || is_complete_;
    solution.status = none ? SolveStatus::Infeasible : SolveStatus::NotFound;
    return solution;
  }
  solution.choice = best_;
  solution.price_fs = best_price_;
  solution.bound_fs = std::min(bound_, best_price_);
  solution.peak_bytes = peak_of(problem_, best_).bytes;
  const bool proven = solution.bound_fs == best_price_;
  solution.status = proven ? SolveStatus::Proven : SolveStatus::Bounded;
  return solution;
}

NetworkSolution NetworkSolver::run() {
  full_ = make_work_network(problem_, problem_.limit);
  const bool possible = restrict_choices(full_, std::vector<char>(full_.unary.size(), 1)) &&
                        remove_dominated(full_) && least_live_bytes(full_) <= full_.limit;
  if (!possible) {
    is_infeasible_ = true;
    return finish();
  }
  if (full_.num_nodes() == 0) {
    best_price_ = 0;
    return finish();
  }
  scale_ = scale_for(full_);
  left_ = static_cast<int64_t>(full_.unary.size());
  offer_start();
  search_without_limit();
  const bool is_open = !is_infeasible_ && bound_ < best_price_;
  if (has_limit() && is_open && !stop_requested()) search_within_limit();
  if (best_price_ < kInfinite) {
    if (is_complete_) raise_bound(best_price_);
    choose_among_equal();
  }
  return finish();
}

}  // namespace shardy::autoshard
