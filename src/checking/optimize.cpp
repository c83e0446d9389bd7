// Per-device programs with and without rewrites of collectives. The better program is kept.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <future>
#include <iterator>
#include <list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checking/compile_stages.hpp"
#include "ir/program_facts.hpp"
#include "partitioning/program_rewrites.hpp"
#include "shardy/checking/compile.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/partitioning/partition.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/resharding/cost.hpp"
#include "shardy/support/contract.hpp"
#include "shardy/support/limits.hpp"
#include "shardy/support/result.hpp"

namespace shardy::checking {

using partitioning::ProgramCost;

std::vector<std::string> all_collective_rules() {
  const auto names = passes::collective_rules();
  std::vector<std::string> all(names.begin(), names.end());
  all.emplace_back(passes::kBestCommonAxes);
  all.emplace_back(passes::kMoveShardings);
  all.emplace_back(partitioning::kHoistCollectives);
  all.emplace_back(partitioning::kSinkLoopCollectives);
  all.emplace_back(partitioning::kJoinExchanges);
  all.emplace_back(partitioning::kSharePermutes);
  all.emplace_back(partitioning::kUnitePermutes);
  all.emplace_back(kCombineReductions);
  return all;
}

std::vector<std::string> chosen_rules(const CompileOptions& options) {
  if (options.collectives.rules) return *options.collectives.rules;
  const bool is_best = options.pipeline.exporting.resharding.plans == PlanKind::Best;
  return is_best ? all_collective_rules() : std::vector<std::string>();
}

Diagnostics exceeded(LimitChecker& limits, std::string_view phase, int64_t bytes) {
  if (limits.may_continue() && limits.may_hold(bytes)) return {};
  return {limits.status(phase).error()};
}

namespace {

constexpr std::string_view kOptimization = "optimization";

/// The growth of the peak memory that a rewrite may cause.
struct Growth {
  double share = 0;                          // of the peak; 0: none
  std::optional<int64_t> device_bytes = {};  // CollectiveOptions::device_bytes
};

/// A peak that each device of a mesh has room for: below it, a rewrite that sends less may hold
/// more.
constexpr int64_t kSmallPeak = int64_t{1} << 20;

/// Returns the highest peak memory that a rewrite of a program with the peak `before` may have.
double highest_peak(int64_t before, const Growth& growth, bool sends_less) {
  if (growth.share == 0 && !sends_less) return static_cast<double>(before);
  if (growth.device_bytes) return static_cast<double>(std::max(before, *growth.device_bytes));
  return static_cast<double>(std::max(before, kSmallPeak)) * (1 + growth.share);
}

/// Returns whole programs, until one cannot be made.
class WholePrograms {
 public:
  explicit WholePrograms(const Unfolding* unfold) : unfold_(unfold) {}

  /// Checks whether programs are folded.
  bool are_needed() const { return unfold_ != nullptr; }
  /// Requires: are_needed().
  std::optional<ir::Module> of(const ir::Module& program) {
    auto whole = (*unfold_)(program);
    has_failed_ = has_failed_ || !whole;
    return whole;
  }
  /// Returns an error if a whole program could not be made: costs are those of a folded program.
  Diagnostics errors() const {
    if (!has_failed_) return {};
    return {{.message = "the layers of the program differ after it is partitioned"}};
  }
  /// From now on programs are whole.
  void end() { unfold_ = nullptr; }

 private:
  const Unfolding* unfold_;
  bool has_failed_ = false;
};

/// The costs of one program. Each is computed when it is first read.
class KnownCosts {
 public:
  explicit KnownCosts(WholePrograms& wholes) : wholes_(&wholes) {}

  const ProgramCost& of(const ir::Module& program) {
    if (!cost_) cost_ = partitioning::program_cost(whole(program));
    return *cost_;
  }
  int64_t fused_peak_bytes(const ir::Module& program) {
    if (!fused_peak_bytes_) fused_peak_bytes_ = partitioning::fused_peak_bytes(whole(program));
    return *fused_peak_bytes_;
  }
  /// Returns the whole program, which has the same costs; std::nullopt if it cannot be made.
  std::optional<ir::Module> take_whole(const ir::Module& program) {
    whole(program);
    return std::exchange(whole_, std::nullopt);
  }

 private:
  const ir::Module& whole(const ir::Module& program) {
    if (!whole_ && wholes_->are_needed()) whole_ = wholes_->of(program);
    return whole_ ? *whole_ : program;
  }

