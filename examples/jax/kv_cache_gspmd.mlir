// A step of decoding: keys and values go into donated caches. As JAX prints it without Shardy.
module @jit_decode attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8x2x4xf32> {jax.buffer_donor = true, mhlo.sharding = "{devices=[2,1,2,1]<=[4]}"}, %arg1: tensor<4x8x2x4xf32> {jax.buffer_donor = true, mhlo.sharding = "{devices=[2,1,2,1]<=[4]}"}, %arg2: tensor<8x2x4xf32> {mhlo.sharding = "{devices=[1,2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, %arg3: tensor<8x2x4xf32> {mhlo.sharding = "{devices=[1,2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, %arg4: tensor<8x2x4xf32> {mhlo.sharding = "{devices=[1,2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, %arg5: tensor<2x4x8xf32> {mhlo.sharding = "{devices=[2,1,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, %arg6: tensor<4x8xf32> {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"}, %arg7: tensor<i32>) -> (tensor<4x8xf32> {jax.result_info = "result[0]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"}, tensor<4x8x2x4xf32> {jax.result_info = "result[1][0]", mhlo.sharding = "{devices=[2,1,2,1]<=[4]}"}, tensor<4x8x2x4xf32> {jax.result_info = "result[1][1]", mhlo.sharding = "{devices=[2,1,2,1]<=[4]}"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<7> : tensor<i32>
    %0 = stablehlo.clamp %c, %arg7, %c_0 : tensor<i32>
    %1 = stablehlo.dot_general %arg6, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x2x4xf32>) -> tensor<4x2x4xf32>
    %2 = stablehlo.dot_general %arg6, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x2x4xf32>) -> tensor<4x2x4xf32>
    %3 = stablehlo.dot_general %arg6, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x2x4xf32>) -> tensor<4x2x4xf32>
    %4 = stablehlo.reshape %2 : (tensor<4x2x4xf32>) -> tensor<4x1x2x4xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.dynamic_update_slice %arg0, %4, %c_1, %0, %c_1, %c_1 : (tensor<4x8x2x4xf32>, tensor<4x1x2x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x8x2x4xf32>
    %6 = stablehlo.custom_call @Sharding(%5) {backend_config = "", mhlo.sharding = "{devices=[2,1,2,1]<=[4]}"} : (tensor<4x8x2x4xf32>) -> tensor<4x8x2x4xf32>
    %7 = stablehlo.reshape %3 : (tensor<4x2x4xf32>) -> tensor<4x1x2x4xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.dynamic_update_slice %arg1, %7, %c_2, %0, %c_2, %c_2 : (tensor<4x8x2x4xf32>, tensor<4x1x2x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<4x8x2x4xf32>
    %9 = stablehlo.custom_call @Sharding(%8) {backend_config = "", mhlo.sharding = "{devices=[2,1,2,1]<=[4]}"} : (tensor<4x8x2x4xf32>) -> tensor<4x8x2x4xf32>
    %10 = stablehlo.dot_general %1, %6, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x4xf32>, tensor<4x8x2x4xf32>) -> tensor<4x2x8xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x2x8xf32>
    %12 = stablehlo.multiply %10, %11 : tensor<4x2x8xf32>
    %13 = stablehlo.iota dim = 0 : tensor<8xi32>
    %14 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %15 = stablehlo.compare  LE, %13, %14,  SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %16 = stablehlo.broadcast_in_dim %15, dims = [2] : (tensor<8xi1>) -> tensor<4x2x8xi1>
    %cst_3 = stablehlo.constant dense<-1.000000e+10> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x2x8xf32>
    %18 = stablehlo.select %16, %12, %17 : tensor<4x2x8xi1>, tensor<4x2x8xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %19 = stablehlo.reduce(%18 init: %cst_4) applies stablehlo.maximum across dimensions = [2] : (tensor<4x2x8xf32>, tensor<f32>) -> tensor<4x2xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
    %21 = stablehlo.maximum %20, %19 : tensor<4x2xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<4x2xf32>) -> tensor<4x2x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<4x2x1xf32>) -> tensor<4x2x8xf32>
    %24 = stablehlo.subtract %18, %23 : tensor<4x2x8xf32>
    %25 = stablehlo.exponential %24 : tensor<4x2x8xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.reduce(%25 init: %cst_6) applies stablehlo.add across dimensions = [2] : (tensor<4x2x8xf32>, tensor<f32>) -> tensor<4x2xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<4x2xf32>) -> tensor<4x2x1xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2] : (tensor<4x2x1xf32>) -> tensor<4x2x8xf32>
    %29 = stablehlo.divide %25, %28 : tensor<4x2x8xf32>
    %30 = stablehlo.dot_general %29, %9, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x8xf32>, tensor<4x8x2x4xf32>) -> tensor<4x2x4xf32>
    %31 = stablehlo.dot_general %30, %arg5, contracting_dims = [1, 2] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x4xf32>, tensor<2x4x8xf32>) -> tensor<4x8xf32>
    return %31, %6, %9 : tensor<4x8xf32>, tensor<4x8x2x4xf32>, tensor<4x8x2x4xf32>
  }
}
