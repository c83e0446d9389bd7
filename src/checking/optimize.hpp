// Per-device programs of a program as it is and with cheaper collectives; the better one is taken.
#pragma once

#include <vector>

#include "shardy/checking/compile.hpp"

namespace shardy::checking {

struct Optimized {
  ir::Module collectives;
  partitioning::PartitionResult result;
  std::vector<passes::CollectiveRewrite> rewrites;
};

/// A program whose reshards are collectives, under other common axes than those of the reference.
struct OtherAxes {
  ir::Module collectives;
  std::vector<passes::CollectiveRewrite>
      choices;  // ops with other axes; none: the program is equal
};

/// Returns the rules of CollectiveOptions, those of its default included.
std::vector<std::string> chosen_rules(const CompileOptions& options);

/// Partitions the program, whose reshards are collectives, with the rewrites that were asked for:
/// if it then sends more or holds more at one time, with those rules that do not make it so.
/// `other` is taken instead if it has choices, sends less and holds no more.
/// Spec: resharding C.8.
tl::expected<Optimized, Diagnostics> partition_optimized(const ir::Module& collectives,
                                                         const OtherAxes& other,
                                                         const CompileOptions& options,
                                                         const Context& context);

}  // namespace shardy::checking
