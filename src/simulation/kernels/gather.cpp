// Kernels of ops with indices that are computed at run time. gather and torch_index_select pick
// slices. scatter folds updates into a copy of the inputs, element by element in row-major order of
// the updates; it drops updates that are out of bounds. dynamic_* ops have operands where their
// static counterparts have attributes. Spec: stablehlo 25, 30, 36.
#include "simulation/kernels/gather.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/window_ops.hpp"
#include "shardy/support/detail/math.hpp"
#include "simulation/element.hpp"
#include "simulation/kernels/fold.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {
namespace {

bool contains(std::span<const int64_t> list, std::size_t dim) {
  return std::ranges::find(list, static_cast<int64_t>(dim)) != list.end();
}

/// Reads each index with its own signedness. Numbers above int64 become its maximum.
std::vector<int64_t> read_indices(const Tensor& indices) {
  std::vector<int64_t> values;
  values.reserve(static_cast<std::size_t>(indices.num_elements()));
  with_element(indices.type().element(), [&]<class T>(Tag<T>) {
    if constexpr (Integer<T>) {
      for (const T index : indices.elements<T>()) {
        const Wide<T> value = widen(index);
        constexpr auto kMost = std::numeric_limits<int64_t>::max();
        const bool fits = std::is_signed_v<Wide<T>> || static_cast<uint64_t>(value) <= kMost;
        values.push_back(fits ? static_cast<int64_t>(value) : kMost);
      }
    }
  });
  return values;
}

struct GatherKernelPlan {
  IndexVectors vectors;
  std::vector<int64_t> last_starts;     // largest start per dim of the operand
  std::vector<int64_t> strides;         // strides of the operand
  std::vector<int64_t> result_strides;  // strides of the result dims that count index vectors
  StridedCopy window;
  ir::Type result;
};

/// Returns the index in the operand of a window's first element.
int64_t window_offset(const GatherKernelPlan& plan, const int64_t* start) {
  int64_t offset = 0;
  for (std::size_t dim = 0; dim < plan.strides.size(); ++dim) {
    offset += std::clamp<int64_t>(start[dim], 0, plan.last_starts[dim]) * plan.strides[dim];
  }
  return offset;
}

/// The smallest number of elements that is worth a separate thread.
constexpr int64_t kWindowGrain = int64_t{1} << 14;

Result<Tensors> run_gather(const GatherKernelPlan& plan, const KernelCall& call) {
  const Tensor& x = call.operands[0];
  // If a collapsed dim has slice size 0, nothing is read: the result has no elements.
  if (x.num_elements() == 0 || plan.result.num_elements() == 0) {
    SHARDY_TRY(Tensor zeros, filled_tensor(plan.result, Fill::Zero));
    return Tensors{std::move(zeros)};
  }
  SHARDY_TRY(TensorWriter out, TensorWriter::make(plan.result));
  const std::vector<int64_t> starts = plan.vectors.starts(call.operands[1]);
  const int64_t num_windows = product(plan.vectors.batch_sizes());
  const int64_t window_size = plan.result.num_elements() / num_windows;
  for_ranges(call.pool, num_windows, kWindowGrain / window_size + 1,
             [&](int64_t begin, int64_t end) {
               const auto rank = static_cast<int64_t>(plan.strides.size());
               const int64_t* start = starts.data() + begin * rank;
               IndexWalk walk(plan.vectors.batch_sizes());
               walk.skip(begin);
               for (int64_t window = begin; window < end; ++window) {
                 plan.window.run(x.data(), out.data(), window_offset(plan, start),
                                 dot(walk.index(), plan.result_strides));
                 start += rank;
                 walk.next();
               }
             });
  return Tensors{std::move(out).finish()};
}

Result<Kernel> make_gather(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const auto view = reader.view<ir::GatherOp>();
  const auto& offset_dims = view.dims.offset_dims;
  const ir::Type& x = reader.operand();
  const std::vector<int64_t> strides = row_major_strides(x.dims());
  const std::vector<int64_t> to_strides = row_major_strides(reader.result().dims());
  IndexVectors vectors(view.dims, x, reader.operand(1));
  std::vector<CopyDim> window;
  std::vector<int64_t> result_strides;
  for (std::size_t dim = 0; dim < to_strides.size(); ++dim) {
    if (!contains(offset_dims, dim)) {
      result_strides.push_back(to_strides[dim]);
      continue;
    }
    const std::size_t from = vectors.window_dims()[window.size()];
    window.push_back({view.slice_sizes[from], strides[from], to_strides[dim]});
  }
  std::vector<int64_t> last_starts;
  for (std::size_t dim = 0; dim < strides.size(); ++dim) {
    last_starts.push_back(
        std::max<int64_t>(x.dim(dim) - std::max<int64_t>(view.slice_sizes[dim], 1), 0));
  }
  GatherKernelPlan plan{std::move(vectors),
                        std::move(last_starts),
                        strides,
                        std::move(result_strides),
                        StridedCopy(std::move(window), ir::size_bytes(x.element())),
                        reader.result()};
  return [plan = std::move(plan)](const KernelCall& call) { return run_gather(plan, call); };
}

/// Adjacent updates that have adjacent targets.
struct Row {
  int64_t target;
  int64_t source;
  int64_t count;
};

/// A map from positions in the updates to positions in the input.
class UpdatePlaces {
 public:
  UpdatePlaces(const ir::ScatterDims& dims, const ir::Type& x, const ir::Type& indices,
               const ir::Type& updates)
      : vectors_(dims, x, indices),
        sizes_(x.dims().begin(), x.dims().end()),
        strides_(row_major_strides(x.dims())),
        outer_sizes_(updates.dims().begin(), updates.dims().end()) {
    const std::vector<int64_t> vector_strides = row_major_strides(vectors_.batch_sizes());
    std::size_t next_batch = 0;
    std::size_t next_window = 0;
    for (std::size_t dim = 0; dim < outer_sizes_.size(); ++dim) {
      const bool is_window = contains(dims.update_window_dims, dim);
      vector_strides_.push_back(is_window ? 0 : vector_strides[next_batch++]);
      if (is_window) windows_.push_back({dim, vectors_.window_dims()[next_window++]});
    }
    // Rows run along the last dim of the updates if that is a window dim.
    const bool has_row = !windows_.empty() && windows_.back().update_dim + 1 == outer_sizes_.size();
    if (!has_row) return;
    row_dim_ = windows_.back().dim;
    row_size_ = outer_sizes_.back();
    windows_.pop_back();
    outer_sizes_.pop_back();
    vector_strides_.pop_back();
  }

