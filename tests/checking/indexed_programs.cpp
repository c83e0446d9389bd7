#include "checking/indexed_programs.hpp"

#include <algorithm>

#include "checking/indexed_text.hpp"

namespace shardy_test {

namespace {

// ---- Gather -------------------------------------------------------------------------------------

struct GatherKind {
  const char* name;
  Dims table;    // 0 means the chosen size
  Dims indices;  // 0 means the chosen size; -1: an iota along dim 0 in front of the components
  Dims offset, collapsed, batching, indices_batching, map;
  int64_t vector_dim;
  Dims sizes;  // sizes of slices; 0: the whole dim
};

const std::vector<GatherKind>& gather_kinds() {
  static const std::vector<GatherKind> all = {
      {"embedding", {0, 3}, {3}, {1}, {0}, {}, {}, {0}, 1, {1, 0}},
      {"embedding of a matrix of indices", {0, 3}, {2, 1, 3}, {2}, {0}, {}, {}, {0}, 1, {1, 0}},
      {"features", {5, 0}, {3, 1}, {0}, {0}, {}, {}, {0}, 1, {1, 0}},
      {"two collapsed dims", {0, 3}, {5, 2}, {}, {0, 1}, {}, {}, {1, 0}, 1, {1, 1}},
      {"a collapsed dim that no index names", {2, 0}, {3, 1}, {}, {0, 1}, {}, {}, {0}, 1, {1, 1}},
      {"windows", {0, 3}, {2, 3}, {0, 2}, {}, {}, {}, {0, 1}, 0, {2, 2}},
      {"windows of one element", {0, 3}, {3}, {1, 2}, {}, {}, {}, {0}, 1, {1, 0}},
      {"windows that begin at 0", {2, 0}, {3, 1}, {1}, {0}, {}, {}, {0}, 1, {1, 2}},
      {"rows of batches", {3, 0}, {2, 3, 1}, {}, {1}, {0}, {1}, {1}, 2, {1, 1}},
      {"a batch", {0, 3}, {0, 2, 1}, {2}, {}, {0}, {0}, {1}, 2, {1, 2}},
      {"a batch that is counted", {3, 0}, {3, -1}, {}, {0, 1}, {}, {}, {0, 1}, 1, {1, 1}},
      {"rows that count in another table", {0, 3}, {4, -1}, {}, {0, 1}, {}, {}, {0, 1}, 1, {1, 1}},
      {"a batch of that size that is counted",
       {0, 3},
       {0, -1},
       {},
       {0, 1},
       {},
       {},
       {0, 1},
       1,
       {1, 1}},
  };
  return all;
}

Dims with_size(Dims dims, int64_t size) {
  for (int64_t& dim : dims) dim = dim == 0 ? size : dim;
  return dims;
}

/// The indices of an op: an argument, or an argument with an iota in front.
struct Indices {
  Dims dims;
  Dims given;        // dims of the argument
  std::string name;  // %i if an iota precedes the argument
  std::string text;  // text that defines the indices
};

/// The iota may be replicated first, so that its padding has arbitrary values after it is sharded.
Indices make_indices(Choices& choices, const Dims& dims, const std::string& element, int64_t arg) {
  Indices made{dims, dims, "%" + std::to_string(arg), ""};
  if (dims.back() != -1) return made;
  made.given.back() = 1;
  made.dims.back() = 2;
  const std::string one = type_text(made.given, element);
  made.text = "  %c = stablehlo.iota dim = 0 : " + one + "\n";
  std::string iota = "%c";
  if (choices.coin()) {
    made.text += "  %d = sdy.sharding_constraint %c <@mesh, [{}";
    for (std::size_t dim = 1; dim < dims.size(); ++dim) made.text += ", {}";
    made.text += "]> : " + one + "\n";
    iota = "%d";
  }
  made.text += "  %i = stablehlo.concatenate " + iota + ", " + made.name +
               ", dim = " + std::to_string(dims.size() - 1) + " : (" + one + ", " + one + ") -> " +
               type_text(made.dims, element) + "\n";
  made.name = "%i";
  return made;
}

/// Returns the elements of `sizes` for dims over which windows extend.
std::vector<int64_t> windowed(const Dims& input, const Dims& sizes, const Dims& dropped,
                              const Dims& batching) {
  std::vector<int64_t> kept;
  for (std::size_t dim = 0; dim < input.size(); ++dim) {
    const auto at = static_cast<int64_t>(dim);
    if (std::ranges::count(dropped, at) + std::ranges::count(batching, at) == 0) {
      kept.push_back(sizes[dim]);
    }
  }
  return kept;
}

Dims gather_result(const GatherKind& form, const Dims& table, const Dims& indices,
                   const Dims& sizes) {
  std::vector<int64_t> batch;
  for (std::size_t dim = 0; dim < indices.size(); ++dim) {
    if (static_cast<int64_t>(dim) != form.vector_dim) batch.push_back(indices[dim]);
  }
  const std::vector<int64_t> windows = windowed(table, sizes, form.collapsed, form.batching);
  Dims result;
  const std::size_t rank = batch.size() + windows.size();
  for (std::size_t dim = 0, next = 0, window = 0; dim < rank; ++dim) {
    const bool is_offset = std::ranges::count(form.offset, static_cast<int64_t>(dim)) > 0;
    result.push_back(is_offset ? windows[window++] : batch[next++]);
  }
  return result;
}

}  // namespace

IndexedProgram gather_program(Choices& choices, int64_t kind) {
  const GatherKind& form = gather_kinds()[static_cast<std::size_t>(kind)];
  const int64_t size = choices.pick(10);
  const Dims table = with_size(form.table, size);
  Dims sizes = form.sizes;
  for (std::size_t dim = 0; dim < sizes.size(); ++dim) {
    sizes[dim] = sizes[dim] == 0 ? table[dim] : std::min(sizes[dim], table[dim]);
  }
  const std::string element = any_element(size + 5 * kind);
  const std::string index = index_element(kind + size);
  const Indices indices = make_indices(choices, with_size(form.indices, size), index, 1);
  const Dims result = gather_result(form, table, indices.dims, sizes);
  const std::string body =
      indices.text + "  %r = \"stablehlo.gather\"(%0, " + indices.name +
      ") <{dimension_numbers = #stablehlo.gather<offset_dims = " + list_text(form.offset) +
      ", collapsed_slice_dims = " + list_text(form.collapsed) +
      ", operand_batching_dims = " + list_text(form.batching) +
      ", start_indices_batching_dims = " + list_text(form.indices_batching) +
      ", start_index_map = " + list_text(form.map) +
      ", index_vector_dim = " + std::to_string(form.vector_dim) +
      ">, slice_sizes = array<i64: " + list_text(sizes).substr(1, list_text(sizes).size() - 2) +
      ">}> : (" + type_text(table, element) + ", " + type_text(indices.dims, index) + ") -> " +
      type_text(result, element) + "\n";
  const int64_t bound = table[static_cast<std::size_t>(form.map.front())];
  return function(choices, {{table, element}, {indices.given, index, bound}}, {{result, element}},
                  body);
}

// ---- Scatter ------------------------------------------------------------------------------------

namespace {

struct ScatterKind {
  const char* name;
  /// An op. "set": the update replaces the element. "constant": updates are added to a constant.
  /// "two": two inputs, with add and maximum. "custom": a region that is not one op, `%b - %a`.
  const char* body;
  Dims input;    // 0 means the chosen size
  Dims indices;  // 0 means the chosen size; -1: an iota along dim 0 in front of the components
  Dims updates;
  Dims window, inserted, batching, indices_batching, map;
  int64_t vector_dim;
};

const std::vector<ScatterKind>& scatter_kinds() {
  static const std::vector<ScatterKind> all = {
      {"gradient of a table", "add", {0, 3}, {5, 1}, {5, 3}, {1}, {0}, {}, {}, {0}, 1},
      {"rows that are set", "set", {0, 3}, {4}, {4, 3}, {1}, {0}, {}, {}, {0}, 1},
      {"many updates", "maximum", {3}, {0, 1}, {0}, {}, {0}, {}, {}, {0}, 1},
      {"products", "multiply", {0, 2}, {2, 3}, {3}, {}, {0, 1}, {}, {}, {0, 1}, 0},
      {"windows", "minimum", {0, 4}, {3, 2}, {3, 1, 2}, {1, 2}, {}, {}, {}, {0, 1}, 1},
      {"wide windows", "set", {0, 4}, {2, 1}, {0, 2, 3}, {0, 2}, {}, {}, {}, {0}, 1},
      {"whole windows that move", "add", {3, 0}, {2, 2}, {2, 0}, {1}, {0}, {}, {}, {0, 1}, 1},
      {"batches", "add", {3, 0}, {3, 2, 1}, {3, 2}, {}, {1}, {0}, {0}, {1}, 2},
      {"a batch of windows", "set", {0, 3}, {0, 2, 1}, {0, 2, 2}, {2}, {}, {0}, {0}, {1}, 2},
      {"a batch that is counted", "add", {0, 3}, {0, -1}, {0}, {}, {0, 1}, {}, {}, {0, 1}, 1},
      {"an inserted dim that no index names",
       "or",
       {3, 0},
       {4, 1},
       {4},
       {},
       {0, 1},
       {},
       {},
       {0},
       1},
      {"any body", "custom", {0, 3}, {4, 1}, {4, 3}, {1}, {0}, {}, {}, {0}, 1},
      {"gradient of many rows", "constant", {3, 2}, {0, 1}, {0, 2}, {1}, {0}, {}, {}, {0}, 1},
      {"two inputs", "two", {0, 3}, {2, 2}, {2, 2, 3}, {2}, {0}, {}, {}, {0}, 2},
  };
  return all;
}

std::string scatter_body(const std::string& kind, const std::string& element) {
  const std::string scalar = "tensor<" + element + ">";
  const std::string head = "^bb0(%a: " + scalar + ", %b: " + scalar + "):\n";
  const std::string last = " : " + scalar + "\n";
  if (kind == "two") {
    return "^bb0(%a: " + scalar + ", %c: tensor<i64>, %b: " + scalar + ", %d: tensor<i64>):\n" +
           "      %s = stablehlo.add %a, %b" + last +
           "      %m = stablehlo.maximum %c, %d : tensor<i64>\n      stablehlo.return %s, %m : " +
           scalar + ", tensor<i64>\n";
  }
  if (kind == "constant") return scatter_body("add", element);
  if (kind == "set") return head + "      stablehlo.return %b" + last;
  if (kind == "custom") {
    return head + "      %d = stablehlo.subtract %b, %a" + last + "      stablehlo.return %d" +
           last;
  }
  return head + "      %s = stablehlo." + kind + " %a, %b" + last + "      stablehlo.return %s" +
         last;
}

std::string scatter_element(const std::string& op, int64_t number) {
  static const std::vector<std::string> numbers = {"f32", "i32", "f64", "ui8"};
  if (op == "set") return any_element(number);
  return op == "or" ? "i32" : one_of(numbers, number);
}

std::string constant_text(const Value& value, int64_t number) {
  const std::string point = value.element.starts_with("f") ? ".0" : "";
  return "  %y = stablehlo.constant dense<" + std::to_string(number) + point +
         "> : " + value.type() + "\n";
}

std::string input_types(const std::vector<Value>& values) {
  return values[0].type() + (values.size() > 1 ? ", " + values[1].type() : "");
}

std::string numbers_text(const ScatterKind& form) {
  return ") <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = " +
         list_text(form.window) + ", inserted_window_dims = " + list_text(form.inserted) +
         ", input_batching_dims = " + list_text(form.batching) +
         ", scatter_indices_batching_dims = " + list_text(form.indices_batching) +
         ", scatter_dims_to_operand_dims = " + list_text(form.map) +
         ", index_vector_dim = " + std::to_string(form.vector_dim) + ">}> ";
}

}  // namespace

IndexedProgram scatter_program(Choices& choices, int64_t kind) {
  const ScatterKind& form = scatter_kinds()[static_cast<std::size_t>(kind)];
  const std::string op = form.body;
  const int64_t size = choices.pick(10);
  const Dims input = with_size(form.input, size);
  Dims updates = with_size(form.updates, size);
  const std::string element = scatter_element(op, size + kind);
  const std::string index = index_element(size + 2 * kind);
  // Windows are at most as large as the tensor that they update.
  const std::vector<int64_t> most = windowed(input, input, form.inserted, form.batching);
  for (std::size_t at = 0; at < most.size(); ++at) {
    int64_t& window = updates[static_cast<std::size_t>(form.window[at])];
    window = std::min(window, most[at]);
  }
  std::vector<Value> inputs = {{input, element}};
  std::vector<Value> changes = {{updates, element}};
  if (op == "two") {
    inputs.push_back({input, "i64"});
    changes.push_back({updates, "i64"});
  }
  const auto count = static_cast<int64_t>(inputs.size());
  const Indices indices = make_indices(choices, with_size(form.indices, size), index, count);
  std::string first = "%0";
  std::string before = indices.text;
  if (op == "constant") {
    first = "%y";
    before += constant_text(inputs[0], choices.pick(2));
  }
  std::vector<Value> args = inputs;
  args.push_back({indices.given, index, input[static_cast<std::size_t>(form.map.front())]});
  args.insert(args.end(), changes.begin(), changes.end());
  const bool is_pair = count == 2;
  const std::string result = input_types(inputs);
  const std::string body = before + "  %r" + (is_pair ? ":2" : "") + " = \"stablehlo.scatter\"(" +
                           first + (is_pair ? ", %1, " : ", ") + indices.name +
                           (is_pair ? ", %3, %4" : ", %2") + numbers_text(form) + "({\n    " +
                           scatter_body(op, element) + "    }) : (" + result + ", " +
                           type_text(indices.dims, index) + ", " + input_types(changes) + ") -> " +
                           (is_pair ? "(" + result + ")" : result) + "\n";
  IndexedProgram program = function(choices, args, inputs, body);
  program.moves_only = op == "set";
  return program;
}

// ---- Slices -------------------------------------------------------------------------------------

namespace {

std::string select_text(const Dims& table, const Dims& indices, const Dims& result, int64_t dim,
                        int64_t batch_dims) {
  return "  %r = \"stablehlo.torch_index_select\"(%0, %1) <{dim = " + std::to_string(dim) +
         " : i64, batch_dims = " + std::to_string(batch_dims) + " : i64}> : (" +
         type_text(table, "f32") + ", " + type_text(indices, "i32") + ") -> " +
         type_text(result, "f32") + "\n";
}

}  // namespace

/// Kinds: 0 to 2 slice, 3 and 4 update, 5 and 6 select.
IndexedProgram slice_program(Choices& choices, int64_t kind) {
  const int64_t size = kind >= 5 ? choices.pick(9) + 1 : choices.pick(10);
  const std::string element = any_element(size + kind);
  const std::string index = index_element(size);
  if (kind >= 5) {
    const bool has_batch = kind == 6;
    const Dims table = has_batch ? Dims{3, 2, size} : Dims{size, 3};
    const Dims indices = has_batch ? Dims{3, 2} : Dims{2, 3};
    const Dims result = has_batch ? Dims{3, 2, 2} : Dims{2, 3, 3};
    return function(choices, {{table, "f32"}, {indices, "i32", size}}, {{result, "f32"}},
                    select_text(table, indices, result, has_batch ? 2 : 0, has_batch ? 1 : 0));
  }
  const bool updates = kind >= 3;
  const int64_t window = kind == 0 ? std::min<int64_t>(size, 1) : choices.pick(size + 1);
  const Dims tensor = kind == 2 || kind == 4 ? Dims{4, size} : Dims{size, 3};
  const Dims part = kind == 2 || kind == 4 ? Dims{3, window} : Dims{window, 3};
  const std::string starts = updates ? "%2, %3" : "%1, %2";
  const std::string scalars = type_text({}, index) + ", " + type_text({}, index);
  const std::string slice = "  %r = stablehlo.dynamic_slice %0, " + starts +
                            ", sizes = " + list_text(part) + " : (" + type_text(tensor, element) +
                            ", " + scalars + ") -> " + type_text(part, element) + "\n";
  const std::string update = "  %r = stablehlo.dynamic_update_slice %0, %1, " + starts + " : (" +
                             type_text(tensor, element) + ", " + type_text(part, element) + ", " +
                             scalars + ") -> " + type_text(tensor, element) + "\n";
  std::vector<Value> args = {{tensor, element}};
  if (updates) args.push_back({part, element});
  args.push_back({{}, index, tensor[0]});
  args.push_back({{}, index, tensor[1]});
  return function(choices, args, {{updates ? tensor : part, element}}, updates ? update : slice);
}

}  // namespace shardy_test
