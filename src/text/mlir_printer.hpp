// Prints modules as MLIR text. Spec: stablehlo 13.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/sharding_map.hpp"
#include "shardy/ir/module.hpp"
#include "shardy/text/mlir.hpp"
#include "text/chosen_names.hpp"
#include "text/mlir_form.hpp"

namespace shardy::text {

/// Appends an integer such as `true`, `3` or `18446744073709551615` without its type.
void append_integer_of(std::string& out, int64_t value, ir::ElementType type);
/// Rewrites attributes that older parsers cannot read to attributes of an unknown dialect, which
/// they accept: `#d<name body>` to `#shardy.wrapped<d<name body>>` and `array<f32: 1.0>` to
/// `#shardy.array<f32: 1.0>`.
std::string legacy_opaque_text(const std::string& text);

/// The texts of shardings, alone and as the only element of a list, in dictionaries and in custom
/// forms. A program has few distinct shardings.
struct ShardingTexts {
  ir::ShardingMap<std::string> alone, in_list, bare_alone, bare_in_list;
};

/// Prints attributes. Spec: stablehlo 4, 5, 8.
class MlirAttributePrinter {
 public:
  /// `texts` may be null; else it keeps the texts of shardings.
  MlirAttributePrinter(std::string& out, bool legacy, ShardingTexts* texts = nullptr)
      : out_(out), legacy_(legacy), texts_(texts) {}

  void type(const ir::Type& type);
  /// Prints `(T, U) -> V`.
  void function_type(const std::vector<ir::Type>& inputs, const std::vector<ir::Type>& results);
  void types(const std::vector<ir::Type>& types);
  /// Prints an attribute as in a dictionary.
  void attribute(const ir::Attribute& attribute) { print(attribute, false); }
  /// Prints an element of a list. Omits a default type.
  void element_of_list(const ir::Attribute& attribute) { print(attribute, true); }
  /// Prints an attribute as in a custom form.
  void bare(const ir::Attribute& attribute, const AttributeDefinition& row);
  /// Prints ` {a = 1, b}`; prints nothing for an empty dictionary.
  void dictionary(const ir::AttributeMap& attributes) {
    dictionary(attributes, [](const ir::NamedAttribute&) { return true; });
  }
  /// Prints the entries for which `shows` returns true.
  template <class Shows>
  void dictionary(const ir::AttributeMap& attributes, const Shows& shows) {
    bool is_first = true;
    for (const ir::NamedAttribute& each : attributes) {
      if (is_reserved_name(each.name) || !shows(each)) continue;
      out_ += std::exchange(is_first, false) ? " {" : ", ";
      entry(each);
    }
    if (!is_first) out_ += '}';
  }
  /// Prints `{a = 1, b}`.
  void braces(const ir::AttributeMap& attributes);
  void key(std::string_view name);
  /// Prints `[1, 2]`.
  void integers(const std::vector<int64_t>& values);
  /// Prints `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
  void convolution_dims(const ir::ConvolutionDims& dims);
  void literal(const ir::Literal& literal);

 private:
  void print(const ir::Attribute& attribute, bool in_array);
  template <class Print>
  void print_once(const ir::Attribute& attribute, bool is_bare, const Print& print);
  void entry(const ir::NamedAttribute& entry);
  void blob(const ir::Literal& literal);
  void elements(const ir::Literal& literal);
  void element(std::span<const std::byte> bytes, ir::ElementType type);

  std::string& out_;
  bool legacy_;
  ShardingTexts* texts_;
};

/// Prints one module, without recursion over regions.
class MlirPrinter {
 public:
  MlirPrinter(const ir::Module& module, const MlirPrintOptions& options)
      : module_(module),
        options_(options),
        names_(module, options.names),
        print_(out_, options.generic && !options.properties, &texts_) {}

  std::string print();

