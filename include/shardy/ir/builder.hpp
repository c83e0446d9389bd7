// Creation of ops at an insertion point.
#pragma once

#include <shardy/ir/module.hpp>
#include <shardy/support/detail/inline.hpp>
#include <vector>

namespace shardy::ir {

/// An insertion point in a module. Callers pass the result types of an op; graph_builder.hpp infers
/// result types.
class Builder {
 public:
  /// Sets the insertion point at the end of `block`.
  Builder(Module& module, BlockId block) : module_(&module), block_(block) {}
  /// Returns a builder that inserts before `op`. Requires: `op` is in a block.
  static Builder before(Module& module, OpId op) { return {module, module.parent_block(op), op}; }
  /// Returns a builder that inserts after `op`. Requires: `op` is in a block.
  static Builder after(Module& module, OpId op) {
    return {module, module.parent_block(op), module.next(op)};
  }
  /// Returns a builder that inserts at the beginning of `block`.
  static Builder at_start(Module& module, BlockId block) {
    return {module, block, module.first_op(block)};
  }

  /// Returns the module of the insertion point.
  Module& module() const { return *module_; }
  /// Returns the block of the insertion point.
  BlockId block() const { return block_; }
  /// Sets the location of the ops that this builder creates from now on.
  void set_location(LocationId location) { location_ = location; }

  /// Creates an op at the insertion point; the next op is inserted after this op. Requires: as
  /// Module::create.
  OpId create(OpSpec spec);
  /// Creates an op with one result and returns the result.
  ValueId create_value(OpKind kind, std::vector<ValueId> operands, Type type,
                       AttributeMap attributes = {});

 private:
  Builder(Module& module, BlockId block, OpId next)
      : module_(&module), block_(block), next_(next) {}

  Module* module_;
  BlockId block_;
  OpId next_;  // op after the insertion point; invalid: the end of the block
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
