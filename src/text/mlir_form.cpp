#include "text/mlir_form.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "shardy/support/result.hpp"
#include "text/mlir_form_table.hpp"

namespace shardy::text {

namespace {

constexpr EnumRow kEnums[] = {
    {"direction", "stablehlo.comparison_direction", "EQ NE GE GT LE LT"},
    {"type", "stablehlo.comparison_type", "NOTYPE FLOAT TOTALORDER SIGNED UNSIGNED"},
    {"precision", "stablehlo.precision", "DEFAULT HIGH HIGHEST"},
    {"transpose", "stablehlo.transpose", "TRANSPOSE_INVALID NO_TRANSPOSE TRANSPOSE ADJOINT"},
    {"fft", "stablehlo.fft_type", "FFT IFFT RFFT IRFFT"},
    {"algorithm", "stablehlo.rng_algorithm", "DEFAULT THREE_FRY PHILOX"},
    {"distribution", "stablehlo.rng_distribution", "UNIFORM NORMAL"},
    {"accuracy", "stablehlo.result_accuracy_mode", "DEFAULT HIGHEST TOLERANCE"},
    {"chlo_direction", "chlo.comparison_direction", "EQ NE GE GT LE LT"},
    {"chlo_type", "chlo.comparison_type", "NOTYPE FLOAT TOTALORDER SIGNED UNSIGNED"},
    {"chlo_precision", "chlo.precision", "DEFAULT HIGH HIGHEST"},
    {"sdy_direction", "sdy.propagation_direction", "NONE FORWARD BACKWARD BOTH"},
    {"reduction", "sdy.reduction_op", "sum max min"},
};

constexpr std::pair<std::string_view, AttrKind> kKindNames[] = {
    {"any", AttrKind::Any},
    {"bool", AttrKind::Bool},
    {"i32", AttrKind::I32},
    {"i64", AttrKind::I64},
    {"ui32", AttrKind::Any},
    {"ui64", AttrKind::UI64},
    {"f32", AttrKind::F32},
    {"f64", AttrKind::F64},
    {"unit", AttrKind::Unit},
    {"string", AttrKind::String},
    {"at", AttrKind::StringSymbol},
    {"symbol", AttrKind::Symbol},
    {"enum", AttrKind::Enum},
    {"i32enum", AttrKind::I32Enum},
    {"array", AttrKind::I64Array},
    {"bools", AttrKind::BoolArray},
    {"list", AttrKind::Array},
    {"dict", AttrKind::Dictionary},
    {"literal", AttrKind::Literal},
    {"dense", AttrKind::Dense},
    {"opaque", AttrKind::Opaque},
    {"dot", AttrKind::DotDims},
    {"gather", AttrKind::GatherDims},
    {"scatter", AttrKind::ScatterDims},
    {"conv", AttrKind::ConvolutionDims},
    {"algorithm", AttrKind::DotAlgorithm},
    {"mesh", AttrKind::Mesh},
    {"sharding", AttrKind::Sharding},
    {"shardings", AttrKind::ShardingList},
    {"axes", AttrKind::Axes},
    {"axeslists", AttrKind::AxesLists},
    {"alltoall", AttrKind::AllToAll},
    {"manual", AttrKind::ManualAxes},
    {"permute", AttrKind::Permute},
};

constexpr std::pair<std::string_view, TypeForm> kTypeForms[] = {
    {"SAME", TypeForm::Same},         {"FUNC", TypeForm::Func},     {"SEL", TypeForm::Select},
    {"CPLX", TypeForm::Complex},      {"PAIR", TypeForm::Pair},     {"RESULT", TypeForm::Result},
    {"OPERANDS", TypeForm::Operands}, {"TUPLE", TypeForm::Tuple},   {"ARROW", TypeForm::Arrow},
    {"ARROWS", TypeForm::Arrows},     {"ONE", TypeForm::One},       {"ONESAME", TypeForm::OneSame},
    {"VALUE", TypeForm::Value},       {"VALUE0", TypeForm::Value0}, {"CLOSE", TypeForm::Close},
};

/// Several attributes under one name of a format.
constexpr AttrRow kCompound[] = {
    {.name = "ranges", .kind = AttrKind::SliceRanges},
    {.name = "float_format", .kind = AttrKind::FloatFormat},
};

template <class Table, class Value>
Value looked_up(const Table& table, std::string_view name, Value fallback) {
  for (const auto& [key, value] : table) {
    if (key == name) return value;
  }
  SHARDY_ASSERT(false);
  return fallback;
}

std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  return part;
}

/// `name:kind words?=default`.
AttrRow parse_attribute(std::string_view text) {
  AttrRow row;
  row.name = take_until(text, ':');
  const std::size_t equals = text.find('=');
  std::string_view kind = text.substr(0, equals);
  if (equals != std::string_view::npos) row.default_value = text.substr(equals + 1);
  row.always = kind.ends_with('!');
  const bool optional = kind.ends_with('?');
  if (row.always || optional) kind.remove_suffix(1);
  row.required = !optional && equals == std::string_view::npos;
  row.kind = looked_up(kKindNames, take_until(kind, ' '), AttrKind::Any);
  if (row.kind == AttrKind::Array && !kind.empty()) row.kind = AttrKind::EnumList;
  const auto* const words = std::ranges::find(kEnums, kind, &EnumRow::name);
  if (!kind.empty()) row.words = words;
  return row;
}

/// Reads one format into the items of a form.
class FormatReader {
 public:
  FormatReader(std::string_view format, OpForm& form) : format_(format), form_(form) {}

