// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: of three inputs the one that counts goes, the others stay a concatenation (4.5 rewrite)
func.func @main(%arg0: tensor<4x16x8xf32>, %p: tensor<4x3x1xi32>, %q: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %p, %i, %q, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x3xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1, 2], start_index_map = [1, 0, 2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x16x8xf32>, tensor<4x3x3xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16x8xf32>, %arg1: tensor<4x3x1xi32>, %arg2: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
    %0 = stablehlo.concatenate %arg1, %arg2, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
    %1 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1, 2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x16x8xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
    return %1 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: a component in the middle is sliced out, the rest concatenated (4.5 rewrite)
func.func @main(%arg0: tensor<4x16x8xf32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x3xi32>
  %g = "stablehlo.gather"(%arg0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1, 2], start_index_map = [1, 0, 2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x16x8xf32>, tensor<4x3x3xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16x8xf32>) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x3xi32>
    %1 = stablehlo.slice %0 [0:4, 0:3, 0:1] : (tensor<4x3x3xi32>) -> tensor<4x3x1xi32>
    %2 = stablehlo.slice %0 [0:4, 0:3, 2:3] : (tensor<4x3x3xi32>) -> tensor<4x3x1xi32>
    %3 = stablehlo.concatenate %1, %2, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
    %4 = "stablehlo.gather"(%arg0, %3) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1, 2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x16x8xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
    return %4 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: a component at the end leaves one slice (4.5 rewrite)
func.func @main(%arg0: tensor<4x16x8xf32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x3xi32>
  %g = "stablehlo.gather"(%arg0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1, 2], start_index_map = [2, 1, 0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x16x8xf32>, tensor<4x3x3xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16x8xf32>) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x3xi32>
    %1 = stablehlo.slice %0 [0:4, 0:3, 0:2] : (tensor<4x3x3xi32>) -> tensor<4x3x2xi32>
    %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1, 2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [2, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x16x8xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
    return %2 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: an index vector that is not last, whole dims, sorted indices and annotations (4.5 rewrite)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4x16x8xf32>, %p: tensor<4x1x3xi32>) -> tensor<4x3x8xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x1x3xi32>
  %x = stablehlo.concatenate %i, %p, dim = 1 : (tensor<4x1x3xi32>, tensor<4x1x3xi32>) -> tensor<4x2x3xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1, 8>}> {note = "n", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>]>} : (tensor<4x16x8xf32>, tensor<4x2x3xi32>) -> tensor<4x3x8xf32>
  return %g : tensor<4x3x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4x16x8xf32>, %arg1: tensor<4x1x3xi32>) -> tensor<4x3x8xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1, 8>}> {note = "n", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {}]>]>} : (tensor<4x16x8xf32>, tensor<4x1x3xi32>) -> tensor<4x3x8xf32>
    return %0 : tensor<4x3x8xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: no condition may be missing (4.5 conditions 1 to 5)
