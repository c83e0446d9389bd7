// Descriptions of ops for generated documents.
#pragma once

#include <string>

namespace shardy::tools {

/// One line per op, `name`, `operands`, `results`, `regions`, `given` or empty; then one per
/// attribute of its own, which begins with a tab: `name`, `kind`, the kind of its enum, the words,
/// `required` or empty, the default. Separated by tabs.
std::string op_list();

/// `shardy op-list`, which `scripts/op_docs.py` reads.
int op_list_command();

}  // namespace shardy::tools
