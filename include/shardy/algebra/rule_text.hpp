#pragma once

#include <cstdint>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/spelled.hpp>
#include <shardy/algebra/text_form.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/scanner.hpp>
#include <string>
#include <string_view>
#include <vector>

// Text of sharding rules. Spec: algebra 10.5, rules 2.

namespace shardy {

/// `i`, `jk`, `zz_1`
inline std::string to_string(const DimMapping& dim) {
  std::string text;
  for (const int32_t factor : dim) text += factor_symbol(factor);
  return text;
}

/// `[i, jk]`
std::string to_string(const TensorMapping& mapping);

namespace detail {

/// Nothing between two commas, or `*`, is a dim without factors: it reads, but makes no rule.
Result<DimMapping> read_dim_mapping(Scanner& scanner);

Result<TensorMapping> read_tensor_mapping(Scanner& scanner);

/// `name={i, k}`, or nothing.
Result<std::vector<int32_t>> read_group(Scanner& scanner, std::string_view name);

}  // namespace detail

/// `<([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}, custom>`
std::string to_string(const OpShardingRuleParts& parts);

inline std::string to_string(const OpShardingRule& rule) { return to_string(rule.parts()); }

template <>
struct TextForm<DimMapping> {
  static constexpr std::string_view kMnemonic = "dim_mapping";
  static constexpr bool kBracketed = false;
  static Result<DimMapping> read(Scanner& scanner, AttributeAliases* /*aliases*/) {
    return detail::read_dim_mapping(scanner);
  }
  /// With a space, as the symbols would run into the mnemonic.
  static std::string print(const DimMapping& dim) { return " " + to_string(dim); }
};

template <>
struct TextForm<TensorMapping> {
  static constexpr std::string_view kMnemonic = "tensor_mapping";
  static constexpr bool kBracketed = false;
  static Result<TensorMapping> read(Scanner& scanner, AttributeAliases* /*aliases*/) {
    return detail::read_tensor_mapping(scanner);
  }
  static std::string print(const TensorMapping& mapping) { return to_string(mapping); }
};

/// What a text says, whether it makes a rule or not.
template <>
struct TextForm<OpShardingRuleParts> {
  static constexpr std::string_view kMnemonic = "op_sharding_rule";
  static constexpr bool kBracketed = true;
  static Result<OpShardingRuleParts> read(Scanner& scanner, AttributeAliases* /*aliases*/);
  static std::string print(const OpShardingRuleParts& parts) { return to_string(parts); }
};

template <>
struct TextForm<OpShardingRule> {
  static constexpr std::string_view kMnemonic = "op_sharding_rule";
  static constexpr bool kBracketed = true;
  static Result<OpShardingRule> read(Scanner& scanner, AttributeAliases* aliases);
  static std::string print(const OpShardingRule& rule) { return to_string(rule); }
};

}  // namespace shardy

#ifdef SHARDY_HEADER_ONLY
#include <shardy/algebra/detail/rule_text_inl.hpp>
#endif
