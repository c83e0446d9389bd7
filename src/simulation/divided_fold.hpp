// An all_reduce over several ranks of the run in two steps: some ranks fold a part of what all
// members bring, in the order of the group, and send what comes of it to the others. Of large
// operands each rank folds a part, so that fewer bytes are sent than if all operands went to all
// ranks; of small ones of many ranks one folds all, so that fewer messages are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "simulation/remote_values.hpp"
#include "simulation/rendezvous.hpp"

namespace shardy::simulation {

/// Of packets of values: what members bring, then what parts of it fold to.
inline constexpr uint32_t kOperandStage = 0;
inline constexpr uint32_t kPartStage = 1;

/// Nothing where one step does: few ranks, ops that do not fold each element by itself. The same on
/// all ranks. `index` of the collective: other ops have other ranks fold. Requires: all members on
/// this rank have arrived.
std::optional<DividedFold> divided_fold(const Collective& collective, std::size_t index,
                                        const Meeting& meeting, const RankPlace& place);

// All below require: the fold of the meeting is divided.

/// For each other rank that folds: its part of the operands of members on this rank. They are
/// shared, not copied. Errors: no memory.
Result<std::vector<OutgoingValues>> operands_by_part(const Meeting& meeting,
                                                     const RankPlace& place);

/// The part of this rank, folded. Requires: it has one, all members have arrived.
/// Errors: packets of other sizes; no memory.
Result<Tensors> fold_own_part(const Collective& collective, const Meeting& meeting,
                              const RankPlace& place, Crew* crew);

/// That part for each other rank with members. Errors: no memory.
Result<std::vector<OutgoingValues>> part_for_others(const Meeting& meeting, const RankPlace& place,
                                                    const Tensors& part);

/// What the op gives. Requires: all parts are there. Errors: packets of other sizes; no memory.
Result<Exchanged> put_together(const Meeting& meeting, const RankPlace& place);

}  // namespace shardy::simulation