  /// Returns the distance in the input between neighbouring updates of a row.
  int64_t row_stride() const { return row_dim_ ? strides_[*row_dim_] : 1; }

  /// Calls `visit(row)` for all updates that are in bounds, in row-major order.
  template <class Visit>
  Status for_each_row(const Tensor& indices, const Visit& visit) const {
    const std::vector<int64_t> starts = vectors_.starts(indices);
    if (row_size_ == 0 || product(outer_sizes_) == 0) return {};
    std::vector<int64_t> at(sizes_.size());
    IndexWalk walk(outer_sizes_);
    int64_t source = 0;
    do {
      const std::optional<Row> row = row_at(walk.index(), starts, at);
      if (row) {
        SHARDY_TRY_STATUS(visit(Row{row->target, source + row->source, row->count}));
      }
      source += row_size_;
    } while (walk.next());
    return {};
  }

 private:
  struct UpdateWindow {
    std::size_t update_dim;
    std::size_t dim;  // dim of the input
  };

  /// Returns the part of a row that is in bounds. Its source counts from the start of the row.
  std::optional<Row> row_at(std::span<const int64_t> index, std::span<const int64_t> starts,
                            std::vector<int64_t>& scratch) const {
    const auto first = static_cast<std::size_t>(dot(index, vector_strides_)) * sizes_.size();
    std::ranges::copy(starts.subspan(first, sizes_.size()), scratch.begin());
    for (const UpdateWindow& window : windows_) scratch[window.dim] += index[window.update_dim];
    Row row{0, 0, row_size_};
    for (std::size_t dim = 0; dim < sizes_.size(); ++dim) {
      if (dim == row_dim_) continue;
      if (scratch[dim] < 0 || scratch[dim] >= sizes_[dim]) return std::nullopt;
    }
    if (row_dim_) {
      int64_t& start = scratch[*row_dim_];
      const int64_t last = std::min(row_size_, sizes_[*row_dim_] - start);
      row.source = std::max<int64_t>(-start, 0);
      row.count = last - row.source;
      start += row.source;
      if (row.count <= 0) return std::nullopt;
    }
    row.target = dot(scratch, strides_);
    return row;
  }

