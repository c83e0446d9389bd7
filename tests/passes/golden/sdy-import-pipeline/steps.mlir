// shardy opt --sdy-import-pipeline
// CASE: every stage leaves its mark: meshes, size 1, calls, constants, manual axes, edges (7.1)
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@b, [{"o", "x"}]>}) -> tensor<8xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %0 = call @f(%c) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = stablehlo.add %arg0, %0 : tensor<8xf32>
  %2 = stablehlo.multiply %1, %0 : tensor<8xf32>
  %3 = sdy.manual_computation(%2) in_shardings=[<@b, [{"x"}]>] out_shardings=[<@b, [{"x"}]>] manual_axes={"y", "x"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %4 = sdy.sharding_constraint %3 <mesh<["z"=4]>, [{"z"}]> : tensor<8xf32>
  return %4 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@b, [{"y"}]>}) {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
sdy.mesh @a = <["x"=2, "o"=1, "y"=2]>
sdy.mesh @b = <["x"=2, "o"=1, "y"=2]>
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}]>}) -> tensor<8xf32> {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %1 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %2 = call @f_0(%0) {sdy.sharding = #sdy.sharding_per_value<[<@a, [{"y"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %3 = call @f_1(%1) {sdy.sharding = #sdy.sharding_per_value<[<@a, [{"y"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %4 = stablehlo.add %arg0, %2 : tensor<8xf32>
    %5 = stablehlo.multiply %4, %3 : tensor<8xf32>
    %6 = sdy.manual_computation(%5) in_shardings=[<@a, [{"x"}], replicated={"y"}>] out_shardings=[<@a, [{"x"}], replicated={"y"}>] manual_axes={"x", "y"} (%arg1: tensor<4xf32>) {
      %9 = sdy.data_flow_edge %arg1 sharding=<@a, [{}]> : tensor<4xf32>
      sdy.return %9 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %7 = sdy.data_flow_edge %6 sharding=<@a, [{"x"}], replicated={"y"}> : tensor<8xf32>
    %8 = sdy.sharding_constraint %7 <@mesh, [{"z"}]> : tensor<8xf32>
    return %8 : tensor<8xf32>
  }
  sdy.mesh @a = <["x"=2, "o"=1, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "o", size = 1 : i64}, {name = "y", size = 2 : i64}]}}
  sdy.mesh @mesh = <["z"=4]> {stablehlo.mesh = {axes = [{name = "z", size = 4 : i64}]}}
  func.func private @f_0(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"y"}]>}) attributes {sdy.original_func_name = "f"} {
    %0 = stablehlo.negate %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @f_1(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@a, [{"y"}]>}) attributes {sdy.original_func_name = "f"} {
    %0 = stablehlo.negate %arg0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-import-pipeline='dedup-functions-fully=true'
// CASE: for shared functions constraints move to edges and groups are counted (7.1 stages 10 to 12)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  %2 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<8xf32>
  %3 = stablehlo.add %1, %2 : tensor<8xf32>
  sdy.sharding_group %3 group_id=9 : tensor<8xf32>
  return %3 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
    %1 = sdy.data_flow_edge %0 : tensor<8xf32>
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<8xf32>
    %3 = stablehlo.negate %2 : tensor<8xf32>
    %4 = stablehlo.add %3, %2 : tensor<8xf32>
    sdy.sharding_group %4 group_id=0 : tensor<8xf32>
    return %4 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-import-pipeline
// CASE: a custom call that carries the sharding of a function result gives it to the result (4.15)
sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
func.func @main(%arg0: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.sine %arg0 : tensor<8x16xf32>
  %1 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}p1, {?}]>]>"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func @main(%arg0: tensor<8x16xf32>) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {?}]>}) {
    %0 = stablehlo.sine %arg0 : tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}
// ----------
// shardy opt --sdy-import-pipeline
// CASE: quotes that are escaped once more are quotes (4.15)
sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
func.func @main(%arg0: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.sine %arg0 : tensor<8x16xf32>
  %1 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\5C\22x\5C\22}p1, {?}]>]>"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func @main(%arg0: tensor<8x16xf32>) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {?}]>}) {
    %0 = stablehlo.sine %arg0 : tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}
