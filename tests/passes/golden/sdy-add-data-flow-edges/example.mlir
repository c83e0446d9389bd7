// shardy opt --sdy-add-data-flow-edges
// CASE: each edge of a loop gets an op that holds its sharding
// TWICE
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> tensor<8xf32> {
  %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<8xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, []>]>}
   cond {
    %c = stablehlo.constant dense<4> : tensor<i32>
    %2 = stablehlo.compare LT, %iterArg_0, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %2 = stablehlo.negate %iterArg : tensor<8xf32>
    %3 = stablehlo.add %iterArg_0, %iterArg_0 : tensor<i32>
    stablehlo.return %2, %3 : tensor<8xf32>, tensor<i32>
  }
  %1 = stablehlo.negate %0#0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> tensor<8xf32> {
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<8xf32>, tensor<i32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, []>]>}
    cond {
      %c = stablehlo.constant dense<4> : tensor<i32>
      %4 = stablehlo.compare LT, %iterArg_0, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = stablehlo.negate %iterArg : tensor<8xf32>
      %5 = stablehlo.add %iterArg_0, %iterArg_0 : tensor<i32>
      stablehlo.return %4, %5 : tensor<8xf32>, tensor<i32>
    }
    %1 = sdy.data_flow_edge %0#0 sharding=<@mesh, [{"x"}]> : tensor<8xf32>
    %2 = sdy.data_flow_edge %0#1 sharding=<@mesh, []> : tensor<i32>
    %3 = stablehlo.negate %1 : tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}
