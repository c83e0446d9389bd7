// shardy opt --sdy-inline-meshes
// CASE: calls, loops, constraints, edges, ops without results and custom rules (3.1 step 1)
sdy.mesh @mesh = <["x"=2, "y"=4]>
sdy.mesh @two = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i1>) -> tensor<8xf32> {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@two, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.while(%iterArg = %0) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y":(1)2, ?}]>]>}
  cond {
    stablehlo.return %arg1 : tensor<i1>
  } do {
    %4 = stablehlo.negate %iterArg {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}p2], unreduced=max{"x"}>]>} : tensor<8xf32>
    stablehlo.return %4 : tensor<8xf32>
  }
  %2 = sdy.data_flow_edge %1 sharding=<@mesh, [{?}], replicated={"x", "y":(2)2}> : tensor<8xf32>
  stablehlo.custom_call @sink(%2) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : (tensor<8xf32>) -> ()
  %3 = stablehlo.negate %2 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<8xf32>
  return %3 : tensor<8xf32>
}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@two, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>})
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i1>) -> tensor<8xf32> {
    %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2]>, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = stablehlo.while(%iterArg = %0) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2, "y"=4]>, [{"y":(1)2, ?}]>]>}
    cond {
      stablehlo.return %arg1 : tensor<i1>
    } do {
      %4 = stablehlo.negate %iterArg {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2, "y"=4]>, [{"y"}p2], unreduced=max{"x"}>]>} : tensor<8xf32>
      stablehlo.return %4 : tensor<8xf32>
    }
    %2 = sdy.data_flow_edge %1 sharding=<mesh<["x"=2, "y"=4]>, [{?}], replicated={"x", "y":(2)2}> : tensor<8xf32>
    stablehlo.custom_call @sink(%2) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2, "y"=4]>, []>]>} : (tensor<8xf32>) -> ()
    %3 = stablehlo.negate %2 {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<8xf32>
    return %3 : tensor<8xf32>
  }
  func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=4]>, [{"y"}]>})
}
// ----------
// shardy opt --sdy-inline-meshes
// CASE: every collective with replica groups of mesh axes, those with inlined meshes and other groups stay (3.1 step 2)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, scatter_dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %6 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %6 : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<4xf32>
  %2 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<8xf32>) -> tensor<8xf32>
  %3 = "stablehlo.all_gather"(%1) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<4xf32>) -> tensor<8xf32>
  %4 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "z", size = 4>]>, axes = [#stablehlo.axis_ref<name = "z">]>}> : (tensor<8xf32>) -> tensor<8xf32>
  %5 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
    %1 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>, scatter_dimension = 0 : i64}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %6 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }) : (tensor<8xf32>) -> tensor<4xf32>
    %2 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<8xf32>) -> tensor<8xf32>
    %3 = "stablehlo.all_gather"(%1) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<4xf32>) -> tensor<8xf32>
    %4 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "z", size = 4>]>, axes = [#stablehlo.axis_ref<name = "z">]>}> : (tensor<8xf32>) -> tensor<8xf32>
    %5 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<8xf32>) -> tensor<8xf32>
    return %0, %1, %2, %3, %4, %5 : tensor<8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-inline-meshes
// CASE: replica groups on a mesh that is not there are left alone (3.1 step 2)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @gone, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @gone, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-inline-meshes
// CASE: a sharding on a mesh that is not there is an error (3.1)
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@gone, [{}]>}) {
  return
}
// ---- fails
3:68: 'func.func' op arg 0 - unknown mesh: @gone
// ----------
// shardy opt --sdy-inline-meshes
// CASE: a module without shardings loses its meshes, an empty one stays (3.1 step 3)
sdy.mesh @a = <["x"=2]>
sdy.mesh @b = <[], device_ids=[7]>
// ---- becomes
module {
}
// ----------
// shardy opt --sdy-inline-meshes
// CASE: meshes that per-device ops name stay (3.1 step 3)
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @other = <["y"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<i64> {
  %0 = "spmd.coord"() <{axes = #sdy<axis_ref_list{"x"}>, mesh = @mesh}> : () -> tensor<i64>
  return %0 : tensor<i64>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}) -> tensor<i64> {
    %0 = "spmd.coord"() <{axes = #sdy<axis_ref_list{"x"}>, mesh = @mesh}> : () -> tensor<i64>
    return %0 : tensor<i64>
  }
}
// ----------
// shardy opt --sdy-inline-meshes
// CASE: replica groups of StableHLO collectives are inlined, too
sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, #stablehlo.mesh_axis<name = "y", size = 2>], device_ids = dense<[3, 2, 1, 0]> : tensor<4xi64>>, axes = [#stablehlo.axis_ref<name = "x">]>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-inline-meshes
// CASE: shardings of all kinds of ops are self-contained
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"a"}]>] out_shardings=[<@mesh, [{"a"}]>] manual_axes={"a"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.named_computation<"f">(%0) out_shardings=[<@mesh, [{"b"}]>] (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %2 = sdy.reshard %1 <@mesh, [{"a"}]> : tensor<8xf32>
  %3 = sdy.all_gather [{"a"}] %2 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %3 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<mesh<["a"=2, "b"=2]>, [{"a"}]>] out_shardings=[<mesh<["a"=2, "b"=2]>, [{"a"}]>] manual_axes={"a"} (%arg1: tensor<4xf32>) {
      sdy.return %arg1 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.named_computation<"f">(%0) out_shardings=[<mesh<["a"=2, "b"=2]>, [{"b"}]>] (%arg1: tensor<8xf32>) {
      sdy.return %arg1 : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %2 = sdy.reshard %1 <mesh<["a"=2, "b"=2]>, [{"a"}]> : tensor<8xf32>
    %3 = sdy.all_gather [{"a"}] %2 out_sharding=<mesh<["a"=2, "b"=2]>, [{}]> : tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-inline-meshes
// CASE: replica groups name a mesh directly or by aliases, their fields in any order (3.1 step 2)
#axis = #stablehlo.axis_ref<name = "x">
#groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#axis]>
#two = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#axis]>}> : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "stablehlo.collective_broadcast"(%0) <{replica_groups = #stablehlo.replica_group_mesh_axes<axes = [#axis], mesh = @mesh>}> : (tensor<8xf32>) -> tensor<8xf32>
  %2 = "stablehlo.collective_broadcast"(%1) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #two, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
  %3 = "stablehlo.collective_broadcast"(%2) <{replica_groups = #groups}> : (tensor<8xf32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
    %1 = "stablehlo.collective_broadcast"(%0) <{replica_groups = #stablehlo.replica_group_mesh_axes<axes = [#stablehlo.axis_ref<name = "x">], mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>>}> : (tensor<8xf32>) -> tensor<8xf32>
    %2 = "stablehlo.collective_broadcast"(%1) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
    %3 = "stablehlo.collective_broadcast"(%2) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}
