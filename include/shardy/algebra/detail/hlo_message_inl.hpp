// Bodies of hlo_leaves.hpp: shardings as messages of protobuf. Spec: interop 2.4.
#pragma once

#include <cstdint>
#include <optional>
#include <shardy/algebra/hlo_leaves.hpp>
#include <shardy/support/inline.hpp>
#include <shardy/support/result.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardy::detail {

/// A field of a message: a number, or bytes.
struct MessageField {
  uint64_t number = 0;
  bool is_bytes = false;
  uint64_t value = 0;
  std::string_view bytes = {};
};

/// Takes the fields off the front of a message.
class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : rest_(bytes) {}

  bool at_end() const { return rest_.empty(); }
  /// std::nullopt at the end of the bytes, or if they end inside of a field.
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

/// Numbers that stand alone or in a row. False if the bytes are none.
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

/// Calls `take(field) -> Status` with each field.
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
    MeshAxis axis;
    axis.size = 0;
    SHARDY_TRY_STATUS(for_each_field(field.bytes, [&](const MessageField& part) -> Status {
      if (part.number == 1 && part.is_bytes) axis.name = std::string(part.bytes);
      if (part.number == 2) axis.size = static_cast<int64_t>(part.value);
      return {};
    }));
    axes.push_back(std::move(axis));
    return {};
  }));
  return Mesh::make(std::move(axes), std::move(ids));
}

SHARDY_INLINE Result<SpelledAxisRef> axis_of_message(const Mesh& mesh, std::string_view bytes) {
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
  return SpelledAxisRef{mesh.axis_name(static_cast<int32_t>(index)), sub};
}

SHARDY_INLINE Status add_axis(const Mesh& mesh, const MessageField& field, SpelledAxisList& axes) {
  if (!field.is_bytes) return not_a_message();
  SHARDY_TRY(SpelledAxisRef ref, axis_of_message(mesh, field.bytes));
  axes.push_back(std::move(ref));
  return {};
}

SHARDY_INLINE Result<SpelledDim> dim_of_message(const Mesh& mesh, std::string_view bytes) {
  SpelledDim dim;
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
    SHARDY_TRY(SpelledDim dim, dim_of_message(named.mesh, field.bytes));
    named.dims->push_back(std::move(dim));
    return {};
  }));
  return named;
}

// ---- With devices -------------------------------------------------------------------------------

/// The fields of a sharding, as they stand in the message.
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
