#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "shardy/algebra/shard_layout.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/type_text.hpp"
#include "shardy/simulation/run.hpp"
#include "simulation/kernels/collective.hpp"
#include "simulation/kernels/fold.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {
namespace {

Status verify_block(const DeviceBlock& devices) {
  if (devices.first < 0) return fail("the number of a device must not be negative");
  if (devices.count < 0) return fail("the number of devices must not be negative");
  if (devices.first <= ProcessGrid::kMaxSize && devices.count <= ProcessGrid::kMaxSize) return {};
  return fail("a run has at most " + std::to_string(ProcessGrid::kMaxSize) + " devices");
}

/// Returns true for a missing sharding, or a mesh without axes that is not a single device.
bool places_nothing(const std::optional<TensorSharding>& sharding) {
  return !sharding || sharding->mesh().empty();
}

Status verify_rank(const TensorSharding& sharding, const ir::Type& type) {
  if (static_cast<int64_t>(sharding.rank()) == type.rank()) return {};
  return fail("a sharding of rank " + std::to_string(sharding.rank()) + " does not fit " +
              ir::to_string(type));
}

/// A copy of the valid elements of a tile out of the global tensor, or back.
class Tile {
 public:
  Tile(const std::vector<Range>& slice, std::span<const int64_t> local,
       std::span<const int64_t> global)
      : local_strides_(row_major_strides(local)), global_strides_(row_major_strides(global)) {
    for (std::size_t dim = 0; dim < slice.size(); ++dim) {
      sizes_.push_back(slice[dim].size());
      offset_ += slice[dim].begin * global_strides_[dim];
      is_full_ = is_full_ && slice[dim].size() == local[dim];
    }
  }

  /// Returns true if the tile has no padding.
  bool is_full() const { return is_full_; }
  std::span<const int64_t> sizes() const { return sizes_; }

  StridedCopy from_global(std::size_t element_bytes) const {
    return {dims(global_strides_, local_strides_), element_bytes, offset_, 0};
  }
  StridedCopy to_global(std::size_t element_bytes) const {
    return {dims(local_strides_, global_strides_), element_bytes, 0, offset_};
  }
  /// Returns a copy of the valid elements of a local buffer to consecutive elements.
  StridedCopy packed(std::size_t element_bytes) const {
    return {dims(local_strides_, row_major_strides(sizes_)), element_bytes};
  }

 private:
  std::vector<CopyDim> dims(const std::vector<int64_t>& from,
                            const std::vector<int64_t>& to) const {
    std::vector<CopyDim> dims;
    for (std::size_t dim = 0; dim < sizes_.size(); ++dim) {
      dims.push_back({sizes_[dim], from[dim], to[dim]});
    }
    return dims;
  }

  std::vector<int64_t> local_strides_;
  std::vector<int64_t> global_strides_;
  std::vector<int64_t> sizes_;
  int64_t offset_ = 0;
  bool is_full_ = true;
};

// ---- scatter -----------------------------------------------------------------------------------

/// Returns the neutral element of the reduction. Spec: partitioning 5.8.
Result<Tensor> identity(const ir::Type& type, ReductionOp op) {
  const double numbers[] = {-0.0, ir::least_value(type.element()),
                            ir::greatest_value(type.element())};
  const double number = numbers[static_cast<std::size_t>(op)];
  std::vector<std::byte> element;
  if (ir::is_boolean(type.element())) {
    element = {std::byte{static_cast<unsigned char>(op == ReductionOp::Min ? 1 : 0)}};
  } else if (ir::is_complex(type.element())) {
    const bool is_narrow = type.element() == ir::ElementType::Complex64;
    const auto part = ir::encode(number, is_narrow ? ir::ElementType::F32 : ir::ElementType::F64);
    element = part;
    element.insert(element.end(), part.begin(), part.end());
  } else {
    element = ir::encode(number, type.element());
  }
  SHARDY_TRY(const ir::Literal literal, ir::Literal::make_splat(type, std::move(element)));
  return Tensor::from_literal(literal);
}

Result<Tensor> slice_tile(const Tensor& global, const Tile& tile, const ir::Type& local,
                          Fill fill) {
  if (tile.is_full() && local == global.type()) return global;
  SHARDY_TRY(TensorWriter out, TensorWriter::make(local));
  if (!tile.is_full()) {
    SHARDY_TRY(const Tensor padding, filled_tensor(local, fill));
    std::ranges::copy(padding.bytes(), out.data());
  }
  tile.from_global(ir::size_bytes(local.element())).run(global.data(), out.data());
  return std::move(out).finish();
}

/// The tiles by shard index. Each is made for the first device that needs it.
class Scatter {
 public:
  Scatter(const Tensor& global, const TensorSharding& sharding, ir::Type local, Fill fill)
      : global_(global), sharding_(sharding), local_(std::move(local)), fill_(fill) {}

