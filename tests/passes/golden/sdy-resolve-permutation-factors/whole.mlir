// shardy opt --sdy-resolve-permutation-factors='enable-halo-exchange=false'
// CASE: without halos dims become whole around the op, but for those that stay on their device
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<4x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.slice %arg0 [2:6, 0:5] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x6xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> (tensor<4x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"y"}]> : tensor<8x6xf32>
    %1 = stablehlo.slice %0 [2:6, 0:5] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<8x6xf32>) -> tensor<4x5xf32>
    %2 = sdy.reshard %1 <@mesh, [{"x"}, {"y"}]> : tensor<4x5xf32>
    return %2 : tensor<4x5xf32>
  }
}
// ----------
// shardy opt --sdy-resolve-permutation-factors
// CASE: so do those of which devices would have to send too far, and of other ops
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<f32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.slice %arg0 [1:8:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<4xf32>
  %1 = "stablehlo.reduce_window"(%arg0, %arg1) <{padding = dense<[[1, 1]]> : tensor<1x2xi64>, window_dimensions = array<i64: 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0, %1 : tensor<4xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<f32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
    %1 = stablehlo.slice %0 [1:8:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<4xf32>
    %2 = sdy.reshard %1 <@mesh, [{"x"}]> : tensor<4xf32>
    %3 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
    %4 = "stablehlo.reduce_window"(%3, %arg1) <{padding = dense<1> : tensor<1x2xi64>, window_dimensions = array<i64: 3>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %6 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
    %5 = sdy.reshard %4 <@mesh, [{"x"}]> : tensor<8xf32>
    return %2, %5 : tensor<4xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-resolve-permutation-factors
// CASE: groups of dims of a reshape that do not divide become whole, others and single dims stay
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<6x5x4xf32>) -> tensor<2x3x5x1x4xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}, {"y"}, {}]> : tensor<6x5x4xf32>
  %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}, {"y"}, {}, {}]>]>} : (tensor<6x5x4xf32>) -> tensor<2x3x5x1x4xf32>
  %2 = sdy.reshard %1 <@mesh, [{}, {}, {}, {}, {}]> : tensor<2x3x5x1x4xf32>
  return %2 : tensor<2x3x5x1x4xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-resolve-permutation-factors
