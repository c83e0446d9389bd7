#pragma once

#include <compare>
#include <cstdint>
#include <shardy/algebra/tensor_sharding.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/detail/shared.hpp>
#include <shardy/support/detail/span_of.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <vector>

namespace shardy {

/// Maximal number of operands or results of a rule that is made from counts.
inline constexpr std::size_t kMaxTensors = 1'000'000;

/// Consequence of sharding a factor. PassThrough: none. Reduction: results are partial values.
/// NeedReplication: the factor is replicated before the op. Permutation: the op needs
/// collective-permutes.
enum class FactorKind { PassThrough, Reduction, NeedReplication, Permutation };

/// Factors of one dim, major to minor.
using DimMapping = std::vector<int32_t>;

/// Factors of each dim of one tensor.
struct TensorMapping {
  std::vector<DimMapping> dims;  // factors of each dim, major to minor

  friend bool operator==(const TensorMapping&, const TensorMapping&);
  friend std::strong_ordering operator<=>(const TensorMapping&, const TensorMapping&);
};

/// Checks whether the dim contains the factor.
bool contains_factor(const DimMapping& dim, int32_t factor);
/// Checks whether any dim of the tensor contains the factor.
bool contains_factor(const TensorMapping& mapping, int32_t factor);
/// Returns whether the factor is the last (minor-most) one of the dim.
inline bool is_minor_most(const DimMapping& dim, int32_t factor) {
  return !dim.empty() && dim.back() == factor;
}

/// Returns the symbol of a factor: `i` .. `z` for 0 .. 17, then `z_1`, `z_2`, ... Spec: algebra
/// 10.5.
std::string factor_symbol(int64_t factor);

/// Dim numbers of a dot: batch and contracting dims of both operands. All other dims are free.
struct DotDims {
  std::vector<int64_t> lhs_batch = {}, rhs_batch = {};              // paired batch dims
  std::vector<int64_t> lhs_contracting = {}, rhs_contracting = {};  // paired contracting dims

  friend bool operator==(const DotDims&, const DotDims&);
};

/// The parts of an OpShardingRule, not validated.
struct OpShardingRuleParts {
  std::vector<int64_t> factor_sizes = {};            // size of each factor; -1: unknown
  std::vector<TensorMapping> operand_mappings = {};  // factors of each operand
  std::vector<TensorMapping> result_mappings = {};   // factors of each result
  // Sorted lists of factors by kind. A factor in none of these three lists is pass-through.
  std::vector<int32_t> reduction = {};         // ascending
  std::vector<int32_t> need_replication = {};  // ascending
  std::vector<int32_t> permutation = {};       // ascending
  std::vector<int32_t> blocked = {};           // factors blocked for propagation, of any kind
  bool is_custom = false;  // true for rules by the user, which are never removed or replaced

  friend bool operator==(const OpShardingRuleParts&, const OpShardingRuleParts&);
  friend std::strong_ordering operator<=>(const OpShardingRuleParts&, const OpShardingRuleParts&);
};

/// The relation between the dims of an op's operands and results. A factor is an index of the op's
/// loop nest, as a letter of an einsum; each dim lists its factors. Immutable; cheap to copy.
///
/// Invariant: R2, R5 to R15 of algebra 7.3, factor sizes >= 0. Text, algebra 10.5:
/// `<([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}>`. Spec: algebra 7.
class OpShardingRule {
 public:
  using Parts = OpShardingRuleParts;  // the input of make

  /// Makes a rule. Errors: the checks of algebra 7.3 that do not depend on an op; `factor size must
  /// be at least 0, got: <n>`.
  static Result<OpShardingRule> make(Parts parts);
  /// Returns the rule with one pass-through factor per dim, which all tensors have. Requires: sizes
  /// >= 0; 1 to kMaxTensors operands and 1 to kMaxTensors results.
  static OpShardingRule identity(std::span<const int64_t> shape, std::size_t num_operands,
                                 std::size_t num_results);
  /// Checks whether `parts` are a valid rule for an op on these values. Errors: algebra 7.3, in its
  /// order.
  static Status verify(const Parts& parts, std::span<const ValueShape> operands,
                       std::span<const ValueShape> results);
  /// Checks whether the rule fits these shapes. Errors: numbers of tensors, ranks, sizes of dims.
  /// Spec: rules 1.
  Status verify_for(std::span<const ValueShape> operands,
                    std::span<const ValueShape> results) const;

