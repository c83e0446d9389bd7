// refused: stablehlo.add
// elementwise shapes
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.add"(%a, %b) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// refused: stablehlo.add
// elementwise result
func.func @main(%a: tensor<2xf32>) -> tensor<2xf64> {
  %0 = "stablehlo.add"(%a, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// -----

// refused: stablehlo.not
// not f32
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.not %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// refused: stablehlo.sine
// sin int
func.func @main(%a: tensor<2xi32>) -> tensor<2xi32> {
  %0 = stablehlo.sine %a : tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

// refused: stablehlo.floor
// floor complex
func.func @main(%a: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = stablehlo.floor %a : tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}

// -----

// refused: stablehlo.subtract
// subtract i1
func.func @main(%a: tensor<2xi1>) -> tensor<2xi1> {
  %0 = stablehlo.subtract %a, %a : tensor<2xi1>
  return %0 : tensor<2xi1>
}

// -----

// refused: stablehlo.negate
// negate i1
func.func @main(%a: tensor<2xi1>) -> tensor<2xi1> {
  %0 = stablehlo.negate %a : tensor<2xi1>
  return %0 : tensor<2xi1>
}

// -----

// refused: stablehlo.sign
// sign ui
func.func @main(%a: tensor<2xui8>) -> tensor<2xui8> {
  %0 = stablehlo.sign %a : tensor<2xui8>
  return %0 : tensor<2xui8>
}

// -----

// refused: stablehlo.abs
// abs ui
func.func @main(%a: tensor<2xui8>) -> tensor<2xui8> {
  %0 = stablehlo.abs %a : tensor<2xui8>
  return %0 : tensor<2xui8>
}

// -----

// refused: stablehlo.remainder
// remainder complex
func.func @main(%a: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %0 = stablehlo.remainder %a, %a : tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}

// -----

// refused: stablehlo.broadcast_in_dim
// broadcast dup dims
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// refused: stablehlo.broadcast_in_dim
// broadcast size
func.func @main(%a: tensor<3xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<3xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// refused: stablehlo.broadcast_in_dim
// broadcast dim out of range
func.func @main(%a: tensor<2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [2] : (tensor<2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// refused: stablehlo.transpose
// transpose no perm
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.transpose %a, dims = [0, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// refused: stablehlo.transpose
// transpose short
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.transpose %a, dims = [0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// refused: stablehlo.transpose
// transpose shape
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// refused: stablehlo.reverse
// reverse dup
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.reverse %a, dims = [1, 1] : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// refused: stablehlo.reverse
// reverse range
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.reverse %a, dims = [2] : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// refused: stablehlo.reduce
// reduce dup
func.func @main(%a: tensor<2x3xf32>, %c: tensor<f32>) -> tensor<2xf32> {
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [1, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// refused: stablehlo.reduce
// reduce shape
func.func @main(%a: tensor<2x3xf32>, %c: tensor<f32>) -> tensor<3xf32> {
  %0 = stablehlo.reduce(%a init: %c) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// refused: stablehlo.slice
// slice limit
func.func @main(%a: tensor<2xf32>) -> tensor<3xf32> {
  %0 = stablehlo.slice %a [0:3] : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// refused: stablehlo.slice
// slice start>limit
func.func @main(%a: tensor<2xf32>) -> tensor<0xf32> {
  %0 = stablehlo.slice %a [2:1] : (tensor<2xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// -----

// refused: stablehlo.slice
// slice stride 0
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.slice %a [0:2:0] : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// refused: stablehlo.slice
// slice negative
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: -1>, limit_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// refused: stablehlo.pad
// pad interior
func.func @main(%a: tensor<2xf32>, %c: tensor<f32>) -> tensor<1xf32> {
  %0 = stablehlo.pad %a, %c, low = [0], high = [0], interior = [-1] : (tensor<2xf32>, tensor<f32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

// refused: stablehlo.pad
// pad negative size
func.func @main(%a: tensor<2xf32>, %c: tensor<f32>) -> tensor<0xf32> {
  %0 = stablehlo.pad %a, %c, low = [-3], high = [0], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// -----

// refused: stablehlo.pad
// pad types
func.func @main(%a: tensor<2xf32>, %c: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.pad %a, %c, low = [0], high = [0], interior = [0] : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// refused: stablehlo.dynamic_slice
// dynamic_slice size
func.func @main(%a: tensor<2xf32>, %i: tensor<i32>) -> tensor<3xf32> {
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [3] : (tensor<2xf32>, tensor<i32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// refused: stablehlo.dynamic_slice
// dynamic_slice mixed start types
func.func @main(%a: tensor<2x2xf32>, %i: tensor<i32>, %j: tensor<i64>) -> tensor<1x1xf32> {
  %0 = stablehlo.dynamic_slice %a, %i, %j, sizes = [1, 1] : (tensor<2x2xf32>, tensor<i32>, tensor<i64>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// -----

// refused: stablehlo.dynamic_slice
// dynamic_slice start count
func.func @main(%a: tensor<2x2xf32>, %i: tensor<i32>) -> tensor<1x1xf32> {
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [1, 1] : (tensor<2x2xf32>, tensor<i32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// -----

// refused: stablehlo.dynamic_slice
// dynamic_slice float start
func.func @main(%a: tensor<2xf32>, %i: tensor<f32>) -> tensor<1xf32> {
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [1] : (tensor<2xf32>, tensor<f32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

// refused: stablehlo.dynamic_update_slice
// dus size
func.func @main(%a: tensor<2xf32>, %u: tensor<3xf32>, %i: tensor<i32>) -> tensor<2xf32> {
  %0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<2xf32>, tensor<3xf32>, tensor<i32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// refused: stablehlo.concatenate
// concatenate none
func.func @main() -> tensor<0xf32> {
  %0 = "stablehlo.concatenate"() <{dimension = 0 : i64}> : () -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// -----

// refused: stablehlo.concatenate
// concatenate dims
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x3xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// refused: stablehlo.concatenate
// concatenate dim range
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.concatenate %a, dim = 2 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// refused: stablehlo.dot_general
// dot dup
func.func @main(%a: tensor<2x2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.dot_general %a, %a, batching_dims = [0] x [0], contracting_dims = [0] x [1] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// refused: stablehlo.dot_general
// dot sizes
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// refused: stablehlo.dot_general
// dot lengths
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// refused: stablehlo.dot_general
// dot result
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// refused: stablehlo.convolution
// conv fgc 0
func.func @main(%a: tensor<1x1x4xf32>, %b: tensor<1x1x2xf32>) -> tensor<1x1x3xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 0 : i64} : (tensor<1x1x4xf32>, tensor<1x1x2xf32>) -> tensor<1x1x3xf32>
  return %0 : tensor<1x1x3xf32>
}

// -----

// refused: stablehlo.convolution
// conv both groups
func.func @main(%a: tensor<2x2x4xf32>, %b: tensor<4x1x2xf32>) -> tensor<1x4x3xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 2 : i64, feature_group_count = 2 : i64} : (tensor<2x2x4xf32>, tensor<4x1x2xf32>) -> tensor<1x4x3xf32>
  return %0 : tensor<1x4x3xf32>
}

// -----

// refused: stablehlo.convolution
// conv kernel features
func.func @main(%a: tensor<1x2x4xf32>, %b: tensor<1x1x2xf32>) -> tensor<1x1x3xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x4xf32>, tensor<1x1x2xf32>) -> tensor<1x1x3xf32>
  return %0 : tensor<1x1x3xf32>
}

// -----

// refused: stablehlo.convolution
// conv stride 0
func.func @main(%a: tensor<1x1x4xf32>, %b: tensor<1x1x2xf32>) -> tensor<1x1x3xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {stride = [0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x4xf32>, tensor<1x1x2xf32>) -> tensor<1x1x3xf32>
  return %0 : tensor<1x1x3xf32>
}

// -----

// refused: stablehlo.convolution
// conv result
func.func @main(%a: tensor<1x1x4xf32>, %b: tensor<1x1x2xf32>) -> tensor<1x1x4xf32> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x1x4xf32>, tensor<1x1x2xf32>) -> tensor<1x1x4xf32>
  return %0 : tensor<1x1x4xf32>
}

// -----

// refused: stablehlo.gather
// gather O unsorted
func.func @main(%a: tensor<3x3x3xf32>, %i: tensor<2x1xi32>) -> tensor<2x3x3xf32> {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2, 1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3, 3>}> : (tensor<3x3x3xf32>, tensor<2x1xi32>) -> tensor<2x3x3xf32>
  return %0 : tensor<2x3x3xf32>
}

// -----

// refused: stablehlo.gather
// gather K dup
func.func @main(%a: tensor<3x3x3xf32>, %i: tensor<2x1xi32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0, 0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1, 3>}> : (tensor<3x3x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// refused: stablehlo.gather
// gather K size 2
func.func @main(%a: tensor<3x3xf32>, %i: tensor<2x1xi32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 3>}> : (tensor<3x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// refused: stablehlo.gather
// gather M dup
func.func @main(%a: tensor<3x3xf32>, %i: tensor<2x2xi32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<3x3xf32>, tensor<2x2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// refused: stablehlo.gather
// gather M size
func.func @main(%a: tensor<3x3xf32>, %i: tensor<2x2xi32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<3x3xf32>, tensor<2x2xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// refused: stablehlo.gather
// gather slice size too big
func.func @main(%a: tensor<3x3xf32>, %i: tensor<2x1xi32>) -> tensor<2x4xf32> {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x3xf32>, tensor<2x1xi32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// refused: stablehlo.gather
// gather XB size mismatch
func.func @main(%a: tensor<3x3xf32>, %i: tensor<2x1xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<3x3xf32>, tensor<2x1xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// refused: stablehlo.gather
// gather SB contains v
func.func @main(%a: tensor<2x3xf32>, %i: tensor<2x2xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<2x3xf32>, tensor<2x2xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// refused: stablehlo.gather
// gather XB in M
func.func @main(%a: tensor<2x3xf32>, %i: tensor<2x1xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}> : (tensor<2x3xf32>, tensor<2x1xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// refused: stablehlo.gather
// gather float indices
func.func @main(%a: tensor<3x3xf32>, %i: tensor<2x1xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<3x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// refused: stablehlo.scatter
// scatter update window too large
func.func @main(%a: tensor<3xf32>, %i: tensor<1x1xi32>, %u: tensor<1x4xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
^bb0(%x: tensor<f32>, %y: tensor<f32>):
  stablehlo.return %y : tensor<f32>
}) : (tensor<3xf32>, tensor<1x1xi32>, tensor<1x4xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// refused: stablehlo.scatter
// scatter update scatter dims
func.func @main(%a: tensor<3xf32>, %i: tensor<1x1xi32>, %u: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
^bb0(%x: tensor<f32>, %y: tensor<f32>):
  stablehlo.return %y : tensor<f32>
}) : (tensor<3xf32>, tensor<1x1xi32>, tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// refused: stablehlo.scatter
// scatter W unsorted
func.func @main(%a: tensor<3x3xf32>, %i: tensor<1x1xi32>, %u: tensor<1x3x3xf32>) -> tensor<3x3xf32> {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
^bb0(%x: tensor<f32>, %y: tensor<f32>):
  stablehlo.return %y : tensor<f32>
}) : (tensor<3x3xf32>, tensor<1x1xi32>, tensor<1x3x3xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// -----

// refused: stablehlo.sort
// sort dim range
func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %c : tensor<i1>
}) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// refused: stablehlo.sort
// sort comparator type
func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
^bb0(%x: tensor<f32>, %y: tensor<f32>):
  stablehlo.return %x : tensor<f32>
}) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// refused: stablehlo.sort
// sort shapes
func.func @main(%a: tensor<3xf32>, %b: tensor<4xf32>) -> tensor<3xf32> {
  %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 0 : i64}> ({
^bb0(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>, %w: tensor<f32>):
  %c = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %c : tensor<i1>
}) : (tensor<3xf32>, tensor<4xf32>) -> (tensor<3xf32>, tensor<4xf32>)
  return %0#0 : tensor<3xf32>
}

// -----

// refused: stablehlo.reduce_window
// reduce_window 0 window
func.func @main(%a: tensor<3xf32>, %c: tensor<f32>) -> tensor<3xf32> {
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 0>}> ({
^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %d = stablehlo.add %x, %y : tensor<f32>
  stablehlo.return %d : tensor<f32>
}) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// refused: stablehlo.reduce_window
// reduce_window padding shape
func.func @main(%a: tensor<3xf32>, %c: tensor<f32>) -> tensor<3xf32> {
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 1>, padding = dense<0> : tensor<2x2xi64>}> ({
^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %d = stablehlo.add %x, %y : tensor<f32>
  stablehlo.return %d : tensor<f32>
}) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// refused: stablehlo.reduce_window
// reduce_window body result
func.func @main(%a: tensor<3xf32>, %c: tensor<f32>) -> tensor<3xf32> {
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 1>}> ({
^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %d = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %d : tensor<i1>
}) : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// refused: stablehlo.select_and_scatter
// select_and_scatter source shape
func.func @main(%a: tensor<4xf32>, %s: tensor<3xf32>, %c: tensor<f32>) -> tensor<4xf32> {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %d = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %d : tensor<i1>
}, {
^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %d = stablehlo.add %x, %y : tensor<f32>
  stablehlo.return %d : tensor<f32>
}) : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// refused: stablehlo.while
// while cond type
func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.while(%i = %a) : tensor<i32> cond {
  stablehlo.return %i : tensor<i32>
} do {
  stablehlo.return %i : tensor<i32>
}
  return %0 : tensor<i32>
}

// -----

// refused: stablehlo.while
// while body type
func.func @main(%a: tensor<i32>, %t: tensor<i1>) -> tensor<i32> {
  %0 = stablehlo.while(%i = %a) : tensor<i32> cond {
  stablehlo.return %t : tensor<i1>
} do {
  stablehlo.return %t : tensor<i1>
}
  return %0 : tensor<i32>
}

// -----

// refused: stablehlo.case
// case branch types
func.func @main(%a: tensor<i32>, %t: tensor<i1>) -> tensor<i32> {
  %0 = "stablehlo.case"(%a) ({
  stablehlo.return %a : tensor<i32>
}, {
  stablehlo.return %t : tensor<i1>
}) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

// refused: stablehlo.case
// case without branch
func.func @main(%a: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.case"(%a) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

// refused: stablehlo.case
// case i64 index
func.func @main(%a: tensor<i64>) -> tensor<i64> {
  %0 = "stablehlo.case"(%a) ({
  stablehlo.return %a : tensor<i64>
}) : (tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}

// -----

// refused: stablehlo.if
// if branch args
func.func @main(%a: tensor<i1>) -> tensor<i1> {
  %0 = "stablehlo.if"(%a) ({
^bb0(%b: tensor<i1>):
  stablehlo.return %a : tensor<i1>
}, {
  stablehlo.return %a : tensor<i1>
}) : (tensor<i1>) -> tensor<i1>
  return %0 : tensor<i1>
}

// -----

// refused: stablehlo.iota
// iota dim
func.func @main() -> tensor<2xi32> {
  %0 = stablehlo.iota dim = 1 : tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

// refused: stablehlo.iota
// iota scalar
func.func @main() -> tensor<i32> {
  %0 = stablehlo.iota dim = 0 : tensor<i32>
  return %0 : tensor<i32>
}

// -----

// refused: stablehlo.iota
// iota i1
func.func @main() -> tensor<2xi1> {
  %0 = stablehlo.iota dim = 0 : tensor<2xi1>
  return %0 : tensor<2xi1>
}

// -----

// refused: stablehlo.fft
// fft length mismatch
func.func @main(%a: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.fft %a, type = FFT, length = [3] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

// refused: stablehlo.fft
// fft 4 dims
func.func @main(%a: tensor<1x1x1x1xcomplex<f32>>) -> tensor<1x1x1x1xcomplex<f32>> {
  %0 = stablehlo.fft %a, type = FFT, length = [1, 1, 1, 1] : (tensor<1x1x1x1xcomplex<f32>>) -> tensor<1x1x1x1xcomplex<f32>>
  return %0 : tensor<1x1x1x1xcomplex<f32>>
}

// -----

// refused: stablehlo.fft
// fft of real
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.fft %a, type = FFT, length = [4] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// refused: stablehlo.fft
// irfft length
func.func @main(%a: tensor<4xcomplex<f32>>) -> tensor<4xf32> {
  %0 = stablehlo.fft %a, type = IRFFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// refused: stablehlo.triangular_solve
// triangular_solve not square
func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x1xf32>) -> tensor<2x1xf32> {
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}

// -----

// refused: stablehlo.cholesky
// cholesky not square
func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// refused: stablehlo.cholesky
// cholesky int
func.func @main(%a: tensor<2x2xi32>) -> tensor<2x2xi32> {
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}

// -----

// refused: stablehlo.rng_bit_generator
// rng_bit_generator state
func.func @main(%a: tensor<4xui64>) -> tensor<2xui32> {
  %0:2 = stablehlo.rng_bit_generator %a, algorithm = PHILOX : (tensor<4xui64>) -> (tensor<4xui64>, tensor<2xui32>)
  return %0#1 : tensor<2xui32>
}

// -----

// refused: stablehlo.rng_bit_generator
// threefry state 3
func.func @main(%a: tensor<3xui64>) -> tensor<2xui32> {
  %0:2 = stablehlo.rng_bit_generator %a, algorithm = THREE_FRY : (tensor<3xui64>) -> (tensor<3xui64>, tensor<2xui32>)
  return %0#1 : tensor<2xui32>
}

// -----

// refused: stablehlo.rng_bit_generator
// rng_bit_generator i1
func.func @main(%a: tensor<2xui64>) -> tensor<2xi1> {
  %0:2 = stablehlo.rng_bit_generator %a, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xi1>)
  return %0#1 : tensor<2xi1>
}

// -----

// refused: stablehlo.bitcast_convert
// bitcast shape
func.func @main(%a: tensor<2xf32>) -> tensor<2x3xi8> {
  %0 = stablehlo.bitcast_convert %a : (tensor<2xf32>) -> tensor<2x3xi8>
  return %0 : tensor<2x3xi8>
}

// -----

// refused: stablehlo.bitcast_convert
// bitcast i1 to i8
func.func @main(%a: tensor<8xi1>) -> tensor<i8> {
  %0 = stablehlo.bitcast_convert %a : (tensor<8xi1>) -> tensor<i8>
  return %0 : tensor<i8>
}

// -----

// refused: stablehlo.bitcast_convert
// bitcast complex real
func.func @main(%a: tensor<2xcomplex<f32>>) -> tensor<2xf64> {
  %0 = stablehlo.bitcast_convert %a : (tensor<2xcomplex<f32>>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}

// -----

// refused: stablehlo.reshape
// reshape count
func.func @main(%a: tensor<2x3xf32>) -> tensor<5xf32> {
  %0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// refused: stablehlo.select
// select pred shape
func.func @main(%p: tensor<3xi1>, %a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.select %p, %a, %a : (tensor<3xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// refused: stablehlo.clamp
// clamp shape
func.func @main(%p: tensor<1xf32>, %a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.clamp"(%p, %a, %p) : (tensor<1xf32>, tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// refused: stablehlo.compare
// compare type wrong
func.func @main(%a: tensor<2xf32>) -> tensor<2xi1> {
  %0 = stablehlo.compare LT, %a, %a, SIGNED : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// -----

// refused: stablehlo.compare
// compare type wrong unsigned
func.func @main(%a: tensor<2xi32>) -> tensor<2xi1> {
  %0 = stablehlo.compare LT, %a, %a, UNSIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// -----

// refused: stablehlo.reduce_precision
// reduce_precision e 0
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.reduce_precision %a, format = e0m5 : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// refused: stablehlo.get_dimension_size
// get_dimension_size
func.func @main(%a: tensor<2xf32>) -> tensor<i32> {
  %0 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<2xf32>) -> tensor<i32>
  return %0 : tensor<i32>
}

// -----

// refused: stablehlo.get_tuple_element
// get_tuple_element index
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.tuple %a : tuple<tensor<2xf32>> %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2xf32>>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// refused: stablehlo.complex
// complex op i32
func.func @main(%a: tensor<2xi32>) -> tensor<2xcomplex<f32>> {
  %0 = stablehlo.complex %a, %a : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}

// -----

// refused: stablehlo.map
// map dims
func.func @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0>}> ({
^bb0(%x: tensor<f32>):
  stablehlo.return %x : tensor<f32>
}) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

// refused: func.call
// call arity
func.func private @f(%a: tensor<f32>) -> tensor<f32> {
  return %a : tensor<f32>
}
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = call @f(%a, %a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// refused: func.call
// call unknown
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %0 = call @g(%a) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// refused: chlo.top_k
// top_k k negative
func.func @main(%a: tensor<2xf32>) -> tensor<0xf32> {
  %0:2 = chlo.top_k(%a, k = -1) : tensor<2xf32> -> (tensor<0xf32>, tensor<0xi32>)
  return %0#0 : tensor<0xf32>
}

// -----

// refused: chlo.top_k
// top_k complex
func.func @main(%a: tensor<2xcomplex<f32>>) -> tensor<1xcomplex<f32>> {
  %0:2 = chlo.top_k(%a, k = 1) : tensor<2xcomplex<f32>> -> (tensor<1xcomplex<f32>>, tensor<1xi32>)
  return %0#0 : tensor<1xcomplex<f32>>
}

// -----

// refused: stablehlo.all_gather
// all_gather ids twice
func.func @main(%a: tensor<2xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// refused: stablehlo.optimization_barrier
// optimization barrier types
func.func @main(%a: tensor<2xf32>) -> tensor<3xf32> {
  %0 = "stablehlo.optimization_barrier"(%a) : (tensor<2xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// refused: stablehlo.batch_norm_inference
// batch_norm scale shape
func.func @main(%a: tensor<2x3xf32>, %s: tensor<2xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.batch_norm_inference"(%a, %s, %s, %s, %s) <{epsilon = 0.0 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// refused: stablehlo.constant
// constant type
func.func @main() -> tensor<3xf32> {
  %0 = "stablehlo.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// refused: stablehlo.convert
// convert shape
func.func @main(%a: tensor<2xf32>) -> tensor<3xi32> {
  %0 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}

// -----

// refused: stablehlo.select_and_scatter
// select_and_scatter zero stride
func.func @main(%a: tensor<4xf32>, %s: tensor<3xf32>, %c: tensor<f32>) -> tensor<4xf32> {
  %0 = "stablehlo.select_and_scatter"(%a, %s, %c) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 0>}> ({
^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %d = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %d : tensor<i1>
}, {
^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %d = stablehlo.add %x, %y : tensor<f32>
  stablehlo.return %d : tensor<f32>
}) : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
