#include "checking/whole_dim_programs.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "checking/indexed_text.hpp"

namespace shardy_test {

namespace {

Dims with_size(Dims dims, int64_t size) {
  for (int64_t& dim : dims) dim = dim == 0 ? size : dim;
  return dims;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

// ---- Reductions ---------------------------------------------------------------------------------

/// A reduction region that is not one of the common reducers.
struct Body {
  std::vector<std::string> operands, results;  // element types; init values have those of results
  std::vector<std::string> inits;
  std::string text;  // ops that define %r0, .. from %a0, %a1, .. and %b0, %b1, ..
  bool any_bits = true;
  bool captures = false;  // true if the ops use %c, the last argument of the program
};

/// An argmax in the form that JAX writes: NaN first, then the greatest element, then the first of
/// equal elements.
Body argmax(const std::string& element, const std::string& least, bool any_bits) {
  const std::string v = "tensor<" + element + ">";
  const std::string compared = " : (" + v + ", " + v + ") -> tensor<i1>\n";
  return {{element, "i32"},
          {element, "i32"},
          {least, "0"},
          "    %g = stablehlo.compare GT, %a0, %b0" + compared +
              "    %n = stablehlo.compare NE, %a0, %a0" + compared +
              "    %p = stablehlo.or %g, %n : tensor<i1>\n"
              "    %e = stablehlo.compare EQ, %a0, %b0" +
              compared +
              "    %l = stablehlo.compare LT, %a1, %b1 : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
              "    %f = stablehlo.and %e, %l : tensor<i1>\n"
              "    %q = stablehlo.or %p, %f : tensor<i1>\n"
              "    %r0 = stablehlo.select %p, %a0, %b0 : tensor<i1>, " +
              v + "\n    %r1 = stablehlo.select %q, %a1, %b1 : tensor<i1>, tensor<i32>\n",
          any_bits};
}

/// Returns a body that prefers the first of equal elements. The order of the operands matters.
Body first_greatest() {
  return {{"f32", "i64"},
          {"f32", "i64"},
          {"0xFF800000", "-1"},
          "    %p = stablehlo.compare GE, %a0, %b0 : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
          "    %r0 = stablehlo.select %p, %a0, %b0 : tensor<i1>, tensor<f32>\n"
          "    %r1 = stablehlo.select %p, %a1, %b1 : tensor<i1>, tensor<i64>\n",
          false};
}

/// Counts the init value once.
Body complex_product() {
  const std::string t = " : tensor<i32>\n";
  return {{"i32", "i32"},
          {"i32", "i32"},
          {"2", "1"},
          "    %w = stablehlo.multiply %a0, %b0" + t + "    %x = stablehlo.multiply %a1, %b1" + t +
              "    %y = stablehlo.multiply %a0, %b1" + t + "    %z = stablehlo.multiply %a1, %b0" +
              t + "    %r0 = stablehlo.subtract %w, %x" + t + "    %r1 = stablehlo.add %y, %z" + t,
          false};
}

/// Returns a body that does not commute.
Body matrix_product() {
  Body body{
      {"i32", "i32", "i32", "i32"}, {"i32", "i32", "i32", "i32"}, {"1", "2", "3", "1"}, "", false};
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t column = 0; column < 2; ++column) {
      const std::string at = std::to_string(2 * row + column);
      const auto term = [&](const std::string& name, int64_t inner) {
        return "    %" + name + at + " = stablehlo.multiply %a" + std::to_string(2 * row + inner) +
               ", %b" + std::to_string(2 * inner + column) + " : tensor<i32>\n";
      };
      body.text += term("x", 0) + term("y", 1) + "    %r" + at + " = stablehlo.add %x" + at +
                   ", %y" + at + " : tensor<i32>\n";
    }
  }
  return body;
}

/// Reads a value from outside the region.
Body shifted_sum() {
  return {{"i32"},
          {"i32"},
          {"3"},
          "    %s = stablehlo.add %a0, %b0 : tensor<i32>\n"
          "    %r0 = stablehlo.add %s, %c : tensor<i32>\n",
          false,
          true};
}

/// The results are wider than the operand.
Body widened_sum() {
  return {{"i8"},
          {"i32"},
          {"3"},
          "    %k = stablehlo.constant dense<1> : tensor<i32>\n"
          "    %s = stablehlo.add %a0, %b0 : tensor<i32>\n"
          "    %r0 = stablehlo.add %s, %k : tensor<i32>\n",
          false};
}

struct ReductionKind {
  Body body;
  Dims dims;  // 0 means the chosen size
  Dims reduced;
};

const std::vector<ReductionKind>& reduction_kinds() {
  static const std::vector<ReductionKind> all = {
      {argmax("f32", "0xFF800000", true), {0, 3}, {0}},
      {argmax("bf16", "0xFF80", true), {2, 0}, {1}},
      {argmax("i32", "-2147483648", true), {2, 0}, {0, 1}},
      {argmax("f32", "0xFF800000", false), {0, 2, 3}, {0, 2}},
      {first_greatest(), {0, 2}, {0}},
      {complex_product(), {0, 3}, {0, 1}},
      {complex_product(), {2, 0}, {1}},
      {matrix_product(), {0}, {0}},
      {shifted_sum(), {0, 4}, {0}},
      {widened_sum(), {3, 0}, {0, 1}},
  };
  return all;
}

Dims without(const Dims& dims, const Dims& dropped) {
  Dims kept;
  for (std::size_t dim = 0; dim < dims.size(); ++dim) {
    if (std::ranges::count(dropped, static_cast<int64_t>(dim)) == 0) kept.push_back(dims[dim]);
  }
  return kept;
}

}  // namespace

