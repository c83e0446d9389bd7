// Automatic sharding: builds the model, searches a choice, compares candidates by their reports,
// drops annotations.
#include "shardy/autoshard/autoshard.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "autoshard/emission.hpp"
#include "autoshard/hint_neighbors.hpp"
#include "autoshard/network_solver.hpp"
#include "autoshard/next_best.hpp"
#include "autoshard/program_folding.hpp"
#include "autoshard/program_model.hpp"
#include "autoshard/program_pricer.hpp"
#include "autoshard/search_setup.hpp"
#include "checking/compile_stages.hpp"
#include "support/quantities.hpp"

namespace shardy::autoshard {

using ir::Module;

namespace {

/// A program and its price.
struct Candidate {
  std::vector<SourceChange> changes;
  ProgramPrice price;
  std::vector<int32_t> choice = {};  // choice of the model
};

/// Relative difference up to which a report has the price of the model.
constexpr double kEqualShare = 1e-3;

/// Returns the options without rewrites of collectives.
AutoshardOptions without_rewrites(AutoshardOptions options) {
  options.compile.collectives.rules = std::vector<std::string>();
  return options;
}

bool has_latency(const CostModel& model) {
  const auto is_late = [](const AxisCost& cost) { return cost.latency_seconds > 0; };
  return is_late(model.other) || std::ranges::any_of(model.axes, is_late, &NamedAxisCost::cost);
}

/// Returns the costs with a part of their latencies. Rewrites join collectives, so that several of
/// them can have one latency.
CostModel eased(CostModel model) {
  constexpr double kPart = 0.25;
  model.other.latency_seconds *= kPart;
  for (NamedAxisCost& axis : model.axes) axis.cost.latency_seconds *= kPart;
  return model;
}

/// Checks whether the nodes of both models have equal numbers of choices.
bool have_equal_choices(const ProgramModel& a, const ProgramModel& b) {
  return a.network().first_choice == b.network().first_choice;
}

auto order_of(const ProgramPrice& price) {
  return std::tuple(price.seconds, price.cost.peak_bytes, price.cost.bytes, price.cost.count);
}

/// A program, with the data that all its searches share.
struct SearchProgram {
  const Module& source;
  Module searched;                    // with the annotations that must hold
  std::optional<ProgramModel> model;  // std::nullopt: the search was stopped before
  std::optional<ProgramModel> eased;  // the model with a part of all latencies, if there are any
  std::vector<ModelTie> ties;         // ties of results to arguments
  ProgramPrice before;                // price of the source
  std::optional<ProgramPrice> own;    // price of `searched`, which is a candidate, too
  Diagnostics diagnostics;            // diagnostics of the compilation of the source
  int64_t bound_fs = 0;               // without a model: a lower bound of its price
  /// Plans of reshards that all compilations share.
  std::unique_ptr<passes::KnownPlans> plans = std::make_unique<passes::KnownPlans>();
};

/// Gives the model a function for the time of a part of the program, in which nothing is hidden.
void price_parts(ModelOptions& asked, const AutoshardOptions& options,
                 const checking::Context& context) {
  const auto seconds_with = [&options, &context](const checking::CompileOptions& compile) {
    return [&options, &context, compile](const Module& program) -> std::optional<double> {
      const auto compiled = report::compile_for_report(program, compile, context);
      if (!compiled) return std::nullopt;
      report::DeviceRates rates = options.rates;
      rates.hidden_share = 0;
      return report::device_time(*compiled, options.model, rates).total();
    };
  };
  asked.seconds_of = seconds_with(options.compile);
  asked.plain_seconds_of = seconds_with(without_rewrites(options).compile);
  asked.propagate = [&options, &context](const Module& program) -> std::optional<Module> {
    auto found = checking::propagate_program(program, options.compile, context);
    if (!found) return std::nullopt;
    return std::move(found->module);
  };
}

/// Compiles the program as it is and builds its model, for searches with a limit of memory if
/// `is_limited`.
DiagnosedResult<SearchProgram> prepare(const Module& source, const AutoshardOptions& options,
                                       const checking::Context& context, bool is_limited) {
  const auto refuse = [](Error error) { return tl::unexpected(Diagnostics{std::move(error)}); };
  if (const Status valid = check_options(options); !valid) return refuse(valid.error());
  auto searched = search_program(source, options);
  if (!searched) return refuse(searched.error());
  auto compiled = report::compile_for_report(source, options.compile, context);
  if (!compiled) return tl::unexpected(std::move(compiled).error());
  auto asked = model_options(source, options);
  if (!asked) return refuse(asked.error());
  price_parts(*asked, options, context);
  asked->stop = options.stop;
  asked->has_phases = is_limited;
  int64_t bound_fs = 0;
  asked->on_stop = [&](int64_t bound) { bound_fs = bound; };
  auto made = ProgramModel::make(*searched, context.ops.rules, *asked);
  if (!made && !options.stop.stop_requested()) return refuse(made.error());
  std::optional<ProgramModel> model;
  if (made) model = *std::move(made);
  const bool is_priced = model.has_value();
  std::optional<ProgramModel> second;
  if (is_priced && has_latency(options.model)) {
    asked->costs = eased(asked->costs);
    auto other = ProgramModel::make(*searched, context.ops.rules, *asked);
    if (other && have_equal_choices(*other, *model)) second = *std::move(other);
  }
  SearchProgram program{.source = source,
                        .searched = *std::move(searched),
                        .model = std::move(model),
                        .eased = std::move(second),
                        .ties = asked->ties,
                        .before = {},
                        .own = {},
                        .diagnostics = {}};
  if (!is_priced) program.bound_fs = bound_fs;
  ProgramPricer pricer(program.searched, options, context, program.ties, *program.plans);
  program.before = pricer.price_of(*compiled);
  program.own = program.before;
  const bool is_held = options.fix.empty() && options.ties.empty();
  if (!is_held) program.own = pricer.price_all({{{}}}).front();
  program.diagnostics = std::move(compiled->diagnostics);
  return program;
}

/// A search for the annotations of one program.
class Autosharder {
 public:
  /// The arguments must outlive this object.
  Autosharder(const SearchProgram& program, const AutoshardOptions& options,
              const checking::Context& context)
      : program_(program),
        options_(options),
        context_(context),
        pricer_(program.searched, options, context, program.ties, *program.plans) {
    found_.before = program.before;
    found_.diagnostics = program.diagnostics;
    found_.model.bound_fs = program.bound_fs;
    if (!program.model) return;
    found_.is_complete = program.model->is_complete();
    found_.num_nodes = program.model->nodes().size();
  }

