// Packets of operands from the members of a group on one rank to those on other ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "simulation/rendezvous.hpp"

namespace shardy::simulation {

/// For each other rank with members of the group: the path of the op, then for each member on this
/// rank, in the order of the group, the operands that the receiver needs, each at a multiple of 64
/// bytes. They are shared, not copied.
/// Requires: all members on this rank have arrived. Errors: values that are not tensors.
Result<std::vector<OutgoingValues>> values_for_others(const Collective& collective,
                                                      const CollectiveInstance& instance,
                                                      const RankPlace& place);

/// Fills the operands of the members on other ranks with what they have sent; those that no member
/// of this rank needs with zeros. Requires: all members have arrived, some on this rank.
/// Errors: another number of bytes than the operands take.
Status read_values_of_others(const Collective& collective, CollectiveInstance& instance,
                             const RankPlace& place);

}  // namespace shardy::simulation
