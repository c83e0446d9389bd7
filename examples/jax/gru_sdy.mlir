// A GRU by jax.lax.scan. As JAX prints it with Shardy.
module @jit_f attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=2]>
  func.func public @main(%arg0: tensor<5x4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {}]>}, %arg1: tensor<6x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg2: tensor<4x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg3: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>}) -> (tensor<4x4xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}, tensor<5x4x4xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"data"}, {"model"}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5x4x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:3 = stablehlo.while(%iterArg = %c, %iterArg_1 = %0, %iterArg_2 = %1) : tensor<i32>, tensor<4x4xf32>, tensor<5x4x4xf32>
    cond {
      %c_3 = stablehlo.constant dense<5> : tensor<i32>
      %3 = stablehlo.compare  LT, %iterArg, %c_3,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.compare  LT, %iterArg, %c_3,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_4 = stablehlo.constant dense<5> : tensor<i32>
      %4 = stablehlo.add %iterArg, %c_4 : tensor<i32>
      %5 = stablehlo.select %3, %4, %iterArg : tensor<i1>, tensor<i32>
      %c_5 = stablehlo.constant dense<0> : tensor<i32>
      %6 = stablehlo.dynamic_slice %arg0, %5, %c_5, %c_5, sizes = [1, 4, 6] : (tensor<5x4x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x6xf32>
      %7 = stablehlo.reshape %6 : (tensor<1x4x6xf32>) -> tensor<4x6xf32>
      %8 = stablehlo.dot_general %7, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf32>, tensor<6x12xf32>) -> tensor<4x12xf32>
      %9 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<12xf32>) -> tensor<1x12xf32>
      %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<1x12xf32>) -> tensor<4x12xf32>
      %11 = stablehlo.add %8, %10 : tensor<4x12xf32>
      %12 = stablehlo.dot_general %iterArg_1, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
      %13 = stablehlo.slice %11 [0:4, 0:4] : (tensor<4x12xf32>) -> tensor<4x4xf32>
      %14 = stablehlo.slice %12 [0:4, 0:4] : (tensor<4x12xf32>) -> tensor<4x4xf32>
      %15 = stablehlo.add %13, %14 : tensor<4x4xf32>
      %16 = stablehlo.logistic %15 : tensor<4x4xf32>
      %17 = stablehlo.slice %11 [0:4, 4:8] : (tensor<4x12xf32>) -> tensor<4x4xf32>
      %18 = stablehlo.slice %12 [0:4, 4:8] : (tensor<4x12xf32>) -> tensor<4x4xf32>
      %19 = stablehlo.add %17, %18 : tensor<4x4xf32>
      %20 = stablehlo.logistic %19 : tensor<4x4xf32>
      %21 = stablehlo.slice %11 [0:4, 8:12] : (tensor<4x12xf32>) -> tensor<4x4xf32>
      %22 = stablehlo.slice %12 [0:4, 8:12] : (tensor<4x12xf32>) -> tensor<4x4xf32>
      %23 = stablehlo.multiply %16, %22 : tensor<4x4xf32>
      %24 = stablehlo.add %21, %23 : tensor<4x4xf32>
      %25 = stablehlo.tanh %24 : tensor<4x4xf32>
      %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %26 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
      %27 = stablehlo.subtract %26, %20 : tensor<4x4xf32>
      %28 = stablehlo.multiply %27, %25 : tensor<4x4xf32>
      %29 = stablehlo.multiply %20, %iterArg_1 : tensor<4x4xf32>
      %30 = stablehlo.add %28, %29 : tensor<4x4xf32>
      %c_7 = stablehlo.constant dense<0> : tensor<i32>
      %31 = stablehlo.compare  LT, %iterArg, %c_7,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_8 = stablehlo.constant dense<5> : tensor<i32>
      %32 = stablehlo.add %iterArg, %c_8 : tensor<i32>
      %33 = stablehlo.select %31, %32, %iterArg : tensor<i1>, tensor<i32>
      %c_9 = stablehlo.constant dense<0> : tensor<i32>
      %34 = stablehlo.broadcast_in_dim %30, dims = [1, 2] : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
      %35 = stablehlo.dynamic_update_slice %iterArg_2, %34, %33, %c_9, %c_9 : (tensor<5x4x4xf32>, tensor<1x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x4x4xf32>
      %c_10 = stablehlo.constant dense<1> : tensor<i32>
      %36 = stablehlo.add %iterArg, %c_10 : tensor<i32>
      stablehlo.return %36, %30, %35 : tensor<i32>, tensor<4x4xf32>, tensor<5x4x4xf32>
    }
    return %2#1, %2#2 : tensor<4x4xf32>, tensor<5x4x4xf32>
  }
}
