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
#include "shardy/ir/detail/location_table.hpp"
#include "shardy/ir/detail/recent_values.hpp"
#include "shardy/ir/type.hpp"
#include "text/mlir_cursor.hpp"
#include "text/mlir_form.hpp"

namespace shardy::text {

/// Hashes text for caches of repeated text.
std::size_t hash_of_text(std::string_view text);

/// Returns whether a type may begin with the word. Types of dialects begin with `!` instead.
bool begins_type(std::string_view word);

/// Returns the type in the spelling of printed MLIR text. Errors: opaque text that MLIR text could
/// not read back, such as a word that starts no type, or a comment.
Result<ir::Type> printable_type(const ir::Type& type);

/// Reads attributes and types at the position of a cursor. Errors are stored in the cursor;
/// functions then return std::nullopt or false.
class MlirAttributeReader {
 public:
  explicit MlirAttributeReader(MlirCursor& cursor) : cursor_(cursor) {
    alias_texts_.limit_uses(cursor.text().size() / 2 + (std::size_t{1} << 13U));
  }

  std::optional<ir::Type> type();
  /// Reads `(T, U) -> V`. Returns false after an error.
  bool function_type(std::vector<ir::Type>& inputs, std::vector<ir::Type>& results);
  /// Reads `T, U`, at least one type.
  bool type_list(std::vector<ir::Type>& types);

  std::optional<ir::Attribute> attribute();
  /// Reads `{a = 1, b}`.
  std::optional<ir::AttributeMap> dictionary();
  /// Reads the entries of a dictionary after its opening brace, up to the closing one. Returns
  /// false after an error.
  bool entries(ir::AttributeMap& attributes);
  /// Reads an attribute in the bare form of custom forms, such as `[1, 2]`, `LT` or `<@m,
  /// [{"x"}]>`.
  std::optional<ir::Attribute> bare_attribute(const AttributeDefinition& row);
  /// Converts an attribute to the kind that the row expects, such as `dense<[1]> : tensor<1xi64>`
  /// to an array. Otherwise reports an error at `position` and returns std::nullopt.
  std::optional<ir::Attribute> as_wanted(const ir::Attribute& value, const AttributeDefinition& row,
                                         std::size_t position);

  /// Reads `loc(...)` and returns its text from the parenthesis on. Aliases in it may be defined
  /// later.
  std::optional<std::string_view> location();
  /// Resolves the aliases of locations after all text is read. Returns false after an error.
  bool settle_locations();
  /// Returns the final text of a result of `location`. Requires: all aliases are read.
  std::optional<std::string> settled(std::string_view location);
  /// Returns the aliases `#name = loc(...)` read so far.
  const ir::LocationAliases& locations() const { return locations_; }
  ir::LocationAliases take_locations() { return std::move(locations_); }
  /// Reads `#name = attribute` or `!name = type`. Requires: one of these comes next.
  bool alias_definition();

  /// Returns one shared attribute for all occurrences of the text. The text must outlive the
  /// reader.
  ir::Attribute shared(std::string_view text, ir::Attribute value);

  /// Values of texts that show where they end, such as types. Equal text at the cursor is found
  /// without reading it again.
  template <class Value>
  class RecentTexts {
   public:
    /// Skips a recent text and returns its value; null if none is at the cursor.
    const Value* eat(MlirCursor& cursor) const {
      const std::size_t begin = cursor.position();
      const std::string_view rest = cursor.text().substr(begin);
      const RecentText* const found = entries_.find([&](const RecentText& each) {
        return !each.text.empty() && rest.starts_with(each.text);
      });
      if (found == nullptr) return nullptr;
      cursor.seek(begin + found->text.size());
      return &found->value;
    }
    /// Adds a text, which must outlive this object.
    void add(std::string_view text, Value value) { entries_.add({text, std::move(value)}); }

   private:
    struct RecentText {
      std::string_view text = {};
      Value value = {};
    };
    ir::RecentValues<RecentText> entries_;
  };

  // Functions for the rows of attribute_codec.hpp.

  /// Returns the recent dims of dots.
  RecentTexts<ir::Attribute>& recent_dots() { return recent_dots_; }

