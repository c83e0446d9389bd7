// shardy opt --sdy-sharding-group-import
// CASE: groups merge through several values, also backwards; tensors keep their first op (4.12 steps 2 to 4)
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>) {
  sdy.sharding_group %arg0 group_id=10 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id=20 : tensor<8xf32>
  sdy.sharding_group %arg2 group_id=30 : tensor<8xf32>
  sdy.sharding_group %arg2 group_id=20 {second} : tensor<8xf32>
  sdy.sharding_group %arg1 group_id=10 : tensor<8xf32>
  sdy.sharding_group %arg3 group_id=5 : tensor<8xf32>
  sdy.sharding_group %arg3 group_id=5 {second} : tensor<8xf32>
  return
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>) {
    sdy.sharding_group %arg0 group_id=0 : tensor<8xf32>
    sdy.sharding_group %arg1 group_id=0 : tensor<8xf32>
    sdy.sharding_group %arg2 group_id=0 : tensor<8xf32>
    sdy.sharding_group %arg3 group_id=1 : tensor<8xf32>
    return
  }
}
// ----------
// shardy opt --sdy-sharding-group-import
// CASE: the leader of a class is that of the tensor's first group (4.12 steps 2, 3, deviation 8)
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8xf32>) {
  sdy.sharding_group %arg0 group_id=1 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id=2 : tensor<8xf32>
  sdy.sharding_group %arg2 group_id=3 : tensor<8xf32>
  sdy.sharding_group %arg3 group_id=2 : tensor<8xf32>
  sdy.sharding_group %arg3 group_id=1 : tensor<8xf32>
  sdy.sharding_group %arg4 group_id=4 : tensor<8xf32>
  return
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8xf32>) {
    sdy.sharding_group %arg0 group_id=0 : tensor<8xf32>
    sdy.sharding_group %arg1 group_id=0 : tensor<8xf32>
    sdy.sharding_group %arg2 group_id=1 : tensor<8xf32>
    sdy.sharding_group %arg3 group_id=0 : tensor<8xf32>
    sdy.sharding_group %arg4 group_id=2 : tensor<8xf32>
    return
  }
}
// ----------
// shardy opt --sdy-sharding-group-import
// CASE: within one manual computation, a loop in it included, groups are allowed (4.12 step 1)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i1>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg2: tensor<4xf32>, %arg3: tensor<i1>) {
    sdy.sharding_group %arg2 group_id=12 : tensor<4xf32>
    %1 = stablehlo.while(%iterArg = %arg2) : tensor<4xf32>
    cond {
      stablehlo.return %arg3 : tensor<i1>
    } do {
      sdy.sharding_group %iterArg group_id=12 : tensor<4xf32>
      stablehlo.return %iterArg : tensor<4xf32>
    }
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>, tensor<i1>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i1>) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg2: tensor<4xf32>, %arg3: tensor<i1>) {
      sdy.sharding_group %arg2 group_id=0 : tensor<4xf32>
      %1 = stablehlo.while(%iterArg = %arg2) : tensor<4xf32>
      cond {
        stablehlo.return %arg3 : tensor<i1>
      } do {
        sdy.sharding_group %iterArg group_id=0 : tensor<4xf32>
        stablehlo.return %iterArg : tensor<4xf32>
      }
      sdy.return %1 : tensor<4xf32>
    } : (tensor<8xf32>, tensor<i1>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-sharding-group-import
// CASE: two manual computations are two places (4.12 step 1)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    sdy.sharding_group %arg1 group_id=0 : tensor<4xf32>
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    sdy.sharding_group %arg1 group_id=0 : tensor<4xf32>
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
// ---- fails
10:5: ShardingGroupOps values cannot cross ManualComputationOp boundaries for groupId: 0
// ----------
// shardy opt --sdy-sharding-group-import
// CASE: only the first violation is reported, at its op (4.12 step 1)
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<4x2xf32>, %arg2: tensor<8x1xi8>) {
  sdy.sharding_group %arg0 group_id=4 : tensor<8xf32>
  sdy.sharding_group %arg0 group_id=7 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id=4 : tensor<4x2xf32>
  sdy.sharding_group %arg2 group_id=7 : tensor<8x1xi8>
  return
}
// ---- fails
6:3: ShardingGroupOps values must have the same shape for groupId: 4
// ----------
// shardy opt --sdy-sharding-group-import
// CASE: a class counts where its leader was first mentioned, not its smallest or first id (4.12 step 3, deviation 8)
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>) {
  sdy.sharding_group %arg0 group_id=50 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id=90 : tensor<8xf32>
  sdy.sharding_group %arg2 group_id=70 : tensor<8xf32>
  sdy.sharding_group %arg3 group_id=70 : tensor<8xf32>
  sdy.sharding_group %arg3 group_id=50 : tensor<8xf32>
  return
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>) {
    sdy.sharding_group %arg0 group_id=1 : tensor<8xf32>
    sdy.sharding_group %arg1 group_id=0 : tensor<8xf32>
    sdy.sharding_group %arg2 group_id=1 : tensor<8xf32>
    sdy.sharding_group %arg3 group_id=1 : tensor<8xf32>
    return
  }
}
// ----------
// shardy opt --sdy-sharding-group-import
// CASE: ids are counted as they come, not by their size
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) {
  sdy.sharding_group %arg0 group_id=500 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id=2 : tensor<8xf32>
  return
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) {
    sdy.sharding_group %arg0 group_id=0 : tensor<8xf32>
    sdy.sharding_group %arg1 group_id=1 : tensor<8xf32>
    return
  }
}
// ----------
// shardy opt --sdy-sharding-group-import
// CASE: deviation 8: classes are counted by their leader, not by their first id
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>) {
  sdy.sharding_group %arg0 group_id=5 : tensor<8xf32>
  sdy.sharding_group %arg3 group_id=9 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id=7 : tensor<8xf32>
  sdy.sharding_group %arg2 group_id=7 : tensor<8xf32>
  sdy.sharding_group %arg2 group_id=5 : tensor<8xf32>
  return
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8xf32>) {
    sdy.sharding_group %arg0 group_id=1 : tensor<8xf32>
    sdy.sharding_group %arg3 group_id=0 : tensor<8xf32>
    sdy.sharding_group %arg1 group_id=1 : tensor<8xf32>
    sdy.sharding_group %arg2 group_id=1 : tensor<8xf32>
    return
  }
}
// ----------
// shardy opt --sdy-sharding-group-import
// CASE: a group goes across functions, loops and element types
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
// ---- becomes
module {
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
}
// ----------
// shardy opt --sdy-sharding-group-import
// CASE: members have one shape
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<4xf32>) {
  sdy.sharding_group %arg0 group_id=555 : tensor<8xf32>
  sdy.sharding_group %arg1 group_id=555 : tensor<4xf32>
  return
}
// ---- fails
5:3: ShardingGroupOps values must have the same shape for groupId: 555
// ----------
// shardy opt --sdy-sharding-group-import
// CASE: members are in one manual computation, which is looked at before their shape
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  sdy.sharding_group %arg0 group_id=1000 : tensor<8xf32>
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    sdy.sharding_group %arg1 group_id=1000 : tensor<4xf32>
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
7:5: ShardingGroupOps values cannot cross ManualComputationOp boundaries for groupId: 1000
// ----------
// shardy opt --sdy-sharding-group-import
// CASE: a function is in the manual computation whose body calls it, through any number of calls
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    %1 = func.call @outer(%arg1) : (tensor<4xf32>) -> tensor<4xf32>
    sdy.sharding_group %1 group_id=70 : tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @outer(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @inner(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @inner(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %arg0 : tensor<4xf32>
  sdy.sharding_group %0 group_id=70 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
      %1 = func.call @outer(%arg1) : (tensor<4xf32>) -> tensor<4xf32>
      sdy.sharding_group %1 group_id=0 : tensor<4xf32>
      sdy.return %1 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @outer(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @inner(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @inner(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.negate %arg0 : tensor<4xf32>
    sdy.sharding_group %0 group_id=0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// ----------
// shardy opt --sdy-sharding-group-import
// CASE: a function that a body calls runs in the manual computation, other members of the group outside
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  sdy.sharding_group %arg0 group_id=6 : tensor<8xf32>
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    %1 = func.call @inner(%arg1) : (tensor<4xf32>) -> tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @inner(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  sdy.sharding_group %arg0 group_id=6 : tensor<4xf32>
  return %arg0 : tensor<4xf32>
}
// ---- fails
13:3: ShardingGroupOps values cannot cross ManualComputationOp boundaries for groupId: 6
// ----------
// shardy opt --sdy-sharding-group-import
// CASE: two calls of a function are two places; a group needs one in common with all its ops
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<4xf32> {
  %0 = call @inner(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  sdy.sharding_group %0 group_id=3 : tensor<8xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={} (%arg1: tensor<8xf32>) {
    %2 = func.call @inner(%arg1) : (tensor<8xf32>) -> tensor<8xf32>
    sdy.sharding_group %2 group_id=5 : tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  sdy.sharding_group %1 group_id=5 : tensor<8xf32>
  %3 = stablehlo.slice %1 [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
func.func private @inner(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  sdy.sharding_group %arg0 group_id=3 : tensor<8xf32>
  return %arg0 : tensor<8xf32>
}
// ---- fails
12:3: ShardingGroupOps values cannot cross ManualComputationOp boundaries for groupId: 5
// ----------
// shardy opt --sdy-sharding-group-import
// CASE: ops before are narrowed: the call in the body was the place in common of the first two
sdy.mesh @mesh = <["x"=2]>
func.func private @inner(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  sdy.sharding_group %arg0 group_id=5 : tensor<8xf32>
  return %arg0 : tensor<8xf32>
}
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @inner(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={} (%arg1: tensor<8xf32>) {
    %2 = func.call @inner(%arg1) : (tensor<8xf32>) -> tensor<8xf32>
    sdy.sharding_group %2 group_id=5 : tensor<8xf32>
    sdy.return %2 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  sdy.sharding_group %1 group_id=5 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- fails
15:3: ShardingGroupOps values cannot cross ManualComputationOp boundaries for groupId: 5