func.func @has_batching(%arg0: tensor<4x3x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 2], operand_batching_dims = [1], start_indices_batching_dims = [1], start_index_map = [0, 2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x3x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
func.func @scalar_index(%arg0: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4xi32>
  %g = "stablehlo.gather"(%arg0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<4x16xf32>, tensor<4xi32>) -> tensor<4x16xf32>
  return %g : tensor<4x16xf32>
}
func.func @one_component(%arg0: tensor<4x16xf32>) -> tensor<4x3x16xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %g = "stablehlo.gather"(%arg0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3x16xf32>
  return %g : tensor<4x3x16xf32>
}
func.func @other_size(%arg0: tensor<5x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<5x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
func.func @not_indexed(%arg0: tensor<4x16x8xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3x4xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1, 2], start_index_map = [1, 2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 4, 1, 1>}> : (tensor<4x16x8xf32>, tensor<4x3x2xi32>) -> tensor<4x3x4xf32>
  return %g : tensor<4x3x4xf32>
}
func.func @not_collapsed(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3x1xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3x1xf32>
  return %g : tensor<4x3x1xf32>
}
func.func @along_another_dim(%arg0: tensor<4x16xf32>, %p: tensor<4x2x2xi32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x1x2xi32>
  %x = stablehlo.concatenate %i, %p, dim = 1 : (tensor<4x1x2xi32>, tensor<4x2x2xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
func.func @too_few_inputs(%arg0: tensor<4x16x8xf32>, %w: tensor<4x3x2xi32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %w, %i, dim = 2 : (tensor<4x3x2xi32>, tensor<4x3x1xi32>) -> tensor<4x3x3xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1, 2], start_index_map = [1, 2, 0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x16x8xf32>, tensor<4x3x3xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
func.func @no_iota(%arg0: tensor<4x16xf32>, %x: tensor<4x3x2xi32>) -> tensor<4x3xf32> {
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- becomes
module {
  func.func @has_batching(%arg0: tensor<4x3x16xf32>, %arg1: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
    %1 = stablehlo.concatenate %0, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
    %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 2], operand_batching_dims = [1], start_indices_batching_dims = [1], start_index_map = [0, 2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x3x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
    return %2 : tensor<4x3xf32>
  }
  func.func @scalar_index(%arg0: tensor<4x16xf32>) -> tensor<4x16xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4xi32>
    %1 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<4x16xf32>, tensor<4xi32>) -> tensor<4x16xf32>
    return %1 : tensor<4x16xf32>
  }
  func.func @one_component(%arg0: tensor<4x16xf32>) -> tensor<4x3x16xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
    %1 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3x16xf32>
    return %1 : tensor<4x3x16xf32>
  }
  func.func @other_size(%arg0: tensor<5x16xf32>, %arg1: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
    %1 = stablehlo.concatenate %0, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
    %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<5x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
    return %2 : tensor<4x3xf32>
  }
  func.func @not_indexed(%arg0: tensor<4x16x8xf32>, %arg1: tensor<4x3x1xi32>) -> tensor<4x3x4xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
    %1 = stablehlo.concatenate %0, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
    %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1, 2], start_index_map = [1, 2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 4, 1, 1>}> : (tensor<4x16x8xf32>, tensor<4x3x2xi32>) -> tensor<4x3x4xf32>
    return %2 : tensor<4x3x4xf32>
  }
  func.func @not_collapsed(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x1xi32>) -> tensor<4x3x1xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
    %1 = stablehlo.concatenate %0, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
    %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3x1xf32>
    return %2 : tensor<4x3x1xf32>
  }
  func.func @along_another_dim(%arg0: tensor<4x16xf32>, %arg1: tensor<4x2x2xi32>) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x1x2xi32>
    %1 = stablehlo.concatenate %0, %arg1, dim = 1 : (tensor<4x1x2xi32>, tensor<4x2x2xi32>) -> tensor<4x3x2xi32>
    %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
    return %2 : tensor<4x3xf32>
  }
  func.func @too_few_inputs(%arg0: tensor<4x16x8xf32>, %arg1: tensor<4x3x2xi32>) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
    %1 = stablehlo.concatenate %arg1, %0, dim = 2 : (tensor<4x3x2xi32>, tensor<4x3x1xi32>) -> tensor<4x3x3xi32>
    %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2], start_index_map = [1, 2, 0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x16x8xf32>, tensor<4x3x3xi32>) -> tensor<4x3xf32>
    return %2 : tensor<4x3xf32>
  }
  func.func @no_iota(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x2xi32>) -> tensor<4x3xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching='compat=true'
