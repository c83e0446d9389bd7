// shardy opt --sdy-export-pipeline
// CASE: edges sink, constraints become reshards, sub-axes of the boundary go, rules and groups go, meshes are inlined (7.3)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y":(1)2, ?}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y":(1)2, ?}]>}) {
  %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} dense<1.0> : tensor<8xf32>
  %1 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} dense<1.0> : tensor<8xf32>
  %2:2 = stablehlo.optimization_barrier %0, %1 : tensor<8xf32>, tensor<8xf32>
  %3 = sdy.data_flow_edge %2#0 sharding=<@mesh, [{"x", ?}]> : tensor<8xf32>
  %4 = sdy.data_flow_edge %2#1 : tensor<8xf32>
  sdy.sharding_group %3 group_id=0 : tensor<8xf32>
  %5 = sdy.sharding_constraint %3 <@mesh, [{"y", ?}]> : tensor<8xf32>
  %6 = stablehlo.negate %5 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y", ?}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i]) {i=8}>} : tensor<8xf32>
  return %6 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=4]>, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2, "y"=4]>, [{}]>}) {
    %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2, "y"=4]>, [{"x"}]>]>} dense<1.000000e+00> : tensor<8xf32>
    %1:2 = stablehlo.optimization_barrier {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2, "y"=4]>, [{"x"}]>, <mesh<["x"=2, "y"=4]>, [{}]>]>} %0, %0 : tensor<8xf32>, tensor<8xf32>
    %2 = sdy.reshard %1#0 <mesh<["x"=2, "y"=4]>, [{"y"}]> : tensor<8xf32>
    %3 = stablehlo.negate %2 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2, "y"=4]>, [{"y"}]>]>} : tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-export-pipeline
// CASE: partial values that nothing combines stop the pipeline (7.3 stage 9)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
5:8: 'stablehlo.negate' op dropped unreduced axis 'x' without a blessed operation (e.g., sdy.reshard). This is an invalid transition from unreduced to reduced.
// ----------
// shardy opt --sdy-export-pipeline='avoid-export-for-partitioning=true dump-directory=/does/not/exist'
// CASE: a module that cannot be saved is a warning (3.2)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
// ---- diagnostics
: warning: error when writing file /does/not/exist/00.after_propagation.mlir: cannot write /does/not/exist/00.after_propagation.mlir: No such file or directory
note: the passes run nevertheless; give a directory that can be written
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-export-pipeline
// CASE: several functions and no main are an error, the export pipeline removes sub-axes from the boundary of main (1.4, 5.7)
func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
func.func @g(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
// ---- fails
3:1: Failed to lookup function: main
// ----------
// shardy opt --sdy-export-pipeline='update-non-divisible-input-output-shardings=false' --sdy-import-pipeline
// CASE: pipelines that ask for no main need none (1.4)
func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
func.func @g(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func @g(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-export-pipeline='enable-insert-explicit-collectives=true inline-meshes=false'
// CASE: exported for partitioning with explicit collectives (7.3)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}]>}) {
  sdy.sharding_group %arg0 group_id=0 : tensor<8x4xf32>
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}>} : tensor<8x4xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{?}, {"x", ?}]> : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<8x4xf32>
    %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}
// ----------
// shardy opt --sdy-export-pipeline='avoid-export-for-partitioning=true keep-sharding-rules=true'
// CASE: exported for another propagation: groups and constraints stay, shardings are closed (7.3)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}) -> tensor<8x4xf32> {
  sdy.sharding_group %arg0 group_id=0 : tensor<8x4xf32>
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}>} : tensor<8x4xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<8x4xf32> {
    sdy.sharding_group %arg0 group_id=0 : tensor<8x4xf32>
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}>} : tensor<8x4xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}
// ----------
// shardy opt --sdy-export-pipeline='inline-meshes=false'
// CASE: sizes that do not divide lose axes at the boundary only (7.3 stage 5)
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}]>]>} : tensor<6xf32>
  return %0 : tensor<6xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}]>}) {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
