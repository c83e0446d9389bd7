// Three layers by jax.lax.scan: a loop that takes its stacked weights by dynamic_slice. As JAX prints it with Shardy.
module @jit_f attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=4]>
  func.func public @main(%arg0: tensor<3x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>}, %arg1: tensor<3x16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, %arg2: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> (tensor<4x8xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, tensor<3x4xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg2, %iterArg_1 = %0) : tensor<i32>, tensor<4x8xf32>, tensor<3x4xf32>
    cond {
      %c_2 = stablehlo.constant dense<3> : tensor<i32>
      %2 = stablehlo.compare  LT, %iterArg, %c_2,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %2 = stablehlo.compare  LT, %iterArg, %c_2,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_3 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.add %iterArg, %c_3 : tensor<i32>
      %4 = stablehlo.select %2, %3, %iterArg : tensor<i1>, tensor<i32>
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %5 = stablehlo.dynamic_slice %arg0, %4, %c_4, %c_4, sizes = [1, 8, 16] : (tensor<3x8x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x16xf32>
      %6 = stablehlo.reshape %5 : (tensor<1x8x16xf32>) -> tensor<8x16xf32>
      %c_5 = stablehlo.constant dense<0> : tensor<i32>
      %7 = stablehlo.compare  LT, %iterArg, %c_5,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_6 = stablehlo.constant dense<3> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_6 : tensor<i32>
      %9 = stablehlo.select %7, %8, %iterArg : tensor<i1>, tensor<i32>
      %c_7 = stablehlo.constant dense<0> : tensor<i32>
      %10 = stablehlo.dynamic_slice %arg1, %9, %c_7, %c_7, sizes = [1, 16, 8] : (tensor<3x16x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x8xf32>
      %11 = stablehlo.reshape %10 : (tensor<1x16x8xf32>) -> tensor<16x8xf32>
      %12:2 = func.call @closed_call(%iterArg_0, %6, %11) : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<16x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
      %13 = stablehlo.broadcast_in_dim %12#1, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
      %c_8 = stablehlo.constant dense<0> : tensor<i32>
      %14 = stablehlo.compare  LT, %iterArg, %c_8,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_9 = stablehlo.constant dense<3> : tensor<i32>
      %15 = stablehlo.add %iterArg, %c_9 : tensor<i32>
      %16 = stablehlo.select %14, %15, %iterArg : tensor<i1>, tensor<i32>
      %c_10 = stablehlo.constant dense<0> : tensor<i32>
      %17 = stablehlo.dynamic_update_slice %iterArg_1, %13, %16, %c_10 : (tensor<3x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
      %c_11 = stablehlo.constant dense<1> : tensor<i32>
      %18 = stablehlo.add %iterArg, %c_11 : tensor<i32>
      stablehlo.return %18, %12#0, %17 : tensor<i32>, tensor<4x8xf32>, tensor<3x4xf32>
    }
    return %1#1, %1#2 : tensor<4x8xf32>, tensor<3x4xf32>
  }
  func.func private @closed_call(%arg0: tensor<4x8xf32>, %arg1: tensor<8x16xf32>, %arg2: tensor<16x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %1 = stablehlo.tanh %0 : tensor<4x16xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"data"}, {"model"}]> : tensor<4x16xf32>
    %3 = stablehlo.dot_general %2, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
    %4 = stablehlo.add %arg0, %3 : tensor<4x8xf32>
    %5 = stablehlo.multiply %4, %4 : tensor<4x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    return %4, %6 : tensor<4x8xf32>, tensor<4xf32>
  }
}