  WholePrograms* wholes_;
  std::optional<ir::Module> whole_;  // of a folded program
  std::optional<ProgramCost> cost_;
  std::optional<int64_t> fused_peak_bytes_;
};

/// A program and its costs.
struct PricedProgram {
  const ir::Module& program;
  KnownCosts& costs;
};

/// Checks whether program `a` sends at most as many bytes as `b` and the peak memory of `a` is at
/// most the peak of `b` plus the growth. If `a` sends fewer bytes, the peaks are computed with
/// fused elementwise ops, and small peaks may grow. Returns false early if a limit is exceeded.
bool is_no_worse(const PricedProgram& a, const PricedProgram& b, LimitChecker& limits,
                 const Growth& growth) {
  const ProgramCost& cost = a.costs.of(a.program);
  if (!limits.may_continue()) return false;
  const ProgramCost& before = b.costs.of(b.program);
  const bool sends_less = cost.bytes_sent < before.bytes_sent;
  const auto fits = [&](int64_t peak, int64_t most) {
    return static_cast<double>(peak) <= highest_peak(most, growth, sends_less);
  };
  if (cost.bytes_sent > before.bytes_sent) return false;
  if (fits(cost.peak_bytes, before.peak_bytes)) return true;
  return sends_less && limits.may_continue() &&
         fits(a.costs.fused_peak_bytes(a.program), b.costs.fused_peak_bytes(b.program));
}

/// The allowed growth of the peak memory if collectives are hoisted out of loops. Their results
/// live as long as the loop and save a collective in each iteration.
constexpr double kLoopGrowth = 0.25;
/// The allowed growth of the peak memory if collectives are sunk below loops. The carried value,
/// the summand and their sum are then as large as the operand of the collective.
constexpr double kSumGrowth = 0.5;
/// The allowed growth of the peak memory if permutes send fewer bytes. The first permute then also
/// carries the rows that only the last slice reads, and blocks of a joined exchange are selected by
/// the coordinate of the device.
constexpr double kPermuteGrowth = 0.125;

/// A rewrite rule of the per-device program.
using ProgramRule = std::function<std::vector<passes::CollectiveRewrite>(ir::Module& program)>;

/// Partitions programs with rewrites and keeps the best program so far.
class Optimizer {
 public:
  Optimizer(const CompileOptions& options, const Context& context, CostModel model,
            const StageResources& resources)
      : options_(options),
        context_(context),
        model_(std::move(model)),
        limits_(resources.limits),
        plans_(resources.plans),
        partition_(options.partition),
        wholes_(resources.unfold) {
    partition_.stablehlo.reset();
    partition_.limits = &limits_;
  }

  Diagnostics start(ir::Module collectives);
  /// Applies rules. If the program becomes worse, applies each rule alone. Errors: an exceeded
  /// limit, and those of the rules.
  Diagnostics rewrite_collectives(const std::vector<std::string>& rules);
  /// Requires: the rule changes nothing if it returns no rewrites, or it is the last rule. Errors:
  /// an exceeded limit.
  Diagnostics rewrite_program(const ProgramRule& rule, double growth = 0);
  Diagnostics join_exchanges();
  void loop_products(int64_t max_gather_bytes);
  /// Replaces a folded program by the whole program. Errors: the whole program cannot be made.
  Diagnostics unfold();
  /// Returns the error of a folded program whose costs are not those of the whole program.
  Diagnostics unfolding_errors() const { return wholes_.errors(); }
  /// Inserts rewrites of earlier stages before the rewrites of this stage.
  void add_rewrites(const std::vector<passes::CollectiveRewrite>& earlier) {
    best_.rewrites.insert(best_.rewrites.begin(), earlier.begin(), earlier.end());
  }
  /// Checks whether the best program is at most as costly as the best program of `other`.
  bool is_no_worse_than(Optimizer& other) {
    return is_no_worse(priced(), other.priced(), limits_, {0, options_.collectives.device_bytes});
  }
  const ir::Module& program() const { return best_.result.module; }
  /// Returns the bytes that a device sends in the best program.
  int64_t bytes_sent() { return costs_.of(program()).bytes_sent; }
  LimitChecker& limits() { return limits_; }
  /// Returns the estimated bytes of the best program in both forms, and of `other`.
  int64_t bytes_with(const ir::Module& other) const {
    return ir::program_bytes(best_.collectives) + ir::program_bytes(best_.result.module) +
           ir::program_bytes(other);
  }
  /// Frees the memory that only rewrites need.
  void end_rewrites() { copy_.reset(); }
  /// Returns the best program, in the requested form.
  DiagnosedResult<OptimizedProgram> take();

