// Packets with the operands of a group whose members are on several ranks. A packet has its tensors
// in sequence, each at a multiple of 64 bytes. A divided all_reduce has two steps: some ranks fold
// a part of the operands of all members, in group order, and send the result to the others. Each
// rank folds a part of large operands, so that fewer bytes are sent. One rank folds small operands
// of many ranks, so that fewer messages are sent.
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

/// Returns the first part of a packet of values, the path of the op; std::nullopt if memory is
/// exhausted.
std::optional<SharedBytes> packed_path(std::span<const int64_t> path);

/// Appends the elements of a tensor without a copy.
void add_tensor(const Tensor& tensor, std::vector<SharedBytes>& pieces);

/// Reads the tensors of a packet in order.
class TensorCursor {
 public:
  /// Error: the packet does not begin with a path.
  static Result<TensorCursor> make(const Incoming& incoming);

  /// Returns the next tensor, which shares the packet's memory. Error: E_TRANSPORT if the packet is
  /// too short.
  Result<Tensor> take(const ir::Type& type);
  /// Returns E_TRANSPORT if the packet has more bytes.
  Status expect_end() const;

 private:
  TensorCursor(const Incoming& incoming, std::size_t position)
      : incoming_(&incoming), position_(position) {}

  const Incoming* incoming_;
  std::size_t position_;
};

/// Returns the payload for each other rank with members of the group: the path of the op, then for
/// each member on this rank, in group order, the operands that the receiver needs. The payload
/// shares the operands' memory. Requires: all members on this rank have arrived. Error: values that
/// are not tensors.
Result<std::vector<OutgoingValues>> values_for_others(const CollectiveKernel& collective,
                                                      const CollectiveInstance& instance,
                                                      const RankPlace& place);

/// Sets the operands of members on other ranks to the received values; operands that no member of
/// this rank needs become zeros. Requires: all members have arrived, and some are on this rank.
/// Error: the packets have a wrong number of bytes.
Status read_values_of_others(const CollectiveKernel& collective, CollectiveInstance& instance,
                             const RankPlace& place);

/// The stages of packets of values: operands of members, then folded parts.
inline constexpr uint32_t kOperandStage = 0;
inline constexpr uint32_t kPartStage = 1;

/// Returns the division of the fold among ranks; std::nullopt if one step is enough: for few ranks,
/// and for ops that do not fold elementwise. Equal on all ranks. The `index` of the collective
/// selects the folding rank. Requires: all members on this rank have arrived.
std::optional<DividedFold> divided_fold(const CollectiveKernel& collective, std::size_t index,
                                        const CollectiveInstance& instance, const RankPlace& place);

// All functions below require that the fold of the instance is divided.

/// Returns for each other folding rank its part of the operands of members on this rank. The
/// payload shares the operands' memory. Error: memory is exhausted.
Result<std::vector<OutgoingValues>> operands_by_part(const CollectiveInstance& instance,
                                                     const RankPlace& place);

/// Folds the part of this rank. Requires: this rank has a part, and all members have arrived.
/// Errors: packets of other sizes; memory is exhausted.
Result<Tensors> fold_own_part(const CollectiveKernel& collective,
                              const CollectiveInstance& instance, const RankPlace& place,
                              ThreadPool* pool);

/// Returns the folded part for each other rank with members. Error: memory is exhausted.
Result<std::vector<OutgoingValues>> part_for_others(const CollectiveInstance& instance,
                                                    const RankPlace& place, const Tensors& part);

/// Returns the results of the op. Requires: all parts have arrived. Errors: packets of a wrong
/// size; memory is exhausted.
Result<Exchanged> put_together(const CollectiveInstance& instance, const RankPlace& place);

}  // namespace shardy::simulation
