// Custom calls: those with a meaning of their own, and those that the embedder answers.
// Spec: stablehlo 32.
#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/chlo_ops.hpp"
#include "simulation/kernels/check.hpp"
#include "simulation/kernels/foreign.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/kernels/op_reader.hpp"
#include "simulation/kernels/single_op.hpp"
#include "simulation/value_text.hpp"

namespace shardy::simulation {
namespace {

std::vector<ir::Type> result_types(const KernelRequest& request) {
  std::vector<ir::Type> types;
  for (const ir::ValueId result : request.module.results(request.op)) {
    types.push_back(request.module.type(result));
  }
  return types;
}

/// Annotations: values stay what and where they are.
Result<Kernel> make_same(const KernelRequest& request) {
  const ir::Module& module = request.module;
  const bool fits = std::ranges::equal(
      module.operands(request.op), module.results(request.op),
      [&](ir::ValueId a, ir::ValueId b) { return module.type(a) == module.type(b); });
  if (!fits) {
    return op_fail(module, request.op, "is supported only if it keeps the types of its operands");
  }
  return [](const KernelCall& call) -> Result<Tensors> {
    return Tensors(call.operands.begin(), call.operands.end());
  };
}

Result<Kernel> make_erf(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY_STATUS(reader.expect_counts(1, 1));
  SHARDY_TRY_STATUS(reader.expect_result(reader.operand().dims(), reader.operand().element()));
  return [types = result_types(request)](const KernelCall& call) {
    return run_single_op(ir::OpKind::ChloErf, {}, call.operands, types);
  };
}

// ---- mhlo.topk ---------------------------------------------------------------------------------

/// The same elements in the opposite order: bits inverted, floats by their sign alone.
Result<Tensor> opposite(const Tensor& tensor) {
  const ir::ElementType element = tensor.type().element();
  const ir::OpKind kind = ir::is_float(element) ? ir::OpKind::Negate : ir::OpKind::Not;
  SHARDY_TRY(Tensors results, run_single_op(kind, {}, std::span(&tensor, 1), {tensor.type()}));
  return std::move(results[0]);
}

Result<Tensors> run_smallest(const Tensor& tensor, const ir::AttributeMap& attributes,
                             const std::vector<ir::Type>& types) {
  SHARDY_TRY(const Tensor keys, opposite(tensor));
  SHARDY_TRY(Tensors results,
             run_single_op(ir::OpKind::ChloTopK, attributes, std::span(&keys, 1), types));
  SHARDY_TRY(results[0], opposite(results[0]));
  return results;
}

struct MhloCall {
  const ir::AttributeMap* attributes = nullptr;

  static constexpr auto fields() {
    return std::tuple{ir::Field{"mhlo.attributes", &MhloCall::attributes, "a dictionary"}};
  }
};

Result<Kernel> make_mhlo_top_k(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY_STATUS(reader.expect_counts(1, 2));
  SHARDY_TRY(const auto call_view, reader.read_view<MhloCall>());
  SHARDY_TRY(const auto view, reader.at_op(ir::read_view<ir::TopKOp>(*call_view.attributes)));
  const ir::AttributeMap attributes = ir::attributes_of(view);
  const auto* largest = call_view.attributes->get<bool>("largest");
  const bool is_largest = largest == nullptr || *largest;
  return [attributes, is_largest,
          types = result_types(request)](const KernelCall& call) -> Result<Tensors> {
    if (!is_largest) return run_smallest(call.operands[0], attributes, types);
    return run_single_op(ir::OpKind::ChloTopK, attributes, call.operands, types);
  };
}

// ---- Halves of 64-bit integers -----------------------------------------------------------------

Result<Kernel> make_combine(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY_STATUS(reader.expect_counts(2, 1));
  const bool fits = reader.operand(0) == reader.operand(1) &&
                    reader.operand(0).element() == ir::ElementType::UI32;
  SHARDY_TRY_STATUS(reader.expect(fits, "takes two tensors of ui32"));
  SHARDY_TRY_STATUS(reader.expect_result(reader.operand().dims(), ir::ElementType::UI64));
  return [type = reader.result()](const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
    const auto low = call.operands[0].elements<uint32_t>();
    const auto high = call.operands[1].elements<uint32_t>();
    for (std::size_t index = 0; index < low.size(); ++index) {
      out.elements<uint64_t>()[index] = uint64_t{high[index]} << 32U | low[index];
    }
    return Tensors{std::move(out).finish()};
  };
}

Result<Kernel> make_split(const KernelRequest& request, unsigned shift) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY_STATUS(reader.expect_counts(1, 1));
  SHARDY_TRY_STATUS(
      reader.expect(reader.operand().element() == ir::ElementType::UI64, "takes a tensor of ui64"));
  SHARDY_TRY_STATUS(reader.expect_result(reader.operand().dims(), ir::ElementType::UI32));
  return [type = reader.result(), shift](const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
    const auto whole = call.operands[0].elements<uint64_t>();
    for (std::size_t index = 0; index < whole.size(); ++index) {
      out.elements<uint32_t>()[index] = static_cast<uint32_t>(whole[index] >> shift);
    }
    return Tensors{std::move(out).finish()};
  };
}

Result<Kernel> make_split_low(const KernelRequest& request) { return make_split(request, 0); }
Result<Kernel> make_split_high(const KernelRequest& request) { return make_split(request, 32); }

// ---- shape_assertion ---------------------------------------------------------------------------

/// The message with the values that `{0}`, `{1}`, ... stand for.
std::string with_values(std::string message, std::span<const Tensor> values) {
  for (std::size_t index = 0; index < values.size(); ++index) {
    const std::string placeholder = "{" + std::to_string(index) + "}";
    const std::string text = printed_element(values[index], 0);
    for (std::size_t at = message.find(placeholder); at != std::string::npos;
         at = message.find(placeholder, at + text.size())) {
      message.replace(at, placeholder.size(), text);
    }
  }
  return message;
}

/// What an exported program needs of the sizes that it is called with.
struct ShapeAssertion {
  const std::string* message = nullptr;

