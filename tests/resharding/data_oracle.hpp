#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/resharding/step.hpp>
#include <span>
#include <utility>
#include <vector>

/// Runs reshard steps on the buffers of all devices. Of the library, the oracle uses only the
/// fields of shardings and steps. It computes coordinates, groups and pairings from the digits of
/// the device positions: each axis ref is one digit. Spec: algebra 8, dialect 4.7. Requires: all
/// dims are divisible.
namespace shardy::oracle {

struct Buffer {
  std::vector<int64_t> shape;
  std::vector<int64_t> data;

  friend bool operator==(const Buffer&, const Buffer&) = default;
};

/// One buffer per logical position of a mesh.
using Buffers = std::vector<Buffer>;

inline int64_t volume(const std::vector<int64_t>& shape) {
  int64_t result = 1;
  for (const int64_t size : shape) result *= size;
  return result;
}

constexpr std::size_t kMaxRank = 4;
using Index = std::array<int64_t, kMaxRank>;

/// Calls visit(index) for each index of `shape`, row-major.
template <class Visit>
void for_each_index(const std::vector<int64_t>& shape, Visit visit) {
  Index index = {};
  for (int64_t count = volume(shape); count > 0; --count) {
    visit(index);
    for (std::size_t dim = shape.size(); dim-- > 0;) {
      if (++index[dim] < shape[dim]) break;
      index[dim] = 0;
    }
  }
}

inline int64_t linear(const std::vector<int64_t>& shape, const Index& index) {
  int64_t result = 0;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) result = result * shape[dim] + index[dim];
  return result;
}

/// Returns a buffer whose value at `index` is read(index).
template <class Read>
Buffer make_buffer(std::vector<int64_t> shape, Read read) {
  Buffer buffer{std::move(shape), {}};
  buffer.data.reserve(static_cast<std::size_t>(volume(buffer.shape)));
  for_each_index(buffer.shape, [&](const Index& index) { buffer.data.push_back(read(index)); });
  return buffer;
}

inline int64_t at(const Buffer& buffer, const Index& index) {
  return buffer.data[static_cast<std::size_t>(linear(buffer.shape, index))];
}

/// The digits of the positions of a mesh. Each axis ref is one digit.
class Digits {
 public:
  explicit Digits(const Mesh& mesh) {
    for (const MeshAxis& axis : mesh.axes()) sizes_.push_back(axis.size);
    for (std::size_t axis = 0; axis < sizes_.size(); ++axis) {
      int64_t stride = 1;
      for (std::size_t minor = axis + 1; minor < sizes_.size(); ++minor) stride *= sizes_[minor];
      strides_.push_back(stride);
    }
  }

  int64_t num_positions() const { return volume(sizes_); }

  /// Returns the distance of two positions that differ by one in this digit.
  int64_t stride(const AxisRef& ref) const {
    const auto axis = static_cast<std::size_t>(ref.axis);
    return strides_[axis] * (sizes_[axis] / (ref.pre * ref.size));
  }
  int64_t digit(int64_t position, const AxisRef& ref) const {
    return position / stride(ref) % ref.size;
  }
  /// Returns the digits of `list` as one number; the first digit is the most major one.
  int64_t index(int64_t position, const AxisList& list) const {
    int64_t result = 0;
    for (const AxisRef& ref : list) result = result * ref.size + digit(position, ref);
    return result;
  }
  /// Returns `position` with the digits of `list` replaced by those of `index`.
  int64_t with_index(int64_t position, const AxisList& list, int64_t index) const {
    for (std::size_t i = list.size(); i-- > 0;) {
      const AxisRef& ref = list[i];
      position += (index % ref.size - digit(position, ref)) * stride(ref);
      index /= ref.size;
    }
    return position;
  }

 private:
  std::vector<int64_t> sizes_;
  std::vector<int64_t> strides_;
};

inline int64_t count(const AxisList& list) {
  int64_t result = 1;
  for (const AxisRef& ref : list) result *= ref.size;
  return result;
}

inline bool divisible(const std::vector<int64_t>& shape, const TensorSharding& sharding) {
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] % count(sharding.dims()[dim].axes) != 0) return false;
  }
  return true;
}

/// Returns the partial value of an element on member `member` of `members`. The partial values
/// differ, and their sum, maximum or minimum is `element`.
inline int64_t partial(int64_t element, int64_t member, int64_t members, ReductionOp op) {
  const int64_t owner = element % members;
  const int64_t noise = (element * 7 + member * 13) % 11 + 1;
  if (op == ReductionOp::Max) return member == owner ? element : element - noise;
  if (op == ReductionOp::Min) return member == owner ? element : element + noise;
  if (member != owner) return noise;
  int64_t rest = element;
  for (int64_t other = 0; other < members; ++other) {
    if (other != owner) rest -= (element * 7 + other * 13) % 11 + 1;
  }
  return rest;
}