  /// Returns the validated parts.
  const Parts& parts() const { return held().parts; }
  /// Returns the number of factors. Factors are numbered from 0.
  int32_t num_factors() const { return static_cast<int32_t>(parts().factor_sizes.size()); }
  /// Returns the sizes of all factors.
  std::span<const int64_t> factor_sizes() const { return span_of(parts().factor_sizes); }
  /// Returns the size of a factor. Requires: 0 <= factor < num_factors().
  int64_t factor_size(int32_t factor) const { return parts().factor_sizes[index(factor)]; }
  /// Returns the kind of a factor. Requires: 0 <= factor < num_factors().
  FactorKind factor_kind(int32_t factor) const { return held().kinds[index(factor)]; }
  /// Checks whether propagation along the factor is blocked. Requires: 0 <= factor < num_factors().
  bool is_blocked(int32_t factor) const;
  /// Checks whether the user defined the rule.
  bool is_custom() const { return parts().is_custom; }

  /// Returns the factors of each operand.
  std::span<const TensorMapping> operands() const { return span_of(parts().operand_mappings); }
  /// Returns the factors of each result.
  std::span<const TensorMapping> results() const { return span_of(parts().result_mappings); }
  /// Returns the number of operands and results.
  std::size_t num_tensors() const { return operands().size() + results().size(); }
  /// Returns the factors of tensor `i`; operands come first, then results. Requires: i <
  /// num_tensors().
  const TensorMapping& tensor(std::size_t i) const {
    SHARDY_EXPECTS(i < num_tensors());
    return i < operands().size() ? operands()[i] : results()[i - operands().size()];
  }

  /// Returns the reduction factors, ascending.
  std::span<const int32_t> reduction_factors() const { return span_of(parts().reduction); }
  /// Returns the factors that need replication, ascending.
  std::span<const int32_t> need_replication_factors() const {
    return span_of(parts().need_replication);
  }
  /// Returns the permutation factors, ascending.
  std::span<const int32_t> permutation_factors() const { return span_of(parts().permutation); }
  /// Returns the blocked factors, ascending.
  std::span<const int32_t> blocked_factors() const { return span_of(parts().blocked); }

  /// Returns true if every tensor except scalars has the factor; true if all tensors are scalars.
  /// Requires: 0 <= factor < num_factors().
  bool in_all_non_scalar_tensors(int32_t factor) const;
  /// Returns whether the factor is pass-through and every tensor except scalars has it. Requires: 0
  /// <= factor < num_factors().
  bool is_batching(int32_t factor) const {
    return factor_kind(factor) == FactorKind::PassThrough && in_all_non_scalar_tensors(factor);
  }
  /// Returns the batching factors, ascending: see is_batching.
  std::vector<int32_t> batching_factors() const;
  /// Returns the indices of the tensors that are not scalars, operands first.
  std::vector<std::size_t> non_scalar_tensor_indices() const;
  /// Returns whether any dim has more than one factor.
  bool has_multi_factor_dims() const;

  friend bool operator==(const OpShardingRule& a, const OpShardingRule& b) {
    return a.data_ == b.data_ || a.parts() == b.parts();
  }
  friend std::strong_ordering operator<=>(const OpShardingRule& a, const OpShardingRule& b);

 private:
  struct Data : OwnerCount {
    static void destroy(const Data* data);

    Parts parts;
    std::vector<FactorKind> kinds;
  };

  explicit OpShardingRule(Parts parts);
  std::size_t index(int32_t factor) const {
    SHARDY_EXPECTS(factor >= 0 && factor < num_factors());
    return static_cast<std::size_t>(factor);
  }

  /// Returns the content. A moved-from rule has none.
  const Data& held() const { return *data_; }

