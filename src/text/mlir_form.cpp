#include "text/mlir_form.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/support/result.hpp"

namespace shardy::text {

namespace {

constexpr std::pair<std::string_view, TypeForm> kTypeForms[] = {
    {"SAME", TypeForm::Same},         {"FUNC", TypeForm::Func},     {"SEL", TypeForm::Select},
    {"CPLX", TypeForm::Complex},      {"PAIR", TypeForm::Pair},     {"RESULT", TypeForm::Result},
    {"OPERANDS", TypeForm::Operands}, {"TUPLE", TypeForm::Tuple},   {"ARROW", TypeForm::Arrow},
    {"ARROWS", TypeForm::Arrows},     {"ONE", TypeForm::One},       {"ONESAME", TypeForm::OneSame},
    {"VALUE", TypeForm::Value},       {"VALUE0", TypeForm::Value0}, {"CLOSE", TypeForm::Close},
};

/// Format words that represent several attributes.
constexpr AttributeDefinition kCompound[] = {
    {.name = "ranges", .kind = AttributeKind::SliceRanges},
    {.name = "float_format", .kind = AttributeKind::FloatFormat},
};

template <class Table, class Value>
Value looked_up(const Table& table, std::string_view name, Value fallback) {
  for (const auto& [key, value] : table) {
    if (key == name) return value;
  }
  SHARDY_ASSERT(false);
  return fallback;
}

/// Parses one format into the items of a form.
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
           !is_spaced_item_at(end)) {
      ++end;
    }
    add(ItemKind::Text, end - at_, format_.substr(at_, end - at_));
  }

  bool is_spaced_item_at(std::size_t at) const {
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

  const AttributeDefinition* attribute_after(std::size_t at) const {
    const std::string_view name = name_at(format_.find('$', at));
    if (const AttributeDefinition* row = form_.op->find_attribute(name)) return row;
    const auto* const found = std::ranges::find(kCompound, name, &AttributeDefinition::name);
    SHARDY_ASSERT(found != std::end(kCompound));
    return found;
  }

  void read_attribute() {
    const AttributeDefinition* row = attribute_after(at_);
    add(ItemKind::Attribute, row->name.size() + 1);
    form_.items.back().row = row;
  }

  std::string_view format_;
  OpForm& form_;
  std::size_t at_ = 0;
};

using FormTable = std::array<OpForm, ir::kNumKnownOps>;

const FormTable& table() {
  static const FormTable kTable = [] {
    FormTable forms;
    for (std::size_t index = 0; index < forms.size(); ++index) {
      forms[index].op = &ir::definition_of(static_cast<ir::OpKind>(index));
      FormatReader(forms[index].op->form, forms[index]).read();
    }
    return forms;
  }();
  return kTable;
}

}  // namespace

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

std::span<const std::string_view> shown_names(const AttributeDefinition& row) {
  static constexpr std::string_view kRanges[] = {ir::attr::kStartIndices, ir::attr::kLimitIndices,
                                                 ir::attr::kStrides};
  static constexpr std::string_view kFormat[] = {ir::attr::kExponentBits, ir::attr::kMantissaBits};
  if (row.kind == AttributeKind::SliceRanges) return kRanges;
  if (row.kind == AttributeKind::FloatFormat) return kFormat;
  return std::span(&row.name, 1);
}

}  // namespace shardy::text