IndexedProgram reduction_program(Choices& choices, int64_t kind) {
  const ReductionKind& form = reduction_kinds()[static_cast<std::size_t>(kind)];
  const Dims dims = with_size(form.dims, choices.pick(10));
  const Dims kept = without(dims, form.reduced);
  std::string text;
  std::vector<Value> args;
  std::vector<Value> results;
  std::vector<std::string> names, inits, operand_types, init_types, result_types, params, returned;
  for (std::size_t index = 0; index < form.body.operands.size(); ++index) {
    const std::string at = std::to_string(index);
    const std::string scalar = type_text({}, form.body.results[index]);
    const ShardingChoice choice = index == 0 ? ShardingChoice::Any : ShardingChoice::Follows;
    args.push_back({dims, form.body.operands[index], 0, choice});
    results.push_back({kept, form.body.results[index], 0, choice});
    text += "  %i" + at + " = stablehlo.constant dense<" + form.body.inits[index] +
            "> : " + scalar + "\n";
    names.push_back("%" + at);
    inits.push_back("%i" + at);
    operand_types.push_back(args.back().type());
    init_types.push_back(scalar);
    result_types.push_back(results.back().type());
    params.push_back("%a" + at + ": " + scalar);
    returned.push_back("%r" + at);
  }
  for (std::size_t index = 0; index < form.body.operands.size(); ++index) {
    params.push_back("%b" + std::to_string(index) + ": " + init_types[index]);
  }
  if (form.body.captures) {
    text += "  %c = stablehlo.reshape %1 : (tensor<1xi32>) -> tensor<i32>\n";
    args.push_back({{1}, "i32", 0, ShardingChoice::Whole});
  }
  const std::string count = names.size() > 1 ? ":" + std::to_string(names.size()) : "";
  text += "  %r" + count + " = \"stablehlo.reduce\"(" + joined(names) + ", " + joined(inits) +
          ") <{dimensions = array<i64: " +
          list_text(form.reduced).substr(1, list_text(form.reduced).size() - 2) +
          ">}> ({\n  ^bb0(" + joined(params) + "):\n" + form.body.text + "    stablehlo.return " +
          joined(returned) + " : " + joined(init_types) + "\n  }) : (" + joined(operand_types) +
          ", " + joined(init_types) + ") -> (" + joined(result_types) + ")\n";
  IndexedProgram program = function(choices, args, results, text);
  program.moves_only = form.body.any_bits;
  return program;
}

