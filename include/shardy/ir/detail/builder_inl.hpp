// Bodies of builder.hpp.
#pragma once

#include <shardy/ir/builder.hpp>
#include <shardy/ir/module.hpp>
#include <shardy/support/inline.hpp>
#include <utility>
#include <vector>

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
