// The members of structured StableHLO attributes, with their names in JSON and MLIR text.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "shardy/ir/attribute.hpp"
#include "shardy/ir/attribute_names.hpp"

namespace shardy::text {

/// A member of a structure T that is a list of dims or one dim, and its names.
template <class T>
struct DimsMember {
  std::string_view name;       // in JSON
  std::string_view mlir_name;  // in MLIR text. Spec: stablehlo 8
  std::vector<int64_t> T::*list = nullptr;
  int64_t T::*number = nullptr;
};

template <class T>
struct DimNumbers;

template <>
struct DimNumbers<ir::DotDims> {
  static constexpr std::string_view kName = "dot dims";
  static constexpr std::string_view kMnemonic = "stablehlo.dot";
  static constexpr std::array<DimsMember<ir::DotDims>, 4> kMembers = {{
      {"lhs_batch", "lhs_batching_dimensions", &ir::DotDims::lhs_batch},
      {"rhs_batch", "rhs_batching_dimensions", &ir::DotDims::rhs_batch},
      {"lhs_contracting", "lhs_contracting_dimensions", &ir::DotDims::lhs_contracting},
      {"rhs_contracting", "rhs_contracting_dimensions", &ir::DotDims::rhs_contracting},
  }};
};

template <>
struct DimNumbers<ir::RaggedDotDims> {
  static constexpr std::string_view kName = "ragged dot dims";
  static constexpr std::string_view kMnemonic = "chlo.ragged_dot";
  static constexpr std::array<DimsMember<ir::RaggedDotDims>, 6> kMembers = {{
      {"lhs_batch", "lhs_batching_dimensions", &ir::RaggedDotDims::lhs_batch},
      {"rhs_batch", "rhs_batching_dimensions", &ir::RaggedDotDims::rhs_batch},
      {"lhs_contracting", "lhs_contracting_dimensions", &ir::RaggedDotDims::lhs_contracting},
      {"rhs_contracting", "rhs_contracting_dimensions", &ir::RaggedDotDims::rhs_contracting},
      {"lhs_ragged", "lhs_ragged_dimensions", &ir::RaggedDotDims::lhs_ragged},
      {"rhs_group", "rhs_group_dimensions", &ir::RaggedDotDims::rhs_group},
  }};
};

template <>
struct DimNumbers<ir::GatherDims> {
  static constexpr std::string_view kName = "gather dims";
  static constexpr std::string_view kMnemonic = "stablehlo.gather";
  static constexpr std::array<DimsMember<ir::GatherDims>, 6> kMembers = {{
      {"offset_dims", "offset_dims", &ir::GatherDims::offset_dims},
      {"collapsed_slice_dims", "collapsed_slice_dims", &ir::GatherDims::collapsed_slice_dims},
      {"operand_batching_dims", "operand_batching_dims", &ir::GatherDims::operand_batching_dims},
      {"start_indices_batching_dims", "start_indices_batching_dims",
       &ir::GatherDims::start_indices_batching_dims},
      {"start_index_map", "start_index_map", &ir::GatherDims::start_index_map},
      {"index_vector_dim", "index_vector_dim", nullptr, &ir::GatherDims::index_vector_dim},
  }};
};

template <>
struct DimNumbers<ir::ScatterDims> {
  static constexpr std::string_view kName = "scatter dims";
  static constexpr std::string_view kMnemonic = "stablehlo.scatter";
  static constexpr std::array<DimsMember<ir::ScatterDims>, 6> kMembers = {{
      {"update_window_dims", "update_window_dims", &ir::ScatterDims::update_window_dims},
      {"inserted_window_dims", "inserted_window_dims", &ir::ScatterDims::inserted_window_dims},
      {"input_batching_dims", "input_batching_dims", &ir::ScatterDims::input_batching_dims},
      {"scatter_indices_batching_dims", "scatter_indices_batching_dims",
       &ir::ScatterDims::scatter_indices_batching_dims},
      {"scatter_dims_to_operand_dims", "scatter_dims_to_operand_dims",
       &ir::ScatterDims::scatter_dims_to_operand_dims},
      {"index_vector_dim", "index_vector_dim", nullptr, &ir::ScatterDims::index_vector_dim},
  }};
};

template <>
struct DimNumbers<ir::ConvolutionDims> {
  static constexpr std::string_view kName = "convolution dims";
  static constexpr std::string_view kMnemonic = "stablehlo.conv";
  static constexpr std::array<DimsMember<ir::ConvolutionDims>, 9> kMembers = {{
      {"input_batch", "input_batch_dimension", nullptr, &ir::ConvolutionDims::input_batch},
      {"input_feature", "input_feature_dimension", nullptr, &ir::ConvolutionDims::input_feature},
      {"input_spatial", "input_spatial_dimensions", &ir::ConvolutionDims::input_spatial},
      {"kernel_input_feature", "kernel_input_feature_dimension", nullptr,
       &ir::ConvolutionDims::kernel_input_feature},
      {"kernel_output_feature", "kernel_output_feature_dimension", nullptr,
       &ir::ConvolutionDims::kernel_output_feature},
      {"kernel_spatial", "kernel_spatial_dimensions", &ir::ConvolutionDims::kernel_spatial},
      {"output_batch", "output_batch_dimension", nullptr, &ir::ConvolutionDims::output_batch},
      {"output_feature", "output_feature_dimension", nullptr, &ir::ConvolutionDims::output_feature},
      {"output_spatial", "output_spatial_dimensions", &ir::ConvolutionDims::output_spatial},
  }};
};

/// A kind of permute map and the names of its numbers. Spec: partitioning 4.3.
struct PermuteKind {
  std::string_view name;
  ir::PermuteMap::Kind kind;
  std::span<const std::string_view> numbers = {};
};

inline constexpr std::array<std::string_view, 1> kDistance = {"d"};
inline constexpr std::array<std::string_view, 6> kAffine = {"a", "b", "c", "j", "M", "rho"};
inline constexpr std::array<PermuteKind, 7> kPermuteKinds = {{
    {"shift", ir::PermuteMap::Kind::Shift, kDistance},
    {"rotate", ir::PermuteMap::Kind::Rotate, kDistance},
    {"mirror", ir::PermuteMap::Kind::Mirror},
    {"affine", ir::PermuteMap::Kind::Affine, kAffine},
    {"relabel", ir::PermuteMap::Kind::Relabel},
    {"remesh", ir::PermuteMap::Kind::Remesh},
    {"pairs", ir::PermuteMap::Kind::Pairs},
}};

/// One bracket of convolution dims such as `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
struct ConvolutionSide {
  std::array<std::string_view, 2> letters;
  std::array<int64_t ir::ConvolutionDims::*, 2> dims;
  std::vector<int64_t> ir::ConvolutionDims::*spatial;
};

inline constexpr std::array<ConvolutionSide, 3> kConvolutionSides = {{
    {{"b", "f"},
     {&ir::ConvolutionDims::input_batch, &ir::ConvolutionDims::input_feature},
     &ir::ConvolutionDims::input_spatial},
    {{"i", "o"},
     {&ir::ConvolutionDims::kernel_input_feature, &ir::ConvolutionDims::kernel_output_feature},
     &ir::ConvolutionDims::kernel_spatial},
    {{"b", "f"},
     {&ir::ConvolutionDims::output_batch, &ir::ConvolutionDims::output_feature},
     &ir::ConvolutionDims::output_spatial},
}};

/// A word of `window = {stride = [2, 1], ...}` and the attribute that it represents.
struct WindowField {
  std::string_view word;
  std::string_view name;
};

inline constexpr std::array<WindowField, 5> kWindowFields = {{
    {"stride", ir::attr::kWindowStrides},
    {"pad", ir::attr::kPadding},
    {"lhs_dilate", ir::attr::kLhsDilation},
    {"rhs_dilate", ir::attr::kRhsDilation},
    {"reverse", ir::attr::kWindowReversal},
}};

}  // namespace shardy::text
