#include "shardy/propagation/ir_adapter.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shardy/ir/graph_builder.hpp"
#include "shardy/ir/sharding_access.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/ir/walk.hpp"
#include "shardy/propagation/detail/ir_debug.hpp"
#include "shardy/propagation/detail/ir_op.hpp"
#include "shardy/propagation/detail/ir_problem.hpp"
#include "shardy/propagation/propagate.hpp"
#include "shardy/rules/built_in.hpp"
#include "shardy/rules/registry.hpp"

namespace shardy::propagation {
namespace {

// ---- Before and after --------------------------------------------------------------------------

/// Errors: a result has a dynamic, unranked or tuple type. Spec: propagation 10.1.
Status verify_result_types(const ir::Module& module, std::span<const ir::OpId> order) {
  for (const ir::OpId op : order) {
    for (std::size_t index = 0; index < module.num_results(op); ++index) {
      const ir::Type& type = module.type(module.result(op, index));
      const auto* opaque = type.as<ir::OpaqueType>();
      const bool is_unranked = opaque != nullptr && opaque->text.starts_with("tensor<*");
      std::string_view why;
      if (is_unranked || (type.is_tensor() && !type.is_static_tensor())) {
        why = "only ranked tensors with a static shape are supported. type: ";
      } else if (type.as<ir::TupleType>() != nullptr) {
        why = "tuples are not supported. type: ";
      }
      if (!why.empty())
        return fail_at(module.source_location(op),
                       std::string(why) + "'" + ir::to_string(type) + "'");
    }
  }
  return {};
}

/// Stores shardings of values. All ops with a single result share one attribute per distinct
/// sharding, because few shardings are distinct. For an op with several results, the list of
/// shardings is stored once if the results are written one after the other.
class ShardingWriter {
 public:
  explicit ShardingWriter(ir::Module& module) : module_(module) {}

  void write(ir::ValueId value, const TensorSharding& sharding) {
    const ir::ValueOwner owner = module_.owner(value);
    if (!owner.is_result() || !ir::detail::single_sharding_attr(module_.kind(owner.op)).empty()) {
      return ir::set_sharding(module_, value, sharding);
    }
    if (module_.num_results(owner.op) != 1) return write_one_of(owner, sharding);
    module_.attributes(owner.op).set(ir::detail::result_shardings_attr(module_, owner.op),
                                     list_of(sharding));
  }
  /// Stores the list of the op that was written last.
  void finish() {
    if (!op_.valid()) return;
    module_.attributes(op_).set(ir::detail::result_shardings_attr(module_, op_),
                                std::exchange(results_, {}));
    op_ = ir::OpId();
  }

 private:
  void write_one_of(const ir::ValueOwner& owner, const TensorSharding& sharding) {
    if (owner.op != op_) {
      finish();
      op_ = owner.op;
      const auto* old =
          module_.attribute<ir::ShardingList>(op_, ir::detail::result_shardings_attr(module_, op_));
      if (old != nullptr) results_ = *old;
    }
    std::vector<TensorSharding>& list = results_.shardings;
    while (list.size() < module_.num_results(op_)) {
      list.push_back(
          ir::detail::fully_open_like(sharding, module_.type(module_.result(op_, list.size()))));
    }
    list[owner.index] = sharding;
  }
  const ir::Attribute& list_of(const TensorSharding& sharding) {
    ir::Attribute& list = lists_[sharding.dims().data()];
    const auto* known = list.as<ir::ShardingList>();
    if (known == nullptr || known->shardings.front() != sharding) {
      list = ir::ShardingList{{sharding}};
    }
    return list;
  }

