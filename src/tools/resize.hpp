// Other mesh sizes for a program.
#pragma once

#include <string_view>

#include "shardy/ir/module.hpp"
#include "shardy/support/result.hpp"

namespace shardy::tools {

/// Gives mesh axes other sizes, `x=2,y=4`, and reads all shardings on the changed meshes; explicit
/// device orders are dropped. Errors: text of another form, an axis that no mesh has, shardings
/// that the new sizes make invalid.
tl::expected<void, Diagnostics> resize_meshes(ir::Module& module, std::string_view sizes);

}  // namespace shardy::tools
