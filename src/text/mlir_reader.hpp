// Builds a module from MLIR text. Spec: stablehlo 2, 6 to 12; dialect 1, 3, 4.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/ir/op_table.hpp"
#include "shardy/support/result.hpp"
#include "shardy/text/written_values.hpp"
#include "text/mlir_attribute_reader.hpp"
#include "text/mlir_cursor.hpp"
#include "text/mlir_form.hpp"
#include "text/scoped_names.hpp"

namespace shardy::text {

// Names of SSA values and their scopes. Spec: stablehlo 6.

/// The values of a name, whose ids are consecutive. Without a first value, these are the results of
/// a dropped op; uses of the name cause no further errors.
struct MlirNamedValues {
  ir::ValueId first = ir::ValueId();
  uint32_t count = 0;
  uint32_t begin = 0;  // offset of the name in the text

  bool is_broken() const { return !first.valid(); }
};

/// The limit of the table of numbers: a text has fewer values than characters.
inline uint32_t num_numbers_in(std::size_t text_size) {
  return static_cast<uint32_t>(std::min<std::size_t>(text_size / 8 + 16, 1U << 20U));
}

/// Returns the start of an op's error message, such as `'stablehlo.add' op `.
inline std::string op_text(std::string_view name) { return "'" + std::string(name) + "' op "; }

/// Returns notes on an unknown op name: the op of its dialect that was probably meant.
std::vector<std::string> notes_on_unknown_op(std::string_view name);
/// Returns the op of the dialect with the most similar name; std::nullopt if none is similar.
std::optional<std::string> closest_op(std::string_view name);

/// Reads one text, op by op, with an explicit stack of open regions instead of recursion. Continues
/// after an op with an error. Ops that use its results are dropped without further errors.
class MlirReader {
 public:
  struct ReaderOptions {
    std::size_t max_errors = 20;
    bool allow_unregistered = true;
    WrittenNames* names = nullptr;  // receives the names of the values; null: no names are recorded
  };

  MlirReader(std::string_view text, ReaderOptions options)
      : cursor_(text),
        read_(cursor_),
        lines_(text),
        options_(options),
        names_(num_numbers_in(text.size())) {}

  /// Returns the module, with unresolved shardings. Lines and columns are the locations of its ops.
  DiagnosedResult<ir::Module> read();
  /// Returns the locations given in the text, which replace lines and columns.
  std::vector<std::pair<ir::OpId, ir::LocationId>> take_given_locations() {
    return std::move(given_);
  }

 private:
  struct ResultGroup {
    std::string_view name;
    uint32_t count = 1;
    std::size_t position = 0;
  };
  struct Operand {
    std::string_view name;  // including `#1`
    ir::ValueId value;
  };
  struct Argument {
    std::string_view name;  // empty if the argument has no name
    ir::Type type;
    std::string_view location = {};  // `("params['w']")`; empty: none
  };
  /// The parsed parts of an op.
  struct MlirOpDraft {
    std::size_t begin = 0;
    std::size_t name_begin = 0;
    LineAndColumn name_start = {};  // position of the name
    std::string_view name = {};
    ir::OpKind kind = ir::OpKind::Unknown;
    bool broken = false;  // the op has an error, or uses a result of a dropped op
    std::vector<ResultGroup> results = {};
    std::vector<Operand> operands = {};
    std::vector<ir::Type> operand_types = {};
    std::vector<ir::Type> result_types = {};
    ir::AttributeMap attributes = {};
    std::vector<ir::RegionId> regions = {};
    std::vector<std::string_view> successors = {};  // labels of successor blocks
    std::vector<Argument> arguments = {};           // arguments that the header of a region names
    std::unique_ptr<ir::FunctionData> function = nullptr;

    /// Clears the draft but keeps the memory of its lists.
    void clear();
  };
  struct KnownOp {
    std::string_view name = {};
    ir::OpKind kind = ir::OpKind::Unknown;
  };
  /// The text that follows a region.
  enum class RegionKind : uint8_t {
    File,
    Generic,
    Module,
    Func,
    Reduce,
    WhileCondition,
    WhileBody,
    Computation,
    Scan
  };
  /// An open region.
  struct RegionFrame {
    MlirOpDraft draft;  // the op that owns the region
    RegionKind step = RegionKind::File;
    ir::RegionId region = {};
    ir::BlockId block = {};  // invalid before the first block
    std::size_t open_begin = 0;
    std::vector<std::string_view> labels = {};  // labels of the region's blocks
    std::vector<std::pair<ir::OpId, std::vector<std::string_view>>> successors = {};
  };

  // The whole text: mlir_reader.cpp.
  static constexpr std::size_t kMaxRegions = 1000;  // largest nesting depth
  /// Returns the offset of a name in the text, including the sign before it.
  std::size_t position_of(std::string_view name) const {
    return static_cast<std::size_t>(name.data() - cursor_.text().data());
  }
  MlirNamedValues named(MlirNamedValues values, std::string_view name) const {
    values.begin = static_cast<uint32_t>(position_of(name) - 1);
    return values;
  }
  ir::LocationId add_location(std::size_t position) {
    const LineAndColumn at = lines_.line_and_column(position);
    return module_.add_location(at.line, at.column);
  }
  bool full() const { return errors_.size() >= options_.max_errors; }
  void run();
  void read_in_file();
  void unwrap_module();
  void read_block_item();
  bool read_block_header();
  void report();
  void skip_op(std::size_t from);
  bool is_op_at(std::size_t line_begin) const;
  void give_up(std::size_t begin);
  bool close_region();
  bool resume(RegionFrame frame);
  bool settle_successors(const RegionFrame& frame);
  void add_terminator(const RegionFrame& frame);