  DiagnosedResult<FoundSharding> run() {
    if (Status searched = program_.model ? search() : Status(); !searched) {
      return tl::unexpected(Diagnostics{searched.error()});
    }
    descend();
    search_eased();
    if (!best_ && !program_.own) {
      return tl::unexpected(Diagnostics{
          {.message = "no program that was compiled keeps to the fixed annotations and the ties"}});
    }
    finish();
    return std::move(found_);
  }

 private:
  bool fits(const ProgramPrice& price) const {
    return !options_.memory || price.cost.peak_bytes <= *options_.memory;
  }
  /// Orders programs that fit the memory by time, then by peak, bytes sent and collectives.
  /// Programs that do not fit come after them, by peak memory.
  bool is_better(const ProgramPrice& a, const ProgramPrice& b) const {
    if (fits(a) != fits(b)) return fits(a);
    const bool has_other_peak = !fits(a) && a.cost.peak_bytes != b.cost.peak_bytes;
    return has_other_peak ? a.cost.peak_bytes < b.cost.peak_bytes : order_of(a) < order_of(b);
  }
  /// Orders equal programs by the number of annotations, then by the indices of choices in the
  /// order of the nodes. Spec: U.5.
  bool is_better(const Candidate& a, const Candidate& b) const {
    if (is_better(a.price, b.price)) return true;
    if (is_better(b.price, a.price)) return false;
    if (a.changes.size() != b.changes.size()) return a.changes.size() < b.changes.size();
    return a.choice < b.choice;
  }

  void note(std::string stage) const {
    if (!options_.on_progress) return;
    options_.on_progress(
        {std::move(stage), found_.model.bound_fs, found_.model.price_fs, num_programs()});
  }

  /// Returns the number of compiled programs, including the source.
  std::size_t num_programs() const {
    const std::size_t folded = folded_pricer_ ? folded_pricer_->num_programs() : 0;
    return 1 + pricer_.num_programs() + num_plain_ + num_folded_ + folded;
  }

  SolveOptions solve_options() const { return {.effort = options_.effort, .stop = options_.stop}; }

  /// Solves the model and compiles its choices. If programs need more memory than in the model, for
  /// example for offsets of slices, searches again with a lower limit.
  Status search() {
    constexpr int kRounds = 4;
    CostNetwork network = program_.model->network();
    network.limit = options_.memory.value_or(kUnlimited);
    for (int round = 0; round < kRounds; ++round) {
      choices_.clear();
      const NetworkSolution first = found_.model;
      SHARDY_TRY_STATUS(solve_network(network));
      const bool is_found = !found_.model.choice.empty();
      if (round > 0) found_.model = first;  // its bound is valid for the requested limit
      try_choices();
      // A program of the least peak fits, because the model overestimates its peak: the cheapest
      // choice with this peak is better.
      const bool may_improve = !is_found && least_peak_ && best_ && fits(best_->price);
      if (may_improve && round == 0 && !options_.stop.stop_requested()) {
        network.limit = *least_peak_;
        continue;
      }
      const bool is_done = !options_.memory || !best_ || !is_found ||
                           tried_ == options_.candidates || options_.stop.stop_requested();
      if (is_done) return {};
      const int64_t excess = excess_of_search();
      if (excess <= 0) return {};
      network.limit -= excess;
      if (network.limit < 0) return {};
    }
    return {};
  }

