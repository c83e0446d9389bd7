// Custom forms that no table row describes: modules, functions, constants, convolutions.
// Spec: stablehlo 2, 7, 10.
#include <algorithm>
#include <cstring>

#include "shardy/ir/attribute_names.hpp"
#include "shardy/ir/type_text.hpp"
#include "text/mlir_dims.hpp"
#include "text/mlir_reader.hpp"

namespace shardy::text {

using ir::Attribute;
using ir::ElementType;
using ir::OpKind;

bool MlirReader::read_special(OpDraft& draft, const OpForm& form) {
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

/// `module @name attributes {...} {`.
bool MlirReader::read_module(OpDraft& draft) {
  if (cursor_.peek() == '@') {
    std::optional<std::string> name = cursor_.symbol();
    if (!name) return false;
    set(draft, ir::attr::kSymName, *std::move(name));
  }
  if (cursor_.eat_word("attributes") && !read_dictionary(draft)) return false;
  return cursor_.expect('{') && open_region(draft, Step::Module, {});
}

/// `sdy.mesh @name = <["x"=2]>`.
bool MlirReader::read_mesh(OpDraft& draft) {
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

/// `func.func private @f(%arg0: T {a}, ...) -> (T {b}) attributes {c} {`.
bool MlirReader::read_function(OpDraft& draft) {
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
  if (has_body) return open_region(draft, Step::Func, arguments);
  draft.regions.push_back(module_.new_region());
  return finish(draft);
}

/// `%a: T {b}, ..)`, or `T {b}, ..)` where no body is; after `(`.
bool MlirReader::read_function_arguments(OpDraft& draft, std::vector<Argument>& arguments) {
  ir::FunctionData& function = *draft.function;
  if (cursor_.eat(')')) return true;
  const bool is_named = cursor_.peek() == '%';
  do {
    if (!is_named && cursor_.peek() == '%') {
      return cursor_.fail("expected type instead of SSA identifier");
    }
    if (is_named) {
      if (!read_argument(arguments.emplace_back())) return false;
    } else {
      std::optional<ir::Type> type = read_.type();
      if (!type) return false;
      function.declared_arg_types.push_back(*std::move(type));
    }
    ir::AttributeMap& attributes = function.arg_attributes.emplace_back();
    if (cursor_.eat('{') && !read_.entries(attributes)) return false;
    if (is_named && !read_argument_location(arguments.back())) return false;
    if (cursor_.at_word("loc") && !read_.location()) return false;
  } while (cursor_.eat(','));
  return cursor_.expect(')');
}

/// Where the types stand follows from whether there is a body.
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

bool MlirReader::read_function_results(OpDraft& draft) {
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

/// `stablehlo.constant dense<..> : T`, or the generic form without quotes.
bool MlirReader::read_constant(OpDraft& draft, const OpForm& form) {
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

/// `A %a, %b : T, U` or `A()`.
bool MlirReader::read_barrier(OpDraft& draft) {
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

bool MlirReader::read_convolution(OpDraft& draft) {
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

/// `[false, true]`, also as numbers.
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

/// `stride = [2, 1]`.
bool MlirReader::read_window_field(OpDraft& draft) {
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

/// `{stride = [2, 1], pad = [[0, 1], [2, 0]], reverse = [false, true]}`.
bool MlirReader::read_window(OpDraft& draft) {
  if (!cursor_.expect('{')) return false;
  if (cursor_.eat('}')) return true;
  do {
    if (!read_window_field(draft)) return false;
  } while (cursor_.eat(','));
  return cursor_.expect('}');
}

/// `[[0, 1], [2, 0]]`.
bool MlirReader::read_padding(OpDraft& draft) {
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

}  // namespace shardy::text
