// shardy opt --sdy-resolve-permutation-factors
// CASE: a slice of an uneven dim; the other dim is replicated and is sliced on each device
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<7x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> (tensor<5x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) {
  %0 = stablehlo.slice %arg0 [1:6, 1:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y"}, {}]>]>} : (tensor<7x4xf32>) -> tensor<5x2xf32>
  return %0 : tensor<5x2xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<7x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) -> (tensor<5x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y"}, {}]>]>} : (tensor<7x4xf32>, tensor<f32>) -> tensor<8x4xf32>
    %1 = sdy.manual_computation(%0, %cst) in_shardings=[<@mesh, [{"x", "y"}, {}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x", "y"}, {}]>] manual_axes={"x", "y"} (%arg1: tensor<2x4xf32>, %arg2: tensor<f32>) {
      %3 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[1, 0], [2, 1], [3, 2]]> : tensor<3x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
      %4 = stablehlo.concatenate %arg1, %3, dim = 0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
      %5 = stablehlo.pad %4, %arg2, low = [2, 0], high = [2, 0], interior = [0, 0] : (tensor<4x4xf32>, tensor<f32>) -> tensor<8x4xf32>
      %6 = stablehlo.slice %5 [3:5, 0:4] : (tensor<8x4xf32>) -> tensor<2x4xf32>
      %7 = stablehlo.slice %6 [0:2, 1:3] : (tensor<2x4xf32>) -> tensor<2x2xf32>
      sdy.return %7 : tensor<2x2xf32>
    } : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x2xf32>
    %2 = stablehlo.slice %1 [0:5, 0:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", "y"}, {}]>]>} : (tensor<8x2xf32>) -> tensor<5x2xf32>
    return %2 : tensor<5x2xf32>
  }
}
// ----------
// shardy opt --sdy-resolve-permutation-factors
// CASE: a value other than 0 also fills positions without a device
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<7xi32>, %arg1: tensor<i32>) -> tensor<10xi32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<7xi32>
  %1 = stablehlo.pad %0, %arg1, low = [2], high = [1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<7xi32>, tensor<i32>) -> tensor<10xi32>
  %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<10xi32>
  return %2 : tensor<10xi32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<7xi32>, %arg1: tensor<i32>) -> tensor<10xi32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<7xi32>
    %1 = stablehlo.pad %0, %arg1, low = [0], high = [1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<7xi32>, tensor<i32>) -> tensor<8xi32>
    %2 = sdy.manual_computation(%1, %arg1) in_shardings=[<@mesh, [{"x"}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg2: tensor<4xi32>, %arg3: tensor<i32>) {
      %4 = "stablehlo.collective_permute"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xi32>) -> tensor<4xi32>
      %5 = stablehlo.concatenate %4, %arg2, dim = 0 : (tensor<4xi32>, tensor<4xi32>) -> tensor<8xi32>
      %6 = stablehlo.pad %5, %arg3, low = [5], high = [5], interior = [0] : (tensor<8xi32>, tensor<i32>) -> tensor<18xi32>
      %7 = stablehlo.partition_id : tensor<ui32>
      %8 = stablehlo.convert %7 : (tensor<ui32>) -> tensor<i64>
      %c = stablehlo.constant dense<7> : tensor<i64>
      %9 = stablehlo.add %8, %c : tensor<i64>
      %c_0 = stablehlo.constant dense<0> : tensor<i64>
      %10 = stablehlo.maximum %c_0, %9 : tensor<i64>
      %c_1 = stablehlo.constant dense<0> : tensor<i64>
      %11 = stablehlo.dynamic_slice %6, %10, sizes = [5] : (tensor<18xi32>, tensor<i64>) -> tensor<5xi32>
      %c_2 = stablehlo.constant dense<5> : tensor<i64>
      %12 = stablehlo.multiply %8, %c_2 : tensor<i64>
      %c_3 = stablehlo.constant dense<-2> : tensor<i64>
      %13 = stablehlo.add %12, %c_3 : tensor<i64>
      %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<i64>) -> tensor<5xi64>
      %15 = stablehlo.iota dim = 0 : tensor<5xi64>
      %16 = stablehlo.add %15, %14 : tensor<5xi64>
      %c_4 = stablehlo.constant dense<7> : tensor<i64>
      %17 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i64>) -> tensor<5xi64>
      %18 = stablehlo.compare LT, %16, %17 : (tensor<5xi64>, tensor<5xi64>) -> tensor<5xi1>
      %c_5 = stablehlo.constant dense<0> : tensor<i64>
      %19 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i64>) -> tensor<5xi64>
      %20 = stablehlo.compare GE, %16, %19 : (tensor<5xi64>, tensor<5xi64>) -> tensor<5xi1>
      %21 = stablehlo.and %20, %18 : tensor<5xi1>
      %22 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<i32>) -> tensor<5xi32>
      %23 = stablehlo.select %21, %11, %22 : tensor<5xi1>, tensor<5xi32>
      sdy.return %23 : tensor<5xi32>
    } : (tensor<8xi32>, tensor<i32>) -> tensor<10xi32>
    %3 = sdy.reshard %2 <@mesh, [{}]> : tensor<10xi32>
    return %3 : tensor<10xi32>
  }
}
// ----------
// shardy opt --sdy-resolve-permutation-factors
// CASE: what stays on its device is left alone: a high pad and its slice, tile by tile
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<5xf32>, %arg1: tensor<f32>) -> tensor<5xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<5xf32>
  %1 = stablehlo.pad %0, %arg1, low = [0], high = [1], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<5xf32>, tensor<f32>) -> tensor<6xf32>
  %2 = stablehlo.slice %1 [0:5] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<6xf32>) -> tensor<5xf32>
  %3 = sdy.reshard %2 <@mesh, [{}]> : tensor<5xf32>
  return %3 : tensor<5xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-resolve-permutation-factors