  /// Returns the bytes by which the limit of the model is too large: those of the best program
  /// above the limit, or those of the best choice, if the best program is slower than it.
  int64_t excess_of_search() const {
    if (!fits(best_->price)) return best_->price.cost.peak_bytes - *options_.memory;
    if (found_.model.choice.empty()) return 0;
    const double seconds = model_seconds(found_.model.choice);
    const bool is_slower = best_->price.seconds > seconds * (1 + kEqualShare);
    return is_slower ? excess_ : 0;
  }

  Status solve_network(const CostNetwork& network) {
    note("solving");
    SolveOptions solving = solve_options();
    solving.on_progress = [&](const SolveProgress& progress) {
      found_.model.bound_fs = network.in_fs(progress.bound_fs);
      found_.model.price_fs = network.in_fs(progress.price_fs);
      if (!progress.choice.empty()) {
        choices_.emplace_back(progress.choice.begin(), progress.choice.end());
      }
      note("solving");
    };
    SHARDY_TRY(const std::vector<int32_t> start, start_of(network, solving));
    solving.start = start;
    SHARDY_TRY(found_.model, solve(network, solving));
    found_.model.bound_fs = network.in_fs(found_.model.bound_fs);
    found_.model.price_fs = network.in_fs(found_.model.price_fs);
    if (!found_.model.choice.empty()) choices_.push_back(found_.model.choice);
    if (!found_.model.choice.empty() || !options_.memory) return {};
    const NetworkSolution least = find_least_peak(network, solving);
    if (least.choice.empty()) return {};
    choices_.push_back(least.choice);
    least_peak_ = least.peak_bytes;
    return {};
  }

  /// Keeps the candidate if it is better than the best one. Returns whether it is.
  bool offer(Candidate candidate, const ProgramPrice& price) {
    candidate.price = price;
    if (best_ && !is_better(candidate, *best_)) return false;
    best_ = std::move(candidate);
    return true;
  }

  /// Returns a choice within the limit from which the search starts; empty: none. It is the best
  /// choice without second copies of a value if the program has such copies, or the best recipe.
  Result<std::vector<int32_t>> start_of(const CostNetwork& network, const SolveOptions& options) {
    constexpr int64_t kPart = 4;  // of the effort
    SolveOptions quiet = options;
    quiet.on_progress = {};
    quiet.effort = std::max<int64_t>(1, options.effort / kPart);
    const std::vector<int32_t> recipe = best_recipe(network, quiet);
    if (best_ && fits(best_->price) && peak_of(network, best_->choice).bytes <= network.limit) {
      return best_->choice;
    }
    auto kept = program_.model->network_of_kept_copies();
    if (!kept) return recipe;
    kept->limit = network.limit;
    if (!recipe.empty() && autoshard::price_of(*kept, recipe) != kNoPrice) quiet.start = recipe;
    SHARDY_TRY(NetworkSolution found, solve(*kept, quiet));
    const bool is_recipe =
        found.choice.empty() ||
        (!recipe.empty() && autoshard::price_of(network, recipe) < found.price_fs);
    if (is_recipe) return recipe;
    return std::move(found.choice);
  }

  /// Adds the recipes to the candidates of a search with a limit of memory. Returns the cheapest
  /// one that fits in the model; empty: none. Spec: U.7.5.
  std::vector<int32_t> best_recipe(const CostNetwork& network, const SolveOptions& options) {
    constexpr std::size_t kMostClasses = 2;
    constexpr int64_t kSweepsOfRecipe = 40;
    if (!options_.memory) return {};
    if (recipes_.empty()) {
      SolveOptions brief = options;
      brief.effort = std::min(options.effort, kSweepsOfRecipe);
      recipes_ = recipe_choices(*program_.model, network, kMostClasses, brief);
      choices_.insert(choices_.begin(), recipes_.begin(), recipes_.end());
    }
    std::vector<int32_t> best;
    int64_t least = kNoPrice;
    for (const std::vector<int32_t>& recipe : recipes_) {
      const int64_t price = autoshard::price_of(network, recipe);
      if (price >= least || autoshard::peak_of(network, recipe).bytes > network.limit) continue;
      best = recipe;
      least = price;
    }
    return best;
  }

  /// Compiles the last choices of the solver, the best choice first.
  void try_choices() {
    excess_ = 0;
    std::ranges::reverse(choices_);
    std::vector<Candidate> candidates;
    std::vector<std::vector<SourceChange>> lists;
    for (std::vector<int32_t>& choice : choices_) {
      if (tried_ == options_.candidates) break;
      std::vector<SourceChange> changes = changes_of(*program_.model, choice, program_.searched);
      if (std::ranges::find(lists, changes) != lists.end()) continue;
      lists.push_back(changes);
      candidates.push_back({std::move(changes), {}, std::move(choice)});
      ++tried_;
    }
    note("compiling candidates");
    if (lists.empty()) return;
    fold_program(lists.front());
    if (try_best(candidates.front())) return;
    const std::vector<std::size_t> order = order_of_candidates(lists);
    // Without folded programs, all are compiled at once, on several threads.
    const std::size_t step = folded_ ? 1 : order.size();
    for (std::size_t begin = 0; begin < order.size(); begin += step) {
      offer_all(std::span(order).subspan(begin, step), lists, candidates);
      if (best_ && fits(best_->price)) return;
    }
  }