// CASE: not even for the reference (4.5 conditions 1 to 5)
func.func @has_batching(%arg0: tensor<4x3x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 2], operand_batching_dims = [1], start_indices_batching_dims = [1], start_index_map = [0, 2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x3x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
func.func @scalar_index(%arg0: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4xi32>
  %g = "stablehlo.gather"(%arg0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<4x16xf32>, tensor<4xi32>) -> tensor<4x16xf32>
  return %g : tensor<4x16xf32>
}
func.func @one_component(%arg0: tensor<4x16xf32>) -> tensor<4x3x16xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %g = "stablehlo.gather"(%arg0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3x16xf32>
  return %g : tensor<4x3x16xf32>
}
func.func @other_size(%arg0: tensor<5x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<5x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
func.func @not_indexed(%arg0: tensor<4x16x8xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3x4xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1, 2], start_index_map = [1, 2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 4, 1, 1>}> : (tensor<4x16x8xf32>, tensor<4x3x2xi32>) -> tensor<4x3x4xf32>
  return %g : tensor<4x3x4xf32>
}
func.func @not_collapsed(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3x1xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3x1xf32>
  return %g : tensor<4x3x1xf32>
}
func.func @along_another_dim(%arg0: tensor<4x16xf32>, %p: tensor<4x2x2xi32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x1x2xi32>
  %x = stablehlo.concatenate %i, %p, dim = 1 : (tensor<4x1x2xi32>, tensor<4x2x2xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
func.func @too_few_inputs(%arg0: tensor<4x16x8xf32>, %w: tensor<4x3x2xi32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %w, %i, dim = 2 : (tensor<4x3x2xi32>, tensor<4x3x1xi32>) -> tensor<4x3x3xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1, 2], start_index_map = [1, 2, 0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x16x8xf32>, tensor<4x3x3xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
func.func @no_iota(%arg0: tensor<4x16xf32>, %x: tensor<4x3x2xi32>) -> tensor<4x3xf32> {
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- becomes
module {
  func.func @has_batching(%arg0: tensor<4x3x16xf32>, %arg1: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
    %1 = stablehlo.concatenate %0, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
    %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 2], operand_batching_dims = [1], start_indices_batching_dims = [1], start_index_map = [0, 2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x3x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
    return %2 : tensor<4x3xf32>
  }
  func.func @scalar_index(%arg0: tensor<4x16xf32>) -> tensor<4x16xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4xi32>
    %1 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<4x16xf32>, tensor<4xi32>) -> tensor<4x16xf32>
    return %1 : tensor<4x16xf32>
  }
  func.func @one_component(%arg0: tensor<4x16xf32>) -> tensor<4x3x16xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
    %1 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3x16xf32>
    return %1 : tensor<4x3x16xf32>
  }
  func.func @other_size(%arg0: tensor<5x16xf32>, %arg1: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
    %1 = stablehlo.concatenate %0, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
    %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<5x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
    return %2 : tensor<4x3xf32>
  }
  func.func @not_indexed(%arg0: tensor<4x16x8xf32>, %arg1: tensor<4x3x1xi32>) -> tensor<4x3x4xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
    %1 = stablehlo.concatenate %0, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
    %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1, 2], start_index_map = [1, 2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 4, 1, 1>}> : (tensor<4x16x8xf32>, tensor<4x3x2xi32>) -> tensor<4x3x4xf32>
    return %2 : tensor<4x3x4xf32>
  }
  func.func @not_collapsed(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x1xi32>) -> tensor<4x3x1xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
    %1 = stablehlo.concatenate %0, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
    %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3x1xf32>
    return %2 : tensor<4x3x1xf32>
  }
  func.func @along_another_dim(%arg0: tensor<4x16xf32>, %arg1: tensor<4x2x2xi32>) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x1x2xi32>
    %1 = stablehlo.concatenate %0, %arg1, dim = 1 : (tensor<4x1x2xi32>, tensor<4x2x2xi32>) -> tensor<4x3x2xi32>
    %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
    return %2 : tensor<4x3xf32>
  }
  func.func @too_few_inputs(%arg0: tensor<4x16x8xf32>, %arg1: tensor<4x3x2xi32>) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
    %1 = stablehlo.concatenate %arg1, %0, dim = 2 : (tensor<4x3x2xi32>, tensor<4x3x1xi32>) -> tensor<4x3x3xi32>
    %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2], start_index_map = [1, 2, 0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x16x8xf32>, tensor<4x3x3xi32>) -> tensor<4x3xf32>
    return %2 : tensor<4x3xf32>
  }
  func.func @no_iota(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x2xi32>) -> tensor<4x3xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: deviation 4: an input of several components leaves it open which is which (4.5)
func.func @main(%arg0: tensor<4x16x8xf32>, %w: tensor<4x3x2xi32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %w, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x2xi32>) -> tensor<4x3x3xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1, 2], start_index_map = [0, 1, 2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x16x8xf32>, tensor<4x3x3xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16x8xf32>, %arg1: tensor<4x3x2xi32>) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
    %1 = stablehlo.concatenate %0, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x2xi32>) -> tensor<4x3x3xi32>
    %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1, 2], start_index_map = [0, 1, 2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x16x8xf32>, tensor<4x3x3xi32>) -> tensor<4x3xf32>
    return %2 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching='compat=true'
