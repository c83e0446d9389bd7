// The build of the command line, for `shardy --version`.
#pragma once

#include <string>

namespace shardy::tools {

/// Returns the version, the commit if the source was a git tree, the compiler and the options of
/// the build, one per line.
std::string build_info();

}  // namespace shardy::tools
