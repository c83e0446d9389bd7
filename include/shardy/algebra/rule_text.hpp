#pragma once

#include <cstdint>
#include <limits>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/spelled.hpp>
#include <shardy/algebra/text_form.hpp>
#include <shardy/algebra/value_shape.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/scanner.hpp>
#include <shardy/support/tight_list.hpp>
#include <string>
#include <string_view>
#include <utility>
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
inline std::string to_string(const TensorMapping& mapping) {
  return "[" + detail::joined(mapping.dims, [](const DimMapping& d) { return to_string(d); }) + "]";
}

namespace detail {

inline std::string sizes_text(std::span<const int64_t> sizes) {
  if (sizes.empty()) return "";
  int64_t factor = 0;
  return " {" +
         joined(
             sizes,
             [&](int64_t size) { return factor_symbol(factor++) + "=" + std::to_string(size); }) +
         "}";
}

inline std::string group_text(std::string_view name, const std::vector<int32_t>& factors) {
  if (factors.empty()) return "";
  return " " + std::string(name) + "={" + joined(factors, factor_symbol) + "}";
}

/// Reads the factors of one token, which has no space inside.
class FactorReader {
 public:
  /// Requires: `text` starts at `position` of the text of `scanner`.
  FactorReader(const Scanner& scanner, std::size_t position, std::string_view text)
      : scanner_(&scanner), position_(position), text_(text) {}

  bool at_end() const { return text_.empty(); }

  Result<int32_t> next() {
    if (text_.starts_with("z_")) return numbered();
    const char c = text_.front();
    if (c < 'i' || c > 'z') {
      return error("expecting symbol from 'i' to 'z'. Received: '" + std::string(1, c) + "'");
    }
    drop(1);
    return c - 'i';
  }

 private:
  Result<int32_t> numbered() {
    constexpr int32_t kNumLetters = 18;
    constexpr int64_t kLargest = std::numeric_limits<int32_t>::max() - (kNumLetters - 1);
    Scanner digits(text_.substr(2));
    const Result<int64_t> number = digits.decimal();
    if (text_.size() == 2 || !is_digit(text_[2]) || text_[2] == '0') {
      return error("expecting positive integer without leading zeros");
    }
    if (!number || *number > kLargest) return error("factor number is too large");
    drop(2 + digits.raw_position());
    return static_cast<int32_t>(*number + (kNumLetters - 1));
  }

  tl::unexpected<Error> error(std::string message) const {
    return scanner_->error_at(position_, std::move(message));
  }
  void drop(std::size_t count) {
    text_.remove_prefix(count);
    position_ += count;
  }

  const Scanner* scanner_;
  std::size_t position_;
  std::string_view text_;
};

inline Result<FactorReader> factor_token(Scanner& scanner) {
  const std::size_t start = scanner.position();
  if (!scanner.at_ident()) return scanner.expected("a factor symbol");
  SHARDY_TRY(const std::string_view token, scanner.ident());
  return FactorReader(scanner, start, token);
}

/// Nothing between two commas, or `*`, is a dim without factors: it reads, but makes no rule.
inline Result<DimMapping> read_dim_mapping(Scanner& scanner) {
  DimMapping dim;
  if (scanner.eat('*') || scanner.peek() == ',' || scanner.peek() == ']') return dim;
  SHARDY_TRY(FactorReader factors, factor_token(scanner));
  while (!factors.at_end()) {
    SHARDY_TRY(const int32_t factor, factors.next());
    dim.push_back(factor);
  }
  return dim;
}

inline Result<TensorMapping> read_tensor_mapping(Scanner& scanner) {
  TensorMapping mapping;
  SHARDY_TRY_STATUS(scanner.expect("["));
  SHARDY_TRY_STATUS(read_list(scanner, "]", [&]() -> Status {
    if (mapping.dims.size() == kMaxRank) return scanner.error(too_many_dims());
    SHARDY_TRY(DimMapping dim, read_dim_mapping(scanner));
    append_read(mapping.dims, std::move(dim), scanner.text(), scanner.raw_position());
    return {};
  }));
  return mapping;
}

/// `([i], [j])`, at least one.
inline Result<std::vector<TensorMapping>> read_tensor_mappings(Scanner& scanner) {
  std::vector<TensorMapping> mappings;
  SHARDY_TRY_STATUS(scanner.expect("("));
  do {
    SHARDY_TRY(TensorMapping mapping, read_tensor_mapping(scanner));
    append_read(mappings, std::move(mapping), scanner.text(), scanner.raw_position());
  } while (scanner.eat(','));
  SHARDY_TRY_STATUS(scanner.expect(")"));
  return mappings;
}

/// A token that is one factor symbol and no more.
inline Result<int32_t> read_factor(Scanner& scanner) {
  const std::size_t start = scanner.position();
  SHARDY_TRY(FactorReader factors, factor_token(scanner));
  SHARDY_TRY(const int32_t factor, factors.next());
  if (factors.at_end()) return factor;
  return scanner.error_at(start, "expected one factor symbol");
}

/// `{i=4, j=6}`: the sizes of factors 0, 1, ...
inline Result<std::vector<int64_t>> read_factor_sizes(Scanner& scanner) {
  std::vector<int64_t> sizes;
  SHARDY_TRY_STATUS(scanner.expect("{"));
  SHARDY_TRY_STATUS(read_list(scanner, "}", [&]() -> Status {
    const std::size_t start = scanner.position();
    SHARDY_TRY(const int32_t factor, read_factor(scanner));
    const auto expected = static_cast<int64_t>(sizes.size());
    if (factor != expected) {
      return scanner.error_at(start,
                              "expecting factor indices to be ordered like an iota ({0, 1, 2, "
                              "...}, e.g. {i=#, j=#, k=#}). Expecting '" +
                                  factor_symbol(expected) + "', received: '" +
                                  factor_symbol(factor) + "'");
    }
    SHARDY_TRY_STATUS(scanner.expect("="));
    SHARDY_TRY(const int64_t size, scanner.int64());
    sizes.push_back(size);
    return {};
  }));
  return sizes;
}

/// `name={i, k}`, or nothing.
inline Result<std::vector<int32_t>> read_group(Scanner& scanner, std::string_view name) {
  std::vector<int32_t> factors;
  if (!scanner.eat(name)) return factors;
  SHARDY_TRY_STATUS(scanner.expect("="));
  SHARDY_TRY_STATUS(scanner.expect("{"));
  SHARDY_TRY_STATUS(read_list(scanner, "}", [&]() -> Status {
    SHARDY_TRY(const int32_t factor, read_factor(scanner));
    factors.push_back(factor);
    return {};
  }));
  return factors;
}

}  // namespace detail

