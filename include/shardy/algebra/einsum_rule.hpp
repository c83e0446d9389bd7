// Sharding rules in einsum notation, with named factors.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace shardy {

/// The factor names of one tensor.
struct EinsumTensor {
  /// Name of the leading dims without factors of their own: "" for `...`, "1" for `...1`;
  /// std::nullopt: the tensor has no such dims.
  std::optional<std::string> batching = std::nullopt;
  /// Factor names of each other dim, major first.
  std::vector<std::vector<std::string>> dims = {};

  friend bool operator==(const EinsumTensor&, const EinsumTensor&);
};

/// A sharding rule in the notation of JAX's custom_partitioning (`sharding_rule`). The rule applies
/// to all shapes that fit it.
///
/// Text: `... i k, k j -> ... i j reduction={k}`. `(i j)` is a dim of two factors, whose sizes must
/// be determined: by another dim, as in `(i j) -> i j`, or by a list, as in `(i j) -> (j i) {i=2,
/// j=4}`. A tensor without dims is a scalar. Groups such as `reduction={k}`: see rules 2. A factor
/// that is a full dim has the size of the dim, the smallest size if dims differ, unless the list
/// gives a size.
struct EinsumRule {
  std::vector<EinsumTensor> operands;    // one for each operand
  std::vector<EinsumTensor> results;     // one for each result
  std::map<std::string, int64_t> sizes;  // sizes that the text gives, by factor name
  std::vector<std::string> reduction, need_replication, permutation;  // factor names by kind
  std::vector<std::string> blocked;                                   // names of blocked factors

  friend bool operator==(const EinsumRule&, const EinsumRule&);
};

/// Parses a rule. Errors: invalid text, with `line:column`.
Result<EinsumRule> parse_einsum_rule(std::string_view text);
std::string to_string(const EinsumRule& rule);

/// Returns the sharding rule for tensors of these shapes, marked as custom. Factors are numbered in
/// the order of their first occurrence; `...` has its factors at its first occurrence.
///
/// Errors: shapes that do not fit, factors without a size, unknown names, and those of
/// OpShardingRule::make.
Result<OpShardingRule> resolve(const EinsumRule& rule,
                               std::span<const std::vector<int64_t>> operands,
                               std::span<const std::vector<int64_t>> results);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <algorithm>
#include <cstddef>
#include <shardy/algebra/op_sharding_rule.hpp>
#include <shardy/algebra/unresolved.hpp>
#include <shardy/support/detail/math.hpp>
#include <shardy/support/scanner.hpp>
#include <utility>

namespace shardy {

SHARDY_INLINE bool operator==(const EinsumTensor&, const EinsumTensor&) = default;
SHARDY_INLINE bool operator==(const EinsumRule&, const EinsumRule&) = default;

}  // namespace shardy

namespace shardy::detail {

inline constexpr std::string_view kEinsumGroups[] = {"reduction", "need_replication", "permutation",
                                                     "blocked_propagation"};

/// A resolver that numbers the factors of an einsum rule and collects their sizes.
class EinsumResolver {
 public:
  using Shapes = std::span<const std::vector<int64_t>>;

  explicit EinsumResolver(const EinsumRule& rule) : rule_(rule) { parts_.is_custom = true; }

  Result<OpShardingRule> run(Shapes operands, Shapes results);

 private:
  static Status verify_count(const std::string& noun, std::size_t named, std::size_t actual);

  int32_t factor(const std::string& name);

  Status add_all(const std::string& noun, std::span<const EinsumTensor> tensors, Shapes shapes,
                 std::vector<TensorMapping>& mappings);

  Result<TensorMapping> map(const EinsumTensor& tensor, std::span<const int64_t> shape);

  void take_size(int32_t factor, int64_t size);

  Status collect_sizes();

  /// Checks for each dim in parentheses that the product of its factor sizes is the size of the
  /// dim.
  Status verify_compound(const std::string& noun, std::span<const TensorMapping> mappings,
                         Shapes shapes) const;

  Result<std::vector<int32_t>> group(std::string_view noun,
                                     std::span<const std::string> names) const;