  Result<Tensor> at(int64_t position) {
    const Mesh& mesh = sharding_.mesh();
    if (shard_index(mesh, sharding_.unreduced_axes(), position) != 0) return identity_tile();
    const std::vector<int64_t> indices = shard_indices(sharding_, position);
    const auto found = tiles_.find(indices);
    if (found != tiles_.end()) return found->second;
    const Tile tile(device_slice(sharding_, global_.type().dims(), position), local_.dims(),
                    global_.type().dims());
    SHARDY_TRY(Tensor made, slice_tile(global_, tile, local_, fill_));
    tiles_.emplace(indices, made);
    return made;
  }
  /// Returns the tensor for devices outside of the mesh.
  Result<Tensor> outside() {
    if (!outside_) {
      SHARDY_TRY(outside_, filled_tensor(local_, fill_));
    }
    return outside_;
  }

 private:
  Result<Tensor> identity_tile() {
    if (!identity_) {
      SHARDY_TRY(identity_, identity(local_, sharding_.reduction_op()));
    }
    return identity_;
  }

  const Tensor& global_;
  const TensorSharding& sharding_;
  ir::Type local_;
  Fill fill_;
  std::map<std::vector<int64_t>, Tensor> tiles_;
  Tensor identity_;
  Tensor outside_;
};

// ---- gather ------------------------------------------------------------------------------------

Status verify_local(const Tensor& local, const ir::Type& type, std::size_t device) {
  if (local && local.type() == type) return {};
  return fail("the buffer of device " + std::to_string(device) + " must have type " +
              ir::to_string(type) + (local ? ", got: " + ir::to_string(local.type()) : ""));
}

std::string index_text(int64_t position, std::span<const int64_t> sizes,
                       const std::vector<Range>& slice) {
  std::vector<std::string> numbers(sizes.size());
  for (std::size_t dim = sizes.size(); dim-- > 0;) {
    numbers[dim] = std::to_string(slice[dim].begin + position % sizes[dim]);
    position /= sizes[dim];
  }
  std::string text = "[";
  for (const std::string& number : numbers) text += (text.size() > 1 ? ", " : "") + number;
  return text + "]";
}

class Gather {
 public:
  Gather(std::span<const Tensor> locals, const TensorSharding& sharding, DeviceGroups unreduced,
         const ir::Type& global)
      : locals_(locals),
        sharding_(sharding),
        unreduced_(std::move(unreduced)),
        global_(global),
        local_(global.with_dims(sharding.local_shape(global.dims()))),
        fold_(pick_fold_loop(combiner(sharding.reduction_op()), global.element())) {}

  Result<Tensor> run() {
    const Mesh& mesh = sharding_.mesh();
    for (int64_t position = 0; position < mesh.num_devices(); ++position) {
      const auto device = static_cast<std::size_t>(mesh.device_at(position));
      if (device >= locals_.size()) {
        return fail("missing buffer of device " + std::to_string(device));
      }
      SHARDY_TRY_STATUS(verify_local(locals_[device], local_, device));
    }
    SHARDY_TRY(TensorWriter out, TensorWriter::make(global_));
    for (int64_t position = 0; position < mesh.num_devices(); ++position) {
      if (unreduced_.rank(position) != 0) continue;
      SHARDY_TRY(const Tensor value, folded(position));
      SHARDY_TRY_STATUS(place(value, position, out));
    }
    return std::move(out).finish();
  }