// CASE: a merge of an uneven dim is such a group
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<3x2xf32>) -> tensor<6xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<3x2xf32>
  %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<3x2xf32>) -> tensor<6xf32>
  %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<6xf32>
  return %2 : tensor<6xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<3x2xf32>) -> tensor<6xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<3x2xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {}]> : tensor<3x2xf32>
    %2 = stablehlo.reshape %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<3x2xf32>) -> tensor<6xf32>
    %3 = sdy.reshard %2 <@mesh, [{"x"}]> : tensor<6xf32>
    %4 = sdy.reshard %3 <@mesh, [{}]> : tensor<6xf32>
    return %4 : tensor<6xf32>
  }
}
// ----------
// shardy opt --sdy-resolve-permutation-factors
// CASE: a stride that divides the shards moves nothing, others do
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.slice %arg0 [0:12:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<12xf32>) -> tensor<4xf32>
  %1 = stablehlo.slice %arg0 [0:12:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<12xf32>) -> tensor<3xf32>
  return %0, %1 : tensor<4xf32>, tensor<3xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.slice %arg0 [0:12:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<12xf32>) -> tensor<4xf32>
    %1 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<12xf32>
    %2 = stablehlo.slice %1 [0:12:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<12xf32>) -> tensor<3xf32>
    %3 = sdy.reshard %2 <@mesh, [{"x"}]> : tensor<3xf32>
    return %0, %3 : tensor<4xf32>, tensor<3xf32>
  }
}
// ----------
// shardy opt --sdy-resolve-permutation-factors
// CASE: random bits are the same on all devices
// TWICE
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<2xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<2xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<6x4xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x", ?}]>}) {
  %0, %1 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{"y"}, {"x", ?}]>]>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6x4xui32>)
  return %0, %1 : tensor<2xui64>, tensor<6x4xui32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<2xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<2xui64> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<6x4xui32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x", ?}]>}) {
    %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{}, {?}]>]>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<6x4xui32>)
    %0 = sdy.reshard %output <@mesh, [{"y"}, {"x", ?}]> : tensor<6x4xui32>
    return %output_state, %0 : tensor<2xui64>, tensor<6x4xui32>
  }
}
// ----------
// shardy opt --sdy-resolve-permutation-factors
// CASE: sharded taps of a convolution become whole, with the input; their partial sums go
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<3x8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"y"}]>}, %arg1: tensor<4x2x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}, %arg2: tensor<8x2x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}) -> (tensor<3x5x6xf32>, tensor<3x1x6xf32>) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}], unreduced={"x", "y"}>]>} : (tensor<3x8x2xf32>, tensor<4x2x6xf32>) -> tensor<3x5x6xf32>
  %1 = sdy.all_reduce {"x", "y"} %0 out_sharding=<@mesh, [{}, {}, {}]> : tensor<3x5x6xf32>
  %2 = stablehlo.convolution(%arg0, %arg2) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}], unreduced={"x", "y"}>]>} : (tensor<3x8x2xf32>, tensor<8x2x6xf32>) -> tensor<3x1x6xf32>
  %3 = sdy.all_reduce {"x", "y"} %2 out_sharding=<@mesh, [{}, {}, {}]> : tensor<3x1x6xf32>
  return %1, %3 : tensor<3x5x6xf32>, tensor<3x1x6xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<3x8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {"y"}]>}, %arg1: tensor<4x2x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}, %arg2: tensor<8x2x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}) -> (tensor<3x5x6xf32>, tensor<3x1x6xf32>) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {}, {"y"}]> : tensor<3x8x2xf32>
    %1 = sdy.reshard %arg1 <@mesh, [{}, {"y"}, {}]> : tensor<4x2x6xf32>
    %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}], unreduced={"y"}>]>} : (tensor<3x8x2xf32>, tensor<4x2x6xf32>) -> tensor<3x5x6xf32>
    %3 = sdy.all_reduce {"y"} %2 out_sharding=<@mesh, [{}, {}, {}]> : tensor<3x5x6xf32>
    %4 = stablehlo.convolution(%arg0, %arg2) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}], unreduced={"x", "y"}>]>} : (tensor<3x8x2xf32>, tensor<8x2x6xf32>) -> tensor<3x1x6xf32>
    %5 = sdy.all_reduce {"x", "y"} %4 out_sharding=<@mesh, [{}, {}, {}]> : tensor<3x1x6xf32>
    return %3, %5 : tensor<3x5x6xf32>, tensor<3x1x6xf32>
  }
}
// ----------
// shardy opt --sdy-resolve-permutation-factors
// CASE: groups of a reshape that divide, but whose elements change their device, become whole
sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func @main(%arg0: tensor<6x4xf32>) -> (tensor<2x3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
  %0 = sdy.reshard %arg0 <@mesh, [{"y"}, {"x"}]> : tensor<6x4xf32>
  %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}, {"x"}]>]>} : (tensor<6x4xf32>) -> tensor<2x3x4xf32>
  %2 = sdy.reshard %1 <@mesh, [{}, {}, {}]> : tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func @main(%arg0: tensor<6x4xf32>) -> (tensor<2x3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"y"}, {"x"}]> : tensor<6x4xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {"x"}]> : tensor<6x4xf32>
    %2 = stablehlo.reshape %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"x"}]>]>} : (tensor<6x4xf32>) -> tensor<2x3x4xf32>
    %3 = sdy.reshard %2 <@mesh, [{}, {"y"}, {"x"}]> : tensor<2x3x4xf32>
    %4 = sdy.reshard %3 <@mesh, [{}, {}, {}]> : tensor<2x3x4xf32>
    return %4 : tensor<2x3x4xf32>
  }
}
