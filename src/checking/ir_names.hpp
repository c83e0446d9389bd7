// The names of the IR that the sources of this layer use without `ir::`.
#pragma once

#include "shardy/ir/module.hpp"

namespace shardy::checking {

using ir::AttributeMap;
using ir::BlockId;
using ir::ElementType;
using ir::IntegerAttr;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::OpSpec;
using ir::Type;
using ir::ValueId;

}  // namespace shardy::checking
