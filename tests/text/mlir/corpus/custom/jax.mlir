module @jit_matmul attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]>
  func.func public @main(%arg0: tensor<128x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %arg1: tensor<64x256xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}) -> (tensor<128x256xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<128x64xf32>, tensor<64x256xf32>) -> tensor<128x256xf32>
    return %0 : tensor<128x256xf32>
  }
}
// -----
module @jit_softmax attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x16xbf16>) -> (tensor<4x16xbf16> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<4x16xbf16>, tensor<bf16>) -> tensor<4xbf16>
    %cst_0 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<4xbf16>
    %2 = stablehlo.maximum %1, %0 : tensor<4xbf16>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<4xbf16>) -> tensor<4x1xbf16>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<4x1xbf16>) -> tensor<4x16xbf16>
    %5 = stablehlo.subtract %arg0, %4 : tensor<4x16xbf16>
    %6 = stablehlo.exponential %5 : tensor<4x16xbf16>
    %7 = stablehlo.convert %6 : (tensor<4x16xbf16>) -> tensor<4x16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
    %9 = stablehlo.convert %8 : (tensor<4xf32>) -> tensor<4xbf16>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<4xbf16>) -> tensor<4x1xbf16>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<4x1xbf16>) -> tensor<4x16xbf16>
    %12 = stablehlo.divide %6, %11 : tensor<4x16xbf16>
    return %12 : tensor<4x16xbf16>
  }
}
// -----
module @jit_layer_norm attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x32xf32>, %arg1: tensor<32xf32>, %arg2: tensor<32xf32>) -> (tensor<8x32xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_0 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.divide %0, %1 : tensor<8xf32>
    %3 = call @_var(%arg0) : (tensor<8x32xf32>) -> tensor<8xf32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<8xf32>) -> tensor<8x32xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x32xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %7 = stablehlo.add %3, %6 : tensor<8xf32>
    %8 = stablehlo.rsqrt %7 : tensor<8xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<8xf32>) -> tensor<8x32xf32>
    %10 = stablehlo.multiply %5, %9 : tensor<8x32xf32>
    %11 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<32xf32>) -> tensor<8x32xf32>
    %12 = stablehlo.multiply %10, %11 : tensor<8x32xf32>
    %13 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<32xf32>) -> tensor<8x32xf32>
    %14 = stablehlo.add %12, %13 : tensor<8x32xf32>
    return %14 : tensor<8x32xf32>
  }
  func.func private @_var(%arg0: tensor<8x32xf32>) -> tensor<8xf32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<8x32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// -----
module @jit_scan attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<10x4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<10x4xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<10x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:4 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %c, %iterArg_1 = %arg1, %iterArg_2 = %0) : tensor<10x4xf32>, tensor<i32>, tensor<4xf32>, tensor<10x4xf32>
    cond {
      %c_3 = stablehlo.constant dense<10> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_0, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg_0, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %3 = stablehlo.convert %iterArg_0 : tensor<i32>
      %c_4 = stablehlo.constant dense<10> : tensor<i32>
      %4 = stablehlo.add %3, %c_4 : tensor<i32>
      %5 = stablehlo.select %2, %4, %iterArg_0 : tensor<i1>, tensor<i32>
      %c_5 = stablehlo.constant dense<0> : tensor<i32>
      %6 = stablehlo.dynamic_slice %iterArg, %5, %c_5, sizes = [1, 4] : (tensor<10x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
      %7 = stablehlo.reshape %6 : (tensor<1x4xf32>) -> tensor<4xf32>
      %8 = func.call @closed_call(%iterArg_1, %7) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %9 = stablehlo.broadcast_in_dim %8, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
      %10 = stablehlo.dynamic_update_slice %iterArg_2, %9, %5, %c_5 : (tensor<10x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<10x4xf32>
      %c_6 = stablehlo.constant dense<1> : tensor<i32>
      %11 = stablehlo.add %iterArg_0, %c_6 : tensor<i32>
      stablehlo.return %iterArg, %11, %8, %10 : tensor<10x4xf32>, tensor<i32>, tensor<4xf32>, tensor<10x4xf32>
    }
    return %1#2, %1#3 : tensor<4xf32>, tensor<10x4xf32>
  }
  func.func private @closed_call(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.tanh %arg1 : tensor<4xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
// -----
module @jit_cond attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<i1>, %arg1: tensor<3xf32>) -> (tensor<3xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg0 : (tensor<i1>) -> tensor<i32>
    %1 = "stablehlo.case"(%0) ({
      %2 = stablehlo.cosine %arg1 : tensor<3xf32>
      stablehlo.return %2 : tensor<3xf32>
    }, {
      %2 = stablehlo.sine %arg1 : tensor<3xf32>
      stablehlo.return %2 : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    return %1 : tensor<3xf32>
  }
}
// -----
module @jit_psum attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<16x4xf32>) -> (tensor<4x4xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}], replicated={"x"}>] manual_axes={"x"} (%arg1: tensor<4x4xf32>) {
      %1 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %2 : tensor<f32>
      }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      sdy.return %1 : tensor<4x4xf32>
    } : (tensor<16x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}