  // Regions: mlir_reader.cpp.
  bool open_region(MlirOpDraft& draft, RegionKind step, const std::vector<Argument>& arguments);
  bool define(std::string_view name, MlirNamedValues values);
  /// Stores the error of a name that is already visible. Returns false.
  bool redefined(std::size_t position, std::string_view name);
  bool define_argument(const Argument& argument, ir::ValueId value);
  bool read_argument(Argument& argument);
  bool read_argument_location(Argument& argument);
  bool settle_locations();
  bool add_names_of_locations();
  bool read_argument_list(std::vector<Argument>& arguments);

  // Ops: mlir_op_reader.cpp; their generic form: mlir_reader.cpp.
  bool read_op();
  static bool read_results(MlirCursor& cursor, std::vector<ResultGroup>& results);
  static bool is_of_foreign_dialect(const MlirOpDraft& draft);
  bool read_generic_name(MlirOpDraft& draft);
  bool read_successors(MlirOpDraft& draft);
  bool read_properties(MlirOpDraft& draft);
  bool read_generic(MlirOpDraft& draft);
  bool finish_generic(MlirOpDraft& draft);
  bool read_custom(MlirOpDraft& draft);
  bool read_arith_constant(MlirOpDraft& draft);
  bool read_mhlo_copy(MlirOpDraft& draft);
  std::string full_name(std::string_view name) const;
  ir::OpKind find_op(std::string_view name);
  bool read_operand(MlirOpDraft& draft);
  std::vector<std::string> notes_on_value(std::string_view name) const;
  bool read_operand_list(MlirOpDraft& draft, char close);
  bool settle_inherent(MlirOpDraft& draft, ir::AttributeMap attributes, bool from_properties,
                       std::size_t position);
  bool read_dictionary(MlirOpDraft& draft);
  bool read_function_type(MlirOpDraft& draft);
  bool finish(MlirOpDraft& draft);
  bool check_types(const MlirOpDraft& draft);
  bool check_attributes(MlirOpDraft& draft);
  bool check_result_count(const MlirOpDraft& draft);
  bool define_results(const MlirOpDraft& draft, ir::OpId op);
  bool settle_function(MlirOpDraft& draft);

  // Custom forms of the table: mlir_op_reader.cpp.
  bool read_form(MlirOpDraft& draft, const OpForm& form);
  bool read_items(MlirOpDraft& draft, const OpForm& form);
  bool read_item_text(std::string_view text);
  bool read_item_operands(MlirOpDraft& draft);
  bool read_item(MlirOpDraft& draft, const FormItem& item);
  bool read_attribute_item(MlirOpDraft& draft, const AttributeDefinition& row);
  bool starts_group(const OpForm& form, std::size_t group);
  bool read_types(MlirOpDraft& draft, const OpForm& form);
  bool read_type_list(MlirOpDraft& draft, TypeForm form);
  bool read_slice_ranges(MlirOpDraft& draft);
  bool read_float_format(MlirOpDraft& draft);
  bool set(MlirOpDraft& draft, std::string_view name, ir::Attribute value);

  // Other custom forms, such as forms with regions: mlir_special_reader.cpp.
  bool read_special(MlirOpDraft& draft, const OpForm& form);
  bool read_module(MlirOpDraft& draft);
  bool read_mesh(MlirOpDraft& draft);
  bool read_function(MlirOpDraft& draft);
  bool read_function_arguments(MlirOpDraft& draft, std::vector<Argument>& arguments);
  static void settle_arguments(ir::FunctionData& function, std::vector<Argument>& arguments,
                               bool has_body);
  bool read_function_results(MlirOpDraft& draft);
  bool read_constant(MlirOpDraft& draft, const OpForm& form);
  bool read_barrier(MlirOpDraft& draft);
  bool read_convolution(MlirOpDraft& draft);
  bool read_flags(ir::DenseArrayAttr& flags);
  bool read_window_field(MlirOpDraft& draft);
  bool read_window(MlirOpDraft& draft);
  bool read_padding(MlirOpDraft& draft);
  bool read_reduce(MlirOpDraft& draft);
  bool read_reducer(MlirOpDraft& draft);
  bool make_reducer(MlirOpDraft& draft, std::string_view op, std::size_t position);
  bool read_while_types(MlirOpDraft& draft);
  bool settle_while_types(MlirOpDraft& draft);
  bool read_while(MlirOpDraft& draft);
  bool has_operand_types(const MlirOpDraft& draft, std::span<const ir::Type> types) const;
  bool read_composite(MlirOpDraft& draft);
  bool read_computation_attributes(MlirOpDraft& draft, bool is_named);
  bool read_computation(MlirOpDraft& draft);
  bool read_scan(MlirOpDraft& draft);

  MlirCursor cursor_;
  MlirAttributeReader read_;
  LineCounter lines_;
  ReaderOptions options_;
  ir::Module module_;
  ScopedNames<std::string_view, MlirNamedValues> names_;  // names are views of the text
  MlirOpDraft draft_;  // the op that is being read, until it is created or a region starts
  std::vector<ir::Type> short_types_;  // types listed in a short form
  std::deque<RegionFrame> frames_;     // one per open region
  std::string_view resources_;         // text of the file's resource section
  std::deque<std::string> odd_names_;  // op names with escapes
  std::array<KnownOp, 64> known_ops_;  // ops in the text, by hash
  std::vector<std::pair<ir::OpId, std::string_view>> locations_;  // as written in the text
  std::vector<std::pair<ir::OpId, ir::LocationId>> given_;        // resolved locations
  std::vector<std::pair<ir::ValueId, std::string_view>> argument_locations_;
  Diagnostics errors_;
};

}  // namespace shardy::text