  Shared<Data> data_;
};

// Text of rules. Spec: algebra 10.5, rules 2.

/// Returns the text of a dim: `i`, `jk`, `zz_1`.
std::string to_string(const DimMapping& dim);

/// Returns the text of a tensor: `[i, jk]`.
std::string to_string(const TensorMapping& mapping);

/// Returns the text of a rule: `<([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k},
/// custom>`.
std::string to_string(const OpShardingRuleParts& parts);

std::string to_string(const OpShardingRule& rule);

}  // namespace shardy

template <>
struct std::hash<shardy::TensorMapping> {
  std::size_t operator()(const shardy::TensorMapping& mapping) const;
};

template <>
struct std::hash<shardy::OpShardingRuleParts> {
  std::size_t operator()(const shardy::OpShardingRuleParts& parts) const;
};

template <>
struct std::hash<shardy::OpShardingRule> {
  std::size_t operator()(const shardy::OpShardingRule& rule) const;
};

#ifdef SHARDY_BODIES
#include <algorithm>
#include <optional>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/support/detail/hash.hpp>
#include <string_view>
#include <utility>

namespace shardy {

SHARDY_INLINE bool operator==(const TensorMapping&, const TensorMapping&) = default;
SHARDY_INLINE std::strong_ordering operator<=>(const TensorMapping&,
                                               const TensorMapping&) = default;
SHARDY_INLINE bool operator==(const DotDims&, const DotDims&) = default;
SHARDY_INLINE bool operator==(const OpShardingRuleParts&, const OpShardingRuleParts&) = default;
SHARDY_INLINE std::strong_ordering operator<=>(const OpShardingRuleParts&,
                                               const OpShardingRuleParts&) = default;
SHARDY_INLINE std::strong_ordering operator<=>(const OpShardingRule& a, const OpShardingRule& b) {
  return a.data_ == b.data_ ? std::strong_ordering::equal : a.parts() <=> b.parts();
}

}  // namespace shardy

namespace shardy::detail {

/// The mappings of the operands or of the results of one rule, and the values that they must fit.
struct RuleSide {
  std::string_view kind;
  std::span<const TensorMapping> mappings;
  std::optional<std::span<const ValueShape>> shapes;
};

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE bool contains_factor(const DimMapping& dim, int32_t factor) {
  return std::ranges::find(dim, factor) != dim.end();
}

SHARDY_INLINE bool contains_factor(const TensorMapping& mapping, int32_t factor) {
  return std::ranges::any_of(mapping.dims,
                             [&](const DimMapping& dim) { return contains_factor(dim, factor); });
}

SHARDY_INLINE std::string factor_symbol(int64_t factor) {
  constexpr int64_t kNumLetters = 18;
  if (factor < kNumLetters) return {static_cast<char>('i' + factor)};
  return "z_" + std::to_string(factor - kNumLetters + 1);
}

SHARDY_INLINE bool OpShardingRule::is_blocked(int32_t factor) const {
  return std::ranges::binary_search(parts().blocked, factor);
}

}  // namespace shardy