// ----------
// shardy opt --sdy-import-pipeline
// CASE: of two in a row the one before the return counts (4.15 step 3)
sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
func.func @main(%arg0: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.sine %arg0 : tensor<8x16xf32>
  %1 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22y\22}, {}]>]>"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%1) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}p1, {?}]>]>"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func @main(%arg0: tensor<8x16xf32>) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {?}]>}) {
    %0 = stablehlo.sine %arg0 : tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}
// ----------
// shardy opt --sdy-import-pipeline
// CASE: a call without users speaks of its operand where that is returned (4.15 step 2)
sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
func.func @main(%arg0: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.sine %arg0 : tensor<8x16xf32>
  %1 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}p1, {?}]>]>"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func @main(%arg0: tensor<8x16xf32>) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1, {?}]>}) {
    %0 = stablehlo.sine %arg0 : tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}
// ----------
// shardy opt --sdy-import-pipeline
// CASE: in an inlined function it is a constraint that leaves the dims open (4.15 step 3)
sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
func.func @main(%arg0: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.sine %arg0 : tensor<8x16xf32>
  %1 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}p1, {}]>]>"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = stablehlo.add %1, %1 : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func @main(%arg0: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = stablehlo.sine %arg0 : tensor<8x16xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x", ?}p1, {?}]> : tensor<8x16xf32>
    %2 = stablehlo.add %1, %1 : tensor<8x16xf32>
    return %2 : tensor<8x16xf32>
  }
}
// ----------
// shardy opt --sdy-import-pipeline
// CASE: a function result that has another sharding keeps it (4.15 step 3)
sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
func.func @main(%arg0: tensor<8x16xf32>) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
  %0 = stablehlo.sine %arg0 : tensor<8x16xf32>
  %1 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}, {}]>]>"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func @main(%arg0: tensor<8x16xf32>) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) {
    %0 = stablehlo.sine %arg0 : tensor<8x16xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x", ?}, {?}]> : tensor<8x16xf32>
    return %1 : tensor<8x16xf32>
  }
}
// ----------
// shardy opt --sdy-import-pipeline
// CASE: without a mesh, or without a sharding, it is the identity (4.15 step 1)
sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
func.func @main(%arg0: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.sine %arg0 : tensor<8x16xf32>
  %1 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@nowhere, [{\22x\22}p1, {?}]>]>"}} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %2 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%1) {has_side_effect = true} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}
// ---- diagnostics
6:161: warning: the sharding of a function result that a custom call carries is left out: unknown mesh: @nowhere
note: write the sharding of the result at the function, or mend xla.sdy.sharding of the custom call
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func @main(%arg0: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = stablehlo.sine %arg0 : tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}
// ----------
// shardy opt --sdy-import-pipeline
// CASE: the import pipeline makes meshes and constants of the example of passes 7.5 its own
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}) -> tensor<8xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<8xf32>
  %0 = call @f(%arg0, %c) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f(%0, %c) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %arg0, %arg1 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @unused() { return }
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    %0 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %1 = sdy.constant dense<1.000000e+00> : tensor<8xf32>
    %2 = call @f(%arg0, %0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %3 = call @f(%2, %1) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    return %3 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-import-pipeline
// CASE: by default the import pipeline applies no constraints
sdy.mesh @mesh = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  sdy.sharding_group %0 group_id=7 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-import-pipeline='dedup-functions-fully=true'
// CASE: it does so for functions that stay shared
sdy.mesh @mesh = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  sdy.sharding_group %0 group_id=7 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
    sdy.sharding_group %0 group_id=0 : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-import-pipeline
// CASE: a collective that reads the call still finds the sharding that the call had (4.15 step 4)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8x8xf32>
  %1 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}p1, {?}]>]>"}, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = sdy.all_slice [{}, {"y"}] %1 out_sharding=<@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.negate %arg0 : tensor<8x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x", ?}p1, {?}]> : tensor<8x8xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<8x8xf32>
    %3 = sdy.all_slice [{}, {"y"}] %2 out_sharding=<@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    return %3 : tensor<8x8xf32>
  }
}