 private:
  using Rewrites = std::vector<passes::CollectiveRewrite>;

  /// The rewrites of an attempt to apply rules.
  struct Attempt {
    bool is_accepted = true;  // false: the program became worse
    Rewrites rewrites = {};
  };
  DiagnosedResult<Attempt> try_rules(const std::vector<std::string>& rules);
  PricedProgram priced() { return {best_.result.module, costs_}; }

  const CompileOptions& options_;
  const Context& context_;
  CostModel model_;
  LimitChecker& limits_;
  passes::KnownPlans& plans_;
  // Options of the program of which costs and rewrites are computed.
  partitioning::PartitionOptions partition_;
  OptimizedProgram best_;
  WholePrograms wholes_;
  KnownCosts costs_{wholes_};       // of the best program
  std::optional<ir::Module> copy_;  // of the best program, for the next rule
};

Diagnostics Optimizer::start(ir::Module collectives) {
  auto result = partitioning::partition(collectives, partition_, context_.ops);
  if (!result) return std::move(result).error();
  best_ = {std::move(collectives), *std::move(result), {}};
  return {};
}

/// Returns the rules that rewrite nothing if they are applied alone, or that make the program
/// worse, after all rules made it worse with these rewrites: rules before the first one that
/// rewrote something, and the only one that did.
std::span<const std::string_view> known_rules(std::span<const passes::CollectiveRewrite> rewrites) {
  const std::span<const std::string_view> rules = passes::collective_rules();
  const std::string& first = rewrites.front().rule;
  const auto at = std::ranges::find(rules, first) - rules.begin();
  const bool is_only =
      std::ranges::all_of(rewrites, [&](const auto& each) { return each.rule == first; });
  return rules.first(static_cast<std::size_t>(at + (is_only ? 1 : 0)));
}

Diagnostics Optimizer::rewrite_collectives(const std::vector<std::string>& rules) {
  auto all = try_rules(rules);
  if (!all) return std::move(all).error();
  if (all->is_accepted) return {};
  std::span<const std::string_view> known = known_rules(all->rewrites);
  for (const std::string& rule : rules) {
    if (std::ranges::find(known, rule) != known.end()) continue;
    auto alone = try_rules({rule});
    if (!alone) return std::move(alone).error();
    if (alone->is_accepted && !alone->rewrites.empty()) known = {};  // the program is another one
  }
  return {};
}

/// Applies rules. Keeps the result unless the program becomes worse.
DiagnosedResult<Optimizer::Attempt> Optimizer::try_rules(const std::vector<std::string>& rules) {
  ir::Module changed = best_.collectives;
  auto rewrites = passes::optimize_collectives(
      changed, {.rules = rules, .model = model_, .limits = &limits_, .plans = &plans_});
  if (Diagnostics errors = exceeded(limits_, kOptimization, bytes_with(changed)); !errors.empty()) {
    return tl::unexpected(std::move(errors));
  }
  if (!rewrites) return tl::unexpected(std::move(rewrites).error());
  if (rewrites->empty()) return Attempt();
  if (Diagnostics errors = ir::verify(changed); !errors.empty()) {
    for (Error& error : errors) error.notes.emplace_back("after sdy-optimize-collectives");
    return tl::unexpected(std::move(errors));
  }
  auto result = partitioning::partition(changed, partition_, context_.ops);
  if (!result) return tl::unexpected(std::move(result).error());
  KnownCosts costs(wholes_);
  const Growth allowed{0, options_.collectives.device_bytes};
  const bool is_accepted = is_no_worse({result->module, costs}, priced(), limits_, allowed);
  if (Diagnostics errors = wholes_.errors(); !errors.empty()) {
    return tl::unexpected(std::move(errors));
  }
  if (!is_accepted) return Attempt{false, *std::move(rewrites)};
  std::ranges::copy(*rewrites, std::back_inserter(best_.rewrites));
  best_.collectives = std::move(changed);
  best_.result = *std::move(result);
  costs_ = std::move(costs);
  copy_.reset();
  return Attempt{true, *std::move(rewrites)};
}

/// Keeps the result of a rule of the per-device program, unless it is worse.
Diagnostics Optimizer::rewrite_program(const ProgramRule& rule, double growth) {
  if (!copy_) copy_ = best_.result.module;
  auto rewrites = rule(*copy_);
  Diagnostics errors = exceeded(limits_, kOptimization, bytes_with(*copy_));
  if (rewrites.empty() || !errors.empty()) return errors;
  ir::Module changed = *std::exchange(copy_, std::nullopt);
  KnownCosts costs(wholes_);
  const Growth allowed{growth, options_.collectives.device_bytes};
  if (!is_no_worse({changed, costs}, priced(), limits_, allowed)) return {};
  std::ranges::move(rewrites, std::back_inserter(best_.rewrites));
  best_.result.module = std::move(changed);
  costs_ = std::move(costs);
  return {};
}

Diagnostics Optimizer::join_exchanges() {
  return rewrite_program(
      [this](ir::Module& program) { return partitioning::join_exchanges(program, model_); },
      kPermuteGrowth);
}

Diagnostics Optimizer::unfold() {
  if (!wholes_.are_needed()) return {};
  auto whole = costs_.take_whole(best_.result.module);
  if (!whole) return wholes_.errors();
  best_.result.module = *std::move(whole);
  copy_.reset();
  wholes_.end();
  return wholes_.errors();
}

void Optimizer::loop_products(int64_t max_gather_bytes) {
  auto rewrites = partitioning::loop_products(best_.result.module, max_gather_bytes);
  std::ranges::move(rewrites, std::back_inserter(best_.rewrites));
}

DiagnosedResult<OptimizedProgram> Optimizer::take() {
  if (options_.partition.stablehlo) {
    Diagnostics errors =
        partitioning::to_stablehlo_form(best_.result.module, *options_.partition.stablehlo);
    if (!errors.empty()) return tl::unexpected(std::move(errors));
  }
  return std::move(best_);
}

/// Applies rules to the partitioned program. Keeps the result of each rule unless it is worse.
Diagnostics apply(Optimizer& optimizer, const CompileOptions& options) {
  std::vector<std::string> rules = chosen_rules(options);
  std::erase(rules, passes::kBestCommonAxes);
  std::erase(rules, passes::kMoveShardings);
  const bool hoists = std::erase(rules, partitioning::kHoistCollectives) > 0;
  const bool sinks = std::erase(rules, partitioning::kSinkLoopCollectives) > 0;
  const bool shares = std::erase(rules, partitioning::kSharePermutes) > 0;
  const bool unites = std::erase(rules, partitioning::kUnitePermutes) > 0;
  const bool joins = std::erase(rules, partitioning::kJoinExchanges) > 0;
  const bool combines = std::erase(rules, kCombineReductions) > 0;
  Diagnostics errors;
  if (!rules.empty()) errors = optimizer.rewrite_collectives(rules);
  if (errors.empty()) errors = optimizer.unfold();
  for (const auto rule :
       {&partitioning::hoist_collectives, &partitioning::gather_slices_before_loops}) {
    if (hoists && errors.empty()) errors = optimizer.rewrite_program(rule, kLoopGrowth);
  }
  if (sinks && errors.empty()) {
    errors = optimizer.rewrite_program(&partitioning::sink_loop_collectives, kSumGrowth);
  }
  if (joins && errors.empty()) errors = optimizer.join_exchanges();
  if (shares && errors.empty()) {
    errors = optimizer.rewrite_program(&partitioning::share_permutes, kPermuteGrowth);
  }
  if (unites && errors.empty()) {
    errors = optimizer.rewrite_program(&partitioning::unite_permutes, kPermuteGrowth);
  }
  const int64_t combine_bytes = options.collectives.combine_bytes;
  if (combines && combine_bytes > 0 && errors.empty()) {
    errors = optimizer.rewrite_program([combine_bytes](ir::Module& program) {
      return partitioning::combine_reductions(program, combine_bytes);
    });
  }
  return errors;
}

/// Applies rules and frees the memory that only they need. Errors: those of the rules.
Diagnostics rewrite(Optimizer& optimizer, const CompileOptions& options) {
  Diagnostics errors = apply(optimizer, options);
  optimizer.end_rewrites();
  return errors;
}

/// An optimizer of another program, which may run on a thread of its own.
struct OtherOptimizer {
  OtherOptimizer(const CompileOptions& options, const Context& context, const CostModel& model,
                 const StageResources& shared)
      : limits(shared.limits.rest()),
        optimizer(
            options, context, model,
            {shared.uses_threads ? limits : shared.limits, shared.plans, false, shared.unfold}) {}

