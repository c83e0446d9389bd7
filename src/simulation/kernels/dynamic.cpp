// dynamic_* ops with a static result type: their static counterparts, which take from attributes
// what these take from operands. Spec: stablehlo 36.
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/number.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"
#include "simulation/kernels/single_op.hpp"

namespace shardy::simulation {
namespace {

/// The role of an operand after the data operands.
enum class Role : uint8_t {
  Shape,    // must be the shape of the result
  List,     // an attribute, a list of integers
  Padding,  // an attribute, a tensor of pairs
};

struct Extra {
  Role role;
  std::string_view attribute = {};
};

struct DynamicOp {
  ir::OpKind kind;
  ir::OpKind counterpart;
  std::size_t num_operands;  // of the counterpart
  std::vector<Extra> extras;
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

Status add_extra(const Extra& extra, const Tensor& value, const ir::Type& result,
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

SHARDY_KERNEL(DynamicBroadcastInDim, make_dynamic)
SHARDY_KERNEL(DynamicIota, make_dynamic)
SHARDY_KERNEL(DynamicReshape, make_dynamic)
SHARDY_KERNEL(DynamicPad, make_dynamic)
SHARDY_KERNEL(DynamicGather, make_dynamic)
SHARDY_KERNEL(DynamicConv, make_dynamic)

}  // namespace shardy::simulation
