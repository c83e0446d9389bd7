// shard_map over one axis; the other stays automatic inside. As JAX prints it with Shardy.
module @jit_f attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["pipe"=2, "model"=2]>
  func.func public @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"pipe"}, {}]>}, %arg1: tensor<2x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"pipe"}, {}, {"model"}]>}) -> (tensor<4x8xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{"pipe"}, {"model"}]>}, tensor<8xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>}) {
    %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"pipe", ?}, {?}]>, <@mesh, [{"pipe", ?}, {?}, {?}]>] out_shardings=[<@mesh, [{"pipe", ?}, {?}]>, <@mesh, [{?}]>] manual_axes={"pipe"} (%arg2: tensor<2x8xf32>, %arg3: tensor<1x8x8xf32>) {
      %1 = stablehlo.reshape %arg3 : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
      %2 = stablehlo.dot_general %arg2, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x8xf32>, tensor<8x8xf32>) -> tensor<2x8xf32>
      %3 = stablehlo.tanh %2 : tensor<2x8xf32>
      %4 = "stablehlo.collective_permute"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [2, 0], [1, 3], [3, 1]]> : tensor<4x2xi64>}> : (tensor<2x8xf32>) -> tensor<2x8xf32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<2x8xf32>, tensor<f32>) -> tensor<8xf32>
      %6 = "stablehlo.all_reduce"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %7 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %7 : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      sdy.return %4, %6 : tensor<2x8xf32>, tensor<8xf32>
    } : (tensor<4x8xf32>, tensor<2x8x8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
    return %0#0, %0#1 : tensor<4x8xf32>, tensor<8xf32>
  }
}