// ---- Ranking ------------------------------------------------------------------------------------

namespace {

const std::vector<std::string>& ranked_elements() {
  static const std::vector<std::string> all = {"f32",    "f64", "i1",   "ui8",      "i64",
                                               "bf16",   "f16", "i4",   "f8E5M2",   "ui64",
                                               "f8E4M3", "i8",  "ui16", "f4E2M1FN", "f8E8M0FNU"};
  return all;
}

}  // namespace

IndexedProgram top_k_program(Choices& choices, int64_t kind) {
  static const std::vector<Dims> shapes = {{0}, {3, 0}, {2, 0}, {2, 3, 0}};
  const int64_t size = choices.pick(10);
  const Dims dims = with_size(shapes[static_cast<std::size_t>(kind)], size);
  Dims best = dims;
  best.back() = kind == 2 ? size / 3 : std::min<int64_t>(size, choices.pick(3) + 1);
  const std::string element =
      kind == 2 ? "i64" : one_of(ranked_elements(), size + 5 * kind + best.back());
  const std::vector<Value> results = {{best, element}, {best, "i32"}};
  return function(choices, {{dims, element}}, results,
                  "  %r:2 = chlo.top_k(%0, k = " + std::to_string(best.back()) +
                      ") : " + type_text(dims, element) + " -> (" + results[0].type() + ", " +
                      results[1].type() + ")\n");
}

IndexedProgram merged_top_k_program(Choices& choices, int64_t kind) {
  struct Form {
    Dims dims;
    std::size_t kept;  // number of first dims that are not merged
  };
  static const std::vector<Form> forms = {{{3, 0}, 0},    {{0, 8}, 0},    {{2, 4, 0}, 1},
                                          {{3, 0, 4}, 1}, {{2, 0, 6}, 0}, {{3, 2, 4, 0}, 2}};
  const Form& form = forms[static_cast<std::size_t>(kind)];
  const int64_t size = choices.pick(9) + 1;
  const Dims dims = with_size(form.dims, size);
  Dims merged(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(form.kept));
  int64_t row = 1;
  for (std::size_t dim = form.kept; dim < dims.size(); ++dim) row *= dims[dim];
  merged.push_back(row);
  Dims best = merged;
  best.back() = std::min<int64_t>(row, choices.pick(3) + 1);
  // f8E8M0FNU does not have a zero, so a row sharded along its first dim may be refused.
  static const std::vector<std::string> elements(ranked_elements().begin(),
                                                 ranked_elements().end() - 1);
  const std::string element = one_of(elements, size + 7 * kind + best.back());
  const std::vector<Value> results = {{best, element}, {best, "i32"}};
  return function(choices, {{dims, element}}, results,
                  "  %m = stablehlo.reshape %0 : (" + type_text(dims, element) + ") -> " +
                      type_text(merged, element) + "\n  %r:2 = chlo.top_k(%m, k = " +
                      std::to_string(best.back()) + ") : " + type_text(merged, element) + " -> (" +
                      results[0].type() + ", " + results[1].type() + ")\n");
}

// ---- Ragged products ----------------------------------------------------------------------------