  /// Compiles the candidates with the given numbers. Candidate 0 is the best choice of the solver.
  void offer_all(std::span<const std::size_t> numbers,
                 std::span<const std::vector<SourceChange>> lists,
                 std::vector<Candidate>& candidates) {
    std::vector<std::vector<SourceChange>> asked;
    for (const std::size_t number : numbers) asked.push_back(lists[number]);
    const auto prices = pricer_.price_all(asked);
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      if (!prices[at]) continue;
      if (numbers[at] == 0) note_excess(*prices[at]);
      offer(std::move(candidates[numbers[at]]), *prices[at]);
    }
  }

  /// Compiles the best choice, if it is proven. Returns whether its report has the price of the
  /// model and fits. The other choices have higher prices then. With a latency per message,
  /// rewrites that combine collectives can change the order of choices, so all are compiled.
  bool try_best(const Candidate& candidate) {
    if (found_.model.status != SolveStatus::Proven || has_latency(options_.model)) return false;
    // A cheaper recipe that exceeds the limit in the model can be within it by its report.
    const CostNetwork& network = program_.model->network();
    const int64_t proven = autoshard::price_of(network, candidate.choice);
    const bool has_cheaper = std::ranges::any_of(recipes_, [&](const std::vector<int32_t>& recipe) {
      return autoshard::price_of(network, recipe) < proven;
    });
    if (has_cheaper) return false;
    const auto price = pricer_.price_all({{candidate.changes}}).front();
    if (price) note_excess(*price);
    if (!price || !fits(*price)) return false;
    const double seconds = model_seconds(candidate.choice);
    if (std::abs(price->seconds - seconds) > kEqualShare * seconds) return false;
    offer(candidate, *price);
    return true;
  }

  void note_excess(const ProgramPrice& price) {
    if (options_.memory) excess_ = price.cost.peak_bytes - *options_.memory;
  }

  /// Returns the time of a choice by the model.
  double model_seconds(std::span<const int32_t> choice) const {
    const CostNetwork& network = program_.model->network();
    return static_cast<double>(network.in_fs(autoshard::price_of(network, choice))) * 1e-15;
  }

  /// Folds the program as far as the changes of the best choice allow.
  void fold_program(std::span<const SourceChange> changes) {
    folded_.reset();
    for (const int32_t kept : {1, 2}) {
      folded_ = FoldedProgram::make(*program_.model, program_.searched, kept + 1, kept);
      if (folded_ && folded_->fold(changes)) break;
      folded_.reset();
    }
    if (!folded_) return;
    num_folded_ += folded_pricer_ ? folded_pricer_->num_programs() : 0;
    folded_pricer_.emplace(folded_->module(), options_, context_, folded_->ties(program_.ties),
                           *program_.plans);
  }

  /// Returns the candidates to compile: all of them, or the best of their folded programs, best
  /// first.
  std::vector<std::size_t> order_of_candidates(std::span<const std::vector<SourceChange>> lists) {
    constexpr std::size_t kMostWhole = 4;
    std::vector<std::size_t> order(lists.size());
    std::iota(order.begin(), order.end(), 0);
    if (!folded_ || lists.size() < 2) return order;
    std::vector<std::vector<SourceChange>> folded;
    std::vector<std::size_t> numbers;  // of the candidates in `folded`
    for (std::size_t at = 0; at < lists.size(); ++at) {
      auto changes = folded_->fold(lists[at]);
      if (!changes) continue;
      folded.push_back(std::move(changes->folded.changes));
      numbers.push_back(at);
    }
    const bool is_usable = !numbers.empty() && numbers.front() == 0;
    if (is_usable) {
      const auto prices = folded_pricer_->price_all(folded);
      std::vector<std::size_t> places(numbers.size());
      std::iota(places.begin(), places.end(), 0);
      std::erase_if(places, [&](std::size_t at) { return !prices[at]; });
      std::ranges::stable_sort(places, {}, [&](std::size_t at) {
        return std::tuple(order_of(*prices[at]), folded[at].size());
      });
      order.clear();
      for (const std::size_t at : places) order.push_back(numbers[at]);
    }
    order.resize(std::min(order.size(), kMostWhole));
    return order;
  }

  /// Checks whether the report of the best program differs from the price of its choice, because
  /// collectives were rewritten or reshards merged.
  bool is_rewritten() const {
    return best_->price.seconds < model_seconds(best_->choice) * (1 - kEqualShare);
  }

