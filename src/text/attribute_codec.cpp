#include "text/attribute_codec.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "text/mlir_form.hpp"

namespace shardy::text {

namespace {

// ---- The table ---------------------------------------------------------------------------------

constexpr std::size_t kNumKinds = static_cast<std::size_t>(AttributeKind::FloatFormat) + 1;

/// The rows of all codecs, indexed by their lookup keys.
struct CodecTable {
  std::vector<const AttributeCodec*> tagged;
  std::vector<const AttributeCodec*> with_body;
  std::array<const AttributeCodec*, kNumKinds> by_kind{};
  std::array<const AttributeCodec*, ir::Attribute::Forms::kSize> by_form{};

  CodecTable() {
    for (const auto rows : {plain_codecs(), dims_codecs(), sharding_codecs()}) {
      for (const AttributeCodec& row : rows) add(row);
    }
    for (std::size_t kind = 0; kind < kNumKinds; ++kind) {
      if (by_kind[kind] == nullptr) by_kind[kind] = of_number(static_cast<AttributeKind>(kind));
    }
    SHARDY_ASSERT(std::ranges::all_of(by_form, [](const auto* row) { return row != nullptr; }));
  }

  void add(const AttributeCodec& row) {
    by_kind[static_cast<std::size_t>(row.kind)] = &row;
    if (row.traits.also != AttributeKind::Any)
      by_kind[static_cast<std::size_t>(row.traits.also)] = &row;
    if (row.mlir.read_body != nullptr) with_body.push_back(&row);
    if (row.tag.empty()) return;
    tagged.push_back(&row);
    const ir::KindDefinition& kind = ir::definition_of(row.kind);
    by_form[kind.form] = &row;
    if (kind.resolved != ir::kAnyForm) by_form[kind.resolved] = &row;
  }

  /// Integers of all types share one codec, and so do floats of all types.
  const AttributeCodec* of_number(AttributeKind kind) const {
    if (kind >= AttributeKind::SliceRanges) return nullptr;
    const ir::AttributeBase base = ir::definition_of(kind).base;
    const bool is_number = base == ir::AttributeBase::Integer || base == ir::AttributeBase::Float;
    return is_number ? by_form[ir::definition_of(kind).form] : nullptr;
  }
};

const CodecTable& codec_table() {
  static const CodecTable kTable;
  return kTable;
}

// ---- Slots -------------------------------------------------------------------------------------

// Exceptions from the table of forms: attributes of any op, attributes of arguments and results,
// and literals with the type of the op's result.
constexpr AttributeSlot kSlots[] = {
    {"stablehlo.constant", "value", AttributeKind::Literal},
    {"chlo.constant", "value", AttributeKind::Literal},
    {"sdy.constant", "value", AttributeKind::Literal},
    {"func.arg", "sdy.sharding", AttributeKind::Sharding},
    {"func.arg", "spmd.global_type", AttributeKind::Type},
    {"", "sdy.sharding", AttributeKind::ShardingList},
    {"", "sdy.sharding_rule", AttributeKind::Rule},
};

constexpr AttributeSlot kAny = {"", ""};

/// Returns true for ops whose definitions do not list their attributes.
bool has_open_names(ir::OpKind kind) {
  return kind == ir::OpKind::Func || kind == ir::OpKind::BuiltinModule ||
         kind == ir::OpKind::ChloScan;
}

/// Returns the slot of a name that the op's definition does not list. The name is foreign, like a
/// misspelled name, unless it has a dialect prefix or this library defines it.
AttributeSlot unlisted(ir::OpKind kind, std::string_view name) {
  const bool is_ours =
      name.starts_with('$') || name.ends_with("egmentSizes") || name.ends_with("_segment_sizes");
  const bool has_dialect = name.find('.', 1) != std::string_view::npos && !name.starts_with('.');
  AttributeSlot slot = kAny;
  slot.is_foreign = !is_ours && !has_dialect && !has_open_names(kind);
  return slot;
}

}  // namespace

AttributeSlot attribute_slot(std::string_view op, std::string_view name) {
  for (const AttributeSlot& slot : kSlots) {
    if (slot.name == name && (slot.op.empty() || slot.op == op)) return slot;
  }
  const ir::OpKind kind = ir::find_op(op);
  if (kind == ir::OpKind::Unknown) return kAny;
  const AttributeDefinition* const row = ir::definition_of(kind).find_attribute(name);
  if (row == nullptr) return unlisted(kind, name);
  const AttributeCodec* const codec = find_codec(row->kind);
  if (codec == nullptr || codec->traits.needs_tag) return kAny;
  AttributeSlot slot{info(kind).name, row->name, row->kind, ir::definition_of(row->kind).element};
  if (row->kind == AttributeKind::Pairs) slot.columns = 2;
  if (row->words != nullptr) {
    slot.enumeration = row->words->kind;
    slot.words = row->words->words;
  }
  return slot;
}

std::span<const AttributeCodec* const> tagged_codecs() { return codec_table().tagged; }

const AttributeCodec* find_codec(AttributeKind kind) {
  return codec_table().by_kind[static_cast<std::size_t>(kind)];
}

const AttributeCodec* find_codec(std::string_view dialect, std::string_view name) {
  const auto found = std::ranges::find_if(codec_table().with_body, [&](const AttributeCodec* row) {
    const std::size_t dot = row->mlir.mnemonic.find('.');
    const bool is_chlo = row->mlir.mnemonic.substr(0, dot) == "chlo";
    return row->mlir.mnemonic.substr(dot + 1) == name && is_chlo == (dialect == "chlo");
  });
  return found == codec_table().with_body.end() ? nullptr : *found;
}

const AttributeCodec& codec_of(const ir::Attribute& attribute) {
  return *codec_table().by_form[attribute.form()];
}

ir::Attribute unresolved(const ir::Attribute& attribute) {
  const AttributeCodec& codec = codec_of(attribute);
  const std::size_t resolved = ir::definition_of(codec.kind).resolved;
  const bool has_names = resolved != ir::kAnyForm && attribute.form() != resolved;
  return codec.traits.spell == nullptr || has_names ? attribute : codec.traits.spell(attribute);
}

}  // namespace shardy::text
