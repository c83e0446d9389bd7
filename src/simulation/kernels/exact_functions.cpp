#include "simulation/kernels/exact_functions.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "shardy/ir/shape_ops.hpp"
#include "shardy/ir/view.hpp"
#include "shardy/support/prime_field.hpp"
#include "simulation/kernels/elementwise.hpp"

namespace shardy::simulation {
namespace {

using prime_field::mixed;

/// Elementwise ops that the field has, and those that choose or move elements.
constexpr std::array kArithmetic = {ir::OpKind::Add,
                                    ir::OpKind::Subtract,
                                    ir::OpKind::Multiply,
                                    ir::OpKind::Divide,
                                    ir::OpKind::Negate,
                                    ir::OpKind::Maximum,
                                    ir::OpKind::Minimum,
                                    ir::OpKind::Compare,
                                    ir::OpKind::Select,
                                    ir::OpKind::Clamp,
                                    ir::OpKind::Convert,
                                    ir::OpKind::Complex,
                                    ir::OpKind::Real,
                                    ir::OpKind::Imag,
                                    ir::OpKind::ChloConj,
                                    ir::OpKind::ChloSquare,
                                    ir::OpKind::ChloConstantLike};

bool is_exact(const ir::Type& type) { return type.is_tensor() && ir::is_exact(type.element()); }

/// Distinguishes the functions: the name of the op, and its parameters.
uint64_t salt_of(const ir::Module& module, ir::OpId op) {
  uint64_t salt = 0;
  for (const char letter : module.name(op)) salt = mixed(salt, static_cast<unsigned char>(letter));
  if (module.is(op, ir::OpKind::ReducePrecision)) {
    const auto view = ir::view<ir::ReducePrecisionOp>(module, op);
    salt = mixed(salt, static_cast<uint64_t>(view.exponent_bits));
    salt = mixed(salt, static_cast<uint64_t>(view.mantissa_bits));
  }
  return salt;
}

/// The state after the arguments so far; std::nullopt if one is not a number.
using State = std::optional<uint64_t>;

/// Folds the bits of an element into `state`.
State absorb(State state, const std::byte* element, ir::ElementType type) {
  const std::size_t size = ir::size_bytes(type);
  for (std::size_t at = 0; at < size; at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, element + at, std::min(sizeof(word), size - at));
    if (ir::is_exact(type) && !prime_field::is_number(word)) state.reset();
    if (state) state = mixed(*state, word);
  }
  return state;
}

/// Writes the element that the state represents.
void squeeze(State of, ir::ElementType type, std::byte* out) {
  if (!of && ir::is_exact(type)) {
    std::memset(out, 0xFF, ir::size_bytes(type));
    return;
  }
  const uint64_t state = of.value_or(0);
  with_element(type, [&]<class T>(Tag<T>) {
    const auto write = [&](const auto& value) { std::memcpy(out, &value, sizeof(value)); };
    if constexpr (std::same_as<T, Prime>) {
      write(Prime{prime_field::reduced(state)});
    } else if constexpr (std::same_as<T, PrimePair>) {
      write(PrimePair{{prime_field::reduced(state)}, {prime_field::reduced(mixed(state, 1))}});
    } else if constexpr (std::same_as<T, Bool>) {
      write(Bool{static_cast<uint8_t>(state >> 63U)});
    } else if constexpr (Integer<T>) {
      write(wrap<T>(state));
    }
  });
}

}  // namespace

bool is_exact_function(const ir::Module& module, ir::OpId op) {
  const bool is_elementwise =
      module.has_trait(op, ir::kElementwise) || module.has_trait(op, ir::kPointwise);
  const bool has_body = !module.regions(op).empty();  // map
  if (!is_elementwise || has_body ||
      std::ranges::find(kArithmetic, module.kind(op)) != kArithmetic.end()) {
    return false;
  }
  return std::ranges::any_of(module.operands(op),
                             [&](ir::ValueId value) { return is_exact(module.type(value)); });
}

/// Returns the state after the elements at one position of all operands.
State absorbed(State state, std::span<const Tensor> operands, std::size_t at) {
  for (const Tensor& operand : operands) {
    const ir::ElementType element = operand.type().element();
    state = absorb(state, operand.data() + at * ir::size_bytes(element), element);
  }
  return state;
}

Kernel exact_function(const KernelRequest& request) {
  const ir::Type type = request.module.type(request.module.result(request.op));
  return [type, salt = salt_of(request.module, request.op),
          count =
              request.module.num_operands(request.op)](const KernelCall& call) -> Result<Tensors> {
    SHARDY_TRY(TensorWriter out, TensorWriter::make(shaped_like(type, call.operands[0].type())));
    const std::size_t size = ir::size_bytes(type.element());
    for_results(call, out, [&](std::size_t first, std::size_t num, std::byte* to) {
      for (std::size_t at = 0; at < num; ++at) {
        const State state = absorbed(salt, call.operands.first(count), first + at);
        squeeze(state, type.element(), to + at * size);
      }
    });
    return Tensors{std::move(out).finish()};
  };
}

Kernel exact_matrix_function(const KernelRequest& request) {
  return [salt = salt_of(request.module, request.op)](const KernelCall& call) -> Result<Tensors> {
    const Tensor& x = call.operands[0];
    SHARDY_TRY(TensorWriter out, TensorWriter::make(x.type()));
    const auto dims = x.type().dims();
    const auto matrix = static_cast<std::size_t>(product(dims.last(2)));
    const auto total = static_cast<std::size_t>(x.num_elements());
    const std::size_t size = ir::size_bytes(x.type().element());
    for (std::size_t first = 0; first < total; first += matrix) {
      State state = salt;
      for (std::size_t at = 0; at < matrix; ++at) {
        state = absorb(state, x.data() + (first + at) * size, x.type().element());
      }
      for (std::size_t at = 0; at < matrix; ++at) {
        const State here = state ? State(mixed(*state, at)) : state;
        squeeze(here, x.type().element(), out.data() + (first + at) * size);
      }
    }
    return Tensors{std::move(out).finish()};
  };
}

}  // namespace shardy::simulation