namespace {

struct RaggedDotKind {
  Dims lhs, rhs, sizes, result;  // 0 means the chosen size
  std::string numbers;
  int64_t bound;  // bound of the group sizes
};

const std::vector<RaggedDotKind>& ragged_dot_kinds() {
  static const std::string kRows =
      "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], "
      "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]";
  static const std::string kDeepRows =
      "lhs_batching_dimensions = [1], rhs_batching_dimensions = [0], "
      "lhs_contracting_dimensions = [3], rhs_contracting_dimensions = [2], "
      "lhs_ragged_dimensions = [2], rhs_group_dimensions = [1]";
  static const std::string kSums =
      "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], "
      "lhs_ragged_dimensions = [1]";
  static const std::string kDeepSums =
      "lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], "
      "lhs_contracting_dimensions = [2, 3], rhs_contracting_dimensions = [0, 2], "
      "lhs_ragged_dimensions = [3]";
  static const std::string kBatches =
      "lhs_batching_dimensions = [1, 0], rhs_batching_dimensions = [0, 1], "
      "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], "
      "lhs_ragged_dimensions = [0]";
  static const std::vector<RaggedDotKind> all = {
      {{0, 3}, {3, 3, 2}, {3}, {0, 2}, kRows, 4},
      {{5, 2}, {0, 2, 3}, {0}, {5, 3}, kRows, 2},
      {{2, 2, 0, 2}, {2, 3, 2, 2}, {2, 2, 3}, {2, 2, 0, 2}, kDeepRows, 4},
      {{2, 3, 4, 2}, {3, 0, 2, 1}, {0}, {3, 2, 4, 1}, kDeepRows, 2},
      {{3, 0}, {0, 2}, {3}, {3, 3, 2}, kSums, 4},
      {{2, 5}, {5, 3}, {0}, {0, 2, 3}, kSums, 2},
      {{2, 2, 2, 0}, {2, 2, 0, 2}, {2, 2, 3}, {3, 2, 2, 2}, kDeepSums, 4},
      {{2, 1, 3, 4}, {3, 2, 4, 2}, {0}, {0, 2, 1, 2}, kDeepSums, 2},
      {{0, 2, 3}, {2, 0, 3, 2}, {2, 2}, {2, 0, 2}, kBatches, 4},
  };
  return all;
}

}  // namespace

IndexedProgram ragged_dot_program(Choices& choices, int64_t kind) {
  static const std::vector<std::string> elements = {"f32", "i32", "bf16", "f64"};
  const RaggedDotKind& form = ragged_dot_kinds()[static_cast<std::size_t>(kind)];
  const int64_t size = choices.pick(10);
  const std::string element = one_of(elements, size + kind);
  const Value lhs{with_size(form.lhs, size), element};
  const Value rhs{with_size(form.rhs, size), element};
  const Value sizes{with_size(form.sizes, size), index_element(size), form.bound};
  const Value result{with_size(form.result, size), element};
  IndexedProgram program =
      function(choices, {lhs, rhs, sizes}, {result},
               "  %r = \"chlo.ragged_dot\"(%0, %1, %2) <{ragged_dot_dimension_numbers = "
               "#chlo.ragged_dot<" +
                   form.numbers + ">}> : (" + joined({lhs.type(), rhs.type(), sizes.type()}) +
                   ") -> " + result.type() + "\n");
  program.moves_only = false;
  return program;
}

// ---- Normalization ------------------------------------------------------------------------------

namespace {

/// Makes %r from %g by adding 64 to each element. Sums that cancel out are then compared relative
/// to 64.
std::string far_from_zero(const std::string& x, const std::string& v) {
  std::string text;
  std::vector<std::string> names;
  const std::vector<std::string> types = {x, v, v};
  for (std::size_t index = 0; index < types.size(); ++index) {
    const std::string at = std::to_string(index);
    text += "  %k" + at + " = stablehlo.constant dense<64.0> : " + types[index] + "\n  %s" + at +
            " = stablehlo.add %g#" + at + ", %k" + at + " : " + types[index] + "\n";
    names.push_back("%s" + at);
  }
  return text + "  %r:3 = stablehlo.optimization_barrier " + joined(names) + " : " + joined(types) +
         "\n";
}

}  // namespace

