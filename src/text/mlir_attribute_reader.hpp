// Reads types and attributes of MLIR text. Spec: stablehlo 3, 4, 5, 8; algebra 10.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shardy/algebra/detail/text_form.hpp"
#include "shardy/algebra/text.hpp"
#include "shardy/ir/attribute.hpp"
#include "shardy/ir/detail/location_aliases.hpp"
#include "shardy/ir/type.hpp"
#include "text/mlir_cursor.hpp"
#include "text/mlir_form.hpp"

namespace shardy::text {

/// Hash for caches of repeated text.
std::size_t hash_of_text(std::string_view text);

/// Returns whether a type may begin with that word; types of dialects begin with `!`.
bool begins_type(std::string_view word);

/// The type in the spelling of printed MLIR text. Errors: opaque text of a type that MLIR text
/// could not read back: a word that starts no type, a comment.
Result<ir::Type> printable_type(const ir::Type& type);

/// Reads at the position of a cursor, and stores errors there; functions then return nothing.
class MlirAttributeReader {
 public:
  explicit MlirAttributeReader(MlirCursor& cursor) : cursor_(cursor) {
    alias_texts_.limit_uses(cursor.text().size() / 2 + (std::size_t{1} << 13U));
  }

  std::optional<ir::Type> type();
  /// `(T, U) -> V`. False if it failed.
  bool function_type(std::vector<ir::Type>& inputs, std::vector<ir::Type>& results);
  /// `T, U`, at least one.
  bool type_list(std::vector<ir::Type>& types);

  std::optional<ir::Attribute> attribute();
  /// `{a = 1, b}`.
  std::optional<ir::AttributeMap> dictionary();
  /// Reads the entries of a dictionary after its opening brace, up to the closing one. Returns
  /// false after an error.
  bool entries(ir::AttributeMap& attributes);
  /// The attribute as a custom form writes it: `[1, 2]`, `LT`, `<@m, [{"x"}]>`.
  std::optional<ir::Attribute> bare_attribute(const AttributeDefinition& row);
  /// Converts a value to the kind of attribute of the row: `dense<[1]> : tensor<1xi64>` to an
  /// array. Reports an error at `position` and returns std::nullopt if it has another kind.
  std::optional<ir::Attribute> as_wanted(const ir::Attribute& value, const AttributeDefinition& row,
                                         std::size_t position);

  /// `loc(...)`: its text from the parenthesis on, whose aliases may be defined later.
  std::optional<std::string_view> location();
  /// After the text: resolves the aliases of locations. Returns false after an error.
  bool settle_locations();
  /// The final text of a result of `location`. Requires: all aliases are read.
  std::optional<std::string> settled(std::string_view location);
  /// The aliases `#name = loc(...)` so far.
  const ir::LocationAliases& locations() const { return locations_; }
  ir::LocationAliases take_locations() { return std::move(locations_); }
  /// `#name = attribute` or `!name = type`. Requires: one of them comes next.
  bool alias_definition();

  /// Returns one shared attribute for all places with this text. The text outlives the reader.
  ir::Attribute shared(std::string_view text, ir::Attribute value);

  // For the rows of attribute_codec.hpp.

  MlirCursor& cursor() { return cursor_; }
  /// Returns the texts of the aliases of attributes.
  AttributeAliases& aliases() { return alias_texts_; }
  /// Reads `[1, 2]`.
  std::optional<std::vector<int64_t>> integer_list();
  /// Converts a number that was read at `begin` to that type.
  std::optional<ir::Attribute> float_attribute(std::string_view text, ir::ElementType type,
                                               std::size_t begin);
  std::optional<ir::Attribute> integer_attribute(std::string_view text, ir::ElementType type,
                                                 std::size_t begin);
  /// A word of the enumeration.
  std::optional<ir::Attribute> enum_attribute(const EnumDefinition& row);
  /// Moves the cursor's error to the position where a scanner of the same text found it.
  void fail_like(const Error& error);