  ir::Module& module_;
  ir::OpId op_;  // an op with several results whose list is not stored yet
  ir::ShardingList results_;
  // Keyed by the address of the dims, because equal shardings of a solved problem share one array.
  std::unordered_map<const DimSharding*, ir::Attribute> lists_;
};

/// Stores the changed shardings of the problem in the module.
void write_back(const ModuleProblem& solved, ir::Module& module) {
  ShardingWriter writer(module);
  for (uint32_t index = 0; index < solved.values.size(); ++index) {
    const ir::ValueId value = solved.values[index];
    const SlotId slot(index);
    const std::optional<TensorSharding>& sharding = solved.problem.sharding(slot);
    if (!value.valid() || solved.problem.slot(slot).storage != slot || !sharding) continue;
    const ir::detail::StoredSharding old(module, value);
    if (!old || *old != *sharding) writer.write(value, *sharding);
  }
  writer.finish();
  for (const auto* results : {&solved.function_results, &solved.other_results}) {
    for (const ModuleProblem::FunctionResult& result : *results) {
      const std::optional<TensorSharding>& sharding = solved.problem.sharding(result.slot);
      if (sharding) ir::set_result_sharding(module, result.function, result.index, *sharding);
    }
  }
}

void erase_dead(const ModuleProblem& solved, std::span<const NodeId> dead, ir::Module& module) {
  for (const NodeId node : dead) {
    const ir::OpId op = solved.ops[node.index()];
    if (!module.is_erased(op)) module.erase(op);
  }
}

/// Attaches the rules. Ops with one rule share one attribute.
void attach_rules(const ModuleProblem& solved, ir::Module& module) {
  const std::vector<ir::Attribute> rules(solved.rules.begin(), solved.rules.end());
  for (const auto& [op, rule] : solved.rule_of_op) {
    if (!module.is_erased(op)) module.attributes(op).set(ir::kShardingRuleAttr, rules[rule]);
  }
}

/// Finds the manual computation for which a sharding that came from a sharding group is invalid.
/// Returns the error with the location of that op.
Error at_manual_computation(const ModuleProblem& solved, const ir::Module& module, Error error) {
  const Problem& problem = solved.problem;
  for (uint32_t index = 0; index < problem.num_nodes(); ++index) {
    for (const TensorUse& use : problem.tensors(NodeId(index))) {
      if (!use.view.valid() || !solved.ops[index].valid()) continue;
      const Status seen = detail::verify_edge_view(
          module, solved.ops[index], problem.view(use.view), problem.sharding(use.slot));
      if (!seen) return seen.error();
    }
  }
  return error;
}

/// `observer` may be null.
Result<PropagationReport> run(ir::Module& module, const PropagationOptions& options,
                              ModuleObserver* observer) {
  const std::vector<ir::OpId> order = ir::pre_order(module);
  SHARDY_TRY_STATUS(verify_result_types(module, order));
  PropagationReport report;
  SHARDY_TRY(report.diagnostics, detail::separate_groups(module, order));
  report.num_group_warnings = report.diagnostics.size();
  detail::separate_collectives(module, order);
  const rules::Registry built_in;
  SHARDY_TRY(ModuleProblem solved,
             make_problem(
                 module, options.registry != nullptr ? *options.registry : built_in,
                 {.conservative = options.conservative, .lowering_rules = options.lowering_rules}));
  if (observer != nullptr) observer->attach(solved);

  ProblemOptions sweeps{.algorithm = options.algorithm,
                        .strategy = options.strategy,
                        .run_op_priority = options.run_op_priority,
                        .check_convergence = options.check_convergence};
  if (options.extensions != nullptr) sweeps.extensions = *options.extensions;
  if (options.after_user_priority) {
    sweeps.after_user_priority = [&](int64_t priority, const Problem&) {
      write_back(solved, module);
      options.after_user_priority(priority, module);
    };
  }
  Result<ProblemReport> of_problem = observer != nullptr
                                         ? propagate(solved.problem, sweeps, *observer)
                                         : propagate(solved.problem, sweeps);
  if (!of_problem) {
    return tl::unexpected(at_manual_computation(solved, module, std::move(of_problem).error()));
  }

  write_back(solved, module);
  erase_dead(solved, of_problem->erased, module);
  options.keep_sharding_rules ? attach_rules(solved, module) : rules::drop_rules(module);
  if (observer != nullptr) observer->finish(solved, module);
  report.diagnostics.insert(report.diagnostics.end(), solved.diagnostics.begin(),
                            solved.diagnostics.end());
  report.num_erased = of_problem->erased.size();
  report.num_steps = of_problem->num_steps;
  report.num_updates = of_problem->num_updates;
  report.has_converged = of_problem->has_converged;
  return report;
}

/// An op alone in a function whose arguments are the operands of the op. The region of the op is
/// dropped.
struct IsolatedOp {
  ir::Module module;
  ir::OpId op;

  explicit IsolatedOp(const OpQuery& query) {
    const ir::BlockId entry = module.entry(module.add_function("main", query.operands, {}));
    const auto args = module.args(entry);
    const ir::OpKind kind = ir::find_op(query.name);
    op = ir::Builder(module, entry)
             .create({.kind = kind,
                      .name = kind == ir::OpKind::Unknown ? query.name : std::string(),
                      .operands = {args.begin(), args.end()},
                      .result_types = query.results,
                      .attributes = query.attributes});
  }
  rules::OpView view() const { return {module, op}; }
};

}  // namespace

Result<PropagationReport> propagate(ir::Module& module, const PropagationOptions& options) {
  if (options.debug_sharding_origins || options.debug_propagation_edges) {
    DebugAttributes writer(module, {.sharding_origins = options.debug_sharding_origins,
                                    .propagation_edges = options.debug_propagation_edges});
    return propagate(module, options, writer);
  }
  return run(module, options, nullptr);
}

Result<PropagationReport> propagate(ir::Module& module, const PropagationOptions& options,
                                    ModuleObserver& observer) {
  return run(module, options, &observer);
}

Result<std::optional<OpShardingRule>> rule_of(const OpQuery& op, const rules::Registry& registry) {
  return registry.rule_for(IsolatedOp(op).view(), {.conservative = op.conservative});
}

Result<Inferred> infer(const OpQuery& op, const TensorShardings& operands,
                       const TensorShardings& results, const rules::Registry& registry) {
  const IsolatedOp lonely(op);
  SHARDY_TRY(const std::optional<OpShardingRule> rule,
             registry.rule_for(lonely.view(), {.conservative = op.conservative}));
  if (rule) {
    return infer(*rule, operands,
                 {.is_elementwise = rules::is_elementwise(lonely.view()),
                  .is_conservative = op.conservative},
                 results);
  }
  if (operands.size() > op.operands.size() || results.size() > op.results.size()) {
    return fail("more shardings than tensors");
  }
  Inferred unchanged{operands, results};
  unchanged.operands.resize(op.operands.size());
  unchanged.results.resize(op.results.size());
  return unchanged;
}

}  // namespace shardy::propagation