  static constexpr auto fields() {
    return std::tuple{ir::Field{"error_message", &ShapeAssertion::message, "a string"}};
  }
};

Result<Kernel> make_shape_assertion(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  bool fits = reader.num_operands() > 0 && request.module.num_results(request.op) == 0 &&
              reader.operand() == ir::Type::tensor({}, ir::ElementType::I1);
  for (std::size_t index = 1; index < reader.num_operands(); ++index) {
    const ir::Type& type = reader.operand(index);
    fits = fits && type.rank() == 0 && ir::is_integer(type.element());
  }
  SHARDY_TRY_STATUS(reader.expect(fits, "takes a tensor<i1> and integers of rank 0"));
  SHARDY_TRY(const auto view, reader.read_view<ShapeAssertion>());
  return [message = *view.message, location = request.module.location_text(request.op)](
             const KernelCall& call) -> Result<Tensors> {
    if (call.operands[0].bytes()[0] != std::byte{0}) return Tensors{};
    return fail_at(location, "shape_assertion: " + with_values(message, call.operands.subspan(1)));
  };
}

// ---- Targets -----------------------------------------------------------------------------------

struct CustomTarget {
  std::string_view target;
  KernelMaker make;
};
constexpr CustomTarget kCustomTargets[] = {
    {"Sharding", &make_same},
    {"SPMDFullToShardShape", &make_same},
    {"SPMDShardToFullShape", &make_same},
    {"annotate_device_placement", &make_same},
    {"MoveToHost", &make_same},
    {"MoveToDevice", &make_same},
    {"LayoutConstraint", &make_same},
    {"xla.sdy.FuncResultSharding", &make_same},
    {"shape_assertion", &make_shape_assertion},
    {"mhlo.erf", &make_erf},
    {"mhlo.topk", &make_mhlo_top_k},
    {"X64Combine", &make_combine},
    {"X64SplitLow", &make_split_low},
    {"X64SplitHigh", &make_split_high},
};

KernelMaker find_target(std::string_view target) {
  const auto* const row = std::ranges::find(kCustomTargets, target, &CustomTarget::target);
  return row == std::end(kCustomTargets) ? custom_check_maker(target) : row->make;
}

Result<Kernel> make_custom_call(const KernelRequest& request) {
  const auto* target = request.module.attribute<std::string>(request.op, ir::attr::kCallTargetName);
  if (target == nullptr) return op_fail(request.module, request.op, "names no target");
  if (request.foreign != nullptr) {
    const ForeignKernel* own = find_foreign(request.foreign->custom_calls, *target);
    if (own != nullptr) return foreign_kernel(request, *own, *target);
  }
  if (const KernelMaker make = find_target(*target)) return make(request);
  return fail_at(request.module.location_text(request.op), "unsupported custom call: " + *target);
}

}  // namespace

SHARDY_KERNEL(CustomCall, make_custom_call)

}  // namespace shardy::simulation
