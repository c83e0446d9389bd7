// Bodies of hlo_leaves.hpp: text.
#pragma once

#include <shardy/algebra/detail/hlo_text_inl.hpp>
#include <shardy/algebra/hlo_leaves.hpp>
#include <shardy/algebra/hlo_text.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/scanner.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace shardy::detail {

/// `/* */` outside of quotes as blanks, so that places stay right.
SHARDY_INLINE std::string without_comments(std::string_view text) {
  std::string plain(text);
  char quote = '\0';
  for (std::size_t at = 0; at < plain.size(); ++at) {
    const char c = plain[at];
    if (quote != '\0') {
      if (c == '\\' && quote == '"') ++at;
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (plain.compare(at, 2, "/*") == 0) {
      const std::size_t end = plain.find("*/", at + 2);
      if (end == std::string::npos) return plain;
      plain.replace(at, end + 2 - at, end + 2 - at, ' ');
    }
  }
  return plain;
}

/// Reads a tuple, or the single leaf that represents it.
SHARDY_INLINE Status read_leaves(Scanner& scanner, HloLeaves& into, int depth) {
  const std::size_t start = scanner.position();
  SHARDY_TRY_STATUS(scanner.expect("{"));
  if (scanner.peek() == '{' || scanner.peek() == '}') {
    if (depth >= HloSharding::kMaxDepth) {
      return scanner.error_at(start, "tuples of shardings are nested too deep");
    }
    into.is_tuple = true;
    return read_list(scanner, "}", [&] { return read_leaves(scanner, into, depth + 1); });
  }
  if (at_named_hlo_sharding(scanner)) {
    SHARDY_TRY(NamedHloSharding named, read_named_hlo_sharding(scanner));
    into.leaves.emplace_back(std::move(named));
    return {};
  }
  scanner.seek(start);
  SHARDY_TRY(HloSharding sharding, read_hlo_sharding(scanner, depth));
  into.leaves.emplace_back(std::move(sharding));
  return {};
}

/// The value of `key="..."` in the entry of the metadata whose op_type is that of reductions.
SHARDY_INLINE std::string_view quoted_after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + key.size());
  return text.substr(0, text.find('"'));
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<HloLeaves> parse_hlo_leaves(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return read_hlo_message(text);
  const std::string plain = detail::without_comments(text);
  Scanner scanner(plain);
  HloLeaves leaves;
  SHARDY_TRY_STATUS(detail::read_leaves(scanner, leaves, 0));
  SHARDY_TRY_STATUS(scanner.expect_end());
  return leaves;
}

SHARDY_INLINE Result<ReductionOp> reduction_of_metadata(const HloSharding& sharding) {
  constexpr std::string_view kType = "op_type=\"sdy::reduction_op\"";
  if (!sharding.metadata()) return ReductionOp::Sum;
  const std::string_view metadata = *sharding.metadata();
  const std::size_t at = metadata.find(kType);
  if (at == std::string_view::npos) return ReductionOp::Sum;
  const std::size_t begin =
      metadata.rfind('{', at) == std::string_view::npos ? 0 : metadata.rfind('{', at);
  const std::string_view entry = metadata.substr(begin, metadata.find('}', at) - begin);
  const std::string_view name = detail::quoted_after(entry, "op_name=\"");
  if (name == "SUM") return ReductionOp::Sum;
  if (name == "MAX") return ReductionOp::Max;
  if (name == "MIN") return ReductionOp::Min;
  return fail("unknown kind of reduction: \"" + std::string(name) + "\"");
}

SHARDY_INLINE HloSharding without_extras(const HloSharding& sharding) {
  using Kind = HloSharding::Kind;
  switch (sharding.kind()) {
    case Kind::Manual:
      return HloSharding::manual();
    case Kind::Unreduced:
      return HloSharding::unreduced();
    case Kind::Unknown:
      return HloSharding::unknown();
    case Kind::Maximal:
      return HloSharding::maximal(sharding.device()).value_or(HloSharding());
    case Kind::Tiled:
      return HloSharding::tiled(sharding.devices(),
                                {sharding.last().begin(), sharding.last().end()})
          .value_or(HloSharding());
    default:
      return {};
  }
}

}  // namespace shardy
