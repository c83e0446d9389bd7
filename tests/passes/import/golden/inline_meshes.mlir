// CASE: names of meshes become their content, and mesh ops go
// PASS: sdy-inline-meshes
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @ids = <["x"=2], device_ids=[1, 0]>
sdy.mesh @maximal = <[], device_ids=[3]>
sdy.mesh @empty = <[]>
sdy.mesh @unused = <["y"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@ids, [{"x", ?}p1]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@empty, [{?}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@maximal, []>]>} : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <mesh<["z"=2]>, [{"z"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// AFTER
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2], device_ids=[1, 0]>, [{"x", ?}p1]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<[]>, [{?}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<mesh<[], device_ids=[3]>, []>]>} : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <mesh<["z"=2]>, [{"z"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// -----
// CASE: replica groups of StableHLO collectives are inlined, too
// PASS: sdy-inline-meshes
sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// AFTER
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>, #stablehlo.mesh_axis<name = "y", size = 2>], device_ids = dense<[3, 2, 1, 0]> : tensor<4xi64>>, axes = [#stablehlo.axis_ref<name = "x">]>}> ({
  ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
    %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// CASE: shardings of all kinds of ops are self-contained
// PASS: sdy-inline-meshes
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
// AFTER
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
