// CASE: groups that share a value become one, and ids count from 0
// PASS: sdy-sharding-group-import
// TWICE
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<4xf32>) {
  sdy.sharding_group %arg0 group_id=40 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id=9 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id=40 : tensor<8xf32>
  sdy.sharding_group %arg2 group_id=3 : tensor<4xf32>
  return
}
// AFTER
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<4xf32>) {
  sdy.sharding_group %arg0 group_id=0 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id=0 : tensor<8xf32>
  sdy.sharding_group %arg2 group_id=1 : tensor<4xf32>
  return
}
// -----
// CASE: ids are counted as they come, not by their size
// PASS: sdy-sharding-group-import
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) {
  sdy.sharding_group %arg0 group_id=500 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id=2 : tensor<8xf32>
  return
}
// AFTER
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) {
  sdy.sharding_group %arg0 group_id=0 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id=1 : tensor<8xf32>
  return
}
// -----
// CASE: deviation 8: classes are counted by their leader, not by their first id
// PASS: sdy-sharding-group-import
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>) {
  sdy.sharding_group %arg0 group_id=5 : tensor<8xf32>
  sdy.sharding_group %arg3 group_id=9 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id=7 : tensor<8xf32>
  sdy.sharding_group %arg2 group_id=7 : tensor<8xf32>
  sdy.sharding_group %arg2 group_id=5 : tensor<8xf32>
  return
}
// AFTER
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>) {
  sdy.sharding_group %arg0 group_id=1 : tensor<8xf32>
  sdy.sharding_group %arg3 group_id=0 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id=1 : tensor<8xf32>
  sdy.sharding_group %arg2 group_id=1 : tensor<8xf32>
  return
}
// -----
// CASE: a group goes across functions, loops and element types
// PASS: sdy-sharding-group-import
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) {
  sdy.sharding_group %arg0 group_id=3 : tensor<8xf32>
  %0 = "stablehlo.case"(%arg1) ({
    %1 = stablehlo.negate %arg0 : tensor<8xf32>
    sdy.sharding_group %1 group_id=3 : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return
}
func.func @foo(%arg0: tensor<8xi32>) {
  sdy.sharding_group %arg0 group_id=3 : tensor<8xi32>
  sdy.sharding_group %arg0 group_id=3 : tensor<8xi32>
  return
}
// AFTER
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) {
  sdy.sharding_group %arg0 group_id=0 : tensor<8xf32>
  %0 = "stablehlo.case"(%arg1) ({
    %1 = stablehlo.negate %arg0 : tensor<8xf32>
    sdy.sharding_group %1 group_id=0 : tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return
}
func.func @foo(%arg0: tensor<8xi32>) {
  sdy.sharding_group %arg0 group_id=0 : tensor<8xi32>
  return
}
// -----
// CASE: members have one shape
// PASS: sdy-sharding-group-import
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<4xf32>) {
  sdy.sharding_group %arg0 group_id=555 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id=555 : tensor<4xf32>
  return
}
// ERROR: ShardingGroupOps values must have the same shape for groupId: 555
// -----
// CASE: members are in one manual computation, which is looked at before their shape
// PASS: sdy-sharding-group-import
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  sdy.sharding_group %arg0 group_id=1000 : tensor<8xf32>
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    sdy.sharding_group %arg1 group_id=1000 : tensor<4xf32>
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ERROR: ShardingGroupOps values cannot cross ManualComputationOp boundaries for groupId: 1000
