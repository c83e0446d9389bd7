// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: the component of the indices that counts becomes a batch dim
// TWICE
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
