#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "shardy/ir/type_text.hpp"
#include "shardy/support/detail/math.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/rendezvous.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {
namespace {

tl::unexpected<Error> unexpected_size(const Incoming& incoming) {
  return fail_as("E_TRANSPORT", "rank " + std::to_string(incoming.header.sender) + " sent " +
                                    std::to_string(incoming.header.num_bytes) +
                                    " bytes of values, which are not those of the op");
}

/// The members of a group, with the members that read the operands of each.
class Readers {
 public:
  Readers(const CollectiveKernel& collective, const CollectiveInstance& instance,
          const RankPlace& place)
      : block_dim_(collective.block_dim) {
    for (const int64_t device : instance.devices) owners_.push_back(place.owner(device));
    if (!collective.sources) return;
    // If the map fails, the exchange reports the error, and no member reads operands.
    sources_ = collective.sources(instance.leader).value_or(std::vector<int64_t>());
  }

  std::span<const int64_t> owners() const { return owners_; }
  int64_t num_members() const { return std::ssize(owners_); }
  /// Returns the dim along which each member reads only its own block; std::nullopt if it reads
  /// all.
  std::optional<std::size_t> block_dim() const { return block_dim_; }
  /// Checks whether a member on rank `owner` reads the operands of `member`.
  bool reads(int64_t owner, std::size_t member) const {
    if (!sources_) return true;
    for (std::size_t reader = 0; reader < sources_->size(); ++reader) {
      const bool is_source = (*sources_)[reader] == static_cast<int64_t>(member);
      if (is_source && owners_[reader] == owner) return true;
    }
    return false;
  }

 private:
  std::vector<int64_t> owners_;  // rank of each member
  std::optional<std::size_t> block_dim_;
  std::optional<std::vector<int64_t>> sources_;
};

ir::Type block_type(const ir::Type& type, std::size_t dim, int64_t count) {
  std::vector<int64_t> dims(type.dims().begin(), type.dims().end());
  dims[dim] /= count;
  return type.with_dims(std::move(dims));
}

/// Reads an operand. Only the blocks for members on this rank were sent. The other elements are set
/// to zero, because this rank does not use them.
Result<Tensor> read_blocks(TensorCursor& cursor, const Readers& readers, int64_t here,
                           const ir::Type& type) {
  const std::size_t dim = *readers.block_dim();
  const ir::Type block = block_type(type, dim, readers.num_members());
  SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
  std::memset(out.data(), 0, out.bytes().size());
  const std::vector<int64_t> from = row_major_strides(block.dims());
  const std::vector<int64_t> to = row_major_strides(type.dims());
  std::vector<CopyDim> dims;
  for (std::size_t each = 0; each < from.size(); ++each) {
    dims.push_back({block.dim(each), from[each], to[each]});
  }
  const StridedCopy copy(std::move(dims), ir::size_bytes(type.element()));
  for (int64_t member = 0; member < readers.num_members(); ++member) {
    if (readers.owners()[static_cast<std::size_t>(member)] != here) continue;
    SHARDY_TRY(const Tensor value, cursor.take(block));
    if (block.num_elements() > 0) {
      copy.run(value.data(), out.data(), 0, member * block.dim(dim) * to[dim]);
    }
  }
  return std::move(out).finish();
}

Status read_values(const Incoming& incoming, const Readers& readers, int64_t here,
                   std::span<const ir::Type> types, CollectiveInstance& instance) {
  SHARDY_TRY(TensorCursor cursor, TensorCursor::make(incoming));
  for (std::size_t member = 0; member < instance.devices.size(); ++member) {
    const bool is_in = readers.owners()[member] == incoming.header.sender;
    if (!is_in || !readers.reads(here, member)) continue;
    for (const ir::Type& type : types) {
      SHARDY_TRY(Tensor value, readers.block_dim() ? read_blocks(cursor, readers, here, type)
                                                   : cursor.take(type));
      instance.operands[member].push_back(std::move(value));
    }
  }
  return cursor.expect_end();
}

/// Appends the parts of an operand that the members on rank `to` read.
Status add_operand(const Tensor& tensor, const Readers& readers, int64_t to,
                   std::vector<SharedBytes>& pieces) {
  if (!tensor.type().is_tensor()) {
    return fail("values of type " + ir::to_string(tensor.type()) +
                " cannot be sent to other ranks");
  }
  if (!readers.block_dim()) {
    add_tensor(tensor, pieces);
    return {};
  }
  for (int64_t member = 0; member < readers.num_members(); ++member) {
    if (readers.owners()[static_cast<std::size_t>(member)] != to) continue;
    SHARDY_TRY(const Tensor block,
               block_of(tensor, *readers.block_dim(), readers.num_members(), member));
    add_tensor(block, pieces);
  }
  return {};
}

std::vector<ir::Type> types_of(const Tensors& tensors) {
  std::vector<ir::Type> types;
  for (const Tensor& tensor : tensors) types.push_back(tensor.type());
  return types;
}

/// Returns the operands of one member on this rank. The operands of all members have equal types.
const Tensors& own_operands(const CollectiveInstance& instance, const RankPlace& place) {
  const auto own = std::ranges::find_if(
      instance.devices, [&](int64_t device) { return place.devices.contains(device); });
  return instance.operands[static_cast<std::size_t>(own - instance.devices.begin())];
}

/// The elements of a value that one of several ranks folds.
struct PartRange {
  int64_t begin;
  int64_t count;