/// `<([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}, custom>`
inline std::string to_string(const OpShardingRuleParts& parts) {
  std::string text = "<(" + detail::joined(parts.operand_mappings) + ")->(" +
                     detail::joined(parts.result_mappings) + ")";
  text += detail::sizes_text(parts.factor_sizes);
  text += detail::group_text("reduction", parts.reduction);
  text += detail::group_text("need_replication", parts.need_replication);
  text += detail::group_text("permutation", parts.permutation);
  text += detail::group_text("blocked_propagation", parts.blocked);
  return text + (parts.is_custom ? ", custom>" : ">");
}

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
  static Result<OpShardingRuleParts> read(Scanner& scanner, AttributeAliases* /*aliases*/) {
    OpShardingRuleParts parts;
    SHARDY_TRY_STATUS(scanner.expect("<"));
    SHARDY_TRY(parts.operand_mappings, detail::read_tensor_mappings(scanner));
    SHARDY_TRY_STATUS(scanner.expect("->"));
    SHARDY_TRY(parts.result_mappings, detail::read_tensor_mappings(scanner));
    if (scanner.peek() == '{') {
      SHARDY_TRY(parts.factor_sizes, detail::read_factor_sizes(scanner));
    }
    SHARDY_TRY(parts.reduction, detail::read_group(scanner, "reduction"));
    SHARDY_TRY(parts.need_replication, detail::read_group(scanner, "need_replication"));
    SHARDY_TRY(parts.permutation, detail::read_group(scanner, "permutation"));
    SHARDY_TRY(parts.blocked, detail::read_group(scanner, "blocked_propagation"));
    parts.is_custom = scanner.eat(',');
    if (parts.is_custom) {
      SHARDY_TRY_STATUS(scanner.expect("custom"));
    }
    SHARDY_TRY_STATUS(scanner.expect(">"));
    return parts;
  }
  static std::string print(const OpShardingRuleParts& parts) { return to_string(parts); }
};

template <>
struct TextForm<OpShardingRule> {
  static constexpr std::string_view kMnemonic = "op_sharding_rule";
  static constexpr bool kBracketed = true;
  static Result<OpShardingRule> read(Scanner& scanner, AttributeAliases* aliases) {
    const std::size_t start = scanner.position();
    SHARDY_TRY(OpShardingRuleParts parts, TextForm<OpShardingRuleParts>::read(scanner, aliases));
    return OpShardingRule::make(std::move(parts)).map_error([&](Error error) {
      error.at = scanner.location(start);
      return error;
    });
  }
  static std::string print(const OpShardingRule& rule) { return to_string(rule); }
};

}  // namespace shardy
