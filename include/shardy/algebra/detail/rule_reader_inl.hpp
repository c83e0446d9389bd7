// Bodies of text_form.hpp: sharding rules.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <shardy/algebra/text_form.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/scanner.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy::detail {

/// Reads the factors of one token, which has no space inside.
class FactorReader {
 public:
  /// Requires: `text` starts at `position` of the text of `scanner`.
  FactorReader(const Scanner& scanner, std::size_t position, std::string_view text)
      : scanner_(&scanner), position_(position), text_(text) {}

  bool at_end() const { return text_.empty(); }

  Result<int32_t> next();

 private:
  Result<int32_t> numbered();

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

SHARDY_INLINE Result<int32_t> FactorReader::next() {
  if (text_.starts_with("z_")) return numbered();
  const char c = text_.front();
  if (c < 'i' || c > 'z') {
    return error("expecting symbol from 'i' to 'z'. Received: '" + std::string(1, c) + "'");
  }
  drop(1);
  return c - 'i';
}

SHARDY_INLINE Result<int32_t> FactorReader::numbered() {
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

SHARDY_INLINE Result<FactorReader> factor_token(Scanner& scanner) {
  const std::size_t start = scanner.position();
  if (!scanner.at_ident()) return scanner.expected("a factor symbol");
  SHARDY_TRY(const std::string_view token, scanner.ident());
  return FactorReader(scanner, start, token);
}

SHARDY_INLINE Result<DimMapping> read_dim_mapping(Scanner& scanner) {
  DimMapping dim;
  if (scanner.eat('*') || scanner.peek() == ',' || scanner.peek() == ']') return dim;
  SHARDY_TRY(FactorReader factors, factor_token(scanner));
  while (!factors.at_end()) {
    SHARDY_TRY(const int32_t factor, factors.next());
    dim.push_back(factor);
  }
  return dim;
}

SHARDY_INLINE Result<TensorMapping> read_tensor_mapping(Scanner& scanner) {
  TensorMapping mapping;
  SHARDY_TRY_STATUS(scanner.expect("["));
  SHARDY_TRY_STATUS(read_list(scanner, "]", [&]() -> Status {
    if (mapping.dims.size() == kMaxRank) return scanner.error(too_many_dims());
    SHARDY_TRY(DimMapping dim, read_dim_mapping(scanner));
    mapping.dims.push_back(std::move(dim));
    return {};
  }));
  return mapping;
}

/// `([i], [j])`, at least one.
SHARDY_INLINE Result<std::vector<TensorMapping>> read_tensor_mappings(Scanner& scanner) {
  std::vector<TensorMapping> mappings;
  SHARDY_TRY_STATUS(scanner.expect("("));
  do {
    SHARDY_TRY(TensorMapping mapping, read_tensor_mapping(scanner));
    mappings.push_back(std::move(mapping));
  } while (scanner.eat(','));
  SHARDY_TRY_STATUS(scanner.expect(")"));
  return mappings;
}

/// A token that is one factor symbol and no more.
SHARDY_INLINE Result<int32_t> read_factor(Scanner& scanner) {
  const std::size_t start = scanner.position();
  SHARDY_TRY(FactorReader factors, factor_token(scanner));
  SHARDY_TRY(const int32_t factor, factors.next());
  if (factors.at_end()) return factor;
  return scanner.error_at(start, "expected one factor symbol");
}

/// `{i=4, j=6}`: the sizes of factors 0, 1, ...
SHARDY_INLINE Result<std::vector<int64_t>> read_factor_sizes(Scanner& scanner) {
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

SHARDY_INLINE Result<std::vector<int32_t>> read_group(Scanner& scanner, std::string_view name) {
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

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<OpShardingRuleParts> TextForm<shardy::OpShardingRuleParts>::read(
    Scanner& scanner, AttributeAliases* /*aliases*/) {
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

SHARDY_INLINE Result<OpShardingRule> TextForm<shardy::OpShardingRule>::read(
    Scanner& scanner, AttributeAliases* aliases) {
  const std::size_t start = scanner.position();
  SHARDY_TRY(OpShardingRuleParts parts, TextForm<OpShardingRuleParts>::read(scanner, aliases));
  return OpShardingRule::make(std::move(parts)).map_error([&](Error error) {
    error.location = scanner.location(start);
    return error;
  });
}

}  // namespace shardy