 private:
  struct PlacedTensor {
    Tensor value;
    int64_t device;
  };

  static ir::OpKind combiner(ReductionOp op) {
    constexpr ir::OpKind kKinds[] = {ir::OpKind::Add, ir::OpKind::Maximum, ir::OpKind::Minimum};
    return kKinds[static_cast<std::size_t>(op)];
  }
  const Tensor& local_at(int64_t position) const {
    return locals_[static_cast<std::size_t>(sharding_.mesh().device_at(position))];
  }

  /// Returns the reduction over the devices along the unreduced axes, in rank order.
  Result<Tensor> folded(int64_t leader) const {
    const Tensor& first = local_at(leader);
    if (unreduced_.size() == 1) return first;
    if (fold_ == nullptr) {
      return fail("unreduced values of element type " + std::string(to_string(global_.element())) +
                  " are not supported");
    }
    SHARDY_TRY(TensorWriter acc, TensorWriter::make(local_));
    std::ranges::copy(first.bytes(), acc.data());
    for (int64_t rank = 1; rank < unreduced_.size(); ++rank) {
      fold_(acc.data(), local_at(unreduced_.member(leader, rank)).data(),
            static_cast<std::size_t>(local_.num_elements()), false);
    }
    return std::move(acc).finish();
  }

  Status place(const Tensor& value, int64_t position, TensorWriter& out) {
    const std::vector<Range> slice = device_slice(sharding_, global_.dims(), position);
    const Tile tile(slice, local_.dims(), global_.dims());
    const int64_t device = sharding_.mesh().device_at(position);
    const auto [placed, is_new] =
        placed_.try_emplace(shard_indices(sharding_, position), PlacedTensor{value, device});
    if (!is_new) return compare(placed->second, {value, device}, tile, slice);
    tile.to_global(ir::size_bytes(global_.element())).run(value.data(), out.data());
    return {};
  }

  Status compare(const PlacedTensor& a, const PlacedTensor& b, const Tile& tile,
                 const std::vector<Range>& slice) const {
    if (a.value.data() == b.value.data()) return {};
    const std::size_t size = ir::size_bytes(global_.element());
    const std::vector<std::byte> left = packed(a.value, tile, size);
    const std::vector<std::byte> right = packed(b.value, tile, size);
    const auto [differs, other] = std::ranges::mismatch(left, right);
    if (differs == left.end()) return {};
    const auto element = (differs - left.begin()) / static_cast<std::ptrdiff_t>(size);
    return fail_as("E_REPLICA_DIVERGENCE", "devices " + std::to_string(a.device) + " and " +
                                               std::to_string(b.device) + " differ at index " +
                                               index_text(element, tile.sizes(), slice));
  }

  static std::vector<std::byte> packed(const Tensor& value, const Tile& tile, std::size_t size) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(product(tile.sizes())) * size);
    tile.packed(size).run(value.data(), bytes.data());
    return bytes;
  }

  std::span<const Tensor> locals_;
  const TensorSharding& sharding_;
  DeviceGroups unreduced_;
  const ir::Type& global_;
  ir::Type local_;
  FoldLoop fold_;
  std::map<std::vector<int64_t>, PlacedTensor> placed_;
};

/// Checks that all devices have the same tensor and returns it.
Result<Tensor> gather_replicated(std::span<const Tensor> locals, const ir::Type& type) {
  if (locals.empty()) return fail("a buffer is missing");
  // A replicated sharding on a mesh of all devices, so that the general case compares the tensors.
  SHARDY_TRY(const Mesh mesh, Mesh::make({{"device", std::ssize(locals)}}));
  const TensorSharding replicated =
      TensorSharding::fully_closed(mesh, std::nullopt, static_cast<std::size_t>(type.rank()));
  return gather_output(locals, replicated, type);
}

}  // namespace

