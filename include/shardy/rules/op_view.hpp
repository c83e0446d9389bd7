// The input of rule makers, an op with options, and their result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace shardy::rules {

/// Options of rule makers.
struct RuleOptions {
  /// Conservative rules: no sharding of a factor leads to uneven or overlapping shards. Spec: rules
  /// 7.
  bool conservative = false;
  /// Also returns rules of ops that do not propagate by default. Spec: partitioning 8.0.
  bool lowering_rules = false;
};

/// A sharding rule; std::nullopt for an op without one.
using RuleResult = Result<std::optional<OpShardingRule>>;

/// A read-only view of an op. Valid until the module changes.
class OpView {
 public:
  /// Makes a view of `op`. Requires: an op of the module, which must outlive the view.
  OpView(const ir::Module& module, ir::OpId op) : module_(&module), op_(op) {}

  /// Returns the module of the op.
  const ir::Module& module() const { return *module_; }
  /// Returns the id of the op.
  ir::OpId op() const { return op_; }
  /// Returns the kind of the op.
  ir::OpKind kind() const { return module_->kind(op_); }
  /// Returns the op name with its dialect, also for unknown ops.
  std::string_view name() const { return module_->name(op_); }

  /// Returns the number of operands.
  std::size_t num_operands() const { return module_->num_operands(op_); }
  /// Returns the number of results.
  std::size_t num_results() const { return module_->num_results(op_); }
  /// Returns an operand. Requires: index < num_operands().
  ir::ValueId operand(std::size_t index) const { return module_->operand(op_, index); }
  /// Returns a result. Requires: index < num_results().
  ir::ValueId result(std::size_t index = 0) const { return module_->result(op_, index); }

  /// Returns the sizes of an operand; empty for scalars and for values that are not tensors.
  /// Requires: index < num_operands().
  Shape operand_shape(std::size_t index) const { return shape(operand(index)); }
  /// Returns the sizes of a result; empty for scalars and for values that are not tensors.
  /// Requires: index < num_results().
  Shape result_shape(std::size_t index = 0) const { return shape(result(index)); }
  /// Returns the rank of each operand; 0 for values that are not tensors.
  std::vector<std::size_t> operand_ranks() const;
  /// Returns the rank of each result; 0 for values that are not tensors.
  std::vector<std::size_t> result_ranks() const;
  /// Returns whether each operand and result is a tensor of static shape or a token.
  bool has_static_types() const;

  /// Returns the attributes of the op.
  const ir::AttributeMap& attributes() const { return module_->attributes(op_); }
  /// Returns the attribute named `name`; null if the op has none of type T.
  template <typename T>
  const T* attribute(std::string_view name) const {
    return module_->attribute<T>(op_, name);
  }
  /// Returns the list attribute named `name`. Errors: the op has no such attribute.
  Result<std::span<const int64_t>> integers(std::string_view name) const;
  /// Returns the integer attribute named `name`. Errors: the op has no such attribute.
  Result<int64_t> integer(std::string_view name) const;

  /// Returns whether an operand is the result of an op of kind `kind`. Requires: operand_index <
  /// num_operands().
  bool is_defined_by(std::size_t operand_index, ir::OpKind kind) const {
    const ir::OpId definition = module_->defining_op(operand(operand_index));
    return definition.valid() && module_->is(definition, kind);
  }

 private:
  Shape shape(ir::ValueId value) const {
    const ir::TensorType* tensor = module_->type(value).tensor();
    return tensor != nullptr ? Shape(tensor->dims) : Shape();
  }

  const ir::Module* module_;
  ir::OpId op_;
};

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <string>

namespace shardy::rules {

SHARDY_INLINE std::vector<std::size_t> OpView::operand_ranks() const {
  std::vector<std::size_t> ranks;
  ranks.reserve(num_operands());
  for (std::size_t index = 0; index < num_operands(); ++index) {
    ranks.push_back(operand_shape(index).size());
  }
  return ranks;
}

SHARDY_INLINE std::vector<std::size_t> OpView::result_ranks() const {
  std::vector<std::size_t> ranks;
  ranks.reserve(num_results());
  for (std::size_t index = 0; index < num_results(); ++index) {
    ranks.push_back(result_shape(index).size());
  }
  return ranks;
}

SHARDY_INLINE bool OpView::has_static_types() const {
  const auto is_static = [&](ir::ValueId value) {
    const ir::Type& type = module_->type(value);
    return type.is_static_tensor() || type.is_token();
  };
  for (std::size_t index = 0; index < num_operands(); ++index) {
    if (!is_static(operand(index))) return false;
  }
  for (std::size_t index = 0; index < num_results(); ++index) {
    if (!is_static(result(index))) return false;
  }
  return true;
}

SHARDY_INLINE Result<std::span<const int64_t>> OpView::integers(std::string_view name) const {
  const auto* list = attribute<ir::DenseArrayAttr>(name);
  if (list == nullptr) return fail("expected an integer array attribute: " + std::string(name));
  return std::span<const int64_t>(list->values);
}

SHARDY_INLINE Result<int64_t> OpView::integer(std::string_view name) const {
  const auto* number = attribute<ir::IntegerAttr>(name);
  if (number == nullptr) return fail("expected an integer attribute: " + std::string(name));
  return number->value;
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
