// shardy opt --sdy-per-instruction-partitioning='filter=dot lowering=reference'
// CASE: lowering=reference uses StableHLO collectives and masks padding of contracted dims
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<5x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<7x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<5x3xf32> {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<5x7xf32>, tensor<7x3xf32>) -> tensor<5x3xf32>
  %1 = stablehlo.abs %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<5x3xf32>
  return %1 : tensor<5x3xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<5x7xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<7x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> tensor<5x3xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [1, 1], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<5x7xf32>, tensor<f32>) -> tensor<6x8xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.pad %arg1, %cst_0, low = [0, 0], high = [1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<7x3xf32>, tensor<f32>) -> tensor<8x3xf32>
    %2 = sdy.manual_computation(%0, %1) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%arg2: tensor<3x4xf32>, %arg3: tensor<4x3xf32>) {
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.iota dim = 1 : tensor<3x4xi32>
      %6 = stablehlo.partition_id : tensor<ui32>
      %7 = stablehlo.convert %6 : (tensor<ui32>) -> tensor<i64>
      %c = stablehlo.constant dense<[0, 4, 0, 4]> : tensor<4xi64>
      %8 = stablehlo.dynamic_slice %c, %7, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
      %9 = stablehlo.reshape %8 : (tensor<1xi64>) -> tensor<i64>
      %10 = stablehlo.convert %9 : (tensor<i64>) -> tensor<i32>
      %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<i32>) -> tensor<3x4xi32>
      %12 = stablehlo.add %5, %11 : tensor<3x4xi32>
      %c_2 = stablehlo.constant dense<7> : tensor<3x4xi32>
      %13 = stablehlo.compare LT, %12, %c_2 : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi1>
      %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %15 = stablehlo.select %13, %arg2, %14 : tensor<3x4xi1>, tensor<3x4xf32>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %16 = stablehlo.iota dim = 0 : tensor<4x3xi32>
      %17 = stablehlo.partition_id : tensor<ui32>
      %18 = stablehlo.convert %17 : (tensor<ui32>) -> tensor<i64>
      %c_4 = stablehlo.constant dense<[0, 4, 0, 4]> : tensor<4xi64>
      %19 = stablehlo.dynamic_slice %c_4, %18, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
      %20 = stablehlo.reshape %19 : (tensor<1xi64>) -> tensor<i64>
      %21 = stablehlo.convert %20 : (tensor<i64>) -> tensor<i32>
      %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<i32>) -> tensor<4x3xi32>
      %23 = stablehlo.add %16, %22 : tensor<4x3xi32>
      %c_5 = stablehlo.constant dense<7> : tensor<4x3xi32>
      %24 = stablehlo.compare LT, %23, %c_5 : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi1>
      %25 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
      %26 = stablehlo.select %24, %arg3, %25 : tensor<4x3xi1>, tensor<4x3xf32>
      %27 = stablehlo.dot_general %15, %26, contracting_dims = [1] x [0] : (tensor<3x4xf32>, tensor<4x3xf32>) -> tensor<3x3xf32>
      %28 = "stablehlo.all_reduce"(%27) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %29 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %29 : tensor<f32>
      }) : (tensor<3x3xf32>) -> tensor<3x3xf32>
      sdy.return %28 : tensor<3x3xf32>
    } : (tensor<6x8xf32>, tensor<8x3xf32>) -> tensor<6x3xf32>
    %3 = stablehlo.slice %2 [0:5, 0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<6x3xf32>) -> tensor<5x3xf32>
    %4 = stablehlo.abs %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<5x3xf32>
    return %4 : tensor<5x3xf32>
  }
}
// ----------
// shardy opt --sdy-per-instruction-partitioning='filter=slice lowering=reference replica-count=4'
// CASE: lowering=reference exchanges halos of a slice, over replicas
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<7xf32> {
  %0 = stablehlo.slice %arg0 [1:8] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<7xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<2xf32>) {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = "stablehlo.collective_permute"(%arg1) <{source_target_pairs = dense<[[1, 0], [2, 1], [3, 2]]> : tensor<3x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
      %3 = stablehlo.concatenate %arg1, %2, dim = 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
      %4 = stablehlo.pad %3, %cst, low = [2], high = [2], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
      %5 = stablehlo.slice %4 [3:5] : (tensor<8xf32>) -> tensor<2xf32>
      %6 = stablehlo.slice %5 [0:2] : (tensor<2xf32>) -> tensor<2xf32>
      sdy.return %6 : tensor<2xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %1 = stablehlo.slice %0 [0:7] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<7xf32>
    return %1 : tensor<7xf32>
  }
}
// ----------
// shardy opt --sdy-per-instruction-partitioning='filter=slice lowering=reference enable-halo-exchange=false'
// CASE: without halo exchange the slice gathers its operand
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<7xf32> {
  %0 = stablehlo.slice %arg0 [1:8] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<7xf32>
  return %0 : tensor<7xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<7xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<2xf32>) {
      %2 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<8xf32>
      %3 = stablehlo.slice %2 [1:8] : (tensor<8xf32>) -> tensor<7xf32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %4 = stablehlo.pad %3, %cst, low = [0], high = [1], interior = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<8xf32>
      %5 = stablehlo.partition_id : tensor<ui32>
      %6 = stablehlo.convert %5 : (tensor<ui32>) -> tensor<i64>
      %c = stablehlo.constant dense<[0, 2, 4, 6]> : tensor<4xi64>
      %7 = stablehlo.dynamic_slice %c, %6, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
      %8 = stablehlo.reshape %7 : (tensor<1xi64>) -> tensor<i64>
      %9 = stablehlo.dynamic_slice %4, %8, sizes = [2] : (tensor<8xf32>, tensor<i64>) -> tensor<2xf32>
      sdy.return %9 : tensor<2xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %1 = stablehlo.slice %0 [0:7] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<7xf32>
    return %1 : tensor<7xf32>
  }
}
// ----------
// shardy opt --sdy-per-instruction-partitioning='filter=reduce lowering=reference'
// CASE: each partitioned op has a channel of its own, a reduction gets a copy of its initial constant
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<2xf32>, tensor<2xf32>) {
  %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<3x2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<3x2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<2xf32>, tensor<2xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst_0, low = [0, 0], high = [1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<3x2xf32>, tensor<f32>) -> tensor<4x2xf32>
    %1 = sdy.manual_computation(%0, %cst) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, []>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg1: tensor<2x2xf32>, %arg2: tensor<f32>) {
      %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %4 = stablehlo.iota dim = 0 : tensor<2x2xi32>
      %5 = stablehlo.partition_id : tensor<ui32>
      %6 = stablehlo.convert %5 : (tensor<ui32>) -> tensor<i64>
      %c = stablehlo.constant dense<[0, 2]> : tensor<2xi64>
      %7 = stablehlo.dynamic_slice %c, %6, sizes = [1] : (tensor<2xi64>, tensor<i64>) -> tensor<1xi64>
      %8 = stablehlo.reshape %7 : (tensor<1xi64>) -> tensor<i64>
      %9 = stablehlo.convert %8 : (tensor<i64>) -> tensor<i32>
      %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
      %11 = stablehlo.add %4, %10 : tensor<2x2xi32>
      %c_4 = stablehlo.constant dense<3> : tensor<2x2xi32>
      %12 = stablehlo.compare LT, %11, %c_4 : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
      %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %14 = stablehlo.select %12, %arg1, %13 : tensor<2x2xi1>, tensor<2x2xf32>
      %15 = stablehlo.reduce(%14 init: %cst_2) applies stablehlo.maximum across dimensions = [0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
      %16 = "stablehlo.all_reduce"(%15) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
        %17 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
        stablehlo.return %17 : tensor<f32>
      }) : (tensor<2xf32>) -> tensor<2xf32>
      sdy.return %16 : tensor<2xf32>
    } : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.pad %arg0, %cst_1, low = [0, 0], high = [1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<3x2xf32>, tensor<f32>) -> tensor<4x2xf32>
    %3 = sdy.manual_computation(%2, %cst) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, []>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg1: tensor<2x2xf32>, %arg2: tensor<f32>) {
      %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %4 = stablehlo.iota dim = 0 : tensor<2x2xi32>
      %5 = stablehlo.partition_id : tensor<ui32>
      %6 = stablehlo.convert %5 : (tensor<ui32>) -> tensor<i64>
      %c = stablehlo.constant dense<[0, 2]> : tensor<2xi64>
      %7 = stablehlo.dynamic_slice %c, %6, sizes = [1] : (tensor<2xi64>, tensor<i64>) -> tensor<1xi64>
      %8 = stablehlo.reshape %7 : (tensor<1xi64>) -> tensor<i64>
      %9 = stablehlo.convert %8 : (tensor<i64>) -> tensor<i32>
      %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
      %11 = stablehlo.add %4, %10 : tensor<2x2xi32>
      %c_4 = stablehlo.constant dense<3> : tensor<2x2xi32>
      %12 = stablehlo.compare LT, %11, %c_4 : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
      %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
      %14 = stablehlo.select %12, %arg1, %13 : tensor<2x2xi1>, tensor<2x2xf32>
      %15 = stablehlo.reduce(%14 init: %cst_2) applies stablehlo.maximum across dimensions = [0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
      %16 = "stablehlo.all_reduce"(%15) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
        %17 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
        stablehlo.return %17 : tensor<f32>
      }) : (tensor<2xf32>) -> tensor<2xf32>
      sdy.return %16 : tensor<2xf32>
    } : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>
    return %1, %3 : tensor<2xf32>, tensor<2xf32>
  }
}
// ----------
// shardy opt --sdy-per-instruction-partitioning='lowering=other'
// CASE: a lowering with another name is an error
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.abs %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ---- fails
: lowering: expected native or reference, got: other