namespace shardy::detail {

SHARDY_INLINE Status check_dim_mapping(const DimMapping& dim, std::span<const int64_t> sizes,
                                       std::vector<bool>& used) {
  if (dim.empty()) return fail("dim mapping must have at least one factor");
  const auto num_factors = static_cast<int64_t>(sizes.size());
  bool has_size_one = false;
  for (const int32_t factor : dim) {
    if (factor < 0 || factor >= num_factors) {
      return fail("factor index out of range: " + std::to_string(factor) +
                  ", num_factors: " + std::to_string(num_factors));
    }
    const auto position = static_cast<std::size_t>(factor);
    if (used[position]) return fail("cannot reuse factors for the same tensor value");
    used[position] = true;
    has_size_one |= sizes[position] == 1;
  }
  if (!has_size_one || dim.size() == 1) return {};
  return fail("dim mapping can't have a factor of size 1 if there are multiple factors");
}

SHARDY_INLINE Status check_shape(const TensorMapping& mapping, const ValueShape& shape) {
  const bool is_static = std::ranges::all_of(shape.dims, [](int64_t size) { return size >= 0; });
  if (shape.kind != ValueShape::Kind::Ranked || !is_static) {
    return fail("expected a ranked tensor with a static shape. type: " + std::string(shape.text));
  }
  if (mapping.dims.size() == shape.dims.size()) return {};
  return fail("mapping rank must match: " + std::to_string(mapping.dims.size()) +
              " != " + std::to_string(shape.dims.size()));
}

/// Checks R3 to R8 of algebra 7.3 for the value at `position`.
SHARDY_INLINE Status check_tensor(const RuleSide& side, std::size_t position,
                                  std::span<const int64_t> sizes) {
  const TensorMapping& mapping = side.mappings[position];
  if (side.shapes) {
    SHARDY_TRY_STATUS(check_shape(mapping, (*side.shapes)[position]));
  }
  std::vector<bool> used(sizes.size(), false);
  for (const DimMapping& dim : mapping.dims) {
    SHARDY_TRY_STATUS(check_dim_mapping(dim, sizes, used));
  }
  return {};
}

/// Checks R1 to R8 of algebra 7.3.
SHARDY_INLINE Status check_side(const RuleSide& side, std::span<const int64_t> sizes) {
  const std::string kind(side.kind);
  const std::size_t count = side.mappings.size();
  if (side.shapes && side.shapes->size() != count) {
    return fail("number of " + kind + "s and mappings must match: " +
                std::to_string(side.shapes->size()) + " != " + std::to_string(count));
  }
  if (count == 0) return fail("number of " + kind + "s mappings cannot be 0");
  for (std::size_t i = 0; i < count; ++i) {
    Status status = check_tensor(side, i, sizes);
    if (status) continue;
    const std::string prefix = count == 1 ? kind + " - " : kind + " " + std::to_string(i) + " - ";
    return tl::unexpected(with_prefix(prefix, std::move(status).error()));
  }
  return {};
}

/// Checks R9 of algebra 7.3.
SHARDY_INLINE Status check_all_used(const OpShardingRuleParts& parts) {
  std::vector<bool> used(parts.factor_sizes.size(), false);
  const auto mark = [&](const TensorMapping& mapping) {
    for (const DimMapping& dim : mapping.dims) {
      for (const int32_t factor : dim) used[static_cast<std::size_t>(factor)] = true;
    }
  };
  std::ranges::for_each(parts.operand_mappings, mark);
  std::ranges::for_each(parts.result_mappings, mark);
  const auto unused = static_cast<std::size_t>(std::ranges::find(used, false) - used.begin());
  if (unused == used.size()) return {};
  return fail("has factor " + factor_symbol(static_cast<int64_t>(unused)) + "=" +
              std::to_string(parts.factor_sizes[unused]) + " that isn't used");
}

/// Checks R10 to R12 and R14 of algebra 7.3.
SHARDY_INLINE Status check_special(std::span<const int32_t> factors, int64_t num_factors) {
  if (!std::ranges::is_sorted(factors)) {
    return fail("indices of special factors must be sorted");
  }
  if (std::ranges::adjacent_find(factors) != factors.end()) {
    return fail("indices of special factors must be unique");
  }
  if (factors.empty()) return {};
  if (factors.front() < 0) {
    return fail("index must be non-negative, got: " + std::to_string(factors.front()));
  }
  if (factors.back() < num_factors) return {};
  return fail("index must be less than " + std::to_string(num_factors) +
              ", got: " + std::to_string(factors.back()));
}

/// Checks R13 of algebra 7.3. Requires: the lists are sorted.
SHARDY_INLINE Status check_one_kind_each(const OpShardingRuleParts& parts) {
  std::vector<int32_t> all = parts.reduction;
  all.insert(all.end(), parts.need_replication.begin(), parts.need_replication.end());
  all.insert(all.end(), parts.permutation.begin(), parts.permutation.end());
  std::ranges::sort(all);
  const auto twice = std::ranges::adjacent_find(all);
  if (twice == all.end()) return {};
  return fail("factor " + factor_symbol(*twice) +
              " can only be one of reduction, need_replication and permutation");
}

/// Checks R15 of algebra 7.3.
SHARDY_INLINE Status check_reduction(const OpShardingRuleParts& parts) {
  for (const TensorMapping& result : parts.result_mappings) {
    const auto in_result = [&](int32_t factor) { return contains_factor(result, factor); };
    if (std::ranges::any_of(parts.reduction, in_result)) {
      return fail("reduction factor cannot be in result mappings");
    }
  }
  return {};
}

/// Checks R9 to R15 of algebra 7.3.
SHARDY_INLINE Status check_whole_rule(const OpShardingRuleParts& parts) {
  const auto num_factors = static_cast<int64_t>(parts.factor_sizes.size());
  SHARDY_TRY_STATUS(check_all_used(parts));
  for (const auto* factors : {&parts.reduction, &parts.need_replication, &parts.permutation}) {
    SHARDY_TRY_STATUS(check_special(*factors, num_factors));
  }
  SHARDY_TRY_STATUS(check_one_kind_each(parts));
  SHARDY_TRY_STATUS(check_special(parts.blocked, num_factors));
  return check_reduction(parts);
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<OpShardingRule> OpShardingRule::make(Parts parts) {
  for (const int64_t size : parts.factor_sizes) {
    if (size < 0) return fail("factor size must be at least 0, got: " + std::to_string(size));
  }
  const std::span<const int64_t> sizes = parts.factor_sizes;
  SHARDY_TRY_STATUS(detail::check_side({"operand", parts.operand_mappings, std::nullopt}, sizes));
  SHARDY_TRY_STATUS(detail::check_side({"result", parts.result_mappings, std::nullopt}, sizes));
  SHARDY_TRY_STATUS(detail::check_whole_rule(parts));
  return OpShardingRule(std::move(parts));
}

SHARDY_INLINE Status OpShardingRule::verify_for(std::span<const ValueShape> operands,
                                                std::span<const ValueShape> results) const {
  return verify(parts(), operands, results);
}

SHARDY_INLINE Status OpShardingRule::verify(const Parts& parts,
                                            std::span<const ValueShape> operands,
                                            std::span<const ValueShape> results) {
  const std::span<const int64_t> sizes = parts.factor_sizes;
  SHARDY_TRY_STATUS(detail::check_side({"operand", parts.operand_mappings, operands}, sizes));
  SHARDY_TRY_STATUS(detail::check_side({"result", parts.result_mappings, results}, sizes));
  return detail::check_whole_rule(parts);
}

SHARDY_INLINE void OpShardingRule::Data::destroy(const Data* data) { delete data; }

SHARDY_INLINE OpShardingRule::OpShardingRule(Parts parts) {
  auto* const data = new Data;
  data_ = Shared<Data>::adopt(data);
  data->kinds.resize(parts.factor_sizes.size(), FactorKind::PassThrough);
  const auto mark = [&](const std::vector<int32_t>& factors, FactorKind kind) {
    for (const int32_t factor : factors) data->kinds[static_cast<std::size_t>(factor)] = kind;
  };
  mark(parts.reduction, FactorKind::Reduction);
  mark(parts.need_replication, FactorKind::NeedReplication);
  mark(parts.permutation, FactorKind::Permutation);
  data->parts = std::move(parts);
}

SHARDY_INLINE OpShardingRule OpShardingRule::identity(std::span<const int64_t> shape,
                                                      std::size_t num_operands,
                                                      std::size_t num_results) {
  SHARDY_EXPECTS(num_operands > 0 && num_operands <= kMaxTensors);
  SHARDY_EXPECTS(num_results > 0 && num_results <= kMaxTensors);
  TensorMapping mapping;
  for (std::size_t i = 0; i < shape.size(); ++i) mapping.dims.push_back({static_cast<int32_t>(i)});
  Parts parts;
  parts.factor_sizes.assign(shape.begin(), shape.end());
  parts.operand_mappings.assign(num_operands, mapping);
  parts.result_mappings.assign(num_results, mapping);
  return OpShardingRule(std::move(parts));
}

SHARDY_INLINE bool OpShardingRule::in_all_non_scalar_tensors(int32_t factor) const {
  const auto has_it = [&](const TensorMapping& mapping) {
    return mapping.dims.empty() || contains_factor(mapping, factor);
  };
  return std::ranges::all_of(operands(), has_it) && std::ranges::all_of(results(), has_it);
}

SHARDY_INLINE std::vector<int32_t> OpShardingRule::batching_factors() const {
  std::vector<int32_t> factors;
  for (int32_t factor = 0; factor < num_factors(); ++factor) {
    if (is_batching(factor)) factors.push_back(factor);
  }
  return factors;
}

SHARDY_INLINE std::vector<std::size_t> OpShardingRule::non_scalar_tensor_indices() const {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < num_tensors(); ++i) {
    if (!tensor(i).dims.empty()) indices.push_back(i);
  }
  return indices;
}

SHARDY_INLINE bool OpShardingRule::has_multi_factor_dims() const {
  const auto has_one = [](const TensorMapping& mapping) {
    return std::ranges::any_of(mapping.dims, [](const DimMapping& dim) { return dim.size() > 1; });
  };
  return std::ranges::any_of(operands(), has_one) || std::ranges::any_of(results(), has_one);
}

}  // namespace shardy

