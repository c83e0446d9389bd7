// Custom calls to built-in targets, and to targets with an embedder's kernel. Spec: stablehlo 32.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/window_ops.hpp"
#include "simulation/element.hpp"
#include "simulation/kernels/kernel_table.hpp"
#include "simulation/run_log.hpp"

namespace shardy::simulation {
namespace {

std::vector<ir::Type> result_types(const KernelRequest& request) {
  std::vector<ir::Type> types;
  for (const ir::ValueId result : request.module.results(request.op)) {
    types.push_back(request.module.type(result));
  }
  return types;
}

/// Makes the kernel of annotations: it returns its operands.
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

/// Returns elements in reversed order relation: floats with changed sign, integers with all bits
/// inverted.
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

// XLA's TPU compiler splits 64-bit values into two halves. An integer becomes two ui32 words. An
// f64 becomes the two ui32 words of its bits, or its nearest f32 and the remainder as f32, which
// together have 48 bits.

bool is_64_bit_integer(ir::ElementType type) {
  return type == ir::ElementType::UI64 || type == ir::ElementType::I64;
}

/// Checks that the halves of the type have one of these types.
bool are_halves(ir::ElementType half, ir::ElementType whole) {
  const bool is_word = half == ir::ElementType::UI32;
  if (is_64_bit_integer(whole)) return is_word;
  return whole == ir::ElementType::F64 && (is_word || half == ir::ElementType::F32);
}

/// Calls `run` with the C++ types of halves and whole values.
template <class Run>
Tensor with_halves(ir::ElementType half, ir::ElementType whole, const Run& run) {
  if (half == ir::ElementType::F32) return run(Tag<float>(), Tag<double>());
  if (whole == ir::ElementType::F64) return run(Tag<uint32_t>(), Tag<double>());
  if (whole == ir::ElementType::I64) return run(Tag<uint32_t>(), Tag<int64_t>());
  return run(Tag<uint32_t>(), Tag<uint64_t>());
}

template <class Half, class Whole>
Tensor combined(const KernelCall& call, TensorWriter out) {
  const auto low = call.operands[0].elements<Half>();
  const auto high = call.operands[1].elements<Half>();
  for (std::size_t index = 0; index < low.size(); ++index) {
    if constexpr (std::is_floating_point_v<Half>) {
      out.elements<Whole>()[index] = Whole{high[index]} + Whole{low[index]};
    } else {
      out.elements<Whole>()[index] =
          std::bit_cast<Whole>(uint64_t{high[index]} << 32U | low[index]);
    }
  }
  return std::move(out).finish();
}

Result<Kernel> make_combine(const KernelRequest& request) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY_STATUS(reader.expect_counts(2, 1));
  const ir::ElementType half = reader.operand(0).element();
  const ir::ElementType whole = reader.result().element();
  const bool fits = reader.operand(0) == reader.operand(1) && are_halves(half, whole);
  SHARDY_TRY_STATUS(
      reader.expect(fits, "takes two tensors of ui32 for ui64, i64 or f64, or two of f32 for f64"));
  SHARDY_TRY_STATUS(reader.expect_result(reader.operand().dims(), whole));
  return [type = reader.result(), half, whole](const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
    return Tensors{with_halves(half, whole, [&]<class Half, class Whole>(Tag<Half>, Tag<Whole>) {
      return combined<Half, Whole>(call, std::move(out));
    })};
  };
}

/// Returns the high half (high word or nearest f32) or the low half (low word or remainder).
template <class Half, class Whole>
Half half_of(Whole value, bool is_high) {
  if constexpr (std::is_floating_point_v<Half>) {
    const auto high = static_cast<Half>(value);
    if (is_high) return high;
    return std::isfinite(high) ? static_cast<Half>(value - Whole{high}) : Half{0};
  } else {
    return static_cast<Half>(std::bit_cast<uint64_t>(value) >> (is_high ? 32U : 0U));
  }
}

template <class Half, class Whole>
Tensor split(const KernelCall& call, TensorWriter out, bool is_high) {
  const auto whole = call.operands[0].elements<Whole>();
  for (std::size_t index = 0; index < whole.size(); ++index) {
    out.elements<Half>()[index] = half_of<Half>(whole[index], is_high);
  }
  return std::move(out).finish();
}

Result<Kernel> make_split(const KernelRequest& request, bool is_high) {
  SHARDY_TRY(const OpReader reader, OpReader::make(request));
  SHARDY_TRY_STATUS(reader.expect_counts(1, 1));
  const ir::ElementType whole = reader.operand().element();
  const ir::ElementType half = reader.result().element();
  SHARDY_TRY_STATUS(
      reader.expect(are_halves(half, whole),
                    "takes a tensor of ui64 or i64 for ui32, or one of f64 for ui32 or f32"));
  SHARDY_TRY_STATUS(reader.expect_result(reader.operand().dims(), half));
  return [type = reader.result(), half, whole, is_high](const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(type));
    return Tensors{with_halves(half, whole, [&]<class Half, class Whole>(Tag<Half>, Tag<Whole>) {
      return split<Half, Whole>(call, std::move(out), is_high);
    })};
  };
}

Result<Kernel> make_split_low(const KernelRequest& request) { return make_split(request, false); }
Result<Kernel> make_split_high(const KernelRequest& request) { return make_split(request, true); }

// ---- shape_assertion ---------------------------------------------------------------------------

/// Returns the message with `{0}`, `{1}`, ... replaced by the values.
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

/// A `shape_assertion`: a condition of an exported program on the sizes of its arguments.
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
  return [message = *view.message, location = request.module.source_location(request.op)](
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
  if (request.module.num_results(request.op) == 0) {  // the call has an effect outside of the run
    return [](const KernelCall&) -> Result<Tensors> { return Tensors{}; };
  }
  return fail_at(request.module.source_location(request.op), "unsupported custom call: " + *target);
}

}  // namespace

SHARDY_KERNEL(CustomCall, make_custom_call)

}  // namespace shardy::simulation