  void read() {
    const std::size_t types = format_.rfind(" : ");
    if (types != std::string_view::npos) {
      form_.types = looked_up(kTypeForms, format_.substr(types + 3), TypeForm::None);
      format_ = format_.substr(0, types);
    }
    while (at_ < format_.size()) read_item();
  }

 private:
  void read_item() {
    const std::string_view rest = format_.substr(at_);
    if (rest.starts_with(" A") && (rest.size() == 2 || rest[2] == ' ')) {
      return add(ItemKind::Dictionary, 2);
    }
    if (rest.starts_with(" *")) return add(ItemKind::Operands, 2, " ");
    switch (rest.front()) {
      case '%':
        return add(ItemKind::Operand, 1);
      case '*':
        return add(ItemKind::Operands, 1);
      case '$':
        return read_attribute();
      case '{':
        add(ItemKind::Group, 1);
        form_.items.back().row = attribute_after(at_);
        return;
      case '}':
        return add(ItemKind::EndGroup, 1);
      default:
        return read_text();
    }
  }

  void add(ItemKind kind, std::size_t length, std::string_view text = {}) {
    form_.items.push_back({kind, text, nullptr});
    at_ += length;
  }

  void read_text() {
    std::size_t end = at_ + 1;
    while (end < format_.size() &&
           std::string_view("%*${}").find(format_[end]) == std::string::npos &&
           !stands_spaced_item(end)) {
      ++end;
    }
    add(ItemKind::Text, end - at_, format_.substr(at_, end - at_));
  }

  bool stands_spaced_item(std::size_t at) const {
    const std::string_view rest = format_.substr(at);
    return rest.starts_with(" *") ||
           (rest.starts_with(" A") && (rest.size() == 2 || rest[2] == ' '));
  }

  std::string_view name_at(std::size_t dollar) const {
    std::size_t end = dollar + 1;
    while (end < format_.size() &&
           (format_[end] == '_' || (format_[end] >= 'a' && format_[end] <= 'z'))) {
      ++end;
    }
    return format_.substr(dollar + 1, end - dollar - 1);
  }

  const AttrRow* attribute_after(std::size_t at) const {
    const std::string_view name = name_at(format_.find('$', at));
    if (const AttrRow* row = form_.find(name)) return row;
    const auto* const found = std::ranges::find(kCompound, name, &AttrRow::name);
    SHARDY_ASSERT(found != std::end(kCompound));
    return found;
  }

  void read_attribute() {
    const AttrRow* row = attribute_after(at_);
    add(ItemKind::Attribute, row->name.size() + 1);
    form_.items.back().row = row;
  }

  std::string_view format_;
  OpForm& form_;
  std::size_t at_ = 0;
};

void fill(OpForm& form, const FormRow& row) {
  form.is_written = true;
  form.special = row.format.empty() ? SpecialForm::GenericOnly : row.special;
  form.min_operands = row.min_operands;
  for (std::string_view rest = row.attributes; !rest.empty();) {
    form.attributes.push_back(parse_attribute(take_until(rest, ';')));
  }
  SHARDY_ASSERT(std::ranges::is_sorted(form.attributes, {}, &AttrRow::name));
  if (!row.format.empty()) FormatReader(row.format, form).read();
}

using FormTable = std::array<OpForm, ir::kNumKnownOps>;

const FormTable& table() {
  static const FormTable kTable = [] {
    FormTable forms;
    for (const FormRow& row : form_rows()) fill(forms[static_cast<std::size_t>(row.kind)], row);
    return forms;
  }();
  return kTable;
}

}  // namespace

const EnumRow* find_enum(std::string_view kind) {
  const auto* const row = std::ranges::find(kEnums, kind, &EnumRow::kind);
  return row == std::end(kEnums) ? nullptr : row;
}

int64_t enum_number(const EnumRow& row, std::string_view word) {
  std::string_view words = row.words;
  for (int64_t number = 0; !words.empty(); ++number) {
    if (take_until(words, ' ') == word) return number;
  }
  return -1;
}

std::string_view enum_word(const EnumRow& row, int64_t number) {
  std::string_view words = row.words;
  for (; number > 0 && !words.empty(); --number) take_until(words, ' ');
  return number == 0 ? take_until(words, ' ') : std::string_view();
}

bool OpForm::shows(std::string_view name) const {
  for (const FormItem& item : items) {
    if (item.kind != ItemKind::Attribute) continue;
    if (item.row->name == name) return true;
    const auto names = shown_names(*item.row);
    if (std::ranges::find(names, name) != names.end()) return true;
  }
  return false;
}

const OpForm& form_of(ir::OpKind kind) {
  SHARDY_ASSERT(kind != ir::OpKind::Unknown);
  return table()[static_cast<std::size_t>(kind)];
}

std::span<const std::string_view> shown_names(const AttrRow& row) {
  static constexpr std::string_view kRanges[] = {"start_indices", "limit_indices", "strides"};
  static constexpr std::string_view kFormat[] = {"exponent_bits", "mantissa_bits"};
  if (row.kind == AttrKind::SliceRanges) return kRanges;
  if (row.kind == AttrKind::FloatFormat) return kFormat;
  return std::span(&row.name, 1);
}

}  // namespace shardy::text
