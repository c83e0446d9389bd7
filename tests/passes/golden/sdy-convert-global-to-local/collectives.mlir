// shardy opt --sdy-convert-global-to-local
// CASE: several dims are gathered at once, in front, and each part is moved to its dim (partitioning 6)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<6x8xf32> {
  %0 = sdy.all_gather [{"x"}, {"y"}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<6x8xf32> {
    %0 = stablehlo.reshape %arg0 : (tensor<3x2xf32>) -> tensor<1x3x2xf32>
    %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> : (tensor<1x3x2xf32>) -> tensor<8x3x2xf32>
    %2 = stablehlo.reshape %1 : (tensor<8x3x2xf32>) -> tensor<2x4x3x2xf32>
    %3 = stablehlo.transpose %2, dims = [0, 2, 1, 3] : (tensor<2x4x3x2xf32>) -> tensor<2x3x4x2xf32>
    %4 = stablehlo.reshape %3 : (tensor<2x3x4x2xf32>) -> tensor<6x8xf32>
    return %4 : tensor<6x8xf32>
  }
}
// ----------
// shardy opt --sdy-convert-global-to-local='per-dim-all-gather enable-rgv3'
// CASE: or one after the other; groups name axes where none is split
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y":(1)2}]>}) -> tensor<6x8xf32> {
  %0 = sdy.all_gather [{"x"}, {"y":(1)2}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y":(1)2}]>}) -> tensor<6x8xf32> {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2], [1, 3], [4, 6], [5, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<3x4xf32>) -> tensor<3x8xf32>
    %1 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<3x8xf32>) -> tensor<6x8xf32>
    return %1 : tensor<6x8xf32>
  }
}
// ----------
// shardy opt --sdy-convert-global-to-local
// CASE: a reduce_scatter of one dim is one, of several dims an all_reduce of which each device slices its shard
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}, %arg1: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}], unreduced={"y"}>}) -> (tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
  %0 = sdy.reduce_scatter [{"y"}, {"x"}] %arg0 out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<4x6xf32>
  %1 = sdy.reduce_scatter [{"y"}, {}] %arg1 out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<4x6xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<4x6xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}, %arg1: tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}], unreduced={"y"}>}) -> (tensor<2x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, tensor<2x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 1, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %11 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %11 : tensor<f32>
    }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %1 = stablehlo.partition_id : tensor<ui32>
    %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<[0, 2, 0, 2]> : tensor<4xi64>
    %3 = stablehlo.dynamic_slice %c, %2, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
    %4 = stablehlo.reshape %3 : (tensor<1xi64>) -> tensor<i64>
    %5 = stablehlo.partition_id : tensor<ui32>
    %6 = stablehlo.convert %5 : (tensor<ui32>) -> tensor<i64>
    %c_0 = stablehlo.constant dense<[0, 0, 3, 3]> : tensor<4xi64>
    %7 = stablehlo.dynamic_slice %c_0, %6, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
    %8 = stablehlo.reshape %7 : (tensor<1xi64>) -> tensor<i64>
    %9 = stablehlo.dynamic_slice %0, %4, %8, sizes = [2, 3] : (tensor<4x6xf32>, tensor<i64>, tensor<i64>) -> tensor<2x3xf32>
    %10 = "stablehlo.reduce_scatter"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %11 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %11 : tensor<f32>
    }) : (tensor<4x3xf32>) -> tensor<2x3xf32>
    return %9, %10 : tensor<2x3xf32>, tensor<2x3xf32>
  }
}
// ----------
// shardy opt --sdy-convert-global-to-local='combine-multi-dimension-reduce-scatter'
// CASE: or one of the parts of all dims
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}) -> (tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
  %0 = sdy.reduce_scatter [{"y"}, {"x"}] %arg0 out_sharding=<@mesh, [{"y"}, {"x"}]> : tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}) -> (tensor<2x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %0 = stablehlo.reshape %arg0 : (tensor<4x6xf32>) -> tensor<2x2x2x3xf32>
    %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<2x2x2x3xf32>) -> tensor<2x2x2x3xf32>
    %2 = stablehlo.reshape %1 : (tensor<2x2x2x3xf32>) -> tensor<4x2x3xf32>
    %3 = "stablehlo.reduce_scatter"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 2, 1, 3]]> : tensor<1x4xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %5 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) : (tensor<4x2x3xf32>) -> tensor<1x2x3xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
    return %4 : tensor<2x3xf32>
  }
}
// ----------
// shardy opt --sdy-convert-global-to-local
// CASE: several moves of axes are one all_to_all, in the order of their targets (the example of partitioning 6)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<4x2x4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"y"}, {}]>}) -> (tensor<4x2x4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {}, {"x"}]>}) {
  %0 = sdy.all_to_all [{"x"}: 1->3, {"y"}: 2->0] %arg0 out_sharding=<@mesh, [{"y"}, {}, {}, {"x"}]> : tensor<4x2x4x2xf32>
  return %0 : tensor<4x2x4x2xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<4x1x1x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"y"}, {}]>}) -> (tensor<1x2x4x1xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}, {}, {"x"}]>}) {
    %0 = stablehlo.reshape %arg0 : (tensor<4x1x1x2xf32>) -> tensor<4x1x1x1x2x1xf32>
    %1 = stablehlo.transpose %0, dims = [0, 4, 1, 2, 3, 5] : (tensor<4x1x1x1x2x1xf32>) -> tensor<4x2x1x1x1x1xf32>
    %2 = stablehlo.reshape %1 : (tensor<4x2x1x1x1x1xf32>) -> tensor<8x1x1x1x1xf32>
    %3 = "stablehlo.all_to_all"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 4, 1, 5, 2, 6, 3, 7]]> : tensor<1x8xi64>, split_count = 8 : i64, split_dimension = 0 : i64}> : (tensor<8x1x1x1x1xf32>) -> tensor<8x1x1x1x1xf32>
    %4 = stablehlo.reshape %3 : (tensor<8x1x1x1x1xf32>) -> tensor<4x2x1x1x1x1xf32>
    %5 = stablehlo.transpose %4, dims = [2, 1, 3, 0, 4, 5] : (tensor<4x2x1x1x1x1xf32>) -> tensor<1x2x1x4x1x1xf32>
    %6 = stablehlo.reshape %5 : (tensor<1x2x1x4x1x1xf32>) -> tensor<1x2x4x1xf32>
    return %6 : tensor<1x2x4x1xf32>
  }
}
// ----------
// shardy opt --sdy-convert-global-to-local
// CASE: permutes within a mesh and between orders of devices; slices by tables; replicas as summands
sdy.mesh @mesh = <["x"=2, "y"=2]>
sdy.mesh @other = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"x", "y"}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
  %0 = sdy.collective_permute %arg0 out_sharding=<@mesh, [{"y", "x"}]> : tensor<8xf32>
  %1 = sdy.collective_permute %arg0 out_sharding=<@other, [{"x", "y"}]> : tensor<8xf32>
  %2 = sdy.all_gather [{"y", "x"}] %0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  %3 = sdy.all_slice [{"y"}] %2 out_sharding=<@mesh, [{"y"}]> : tensor<8xf32>
  %4 = sdy.replicated_to_unreduced {"x"} %2 out_sharding=<@mesh, [{}], unreduced={"x"}> : tensor<8xf32>
  return %1, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  sdy.mesh @other = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}]>}) -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@other, [{"x", "y"}]>}, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) {
    %0 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 0], [1, 2], [2, 1], [3, 3]]> : tensor<4x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    %1 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 3], [1, 2], [2, 1], [3, 0]]> : tensor<4x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
    %2 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 2, 1, 3]]> : tensor<1x4xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<8xf32>
    %3 = stablehlo.partition_id : tensor<ui32>
    %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<[0, 4, 0, 4]> : tensor<4xi64>
    %5 = stablehlo.dynamic_slice %c, %4, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
    %6 = stablehlo.reshape %5 : (tensor<1xi64>) -> tensor<i64>
    %7 = stablehlo.dynamic_slice %2, %6, sizes = [4] : (tensor<8xf32>, tensor<i64>) -> tensor<4xf32>
    %8 = stablehlo.partition_id : tensor<ui32>
    %9 = stablehlo.convert %8 : (tensor<ui32>) -> tensor<i64>
    %c_0 = stablehlo.constant dense<[0, 0, 1, 1]> : tensor<4xi64>
    %10 = stablehlo.dynamic_slice %c_0, %9, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
    %11 = stablehlo.reshape %10 : (tensor<1xi64>) -> tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %12 = stablehlo.compare EQ, %11, %c_1 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %cst = stablehlo.constant dense<-0.000000e+00> : tensor<8xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<i1>) -> tensor<8xi1>
    %14 = stablehlo.select %13, %2, %cst : tensor<8xi1>, tensor<8xf32>
    return %1, %7, %14 : tensor<2xf32>, tensor<4xf32>, tensor<8xf32>
  }
}
