#include "checking/optimize.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "partitioning/collective_matmul.hpp"
#include "partitioning/combine_reductions.hpp"
#include "shardy/ir/verify.hpp"
#include "shardy/partitioning/program_cost.hpp"
#include "shardy/partitioning/stablehlo_form.hpp"
#include "shardy/resharding/cost_text.hpp"

namespace shardy::checking {

using partitioning::ProgramCost;

namespace {

bool is_no_worse(const ProgramCost& a, const ProgramCost& b) {
  return a.bytes_sent <= b.bytes_sent && a.peak_bytes <= b.peak_bytes;
}

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
  void combine(int64_t max_bytes);
  void loop_products(int64_t max_gather_bytes);
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
  const ProgramCost cost = partitioning::program_cost(result->module);
  if (!is_no_worse(cost, partitioning::program_cost(best_.result.module))) return false;
  std::ranges::move(*rewrites, std::back_inserter(best_.rewrites));
  best_.collectives = std::move(changed);
  best_.result = *std::move(result);
  return true;
}

void Optimizer::combine(int64_t max_bytes) {
  ir::Module changed = best_.result.module;
  auto rewrites = partitioning::combine_reductions(changed, max_bytes);
  if (rewrites.empty()) return;
  const ProgramCost before = partitioning::program_cost(best_.result.module);
  if (!is_no_worse(partitioning::program_cost(changed), before)) return;
  std::ranges::move(rewrites, std::back_inserter(best_.rewrites));
  best_.result.module = std::move(changed);
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

std::vector<std::string> chosen_rules(const CompileOptions& options) {
  if (options.collectives.rules) return *options.collectives.rules;
  if (options.pipeline.exporting.resharding.plans != PlanKind::Best) return {};
  const auto names = passes::collective_rules();
  std::vector<std::string> all(names.begin(), names.end());
  all.emplace_back(kCombineReductions);
  return all;
}

}  // namespace

tl::expected<Optimized, Diagnostics> partition_optimized(const ir::Module& collectives,
                                                         const CompileOptions& options,
                                                         const Context& context) {
  auto model = parse_cost_model(options.pipeline.exporting.resharding.axis_costs);
  if (!model) return tl::unexpected(Diagnostics{std::move(model).error()});
  Optimizer optimizer(options, context, *std::move(model));
  if (Diagnostics errors = optimizer.start(collectives); !errors.empty()) {
    return tl::unexpected(std::move(errors));
  }
  std::vector<std::string> rules = chosen_rules(options);
  const bool combines = std::erase(rules, kCombineReductions) > 0;
  if (!rules.empty()) {
    auto accepted = optimizer.try_rules(rules);
    for (std::size_t at = 0; accepted && !*accepted && at < rules.size(); ++at) {
      auto alone = optimizer.try_rules({rules[at]});
      if (!alone) return tl::unexpected(std::move(alone).error());
    }
    if (!accepted) return tl::unexpected(std::move(accepted).error());
  }
  if (combines && options.collectives.combine_bytes > 0) {
    optimizer.combine(options.collectives.combine_bytes);
  }
  if (options.collectives.max_gather_bytes) {
    optimizer.loop_products(*options.collectives.max_gather_bytes);
  }
  return optimizer.take();
}

}  // namespace shardy::checking
