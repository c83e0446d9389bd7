// Marks inserted reshards that make a value less sharded with the op and the reason.
// Spec: partitioning 5.10.
//
//   %1 = sdy.reshard %0 [{}]     ->   %1 = sdy.reshard %0 [{}] {sdy.cause = [OP, TENSOR, REASON]}
//   return %1                         return %1
//                                     with, for example, OP "func.return", TENSOR "operand 0"
#include <algorithm>
#include <utility>

#include "passes/common/ops.hpp"
#include "passes/export/explicit_reshards.hpp"
#include "shardy/algebra/equivalence.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/sharding_access.hpp"

namespace shardy::passes::explicit_reshards {

using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ValueId;

namespace {

/// Returns the dims that lose axes.
std::vector<std::size_t> gathered_dims(const TensorSharding& from, const TensorSharding& to) {
  std::vector<std::size_t> dims;
  for (std::size_t dim = 0; dim < std::min(from.rank(), to.rank()); ++dim) {
    const bool loses = !set_difference(from.dim(dim).axes, to.dim(dim).axes).empty();
    if (loses && sharding_size(from.dim(dim).axes) > 1) dims.push_back(dim);
  }
  return dims;
}

/// One op and the reshards from `first_new` on that were inserted for it.
class Causes {
 public:
  Causes(Module& module, OpId op, std::size_t first_new, const rules::Registry& registry)
      : module_(module), op_(op), first_new_(first_new), registry_(registry) {}

  void mark(OpId made) {
    const OptionalSharding from = ir::get_sharding(module_, module_.operand(made, 0));
    const OptionalSharding to = ir::get_sharding(module_, module_.result(made));
    if (!from || !to || from->mesh().is_maximal() || to->mesh().is_maximal()) return;
    const std::vector<std::size_t> dims = gathered_dims(*from, *to);
    if (dims.empty() && module_.is(made, OpKind::SdyReshard)) return;
    const std::optional<std::size_t> result = result_before(made);
    if (result) {
      if (!is_asked_for(made, *to)) {
        set_cause(module_, made, {name(), "result " + std::to_string(*result), reason(*to, dims)});
      }
      return;
    }
    const ir::Use use = use_after(made);
    const std::string number = std::to_string(use.operand);
    const bool is_own = use.op == op_;
    set_cause(module_, made,
              {name(), is_own ? "operand " + number : "value " + number + " of a region",
               is_own ? operand_reason(use.operand, *from, dims) : kDifferent});
  }

 private:
  static constexpr const char* kDifferent = "the tensors of the op are sharded differently";
  static constexpr const char* kWhole = "the op needs the dim replicated";
  static constexpr const char* kTaken = "the op is sharded along another dim on these axes";
  static constexpr const char* kNotSharded = "the op is not sharded along this dim";

  std::string name() const { return std::string(module_.name(op_)); }
  bool is_new(OpId op) const { return op.valid() && op.index() >= first_new_; }

  std::optional<std::size_t> result_before(OpId made) const {
    ValueId value = module_.operand(made, 0);
    while (is_new(module_.defining_op(value))) {
      value = module_.operand(module_.defining_op(value), 0);
    }
    if (module_.defining_op(value) != op_ || module_.has_trait(op_, ir::kDataFlow)) {
      return std::nullopt;
    }
    const std::vector<ValueId> results = module_.results(op_);
    return static_cast<std::size_t>(std::ranges::find(results, value) - results.begin());
  }

  ir::Use use_after(OpId made) const {
    ir::Use use{made, 0};
    while (is_new(use.op) && module_.num_uses(module_.result(use.op)) > 0) {
      use = module_.uses(module_.result(use.op)).front();
    }
    return use;
  }