// CASE: a reverse of a dim that divides turns the order of devices around
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
  %0 = stablehlo.reverse %arg0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}]>]>} : tensor<8x6xf32>
  return %0 : tensor<8x6xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  sdy.mesh @mesh_reversed = <["x"=2, "y"=2], device_ids=[1, 0, 3, 2]>
  func.func @main(%arg0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %0 = stablehlo.reverse %arg0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh_reversed, [{"y"}, {"x"}]>]>} : tensor<8x6xf32>
    %1 = sdy.reshard %0 <@mesh, [{"y"}, {"x"}]> : tensor<8x6xf32>
    return %1 : tensor<8x6xf32>
  }
}
// ----------
// shardy opt --sdy-resolve-permutation-factors
// CASE: an uneven one first moves to the high end of its tiles
sdy.mesh @mesh = <["x"=4]>
sdy.mesh @mesh_reversed = <["a"=1]>
func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<5xf32>
  %1 = stablehlo.reverse %0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<5xf32>
  %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<5xf32>
  return %2 : tensor<5xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=4]>
  sdy.mesh @mesh_reversed = <["a"=1]>
  sdy.mesh @mesh_reversed_0 = <["x"=4], device_ids=[3, 2, 1, 0]>
  func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<5xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.pad %0, %cst, low = [0], high = [3], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<5xf32>, tensor<f32>) -> tensor<8xf32>
    %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<2xf32>) {
      %7 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
      %8 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, source_target_pairs = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>
      %9 = stablehlo.slice %8 [1:2] : (tensor<2xf32>) -> tensor<1xf32>
      %10 = stablehlo.slice %7 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
      %11 = stablehlo.concatenate %9, %10, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
      sdy.return %11 : tensor<2xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %3 = stablehlo.reverse %2, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh_reversed_0, [{"x"}]>]>} : tensor<8xf32>
    %4 = sdy.reshard %3 <@mesh, [{"x"}]> : tensor<8xf32>
    %5 = stablehlo.slice %4 [0:5] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<5xf32>
    %6 = sdy.reshard %5 <@mesh, [{}]> : tensor<5xf32>
    return %6 : tensor<5xf32>
  }
}
