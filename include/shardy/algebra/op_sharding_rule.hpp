#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <shardy/algebra/value_shape.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/span_of.hpp>
#include <span>
#include <string>
#include <vector>

namespace shardy {

/// No rule that is made from a number of operands or results has more.
inline constexpr std::size_t kMaxTensors = 1'000'000;

/// Cost of sharding a factor: none, a reduction of the results, not possible, collective-permutes.
enum class FactorKind { PassThrough, Reduction, NeedReplication, Permutation };

/// Factors of one dim, major to minor.
using DimMapping = std::vector<int32_t>;

/// Factors of each dim of one tensor.
struct TensorMapping {
  std::vector<DimMapping> dims;  // the factors of each dim, major to minor

  friend bool operator==(const TensorMapping&, const TensorMapping&);
  friend std::strong_ordering operator<=>(const TensorMapping&, const TensorMapping&);
};

/// Checks whether the dim has the factor.
bool contains_factor(const DimMapping& dim, int32_t factor);
/// Returns whether any dim has the factor.
bool contains_factor(const TensorMapping& mapping, int32_t factor);
/// Returns whether the factor is the last one of the dim.
inline bool is_minor_most(const DimMapping& dim, int32_t factor) {
  return !dim.empty() && dim.back() == factor;
}

/// `i` .. `z` for 0 .. 17, then `z_1`, `z_2`, ... Spec: algebra 10.5.
std::string factor_symbol(int64_t factor);

/// Unvalidated parts of an OpShardingRule, with text.
struct OpShardingRuleParts {
  std::vector<int64_t> factor_sizes = {};            // one for each factor; -1: not known
  std::vector<TensorMapping> operand_mappings = {};  // factors of each operand
  std::vector<TensorMapping> result_mappings = {};   // factors of each result
  // Each sorted; a factor in none of the first three is pass-through.
  std::vector<int32_t> reduction = {};         // ascending
  std::vector<int32_t> need_replication = {};  // ascending
  std::vector<int32_t> permutation = {};       // ascending
  std::vector<int32_t> blocked = {};           // orthogonal to the kind
  bool is_custom = false;  // supplied by the user: never removed or computed anew

  friend bool operator==(const OpShardingRuleParts&, const OpShardingRuleParts&);
  friend std::strong_ordering operator<=>(const OpShardingRuleParts&, const OpShardingRuleParts&);
};

/// How the dims of the operands and results of an op belong together: factors, each a loop of the
/// op that runs along some dims. Immutable; cheap to copy.
///
/// Invariant: R2, R5 to R15 of algebra 7.3, factor sizes >= 0. Text, algebra 10.5:
/// `<([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}>`. Spec: algebra 7.
class OpShardingRule {
 public:
  using Parts = OpShardingRuleParts;  // what a rule is made of

  /// Errors: algebra 7.3 as far as it concerns no op; `factor size must be at least 0, got: <n>`.
  static Result<OpShardingRule> make(Parts parts);
  /// One pass-through factor for each dim, the same in all tensors.
  /// Requires: sizes >= 0; of operands and of results at least one and at most kMaxTensors.
  static OpShardingRule identity(std::span<const int64_t> shape, std::size_t num_operands,
                                 std::size_t num_results);
  /// Returns whether `parts` make a rule for an op on such values. Errors: algebra 7.3, in its
  /// order.
  static Status verify(const Parts& parts, std::span<const ValueShape> operands,
                       std::span<const ValueShape> results);
  /// Returns whether the rule fits these shapes. Errors: numbers of tensors, ranks, sizes of dims.
  /// Spec: rules 1.
  Status verify_for(std::span<const ValueShape> operands,
                    std::span<const ValueShape> results) const;

  /// Returns the validated parts.
  const Parts& parts() const { return held().parts; }
  /// Factors are numbered from 0.
  int32_t num_factors() const { return static_cast<int32_t>(parts().factor_sizes.size()); }
  /// Returns the sizes of all factors.
  std::span<const int64_t> factor_sizes() const { return span_of(parts().factor_sizes); }
  /// Requires: 0 <= factor < num_factors().
  int64_t factor_size(int32_t factor) const { return parts().factor_sizes[index(factor)]; }
  /// Requires: 0 <= factor < num_factors().
  FactorKind factor_kind(int32_t factor) const { return held().kinds[index(factor)]; }
  /// Checks whether propagation along the factor is blocked. Requires: 0 <= factor < num_factors().
  bool is_blocked(int32_t factor) const;
  /// Checks whether the rule is a user's.
  bool is_custom() const { return parts().is_custom; }

  /// The factors of each operand.
  std::span<const TensorMapping> operands() const { return span_of(parts().operand_mappings); }
  /// The factors of each result.
  std::span<const TensorMapping> results() const { return span_of(parts().result_mappings); }
  /// Operands first, then results.
  std::size_t num_tensors() const { return operands().size() + results().size(); }
  /// Operands first, then results. Requires: i below the number of both.
  const TensorMapping& tensor(std::size_t i) const {
    SHARDY_EXPECTS(i < num_tensors());
    return i < operands().size() ? operands()[i] : results()[i - operands().size()];
  }

  /// Ascending.
  std::span<const int32_t> reduction_factors() const { return span_of(parts().reduction); }
  /// Ascending.
  std::span<const int32_t> need_replication_factors() const {
    return span_of(parts().need_replication);
  }
  /// Ascending.
  std::span<const int32_t> permutation_factors() const { return span_of(parts().permutation); }
  /// Ascending.
  std::span<const int32_t> blocked_factors() const { return span_of(parts().blocked); }

  /// True if all tensors are scalars. Requires: 0 <= factor < num_factors().
  bool in_all_non_scalar_tensors(int32_t factor) const;
  /// Pass-through and in all tensors that have dims. Requires: 0 <= factor < num_factors().
  bool is_batching(int32_t factor) const {
    return factor_kind(factor) == FactorKind::PassThrough && in_all_non_scalar_tensors(factor);
  }
  /// Pass-through factors that all tensors of a rank other than 0 have, ascending.
  std::vector<int32_t> batching_factors() const;
  /// Numbers of the tensors whose rank is not 0, operands first.
  std::vector<std::size_t> non_scalar_tensor_indices() const;
  /// Returns whether any dim has more than one factor.
  bool has_multi_factor_dims() const;

  friend bool operator==(const OpShardingRule& a, const OpShardingRule& b) {
    return a.data_ == b.data_ || a.parts() == b.parts();
  }
  friend std::strong_ordering operator<=>(const OpShardingRule& a, const OpShardingRule& b);

 private:
  struct Data {
    Parts parts;
    std::vector<FactorKind> kinds;
  };

  explicit OpShardingRule(Parts parts);
  std::size_t index(int32_t factor) const {
    SHARDY_EXPECTS(factor >= 0 && factor < num_factors());
    return static_cast<std::size_t>(factor);
  }

  /// Not there in an object from which was moved.
  const Data& held() const {
    SHARDY_EXPECTS(data_ != nullptr);
    return *data_;
  }

  std::shared_ptr<const Data> data_;
};

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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/op_sharding_rule_inl.hpp>
#endif
