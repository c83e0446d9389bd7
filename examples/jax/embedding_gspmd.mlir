// An embedding, its softmax loss and the gradient, which scatters; the vocabulary over three devices. As JAX prints it without Shardy.
module @jit_step attributes {mhlo.num_partitions = 6 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12x4xf32> {mhlo.sharding = "{devices=[3,1,2]<=[2,3]T(1,0) last_tile_dim_replicate}"}, %arg1: tensor<4x12xf32> {mhlo.sharding = "{devices=[1,3,2]<=[2,3]T(1,0) last_tile_dim_replicate}"}, %arg2: tensor<8xi32> {mhlo.sharding = "{devices=[2,3]<=[6] last_tile_dim_replicate}"}, %arg3: tensor<8xi32> {mhlo.sharding = "{devices=[2,3]<=[6] last_tile_dim_replicate}"}) -> (tensor<f32> {jax.result_info = "result[0]", mhlo.sharding = "{replicated}"}, tensor<12x4xf32> {jax.result_info = "result[1][0]", mhlo.sharding = "{devices=[3,1,2]<=[2,3]T(1,0) last_tile_dim_replicate}"}, tensor<4x12xf32> {jax.result_info = "result[1][1]", mhlo.sharding = "{devices=[1,3,2]<=[2,3]T(1,0) last_tile_dim_replicate}"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %1 = stablehlo.compare  LT, %arg2, %0,  SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %c_0 = stablehlo.constant dense<12> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %3 = stablehlo.add %arg2, %2 : tensor<8xi32>
    %4 = stablehlo.select %1, %3, %arg2 : tensor<8xi1>, tensor<8xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<12x4xf32>, tensor<8x1xi32>) -> tensor<8x4xf32>
    %7 = stablehlo.dot_general %6, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x12xf32>) -> tensor<8x12xf32>
    %8 = stablehlo.custom_call @Sharding(%7) {backend_config = "", mhlo.sharding = "{devices=[2,3]<=[6]}"} : (tensor<8x12xf32>) -> tensor<8x12xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<8x12xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %11 = stablehlo.maximum %10, %9 : tensor<8xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x12xf32>
    %14 = stablehlo.subtract %8, %13 : tensor<8x12xf32>
    %15 = stablehlo.exponential %14 : tensor<8x12xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.reduce(%15 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<8x12xf32>, tensor<f32>) -> tensor<8xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %18 = stablehlo.log %17 : tensor<8x1xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x12xf32>
    %20 = stablehlo.subtract %14, %19 : tensor<8x12xf32>
    %21 = stablehlo.broadcast_in_dim %arg3, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %22 = stablehlo.iota dim = 1 : tensor<1x12xi32>
    %23 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<8x1xi32>) -> tensor<8x12xi32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<1x12xi32>) -> tensor<8x12xi32>
    %25 = stablehlo.compare  EQ, %23, %24,  SIGNED : (tensor<8x12xi32>, tensor<8x12xi32>) -> tensor<8x12xi1>
    %26 = stablehlo.convert %25 : (tensor<8x12xi1>) -> tensor<8x12xf32>
    %27 = stablehlo.multiply %20, %26 : tensor<8x12xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.reduce(%27 init: %cst_3) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x12xf32>, tensor<f32>) -> tensor<f32>
    %29 = stablehlo.negate %28 : tensor<f32>
    %cst_4 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %30 = stablehlo.divide %29, %cst_4 : tensor<f32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %31 = stablehlo.divide %cst_5, %cst_4 : tensor<f32>
    %32 = stablehlo.negate %31 : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<f32>) -> tensor<8x12xf32>
    %34 = stablehlo.multiply %33, %26 : tensor<8x12xf32>
    %35 = stablehlo.negate %34 : tensor<8x12xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.reduce(%35 init: %cst_6) applies stablehlo.add across dimensions = [1] : (tensor<8x12xf32>, tensor<f32>) -> tensor<8xf32>
    %37 = stablehlo.reshape %36 : (tensor<8xf32>) -> tensor<8x1xf32>
    %38 = stablehlo.divide %37, %17 : tensor<8x1xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%38 init: %cst_7) applies stablehlo.add across dimensions = [1] : (tensor<8x1xf32>, tensor<f32>) -> tensor<8xf32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [0] : (tensor<8xf32>) -> tensor<8x12xf32>
    %41 = stablehlo.multiply %40, %15 : tensor<8x12xf32>
    %42 = stablehlo.add %34, %41 : tensor<8x12xf32>
    %43 = stablehlo.custom_call @Sharding(%42) {backend_config = "", mhlo.sharding = "{devices=[2,3]<=[6]}"} : (tensor<8x12xf32>) -> tensor<8x12xf32>
    %44 = stablehlo.dot_general %43, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x12xf32>, tensor<4x12xf32>) -> tensor<8x4xf32>
    %45 = stablehlo.dot_general %43, %6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x12xf32>, tensor<8x4xf32>) -> tensor<12x4xf32>
    %46 = stablehlo.transpose %45, dims = [1, 0] : (tensor<12x4xf32>) -> tensor<4x12xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<12x4xf32>
    %48 = "stablehlo.scatter"(%47, %5, %44) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %49 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %49 : tensor<f32>
    }) : (tensor<12x4xf32>, tensor<8x1xi32>, tensor<8x4xf32>) -> tensor<12x4xf32>
    return %30, %48, %46 : tensor<f32>, tensor<12x4xf32>, tensor<4x12xf32>
  }
}
