// An estimate of the memory of a module, for limits of compilations.
#pragma once

#include <cstdint>

#include "shardy/ir/module.hpp"

namespace shardy::ir {

/// Returns the bytes of the tables and attributes of a module, estimated by its ops and values.
/// Constants are shared between modules and do not count. Cost: constant.
int64_t program_bytes(const Module& module);

}  // namespace shardy::ir