 private:
  /// An op with regions whose printing is not complete.
  struct PrinterFrame {
    ir::OpId op;
    bool generic = false;
    bool block_headers = false;
    std::size_t region = 0;  // index of the next region
    std::size_t block = 0;   // index of the next block in the open region
    ir::OpId next = {};      // next op of the open block
    bool in_region = false;
  };

  void module_head();
  void module_tail();
  void run();
  void start_op(ir::OpId op);
  void finish_line(ir::OpId op);
  void location(ir::OpId op);
  void next_region(PrinterFrame& frame);
  void open_block(const PrinterFrame& frame, ir::BlockId block);
  void open_region(const PrinterFrame& frame);
  void before_region(const PrinterFrame& frame);
  void after_regions(const PrinterFrame& frame);
  void indent();
  bool shows_header(const PrinterFrame& frame, ir::BlockId block) const;
  bool prints_generic(ir::OpId op) const;

  // Ops: mlir_op_printer.cpp.
  void results(ir::OpId op);
  void operand_names(ir::OpId op, std::size_t begin, std::size_t end);
  void value(ir::ValueId value) { names_.append(out_, value); }
  void argument(ir::ValueId value);
  /// Returns true for the generic form of older text, which has no properties.
  bool is_legacy() const { return options_.generic && !options_.properties; }
  void type(const ir::Type& type);
  void operand_types(ir::OpId op);
  void result_types(ir::OpId op);
  void op_function_type(ir::OpId op);
  void other_attributes(ir::OpId op, const OpForm& form);
  void form(ir::OpId op, const OpForm& form);
  void item(ir::OpId op, const FormItem& item, std::size_t& operand, const OpForm& form);
  bool shows_group(ir::OpId op, const FormItem& group) const;
  void slice_ranges(ir::OpId op);
  void type_part(ir::OpId op, const OpForm& form);
  bool short_types(ir::OpId op, TypeForm form);

  // The generic form: mlir_op_printer.cpp.
  struct SplitAttributes {
    ir::AttributeMap inherent = {};
    ir::AttributeMap others = {};
  };
  ir::AttributeMap all_attributes(ir::OpId op) const;
  SplitAttributes split_attributes(ir::OpId op) const;
  void generic_head(ir::OpId op);
  void generic_tail(ir::OpId op);
  void properties(ir::OpId op);

  // Custom forms that no table row describes: mlir_printer.cpp.
  void special(ir::OpId op, const OpForm& form);
  void function_head(ir::OpId op);
  void function_value(const ir::Type& type, const std::vector<ir::AttributeMap>& all,
                      std::size_t index);
  void window_values(const ir::Attribute& attribute);
  void convolution(ir::OpId op, const OpForm& form);
  void reduce_head(ir::OpId op);
  bool is_short_reduce(ir::OpId op) const;
  void reducer_head(ir::OpId op);
  void while_head(ir::OpId op);
  void computation_head(ir::OpId op);
  void scan_head(ir::OpId op);
  bool value_has_type(ir::OpId op, const ir::Type& type) const;
  void constant(ir::OpId op, const OpForm& form);

  const ir::Module& module_;
  MlirPrintOptions options_;
  std::string out_;
  MlirSsaNames names_;
  ShardingTexts texts_;
  MlirAttributePrinter print_;
  /// A type of the module with its text in `out_`.
  struct PrintedType {
    const ir::TensorType* type = nullptr;
    std::size_t begin = 0;
    std::size_t size = 0;
  };
  std::array<PrintedType, 64> printed_types_;  // by a hash of the address
  std::vector<PrinterFrame> frames_;
  std::vector<uint32_t> location_rows_;  // aliases that the text uses
};

/// Returns the inner op of a reduction that is printed with `applies`; invalid if its region is
/// printed. Spec: stablehlo 10.2.
ir::OpId applied_op(const ir::Module& module, ir::OpId reduce);

/// Returns true if the value is the default in its row.
bool is_default(const ir::Attribute& value, const AttributeDefinition& row);

}  // namespace shardy::text
