// Names of the attributes of ops, except names that only the views of one header use; that header
// declares them. scripts/check_attribute_names.py compares the names with the rows of
// shardy/ir/ops/, and reports names that other files spell out.
#pragma once

#include <string_view>

namespace shardy::ir::attr {

inline constexpr std::string_view kAlgorithm = "algorithm";
inline constexpr std::string_view kAllGatherDim = "all_gather_dim";
inline constexpr std::string_view kAllowedDirection = "allowed_direction";
inline constexpr std::string_view kApiVersion = "api_version";
inline constexpr std::string_view kAxes = "axes";
inline constexpr std::string_view kBackendConfig = "backend_config";
inline constexpr std::string_view kBaseDilations = "base_dilations";
inline constexpr std::string_view kBatchDims = "batch_dims";
inline constexpr std::string_view kBatchGroupCount = "batch_group_count";
inline constexpr std::string_view kBroadcastDimensions = "broadcast_dimensions";
inline constexpr std::string_view kCallTargetName = "call_target_name";
inline constexpr std::string_view kCalledComputations = "called_computations";
inline constexpr std::string_view kCallee = "callee";
inline constexpr std::string_view kChannelHandle = "channel_handle";
inline constexpr std::string_view kCompareType = "compare_type";
inline constexpr std::string_view kComparisonDirection = "comparison_direction";
inline constexpr std::string_view kCompositeAttributes = "composite_attributes";
inline constexpr std::string_view kConcatDim = "concat_dim";
inline constexpr std::string_view kConcatDimension = "concat_dimension";
inline constexpr std::string_view kDecomposition = "decomposition";
inline constexpr std::string_view kDim = "dim";
inline constexpr std::string_view kDimension = "dimension";
inline constexpr std::string_view kDimensionNumbers = "dimension_numbers";
inline constexpr std::string_view kDimensions = "dimensions";
inline constexpr std::string_view kDotDimensionNumbers = "dot_dimension_numbers";
inline constexpr std::string_view kEdgePaddingHigh = "edge_padding_high";
inline constexpr std::string_view kEdgePaddingLow = "edge_padding_low";
inline constexpr std::string_view kEinsumConfig = "einsum_config";
inline constexpr std::string_view kEpsilon = "epsilon";
inline constexpr std::string_view kExponentBits = "exponent_bits";
inline constexpr std::string_view kFeatureGroupCount = "feature_group_count";
inline constexpr std::string_view kFeatureIndex = "feature_index";
inline constexpr std::string_view kFftLength = "fft_length";
inline constexpr std::string_view kFftType = "fft_type";
inline constexpr std::string_view kGatheringAxes = "gathering_axes";
inline constexpr std::string_view kGroupId = "group_id";
inline constexpr std::string_view kHasDynamicRoot = "has_dynamic_root";
inline constexpr std::string_view kHasSideEffect = "has_side_effect";
inline constexpr std::string_view kInShardings = "in_shardings";
inline constexpr std::string_view kIndex = "index";
inline constexpr std::string_view kIndicesAreSorted = "indices_are_sorted";
inline constexpr std::string_view kInfeed = "infeed";
inline constexpr std::string_view kInfeedConfig = "infeed_config";
inline constexpr std::string_view kInteriorPadding = "interior_padding";
inline constexpr std::string_view kIotaDimension = "iota_dimension";
inline constexpr std::string_view kIsHostTransfer = "is_host_transfer";
inline constexpr std::string_view kIsStable = "is_stable";
inline constexpr std::string_view kK = "k";
inline constexpr std::string_view kKnownExpandingDimensions = "known_expanding_dimensions";
inline constexpr std::string_view kKnownNonexpandingDimensions = "known_nonexpanding_dimensions";
inline constexpr std::string_view kLayout = "layout";
inline constexpr std::string_view kLeftSide = "left_side";
inline constexpr std::string_view kLhsDilation = "lhs_dilation";
inline constexpr std::string_view kLimitIndices = "limit_indices";
inline constexpr std::string_view kMantissaBits = "mantissa_bits";
inline constexpr std::string_view kManualAxes = "manual_axes";
inline constexpr std::string_view kMap = "map";
inline constexpr std::string_view kMesh = "mesh";
inline constexpr std::string_view kName = "name";
inline constexpr std::string_view kOperandLayouts = "operand_layouts";
inline constexpr std::string_view kOutSharding = "out_sharding";
inline constexpr std::string_view kOutShardings = "out_shardings";
inline constexpr std::string_view kOutfeedConfig = "outfeed_config";
inline constexpr std::string_view kOutputOperandAliases = "output_operand_aliases";
inline constexpr std::string_view kPadding = "padding";
inline constexpr std::string_view kParams = "params";
inline constexpr std::string_view kPermutation = "permutation";
inline constexpr std::string_view kPrecisionConfig = "precision_config";
inline constexpr std::string_view kPrograms = "programs";
inline constexpr std::string_view kRaggedDotDimensionNumbers = "ragged_dot_dimension_numbers";
inline constexpr std::string_view kReduceScatterAxes = "reduce_scatter_axes";
inline constexpr std::string_view kReductionAxes = "reduction_axes";
inline constexpr std::string_view kReductionOp = "reduction_op";
inline constexpr std::string_view kReplicaGroups = "replica_groups";
inline constexpr std::string_view kResultAccuracy = "result_accuracy";
inline constexpr std::string_view kResultLayouts = "result_layouts";
inline constexpr std::string_view kResultTilings = "result_tilings";
inline constexpr std::string_view kRhsDilation = "rhs_dilation";
inline constexpr std::string_view kRngAlgorithm = "rng_algorithm";
inline constexpr std::string_view kRoot = "root";
inline constexpr std::string_view kScatterDimension = "scatter_dimension";
inline constexpr std::string_view kScatterDimensionNumbers = "scatter_dimension_numbers";
inline constexpr std::string_view kSharding = "sharding";
inline constexpr std::string_view kSliceSizes = "slice_sizes";
inline constexpr std::string_view kSlicingAxes = "slicing_axes";
inline constexpr std::string_view kSourceTargetPairs = "source_target_pairs";
inline constexpr std::string_view kSplitCount = "split_count";
inline constexpr std::string_view kSplitDim = "split_dim";
inline constexpr std::string_view kSplitDimension = "split_dimension";
inline constexpr std::string_view kStartIndices = "start_indices";
inline constexpr std::string_view kStrides = "strides";
inline constexpr std::string_view kSymName = "sym_name";
inline constexpr std::string_view kTolerance = "tolerance";
inline constexpr std::string_view kTransposeA = "transpose_a";
inline constexpr std::string_view kUniqueIndices = "unique_indices";
inline constexpr std::string_view kUseGlobalDeviceIds = "use_global_device_ids";
inline constexpr std::string_view kValue = "value";
inline constexpr std::string_view kVersion = "version";
inline constexpr std::string_view kWindowDilations = "window_dilations";
inline constexpr std::string_view kWindowDimensions = "window_dimensions";
inline constexpr std::string_view kWindowReversal = "window_reversal";
inline constexpr std::string_view kWindowStrides = "window_strides";

}  // namespace shardy::ir::attr
