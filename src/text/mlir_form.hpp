// How each op is written: its custom form and its inherent attributes. One table for reader and
// printer. Spec: stablehlo 9 to 12, dialect 3, 4.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "shardy/ir/op_table.hpp"

namespace shardy::text {

/// What an inherent attribute is, and how a custom form writes it.
enum class AttrKind : uint8_t {
  Any,
  Bool,
  I32,
  I64,
  UI64,
  F32,
  F64,
  Unit,
  String,
  StringSymbol,  // a string, `@name` in custom forms
  Symbol,
  Enum,
  I32Enum,   // an integer in generic forms
  EnumList,  // `[HIGH, DEFAULT]`
  I64Array,  // `[1, 2]`
  BoolArray,
  Array,
  Dictionary,
  Literal,  // `dense<..> : T`
  Dense,    // a literal, or what stands for one
  Opaque,
  DotDims,
  GatherDims,
  ScatterDims,
  ConvolutionDims,
  DotAlgorithm,
  Mesh,
  Sharding,
  ShardingList,
  Axes,
  AxesLists,
  AllToAll,
  ManualAxes,
  Permute,
  // Several attributes in one, of custom forms only.
  SliceRanges,
  FloatFormat
};

/// The words of an enumeration.
struct EnumRow {
  std::string_view name;   // in the table of forms
  std::string_view kind;   // of ir::EnumAttr
  std::string_view words;  // in the order of their numbers, separated by blanks
};
/// The row of that ir::EnumAttr::kind, or null.
const EnumRow* find_enum(std::string_view kind);
/// Number of a word in a row, -1 if there is none.
int64_t enum_number(const EnumRow& row, std::string_view word);
/// Word of a number, empty if there is none.
std::string_view enum_word(const EnumRow& row, int64_t number);

struct AttrRow {
  std::string_view name;
  AttrKind kind = AttrKind::Any;
  const EnumRow* words = nullptr;
  bool required = false;
  bool always = false;                  // the default is set where the attribute is missing
  std::string_view default_value = {};  // its text; empty: none
};

/// What stands behind the last `:` of a custom form. Spec: stablehlo 9.
enum class TypeForm : uint8_t {
  None,
  Same,      // one type for operands and result, else a function type
  Func,      // a function type
  Select,    // predicate and result
  Complex,   // the result's
  Pair,      // the operands', which are the results'
  Result,    // the result's; no operands
  Operands,  // the operands'; no results
  Tuple,     // a tuple of the operands'
  Arrow,     // `T, U -> V`
  Arrows,    // `T -> (U, V)`
  One,       // one for all operands; no results
  OneSame,   // one for the operand and the result
  Value,     // the literal's is the result's
  Value0,    // the literal's is the operand's; no results
  Close      // attributes, then two types
};

enum class ItemKind : uint8_t { Text, Operand, Operands, Attribute, Dictionary, Group, EndGroup };

struct FormItem {
  ItemKind kind = ItemKind::Text;
  std::string_view text = {};    // of Text, with its blanks
  const AttrRow* row = nullptr;  // of Attribute; of Group: the one that decides
};

/// Ops whose custom form has regions or belongs to nobody else.
enum class SpecialForm : uint8_t {
  None,
  GenericOnly,
  Module,
  Func,
  SdyMesh,
  Reduce,
  While,
  Convolution,
  Composite,
  OptimizationBarrier,
  Constant,
  DotGeneral,
  NamedComputation,
  ManualComputation,
  Scan
};

struct OpForm {
  SpecialForm special = SpecialForm::GenericOnly;
  TypeForm types = TypeForm::None;
  std::vector<FormItem> items;
  std::vector<AttrRow> attributes;  // sorted by name
  std::size_t min_operands = 0;     // with fewer, the generic form is printed
  bool is_written = false;          // has any row

  const AttrRow* find(std::string_view name) const {
    for (const AttrRow& row : attributes) {
      if (row.name == name) return &row;
    }
    return nullptr;
  }
  /// The form shows the attribute outside of its dictionary.
  bool shows(std::string_view name) const;
};

/// Requires: a known kind.
const OpForm& form_of(ir::OpKind kind);

/// Names under which ops keep what text shows elsewhere than in a dictionary.
constexpr std::string_view kSuccessorsAttr = "$successors";
constexpr std::string_view kPropertiesAttr = "$properties";  // of unknown ops
constexpr std::string_view kResourcesAttr = "$resources";    // of the module, its file's
constexpr bool is_reserved_name(std::string_view name) {
  return name == kSuccessorsAttr || name == kPropertiesAttr || name == kResourcesAttr;
}
/// What `$properties` are called in text that has no `<{...}>`.
constexpr std::string_view kLegacyPropertiesAttr = "shardy.properties";

/// Names of the attributes that `row` stands for in a custom form.
std::span<const std::string_view> shown_names(const AttrRow& row);

}  // namespace shardy::text
