// A registry of sharding rules: built-in rules, and rules that embedders register as functions or
// as text. Rules of ops by name, for compilers whose programs are not modules of this library. Also
// a table of the distinct rules of a module.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <shardy/algebra/einsum_rule.hpp>
#include <shardy/ir/attribute.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/ir/type.hpp>
#include <shardy/rules/op_view.hpp>
#include <shardy/support/detail/inline.hpp>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace shardy::rules {

/// A function that makes the rule of an op; the result is std::nullopt if the op has none.
using RuleMaker = std::function<RuleResult(const OpView&, const RuleOptions&)>;

/// A registry of sharding rules. A registry is a value; the default one has the built-in rules.
class Registry {
 public:
  /// Registers a rule for ops named `op_name`. `for_lowering` makes the rule that partitioning
  /// uses, if the op's lowering accepts more shardings than the propagation rule; null: the same
  /// rule. Errors: the op has a built-in rule or none by design; the name is already registered.
  Status add(std::string op_name, RuleMaker maker, RuleMaker for_lowering = nullptr);
  /// Registers a rule for custom calls whose target is `target`. Parameters and errors: as add.
  Status add_custom_call(std::string target, RuleMaker maker, RuleMaker for_lowering = nullptr);
  /// Registers a rule for composites named `name`. Propagation treats such a composite as one op;
  /// its decomposition is then lowered with the resulting shardings. Parameters and errors: as add.
  /// Spec: partitioning 8.23.
  Status add_composite(std::string name, RuleMaker maker, RuleMaker for_lowering = nullptr);

  /// Returns the rule of an op: the attached rule, regardless of options, else the built-in or
  /// registered rule.
  ///
  /// Returns std::nullopt for ops without a rule and for ops with values of dynamic, unranked or
  /// tuple type. Errors: operands or attributes that do not fit the op kind, with the location of
  /// the op. Spec: rules 6.
  RuleResult rule_for(const OpView& op, const RuleOptions& options = {}) const;

  /// Returns the rule of rule_for, ignoring the attached rule.
  RuleResult make_rule(const OpView& op, const RuleOptions& options = {}) const;

  /// Returns the rule for the lowering of an op and its explicit reshards. Factors that the
  /// lowering handles by moving elements are permutation factors. Ops that do not propagate have a
  /// rule if they can be partitioned. Spec: partitioning 1.2 (I4).
  RuleResult lowering_rule_for(const OpView& op) const;

  /// Returns whether the embedder registered a rule for the op.
  bool has_own(const OpView& op) const { return find(op) != nullptr; }

  /// Returns false if the op should have a rule but has none, which deserves a warning. Returns
  /// true for ops with a rule, and for ops without a rule by design.
  bool knows(const OpView& op) const;

 private:
  struct RegisteredRule {
    RuleMaker make;
    RuleMaker make_for_lowering;  // null: `make` also serves the lowering
  };
  using RegisteredRules = std::map<std::string, RegisteredRule, std::less<>>;

  Status add_row(RegisteredRules& rows, std::string_view what, std::string name,
                 RegisteredRule row);
  /// Returns the registered row of the op, or null.
  const RegisteredRule* find(const OpView& op) const;

  RegisteredRules ops_;         // rules by op name
  RegisteredRules targets_;     // rules by custom-call target
  RegisteredRules composites_;  // rules by composite name
};

// -------------------------------------------------------------------------------------------------

/// Attaches the rule of each op as an attribute, unless the op has an attached rule. Errors: those
/// of Registry::rule_for; the module is then unchanged. Spec: rules 6.
Status populate_rules(ir::Module& module, const Registry& registry,
                      const RuleOptions& options = {});

/// Removes all attached rules that are not custom. Spec: rules 6.
void drop_rules(ir::Module& module);

/// Hash and equality of ops by the inputs of their rules: kind, shapes, some attributes, and one
/// property of other ops. For hash tables of ops of one module.
class OpSignature {
 public:
  /// Makes the functions for a module, which must outlive them.
  explicit OpSignature(const ir::Module& module) : module_(&module) {}