namespace shardy::detail {

SHARDY_INLINE std::string sizes_text(std::span<const int64_t> sizes) {
  if (sizes.empty()) return "";
  int64_t factor = 0;
  return " {" +
         joined(
             sizes,
             [&](int64_t size) { return factor_symbol(factor++) + "=" + std::to_string(size); }) +
         "}";
}

SHARDY_INLINE std::string group_text(std::string_view name, const std::vector<int32_t>& factors) {
  if (factors.empty()) return "";
  return " " + std::string(name) + "={" + joined(factors, factor_symbol) + "}";
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE std::string to_string(const DimMapping& dim) {
  std::string text;
  for (const int32_t factor : dim) text += factor_symbol(factor);
  return text;
}
SHARDY_INLINE std::string to_string(const TensorMapping& mapping) {
  return "[" + detail::joined(mapping.dims, [](const DimMapping& d) { return to_string(d); }) + "]";
}

SHARDY_INLINE std::string to_string(const OpShardingRule& rule) { return to_string(rule.parts()); }

SHARDY_INLINE std::string to_string(const OpShardingRuleParts& parts) {
  std::string text = "<(" + detail::joined(parts.operand_mappings) + ")->(" +
                     detail::joined(parts.result_mappings) + ")";
  text += detail::sizes_text(parts.factor_sizes);
  text += detail::group_text("reduction", parts.reduction);
  text += detail::group_text("need_replication", parts.need_replication);
  text += detail::group_text("permutation", parts.permutation);
  text += detail::group_text("blocked_propagation", parts.blocked);
  return text + (parts.is_custom ? ", custom>" : ">");
}

}  // namespace shardy

SHARDY_INLINE std::size_t std::hash<shardy::TensorMapping>::operator()(
    const shardy::TensorMapping& mapping) const {
  std::size_t seed = mapping.dims.size();
  for (const auto& dim : mapping.dims) seed = shardy::hash_combine(seed, shardy::hash_range(dim));
  return seed;
}

SHARDY_INLINE std::size_t std::hash<shardy::OpShardingRuleParts>::operator()(
    const shardy::OpShardingRuleParts& parts) const {
  std::size_t seed = shardy::hash_combine(shardy::hash_range(parts.factor_sizes),
                                          shardy::hash_range(parts.operand_mappings));
  seed = shardy::hash_combine(seed, shardy::hash_range(parts.result_mappings));
  for (const auto* factors :
       {&parts.reduction, &parts.need_replication, &parts.permutation, &parts.blocked}) {
    seed = shardy::hash_combine(seed, shardy::hash_range(*factors));
  }
  return shardy::hash_combine(seed, parts.is_custom ? 1 : 0);
}

SHARDY_INLINE std::size_t std::hash<shardy::OpShardingRule>::operator()(
    const shardy::OpShardingRule& rule) const {
  return std::hash<shardy::OpShardingRuleParts>{}(rule.parts());
}
#endif  // SHARDY_BODIES