// -----
module @jit_all_gather attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func public @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}) -> (tensor<8x8xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {?}]>] out_shardings=[<@mesh, [{"x"}, {?}]>] manual_axes={"x"} (%arg1: tensor<4x8xf32>) {
      %1 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<4x8xf32>) -> tensor<8x8xf32>
      %2 = stablehlo.slice %1 [0:8:2, 0:8] : (tensor<8x8xf32>) -> tensor<4x8xf32>
      %3 = sdy.sharding_constraint %2 <@mesh, [{?}, {"y", ?}]> : tensor<4x8xf32>
      sdy.return %3 : tensor<4x8xf32>
    } : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
// -----
module @jit_ppermute attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["i"=4]>
  func.func public @main(%arg0: tensor<8xf32>) -> (tensor<8xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"i"}]>] out_shardings=[<@mesh, [{"i"}]>] manual_axes={"i"} (%arg1: tensor<2xf32>) {
      %1 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
      %2 = stablehlo.partition_id : tensor<ui32>
      %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<f32>
      %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %5 = stablehlo.add %1, %4 : tensor<2xf32>
      sdy.return %5 : tensor<2xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// -----
module @jit_argmax attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xf32>) -> (tensor<4xi32> {jax.result_info = "result"}) {
    %0 = call @argmax(%arg0) : (tensor<4x8xf32>) -> tensor<4xi32>
    return %0 : tensor<4xi32>
  }
  func.func private @argmax(%arg0: tensor<4x8xf32>) -> tensor<4xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<4x8xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<4xi32>
  }
}
// -----
module @jit_cumsum attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<9xf32>) -> (tensor<9xf32> {jax.result_info = "result"}) {
    %0 = call @cumsum(%arg0) : (tensor<9xf32>) -> tensor<9xf32>
    return %0 : tensor<9xf32>
  }
  func.func private @cumsum(%arg0: tensor<9xf32>) -> tensor<9xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<f32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[8, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 9>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<9xf32>, tensor<f32>) -> tensor<9xf32>
    return %1 : tensor<9xf32>
  }
}
// -----
module @jit_conv attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x8x8x3xf32>, %arg1: tensor<3x3x3x4xf32>) -> (tensor<2x4x4x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x4x4x4xf32>
    return %0 : tensor<2x4x4x4xf32>
  }
}
// -----
module @jit_take attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<100x16xf32>, %arg1: tensor<8xi32>) -> (tensor<8x16xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %c = stablehlo.constant dense<99> : tensor<1xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
    %2 = stablehlo.compare GE, %0, %1, SIGNED : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi1>
    %3 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<1xi32>) -> tensor<1x1xi32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<8x1xi32>
    %5 = stablehlo.compare LE, %0, %4, SIGNED : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi1>
    %6 = stablehlo.and %2, %5 : tensor<8x1xi1>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %7 = stablehlo.reduce(%6 init: %c_1) applies stablehlo.and across dimensions = [1] : (tensor<8x1xi1>, tensor<i1>) -> tensor<8xi1>
    %8 = "stablehlo.gather"(%arg0, %0) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<100x16xf32>, tensor<8x1xi32>) -> tensor<8x16xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<8xi1>) -> tensor<8x16xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x16xf32>
    %11 = stablehlo.select %9, %8, %10 : tensor<8x16xi1>, tensor<8x16xf32>
    return %11 : tensor<8x16xf32>
  }
}
// -----
module @jit_scatter_add attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<10xf32>, %arg1: tensor<3x1xi32>, %arg2: tensor<3xf32>) -> (tensor<10xf32> {jax.result_info = "result"}) {
    %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %1 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<10xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<10xf32>
    return %0 : tensor<10xf32>
  }
}
// -----
module @jit_random_bits attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2xui32>) -> (tensor<4xui32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<4xui32>
    %1 = stablehlo.slice %0 [0:2] : (tensor<4xui32>) -> tensor<2xui32>
    %2 = stablehlo.slice %0 [2:4] : (tensor<4xui32>) -> tensor<2xui32>
    %3:2 = call @_threefry2x32(%1, %2) : (tensor<2xui32>, tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>)
    %4 = stablehlo.concatenate %3#0, %3#1, dim = 0 : (tensor<2xui32>, tensor<2xui32>) -> tensor<4xui32>
    return %4 : tensor<4xui32>
  }
  func.func private @_threefry2x32(%arg0: tensor<2xui32>, %arg1: tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<2xui32>
    %c = stablehlo.constant dense<13> : tensor<ui32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %2 = stablehlo.shift_left %arg1, %1 : tensor<2xui32>
    %c_0 = stablehlo.constant dense<19> : tensor<ui32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %4 = stablehlo.shift_right_logical %arg1, %3 : tensor<2xui32>
    %5 = stablehlo.or %2, %4 : tensor<2xui32>
    %6 = stablehlo.xor %0, %5 : tensor<2xui32>
    return %0, %6 : tensor<2xui32>, tensor<2xui32>
  }
}
// -----
module @jit_rng_bit_generator attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xui32>) -> (tensor<2xui64> {jax.result_info = "result[0]"}, tensor<3x5xui32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.reshape %arg0 : (tensor<4xui32>) -> tensor<2x2xui32>
    %1 = stablehlo.bitcast_convert %0 : (tensor<2x2xui32>) -> tensor<2xui64>
    %output_state, %output = stablehlo.rng_bit_generator %1, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x5xui32>)
    return %output_state, %output : tensor<2xui64>, tensor<3x5xui32>
  }
}
// -----
module @jit_top_k attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x9xf32>) -> (tensor<2x3xf32> {jax.result_info = "result[0]"}, tensor<2x3xi32> {jax.result_info = "result[1]"}) {
    %values, %indices = chlo.top_k(%arg0, k = 3) : tensor<2x9xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
    return %values, %indices : tensor<2x3xf32>, tensor<2x3xi32>
  }
}
// -----
module @jit_sort attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6xf32>) -> (tensor<6xi32> {jax.result_info = "result"}) {
    %0 = stablehlo.iota dim = 0 : tensor<6xi32>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.select %2, %cst, %arg1 : tensor<i1>, tensor<f32>
      %4 = stablehlo.compare LT, %3, %arg2, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    }) : (tensor<6xf32>, tensor<6xi32>) -> (tensor<6xf32>, tensor<6xi32>)
    return %1#1 : tensor<6xi32>
  }
}
// -----
module @jit_fft attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x16xf32>) -> (tensor<3x9xcomplex<f32>> {jax.result_info = "result"}) {
    %0 = call @fft(%arg0) : (tensor<3x16xf32>) -> tensor<3x9xcomplex<f32>>
    %1 = chlo.conj %0 : tensor<3x9xcomplex<f32>> -> tensor<3x9xcomplex<f32>>
    %cst = stablehlo.constant dense<(2.000000e+00,-1.000000e+00)> : tensor<complex<f32>>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<3x9xcomplex<f32>>
    %3 = stablehlo.multiply %1, %2 : tensor<3x9xcomplex<f32>>
    return %3 : tensor<3x9xcomplex<f32>>
  }
  func.func private @fft(%arg0: tensor<3x16xf32>) -> tensor<3x9xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [16] : (tensor<3x16xf32>) -> tensor<3x9xcomplex<f32>>
    return %0 : tensor<3x9xcomplex<f32>>
  }
}
// -----
module @jit_cho_solve attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x3xf64>, %arg1: tensor<3x1xf64>) -> (tensor<3x1xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.cholesky %arg0, lower = true : tensor<3x3xf64>
    %1 = "stablehlo.triangular_solve"(%0, %arg1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
    %2 = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = false}> : (tensor<3x3xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
    return %2 : tensor<3x1xf64>
  }
}
// -----
module @jit_with_gspmd_sharding attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x4xf32> {mhlo.sharding = "{devices=[4,1]<=[4]}"}) -> (tensor<8x4xf32> {jax.result_info = "result", mhlo.sharding = "{replicated}"}) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "", mhlo.sharding = "{devices=[2,2]<=[4]}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "", mhlo.sharding = "{manual}"} : (tensor<8x4xf32>) -> tensor<4x2xf32>
    %2 = stablehlo.custom_call @SPMDShardToFullShape(%1) {backend_config = "", mhlo.sharding = "{devices=[2,2]<=[4]}"} : (tensor<4x2xf32>) -> tensor<8x4xf32>
    return %2 : tensor<8x4xf32>
  }
}
// -----
module @jit_callback attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: !stablehlo.token {jax.token = true}, %arg1: tensor<3xf32>) -> (!stablehlo.token {jax.token = true}, tensor<3xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<94512318976> : tensor<i64>
    %0:2 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%arg0, %arg1) {api_version = 4 : i32, backend_config = "", has_side_effect = true, mhlo.backend_config = {descriptor = 94512318976 : ui64}, operand_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>], result_layouts = [dense<> : tensor<0xindex>, dense<0> : tensor<1xindex>]} : (!stablehlo.token, tensor<3xf32>) -> (!stablehlo.token, tensor<3xf32>)
    return %0#0, %0#1 : !stablehlo.token, tensor<3xf32>
  }
}
// -----
module @jit_exported attributes {jax.uses_shape_polymorphism = true, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<?x4xf32>) -> (tensor<?x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.compare GE, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.custom_call @shape_assertion(%1, %0) {api_version = 2 : i32, error_message = "Dimension variable 'b' must have integer value >= 1. Found {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
    %2 = call @_wrapped_jax_export_main(%0, %arg0) : (tensor<i32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    return %2 : tensor<?x4xf32>
  }
  func.func private @_wrapped_jax_export_main(%arg0: tensor<i32> {jax.global_constant = "b"}, %arg1: tensor<?x4xf32> {jax.arg_info = "x"}) -> (tensor<?x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.reshape %arg0 : (tensor<i32>) -> tensor<1xi32>
    %c = stablehlo.constant dense<4> : tensor<1xi32>
    %1 = stablehlo.concatenate %0, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.dynamic_broadcast_in_dim %cst, %1, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x4xf32>
    %3 = stablehlo.multiply %arg1, %2 : tensor<?x4xf32>
    return %3 : tensor<?x4xf32>
  }
}
// -----
module @jit_attention attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "seq"=1, "model"=4]>
  func.func public @main(%arg0: tensor<4x128x8x64xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"data", ?}, {"seq", ?}, {"model", ?}, {?}]>}, %arg1: tensor<4x128x8x64xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"data", ?}, {?}, {"model", ?}, {?}]>}) -> (tensor<4x8x128x128xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}, {?}p1, {}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [HIGHEST, HIGHEST], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> {mhlo.frontend_attributes = {fused = "true"}} : (tensor<4x128x8x64xbf16>, tensor<4x128x8x64xbf16>) -> tensor<4x8x128x128xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"data"}, {"model":(1)2, ?}, {"model":(2)2}, {?}p2], replicated={"seq"}> : tensor<4x8x128x128xf32>
    return %1 : tensor<4x8x128x128xf32>
  }
}
// -----
module @jit_train_step attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]>
  func.func public @main(%arg0: tensor<64x64xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<f32> {mhlo.layout_mode = "default", mhlo.memory_kind = "pinned_host", tf.aliasing_output = 1 : i32}) -> (tensor<64x64xf32> {jax.result_info = "result['w']", mhlo.layout_mode = "{0,1}", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<f32> {jax.result_info = "result['step']"}) attributes {no_inline} {
    %0 = sdy.named_computation<"remat">(%arg0, %arg1) (%arg2: tensor<64x64xf32>, %arg3: tensor<f32>) {
      %4 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<64x64xf32>
      %5 = stablehlo.multiply %arg2, %4 : tensor<64x64xf32>
      sdy.return %5 : tensor<64x64xf32>
    } {mhlo.frontend_attributes = {inlineable = "false"}} : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
    %1:2 = stablehlo.optimization_barrier %0, %arg1 : tensor<64x64xf32>, tensor<f32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.add %1#1, %cst : tensor<f32>
    %3 = stablehlo.composite "my.checkpoint" %1#0 {composite_attributes = {level = 2 : i64, name = "mlp"}, decomposition = @my.checkpoint.impl, version = 1 : i32} : (tensor<64x64xf32>) -> tensor<64x64xf32>
    return %3, %2 : tensor<64x64xf32>, tensor<f32>
  }
  func.func private @my.checkpoint.impl(%arg0: tensor<64x64xf32>) -> tensor<64x64xf32> {
    return %arg0 : tensor<64x64xf32>
  }
}
// -----
module @jit_debug_attributes {
  sdy.mesh @mesh = <["a"=2, "b"=2, "c"=8]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>, sdy.sharding_origins = {a = "self"}}) -> (tensor<8x8xf32> {sdy.propagation_edges = #sdy.propagation_edges<[{step-1 = [{"a" = operand-0 -> [result-0]}]}]>, sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>, sdy.sharding_origins = {a = "input: 0"}}) {
    %0 = stablehlo.add %arg0, %arg0 {sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"a" = operand-0 -> [operand-1, result-0]}]}]>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"c":(1)2, ?}]>]>, sdy.sharding_origins = [{a = "input: 0", "c:(1)2" = "constraint_0"}]} : tensor<8x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{?}, {"c":(1)2, ?}]> {sdy.sharding_origin_name = "constraint_0", sdy.sharding_origins = {"c:(1)2" = "self"}} : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// -----
