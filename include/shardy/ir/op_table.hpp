// Op kinds with their names and traits, for code on hot paths, and the ids of ops, values, blocks,
// regions and locations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/typed_id.hpp>
#include <string_view>

namespace shardy::ir {

using OpId = TypedId<struct OpTag>;          // an op of a module
using ValueId = TypedId<struct ValueTag>;    // a value of a module: a result or a block argument
using BlockId = TypedId<struct BlockTag>;    // a block of a module
using RegionId = TypedId<struct RegionTag>;  // a region of a module
using LocationId = TypedId<struct LocationTag>;  // a source location of a module

/// Traits of an op kind, as a bit set.
enum OpTrait : uint32_t {
  kNoTraits = 0,
  kPure = 1U << 0U,  // no side effects: may be erased if unused, moved, and merged with an equal op
  kElementwise = 1U << 1U,     // element i of the result depends on element i of the operands
  kSameType = 1U << 2U,        // all operands and results have one type
  kTerminator = 1U << 3U,      // terminates a block
  kReturnLike = 1U << 4U,      // returns its operands to the op that owns the region
  kDataFlow = 1U << 5U,        // has data-flow edges (dialect 5)
  kCollective = 1U << 6U,      // an sdy collective (dialect 4) or an spmd communication op
  kSymbol = 1U << 7U,          // defines the symbol in its `sym_name`
  kIsolated = 1U << 8U,        // regions capture nothing from outside
  kConstantLike = 1U << 9U,    // no operands; the result is constant
  kCommutative = 1U << 10U,    // two operands may be swapped
  kSdyAnnotation = 1U << 11U,  // sdy op that only carries sharding information
  kSameShardings = 1U << 12U,  // operands and results have equal shardings, as elementwise ops
  kPointwise = 1U << 13U,      // elementwise, without a propagation rule
  kStretching = 1U << 14U,     // kPointwise whose operands are first broadcast
  kNoRule = 1U << 15U,         // has no sharding rule by design
  kControlFlow = 1U << 16U,    // regions run where the op is, in program order
  kEdge = 1U << 17U,           // represents a data-flow edge
  kPlace = 1U << 18U,          // the result depends on the device that runs the op
  kEffects = 1U << 19U,        // has side effects, or returns a new value on each run
  kNoKernel = 1U << 20U  // has no simulation kernel: control flow, data movement or unsupported
};

/// Traits of elementwise ops whose operands and results have one type.
inline constexpr uint32_t kMath = kPure | kElementwise | kSameType;

/// Kind of an op. Unknown is the kind of ops whose name is not in the table; such ops are legal and
/// opaque.
enum class OpKind : uint16_t {
#define SHARDY_OP(kind, name, traits, ...) kind,
#include <shardy/ir/ops/all.inc>
#undef SHARDY_OP
  Unknown
};

/// Dialect of an op: the prefix of its name.
enum class Dialect : uint8_t {
  Builtin,
  Func,
  StableHlo,
  Chlo,
  Sdy,
  Spmd,
  Check,
  Interpreter,
  None
};

namespace detail {

constexpr Dialect dialect_in(std::string_view op_name) {
  constexpr std::string_view kNames[] = {"builtin.", "func.", "stablehlo.", "chlo.",
                                         "sdy.",     "spmd.", "check.",     "interpreter."};
  uint8_t number = 0;
  for (const std::string_view name : kNames) {
    if (op_name.starts_with(name)) return static_cast<Dialect>(number);
    ++number;
  }
  return Dialect::None;
}

}  // namespace detail

/// Name, dialect and traits of an op kind.
struct OpInfo {
  OpKind kind;                                 // the kind that this row describes
  std::string_view name;                       // name with dialect
  uint32_t traits;                             // OpTrait bits
  Dialect dialect = detail::dialect_in(name);  // dialect of the name
};

/// One row per op kind, in the order of the enumerators.
inline constexpr OpInfo kOps[] = {
#define SHARDY_OP(kind, name, traits, ...) {OpKind::kind, name, traits},
#include <shardy/ir/ops/all.inc>
#undef SHARDY_OP
    {OpKind::Unknown, "", kNoTraits}};

/// Number of op kinds without Unknown.
inline constexpr std::size_t kNumKnownOps = static_cast<std::size_t>(OpKind::Unknown);

/// Returns the row of an op kind.
constexpr const OpInfo& info(OpKind kind) { return kOps[static_cast<std::size_t>(kind)]; }
/// Returns whether ops of the kind have the trait.
constexpr bool has_trait(OpKind kind, OpTrait trait) { return (info(kind).traits & trait) != 0; }
/// Returns the dialect of an op kind; None for Unknown.
constexpr Dialect dialect_of(OpKind kind) { return info(kind).dialect; }
/// Returns whether the kind is an op of per-device programs. Spec: partitioning 4.
constexpr bool is_spmd(OpKind kind) { return dialect_of(kind) == Dialect::Spmd; }
/// Checks whether the kind is an sdy collective with an `out_sharding`. Returns false for ops of
/// the spmd dialect. Spec: dialect 4.
constexpr bool is_sdy_collective(OpKind kind) {
  return has_trait(kind, kCollective) && dialect_of(kind) == Dialect::Sdy;
}

/// Returns the kind of the op named `name`; Unknown if the table has no such name.
OpKind find_op(std::string_view name);

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <algorithm>
#include <array>

namespace shardy::ir {

namespace detail {

/// Returns the indices of kOps, sorted by op name in byte order.
constexpr auto ops_by_name() {
  std::array<uint16_t, kNumKnownOps> order{};
  for (std::size_t index = 0; index < order.size(); ++index) {
    order[index] = static_cast<uint16_t>(index);
  }
  std::ranges::sort(order, {}, [](uint16_t index) { return kOps[index].name; });
  return order;
}
inline constexpr auto kOpsByName = ops_by_name();

}  // namespace detail

SHARDY_INLINE OpKind find_op(std::string_view name) {
  const auto* const at = std::ranges::lower_bound(detail::kOpsByName, name, {},
                                                  [](uint16_t index) { return kOps[index].name; });
  if (at == detail::kOpsByName.end() || kOps[*at].name != name) return OpKind::Unknown;
  return kOps[*at].kind;
}

}  // namespace shardy::ir
#endif  // SHARDY_BODIES
