// Sharding rules written like einsum: names of factors instead of mappings.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy {

/// The factors of one tensor.
struct EinsumTensor {
  /// Name of the leading dims that are not written: "" for `...`, "1" for `...1`; nullopt: none.
  std::optional<std::string> batching = std::nullopt;
  /// Factors of each dim that is written, major first.
  std::vector<std::vector<std::string>> dims = {};

  friend bool operator==(const EinsumTensor&, const EinsumTensor&);
};

/// A sharding rule in the notation of JAX's custom partitioning, for any shapes that fit it.
///
/// Text: `... i k, k j -> ... i j reduction={k}`; `(i j)` is a dim of two factors, which need
/// sizes:
/// `(i j) -> i j` has them from the result, `(i j) -> (j i) {i=2, j=4}` from the list. No dims is a
/// scalar. Groups as in the text of a rule, rules 2. A factor that is a whole dim has its size, of
/// different ones the smallest, unless the list says otherwise.
struct EinsumRule {
  std::vector<EinsumTensor> operands;    // one for each operand
  std::vector<EinsumTensor> results;     // one for each result
  std::map<std::string, int64_t> sizes;  // of each letter, where the text says it
  std::vector<std::string> reduction, need_replication, permutation;  // letters of such factors
  std::vector<std::string> blocked;  // letters along which nothing propagates

  friend bool operator==(const EinsumRule&, const EinsumRule&);
};

/// Errors: text of another form, with `line:column`.
Result<EinsumRule> parse_einsum_rule(std::string_view text);
std::string to_string(const EinsumRule& rule);

/// Returns the custom rule of `rule` for tensors of these shapes. Factors are numbered in the order
/// in which they are named, those of `...` at its position.
///
/// Errors: shapes that do not fit, factors without size, unknown names, those of
/// OpShardingRule::make.
Result<OpShardingRule> resolve(const EinsumRule& rule,
                               std::span<const std::vector<int64_t>> operands,
                               std::span<const std::vector<int64_t>> results);

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/einsum_rule_inl.hpp>
#endif