  /// Compiles choices that differ from the best one at one node, as long as one of them has a
  /// better report. Without rewrites the report has the price of the model, which no neighbor
  /// lowers. Not for programs of equal layers, where one node is a small part of the price and all
  /// layers are compiled. Spec: U.7.2.
  void descend() {
    if (folded_) return;
    constexpr std::size_t kBatch = 8;
    std::size_t left = options_.candidates;
    std::vector<std::vector<SourceChange>> known = {best_ ? best_->changes
                                                          : std::vector<SourceChange>()};
    for (bool is_improved = best_.has_value(); is_improved && left > 0;) {
      if (!is_rewritten() || options_.stop.stop_requested()) return;
      is_improved = false;
      std::vector<Candidate> candidates;
      std::vector<std::vector<SourceChange>> lists;
      const std::size_t count = std::min(left, kBatch);
      for (auto& choice : choice_neighbors(program_.model->network(), best_->choice, count)) {
        auto changes = changes_of(*program_.model, choice, program_.searched);
        if (std::ranges::find(known, changes) != known.end()) continue;
        known.push_back(changes);
        lists.push_back(changes);
        candidates.push_back({std::move(changes), {}, std::move(choice)});
      }
      left -= std::min(left, lists.size());
      note("compiling similar choices");
      const auto prices = pricer_.price_all(lists);
      for (std::size_t at = 0; at < lists.size(); ++at) {
        if (prices[at] && offer(std::move(candidates[at]), *prices[at])) is_improved = true;
      }
    }
  }

  /// Compiles choices of the model with lower latencies. The best of them is a second start of the
  /// descent on hints. Spec: U.7.6.
  void search_eased() {
    constexpr std::size_t kPart = 4;  // of the candidates, and of the effort
    if (!program_.eased || folded_ || options_.stop.stop_requested()) return;
    note("solving with lower latencies");
    CostNetwork network = program_.eased->network();
    network.limit = options_.memory.value_or(kUnlimited);
    std::vector<std::vector<int32_t>> choices;
    SolveOptions solving = solve_options();
    solving.effort = std::max<int64_t>(1, options_.effort / int64_t{kPart});
    solving.on_progress = [&](const SolveProgress& progress) {
      if (progress.choice.empty()) return;
      choices.emplace_back(progress.choice.begin(), progress.choice.end());
    };
    const auto solved = solve(network, solving);
    if (!solved) return;
    if (!solved->choice.empty()) choices.push_back(solved->choice);
    std::ranges::reverse(choices);
    std::vector<Candidate> candidates;
    std::vector<std::vector<SourceChange>> lists;
    for (std::vector<int32_t>& choice : choices) {
      if (lists.size() == (options_.candidates + kPart - 1) / kPart) break;
      auto changes = changes_of(*program_.model, choice, program_.searched);
      if (std::ranges::find(lists, changes) != lists.end()) continue;
      lists.push_back(changes);
      candidates.push_back({std::move(changes), {}, std::move(choice)});
    }
    const auto prices = pricer_.price_all(lists);
    for (std::size_t at = 0; at < lists.size(); ++at) {
      if (!prices[at]) continue;
      candidates[at].price = *prices[at];
      if (!second_ || is_better(candidates[at], *second_)) second_ = candidates[at];
    }
    if (second_ && (!best_ || is_better(*second_, *best_))) std::swap(best_, second_);
  }

  /// Drops annotations of the best program and of the second start, then changes single annotations
  /// as hints do, as long as a report is better. The best program is the result. Spec: U.7.2.
  void polish() {
    const std::optional<Candidate> other = std::move(second_);
    const bool has_other = other && fits(other->price) && other->changes != best_->changes;
    best_ = polished(*std::move(best_));
    if (!has_other) return;
    Candidate second = polished(*other);
    if (is_better(second, *best_)) best_ = std::move(second);
  }

  Candidate polished(Candidate candidate) {
    constexpr std::size_t kMostHints = 20;  // programs per candidate
    std::size_t left = kMostHints * options_.candidates;
    drop_annotations(candidate);
    const double bound = static_cast<double>(found_.model.bound_fs) * 1e-15;
    const bool is_least = found_.model.status == SolveStatus::Proven &&
                          !has_latency(options_.model) &&
                          candidate.price.seconds <= bound * (1 + kEqualShare);
    if (folded_ || is_least) return candidate;
    while (left > 0 && improve(candidate, left)) {
      while (left > 0 && improve(candidate, left)) continue;
      drop_annotations(candidate);
    }
    return candidate;
  }

