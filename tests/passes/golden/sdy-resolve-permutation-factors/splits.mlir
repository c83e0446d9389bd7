// shardy opt --sdy-resolve-permutation-factors
// CASE: 5 x 2 on two devices: 5 elements each become 3 rows of 2, the last of which has padding
sdy.mesh @m = <["x"=2]>
func.func @main(%arg0: tensor<3x10xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> (tensor<3x5x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}) {
  %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}, {}]>]>} : (tensor<3x10xi32>) -> tensor<3x5x2xi32>
  return %0 : tensor<3x5x2xi32>
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2]>
  func.func @main(%arg0: tensor<3x10xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> (tensor<3x5x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = sdy.manual_computation(%arg0, %c) in_shardings=[<@m, [{}, {"x"}]>, <@m, []>] out_shardings=[<@m, [{}, {"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<3x5xi32>, %arg2: tensor<i32>) {
      %2 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<3x5xi32>) -> tensor<3x5xi32>
      %3 = stablehlo.concatenate %arg1, %2, dim = 1 : (tensor<3x5xi32>, tensor<3x5xi32>) -> tensor<3x10xi32>
      %4 = stablehlo.pad %3, %arg2, low = [0, 6], high = [0, 6], interior = [0, 0] : (tensor<3x10xi32>, tensor<i32>) -> tensor<3x22xi32>
      %5 = stablehlo.partition_id : tensor<ui32>
      %6 = stablehlo.convert %5 : (tensor<ui32>) -> tensor<i64>
      %c_0 = stablehlo.constant dense<6> : tensor<i64>
      %7 = stablehlo.add %6, %c_0 : tensor<i64>
      %c_1 = stablehlo.constant dense<0> : tensor<i64>
      %8 = stablehlo.maximum %c_1, %7 : tensor<i64>
      %c_2 = stablehlo.constant dense<0> : tensor<i64>
      %9 = stablehlo.dynamic_slice %4, %c_2, %8, sizes = [3, 6] : (tensor<3x22xi32>, tensor<i64>, tensor<i64>) -> tensor<3x6xi32>
      %10 = stablehlo.reshape %9 : (tensor<3x6xi32>) -> tensor<3x3x2xi32>
      sdy.return %10 : tensor<3x3x2xi32>
    } : (tensor<3x10xi32>, tensor<i32>) -> tensor<3x6x2xi32>
    %1 = stablehlo.slice %0 [0:3, 0:5, 0:2] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}, {}]>]>} : (tensor<3x6x2xi32>) -> tensor<3x5x2xi32>
    return %1 : tensor<3x5x2xi32>
  }
}
// ----------
// shardy opt --sdy-resolve-permutation-factors='enable-halo-exchange=false'
// CASE: without halo exchange the reshape gathers its operand
sdy.mesh @m = <["x"=2]>
func.func @main(%arg0: tensor<3x10xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> (tensor<3x5x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}) {
  %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {"x"}, {}]>]>} : (tensor<3x10xi32>) -> tensor<3x5x2xi32>
  return %0 : tensor<3x5x2xi32>
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=2]>
  func.func @main(%arg0: tensor<3x10xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}]>}) -> (tensor<3x5x2xi32> {sdy.sharding = #sdy.sharding<@m, [{}, {"x"}, {}]>}) {
    %0 = sdy.reshard %arg0 <@m, [{}, {}]> : tensor<3x10xi32>
    %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}, {}]>]>} : (tensor<3x10xi32>) -> tensor<3x5x2xi32>
    %2 = sdy.reshard %1 <@m, [{}, {"x"}, {}]> : tensor<3x5x2xi32>
    return %2 : tensor<3x5x2xi32>
  }
}
// ----------
// shardy opt --sdy-resolve-permutation-factors
// CASE: reshapes without such halos are replicated: a dim of one element, another sharded dim, rows of more than two shards
sdy.mesh @m = <["x"=4, "y"=2]>
func.func @main(%arg0: tensor<10xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}, %arg1: tensor<8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<5x1x2xi32>, tensor<5x2xi32>, tensor<2x4xi32>) {
  %0 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {}, {}]>]>} : (tensor<10xi32>) -> tensor<5x1x2xi32>
  %1 = stablehlo.reshape %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}, {"x"}]>]>} : (tensor<10xi32>) -> tensor<5x2xi32>
  %2 = stablehlo.reshape %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>]>} : (tensor<8xi32>) -> tensor<2x4xi32>
  return %0, %1, %2 : tensor<5x1x2xi32>, tensor<5x2xi32>, tensor<2x4xi32>
}
// ---- becomes
module {
  sdy.mesh @m = <["x"=4, "y"=2]>
  func.func @main(%arg0: tensor<10xi32> {sdy.sharding = #sdy.sharding<@m, [{"y"}]>}, %arg1: tensor<8xi32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> (tensor<5x1x2xi32>, tensor<5x2xi32>, tensor<2x4xi32>) {
    %0 = sdy.reshard %arg0 <@m, [{}]> : tensor<10xi32>
    %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}, {}]>]>} : (tensor<10xi32>) -> tensor<5x1x2xi32>
    %2 = sdy.reshard %1 <@m, [{"y"}, {}, {}]> : tensor<5x1x2xi32>
    %3 = sdy.reshard %arg0 <@m, [{}]> : tensor<10xi32>
    %4 = stablehlo.reshape %3 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>} : (tensor<10xi32>) -> tensor<5x2xi32>
    %5 = sdy.reshard %4 <@m, [{"y"}, {"x"}]> : tensor<5x2xi32>
    %6 = sdy.reshard %arg1 <@m, [{}]> : tensor<8xi32>
    %7 = stablehlo.reshape %6 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}, {}]>]>} : (tensor<8xi32>) -> tensor<2x4xi32>
    %8 = sdy.reshard %7 <@m, [{"x"}, {}]> : tensor<2x4xi32>
    return %2, %5, %8 : tensor<5x1x2xi32>, tensor<5x2xi32>, tensor<2x4xi32>
  }
}
