// Result types of ops that make, move and take elements. Spec: stablehlo 15.1, 21.
#include "ir/infer_row.hpp"

namespace shardy_test::infer_test {
namespace {

using enum OpKind;

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();

Literal zeros(std::string_view type) {
  const Type of = type_of(type);
  return Literal::make_splat(of, std::vector<std::byte>(size_bytes(of.element()))).value();
}
AttributeMap dims(std::string name, std::vector<int64_t> values) {
  return attributes({{std::move(name), integers(std::move(values))}});
}

const std::vector<InferRow> kMakers = {
    {.name = "a literal",
     .kind = Constant,
     .attributes = attributes({{"value", zeros("tensor<2xi8>")}}),
     .types = "tensor<2xi8>"},
    {.name = "unused text",
     .kind = Constant,
     .attributes = attributes({{"value", OpaqueAttr{"dense_resource<x>"}}}),
     .results = {"tensor<2xf32>"},
     .types = "tensor<2xf32>"},
    {.name = "text without a type",
     .kind = Constant,
     .attributes = attributes({{"value", OpaqueAttr{"dense_resource<x>"}}}),
     .error = "needs its one result type to be given, got 0"},
    {.name = "no value", .kind = Constant, .error = "requires attribute 'value'"},
    {.name = "no literal",
     .kind = Constant,
     .attributes = attributes({{"value", integer(1)}}),
     .error = "attribute 'value' must be a dense literal"},

    {.name = "takes the written type",
     .kind = Iota,
     .attributes = attributes({{"iota_dimension", integer(1)}}),
     .results = {"tensor<2x3xf32>"},
     .types = "tensor<2x3xf32>"},
    {.name = "nothing written",
     .kind = Iota,
     .attributes = attributes({{"iota_dimension", integer(1)}}),
     .error = "needs its one result type to be given, got 0"},
    {.name = "no dim",
     .kind = Iota,
     .results = {"tensor<2xf32>"},
     .error = "requires attribute 'iota_dimension'"},
    {.name = "dynamic",
     .kind = Iota,
     .attributes = attributes({{"iota_dimension", integer(0)}}),
     .results = {"tensor<?xf32>"},
     .error = "result must be a static tensor, got tensor<?xf32>"},
    {.name = "booleans",
     .kind = Iota,
     .attributes = attributes({{"iota_dimension", integer(0)}}),
     .results = {"tensor<2xi1>"},
     .error = "result must be a tensor of integers, floats or complex numbers, got tensor<2xi1>"},
    {.name = "dim out of range",
     .kind = Iota,
     .attributes = attributes({{"iota_dimension", integer(1)}}),
     .results = {"tensor<2xf32>"},
     .error = "iota_dimension must be in range [0, 1), got 1"},
    {.name = "negative dim",
     .kind = Iota,
     .attributes = attributes({{"iota_dimension", integer(-1)}}),
     .results = {"tensor<2xf32>"},
     .error = "iota_dimension must be in range [0, 1), got -1"},

    {.name = "stretches and adds dims",
     .kind = BroadcastInDim,
     .operands = {"tensor<1x3xf32>"},
     .attributes = dims("broadcast_dimensions", {2, 0}),
     .results = {"tensor<3x4x5xf32>"},
     .types = "tensor<3x4x5xf32>"},
    {.name = "dynamic sizes fit",
     .kind = BroadcastInDim,
     .operands = {"tensor<?x3xf32>"},
     .attributes = dims("broadcast_dimensions", {0, 1}),
     .results = {"tensor<2x?xf32>"},
     .types = "tensor<2x?xf32>"},
    {.name = "too few dims",
     .kind = BroadcastInDim,
     .operands = {"tensor<1x3xf32>"},
     .attributes = dims("broadcast_dimensions", {2}),
     .results = {"tensor<3x4x5xf32>"},
     .error = "broadcast_dimensions must have one element for each of the 2 dims of operand 0, got "
              "[2]"},
    {.name = "too many dims",
     .kind = BroadcastInDim,
     .operands = {"tensor<3xf32>"},
     .attributes = dims("broadcast_dimensions", {0, 1}),
     .results = {"tensor<3x4x5xf32>"},
     .error = "broadcast_dimensions must have one element for each of the 1 dim of operand 0, got "
              "[0, 1]"},
    {.name = "twice",
     .kind = BroadcastInDim,
     .operands = {"tensor<1x3xf32>"},
     .attributes = dims("broadcast_dimensions", {1, 1}),
     .results = {"tensor<3x4xf32>"},
     .error = "broadcast_dimensions must not name a dim twice, got [1, 1]"},
    {.name = "out of range",
     .kind = BroadcastInDim,
     .operands = {"tensor<3xf32>"},
     .attributes = dims("broadcast_dimensions", {2}),
     .results = {"tensor<3x4xf32>"},
     .error = "broadcast_dimensions must be in range [0, 2), got 2"},
    {.name = "another element",
     .kind = BroadcastInDim,
     .operands = {"tensor<3xf32>"},
     .attributes = dims("broadcast_dimensions", {0}),
     .results = {"tensor<3xf64>"},
     .error = "result must have the element type of operand 0, f32, got tensor<3xf64>"},
    {.name = "another size",
     .kind = BroadcastInDim,
     .operands = {"tensor<2x3xf32>"},
     .attributes = dims("broadcast_dimensions", {0, 2}),
     .results = {"tensor<2x3x4xf32>"},
     .error = "dim 1 of operand 0 must have size 1 or 4, that of result dim 2, got 3"},
    {.name = "no array",
     .kind = BroadcastInDim,
     .operands = {"tensor<3xf32>"},
     .attributes = attributes({{"broadcast_dimensions", integer(0)}}),
     .results = {"tensor<3xf32>"},
     .error = "attribute 'broadcast_dimensions' must be an array of i64"},
    {.name = "array of another element",
     .kind = BroadcastInDim,
     .operands = {"tensor<3xf32>"},
     .attributes = attributes({{"broadcast_dimensions", DenseArrayAttr{ElementType::I32, {0}}}}),
     .results = {"tensor<3xf32>"},
     .error = "attribute 'broadcast_dimensions' must be an array of i64"},

    {.name = "keeps the elements",
     .kind = Reshape,
     .operands = {"tensor<2x6xf32>"},
     .results = {"tensor<3x4xf32>"},
     .types = "tensor<3x4xf32>"},
    {.name = "nothing is as much as nothing",
     .kind = Reshape,
     .operands = {"tensor<0x6xf32>"},
     .results = {"tensor<0xf32>"},
     .types = "tensor<0xf32>"},
    {.name = "dynamic",
     .kind = Reshape,
     .operands = {"tensor<?xf32>"},
     .results = {"tensor<3x4xf32>"},
     .types = "tensor<3x4xf32>"},
    {.name = "another number",
     .kind = Reshape,
     .operands = {"tensor<2x6xf32>"},
     .results = {"tensor<3x5xf32>"},
     .error = "number of elements must stay 12, but result tensor<3x5xf32> has 15"},
    {.name = "another element",
     .kind = Reshape,
     .operands = {"tensor<2xf32>"},
     .results = {"tensor<2xi32>"},
     .error = "result must have the element type of operand 0, f32, got tensor<2xi32>"},
    {.name = "a token",
     .kind = Reshape,
     .operands = {"!stablehlo.token"},
     .results = {"tensor<2xi32>"},
     .error = "operand 0 must be a tensor, got !stablehlo.token"},

    {.name = "result dim k is operand dim permutation[k]",
     .kind = Transpose,
     .operands = {"tensor<2x3x?xf32>"},
     .attributes = dims("permutation", {2, 0, 1}),
     .types = "tensor<?x2x3xf32>"},
    {.name = "twice",
     .kind = Transpose,
     .operands = {"tensor<2x3xf32>"},
     .attributes = dims("permutation", {0, 0}),
     .error = "permutation must not name a dim twice, got [0, 0]"},
    {.name = "negative",
     .kind = Transpose,
     .operands = {"tensor<2x3xf32>"},
     .attributes = dims("permutation", {0, -1}),
     .error = "permutation must be in range [0, 2), got -1"},

    {.name = "some dims",
     .kind = Reverse,
     .operands = {"tensor<2x3xf32>"},
     .attributes = dims("dimensions", {1}),
     .types = "tensor<2x3xf32>"},
    {.name = "out of range",
     .kind = Reverse,
     .operands = {"tensor<2x3xf32>"},
     .attributes = dims("dimensions", {2}),
     .error = "dimensions must be in range [0, 2), got 2"},
    {.name = "missing",
     .kind = Reverse,
     .operands = {"tensor<2x3xf32>"},
     .error = "requires attribute 'dimensions'"},
};

AttributeMap bounds(std::vector<int64_t> starts, std::vector<int64_t> limits,
                    std::vector<int64_t> strides) {
  return attributes({{"start_indices", integers(std::move(starts))},
                     {"limit_indices", integers(std::move(limits))},
                     {"strides", integers(std::move(strides))}});
}
AttributeMap padding(std::vector<int64_t> low, std::vector<int64_t> high,
                     std::vector<int64_t> interior) {
  return attributes({{"edge_padding_low", integers(std::move(low))},
                     {"edge_padding_high", integers(std::move(high))},
                     {"interior_padding", integers(std::move(interior))}});
}
const std::string kTooLarge = "result is too large: a size does not fit 64 bits";

const std::vector<InferRow> kParts = {
    {.name = "sizes add up",
     .kind = Concatenate,
     .operands = {"tensor<2x3xf32>", "tensor<0x3xf32>", "tensor<5x3xf32>"},
     .attributes = attributes({{"dimension", integer(0)}}),
     .types = "tensor<7x3xf32>"},
    {.name = "an unknown summand",
     .kind = Concatenate,
     .operands = {"tensor<2x?xf32>", "tensor<?x3xf32>"},
     .attributes = attributes({{"dimension", integer(0)}}),
     .types = "tensor<?x3xf32>"},
    {.name = "another size",
     .kind = Concatenate,
     .operands = {"tensor<2x3xf32>", "tensor<2x4xf32>"},
     .attributes = attributes({{"dimension", integer(0)}}),
     .error = "operand 1 must have the sizes of operand 0 but for dim 0, got tensor<2x4xf32> and "
              "tensor<2x3xf32>"},
    {.name = "another rank",
     .kind = Concatenate,
     .operands = {"tensor<2x3xf32>", "tensor<2xf32>"},
     .attributes = attributes({{"dimension", integer(1)}}),
     .error = "operand 1 must have the sizes of operand 0 but for dim 1, got tensor<2xf32> and "
              "tensor<2x3xf32>"},
    {.name = "another element",
     .kind = Concatenate,
     .operands = {"tensor<2xf32>", "tensor<2xf64>"},
     .attributes = attributes({{"dimension", integer(0)}}),
     .error = "operand 1 must have the element type of operand 0, f32, got tensor<2xf64>"},
    {.name = "nothing",
     .kind = Concatenate,
     .attributes = attributes({{"dimension", integer(0)}}),
     .error = "expects at least 1 operand, got 0"},
    {.name = "out of range",
     .kind = Concatenate,
     .operands = {"tensor<2xf32>"},
     .attributes = attributes({{"dimension", integer(1)}}),
     .error = "dimension must be in range [0, 1), got 1"},
    {.name = "too large",
     .kind = Concatenate,
     .operands = {"tensor<9223372036854775807xi8>", "tensor<1xi8>"},
     .attributes = attributes({{"dimension", integer(0)}}),
     .error = kTooLarge},

    {.name = "around and between",
     .kind = Pad,
     .operands = {"tensor<4x?xf32>", "tensor<f32>"},
     .attributes = padding({1, 0}, {2, 0}, {3, 0}),
     .types = "tensor<16x?xf32>"},
    {.name = "nothing to stand between",
     .kind = Pad,
     .operands = {"tensor<0xf32>", "tensor<f32>"},
     .attributes = padding({1}, {2}, {3}),
     .types = "tensor<3xf32>"},
    {.name = "cuts all",
     .kind = Pad,
     .operands = {"tensor<4xf32>", "tensor<f32>"},
     .attributes = padding({-3}, {-1}, {0}),
     .types = "tensor<0xf32>"},
    {.name = "cuts more than all",
     .kind = Pad,
     .operands = {"tensor<4xf32>", "tensor<f32>"},
     .attributes = padding({-3}, {-2}, {0}),
     .error = "edge paddings -3 and -2 of dim 0 cut off more than its 4 elements"},
    {.name = "the least integer is not an unknown size",
     .kind = Pad,
     .operands = {"tensor<4xf32>", "tensor<f32>"},
     .attributes = padding({kLeast}, {0}, {0}),
     .error = "edge paddings -9223372036854775808 and 0 of dim 0 cut off more than its 4 elements"},
    {.name = "below the least integer",
     .kind = Pad,
     .operands = {"tensor<0xf32>", "tensor<f32>"},
     .attributes = padding({-1}, {kLeast}, {0}),
     .error = kTooLarge},
    {.name = "negative between",
     .kind = Pad,
     .operands = {"tensor<4x5xf32>", "tensor<f32>"},
     .attributes = padding({0, 0}, {0, 0}, {0, -1}),
     .error = "interior_padding of dim 1 must be at least 0, got -1"},
    {.name = "too much between",
     .kind = Pad,
     .operands = {"tensor<4xf32>", "tensor<f32>"},
     .attributes = padding({0}, {0}, {std::numeric_limits<int64_t>::max()}),
     .error = kTooLarge},
    {.name = "too much around",
     .kind = Pad,
     .operands = {"tensor<4xf32>", "tensor<f32>"},
     .attributes = padding({std::numeric_limits<int64_t>::max()}, {0}, {0}),
     .error = kTooLarge},
    {.name = "another element",
     .kind = Pad,
     .operands = {"tensor<4xf32>", "tensor<f64>"},
     .attributes = padding({0}, {0}, {0}),
     .error = "operand 1 must have the element type of operand 0, f32, got tensor<f64>"},
    {.name = "no scalar",
     .kind = Pad,
     .operands = {"tensor<4xf32>", "tensor<1xf32>"},
     .attributes = padding({0}, {0}, {0}),
     .error = "operand 1 must be a tensor of rank 0, got tensor<1xf32>"},

    {.name = "rounds up",
     .kind = Slice,
     .operands = {"tensor<10x4xf32>"},
     .attributes = bounds({1, 2}, {9, 2}, {3, 1}),
     .types = "tensor<3x0xf32>"},
    {.name = "of an unknown size",
     .kind = Slice,
     .operands = {"tensor<?xf32>"},
     .attributes = bounds({1}, {9}, {1}),
     .types = "tensor<8xf32>"},
    {.name = "after the end",
     .kind = Slice,
     .operands = {"tensor<10xf32>"},
     .attributes = bounds({0}, {11}, {1}),
     .error = "slice [0, 11) of dim 0 must lie in [0, 10)"},
    {.name = "before the start",
     .kind = Slice,
     .operands = {"tensor<10xf32>"},
     .attributes = bounds({-1}, {4}, {1}),
     .error = "slice [-1, 4) of dim 0 must lie in [0, 10)"},
    {.name = "backwards",
     .kind = Slice,
     .operands = {"tensor<?xf32>"},
     .attributes = bounds({5}, {4}, {1}),
     .error = "slice [5, 4) of dim 0 must lie in [0, ?)"},
    {.name = "no step",
     .kind = Slice,
     .operands = {"tensor<10xf32>"},
     .attributes = bounds({0}, {4}, {0}),
     .error = "strides of dim 0 must be at least 1, got 0"},

    {.name = "one start per dim",
     .kind = DynamicSlice,
     .operands = {"tensor<4x?xf32>", "tensor<ui8>", "tensor<ui8>"},
     .attributes = dims("slice_sizes", {4, 2}),
     .types = "tensor<4x2xf32>"},
    {.name = "too few starts",
     .kind = DynamicSlice,
     .operands = {"tensor<4x5xf32>", "tensor<i32>"},
     .attributes = dims("slice_sizes", {4, 2}),
     .error = "expects one start index for each of the 2 dims of operand 0, got 1"},
    {.name = "float starts",
     .kind = DynamicSlice,
     .operands = {"tensor<4xf32>", "tensor<f32>"},
     .attributes = dims("slice_sizes", {4}),
     .error = "operand 1 must be a tensor of integers, got tensor<f32>"},
    {.name = "starts of a shape",
     .kind = DynamicSlice,
     .operands = {"tensor<4xf32>", "tensor<1xi32>"},
     .attributes = dims("slice_sizes", {4}),
     .error = "operand 1 must be a tensor of rank 0, got tensor<1xi32>"},
    {.name = "starts of two types",
     .kind = DynamicSlice,
     .operands = {"tensor<4x5xf32>", "tensor<i32>", "tensor<i64>"},
     .attributes = dims("slice_sizes", {4, 5}),
     .error = "operand 2 must have the type of operand 1, tensor<i32>, got tensor<i64>"},
    {.name = "larger than the whole",
     .kind = DynamicSlice,
     .operands = {"tensor<4xf32>", "tensor<i32>"},
     .attributes = dims("slice_sizes", {5}),
     .error = "slice_sizes of dim 0 must be in range [0, 4], got 5"},
    {.name = "negative",
     .kind = DynamicSlice,
     .operands = {"tensor<?xf32>", "tensor<i32>"},
     .attributes = dims("slice_sizes", {-1}),
     .error = "slice_sizes of dim 0 must be in range [0, ?], got -1"},
    {.name = "the least integer is not an unknown size",
     .kind = DynamicSlice,
     .operands = {"tensor<4xf32>", "tensor<i32>"},
     .attributes = dims("slice_sizes", {kLeast}),
     .error = "slice_sizes of dim 0 must be in range [0, 4], got -9223372036854775808"},

    {.name = "keeps the type",
     .kind = DynamicUpdateSlice,
     .operands = {"tensor<4x5xf32>", "tensor<2x?xf32>", "tensor<i32>", "tensor<i32>"},
     .types = "tensor<4x5xf32>"},
    {.name = "another element",
     .kind = DynamicUpdateSlice,
     .operands = {"tensor<4xf32>", "tensor<2xi32>", "tensor<i32>"},
     .error = "operand 1 must have the element type of operand 0, f32, got tensor<2xi32>"},
    {.name = "another rank",
     .kind = DynamicUpdateSlice,
     .operands = {"tensor<4xf32>", "tensor<2x1xf32>", "tensor<i32>"},
     .error = "operand 1 must have the rank of operand 0, 1, got tensor<2x1xf32>"},
    {.name = "larger",
     .kind = DynamicUpdateSlice,
     .operands = {"tensor<4xf32>", "tensor<5xf32>", "tensor<i32>"},
     .error = "size of operand 1 of dim 0 must be in range [0, 4], got 5"},
    {.name = "no start",
     .kind = DynamicUpdateSlice,
     .operands = {"tensor<4xf32>", "tensor<2xf32>"},
     .error = "expects one start index for each of the 1 dim of operand 0, got 0"},
    {.name = "no update",
     .kind = DynamicUpdateSlice,
     .operands = {"tensor<4xf32>"},
     .error = "expects at least 2 operands, got 1"},
};

TEST_CASE("ops that create or move elements have results of the right types", "[ir][infer]") {
  check_rows(kMakers);
}
TEST_CASE("slicing, concatenating and padding ops have results of the right types", "[ir][infer]") {
  check_rows(kParts);
}
TEST_CASE("every shape, slice, window and linear op has rows in the type inference tests",
          "[ir][infer]") {
  RowTables tables = {kMakers, kParts};
  for (const RowTables& more : {gather_rows(), linear_rows(), structure_rows(), window_rows()}) {
    tables.insert(tables.end(), more.begin(), more.end());
  }
  for (const char* family : {"shape", "slice", "window", "gather", "linear", "structure"}) {
    check_family_covered(tables, family);
  }
  check_covered(linear_rows().front(), Dot);  // other contractions have a file of their own
}

/// Types that no rule infers, one per result of the kind.
std::vector<std::string> written_results(OpKind kind) {
  const bool is_one =
      is_written(kind) && definition_of(kind).results == "result" && has_trait(kind, kPure);
  if (is_one) return {"tensor<7xf64>"};
  return {"tensor<7xf64>", "!test.t"};
}

/// Returns the inferred types for such written types, for any number of operands.
std::vector<std::string> inferred_of_written(OpKind kind) {
  std::vector<std::string> answers;
  for (std::size_t num_operands = 0; num_operands <= 5; ++num_operands) {
    for (std::size_t num_regions = 0; num_regions <= 1; ++num_regions) {
      ModuleMaker maker;
      OpSpec spec{.kind = kind, .result_types = types_of(written_results(kind))};
      for (std::size_t index = 0; index < num_operands; ++index) {
        spec.operands.push_back(maker.argument("!test.operand"));
      }
      if (num_regions == 1) spec.regions.push_back(maker.region({}));
      const Result<std::vector<Type>> inferred = infer_result_types(maker.module, spec);
      if (inferred) answers.push_back(to_string(*inferred));
    }
  }
  return answers;
}

TEST_CASE("only the listed ops need written result types", "[ir][infer]") {
  for (std::size_t index = 0; index < kNumKnownOps; ++index) {
    const OpKind kind = kOps[index].kind;
    CAPTURE(info(kind).name);
    const std::vector<std::string> answers = inferred_of_written(kind);
    const auto is_written_type = [&](const std::string& types) {
      return types == to_string(types_of(written_results(kind)));
    };
    CHECK((!answers.empty() && std::ranges::all_of(answers, is_written_type)) == is_written(kind));
  }
}

TEST_CASE("an op that needs written result types must have result types", "[ir][infer]") {
  ModuleMaker maker;
  OpSpec spec{.kind = OpKind::Einsum};
  spec.operands.assign(2, maker.argument("tensor<4xf32>"));
  spec.attributes.set("einsum_config", std::string("i,i->i"));
  const auto types = infer_result_types(maker.module, spec);
  INFO(message_of(types));
  CHECK(message_of(types).ends_with("needs its result types to be given"));
}

TEST_CASE("an unknown op has its written result types", "[ir][infer]") {
  ModuleMaker maker;
  const OpSpec spec{.name = "test.op", .result_types = types_of({"tensor<2xf32>", "!test.t"})};
  CHECK(infer_result_types(maker.module, spec).value() == spec.result_types);
}

}  // namespace
}  // namespace shardy_test::infer_test
