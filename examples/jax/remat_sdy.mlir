// A gradient by jax.checkpoint: the forward pass again after a barrier. As JAX prints it with Shardy.
module @jit_grad attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%arg0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<6x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, %arg2: tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<f32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, []>}, tensor<8x6xf32> {jax.result_info = "result[1][0]", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<6x12xf32> {jax.result_info = "result[1][1]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}, tensor<12x6xf32> {jax.result_info = "result[1][2]", sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
    %0 = call @checkpoint(%arg0, %arg1, %arg2) : (tensor<8x6xf32>, tensor<6x12xf32>, tensor<12x6xf32>) -> tensor<f32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1:4 = stablehlo.optimization_barrier %arg0, %arg1, %arg2, %cst : tensor<8x6xf32>, tensor<6x12xf32>, tensor<12x6xf32>, tensor<f32>
    %2:3 = call @closed_call(%1#0, %1#1, %1#2, %1#3) : (tensor<8x6xf32>, tensor<6x12xf32>, tensor<12x6xf32>, tensor<f32>) -> (tensor<8x6xf32>, tensor<6x12xf32>, tensor<12x6xf32>)
    return %0, %2#0, %2#1, %2#2 : tensor<f32>, tensor<8x6xf32>, tensor<6x12xf32>, tensor<12x6xf32>
  }
  func.func private @checkpoint(%arg0: tensor<8x6xf32>, %arg1: tensor<6x12xf32>, %arg2: tensor<12x6xf32>) -> tensor<f32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x6xf32>, tensor<6x12xf32>) -> tensor<8x12xf32>
    %1 = stablehlo.sine %0 : tensor<8x12xf32>
    %2 = stablehlo.dot_general %1, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x12xf32>, tensor<12x6xf32>) -> tensor<8x6xf32>
    %3 = stablehlo.sine %2 : tensor<8x6xf32>
    %4 = stablehlo.multiply %3, %3 : tensor<8x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<f32>
    return %5 : tensor<f32>
  }
  func.func private @closed_call(%arg0: tensor<8x6xf32>, %arg1: tensor<6x12xf32>, %arg2: tensor<12x6xf32>, %arg3: tensor<f32>) -> (tensor<8x6xf32>, tensor<6x12xf32>, tensor<12x6xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x6xf32>, tensor<6x12xf32>) -> tensor<8x12xf32>
    %1 = stablehlo.sine %0 : tensor<8x12xf32>
    %2 = stablehlo.cosine %0 : tensor<8x12xf32>
    %3 = stablehlo.dot_general %1, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x12xf32>, tensor<12x6xf32>) -> tensor<8x6xf32>
    %4 = stablehlo.sine %3 : tensor<8x6xf32>
    %5 = stablehlo.cosine %3 : tensor<8x6xf32>
    %6 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %8 = stablehlo.multiply %6, %7 : tensor<8x6xf32>
    %9 = stablehlo.multiply %8, %4 : tensor<8x6xf32>
    %10 = stablehlo.multiply %9, %5 : tensor<8x6xf32>
    %11 = stablehlo.dot_general %10, %1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x6xf32>, tensor<8x12xf32>) -> tensor<6x12xf32>
    %12 = stablehlo.transpose %11, dims = [1, 0] : (tensor<6x12xf32>) -> tensor<12x6xf32>
    %13 = stablehlo.dot_general %10, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x6xf32>, tensor<12x6xf32>) -> tensor<8x12xf32>
    %14 = stablehlo.multiply %13, %2 : tensor<8x12xf32>
    %15 = stablehlo.dot_general %14, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x12xf32>, tensor<8x6xf32>) -> tensor<12x6xf32>
    %16 = stablehlo.transpose %15, dims = [1, 0] : (tensor<12x6xf32>) -> tensor<6x12xf32>
    %17 = stablehlo.dot_general %14, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x12xf32>, tensor<6x12xf32>) -> tensor<8x6xf32>
    return %17, %16, %12 : tensor<8x6xf32>, tensor<6x12xf32>, tensor<12x6xf32>
  }
}
