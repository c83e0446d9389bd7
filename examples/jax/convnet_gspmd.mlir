// A training step of a convolutional network, the batch over four devices. As JAX prints it without Shardy.
module @jit_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x3x2x4xf32> {mhlo.sharding = "{replicated}"}, %arg1: tensor<3x3x4x4xf32> {mhlo.sharding = "{replicated}"}, %arg2: tensor<4x5xf32> {mhlo.sharding = "{replicated}"}, %arg3: tensor<8x6x6x2xf32> {mhlo.sharding = "{devices=[4,1,1,1]<=[4]}"}, %arg4: tensor<8xi32> {mhlo.sharding = "{devices=[4]<=[4]}"}) -> (tensor<3x3x2x4xf32> {jax.result_info = "result[0][0]", mhlo.sharding = "{replicated}"}, tensor<3x3x4x4xf32> {jax.result_info = "result[0][1]", mhlo.sharding = "{replicated}"}, tensor<4x5xf32> {jax.result_info = "result[0][2]", mhlo.sharding = "{replicated}"}, tensor<f32> {jax.result_info = "result[1]", mhlo.sharding = "{replicated}"}) {
    %0 = stablehlo.convolution(%arg3, %arg0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x6x6x2xf32>, tensor<3x3x2x4xf32>) -> tensor<8x6x6x4xf32>
    %1 = call @relu(%0) : (tensor<8x6x6x4xf32>) -> tensor<8x6x6x4xf32>
    %2 = stablehlo.convolution(%1, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x6x6x4xf32>, tensor<3x3x4x4xf32>) -> tensor<8x6x6x4xf32>
    %3 = call @relu(%2) : (tensor<8x6x6x4xf32>) -> tensor<8x6x6x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x6x6x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    %cst_0 = stablehlo.constant dense<3.600000e+01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %6 = stablehlo.divide %4, %5 : tensor<8x4xf32>
    %7 = stablehlo.dot_general %6, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x5xf32>) -> tensor<8x5xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.maximum across dimensions = [1] : (tensor<8x5xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %10 = stablehlo.maximum %9, %8 : tensor<8xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x5xf32>
    %13 = stablehlo.subtract %7, %12 : tensor<8x5xf32>
    %14 = stablehlo.exponential %13 : tensor<8x5xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%14 init: %cst_3) applies stablehlo.add across dimensions = [1] : (tensor<8x5xf32>, tensor<f32>) -> tensor<8xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %17 = stablehlo.log %16 : tensor<8x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x5xf32>
    %19 = stablehlo.subtract %13, %18 : tensor<8x5xf32>
    %20 = stablehlo.broadcast_in_dim %arg4, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %21 = stablehlo.iota dim = 1 : tensor<1x5xi32>
    %22 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<8x1xi32>) -> tensor<8x5xi32>
    %23 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<1x5xi32>) -> tensor<8x5xi32>
    %24 = stablehlo.compare  EQ, %22, %23,  SIGNED : (tensor<8x5xi32>, tensor<8x5xi32>) -> tensor<8x5xi1>
    %25 = stablehlo.convert %24 : (tensor<8x5xi1>) -> tensor<8x5xf32>
    %26 = stablehlo.multiply %19, %25 : tensor<8x5xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.reduce(%26 init: %cst_4) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x5xf32>, tensor<f32>) -> tensor<f32>
    %28 = stablehlo.negate %27 : tensor<f32>
    %cst_5 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %29 = stablehlo.divide %28, %cst_5 : tensor<f32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %30 = stablehlo.divide %cst_6, %cst_5 : tensor<f32>
    %31 = stablehlo.negate %30 : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [] : (tensor<f32>) -> tensor<8x5xf32>
    %33 = stablehlo.multiply %32, %25 : tensor<8x5xf32>
    %34 = stablehlo.negate %33 : tensor<8x5xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.reduce(%34 init: %cst_7) applies stablehlo.add across dimensions = [1] : (tensor<8x5xf32>, tensor<f32>) -> tensor<8xf32>
    %36 = stablehlo.reshape %35 : (tensor<8xf32>) -> tensor<8x1xf32>
    %37 = stablehlo.divide %36, %16 : tensor<8x1xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%37 init: %cst_8) applies stablehlo.add across dimensions = [1] : (tensor<8x1xf32>, tensor<f32>) -> tensor<8xf32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0] : (tensor<8xf32>) -> tensor<8x5xf32>
    %40 = stablehlo.multiply %39, %14 : tensor<8x5xf32>
    %41 = stablehlo.add %33, %40 : tensor<8x5xf32>
    %42 = stablehlo.dot_general %41, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x5xf32>, tensor<4x5xf32>) -> tensor<8x4xf32>
    %43 = stablehlo.dot_general %41, %6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x5xf32>, tensor<8x4xf32>) -> tensor<5x4xf32>
    %44 = stablehlo.transpose %43, dims = [1, 0] : (tensor<5x4xf32>) -> tensor<4x5xf32>
    %45 = stablehlo.divide %42, %5 : tensor<8x4xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 3] : (tensor<8x4xf32>) -> tensor<8x6x6x4xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8x6x6x4xf32>
    %48 = stablehlo.compare  GT, %2, %47,  FLOAT : (tensor<8x6x6x4xf32>, tensor<8x6x6x4xf32>) -> tensor<8x6x6x4xi1>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x6x6x4xf32>
    %50 = stablehlo.select %48, %46, %49 : tensor<8x6x6x4xi1>, tensor<8x6x6x4xf32>
    %51 = stablehlo.reverse %arg1, dims = [0, 1] : tensor<3x3x4x4xf32>
    %52 = stablehlo.convolution(%50, %51) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x6x6x4xf32>, tensor<3x3x4x4xf32>) -> tensor<8x6x6x4xf32>
    %53 = stablehlo.convolution(%1, %50) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x6x6x4xf32>, tensor<8x6x6x4xf32>) -> tensor<3x3x4x4xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x6x6x4xf32>
    %55 = stablehlo.compare  GT, %0, %54,  FLOAT : (tensor<8x6x6x4xf32>, tensor<8x6x6x4xf32>) -> tensor<8x6x6x4xi1>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x6x6x4xf32>
    %57 = stablehlo.select %55, %52, %56 : tensor<8x6x6x4xi1>, tensor<8x6x6x4xf32>
    %58 = stablehlo.convolution(%arg3, %57) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x6x6x2xf32>, tensor<8x6x6x4xf32>) -> tensor<3x3x2x4xf32>
    %cst_13 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<3x3x2x4xf32>
    %60 = stablehlo.multiply %59, %58 : tensor<3x3x2x4xf32>
    %61 = stablehlo.subtract %arg0, %60 : tensor<3x3x2x4xf32>
    %cst_14 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<3x3x4x4xf32>
    %63 = stablehlo.multiply %62, %53 : tensor<3x3x4x4xf32>
    %64 = stablehlo.subtract %arg1, %63 : tensor<3x3x4x4xf32>
    %cst_15 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4x5xf32>
    %66 = stablehlo.multiply %65, %44 : tensor<4x5xf32>
    %67 = stablehlo.subtract %arg2, %66 : tensor<4x5xf32>
    return %61, %64, %67, %29 : tensor<3x3x2x4xf32>, tensor<3x3x4x4xf32>, tensor<4x5xf32>, tensor<f32>
  }
  func.func private @relu(%arg0: tensor<8x6x6x4xf32>) -> tensor<8x6x6x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x6x6x4xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<8x6x6x4xf32>
    return %1 : tensor<8x6x6x4xf32>
  }
}
