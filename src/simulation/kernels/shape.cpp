// Kernels of ops that make tensors or move elements: constants, iota, device coordinates;
// broadcasts, reshape, transpose, reverse, slices and pads, each of which is one strided copy;
// bitcast_convert; CHLO ops that broadcast their operands as NumPy does. Spec: stablehlo 19, 21,
// 29, 30, partitioning 4.1.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "shardy/algebra/mesh.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/collective_ops.hpp"
#include "shardy/ir/detail/number.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/window_ops.hpp"
#include "shardy/support/detail/math.hpp"
#include "simulation/kernels/collective.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/window.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {
namespace {

Result<Kernel> make_constant(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const auto* const literal = request.module.attribute<ir::Literal>(request.op, ir::attr::kValue);
  if (literal == nullptr) return reader.fail("constant data is elided");
  if (literal->is_splat()) {  // expanded on demand: a splat may have short text and a large value
    return [literal = *literal](const KernelCall&) -> Result<Tensors> {
      SHARDY_TRY(Tensor value, Tensor::from_literal(literal));
      return Tensors{std::move(value)};
    };
  }
  SHARDY_TRY(Tensor value, reader.at_op(Tensor::from_literal(*literal)));
  return
      [value = std::move(value)](const KernelCall&) -> Result<Tensors> { return Tensors{value}; };
}

/// Returns the numbers 0 to size - 1, converted from i64: narrow integers wrap, floats are rounded
/// once.
Result<Tensor> counting_row(int64_t size, ir::ElementType element, const Conversion& conversion) {
  SHARDY_TRY(const ir::Type counter, ir::Type::make_tensor({size}, ir::ElementType::I64));
  SHARDY_TRY(TensorWriter numbers, TensorWriter::make(counter));
  for (int64_t index = 0; index < size; ++index) {
    numbers.elements<int64_t>()[static_cast<std::size_t>(index)] = index;
  }
  SHARDY_TRY(TensorWriter row, TensorWriter::make(ir::Type::tensor({size}, element)));
  conversion.run(numbers.data(), row.data(), static_cast<std::size_t>(size));
  return std::move(row).finish();
}

Result<Tensors> filled(const ir::Type& type, Fill content) {
  SHARDY_TRY(Tensor value, filled_tensor(type, content));
  return Tensors{std::move(value)};
}

Result<Kernel> make_iota(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& type = reader.result();
  const int64_t iota_dim = reader.view<ir::IotaOp>().dim;
  const std::optional<Conversion> conversion =
      Conversion::pick(ir::ElementType::I64, type.element());
  if (!conversion) return reader.unsupported_element(type.element());
  const std::vector<int64_t> strides = row_major_strides(type.dims());
  std::vector<CopyDim> dims;
  for (std::size_t dim = 0; dim < strides.size(); ++dim) {
    dims.push_back({type.dim(dim), static_cast<int64_t>(dim) == iota_dim ? 1 : 0, strides[dim]});
  }
  return [type, size = type.dim(static_cast<std::size_t>(iota_dim)), conversion = *conversion,
          copy = StridedCopy(std::move(dims), ir::size_bytes(type.element()))](
             const KernelCall&) -> Result<Tensors> {
    if (type.num_elements() == 0) return filled(type, Fill::Zero);
    SHARDY_TRY(const Tensor row, counting_row(size, type.element(), conversion));
    SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
    copy.run(row.data(), out.data());
    return Tensors{std::move(out).finish()};
  };
}

// ---- Device coordinates -------------------------------------------------------------------------

Result<Tensor> place(int64_t value) {
  const int64_t values[] = {value};
  return Tensor::from_integers(ir::Type::tensor({}, ir::ElementType::I64), values);
}

Result<Kernel> make_coordinate(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const auto* const axes = reader.view<ir::SpmdGroupOp>().axes;
  SHARDY_TRY(const DeviceGroups groups, reader.at_op(DeviceGroups::make(axes->mesh, axes->axes)));
  return [groups](const KernelCall& call) -> Result<Tensors> {
    const std::optional<int64_t> position = groups.mesh().position_of(call.device);
    if (!position) return fail("the device is not in the mesh");
    SHARDY_TRY(Tensor value, place(groups.rank(*position)));
    return Tensors{std::move(value)};
  };
}

Result<Kernel> make_device_id(const KernelRequest&) {
  return [](const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(Tensor value, place(call.device));
    return Tensors{std::move(value)};
  };
}

Result<Kernel> make_undef(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  return [type = reader.result(), content = request.options.fill](
             const KernelCall&) -> Result<Tensors> { return filled(type, content); };
}

using Dims = std::vector<int64_t>;

/// Returns the result dim of each operand dim.
Dims target_dims(const OpReader& reader, std::size_t index, std::size_t result_rank) {
  const auto rank = static_cast<std::size_t>(reader.operand(index).rank());
  const auto written = reader.view<ir::ChloBroadcastOp>().dims;
  if (written && rank < result_rank && written->size() == rank) {
    return {written->begin(), written->end()};
  }
  Dims trailing(rank);
  std::iota(trailing.begin(), trailing.end(), static_cast<int64_t>(result_rank - rank));
  return trailing;
}

std::size_t greatest_rank(const OpReader& reader) {
  int64_t rank = 0;
  for (std::size_t index = 0; index < reader.num_operands(); ++index) {
    rank = std::max(rank, reader.operand(index).rank());
  }
  return static_cast<std::size_t>(rank);
}

/// Returns the shape to which all operands broadcast. Errors: dims that are neither equal nor 1.
Result<Dims> stretched_shape(const OpReader& reader) {
  Dims shape(greatest_rank(reader), 1);
  for (std::size_t index = 0; index < reader.num_operands(); ++index) {
    const Dims targets = target_dims(reader, index, shape.size());
    SHARDY_TRY_STATUS(reader.expect(are_distinct_dims(targets, static_cast<int64_t>(shape.size())),
                                    "`broadcast_dimensions` needs distinct dims of the result"));
    for (std::size_t dim = 0; dim < targets.size(); ++dim) {
      const int64_t size = reader.operand(index).dim(dim);
      int64_t& target = shape[static_cast<std::size_t>(targets[dim])];
      SHARDY_TRY_STATUS(reader.expect(size == target || size == 1 || target == 1,
                                      "the shapes of the operands do not broadcast"));
      if (target == 1) target = size;
    }
  }
  return shape;
}

/// Returns the attributes of the elementwise op. A comparison gets the attributes of
/// `stablehlo.compare`.
Result<ir::AttributeMap> elementwise_attributes(const OpReader& reader, ir::OpKind kind) {
  if (kind != ir::OpKind::Compare) return ir::AttributeMap();
  SHARDY_TRY(const auto view, reader.read_view<ir::CompareOp>());
  return ir::attributes_of(view);
}

Result<Kernel> stretched_kernel(const KernelRequest& request, ir::OpKind elementwise) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY(const Dims shape, stretched_shape(reader));
  SHARDY_TRY(const ir::AttributeMap attributes, elementwise_attributes(reader, elementwise));
  return composed_kernel(request,
                         [&](ir::GraphBuilder& graph, const std::vector<ir::ValueId>& operands) {
                           ir::OpSpec spec{.kind = elementwise};
                           for (std::size_t index = 0; index < operands.size(); ++index) {
                             spec.operands.push_back(graph.broadcast_in_dim(
                                 operands[index], shape, target_dims(reader, index, shape.size())));
                           }
                           spec.attributes = attributes;
                           return std::vector<ir::ValueId>{graph.value_of(std::move(spec))};
                         });
}

