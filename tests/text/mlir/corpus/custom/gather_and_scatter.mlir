module {
  func.func @main(%arg0: tensor<4x6xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<2x4x6xf32>, %arg3: tensor<2x3x1xi32>) {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xf32>, tensor<3x1xi32>) -> tensor<3x6xf32>
    %1 = "stablehlo.gather"(%arg2, %arg3) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 6>}> {foo} : (tensor<2x4x6xf32>, tensor<2x3x1xi32>) -> tensor<2x3x6xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) {
    %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0]>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<8xf32>, tensor<i32>) -> tensor<f32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4x6xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<2xi64>) {
    %0 = "stablehlo.dynamic_gather"(%arg0, %arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<4x6xf32>, tensor<3x1xi32>, tensor<2xi64>) -> tensor<3x?xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4x6xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3x6xf32>) {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<3x1xi32>, tensor<3x6xf32>) -> tensor<4x6xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<2x8xf32>, %arg1: tensor<2x8xi32>, %arg2: tensor<2x3x1xi32>, %arg3: tensor<2x3xf32>, %arg4: tensor<2x3xi32>) {
    %0:2 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<i32>, %arg7: tensor<f32>, %arg8: tensor<i32>):
      stablehlo.return %arg7, %arg8 : tensor<f32>, tensor<i32>
    }) {foo} : (tensor<2x8xf32>, tensor<2x8xi32>, tensor<2x3x1xi32>, tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2x8xf32>, tensor<2x8xi32>)
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4x6xf32>, %arg1: tensor<3xi32>) {
    %0 = "stablehlo.torch_index_select"(%arg0, %arg1) <{batch_dims = 0 : i64, dim = 1 : i64}> : (tensor<4x6xf32>, tensor<3xi32>) -> tensor<4x3xf32>
    return
  }
}
