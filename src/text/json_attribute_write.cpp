#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "shardy/algebra/op_sharding_rule.hpp"
#include "shardy/algebra/spelled.hpp"
#include "shardy/ir/type_text.hpp"
#include "text/attribute_schema.hpp"
#include "text/dim_numbers.hpp"
#include "text/json_attribute.hpp"
#include "text/json_fields.hpp"
#include "text/json_writer.hpp"

namespace shardy::text {

namespace {

void write_integers(JsonWriter& writer, const std::vector<int64_t>& values) {
  writer.begin_array();
  for (const int64_t value : values) writer.integer(value);
  writer.end_array();
}

void write_integer_of(JsonWriter& writer, int64_t value, ir::ElementType type) {
  if (ir::is_unsigned_integer(type)) return writer.unsigned_integer(static_cast<uint64_t>(value));
  writer.integer(value);
}

/// Forms and payloads of the unresolved attributes; the payload is what plain JSON holds and what a
/// tag is followed by.
class PayloadWriter {
 public:
  PayloadWriter(JsonWriter& writer, const AttributeSlot& slot, const AttributeContext& context)
      : writer_(writer), slot_(slot), context_(context) {}

  void operator()(const ir::UnitAttr& /*unit*/) { writer_.boolean(true); }
  void operator()(bool value) { writer_.boolean(value); }
  void operator()(const ir::IntegerAttr& attr) { write_integer_of(writer_, attr.value, attr.type); }
  void operator()(const ir::FloatAttr& attr) { write_float(writer_, attr.value); }
  void operator()(const std::string& text) { writer_.string(text); }
  void operator()(const ir::SymbolAttr& attr) { writer_.string(symbol_string(attr.name)); }
  void operator()(const ir::TypeAttr& attr) { writer_.string(type_text(attr.type)); }
  void operator()(const ir::EnumAttr& attr) { writer_.string(attr.value); }
  void operator()(const ir::DenseArrayAttr& attr) {
    writer_.begin_array();
    for (const int64_t value : attr.values) {
      if (ir::is_boolean(attr.element) && (value == 0 || value == 1)) {
        writer_.boolean(value != 0);
      } else {
        write_integer_of(writer_, value, attr.element);
      }
    }
    writer_.end_array();
  }
  void operator()(const ir::ArrayAttr& list);
  void operator()(const ir::AttributeMap& map);
  void operator()(const ir::Literal& literal) {
    if (slot_.form == AttributeForm::Rows) return write_rows(literal);
    write_literal(writer_, literal, context_.max_elements);
  }
  void operator()(const ir::OpaqueAttr& attr) { writer_.string(attr.text); }
  void operator()(const ir::DotDims& dims) { write_dims(dims); }
  void operator()(const ir::RaggedDotDims& dims) { write_dims(dims); }
  void operator()(const ir::GatherDims& dims) { write_dims(dims); }
  void operator()(const ir::ScatterDims& dims) { write_dims(dims); }
  void operator()(const ir::ConvolutionDims& dims) { write_dims(dims); }
  void operator()(const Mesh& mesh) { write_mesh(writer_, mesh); }
  void operator()(const UnresolvedSharding& sharding) {
    write_sharding(writer_, sharding, context_.implied_mesh);
  }
  void operator()(const ir::UnresolvedShardingList& list) {
    writer_.begin_array();
    for (const UnresolvedSharding& sharding : list.shardings) {
      write_sharding(writer_, sharding, context_.implied_mesh);
    }
    writer_.end_array();
  }
  void operator()(const ir::UnresolvedAxesAttr& attr) { write_axes(writer_, attr.axes); }
  void operator()(const ir::UnresolvedAxesListsAttr& attr) {
    writer_.begin_array();
    for (const UnresolvedAxisList& axes : attr.lists) write_axes(writer_, axes);
    writer_.end_array();
  }
  void operator()(const ir::UnresolvedAllToAllAttr& attr) {
    writer_.begin_array();
    for (const ir::UnresolvedAllToAllParam& param : attr.params) {
      writer_.begin_object();
      write_axes(writer_.key("axes"), param.axes);
      writer_.key("source").integer(param.source_dim);
      writer_.key("target").integer(param.target_dim);
      writer_.end_object();
    }
    writer_.end_array();
  }
  void operator()(const ir::ManualAxesAttr& attr) {
    writer_.begin_array();
    for (const std::string& name : attr.names) writer_.string(name);
    writer_.end_array();
  }
  void operator()(const OpShardingRule& rule) { writer_.string(to_string(rule)); }
  void operator()(const ir::PermuteMap& map);
  // Resolved forms: unresolved() has replaced them.
  void operator()(const TensorSharding& /*sharding*/) {}
  void operator()(const ir::ShardingList& /*list*/) {}
  void operator()(const ir::AxesAttr& /*attr*/) {}
  void operator()(const ir::AxesListsAttr& /*attr*/) {}
  void operator()(const ir::AllToAllAttr& /*attr*/) {}

