// A training step of a transformer: forward, backward and SGD, batch over `data`, heads and hidden units over `model`. As JAX prints it without Shardy.
module @jit_train_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<10x8xf32> {mhlo.sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, %arg1: tensor<8xf32> {mhlo.sharding = "{replicated}"}, %arg2: tensor<8x2x4xf32> {mhlo.sharding = "{devices=[1,2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, %arg3: tensor<8x2x4xf32> {mhlo.sharding = "{devices=[1,2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, %arg4: tensor<8x2x4xf32> {mhlo.sharding = "{devices=[1,2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, %arg5: tensor<2x4x8xf32> {mhlo.sharding = "{devices=[2,1,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, %arg6: tensor<8x12xf32> {mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, %arg7: tensor<12x8xf32> {mhlo.sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, %arg8: tensor<4x6xi32> {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"}, %arg9: tensor<4x6xi32> {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"}) -> (tensor<10x8xf32> {jax.result_info = "result[0]['emb']", mhlo.sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, tensor<8xf32> {jax.result_info = "result[0]['ln']", mhlo.sharding = "{replicated}"}, tensor<8x2x4xf32> {jax.result_info = "result[0]['wq']", mhlo.sharding = "{devices=[1,2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, tensor<8x2x4xf32> {jax.result_info = "result[0]['wk']", mhlo.sharding = "{devices=[1,2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, tensor<8x2x4xf32> {jax.result_info = "result[0]['wv']", mhlo.sharding = "{devices=[1,2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, tensor<2x4x8xf32> {jax.result_info = "result[0]['wo']", mhlo.sharding = "{devices=[2,1,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, tensor<8x12xf32> {jax.result_info = "result[0]['w1']", mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, tensor<12x8xf32> {jax.result_info = "result[0]['w2']", mhlo.sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"}, tensor<f32> {jax.result_info = "result[1]", mhlo.sharding = "{replicated}"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x6xi32>
    %1 = stablehlo.compare  LT, %arg8, %0,  SIGNED : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi1>
    %c_0 = stablehlo.constant dense<10> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4x6xi32>
    %3 = stablehlo.add %arg8, %2 : tensor<4x6xi32>
    %4 = stablehlo.select %1, %3, %arg8 : tensor<4x6xi1>, tensor<4x6xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<4x6xi32>) -> tensor<4x6x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<10x8xf32>, tensor<4x6x1xi32>) -> tensor<4x6x8xf32>
    %7 = stablehlo.custom_call @Sharding(%6) {backend_config = "", mhlo.sharding = "{devices=[2,1,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
    %8 = stablehlo.multiply %7, %7 : tensor<4x6x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<4x6x8xf32>, tensor<f32>) -> tensor<4x6xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
    %cst_1 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x6x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<4x6x1xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-06> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x6x1xf32>
    %14 = stablehlo.add %12, %13 : tensor<4x6x1xf32>
    %15 = stablehlo.rsqrt %14 : tensor<4x6x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<4x6x1xf32>) -> tensor<4x6x8xf32>
    %17 = stablehlo.multiply %7, %16 : tensor<4x6x8xf32>
    %18 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<4x6x8xf32>
    %20 = stablehlo.multiply %17, %19 : tensor<4x6x8xf32>
    %21 = stablehlo.dot_general %20, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6x8xf32>, tensor<8x2x4xf32>) -> tensor<4x6x2x4xf32>
    %22 = stablehlo.dot_general %20, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6x8xf32>, tensor<8x2x4xf32>) -> tensor<4x6x2x4xf32>
    %23 = stablehlo.dot_general %20, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6x8xf32>, tensor<8x2x4xf32>) -> tensor<4x6x2x4xf32>
    %24 = stablehlo.custom_call @Sharding(%21) {backend_config = "", mhlo.sharding = "{devices=[2,1,2,1]<=[4]}"} : (tensor<4x6x2x4xf32>) -> tensor<4x6x2x4xf32>
    %25 = stablehlo.dot_general %24, %22, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x6x2x4xf32>, tensor<4x6x2x4xf32>) -> tensor<4x2x6x6xf32>
    %cst_3 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x2x6x6xf32>
    %27 = stablehlo.multiply %25, %26 : tensor<4x2x6x6xf32>
    %28 = stablehlo.iota dim = 0 : tensor<6x6xi32>
    %29 = stablehlo.iota dim = 1 : tensor<6x6xi32>
    %30 = stablehlo.compare  GE, %28, %29,  SIGNED : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %31 = stablehlo.broadcast_in_dim %30, dims = [2, 3] : (tensor<6x6xi1>) -> tensor<4x2x6x6xi1>
    %cst_4 = stablehlo.constant dense<-1.000000e+10> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x2x6x6xf32>
    %33 = stablehlo.select %31, %27, %32 : tensor<4x2x6x6xi1>, tensor<4x2x6x6xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %34 = stablehlo.reduce(%33 init: %cst_5) applies stablehlo.maximum across dimensions = [3] : (tensor<4x2x6x6xf32>, tensor<f32>) -> tensor<4x2x6xf32>
    %cst_6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x2x6xf32>
    %36 = stablehlo.maximum %35, %34 : tensor<4x2x6xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2] : (tensor<4x2x6xf32>) -> tensor<4x2x6x1xf32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1, 2, 3] : (tensor<4x2x6x1xf32>) -> tensor<4x2x6x6xf32>
    %39 = stablehlo.subtract %33, %38 : tensor<4x2x6x6xf32>
    %40 = stablehlo.exponential %39 : tensor<4x2x6x6xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.reduce(%40 init: %cst_7) applies stablehlo.add across dimensions = [3] : (tensor<4x2x6x6xf32>, tensor<f32>) -> tensor<4x2x6xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2] : (tensor<4x2x6xf32>) -> tensor<4x2x6x1xf32>
    %43 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2, 3] : (tensor<4x2x6x1xf32>) -> tensor<4x2x6x6xf32>
    %44 = stablehlo.divide %40, %43 : tensor<4x2x6x6xf32>
    %45 = stablehlo.dot_general %44, %23, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x6x6xf32>, tensor<4x6x2x4xf32>) -> tensor<4x2x6x4xf32>
    %46 = stablehlo.transpose %45, dims = [0, 2, 1, 3] : (tensor<4x2x6x4xf32>) -> tensor<4x6x2x4xf32>
    %47 = stablehlo.dot_general %46, %arg5, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x6x2x4xf32>, tensor<2x4x8xf32>) -> tensor<4x6x8xf32>
    %48 = stablehlo.add %7, %47 : tensor<4x6x8xf32>
    %49 = stablehlo.custom_call @Sharding(%48) {backend_config = "", mhlo.sharding = "{devices=[2,1,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
    %50 = stablehlo.dot_general %49, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6x8xf32>, tensor<8x12xf32>) -> tensor<4x6x12xf32>
    %51 = stablehlo.custom_call @Sharding(%50) {backend_config = "", mhlo.sharding = "{devices=[2,1,2]<=[4]}"} : (tensor<4x6x12xf32>) -> tensor<4x6x12xf32>
    %52 = stablehlo.tanh %51 : tensor<4x6x12xf32>
    %53 = stablehlo.dot_general %52, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6x12xf32>, tensor<12x8xf32>) -> tensor<4x6x8xf32>
    %54 = stablehlo.add %49, %53 : tensor<4x6x8xf32>
    %55 = stablehlo.custom_call @Sharding(%54) {backend_config = "", mhlo.sharding = "{devices=[2,1,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
    %56 = stablehlo.dot_general %55, %arg0, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x6x8xf32>, tensor<10x8xf32>) -> tensor<4x6x10xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %57 = stablehlo.reduce(%56 init: %cst_8) applies stablehlo.maximum across dimensions = [2] : (tensor<4x6x10xf32>, tensor<f32>) -> tensor<4x6xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %59 = stablehlo.maximum %58, %57 : tensor<4x6xf32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0, 1] : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1, 2] : (tensor<4x6x1xf32>) -> tensor<4x6x10xf32>
    %62 = stablehlo.subtract %56, %61 : tensor<4x6x10xf32>
    %63 = stablehlo.exponential %62 : tensor<4x6x10xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.reduce(%63 init: %cst_10) applies stablehlo.add across dimensions = [2] : (tensor<4x6x10xf32>, tensor<f32>) -> tensor<4x6xf32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [0, 1] : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
    %66 = stablehlo.log %65 : tensor<4x6x1xf32>
    %67 = stablehlo.broadcast_in_dim %66, dims = [0, 1, 2] : (tensor<4x6x1xf32>) -> tensor<4x6x10xf32>
    %68 = stablehlo.subtract %62, %67 : tensor<4x6x10xf32>
    %69 = stablehlo.broadcast_in_dim %arg9, dims = [0, 1] : (tensor<4x6xi32>) -> tensor<4x6x1xi32>
    %70 = stablehlo.iota dim = 2 : tensor<1x1x10xi32>
    %71 = stablehlo.broadcast_in_dim %69, dims = [0, 1, 2] : (tensor<4x6x1xi32>) -> tensor<4x6x10xi32>
    %72 = stablehlo.broadcast_in_dim %70, dims = [0, 1, 2] : (tensor<1x1x10xi32>) -> tensor<4x6x10xi32>
    %73 = stablehlo.compare  EQ, %71, %72,  SIGNED : (tensor<4x6x10xi32>, tensor<4x6x10xi32>) -> tensor<4x6x10xi1>
    %74 = stablehlo.convert %73 : (tensor<4x6x10xi1>) -> tensor<4x6x10xf32>
    %75 = stablehlo.multiply %68, %74 : tensor<4x6x10xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.reduce(%75 init: %cst_11) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x6x10xf32>, tensor<f32>) -> tensor<f32>
    %77 = stablehlo.negate %76 : tensor<f32>
    %cst_12 = stablehlo.constant dense<2.400000e+01> : tensor<f32>
    %78 = stablehlo.divide %77, %cst_12 : tensor<f32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %79 = stablehlo.divide %cst_13, %cst_12 : tensor<f32>
    %80 = stablehlo.negate %79 : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %80, dims = [] : (tensor<f32>) -> tensor<4x6x10xf32>
    %82 = stablehlo.multiply %81, %74 : tensor<4x6x10xf32>
    %83 = stablehlo.negate %82 : tensor<4x6x10xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.reduce(%83 init: %cst_14) applies stablehlo.add across dimensions = [2] : (tensor<4x6x10xf32>, tensor<f32>) -> tensor<4x6xf32>
    %85 = stablehlo.reshape %84 : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
    %86 = stablehlo.divide %85, %65 : tensor<4x6x1xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %87 = stablehlo.reduce(%86 init: %cst_15) applies stablehlo.add across dimensions = [2] : (tensor<4x6x1xf32>, tensor<f32>) -> tensor<4x6xf32>
    %88 = stablehlo.broadcast_in_dim %87, dims = [0, 1] : (tensor<4x6xf32>) -> tensor<4x6x10xf32>
    %89 = stablehlo.multiply %88, %63 : tensor<4x6x10xf32>
    %90 = stablehlo.add %82, %89 : tensor<4x6x10xf32>
    %91 = stablehlo.dot_general %90, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6x10xf32>, tensor<10x8xf32>) -> tensor<4x6x8xf32>
    %92 = stablehlo.dot_general %90, %55, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x6x10xf32>, tensor<4x6x8xf32>) -> tensor<10x8xf32>
    %93 = stablehlo.custom_call @Sharding(%91) {backend_config = "", mhlo.sharding = "{devices=[2,1,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
    %94 = stablehlo.dot_general %93, %arg7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x6x8xf32>, tensor<12x8xf32>) -> tensor<4x6x12xf32>
    %95 = stablehlo.dot_general %93, %52, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x6x8xf32>, tensor<4x6x12xf32>) -> tensor<8x12xf32>
    %96 = stablehlo.transpose %95, dims = [1, 0] : (tensor<8x12xf32>) -> tensor<12x8xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<4x6x12xf32>
    %98 = stablehlo.multiply %52, %52 : tensor<4x6x12xf32>
    %99 = stablehlo.subtract %97, %98 : tensor<4x6x12xf32>
    %100 = stablehlo.multiply %94, %99 : tensor<4x6x12xf32>
    %101 = stablehlo.custom_call @Sharding(%100) {backend_config = "", mhlo.sharding = "{devices=[2,1,2]<=[4]}"} : (tensor<4x6x12xf32>) -> tensor<4x6x12xf32>
    %102 = stablehlo.dot_general %101, %arg6, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x6x12xf32>, tensor<8x12xf32>) -> tensor<4x6x8xf32>
    %103 = stablehlo.add %93, %102 : tensor<4x6x8xf32>
    %104 = stablehlo.dot_general %101, %49, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x6x12xf32>, tensor<4x6x8xf32>) -> tensor<12x8xf32>
    %105 = stablehlo.transpose %104, dims = [1, 0] : (tensor<12x8xf32>) -> tensor<8x12xf32>
    %106 = stablehlo.custom_call @Sharding(%103) {backend_config = "", mhlo.sharding = "{devices=[2,1,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
    %107 = stablehlo.dot_general %106, %arg5, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x6x8xf32>, tensor<2x4x8xf32>) -> tensor<4x6x2x4xf32>
    %108 = stablehlo.dot_general %106, %46, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x6x8xf32>, tensor<4x6x2x4xf32>) -> tensor<8x2x4xf32>
    %109 = stablehlo.transpose %108, dims = [1, 2, 0] : (tensor<8x2x4xf32>) -> tensor<2x4x8xf32>
    %110 = stablehlo.transpose %107, dims = [0, 2, 1, 3] : (tensor<4x6x2x4xf32>) -> tensor<4x2x6x4xf32>
    %111 = stablehlo.dot_general %110, %23, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<4x2x6x4xf32>, tensor<4x6x2x4xf32>) -> tensor<4x2x6x6xf32>
    %112 = stablehlo.dot_general %110, %44, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x2x6x4xf32>, tensor<4x2x6x6xf32>) -> tensor<4x2x4x6xf32>
    %113 = stablehlo.transpose %112, dims = [0, 3, 1, 2] : (tensor<4x2x4x6xf32>) -> tensor<4x6x2x4xf32>
    %114 = stablehlo.divide %111, %43 : tensor<4x2x6x6xf32>
    %115 = stablehlo.multiply %111, %40 : tensor<4x2x6x6xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4x2x6x6xf32>
    %117 = stablehlo.multiply %43, %43 : tensor<4x2x6x6xf32>
    %118 = stablehlo.divide %116, %117 : tensor<4x2x6x6xf32>
    %119 = stablehlo.multiply %115, %118 : tensor<4x2x6x6xf32>
    %120 = stablehlo.negate %119 : tensor<4x2x6x6xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %121 = stablehlo.reduce(%120 init: %cst_18) applies stablehlo.add across dimensions = [3] : (tensor<4x2x6x6xf32>, tensor<f32>) -> tensor<4x2x6xf32>
    %122 = stablehlo.reshape %121 : (tensor<4x2x6xf32>) -> tensor<4x2x6x1xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %123 = stablehlo.reduce(%122 init: %cst_19) applies stablehlo.add across dimensions = [3] : (tensor<4x2x6x1xf32>, tensor<f32>) -> tensor<4x2x6xf32>
    %124 = stablehlo.broadcast_in_dim %123, dims = [0, 1, 2] : (tensor<4x2x6xf32>) -> tensor<4x2x6x6xf32>
    %125 = stablehlo.add %114, %124 : tensor<4x2x6x6xf32>
    %126 = stablehlo.multiply %125, %40 : tensor<4x2x6x6xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %127 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4x2x6x6xf32>
    %128 = stablehlo.select %31, %126, %127 : tensor<4x2x6x6xi1>, tensor<4x2x6x6xf32>
    %129 = stablehlo.multiply %128, %26 : tensor<4x2x6x6xf32>
    %130 = stablehlo.dot_general %129, %22, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x6x6xf32>, tensor<4x6x2x4xf32>) -> tensor<4x2x6x4xf32>
    %131 = stablehlo.transpose %130, dims = [0, 2, 1, 3] : (tensor<4x2x6x4xf32>) -> tensor<4x6x2x4xf32>
    %132 = stablehlo.dot_general %129, %24, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x2x6x6xf32>, tensor<4x6x2x4xf32>) -> tensor<4x2x6x4xf32>
    %133 = stablehlo.transpose %132, dims = [0, 2, 1, 3] : (tensor<4x2x6x4xf32>) -> tensor<4x6x2x4xf32>
    %134 = stablehlo.custom_call @Sharding(%131) {backend_config = "", mhlo.sharding = "{devices=[2,1,2,1]<=[4]}"} : (tensor<4x6x2x4xf32>) -> tensor<4x6x2x4xf32>
    %135 = stablehlo.dot_general %113, %arg4, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x6x2x4xf32>, tensor<8x2x4xf32>) -> tensor<4x6x8xf32>
    %136 = stablehlo.dot_general %113, %20, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x6x2x4xf32>, tensor<4x6x8xf32>) -> tensor<2x4x8xf32>
    %137 = stablehlo.transpose %136, dims = [2, 0, 1] : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>
    %138 = stablehlo.dot_general %133, %arg3, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x6x2x4xf32>, tensor<8x2x4xf32>) -> tensor<4x6x8xf32>
    %139 = stablehlo.add %135, %138 : tensor<4x6x8xf32>
    %140 = stablehlo.dot_general %133, %20, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x6x2x4xf32>, tensor<4x6x8xf32>) -> tensor<2x4x8xf32>
    %141 = stablehlo.transpose %140, dims = [2, 0, 1] : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>
    %142 = stablehlo.dot_general %134, %arg2, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x6x2x4xf32>, tensor<8x2x4xf32>) -> tensor<4x6x8xf32>
    %143 = stablehlo.add %139, %142 : tensor<4x6x8xf32>
    %144 = stablehlo.dot_general %134, %20, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<4x6x2x4xf32>, tensor<4x6x8xf32>) -> tensor<2x4x8xf32>
    %145 = stablehlo.transpose %144, dims = [2, 0, 1] : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>
    %146 = stablehlo.multiply %143, %19 : tensor<4x6x8xf32>
    %147 = stablehlo.multiply %17, %143 : tensor<4x6x8xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %148 = stablehlo.reduce(%147 init: %cst_21) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %149 = stablehlo.reshape %148 : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %150 = stablehlo.reduce(%149 init: %cst_22) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %151 = stablehlo.multiply %146, %16 : tensor<4x6x8xf32>
    %152 = stablehlo.add %106, %151 : tensor<4x6x8xf32>
    %153 = stablehlo.multiply %7, %146 : tensor<4x6x8xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %154 = stablehlo.reduce(%153 init: %cst_23) applies stablehlo.add across dimensions = [2] : (tensor<4x6x8xf32>, tensor<f32>) -> tensor<4x6xf32>
    %155 = stablehlo.reshape %154 : (tensor<4x6xf32>) -> tensor<4x6x1xf32>
    %cst_24 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<4x6x1xf32>
    %157 = stablehlo.divide %15, %14 : tensor<4x6x1xf32>
    %158 = stablehlo.multiply %156, %157 : tensor<4x6x1xf32>
    %159 = stablehlo.multiply %155, %158 : tensor<4x6x1xf32>
    %160 = stablehlo.divide %159, %11 : tensor<4x6x1xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %161 = stablehlo.reduce(%160 init: %cst_25) applies stablehlo.add across dimensions = [2] : (tensor<4x6x1xf32>, tensor<f32>) -> tensor<4x6xf32>
    %162 = stablehlo.broadcast_in_dim %161, dims = [0, 1] : (tensor<4x6xf32>) -> tensor<4x6x8xf32>
    %163 = stablehlo.multiply %162, %7 : tensor<4x6x8xf32>
    %164 = stablehlo.add %152, %163 : tensor<4x6x8xf32>
    %165 = stablehlo.multiply %7, %162 : tensor<4x6x8xf32>
    %166 = stablehlo.add %164, %165 : tensor<4x6x8xf32>
    %167 = stablehlo.custom_call @Sharding(%166) {backend_config = "", mhlo.sharding = "{devices=[2,1,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %168 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<10x8xf32>
    %169 = "stablehlo.scatter"(%168, %5, %167) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
      %195 = stablehlo.add %arg10, %arg11 : tensor<f32>
      stablehlo.return %195 : tensor<f32>
    }) : (tensor<10x8xf32>, tensor<4x6x1xi32>, tensor<4x6x8xf32>) -> tensor<10x8xf32>
    %170 = stablehlo.add %92, %169 : tensor<10x8xf32>
    %cst_27 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<10x8xf32>
    %172 = stablehlo.multiply %171, %170 : tensor<10x8xf32>
    %173 = stablehlo.subtract %arg0, %172 : tensor<10x8xf32>
    %cst_28 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %174 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %175 = stablehlo.multiply %174, %150 : tensor<8xf32>
    %176 = stablehlo.subtract %arg1, %175 : tensor<8xf32>
    %cst_29 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %177 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<8x2x4xf32>
    %178 = stablehlo.multiply %177, %145 : tensor<8x2x4xf32>
    %179 = stablehlo.subtract %arg2, %178 : tensor<8x2x4xf32>
    %cst_30 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %180 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<8x2x4xf32>
    %181 = stablehlo.multiply %180, %141 : tensor<8x2x4xf32>
    %182 = stablehlo.subtract %arg3, %181 : tensor<8x2x4xf32>
    %cst_31 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %183 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<8x2x4xf32>
    %184 = stablehlo.multiply %183, %137 : tensor<8x2x4xf32>
    %185 = stablehlo.subtract %arg4, %184 : tensor<8x2x4xf32>
    %cst_32 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %186 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<2x4x8xf32>
    %187 = stablehlo.multiply %186, %109 : tensor<2x4x8xf32>
    %188 = stablehlo.subtract %arg5, %187 : tensor<2x4x8xf32>
    %cst_33 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %189 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8x12xf32>
    %190 = stablehlo.multiply %189, %105 : tensor<8x12xf32>
    %191 = stablehlo.subtract %arg6, %190 : tensor<8x12xf32>
    %cst_34 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %192 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<12x8xf32>
    %193 = stablehlo.multiply %192, %96 : tensor<12x8xf32>
    %194 = stablehlo.subtract %arg7, %193 : tensor<12x8xf32>
    return %173, %176, %179, %182, %185, %188, %191, %194, %78 : tensor<10x8xf32>, tensor<8xf32>, tensor<8x2x4xf32>, tensor<8x2x4xf32>, tensor<8x2x4xf32>, tensor<2x4x8xf32>, tensor<8x12xf32>, tensor<12x8xf32>, tensor<f32>
  }
}
