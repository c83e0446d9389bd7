// Max pooling by windows, its gradient by select_and_scatter.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @max_pool_gradient attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in:2 = call @inputs() : () -> (tensor<6x6xf32>, tensor<3x3xf32>)
    %want:2 = call @expected() : () -> (tensor<3x3xf32>, tensor<6x6xf32>)
    %v1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %v2 = "stablehlo.reduce_window"(%in#0, %v1) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%v3: tensor<f32>, %v4: tensor<f32>):
      %v5 = stablehlo.maximum %v3, %v4 : tensor<f32>
      stablehlo.return %v5 : tensor<f32>
    }) : (tensor<6x6xf32>, tensor<f32>) -> tensor<3x3xf32>
    %v6 = stablehlo.constant dense<0.0> : tensor<f32>
    %v7 = "stablehlo.select_and_scatter"(%in#0, %in#1, %v6) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%v8: tensor<f32>, %v9: tensor<f32>):
      %v10 = stablehlo.compare GE, %v8, %v9 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %v10 : tensor<i1>
    }, {
    ^bb0(%v11: tensor<f32>, %v12: tensor<f32>):
      %v13 = stablehlo.add %v11, %v12 : tensor<f32>
      stablehlo.return %v13 : tensor<f32>
    }) : (tensor<6x6xf32>, tensor<3x3xf32>, tensor<f32>) -> tensor<6x6xf32>
    stablehlo.custom_call @check.expect_eq(%v2, %want#0) {has_side_effect = true} : (tensor<3x3xf32>, tensor<3x3xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%v7, %want#1) {has_side_effect = true} : (tensor<6x6xf32>, tensor<6x6xf32>) -> ()
    return
  }
  func.func private @inputs() -> (tensor<6x6xf32>, tensor<3x3xf32>) {
    %c0 = stablehlo.constant dense<[[7.0, 3.5e+01, 1.4e+01, 1.6e+01, 1.3e+01, 2.5e+01], [2.3e+01, 1.9e+01, 2.9e+01, 2.7e+01, 8.0, 1.5e+01], [1.0e+01, 2.4e+01, 2.1e+01, 3.4e+01, 5.0, 2.8e+01], [1.1e+01, 1.7e+01, 0.0, 3.0e+01, 3.3e+01, 3.0], [9.0, 4.0, 3.1e+01, 3.2e+01, 2.2e+01, 1.2e+01], [1.0, 1.8e+01, 6.0, 2.0e+01, 2.6e+01, 2.0]]> : tensor<6x6xf32>
    %c1 = stablehlo.constant dense<[[5.0, 2.0, 7.0], [3.0, 8.0, 3.0], [8.0, 1.0, 4.0]]> : tensor<3x3xf32>
    return %c0, %c1 : tensor<6x6xf32>, tensor<3x3xf32>
  }
  func.func private @expected() -> (tensor<3x3xf32>, tensor<6x6xf32>) {
    %c0 = stablehlo.constant dense<[[3.5e+01, 2.9e+01, 2.5e+01], [2.4e+01, 3.4e+01, 3.3e+01], [1.8e+01, 3.2e+01, 2.6e+01]]> : tensor<3x3xf32>
    %c1 = stablehlo.constant dense<[[0.0, 5.0, 0.0, 0.0, 0.0, 7.0], [0.0, 0.0, 2.0, 0.0, 0.0, 0.0], [0.0, 3.0, 0.0, 8.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 3.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0, 0.0], [0.0, 8.0, 0.0, 0.0, 4.0, 0.0]]> : tensor<6x6xf32>
    return %c0, %c1 : tensor<3x3xf32>, tensor<6x6xf32>
  }
}
