// shardy opt --sdy-lift-inlined-meshes
// CASE: the first mesh op of each content stays, also if it follows the functions; its own stablehlo.mesh stays (4.1 steps 1, 5)
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@c, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@d, [{"x"}]>}) {
  return
}
sdy.mesh @a = <["x"=2, "y"=4]> {stablehlo.mesh = "mine"}
sdy.mesh @b = <["y"=4, "x"=2]>
sdy.mesh @c = <["x"=2, "y"=4]>
sdy.mesh @d = <["x"=2, "y"=2]>
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@b, [{"x"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@d, [{"x"}]>}) {
    return
  }
  sdy.mesh @a = <["x"=2, "y"=4]> {stablehlo.mesh = "mine"}
  sdy.mesh @b = <["y"=4, "x"=2]> {stablehlo.mesh = {axes = [{name = "y", size = 4 : i64}, {name = "x", size = 2 : i64}]}}
  sdy.mesh @d = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
}
// ----------
// shardy opt --sdy-lift-inlined-meshes
// CASE: the name of an erased mesh op is free again (4.1 step 3, 1.3)
sdy.mesh @first = <["x"=2]>
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["y"=2]>, [{"y"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}) {
  return
}
// ---- becomes
module {
  sdy.mesh @first = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
  sdy.mesh @mesh = <["y"=2]> {stablehlo.mesh = {axes = [{name = "y", size = 2 : i64}]}}
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@first, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@first, [{"x"}]>}) {
    return
  }
}
// ----------
// shardy opt --sdy-lift-inlined-meshes
// CASE: inlined meshes are named in the order of the walk: function, then its ops, in_shardings before the body (4.1 step 3, 1.11)
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["r"=2]>, [{"r"}]>}) {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<mesh<["a"=2, "b"=2]>, [{"a"}]>] out_shardings=[<mesh<["a"=2, "b"=2]>, [{"a"}]>] manual_axes={"a"} (%arg1: tensor<4xf32>) {
    %2 = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["b"=2]>, [{"b"}]>]>} : tensor<4xf32>
    sdy.return %2 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<mesh<[], device_ids=[0]>, []>, <mesh<["c"=2]>, [{?}]>]>} %0, %arg0 : tensor<8xf32>, tensor<8xf32>
  stablehlo.custom_call @sink(%1#0) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<mesh<[], device_ids=[5]>, []>]>} : (tensor<8xf32>) -> ()
  return %1#1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["r"=2]> {stablehlo.mesh = {axes = [{name = "r", size = 2 : i64}]}}
  sdy.mesh @mesh_0 = <["a"=2, "b"=2]> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}, {name = "b", size = 2 : i64}]}}
  sdy.mesh @mesh_1 = <["b"=2]> {stablehlo.mesh = {axes = [{name = "b", size = 2 : i64}]}}
  sdy.mesh @single_device_0 = <[], device_ids=[0]> {stablehlo.mesh = {axes = [], device_ids = dense<0> : tensor<1xi64>}}
  sdy.mesh @mesh_2 = <["c"=2]> {stablehlo.mesh = {axes = [{name = "c", size = 2 : i64}]}}
  sdy.mesh @single_device_5 = <[], device_ids=[5]> {stablehlo.mesh = {axes = [], device_ids = dense<5> : tensor<1xi64>}}
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"r"}]>}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh_0, [{"a"}]>] out_shardings=[<@mesh_0, [{"a"}]>] manual_axes={"a"} (%arg1: tensor<4xf32>) {
      %2 = stablehlo.negate %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh_1, [{"b"}]>]>} : tensor<4xf32>
      sdy.return %2 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %1:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<@single_device_0, []>, <@mesh_2, [{?}]>]>} %0, %arg0 : tensor<8xf32>, tensor<8xf32>
    stablehlo.custom_call @sink(%1#0) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@single_device_5, []>]>} : (tensor<8xf32>) -> ()
    return %1#1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-lift-inlined-meshes
// CASE: replica groups are walked kind by kind, all_gather first (4.1 step 4)
sdy.mesh @old = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "e", size = 2>]>, axes = [#stablehlo.axis_ref<name = "e">]>}> : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "d", size = 2>]>, axes = [#stablehlo.axis_ref<name = "d">]>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<8xf32>) -> tensor<8xf32>
  %2 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "c", size = 2>]>, axes = [#stablehlo.axis_ref<name = "c">]>, scatter_dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %5 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<4xf32>
  %3 = "stablehlo.all_reduce"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "b", size = 2>]>, axes = [#stablehlo.axis_ref<name = "b">]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %5 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  %4 = "stablehlo.all_gather"(%2) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "a", size = 2>]>, axes = [#stablehlo.axis_ref<name = "a">]>}> : (tensor<4xf32>) -> tensor<8xf32>
  return %0, %1, %2, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @old = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
  sdy.mesh @mesh = <["a"=2]> {stablehlo.mesh = {axes = [{name = "a", size = 2 : i64}]}}
  sdy.mesh @mesh_0 = <["b"=2]> {stablehlo.mesh = {axes = [{name = "b", size = 2 : i64}]}}
  sdy.mesh @mesh_1 = <["c"=2]> {stablehlo.mesh = {axes = [{name = "c", size = 2 : i64}]}}
  sdy.mesh @mesh_2 = <["d"=2]> {stablehlo.mesh = {axes = [{name = "d", size = 2 : i64}]}}
  sdy.mesh @mesh_3 = <["e"=2]> {stablehlo.mesh = {axes = [{name = "e", size = 2 : i64}]}}
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_3, axes = [#stablehlo.axis_ref<name = "e">]>}> : (tensor<8xf32>) -> tensor<8xf32>
    %1 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_2, axes = [#stablehlo.axis_ref<name = "d">]>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<8xf32>) -> tensor<8xf32>
    %2 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_1, axes = [#stablehlo.axis_ref<name = "c">]>, scatter_dimension = 0 : i64}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %5 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) : (tensor<8xf32>) -> tensor<4xf32>
    %3 = "stablehlo.all_reduce"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "b">]>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %5 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) : (tensor<8xf32>) -> tensor<8xf32>
    %4 = "stablehlo.all_gather"(%2) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "a">]>}> : (tensor<4xf32>) -> tensor<8xf32>
    return %0, %1, %2, %3, %4 : tensor<8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-lift-inlined-meshes