/// The elements of each position of a tensor whose elements are their own linear indices.
inline Buffers layout(const std::vector<int64_t>& shape, const TensorSharding& sharding) {
  const Digits digits(sharding.mesh());
  std::vector<int64_t> local = shape;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    local[dim] /= count(sharding.dims()[dim].axes);
  }
  const AxisList& unreduced = sharding.unreduced_axes();
  Buffers buffers;
  for (int64_t position = 0; position < digits.num_positions(); ++position) {
    Index begin = {};
    for (std::size_t dim = 0; dim < shape.size(); ++dim) {
      begin[dim] = digits.index(position, sharding.dims()[dim].axes) * local[dim];
    }
    const int64_t member = digits.index(position, unreduced);
    buffers.push_back(make_buffer(local, [&](Index index) {
      for (std::size_t dim = 0; dim < shape.size(); ++dim) index[dim] += begin[dim];
      return partial(linear(shape, index), member, count(unreduced), sharding.reduction_op());
    }));
  }
  return buffers;
}

/// Returns the buffers of the group of `position`, in the order of its members.
inline std::vector<const Buffer*> group(const Buffers& buffers, const Digits& digits,
                                        int64_t position, const AxisList& axes) {
  std::vector<const Buffer*> result;
  for (int64_t index = 0; index < count(axes); ++index) {
    const int64_t member = digits.with_index(position, axes, index);
    result.push_back(&buffers[static_cast<std::size_t>(member)]);
  }
  return result;
}

inline Buffers gather(const Buffers& buffers, const Digits& digits, std::size_t dim,
                      const AxisList& axes) {
  Buffers result;
  for (int64_t position = 0; position < digits.num_positions(); ++position) {
    const std::vector<const Buffer*> members = group(buffers, digits, position, axes);
    std::vector<int64_t> shape = buffers.front().shape;
    const int64_t block = shape[dim];
    shape[dim] *= count(axes);
    result.push_back(make_buffer(std::move(shape), [&](Index index) {
      const int64_t from = block == 0 ? 0 : index[dim] / block;
      index[dim] -= from * block;
      return at(*members[static_cast<std::size_t>(from)], index);
    }));
  }
  return result;
}

inline Buffers slice(const Buffers& buffers, const Digits& digits, std::size_t dim,
                     const AxisList& axes) {
  Buffers result;
  for (int64_t position = 0; position < digits.num_positions(); ++position) {
    const Buffer& own = buffers[static_cast<std::size_t>(position)];
    std::vector<int64_t> shape = own.shape;
    shape[dim] /= count(axes);
    const int64_t begin = digits.index(position, axes) * shape[dim];
    result.push_back(make_buffer(std::move(shape), [&](Index index) {
      index[dim] += begin;
      return at(own, index);
    }));
  }
  return result;
}

/// Runs an all-to-all. Each member gets one block of each member. The target dim gives the number
/// of the block; the source dim of the result has the blocks in the order of the moved axes. After
/// the step the target dim is sharded along `arrived`, which ends with the moved axes in any order.
inline Buffers exchange(const Buffers& buffers, const Digits& digits, const AllToAllMove& param,
                        const AxisList& arrived) {
  const auto source = static_cast<std::size_t>(param.source);
  const auto target = static_cast<std::size_t>(param.target);
  Buffers result;
  for (int64_t position = 0; position < digits.num_positions(); ++position) {
    const std::vector<const Buffer*> members = group(buffers, digits, position, param.axes);
    std::vector<int64_t> shape = buffers.front().shape;
    const int64_t piece = shape[source];
    shape[source] *= count(param.axes);
    shape[target] /= count(param.axes);
    const int64_t begin = digits.index(position, arrived) % count(param.axes) * shape[target];
    result.push_back(make_buffer(std::move(shape), [&](Index index) {
      const int64_t from = piece == 0 ? 0 : index[source] / piece;
      index[source] -= from * piece;
      index[target] += begin;
      return at(*members[static_cast<std::size_t>(from)], index);
    }));
  }
  return result;
}

inline int64_t combine(int64_t a, int64_t b, ReductionOp op) {
  if (op == ReductionOp::Max) return std::max(a, b);
  if (op == ReductionOp::Min) return std::min(a, b);
  return a + b;
}

inline Buffers reduce(const Buffers& buffers, const Digits& digits, const AxisList& axes,
                      ReductionOp op) {
  Buffers result;
  for (int64_t position = 0; position < digits.num_positions(); ++position) {
    const std::vector<const Buffer*> members = group(buffers, digits, position, axes);
    result.push_back(make_buffer(buffers.front().shape, [&](const Index& index) {
      int64_t value = at(*members.front(), index);
      for (std::size_t other = 1; other < members.size(); ++other) {
        value = combine(value, at(*members[other], index), op);
      }
      return value;
    }));
  }
  return result;
}

