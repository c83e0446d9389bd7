// shardy opt --spmd-to-stablehlo
// CASE: groups go by the list of axes, sub-axes split their axis; a reduction keeps its body (4.4)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<2xf32>, tensor<8xf32>) {
  %0 = "spmd.all_reduce"(%arg0) <{axes = #sdy<axis_ref_list{"y":(2)2, "x"}>, mesh = @mesh}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "spmd.reduce_scatter"(%arg0) <{axes = #sdy<axis_ref_list{"y"}>, dim = 0 : i64, mesh = @mesh}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<2xf32>
  %2 = "spmd.all_to_all"(%arg0) <{axes = #sdy<axis_ref_list{"y":(1)2}>, concat_dim = 0 : i64, mesh = @mesh, split_dim = 0 : i64}> : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<2xf32>, tensor<8xf32>
}
// ---- becomes
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<2xf32>, tensor<8xf32>) {
    %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4, 1, 5], [2, 6, 3, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %3 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = "stablehlo.reduce_scatter"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %3 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<8xf32>) -> tensor<2xf32>
    %2 = "stablehlo.all_to_all"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, concat_dimension = 0 : i64, replica_groups = dense<[[0, 2], [1, 3], [4, 6], [5, 7]]> : tensor<4x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<8xf32>) -> tensor<8xf32>
    return %0, %1, %2 : tensor<8xf32>, tensor<2xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --spmd-to-stablehlo='mesh-groups'
