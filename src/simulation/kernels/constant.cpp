// Values without operands: constants, iota, the place of the device, undefined content.
// Spec: stablehlo 21, partitioning 4.1.
#include <optional>
#include <vector>

#include "shardy/algebra/mesh.hpp"
#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/collective_ops.hpp"
#include "shardy/ir/shape_ops.hpp"
#include "simulation/device_group.hpp"
#include "simulation/kernels/convert.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"
#include "simulation/strided_copy.hpp"

namespace shardy::simulation {
namespace {

Result<Kernel> make_constant(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  const auto* const literal = request.module.attribute<ir::Literal>(request.op, ir::attr::kValue);
  if (literal == nullptr) return reader.fail("constant data is elided");
  if (literal->is_splat()) {  // written out on demand: its text may be small, its value large
    return [literal = *literal](const KernelCall&) -> Result<Tensors> {
      SHARDY_TRY(Tensor value, Tensor::from_literal(literal));
      return Tensors{std::move(value)};
    };
  }
  SHARDY_TRY(Tensor value, reader.at_op(Tensor::from_literal(*literal)));
  return
      [value = std::move(value)](const KernelCall&) -> Result<Tensors> { return Tensors{value}; };
}

/// 0 .. size-1 converted from i64: wraps in narrow integers, rounds once in floats.
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

// ---- The place of the device -----------------------------------------------------------------

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

}  // namespace

SHARDY_KERNEL(Constant, make_constant)
SHARDY_KERNEL(SdyConstant, make_constant)
SHARDY_KERNEL(ChloConstant, make_constant)
SHARDY_KERNEL(Iota, make_iota)
SHARDY_KERNEL(SpmdCoord, make_coordinate)
SHARDY_KERNEL(SpmdDeviceId, make_device_id)
SHARDY_KERNEL(SpmdUndef, make_undef)

}  // namespace shardy::simulation