  MlirCursor& cursor() { return cursor_; }
  /// Returns the texts of the aliases of attributes.
  AttributeAliases& aliases() { return alias_texts_; }
  /// Reads `[1, 2]`.
  std::optional<std::vector<int64_t>> integer_list();
  /// Converts a number, which was read at `begin`, to the type.
  std::optional<ir::Attribute> float_attribute(std::string_view text, ir::ElementType type,
                                               std::size_t begin);
  std::optional<ir::Attribute> integer_attribute(std::string_view text, ir::ElementType type,
                                                 std::size_t begin);
  /// Reads a word of the enumeration.
  std::optional<ir::Attribute> enum_attribute(const EnumDefinition& row);
  /// Moves the cursor's error to the position at which another scanner of the same text found it.
  void fail_like(const Error& error);

 private:
  // Defined in mlir_type_reader.cpp.
  struct CachedType {
    std::string_view text;
    ir::Type type;
  };
  /// An attribute with a short text, which all occurrences share.
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

  // Defined in mlir_type_reader.cpp: aliases.
  bool plain_location_aliases();
  bool is_alias_name_taken(std::string_view name) const;
  std::size_t definition_of(std::string_view name) const;
  std::size_t position_of(std::string_view name) const;
  bool location_alias(std::size_t begin, std::string_view name);
  std::optional<ir::Attribute> location_attribute(const std::string& text, std::size_t begin);
  std::optional<ir::Attribute> aliased(std::string_view name, std::size_t begin);
  void add_alias_text(std::string_view name, std::string_view text, const Mesh* mesh);

  // Defined in mlir_attribute_reader.cpp and mlir_dense_reader.cpp.
  std::optional<ir::Attribute> nested_attribute();
  std::optional<ir::Attribute> text_attribute();
  const ir::Attribute* cached(std::string_view text) const;
  std::optional<ir::Attribute> number();
  bool entry(ir::NamedAttribute& entry);
  bool redefined(std::size_t begin, std::string_view what, std::string_view name,
                 std::size_t previous);
  bool duplicate_key(std::size_t begin, std::string_view name);
  std::optional<ir::Attribute> array();
  std::optional<ir::Attribute> symbol();
  std::optional<ir::Attribute> keyword();
  std::optional<ir::Attribute> affine(std::size_t begin);
  std::optional<ir::Attribute> dense_array();
  std::optional<int64_t> array_element(ir::ElementType element);
  std::optional<ir::Attribute> opaque_from(std::size_t begin);
  std::optional<ir::Attribute> opaque_call(std::size_t begin);

  // Defined in mlir_dense_reader.cpp.
  std::optional<ir::Attribute> dense();

  // Attributes of dialects, by name and in custom forms. Spec: stablehlo 8 to 10.
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
  std::optional<std::string> meant_by_alias(MlirCursor& cursor, std::size_t& end);
  std::optional<std::string> without_aliases(std::string text, std::size_t begin);

  static constexpr int kMaxDepth = 200;

  MlirCursor& cursor_;
  int depth_ = 0;
  std::vector<CachedType> cache_ = std::vector<CachedType>(256);
  RecentTexts<ir::Type> recent_types_;
  RecentTexts<ir::Attribute> recent_dots_;
  std::vector<CachedAttribute> attribute_cache_;  // empty until the first use
  std::vector<KnownEnumerator> enumerators_;      // enumerators in the text
  std::map<std::string_view, ir::Attribute> attribute_aliases_;
  std::map<std::string_view, ir::Type> type_aliases_;
  std::size_t alias_bytes_ = 0;  // bytes of types that were parsed again to expand aliases
  AttributeAliases alias_texts_;
  ir::LocationAliases locations_;
  std::unordered_map<std::string_view, ir::Attribute> sdy_cache_;
};

/// Returns the attribute with a value of algebra/text.hpp. A value of an unknown kind keeps its
/// text.
ir::Attribute attribute_of(SdyAttribute value);

/// Returns the note `did you mean X?` if the word is similar to a word of the row.
std::vector<std::string> notes_on_word(const EnumDefinition& row, std::string_view word);

}  // namespace shardy::text