  PartRange(int64_t num_elements, std::size_t index, std::size_t num_parts) {
    const auto at = static_cast<int64_t>(index);
    const auto parts = static_cast<int64_t>(num_parts);
    const int64_t longer = num_elements % parts;  // number of parts with one more element
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

/// Makes a packet for each other rank. Each starts with the path of the op.
template <class AddPieces>
Result<std::vector<OutgoingValues>> packets(const CollectiveInstance& instance,
                                            const RankPlace& place,
                                            const std::vector<int64_t>& ranks,
                                            const AddPieces& add_pieces) {
  const std::optional<SharedBytes> path = packed_path(instance.path);
  if (!path) return fail_as("E_TRANSPORT", "no memory for a packet");
  std::vector<OutgoingValues> outgoing;
  for (std::size_t index = 0; index < ranks.size(); ++index) {
    if (ranks[index] == place.link->rank()) continue;
    outgoing.push_back({ranks[index], {*path}});
    add_pieces(index, outgoing.back().pieces);
  }
  return outgoing;
}

/// With at least this many ranks r, one rank folds small operands: 2 (r - 1) messages instead of r
/// (r - 1). Fewer ranks exchange operands directly and wait only once.
constexpr std::size_t kManyRanks = 8;

bool is_large(const CollectiveInstance& instance, const RankPlace& place) {
  // The bytes of all members are compared by a quotient, because a product could overflow.
  const auto least = ceil_div(std::max<int64_t>(place.min_divided_bytes, 0),
                              static_cast<int64_t>(instance.devices.size()));
  return bytes_of(own_operands(instance, place)) >= least;
}

}  // namespace

std::optional<SharedBytes> packed_path(std::span<const int64_t> path) {
  return copied(ByteWriter().numbers(path).align().bytes());
}

void add_tensor(const Tensor& tensor, std::vector<SharedBytes>& pieces) {
  // The piece owns a copy of the tensor, which shares its buffer.
  const auto owner = std::make_shared<const Tensor>(tensor);
  pieces.push_back({std::shared_ptr<const std::byte>(owner, owner->data()),
                    static_cast<std::size_t>(owner->num_bytes())});
  const SharedBytes padding = padding_after(pieces.back().size);
  if (padding.size > 0) pieces.push_back(padding);
}

Result<TensorCursor> TensorCursor::make(const Incoming& incoming) {
  ByteReader header(incoming.payload());
  header.numbers();
  header.align();
  if (!header.ok()) return unexpected_size(incoming);
  return TensorCursor(incoming, header.position());
}

Result<Tensor> TensorCursor::take(const ir::Type& type) {
  const std::span<const std::byte> payload = incoming_->payload();
  const auto size = static_cast<std::size_t>(type.num_bytes());
  if (position_ > payload.size() || size > payload.size() - position_) {
    return unexpected_size(*incoming_);
  }
  const std::byte* const begin = payload.data() + position_;
  position_ += size + padding_after(size).size;
  return Tensor::borrow(type, std::shared_ptr<const std::byte>(incoming_->packet.data, begin),
                        size);
}

Status TensorCursor::expect_end() const {
  return position_ == incoming_->payload().size() ? Status() : unexpected_size(*incoming_);
}

namespace {

/// Adds the operands of a device to the pieces of a packet.
Status add_operands(const Tensors& operands, const Readers& readers, int64_t to,
                    std::vector<SharedBytes>& pieces) {
  for (const Tensor& tensor : operands) {
    SHARDY_TRY_STATUS(add_operand(tensor, readers, to, pieces));
  }
  return {};
}

/// Reads tensors of the given types.
Status take_all(TensorCursor& cursor, std::span<const ir::Type> types, Tensors& tensors) {
  for (const ir::Type& type : types) {
    SHARDY_TRY(Tensor value, cursor.take(type));
    tensors.push_back(std::move(value));
  }
  return {};
}

}  // namespace

Result<std::vector<OutgoingValues>> values_for_others(const CollectiveKernel& collective,
                                                      const CollectiveInstance& instance,
                                                      const RankPlace& place) {
  const int64_t here = place.link->rank();
  const Readers readers(collective, instance, place);
  std::vector<int64_t> others = place.owners(instance.devices);
  std::erase(others, here);
  if (others.empty()) return std::vector<OutgoingValues>();
  const std::optional<SharedBytes> path = packed_path(instance.path);
  if (!path) return fail_as("E_TRANSPORT", "no memory for a packet");
  std::vector<OutgoingValues> outgoing;
  for (const int64_t to : others) {
    std::vector<SharedBytes> pieces = {*path};
    for (std::size_t member = 0; member < instance.devices.size(); ++member) {
      if (readers.owners()[member] != here || !readers.reads(to, member)) continue;
      SHARDY_TRY_STATUS(add_operands(instance.operands[member], readers, to, pieces));
    }
    outgoing.push_back({to, std::move(pieces)});
  }
  return outgoing;
}

Status read_values_of_others(const CollectiveKernel& collective, CollectiveInstance& instance,
                             const RankPlace& place) {
  if (instance.from_other_ranks.empty()) return {};
  const int64_t here = place.link->rank();
  const Readers readers(collective, instance, place);
  const auto own = std::ranges::find(readers.owners(), here) - readers.owners().begin();
  const std::vector<ir::Type> types = types_of(instance.operands[static_cast<std::size_t>(own)]);
  for (const Incoming& incoming : instance.from_other_ranks) {
    SHARDY_TRY_STATUS(read_values(incoming, readers, here, types, instance));
  }
  std::optional<Tensors> nothing;
  for (Tensors& operands : instance.operands) {
    if (operands.size() == types.size()) continue;
    if (!nothing) {
      SHARDY_TRY(nothing, zeros(types));
    }
    operands = *nothing;
  }
  return {};
}

std::optional<DividedFold> divided_fold(const CollectiveKernel& collective, std::size_t index,
                                        const CollectiveInstance& instance,
                                        const RankPlace& place) {
  // With two members, one step sends as many bytes.
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
  return packets(instance, place, folders,
                 [&](std::size_t index, std::vector<SharedBytes>& pieces) {
                   for (std::size_t member = 0; member < instance.devices.size(); ++member) {
                     if (!place.devices.contains(instance.devices[member])) continue;
                     for (const Tensor& tensor : instance.operands[member]) {
                       add_tensor(part_of(tensor, index, folders.size()), pieces);
                     }
                   }
                 });
}

Result<Tensors> fold_own_part(const CollectiveKernel& collective,
                              const CollectiveInstance& instance, const RankPlace& place,
                              ThreadPool* pool) {
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
      SHARDY_TRY_STATUS(take_all(cursor, types, by_rank[member]));
    }
    SHARDY_TRY_STATUS(cursor.expect_end());
  }
  return collective.fold_part({by_rank, instance.leader, pool});
}

Result<std::vector<OutgoingValues>> part_for_others(const CollectiveInstance& instance,
                                                    const RankPlace& place, const Tensors& part) {
  return packets(instance, place, instance.divided->owners,
                 [&](std::size_t, std::vector<SharedBytes>& pieces) {
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
    if (!fold.packets[index]) {  // the part of this rank
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
