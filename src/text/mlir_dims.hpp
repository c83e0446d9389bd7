// The fields of the StableHLO dimension number attributes, as MLIR text names them. Spec:
// stablehlo 8.
#pragma once

#include <array>
#include <string_view>

#include "shardy/ir/attribute_names.hpp"
#include "text/dim_numbers.hpp"

namespace shardy::text {

template <class T>
struct MlirDims {
  static constexpr const auto& kMembers = DimNumbers<T>::kMembers;
};

template <>
struct MlirDims<ir::DotDims> {
  static constexpr std::array<DimsMember<ir::DotDims>, 4> kMembers = {{
      {"lhs_batching_dimensions", &ir::DotDims::lhs_batch},
      {"rhs_batching_dimensions", &ir::DotDims::rhs_batch},
      {"lhs_contracting_dimensions", &ir::DotDims::lhs_contracting},
      {"rhs_contracting_dimensions", &ir::DotDims::rhs_contracting},
  }};
};

template <>
struct MlirDims<ir::RaggedDotDims> {
  static constexpr std::array<DimsMember<ir::RaggedDotDims>, 6> kMembers = {{
      {"lhs_batching_dimensions", &ir::RaggedDotDims::lhs_batch},
      {"rhs_batching_dimensions", &ir::RaggedDotDims::rhs_batch},
      {"lhs_contracting_dimensions", &ir::RaggedDotDims::lhs_contracting},
      {"rhs_contracting_dimensions", &ir::RaggedDotDims::rhs_contracting},
      {"lhs_ragged_dimensions", &ir::RaggedDotDims::lhs_ragged},
      {"rhs_group_dimensions", &ir::RaggedDotDims::rhs_group},
  }};
};

template <>
struct MlirDims<ir::ConvolutionDims> {
  static constexpr std::array<DimsMember<ir::ConvolutionDims>, 9> kMembers = {{
      {"input_batch_dimension", nullptr, &ir::ConvolutionDims::input_batch},
      {"input_feature_dimension", nullptr, &ir::ConvolutionDims::input_feature},
      {"input_spatial_dimensions", &ir::ConvolutionDims::input_spatial},
      {"kernel_input_feature_dimension", nullptr, &ir::ConvolutionDims::kernel_input_feature},
      {"kernel_output_feature_dimension", nullptr, &ir::ConvolutionDims::kernel_output_feature},
      {"kernel_spatial_dimensions", &ir::ConvolutionDims::kernel_spatial},
      {"output_batch_dimension", nullptr, &ir::ConvolutionDims::output_batch},
      {"output_feature_dimension", nullptr, &ir::ConvolutionDims::output_feature},
      {"output_spatial_dimensions", &ir::ConvolutionDims::output_spatial},
  }};
};

/// One bracket of `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
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

/// A word of `window = {stride = [2, 1], ...}` and the attribute that it spells.
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