// CASE: deviation 4: the reference counts inputs, and slices what it concatenated (4.5)
func.func @main(%arg0: tensor<4x16x8xf32>, %w: tensor<4x3x2xi32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %w, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x2xi32>) -> tensor<4x3x3xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1, 2], start_index_map = [0, 1, 2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x16x8xf32>, tensor<4x3x3xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16x8xf32>, %arg1: tensor<4x3x2xi32>) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
    %1 = stablehlo.concatenate %0, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x2xi32>) -> tensor<4x3x3xi32>
    %2 = stablehlo.slice %1 [0:4, 0:3, 1:3] : (tensor<4x3x3xi32>) -> tensor<4x3x2xi32>
    %3 = "stablehlo.gather"(%arg0, %2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1, 2], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1, 2], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<4x16x8xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
    return %3 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: deviation 4: a reshape that moves elements may change the values (4.5 condition 5)
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>, %m: tensor<i32>, %c: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
  %j = stablehlo.iota dim = 0 : tensor<12x1xi32>
  %i = stablehlo.reshape %j : (tensor<12x1xi32>) -> tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x1xi32>, %arg2: tensor<i32>, %arg3: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<12x1xi32>
    %1 = stablehlo.reshape %0 : (tensor<12x1xi32>) -> tensor<4x3x1xi32>
    %2 = stablehlo.concatenate %1, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
    %3 = "stablehlo.gather"(%arg0, %2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
    return %3 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching='compat=true'
// CASE: deviation 4: a reshape that moves elements is looked through by the reference (4.5 condition 5)
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>, %m: tensor<i32>, %c: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
  %j = stablehlo.iota dim = 0 : tensor<12x1xi32>
  %i = stablehlo.reshape %j : (tensor<12x1xi32>) -> tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x1xi32>, %arg2: tensor<i32>, %arg3: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: deviation 4: a clamp from above 0 may change the values (4.5 condition 5)
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>, %m: tensor<i32>, %c: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
  %j = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %lo = stablehlo.constant dense<1> : tensor<i32>
  %hi = stablehlo.constant dense<9> : tensor<i32>
  %i = stablehlo.clamp %lo, %j, %hi : (tensor<i32>, tensor<4x3x1xi32>, tensor<i32>) -> tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x1xi32>, %arg2: tensor<i32>, %arg3: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %c_0 = stablehlo.constant dense<9> : tensor<i32>
    %1 = stablehlo.clamp %c, %0, %c_0 : (tensor<i32>, tensor<4x3x1xi32>, tensor<i32>) -> tensor<4x3x1xi32>
    %2 = stablehlo.concatenate %1, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
    %3 = "stablehlo.gather"(%arg0, %2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
    return %3 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching='compat=true'
// CASE: deviation 4: a clamp from above 0 is looked through by the reference (4.5 condition 5)
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>, %m: tensor<i32>, %c: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
  %j = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %lo = stablehlo.constant dense<1> : tensor<i32>
  %hi = stablehlo.constant dense<9> : tensor<i32>
  %i = stablehlo.clamp %lo, %j, %hi : (tensor<i32>, tensor<4x3x1xi32>, tensor<i32>) -> tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x1xi32>, %arg2: tensor<i32>, %arg3: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: deviation 4: a clamp to what is not known may change the values (4.5 condition 5)
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>, %m: tensor<i32>, %c: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
  %j = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %lo = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.clamp %lo, %j, %m : (tensor<i32>, tensor<4x3x1xi32>, tensor<i32>) -> tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x1xi32>, %arg2: tensor<i32>, %arg3: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.clamp %c, %0, %arg2 : (tensor<i32>, tensor<4x3x1xi32>, tensor<i32>) -> tensor<4x3x1xi32>
    %2 = stablehlo.concatenate %1, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
    %3 = "stablehlo.gather"(%arg0, %2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
    return %3 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching='compat=true'
// CASE: deviation 4: a clamp to what is not known is looked through by the reference (4.5 condition 5)
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>, %m: tensor<i32>, %c: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
  %j = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %lo = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.clamp %lo, %j, %m : (tensor<i32>, tensor<4x3x1xi32>, tensor<i32>) -> tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x1xi32>, %arg2: tensor<i32>, %arg3: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: deviation 4: a select of an iota that is true may change the values (4.5 condition 5)
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>, %m: tensor<i32>, %c: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
  %j = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %i = stablehlo.select %c, %j, %p : tensor<4x3x1xi1>, tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x1xi32>, %arg2: tensor<i32>, %arg3: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
    %1 = stablehlo.select %arg3, %0, %arg1 : tensor<4x3x1xi1>, tensor<4x3x1xi32>
    %2 = stablehlo.concatenate %1, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
    %3 = "stablehlo.gather"(%arg0, %2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
    return %3 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching='compat=true'
// CASE: deviation 4: a select of an iota that is true is looked through by the reference (4.5 condition 5)
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>, %m: tensor<i32>, %c: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
  %j = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %i = stablehlo.select %c, %j, %p : tensor<4x3x1xi1>, tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x1xi32>, %arg2: tensor<i32>, %arg3: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: deviation 4: a broadcast to another dim may change the values (4.5 condition 5)
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>, %m: tensor<i32>, %c: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
  %j = stablehlo.iota dim = 0 : tensor<3xi32>
  %i = stablehlo.broadcast_in_dim %j, dims = [1] : (tensor<3xi32>) -> tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x1xi32>, %arg2: tensor<i32>, %arg3: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<3xi32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<3xi32>) -> tensor<4x3x1xi32>
    %2 = stablehlo.concatenate %1, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
    %3 = "stablehlo.gather"(%arg0, %2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
    return %3 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching='compat=true'
// CASE: deviation 4: a broadcast to another dim is looked through by the reference (4.5 condition 5)
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>, %m: tensor<i32>, %c: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
  %j = stablehlo.iota dim = 0 : tensor<3xi32>
  %i = stablehlo.broadcast_in_dim %j, dims = [1] : (tensor<3xi32>) -> tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x1xi32>, %arg2: tensor<i32>, %arg3: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: bounds of a clamp may be constants of Shardy, and larger than the last index (4.5 condition 5)
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>, %m: tensor<i32>, %c: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
  %j = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %lo = sdy.constant dense<-1> : tensor<i32>
  %h = sdy.constant dense<7> : tensor<i32>
  %i = stablehlo.clamp %lo, %j, %h : (tensor<i32>, tensor<4x3x1xi32>, tensor<i32>) -> tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x1xi32>, %arg2: tensor<i32>, %arg3: tensor<4x3x1xi1>) -> tensor<4x3xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: a scatter of several inputs keeps its windows, its body and its annotations (4.5)
func.func @main(%arg0: tensor<4x16x8xf32>, %arg1: tensor<4x16x8xi8>, %p: tensor<4x3x1xi32>, %u: tensor<4x3x8xf32>, %v: tensor<4x3x8xi8>) -> (tensor<4x16x8xf32>, tensor<4x16x8xi8>) {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %p, %i, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g:2 = "stablehlo.scatter"(%arg0, %arg1, %x, %u, %v) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 2>, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i8>, %c: tensor<f32>, %d: tensor<i8>):
    %s = stablehlo.add %a, %c : tensor<f32>
    stablehlo.return %s, %d : tensor<f32>, tensor<i8>
  }) {note = 1 : i64} : (tensor<4x16x8xf32>, tensor<4x16x8xi8>, tensor<4x3x2xi32>, tensor<4x3x8xf32>, tensor<4x3x8xi8>) -> (tensor<4x16x8xf32>, tensor<4x16x8xi8>)
  return %g#0, %g#1 : tensor<4x16x8xf32>, tensor<4x16x8xi8>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16x8xf32>, %arg1: tensor<4x16x8xi8>, %arg2: tensor<4x3x1xi32>, %arg3: tensor<4x3x8xf32>, %arg4: tensor<4x3x8xi8>) -> (tensor<4x16x8xf32>, tensor<4x16x8xi8>) {
    %0:2 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = true}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<i8>, %arg7: tensor<f32>, %arg8: tensor<i8>):
      %1 = stablehlo.add %arg5, %arg7 : tensor<f32>
      stablehlo.return %1, %arg8 : tensor<f32>, tensor<i8>
    }) {note = 1 : i64} : (tensor<4x16x8xf32>, tensor<4x16x8xi8>, tensor<4x3x1xi32>, tensor<4x3x8xf32>, tensor<4x3x8xi8>) -> (tensor<4x16x8xf32>, tensor<4x16x8xi8>)
    return %0#0, %0#1 : tensor<4x16x8xf32>, tensor<4x16x8xi8>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: a scatter that does not insert dim 0, or indexes dims of another size, stays (4.5)
