// shardy opt --sdy-sharding-group-import
// CASE: groups that share a value become one, and ids count from 0
// TWICE
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<4xf32>) {
  sdy.sharding_group %arg0 group_id=40 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id=9 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id=40 : tensor<8xf32>
  sdy.sharding_group %arg2 group_id=3 : tensor<4xf32>
  return
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<4xf32>) {
    sdy.sharding_group %arg0 group_id=0 : tensor<8xf32>
    sdy.sharding_group %arg1 group_id=0 : tensor<8xf32>
    sdy.sharding_group %arg2 group_id=1 : tensor<4xf32>
    return
  }
}
