// The export passes: from propagated shardings to explicit collectives, shapes still global.
#pragma once

#include <vector>

#include "shardy/passes/pass.hpp"
#include "shardy/resharding/step.hpp"

namespace shardy::passes {

/// Sharding constraints become reshards; sharding groups are removed. Spec: passes 5.4, 5.5.
PassErrors sharding_constraint_to_reshard(ir::Module& module);

/// Every dim is closed and explicit replication is dropped: from here on shardings are final.
/// Spec: passes 5, resharding A.1.
PassErrors close_shardings(ir::Module& module);

/// Makes operands and results of every op agree with its lowering rule by inserting reshards, and
/// all-reduces after ops that contract a sharded dim. The full version. Spec: resharding A.
PassErrors insert_explicit_reshards(ir::Module& module);

/// Label `sdy-reshard` of canonicalize.hpp: reshards of reshards, reshards that nobody uses.
/// Spec: dialect 7.1 R2, passes 6.
PassErrors canonicalize_reshards(ir::Module& module);

/// Every reshard becomes a sequence of collectives. Spec: resharding B.
PassErrors reshard_to_collectives(ir::Module& module);

/// Label `sdy-collective`: C1 to C11.
/// Spec: dialect 7.2.
PassErrors canonicalize_collectives(ir::Module& module);

/// The passes that lower a propagated module for partitioning, in their order.
std::vector<PassCall> lowering_pipeline();

}  // namespace shardy::passes
