// What a rule may know of an op: kind, shapes, attributes, and a little of the graph around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/ir/module.hpp>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace shardy::rules {

/// An op of a module, read only. Valid as long as the module is not changed.
class OpView {
 public:
  OpView(const ir::Module& module, ir::OpId op) : module_(&module), op_(op) {}

  const ir::Module& module() const { return *module_; }
  ir::OpId op() const { return op_; }
  ir::OpKind kind() const { return module_->kind(op_); }
  std::string_view name() const { return module_->name(op_); }

  std::size_t num_operands() const { return module_->num_operands(op_); }
  std::size_t num_results() const { return module_->num_results(op_); }
  ir::ValueId operand(std::size_t index) const { return module_->operand(op_, index); }
  ir::ValueId result(std::size_t index = 0) const { return module_->result(op_, index); }

  /// Sizes; empty for scalars and for values that are no tensors.
  Shape operand_shape(std::size_t index) const { return shape(operand(index)); }
  Shape result_shape(std::size_t index = 0) const { return shape(result(index)); }
  std::vector<std::size_t> operand_ranks() const;
  std::vector<std::size_t> result_ranks() const;
  /// Whether every operand and result is a tensor of a static shape or a token.
  bool has_static_types() const;

  const ir::AttributeMap& attributes() const { return module_->attributes(op_); }
  template <typename T>
  const T* attribute(std::string_view name) const {
    return module_->attribute<T>(op_, name);
  }
  /// Errors: the op has no such attribute of that type.
  Result<std::span<const int64_t>> integers(std::string_view name) const;
  Result<int64_t> integer(std::string_view name) const;

  /// Whether an operand is the result of an op of that kind.
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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/op_view_inl.hpp>
#endif
