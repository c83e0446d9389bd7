#pragma once

#include <optional>
#include <shardy/algebra/detail/hlo_named.hpp>
#include <shardy/algebra/hlo_sharding.hpp>
#include <shardy/support/detail/inline.hpp>
#include <shardy/support/result.hpp>
#include <string_view>
#include <variant>
#include <vector>

// The shardings of all results of an op, in all forms that XLA writes. Spec: interop 2.

namespace shardy {

/// The sharding of one value that is not a tuple.
using HloLeaf = std::variant<HloSharding, NamedHloSharding>;

/// The sharding of one value, or the flattened shardings of a tuple.
struct HloLeaves {
  bool is_tuple = false;        // true for a tuple
  std::vector<HloLeaf> leaves;  // shardings of all tensors, in order
};

/// Reads an XLA sharding: text with or without axis names, possibly with comments, or a serialized
/// protobuf message. Errors: those of the text; `neither text nor a sharding message`.
Result<HloLeaves> parse_hlo_leaves(std::string_view text);

/// Reads a serialized OpSharding protobuf message. Spec: interop 2.4.
Result<HloLeaves> read_hlo_message(std::string_view bytes);

/// Returns the reduction op in the metadata of a sharding; Sum if the metadata has none. Errors:
/// `unknown kind of reduction`.
Result<ReductionOp> reduction_of_metadata(const HloSharding& sharding);

/// Returns the sharding without its group and metadata. Requires: not a tuple.
HloSharding without_extras(const HloSharding& sharding);

}  // namespace shardy

#ifdef SHARDY_BODIES
#include <cstdint>
#include <shardy/support/scanner.hpp>
#include <string>
#include <utility>

namespace shardy::detail {

/// Replaces comments `/* */` outside of quotes by blanks of equal length, so that error positions
/// are correct.
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

/// Reads a tuple or a single sharding.
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

/// Returns the text between the first `key` and the next quote; empty if `text` has no `key`.
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

namespace shardy::detail {

/// A field of a protobuf message: a number or bytes.
struct MessageField {
  uint64_t number = 0;
  bool is_bytes = false;
  uint64_t value = 0;
  std::string_view bytes = {};
};

/// A reader of the fields of a protobuf message.
class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : rest_(bytes) {}

  bool at_end() const { return rest_.empty(); }
  /// Returns the next field; std::nullopt at the end of the bytes, or if a field is truncated.
  std::optional<MessageField> field();
  std::optional<uint64_t> varint();

 private:
  std::optional<std::string_view> take(uint64_t count);

  std::string_view rest_;
};

SHARDY_INLINE std::optional<uint64_t> MessageReader::varint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7FU) << shift;
    if ((byte & 0x80U) == 0) return value;
  }
  return std::nullopt;
}

