// CASE: the component of the indices that counts becomes a batch dim
// PASS: sdy-explicit-gather-scatter-batching
// TWICE
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// AFTER
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %g = "stablehlo.gather"(%arg0, %p) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// -----
// CASE: its place in the index vector does not matter
// PASS: sdy-explicit-gather-scatter-batching
// TWICE
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %p, %i, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [1, 0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// AFTER
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %g = "stablehlo.gather"(%arg0, %p) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// -----
// CASE: indices that are no concatenation are sliced
// PASS: sdy-explicit-gather-scatter-batching
// TWICE
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// AFTER
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x2xi32>
  %s = stablehlo.slice %i [0:4, 0:3, 1:2] : (tensor<4x3x2xi32>) -> tensor<4x3x1xi32>
  %g = "stablehlo.gather"(%arg0, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// -----
// CASE: the iota may be reshaped and broadcast
// PASS: sdy-explicit-gather-scatter-batching
// TWICE
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %j = stablehlo.iota dim = 0 : tensor<4xi32>
  %k = stablehlo.reshape %j : (tensor<4xi32>) -> tensor<4x1xi32>
  %i = stablehlo.broadcast_in_dim %k, dims = [0, 2] : (tensor<4x1xi32>) -> tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// AFTER
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %g = "stablehlo.gather"(%arg0, %p) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// -----
// CASE: a clamp that does not bind is looked through
// PASS: sdy-explicit-gather-scatter-batching
// TWICE
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %j = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %lo = stablehlo.constant dense<0> : tensor<i32>
  %hi = stablehlo.constant dense<3> : tensor<i32>
  %i = stablehlo.clamp %lo, %j, %hi : (tensor<i32>, tensor<4x3x1xi32>, tensor<i32>) -> tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// AFTER
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %g = "stablehlo.gather"(%arg0, %p) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// -----
// CASE: deviation 4: a clamp that binds is not
// PASS: sdy-explicit-gather-scatter-batching
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %j = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %lo = stablehlo.constant dense<0> : tensor<i32>
  %hi = stablehlo.constant dense<2> : tensor<i32>
  %i = stablehlo.clamp %lo, %j, %hi : (tensor<i32>, tensor<4x3x1xi32>, tensor<i32>) -> tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// UNCHANGED
// -----
// CASE: deviation 4: but the reference does
// PASS: sdy-explicit-gather-scatter-batching{compat=true}
// TWICE
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %j = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %lo = stablehlo.constant dense<0> : tensor<i32>
  %hi = stablehlo.constant dense<2> : tensor<i32>
  %i = stablehlo.clamp %lo, %j, %hi : (tensor<i32>, tensor<4x3x1xi32>, tensor<i32>) -> tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// AFTER
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %g = "stablehlo.gather"(%arg0, %p) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// -----
// CASE: deviation 4: what a select takes is not known
// PASS: sdy-explicit-gather-scatter-batching
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %j = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %c = stablehlo.compare LT, %p, %j : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x1xi1>
  %i = stablehlo.select %c, %p, %j : tensor<4x3x1xi1>, tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// UNCHANGED
// -----
// CASE: deviation 4: the reference takes the iota
// PASS: sdy-explicit-gather-scatter-batching{compat=true}
// TWICE
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %j = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %c = stablehlo.compare LT, %p, %j : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x1xi1>
  %i = stablehlo.select %c, %p, %j : tensor<4x3x1xi1>, tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// AFTER
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %g = "stablehlo.gather"(%arg0, %p) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// -----
// CASE: deviation 4: an iota that counts along another dim in the end is none
// PASS: sdy-explicit-gather-scatter-batching
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x4x1xi32>) -> tensor<4x4xf32> {
  %j = stablehlo.iota dim = 0 : tensor<4xi32>
  %i = stablehlo.broadcast_in_dim %j, dims = [1] : (tensor<4xi32>) -> tensor<4x4x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x4x1xi32>, tensor<4x4x1xi32>) -> tensor<4x4x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x4x2xi32>) -> tensor<4x4xf32>
  return %g : tensor<4x4xf32>
}
// UNCHANGED
// -----
// CASE: an iota along another dim is none
// PASS: sdy-explicit-gather-scatter-batching
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 1 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// UNCHANGED
// -----
// CASE: a scatter is batched in the same way
// PASS: sdy-explicit-gather-scatter-batching
// TWICE
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>, %u: tensor<4x3xf32>) -> tensor<4x16xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.scatter"(%arg0, %x, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x16xf32>, tensor<4x3x2xi32>, tensor<4x3xf32>) -> tensor<4x16xf32>
  return %g : tensor<4x16xf32>
}
// AFTER
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>, %u: tensor<4x3xf32>) -> tensor<4x16xf32> {
  %g = "stablehlo.scatter"(%arg0, %p, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x16xf32>, tensor<4x3x1xi32>, tensor<4x3xf32>) -> tensor<4x16xf32>
  return %g : tensor<4x16xf32>
}
