#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "rules/oracle_subject.hpp"
#include "shardy/ir/graph_builder.hpp"

namespace shardy::rules {

using ir::ElementType;
using ir::OpKind;

namespace {

ElementType element_of(const Subject& subject, std::size_t operand) {
  const auto& elements = subject.operand_elements;
  return operand < elements.size() ? elements[operand] : ElementType::F32;
}

ir::RegionId add_region(ir::Module& module, OpKind kind, std::size_t num_args,
                        std::size_t num_results) {
  const ir::Type scalar = ir::Type::tensor({}, ElementType::F32);
  const ir::RegionId region = module.new_region();
  const ir::BlockId body = module.new_block(region, std::vector<ir::Type>(num_args, scalar));
  ir::Builder builder(module, body);
  std::vector<ir::ValueId> results;
  for (std::size_t result = 0; result < num_results; ++result) {
    const ir::ValueId lhs = module.args(body)[result];
    const ir::ValueId rhs = module.args(body)[result + (kind == OpKind::Compare ? 1 : num_results)];
    if (kind == OpKind::Compare) {
      const ir::OpId compare = builder.create(
          {.kind = kind,
           .operands = {lhs, rhs},
           .result_types = {ir::Type::tensor({}, ElementType::I1)},
           .attributes = attributes(
               {{"comparison_direction", ir::EnumAttr{"stablehlo.comparison_direction", "LT"}}})});
      results.push_back(module.result(compare));
    } else {
      results.push_back(builder.create_value(kind, {lhs, rhs}, scalar));
    }
  }
  builder.create({.kind = OpKind::StablehloReturn, .operands = results});
  return region;
}

void add_regions(ir::Module& module, ir::OpSpec& spec, Body body, std::size_t num_results) {
  if (body == Body::Less || body == Body::SelectThenAdd) {
    spec.regions.push_back(add_region(module, OpKind::Compare, 2 * num_results, 1));
  }
  if (body == Body::Add || body == Body::SelectThenAdd) {
    spec.regions.push_back(add_region(module, OpKind::Add, 2 * num_results, num_results));
  }
}

ir::AttributeMap whole_slices(const Sizes& starts, const Sizes& limits) {
  return attributes({{"start_indices", integers(starts)},
                     {"limit_indices", integers(limits)},
                     {"strides", integers(Sizes(starts.size(), 1))}});
}

MakeAttributes fixed(ir::AttributeMap map) {
  return [map](const Shapes&, const Shapes&) { return map; };
}

/// `block` again and again, times 1, 2, 3, ...
std::vector<double> spread(const std::vector<double>& block, std::size_t count) {
  std::vector<double> values;
  for (std::size_t copy = 0; copy < count; ++copy) {
    for (const double value : block) values.push_back(value * static_cast<double>(copy + 1));
  }
  return values;
}

/// 0, 1, 2, ... in an order without pattern. Requires: 7 does not divide `count`.
std::vector<double> shuffled(std::size_t count) {
  std::vector<double> values;
  for (std::size_t at = 0; at < count; ++at) {
    values.push_back(static_cast<double>((at * 7 + 3) % count));
  }
  return values;
}

ir::Literal window_padding(const Sizes& numbers) {
  std::vector<std::byte> bytes(numbers.size() * sizeof(int64_t));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  const auto rank = static_cast<int64_t>(numbers.size() / 2);
  return ir::Literal::make(ir::Type::tensor({rank, 2}, ElementType::I64), std::move(bytes)).value();
}

/// Layout b, w, f of input and output, w, i, o of the kernel.
ir::AttributeMap convolution(int64_t batch_groups, int64_t feature_groups) {
  return attributes({{"dimension_numbers", channels_last_dims()},
                     {"batch_group_count", integer(batch_groups)},
                     {"feature_group_count", integer(feature_groups)}});
}

Subject elementwise(OpKind kind, std::size_t num_operands, ElementType operand,
                    ElementType result) {
  return {.name = std::string(ir::info(kind).name),
          .kind = kind,
          .operands = Shapes(num_operands, {6, 4}),
          .results = {{6, 4}},
          .operand_elements = std::vector<ElementType>(num_operands, operand),
          .result_element = result};
}

}  // namespace

std::vector<ir::Type> operand_types(const Subject& subject, const Shapes& shapes) {
  std::vector<ir::Type> types;
  for (std::size_t operand = 0; operand < shapes.size(); ++operand) {
    types.push_back(ir::Type::tensor(shapes[operand], element_of(subject, operand)));
  }
  return types;
}

ir::Module module_of(const Subject& subject, const Shapes& operands, const Shapes& results) {
  std::vector<ir::Type> result_types;
  const auto& elements = subject.result_elements;
  for (std::size_t index = 0; index < results.size(); ++index) {
    const ElementType element = index < elements.size() ? elements[index] : subject.result_element;
    result_types.push_back(ir::Type::tensor(results[index], element));
  }
  ir::Module module;
  const ir::BlockId entry =
      module.entry(module.add_function("main", operand_types(subject, operands), result_types));
  const auto args = module.args(entry);
  ir::OpSpec spec{.kind = subject.kind,
                  .operands = {args.begin(), args.end()},
                  .result_types = result_types,
                  .attributes = subject.attributes(operands, results)};
  add_regions(module, spec, subject.body, results.size());
  const ir::OpId op = ir::Builder(module, entry).create(std::move(spec));
  ir::Builder(module, entry).create({.kind = OpKind::FuncReturn, .operands = module.results(op)});
  return module;
}

std::vector<Subject> elementwise_subjects() {
  std::vector<Subject> all;
  const auto add = [&](std::vector<OpKind> kinds, std::size_t num_operands, ElementType element) {
    for (const OpKind kind : kinds) {
      all.push_back(elementwise(kind, num_operands, element, element));
    }
  };
  using enum OpKind;
  add({Abs, Cbrt, Ceil, Cosine, Exponential, ExponentialMinusOne, Floor, Log, LogPlusOne, Logistic,
       Negate, RoundNearestAfz, RoundNearestEven, Rsqrt, Sign, Sine, Sqrt, Tan, Tanh},
      1, ElementType::F32);
  add({CountLeadingZeros, Not, PopulationCount}, 1, ElementType::I32);
  add({Add, Atan2, Divide, Maximum, Minimum, Multiply, Power, Remainder, Subtract}, 2,
      ElementType::F32);
  add({And, Or, ShiftLeft, ShiftRightArithmetic, ShiftRightLogical, Xor}, 2, ElementType::I32);
  all.push_back(elementwise(IsFinite, 1, ElementType::F32, ElementType::I1));
  all.push_back(elementwise(Complex, 2, ElementType::F32, ElementType::Complex64));
  all.push_back(elementwise(Real, 1, ElementType::Complex64, ElementType::F32));
  all.push_back(elementwise(Imag, 1, ElementType::Complex64, ElementType::F32));
  all.push_back(elementwise(ReducePrecision, 1, ElementType::F32, ElementType::F32));
  all.back().attributes = [](const Shapes&, const Shapes&) {
    return attributes({{"exponent_bits", ir::IntegerAttr{5, ElementType::I32}},
                       {"mantissa_bits", ir::IntegerAttr{2, ElementType::I32}}});
  };
  return all;
}

std::vector<Subject> subjects() {
  const auto permutation = fixed(attributes({{"permutation", integers({2, 0, 1})}}));
  const auto first_dim = fixed(attributes({{"dimensions", integers({0})}}));
  const auto dot = fixed(attributes({{"dot_dimension_numbers", ir::DotDims{{0}, {1}, {2}, {2}}}}));
  const auto less = fixed(
      attributes({{"comparison_direction", ir::EnumAttr{"stablehlo.comparison_direction", "LT"}}}));
  const auto padding = fixed(attributes({{"edge_padding_low", integers({0, 1})},
                                         {"edge_padding_high", integers({0, 2})},
                                         {"interior_padding", integers({0, 1})}}));
  const auto starts = std::vector{ElementType::F32, ElementType::I32, ElementType::I32};
  return {
      {.name = "add", .kind = OpKind::Add, .operands = {{6, 4}, {6, 4}}, .results = {{6, 4}}},
      {.name = "clamp",
       .kind = OpKind::Clamp,
       .operands = {{}, {6, 4}, {}},
       .results = {{6, 4}},
       .values = {{3}, {}, {9}}},
      {.name = "select",
       .kind = OpKind::Select,
       .operands = {{6}, {6}, {6}},
       .results = {{6}},
       .operand_elements = {ElementType::I1},
       .values = {{1, 0, 0, 1, 1, 0}, {}, {}}},
      {.name = "select by one",
       .kind = OpKind::Select,
       .operands = {{}, {6}, {6}},
       .results = {{6}},
       .operand_elements = {ElementType::I1},
       .values = {{1}, {}, {}}},
      {.name = "compare",
       .kind = OpKind::Compare,
       .operands = {{6}, {6}},
       .results = {{6}},
       .attributes = less,
       .result_element = ElementType::I1,
       .values = {{1, 5, 3, 2, 6, 4}, {2, 4, 6, 1, 3, 5}}},
      {.name = "convert",
       .kind = OpKind::Convert,
       .operands = {{6, 2}},
       .results = {{6, 2}},
       .result_element = ElementType::I32},
      {.name = "broadcast_in_dim",
       .kind = OpKind::BroadcastInDim,
       .operands = {{1, 6}},
       .results = {{4, 3, 6}},
       .attributes = fixed(attributes({{"broadcast_dimensions", integers({0, 2})}}))},
      {.name = "transpose",
       .kind = OpKind::Transpose,
       .operands = {{3, 4, 6}},
       .results = {{6, 3, 4}},
       .attributes = permutation},
      {.name = "reverse",
       .kind = OpKind::Reverse,
       .operands = {{4, 6}},
       .results = {{4, 6}},
       .attributes = first_dim},
      {.name = "reduce",
       .kind = OpKind::Reduce,
       .operands = {{6, 4}, {}},
       .results = {{4}},
       .attributes = first_dim,
       .values = {{}, {0}},
       .body = Body::Add},
      {.name = "reduce of two",
       .kind = OpKind::Reduce,
       .operands = {{6, 4}, {6, 4}, {}, {}},
       .results = {{4}, {4}},
       .attributes = first_dim,
       .values = {{}, {}, {0}, {0}},
       .body = Body::Add},
      {.name = "dot_general",
       .kind = OpKind::DotGeneral,
       .operands = {{3, 4, 6}, {2, 3, 6}},
       .results = {{3, 4, 2}},
       .attributes = dot},
      {.name = "slice",
       .kind = OpKind::Slice,
       .operands = {{6, 5}},
       .results = {{6, 3}},
       .attributes =
           [](const Shapes& operands, const Shapes&) {
             return whole_slices({0, 1}, {operands[0][0], 4});
           }},
      {.name = "dynamic_slice",
       .kind = OpKind::DynamicSlice,
       .operands = {{6, 5}, {}, {}},
       .results = {{6, 3}},
       .attributes =
           [](const Shapes&, const Shapes& results) {
             return attributes({{"slice_sizes", integers(results[0])}});
           },
       .operand_elements = starts,
       .values = {{}, {0}, {1}}},
      {.name = "dynamic_update_slice",
       .kind = OpKind::DynamicUpdateSlice,
       .operands = {{6, 8}, {6, 3}, {}, {}},
       .results = {{6, 8}},
       .operand_elements = {ElementType::F32, ElementType::F32, ElementType::I32, ElementType::I32},
       .values = {{}, {}, {0}, {1}}},
      {.name = "concatenate",
       .kind = OpKind::Concatenate,
       .operands = {{6, 3}, {6, 5}},
       .results = {{6, 8}},
       .attributes = fixed(attributes({{"dimension", integer(1)}}))},
      {.name = "pad that shifts",
       .kind = OpKind::Pad,
       .operands = {{6, 4}, {}},
       .results = {{6, 4}},
       .attributes = fixed(attributes({{"edge_padding_low", integers({1, 0})},
                                       {"edge_padding_high", integers({-1, 0})},
                                       {"interior_padding", integers({0, 0})}}))},
      {.name = "pad",
       .kind = OpKind::Pad,
       .operands = {{6, 3}, {}},
       .results = {{6, 8}},
       .attributes = padding},
      {.name = "reshape that splits",
       .kind = OpKind::Reshape,
       .operands = {{12}},
       .results = {{2, 6}}},
      {.name = "reshape that merges",
       .kind = OpKind::Reshape,
       .operands = {{2, 3, 4}},
       .results = {{6, 4}}},
      {.name = "reshape that does both",
       .kind = OpKind::Reshape,
       .operands = {{4, 6, 6}},
       .results = {{8, 18}}},
      {.name = "dot", .kind = OpKind::Dot, .operands = {{4, 6}, {6, 3}}, .results = {{4, 3}}},
      {.name = "dot of vectors", .kind = OpKind::Dot, .operands = {{6}, {6}}, .results = {{}}},
      {.name = "bitcast_convert to narrower elements",
       .kind = OpKind::BitcastConvert,
       .operands = {{6, 4}},
       .results = {{6, 4, 2}},
       .operand_elements = {ElementType::UI64},
       .result_element = ElementType::UI32},
      {.name = "bitcast_convert",
       .kind = OpKind::BitcastConvert,
       .operands = {{6, 4}},
       .results = {{6, 4}},
       .operand_elements = {ElementType::F32},
       .result_element = ElementType::I32},
      {.name = "batch_norm_inference",
       .kind = OpKind::BatchNormInference,
       .operands = {{4, 6}, {6}, {6}, {6}, {6}},
       .results = {{4, 6}},
       .attributes = fixed(attributes(
           {{"epsilon", ir::FloatAttr{0.5, ElementType::F32}}, {"feature_index", integer(1)}}))},
      {.name = "cholesky",
       .kind = OpKind::Cholesky,
       .operands = {{6, 2, 2}},
       .results = {{6, 2, 2}},
       .attributes = fixed(attributes({{"lower", true}})),
       .values = {spread({4, 1, 1, 3}, 6)}},
      {.name = "triangular_solve",
       .kind = OpKind::TriangularSolve,
       .operands = {{6, 2, 2}, {6, 2, 6}},
       .results = {{6, 2, 6}},
       .attributes = fixed(
           attributes({{"left_side", true},
                       {"lower", true},
                       {"unit_diagonal", false},
                       {"transpose_a", ir::EnumAttr{"stablehlo.transpose", "NO_TRANSPOSE"}}})),
       .values = {spread({4, 0, 1, 3}, 6)}},
      {.name = "fft",
       .kind = OpKind::Fft,
       .operands = {{6, 4}},
       .results = {{6, 4}},
       .attributes =
           [](const Shapes& operands, const Shapes&) {
             return attributes({{"fft_type", ir::EnumAttr{"stablehlo.fft_type", "FFT"}},
                                {"fft_length", integers({operands[0][1]})}});
           },
       .operand_elements = {ElementType::Complex64},
       .result_element = ElementType::Complex64},
      {.name = "gather of windows",
       .kind = OpKind::Gather,
       .operands = {{10, 6}, {4, 1}},
       .results = {{4, 6}},
       .attributes =
           [](const Shapes& operands, const Shapes&) {
             return attributes(
                 {{"dimension_numbers", ir::GatherDims{.offset_dims = {1},
                                                       .collapsed_slice_dims = {0},
                                                       .operand_batching_dims = {},
                                                       .start_indices_batching_dims = {},
                                                       .start_index_map = {0},
                                                       .index_vector_dim = 1}},
                  {"slice_sizes", integers({1, operands[0][1]})},
                  {"indices_are_sorted", false}});
           },
       .operand_elements = {ElementType::F32, ElementType::I32},
       .values = {{}, {7, 2, 9, 0}}},
      {.name = "gather with batching dims",
       .kind = OpKind::Gather,
       .operands = {{6, 8, 4}, {6, 2, 1}},
       .results = {{6, 2, 4}},
       .attributes =
           [](const Shapes& operands, const Shapes&) {
             return attributes(
                 {{"dimension_numbers", ir::GatherDims{.offset_dims = {2},
                                                       .collapsed_slice_dims = {1},
                                                       .operand_batching_dims = {0},
                                                       .start_indices_batching_dims = {0},
                                                       .start_index_map = {1},
                                                       .index_vector_dim = 2}},
                  {"slice_sizes", integers({1, 1, operands[0][2]})},
                  {"indices_are_sorted", false}});
           },
       .operand_elements = {ElementType::F32, ElementType::I32},
       .values = {{}, {3, 2, 7, 0, 1, 5, 2, 6, 3, 0, 4, 2}}},
      {.name = "scatter that adds",
       .kind = OpKind::Scatter,
       .operands = {{6, 4}, {6, 1}, {6, 4}},
       .results = {{6, 4}},
       .attributes = fixed(attributes(
           {{"scatter_dimension_numbers", ir::ScatterDims{.update_window_dims = {1},
                                                          .inserted_window_dims = {0},
                                                          .input_batching_dims = {},
                                                          .scatter_indices_batching_dims = {},
                                                          .scatter_dims_to_operand_dims = {0},
                                                          .index_vector_dim = 1}},
            {"indices_are_sorted", false},
            {"unique_indices", false}})),
       .operand_elements = {ElementType::F32, ElementType::I32},
       // Every shard adds to the input, so that it must be what changes no sum.
       .values = {std::vector<double>(24, 0), {3, 1, 4, 3, 0, 1}},
       .body = Body::Add},
      {.name = "sort",
       .kind = OpKind::Sort,
       .operands = {{6, 4}},
       .results = {{6, 4}},
       .attributes = fixed(attributes({{"dimension", integer(1)}, {"is_stable", true}})),
       .values = {shuffled(24)},
       .body = Body::Less},
      {.name = "reduce_window",
       .kind = OpKind::ReduceWindow,
       .operands = {{6, 8}, {}},
       .results = {{6, 4}},
       .attributes = fixed(attributes({{"window_dimensions", integers({1, 3})},
                                       {"window_strides", integers({1, 2})},
                                       {"padding", window_padding({0, 0, 1, 0})}})),
       .values = {{}, {0}},
       .body = Body::Add},
      {.name = "select_and_scatter",
       .kind = OpKind::SelectAndScatter,
       .operands = {{6, 8}, {6, 4}, {}},
       .results = {{6, 8}},
       .attributes = fixed(attributes({{"window_dimensions", integers({1, 2})},
                                       {"window_strides", integers({1, 2})},
                                       {"padding", window_padding({0, 0, 0, 0})}})),
       .values = {shuffled(48), {}, {0}},
       .body = Body::SelectThenAdd},
      {.name = "convolution",
       .kind = OpKind::Convolution,
       .operands = {{4, 8, 6}, {3, 6, 4}},
       .results = {{4, 6, 4}},
       .attributes = fixed(convolution(1, 1))},
      {.name = "convolution of feature groups",
       .kind = OpKind::Convolution,
       .operands = {{2, 8, 6}, {3, 1, 6}},
       .results = {{2, 6, 6}},
       .attributes = [](const Shapes& operands,
                        const Shapes&) { return convolution(1, operands[0][2]); }},
      {.name = "rng_bit_generator",
       .kind = OpKind::RngBitGenerator,
       .operands = {{2}},
       .results = {{2}, {6, 4}},
       .attributes = fixed(
           attributes({{"rng_algorithm", ir::EnumAttr{"stablehlo.rng_algorithm", "THREE_FRY"}}})),
       .operand_elements = {ElementType::UI64},
       .result_element = ElementType::UI64},
  };
}

}  // namespace shardy::rules