SHARDY_INLINE std::optional<std::string_view> MessageReader::take(uint64_t count) {
  if (count > rest_.size()) return std::nullopt;
  const std::string_view taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

SHARDY_INLINE std::optional<MessageField> MessageReader::field() {
  const std::optional<uint64_t> key = varint();
  if (!key || *key >> 3U == 0) return std::nullopt;
  MessageField field{.number = *key >> 3U};
  const uint64_t wire = *key & 7U;
  if (wire == 0) {
    const std::optional<uint64_t> value = varint();
    if (!value) return std::nullopt;
    field.value = *value;
    return field;
  }
  std::optional<uint64_t> size;
  if (wire == 2) size = varint();
  if (wire == 1) size = 8;
  if (wire == 5) size = 4;
  const std::optional<std::string_view> bytes = size ? take(*size) : std::nullopt;
  if (!bytes) return std::nullopt;
  field.is_bytes = true;
  field.bytes = *bytes;
  return field;
}

/// Appends single or packed numbers. Returns false if the bytes are not numbers.
SHARDY_INLINE bool add_numbers(const MessageField& field, std::vector<int64_t>& numbers) {
  if (!field.is_bytes) {
    numbers.push_back(static_cast<int64_t>(field.value));
    return true;
  }
  MessageReader reader(field.bytes);
  while (!reader.at_end()) {
    const std::optional<uint64_t> value = reader.varint();
    if (!value) return false;
    numbers.push_back(static_cast<int64_t>(*value));
  }
  return true;
}

SHARDY_INLINE tl::unexpected<Error> not_a_message() {
  return fail("neither text nor a sharding message");
}

/// Calls `take(field) -> Status` for each field. Errors: those of `take`; malformed bytes.
template <class Take>
Status for_each_field(std::string_view bytes, Take take) {
  MessageReader reader(bytes);
  while (!reader.at_end()) {
    const std::optional<MessageField> field = reader.field();
    if (!field) return not_a_message();
    SHARDY_TRY_STATUS(take(*field));
  }
  return {};
}

// ---- With names ---------------------------------------------------------------------------------

SHARDY_INLINE Result<Mesh> mesh_of_message(std::string_view bytes) {
  std::vector<MeshAxis> axes;
  std::vector<int64_t> ids;
  SHARDY_TRY_STATUS(for_each_field(bytes, [&](const MessageField& field) -> Status {
    if (field.number == 2 && !add_numbers(field, ids)) return not_a_message();
    if (field.number != 1) return {};
    MeshAxis& axis = axes.emplace_back();
    axis.size = 0;
    return for_each_field(field.bytes, [&](const MessageField& part) -> Status {
      if (part.number == 1 && part.is_bytes) axis.name = std::string(part.bytes);
      if (part.number == 2) axis.size = static_cast<int64_t>(part.value);
      return {};
    });
  }));
  return Mesh::make(std::move(axes), std::move(ids));
}

SHARDY_INLINE Result<UnresolvedAxisRef> axis_of_message(const Mesh& mesh, std::string_view bytes) {
  int64_t index = 0;
  std::optional<SubAxis> sub;
  SHARDY_TRY_STATUS(for_each_field(bytes, [&](const MessageField& field) -> Status {
    if (field.number == 1) index = static_cast<int64_t>(field.value);
    if (field.number != 2) return {};
    sub = SubAxis{0, 0};
    return for_each_field(field.bytes, [&](const MessageField& part) -> Status {
      if (part.number == 1) sub->pre = static_cast<int64_t>(part.value);
      if (part.number == 2) sub->size = static_cast<int64_t>(part.value);
      return {};
    });
  }));
  if (index < 0 || index >= mesh.num_axes()) {
    return fail("the sharding message names axis " + std::to_string(index) + " of a mesh with " +
                std::to_string(mesh.num_axes()));
  }
  return UnresolvedAxisRef{mesh.axis_name(static_cast<int32_t>(index)), sub};
}

SHARDY_INLINE Status add_axis(const Mesh& mesh, const MessageField& field,
                              UnresolvedAxisList& axes) {
  if (!field.is_bytes) return not_a_message();
  SHARDY_TRY(UnresolvedAxisRef ref, axis_of_message(mesh, field.bytes));
  axes.push_back(std::move(ref));
  return {};
}

SHARDY_INLINE Result<UnresolvedDim> dim_of_message(const Mesh& mesh, std::string_view bytes) {
  UnresolvedDim dim;
  dim.is_closed = false;
  SHARDY_TRY_STATUS(for_each_field(bytes, [&](const MessageField& field) -> Status {
    if (field.number == 2) dim.is_closed = field.value != 0;
    return field.number == 1 ? add_axis(mesh, field, dim.axes) : Status();
  }));
  return dim;
}

SHARDY_INLINE Result<NamedHloSharding> named_of_message(std::string_view bytes) {
  NamedHloSharding named;
  SHARDY_TRY_STATUS(for_each_field(bytes, [&](const MessageField& field) -> Status {
    if (field.number != 2) return {};
    SHARDY_TRY(named.mesh, mesh_of_message(field.bytes));
    return {};
  }));
  if (named.mesh.is_maximal()) {
    named.device = named.mesh.maximal_device_id();
    named.mesh = Mesh();
    return named;
  }
  named.dims.emplace();
  SHARDY_TRY_STATUS(for_each_field(bytes, [&](const MessageField& field) -> Status {
    if (field.number == 4) return add_axis(named.mesh, field, named.replicated);
    if (field.number == 5) return add_axis(named.mesh, field, named.unreduced);
    if (field.number != 3) return {};
    SHARDY_TRY(UnresolvedDim dim, dim_of_message(named.mesh, field.bytes));
    named.dims->push_back(std::move(dim));
    return {};
  }));
  return named;
}

// ---- With devices -------------------------------------------------------------------------------

/// The fields of an OpSharding message.
struct HloMessage {
  int64_t type = 0;
  std::vector<int64_t> tile, devices, kinds, reshape, transpose;
  std::vector<std::string_view> elements;
  bool replicates_last = false;
  bool is_group = false;
  int64_t group = 0;
  int64_t group_kind = 0;
  std::optional<std::string_view> named;
};

SHARDY_INLINE Status take_hlo_field(const MessageField& field, HloMessage& message) {
  const auto numbers = [&](std::vector<int64_t>& list) {
    return add_numbers(field, list) ? Status() : not_a_message();
  };
  const auto value = static_cast<int64_t>(field.value);
  switch (field.number) {
    case 1:
      message.type = value;
      return {};
    case 3:
      return numbers(message.tile);
    case 4:
      return numbers(message.devices);
    case 5:
      if (!field.is_bytes) return not_a_message();
      message.elements.push_back(field.bytes);
      return {};
    case 6:
      message.replicates_last = value != 0;
      return {};
    case 8:
      return numbers(message.kinds);
    case 9:
      return numbers(message.reshape);
    case 10:
      return numbers(message.transpose);
    case 11:
      message.is_group = value != 0;
      return {};
    case 12:
      message.group = value;
      return {};
    case 13:
      message.group_kind = value;
      return {};
    case 14:
      if (!field.is_bytes) return not_a_message();
      message.named = field.bytes;
      return {};
    default:
      return {};
  }
}

SHARDY_INLINE Result<HloSharding> tiled_of_message(HloMessage message) {
  std::vector<HloDimKind> last;
  for (const int64_t kind : message.kinds) {
    if (kind != 0 && kind != 4 && kind != 6) {
      return fail("the sharding message has a trailing dim of unknown kind " +
                  std::to_string(kind));
    }
    last.push_back(kind == 0   ? HloDimKind::Replicated
                   : kind == 4 ? HloDimKind::Manual
                               : HloDimKind::Unreduced);
  }
  if (message.replicates_last) last.push_back(HloDimKind::Replicated);
  if (!message.reshape.empty()) {
    SHARDY_TRY(DeviceArray array,
               DeviceArray::iota(std::move(message.tile), std::move(message.reshape),
                                 std::move(message.transpose)));
    return HloSharding::tiled(std::move(array), std::move(last));
  }
  SHARDY_TRY(DeviceArray array,
             DeviceArray::list(std::move(message.tile), std::move(message.devices)));
  return HloSharding::tiled(std::move(array), std::move(last));
}

SHARDY_INLINE Result<HloSharding> sharding_of_message(HloMessage message) {
  switch (message.type) {
    case 0:
      return HloSharding();
    case 1:
      if (message.devices.size() != 1) return fail("a maximal sharding names one device");
      return HloSharding::maximal(message.devices.front());
    case 3:
      return tiled_of_message(std::move(message));
    case 4:
      return HloSharding::manual();
    case 5:
      return HloSharding::unknown();
    case 6:
      return HloSharding::unreduced();
    default:
      return fail("the sharding message is of unknown type " + std::to_string(message.type));
  }
}

SHARDY_INLINE Status read_message_leaves(std::string_view bytes, HloLeaves& into, int depth) {
  HloMessage message;
  SHARDY_TRY_STATUS(for_each_field(
      bytes, [&](const MessageField& field) { return take_hlo_field(field, message); }));
  if (message.named) {
    SHARDY_TRY(NamedHloSharding named, named_of_message(*message.named));
    into.leaves.emplace_back(std::move(named));
    return {};
  }
  if (message.type == 2) {
    if (depth >= HloSharding::kMaxDepth) return fail("tuples of shardings are nested too deep");
    into.is_tuple = true;
    for (const std::string_view element : message.elements) {
      SHARDY_TRY_STATUS(read_message_leaves(element, into, depth + 1));
    }
    return {};
  }
  const bool is_group = message.is_group;
  const HloShardGroup group{
      message.group_kind == 0 ? HloShardGroup::Kind::As : HloShardGroup::Kind::Like, message.group};
  SHARDY_TRY(HloSharding sharding, sharding_of_message(std::move(message)));
  if (is_group) {
    SHARDY_TRY(sharding, sharding.with_group(group));
  }
  into.leaves.emplace_back(std::move(sharding));
  return {};
}

}  // namespace shardy::detail

namespace shardy {

SHARDY_INLINE Result<HloLeaves> read_hlo_message(std::string_view bytes) {
  HloLeaves leaves;
  SHARDY_TRY_STATUS(detail::read_message_leaves(bytes, leaves, 0));
  return leaves;
}

}  // namespace shardy
#endif  // SHARDY_BODIES
