module @g attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @dist(%arg0: tensor<8xf32>, %arg1: tensor<f32>, %arg2: !stablehlo.token, %arg3: tensor<i32>, %arg4: tensor<i1>, %arg5: tensor<2x4x5x6xf32>, %arg6: tensor<4x2x2x3xf32>, %arg7: tensor<4x4xf32>) {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<8xf32>) -> tensor<16xf32>
    %1 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %20 = stablehlo.add %arg8, %arg9 : tensor<f32>
      stablehlo.return %20 : tensor<f32>
    }) {foo = "x"} : (tensor<8xf32>) -> tensor<8xf32>
    %2 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m, axes = [#stablehlo.axis_ref<name = "x">]>, split_count = 4 : i64, split_dimension = 0 : i64}> : (tensor<8xf32>) -> tensor<8xf32>
    %3 = "stablehlo.async_start"(%arg0) ({
    ^bb0(%arg8: tensor<8xf32>):
      stablehlo.return %arg8 : tensor<8xf32>
    }) : (tensor<8xf32>) -> !stablehlo.future<tensor<8xf32>>
    %4 = "stablehlo.async_done"(%3) : (!stablehlo.future<tensor<8xf32>>) -> tensor<8xf32>
    %5 = "stablehlo.case"(%arg3) ({
      stablehlo.return %arg0 : tensor<8xf32>
    }, {
      stablehlo.return %arg0 : tensor<8xf32>
    }) : (tensor<i32>) -> tensor<8xf32>
    %6 = "stablehlo.if"(%arg4) ({
      stablehlo.return %arg0 : tensor<8xf32>
    }, {
      %20 = stablehlo.negate %arg0 : tensor<8xf32>
      stablehlo.return %20 : tensor<8xf32>
    }) : (tensor<i1>) -> tensor<8xf32>
    %7 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
    %8 = "stablehlo.cross-replica-sum"(%arg0) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
    %9:2 = "stablehlo.infeed"(%arg2) <{infeed_config = "", layout = [[0]]}> : (!stablehlo.token) -> (tensor<8xf32>, !stablehlo.token)
    %10 = "stablehlo.outfeed"(%arg0, %arg2) <{outfeed_config = "a\22b\0A"}> : (tensor<8xf32>, !stablehlo.token) -> !stablehlo.token
    %11 = "stablehlo.send"(%arg0, %arg2) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 2>, is_host_transfer = true}> : (tensor<8xf32>, !stablehlo.token) -> !stablehlo.token
    %12 = stablehlo.convolution(%arg5, %arg6) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 1], pad = [[0, 1], [2, 0]], lhs_dilate = [1, 2], rhs_dilate = [1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGH>]} : (tensor<2x4x5x6xf32>, tensor<4x2x2x3xf32>) -> tensor<2x4x3x11xf32>
    %13 = stablehlo.convolution(%arg5, %arg6) dim_numbers = [b, 1, 0, f]x[0, 1, i, o]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<2x4x5x6xf32>, tensor<4x2x2x3xf32>) -> tensor<2x3x2x3xf32>
    %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %arg0, %arg0) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
    %14 = "stablehlo.gather"(%arg0, %arg3) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0]>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<8xf32>, tensor<i32>) -> tensor<f32>
    %15 = "stablehlo.scatter"(%arg0, %arg3, %arg1) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      stablehlo.return %arg9 : tensor<f32>
    }) : (tensor<8xf32>, tensor<i32>, tensor<f32>) -> tensor<8xf32>
    %16 = "stablehlo.reduce_window"(%arg0, %arg1) <{padding = dense<0> : tensor<1x2xi64>, window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %20 = stablehlo.maximum %arg8, %arg9 : tensor<f32>
      stablehlo.return %20 : tensor<f32>
    }) : (tensor<8xf32>, tensor<f32>) -> tensor<4xf32>
    %17 = "stablehlo.triangular_solve"(%arg7, %arg7) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %18:2 = stablehlo.reduce(%arg0 init: %arg1), (%arg0 init: %arg1) across dimensions = [0] : (tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
     reducer(%arg8: tensor<f32>, %arg10: tensor<f32>) (%arg9: tensor<f32>, %arg11: tensor<f32>)  {
      %20 = stablehlo.add %arg8, %arg10 : tensor<f32>
      stablehlo.return %20, %arg9 : tensor<f32>, tensor<f32>
    }
    %19 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
     reducer(%arg8: tensor<f32>, %arg9: tensor<f32>)  {
      %20 = stablehlo.subtract %arg8, %arg9 : tensor<f32>
      stablehlo.return %20 : tensor<f32>
    }
    return
  }
  func.func @chlo(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>) {
    %0 = chlo.acos %arg0 : tensor<4xf32> -> tensor<4xf32>
    %1 = chlo._asin_acos_kernel %arg0 : tensor<4xf32> -> tensor<4xf32>
    %2 = chlo.zeta %arg0, %arg0 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %3 = chlo.broadcast_add %arg0, %arg0 {broadcast_dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %4 = chlo.broadcast_compare %arg0, %arg0 {comparison_direction = #chlo<comparison_direction LT>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %5 = chlo.broadcast_select %4, %arg0, %arg0 : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %6 = chlo.constant dense<1> : tensor<i32>
    %7 = "chlo.constant_like"(%arg0) <{value = 1.000000e+00 : f32}> : (tensor<4xf32>) -> tensor<4xf32>
    %values, %indices = chlo.top_k(%arg0, k = 3) : tensor<4xf32> -> (tensor<3xf32>, tensor<3xi32>)
    %values_0, %indices_1 = chlo.top_k(%arg0, k = 3, is_stable = false) {a} : tensor<4xf32> -> (tensor<3xf32>, tensor<3xi32>)
    check.expect_eq %arg0, %arg0 : tensor<4xf32>
    check.expect_eq_const %arg0, dense<1.000000e+00> : tensor<4xf32>
    check.expect_almost_eq %arg0, %arg0 : tensor<4xf32>
    check.expect_almost_eq %arg0, %arg0, tolerance = 1.000000e-02 : tensor<4xf32>
    check.expect_almost_eq_const %arg0, dense<1.000000e+00> : tensor<4xf32>, tolerance = 1.000000e-02
    check.expect_close %arg0, %arg0, max_ulp_difference = 3, min_ulp_difference = 1 : tensor<4xf32>, tensor<4xf32>
    check.expect_close %arg0, %arg0 : tensor<4xf32>, tensor<4xf32>
    check.expect_serialized_eq %arg0, probe_id = "p", iter = 1 : tensor<4xf32>
    interpreter.print %arg0 : tensor<4xf32>
    %8 = interpreter.probe %arg0, probe_id = "p" : tensor<4xf32>
    %9:2 = "interpreter.run_parallel"(%arg0, %arg0) <{infeed = [@f], programs = [[@f, @g], [@f, @h]]}> : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %10 = "foo.bar"(%arg0) <{p = 1 : i64}> ({
      "foo.x"()[^bb1, ^bb2] : () -> ()
    ^bb1:
      "foo.y"() : () -> ()
    ^bb2(%11: tensor<f32>):
      "foo.z"(%11) {k = #foo.bar<a b>, t = !foo.t<"x y">, u = #foo<bar baz>} : (tensor<f32>) -> ()
    }) {d = affine_map<(d0, d1) -> (d0)>} : (tensor<4xf32>) -> !foo.bar
    return
  }
}
