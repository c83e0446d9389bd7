// Definitions of ops, one row per op. The verifier, the parsers and printers of text, the JSON
// Schema and docs/json.md use the definitions. The rows are in shardy/ir/ops/, one file per family.
// op_table.hpp has only names and traits, for code on hot paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "shardy/ir/op_table.hpp"
#include "shardy/ir/type.hpp"
#include "shardy/support/result.hpp"

namespace shardy::ir {

class Type;
struct OpFacts;
struct VerifyContext;

/// Kind of an inherent attribute. The kind determines the attribute's form in custom assembly.
enum class AttributeKind : uint8_t {
  Any,
  Bool,
  I32,
  I64,
  UI32,
  UI64,
  F32,
  F64,
  Unit,
  String,
  StringSymbol,  // a string; `@name` in custom assembly
  Symbol,
  Type,
  Enum,
  I32Enum,   // an integer in generic assembly
  EnumList,  // `[HIGH, DEFAULT]`
  I64Array,  // `[1, 2]`
  BoolArray,
  Array,
  Dictionary,
  Literal,  // `dense<..> : T`
  Pairs,    // a literal of n pairs of i64, or its opaque replacement
  Groups,   // a literal of n i64 lists of equal length, or its opaque replacement
  Opaque,
  DotDims,
  RaggedDotDims,
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
  Rule,
  Permute,
  // Kinds that combine several attributes; only in custom assembly.
  SliceRanges,
  FloatFormat
};

/// Class of a kind of attribute. Numbers and lists of numbers are read and printed in the same way
/// for all element types.
enum class AttributeBase : uint8_t { Other, Integer, Float, Array };

/// KindDefinition::form of kinds without a fixed form.
inline constexpr uint8_t kAnyForm = std::numeric_limits<uint8_t>::max();

/// Properties of a kind of attribute.
struct KindDefinition {
  AttributeKind kind = AttributeKind::Any;    // the kind that this row defines
  std::string_view name = {};                 // name of the kind in the rows of ops
  AttributeBase base = AttributeBase::Other;  // class of the kind
  ElementType element = ElementType::I64;     // element type of numbers and lists
  /// Description in errors: `attribute 'x' must be a bool attribute`.
  std::string_view text = "of its kind";
  uint8_t form = kAnyForm;      // index in Attribute::Forms; for axes, the unresolved form
  uint8_t resolved = kAnyForm;  // index of the resolved form of axes; kAnyForm: none
  bool may_be_opaque = false;   // whether an OpaqueAttr is also accepted
};
/// Returns the properties of a kind. Requires: a kind that the rows of ops can name, not a kind of
/// custom assembly only.
const KindDefinition& definition_of(AttributeKind kind);

/// An enumeration of the dialects, such as `comparison_direction`.
struct EnumDefinition {
  std::string_view name;   // name of the enumeration in the rows of ops
  std::string_view kind;   // EnumAttr::kind
  std::string_view words;  // keywords in the order of their numbers, separated by blanks
  bool is_number = false;  // true if generic assembly prints the number
};
/// Returns the enumeration whose EnumAttr::kind is `kind`, or null.
const EnumDefinition* find_enum(std::string_view kind);
/// Returns the number of a keyword; -1 if the enumeration does not contain the keyword.
int64_t enum_number(const EnumDefinition& definition, std::string_view word);
/// Returns the keyword of a number; empty if the enumeration does not contain the number.
std::string_view enum_word(const EnumDefinition& definition, int64_t number);

/// An inherent attribute of an op.
struct AttributeDefinition {
  std::string_view name = {};               // name in the text of the op
  AttributeKind kind = AttributeKind::Any;  // kind of the attribute
  const EnumDefinition* words = nullptr;    // enumeration of the attribute, or null
  bool required = false;                    // true if an op without the attribute is an error
  bool always = false;                  // true if parsers add a missing attribute with its default
  std::string_view default_value = {};  // text of the default; empty: no default
};

/// Element type of the result of an elementwise op, derived from the element type of operand 0.
enum class ResultElement : uint8_t { Same, Boolean, RealPart, ComplexOf };

/// Allowed range of the number of operands or regions of an op.
struct Count {
  std::size_t least = 0;  // minimum, inclusive
  std::size_t most = 0;   // maximum, inclusive

  /// Checks whether `count` is allowed.
  constexpr bool holds(std::size_t count) const { return count >= least && count <= most; }
};

/// Count::most without a bound.
inline constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

/// Custom assembly form of an op.
enum class Syntax : uint8_t {
  Form,
  GenericOnly,  // no custom form; the generic form is printed
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

/// Returns the result types, or the first violated constraint of the op kind as an error. Requires:
/// valid numbers of operands and regions, valid blocks and terminators.
using InferFunction = Result<std::vector<Type>> (*)(const OpFacts&);
/// Verifies constraints of an op that are not about types, such as its parent and its shardings.
/// Requires: valid counts, blocks and types.
using VerifyFunction = Status (*)(const VerifyContext&, OpId);

/// The definition of an op. Texts and lists are views of static memory.
struct OpDefinition {
  OpKind kind = OpKind::Unknown;  // the kind that this row defines
  std::string_view family = {};   // name of the file in shardy/ir/ops/ with this row
  /// Operand names, separated by blanks. `+` after a name means one or more operands, `*` any
  /// number.
  std::string_view operands = {};
  std::string_view results = {};  // result names, in the format of `operands`
  std::string_view regions = {};  // region names, in the format of `operands`
  /// True if the text has the result types, because inference does not determine them.
  bool types_given = false;
  /// Allowed classes of the operands of an elementwise op: a ClassMask of op_facts.hpp.
  unsigned classes = 0;
  ResultElement result_element = ResultElement::Same;  // element type of the result
  Count num_operands = {};                             // allowed number of operands
  Count num_regions = {};                              // allowed number of regions
  OpKind terminator = OpKind::Unknown;  // terminator of the region's blocks; Unknown: any
  InferFunction infer = nullptr;        // type inference of the op; null: by `classes`, or none
  VerifyFunction verify = nullptr;      // verifier of constraints beyond types; null: none
  /// Verifier of constraints that involve shardings of other values; runs after all other checks.
  /// Null: none.
  VerifyFunction verify_uses = nullptr;
  std::span<const AttributeDefinition> attributes = {};  // inherent attributes, sorted by name
  std::string_view form = {};           // custom form in the notation of src/ir/op_row.hpp
  Syntax syntax = Syntax::GenericOnly;  // kind of custom form
  std::size_t min_operands = 0;         // ops with fewer operands are printed in generic form

  /// Returns the inherent attribute named `name`, or null.
  const AttributeDefinition* find_attribute(std::string_view name) const {
    for (const AttributeDefinition& attribute : attributes) {
      if (attribute.name == name) return &attribute;
    }
    return nullptr;
  }
};

/// Returns the definition of an op kind. Requires: a kind of the table, not Unknown.
const OpDefinition& definition_of(OpKind kind);

}  // namespace shardy::ir
