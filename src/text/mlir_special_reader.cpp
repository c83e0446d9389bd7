// Reads custom forms that no table row describes: modules, functions, constants, convolutions.
// Spec: stablehlo 2, 7, 10.

#include <algorithm>
#include <cstring>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/type_text.hpp"
#include "text/dim_numbers.hpp"
#include "text/mlir_form.hpp"
#include "text/mlir_reader.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::ElementType;
using ir::OpKind;

bool MlirReader::read_special(MlirOpDraft& draft, const OpForm& form) {
  switch (form.op->syntax) {
    case Syntax::Module:
      return read_module(draft);
    case Syntax::Func:
      return read_function(draft);
    case Syntax::SdyMesh:
      return read_mesh(draft);
    case Syntax::Reduce:
      return read_reduce(draft);
    case Syntax::While:
      return read_while(draft);
    case Syntax::Convolution:
      return read_convolution(draft);
    case Syntax::Composite:
      return read_composite(draft);
    case Syntax::OptimizationBarrier:
      return read_barrier(draft);
    case Syntax::Constant:
      return read_constant(draft, form);
    case Syntax::Scan:
      return read_scan(draft);
    default:
      return read_computation(draft);
  }
}

// ---- Modules, meshes, functions ----------------------------------------------------------------

/// Reads `module @name attributes {...} {`.
bool MlirReader::read_module(MlirOpDraft& draft) {
  if (cursor_.peek() == '@') {
    std::optional<std::string> name = cursor_.symbol();
    if (!name) return false;
    set(draft, ir::attr::kSymName, *std::move(name));
  }
  if (cursor_.eat_word("attributes") && !read_dictionary(draft)) return false;
  return cursor_.expect('{') && open_region(draft, RegionKind::Module, {});
}

/// Reads `sdy.mesh @name = <["x"=2]>`.
bool MlirReader::read_mesh(MlirOpDraft& draft) {
  std::optional<std::string> name = cursor_.symbol();
  if (!name || !cursor_.expect('=')) return false;
  static constexpr AttributeDefinition kMesh = {.name = ir::attr::kMesh,
                                                .kind = AttributeKind::Mesh};
  std::optional<Attribute> mesh = read_.bare_attribute(kMesh);
  if (!mesh) return false;
  if (cursor_.peek() == '{' && !read_dictionary(draft)) return false;
  set(draft, ir::attr::kSymName, *std::move(name));
  set(draft, ir::attr::kMesh, *std::move(mesh));
  return finish(draft);
}

/// Reads `func.func private @f(%arg0: T {a}, ...) -> (T {b}) attributes {c} {`.
bool MlirReader::read_function(MlirOpDraft& draft) {
  for (const std::string_view quoted : {"\"public\"", "\"private\"", "\"nested\""}) {
    const std::string_view word = quoted.substr(1, quoted.size() - 2);
    if (!cursor_.eat_word(word)) continue;
    set(draft, "sym_visibility", read_.shared(quoted, std::string(word)));
    break;
  }
  std::optional<std::string> name = cursor_.symbol();
  if (!name) return false;
  set(draft, ir::attr::kSymName, *std::move(name));
  draft.function = std::make_unique<ir::FunctionData>();
  std::vector<Argument> arguments;
  if (!cursor_.expect('(') || !read_function_arguments(draft, arguments)) return false;
  if (cursor_.eat("->") && !read_function_results(draft)) return false;
  if (cursor_.eat_word("attributes") && !read_dictionary(draft)) return false;
  const bool has_body = cursor_.eat('{');
  settle_arguments(*draft.function, arguments, has_body);
  if (has_body) return open_region(draft, RegionKind::Func, arguments);
  draft.regions.push_back(module_.new_region());
  return finish(draft);
}

/// Reads `%a: T {b}, ..)` after `(`, or `T {b}, ..)` for a function without a body.
bool MlirReader::read_function_arguments(MlirOpDraft& draft, std::vector<Argument>& arguments) {
  ir::FunctionData& function = *draft.function;
  if (cursor_.eat(')')) return true;
  const bool is_named = cursor_.peek() == '%';
  const auto read_unnamed = [&] {
    if (cursor_.peek() == '%') return cursor_.fail("expected type instead of SSA identifier");
    std::optional<ir::Type> type = read_.type();
    if (!type) return false;
    function.declared_arg_types.push_back(*std::move(type));
    return true;
  };
  do {
    if (!(is_named ? read_argument(arguments.emplace_back()) : read_unnamed())) return false;
    ir::AttributeMap& attributes = function.arg_attributes.emplace_back();
    if (cursor_.eat('{') && !read_.entries(attributes)) return false;
    if (is_named && !read_argument_location(arguments.back())) return false;
    if (cursor_.at_word("loc") && !read_.location()) return false;
  } while (cursor_.eat(','));
  return cursor_.expect(')');
}

