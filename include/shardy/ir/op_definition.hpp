// Definitions of ops, from one row per op: the data of the verifier, the readers and printers of
// text, the JSON Schema and docs/json.md. The rows are in shardy/ir/ops/, one file per family;
// op_table.hpp has their names and traits for hot code.
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

/// Kind of an inherent attribute, with its custom form.
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
  StringSymbol,  // a string, `@name` in custom forms
  Symbol,
  Type,
  Enum,
  I32Enum,   // an integer in generic forms
  EnumList,  // `[HIGH, DEFAULT]`
  I64Array,  // `[1, 2]`
  BoolArray,
  Array,
  Dictionary,
  Literal,  // `dense<..> : T`
  Pairs,    // a literal of n pairs of i64, or a replacement of one
  Groups,   // a literal of n lists of i64 of one length, or a replacement of one
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
  // Several attributes as one group; in custom forms only.
  SliceRanges,
  FloatFormat
};

/// Base of a kind: numbers and lists of numbers are read and written in the same way for all
/// element types.
enum class AttributeBase : uint8_t { Other, Integer, Float, Array };

/// Value of KindDefinition::form if values have any form or no form.
inline constexpr uint8_t kAnyForm = std::numeric_limits<uint8_t>::max();

/// Properties of a kind of attribute.
struct KindDefinition {
  AttributeKind kind = AttributeKind::Any;    // the kind itself
  std::string_view name = {};                 // in the rows of ops
  AttributeBase base = AttributeBase::Other;  // class of its values
  ElementType element = ElementType::I64;     // of numbers and lists
  std::string_view text = "of its kind";      // in errors: `attribute 'x' must be a bool attribute`
  uint8_t form = kAnyForm;      // index in Attribute::Forms; for axes, the form with names
  uint8_t resolved = kAnyForm;  // the form with axes of a mesh, if there is one
  bool may_be_opaque = false;   // may also be the text of an unmodelled attribute
};
/// Returns the properties of a kind. Requires: a kind that rows can name, not one of custom forms
/// only.
const KindDefinition& definition_of(AttributeKind kind);

/// The words of an enumeration.
struct EnumDefinition {
  std::string_view name;   // in the rows of ops
  std::string_view kind;   // of EnumAttr
  std::string_view words;  // in the order of their numbers, separated by blanks
  bool is_number = false;  // written as its number in generic forms
};
/// The definition of EnumAttr::kind, or null.
const EnumDefinition* find_enum(std::string_view kind);
/// Number of a word, -1 if there is none.
int64_t enum_number(const EnumDefinition& definition, std::string_view word);
/// Word of a number, empty if there is none.
std::string_view enum_word(const EnumDefinition& definition, int64_t number);

/// An inherent attribute of an op.
struct AttributeDefinition {
  std::string_view name = {};               // in the text of the op
  AttributeKind kind = AttributeKind::Any;  // kind of its values
  const EnumDefinition* words = nullptr;    // the words of an enumeration, else null
  bool required = false;                    // an op without it is an error
  bool always = false;                      // the default is set where the attribute is missing
  std::string_view default_value = {};      // its text; empty: none
};

/// Element type of the result of an elementwise op, given that of operand 0.
enum class ResultElement : uint8_t { Same, Boolean, RealPart, ComplexOf };

/// Allowed number of operands or regions of an op.
struct Count {
  std::size_t least = 0;  // at least
  std::size_t most = 0;   // at most

  /// Checks whether a number is allowed.
  constexpr bool holds(std::size_t count) const { return count >= least && count <= most; }
};

/// For `most`: no bound.
inline constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();

/// Custom forms of ops.
enum class Syntax : uint8_t {
  Form,
  GenericOnly,  // no custom form
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

/// Returns the types of the results, or the first violated constraint of the op kind. Requires:
/// valid operand and region counts, blocks and terminators.
using InferFunction = Result<std::vector<Type>> (*)(const OpFacts&);
/// Verifies an op beyond its types: its parent, its shardings. Requires: valid counts, blocks and
/// types.
using VerifyFunction = Status (*)(const VerifyContext&, OpId);

/// The definition of an op. Its texts and lists are views of static memory.
struct OpDefinition {
  OpKind kind = OpKind::Unknown;  // the op itself
  std::string_view family = {};   // the file in shardy/ir/ops/ with its row
  /// Names, separated by blanks: `+` after a name means one or more, `*` any number.
  std::string_view operands = {};
  std::string_view results = {};  // names, as operands
  std::string_view regions = {};  // names, as operands
  bool types_given = false;  // result types are written in the text, because they are a choice of
                             // the op or not modelled
  unsigned classes = 0;      // of the operands of an elementwise op, a ClassMask of op_facts.hpp
  ResultElement result_element = ResultElement::Same;  // rule for the element type of the result
  Count num_operands = {};                             // least and most
  Count num_regions = {};                              // least and most
  OpKind terminator = OpKind::Unknown;  // of the blocks of its regions; Unknown: of any
  InferFunction infer = nullptr;        // its type rule; null: the classes, or nothing
  VerifyFunction verify = nullptr;      // constraints beyond types; null: none
  /// Constraints on shardings of other values, checked last; null: none.
  VerifyFunction verify_uses = nullptr;
  std::span<const AttributeDefinition> attributes = {};  // sorted by name
  std::string_view form = {};                            // src/ir/op_row.hpp
  Syntax syntax = Syntax::GenericOnly;                   // its custom form
  std::size_t min_operands = 0;                          // with fewer, the generic form is printed

  /// Returns the inherent attribute of that name, or null.
  const AttributeDefinition* find_attribute(std::string_view name) const {
    for (const AttributeDefinition& attribute : attributes) {
      if (attribute.name == name) return &attribute;
    }
    return nullptr;
  }
};

/// Returns the definition of an op. Requires: a kind of the table, not Unknown.
const OpDefinition& definition_of(OpKind kind);

}  // namespace shardy::ir