IndexedProgram batch_norm_program(Choices& choices, int64_t kind) {
  struct Form {
    Dims dims;
    int64_t feature;
    std::string element;
  };
  static const std::vector<Form> forms = {
      {{0, 3}, 1, "f32"}, {{2, 0, 2}, 2, "f64"}, {{3, 0, 2}, 1, "f32"}};
  const Form& form = forms[static_cast<std::size_t>(kind % 3)];
  const Dims dims = with_size(form.dims, choices.pick(9) + 1);
  const Dims features = {dims[static_cast<std::size_t>(form.feature)]};
  const std::string x = type_text(dims, form.element);
  const std::string v = type_text(features, form.element);
  const std::string attributes =
      ") <{epsilon = 0.5 : f32, feature_index = " + std::to_string(form.feature) + " : i64}> : (";
  const Value whole{dims, form.element};
  const Value each{features, form.element};
  const Value other{features, form.element, 0, ShardingChoice::Whole};
  const Value same{dims, form.element, 0, ShardingChoice::Follows};
  IndexedProgram program;
  if (kind < 3) {
    program = function(choices, {whole, each, other}, {same, each, other},
                       "  %r:3 = \"stablehlo.batch_norm_training\"(%0, %1, %2" + attributes +
                           joined({x, v, v}) + ") -> (" + joined({x, v, v}) + ")\n");
  } else {
    program = function(choices, {whole, each, other, other, same}, {same, each, other},
                       "  %v = stablehlo.multiply %3, %3 : " + v +
                           "\n  %g:3 = \"stablehlo.batch_norm_grad\"(%0, %1, %2, %v, %4" +
                           attributes + joined({x, v, v, v, x}) + ") -> (" + joined({x, v, v}) +
                           ")\n" + far_from_zero(x, v));
  }
  program.moves_only = false;
  program.tolerance = form.element == "f64" ? 1e-13 : 1e-5;
  return program;
}

// ---- Sorting ------------------------------------------------------------------------------------

namespace {

struct SortKind {
  Dims dims;  // 0 means the chosen size
  int64_t dim;
  std::vector<std::string> elements;  // the sort compares the first one
  std::string order;                  // compares %a0 and %b0
  bool is_stable;
};

const std::vector<SortKind>& sort_kinds() {
  static const std::vector<SortKind> all = {
      {{0}, 0, {"f32", "i32"}, "LT, %a0, %b0, TOTALORDER", true},
      {{3, 0}, 1, {"f32"}, "GT, %a0, %b0, TOTALORDER", false},
      {{0, 5}, 0, {"i8", "f32"}, "GT, %a0, %b0, SIGNED", true},
      // In half of the pairs, neither element is less.
      {{2, 4, 0}, 2, {"i32", "i64", "bf16"}, "LT, %h, %k, SIGNED", true},
      {{0, 6, 2}, 1, {"ui8", "ui8"}, "LT, %a0, %b0, UNSIGNED", true},
  };
  return all;
}

/// The arguments of a sort and the op that defines `%NAME`.
struct SortText {
  std::vector<Value> values;
  std::string text;
};

SortText sort_text(const SortKind& form, const Dims& dims, const std::string& name) {
  std::vector<Value> values;
  std::vector<std::string> names, types, params;
  for (std::size_t index = 0; index < form.elements.size(); ++index) {
    const std::string at = std::to_string(index);
    values.push_back({dims, form.elements[index], 0,
                      index == 0 ? ShardingChoice::Any : ShardingChoice::Follows});
    names.push_back("%" + at);
    types.push_back(values.back().type());
    const std::string scalar = "tensor<" + form.elements[index] + ">";
    params.push_back("%a" + at + ": " + scalar);
    params.push_back("%b" + at + ": " + scalar);
  }
  const std::string key = "tensor<" + form.elements.front() + ">";
  std::string body;
  if (form.order.find("%h") != std::string::npos) {
    body = "    %two = stablehlo.constant dense<2> : " + key +
           "\n    %h = stablehlo.divide %a0, %two : " + key +
           "\n    %k = stablehlo.divide %b0, %two : " + key + "\n";
  }
  const std::string count = names.size() > 1 ? ":" + std::to_string(names.size()) : "";
  return {values, "  %" + name + count + " = \"stablehlo.sort\"(" + joined(names) +
                      ") <{dimension = " + std::to_string(form.dim) +
                      " : i64, is_stable = " + (form.is_stable ? "true" : "false") +
                      "}> ({\n  ^bb0(" + joined(params) + "):\n" + body +
                      "    %p = stablehlo.compare " + form.order + " : (" + key + ", " + key +
                      ") -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n  }) : (" +
                      joined(types) + ") -> (" + joined(types) + ")\n"};
}

}  // namespace

