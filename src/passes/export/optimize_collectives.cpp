// sdy-optimize-collectives: merges equal collectives, then applies the rules of
// collective_rules.hpp until none matches. Spec: resharding C.8.
//
//   %1 = sdy.all_gather [{"x"}, {}] %0           %1 = sdy.all_gather [{"x"}, {}] %0
//   %2 = sdy.all_gather [{"x"}, {}] %0      ->   use %1
//   use %1, %2                                   use %1
#include <algorithm>
#include <array>
#include <utility>

#include "passes/common/ops.hpp"
#include "passes/export/collective_rules.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/passes/pipeline.hpp"
#include "shardy/resharding/cost.hpp"
#include "shardy/support/detail/math.hpp"

namespace shardy::passes {

namespace {

struct RuleRow {
  std::string_view name;
  CollectiveRule rule;
};

constexpr std::array kRules = {
    RuleRow{"join-collectives", &join_collectives},
    RuleRow{"hoist-slices", &hoist_slices},
    RuleRow{"sink-collectives", &sink_collectives},
    RuleRow{"convert-later", &convert_later},
    RuleRow{"reassociate-reductions", &reassociate_reductions},
    // After sums of reductions have become one reduction, which can then sink as a whole.
    RuleRow{"sink-reductions", &sink_reductions},
    RuleRow{"reuse-reshard-prefix", &reuse_reshard_prefix},
};

constexpr auto kNames = [] {
  std::array<std::string_view, kRules.size()> names;
  for (std::size_t index = 0; index < names.size(); ++index) names[index] = kRules[index].name;
  return names;
}();

/// The limit of rounds. Each rewrite reduces the cost, so rewriting terminates, but long chains
/// take several rounds.
constexpr int kMaxRounds = 8;

Diagnostics unknown_rules(const std::vector<std::string>& rules) {
  Diagnostics errors;
  for (const std::string& rule : rules) {
    if (std::ranges::find(kNames, rule) != kNames.end()) continue;
    Error error{"no such rule for collectives: " + rule};
    for (const std::string_view name : kNames) error.notes.push_back("rule: " + std::string(name));
    errors.push_back(std::move(error));
  }
  return errors;
}

/// Applies one rule to all ops.
bool apply_rule(RewriteContext& context, const RuleRow& row,
                std::vector<CollectiveRewrite>& rewrites) {
  Module& module = context.module;
  bool changed = false;
  for (const OpId op : ir::pre_order(module)) {
    if (module.is_erased(op)) continue;
    if (context.limits != nullptr && !context.limits->may_continue()) return false;
    // The rule may erase the op.
    const std::string_view name = module.name(op);
    const ir::LocationId location = module.location(op);
    const std::optional<Gain> gain = row.rule(context, op);
    if (!gain) continue;
    changed = true;
    rewrites.push_back({.rule = std::string(row.name),
                        .op = std::string(name),
                        .location = module.source_location(location),
                        .bytes_before = gain->before.bytes,
                        .bytes_after = gain->after.bytes,
                        .messages_before = gain->before.messages,
                        .messages_after = gain->after.messages});
  }
  return changed;
}

/// Merges equal collectives of one value in one block. Ignores their causes, because partitioning
/// would merge the collectives, too.
void merge_equal(Module& module) {
  EqualOps equal(module, kCauseAttr);
  for (const OpId op : ir::pre_order(module)) {
    if (!ir::is_sdy_collective(module.kind(op))) continue;
    equal.merge(op, static_cast<uint32_t>(module.kind(op)), module.parent_block(op).value);
  }
}

}  // namespace

Diagnostic diagnostic_of(const CollectiveRewrite& rewrite) {
  const auto amounts = [](int64_t bytes, int64_t messages) {
    return std::to_string(bytes) + " bytes in " + std::to_string(messages) +
           (messages == 1 ? " message" : " messages");
  };
  return {.message = rewrite.rule + " at " + rewrite.op + ": a device sends " +
                     amounts(rewrite.bytes_after, rewrite.messages_after) + ", was " +
                     amounts(rewrite.bytes_before, rewrite.messages_before),
          .location = rewrite.location,
          .severity = Severity::Remark};
}

Diagnostics diagnostics_of(std::span<const CollectiveRewrite> rewrites) {
  Diagnostics diagnostics;
  for (const CollectiveRewrite& rewrite : rewrites) diagnostics.push_back(diagnostic_of(rewrite));
  return diagnostics;
}

std::span<const std::string_view> collective_rules() { return kNames; }

DiagnosedResult<std::vector<CollectiveRewrite>> optimize_collectives(
    Module& module, const OptimizeCollectivesOptions& options) {
  MeshPlanners planners(module, PlanKind::Best, {.model = options.model}, nullptr, options.limits,
                        options.plans);
  Diagnostics errors = unknown_rules(options.rules);
  if (errors.empty()) errors = planners.errors();
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  RewriteContext context{module, planners, options.limits};
  std::vector<CollectiveRewrite> rewrites;
  bool changed = true;
  for (int round = 0; changed && round < kMaxRounds; ++round) {
    changed = false;
    merge_equal(module);
    for (const RuleRow& row : kRules) {
      const bool is_chosen = options.rules.empty() ||
                             std::ranges::find(options.rules, row.name) != options.rules.end();
      if (is_chosen) changed = apply_rule(context, row, rewrites) || changed;
    }
  }
  return rewrites;
}

// ---- Shared by rules ----------------------------------------------------------------------------

Price& Price::operator+=(const Price& other) {
  seconds += other.seconds;
  bytes += other.bytes;
  messages += other.messages;
  return *this;
}

bool is_cheaper(const Price& a, const Price& b) {
  // Allows for rounding errors: sums of equal times may be in different orders.
  const double slack = 1e-9 * b.seconds;
  if (a.bytes > b.bytes || a.seconds > b.seconds + slack || a.messages > b.messages) return false;
  return a.bytes < b.bytes || a.seconds < b.seconds - slack || a.messages < b.messages;
}

Price RewriteContext::price(const ir::Type& type, const TensorSharding& from,
                            std::span<const ReshardStep> steps) {
  const TensorSize tensor{type.dims(), static_cast<int64_t>(ir::size_bytes(type.element()))};
  const StepCost& cost = planners.planner(from.mesh_name().value_or("")).cost(tensor, from, steps);
  return {cost.seconds, cost.bytes, cost.messages};
}

OpId only_reader(const Module& module, ValueId value) {
  if (!module.owner(value).is_result()) return {};
  OpId reader;
  for (const ir::Use& use : module.uses(value)) {
    if (reader.valid() && use.op != reader) return {};
    reader = use.op;
  }
  const bool is_near = reader.valid() && module.parent_block(reader) ==
                                             module.parent_block(module.defining_op(value));
  return is_near ? reader : OpId();
}

TensorSharding sharding_or_whole(const Module& module, ValueId value, const TensorSharding& like) {
  if (auto have = ir::get_sharding(module, value)) return *std::move(have);
  const auto rank = module.type(value).dims().size();
  return TensorSharding::fully_closed(like.mesh(), like.mesh_name(), rank);
}

bool blocks_nest(const ir::Type& type, const TensorSharding& from, const TensorSharding& to) {
  for (std::size_t dim = 0; dim < from.rank(); ++dim) {
    const int64_t before = from.dim(dim).sharded_size();
    const int64_t after = to.dim(dim).sharded_size();
    const int64_t few = std::min(before, after);
    const int64_t many = std::max(before, after);
    const int64_t size = type.dim(dim);
    const bool nests = few == many || few == 1 || size <= 1 ||
                       ceil_div(size, few) == many / few * ceil_div(size, many);
    if (!nests || many % few != 0) return false;
  }
  return true;
}

bool is_plain_elementwise(const Module& module, OpId op) {
  return module.has_trait(op, ir::kElementwise) && is_pure_static(module, op) &&
         module.num_results(op) == 1 && module.type(module.result(op)).is_tensor() &&
         module.regions(op).empty() && !module.has_trait(op, ir::kSdyAnnotation) &&
         !module.has_trait(op, ir::kCollective);
}

}  // namespace shardy::passes
