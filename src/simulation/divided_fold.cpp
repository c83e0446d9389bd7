#include "simulation/divided_fold.hpp"

#include <algorithm>
#include <utility>

#include "shardy/support/math.hpp"
#include "simulation/packet_tensors.hpp"

namespace shardy::simulation {
namespace {

/// Operands of a member on this rank: those of all members have the same types.
const Tensors& own_operands(const CollectiveInstance& instance, const RankPlace& place) {
  const auto own = std::ranges::find_if(
      instance.devices, [&](int64_t device) { return place.devices.contains(device); });
  return instance.operands[static_cast<std::size_t>(own - instance.devices.begin())];
}

/// Elements of a value that one of several ranks folds.
struct PartRange {
  int64_t begin;
  int64_t count;

  PartRange(int64_t num_elements, std::size_t index, std::size_t num_parts) {
    const auto at = static_cast<int64_t>(index);
    const auto parts = static_cast<int64_t>(num_parts);
    const int64_t longer = num_elements % parts;  // parts with one element more
    begin = num_elements / parts * at + std::min(at, longer);
    count = num_elements / parts + (at < longer ? 1 : 0);
  }
};

ir::Type part_type(const ir::Type& type, std::size_t index, std::size_t num_parts) {
  return type.with_dims({PartRange(type.num_elements(), index, num_parts).count});
}

Tensor part_of(const Tensor& tensor, std::size_t index, std::size_t num_parts) {
  return tensor.part(part_type(tensor.type(), index, num_parts),
                     PartRange(tensor.num_elements(), index, num_parts).begin);
}

Tensors parts_of(const Tensors& tensors, std::size_t index, std::size_t num_parts) {
  Tensors parts;
  for (const Tensor& tensor : tensors) parts.push_back(part_of(tensor, index, num_parts));
  return parts;
}

std::size_t part_of_rank(const DividedFold& fold, int64_t rank) {
  return static_cast<std::size_t>(std::ranges::find(fold.folders, rank) - fold.folders.begin());
}

/// A packet for each of the ranks but this one, that begins with the path.
template <class AddPieces>
Result<std::vector<OutgoingValues>> packets(const CollectiveInstance& instance,
                                            const RankPlace& place,
                                            const std::vector<int64_t>& ranks,
                                            const AddPieces& add_pieces) {
  const std::optional<Bytes> path = packed_path(instance.path);
  if (!path) return fail_as("E_TRANSPORT", "no memory for a packet");
  std::vector<OutgoingValues> outgoing;
  for (std::size_t index = 0; index < ranks.size(); ++index) {
    if (ranks[index] == place.link->rank()) continue;
    outgoing.push_back({ranks[index], {*path}});
    add_pieces(index, outgoing.back().pieces);
  }
  return outgoing;
}

/// With this many ranks r, one rank folds small operands: 2 (r - 1) messages instead of r (r - 1).
/// Fewer ranks exchange directly and wait only once.
constexpr std::size_t kManyRanks = 8;

bool is_large(const CollectiveInstance& instance, const RankPlace& place) {
  // Bytes of all members together; the product may not fit.
  const auto least = ceil_div(std::max<int64_t>(place.min_divided_bytes, 0),
                              static_cast<int64_t>(instance.devices.size()));
  return bytes_of(own_operands(instance, place)) >= least;
}

}  // namespace

std::optional<DividedFold> divided_fold(const Collective& collective, std::size_t index,
                                        const CollectiveInstance& instance,
                                        const RankPlace& place) {
  // With two members, one step sends the same bytes.
  if (!collective.fold_part || instance.devices.size() < 3) return std::nullopt;
  DividedFold fold;
  fold.owners = place.owners(instance.devices);
  if (fold.owners.size() < 2) return std::nullopt;
  if (is_large(instance, place)) {
    fold.folders = fold.owners;
  } else if (fold.owners.size() >= kManyRanks) {
    fold.folders = {fold.owners[index % fold.owners.size()]};
  } else {
    return std::nullopt;
  }
  fold.packets.resize(fold.folders.size());
  fold.num_missing = std::ssize(fold.folders);
  return fold;
}

Result<std::vector<OutgoingValues>> operands_by_part(const CollectiveInstance& instance,
                                                     const RankPlace& place) {
  const std::vector<int64_t>& folders = instance.divided->folders;
  return packets(instance, place, folders, [&](std::size_t index, std::vector<Bytes>& pieces) {
    for (std::size_t member = 0; member < instance.devices.size(); ++member) {
      if (!place.devices.contains(instance.devices[member])) continue;
      for (const Tensor& tensor : instance.operands[member]) {
        add_tensor(part_of(tensor, index, folders.size()), pieces);
      }
    }
  });
}

Result<Tensors> fold_own_part(const Collective& collective, const CollectiveInstance& instance,
                              const RankPlace& place, ThreadPool* pool) {
  const DividedFold& fold = *instance.divided;
  const std::size_t num_parts = fold.folders.size();
  const std::size_t own = part_of_rank(fold, place.link->rank());
  std::vector<ir::Type> types;
  for (const Tensor& tensor : own_operands(instance, place)) {
    types.push_back(part_type(tensor.type(), own, num_parts));
  }
  std::vector<Tensors> by_rank(instance.devices.size());
  for (std::size_t member = 0; member < by_rank.size(); ++member) {
    if (!place.devices.contains(instance.devices[member])) continue;
    by_rank[member] = parts_of(instance.operands[member], own, num_parts);
  }
  for (const Incoming& incoming : instance.from_other_ranks) {
    SHARDY_TRY(TensorCursor cursor, TensorCursor::make(incoming));
    for (std::size_t member = 0; member < by_rank.size(); ++member) {
      if (place.owner(instance.devices[member]) != incoming.header.sender) continue;
      for (const ir::Type& type : types) {
        SHARDY_TRY(Tensor value, cursor.take(type));
        by_rank[member].push_back(std::move(value));
      }
    }
    SHARDY_TRY_STATUS(cursor.expect_end());
  }
  return collective.fold_part({by_rank, instance.leader, pool});
}

Result<std::vector<OutgoingValues>> part_for_others(const CollectiveInstance& instance,
                                                    const RankPlace& place, const Tensors& part) {
  return packets(instance, place, instance.divided->owners,
                 [&](std::size_t, std::vector<Bytes>& pieces) {
                   for (const Tensor& tensor : part) add_tensor(tensor, pieces);
                 });
}

Result<Exchanged> put_together(const CollectiveInstance& instance, const RankPlace& place) {
  const DividedFold& fold = *instance.divided;
  const std::size_t num_parts = fold.folders.size();
  const Tensors& operands = own_operands(instance, place);
  std::vector<TensorWriter> writers;
  for (const Tensor& tensor : operands) {
    SHARDY_TRY(TensorWriter writer, TensorWriter::make(tensor.type()));
    writers.push_back(std::move(writer));
  }
  const auto put = [&](std::size_t operand, std::size_t index, const Tensor& part) {
    const PartRange range(operands[operand].num_elements(), index, num_parts);
    const auto element = static_cast<int64_t>(ir::size_bytes(part.type().element()));
    std::ranges::copy(part.bytes(), writers[operand].data() + range.begin * element);
  };
  for (std::size_t index = 0; index < num_parts; ++index) {
    if (!fold.packets[index]) {  // of this rank
      for (std::size_t at = 0; at < writers.size(); ++at) put(at, index, fold.own_part[at]);
      continue;
    }
    SHARDY_TRY(TensorCursor cursor, TensorCursor::make(*fold.packets[index]));
    for (std::size_t at = 0; at < writers.size(); ++at) {
      SHARDY_TRY(const Tensor part, cursor.take(part_type(operands[at].type(), index, num_parts)));
      put(at, index, part);
    }
    SHARDY_TRY_STATUS(cursor.expect_end());
  }
  Tensors folded;
  for (TensorWriter& writer : writers) folded.push_back(std::move(writer).finish());
  return all_reduce(instance.devices.size(), bytes_of(operands), folded);
}

}  // namespace shardy::simulation
