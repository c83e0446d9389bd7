// shardy opt --xla-sdy-open-while-free-vars-sharding
// CASE: what a loop captures goes through an open constraint (6.7)
// TWICE
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<i32>, %arg2: tensor<8xf32>) -> tensor<8xf32> {
  %0:2 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %arg2) : tensor<i32>, tensor<8xf32> cond {
    %1 = stablehlo.compare LT, %iterArg, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %iterArg_0, %arg0 : tensor<8xf32>
    %2 = stablehlo.multiply %1, %arg0 : tensor<8xf32>
    stablehlo.return %iterArg, %2 : tensor<i32>, tensor<8xf32>
  }
  return %0#1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<i32>, %arg2: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{?}]> : tensor<8xf32>
    %1:2 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %arg2) : tensor<i32>, tensor<8xf32>
    cond {
      %2 = stablehlo.compare LT, %iterArg, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = stablehlo.add %iterArg_0, %0 : tensor<8xf32>
      %3 = stablehlo.multiply %2, %0 : tensor<8xf32>
      stablehlo.return %iterArg, %3 : tensor<i32>, tensor<8xf32>
    }
    return %1#1 : tensor<8xf32>
  }
}