// CASE: groups as axes of the mesh; a root other than the first device has no such form (4.4)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<16xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = "spmd.all_gather"(%arg0) <{axes = #sdy<axis_ref_list{"y":(1)2}>, dim = 0 : i64, mesh = @mesh}> : (tensor<8xf32>) -> tensor<16xf32>
  %1 = "spmd.broadcast_from"(%arg0) <{axes = #sdy<axis_ref_list{"y"}>, mesh = @mesh, root = 0 : i64}> : (tensor<8xf32>) -> tensor<8xf32>
  %2 = "spmd.broadcast_from"(%arg0) <{axes = #sdy<axis_ref_list{"y"}>, mesh = @mesh, root = 2 : i64}> : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1, %2 : tensor<16xf32>, tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<16xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (1)2>]>, use_global_device_ids}> : (tensor<8xf32>) -> tensor<16xf32>
    %1 = "stablehlo.collective_broadcast"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y">]>}> : (tensor<8xf32>) -> tensor<8xf32>
    %2 = "stablehlo.collective_broadcast"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[2, 0, 1, 3], [6, 4, 5, 7]]> : tensor<2x4xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
    return %0, %1, %2 : tensor<16xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --spmd-to-stablehlo
// CASE: an order of devices of its own: ids in the groups, coordinates from a table (4.4)
sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[3, 1, 2, 0]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<16xf32>, tensor<i64>, tensor<i64>, tensor<8xf32>) {
  %0 = "spmd.all_gather"(%arg0) <{axes = #sdy<axis_ref_list{"y"}>, dim = 0 : i64, mesh = @mesh}> : (tensor<8xf32>) -> tensor<16xf32>
  %1 = "spmd.coord"() <{axes = #sdy<axis_ref_list{"y"}>, mesh = @mesh}> : () -> tensor<i64>
  %2 = "spmd.device_id"() <{mesh = @mesh}> : () -> tensor<i64>
  %3 = "spmd.permute"(%arg0) <{axes = #sdy<axis_ref_list{"x", "y"}>, map = #spmd.permute_map<mirror, []>, mesh = @mesh}> : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1, %2, %3 : tensor<16xf32>, tensor<i64>, tensor<i64>, tensor<8xf32>
}
// ---- becomes
module attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[3, 1, 2, 0]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<16xf32>, tensor<i64>, tensor<i64>, tensor<8xf32>) {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
    %2 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[3, 1], [2, 0]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<8xf32>) -> tensor<16xf32>
    %c = stablehlo.constant dense<[1, 1, 0, 0]> : tensor<4xi64>
    %3 = stablehlo.dynamic_slice %c, %1, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
    %4 = stablehlo.reshape %3 : (tensor<1xi64>) -> tensor<i64>
    %5 = "stablehlo.collective_permute"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[3, 0], [1, 2], [2, 1], [0, 3]]> : tensor<4x2xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
    return %2, %4, %1, %5 : tensor<16xf32>, tensor<i64>, tensor<i64>, tensor<8xf32>
  }
}
// ----------
// shardy opt --spmd-to-stablehlo='replica-count=8'
// CASE: devices as replicas: only reductions and gathers have channels (4.4)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<16xf32>, tensor<8xf32>, tensor<i64>) {
  %0 = "spmd.all_gather"(%arg0) <{axes = #sdy<axis_ref_list{"x"}>, dim = 0 : i64, mesh = @mesh}> : (tensor<8xf32>) -> tensor<16xf32>
  %1 = "spmd.permute"(%arg0) <{axes = #sdy<axis_ref_list{"x"}>, map = #spmd.permute_map<rotate, [1]>, mesh = @mesh}> : (tensor<8xf32>) -> tensor<8xf32>
  %2 = "spmd.coord"() <{axes = #sdy<axis_ref_list{"x", "y":(1)2}>, mesh = @mesh}> : () -> tensor<i64>
  return %0, %1, %2 : tensor<16xf32>, tensor<8xf32>, tensor<i64>
}
// ---- becomes
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<16xf32>, tensor<8xf32>, tensor<i64>) {
    %0 = stablehlo.replica_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
    %2 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> : (tensor<8xf32>) -> tensor<16xf32>
    %3 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 4], [1, 5], [2, 6], [3, 7], [4, 0], [5, 1], [6, 2], [7, 3]]> : tensor<8x2xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
    %c = stablehlo.constant dense<2> : tensor<i64>
    %4 = stablehlo.divide %1, %c : tensor<i64>
    return %2, %3, %4 : tensor<16xf32>, tensor<8xf32>, tensor<i64>
  }
}
// ----------
// shardy opt --spmd-to-stablehlo
// CASE: channels are numbered after those of the program, floor divisions become divisions (4.1, 4.4)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> (tensor<16xf32>, tensor<16xf32>, tensor<i64>, tensor<i64>, tensor<4xi32>) {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<8xf32>) -> tensor<16xf32>
  %1 = "spmd.all_gather"(%arg0) <{axes = #sdy<axis_ref_list{"x"}>, dim = 0 : i64, mesh = @mesh}> : (tensor<8xf32>) -> tensor<16xf32>
  %2 = "spmd.floordiv"(%arg1, %arg2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %3 = "spmd.floormod"(%arg1, %arg2) : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %4 = "spmd.undef"() : () -> tensor<4xi32>
  return %0, %1, %2, %3, %4 : tensor<16xf32>, tensor<16xf32>, tensor<i64>, tensor<i64>, tensor<4xi32>
}
// ---- becomes
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> (tensor<16xf32>, tensor<16xf32>, tensor<i64>, tensor<i64>, tensor<4xi32>) {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<8xf32>) -> tensor<16xf32>
    %1 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 8, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<8xf32>) -> tensor<16xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.remainder %arg1, %arg2 : tensor<i64>
    %3 = stablehlo.compare NE, %2, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %4 = stablehlo.compare LT, %arg2, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %5 = stablehlo.compare LT, %2, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %6 = stablehlo.compare NE, %5, %4 : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %7 = stablehlo.and %3, %6 : tensor<i1>
    %8 = stablehlo.divide %arg1, %arg2 : tensor<i64>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %9 = stablehlo.subtract %8, %c_0 : tensor<i64>
    %10 = stablehlo.select %7, %9, %8 : tensor<i1>, tensor<i64>
    %11 = stablehlo.add %2, %arg2 : tensor<i64>
    %12 = stablehlo.select %7, %11, %2 : tensor<i1>, tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<4xi32>
    return %0, %1, %10, %12, %c_1 : tensor<16xf32>, tensor<16xf32>, tensor<i64>, tensor<i64>, tensor<4xi32>
  }
}
// ----------
// shardy opt --spmd-to-stablehlo
// CASE: several operands with reducers of their own become several collectives (4.4)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>) {
  %0:2 = "spmd.all_reduce"(%arg0, %arg1) <{axes = #sdy<axis_ref_list{"x"}>, mesh = @mesh}> ({
  ^bb0(%a: tensor<f32>, %c: tensor<i32>, %b: tensor<f32>, %d: tensor<i32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    %t = stablehlo.add %c, %d : tensor<i32>
    stablehlo.return %s, %t : tensor<f32>, tensor<i32>
  }) : (tensor<8xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xi32>
}
// ---- becomes
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>) {
    %0 = "stablehlo.all_reduce"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<8xi32>) -> tensor<8xi32>
    return %0, %1 : tensor<8xf32>, tensor<8xi32>
  }
}
// ----------
// shardy opt --spmd-to-stablehlo
// CASE: a reducer that mixes its operands has no StableHLO collective
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>) {
  %0:2 = "spmd.all_reduce"(%arg0, %arg1) <{axes = #sdy<axis_ref_list{"x"}>, mesh = @mesh}> ({
  ^bb0(%a: tensor<f32>, %c: tensor<i32>, %b: tensor<f32>, %d: tensor<i32>):
    %p = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %s = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
    %t = stablehlo.select %p, %c, %d : tensor<i1>, tensor<i32>
    stablehlo.return %s, %t : tensor<f32>, tensor<i32>
  }) : (tensor<8xf32>, tensor<8xi32>) -> (tensor<8xf32>, tensor<8xi32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xi32>
}
// ---- fails
5:10: E_UNSUPPORTED_OP: spmd.all_reduce: StableHLO has no collective whose reducer takes several operands
// ----------
// shardy opt --spmd-to-stablehlo='replica-count=2 partition-count=2'
// CASE: only one of the two counts may be greater than 1
sdy.mesh @mesh = <["x"=2]>
func.func @main() -> tensor<i64> {
  %0 = "spmd.coord"() <{axes = #sdy<axis_ref_list{"x"}>, mesh = @mesh}> : () -> tensor<i64>
  return %0 : tensor<i64>
}
// ---- fails
: E_REPLICA_AND_PARTITION: replica_count and partition_count are both greater than 1; only one of them may be
// ----------
// shardy opt --spmd-to-stablehlo='mesh-groups' --sdy-drop-sharding-and-mesh
// CASE: a mesh that groups name stays when shardings go (passes 5.17)
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @other = <["y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"y"}]>, spmd.global_type = tensor<16xf32>}) -> tensor<16xf32> {
  %0 = "spmd.all_gather"(%arg0) <{axes = #sdy<axis_ref_list{"x"}>, dim = 0 : i64, mesh = @mesh}> : (tensor<8xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<16xf32> {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<8xf32>) -> tensor<16xf32>
    return %0 : tensor<16xf32>
  }
}
// ----------
// shardy opt --spmd-to-stablehlo
// CASE: the body of a manual computation asks for the device by itself
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4xi64>) -> tensor<4xi64> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<2xi64>) {
    %1 = "spmd.coord"() <{axes = #sdy<axis_ref_list{"x"}>, mesh = @mesh}> : () -> tensor<i64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %3 = stablehlo.add %2, %arg1 : tensor<2xi64>
    sdy.return %3 : tensor<2xi64>
  } : (tensor<4xi64>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}
// ---- becomes
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xi64>) -> tensor<4xi64> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<2xi64>) {
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i64>
      %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i64>) -> tensor<2xi64>
      %4 = stablehlo.add %3, %arg1 : tensor<2xi64>
      sdy.return %4 : tensor<2xi64>
    } : (tensor<4xi64>) -> tensor<4xi64>
    return %0 : tensor<4xi64>
  }
}
