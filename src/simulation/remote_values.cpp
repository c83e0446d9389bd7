#include "simulation/remote_values.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "shardy/ir/type_text.hpp"
#include "simulation/kernels/copy_kernel.hpp"
#include "simulation/packet_tensors.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {
namespace {

/// The members of a group that read the operands of each other member.
class Readers {
 public:
  Readers(const Collective& collective, const CollectiveInstance& instance, const RankPlace& place)
      : block_dim_(collective.block_dim) {
    for (const int64_t device : instance.devices) owners_.push_back(place.owner(device));
    if (!collective.sources) return;
    // If the map fails, the exchange reports the error; no member reads then.
    sources_ = collective.sources(instance.leader).value_or(std::vector<int64_t>());
  }

  std::span<const int64_t> owners() const { return owners_; }
  int64_t num_members() const { return std::ssize(owners_); }
  /// Along which each member reads its own block only.
  std::optional<std::size_t> block_dim() const { return block_dim_; }
  /// Checks whether a member on a rank of the run reads the operands of `member`.
  bool reads(int64_t owner, std::size_t member) const {
    if (!sources_) return true;
    for (std::size_t reader = 0; reader < sources_->size(); ++reader) {
      const bool is_source = (*sources_)[reader] == static_cast<int64_t>(member);
      if (is_source && owners_[reader] == owner) return true;
    }
    return false;
  }

 private:
  std::vector<int64_t> owners_;  // by member
  std::optional<std::size_t> block_dim_;
  std::optional<std::vector<int64_t>> sources_;
};

ir::Type block_type(const ir::Type& type, std::size_t dim, int64_t count) {
  std::vector<int64_t> dims(type.dims().begin(), type.dims().end());
  dims[dim] /= count;
  return type.with_dims(std::move(dims));
}

/// Reads an operand of which only the blocks of members on this rank arrived; the rest is zero and
/// not read on this rank.
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
                   std::vector<Bytes>& pieces) {
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

}  // namespace

Result<std::vector<OutgoingValues>> values_for_others(const Collective& collective,
                                                      const CollectiveInstance& instance,
                                                      const RankPlace& place) {
  const int64_t here = place.link->rank();
  const Readers readers(collective, instance, place);
  std::vector<int64_t> others = place.owners(instance.devices);
  std::erase(others, here);
  if (others.empty()) return std::vector<OutgoingValues>();
  const std::optional<Bytes> path = packed_path(instance.path);
  if (!path) return fail_as("E_TRANSPORT", "no memory for a packet");
  std::vector<OutgoingValues> outgoing;
  for (const int64_t to : others) {
    std::vector<Bytes> pieces = {*path};
    for (std::size_t member = 0; member < instance.devices.size(); ++member) {
      if (readers.owners()[member] != here || !readers.reads(to, member)) continue;
      for (const Tensor& tensor : instance.operands[member]) {
        SHARDY_TRY_STATUS(add_operand(tensor, readers, to, pieces));
      }
    }
    outgoing.push_back({to, std::move(pieces)});
  }
  return outgoing;
}

Status read_values_of_others(const Collective& collective, CollectiveInstance& instance,
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

}  // namespace shardy::simulation
