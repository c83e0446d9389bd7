// CASE: each content of a mesh gets one name
// PASS: sdy-lift-inlined-meshes
sdy.mesh @m0 = <["x"=2]>
sdy.mesh @m1 = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m1, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["y"=4]>, [{"y"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<[], device_ids=[3]>, []>}) {
  return
}
// AFTER
sdy.mesh @m0 = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
sdy.mesh @mesh = <["y"=4]> {stablehlo.mesh = {axes = [{name = "y", size = 4 : i64}]}}
sdy.mesh @maximal_mesh_3 = <[], device_ids=[3]> {stablehlo.mesh = {axes = [], device_ids = dense<3> : tensor<1xi64>}}
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m0, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@maximal_mesh_3, []>}) {
  return
}
// -----
// CASE: names count on where they are taken, and meshes without mesh op come first
// PASS: sdy-lift-inlined-meshes
func.func @mesh(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2], device_ids=[1, 0]>, [{"x"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<[]>, [{?}]>}) {
  return
}
// AFTER
sdy.mesh @mesh_0 = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
sdy.mesh @mesh_1 = <["x"=2], device_ids=[1, 0]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}], device_ids = dense<[1, 0]> : tensor<2xi64>}}
sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}}
func.func @mesh(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh_1, [{"x"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@empty_mesh, [{?}]>}) {
  return
}
// -----
// CASE: new meshes stand behind the last mesh op that stays
// PASS: sdy-lift-inlined-meshes
sdy.mesh @a = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["y"=2]>, [{"y"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["z"=2]>, [{"z"}]>}) {
  return %arg0 : tensor<8xf32>
}
sdy.mesh @b = <["w"=2]>
sdy.mesh @c = <["x"=2]>
// AFTER
sdy.mesh @a = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh_0, [{"z"}]>}) {
  return %arg0 : tensor<8xf32>
}
sdy.mesh @b = <["w"=2]> {stablehlo.mesh = {axes = [{name = "w", size = 2 : i64}]}}
sdy.mesh @mesh = <["y"=2]> {stablehlo.mesh = {axes = [{name = "y", size = 2 : i64}]}}
sdy.mesh @mesh_0 = <["z"=2]> {stablehlo.mesh = {axes = [{name = "z", size = 2 : i64}]}}
// -----
// CASE: deviation 1: meshes of replica groups are those of shardings, device ids and all
// PASS: sdy-lift-inlined-meshes
sdy.mesh @m0 = <["x"=2]>
sdy.mesh @m1 = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m0, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>], device_ids = dense<[1, 0]> : tensor<2xi64>>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>]>, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
  %2 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m1, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// AFTER
sdy.mesh @m0 = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
sdy.mesh @mesh = <["x"=2], device_ids=[1, 0]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}], device_ids = dense<[1, 0]> : tensor<2xi64>}}
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m0, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m0, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
  %2 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @m0, axes = [#stablehlo.axis_ref<name = "x">]>}> : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// -----
// CASE: per-device ops name the mesh that stays (4.1 step 1)
// PASS: sdy-lift-inlined-meshes
sdy.mesh @a = <["x"=2]>
sdy.mesh @b = <["x"=2]>
func.func @main() -> tensor<i64> {
  %0 = "spmd.coord"() <{axes = #sdy<axis_ref_list{"x"}>, mesh = @b}> : () -> tensor<i64>
  return %0 : tensor<i64>
}
// AFTER
sdy.mesh @a = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
func.func @main() -> tensor<i64> {
  %0 = "spmd.coord"() <{axes = #sdy<axis_ref_list{"x"}>, mesh = @a}> : () -> tensor<i64>
  return %0 : tensor<i64>
}
