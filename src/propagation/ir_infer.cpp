#include <utility>

#include "shardy/ir/builder.hpp"
#include "shardy/propagation/ir_adapter.hpp"
#include "shardy/rules/built_in.hpp"

namespace shardy::propagation {

namespace {

/// The op, alone in a function whose arguments are its operands.
struct LonelyOp {
  ir::Module module;
  ir::OpId op;

  explicit LonelyOp(const OpQuery& query) {
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

Result<std::optional<OpShardingRule>> rule_of(const OpQuery& op, const rules::Registry& registry) {
  return registry.rule_for(LonelyOp(op).view(), {.conservative = op.conservative});
}

Result<Inferred> infer(const OpQuery& op, const TensorShardings& operands,
                       const TensorShardings& results, const rules::Registry& registry) {
  const LonelyOp lonely(op);
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