 private:
  template <class T>
  void write_dims(const T& dims) {
    writer_.begin_object();
    for (const auto& member : DimNumbers<T>::kMembers) {
      if (member.number) writer_.key(member.name).integer(dims.*member.number);
      if (member.list && !(dims.*member.list).empty()) {
        write_integers(writer_.key(member.name), dims.*member.list);
      }
    }
    writer_.end_object();
  }

  void write_rows(const ir::Literal& literal) {
    const std::span<const int64_t> dims = literal.type().dims();
    writer_.begin_array();
    for (int64_t row = 0; row < dims[0]; ++row) {
      writer_.begin_array();
      for (int64_t column = 0; column < dims[1]; ++column) {
        writer_.integer(literal.at<int64_t>(row * dims[1] + column));
      }
      writer_.end_array();
    }
    writer_.end_array();
  }

  void write_permute_numbers(const ir::PermuteMap& map, const PermuteKind& kind);
  void write_mesh_or_name(const Mesh& mesh);

  JsonWriter& writer_;
  const AttributeSlot& slot_;
  const AttributeContext& context_;
};

bool is_enum_list(const ir::ArrayAttr& list, const AttributeSlot& slot) {
  return std::ranges::all_of(list.elements, [&](const ir::Attribute& element) {
    const auto* word = element.as<ir::EnumAttr>();
    return word && word->kind == slot.kind;
  });
}

/// The word is one of those that the slot lists, so that it reads back.
bool is_word_of(const ir::EnumAttr& attr, const AttributeSlot& slot) {
  const std::string words = " " + std::string(slot.words) + " ";
  return attr.kind == slot.kind && attr.value.find(' ') == std::string::npos &&
         words.find(" " + attr.value + " ") != std::string::npos;
}

void PayloadWriter::operator()(const ir::ArrayAttr& list) {
  static constexpr AttributeSlot kElementSlot = {"", ""};
  AttributeSlot element = kElementSlot;
  if (slot_.form == AttributeForm::EnumList) {
    element = slot_;
    element.form = AttributeForm::Enum;
  }
  writer_.begin_array();
  for (const ir::Attribute& each : list.elements) write_attribute(writer_, each, element, context_);
  writer_.end_array();
}

void PayloadWriter::operator()(const ir::AttributeMap& map) {
  writer_.begin_object();
  for (const ir::NamedAttribute& entry : map) {
    write_attribute(writer_.key(entry.name), entry.value, attribute_slot("", entry.name), context_);
  }
  writer_.end_object();
}

void PayloadWriter::write_permute_numbers(const ir::PermuteMap& map, const PermuteKind& kind) {
  if (map.kind == ir::PermuteMap::Kind::Pairs && map.numbers.size() % 2 == 0) {
    writer_.key("pairs").begin_array();
    for (std::size_t index = 0; index < map.numbers.size(); index += 2) {
      write_integers(writer_, {map.numbers[index], map.numbers[index + 1]});
    }
    return writer_.end_array();
  }
  if (map.numbers.size() != kind.numbers.size()) {
    return write_integers(writer_.key("numbers"), map.numbers);
  }
  for (std::size_t index = 0; index < map.numbers.size(); ++index) {
    writer_.key(kind.numbers[index]).integer(map.numbers[index]);
  }
}

void PayloadWriter::write_mesh_or_name(const Mesh& mesh) {
  for (const auto& [name, known] : *context_.meshes) {
    if (known == mesh) return writer_.string("@" + name);
  }
  write_mesh(writer_, mesh);
}

void PayloadWriter::operator()(const ir::PermuteMap& map) {
  const auto* const kind = std::ranges::find(kPermuteKinds, map.kind, &PermuteKind::kind);
  writer_.begin_object();
  writer_.key("kind").string(kind->name);
  write_permute_numbers(map, *kind);
  const bool has_orders = !map.source_order.empty() || !map.receiver_order.empty();
  if (has_orders || !map.mesh.empty()) {
    writer_.key("mesh");
    write_mesh_or_name(map.mesh);
  }
  if (has_orders) {
    write_axes(writer_.key("source_order"), spell(map.mesh, map.source_order));
    write_axes(writer_.key("receiver_order"), spell(map.mesh, map.receiver_order));
  }
  writer_.end_object();
}

/// By alternative of ir::Attribute::Forms, in its order.
constexpr std::array kForms = [] {
  using enum AttributeForm;
  return std::array{
      Unit,       Boolean,     Integer,    Float,    String,   Symbol,       Type,         Enum,
      DenseArray, List,        Dictionary, Literal,  Opaque,   Dot,          RaggedDot,    Gather,
      Scatter,    Convolution, Mesh,       Sharding, Sharding, ShardingList, ShardingList, Axes,
      Axes,       AxesLists,   AxesLists,  AllToAll, AllToAll, ManualAxes,   Rule,         Permute};
}();
static_assert(kForms.size() == ir::Attribute::Forms::kSize);

AttributeForm form_of(const ir::Attribute& attribute) { return kForms[attribute.form()]; }

/// Where nothing is expected, four forms are plain JSON.
bool is_plain_anywhere(const ir::Attribute& attribute) {
  const auto* integer = attribute.as<ir::IntegerAttr>();
  return attribute.as<bool>() || attribute.as<std::string>() || attribute.as<ir::ArrayAttr>() ||
         (integer && integer->type == ir::ElementType::I64);
}

/// Lists of rows tell its type, and are not too long.
bool tells_type(const ir::Literal& literal, const AttributeSlot& slot,
                const AttributeContext& context) {
  const ir::Type& type = literal.type();
  if (type.element() != ir::ElementType::I64 || type.rank() != 2) return false;
  const auto columns = static_cast<std::size_t>(type.dims()[1]);
  const bool fits = columns == slot.columns || (slot.columns == 0 && type.dims()[0] > 0);
  return fits && std::max(type.dims()[0], type.num_elements()) <= context.max_elements;
}

/// The payload alone reads back as this attribute.
bool is_plain(const ir::Attribute& attribute, const AttributeSlot& slot,
              const AttributeContext& context) {
  if (slot.form == AttributeForm::Any) return is_plain_anywhere(attribute);
  const auto* list = attribute.as<ir::ArrayAttr>();
  if (slot.form == AttributeForm::EnumList) return list && is_enum_list(*list, slot);
  if (slot.form == AttributeForm::Rows) {
    const auto* rows = attribute.as<ir::Literal>();
    return rows && tells_type(*rows, slot, context);
  }
  if (slot.form != form_of(attribute)) return false;
  if (const auto* word = attribute.as<ir::EnumAttr>()) return is_word_of(*word, slot);
  if (const auto* integer = attribute.as<ir::IntegerAttr>()) return integer->type == slot.element;
  if (const auto* number = attribute.as<ir::FloatAttr>()) return number->type == slot.element;
  if (const auto* array = attribute.as<ir::DenseArrayAttr>()) return array->element == slot.element;
  if (const auto* literal = attribute.as<ir::Literal>()) {
    return context.result_type && *context.result_type == literal->type();
  }
  return true;
}

/// Writes the second key of a tagged attribute, such as its type.
void write_detail(JsonWriter& writer, const ir::Attribute& attribute, std::string_view key) {
  writer.key(key);
  if (const auto* integer = attribute.as<ir::IntegerAttr>()) {
    writer.string(to_string(integer->type));
  } else if (const auto* number = attribute.as<ir::FloatAttr>()) {
    writer.string(to_string(number->type));
  } else if (const auto* array = attribute.as<ir::DenseArrayAttr>()) {
    writer.string(to_string(array->element));
  } else if (const auto* word = attribute.as<ir::EnumAttr>()) {
    writer.string(word->kind);
  } else if (const auto* literal = attribute.as<ir::Literal>()) {
    writer.string(type_text(literal->type()));
  }
}

}  // namespace

void write_attribute(JsonWriter& writer, const ir::Attribute& attribute, const AttributeSlot& slot,
                     const AttributeContext& context) {
  const ir::Attribute text = unresolved(attribute);
  PayloadWriter payload(writer, slot, context);
  if (is_plain(text, slot, context)) return text.visit(payload);
  const AttributeTag& tag = tag_of(form_of(text));
  const AttributeSlot tagged{.op = "", .name = "", .form = tag.form};
  PayloadWriter inner(writer, tagged, context);
  writer.begin_object();
  writer.key(tag.name);
  text.visit(inner);
  if (!tag.detail.empty()) write_detail(writer, text, tag.detail);
  writer.end_object();
}

}  // namespace shardy::text
