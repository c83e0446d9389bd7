// shardy opt --spmd-to-stablehlo
// CASE: collectives get groups of devices and channels, coordinates become arithmetic (partitioning 4.4)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>, spmd.global_type = tensor<8x16xf32>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>, spmd.global_type = tensor<8x16xf32>}) {
  %0 = "spmd.all_gather"(%arg0) <{axes = #sdy<axis_ref_list{"x"}>, dim = 0 : i64, mesh = @mesh}> : (tensor<4x4xf32>) -> tensor<8x4xf32>
  %1 = "spmd.coord"() <{axes = #sdy<axis_ref_list{"y"}>, mesh = @mesh}> : () -> tensor<i64>
  %2 = stablehlo.convert %1 : (tensor<i64>) -> tensor<f32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
  %4 = "spmd.permute"(%3) <{axes = #sdy<axis_ref_list{"y"}>, map = #spmd.permute_map<shift, [-1]>, mesh = @mesh}> : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %5 = stablehlo.add %0, %4 : tensor<8x4xf32>
  return %5 : tensor<8x4xf32>
}
// ---- becomes
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>, spmd.global_type = tensor<8x16xf32>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>, spmd.global_type = tensor<8x16xf32>}) {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
    %2 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<4x4xf32>) -> tensor<8x4xf32>
    %c = stablehlo.constant dense<4> : tensor<i64>
    %3 = stablehlo.remainder %1, %c : tensor<i64>
    %4 = stablehlo.convert %3 : (tensor<i64>) -> tensor<f32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %6 = "stablehlo.collective_permute"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [4, 5], [5, 6], [6, 7]]> : tensor<6x2xi64>}> : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %7 = stablehlo.add %2, %6 : tensor<8x4xf32>
    return %7 : tensor<8x4xf32>
  }
}
