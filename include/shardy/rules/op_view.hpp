// The input of rule makers, an op and options, and their result: a rule or none.
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
  /// Only rules for which no sharding leads to uneven or overlapping shards. Spec: rules 7.
  bool conservative = false;
  /// Also returns rules of ops that do not propagate by default. Spec: partitioning 8.0.
  bool lowering_rules = false;
};

/// A rule; std::nullopt for an op without one.
using RuleResult = Result<std::optional<OpShardingRule>>;

/// An op of a module, read only. Valid as long as the module is not changed.
class OpView {
 public:
  /// Requires: an op of the module, which must outlive the view.
  OpView(const ir::Module& module, ir::OpId op) : module_(&module), op_(op) {}

  /// The module of the op.
  const ir::Module& module() const { return *module_; }
  /// Its id.
  ir::OpId op() const { return op_; }
  /// Returns the kind of the op.
  ir::OpKind kind() const { return module_->kind(op_); }
  /// Returns the name with its dialect, also of unknown ops.
  std::string_view name() const { return module_->name(op_); }

  /// Returns the number of operands.
  std::size_t num_operands() const { return module_->num_operands(op_); }
  /// Returns the number of results.
  std::size_t num_results() const { return module_->num_results(op_); }
  /// Requires: index < num_operands().
  ir::ValueId operand(std::size_t index) const { return module_->operand(op_, index); }
  /// Requires: index < num_results().
  ir::ValueId result(std::size_t index = 0) const { return module_->result(op_, index); }

  /// Returns sizes; empty for scalars and for values other than tensors. Requires: index <
  /// num_operands().
  Shape operand_shape(std::size_t index) const { return shape(operand(index)); }
  /// Returns sizes of a result; empty for scalars and for values other than tensors. Requires:
  /// index < num_results().
  Shape result_shape(std::size_t index = 0) const { return shape(result(index)); }
  /// Returns the rank of every operand; 0 for values other than tensors.
  std::vector<std::size_t> operand_ranks() const;
  /// Returns the rank of every result; 0 for values other than tensors.
  std::vector<std::size_t> result_ranks() const;
  /// Returns whether every operand and result is a tensor of a static shape or a token.
  bool has_static_types() const;

  /// All attributes of the op.
  const ir::AttributeMap& attributes() const { return module_->attributes(op_); }
  /// The attribute of that name, or null if there is none of that type.
  template <typename T>
  const T* attribute(std::string_view name) const {
    return module_->attribute<T>(op_, name);
  }
  /// Errors: the op has no such attribute of that type.
  Result<std::span<const int64_t>> integers(std::string_view name) const;
  /// Errors: the op has no such attribute of that type.
  Result<int64_t> integer(std::string_view name) const;

  /// Returns whether an operand is the result of an op of that kind. Requires: operand_index <
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