  IndexVectors vectors_;
  std::vector<int64_t> sizes_;    // sizes of the input
  std::vector<int64_t> strides_;  // strides of the input
  std::vector<UpdateWindow> windows_;
  std::vector<int64_t> outer_sizes_;  // sizes of the updates without the row dim
  // Strides from an outer index to the number of the index vector.
  std::vector<int64_t> vector_strides_;
  std::optional<std::size_t> row_dim_;  // dim of the input
  int64_t row_size_ = 1;
};

struct ScatterKernelPlan {
  Fold fold;
  UpdatePlaces places;
  std::size_t num_pairs;
  std::vector<ir::Type> results;
};

/// Folds each row in place. Requires: a recognized reducer.
Status fold_rows(const ScatterKernelPlan& plan, const Tensor& indices, const Tensors& updates,
                 std::vector<TensorWriter>& out) {
  const int64_t stride = plan.places.row_stride();
  return plan.places.for_each_row(indices, [&](const Row& row) -> Status {
    for (std::size_t index = 0; index < out.size(); ++index) {
      const FoldLoop fold = plan.fold.loops()[index].one;
      const auto bytes = static_cast<int64_t>(ir::size_bytes(out[index].type().element()));
      std::byte* target = out[index].data() + row.target * bytes;
      const std::byte* source = updates[index].data() + row.source * bytes;
      if (stride == 1) {
        fold(target, source, static_cast<std::size_t>(row.count), false);
        continue;
      }
      for (int64_t at = 0; at < row.count; ++at) {
        fold(target + at * stride * bytes, source + at * bytes, 1, false);
      }
    }
    return {};
  });
}

/// Folds by any reducer, a lane per element.
Status fold_batches(const ScatterKernelPlan& plan, const KernelCall& call, const Tensors& updates,
                    std::vector<TensorWriter>& out) {
  SHARDY_TRY(const LaneFold fold, plan.fold.lanes(ScatterWriteBatches::kMaxLanes,
                                                  call.operands.subspan(2 * plan.num_pairs + 1)));
  ScatterWriteBatches batches(
      out,
      [&](std::span<const int64_t> targets, std::span<const int64_t> sources) -> Result<Tensors> {
        Tensors acc;
        Tensors x;
        for (std::size_t index = 0; index < out.size(); ++index) {
          SHARDY_TRY(Tensor old, take(out[index].data(), out[index].type().element(), targets));
          SHARDY_TRY(Tensor update,
                     take(updates[index].data(), updates[index].type().element(), sources));
          acc.push_back(std::move(old));
          x.push_back(std::move(update));
        }
        return fold(acc, x);
      });
  const int64_t stride = plan.places.row_stride();
  const Status added =
      plan.places.for_each_row(call.operands[plan.num_pairs], [&](const Row& row) -> Status {
        for (int64_t at = 0; at < row.count; ++at) {
          SHARDY_TRY_STATUS(batches.add({row.target + at * stride, row.source + at}));
        }
        return {};
      });
  SHARDY_TRY_STATUS(added);
  return batches.finish();
}

Result<Tensors> run_scatter(const ScatterKernelPlan& plan, const KernelCall& call) {
  std::vector<TensorWriter> out;
  Tensors updates;
  for (std::size_t index = 0; index < plan.num_pairs; ++index) {
    SHARDY_TRY(const Tensor x, converted(call.operands[index], plan.results[index].element()));
    SHARDY_TRY(TensorWriter writer, TensorWriter::make(plan.results[index]));
    std::ranges::copy(x.bytes(), writer.data());
    out.push_back(std::move(writer));
    SHARDY_TRY(Tensor update,
               converted(call.operands[plan.num_pairs + 1 + index], plan.fold.inputs()[index]));
    updates.push_back(std::move(update));
  }
  SHARDY_TRY_STATUS(plan.fold.loops().empty()
                        ? fold_batches(plan, call, updates, out)
                        : fold_rows(plan, call.operands[plan.num_pairs], updates, out));
  Tensors results;
  for (TensorWriter& writer : out) results.push_back(std::move(writer).finish());
  return results;
}

Result<Kernel> make_scatter(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::ScatterDims& dims = reader.view<ir::ScatterOp>().dims;
  const std::size_t num_pairs = reader.num_operands() / 2;
  SHARDY_TRY(Fold fold, Fold::make(request, num_pairs));
  UpdatePlaces places(dims, reader.operand(), reader.operand(num_pairs),
                      reader.operand(num_pairs + 1));
  std::vector<ir::Type> results;
  for (std::size_t index = 0; index < num_pairs; ++index) {
    SHARDY_TRY_STATUS(expect_conversion(reader, reader.operand(index), fold.accumulators()[index]));
    SHARDY_TRY_STATUS(
        expect_conversion(reader, reader.operand(num_pairs + 1 + index), fold.inputs()[index]));
    results.push_back(reader.result(index));
  }
  auto plan = std::make_shared<const ScatterKernelPlan>(
      ScatterKernelPlan{std::move(fold), std::move(places), num_pairs, std::move(results)});
  return [plan = std::move(plan)](const KernelCall& call) { return run_scatter(*plan, call); };
}

/// The shape of torch_index_select: the operand as (batch, rows before the dim, dim, bytes after
/// the dim), the indices as (batch, count).
struct SelectShape {
  int64_t batches;
  int64_t rows;
  int64_t size;
  int64_t slice_bytes;
  int64_t count;
};

void select_slices(const SelectShape& shape, const std::byte* x, std::span<const int64_t> indices,
                   std::byte* out) {
  const int64_t row_bytes = shape.size * shape.slice_bytes;
  for (int64_t row = 0; row < shape.batches * shape.rows; ++row) {
    const int64_t batch = row / shape.rows;
    for (int64_t at = 0; at < shape.count; ++at) {
      // Clamps an index that is out of bounds to the nearest slice, as gather does.
      const int64_t index = std::clamp<int64_t>(
          indices[static_cast<std::size_t>(batch * shape.count + at)], 0, shape.size - 1);
      out = std::copy_n(x + row * row_bytes + index * shape.slice_bytes, shape.slice_bytes, out);
    }
  }
}

Result<Kernel> make_torch_index_select(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY_STATUS(reader.expect_counts(2, 1));
  const ir::Type& x = reader.operand(0);
  const ir::Type& index = reader.operand(1);
  SHARDY_TRY(const auto view, reader.read_view<ir::TorchIndexSelectOp>());
  const bool fits = view.dim < x.rank() && view.batch_dims >= 0 && view.batch_dims <= view.dim &&
                    view.batch_dims <= index.rank();
  SHARDY_TRY_STATUS(reader.expect(fits, "needs 0 <= `batch_dims` <= `dim` < rank"));
  const auto places = static_cast<std::size_t>(view.dim);
  const auto shared = static_cast<std::size_t>(view.batch_dims);
  const auto before = x.dims().first(places);
  const auto trailing = x.dims().subspan(places + 1);
  const auto picked = index.dims().subspan(shared);
  SHARDY_TRY_STATUS(
      reader.expect(std::ranges::equal(before.first(shared), index.dims().first(shared)),
                    "both operands must have the same batch dims"));
  std::vector<int64_t> dims(before.begin(), before.end());
  dims.insert(dims.end(), picked.begin(), picked.end());
  dims.insert(dims.end(), trailing.begin(), trailing.end());
  SHARDY_TRY_STATUS(reader.expect_result(dims, x.element()));
  const auto widen = Conversion::pick(index.element(), ir::ElementType::I64);
  if (!widen || !ir::is_integer(index.element()))
    return reader.unsupported_element(index.element());
  const auto bytes = static_cast<int64_t>(ir::size_bytes(x.element()));
  const SelectShape shape{product(before.first(shared)), product(before.subspan(shared)),
                          x.dim(places), product(trailing) * bytes, product(picked)};
  SHARDY_TRY_STATUS(reader.expect(shape.size > 0 || reader.result().num_elements() == 0,
                                  "the operand to select from is empty"));
  return
      [shape, widen = *widen, type = reader.result()](const KernelCall& call) -> Result<Tensors> {
        const Tensor& picks = call.operands[1];
        std::vector<int64_t> indices(static_cast<std::size_t>(picks.num_elements()));
        widen.run(picks.data(), reinterpret_cast<std::byte*>(indices.data()), indices.size());
        SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
        if (type.num_elements() > 0)
          select_slices(shape, call.operands[0].data(), indices, out.data());
        return Tensors{std::move(out).finish()};
      };
}

/// The role of an operand that follows the data operands.
enum class Role : uint8_t {
  Shape,    // the shape, which the result must have
  List,     // an attribute that is a list of integers
  Padding,  // an attribute that is a tensor of pairs
};

struct ExtraOperand {
  Role role;
  std::string_view attribute = {};
};

struct DynamicOp {
  ir::OpKind kind;
  ir::OpKind counterpart;
  std::size_t num_operands;  // number of operands of the static counterpart
  std::vector<ExtraOperand> extras;
};

const std::vector<DynamicOp>& dynamic_ops() {
  static const std::vector<DynamicOp> kOps = {
      {ir::OpKind::DynamicBroadcastInDim, ir::OpKind::BroadcastInDim, 1, {{Role::Shape}}},
      {ir::OpKind::DynamicIota, ir::OpKind::Iota, 0, {{Role::Shape}}},
      {ir::OpKind::DynamicReshape, ir::OpKind::Reshape, 1, {{Role::Shape}}},
      {ir::OpKind::DynamicPad,
       ir::OpKind::Pad,
       2,
       {{Role::List, ir::attr::kEdgePaddingLow},
        {Role::List, ir::attr::kEdgePaddingHigh},
        {Role::List, ir::attr::kInteriorPadding}}},
      {ir::OpKind::DynamicGather, ir::OpKind::Gather, 2, {{Role::List, ir::attr::kSliceSizes}}},
      {ir::OpKind::DynamicConv, ir::OpKind::Convolution, 2, {{Role::Padding, ir::attr::kPadding}}},
  };
  return kOps;
}

std::vector<int64_t> integers_of(const Tensor& tensor) {
  std::vector<int64_t> values;
  const std::size_t size = ir::size_bytes(tensor.type().element());
  for (std::size_t at = 0; at < tensor.bytes().size(); at += size) {
    values.push_back(ir::decode_int(tensor.bytes().subspan(at, size), tensor.type().element()));
  }
  return values;
}

Status add_extra(const ExtraOperand& extra, const Tensor& value, const ir::Type& result,
                 ir::AttributeMap& attributes) {
  const std::vector<int64_t> values = integers_of(value);
  if (extra.role == Role::Shape) {
    if (std::ranges::equal(values, result.dims())) return {};
    return fail("the shape operand is not that of the result type " + ir::to_string(result));
  }
  if (extra.role == Role::List) {
    attributes.set(extra.attribute, ir::DenseArrayAttr{ir::ElementType::I64, values});
    return {};
  }
  attributes.set(extra.attribute, ir::literal_from<int64_t>(
                                      value.type().with_element(ir::ElementType::I64), values));
  return {};
}

Result<Kernel> make_dynamic(const KernelRequest& request) {
  const DynamicOp& row =
      *std::ranges::find(dynamic_ops(), request.module.kind(request.op), &DynamicOp::kind);
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY_STATUS(reader.expect_counts(row.num_operands + row.extras.size(), 1));
  for (std::size_t index = row.num_operands; index < reader.num_operands(); ++index) {
    const ir::ElementType element = reader.operand(index).element();
    SHARDY_TRY_STATUS(reader.expect(ir::is_integer(element) || element == ir::ElementType::Index,
                                    "shapes and sizes must be integers"));
  }
  return [row = &row, reader, attributes = request.module.attributes(request.op),
          type = reader.result()](const KernelCall& call) -> Result<Tensors> {
    ir::AttributeMap all = attributes;
    for (std::size_t index = 0; index < row->extras.size(); ++index) {
      SHARDY_TRY_STATUS(reader.at_op(
          add_extra(row->extras[index], call.operands[row->num_operands + index], type, all)));
    }
    return reader.at_op(
        run_single_op(row->counterpart, all, call.operands.first(row->num_operands), {type}));
  };
}

}  // namespace

