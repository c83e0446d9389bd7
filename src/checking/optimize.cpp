#include "checking/optimize.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

#include "partitioning/collective_matmul.hpp"
#include "partitioning/combine_reductions.hpp"
#include "partitioning/fused_peak.hpp"
#include "partitioning/share_permutes.hpp"
#include "partitioning/sink_loop_collectives.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/partitioning/hoist_collectives.hpp"
#include "shardy/partitioning/join_exchanges.hpp"
#include "shardy/partitioning/program_cost.hpp"
#include "shardy/partitioning/stablehlo_form.hpp"
#include "shardy/passes/export_pipeline.hpp"
#include "shardy/resharding/cost_text.hpp"

namespace shardy::checking {

using partitioning::ProgramCost;

namespace {

/// Checks whether program `a` sends at most as much as `b`, and its peak exceeds that of `b` by at
/// most the fraction `growth`; where it sends less, its peak with elementwise ops fused.
bool is_no_worse(const ir::Module& a, const ir::Module& b, double growth = 0) {
  const ProgramCost cost = partitioning::program_cost(a);
  const ProgramCost before = partitioning::program_cost(b);
  const auto fits = [growth](int64_t peak, int64_t most) {
    return static_cast<double>(peak) <= static_cast<double>(most) * (1 + growth);
  };
  if (cost.bytes_sent > before.bytes_sent) return false;
  if (fits(cost.peak_bytes, before.peak_bytes)) return true;
  return cost.bytes_sent < before.bytes_sent &&
         fits(partitioning::fused_peak_bytes(a), partitioning::fused_peak_bytes(b));
}

/// Limit for the peak of a program with collectives before loops. Their results live as long as the
/// loop and save a collective in each step; the cost of a program counts one step.
constexpr double kLoopGrowth = 0.25;
/// The same with collectives after loops: what is carried, what is added to it, and their sum are
/// as large as the operand.
constexpr double kSumGrowth = 0.5;

/// A rule of the per-device program.
using ProgramRule = std::function<std::vector<passes::CollectiveRewrite>(ir::Module& program)>;

/// Partitions programs under rewrites, and keeps the best so far.
class Optimizer {
 public:
  Optimizer(const CompileOptions& options, const Context& context, CostModel model)
      : options_(options),
        context_(context),
        model_(std::move(model)),
        partition_(options.partition) {
    partition_.stablehlo.reset();
  }

  Diagnostics start(const ir::Module& collectives);
  /// False: something was rewritten, and the program is worse for it.
  tl::expected<bool, Diagnostics> try_rules(const std::vector<std::string>& rules);
  void rewrite_program(const ProgramRule& rule, double growth = 0);
  void join_exchanges();
  void loop_products(int64_t max_gather_bytes);
  /// Puts rewrites of earlier stages before those of this one.
  void add_rewrites(const std::vector<passes::CollectiveRewrite>& earlier) {
    best_.rewrites.insert(best_.rewrites.begin(), earlier.begin(), earlier.end());
  }
  const ir::Module& program() const { return best_.result.module; }
  /// In the form that was asked for.
  tl::expected<Optimized, Diagnostics> take();