/// Makes the kernel of an op whose operands are broadcast to one shape.
template <ir::OpKind kElementwise>
Result<Kernel> make_broadcast_op(const KernelRequest& request) {
  return stretched_kernel(request, kElementwise);
}

/// Makes the kernel of broadcast, which adds new major dims.
Result<Kernel> make_broadcast(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const auto sizes = reader.view<ir::BroadcastOp>().sizes;
  const ir::Type& x = reader.operand();
  Dims shape(sizes.begin(), sizes.end());
  shape.insert(shape.end(), x.dims().begin(), x.dims().end());
  return composed_kernel(
      request, [&](ir::GraphBuilder& graph, const std::vector<ir::ValueId>& operands) {
        Dims targets(static_cast<std::size_t>(x.rank()));
        std::iota(targets.begin(), targets.end(), static_cast<int64_t>(sizes.size()));
        return std::vector<ir::ValueId>{graph.broadcast_in_dim(operands[0], shape, targets)};
      });
}

Result<Kernel> make_broadcast_in_dim(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& x = reader.operand();
  const ir::Type& result = reader.result();
  const auto to_dims = reader.view<ir::BroadcastInDimOp>().dims;
  std::vector<CopyDim> dims = dims_written(result.dims());
  const std::vector<int64_t> strides = row_major_strides(x.dims());
  for (std::size_t dim = 0; dim < to_dims.size(); ++dim) {
    CopyDim& target = dims[static_cast<std::size_t>(to_dims[dim])];
    target.from_stride = x.dim(dim) == 1 ? 0 : strides[dim];
  }
  return copy_kernel(result, StridedCopy(std::move(dims), ir::size_bytes(x.element())));
}