  /// Changes one annotation of the candidate, if its report is better then. Compiles batches of
  /// changes until one of them has a better program; at most `left` programs.
  bool improve(Candidate& candidate, std::size_t& left) {
    constexpr std::size_t kBatch = 16;
    note("changing annotations");
    auto lists = hint_neighbors(program_.searched, candidate.changes, options_, context_);
    for (std::size_t begin = 0; begin < lists.size() && left > 0; begin += kBatch) {
      if (options_.stop.stop_requested()) return false;
      const std::size_t count = std::min({kBatch, lists.size() - begin, left});
      left -= count;
      const auto prices = pricer_.price_all(std::span(lists).subspan(begin, count));
      std::optional<std::size_t> best;
      for (std::size_t at = 0; at < count; ++at) {
        const ProgramPrice& least = best ? *prices[*best] : candidate.price;
        if (prices[at] && is_better(*prices[at], least)) best = at;
      }
      if (!best) continue;
      candidate.changes = std::move(lists[begin + *best]);
      candidate.price = *prices[*best];
      return true;
    }
    return false;
  }

  void finish() {
    found_.program = program_.source;
    const bool keeps_own = !best_ || (program_.own && !is_better(best_->price, *program_.own));
    if (keeps_own) {
      found_.program = options_.fix.empty() ? program_.source : program_.searched;
      found_.after = program_.own.value_or(found_.before);
      best_.reset();
    } else {
      if (!folded_) compare_with_model();
      if (fits(best_->price)) polish();  // else the peak is an answer, not the program
      found_.program = program_.searched;
      apply_changes(found_.program, best_->changes);
      found_.after = best_->price;
    }
    found_.memory = options_.memory;
    found_.fits = fits(found_.after);
    found_.is_stopped = options_.stop.stop_requested();
    add_edits();
    add_axes();
    found_.is_changed = !found_.edits.empty();
    found_.num_programs = num_programs();
    found_.num_refused =
        pricer_.num_refused() + (folded_pricer_ ? folded_pricer_->num_refused() : 0);
  }

  /// Adds a warning if the report of the best program is more than 1 % above the price of its
  /// choice or below the bound, and not because of rewrites of collectives. Spec: U.7.4.
  void compare_with_model() {
    constexpr double kShare = 1e-2;
    constexpr double kLeast = 1e-12;  // seconds; the model omits the offsets of slices
    const double price = model_seconds(best_->choice);
    const double bound = static_cast<double>(found_.model.bound_fs) * 1e-15;
    const auto differs = [&](double seconds) {
      return seconds > price * (1 + kShare) + kLeast || seconds < bound * (1 - kShare) - kLeast;
    };
    if (!differs(best_->price.seconds) || options_.stop.stop_requested()) return;
    Module program = program_.searched;
    apply_changes(program, best_->changes);
    const auto report = price_of_program(program, without_rewrites(options_), context_);
    if (!report || !differs(report->seconds)) return;
    found_.diagnostics.push_back(
        {.message = "the best choice takes " + time_text(report->seconds) +
                    " by its report without rewrites of collectives, and " + time_text(price) +
                    " by the model; the bound is a bound of the model",
         .severity = Severity::Warning});
  }

  /// Drops annotations as long as neither the time nor the peak memory of the report increases.
  /// Tries this in the folded program first. Spec: U.8.2.
  void drop_annotations(Candidate& candidate) {
    if (folded_ && drop_in_blocks(candidate)) return;
    ChangeGroups all{candidate.changes, std::vector<std::size_t>(candidate.changes.size())};
    std::iota(all.groups.begin(), all.groups.end(), 0);
    auto dropped = fewest(pricer_, program_.searched, program_.ties, all, candidate.price);
    if (!dropped) return;
    candidate.changes = std::move(dropped->changes);
    candidate.price = dropped->price;
  }

  /// Drops the annotations of all blocks that are not needed in the folded program. Returns false
  /// if the whole program needs more of them.
  bool drop_in_blocks(Candidate& best) {
    const auto folded = folded_->fold(best.changes);
    if (!folded) return false;
    note("dropping annotations");
    const auto before = folded_pricer_->price_all({{folded->folded.changes}}).front();
    if (!before) return false;
    const auto dropped = fewest(*folded_pricer_, folded_->module(), folded_->ties(program_.ties),
                                folded->folded, *before);
    if (!dropped) return options_.stop.stop_requested();
    auto changes = folded_->unfold(best.changes, *folded, dropped->changes);
    const auto price = pricer_.price_all({{changes}}).front();
    if (!is_within(price, best.price)) return false;
    best.changes = std::move(changes);
    best.price = *price;
    return true;
  }

