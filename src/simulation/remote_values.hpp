// Operands of a group whose members are on several ranks, in packets: tensors one after the other,
// each at a multiple of 64 bytes. An all_reduce has two steps: some ranks fold a part of the
// operands of all members, in the order of the group, and send the result to the others. Of large
// operands each rank folds a part, so that fewer bytes are sent than if all operands went to all
// ranks; of small ones of many ranks one folds all, so that fewer messages are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "shardy/simulation/tensor.hpp"
#include "shardy/support/result.hpp"
#include "simulation/packet.hpp"
#include "simulation/rank_link.hpp"
#include "simulation/rendezvous.hpp"

namespace shardy::simulation {

/// Returns the first part of a packet of values: the path of the op. std::nullopt: no memory.
std::optional<Bytes> packed_path(std::span<const int64_t> path);

/// Appends the elements without a copy.
void add_tensor(const Tensor& tensor, std::vector<Bytes>& pieces);

/// Reads the tensors of a packet, in order.
class TensorCursor {
 public:
  /// Errors: the packet does not begin with a path.
  static Result<TensorCursor> make(const Incoming& incoming);

  /// Returns the next tensor; it shares the packet. Errors: E_TRANSPORT, the packet is too short.
  Result<Tensor> take(const ir::Type& type);
  /// Errors: E_TRANSPORT, there is more.
  Status expect_end() const;

 private:
  TensorCursor(const Incoming& incoming, std::size_t position)
      : incoming_(&incoming), position_(position) {}

  const Incoming* incoming_;
  std::size_t position_;
};

/// For each other rank with members of the group: the path of the op, then for each member on this
/// rank, in the order of the group, the operands that the receiver needs, each at a multiple of 64
/// bytes. They are shared, not copied.
/// Requires: all members on this rank have arrived. Errors: values that are not tensors.
Result<std::vector<OutgoingValues>> values_for_others(const CollectiveKernel& collective,
                                                      const CollectiveInstance& instance,
                                                      const RankPlace& place);

/// Fills the operands of the members on other ranks with the received ones; operands that no member
/// of this rank needs are zeros. Requires: all members have arrived, some on this rank.
/// Errors: another number of bytes than the operands take.
Status read_values_of_others(const CollectiveKernel& collective, CollectiveInstance& instance,
                             const RankPlace& place);

/// Stages of packets of values: the operands of members, then the folded parts.
inline constexpr uint32_t kOperandStage = 0;
inline constexpr uint32_t kPartStage = 1;

/// Returns the division of the fold; std::nullopt if one step suffices: few ranks, or ops that do
/// not fold element by element. Equal on all ranks. `index` of the collective selects the folding
/// rank. Requires: all members on this rank have arrived.
std::optional<DividedFold> divided_fold(const CollectiveKernel& collective, std::size_t index,
                                        const CollectiveInstance& instance, const RankPlace& place);

// All below require: the fold of the instance is divided.

/// For each other rank that folds: its part of the operands of members on this rank. They are
/// shared, not copied. Errors: no memory.
Result<std::vector<OutgoingValues>> operands_by_part(const CollectiveInstance& instance,
                                                     const RankPlace& place);

/// The part of this rank, folded. Requires: it has one, all members have arrived.
/// Errors: packets of other sizes; no memory.
Result<Tensors> fold_own_part(const CollectiveKernel& collective,
                              const CollectiveInstance& instance, const RankPlace& place,
                              ThreadPool* pool);

/// Returns this part for each other rank with members. Errors: no memory.
Result<std::vector<OutgoingValues>> part_for_others(const CollectiveInstance& instance,
                                                    const RankPlace& place, const Tensors& part);

/// Returns the results of the op. Requires: all parts arrived. Errors: packets of wrong size; no
/// memory.
Result<Exchanged> put_together(const CollectiveInstance& instance, const RankPlace& place);

}  // namespace shardy::simulation
