// A builder of sharding rules, factor by factor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy::rules {

/// Shape of a tensor, major to minor. Requires: no size is negative.
using Shape = std::span<const int64_t>;
/// The dim of each tensor that has a factor; std::nullopt for tensors that do not have it.
using MappedDims = std::vector<std::optional<int64_t>>;

namespace detail {

/// Checks a number of operands, results or pairs before memory is allocated for them.
inline Status verify_count(std::size_t count) {
  if (count <= kMaxTensors) return {};
  return fail("an op with a rule has at most " + std::to_string(kMaxTensors) +
              " operands, got: " + std::to_string(count));
}

/// Returns a flag for each dim: true if `dims` contains the dim. Errors: a dim out of range of
/// `rank`, or a repeated dim. `name` is the name of the list in errors.
Result<std::vector<bool>> dim_set(std::span<const int64_t> dims, std::size_t rank,
                                  std::string_view name);

}  // namespace detail

/// Properties of a factor. Spec: rules 1.1.
struct Factor {
  int64_t size = 1;                           // size of the factor
  FactorKind kind = FactorKind::PassThrough;  // kind of the factor
  bool is_blocked = false;                    // true if axes do not propagate along the factor
};

/// A builder of a rule. Factors are numbered in the order in which they are added. Spec: rules 5.
///
/// `build` returns errors of earlier calls: invalid dims, and more than kMaxRank dims.
class RuleBuilder {
 public:
  /// Makes a builder for tensors of these ranks; the rank is 0 for scalars and for values that are
  /// not tensors. Requires: none is more than kMaxRank.
  RuleBuilder(std::span<const std::size_t> operand_ranks,
              std::span<const std::size_t> result_ranks);
  /// Makes a builder for tensors of these ranks; the rank is 0 for scalars and for values that are
  /// not tensors. Requires: none is more than kMaxRank.
  RuleBuilder(std::initializer_list<std::size_t> operand_ranks,
              std::initializer_list<std::size_t> result_ranks)
      : RuleBuilder(std::span(operand_ranks.begin(), operand_ranks.size()),
                    std::span(result_ranks.begin(), result_ranks.size())) {}

  /// Adds a factor to one dim, or to no dim, of each tensor. A factor of size 1 is not added to a
  /// dim that already has a factor. Requires: as many dims as operands and results.
  void add(const MappedDims& operand_dims, const MappedDims& result_dims, const Factor& factor);

  /// Adds a factor to dim `dim` of every operand and result that is not a scalar.
  void add_same(std::size_t dim, const Factor& factor);
  /// Adds a factor to dim `dim` of every operand that is not a scalar.
  void add_same_operands(std::size_t dim, const Factor& factor);
  /// Adds a factor to dim `dim` of every result that is not a scalar.
  void add_same_results(std::size_t dim, const Factor& factor);

  /// Calls add_same for each dim of `shape`.
  void add_pointwise(Shape shape);
  /// Calls add_same for each dim of `from`, with the sizes of `from`. The factor has kind `kind` if
  /// the size in `to` differs. Errors: different ranks.
  void add_mismatched(Shape from, Shape to, FactorKind kind, bool is_blocked);

  /// Returns the rule. Dims without a factor get new factors of size 1, operands before results.
  Result<OpShardingRule> build() const;

 private:
  int32_t reserve(const Factor& factor);
  void append(TensorMapping& tensor, int64_t dim, int32_t factor);
  void append_same(std::span<TensorMapping> tensors, std::size_t dim, int32_t factor);
  void refuse(std::string message);

  OpShardingRule::Parts parts_;
  std::optional<Error> error_;  // first error
};

// -------------------------------------------------------------------------------------------------

inline void RuleBuilder::refuse(std::string message) {
  if (!error_) error_ = Error{std::move(message), {}, {}};
}

inline void RuleBuilder::append_same(std::span<TensorMapping> tensors, std::size_t dim,
                                     int32_t factor) {
  for (TensorMapping& tensor : tensors) {
    if (!tensor.dims.empty()) append(tensor, static_cast<int64_t>(dim), factor);
  }
}

inline void RuleBuilder::add_same(std::size_t dim, const Factor& factor) {
  const int32_t index = reserve(factor);
  append_same(parts_.operand_mappings, dim, index);
  append_same(parts_.result_mappings, dim, index);
}

inline void RuleBuilder::add_same_operands(std::size_t dim, const Factor& factor) {
  append_same(parts_.operand_mappings, dim, reserve(factor));
}

inline void RuleBuilder::add_same_results(std::size_t dim, const Factor& factor) {
  append_same(parts_.result_mappings, dim, reserve(factor));
}

inline void RuleBuilder::add_pointwise(Shape shape) {
  for (std::size_t dim = 0; dim < shape.size(); ++dim) add_same(dim, {.size = shape[dim]});
}

}  // namespace shardy::rules

#ifdef SHARDY_BODIES
#include <algorithm>
#include <shardy/algebra/tensor_sharding.hpp>