  /// Checks whether the source program requires the sharding: on the op or by a constraint of the
  /// value.
  bool is_asked_for(OpId made, const TensorSharding& to) const {
    if (module_.attributes(op_).contains(kWrittenAttr)) return true;
    return std::ranges::any_of(module_.uses(module_.result(made)), [&](const ir::Use& use) {
      if (is_new(use.op) || !module_.is(use.op, OpKind::SdyReshard)) return false;
      const auto* asked = module_.attribute<TensorSharding>(use.op, ir::attr::kSharding);
      return asked != nullptr && is_equivalent(*asked, to);
    });
  }

  bool is_sharded_along(const AxisList& axes) const {
    const auto meets = [&](ValueId value) {
      const OptionalSharding sharding = ir::get_sharding(module_, value);
      return sharding && std::ranges::any_of(sharding->dims(), [&](const DimSharding& dim) {
               return overlaps(AxisSpan(dim.axes), AxisSpan(axes));
             });
    };
    return std::ranges::any_of(module_.operands(op_), meets) ||
           std::ranges::any_of(module_.results(op_), meets);
  }

  std::string reason(const TensorSharding& have, const std::vector<std::size_t>& dims) const {
    return !dims.empty() && is_sharded_along(have.dim(dims.front()).axes) ? kTaken : kNotSharded;
  }

  /// Returns the reason of an operand: a dim without a factor, or a factor that cannot be sharded.
  std::string operand_reason(std::size_t operand, const TensorSharding& have,
                             const std::vector<std::size_t>& dims) const {
    if (module_.has_trait(op_, ir::kReturnLike) || module_.has_trait(op_, ir::kDataFlow) ||
        module_.is(op_, OpKind::FuncCall)) {
      return kDifferent;
    }
    const rules::RuleResult rule = registry_.lowering_rule_for(rules::OpView(module_, op_));
    if (rule && *rule && operand < (*rule)->operands().size()) {
      const TensorMapping& mapping = (*rule)->operands()[operand];
      const bool needs_whole = std::ranges::any_of(dims, [&](std::size_t dim) {
        return std::ranges::any_of(mapping.dims[dim], [&](int32_t factor) {
          return (*rule)->factor_kind(factor) == FactorKind::NeedReplication;
        });
      });
      if (needs_whole) return kWhole;
    }
    return reason(have, dims);
  }

  Module& module_;
  OpId op_;
  std::size_t first_new_;
  const rules::Registry& registry_;
};

/// Checks for ops whose shardings of operands and results come from the program: computations,
/// returns.
bool has_own_shardings(const Module& module, OpId op) {
  switch (module.kind(op)) {
    case OpKind::SdyManualComputation:
    case OpKind::SdyNamedComputation:
    case OpKind::SdyReshard:
      return true;
    default:
      return module.has_trait(op, ir::kDataFlow) && module.attributes(op).contains(kWrittenAttr);
  }
}

}  // namespace

void mark_causes(Module& module, OpId op, std::size_t first_new, const rules::Registry& registry) {
  if (module.num_ops() == first_new || module.is_erased(op) || has_own_shardings(module, op))
    return;
  Causes causes(module, op, first_new, registry);
  for (std::size_t index = first_new; index < module.num_ops(); ++index) {
    const OpId made(static_cast<uint32_t>(index));
    const OpKind kind = module.kind(made);
    if (module.is_erased(made)) continue;
    if (kind == OpKind::SdyReshard || kind == OpKind::SdyAllReduce) causes.mark(made);
  }
}

void mark_returned(Module& module, OpId function, std::size_t first_new,
                   const rules::Registry& registry) {
  const OpId last = module.last_op(module.entry(function));
  if (!last.valid()) return;
  mark_causes(module, last, first_new, registry);
  const auto& attributes = module.function(function).result_attributes;
  for (uint32_t index = 0; index < module.num_operands(last); ++index) {
    const bool is_written = index < attributes.size() && attributes[index].contains(kWrittenAttr);
    OpId made = module.defining_op(module.operand(last, index));
    while (is_written && made.valid() && made.index() >= first_new) {
      module.attributes(made).erase(kCauseAttr);
      made = module.defining_op(module.operand(made, 0));
    }
  }
}

}  // namespace shardy::passes::explicit_reshards