Result<Tensors> scatter_input(const Tensor& global, const std::optional<TensorSharding>& sharding,
                              int64_t num_devices, Fill fill) {
  return scatter_input(global, sharding, DeviceBlock{0, num_devices}, fill);
}

Result<Tensors> scatter_input(const Tensor& global, const std::optional<TensorSharding>& sharding,
                              const DeviceBlock& devices, Fill fill) {
  if (!global) return fail("a tensor is missing");
  if (!global.type().is_static_tensor()) return fail("only tensors can be sharded");
  SHARDY_TRY_STATUS(verify_block(devices));
  if (places_nothing(sharding)) return Tensors(static_cast<std::size_t>(devices.count), global);
  const Mesh& mesh = sharding->mesh();
  if (!mesh.is_maximal()) {
    SHARDY_TRY_STATUS(verify_rank(*sharding, global.type()));
  }
  const ir::Type local = global.type().with_dims(sharding->local_shape(global.type().dims()));
  Scatter scatter(global, *sharding, local, fill);
  Tensors parts;
  for (int64_t device = devices.first; device < devices.first + devices.count; ++device) {
    const std::optional<int64_t> position = mesh.position_of(device);
    SHARDY_TRY(Tensor part, position ? scatter.at(*position) : scatter.outside());
    parts.push_back(std::move(part));
  }
  return parts;
}

namespace {

constexpr int64_t kMostElementsAtOnce = int64_t{1} << 18;

/// The shards of a tensor, which are filled while its rows are read.
class RowScatter {
 public:
  RowScatter(const ir::Type& global, const TensorSharding& sharding, Fill fill)
      : global_(global),
        sharding_(sharding),
        local_(global.with_dims(sharding.local_shape(global.dims()))),
        fill_(fill) {}

  Status add(int64_t device) {
    const std::optional<int64_t> position = sharding_.mesh().position_of(device);
    const bool is_first =
        position && shard_index(sharding_.mesh(), sharding_.unreduced_axes(), *position) == 0;
    ShardPart& part = parts_.emplace_back();
    if (!position) {
      SHARDY_TRY(part.value, filled_tensor(local_, fill_));
    } else if (!is_first) {
      SHARDY_TRY(part.value, identity(local_, sharding_.reduction_op()));
    } else {
      part.indices = shard_indices(sharding_, *position);
      if (tiles_.contains(*part.indices)) return {};
      SHARDY_TRY(const Tensor padding, filled_tensor(local_, fill_));
      SHARDY_TRY(TensorWriter writer, TensorWriter::make(local_));
      std::ranges::copy(padding.bytes(), writer.data());
      tiles_.emplace(
          *part.indices,
          OpenShard{std::move(writer), device_slice(sharding_, global_.dims(), *position), {}});
    }
    return {};
  }

  void take(const Tensor& rows, int64_t first) {
    for (auto& [indices, open] : tiles_) take(rows, first, open);
  }

  Tensors finish() {
    for (auto& [indices, open] : tiles_) open.value = std::move(open.writer).finish();
    Tensors values;
    for (const ShardPart& part : parts_) {
      values.push_back(part.indices ? tiles_.at(*part.indices).value : part.value);
    }
    return values;
  }

 private:
  struct OpenShard {
    TensorWriter writer;
    std::vector<Range> slice;
    Tensor value;
  };
  struct ShardPart {
    Tensor value;
    std::optional<std::vector<int64_t>> indices;  // shard index of the tile
  };