/// Sets the argument types, whose position in the text depends on whether a body exists.
void MlirReader::settle_arguments(ir::FunctionData& function, std::vector<Argument>& arguments,
                                  bool has_body) {
  std::vector<ir::Type>& types = function.declared_arg_types;
  if (has_body) {
    for (ir::Type& type : types) arguments.push_back({{}, std::move(type)});
    types.clear();
  } else {
    for (Argument& argument : arguments) types.push_back(std::move(argument.type));
  }
}

bool MlirReader::read_function_results(MlirOpDraft& draft) {
  ir::FunctionData& function = *draft.function;
  const auto read_one = [&](bool with_attributes) {
    std::optional<ir::Type> type = read_.type();
    if (!type) return false;
    function.result_types.push_back(*std::move(type));
    ir::AttributeMap& attributes = function.result_attributes.emplace_back();
    return !with_attributes || !cursor_.eat('{') || read_.entries(attributes);
  };
  if (!cursor_.eat('(')) return read_one(false);
  if (cursor_.eat(')')) return true;
  do {
    if (!read_one(true)) return false;
  } while (cursor_.eat(','));
  return cursor_.expect(')');
}

// ---- Constants, barriers -----------------------------------------------------------------------

/// Reads `stablehlo.constant dense<..> : T`, or the generic form without quotes.
bool MlirReader::read_constant(MlirOpDraft& draft, const OpForm& form) {
  if (cursor_.peek() != '(') {
    return read_items(draft, form) && read_types(draft, form) && finish(draft);
  }
  if (!cursor_.eat('(') || !cursor_.expect(')')) return false;
  if (cursor_.starts_with("<{")) {
    const std::size_t position = cursor_.position();
    cursor_.eat('<');
    std::optional<ir::AttributeMap> properties = read_.dictionary();
    if (!properties || !cursor_.expect('>')) return false;
    if (!settle_inherent(draft, *std::move(properties), true, position)) return false;
  }
  return finish_generic(draft);
}

/// Reads `{..} %a, %b : T, U` or `{..} ()`. The attributes are optional.
bool MlirReader::read_barrier(MlirOpDraft& draft) {
  if (cursor_.peek() == '{' && !read_dictionary(draft)) return false;
  if (cursor_.eat('(')) return cursor_.expect(')') && finish(draft);
  do {
    if (!read_operand(draft)) return false;
  } while (cursor_.eat(','));
  if (!cursor_.expect(':') || !read_.type_list(draft.operand_types)) return false;
  draft.result_types = draft.operand_types;
  return finish(draft);
}

// ---- Convolutions ------------------------------------------------------------------------------

bool MlirReader::read_convolution(MlirOpDraft& draft) {
  static constexpr AttributeDefinition kDims = {.name = ir::attr::kDimensionNumbers,
                                                .kind = AttributeKind::ConvolutionDims};
  if (!cursor_.expect('(') || !read_operand_list(draft, ')')) return false;
  if (!cursor_.expect("dim_numbers") || !cursor_.expect('=')) return false;
  std::optional<Attribute> dims = read_.bare_attribute(kDims);
  if (!dims || !cursor_.expect(',')) return false;
  set(draft, ir::attr::kDimensionNumbers, *std::move(dims));
  if (!cursor_.expect("window") || !cursor_.expect('=') || !read_window(draft)) return false;
  if (cursor_.peek() == '{' && !read_dictionary(draft)) return false;
  return cursor_.expect(':') && read_function_type(draft) && finish(draft);
}

/// Reads `[false, true]`, or a list of numbers.
bool MlirReader::read_flags(ir::DenseArrayAttr& flags) {
  flags.element = ElementType::I1;
  if (!cursor_.expect('[')) return false;
  while (!cursor_.eat(']')) {
    if (!flags.values.empty() && !cursor_.expect(',')) return false;
    const bool is_true = cursor_.eat_word("true") || cursor_.eat_word("1");
    if (!is_true && !cursor_.eat_word("false") && !cursor_.expect("0")) return false;
    flags.values.push_back(is_true ? 1 : 0);
  }
  return true;
}

