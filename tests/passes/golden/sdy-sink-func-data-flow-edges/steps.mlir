// shardy opt --sdy-sink-func-data-flow-edges
// CASE: an edge without sharding opens what its operand has, in regions as well (5.3)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x2xf32>, %arg1: tensor<i32>) -> tensor<8x2xf32> {
  %0 = "stablehlo.case"(%arg1) ({
    %1 = func.call @f(%arg0) : (tensor<8x2xf32>) -> tensor<8x2xf32>
    %2 = sdy.func_data_flow_edge %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {?}], replicated={"y"}>]>} : tensor<8x2xf32>
    stablehlo.return %2 : tensor<8x2xf32>
  }, {
    %1 = func.call @f(%arg0) : (tensor<8x2xf32>) -> tensor<8x2xf32>
    %2 = sdy.func_data_flow_edge %1 : tensor<8x2xf32>
    stablehlo.return %2 : tensor<8x2xf32>
  }) : (tensor<i32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}
func.func private @f(%arg0: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> tensor<8x2xf32> {
  %0 = sdy.func_data_flow_edge %arg0 : tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x2xf32>, %arg1: tensor<i32>) -> tensor<8x2xf32> {
    %0 = "stablehlo.case"(%arg1) ({
      %1 = func.call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {?}], replicated={"y"}>]>} : (tensor<8x2xf32>) -> tensor<8x2xf32>
      stablehlo.return %1 : tensor<8x2xf32>
    }, {
      %1 = func.call @f(%arg0) : (tensor<8x2xf32>) -> tensor<8x2xf32>
      stablehlo.return %1 : tensor<8x2xf32>
    }) : (tensor<i32>) -> tensor<8x2xf32>
    return %0 : tensor<8x2xf32>
  }
  func.func private @f(%arg0: tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}]>}) -> tensor<8x2xf32> {
    return %arg0 : tensor<8x2xf32>
  }
}
// ----------
// shardy opt --sdy-sink-func-data-flow-edges
// CASE: the example of 4.11: what propagation found goes to the call (5.3)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.func_data_flow_edge %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.func_data_flow_edge %arg0 : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.negate %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