  const EinsumRule& rule_;
  std::map<std::string, int32_t> indices_;
  std::vector<std::string> names_;
  std::vector<std::optional<int64_t>> sizes_;
  std::map<std::string, std::size_t> batch_ranks_;
  OpShardingRule::Parts parts_;
};

SHARDY_INLINE Result<std::string> read_factor_name(Scanner& scanner) {
  const std::size_t start = scanner.position();
  SHARDY_TRY(const std::string_view name, scanner.ident());
  const bool is_plain = name.find_first_of(".$") == std::string_view::npos && name[0] != '_';
  if (is_plain) return std::string(name);
  return scanner.error_at(start,
                          "a factor name has letters, digits and _, and begins with a letter");
}

SHARDY_INLINE Result<std::vector<std::string>> read_einsum_dim(Scanner& scanner) {
  std::vector<std::string> factors;
  if (!scanner.eat('(')) {
    SHARDY_TRY(std::string name, read_factor_name(scanner));
    factors.push_back(std::move(name));
    return factors;
  }
  const std::size_t start = scanner.position();
  while (!scanner.eat(')')) {
    SHARDY_TRY(std::string name, read_factor_name(scanner));
    factors.push_back(std::move(name));
  }
  if (factors.size() > 1) return factors;
  return scanner.error_at(start, "a dim in parentheses has at least two factors");
}

/// Checks whether the next token is the name of a group, `name=`, and not a factor.
SHARDY_INLINE bool at_einsum_group(Scanner& scanner) {
  const std::size_t start = scanner.position();
  const bool is_group = std::ranges::any_of(kEinsumGroups, [&](std::string_view name) {
    scanner.seek(start);
    return scanner.eat(name) && scanner.peek() == '=';
  });
  scanner.seek(start);
  return is_group;
}

SHARDY_INLINE Result<EinsumTensor> read_einsum_tensor(Scanner& scanner) {
  EinsumTensor tensor;
  constexpr std::string_view kDots = "...";
  if (scanner.rest().starts_with(kDots)) {
    const std::size_t after = scanner.position() + kDots.size();
    scanner.seek(after);
    tensor.batching.emplace();
    if (scanner.position() == after && is_digit(scanner.peek())) {
      SHARDY_TRY(const int64_t number, scanner.decimal());
      tensor.batching = std::to_string(number);
    }
  }
  while (scanner.peek() == '(' || (scanner.at_ident() && !at_einsum_group(scanner))) {
    SHARDY_TRY(std::vector<std::string> dim, read_einsum_dim(scanner));
    tensor.dims.push_back(std::move(dim));
  }
  if (scanner.peek() == '.') return scanner.error("'...' must precede all other dims");
  return tensor;
}

SHARDY_INLINE Result<std::vector<EinsumTensor>> read_einsum_tensors(Scanner& scanner) {
  std::vector<EinsumTensor> tensors;
  do {
    SHARDY_TRY(EinsumTensor tensor, read_einsum_tensor(scanner));
    tensors.push_back(std::move(tensor));
  } while (scanner.eat(','));
  return tensors;
}

SHARDY_INLINE Status read_einsum_sizes(Scanner& scanner, std::map<std::string, int64_t>& sizes) {
  if (!scanner.eat('{')) return {};
  return read_list(scanner, "}", [&]() -> Status {
    const std::size_t start = scanner.position();
    SHARDY_TRY(const std::string name, read_factor_name(scanner));
    SHARDY_TRY_STATUS(scanner.expect("="));
    SHARDY_TRY(const int64_t size, scanner.int64());
    if (size < 0) return scanner.error_at(start, "the size of a factor is not negative");
    if (sizes.emplace(name, size).second) return {};
    return scanner.error_at(start, "two sizes of factor " + name);
  });
}

SHARDY_INLINE Status read_einsum_group(Scanner& scanner, std::string_view name,
                                       std::vector<std::string>& factors) {
  if (!scanner.eat(name)) return {};
  SHARDY_TRY_STATUS(scanner.expect("="));
  SHARDY_TRY_STATUS(scanner.expect("{"));
  return read_list(scanner, "}", [&]() -> Status {
    SHARDY_TRY(std::string factor, read_factor_name(scanner));
    factors.push_back(std::move(factor));
    return {};
  });
}

SHARDY_INLINE std::string to_string(const EinsumTensor& tensor) {
  std::string text;
  const auto add = [&](const std::string& piece) { text += (text.empty() ? "" : " ") + piece; };
  if (tensor.batching) add("..." + *tensor.batching);
  for (const std::vector<std::string>& dim : tensor.dims) {
    std::string factors;
    for (const std::string& factor : dim) factors += (factors.empty() ? "" : " ") + factor;
    add(dim.size() == 1 ? factors : "(" + factors + ")");
  }
  return text;
}

SHARDY_INLINE Result<OpShardingRule> EinsumResolver::run(Shapes operands, Shapes results) {
  SHARDY_TRY_STATUS(verify_count("operand", rule_.operands.size(), operands.size()));
  SHARDY_TRY_STATUS(verify_count("result", rule_.results.size(), results.size()));
  SHARDY_TRY_STATUS(add_all("operand", rule_.operands, operands, parts_.operand_mappings));
  SHARDY_TRY_STATUS(add_all("result", rule_.results, results, parts_.result_mappings));
  SHARDY_TRY_STATUS(collect_sizes());
  SHARDY_TRY_STATUS(verify_compound("operand", parts_.operand_mappings, operands));
  SHARDY_TRY_STATUS(verify_compound("result", parts_.result_mappings, results));
  SHARDY_TRY(parts_.reduction, group("reduction", rule_.reduction));
  SHARDY_TRY(parts_.need_replication, group("need_replication", rule_.need_replication));
  SHARDY_TRY(parts_.permutation, group("permutation", rule_.permutation));
  SHARDY_TRY(parts_.blocked, group("blocked_propagation", rule_.blocked));
  return OpShardingRule::make(std::move(parts_));
}

SHARDY_INLINE Status EinsumResolver::verify_count(const std::string& noun, std::size_t named,
                                                  std::size_t actual) {
  if (named == actual) return {};
  return fail("the einsum has " + std::to_string(named) + " " + noun + "s, the op has " +
              std::to_string(actual));
}

SHARDY_INLINE int32_t EinsumResolver::factor(const std::string& name) {
  const auto [at, is_new] = indices_.emplace(name, static_cast<int32_t>(names_.size()));
  if (is_new) {
    names_.push_back(name);
    sizes_.emplace_back();
  }
  return at->second;
}

SHARDY_INLINE Status EinsumResolver::add_all(const std::string& noun,
                                             std::span<const EinsumTensor> tensors, Shapes shapes,
                                             std::vector<TensorMapping>& mappings) {
  for (std::size_t index = 0; index < tensors.size(); ++index) {
    const std::string prefix = noun + " " + std::to_string(index) + " - ";
    SHARDY_TRY(TensorMapping mapping,
               map(tensors[index], shapes[index]).map_error([&](Error error) {
                 return with_prefix(prefix, std::move(error));
               }));
    mappings.push_back(std::move(mapping));
  }
  return {};
}

SHARDY_INLINE Result<TensorMapping> EinsumResolver::map(const EinsumTensor& tensor,
                                                        std::span<const int64_t> shape) {
  const std::size_t named = tensor.dims.size();
  if (shape.size() < named || (!tensor.batching && shape.size() != named)) {
    return fail("the einsum has " + std::to_string(named) + " dims" +
                (tensor.batching ? " and more" : "") + ", the tensor has " +
                std::to_string(shape.size()));
  }
  const std::size_t batch = shape.size() - named;
  if (tensor.batching) {
    const auto [known, is_new] = batch_ranks_.emplace(*tensor.batching, batch);
    if (!is_new && known->second != batch) {
      return fail("..." + *tensor.batching + " has " + std::to_string(batch) + " dims here and " +
                  std::to_string(known->second) + " before");
    }
  }
  TensorMapping mapping;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    DimMapping factors;
    if (dim < batch) {
      // Factor names never begin with a dot, so this name is unique.
      factors.push_back(factor("..." + *tensor.batching + "." + std::to_string(dim)));
    } else {
      for (const std::string& name : tensor.dims[dim - batch]) factors.push_back(factor(name));
    }
    if (factors.size() == 1) take_size(factors.front(), shape[dim]);
    mapping.dims.push_back(std::move(factors));
  }
  return mapping;
}