/// Reads `stride = [2, 1]`.
bool MlirReader::read_window_field(MlirOpDraft& draft) {
  const std::size_t begin = cursor_.position();
  const std::string_view word = cursor_.ident();
  const auto* const field = std::ranges::find(kWindowFields, word, &WindowField::word);
  if (field == std::end(kWindowFields)) {
    return cursor_.fail(begin, "unexpected attribute '" + std::string(word) + "' of a window");
  }
  if (draft.attributes.contains(field->name)) {
    return cursor_.fail(begin, "duplicated attribute '" + std::string(word) + "' of a window");
  }
  if (!cursor_.expect('=')) return false;
  if (word == "pad") return read_padding(draft);
  ir::DenseArrayAttr values;
  if (word == "reverse") {
    if (!read_flags(values)) return false;
  } else {
    std::optional<std::vector<int64_t>> list = read_.integer_list();
    if (!list) return false;
    values.values = *std::move(list);
  }
  return set(draft, field->name, std::move(values));
}

/// Reads `{stride = [2, 1], pad = [[0, 1], [2, 0]], reverse = [false, true]}`.
bool MlirReader::read_window(MlirOpDraft& draft) {
  if (!cursor_.expect('{')) return false;
  if (cursor_.eat('}')) return true;
  do {
    if (!read_window_field(draft)) return false;
  } while (cursor_.eat(','));
  return cursor_.expect('}');
}

/// Reads `[[0, 1], [2, 0]]`.
bool MlirReader::read_padding(MlirOpDraft& draft) {
  std::vector<int64_t> values;
  int64_t rows = 0;
  if (!cursor_.expect('[')) return false;
  while (!cursor_.eat(']')) {
    if (rows > 0 && !cursor_.expect(',')) return false;
    const std::size_t begin = cursor_.position();
    const std::optional<std::vector<int64_t>> pair = read_.integer_list();
    if (!pair) return false;
    if (pair->size() != 2) return cursor_.fail(begin, "expected array with two elements");
    values.insert(values.end(), pair->begin(), pair->end());
    ++rows;
  }
  const ir::Type type = ir::Type::tensor({rows, 2}, ElementType::I64);
  std::vector<std::byte> bytes(values.size() * sizeof(int64_t));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  Result<ir::Literal> literal = ir::Literal::make(type, std::move(bytes));
  return set(draft, ir::attr::kPadding, *std::move(literal));
}

// Custom forms with regions: reductions, loops, computations, and the text after their regions.
// Spec: stablehlo 10.2, 10.3, 12; dialect 3.7, 3.8.

// ---- Reductions --------------------------------------------------------------------------------

bool MlirReader::read_reduce(MlirOpDraft& draft) {
  std::vector<Operand> inits;
  while (cursor_.eat('(')) {
    if (cursor_.eat(')')) break;
    if (!read_operand(draft) || !cursor_.expect("init") || !cursor_.expect(':') ||
        !read_operand(draft) || !cursor_.expect(')')) {
      return false;
    }
    inits.push_back(draft.operands.back());
    draft.operands.pop_back();
    if (!cursor_.eat(',')) break;
  }
  draft.operands.insert(draft.operands.end(), inits.begin(), inits.end());
  std::string inner;
  const bool is_short = cursor_.eat_word("applies");
  const std::size_t position = cursor_.position();
  if (is_short) {
    inner = cursor_.peek() == '"' ? cursor_.string().value_or("") : std::string(cursor_.ident());
  }
  if (!cursor_.expect("across") || !cursor_.expect("dimensions") || !cursor_.expect('=')) {
    return false;
  }
  std::optional<std::vector<int64_t>> dims = read_.integer_list();
  if (!dims) return false;
  set(draft, ir::attr::kDimensions, ir::DenseArrayAttr{ElementType::I64, *std::move(dims)});
  if (cursor_.peek() == '{' && !read_dictionary(draft)) return false;
  if (!cursor_.expect(':') || !read_function_type(draft)) return false;
  if (is_short) return make_reducer(draft, inner, position) && finish(draft);
  return read_reducer(draft);
}

/// Reads ` reducer(%a: T, %c: T) (%b: U, %d: U) {`, pairs of accumulator and element.
bool MlirReader::read_reducer(MlirOpDraft& draft) {
  if (cursor_.at_word("loc") && !read_.location()) return false;
  if (!cursor_.expect("reducer")) return false;
  std::vector<Argument> accumulators;
  std::vector<Argument> elements;
  while (cursor_.eat('(')) {
    if (!read_argument(accumulators.emplace_back()) || !cursor_.expect(',') ||
        !read_argument(elements.emplace_back()) || !cursor_.expect(')')) {
      return false;
    }
  }
  if (cursor_.at_word("loc") && !read_.location()) return false;
  for (Argument& element : elements) accumulators.push_back(std::move(element));
  return cursor_.expect('{') && open_region(draft, RegionKind::Reduce, accumulators);
}