namespace shardy::rules {

SHARDY_INLINE RuleBuilder::RuleBuilder(std::span<const std::size_t> operand_ranks,
                                       std::span<const std::size_t> result_ranks) {
  const auto map_none = [&](std::span<const std::size_t> ranks, std::vector<TensorMapping>& to) {
    for (const std::size_t rank : ranks) {
      if (rank > kMaxRank) refuse(too_many_dims());
      to.push_back(TensorMapping{std::vector<DimMapping>(std::min(rank, kMaxRank))});
    }
  };
  map_none(operand_ranks, parts_.operand_mappings);
  map_none(result_ranks, parts_.result_mappings);
}

SHARDY_INLINE int32_t RuleBuilder::reserve(const Factor& factor) {
  const auto index = static_cast<int32_t>(parts_.factor_sizes.size());
  parts_.factor_sizes.push_back(factor.size);
  if (factor.kind == FactorKind::Reduction) parts_.reduction.push_back(index);
  if (factor.kind == FactorKind::NeedReplication) parts_.need_replication.push_back(index);
  if (factor.kind == FactorKind::Permutation) parts_.permutation.push_back(index);
  if (factor.is_blocked) parts_.blocked.push_back(index);
  return index;
}

SHARDY_INLINE void RuleBuilder::append(TensorMapping& tensor, int64_t dim, int32_t factor) {
  if (dim < 0 || static_cast<std::size_t>(dim) >= tensor.dims.size()) {
    refuse("sharding rule: no dim " + std::to_string(dim) + " in a tensor of rank " +
           std::to_string(tensor.dims.size()));
    return;
  }
  tensor.dims[static_cast<std::size_t>(dim)].push_back(factor);
}

SHARDY_INLINE void RuleBuilder::add(const MappedDims& operand_dims, const MappedDims& result_dims,
                                    const Factor& factor) {
  SHARDY_EXPECTS(operand_dims.size() == parts_.operand_mappings.size());
  SHARDY_EXPECTS(result_dims.size() == parts_.result_mappings.size());
  const int32_t index = reserve(factor);
  const auto map_all = [&](std::vector<TensorMapping>& tensors, const MappedDims& dims) {
    for (std::size_t tensor = 0; tensor < dims.size(); ++tensor) {
      const std::optional<int64_t> dim = dims[tensor];
      if (!dim) continue;
      std::vector<DimMapping>& mapped = tensors[tensor].dims;
      const bool is_known = *dim >= 0 && static_cast<std::size_t>(*dim) < mapped.size();
      const bool is_taken = is_known && !mapped[static_cast<std::size_t>(*dim)].empty();
      if (factor.size != 1 || !is_taken) append(tensors[tensor], *dim, index);
    }
  };
  map_all(parts_.operand_mappings, operand_dims);
  map_all(parts_.result_mappings, result_dims);
}

SHARDY_INLINE void RuleBuilder::add_mismatched(Shape from, Shape to, FactorKind kind,
                                               bool is_blocked) {
  if (from.size() != to.size()) {
    refuse("sharding rule: ranks must match: " + std::to_string(from.size()) +
           " != " + std::to_string(to.size()));
    return;
  }
  for (std::size_t dim = 0; dim < from.size(); ++dim) {
    Factor factor{.size = from[dim]};
    if (from[dim] != to[dim]) {
      factor.kind = kind;
      factor.is_blocked = is_blocked;
    }
    add_same(dim, factor);
  }
}

SHARDY_INLINE Result<OpShardingRule> RuleBuilder::build() const {
  if (error_) return tl::unexpected<Error>(*error_);
  OpShardingRule::Parts parts = parts_;
  const auto fill = [&](std::vector<TensorMapping>& tensors) {
    for (TensorMapping& tensor : tensors) {
      for (DimMapping& dim : tensor.dims) {
        if (!dim.empty()) continue;
        dim.push_back(static_cast<int32_t>(parts.factor_sizes.size()));
        parts.factor_sizes.push_back(1);
      }
    }
  };
  fill(parts.operand_mappings);
  fill(parts.result_mappings);
  return OpShardingRule::make(std::move(parts));
}

SHARDY_INLINE Result<std::vector<bool>> detail::dim_set(std::span<const int64_t> dims,
                                                        std::size_t rank, std::string_view name) {
  std::vector<bool> flags(rank, false);
  for (const int64_t dim : dims) {
    const bool is_known = dim >= 0 && static_cast<std::size_t>(dim) < rank;
    if (is_known && !flags[static_cast<std::size_t>(dim)]) {
      flags[static_cast<std::size_t>(dim)] = true;
      continue;
    }
    return fail(std::string(name) + (is_known ? " repeats dim " : " has no such dim: ") +
                std::to_string(dim) + (is_known ? "" : ", rank " + std::to_string(rank)));
  }
  return flags;
}

}  // namespace shardy::rules
#endif  // SHARDY_BODIES
