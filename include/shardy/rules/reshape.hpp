// Rule of reshape: which parts of the operand's dims are parts of the result's dims.
#pragma once

#include <optional>
#include <shardy/rules/rule_builder.hpp>
#include <shardy/support/inline.hpp>

namespace shardy::rules {

/// Greedy common factors of the two row-major index spaces; nothing for a tensor without elements.
///
/// While both sides have emitted the same product, the gcd of what is left of their current dims is
/// a shared factor; where there is none they diverge, with private factors, until the products meet
/// again. Errors: different numbers of elements.
/// Example: 4x6x5 -> 8x15: `([i, jk, l])->([ij, kl]) {i=4, j=2, k=3, l=5}`. Spec: rules 8.20.
Result<std::optional<OpShardingRule>> reshape_rule(Shape operand, Shape result);

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <cstddef>
#include <cstdint>
#include <shardy/support/math.hpp>
#include <string>

namespace shardy::rules::detail {

/// How far one side of a reshape is factored. Invariant: emitted divides entered.
struct ReshapeSide {
  Shape shape;
  std::size_t dim = 0;
  int64_t entered = 1;  // product of the sizes of the dims entered so far
  int64_t emitted = 1;  // product of the factors emitted so far

  bool done() const { return dim == shape.size(); }
  bool at_one() const { return !done() && shape[dim] == 1; }
  /// Returns the remaining size of the current dim.
  int64_t left() const { return entered / emitted; }
  void enter() {
    if (!done() && entered == emitted) entered *= shape[dim];
  }
  void leave() {
    if (!done() && entered == emitted) ++dim;
  }
  std::optional<int64_t> mapped() const { return static_cast<int64_t>(dim); }
};

/// Emits the factors of a reshape, major to minor.
class ReshapeFactoring {
 public:
  ReshapeFactoring(Shape operand, Shape result)
      : in_{.shape = operand}, out_{.shape = result}, builder_({operand.size()}, {result.size()}) {}

  Result<OpShardingRule> run() {
    while (!in_.done() || !out_.done()) step();
    return builder_.build();
  }

 private:
  void step();

  void emit_factors();

  void emit_in(int64_t size) {
    builder_.add({in_.mapped()}, {std::nullopt}, {.size = size});
    in_.emitted *= size;
  }
  void emit_out(int64_t size) {
    builder_.add({std::nullopt}, {out_.mapped()}, {.size = size});
    out_.emitted *= size;
  }
  void emit_shared(int64_t size);

  ReshapeSide in_, out_;
  RuleBuilder builder_;
};

/// Returns the next factor of the side with fewer emitted elements. `common` is the gcd of what
/// both sides have left in their current dims.
SHARDY_INLINE int64_t catch_up(const ReshapeSide& behind, const ReshapeSide& ahead,
                               int64_t common) {
  const int64_t left = behind.left();
  if (ahead.emitted % behind.emitted == 0) {
    const int64_t gap = ahead.emitted / behind.emitted;
    if (left % gap == 0) return gap;
  }
  return left > common ? left / common : left;  // keeps the common part for a later shared factor
}

SHARDY_INLINE void ReshapeFactoring::step() {
  if (in_.at_one()) {
    emit_in(1);
    ++in_.dim;
    return;
  }
  if (out_.at_one()) {
    emit_out(1);
    ++out_.dim;
    return;
  }
  in_.enter();
  out_.enter();
  emit_factors();
  in_.leave();
  out_.leave();
}

SHARDY_INLINE void ReshapeFactoring::emit_factors() {
  const int64_t common = gcd(in_.left(), out_.left());
  if (in_.emitted < out_.emitted) {
    emit_in(catch_up(in_, out_, common));
  } else if (out_.emitted < in_.emitted) {
    emit_out(catch_up(out_, in_, common));
  } else if (common > 1) {
    emit_shared(common);
  } else {
    emit_in(in_.left());
    emit_out(out_.left());
  }
}

SHARDY_INLINE void ReshapeFactoring::emit_shared(int64_t size) {
  builder_.add({in_.mapped()}, {out_.mapped()}, {.size = size});
  in_.emitted *= size;
  out_.emitted *= size;
}

}  // namespace shardy::rules::detail

namespace shardy::rules {

SHARDY_INLINE Result<std::optional<OpShardingRule>> reshape_rule(Shape operand, Shape result) {
  const std::optional<int64_t> from = checked_product(operand);
  const std::optional<int64_t> to = checked_product(result);
  if (!from || !to) return fail("reshape: the number of elements does not fit 64 bits");
  if (*from != *to) {
    return fail("reshape: numbers of elements must match: " + std::to_string(*from) +
                " != " + std::to_string(*to));
  }
  if (*from == 0) return std::optional<OpShardingRule>();
  SHARDY_TRY(OpShardingRule rule, detail::ReshapeFactoring(operand, result).run());
  return std::optional<OpShardingRule>(std::move(rule));
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
