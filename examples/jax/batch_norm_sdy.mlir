// Batch normalization over a batch that is split, and its gradient. As JAX prints it with Shardy.
module @jit_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4]>
  func.func public @main(%arg0: tensor<8x4x4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}, {}]>}, %arg1: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg2: tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg3: tensor<8x4x4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}, {}]>}) -> (tensor<f32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, []>}, tensor<3xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<3xf32> {jax.result_info = "result[2]", sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<8x4x4x3xf32> {jax.result_info = "result[3]", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}, {}]>}, tensor<3xf32> {jax.result_info = "result[4]", sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x4x3xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_0 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.divide %0, %1 : tensor<3xf32>
    %3 = stablehlo.multiply %arg0, %arg0 : tensor<8x4x4x3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_1) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x4x3xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_2 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %6 = stablehlo.divide %4, %5 : tensor<3xf32>
    %7 = stablehlo.multiply %2, %2 : tensor<3xf32>
    %8 = stablehlo.subtract %6, %7 : tensor<3xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-05> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %10 = stablehlo.add %8, %9 : tensor<3xf32>
    %11 = stablehlo.rsqrt %10 : tensor<3xf32>
    %12 = stablehlo.broadcast_in_dim %2, dims = [3] : (tensor<3xf32>) -> tensor<1x1x1x3xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2, 3] : (tensor<1x1x1x3xf32>) -> tensor<8x4x4x3xf32>
    %14 = stablehlo.subtract %arg0, %13 : tensor<8x4x4x3xf32>
    %15 = stablehlo.broadcast_in_dim %11, dims = [3] : (tensor<3xf32>) -> tensor<1x1x1x3xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2, 3] : (tensor<1x1x1x3xf32>) -> tensor<8x4x4x3xf32>
    %17 = stablehlo.multiply %14, %16 : tensor<8x4x4x3xf32>
    %18 = stablehlo.broadcast_in_dim %arg1, dims = [3] : (tensor<3xf32>) -> tensor<1x1x1x3xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2, 3] : (tensor<1x1x1x3xf32>) -> tensor<8x4x4x3xf32>
    %20 = stablehlo.multiply %17, %19 : tensor<8x4x4x3xf32>
    %21 = stablehlo.broadcast_in_dim %arg2, dims = [3] : (tensor<3xf32>) -> tensor<1x1x1x3xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2, 3] : (tensor<1x1x1x3xf32>) -> tensor<8x4x4x3xf32>
    %23 = stablehlo.add %20, %22 : tensor<8x4x4x3xf32>
    %24 = stablehlo.subtract %23, %arg3 : tensor<8x4x4x3xf32>
    %25 = stablehlo.multiply %24, %24 : tensor<8x4x4x3xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.reduce(%25 init: %cst_4) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<8x4x4x3xf32>, tensor<f32>) -> tensor<f32>
    %cst_5 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %27 = stablehlo.divide %26, %cst_5 : tensor<f32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %28 = stablehlo.divide %cst_6, %cst_5 : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [] : (tensor<f32>) -> tensor<8x4x4x3xf32>
    %30 = stablehlo.multiply %29, %24 : tensor<8x4x4x3xf32>
    %31 = stablehlo.multiply %24, %29 : tensor<8x4x4x3xf32>
    %32 = stablehlo.add %30, %31 : tensor<8x4x4x3xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.reduce(%32 init: %cst_7) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x4x3xf32>, tensor<f32>) -> tensor<3xf32>
    %34 = stablehlo.reshape %33 : (tensor<3xf32>) -> tensor<1x1x1x3xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.reduce(%34 init: %cst_8) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x3xf32>, tensor<f32>) -> tensor<3xf32>
    %36 = stablehlo.multiply %32, %19 : tensor<8x4x4x3xf32>
    %37 = stablehlo.multiply %17, %32 : tensor<8x4x4x3xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%37 init: %cst_9) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x4x3xf32>, tensor<f32>) -> tensor<3xf32>
    %39 = stablehlo.reshape %38 : (tensor<3xf32>) -> tensor<1x1x1x3xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.reduce(%39 init: %cst_10) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x3xf32>, tensor<f32>) -> tensor<3xf32>
    %41 = stablehlo.multiply %36, %16 : tensor<8x4x4x3xf32>
    %42 = stablehlo.multiply %14, %36 : tensor<8x4x4x3xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.reduce(%42 init: %cst_11) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x4x3xf32>, tensor<f32>) -> tensor<3xf32>
    %44 = stablehlo.reshape %43 : (tensor<3xf32>) -> tensor<1x1x1x3xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.reduce(%44 init: %cst_12) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x3xf32>, tensor<f32>) -> tensor<3xf32>
    %46 = stablehlo.negate %41 : tensor<8x4x4x3xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.reduce(%46 init: %cst_13) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x4x4x3xf32>, tensor<f32>) -> tensor<3xf32>
    %48 = stablehlo.reshape %47 : (tensor<3xf32>) -> tensor<1x1x1x3xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.reduce(%48 init: %cst_14) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x3xf32>, tensor<f32>) -> tensor<3xf32>
    %cst_15 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %51 = stablehlo.divide %11, %10 : tensor<3xf32>
    %52 = stablehlo.multiply %50, %51 : tensor<3xf32>
    %53 = stablehlo.multiply %45, %52 : tensor<3xf32>
    %54 = stablehlo.negate %53 : tensor<3xf32>
    %55 = stablehlo.multiply %54, %2 : tensor<3xf32>
    %56 = stablehlo.add %49, %55 : tensor<3xf32>
    %57 = stablehlo.multiply %2, %54 : tensor<3xf32>
    %58 = stablehlo.add %56, %57 : tensor<3xf32>
    %59 = stablehlo.divide %53, %5 : tensor<3xf32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [3] : (tensor<3xf32>) -> tensor<8x4x4x3xf32>
    %61 = stablehlo.multiply %60, %arg0 : tensor<8x4x4x3xf32>
    %62 = stablehlo.add %41, %61 : tensor<8x4x4x3xf32>
    %63 = stablehlo.multiply %arg0, %60 : tensor<8x4x4x3xf32>
    %64 = stablehlo.add %62, %63 : tensor<8x4x4x3xf32>
    %65 = stablehlo.divide %58, %1 : tensor<3xf32>
    %66 = stablehlo.broadcast_in_dim %65, dims = [3] : (tensor<3xf32>) -> tensor<8x4x4x3xf32>
    %67 = stablehlo.add %64, %66 : tensor<8x4x4x3xf32>
    %cst_16 = stablehlo.constant dense<9.000000e-01> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %69 = stablehlo.multiply %68, %arg1 : tensor<3xf32>
    %cst_17 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %71 = stablehlo.multiply %70, %8 : tensor<3xf32>
    %72 = stablehlo.add %69, %71 : tensor<3xf32>
    return %27, %40, %35, %67, %72 : tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<8x4x4x3xf32>, tensor<3xf32>
  }
}