// CASE: a replica group with the content of a sharding shares its mesh, shardings are first (4.1 step 4, deviation 1)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 4>]>, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>}> : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <mesh<["y"=2]>, [{"y"}]> : tensor<8xf32>
  %2 = sdy.sharding_constraint %1 <mesh<["x"=4]>, [{"x"}]> : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["y"=2]> {stablehlo.mesh = {axes = [{name = "y", size = 2 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>}> : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"y"}]> : tensor<8xf32>
    %2 = sdy.sharding_constraint %1 <@mesh_0, [{"x"}]> : tensor<8xf32>
    return %2 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-lift-inlined-meshes
// CASE: an empty module stays empty (4.1)
module {
}
// ---- becomes
module {
}
// ----------
// shardy opt --sdy-lift-inlined-meshes
// CASE: names count on where they are taken, and meshes without mesh op come first
func.func @mesh(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2], device_ids=[1, 0]>, [{"x"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<[]>, [{?}]>}) {
  return
}
// ---- becomes
module {
  sdy.mesh @mesh_0 = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
  sdy.mesh @mesh_1 = <["x"=2], device_ids=[1, 0]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}], device_ids = dense<[1, 0]> : tensor<2xi64>}}
  sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}}
  func.func @mesh(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh_1, [{"x"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@empty_mesh, [{?}]>}) {
    return
  }
}
// ----------
// shardy opt --sdy-lift-inlined-meshes
// CASE: new meshes follow the last mesh op that stays
sdy.mesh @a = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["y"=2]>, [{"y"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["z"=2]>, [{"z"}]>}) {
  return %arg0 : tensor<8xf32>
}
sdy.mesh @b = <["w"=2]>
sdy.mesh @c = <["x"=2]>
// ---- becomes
module {
  sdy.mesh @a = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"z"}]>}) {
    return %arg0 : tensor<8xf32>
  }
  sdy.mesh @b = <["w"=2]> {stablehlo.mesh = {axes = [{name = "w", size = 2 : i64}]}}
  sdy.mesh @mesh = <["y"=2]> {stablehlo.mesh = {axes = [{name = "y", size = 2 : i64}]}}
  sdy.mesh @mesh_0 = <["z"=2]> {stablehlo.mesh = {axes = [{name = "z", size = 2 : i64}]}}
}
// ----------
// shardy opt --sdy-lift-inlined-meshes
// CASE: deviation 1: meshes of replica groups are those of shardings, device ids and all
sdy.mesh @m0 = <["x"=2]>
sdy.mesh @m1 = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m0, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>], device_ids = dense<[1, 0]> : tensor<2xi64>>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
  %2 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m1, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @m0 = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
  sdy.mesh @mesh = <["x"=2], device_ids=[1, 0]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}], device_ids = dense<[1, 0]> : tensor<2xi64>}}
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m0, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
    %1 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m0, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
    %2 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m0, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
    return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-lift-inlined-meshes
// CASE: per-device ops name the mesh that stays (4.1 step 1)
sdy.mesh @a = <["x"=2]>
sdy.mesh @b = <["x"=2]>
func.func @main() -> tensor<i64> {
  %0 = "spmd.coord"() <{axes = #sdy<axis_ref_list{"x"}>, mesh = @b}> : () -> tensor<i64>
  return %0 : tensor<i64>
}
// ---- becomes
module {
  sdy.mesh @a = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
  func.func @main() -> tensor<i64> {
    %0 = "spmd.coord"() <{axes = #sdy<axis_ref_list{"x"}>, mesh = @a}> : () -> tensor<i64>
    return %0 : tensor<i64>
  }
}