 private:
  // mlir_type_reader.cpp
  struct CachedType {
    std::string_view text;
    ir::Type type;
  };
  /// An attribute of a short text, shared by its places.
  struct CachedAttribute {
    std::string_view text;
    ir::Attribute value;
  };
  struct KnownEnumerator {
    const EnumDefinition* row;
    int64_t number;
    ir::Attribute value;
  };
  std::optional<ir::Type> tensor_from_cache();
  std::optional<ir::Type> parse_type_here();
  std::optional<ir::Type> with_aliases(const ir::Type& type);
  bool with_aliases(std::span<const ir::Type> types, std::vector<ir::Type>& result);
  std::optional<ir::Type> read_again(const ir::Type& type);

  // mlir_alias_reader.cpp
  bool plain_location_aliases();
  bool is_alias_name_taken(std::string_view name) const;
  std::size_t definition_of(std::string_view name) const;
  std::size_t position_of(std::string_view name) const;
  bool location_alias(std::size_t begin, std::string_view name);
  std::optional<ir::Attribute> location_attribute(const std::string& text, std::size_t begin);
  void add_alias_text(std::string_view name, std::string_view text, const Mesh* mesh);

  // mlir_attribute_reader.cpp, mlir_number_reader.cpp
  std::optional<ir::Attribute> nested_attribute();
  std::optional<ir::Attribute> text_attribute();
  const ir::Attribute* cached(std::string_view text) const;
  std::optional<ir::Attribute> number();
  bool entry(ir::NamedAttribute& entry);
  bool redefined(std::size_t begin, std::string_view what, std::string_view name,
                 std::size_t previous);
  bool duplicate_key(std::size_t begin, const std::string& name);
  std::optional<ir::Attribute> array();
  std::optional<ir::Attribute> symbol();
  std::optional<ir::Attribute> keyword();
  std::optional<ir::Attribute> affine(std::size_t begin);
  std::optional<ir::Attribute> dense_array();
  std::optional<int64_t> array_element(ir::ElementType element);
  std::optional<ir::Attribute> opaque_from(std::size_t begin);
  std::optional<ir::Attribute> opaque_call(std::size_t begin);

  // mlir_dense_reader.cpp
  std::optional<ir::Attribute> dense();

  // mlir_dialect_attribute_reader.cpp
  std::optional<ir::Attribute> hash_attribute();
  std::optional<ir::Attribute> wrapped_attribute();
  std::optional<ir::Attribute> sdy_attribute(std::size_t begin);
  using ReadBody = std::optional<ir::Attribute> (*)(MlirAttributeReader&);
  static ReadBody body_named(std::string_view dialect, std::string_view name);
  std::optional<ir::Attribute> known_attribute(std::string_view dialect, std::string_view name,
                                               std::size_t begin);
  const ir::Attribute& enumerator(const EnumDefinition& row, int64_t number);
  static std::optional<ir::Attribute> channel_handle(MlirAttributeReader& reader);
  static std::optional<ir::Attribute> result_accuracy(MlirAttributeReader& reader);
  std::optional<std::string> accuracy_mode();
  std::optional<std::string> accuracy_number(bool is_integer);

  std::optional<std::string> alias_text(std::string_view name) const;
  std::optional<std::string> without_aliases(std::string text, std::size_t begin);

  static constexpr int kMaxDepth = 200;

  MlirCursor& cursor_;
  int depth_ = 0;
  std::vector<CachedType> cache_ = std::vector<CachedType>(256);
  std::vector<CachedAttribute> attribute_cache_;  // empty until it is needed
  std::vector<KnownEnumerator> enumerators_;      // that the text names
  std::map<std::string_view, ir::Attribute> attribute_aliases_;
  std::map<std::string_view, ir::Type> type_aliases_;
  std::size_t alias_bytes_ = 0;  // of types that were read again to expand aliases
  AttributeAliases alias_texts_;
  ir::LocationAliases locations_;
  std::unordered_map<std::string_view, ir::Attribute> sdy_cache_;
};

/// The attribute that holds a value of algebra/text.hpp; values of unknown kinds keep their text.
ir::Attribute attribute_of(SdyAttribute value);

/// The note `did you mean X?`, if the word is similar to one of the row.
std::vector<std::string> notes_on_word(const EnumDefinition& row, std::string_view word);

}  // namespace shardy::text