SHARDY_INLINE void EinsumResolver::take_size(int32_t factor, int64_t size) {
  std::optional<int64_t>& known = sizes_[static_cast<std::size_t>(factor)];
  known = known ? std::min(*known, size) : size;
}

SHARDY_INLINE Status EinsumResolver::collect_sizes() {
  for (const auto& [name, size] : rule_.sizes) {
    const auto found = indices_.find(name);
    if (found == indices_.end()) return fail("factor " + name + " has a size but is not used");
    sizes_[static_cast<std::size_t>(found->second)] = size;
  }
  for (std::size_t index = 0; index < sizes_.size(); ++index) {
    if (!sizes_[index]) {
      return fail("factor " + names_[index] +
                  " is not a full dim of any tensor and needs a size: {" + names_[index] + "=#}");
    }
    parts_.factor_sizes.push_back(*sizes_[index]);
  }
  return {};
}

SHARDY_INLINE Status EinsumResolver::verify_compound(const std::string& noun,
                                                     std::span<const TensorMapping> mappings,
                                                     Shapes shapes) const {
  for (std::size_t index = 0; index < mappings.size(); ++index) {
    for (std::size_t dim = 0; dim < mappings[index].dims.size(); ++dim) {
      const DimMapping& factors = mappings[index].dims[dim];
      std::optional<int64_t> size = 1;
      for (const int32_t each : factors) {
        if (size) size = checked_mul(*size, *sizes_[static_cast<std::size_t>(each)]);
      }
      if (factors.size() == 1 || size == shapes[index][dim]) continue;
      return fail(noun + " " + std::to_string(index) + " - dim " + std::to_string(dim) +
                  " has size " + std::to_string(shapes[index][dim]) +
                  ", which is not the product of its factors");
    }
  }
  return {};
}

