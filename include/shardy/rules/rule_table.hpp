// The rules of many ops, each distinct one made once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/rules/registry.hpp>
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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/rule_table_inl.hpp>
#endif