  std::size_t operator()(ir::OpId op) const;               // hash
  bool operator()(ir::OpId first, ir::OpId second) const;  // equality

 private:
  const ir::Module* module_;
};

/// The rules of the ops of a module. Ops with equal inputs share one rule. The module must not
/// change while the table is in use.
class RuleTable {
 public:
  /// Makes a table. `module` and `registry` must outlive the table.
  RuleTable(const ir::Module& module, const Registry& registry, const RuleOptions& options)
      : module_(&module),
        registry_(&registry),
        options_(options),
        by_signature_(0, OpSignature(module), OpSignature(module)) {}

  /// Returns the index of the op's rule in `rules()`; std::nullopt if the op has no rule. Errors:
  /// those of Registry::rule_for.
  Result<std::optional<uint32_t>> find(ir::OpId op);
  /// Returns all rules found so far.
  std::span<const OpShardingRule> rules() const { return rules_; }

 private:
  const ir::Module* module_;
  const Registry* registry_;
  RuleOptions options_;
  std::vector<OpShardingRule> rules_;
  std::unordered_map<ir::OpId, std::optional<uint32_t>, OpSignature, OpSignature> by_signature_;
  // Entries of by_signature_ by a short hash, which is cheaper than that of the signature.
  struct RecentRule {
    ir::OpId op;
    std::optional<uint32_t> index;
  };
  std::array<RecentRule, 64> recent_;
};

// -------------------------------------------------------------------------------------------------

namespace detail {

std::size_t hash_value(const ir::Attribute* attribute);

}  // namespace detail

/// Returns the rule of an einsum for the shapes of `op`. Errors: those of shardy::resolve.
Result<OpShardingRule> einsum_rule(const OpView& op, const EinsumRule& einsum);

/// Returns a rule maker of an einsum, for Registry::add and add_custom_call. Errors: those of
/// parse_einsum_rule.
Result<RuleMaker> einsum_maker(std::string_view text);

/// Suggests an einsum rule for an op without a rule. Dims of equal size at the same position of
/// several tensors share a factor; all other dims have their own factors. The suggestion may be
/// wrong, for example for a Cholesky decomposition.
///
/// Example: 8x4, 4 -> 8x4: `i j, k -> i j`.
std::string suggested_einsum(const OpView& op);

/// Returns a note for a diagnostic about an op without a rule: a rule that is correct for any op,
/// the suggested rule with the condition under which it is correct, and how to test a rule. If a
/// value of the op has no static shape, the note explains why the op cannot have a rule.
std::string missing_rule_note(const OpView& op);

/// An op outside of a program: its name, and the types of its tensors in order.
struct NamedOp {
  std::string name;                     // `stablehlo.dot_general`
  std::vector<ir::Type> operands = {};  // ir::Type::tensor(shape, element)
  std::vector<ir::Type> results = {};   // in the same form
  /// Attributes of the op; text::parse_attributes reads them from text.
  ir::AttributeMap attributes = {};
  /// The op that the body of a scatter applies to an element and its update: `stablehlo.add`.
  /// Empty: another body, such as one that returns the update.
  std::string combiner = {};
};

/// Returns the rule that Registry::rule_for returns for that op in a program; std::nullopt for an
/// op without one. If the rule depends on other ops, the operands of the op count as arguments: an
/// update at starts that are not constant, a concatenation of values that are not slices.
///
/// Example: `stablehlo.transpose` of 3x4 to 4x3 with `permutation = array<i64: 1, 0>`:
/// `([j, i])->([i, j]) {i=4, j=3}`. Errors: those of Registry::rule_for; a name or a combiner that
/// neither the library nor the registry has.
RuleResult rule_of(const NamedOp& op, const RuleOptions& options = {},
                   const Registry& registry = {});

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <algorithm>
#include <iterator>
#include <shardy/ir/attribute_names.hpp>
#include <shardy/ir/graph_builder.hpp>
#include <shardy/ir/op_table.hpp>
#include <shardy/ir/sharding_access.hpp>
#include <shardy/ir/walk.hpp>
#include <shardy/rules/built_in.hpp>
#include <shardy/rules/detail/indexed_lowering.hpp>
#include <shardy/rules/detail/lowering_rules.hpp>
#include <shardy/rules/detail/op_rules.hpp>
#include <shardy/support/detail/hash.hpp>
#include <shardy/support/detail/quote.hpp>
#include <utility>

