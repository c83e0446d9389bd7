// Typed 32-bit names of the parts of a module.
#pragma once

#include <shardy/support/typed_id.hpp>

namespace shardy::ir {

using OpId = TypedId<struct OpTag>;          // an op of a module
using ValueId = TypedId<struct ValueTag>;    // a value of a module: a result or a block argument
using BlockId = TypedId<struct BlockTag>;    // a block of a module
using RegionId = TypedId<struct RegionTag>;  // a region of a module
using LocationId = TypedId<struct LocationTag>;  // a place in the source, of a module

}  // namespace shardy::ir