  /// Returns the fewest changes with which the price is within `limit`, the price with all of them.
  /// Compares programs without rewrites of collectives first, which compile in a third of the time,
  /// unless rewrites save more than 0.1 %, or can save latencies.
  std::optional<DroppedChanges> fewest(ProgramPricer& pricer, const Module& program,
                                       std::vector<ModelTie> ties, const ChangeGroups& all,
                                       const ProgramPrice& limit) {
    if (has_latency(options_.model)) return dropper(pricer, program).run(all, limit);
    const AutoshardOptions options = without_rewrites(options_);
    ProgramPricer plain(program, options, context_, std::move(ties), *program_.plans);
    const auto before = plain.price_all({{all.changes}}).front();
    std::optional<DroppedChanges> dropped;
    if (before && before->seconds <= limit.seconds * (1 + kEqualShare)) {
      dropped = dropper(plain, program).run(all, *before);
    }
    num_plain_ += plain.num_programs();
    if (dropped) {
      constexpr std::size_t kFewChanges = 16;  // with so few, all tests with rewrites are fast
      const bool is_equal = order_of(*before) == order_of(limit);
      const bool only_partial =
          &pricer != &pricer_ || (is_equal && dropped->changes.size() > kFewChanges);
      auto few = dropper(pricer, program)
                     .without_families(std::move(dropped->changes), limit, only_partial);
      const auto price = pricer.price_all({{few}}, true).front();
      if (is_within(price, limit)) return DroppedChanges{std::move(few), *price};
    }
    return dropper(pricer, program).run(all, limit);
  }

  AnnotationDropper dropper(ProgramPricer& pricer, const Module& program) const {
    return {pricer, program, options_.stop, [this] { note("dropping annotations"); }};
  }

  void add_edits() {
    std::vector<SourceChange> changes;
    if (best_) changes = best_->changes;
    auto edits = annotation_edits(program_.source, found_.program, changes);
    std::optional<NextBestSearch> reasons;
    if (options_.reasons && best_) {
      reasons.emplace(*program_.model, program_.searched, best_->choice, solve_options(),
                      options_.memory.value_or(kUnlimited));
    }
    if (options_.reasons && best_ && !folded_) add_prices_without(edits);
    for (ChangedEdit& each : edits) {
      if (reasons && each.change && each.change->node >= 0 && !options_.stop.stop_requested()) {
        note("comparing annotations");
        each.edit.next_best = reasons->of(*each.change);
      }
      found_.edits.push_back(std::move(each.edit));
    }
  }

  /// Compiles the program without each of its annotations.
  void add_prices_without(std::span<ChangedEdit> edits) {
    note("comparing annotations");
    std::vector<std::vector<SourceChange>> lists;
    for (std::size_t at = 0; at < best_->changes.size(); ++at) {
      lists.push_back(best_->changes);
      lists.back().erase(lists.back().begin() + static_cast<std::ptrdiff_t>(at));
    }
    const auto prices = pricer_.price_all(lists, true);
    if (options_.stop.stop_requested()) return;
    for (ChangedEdit& each : edits) {
      if (!each.change) continue;
      const auto own = std::ranges::find_if(best_->changes, [&](SourceChange change) {
        change.port = each.change->port;  // the index of the edited result
        return change == *each.change;
      });
      if (own == best_->changes.end()) continue;
      const auto& price = prices[static_cast<std::size_t>(own - best_->changes.begin())];
      each.edit.without = PriceWithout{.is_allowed = price.has_value()};
      if (!price) continue;
      each.edit.without->seconds = price->seconds - best_->price.seconds;
      each.edit.without->peak_bytes = price->cost.peak_bytes - best_->price.cost.peak_bytes;
    }
  }

  void add_axes() {
    const auto program = checking::propagate_program(found_.program, options_.compile, context_);
    if (!program) return;
    found_.axes = axis_roles(program->module, context_.ops.rules);
    found_.whole = whole_arguments(program->module, tied_arguments(program_.source, program_.ties));
  }

  const SearchProgram& program_;
  const AutoshardOptions& options_;
  const checking::Context& context_;
  ProgramPricer pricer_;
  std::unique_ptr<FoldedProgram> folded_;       // null: the program has few equal blocks
  std::optional<ProgramPricer> folded_pricer_;  // with folded_
  std::size_t num_folded_ = 0;                  // programs of earlier folded_pricer_
  std::size_t num_plain_ = 0;                   // programs without rewrites
  FoundSharding found_;
  std::vector<std::vector<int32_t>> choices_;
  std::vector<std::vector<int32_t>> recipes_;  // choices of recipe_choices
  std::size_t tried_ = 0;
  int64_t excess_ = 0;  // bytes of the best choice of the last search above the limit
  std::optional<int64_t> least_peak_;  // of the model, if no choice fits the limit
  std::optional<Candidate> best_;
  std::optional<Candidate> second_;  // of the model with lower latencies
};

/// Returns the options with progress of program `number` of the `count` programs of a front.
AutoshardOptions numbered(const AutoshardOptions& options, std::size_t number, std::size_t count) {
  AutoshardOptions all = options;
  if (!options.on_progress) return all;
  const std::string prefix =
      "program " + std::to_string(number) + " of " + std::to_string(count) + ": ";
  all.on_progress = [prefix, report = options.on_progress](AutoshardProgress progress) {
    progress.stage = prefix + progress.stage;
    report(progress);
  };
  return all;
}

/// Drops programs that another program dominates in time and peak memory. Programs without a bound
/// of the time are dropped first.
void drop_dominated(std::vector<FoundSharding>& found) {
  std::ranges::stable_sort(found, {}, [](const FoundSharding& each) {
    return std::tuple(each.after.seconds, each.after.cost.peak_bytes);
  });
  int64_t least = INT64_MAX;
  std::erase_if(found, [&](const FoundSharding& each) {
    const bool is_dominated = each.after.cost.peak_bytes >= least;
    least = std::min(least, each.after.cost.peak_bytes);
    return is_dominated;
  });
}

}  // namespace