namespace shardy::rules::detail {

SHARDY_INLINE Error rule_error(const OpView& op, Error error) {
  error = with_prefix("'" + std::string(op.name()) + "' op ", std::move(error));
  error.location = op.module().source_location(op.op());
  return error;
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE Status Registry::add(std::string op_name, RuleMaker maker, RuleMaker for_lowering) {
  const ir::OpKind kind = ir::find_op(op_name);
  if (built_in_rule(kind) != nullptr) return fail("op has a built-in sharding rule: " + op_name);
  if (has_no_rule_by_design(kind)) return fail("op cannot have a sharding rule: " + op_name);
  return add_row(ops_, "op", std::move(op_name), {std::move(maker), std::move(for_lowering)});
}

SHARDY_INLINE Status Registry::add_custom_call(std::string target, RuleMaker maker,
                                               RuleMaker for_lowering) {
  if (knows_target(target)) {
    return fail("custom calls of that name have a built-in sharding rule, or none by design: " +
                target);
  }
  return add_row(targets_, "custom call", std::move(target),
                 {std::move(maker), std::move(for_lowering)});
}

SHARDY_INLINE Status Registry::add_composite(std::string name, RuleMaker maker,
                                             RuleMaker for_lowering) {
  return add_row(composites_, "composite", std::move(name),
                 {std::move(maker), std::move(for_lowering)});
}

SHARDY_INLINE Status Registry::add_row(RegisteredRules& rows, std::string_view what,
                                       std::string name, RegisteredRule row) {
  const auto made = rows.emplace(std::move(name), std::move(row));
  if (made.second) return {};
  return fail("a sharding rule is registered already for " + std::string(what) + ": " +
              made.first->first);
}

SHARDY_INLINE const Registry::RegisteredRule* Registry::find(const OpView& op) const {
  const auto find_in = [](const RegisteredRules& rows, std::string_view name) {
    const auto found = rows.find(name);
    return found != rows.end() ? &found->second : nullptr;
  };
  if (op.kind() == ir::OpKind::CustomCall) return find_in(targets_, call_target(op));
  if (op.kind() == ir::OpKind::Composite && !composites_.empty()) {
    const auto* name = op.attribute<std::string>(ir::attr::kName);
    if (name != nullptr && composites_.contains(*name)) return find_in(composites_, *name);
  }
  return find_in(ops_, op.name());
}

SHARDY_INLINE RuleResult Registry::rule_for(const OpView& op, const RuleOptions& options) const {
  if (const auto* attached = op.attribute<OpShardingRule>(ir::kShardingRuleAttr)) {
    return std::optional<OpShardingRule>(*attached);
  }
  return make_rule(op, options);
}

SHARDY_INLINE RuleResult Registry::make_rule(const OpView& op, const RuleOptions& options) const {
  if (op.num_results() == 0 || !op.has_static_types()) return std::optional<OpShardingRule>();
  const auto at_op = [&](Error error) { return detail::rule_error(op, std::move(error)); };
  if (const RegisteredRule* registered = find(op))
    return registered->make(op, options).map_error(at_op);
  if (const RuleEntry* entry = built_in_rule(op.kind())) {
    if (op.num_operands() >= entry->min_operands) {
      return entry->make(op, options).map_error(at_op);
    }
    return tl::unexpected<Error>(at_op({"expected at least " + std::to_string(entry->min_operands) +
                                            " operands, got: " + std::to_string(op.num_operands()),
                                        {},
                                        {}}));
  }
  if (!options.lowering_rules) return std::optional<OpShardingRule>();
  return lowering_only_rule(op).map_error(at_op);
}

SHARDY_INLINE bool Registry::knows(const OpView& op) const {
  if (find(op) != nullptr) return true;
  if (op.kind() == ir::OpKind::CustomCall) return knows_target(call_target(op));
  return built_in_rule(op.kind()) != nullptr || has_no_rule_by_design(op.kind());
}

}  // namespace shardy::rules

namespace shardy::rules::detail {

SHARDY_INLINE OpShardingRule with_permutations(const OpShardingRule& rule) {
  OpShardingRule::Parts parts = rule.parts();
  std::vector<int32_t> merged;
  std::ranges::merge(parts.permutation, parts.need_replication, std::back_inserter(merged));
  parts.permutation = std::move(merged);
  parts.need_replication.clear();
  const Result<OpShardingRule> changed = OpShardingRule::make(std::move(parts));
  SHARDY_ASSERT(changed.has_value());
  return changed ? *changed : rule;
}

/// Adds the factor of the free column dim of right-hand side and result, because each column is
/// solved separately.
SHARDY_INLINE OpShardingRule with_free_columns(const OpShardingRule& rule) {
  OpShardingRule::Parts parts = rule.parts();
  std::erase_if(parts.need_replication, [&](int32_t factor) {
    return !contains_factor(rule.operands()[0], factor) &&
           contains_factor(rule.operands()[1], factor) &&
           contains_factor(rule.results()[0], factor);
  });
  const Result<OpShardingRule> changed = OpShardingRule::make(std::move(parts));
  SHARDY_ASSERT(changed.has_value());
  return changed ? *changed : rule;
}

/// Adds the factors to a propagation rule that only the lowering supports.
SHARDY_INLINE RuleResult with_lowering(const OpView& op, const OpShardingRule& rule) {
  if (op.kind() == ir::OpKind::Convolution) return convolution_lowering_of(op);
  if (op.kind() == ir::OpKind::SelectAndScatter) return select_and_scatter_lowering_of(op);
  if (op.kind() == ir::OpKind::TriangularSolve) return std::optional(with_free_columns(rule));
  if (op.kind() == ir::OpKind::Sort) return sort_lowering_rule(op, rule);
  const bool is_top_k_call = op.kind() == ir::OpKind::CustomCall && call_target(op) == "mhlo.topk";
  if (op.kind() == ir::OpKind::ChloTopK || is_top_k_call) return ranking_rule(op);
  const bool moves_pieces = op.kind() == ir::OpKind::Concatenate;
  return std::optional<OpShardingRule>(moves_pieces ? with_permutations(rule) : rule);
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE RuleResult Registry::lowering_rule_for(const OpView& op) const {
  const bool is_usual = op.num_results() != 0 && op.has_static_types();
  const RegisteredRule* registered = find(op);
  if (is_usual && registered != nullptr && registered->make_for_lowering != nullptr) {
    return registered->make_for_lowering(op, {}).map_error(
        [&](Error error) { return detail::rule_error(op, std::move(error)); });
  }
  // An attached rule of a built-in op changes propagation, not the semantics of the op.
  const auto* attached = op.attribute<OpShardingRule>(ir::kShardingRuleAttr);
  const bool is_foreign = op.kind() == ir::OpKind::CustomCall || op.kind() == ir::OpKind::Unknown;
  if (attached != nullptr && is_foreign) return std::optional(*attached);
  if (is_indexed(op.kind()) && op.has_static_types()) return indexed_lowering_rule(op);
  std::optional<OpShardingRule> rule;
  if (attached != nullptr && !attached->is_custom()) {
    rule = *attached;
  } else {
    SHARDY_TRY(rule, make_rule(op, {.lowering_rules = true}));
  }
  if (rule) return detail::with_lowering(op, *rule);
  return attached != nullptr ? std::optional(*attached) : std::nullopt;
}

SHARDY_INLINE Status populate_rules(ir::Module& module, const Registry& registry,
                                    const RuleOptions& options) {
  std::vector<std::pair<ir::OpId, OpShardingRule>> found;
  for (const ir::OpId op : ir::pre_order(module)) {
    if (module.attributes(op).contains(ir::kShardingRuleAttr)) continue;
    SHARDY_TRY(std::optional<OpShardingRule> rule, registry.rule_for(OpView(module, op), options));
    if (rule) found.emplace_back(op, *std::move(rule));
  }
  for (auto& [op, rule] : found) module.attributes(op).set(ir::kShardingRuleAttr, std::move(rule));
  return {};
}

SHARDY_INLINE void drop_rules(ir::Module& module) {
  for (const ir::OpId op : ir::pre_order(module)) {
    const auto* rule = module.attribute<OpShardingRule>(op, ir::kShardingRuleAttr);
    if (rule != nullptr && !rule->is_custom()) module.attributes(op).erase(ir::kShardingRuleAttr);
  }
}

}  // namespace shardy::rules

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

namespace shardy::rules {}  // namespace shardy::rules

namespace shardy::rules::detail {

/// Returns a hash of the op's kind, and of the first and the last size of some tensors. Ops of
/// different signatures may have equal hashes.
SHARDY_INLINE std::size_t short_hash(const OpView& op) {
  auto hash = static_cast<std::size_t>(op.kind());
  const auto add = [&](const Shape& shape) {
    const int64_t sizes = shape.empty() ? 1 : 3 * shape.front() + shape.back();
    hash = (31 * hash) + (7 * shape.size()) + static_cast<std::size_t>(sizes);
  };
  for (std::size_t operand = 0; operand < std::min<std::size_t>(op.num_operands(), 2); ++operand) {
    add(op.operand_shape(operand));
  }
  if (op.num_results() > 0) add(op.result_shape(0));
  return hash * 0x9E3779B97F4A7C15U >> 40U;
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

namespace detail {

/// Returns whether two ops have operands and results of the same dims.
SHARDY_INLINE bool have_equal_dims(const ir::Module& module, const OpView& a, const OpView& b) {
  if (a.num_operands() != b.num_operands() || a.num_results() != b.num_results()) return false;
  const auto are_equal = [&](ir::ValueId x, ir::ValueId y) {
    const ir::TensorType* p = module.type(x).tensor();
    const ir::TensorType* q = module.type(y).tensor();
    if (p == nullptr || q == nullptr) return module.type(x) == module.type(y);
    return p == q || p->dims == q->dims;
  };
  for (std::size_t operand = 0; operand < a.num_operands(); ++operand) {
    if (!are_equal(a.operand(operand), b.operand(operand))) return false;
  }
  for (std::size_t result = 0; result < a.num_results(); ++result) {
    if (!are_equal(a.result(result), b.result(result))) return false;
  }
  return true;
}

}  // namespace detail

SHARDY_INLINE bool OpSignature::operator()(ir::OpId first, ir::OpId second) const {
  const OpView a(*module_, first);
  const OpView b(*module_, second);
  if (a.kind() != b.kind() || !detail::have_equal_dims(*module_, a, b)) return false;
  const RuleEntry* entry = built_in_rule(a.kind());
  if (entry == nullptr) return false;
  const ir::AttributeMap& attributes_of_a = module_->attributes(first);
  const ir::AttributeMap& attributes_of_b = module_->attributes(second);
  for (const std::string_view name : entry->attributes) {
    if (name.empty()) break;
    const ir::Attribute* of_a = attributes_of_a.find(name);
    const ir::Attribute* of_b = attributes_of_b.find(name);
    const bool are_equal = of_a == nullptr || of_b == nullptr ? of_a == of_b : *of_a == *of_b;
    if (!are_equal) return false;
  }
  return entry->look == nullptr || entry->look(a) == entry->look(b);
}

SHARDY_INLINE Result<std::optional<uint32_t>> RuleTable::find(ir::OpId op) {
  const OpView view(*module_, op);
  const bool is_built_in = view.kind() == ir::OpKind::CustomCall
                               ? knows_target(call_target(view))
                               : built_in_rule(view.kind()) != nullptr;
  const bool is_shared = is_built_in && !module_->attributes(op).contains(ir::kShardingRuleAttr);
  RecentRule* recent = nullptr;
  if (is_shared) {
    recent = &recent_[detail::short_hash(view) % recent_.size()];
    if (recent->op.valid() && OpSignature(*module_)(recent->op, op)) return recent->index;
    const auto known = by_signature_.find(op);
    if (known != by_signature_.end()) {
      *recent = {known->first, known->second};
      return known->second;
    }
  }
  SHARDY_TRY(const std::optional<OpShardingRule> rule, registry_->rule_for(view, options_));
  std::optional<uint32_t> index;
  if (rule) {
    index = static_cast<uint32_t>(rules_.size());
    rules_.push_back(*rule);
  }
  if (is_shared) {
    by_signature_.emplace(op, index);
    *recent = {op, index};
  }
  return index;
}

}  // namespace shardy::rules

namespace shardy::rules::detail {

/// Factor names by dim and size.
using SuggestedNames = std::map<std::pair<std::size_t, int64_t>, std::string>;

SHARDY_INLINE std::vector<std::vector<int64_t>> shapes_of(const OpView& op, bool of_results) {
  std::vector<std::vector<int64_t>> shapes;
  const std::size_t count = of_results ? op.num_results() : op.num_operands();
  for (std::size_t index = 0; index < count; ++index) {
    const Shape shape = of_results ? op.result_shape(index) : op.operand_shape(index);
    shapes.emplace_back(shape.begin(), shape.end());
  }
  return shapes;
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE Result<OpShardingRule> einsum_rule(const OpView& op, const EinsumRule& einsum) {
  return shardy::resolve(einsum, detail::shapes_of(op, false), detail::shapes_of(op, true));
}

SHARDY_INLINE Result<RuleMaker> einsum_maker(std::string_view text) {
  SHARDY_TRY(EinsumRule einsum, parse_einsum_rule(text));
  return RuleMaker(
      [einsum = std::move(einsum)](const OpView& op, const RuleOptions&) -> RuleResult {
        SHARDY_TRY(OpShardingRule rule, einsum_rule(op, einsum));
        return std::optional<OpShardingRule>(std::move(rule));
      });
}

}  // namespace shardy::rules

namespace shardy::rules::detail {

/// Returns `i`, ..., `z`, then `f18`, `f19`, ...
SHARDY_INLINE std::string suggested_name(std::size_t index) {
  constexpr std::size_t kNumLetters = 18;
  return index < kNumLetters ? std::string(1, static_cast<char>('i' + index))
                             : "f" + std::to_string(index);
}

SHARDY_INLINE EinsumTensor suggested_tensor(const std::vector<int64_t>& shape,
                                            SuggestedNames& names) {
  EinsumTensor tensor;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    const auto [name, is_new] = names.try_emplace({dim, shape[dim]});
    if (is_new) name->second = suggested_name(names.size() - 1);
    tensor.dims.push_back({name->second});
  }
  return tensor;
}

/// A suggested einsum, with the names of its factors in order of occurrence.
struct Suggestion {
  EinsumRule einsum;
  std::vector<std::string> factors;
};

SHARDY_INLINE Suggestion suggestion_for(const OpView& op) {
  SuggestedNames names;
  Suggestion suggestion;
  const auto add = [&](const std::vector<std::vector<int64_t>>& shapes,
                       std::vector<EinsumTensor>& tensors) {
    for (const std::vector<int64_t>& shape : shapes) {
      tensors.push_back(suggested_tensor(shape, names));
    }
  };
  add(shapes_of(op, false), suggestion.einsum.operands);
  add(shapes_of(op, true), suggestion.einsum.results);
  for (std::size_t index = 0; index < names.size(); ++index) {
    suggestion.factors.push_back(suggested_name(index));
  }
  return suggestion;
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE std::string suggested_einsum(const OpView& op) {
  return to_string(detail::suggestion_for(op).einsum);
}

SHARDY_INLINE std::string missing_rule_note(const OpView& op) {
  if (is_manual_marker(call_target(op))) return std::string(kManualMarkerNote);
  if (!op.has_static_types()) {
    return "the op cannot have a rule: an operand or result has a quantized, dynamic or other "
           "foreign type, and rules have no dims for such types; a custom lowering can partition "
           "the op, with these values replicated";
  }
  detail::Suggestion suggestion = detail::suggestion_for(op);
  const std::string guess = to_string(suggestion.einsum);
  suggestion.einsum.need_replication = std::move(suggestion.factors);
  return "add a rule that is correct for the op: sdy.sharding_rule = \"" +
         to_string(suggestion.einsum) + "\" is always correct; \"" + guess +
         "\", guessed from equal sizes, is correct only if each shard of the results needs only "
         "the same shard of the operands; checking::check with a kernel of the op tests a rule";
}

}  // namespace shardy::rules

namespace shardy::rules::detail {

SHARDY_INLINE Error unknown_op(std::string_view what, const std::string& name) {
  std::vector<std::string_view> names;
  for (const ir::OpInfo& info : ir::kOps) names.push_back(info.name);
  Error error{what.empty() ? "unknown op: " + name : std::string(what) + ": unknown op: " + name};
  if (const auto meant = closest(name, names))
    error.notes.push_back("did you mean " + *meant + "?");
  return error;
}

/// Adds a body that applies the op to each element of an input and its update.
SHARDY_INLINE ir::RegionId add_combiner(ir::Module& module, ir::OpKind combiner,
                                        std::span<const ir::Type> inputs) {
  const ir::RegionId region = module.new_region();
  const ir::BlockId body = module.new_block(region);
  std::vector<ir::ValueId> old_elements;
  std::vector<ir::ValueId> new_elements;
  for (std::vector<ir::ValueId>* side : {&old_elements, &new_elements}) {
    for (const ir::Type& input : inputs) {
      const ir::TensorType* tensor = input.tensor();
      const ir::ElementType element = tensor != nullptr ? tensor->element : ir::ElementType::F32;
      side->push_back(module.add_argument(body, ir::Type::tensor({}, element)));
    }
  }
  ir::Builder builder(module, body);
  std::vector<ir::ValueId> combined;
  for (std::size_t index = 0; index < old_elements.size(); ++index) {
    const ir::OpId op = builder.create({.kind = combiner,
                                        .operands = {old_elements[index], new_elements[index]},
                                        .result_types = {module.type(old_elements[index])}});
    combined.push_back(module.result(op));
  }
  builder.create({.kind = ir::OpKind::StablehloReturn, .operands = std::move(combined)});
  return region;
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE RuleResult rule_of(const NamedOp& op, const RuleOptions& options,
                                 const Registry& registry) {
  ir::Module module;
  const ir::BlockId block = module.entry(module.add_function("main", op.operands, {}));
  ir::OpSpec spec{.kind = ir::find_op(op.name), .name = op.name, .attributes = op.attributes};
  if (spec.kind != ir::OpKind::Unknown) spec.name.clear();
  const auto arguments = module.args(block);
  spec.operands.assign(arguments.begin(), arguments.end());
  spec.result_types = op.results;
  if (!op.combiner.empty()) {
    const ir::OpKind combiner = ir::find_op(op.combiner);
    if (combiner == ir::OpKind::Unknown) {
      return tl::unexpected(detail::unknown_op("combiner", op.combiner));
    }
    if (!ir::has_trait(combiner, ir::kElementwise)) {
      return fail("combiner: " + op.combiner + " is not elementwise");
    }
    const std::span<const ir::Type> inputs(op.operands);
    spec.regions = {detail::add_combiner(module, combiner, inputs.first(inputs.size() / 2))};
  }
  const OpView view(module, ir::Builder(module, block).create(std::move(spec)));
  if (!registry.knows(view) && view.kind() == ir::OpKind::Unknown) {
    return tl::unexpected(detail::unknown_op({}, op.name));
  }
  return registry.rule_for(view, options);
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