inline Buffer zeros(const std::vector<int64_t>& shape) {
  return make_buffer(shape, [](const Index&) { return int64_t{0}; });
}

/// Sets the buffers of all members except member 0 of each group to 0.
inline Buffers make_partial(Buffers buffers, const Digits& digits, const AxisList& axes) {
  for (int64_t position = 0; position < digits.num_positions(); ++position) {
    Buffer& own = buffers[static_cast<std::size_t>(position)];
    if (digits.index(position, axes) != 0) own = zeros(own.shape);
  }
  return buffers;
}

/// As gather, but each position has only its own block; the other elements are 0.
inline Buffers enlarge(const Buffers& buffers, const Digits& digits, std::size_t dim,
                       const AxisList& axes) {
  Buffers result;
  for (int64_t position = 0; position < digits.num_positions(); ++position) {
    const Buffer& own = buffers[static_cast<std::size_t>(position)];
    std::vector<int64_t> shape = own.shape;
    const int64_t block = shape[dim];
    const int64_t begin = digits.index(position, axes) * block;
    shape[dim] *= count(axes);
    result.push_back(make_buffer(std::move(shape), [&](Index index) {
      index[dim] -= begin;
      return index[dim] < 0 || index[dim] >= block ? 0 : at(own, index);
    }));
  }
  return result;
}