  LimitChecker limits;  // of the thread
  Optimizer optimizer;
  std::future<bool> is_valid;  // whether it may be better; waits at its end
};

/// Checks whether `a` sends fewer bytes than `b`, takes no more time under `model` and, if its
/// shardings have moved, runs no more collectives.
bool sends_less(const ir::Module& a, const ir::Module& b, const CostModel& model, bool has_moved) {
  const ProgramCost cost = partitioning::program_cost(a, model);
  const ProgramCost before = partitioning::program_cost(b, model);
  if (has_moved && cost.messages > before.messages) return false;
  return cost.bytes_sent < before.bytes_sent && cost.seconds <= before.seconds;
}

/// Checks whether rewrites may make a program that sends `bytes` cheaper than the requested
/// program, which sends `requested` bytes before rewrites. Rewrites save similar amounts in both:
/// of 390 programs that were cheaper in the end, one sent more before rewrites, by 2 %.
bool may_send_less(int64_t bytes, int64_t requested) { return bytes - requested <= requested / 20; }

/// Starts the rewrites of another program, on a thread of its own if `uses_threads`. The arguments
/// must outlive them.
void start_other(OtherOptimizer& each, OtherAxes& other, int64_t plain_bytes,
                 const CompileOptions& options, bool uses_threads) {
  const auto launch = uses_threads ? std::launch::async : std::launch::deferred;
  each.is_valid = std::async(launch, [&, plain_bytes, handler = ContractScope::handler()] {
    const ContractScope scope(handler);
    Optimizer& made = each.optimizer;
    if (!made.start(std::move(other.collectives)).empty()) return false;
    return (other.is_reference || may_send_less(made.bytes_sent(), plain_bytes)) &&
           rewrite(made, options).empty();
  });
}

/// Checks whether the rewritten program of `made` is to replace the best one so far.
bool is_chosen(const OtherAxes& other, Optimizer& made, const Optimizer& best, Optimizer& plain,
               const CostModel& model) {
  if (!sends_less(made.program(), best.program(), model, other.has_moved)) return false;
  return other.is_reference || made.is_no_worse_than(plain);
}

}  // namespace

bool has_rule(const CompileOptions& options, std::string_view rule) {
  const std::vector<std::string> rules = chosen_rules(options);
  return std::ranges::find(rules, rule) != rules.end();
}

DiagnosedResult<OptimizedProgram> partition_optimized(ir::Module collectives,
                                                      const OtherPrograms& others,
                                                      const CompileOptions& options,
                                                      const Context& context,
                                                      const StageResources& resources) {
  auto model = parse_cost_model(options.pipeline.exporting.resharding.axis_costs);
  if (!model) return tl::unexpected(Diagnostics{std::move(model).error()});
  Optimizer plain(options, context, *model, resources);
  Diagnostics errors = plain.start(std::move(collectives));
  const int64_t plain_bytes = errors.empty() && others ? plain.bytes_sent() : 0;
  if (errors.empty()) errors = rewrite(plain, options);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  std::vector<OtherAxes> made_others = others ? others() : std::vector<OtherAxes>();
  errors = exceeded(resources.limits, kPlanningPhase);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  std::list<OtherOptimizer> waiting;
  for (OtherAxes& other : made_others) {
    OtherOptimizer& each = waiting.emplace_back(options, context, *model, resources);
    start_other(each, other, plain_bytes, options, resources.uses_threads);
  }
  Optimizer* best = &plain;
  std::list<OtherOptimizer> chosen;  // the best one, unless that is `plain`
  for (const OtherAxes& other : made_others) {
    std::list<OtherOptimizer> next;
    next.splice(next.begin(), waiting, waiting.begin());
    Optimizer& made = next.front().optimizer;
    const bool is_valid = next.front().is_valid.get();
    errors = exceeded(made.limits(), kOptimization);
    if (errors.empty()) errors = made.unfolding_errors();
    if (!errors.empty()) return tl::unexpected(std::move(errors));
    if (!is_valid || !is_chosen(other, made, *best, plain, *model)) continue;
    if (!other.is_reference) made.add_rewrites(other.choices);
    chosen = std::move(next);
    best = &made;
  }
  if (options.collectives.max_gather_bytes) {
    best->loop_products(*options.collectives.max_gather_bytes);
  }
  errors = exceeded(resources.limits, kOptimization);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return best->take();
}

}  // namespace shardy::checking