func.func @not_inserted(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>, %u: tensor<4x3x1xf32>) -> tensor<4x16xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.scatter"(%arg0, %x, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<4x16xf32>, tensor<4x3x2xi32>, tensor<4x3x1xf32>) -> tensor<4x16xf32>
  return %g : tensor<4x16xf32>
}
func.func @other_size(%arg0: tensor<8x16xf32>, %p: tensor<4x3x1xi32>, %u: tensor<4x3xf32>) -> tensor<8x16xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.scatter"(%arg0, %x, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<8x16xf32>, tensor<4x3x2xi32>, tensor<4x3xf32>) -> tensor<8x16xf32>
  return %g : tensor<8x16xf32>
}
// ---- becomes
module {
  func.func @not_inserted(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x1xi32>, %arg2: tensor<4x3x1xf32>) -> tensor<4x16xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
    %1 = stablehlo.concatenate %0, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
    %2 = "stablehlo.scatter"(%arg0, %1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<4x16xf32>, tensor<4x3x2xi32>, tensor<4x3x1xf32>) -> tensor<4x16xf32>
    return %2 : tensor<4x16xf32>
  }
  func.func @other_size(%arg0: tensor<8x16xf32>, %arg1: tensor<4x3x1xi32>, %arg2: tensor<4x3xf32>) -> tensor<8x16xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
    %1 = stablehlo.concatenate %0, %arg1, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
    %2 = "stablehlo.scatter"(%arg0, %1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<8x16xf32>, tensor<4x3x2xi32>, tensor<4x3xf32>) -> tensor<8x16xf32>
    return %2 : tensor<8x16xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: its place in the index vector does not matter
