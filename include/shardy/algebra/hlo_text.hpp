#pragma once

#include <shardy/algebra/hlo_sharding.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/result.hpp>
#include <shardy/support/scanner.hpp>
#include <string>
#include <string_view>

// Text of GSPMD's shardings. Spec: algebra 12.1.

namespace shardy {

/// `[2,1,4]<=[4,2]T(1,0)`; no T if it is the identity.
std::string to_string(const DeviceArray& array);

/// `{devices=[2,1,4]<=[8] last_tile_dim_replicate}`, `{{replicated}, {maximal device=0}}`
std::string to_string(const HloSharding& sharding);

/// Reads one sharding; `depth` counts the tuples around it.
Result<HloSharding> read_hlo_sharding(Scanner& scanner, int depth = 0);

/// A text that is one sharding, or a tuple of them, and nothing else.
Result<HloSharding> parse_hlo_sharding(std::string_view text);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace shardy::detail {

struct HloWord {
  HloSharding::Kind kind;
  std::string_view text;
};

/// The kinds that are one word.
constexpr std::array<HloWord, 4> kHloWords = {{{HloSharding::Kind::Replicated, "replicated"},
                                               {HloSharding::Kind::Manual, "manual"},
                                               {HloSharding::Kind::Unreduced, "unreduced"},
                                               {HloSharding::Kind::Unknown, "unknown"}}};

constexpr std::array<std::string_view, 3> kHloDimKinds = {"replicated", "manual", "unreduced"};

SHARDY_INLINE std::string without_spaces(std::span<const int64_t> numbers) {
  std::string text;
  for (const int64_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

SHARDY_INLINE std::string last_dims_text(std::span<const HloDimKind> last) {
  if (last.empty()) return "";
  if (last.size() == 1 && last[0] == HloDimKind::Replicated) return " last_tile_dim_replicate";
  std::string text;
  for (const HloDimKind kind : last) {
    text += text.empty() ? " last_tile_dims={" : ", ";
    text += kHloDimKinds[static_cast<std::size_t>(kind)];
  }
  return text + "}";
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE std::string to_string(const DeviceArray& array) {
  std::string text = "[" + detail::without_spaces(array.tile()) + "]";
  if (array.is_list()) return text + detail::without_spaces(array.devices());
  text += "<=[" + detail::without_spaces(array.reshape()) + "]";
  if (array.has_identity_transpose()) return text;
  return text + "T(" + detail::without_spaces(array.transpose()) + ")";
}

}  // namespace shardy

namespace shardy::detail {

/// Requires: no tuple.
SHARDY_INLINE std::string hlo_body_text(const HloSharding& sharding) {
  if (sharding.kind() == HloSharding::Kind::Maximal) {
    return "maximal device=" + std::to_string(sharding.device());
  }
  if (sharding.kind() == HloSharding::Kind::Tiled) {
    return "devices=" + to_string(sharding.devices()) + last_dims_text(sharding.last());
  }
  return std::string(kHloWords[static_cast<std::size_t>(sharding.kind())].text);
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE std::string to_string(const HloSharding& sharding) {
  std::string text = "{";
  if (sharding.kind() == HloSharding::Kind::Tuple) {
    for (const HloSharding& element : sharding.elements()) {
      if (text.size() > 1) text += ", ";
      text += to_string(element);  // at most HloSharding::kMaxDepth deep
    }
    return text + "}";
  }
  text += detail::hlo_body_text(sharding);
  if (sharding.group()) {
    const bool is_as = sharding.group()->kind == HloShardGroup::Kind::As;
    text += (is_as ? " shard_as " : " shard_like ") + std::to_string(sharding.group()->id);
  }
  if (sharding.metadata()) text += " metadata={" + *sharding.metadata() + "}";
  return text + "}";
}

}  // namespace shardy

namespace shardy::detail {

SHARDY_INLINE Result<HloSharding> hlo_error_at(const Scanner& scanner, std::size_t position,
                                               Result<HloSharding> sharding) {
  return std::move(sharding).map_error([&](Error error) {
    error.location = scanner.location(position);
    return error;
  });
}

/// Reads one or more integers, then `close` unless it is empty.
SHARDY_INLINE Result<std::vector<int64_t>> read_ints(Scanner& scanner, std::string_view close) {
  std::vector<int64_t> numbers;
  do {
    SHARDY_TRY(const int64_t number, scanner.int64());
    numbers.push_back(number);
  } while (scanner.eat(','));
  SHARDY_TRY_STATUS(scanner.expect(close));
  return numbers;
}

/// After `devices=`.
SHARDY_INLINE Result<DeviceArray> read_device_array(Scanner& scanner) {
  const std::size_t start = scanner.position();
  SHARDY_TRY_STATUS(scanner.expect("["));
  SHARDY_TRY(std::vector<int64_t> tile, read_ints(scanner, "]"));
  const auto at_start = [&](Error error) {
    error.location = scanner.location(start);
    return error;
  };
  if (!scanner.eat("<=")) {
    SHARDY_TRY(std::vector<int64_t> devices, read_ints(scanner, ""));
    return DeviceArray::list(std::move(tile), std::move(devices)).map_error(at_start);
  }
  SHARDY_TRY_STATUS(scanner.expect("["));
  SHARDY_TRY(std::vector<int64_t> reshape, read_ints(scanner, "]"));
  std::vector<int64_t> transpose;
  if (scanner.eat("T")) {
    SHARDY_TRY_STATUS(scanner.expect("("));
    SHARDY_TRY(transpose, read_ints(scanner, ")"));
  }
  return DeviceArray::iota(std::move(tile), std::move(reshape), std::move(transpose))
      .map_error(at_start);
}

SHARDY_INLINE Result<HloDimKind> read_dim_kind(Scanner& scanner) {
  for (std::size_t i = 0; i < kHloDimKinds.size(); ++i) {
    if (scanner.eat(kHloDimKinds[i])) return static_cast<HloDimKind>(i);
  }
  return scanner.expected("'replicated', 'manual' or 'unreduced'");
}

SHARDY_INLINE Result<std::vector<HloDimKind>> read_last_dims(Scanner& scanner) {
  std::vector<HloDimKind> last;
  if (scanner.eat("last_tile_dim_replicate")) {
    last.push_back(HloDimKind::Replicated);
  } else if (scanner.eat("last_tile_dims")) {
    SHARDY_TRY_STATUS(scanner.expect("="));
    SHARDY_TRY_STATUS(scanner.expect("{"));
    do {
      SHARDY_TRY(const HloDimKind kind, read_dim_kind(scanner));
      last.push_back(kind);
    } while (scanner.eat(','));
    SHARDY_TRY_STATUS(scanner.expect("}"));
  }
  return last;
}

SHARDY_INLINE Result<HloSharding> read_hlo_body(Scanner& scanner) {
  const std::size_t start = scanner.position();
  if (scanner.eat("replicated")) return HloSharding();
  if (scanner.eat("manual")) return HloSharding::manual();
  if (scanner.eat("unreduced")) return HloSharding::unreduced();
  if (scanner.eat("unknown")) return HloSharding::unknown();
  if (scanner.eat("maximal")) {
    SHARDY_TRY_STATUS(scanner.expect("device"));
    SHARDY_TRY_STATUS(scanner.expect("="));
    SHARDY_TRY(const int64_t device, scanner.int64());
    return hlo_error_at(scanner, start, HloSharding::maximal(device));
  }
  if (!scanner.eat("devices")) return scanner.expected("a sharding");
  SHARDY_TRY_STATUS(scanner.expect("="));
  SHARDY_TRY(DeviceArray devices, read_device_array(scanner));
  SHARDY_TRY(std::vector<HloDimKind> last, read_last_dims(scanner));
  return hlo_error_at(scanner, start, HloSharding::tiled(std::move(devices), std::move(last)));
}

/// `shard_as 1`, `metadata={...}`, in this order, if they come next.
SHARDY_INLINE Result<HloSharding> read_hlo_extras(Scanner& scanner, HloSharding sharding) {
  const bool is_as = scanner.eat("shard_as");
  if (is_as || scanner.eat("shard_like")) {
    const auto kind = is_as ? HloShardGroup::Kind::As : HloShardGroup::Kind::Like;
    SHARDY_TRY(const int64_t id, scanner.int64());
    SHARDY_TRY(sharding, sharding.with_group({kind, id}));
  }
  if (!scanner.eat("metadata")) return sharding;
  SHARDY_TRY_STATUS(scanner.expect("="));
  SHARDY_TRY_STATUS(scanner.expect("{"));
  // Not tokens of ours: `//` begins no comment in there.
  const std::size_t start = scanner.raw_position();
  const std::string_view after = scanner.text().substr(start);
  const std::optional<std::size_t> length = balanced_length(after);
  if (!length) return scanner.error_at(start, "expected '}' at the end of the metadata");
  scanner.seek(start + *length + 1);
  return sharding.with_metadata(std::string(after.substr(0, *length)));
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<HloSharding> read_hlo_sharding(Scanner& scanner, int depth) {
  const std::size_t start = scanner.position();
  SHARDY_TRY_STATUS(scanner.expect("{"));
  if (scanner.peek() != '{' && scanner.peek() != '}') {
    SHARDY_TRY(HloSharding body, detail::read_hlo_body(scanner));
    SHARDY_TRY(HloSharding sharding, detail::read_hlo_extras(scanner, std::move(body)));
    SHARDY_TRY_STATUS(scanner.expect("}"));
    return sharding;
  }
  std::vector<HloSharding> elements;
  if (depth < HloSharding::kMaxDepth) {
    SHARDY_TRY_STATUS(read_list(scanner, "}", [&]() -> Status {
      SHARDY_TRY(HloSharding element, read_hlo_sharding(scanner, depth + 1));
      elements.push_back(std::move(element));
      return {};
    }));
    return HloSharding::tuple(std::move(elements));
  }
  return scanner.error_at(start, "tuples of shardings are nested more than " +
                                     std::to_string(HloSharding::kMaxDepth) + " deep");
}

SHARDY_INLINE Result<HloSharding> parse_hlo_sharding(std::string_view text) {
  Scanner scanner(text);
  SHARDY_TRY(HloSharding sharding, read_hlo_sharding(scanner));
  SHARDY_TRY_STATUS(scanner.expect_end());
  return sharding;
}

}  // namespace shardy
#endif  // SHARDY_BODIES
