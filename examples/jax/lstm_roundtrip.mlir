// An LSTM by jax.lax.scan. As it comes back from HLO: frontend attributes of xla.sdy.
module @jit_f attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22data\22=2, \22model\22=2]>}"}, mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x4x6xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{}, {\22data\22}, {}]>"}, mhlo.sharding = "{devices=[1,2,1,2]<=[4] last_tile_dim_replicate}"}, %arg1: tensor<6x16xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{}, {\22model\22}]>"}, mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, %arg2: tensor<4x16xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{}, {\22model\22}]>"}, mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, %arg3: tensor<16xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22model\22}]>"}, mhlo.sharding = "{devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}) -> (tensor<4x4xf32> {jax.result_info = "result[0]", mhlo.sharding = "{devices=[2,2]<=[4]}"}, tensor<5x4x4xf32> {jax.result_info = "result[1]", mhlo.sharding = "{devices=[1,2,2]<=[4]}"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5x4x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:4 = stablehlo.while(%iterArg = %c, %iterArg_1 = %0, %iterArg_2 = %0, %iterArg_3 = %1) : tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<5x4x4xf32>
     cond {
      %c_4 = stablehlo.constant dense<5> : tensor<i32>
      %5 = stablehlo.compare  LT, %iterArg, %c_4,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %5 = stablehlo.compare  LT, %iterArg, %c_4,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_5 = stablehlo.constant dense<5> : tensor<i32>
      %6 = stablehlo.add %iterArg, %c_5 : tensor<i32>
      %7 = stablehlo.select %5, %6, %iterArg : tensor<i1>, tensor<i32>
      %c_6 = stablehlo.constant dense<0> : tensor<i32>
      %8 = stablehlo.dynamic_slice %arg0, %7, %c_6, %c_6, sizes = [1, 4, 6] : (tensor<5x4x6xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x6xf32>
      %9 = stablehlo.reshape %8 : (tensor<1x4x6xf32>) -> tensor<4x6xf32>
      %10 = stablehlo.dot_general %9, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf32>, tensor<6x16xf32>) -> tensor<4x16xf32>
      %11 = stablehlo.dot_general %iterArg_1, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
      %12 = stablehlo.add %10, %11 : tensor<4x16xf32>
      %13 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
      %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<4x16xf32>
      %15 = stablehlo.add %12, %14 : tensor<4x16xf32>
      %16 = stablehlo.slice %15 [0:4, 0:4] : (tensor<4x16xf32>) -> tensor<4x4xf32>
      %17 = stablehlo.slice %15 [0:4, 4:8] : (tensor<4x16xf32>) -> tensor<4x4xf32>
      %18 = stablehlo.slice %15 [0:4, 8:12] : (tensor<4x16xf32>) -> tensor<4x4xf32>
      %19 = stablehlo.slice %15 [0:4, 12:16] : (tensor<4x16xf32>) -> tensor<4x4xf32>
      %20 = stablehlo.logistic %17 : tensor<4x4xf32>
      %21 = stablehlo.multiply %20, %iterArg_2 : tensor<4x4xf32>
      %22 = stablehlo.logistic %16 : tensor<4x4xf32>
      %23 = stablehlo.tanh %18 : tensor<4x4xf32>
      %24 = stablehlo.multiply %22, %23 : tensor<4x4xf32>
      %25 = stablehlo.add %21, %24 : tensor<4x4xf32>
      %26 = stablehlo.logistic %19 : tensor<4x4xf32>
      %27 = stablehlo.tanh %25 : tensor<4x4xf32>
      %28 = stablehlo.multiply %26, %27 : tensor<4x4xf32>
      %c_7 = stablehlo.constant dense<0> : tensor<i32>
      %29 = stablehlo.compare  LT, %iterArg, %c_7,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_8 = stablehlo.constant dense<5> : tensor<i32>
      %30 = stablehlo.add %iterArg, %c_8 : tensor<i32>
      %31 = stablehlo.select %29, %30, %iterArg : tensor<i1>, tensor<i32>
      %c_9 = stablehlo.constant dense<0> : tensor<i32>
      %32 = stablehlo.broadcast_in_dim %28, dims = [1, 2] : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
      %33 = stablehlo.dynamic_update_slice %iterArg_3, %32, %31, %c_9, %c_9 : (tensor<5x4x4xf32>, tensor<1x4x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x4x4xf32>
      %c_10 = stablehlo.constant dense<1> : tensor<i32>
      %34 = stablehlo.add %iterArg, %c_10 : tensor<i32>
      stablehlo.return %34, %28, %25, %33 : tensor<i32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<5x4x4xf32>
    }
    %3 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%2#1) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22data\22}, {\22model\22}]>]>"}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %4 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%2#3) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{}, {\22data\22}, {\22model\22}]>]>"}} : (tensor<5x4x4xf32>) -> tensor<5x4x4xf32>
    return %3, %4 : tensor<4x4xf32>, tensor<5x4x4xf32>
  }
}
