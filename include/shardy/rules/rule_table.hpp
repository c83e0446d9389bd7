// The rules of many ops, each distinct one made once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/rules/registry.hpp>
#include <shardy/support/inline.hpp>
#include <span>
#include <unordered_map>
#include <vector>

namespace shardy::rules {

/// Inputs of the rule of a built-in op: kind, shapes, some attributes, one look at the
/// graph.
/// Functions on ops of one module, for a table of ops.
class OpSignature {
 public:
  /// The module must outlive it.
  explicit OpSignature(const ir::Module& module) : module_(&module) {}

  std::size_t operator()(ir::OpId op) const;               // hash
  bool operator()(ir::OpId first, ir::OpId second) const;  // equality

 private:
  const ir::Module* module_;
};

/// The rules of the ops of a module. Ops that agree in all that their rule depends on share one,
/// and the rule is made for the first of them only. The module must not change meanwhile.
class RuleTable {
 public:
  /// All three must outlive the table, but `options`.
  RuleTable(const ir::Module& module, const Registry& registry, const RuleOptions& options)
      : module_(&module),
        registry_(&registry),
        options_(options),
        by_signature_(0, OpSignature(module), OpSignature(module)) {}

  /// Index in `rules()`; nothing for an op without a rule. Errors: those of Registry::rule_for.
  Result<std::optional<uint32_t>> find(ir::OpId op);
  /// All rules found so far.
  std::span<const OpShardingRule> rules() const { return rules_; }

 private:
  const ir::Module* module_;
  const Registry* registry_;
  RuleOptions options_;
  std::vector<OpShardingRule> rules_;
  std::unordered_map<ir::OpId, std::optional<uint32_t>, OpSignature, OpSignature> by_signature_;
};

// -------------------------------------------------------------------------------------------------

namespace detail {

std::size_t hash_value(const ir::Attribute* attribute);

}  // namespace detail

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <algorithm>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/rules/custom_call.hpp>
#include <shardy/support/hash.hpp>
#include <string>
#include <string_view>

namespace shardy::rules::detail {

SHARDY_INLINE std::size_t hash_value(const ir::Attribute* attribute) {
  if (attribute == nullptr) return 0;
  if (const auto* number = attribute->as<ir::IntegerAttr>()) return hash_of(number->value);
  if (const auto* list = attribute->as<ir::DenseArrayAttr>()) return hash_range(list->values);
  if (const auto* text = attribute->as<std::string>()) return hash_of(*text);
  if (const auto* dims = attribute->as<ir::DotDims>()) {
    return hash_of(hash_range(dims->lhs_batch), hash_range(dims->rhs_batch),
                   hash_range(dims->lhs_contracting), hash_range(dims->rhs_contracting));
  }
  return 0;
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE std::size_t OpSignature::operator()(ir::OpId id) const {
  const OpView op(*module_, id);
  std::size_t seed = hash_of(static_cast<int>(op.kind()), op.num_operands());
  for (std::size_t operand = 0; operand < op.num_operands(); ++operand) {
    seed = hash_combine(seed, hash_range(op.operand_shape(operand)));
  }
  for (std::size_t result = 0; result < op.num_results(); ++result) {
    seed = hash_combine(seed, hash_range(op.result_shape(result)));
  }
  const RuleEntry* entry = built_in_rule(op.kind());
  if (entry == nullptr) return seed;
  for (const std::string_view name : entry->attributes) {
    if (name.empty()) break;
    seed = hash_combine(seed, detail::hash_value(module_->attributes(id).find(name)));
  }
  return hash_combine(seed, entry->look != nullptr && entry->look(op) ? 1 : 0);
}

SHARDY_INLINE bool OpSignature::operator()(ir::OpId first, ir::OpId second) const {
  const OpView a(*module_, first);
  const OpView b(*module_, second);
  if (a.kind() != b.kind() || a.num_operands() != b.num_operands() ||
      a.num_results() != b.num_results()) {
    return false;
  }
  const auto same_type = [&](ir::ValueId x, ir::ValueId y) {
    const ir::TensorType* p = module_->type(x).tensor();
    const ir::TensorType* q = module_->type(y).tensor();
    return p == nullptr || q == nullptr ? module_->type(x) == module_->type(y) : p->dims == q->dims;
  };
  for (std::size_t operand = 0; operand < a.num_operands(); ++operand) {
    if (!same_type(a.operand(operand), b.operand(operand))) return false;
  }
  for (std::size_t result = 0; result < a.num_results(); ++result) {
    if (!same_type(a.result(result), b.result(result))) return false;
  }
  const RuleEntry* entry = built_in_rule(a.kind());
  if (entry == nullptr) return false;
  const auto same_attribute = [&](std::string_view name) {
    const ir::Attribute* of_a = module_->attributes(first).find(name);
    const ir::Attribute* of_b = module_->attributes(second).find(name);
    return of_a == nullptr || of_b == nullptr ? of_a == of_b : *of_a == *of_b;
  };
  if (!std::ranges::all_of(entry->attributes, same_attribute)) return false;
  return entry->look == nullptr || entry->look(a) == entry->look(b);
}

SHARDY_INLINE Result<std::optional<uint32_t>> RuleTable::find(ir::OpId op) {
  const OpView view(*module_, op);
  const bool is_built_in = view.kind() == ir::OpKind::CustomCall
                               ? knows_target(call_target(view))
                               : built_in_rule(view.kind()) != nullptr;
  const bool is_shared = is_built_in && !module_->attributes(op).contains(ir::kShardingRuleAttr);
  if (is_shared) {
    const auto known = by_signature_.find(op);
    if (known != by_signature_.end()) return known->second;
  }
  SHARDY_TRY(const std::optional<OpShardingRule> rule, registry_->rule_for(view, options_));
  std::optional<uint32_t> index;
  if (rule) {
    index = static_cast<uint32_t>(rules_.size());
    rules_.push_back(*rule);
  }
  if (is_shared) by_signature_.emplace(op, index);
  return index;
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
