// A layer of experts: top-2 gating, one-hot dispatch, an all-to-all to the experts and back. As JAX prints it without Shardy.
module @jit_moe attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8x6xf32> {mhlo.sharding = "{devices=[4,1,1]<=[4]}"}, %arg1: tensor<6x4xf32> {mhlo.sharding = "{replicated}"}, %arg2: tensor<4x6x10xf32> {mhlo.sharding = "{devices=[4,1,1]<=[4]}"}, %arg3: tensor<4x10x6xf32> {mhlo.sharding = "{devices=[4,1,1]<=[4]}"}) -> (tensor<4x8x6xf32> {jax.result_info = "result", mhlo.sharding = "{devices=[4,1,1]<=[4]}"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8x6xf32>, tensor<6x4xf32>) -> tensor<4x8x4xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<4x8x4xf32>, tensor<f32>) -> tensor<4x8xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %3 = stablehlo.maximum %2, %1 : tensor<4x8xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x4xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<4x8x4xf32>
    %7 = stablehlo.exponential %6 : tensor<4x8x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<4x8x4xf32>, tensor<f32>) -> tensor<4x8xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x4xf32>
    %11 = stablehlo.divide %7, %10 : tensor<4x8x4xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst_2) applies stablehlo.maximum across dimensions = [2] : (tensor<4x8x4xf32>, tensor<f32>) -> tensor<4x8xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x4xf32>
    %15 = stablehlo.iota dim = 2 : tensor<4x8x4xi32>
    %c = stablehlo.constant dense<4> : tensor<i32>
    %16 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4x8x4xi32>
    %17 = stablehlo.compare  EQ, %11, %14,  FLOAT : (tensor<4x8x4xf32>, tensor<4x8x4xf32>) -> tensor<4x8x4xi1>
    %18 = stablehlo.select %17, %15, %16 : tensor<4x8x4xi1>, tensor<4x8x4xi32>
    %c_3 = stablehlo.constant dense<2147483647> : tensor<i32>
    %19 = stablehlo.reduce(%18 init: %c_3) applies stablehlo.minimum across dimensions = [2] : (tensor<4x8x4xi32>, tensor<i32>) -> tensor<4x8xi32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<4x8xi32>) -> tensor<4x8x1xi32>
    %21 = stablehlo.iota dim = 2 : tensor<1x1x4xi32>
    %22 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<4x8x1xi32>) -> tensor<4x8x4xi32>
    %23 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<1x1x4xi32>) -> tensor<4x8x4xi32>
    %24 = stablehlo.compare  EQ, %22, %23,  SIGNED : (tensor<4x8x4xi32>, tensor<4x8x4xi32>) -> tensor<4x8x4xi1>
    %25 = stablehlo.convert %24 : (tensor<4x8x4xi1>) -> tensor<4x8x4xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x8x4xf32>
    %27 = stablehlo.subtract %26, %25 : tensor<4x8x4xf32>
    %28 = stablehlo.multiply %11, %27 : tensor<4x8x4xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %29 = stablehlo.reduce(%28 init: %cst_5) applies stablehlo.maximum across dimensions = [2] : (tensor<4x8x4xf32>, tensor<f32>) -> tensor<4x8xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x4xf32>
    %32 = stablehlo.iota dim = 2 : tensor<4x8x4xi32>
    %c_6 = stablehlo.constant dense<4> : tensor<i32>
    %33 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<4x8x4xi32>
    %34 = stablehlo.compare  EQ, %28, %31,  FLOAT : (tensor<4x8x4xf32>, tensor<4x8x4xf32>) -> tensor<4x8x4xi1>
    %35 = stablehlo.select %34, %32, %33 : tensor<4x8x4xi1>, tensor<4x8x4xi32>
    %c_7 = stablehlo.constant dense<2147483647> : tensor<i32>
    %36 = stablehlo.reduce(%35 init: %c_7) applies stablehlo.minimum across dimensions = [2] : (tensor<4x8x4xi32>, tensor<i32>) -> tensor<4x8xi32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1] : (tensor<4x8xi32>) -> tensor<4x8x1xi32>
    %38 = stablehlo.iota dim = 2 : tensor<1x1x4xi32>
    %39 = stablehlo.broadcast_in_dim %37, dims = [0, 1, 2] : (tensor<4x8x1xi32>) -> tensor<4x8x4xi32>
    %40 = stablehlo.broadcast_in_dim %38, dims = [0, 1, 2] : (tensor<1x1x4xi32>) -> tensor<4x8x4xi32>
    %41 = stablehlo.compare  EQ, %39, %40,  SIGNED : (tensor<4x8x4xi32>, tensor<4x8x4xi32>) -> tensor<4x8x4xi1>
    %42 = stablehlo.convert %41 : (tensor<4x8x4xi1>) -> tensor<4x8x4xf32>
    %43 = stablehlo.add %12, %29 : tensor<4x8xf32>
    %cst_8 = stablehlo.constant dense<1.000000e-09> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x8xf32>
    %45 = stablehlo.add %43, %44 : tensor<4x8xf32>
    %46 = stablehlo.divide %12, %45 : tensor<4x8xf32>
    %47 = stablehlo.divide %29, %45 : tensor<4x8xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = "stablehlo.reduce_window"(%25, %cst_9) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [7, 0], [0, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 8, 1>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %112 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %112 : tensor<f32>
    }) : (tensor<4x8x4xf32>, tensor<f32>) -> tensor<4x8x4xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x8x4xf32>
    %50 = stablehlo.subtract %48, %49 : tensor<4x8x4xf32>
    %51 = stablehlo.multiply %50, %25 : tensor<4x8x4xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.reduce(%25 init: %cst_11) applies stablehlo.add across dimensions = [1] : (tensor<4x8x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = "stablehlo.reduce_window"(%42, %cst_12) <{base_dilations = array<i64: 1, 1, 1>, padding = dense<[[0, 0], [7, 0], [0, 0]]> : tensor<3x2xi64>, window_dilations = array<i64: 1, 1, 1>, window_dimensions = array<i64: 1, 8, 1>, window_strides = array<i64: 1, 1, 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %112 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %112 : tensor<f32>
    }) : (tensor<4x8x4xf32>, tensor<f32>) -> tensor<4x8x4xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4x8x4xf32>
    %55 = stablehlo.subtract %53, %54 : tensor<4x8x4xf32>
    %56 = stablehlo.broadcast_in_dim %52, dims = [0, 2] : (tensor<4x4xf32>) -> tensor<4x1x4xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2] : (tensor<4x1x4xf32>) -> tensor<4x8x4xf32>
    %58 = stablehlo.add %55, %57 : tensor<4x8x4xf32>
    %59 = stablehlo.multiply %58, %42 : tensor<4x8x4xf32>
    %cst_14 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4x8x4xf32>
    %61 = stablehlo.compare  LT, %51, %60,  FLOAT : (tensor<4x8x4xf32>, tensor<4x8x4xf32>) -> tensor<4x8x4xi1>
    %62 = stablehlo.convert %61 : (tensor<4x8x4xi1>) -> tensor<4x8x4xf32>
    %63 = stablehlo.multiply %25, %62 : tensor<4x8x4xf32>
    %64 = stablehlo.multiply %51, %63 : tensor<4x8x4xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %65 = stablehlo.reduce(%64 init: %cst_15) applies stablehlo.add across dimensions = [2] : (tensor<4x8x4xf32>, tensor<f32>) -> tensor<4x8xf32>
    %66 = stablehlo.convert %65 : (tensor<4x8xf32>) -> tensor<4x8xi32>
    %67 = stablehlo.broadcast_in_dim %66, dims = [0, 1] : (tensor<4x8xi32>) -> tensor<4x8x1xi32>
    %68 = stablehlo.iota dim = 2 : tensor<1x1x4xi32>
    %69 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<4x8x1xi32>) -> tensor<4x8x4xi32>
    %70 = stablehlo.broadcast_in_dim %68, dims = [0, 1, 2] : (tensor<1x1x4xi32>) -> tensor<4x8x4xi32>
    %71 = stablehlo.compare  EQ, %69, %70,  SIGNED : (tensor<4x8x4xi32>, tensor<4x8x4xi32>) -> tensor<4x8x4xi1>
    %72 = stablehlo.convert %71 : (tensor<4x8x4xi1>) -> tensor<4x8x4xf32>
    %73 = stablehlo.broadcast_in_dim %46, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x4xf32>
    %75 = stablehlo.multiply %74, %63 : tensor<4x8x4xf32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [0, 1, 2] : (tensor<4x8x4xf32>) -> tensor<4x8x4x4xf32>
    %77 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 3] : (tensor<4x8x4xf32>) -> tensor<4x8x4x4xf32>
    %78 = stablehlo.multiply %76, %77 : tensor<4x8x4x4xf32>
    %cst_16 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<4x8x4xf32>
    %80 = stablehlo.compare  LT, %59, %79,  FLOAT : (tensor<4x8x4xf32>, tensor<4x8x4xf32>) -> tensor<4x8x4xi1>
    %81 = stablehlo.convert %80 : (tensor<4x8x4xi1>) -> tensor<4x8x4xf32>
    %82 = stablehlo.multiply %42, %81 : tensor<4x8x4xf32>
    %83 = stablehlo.multiply %59, %82 : tensor<4x8x4xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.reduce(%83 init: %cst_17) applies stablehlo.add across dimensions = [2] : (tensor<4x8x4xf32>, tensor<f32>) -> tensor<4x8xf32>
    %85 = stablehlo.convert %84 : (tensor<4x8xf32>) -> tensor<4x8xi32>
    %86 = stablehlo.broadcast_in_dim %85, dims = [0, 1] : (tensor<4x8xi32>) -> tensor<4x8x1xi32>
    %87 = stablehlo.iota dim = 2 : tensor<1x1x4xi32>
    %88 = stablehlo.broadcast_in_dim %86, dims = [0, 1, 2] : (tensor<4x8x1xi32>) -> tensor<4x8x4xi32>
    %89 = stablehlo.broadcast_in_dim %87, dims = [0, 1, 2] : (tensor<1x1x4xi32>) -> tensor<4x8x4xi32>
    %90 = stablehlo.compare  EQ, %88, %89,  SIGNED : (tensor<4x8x4xi32>, tensor<4x8x4xi32>) -> tensor<4x8x4xi1>
    %91 = stablehlo.convert %90 : (tensor<4x8x4xi1>) -> tensor<4x8x4xf32>
    %92 = stablehlo.broadcast_in_dim %47, dims = [0, 1] : (tensor<4x8xf32>) -> tensor<4x8x1xf32>
    %93 = stablehlo.broadcast_in_dim %92, dims = [0, 1, 2] : (tensor<4x8x1xf32>) -> tensor<4x8x4xf32>
    %94 = stablehlo.multiply %93, %82 : tensor<4x8x4xf32>
    %95 = stablehlo.broadcast_in_dim %94, dims = [0, 1, 2] : (tensor<4x8x4xf32>) -> tensor<4x8x4x4xf32>
    %96 = stablehlo.broadcast_in_dim %91, dims = [0, 1, 3] : (tensor<4x8x4xf32>) -> tensor<4x8x4x4xf32>
    %97 = stablehlo.multiply %95, %96 : tensor<4x8x4x4xf32>
    %98 = stablehlo.add %78, %97 : tensor<4x8x4x4xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<4x8x4x4xf32>
    %100 = stablehlo.compare  NE, %98, %99,  FLOAT : (tensor<4x8x4x4xf32>, tensor<4x8x4x4xf32>) -> tensor<4x8x4x4xi1>
    %101 = stablehlo.convert %100 : (tensor<4x8x4x4xi1>) -> tensor<4x8x4x4xf32>
    %102 = stablehlo.dot_general %101, %arg0, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x8x4x4xf32>, tensor<4x8x6xf32>) -> tensor<4x4x4x6xf32>
    %103 = stablehlo.transpose %102, dims = [1, 0, 2, 3] : (tensor<4x4x4x6xf32>) -> tensor<4x4x4x6xf32>
    %104 = stablehlo.custom_call @Sharding(%103) {backend_config = "", mhlo.sharding = "{devices=[4,1,1,1]<=[4]}"} : (tensor<4x4x4x6xf32>) -> tensor<4x4x4x6xf32>
    %105 = stablehlo.dot_general %104, %arg2, batching_dims = [0] x [0], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4x4x6xf32>, tensor<4x6x10xf32>) -> tensor<4x4x4x10xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<4x4x4x10xf32>
    %107 = stablehlo.maximum %105, %106 : tensor<4x4x4x10xf32>
    %108 = stablehlo.dot_general %107, %arg3, batching_dims = [0] x [0], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4x4x10xf32>, tensor<4x10x6xf32>) -> tensor<4x4x4x6xf32>
    %109 = stablehlo.transpose %108, dims = [1, 0, 2, 3] : (tensor<4x4x4x6xf32>) -> tensor<4x4x4x6xf32>
    %110 = stablehlo.custom_call @Sharding(%109) {backend_config = "", mhlo.sharding = "{devices=[4,1,1,1]<=[4]}"} : (tensor<4x4x4x6xf32>) -> tensor<4x4x4x6xf32>
    %111 = stablehlo.dot_general %98, %110, batching_dims = [0] x [0], contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<4x8x4x4xf32>, tensor<4x4x4x6xf32>) -> tensor<4x8x6xf32>
    return %111 : tensor<4x8x6xf32>
  }
}