  void take(const Tensor& rows, int64_t first, OpenShard& open) const {
    const std::vector<int64_t> from = row_major_strides(rows.type().dims());
    const std::vector<int64_t> to = row_major_strides(local_.dims());
    std::vector<CopyDim> dims;
    int64_t from_offset = 0;
    int64_t to_offset = 0;
    for (std::size_t dim = 0; dim < from.size(); ++dim) {
      int64_t begin = open.slice[dim].begin;
      int64_t end = begin + open.slice[dim].size();
      if (dim == 0) {
        begin = std::max(begin, first);
        end = std::min(end, first + rows.type().dim(0));
        to_offset = (begin - open.slice[0].begin) * to[0];
      }
      if (begin >= end) return;
      from_offset += (begin - (dim == 0 ? first : 0)) * from[dim];
      dims.push_back({end - begin, from[dim], to[dim]});
    }
    StridedCopy(std::move(dims), ir::size_bytes(global_.element()), from_offset, to_offset)
        .run(rows.data(), open.writer.data());
  }

  const ir::Type& global_;
  const TensorSharding& sharding_;
  ir::Type local_;
  Fill fill_;
  std::vector<ShardPart> parts_;
  std::map<std::vector<int64_t>, OpenShard> tiles_;
};

/// Returns the replicated sharding on a mesh of one axis.
Result<TensorSharding> replicated_on(const DeviceBlock& devices, int64_t rank) {
  SHARDY_TRY(Mesh mesh, Mesh::make({{"device", devices.first + devices.count}}));
  return TensorSharding::fully_closed(std::move(mesh), std::nullopt,
                                      static_cast<std::size_t>(rank));
}

}  // namespace

Result<Tensors> scatter_rows(const ir::Type& global, const RowReader& rows,
                             const std::optional<TensorSharding>& asked, const DeviceBlock& devices,
                             Fill fill) {
  if (!global.is_static_tensor()) return fail("the global type must be a static tensor type");
  SHARDY_TRY_STATUS(verify_block(devices));
  std::optional<TensorSharding> sharding = asked;
  if (places_nothing(asked)) {
    SHARDY_TRY(sharding, replicated_on(devices, global.rank()));
  } else if (!sharding->mesh().is_maximal()) {
    SHARDY_TRY_STATUS(verify_rank(*sharding, global));
  }
  RowScatter scatter(global, *sharding, fill);
  for (int64_t device = devices.first; device < devices.first + devices.count; ++device) {
    SHARDY_TRY_STATUS(scatter.add(device));
  }
  const int64_t num_rows = global.rank() == 0 ? 1 : global.dim(0);
  const int64_t at_once = std::max<int64_t>(
      1, num_rows == 0
             ? 1
             : kMostElementsAtOnce / std::max<int64_t>(1, global.num_elements() / num_rows));
  for (int64_t first = 0; first < num_rows; first += at_once) {
    const int64_t count = std::min(at_once, num_rows - first);
    SHARDY_TRY(const Tensor some, rows(first, count));
    std::vector<int64_t> dims(global.dims().begin(), global.dims().end());
    if (!dims.empty()) dims.front() = count;
    const ir::Type wanted = global.with_dims(std::move(dims));
    if (!some || !some.type().is_static_tensor() || some.type().element() != wanted.element() ||
        !std::ranges::equal(some.type().dims(), wanted.dims())) {
      return fail("rows of another type than " + to_string(wanted) + " were given");
    }
    scatter.take(some, first);
  }
  return scatter.finish();
}

Result<Tensor> gather_output(std::span<const Tensor> locals,
                             const std::optional<TensorSharding>& sharding,
                             const ir::Type& global_type) {
  if (!global_type.is_static_tensor()) return fail("the global type must be a static tensor type");
  if (places_nothing(sharding)) return gather_replicated(locals, global_type);
  if (!sharding->mesh().is_maximal()) {
    SHARDY_TRY_STATUS(verify_rank(*sharding, global_type));
  }
  SHARDY_TRY(DeviceGroups unreduced,
             DeviceGroups::make(sharding->mesh(), sharding->unreduced_axes()));
  return Gather(locals, *sharding, std::move(unreduced), global_type).run();
}

}  // namespace shardy::simulation
