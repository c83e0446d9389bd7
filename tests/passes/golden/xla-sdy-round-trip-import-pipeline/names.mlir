// shardy opt --xla-sdy-round-trip-import-pipeline='enable-hlo-sharding-v3=true'
// CASE: texts with the names of axes, on meshes that become one
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2, \22y\22=4]>}"}} {
  func.func @main(%arg0: tensor<16x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=4], [{'y', ?}, {'x'}]}"}) -> (tensor<16x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=4], [{}, {?}], replicated={'x'}}"}) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{mesh['x'=2,'y'=4], [{'x'}, {?}]}"} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    stablehlo.custom_call @xla.sdy.ShardingGroup(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "3 : i64"}} : (tensor<16x8xf32>) -> ()
    %1 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.allowed_direction = "1 : i32"}} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %2 = stablehlo.add %1, %1 {mhlo.frontend_attributes = {xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=16, j=8}>"}, mhlo.sharding = "{mesh['x'=2,'y'=4], [{'x'}, {}], unreduced=max{'y'}}"} : tensor<16x8xf32>
    %3 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%2) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}, {\22y\22, ?}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}} : (tensor<16x8xf32>) -> tensor<8x8xf32>
    %4 = call @xla.sdy.manual_computation_body(%3) {mhlo.frontend_attributes = {inlineable = "false"}} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %5 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%4) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>", xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}, {?}]>]>"}} : (tensor<8x8xf32>) -> tensor<16x8xf32>
    return %5 : tensor<16x8xf32>
  }
  func.func private @xla.sdy.manual_computation_body(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    return %arg0 : tensor<8x8xf32>
  }
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}, {"x"}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}], replicated={"x"}>}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {?}]> : tensor<16x8xf32>
    sdy.sharding_group %0 group_id=3 : tensor<16x8xf32>
    %1 = sdy.propagation_barrier %0 allowed_direction=FORWARD : tensor<16x8xf32>
    %2 = stablehlo.add %1, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}], unreduced=max{"y"}>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=16, j=8}>} : tensor<16x8xf32>
    %3 = sdy.manual_computation(%2) in_shardings=[<@mesh, [{"x"}, {"y", ?}]>] out_shardings=[<@mesh, [{"x"}, {?}]>] manual_axes={"x"} (%arg1: tensor<8x8xf32>) {
      sdy.return %arg1 : tensor<8x8xf32>
    } : (tensor<16x8xf32>) -> tensor<16x8xf32>
    return %3 : tensor<16x8xf32>
  }
}
// ----------
// shardy opt --xla-sdy-round-trip-import-pipeline='enable-hlo-sharding-v3=true'
// CASE: the leaves of a call are for the elements of its tuple (5.5, 6.4)
func.func @main(%arg0: tensor<8xf32>) -> tuple<tensor<8xf32>, tensor<8xf32>> {
  %0 = stablehlo.custom_call @xla_python_cpu_callback(%arg0) {mhlo.sharding = "{{mesh['r'=2], [{'r'}]}, {mesh['r'=2], [{?}]}}"} : (tensor<8xf32>) -> tuple<tensor<8xf32>, tensor<8xf32>>
  return %0 : tuple<tensor<8xf32>, tensor<8xf32>>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["r"=2]> {stablehlo.mesh = {axes = [{name = "r", size = 2 : i64}]}}
  func.func @main(%arg0: tensor<8xf32>) -> tuple<tensor<8xf32>, tensor<8xf32>> {
    %0:2 = stablehlo.custom_call @xla_python_cpu_callback(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"r"}]>, <@mesh, [{?}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1 = stablehlo.tuple %0#0, %0#1 : tuple<tensor<8xf32>, tensor<8xf32>>
    return %1 : tuple<tensor<8xf32>, tensor<8xf32>>
  }
}
