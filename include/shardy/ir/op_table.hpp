// The kinds of ops with their names and traits, for hot code, and the ids of the parts of a module.
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
using LocationId = TypedId<struct LocationTag>;  // a place in the source, of a module

/// Traits of every op of a kind. A bit set.
enum OpTrait : uint32_t {
  kNoTraits = 0,
  kPure = 1U << 0U,            // no side effects: may be dropped when unused, moved, merged
  kElementwise = 1U << 1U,     // element i of the result depends on element i of the operands
  kSameType = 1U << 2U,        // all operands and results have one type
  kTerminator = 1U << 3U,      // ends a block
  kReturnLike = 1U << 4U,      // returns its operands to the op that owns the region
  kDataFlow = 1U << 5U,        // has data-flow edges (dialect 5)
  kCollective = 1U << 6U,      // an sdy collective (dialect 4) or an spmd communication op
  kSymbol = 1U << 7U,          // names itself by `sym_name` in the module
  kIsolated = 1U << 8U,        // regions capture nothing from outside
  kConstantLike = 1U << 9U,    // no operands, a fixed value
  kCommutative = 1U << 10U,    // two operands may be swapped
  kSdyAnnotation = 1U << 11U,  // sdy op that only carries sharding information
  kSameShardings = 1U << 12U,  // operands and results are sharded alike, as of an elementwise op
  kPointwise = 1U << 13U,      // elementwise, but without a rule for propagation
  kStretching = 1U << 14U,     // the same, with operands that are broadcast first
  kNoRule = 1U << 15U,         // has no sharding rule by design
  kControlFlow = 1U << 16U,    // its regions run at its place, in program order
  kEdge = 1U << 17U,           // represents a data-flow edge
  kPlace = 1U << 18U,          // depends on the device that runs it
  kEffects = 1U << 19U,        // has side effects, or returns another value each time
  kNoKernel = 1U << 20U        // computed by no kernel: it moves control or data, or is refused
};

/// Traits of most elementwise ops.
inline constexpr uint32_t kMath = kPure | kElementwise | kSameType;

/// The kind of an op, by its name. Unknown: any name outside of the table; such an op is legal and
/// opaque.
enum class OpKind : uint16_t {
#define SHARDY_OP(kind, name, traits, ...) kind,
#include <shardy/ir/ops/all.inc>
#undef SHARDY_OP
  Unknown
};

/// The prefix before the dot in the name of a known op.
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
  OpKind kind;                                 // which op it is
  std::string_view name;                       // with its dialect
  uint32_t traits;                             // of OpTrait
  Dialect dialect = detail::dialect_in(name);  // the dialect of its name
};

/// One row for each kind, in their order.
inline constexpr OpInfo kOps[] = {
#define SHARDY_OP(kind, name, traits, ...) {OpKind::kind, name, traits},
#include <shardy/ir/ops/all.inc>
#undef SHARDY_OP
    {OpKind::Unknown, "", kNoTraits}};

/// Number of kinds, without Unknown.
inline constexpr std::size_t kNumKnownOps = static_cast<std::size_t>(OpKind::Unknown);

/// The row of a kind.
constexpr const OpInfo& info(OpKind kind) { return kOps[static_cast<std::size_t>(kind)]; }
/// Returns whether ops of that kind have that trait.
constexpr bool has_trait(OpKind kind, OpTrait trait) { return (info(kind).traits & trait) != 0; }
/// Returns the dialect of an op kind; None for Unknown.
constexpr Dialect dialect_of(OpKind kind) { return info(kind).dialect; }
/// The ops of per-device programs. Spec: partitioning 4.
constexpr bool is_spmd(OpKind kind) { return dialect_of(kind) == Dialect::Spmd; }
/// The ops of dialect 4, with an `out_sharding`; not those of the spmd dialect.
constexpr bool is_sdy_collective(OpKind kind) {
  return has_trait(kind, kCollective) && dialect_of(kind) == Dialect::Sdy;
}

/// The kind of that name; Unknown when the table has none.
OpKind find_op(std::string_view name);

}  // namespace shardy::ir

#ifdef SHARDY_BODIES
#include <algorithm>
#include <array>

namespace shardy::ir {

namespace detail {

/// Table positions in the byte order of the names.
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
