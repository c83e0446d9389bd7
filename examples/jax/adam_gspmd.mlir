// A step of Adam, all of whose state is donated. As JAX prints it without Shardy.
module @jit_update attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x12xf32> {tf.aliasing_output = 0 : i32, mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, %arg1: tensor<12x4xf32> {tf.aliasing_output = 1 : i32, mhlo.sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, %arg2: tensor<8x12xf32> {tf.aliasing_output = 2 : i32, mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, %arg3: tensor<12x4xf32> {tf.aliasing_output = 3 : i32, mhlo.sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, %arg4: tensor<8x12xf32> {tf.aliasing_output = 4 : i32, mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, %arg5: tensor<12x4xf32> {tf.aliasing_output = 5 : i32, mhlo.sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, %arg6: tensor<i32> {tf.aliasing_output = 6 : i32, mhlo.sharding = "{replicated}"}, %arg7: tensor<4x8xf32> {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"}, %arg8: tensor<4x4xf32> {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"}) -> (tensor<8x12xf32> {jax.result_info = "result[0]", mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, tensor<12x4xf32> {jax.result_info = "result[1]", mhlo.sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, tensor<8x12xf32> {jax.result_info = "result[2]", mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, tensor<12x4xf32> {jax.result_info = "result[3]", mhlo.sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, tensor<8x12xf32> {jax.result_info = "result[4]", mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, tensor<12x4xf32> {jax.result_info = "result[5]", mhlo.sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, tensor<i32> {jax.result_info = "result[6]", mhlo.sharding = "{replicated}"}, tensor<f32> {jax.result_info = "result[7]", mhlo.sharding = "{replicated}"}) {
    %0 = stablehlo.dot_general %arg7, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
    %1 = stablehlo.tanh %0 : tensor<4x12xf32>
    %2 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12xf32>, tensor<12x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.subtract %2, %arg8 : tensor<4x4xf32>
    %4 = stablehlo.multiply %3, %3 : tensor<4x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %6 = stablehlo.divide %5, %cst_0 : tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %7 = stablehlo.divide %cst_1, %cst_0 : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %9 = stablehlo.multiply %8, %3 : tensor<4x4xf32>
    %10 = stablehlo.multiply %3, %8 : tensor<4x4xf32>
    %11 = stablehlo.add %9, %10 : tensor<4x4xf32>
    %12 = stablehlo.dot_general %11, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<12x4xf32>) -> tensor<4x12xf32>
    %13 = stablehlo.dot_general %11, %1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x12xf32>) -> tensor<4x12xf32>
    %14 = stablehlo.transpose %13, dims = [1, 0] : (tensor<4x12xf32>) -> tensor<12x4xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x12xf32>
    %16 = stablehlo.multiply %1, %1 : tensor<4x12xf32>
    %17 = stablehlo.subtract %15, %16 : tensor<4x12xf32>
    %18 = stablehlo.multiply %12, %17 : tensor<4x12xf32>
    %19 = stablehlo.dot_general %18, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x12xf32>, tensor<4x8xf32>) -> tensor<12x8xf32>
    %20 = stablehlo.transpose %19, dims = [1, 0] : (tensor<12x8xf32>) -> tensor<8x12xf32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %21 = stablehlo.add %arg6, %c : tensor<i32>
    %22 = stablehlo.convert %21 : (tensor<i32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_4 = stablehlo.constant dense<9.000000e-01> : tensor<f32>
    %23 = stablehlo.power %cst_4, %22 : tensor<f32>
    %24 = stablehlo.subtract %cst_3, %23 : tensor<f32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_6 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %25 = stablehlo.power %cst_6, %22 : tensor<f32>
    %26 = stablehlo.subtract %cst_5, %25 : tensor<f32>
    %cst_7 = stablehlo.constant dense<9.000000e-01> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x12xf32>
    %28 = stablehlo.multiply %27, %arg2 : tensor<8x12xf32>
    %cst_8 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x12xf32>
    %30 = stablehlo.multiply %29, %20 : tensor<8x12xf32>
    %31 = stablehlo.add %28, %30 : tensor<8x12xf32>
    %cst_9 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x12xf32>
    %33 = stablehlo.abs %arg4 : tensor<8x12xf32>
    %34 = stablehlo.multiply %32, %33 : tensor<8x12xf32>
    %cst_10 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x12xf32>
    %36 = stablehlo.multiply %20, %20 : tensor<8x12xf32>
    %37 = stablehlo.multiply %35, %36 : tensor<8x12xf32>
    %38 = stablehlo.add %34, %37 : tensor<8x12xf32>
    %39 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<f32>) -> tensor<8x12xf32>
    %40 = stablehlo.divide %31, %39 : tensor<8x12xf32>
    %41 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<f32>) -> tensor<8x12xf32>
    %42 = stablehlo.divide %38, %41 : tensor<8x12xf32>
    %43 = stablehlo.sqrt %42 : tensor<8x12xf32>
    %cst_11 = stablehlo.constant dense<1.000000e-08> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x12xf32>
    %45 = stablehlo.add %43, %44 : tensor<8x12xf32>
    %46 = stablehlo.divide %40, %45 : tensor<8x12xf32>
    %cst_12 = stablehlo.constant dense<1.000000e-02> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x12xf32>
    %48 = stablehlo.multiply %47, %46 : tensor<8x12xf32>
    %49 = stablehlo.subtract %arg0, %48 : tensor<8x12xf32>
    %cst_13 = stablehlo.constant dense<9.000000e-01> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<12x4xf32>
    %51 = stablehlo.multiply %50, %arg3 : tensor<12x4xf32>
    %cst_14 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<12x4xf32>
    %53 = stablehlo.multiply %52, %14 : tensor<12x4xf32>
    %54 = stablehlo.add %51, %53 : tensor<12x4xf32>
    %cst_15 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<12x4xf32>
    %56 = stablehlo.abs %arg5 : tensor<12x4xf32>
    %57 = stablehlo.multiply %55, %56 : tensor<12x4xf32>
    %cst_16 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<12x4xf32>
    %59 = stablehlo.multiply %14, %14 : tensor<12x4xf32>
    %60 = stablehlo.multiply %58, %59 : tensor<12x4xf32>
    %61 = stablehlo.add %57, %60 : tensor<12x4xf32>
    %62 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<f32>) -> tensor<12x4xf32>
    %63 = stablehlo.divide %54, %62 : tensor<12x4xf32>
    %64 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<f32>) -> tensor<12x4xf32>
    %65 = stablehlo.divide %61, %64 : tensor<12x4xf32>
    %66 = stablehlo.sqrt %65 : tensor<12x4xf32>
    %cst_17 = stablehlo.constant dense<1.000000e-08> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<12x4xf32>
    %68 = stablehlo.add %66, %67 : tensor<12x4xf32>
    %69 = stablehlo.divide %63, %68 : tensor<12x4xf32>
    %cst_18 = stablehlo.constant dense<1.000000e-02> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<12x4xf32>
    %71 = stablehlo.multiply %70, %69 : tensor<12x4xf32>
    %72 = stablehlo.subtract %arg1, %71 : tensor<12x4xf32>
    return %49, %72, %31, %54, %38, %61, %21, %6 : tensor<8x12xf32>, tensor<12x4xf32>, tensor<8x12xf32>, tensor<12x4xf32>, tensor<8x12xf32>, tensor<12x4xf32>, tensor<i32>, tensor<f32>
  }
}