Result<Kernel> make_reshape(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& result = reader.result();
  return [result](const KernelCall& call) -> Result<Tensors> {
    return Tensors{call.operands[0].reshaped(result)};
  };
}

Result<Kernel> make_transpose(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& x = reader.operand();
  const auto permutation = reader.view<ir::TransposeOp>().permutation;
  const std::vector<int64_t> strides = row_major_strides(x.dims());
  std::vector<CopyDim> dims = dims_written(reader.result().dims());
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    dims[dim].from_stride = strides[static_cast<std::size_t>(permutation[dim])];
  }
  return copy_kernel(reader.result(), StridedCopy(std::move(dims), ir::size_bytes(x.element())));
}

Result<Kernel> make_reverse(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& x = reader.operand();
  const auto reversed = reader.view<ir::ReverseOp>().dims;
  std::vector<CopyDim> dims = dims_written(x.dims());
  int64_t offset = 0;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    const bool backwards = std::ranges::find(reversed, static_cast<int64_t>(dim)) != reversed.end();
    dims[dim].from_stride = backwards ? -dims[dim].to_stride : dims[dim].to_stride;
    if (backwards) offset += (dims[dim].size - 1) * dims[dim].to_stride;
  }
  return copy_kernel(reader.result(),
                     StridedCopy(std::move(dims), ir::size_bytes(x.element()), offset));
}

/// Returns true for elements of fewer than 8 bits; each is stored in one byte.
bool is_sub_byte(ir::ElementType type) { return ir::info(type).bits < 8; }

/// Returns the low `bits` bits of a byte as a canonical element.
std::byte canonical(uint64_t pattern, ir::ElementType type) {
  const auto unused = static_cast<unsigned>(64 - ir::info(type).bits);
  const uint64_t shifted = pattern << unused;
  const uint64_t value = ir::is_signed_integer(type)
                             ? static_cast<uint64_t>(static_cast<int64_t>(shifted) >> unused)
                             : shifted >> unused;
  return std::byte{static_cast<uint8_t>(value)};
}

/// A bitcast from or to an element type of 2, 4 or 6 bits. The bits pass through a queue.
struct Repacking {
  ir::ElementType from;
  ir::ElementType to;

  void run(std::span<const std::byte> x, std::span<std::byte> out) const {
    const auto in_bits = static_cast<unsigned>(std::min(ir::info(from).bits, 8));
    const auto out_bits = static_cast<unsigned>(std::min(ir::info(to).bits, 8));
    uint64_t queue = 0;
    unsigned num_queued = 0;
    std::size_t next = 0;
    for (std::byte& element : out) {
      for (; num_queued < out_bits; num_queued += in_bits) {
        const uint64_t bits = std::to_integer<uint64_t>(x[next++]) & ((1U << in_bits) - 1);
        queue |= bits << num_queued;
      }
      element = canonical_byte(queue & ((1U << out_bits) - 1));
      queue >>= out_bits;
      num_queued -= out_bits;
    }
  }

 private:
  std::byte canonical_byte(uint64_t bits) const {
    return is_sub_byte(to) ? canonical(bits, to) : std::byte{static_cast<uint8_t>(bits)};
  }
};

Result<Kernel> make_bitcast_convert(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::ElementType from = reader.operand().element();
  const ir::ElementType to = reader.result().element();
  if (!is_sub_byte(from) && !is_sub_byte(to)) {
    return [type = reader.result()](const KernelCall& call) -> Result<Tensors> {
      return Tensors{call.operands[0].reshaped(type)};
    };
  }
  return [repacking = Repacking{from, to},
          type = reader.result()](const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
    repacking.run(call.operands[0].bytes(), out.bytes());
    return Tensors{std::move(out).finish()};
  };
}

// ---- slice -----------------------------------------------------------------------------------