DiagnosedResult<FoundSharding> autoshard(const Module& module, const AutoshardOptions& options,
                                         const checking::Context& context) {
  if (options.on_progress) options.on_progress({.stage = "compiling the program"});
  auto program = prepare(module, options, context, options.memory.has_value());
  if (!program) return tl::unexpected(std::move(program).error());
  return Autosharder(*program, options, context).run();
}

DiagnosedResult<std::vector<FoundSharding>> front(const Module& module, std::size_t count,
                                                  const AutoshardOptions& options,
                                                  const checking::Context& context) {
  if (count < 1) return tl::unexpected(Diagnostics{{.message = "a front of 0 programs"}});
  if (options.on_progress) options.on_progress({.stage = "compiling the program"});
  auto program = prepare(module, options, context, count > 1);
  if (!program) return tl::unexpected(std::move(program).error());
  auto fastest = Autosharder(*program, numbered(options, 1, count), context).run();
  if (!fastest) return tl::unexpected(std::move(fastest).error());
  const int64_t most = fastest->after.cost.peak_bytes;
  std::vector<FoundSharding> found;
  found.push_back(*std::move(fastest));
  if (count == 1 || !program->model || options.stop.stop_requested()) return found;
  if (options.on_progress) options.on_progress({.stage = "searching the least peak memory"});
  const auto least =
      solve_least_peak(program->model->network(), {.effort = options.effort, .stop = options.stop});
  if (!least) return tl::unexpected(Diagnostics{least.error()});
  const double ratio = static_cast<double>(std::max<int64_t>(least->peak_bytes, 1)) /
                       static_cast<double>(std::max<int64_t>(most, 1));
  for (std::size_t at = 1; at < count && ratio < 1 && !options.stop.stop_requested(); ++at) {
    AutoshardOptions limited = numbered(options, at + 1, count);
    const double part = static_cast<double>(at) / static_cast<double>(count - 1);
    limited.memory =
        static_cast<int64_t>(std::ceil(static_cast<double>(most) * std::pow(ratio, part)));
    auto next = Autosharder(*program, limited, context).run();
    if (!next) return tl::unexpected(std::move(next).error());
    if (next->fits) found.push_back(*std::move(next));
  }
  drop_dominated(found);
  return found;
}

namespace {

/// A model and its program.
struct ModelOfProgram {
  Module searched;
  ProgramModel model;
};

Result<ModelOfProgram> make_model(const Module& module, const AutoshardOptions& options,
                                  const checking::Context& context) {
  SHARDY_TRY_STATUS(check_options(options));
  SHARDY_TRY(Module searched, search_program(module, options));
  SHARDY_TRY(ModelOptions asked, model_options(module, options));
  price_parts(asked, options, context);
  SHARDY_TRY(ProgramModel model, ProgramModel::make(searched, context.ops.rules, asked));
  return ModelOfProgram{std::move(searched), std::move(model)};
}

}  // namespace

Result<CostNetwork> make_network(const Module& module, const AutoshardOptions& options,
                                 const checking::Context& context) {
  SHARDY_TRY(const ModelOfProgram made, make_model(module, options, context));
  return made.model.network();
}

DiagnosedResult<ProgramPrice> price_of_program(const Module& module,
                                               const AutoshardOptions& options,
                                               const checking::Context& context) {
  const auto refuse = [](Error error) { return tl::unexpected(Diagnostics{std::move(error)}); };
  if (const Status valid = check_options(options); !valid) return refuse(valid.error());
  const auto asked = model_options(module, options);
  if (!asked) return refuse(asked.error());
  const auto compiled = report::compile_for_report(module, options.compile, context);
  if (!compiled) return tl::unexpected(compiled.error());
  passes::KnownPlans plans;
  return ProgramPricer(module, options, context, asked->ties, plans).price_of(*compiled);
}

Result<Module> annotated_program(const Module& module, std::span<const int32_t> choice,
                                 const AutoshardOptions& options,
                                 const checking::Context& context) {
  SHARDY_TRY(ModelOfProgram made, make_model(module, options, context));
  SHARDY_TRY_STATUS(check_choice(made.model.network(), choice));
  if (price_of(made.model.network(), choice) == kNoPrice) return fail("the choice is forbidden");
  apply_changes(made.searched, changes_of(made.model, choice, made.searched));
  return std::move(made.searched);
}

}  // namespace shardy::autoshard
