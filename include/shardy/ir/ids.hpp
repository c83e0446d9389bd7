// Typed 32-bit names of the parts of a module.
#pragma once

#include <shardy/support/typed_id.hpp>

namespace shardy::ir {

using OpId = TypedId<struct OpTag>;
using ValueId = TypedId<struct ValueTag>;
using BlockId = TypedId<struct BlockTag>;
using RegionId = TypedId<struct RegionTag>;
using LocationId = TypedId<struct LocationTag>;

}  // namespace shardy::ir
