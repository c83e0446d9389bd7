// Floats of one byte: f8, f6, f4. They are computed with as f64. Spec: stablehlo 16.3.
#pragma once

#include <cstdint>

#include "shardy/ir/element_type.hpp"
#include "simulation/element.hpp"

namespace shardy::simulation {

constexpr bool is_tiny_float(ir::ElementType type) {
  return ir::is_float(type) && ir::size_bytes(type) == 1;
}

/// Ranks the codes of a type in the total order: -NaN lowest, NaN greatest. Spec: stablehlo 20.
constexpr int8_t code_rank(ir::ElementType type, uint8_t code) {
  if (type == ir::ElementType::F8E8M0FNU) return static_cast<int8_t>(code - 128);
  const int sign = 1 << (ir::info(type).bits - 1);
  return static_cast<int8_t>(code < sign ? code : sign - code - 1);
}

/// The bits of one such number.
template <ir::ElementType kType>
struct Tiny {
  static constexpr ir::ElementType kElement = kType;
  uint8_t raw = 0;
};

template <class T>
concept TinyFloat = requires {
  requires is_tiny_float(T::kElement);
};

/// As with_element, with Tag<Tiny<type>> for the floats of one byte.
template <class F>
constexpr auto with_any_element(ir::ElementType type, const F& f) {
  using enum ir::ElementType;
  // clang-format off
  switch (type) {
    case F4E2M1FN: return f(Tag<Tiny<F4E2M1FN>>{});
    case F6E2M3FN: return f(Tag<Tiny<F6E2M3FN>>{});
    case F6E3M2FN: return f(Tag<Tiny<F6E3M2FN>>{});
    case F8E3M4: return f(Tag<Tiny<F8E3M4>>{});
    case F8E4M3: return f(Tag<Tiny<F8E4M3>>{});
    case F8E4M3FN: return f(Tag<Tiny<F8E4M3FN>>{});
    case F8E4M3FNUZ: return f(Tag<Tiny<F8E4M3FNUZ>>{});
    case F8E4M3B11FNUZ: return f(Tag<Tiny<F8E4M3B11FNUZ>>{});
    case F8E5M2: return f(Tag<Tiny<F8E5M2>>{});
    case F8E5M2FNUZ: return f(Tag<Tiny<F8E5M2FNUZ>>{});
    case F8E8M0FNU: return f(Tag<Tiny<F8E8M0FNU>>{});
    default: return with_element(type, f);
  }
  // clang-format on
}

}  // namespace shardy::simulation