// TWICE
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %p, %i, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [1, 0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: indices that are not a concatenation are sliced
// TWICE
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 0 : tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x3x2xi32>
    %1 = stablehlo.slice %0 [0:4, 0:3, 1:2] : (tensor<4x3x2xi32>) -> tensor<4x3x1xi32>
    %2 = "stablehlo.gather"(%arg0, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3xf32>
    return %2 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: the iota may be reshaped and broadcast
// TWICE
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %j = stablehlo.iota dim = 0 : tensor<4xi32>
  %k = stablehlo.reshape %j : (tensor<4xi32>) -> tensor<4x1xi32>
  %i = stablehlo.broadcast_in_dim %k, dims = [0, 2] : (tensor<4x1xi32>) -> tensor<4x3x1xi32>
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
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: a clamp that does not bind is looked through
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
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: deviation 4: a clamp that binds is not
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %j = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %lo = stablehlo.constant dense<0> : tensor<i32>
  %hi = stablehlo.constant dense<2> : tensor<i32>
  %i = stablehlo.clamp %lo, %j, %hi : (tensor<i32>, tensor<4x3x1xi32>, tensor<i32>) -> tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching='compat=true'
// CASE: deviation 4: but the reference does
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
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x1xi32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: deviation 4: what a select takes is not known
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %j = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %c = stablehlo.compare LT, %p, %j : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x1xi1>
  %i = stablehlo.select %c, %p, %j : tensor<4x3x1xi1>, tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching='compat=true'
// CASE: deviation 4: the reference takes the iota
// TWICE
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %j = stablehlo.iota dim = 0 : tensor<4x3x1xi32>
  %c = stablehlo.compare LT, %p, %j : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x1xi1>
  %i = stablehlo.select %c, %p, %j : tensor<4x3x1xi1>, tensor<4x3x1xi32>
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
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: deviation 4: an iota that counts along another dim in the end is none
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x4x1xi32>) -> tensor<4x4xf32> {
  %j = stablehlo.iota dim = 0 : tensor<4xi32>
  %i = stablehlo.broadcast_in_dim %j, dims = [1] : (tensor<4xi32>) -> tensor<4x4x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x4x1xi32>, tensor<4x4x1xi32>) -> tensor<4x4x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x4x2xi32>) -> tensor<4x4xf32>
  return %g : tensor<4x4xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: an iota along another dim is none
func.func @main(%arg0: tensor<4x16xf32>, %p: tensor<4x3x1xi32>) -> tensor<4x3xf32> {
  %i = stablehlo.iota dim = 1 : tensor<4x3x1xi32>
  %x = stablehlo.concatenate %i, %p, dim = 2 : (tensor<4x3x1xi32>, tensor<4x3x1xi32>) -> tensor<4x3x2xi32>
  %g = "stablehlo.gather"(%arg0, %x) <{dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x16xf32>, tensor<4x3x2xi32>) -> tensor<4x3xf32>
  return %g : tensor<4x3xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-explicit-gather-scatter-batching
// CASE: a scatter is batched in the same way
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
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x16xf32>, %arg1: tensor<4x3x1xi32>, %arg2: tensor<4x3xf32>) -> tensor<4x16xf32> {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<4x16xf32>, tensor<4x3x1xi32>, tensor<4x3xf32>) -> tensor<4x16xf32>
    return %0 : tensor<4x16xf32>
  }
}