Result<Kernel> make_slice(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& x = reader.operand();
  const auto view = reader.view<ir::SliceOp>();
  std::vector<CopyDim> dims = dims_written(reader.result().dims());
  const std::vector<int64_t> x_strides = row_major_strides(x.dims());
  int64_t offset = 0;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    offset += view.starts[dim] * x_strides[dim];
    if (dims[dim].size > 1) dims[dim].from_stride = view.strides[dim] * x_strides[dim];
  }
  return copy_kernel(reader.result(),
                     StridedCopy(std::move(dims), ir::size_bytes(x.element()), offset));
}

// ---- Dynamic starts --------------------------------------------------------------------------

/// A window with a run-time start, which is clamped so that the window is inside the operand.
struct ClampedWindow {
  std::vector<int64_t> last_start;  // largest start per dim
  std::vector<int64_t> strides;

  /// Returns the offset of the window's first element, given one scalar index per dim.
  int64_t offset(std::span<const Tensor> starts) const {
    int64_t offset = 0;
    for (std::size_t dim = 0; dim < strides.size(); ++dim) {
      offset += std::clamp<int64_t>(read(starts[dim]), 0, last_start[dim]) * strides[dim];
    }
    return offset;
  }

 private:
  /// Reads an index with its own signedness. Numbers above int64 become its maximum.
  static int64_t read(const Tensor& start) {
    const ir::ElementType element = start.type().element();
    const int64_t value = ir::decode_int(start.bytes(), element);
    const bool huge = element == ir::ElementType::UI64 && value < 0;
    return huge ? std::numeric_limits<int64_t>::max() : value;
  }
};

ClampedWindow make_window(const ir::Type& x, std::span<const int64_t> sizes) {
  ClampedWindow window{{}, row_major_strides(x.dims())};
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    window.last_start.push_back(x.dim(dim) - sizes[dim]);
  }
  return window;
}

Result<Kernel> make_dynamic_slice(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& x = reader.operand();
  const auto sizes = reader.view<ir::DynamicSliceOp>().sizes;
  ClampedWindow window = make_window(x, sizes);
  std::vector<CopyDim> dims = dims_written(sizes);
  for (std::size_t dim = 0; dim < dims.size(); ++dim) dims[dim].from_stride = window.strides[dim];
  return [result = reader.result(), window = std::move(window),
          copy = StridedCopy(std::move(dims), ir::size_bytes(x.element()))](
             const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(result));
    copy.run(call.operands[0].data(), out.data(), window.offset(call.operands.subspan(1)));
    return Tensors{std::move(out).finish()};
  };
}

Result<Kernel> make_dynamic_update_slice(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& x = reader.operand(0);
  const ir::Type& update = reader.operand(1);
  ClampedWindow window = make_window(x, update.dims());
  std::vector<CopyDim> dims;
  const std::vector<int64_t> from_strides = row_major_strides(update.dims());
  for (std::size_t dim = 0; dim < from_strides.size(); ++dim) {
    dims.push_back({update.dim(dim), from_strides[dim], window.strides[dim]});
  }
  return [result = reader.result(), window = std::move(window),
          copy = StridedCopy(std::move(dims), ir::size_bytes(x.element()))](
             const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(result));
    std::ranges::copy(call.operands[0].bytes(), out.data());
    copy.run(call.operands[1].data(), out.data(), 0, window.offset(call.operands.subspan(2)));
    return Tensors{std::move(out).finish()};
  };
}

// ---- pad -------------------------------------------------------------------------------------

Result<std::vector<PadDim>> read_padding(const OpReader& reader) {
  const ir::Type& x = reader.operand();
  const auto view = reader.view<ir::PadOp>();
  std::vector<PadDim> dims;
  for (std::size_t dim = 0; dim < view.low.size(); ++dim) {
    dims.push_back({x.dim(dim), view.low[dim], view.high[dim], view.interior[dim]});
    SHARDY_TRY_STATUS(reader.expect(dims.back().is_legal() && dims.back().padded(),
                                    "padding is too large, or negative where it may not be"));
  }
  return dims;
}

Result<Kernel> make_pad(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const ir::Type& x = reader.operand(0);
  SHARDY_TRY(const std::vector<PadDim> padding, read_padding(reader));
  const ir::Type& result = reader.result();
  return [result, copy = plan_pad(padding, result.dims(), ir::size_bytes(x.element())),
          fill_all = StridedCopy({{result.num_elements(), 0, 1}}, ir::size_bytes(x.element()))](
             const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(result));
    fill_all.run(call.operands[1].data(), out.data());
    copy.run(call.operands[0].data(), out.data());
    return Tensors{std::move(out).finish()};
  };
}

