// Makes ops at a position of a module.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/support/detail/inline.hpp>
#include <vector>

namespace shardy::ir {

/// An insertion point. Ops are made with explicit result types; graph_builder.hpp infers them.
class Builder {
 public:
  /// Inserts at the end of `block`.
  Builder(Module& module, BlockId block) : module_(&module), block_(block) {}
  /// Inserts ops before `op`. Requires: it is in a block.
  static Builder before(Module& module, OpId op) { return {module, module.parent_block(op), op}; }
  /// Inserts ops after `op`. Requires: it is in a block.
  static Builder after(Module& module, OpId op) {
    return {module, module.parent_block(op), module.next(op)};
  }
  /// Inserts at the beginning of the block.
  static Builder at_start(Module& module, BlockId block) {
    return {module, block, module.first_op(block)};
  }

  /// The module that gets the ops.
  Module& module() const { return *module_; }
  /// The block that gets the ops.
  BlockId block() const { return block_; }
  /// The location that new ops get.
  void set_location(LocationId location) { location_ = location; }

  /// Creates the op at the insertion point, which moves after it. Requires:
  /// as Module::create.
  OpId create(OpSpec spec);
  /// Makes an op with one result and returns the result.
  ValueId create_value(OpKind kind, std::vector<ValueId> operands, Type type,
                       AttributeMap attributes = {});

 private:
  Builder(Module& module, BlockId block, OpId next)
      : module_(&module), block_(block), next_(next) {}

  Module* module_;
  BlockId block_;
  OpId next_;  // invalid: at the end of the block
  LocationId location_;
};

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <utility>

namespace shardy::ir {

SHARDY_INLINE OpId Builder::create(OpSpec spec) {
  if (!spec.location.valid()) spec.location = location_;
  const OpId op = module_->create(std::move(spec));
  if (next_.valid()) {
    module_->insert_before(next_, op);
  } else {
    module_->append(block_, op);
  }
  return op;
}

SHARDY_INLINE ValueId Builder::create_value(OpKind kind, std::vector<ValueId> operands, Type type,
                                            AttributeMap attributes) {
  return module_->result(create(OpSpec{.kind = kind,
                                       .operands = std::move(operands),
                                       .result_types = {std::move(type)},
                                       .attributes = std::move(attributes)}));
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