module @jit_custom_rules {
  sdy.mesh @mesh = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.custom_call @foo(%arg0, %arg1) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=8, k=8} reduction={k}, custom>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = stablehlo.custom_call @bar(%0) {sdy.sharding_rule = #sdy.op_sharding_rule<([ij, k])->([i, jk]) {i=4, j=2, k=8}>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// -----
module @jit_many_meshes {
  sdy.mesh @empty_mesh = <[]>
  sdy.mesh @maximal_mesh_1 = <[], device_ids=[1]>
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  sdy.mesh @mesh_0 = <["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@maximal_mesh_1, []>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["z"=4]>, [{"z"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"x"}], unreduced={"y"}>}) {
    sdy.sharding_group %arg1 group_id=0 : tensor<8xf32>
    sdy.sharding_group %arg2 group_id=0 : tensor<8xf32>
    %0 = sdy.propagation_barrier %arg1 allowed_direction=NONE : tensor<8xf32>
    %1 = sdy.reshard %0 <@mesh, [{"x", ?}]> : tensor<8xf32>
    return
  }
}
// -----
module @jit_nested_loops attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<i32>) -> (tensor<i32> {jax.result_info = "result"}) {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<i32> attributes {mhlo.frontend_attributes = {unroll = "1"}}
    cond {
      %c = stablehlo.constant dense<7> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.while(%iterArg_0 = %iterArg) : tensor<i32>
      cond {
        %c = stablehlo.constant dense<3> : tensor<i32>
        %4 = stablehlo.compare LT, %iterArg_0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %4 : tensor<i1>
      } do {
        %c = stablehlo.constant dense<1> : tensor<i32>
        %4 = stablehlo.add %iterArg_0, %c : tensor<i32>
        stablehlo.return %4 : tensor<i32>
      }
      %2 = "stablehlo.case"(%1) ({
        %c = stablehlo.constant dense<5> : tensor<i32>
        %4 = stablehlo.add %1, %c : tensor<i32>
        stablehlo.return %4 : tensor<i32>
      }) : (tensor<i32>) -> tensor<i32>
      %3 = stablehlo.maximum %2, %iterArg : tensor<i32>
      stablehlo.return %3 : tensor<i32>
    }
    return %0 : tensor<i32>
  }
}