IndexedProgram sort_program(Choices& choices, int64_t kind) {
  const SortKind& form = sort_kinds()[static_cast<std::size_t>(kind)];
  const SortText sort = sort_text(form, with_size(form.dims, choices.pick(10)), "r");
  return function(choices, sort.values, sort.values, sort.text);
}

IndexedProgram sorted_end_program(Choices& choices, int64_t kind) {
  const SortKind& form = sort_kinds()[static_cast<std::size_t>(kind)];
  const int64_t size =
      std::vector<int64_t>{12, 48, 50, 72}[static_cast<std::size_t>(choices.pick(4))];
  const int64_t count = choices.pick(3) + 1;
  const bool is_last = choices.pick(2) == 1;
  const auto dim = static_cast<std::size_t>(form.dim);
  Dims dims = with_size(form.dims, 3);
  dims[dim] = size;
  const SortText sort = sort_text(form, dims, "s");
  std::string text = sort.text;
  std::vector<Value> results;
  std::vector<std::string> names, types;
  for (std::size_t index = 0; index < sort.values.size(); ++index) {
    // The second result has one element less.
    const int64_t used = index == 1 ? std::max<int64_t>(count - 1, 1) : count;
    Dims starts(dims.size(), 0);
    Dims limits = dims;
    starts[dim] = is_last ? size - used : count - used;
    limits[dim] = starts[dim] + used;
    std::string ranges;
    for (std::size_t each = 0; each < dims.size(); ++each) {
      ranges += (each == 0 ? "" : ", ") + std::to_string(starts[each]) + ":" +
                std::to_string(limits[each]);
    }
    Value result = sort.values[index];
    result.dims[dim] = used;
    const std::string from = sort.values.size() > 1 ? "%s#" + std::to_string(index) : "%s";
    names.push_back("%e" + std::to_string(index));
    text += "  " + names.back() + " = stablehlo.slice " + from + " [" + ranges + "] : (" +
            sort.values[index].type() + ") -> " + result.type() + "\n";
    types.push_back(result.type());
    results.push_back(std::move(result));
  }
  const std::string all = names.size() > 1 ? ":" + std::to_string(names.size()) : "";
  return function(choices, sort.values, results,
                  text + "  %r" + all + " = stablehlo.optimization_barrier " + joined(names) +
                      " : " + joined(types) + "\n");
}

// ---- Transforms ---------------------------------------------------------------------------------

IndexedProgram transform_program(Choices& choices, int64_t kind) {
  struct Form {
    std::string type;
    Dims dims;  // dims of the longer side
    int64_t count;
    std::string from, to;
  };
  static const std::vector<Form> forms = {
      {"FFT", {0}, 1, "complex<f32>", "complex<f32>"},
      {"IFFT", {5, 0}, 1, "complex<f64>", "complex<f64>"},
      {"RFFT", {4, 0}, 1, "f32", "complex<f32>"},
      {"IRFFT", {3, 0}, 1, "complex<f32>", "f32"},
      {"FFT", {4, 3, 0}, 2, "complex<f32>", "complex<f32>"},
      {"FFT", {0, 6}, 2, "complex<f32>", "complex<f32>"},
      {"IFFT", {4, 0, 3}, 3, "complex<f64>", "complex<f64>"},
      {"RFFT", {6, 0}, 2, "f32", "complex<f32>"},
      {"RFFT", {0, 4, 5}, 3, "f64", "complex<f64>"},
      {"IRFFT", {0, 7}, 2, "complex<f32>", "f32"},
  };
  const Form& form = forms[static_cast<std::size_t>(kind)];
  const Dims whole = with_size(form.dims, choices.pick(9) + 1);
  Dims half = whole;
  half.back() = half.back() / 2 + 1;
  const Dims lengths(whole.end() - form.count, whole.end());
  const Value operand{form.type == "IRFFT" ? half : whole, form.from};
  const Value result{form.type == "RFFT" ? half : whole, form.to};
  IndexedProgram program =
      function(choices, {operand}, {result},
               "  %r = stablehlo.fft %0, type = " + form.type + ", length = " + list_text(lengths) +
                   " : (" + operand.type() + ") -> " + result.type() + "\n");
  program.moves_only = false;
  // Each pass transforms one dim and rounds its results, which are sums of up to all elements.
  const double elements = std::accumulate(lengths.begin(), lengths.end(), 1.0, std::multiplies<>());
  const double epsilon = form.to.find("f64") == std::string::npos ? 0x1p-23 : 0x1p-52;
  if (form.count > 1) program.tolerance = epsilon * (8 + elements);
  return program;
}

