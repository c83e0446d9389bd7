// shardy opt --sdy-remove-sub-axes-in-input-output-shardings
// CASE: open dims of main are truncated before their first sub-axis, closed ones are not (5.7)
// TWICE
sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2, "w"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y":(1)2, "z", ?}p1, {"w":(2)2}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}, {?}], replicated={"w"}>}) {
  %0 = call @f(%arg0) : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
func.func private @f(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}, {?}]>}) -> tensor<16x8xf32> {
  return %arg0 : tensor<16x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4, "z"=2, "w"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {"w":(2)2}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}], replicated={"w"}>}) {
    %0 = call @f(%arg0) : (tensor<16x8xf32>) -> tensor<16x8xf32>
    return %0 : tensor<16x8xf32>
  }
  func.func private @f(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}, {?}]>}) -> tensor<16x8xf32> {
    return %arg0 : tensor<16x8xf32>
  }
}
