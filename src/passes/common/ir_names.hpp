// The names of the IR that the sources of this layer use without `ir::`.
#pragma once

#include "shardy/ir/module.hpp"

namespace shardy::passes {

using ir::AttributeMap;
using ir::BlockId;
using ir::Module;
using ir::OpId;
using ir::OpKind;
using ir::ShardingList;
using ir::Type;
using ir::Use;
using ir::ValueId;

}  // namespace shardy::passes