/// Creates the region that `applies stablehlo.add` represents.
bool MlirReader::make_reducer(MlirOpDraft& draft, std::string_view op, std::size_t position) {
  const OpKind kind = ir::find_op(op);
  if (kind == OpKind::Unknown || form_of(kind).types != TypeForm::Same) {
    return cursor_.fail(
        position, "expected the op of a reduction, found '" + std::string(op) + "'",
        kind == OpKind::Unknown ? notes_on_unknown_op(op) : std::vector<std::string>());
  }
  const std::optional<ir::Type> element =
      draft.operand_types.empty() ? std::nullopt : scalar_type_of(draft.operand_types.front());
  if (!element) return cursor_.fail(position, "expected a tensor to reduce");
  const ir::Type& scalar = *element;
  const ir::RegionId region = module_.new_region();
  const ir::BlockId block = module_.new_block(region);
  const ir::ValueId lhs = module_.add_argument(block, scalar);
  const ir::ValueId rhs = module_.add_argument(block, scalar);
  const ir::LocationId location = add_location(position);
  const ir::OpId combine = module_.create(
      {.kind = kind, .operands = {lhs, rhs}, .result_types = {scalar}, .location = location});
  module_.append(block, combine);
  module_.append(block, module_.create({.kind = OpKind::StablehloReturn,
                                        .operands = {module_.result(combine)},
                                        .location = location}));
  draft.regions.push_back(region);
  return true;
}

// ---- Loops -------------------------------------------------------------------------------------

/// Checks whether the types are the operand types.
bool MlirReader::has_operand_types(const MlirOpDraft& draft,
                                   std::span<const ir::Type> types) const {
  return std::ranges::equal(draft.operands, types,
                            [&](const Operand& operand, const ir::Type& type) {
                              return !operand.value.valid() || module_.type(operand.value) == type;
                            });
}

/// Reads the types after `:`. Older text has the function type of the loop instead of the operand
/// types.
bool MlirReader::read_while_types(MlirOpDraft& draft) {
  if (!read_.type_list(draft.operand_types)) return false;
  const auto* whole = draft.operand_types.front().as<ir::FunctionType>();
  const bool is_older = whole && has_operand_types(draft, whole->inputs());
  if (is_older) {
    const std::span<const ir::Type> inputs = whole->inputs();
    // Copies the types first, because `whole` is one of the replaced types.
    draft.operand_types = std::vector<ir::Type>(inputs.begin(), inputs.end());
  }
  return true;
}

/// Gives arguments and results the types of the operands.
bool MlirReader::settle_while_types(MlirOpDraft& draft) {
  draft.result_types = draft.operand_types;
  const bool fits = draft.operand_types.size() == draft.arguments.size();
  if (!fits) {
    return cursor_.fail(draft.name_begin, std::to_string(draft.arguments.size()) +
                                              " operands present, but expected " +
                                              std::to_string(draft.operand_types.size()));
  }
  for (std::size_t index = 0; index < draft.arguments.size(); ++index) {
    draft.arguments[index].type = draft.operand_types[index];
  }
  return true;
}

/// Reads `(%iterArg = %0, ...) : T, U attributes {..} cond {`. Both regions have the arguments.
bool MlirReader::read_while(MlirOpDraft& draft) {
  if (!cursor_.expect('(')) return false;
  while (!cursor_.eat(')')) {
    if (!draft.arguments.empty() && !cursor_.expect(',')) return false;
    Argument& argument = draft.arguments.emplace_back();
    if (!cursor_.expect('%')) return false;
    argument.name = cursor_.suffix();
    if (!cursor_.expect('=') || !read_operand(draft)) return false;
  }
  if (cursor_.eat(':') && !read_while_types(draft)) return false;
  if (!settle_while_types(draft)) return false;
  if (cursor_.eat_word("attributes") && !read_dictionary(draft)) return false;
  const std::vector<Argument> arguments = draft.arguments;  // opening a region moves the draft
  return cursor_.expect("cond") && cursor_.expect('{') &&
         open_region(draft, RegionKind::WhileCondition, arguments);
}

// ---- Computations ------------------------------------------------------------------------------