int64_t dot(std::span<const int64_t> index, std::span<const int64_t> strides) {
  int64_t sum = 0;
  for (std::size_t dim = 0; dim < index.size(); ++dim) sum += index[dim] * strides[dim];
  return sum;
}

IndexVectors::IndexVectors(const ir::GatherDims& dims, const ir::Type& x, const ir::Type& indices)
    : IndexVectors({dims.collapsed_slice_dims, dims.operand_batching_dims,
                    dims.start_indices_batching_dims, dims.start_index_map, dims.index_vector_dim},
                   x, indices) {}

IndexVectors::IndexVectors(const ir::ScatterDims& dims, const ir::Type& x, const ir::Type& indices)
    : IndexVectors(
          {dims.inserted_window_dims, dims.input_batching_dims, dims.scatter_indices_batching_dims,
           dims.scatter_dims_to_operand_dims, dims.index_vector_dim},
          x, indices) {}

IndexVectors::IndexVectors(const VectorDims& dims, const ir::Type& x, const ir::Type& indices)
    : sizes_(x.dims().begin(), x.dims().end()) {
  const std::vector<int64_t> strides = row_major_strides(indices.dims());
  const auto vector_dim = static_cast<std::size_t>(dims.vector_dim);
  for (std::size_t dim = 0; dim < strides.size(); ++dim) {
    if (dim == vector_dim) {
      vector_stride_ = strides[dim];
    } else {
      batch_sizes_.push_back(indices.dim(dim));
      batch_strides_.push_back(strides[dim]);
    }
  }
  for (const int64_t dim : dims.map) map_.push_back(static_cast<std::size_t>(dim));
  for (std::size_t pair = 0; pair < dims.batching.size(); ++pair) {
    const auto position = static_cast<std::size_t>(dims.indices_batching[pair]);
    batching_.push_back({static_cast<std::size_t>(dims.batching[pair]),
                         position > vector_dim ? position - 1 : position});
  }
  for (std::size_t dim = 0; dim < sizes_.size(); ++dim) {
    if (!contains(dims.dropped, dim) && !contains(dims.batching, dim)) window_dims_.push_back(dim);
  }
}

