// Typed views of ops read the attributes of parsed text, and write those that they read.
#include <cstdint>
#include <shardy/ir/attribute.hpp>
#include <shardy/ir/shape_ops.hpp>
#include <shardy/ir/window_ops.hpp>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace shardy_test::op_views_test {
namespace {

using namespace shardy::ir;
using shardy::Result;
using Dims = std::vector<int64_t>;

Attribute array(Dims values) { return DenseArrayAttr{ElementType::I64, std::move(values)}; }

template <typename View>
std::string error_of(const Result<View>& view) {
  return view ? "none" : view.error().message;
}

TEST_CASE("a pad is read by the names of its attributes", "[ir][views]") {
  AttributeMap attributes;
  attributes.set("edge_padding_low", array({1, -2}));
  attributes.set("edge_padding_high", array({3, 4}));
  CHECK(error_of(PadOp::of(attributes, 2)) == "requires attribute 'interior_padding'");
  attributes.set("interior_padding", array({5, 0}));
  const Result<PadOp> pad = PadOp::of(attributes, 2);
  REQUIRE(pad);
  CHECK(Dims(pad->low.begin(), pad->low.end()) == Dims{1, -2});
  CHECK(Dims(pad->high.begin(), pad->high.end()) == Dims{3, 4});
  CHECK(Dims(pad->interior.begin(), pad->interior.end()) == Dims{5, 0});
  CHECK(pad->attributes() == attributes);
  CHECK(error_of(PadOp::of(attributes, 3)) ==
        "edge_padding_low must have one element for each of the 3 dims of operand 0, got [1, -2]");
}

TEST_CASE("slices are read by the names of their attributes", "[ir][views]") {
  AttributeMap attributes;
  attributes.set("start_indices", array({1}));
  attributes.set("limit_indices", array({7}));
  attributes.set("strides", array({2}));
  const Result<SliceOp> slice = SliceOp::of(attributes, 1);
  REQUIRE(slice);
  CHECK(slice->starts.front() == 1);
  CHECK(slice->limits.front() == 7);
  CHECK(slice->strides.front() == 2);
  CHECK(slice->attributes() == attributes);
  attributes.set("strides", true);
  CHECK(error_of(SliceOp::of(attributes, 1)) == "attribute 'strides' must be an array of i64");
  CHECK(error_of(DynamicSliceOp::of(attributes, 1)) == "requires attribute 'slice_sizes'");
}

TEST_CASE("an omitted member of a window has its default", "[ir][views]") {
  AttributeMap attributes;
  CHECK(error_of(ReduceWindowOp::of(attributes, 2)) == "requires attribute 'window_dimensions'");
  const auto select = SelectAndScatterOp::of(attributes, 2);
  REQUIRE(select);
  CHECK(select->window == std::vector<WindowDim>(2));
  attributes.set("window_dimensions", array({2, 3}));
  const auto reduce = ReduceWindowOp::of(attributes, 2);
  REQUIRE(reduce);
  CHECK(reduce->window == std::vector<WindowDim>{{.size = 2}, {.size = 3}});
}

TEST_CASE("a window has one entry per dim, and its numbers are positive", "[ir][views]") {
  AttributeMap attributes;
  attributes.set("window_dimensions", array({2, 3}));
  CHECK(error_of(ReduceWindowOp::of(attributes, 1)) ==
        "window_dimensions must hold 1 positive numbers, got [2, 3]");
  attributes.set("window_strides", array({1, 0}));
  CHECK(error_of(ReduceWindowOp::of(attributes, 2)) ==
        "window_strides must hold 2 positive numbers, got [1, 0]");
  attributes.set("window_strides", array({1, 1}));
  attributes.set("padding",
                 *Literal::make(Type::tensor({2}, ElementType::I64), std::vector<std::byte>(16)));
  CHECK(error_of(ReduceWindowOp::of(attributes, 2)) ==
        "padding must be a tensor<2x2xi64>, got tensor<2xi64>");
}

TEST_CASE("window views read back the windows that they write", "[ir][views]") {
  const std::vector<WindowDim> window = {
      {.size = 3, .stride = 2, .base_dilation = 4, .window_dilation = 5, .low = -1, .high = 6},
      {.size = 1, .stride = 7, .low = 8}};
  const auto reduce = ReduceWindowOp::of(ReduceWindowOp{window}.attributes(), 2);
  REQUIRE(reduce);
  CHECK(reduce->window == window);
  const std::vector<WindowDim> undilated = {{.size = 3, .stride = 2, .low = -1, .high = 6}};
  const auto select = SelectAndScatterOp::of(SelectAndScatterOp{undilated}.attributes(), 1);
  REQUIRE(select);
  CHECK(select->window == undilated);
}

TEST_CASE("convolution dims return the sizes of the kernel", "[ir][views]") {
  const ConvolutionDims dims{.input_batch = 0,
                             .input_feature = 2,
                             .input_spatial = {1},
                             .kernel_input_feature = 1,
                             .kernel_output_feature = 2,
                             .kernel_spatial = {0},
                             .output_batch = 0,
                             .output_feature = 2,
                             .output_spatial = {1}};
  const ConvolutionOp written{.dims = dims,
                              .window = {{.size = 3, .stride = 2, .low = 1, .reversed = true}},
                              .feature_groups = 4,
                              .batch_groups = 1};
  const AttributeMap attributes = written.attributes();
  CHECK(attributes.contains("lhs_dilation"));
  CHECK(attributes.contains("rhs_dilation"));
  const Dims kernel = {3, 1, 4};
  const auto read = ConvolutionOp::of(attributes, kernel);
  REQUIRE(read);
  CHECK(read->dims == dims);
  CHECK(read->window == written.window);
  CHECK(read->feature_groups == 4);
  const auto without = ConvolutionOp::of(attributes, {});
  REQUIRE(without);
  CHECK(without->window.front().size == kDynamicDim);
}

TEST_CASE("field views read the stored attributes and write them back", "[ir][views]") {
  AttributeMap attributes;
  CHECK(error_of(read_view<FftOp>(attributes)) == "requires attribute 'fft_length'");
  attributes.set("fft_length", array({4, 6}));
  attributes.set("fft_type", std::string("FFT"));
  CHECK(error_of(read_view<FftOp>(attributes)) == "attribute 'fft_type' must be an enumerator");
  attributes.set("fft_type", EnumAttr{"stablehlo.fft_type", "IFFT"});
  const auto fft = view<FftOp>(attributes);
  CHECK(Dims(fft.length.begin(), fft.length.end()) == Dims{4, 6});
  CHECK(fft.type == "IFFT");
  CHECK(attributes_of(fft) == attributes);
}

TEST_CASE("field views have defaults for optional attributes", "[ir][views]") {
  AttributeMap attributes;
  CHECK_FALSE(view<SortOp>(attributes).dim.has_value());
  CHECK_FALSE(view<SortOp>(attributes).is_stable);
  attributes.set("dimension", IntegerAttr{-1, ElementType::I64});
  attributes.set("is_stable", true);
  CHECK(view<SortOp>(attributes).dim == -1);
  CHECK(view<SortOp>(attributes).is_stable);
  attributes.set("dimension", true);
  CHECK(error_of(read_view<SortOp>(attributes)) == "attribute 'dimension' must be an integer");
  CHECK(error_of(read_view<TriangularSolveOp>({})) == "requires attribute 'left_side'");
  AttributeMap solve;
  solve.set("left_side", true);
  CHECK(view<TriangularSolveOp>(solve).left_side);
  CHECK_FALSE(view<TriangularSolveOp>(solve).lower);
  CHECK_FALSE(view<TriangularSolveOp>(solve).transpose_a.has_value());
}

TEST_CASE("the view of an op has its attributes and types", "[ir][views]") {
  Module module;
  const OpId function =
      module.add_function("f", std::vector{Type::tensor({2, 3}, ElementType::F32)}, {});
  AttributeMap attributes;
  attributes.set("permutation", array({1, 0}));
  const OpId op = module.create({.kind = OpKind::Transpose,
                                 .operands = {module.args(module.entry(function))[0]},
                                 .result_types = {Type::tensor({3, 2}, ElementType::F32)},
                                 .attributes = attributes});
  CHECK(view<TransposeOp>(module, op).permutation.front() == 1);
  attributes = {};
  for (const char* name : {"edge_padding_low", "edge_padding_high", "interior_padding"}) {
    attributes.set(name, array({0, 4}));
  }
  module.attributes(op) = attributes;
  CHECK(view<PadOp>(module, op).low.back() == 4);  // a view with an `of` of its own
}

TEST_CASE("gather and scatter views read back the attributes that they write", "[ir][views]") {
  const GatherDims gather_dims{.offset_dims = {1},
                               .collapsed_slice_dims = {0},
                               .operand_batching_dims = {},
                               .start_indices_batching_dims = {},
                               .start_index_map = {0},
                               .index_vector_dim = 1};
  const Dims sizes = {1, 5};
  const AttributeMap written =
      GatherOp{.dims = gather_dims, .slice_sizes = sizes, .indices_are_sorted = true}.attributes();
  const auto gather = GatherOp::of(written, 2);
  REQUIRE(gather);
  CHECK(gather->dims == gather_dims);
  CHECK(gather->indices_are_sorted);
  CHECK(Dims(gather->slice_sizes.begin(), gather->slice_sizes.end()) == sizes);
  CHECK(error_of(GatherOp::of({}, 2)) == "requires attribute 'dimension_numbers'");
  const ScatterDims scatter_dims{.update_window_dims = {1},
                                 .inserted_window_dims = {0},
                                 .input_batching_dims = {},
                                 .scatter_indices_batching_dims = {},
                                 .scatter_dims_to_operand_dims = {0},
                                 .index_vector_dim = 1};
  const AttributeMap scattered =
      ScatterOp{.dims = scatter_dims, .unique_indices = true}.attributes();
  const auto scatter = ScatterOp::of(scattered);
  REQUIRE(scatter);
  CHECK(scatter->dims == scatter_dims);
  CHECK(scatter->unique_indices);
  CHECK_FALSE(scatter->indices_are_sorted);
  const RaggedDotDims ragged{.lhs_batch = {2},
                             .rhs_batch = {1},
                             .lhs_contracting = {3},
                             .rhs_contracting = {0},
                             .lhs_ragged = {1},
                             .rhs_group = {2}};
  const AttributeMap attributes = attributes_of(RaggedDotOp{&ragged});
  CHECK(*read_view<RaggedDotOp>(attributes)->dims == ragged);
  CHECK(error_of(read_view<RaggedDotOp>({})) ==
        "requires attribute 'ragged_dot_dimension_numbers'");
  CHECK(error_of(DotGeneralOp::of({})) == "requires attribute 'dot_dimension_numbers'");
}

TEST_CASE("window_count counts the windows that fit", "[ir][views]") {
  CHECK(window_count(8, {.size = 3}) == 6);
  CHECK(window_count(8, {.size = 3, .stride = 2, .low = 1, .high = 1}) == 4);
  CHECK(window_count(8, {.size = 9}) == 0);
  CHECK(window_count(3, {.size = 2, .base_dilation = 3}) == 6);
  CHECK(window_count(8, {.size = 3, .window_dilation = 3}) == 2);
  CHECK(window_count(kDynamicDim, {.size = 3}) == kDynamicDim);
  CHECK(window_count(INT64_MAX, {.base_dilation = 2}) == kDynamicDim);
}

}  // namespace
}  // namespace shardy_test::op_views_test
