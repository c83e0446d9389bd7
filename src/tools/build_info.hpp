// The description of the build, for `shardy --version`.
#pragma once

#include <string>

namespace shardy::tools {

/// Returns the version, the commit if the source was a git tree, the compiler and the build
/// options, one per line.
std::string build_info();

}  // namespace shardy::tools