 private:
  const CompileOptions& options_;
  const Context& context_;
  CostModel model_;
  partitioning::PartitionOptions partition_;  // to the form that is priced and rewritten
  Optimized best_;
};

Diagnostics Optimizer::start(const ir::Module& collectives) {
  auto result = partitioning::partition(collectives, partition_, context_.ops);
  if (!result) return std::move(result).error();
  best_ = {collectives, *std::move(result), {}};
  return {};
}

tl::expected<bool, Diagnostics> Optimizer::try_rules(const std::vector<std::string>& rules) {
  ir::Module changed = best_.collectives;
  auto rewrites = passes::optimize_collectives(changed, {.rules = rules, .model = model_});
  if (!rewrites) return tl::unexpected(std::move(rewrites).error());
  if (rewrites->empty()) return true;
  if (Diagnostics errors = ir::verify(changed); !errors.empty()) {
    for (Error& error : errors) error.notes.emplace_back("after sdy-optimize-collectives");
    return tl::unexpected(std::move(errors));
  }
  auto result = partitioning::partition(changed, partition_, context_.ops);
  if (!result) return tl::unexpected(std::move(result).error());
  if (!is_no_worse(result->module, best_.result.module)) return false;
  std::ranges::move(*rewrites, std::back_inserter(best_.rewrites));
  best_.collectives = std::move(changed);
  best_.result = *std::move(result);
  return true;
}

/// Keeps what a rule of the per-device program makes, unless it is worse.
void Optimizer::rewrite_program(const ProgramRule& rule, double growth) {
  ir::Module changed = best_.result.module;
  auto rewrites = rule(changed);
  if (rewrites.empty()) return;
  if (!is_no_worse(changed, best_.result.module, growth)) return;
  std::ranges::move(rewrites, std::back_inserter(best_.rewrites));
  best_.result.module = std::move(changed);
}

void Optimizer::join_exchanges() {
  rewrite_program(
      [this](ir::Module& program) { return partitioning::join_exchanges(program, model_); });
}

void Optimizer::loop_products(int64_t max_gather_bytes) {
  auto rewrites = partitioning::loop_products(best_.result.module, max_gather_bytes);
  std::ranges::move(rewrites, std::back_inserter(best_.rewrites));
}

tl::expected<Optimized, Diagnostics> Optimizer::take() {
  if (options_.partition.stablehlo) {
    Diagnostics errors =
        partitioning::to_stablehlo_form(best_.result.module, *options_.partition.stablehlo);
    if (!errors.empty()) return tl::unexpected(std::move(errors));
  }
  return std::move(best_);
}

/// Applies rules to the partitioned program, each kept unless the program is worse for it.
Diagnostics apply(Optimizer& optimizer, const CompileOptions& options) {
  std::vector<std::string> rules = chosen_rules(options);
  std::erase(rules, passes::kBestCommonAxes);
  const bool hoists = std::erase(rules, partitioning::kHoistCollectives) > 0;
  const bool sinks = std::erase(rules, partitioning::kSinkLoopCollectives) > 0;
  const bool shares = std::erase(rules, partitioning::kSharePermutes) > 0;
  const bool joins = std::erase(rules, partitioning::kJoinExchanges) > 0;
  const bool combines = std::erase(rules, kCombineReductions) > 0;
  if (!rules.empty()) {
    auto accepted = optimizer.try_rules(rules);
    for (std::size_t at = 0; accepted && !*accepted && at < rules.size(); ++at) {
      auto alone = optimizer.try_rules({rules[at]});
      if (!alone) return std::move(alone).error();
    }
    if (!accepted) return std::move(accepted).error();
  }
  if (hoists) optimizer.rewrite_program(&partitioning::hoist_collectives, kLoopGrowth);
  if (sinks) optimizer.rewrite_program(&partitioning::sink_loop_collectives, kSumGrowth);
  if (joins) optimizer.join_exchanges();
  if (shares) optimizer.rewrite_program(&partitioning::share_permutes);
  const int64_t combine_bytes = options.collectives.combine_bytes;
  if (combines && combine_bytes > 0) {
    optimizer.rewrite_program([combine_bytes](ir::Module& program) {
      return partitioning::combine_reductions(program, combine_bytes);
    });
  }
  return {};
}

/// Checks whether `a` sends less than `b`, in no more time under `model`, and holds at most as
/// much.
bool is_better(const ir::Module& a, const ir::Module& b, const CostModel& model) {
  const ProgramCost cost = partitioning::program_cost(a, model);
  const ProgramCost before = partitioning::program_cost(b, model);
  return cost.bytes_sent < before.bytes_sent && cost.seconds <= before.seconds && is_no_worse(a, b);
}

}  // namespace

std::vector<std::string> all_collective_rules() {
  const auto names = passes::collective_rules();
  std::vector<std::string> all(names.begin(), names.end());
  all.emplace_back(passes::kBestCommonAxes);
  all.emplace_back(partitioning::kHoistCollectives);
  all.emplace_back(partitioning::kSinkLoopCollectives);
  all.emplace_back(partitioning::kJoinExchanges);
  all.emplace_back(partitioning::kSharePermutes);
  all.emplace_back(kCombineReductions);
  return all;
}

std::vector<std::string> chosen_rules(const CompileOptions& options) {
  if (options.collectives.rules) return *options.collectives.rules;
  const bool is_best = options.pipeline.exporting.resharding.plans == PlanKind::Best;
  return is_best ? all_collective_rules() : std::vector<std::string>();
}

tl::expected<Optimized, Diagnostics> partition_optimized(const ir::Module& collectives,
                                                         const OtherAxes& other,
                                                         const CompileOptions& options,
                                                         const Context& context) {
  auto model = parse_cost_model(options.pipeline.exporting.resharding.axis_costs);
  if (!model) return tl::unexpected(Diagnostics{std::move(model).error()});
  const auto optimize = [&](Optimizer& optimizer, const ir::Module& program) {
    Diagnostics errors = optimizer.start(program);
    return errors.empty() ? apply(optimizer, options) : errors;
  };
  Optimizer plain(options, context, *model);
  if (Diagnostics errors = optimize(plain, collectives); !errors.empty()) {
    return tl::unexpected(std::move(errors));
  }
  Optimizer* best = &plain;
  Optimizer cheaper(options, context, *model);
  if (!other.choices.empty()) {
    if (Diagnostics errors = optimize(cheaper, other.collectives); !errors.empty()) {
      return tl::unexpected(std::move(errors));
    }
    cheaper.add_rewrites(other.choices);
    if (is_better(cheaper.program(), plain.program(), *model)) best = &cheaper;
  }
  if (options.collectives.max_gather_bytes) {
    best->loop_products(*options.collectives.max_gather_bytes);
  }
  return best->take();
}

}  // namespace shardy::checking