/// Reads `in_shardings=[..] out_shardings=[..] manual_axes={..}`. A named computation may omit
/// parts.
bool MlirReader::read_computation_attributes(MlirOpDraft& draft, bool is_named) {
  static constexpr AttributeDefinition kRows[] = {
      {.name = ir::attr::kInShardings, .kind = AttributeKind::ShardingList},
      {.name = ir::attr::kOutShardings, .kind = AttributeKind::ShardingList},
      {.name = ir::attr::kManualAxes, .kind = AttributeKind::ManualAxes},
  };
  for (const AttributeDefinition& row : kRows) {
    if (is_named && !cursor_.eat_word(row.name)) continue;
    if (!is_named && !cursor_.expect(row.name)) return false;
    if (!cursor_.expect('=')) return false;
    std::optional<Attribute> value = read_.bare_attribute(row);
    if (!value) return false;
    set(draft, row.name, *std::move(value));
  }
  return true;
}

/// Reads `<"name">(%a) in_shardings=[..] out_shardings=[..] manual_axes={..} (%p: T) {`.
bool MlirReader::read_computation(MlirOpDraft& draft) {
  const bool is_named = draft.kind == OpKind::SdyNamedComputation;
  if (is_named) {
    if (!cursor_.expect('<')) return false;
    std::optional<std::string> name = cursor_.string();
    if (!name || !cursor_.expect('>')) return false;
    set(draft, ir::attr::kName, *std::move(name));
  }
  if (!cursor_.expect('(') || !read_operand_list(draft, ')')) return false;
  if (!read_computation_attributes(draft, is_named)) return false;
  std::vector<Argument> arguments;
  if (!cursor_.expect('(') || !read_argument_list(arguments)) return false;
  return cursor_.expect('{') && open_region(draft, RegionKind::Computation, arguments);
}

/// Reads `"name" %a, %b ({..}, {..}) {..} : FUNC`.
bool MlirReader::read_composite(MlirOpDraft& draft) {
  std::optional<std::string> name = cursor_.string();
  if (!name) return false;
  set(draft, ir::attr::kName, *std::move(name));
  while (cursor_.peek() == '%') {
    if (!read_operand(draft)) return false;
    if (!cursor_.eat(',')) break;
  }
  if (!cursor_.eat('(')) return finish_generic(draft);
  return cursor_.expect('{') && open_region(draft, RegionKind::Generic, {});
}

/// Reads `(%x) inits (%c) dimension=0 attributes {..} {^bb0..} : (..) -> (..)`.
bool MlirReader::read_scan(MlirOpDraft& draft) {
  if (!cursor_.expect('(') || !read_operand_list(draft, ')')) return false;
  const std::size_t num_inputs = draft.operands.size();
  if (!cursor_.expect("inits") || !cursor_.expect('(') || !read_operand_list(draft, ')')) {
    return false;
  }
  const auto segments = [](std::size_t first, std::size_t second) {
    return ir::DenseArrayAttr{ElementType::I32,
                              {static_cast<int64_t>(first), static_cast<int64_t>(second)}};
  };
  set(draft, "operandSegmentSizes", segments(num_inputs, draft.operands.size() - num_inputs));
  while (cursor_.at_ident() && !cursor_.at_word("attributes")) {
    const std::string_view name = cursor_.ident();
    if (!cursor_.expect('=')) return false;
    std::optional<Attribute> value = read_.attribute();
    if (!value) return false;
    set(draft, name, *std::move(value));
    cursor_.eat(',');
  }
  if (cursor_.eat_word("attributes") && !read_dictionary(draft)) return false;
  return cursor_.expect('{') && open_region(draft, RegionKind::Scan, {});
}

// ---- After regions -----------------------------------------------------------------------------

bool MlirReader::resume(RegionFrame frame) {
  MlirOpDraft draft = std::move(frame.draft);
  switch (frame.step) {
    case RegionKind::Generic:
      if (cursor_.eat(',')) {
        return cursor_.expect('{') && open_region(draft, RegionKind::Generic, {});
      }
      return cursor_.expect(')') && finish_generic(draft);
    case RegionKind::Func: {
      // The entry block exists, and a function has no other blocks.
      return finish(draft);
    }
    case RegionKind::WhileCondition: {
      const std::vector<Argument> arguments = draft.arguments;
      return cursor_.expect("do") && cursor_.expect('{') &&
             open_region(draft, RegionKind::WhileBody, arguments);
    }
    case RegionKind::Computation:
    case RegionKind::Scan:
      return finish_generic(draft);
    default:
      return finish(draft);
  }
}

}  // namespace shardy::text
