// Parts of the document of a program: meshes, shardings and device pictures, texts with the lines
// of their ops, the modelled timeline, and live memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "shardy/algebra/tensor_sharding.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/view/page.hpp"
#include "view/program_index.hpp"

namespace shardy::view {

// ---- Written values -----------------------------------------------------------------------------
// Writes the parts of a document: compact ASCII JSON, with columns of numbers and strings by
// number.

/// A column with one number per row. A string is its number in a StringTable; -1 means none.
using Column = std::vector<int64_t>;

/// The strings of a document, each once. String 0 is empty.
class StringTable {
 public:
  StringTable() { add({}); }
  StringTable(const StringTable&) = delete;
  StringTable& operator=(const StringTable&) = delete;

  /// Returns the number of a text. Adds the text if it is new.
  int64_t add(std::string_view text);
  const std::deque<std::string>& texts() const { return texts_; }

 private:
  std::deque<std::string> texts_;  // a deque, because its elements do not move
  std::unordered_map<std::string_view, int64_t> places_;  // never iterated
};

/// A column with a list of numbers per row. The lists are in sequence; row i starts at `begin[i]`.
struct ListColumn {
  Column begin = {0};
  Column all = {};

  void add(std::span<const int64_t> row) {
    all.insert(all.end(), row.begin(), row.end());
    end_row();
  }
  void end_row() { begin.push_back(static_cast<int64_t>(all.size())); }
};

/// Writes one JSON value without blanks.
class PartWriter {
 public:
  PartWriter& begin_object() { return open('{'); }
  PartWriter& end_object() { return close('}'); }
  PartWriter& begin_array() { return open('['); }
  PartWriter& end_array() { return close(']'); }
  PartWriter& key(std::string_view name);
  PartWriter& string(std::string_view text);
  PartWriter& integer(int64_t value);
  /// Writes a number; null if it is not finite.
  PartWriter& number(double value);
  PartWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
  PartWriter& null() { return raw("null"); }
  /// Writes a JSON value.
  PartWriter& raw(std::string_view json);

  // Members of the open object.
  PartWriter& member(std::string_view name, std::span<const int64_t> column);
  PartWriter& member(std::string_view name, std::span<const double> column);
  PartWriter& member(std::string_view name, std::string_view text) {
    return key(name).string(text);
  }
  /// Writes the members `name_begin` and `name`.
  PartWriter& lists(const std::string& name, const ListColumn& column);

  /// Returns the text. Requires: the value is complete.
  std::string take() { return std::move(text_); }

 private:
  PartWriter& open(char bracket);
  PartWriter& close(char bracket);
  void separate();

  std::string text_;
  bool needs_comma_ = false;
};

// ---- Parts --------------------------------------------------------------------------------------

/// Numbers meshes, shardings and pictures in the order of their first use, and writes their parts.
class ShardingTables {
 public:
  /// Adds the meshes of a program, in order.
  int64_t add_mesh(const std::string& name, const Mesh& mesh);
  /// Returns the number of a sharding; -1 for std::nullopt.
  int64_t add(const std::optional<TensorSharding>& sharding);
  /// Returns the number of a picture. A value without a sharding is replicated on the first mesh.
  /// Returns -1 if the program has no mesh or the ranks differ.
  int64_t add_picture(const std::optional<TensorSharding>& sharding,
                      std::span<const int64_t> shape);

  std::string shardings_part() const;
  std::string pictures_part() const;
  /// Writes the members `axis_names` and `meshes` of the open object.
  void write_meshes(PartWriter& out) const;

 private:
  struct NamedMesh {
    std::string name;
    Mesh mesh;
    int64_t picture = -1;
  };

  int64_t add_grid(const TensorSharding& sharding, std::span<const int64_t> shape, int64_t number);
  int64_t mesh_of(const TensorSharding& sharding);

  std::vector<NamedMesh> meshes_;
  std::map<std::pair<std::string, std::string>, int64_t> mesh_numbers_;  // key: name and text
  std::vector<TensorSharding> shardings_;
  std::vector<int64_t> mesh_of_sharding_;
  std::map<std::pair<int64_t, std::string>, int64_t> sharding_numbers_;  // key: mesh and text
  std::vector<std::string> pictures_;
  std::map<std::pair<int64_t, std::vector<int64_t>>, int64_t> picture_numbers_;
};

/// A chip: a position in a text at which the page shows the sharding of a value.
struct TextChip {
  int64_t line = 0;    // from 1
  int64_t column = 0;  // from 0, in UTF-16 units
  ir::ValueId value = {};
};

/// A text of a program.
struct ProgramText {
  bool is_json = false;
  bool is_source = false;  // the text is the unchanged file
  std::string text = {};
  std::vector<int64_t> lines;  // by op id; lines count from 1; 0: none
  std::vector<TextChip> chips = {};
};

/// Returns the texts of the program, the one in the format of its file first. Omits JSON if it is
/// large.
std::vector<ProgramText> text_forms(const ProgramIndex& index, const ProgramData& data,
                                    const ProgramTexts& texts);

/// Returns the first line and the number of lines of each outline node; zeros without lines.
std::pair<Column, Column> node_lines(const Outline& outline, const ProgramText& form);

/// Returns the texts as a part of a document.
std::string text_part(const std::vector<ProgramText>& forms, const Outline& outline,
                      const ProgramIndex& index);

/// A point in program order: an op that allocates its results, or the start of a function.
struct MemoryPoint {
  ir::OpId op = {};       // the op, or the function
  bool is_entry = false;  // the point is the start of the function
  int64_t bytes = 0;      // bytes of live values
};

/// A value, and the first and the last point at which it is live.
struct LiveRange {
  ir::ValueId value = {};
  int64_t first = 0;
  int64_t last = 0;
};

/// The live memory over a program. Its highest point has report::MemoryPeak::bytes.
struct MemoryCurve {
  std::vector<MemoryPoint> points;
  std::vector<LiveRange> ranges;

  /// Returns the index of the first highest point; 0 without points.
  std::size_t peak() const;
};

/// Returns the curve of `main`, including its callees. Callees are entered at each call, up to a
/// limit. Live ranges as in partitioning::peak_place. Requires: no recursion. Spec:
/// partitioning 11.9.
MemoryCurve memory_curve(const ir::Module& per_device);

/// Returns the events of the modelled timeline as columns, in microseconds.
std::string timeline_part(const ProgramData& data, const ProgramIndex& index,
                          const Outline& outline, StringTable& strings);

/// Returns the curve of live memory, and the live ranges of values.
std::string memory_part(const ProgramData& data, const ProgramIndex& index, const Outline& outline,
                        StringTable& strings);

}  // namespace shardy::view