/// Returns the bounds of all refs of both shardings on `axis`, ascending.
inline std::vector<int64_t> bounds(const TensorSharding& in, const TensorSharding& out,
                                   int32_t axis) {
  std::vector<int64_t> ends = {1, in.mesh().axes()[static_cast<std::size_t>(axis)].size};
  for (const TensorSharding* sharding : {&in, &out}) {
    AxisList refs = sharding->unreduced_axes();
    for (const DimSharding& dim : sharding->dims()) {
      refs.insert(refs.end(), dim.axes.begin(), dim.axes.end());
    }
    for (const AxisRef& ref : refs) {
      if (ref.axis == axis) ends.insert(ends.end(), {ref.pre, ref.pre * ref.size});
    }
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

/// Returns the parts of `ref` between adjacent bounds of its axis.
inline AxisList pieces(const AxisRef& ref, const std::vector<int64_t>& bounds) {
  AxisList result;
  for (std::size_t i = 1; i < bounds.size(); ++i) {
    if (bounds[i - 1] < ref.pre || bounds[i] > ref.pre * ref.size) continue;
    result.push_back({ref.axis, bounds[i - 1], bounds[i] / bounds[i - 1]});
  }
  return result;
}

/// The pairing of senders and receivers of a permute. CarriesPartials: a partial value keeps its
/// position along the unreduced axes. Literal: the pairing of the reference, which ignores
/// unreduced axes.
enum class Pairing { CarriesPartials, Literal };

/// Returns all digits of a position in the order that numbers the shards: those of the dims, those
/// of the unreduced axes if partial values are carried, then the others.
inline AxisList shard_order(const TensorSharding& sharding,
                            const std::vector<std::vector<int64_t>>& bounds, Pairing pairing) {
  AxisList order;
  const auto add = [&](const AxisRef& ref) {
    for (const AxisRef& piece : pieces(ref, bounds[static_cast<std::size_t>(ref.axis)])) {
      if (std::find(order.begin(), order.end(), piece) == order.end()) order.push_back(piece);
    }
  };
  for (const DimSharding& dim : sharding.dims())
    std::for_each(dim.axes.begin(), dim.axes.end(), add);
  if (pairing == Pairing::CarriesPartials) {
    const AxisList& unreduced = sharding.unreduced_axes();
    std::for_each(unreduced.begin(), unreduced.end(), add);
  }
  for (std::size_t axis = 0; axis < bounds.size(); ++axis) {
    add({static_cast<int32_t>(axis), 1, bounds[axis].back()});
  }
  return order;
}

/// Returns the logical position of each device.
inline std::vector<int64_t> positions(const Mesh& mesh) {
  std::vector<int64_t> result(static_cast<std::size_t>(mesh.num_devices()));
  for (std::size_t position = 0; position < result.size(); ++position) {
    const int64_t device =
        mesh.device_ids().empty() ? static_cast<int64_t>(position) : mesh.device_ids()[position];
    result[static_cast<std::size_t>(device)] = static_cast<int64_t>(position);
  }
  return result;
}

/// Returns for each device the device that sends to it.
inline std::vector<std::size_t> permute_sources(const TensorSharding& in, const TensorSharding& out,
                                                Pairing pairing) {
  std::vector<std::vector<int64_t>> all_bounds;
  for (int32_t axis = 0; axis < in.mesh().num_axes(); ++axis)
    all_bounds.push_back(bounds(in, out, axis));
  const Digits digits(in.mesh());
  const AxisList in_order = shard_order(in, all_bounds, pairing);
  const AxisList out_order = shard_order(out, all_bounds, pairing);
  const std::vector<int64_t> in_positions = positions(in.mesh());
  const std::vector<int64_t> out_positions = positions(out.mesh());
  std::vector<std::size_t> holder(in_positions.size());
  for (std::size_t device = 0; device < holder.size(); ++device) {
    holder[static_cast<std::size_t>(digits.index(in_positions[device], in_order))] = device;
  }
  std::vector<std::size_t> sources;
  for (const int64_t position : out_positions) {
    sources.push_back(holder[static_cast<std::size_t>(digits.index(position, out_order))]);
  }
  return sources;
}

/// Permutes buffers. The result is indexed by positions of the result's mesh.
inline Buffers permute(const Buffers& buffers, const TensorSharding& in, const TensorSharding& out,
                       Pairing pairing) {
  const std::vector<std::size_t> sources = permute_sources(in, out, pairing);
  const std::vector<int64_t> in_positions = positions(in.mesh());
  const std::vector<int64_t> out_positions = positions(out.mesh());
  Buffers result(buffers.size());
  for (std::size_t device = 0; device < sources.size(); ++device) {
    result[static_cast<std::size_t>(out_positions[device])] =
        buffers[static_cast<std::size_t>(in_positions[sources[device]])];
  }
  return result;
}

/// Checks whether all dims stay divisible, as run() requires.
inline bool can_run(const std::vector<int64_t>& shape, const TensorSharding& from,
                    std::span<const ReshardStep> steps) {
  return divisible(shape, from) && std::all_of(steps.begin(), steps.end(), [&](const auto& step) {
           return divisible(shape, step.out);
         });
}

inline Buffers run_lists(const ReshardStep& step, Buffers buffers, const Digits& digits) {
  for (std::size_t dim = 0; dim < step.dim_axes.size(); ++dim) {
    const AxisList& axes = step.dim_axes[dim];
    if (axes.empty()) continue;
    if (step.kind == StepKind::AllGather) {
      buffers = gather(buffers, digits, dim, axes);
    } else if (step.kind == StepKind::ShardedToUnreduced) {
      buffers = enlarge(buffers, digits, dim, axes);
    } else {
      buffers = slice(buffers, digits, dim, axes);
    }
  }
  return buffers;
}

inline Buffers run(const ReshardStep& step, const TensorSharding& operand, Buffers buffers,
                   Pairing pairing = Pairing::CarriesPartials) {
  const Digits digits(operand.mesh());
  switch (step.kind) {
    case StepKind::AllToAll:
      for (const AllToAllMove& param : step.params) {
        const auto target = static_cast<std::size_t>(param.target);
        buffers = exchange(buffers, digits, param, step.out.dims()[target].axes);
      }
      return buffers;
    case StepKind::CollectivePermute:
      return permute(buffers, operand, step.out, pairing);
    case StepKind::AllReduce:
      return reduce(buffers, digits, step.axes, step.reduction_op);
    case StepKind::ReplicatedToUnreduced:
      return make_partial(std::move(buffers), digits, step.axes);
    case StepKind::ReduceScatter: {
      AxisList axes;
      for (const AxisList& list : step.dim_axes) axes.insert(axes.end(), list.begin(), list.end());
      return run_lists(step, reduce(buffers, digits, axes, step.reduction_op), digits);
    }
    default:
      return run_lists(step, std::move(buffers), digits);
  }
}

/// Checks whether the buffers are the tensor of layout() under `sharding`. Buffers reduced along
/// the unreduced axes must be its shards. Positions that differ only in unused axes must have equal
/// buffers.
inline bool holds(const std::vector<int64_t>& shape, const TensorSharding& sharding,
                  const Buffers& buffers) {
  const Digits digits(sharding.mesh());
  AxisList used = sharding.unreduced_axes();
  for (const DimSharding& dim : sharding.dims()) {
    used.insert(used.end(), dim.axes.begin(), dim.axes.end());
  }
  for (int64_t position = 0; position < digits.num_positions(); ++position) {
    int64_t first = 0;  // first position with the same used digits
    first = digits.with_index(first, used, digits.index(position, used));
    if (buffers[static_cast<std::size_t>(position)] != buffers[static_cast<std::size_t>(first)]) {
      return false;
    }
  }
  return reduce(buffers, digits, sharding.unreduced_axes(), sharding.reduction_op()) ==
         layout(shape, sharding.with_unreduced({}));
}

}  // namespace shardy::oracle