// ---- Solvers ------------------------------------------------------------------------------------

/// Kind 0 is a Cholesky decomposition. The other kinds solve equations.
IndexedProgram solver_program(Choices& choices, int64_t kind) {
  const int64_t size = choices.pick(9) + 1;
  const Dims matrix = kind == 4 ? Dims{size, size} : Dims{3, size, size};
  const Value a{matrix, "f32"};
  IndexedProgram program;
  if (kind == 0) {
    program = function(choices, {a}, {a},
                       "  %r = stablehlo.cholesky %0, lower = true : " + a.type() + "\n");
  } else {
    const bool left = kind % 2 == 1;
    Dims sides = matrix;
    sides[sides.size() - (left ? 1 : 2)] = 4;
    const Value b{sides, "f32"};
    program =
        function(choices, {a, b}, {b},
                 std::string("  %r = \"stablehlo.triangular_solve\"(%0, %1) <{left_side = ") +
                     (left ? "true" : "false") + ", lower = " + (kind < 3 ? "true" : "false") +
                     ", unit_diagonal = true, transpose_a = #stablehlo<transpose " +
                     (kind == 2 ? "TRANSPOSE" : "NO_TRANSPOSE") + ">}> : (" + a.type() + ", " +
                     b.type() + ") -> " + b.type() + "\n");
  }
  program.moves_only = false;
  return program;
}

// ---- Random bits --------------------------------------------------------------------------------

/// States near an overflow of the low word are drawn often.
IndexedProgram random_bits_program(Choices& choices, int64_t kind) {
  struct Form {
    std::string algorithm;
    int64_t words;  // words of the state
    std::string state;
    Dims dims;
  };
  static const std::vector<Form> forms = {
      {"PHILOX", 2, "ui64", {0}},          {"PHILOX", 3, "ui64", {0, 3}},
      {"DEFAULT", 2, "i64", {1, 0, 3, 2}}, {"PHILOX", 2, "ui64", {3, 0}},
      {"THREE_FRY", 2, "ui64", {0}},       {"THREE_FRY", 2, "i64", {0, 3}},
      {"THREE_FRY", 2, "ui64", {1, 0, 4}}, {"THREE_FRY", 2, "ui64", {5, 0}},
  };
  static const std::vector<std::string> elements = {"ui32", "ui64", "i8", "f32",
                                                    "ui16", "i4",   "f64"};
  const Form& form = forms[static_cast<std::size_t>(kind)];
  const int64_t size = choices.pick(10);
  const Dims dims = with_size(form.dims, size);
  const std::string element = one_of(elements, size + kind + 3 * choices.pick(2));
  const Value state{{form.words}, form.state, 0, ShardingChoice::Whole};
  const Value bits{dims, element};
  // The low word of the counter is 2^64 - 3 plus the word of the argument.
  const std::string near = form.words == 3 ? "[7, -3, 9]" : "[7, -3]";
  const std::string unsigned_near =
      form.words == 3 ? "[7, 18446744073709551613, 9]" : "[7, 18446744073709551613]";
  return function(choices, {state}, {state, bits},
                  "  %k = stablehlo.constant dense<" +
                      (form.state == "i64" ? near : unsigned_near) + "> : " + state.type() +
                      "\n  %s = stablehlo.add %0, %k : " + state.type() +
                      "\n  %r:2 = \"stablehlo.rng_bit_generator\"(%s) <{rng_algorithm = "
                      "#stablehlo<rng_algorithm " +
                      form.algorithm + ">}> : (" + state.type() + ") -> (" + state.type() + ", " +
                      bits.type() + ")\n");
}

}  // namespace shardy_test
