// shardy opt --sdy-remove-sharding-groups
// CASE: all functions, all regions, all values (5.4)
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i1>) -> tensor<8xf32> {
  %0 = stablehlo.while(%a = %arg0) : tensor<8xf32>
  cond {
    sdy.sharding_group %a group_id=1 : tensor<8xf32>
    stablehlo.return %arg1 : tensor<i1>
  } do {
    sdy.sharding_group %a group_id=1 : tensor<8xf32>
    sdy.sharding_group %a group_id=2 : tensor<8xf32>
    stablehlo.return %a : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) {
  sdy.sharding_group %arg0 group_id=1 : tensor<8xf32>
  return
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i1>) -> tensor<8xf32> {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<8xf32>
    cond {
      stablehlo.return %arg1 : tensor<i1>
    } do {
      stablehlo.return %iterArg : tensor<8xf32>
    }
    return %0 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) {
    return
  }
}