std::vector<int64_t> IndexVectors::starts(const Tensor& indices) const {
  const std::vector<int64_t> values = read_indices(indices);
  const int64_t num_vectors = product(batch_sizes_);
  const std::size_t rank = sizes_.size();
  std::vector<int64_t> starts(static_cast<std::size_t>(num_vectors) * rank, 0);
  if (num_vectors == 0) return starts;
  IndexWalk walk(batch_sizes_);
  auto start = starts.begin();
  do {
    const int64_t first = dot(walk.index(), batch_strides_);
    for (std::size_t component = 0; component < map_.size(); ++component) {
      const auto at =
          static_cast<std::size_t>(first) + component * static_cast<std::size_t>(vector_stride_);
      const int64_t size = sizes_[map_[component]];
      start[static_cast<std::ptrdiff_t>(map_[component])] = std::clamp(values[at], -size - 1, size);
    }
    for (const BatchDim& batching : batching_) {
      start[static_cast<std::ptrdiff_t>(batching.dim)] = walk.index()[batching.position];
    }
    start += static_cast<std::ptrdiff_t>(rank);
  } while (walk.next());
  return starts;
}

SHARDY_KERNEL(Gather, make_gather)

SHARDY_KERNEL(Scatter, make_scatter)

SHARDY_KERNEL(TorchIndexSelect, make_torch_index_select)

SHARDY_KERNEL(DynamicBroadcastInDim, make_dynamic)
SHARDY_KERNEL(DynamicIota, make_dynamic)
SHARDY_KERNEL(DynamicReshape, make_dynamic)
SHARDY_KERNEL(DynamicPad, make_dynamic)
SHARDY_KERNEL(DynamicGather, make_dynamic)
SHARDY_KERNEL(DynamicConv, make_dynamic)

}  // namespace shardy::simulation
