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

/// Stages of packets of values: the operands of members, then the folded parts.
inline constexpr uint32_t kOperandStage = 0;
inline constexpr uint32_t kPartStage = 1;

/// std::nullopt if one step suffices: few ranks, or ops that do not fold element by element. Equal
/// on all ranks. `index` of the collective selects the folding rank. Requires: all members on this
/// rank have arrived.
std::optional<DividedFold> divided_fold(const Collective& collective, std::size_t index,
                                        const CollectiveInstance& instance, const RankPlace& place);

// All below require: the fold of the instance is divided.

/// For each other rank that folds: its part of the operands of members on this rank. They are
/// shared, not copied. Errors: no memory.
Result<std::vector<OutgoingValues>> operands_by_part(const CollectiveInstance& instance,
                                                     const RankPlace& place);

/// The part of this rank, folded. Requires: it has one, all members have arrived.
/// Errors: packets of other sizes; no memory.
Result<Tensors> fold_own_part(const Collective& collective, const CollectiveInstance& instance,
                              const RankPlace& place, ThreadPool* pool);

/// That part for each other rank with members. Errors: no memory.
Result<std::vector<OutgoingValues>> part_for_others(const CollectiveInstance& instance,
                                                    const RankPlace& place, const Tensors& part);

/// Returns the results of the op. Requires: all parts arrived. Errors: packets of wrong size; no
/// memory.
Result<Exchanged> put_together(const CollectiveInstance& instance, const RankPlace& place);

}  // namespace shardy::simulation