// ---- concatenate -----------------------------------------------------------------------------

Result<Kernel> make_concatenate(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const int64_t at = reader.view<ir::ConcatenateOp>().dim;
  return [result = reader.result(),
          along = static_cast<std::size_t>(at)](const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(Tensor joined, concatenate(call.operands, along, result));
    return Tensors{std::move(joined)};
  };
}

}  // namespace

SHARDY_KERNEL(Constant, make_constant)
SHARDY_KERNEL(SdyConstant, make_constant)
SHARDY_KERNEL(ChloConstant, make_constant)
SHARDY_KERNEL(Iota, make_iota)
SHARDY_KERNEL(SpmdCoord, make_coordinate)
SHARDY_KERNEL(SpmdDeviceId, make_device_id)
SHARDY_KERNEL(SpmdUndef, make_undef)

SHARDY_KERNEL(Broadcast, make_broadcast)
SHARDY_KERNEL(ChloBroadcastAdd, make_broadcast_op<ir::OpKind::Add>)
SHARDY_KERNEL(ChloBroadcastAnd, make_broadcast_op<ir::OpKind::And>)
SHARDY_KERNEL(ChloBroadcastAtan2, make_broadcast_op<ir::OpKind::Atan2>)
SHARDY_KERNEL(ChloBroadcastCompare, make_broadcast_op<ir::OpKind::Compare>)
SHARDY_KERNEL(ChloBroadcastComplex, make_broadcast_op<ir::OpKind::Complex>)
SHARDY_KERNEL(ChloBroadcastDivide, make_broadcast_op<ir::OpKind::Divide>)
SHARDY_KERNEL(ChloBroadcastMaximum, make_broadcast_op<ir::OpKind::Maximum>)
SHARDY_KERNEL(ChloBroadcastMinimum, make_broadcast_op<ir::OpKind::Minimum>)
SHARDY_KERNEL(ChloBroadcastMultiply, make_broadcast_op<ir::OpKind::Multiply>)
SHARDY_KERNEL(ChloBroadcastNextAfter, make_broadcast_op<ir::OpKind::ChloNextAfter>)
SHARDY_KERNEL(ChloBroadcastOr, make_broadcast_op<ir::OpKind::Or>)
SHARDY_KERNEL(ChloBroadcastPolygamma, make_broadcast_op<ir::OpKind::ChloPolygamma>)
SHARDY_KERNEL(ChloBroadcastPower, make_broadcast_op<ir::OpKind::Power>)
SHARDY_KERNEL(ChloBroadcastRemainder, make_broadcast_op<ir::OpKind::Remainder>)
SHARDY_KERNEL(ChloBroadcastSelect, make_broadcast_op<ir::OpKind::Select>)
SHARDY_KERNEL(ChloBroadcastShiftLeft, make_broadcast_op<ir::OpKind::ShiftLeft>)
SHARDY_KERNEL(ChloBroadcastShiftRightArithmetic,
              make_broadcast_op<ir::OpKind::ShiftRightArithmetic>)
SHARDY_KERNEL(ChloBroadcastShiftRightLogical, make_broadcast_op<ir::OpKind::ShiftRightLogical>)
SHARDY_KERNEL(ChloBroadcastSubtract, make_broadcast_op<ir::OpKind::Subtract>)
SHARDY_KERNEL(ChloBroadcastXor, make_broadcast_op<ir::OpKind::Xor>)
SHARDY_KERNEL(ChloBroadcastZeta, make_broadcast_op<ir::OpKind::ChloZeta>)

SHARDY_KERNEL(BroadcastInDim, make_broadcast_in_dim)
SHARDY_KERNEL(Reshape, make_reshape)
SHARDY_KERNEL(Transpose, make_transpose)
SHARDY_KERNEL(Reverse, make_reverse)

SHARDY_KERNEL(BitcastConvert, make_bitcast_convert)

SHARDY_KERNEL(Slice, make_slice)
SHARDY_KERNEL(DynamicSlice, make_dynamic_slice)
SHARDY_KERNEL(DynamicUpdateSlice, make_dynamic_update_slice)
SHARDY_KERNEL(Pad, make_pad)
SHARDY_KERNEL(Concatenate, make_concatenate)

}  // namespace shardy::simulation