SHARDY_INLINE Result<std::vector<int32_t>> EinsumResolver::group(
    std::string_view noun, std::span<const std::string> names) const {
  std::vector<int32_t> factors;
  for (const std::string& name : names) {
    const auto found = indices_.find(name);
    if (found == indices_.end()) {
      return fail(std::string(noun) + " factor " + name + " is not used");
    }
    factors.push_back(found->second);
  }
  std::ranges::sort(factors);
  return factors;
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<EinsumRule> parse_einsum_rule(std::string_view text) {
  Scanner scanner(text);
  EinsumRule rule;
  SHARDY_TRY(rule.operands, detail::read_einsum_tensors(scanner));
  SHARDY_TRY_STATUS(scanner.expect("->"));
  SHARDY_TRY(rule.results, detail::read_einsum_tensors(scanner));
  SHARDY_TRY_STATUS(detail::read_einsum_sizes(scanner, rule.sizes));
  std::vector<std::string>* const groups[] = {&rule.reduction, &rule.need_replication,
                                              &rule.permutation, &rule.blocked};
  for (std::size_t index = 0; index < std::size(groups); ++index) {
    SHARDY_TRY_STATUS(
        detail::read_einsum_group(scanner, detail::kEinsumGroups[index], *groups[index]));
  }
  SHARDY_TRY_STATUS(scanner.expect_end());
  return rule;
}

SHARDY_INLINE std::string to_string(const EinsumRule& rule) {
  std::string text;
  const auto add_tensors = [&](std::span<const EinsumTensor> all) {
    text += detail::joined(all, [](const EinsumTensor& each) { return detail::to_string(each); });
    while (text.ends_with(' ')) text.pop_back();  // a scalar result leaves a blank
  };
  add_tensors(rule.operands);
  text += text.empty() ? "-> " : " -> ";
  add_tensors(rule.results);
  if (!rule.sizes.empty()) {
    text += " {" +
            detail::joined(
                rule.sizes,
                [](const auto& size) { return size.first + "=" + std::to_string(size.second); }) +
            "}";
  }
  const std::vector<std::string>* const groups[] = {&rule.reduction, &rule.need_replication,
                                                    &rule.permutation, &rule.blocked};
  for (std::size_t index = 0; index < std::size(groups); ++index) {
    if (groups[index]->empty()) continue;
    text += " " + std::string(detail::kEinsumGroups[index]) + "={" +
            detail::joined(*groups[index], [](const std::string& name) { return name; }) + "}";
  }
  return text;
}

SHARDY_INLINE Result<OpShardingRule> resolve(const EinsumRule& rule,
                                             std::span<const std::vector<int64_t>> operands,
                                             std::span<const std::vector<int64_t>> results) {
  return detail::EinsumResolver(rule).run(operands, results);
}

}  // namespace shardy
#endif  // SHARDY_BODIES
