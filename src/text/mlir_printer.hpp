// Prints modules as MLIR text. Spec: stablehlo 13.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shardy/ir/module.hpp"
#include "shardy/text/mlir.hpp"
#include "text/chosen_names.hpp"
#include "text/mlir_form.hpp"

namespace shardy::text {

/// `true`, `3`, `18446744073709551615`, without its type.
void append_integer_of(std::string& out, int64_t value, ir::ElementType type);
/// `#d<name body>` as `#shardy.wrapped<d<name body>>`, and `array<f32: 1.0>` as `#shardy.array<f32:
/// 1.0>`, for older parsers, which read neither but accept attributes of any dialect.
std::string legacy_opaque_text(const std::string& text);

/// Prints attributes. Spec: stablehlo 4, 5, 8.
class MlirAttributePrinter {
 public:
  MlirAttributePrinter(std::string& out, bool legacy) : out_(out), legacy_(legacy) {}

  void type(const ir::Type& type);
  /// `(T, U) -> V`.
  void function_type(const std::vector<ir::Type>& inputs, const std::vector<ir::Type>& results);
  void types(const std::vector<ir::Type>& types);
  /// Prints an attribute as in a dictionary.
  void attribute(const ir::Attribute& attribute) { print(attribute, false); }
  /// Prints an element of a list, without a type if it is the default one.
  void element_of_list(const ir::Attribute& attribute) { print(attribute, true); }
  /// Prints an attribute as in a custom form.
  void bare(const ir::Attribute& attribute, const AttributeDefinition& row);
  /// ` {a = 1, b}`; nothing if it is empty.
  void dictionary(const ir::AttributeMap& attributes);
  /// `{a = 1, b}`.
  void braces(const ir::AttributeMap& attributes);
  void key(std::string_view name);
  /// `[1, 2]`.
  void integers(const std::vector<int64_t>& values);
  /// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
  void convolution_dims(const ir::ConvolutionDims& dims);
  void literal(const ir::Literal& literal);

 private:
  void print(const ir::Attribute& attribute, bool in_array);
  void entry(const ir::NamedAttribute& entry);
  void blob(const ir::Literal& literal);
  void elements(const ir::Literal& literal);
  void element(std::span<const std::byte> bytes, ir::ElementType type);

  std::string& out_;
  bool legacy_;
};

/// Prints one module, without recursion over regions.
class MlirPrinter {
 public:
  MlirPrinter(const ir::Module& module, const MlirPrintOptions& options)
      : module_(module),
        options_(options),
        names_(module, options.names),
        print_(out_, options.generic && !options.properties) {}

  std::string print();

 private:
  /// The state of printing an op with regions.
  struct Frame {
    ir::OpId op;
    bool generic = false;
    bool block_headers = false;
    std::size_t region = 0;  // the next one
    std::size_t block = 0;   // of the region that is open
    ir::OpId next = {};      // op of the block
    bool in_region = false;
  };

  void module_head();
  void module_tail();
  void run();
  void start_op(ir::OpId op);
  void finish_line(ir::OpId op);
  void location(ir::OpId op);
  void next_region(Frame& frame);
  void open_block(const Frame& frame, ir::BlockId block);
  void open_region(const Frame& frame);
  void before_region(const Frame& frame);
  void after_regions(const Frame& frame);
  void indent();
  bool shows_header(const Frame& frame, ir::BlockId block) const;
  bool prints_generic(ir::OpId op) const;

  // Parts of ops: mlir_op_printer.cpp
  void results(ir::OpId op);
  void operand_names(ir::OpId op, std::size_t begin, std::size_t end);
  void value(ir::ValueId value) { names_.append(out_, value); }
  void argument(ir::ValueId value);
  /// The generic form of older text, without properties.
  bool is_legacy() const { return options_.generic && !options_.properties; }
  std::vector<ir::Type> operand_types(ir::OpId op) const;
  std::vector<ir::Type> result_types(ir::OpId op) const;
  void op_function_type(ir::OpId op);
  void other_attributes(ir::OpId op, const OpForm& form);
  void form(ir::OpId op, const OpForm& form);
  void item(ir::OpId op, const FormItem& item, std::size_t& operand, const OpForm& form);
  bool shows_group(ir::OpId op, const FormItem& group) const;
  void slice_ranges(ir::OpId op);
  void type_part(ir::OpId op, const OpForm& form);
  bool short_types(ir::OpId op, TypeForm form);

  // The generic form: mlir_generic_printer.cpp
  struct SplitAttributes {
    ir::AttributeMap inherent = {};
    ir::AttributeMap others = {};
  };
  ir::AttributeMap all_attributes(ir::OpId op) const;
  SplitAttributes split_attributes(ir::OpId op) const;
  void generic_head(ir::OpId op);
  void generic_tail(ir::OpId op);
  void properties(ir::OpId op);

  // mlir_special_printer.cpp
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
  MlirAttributePrinter print_;
  std::vector<Frame> frames_;
  std::vector<uint32_t> location_rows_;  // of aliases that the text uses
};

/// The inner op of a reduction that is printed as `applies`; invalid if the region is printed.
/// Spec: stablehlo 10.2.
ir::OpId applied_op(const ir::Module& module, ir::OpId reduce);

/// Returns true if the value is the default of its row.
bool is_default(const ir::Attribute& value, const AttributeDefinition& row);

}  // namespace shardy::text
