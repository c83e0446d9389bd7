// A gradient by custom_vjp, clipped. As JAX prints it without Shardy.
module @jit_grad attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x9xf32> {mhlo.sharding = "{devices=[2,3]<=[6]}"}, %arg1: tensor<9x6xf32> {mhlo.sharding = "{devices=[3,1,2]<=[2,3]T(1,0) last_tile_dim_replicate}"}) -> (tensor<f32> {jax.result_info = "result[0]", mhlo.sharding = "{replicated}"}, tensor<6x9xf32> {jax.result_info = "result[1][0]", mhlo.sharding = "{devices=[2,3]<=[6]}"}, tensor<9x6xf32> {jax.result_info = "result[1][1]", mhlo.sharding = "{devices=[3,1,2]<=[2,3]T(1,0) last_tile_dim_replicate}"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x9xf32>, tensor<9x6xf32>) -> tensor<6x6xf32>
    %1 = stablehlo.exponential %0 : tensor<6x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<6x6xf32>, tensor<f32>) -> tensor<6xf32>
    %3 = stablehlo.log %2 : tensor<6xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %6 = stablehlo.divide %5, %2 : tensor<6xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x6xf32>
    %9 = stablehlo.multiply %1, %8 : tensor<6x6xf32>
    %cst_2 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %10 = call @clip(%9, %cst_2, %cst_3) : (tensor<6x6xf32>, tensor<f32>, tensor<f32>) -> tensor<6x6xf32>
    %11 = stablehlo.dot_general %10, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6xf32>, tensor<9x6xf32>) -> tensor<6x9xf32>
    %12 = stablehlo.dot_general %10, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x6xf32>, tensor<6x9xf32>) -> tensor<6x9xf32>
    %13 = stablehlo.transpose %12, dims = [1, 0] : (tensor<6x9xf32>) -> tensor<9x6xf32>
    return %4, %11, %13 : tensor<f32>, tensor<6x9xf32>, tensor<9x6xf32>
  }
  func.func private @clip(%arg0: tensor<6x6xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<6x6xf32> {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<6x6xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<6x6xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<6x6xf32>
    %3 = stablehlo.minimum %0, %2 : tensor<6x6xf32>
    return %3 : tensor<6x6xf32>
  }
}
