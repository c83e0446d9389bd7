// Makes a sharding rule factor by factor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace shardy::rules {

/// Sizes of a tensor, major to minor. Requires: none is negative.
using Shape = std::span<const int64_t>;
/// A dim of each tensor; nothing where a tensor is not mapped to the factor.
using MappedDims = std::vector<std::optional<int64_t>>;

namespace detail {

/// Checks a count of operands, results or pairs before allocation.
inline Status verify_count(std::size_t count) {
  if (count <= kMaxTensors) return {};
  return fail("an op with a rule has at most " + std::to_string(kMaxTensors) +
              " operands, got: " + std::to_string(count));
}

}  // namespace detail

/// A factor without its mapping. Spec: rules 1.1.
struct Factor {
  int64_t size = 1;                           // elements along it
  FactorKind kind = FactorKind::PassThrough;  // how axes behave along it
  bool is_blocked = false;                    // whether nothing propagates along it
};

/// A rule under construction: factors are numbered in the order of the calls. Spec: rules 5.
///
/// A dim that a tensor does not have, and more than kMaxRank dims, are errors, which `build`
/// returns.
class RuleBuilder {
 public:
  /// For tensors of these ranks; 0 for scalars and for values other than tensors. Requires: none
  /// is more than kMaxRank.
  RuleBuilder(std::span<const std::size_t> operand_ranks,
              std::span<const std::size_t> result_ranks);
  /// For tensors of these ranks; 0 for scalars and for values other than tensors. Requires: none
  /// is more than kMaxRank.
  RuleBuilder(std::initializer_list<std::size_t> operand_ranks,
              std::initializer_list<std::size_t> result_ranks)
      : RuleBuilder(std::span(operand_ranks.begin(), operand_ranks.size()),
                    std::span(result_ranks.begin(), result_ranks.size())) {}

  /// Maps a new factor to one dim, or none, of each tensor. A factor of size 1 is left out of a dim
  /// that already has a factor. Requires: as many dims as operands and results.
  void add(const MappedDims& operand_dims, const MappedDims& result_dims, const Factor& factor);

  /// Maps a new factor to `dim` of every operand and result other than scalars.
  void add_same(std::size_t dim, const Factor& factor);
  /// Maps a new factor to `dim` of every operand other than scalars.
  void add_same_operands(std::size_t dim, const Factor& factor);
  /// Maps a new factor to `dim` of every result other than scalars.
  void add_same_results(std::size_t dim, const Factor& factor);

  /// `add_same` for every dim of `shape`.
  void add_pointwise(Shape shape);
  /// `add_same` for every dim of `from`, with sizes of `from`; of the given kind where `to`
  /// differs. Errors: different ranks.
  void add_mismatched(Shape from, Shape to, FactorKind kind, bool is_blocked);

  /// Dims without a factor get fresh ones of size 1, operands before results.
  Result<OpShardingRule> build() const;

 private:
  int32_t reserve(const Factor& factor);
  void append(TensorMapping& tensor, int64_t dim, int32_t factor);
  void append_same(std::span<TensorMapping> tensors, std::size_t dim, int32_t factor);
  void refuse(std::string message);

  OpShardingRule::Parts parts_;
  std::optional<Error> error_;  // the first one
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

#ifdef SHARDY_HEADER_ONLY
#include <shardy/rules/detail/rule_builder_inl.hpp>
#endif
