// shardy opt --xla-sdy-round-trip-shard-map-import
// CASE: names with prefix and suffix; a body that two calls share
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%arg0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22, ?}, {?}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}} : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = call @p.xla.sdy.manual_computation_body_14.1234(%0) {mhlo.frontend_attributes = {inlineable = "false"}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%1) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22, ?}, {?}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}} : (tensor<4x4xf32>) -> tensor<8x4xf32>
  %3 = call @p.xla.sdy.manual_computation_body_14.1234(%0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%3) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22, ?}, {?}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}} : (tensor<4x4xf32>) -> tensor<8x4xf32>
  %5 = stablehlo.add %2, %4 : tensor<8x4xf32>
  return %5 : tensor<8x4xf32>
}
func.func private @p.xla.sdy.manual_computation_body_14.1234(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", ?}, {?}]>] out_shardings=[<@mesh, [{"x", ?}, {?}]>] manual_axes={"x"} (%arg1: tensor<4x4xf32>) {
      %3 = stablehlo.add %arg1, %arg1 : tensor<4x4xf32>
      sdy.return %3 : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", ?}, {?}]>] out_shardings=[<@mesh, [{"x", ?}, {?}]>] manual_axes={"x"} (%arg1: tensor<4x4xf32>) {
      %3 = stablehlo.add %arg1, %arg1 : tensor<4x4xf32>
      sdy.return %3 : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %2 = stablehlo.add %0, %1 : tensor<8x4xf32>
    return %2 : tensor<8x4xf32>
  }
}
// ----------
// shardy opt --xla-sdy-round-trip-shard-map-import
// CASE: no operands; no results; neither
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @xla.sdy.manual_computation_body_0() : () -> tensor<4xf32>
  %1 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%0) {mhlo.frontend_attributes = {xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}} : (tensor<4xf32>) -> tensor<8xf32>
  %2 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%arg0) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}} : (tensor<8xf32>) -> tensor<4xf32>
  call @xla.sdy.manual_computation_body_1(%2) : (tensor<4xf32>) -> ()
  call @xla.sdy.manual_computation_body_2() {mhlo.frontend_attributes = {xla.sdy.manual_axes = "#sdy<manual_axes{}>"}} : () -> ()
  return %1 : tensor<8xf32>
}
func.func private @xla.sdy.manual_computation_body_0() -> tensor<4xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<4xf32>
  return %c : tensor<4xf32>
}
func.func private @xla.sdy.manual_computation_body_1(%arg0: tensor<4xf32>) {
  return
}
func.func private @xla.sdy.manual_computation_body_2() {
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} () {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
      sdy.return %cst : tensor<4xf32>
    } : () -> tensor<8xf32>
    sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[] manual_axes={"x"} (%arg1: tensor<4xf32>) {
      sdy.return
    } : (tensor<8xf32>) -> ()
    sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
      sdy.return
    } : () -> ()
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --xla-sdy-round-trip-shard-map-import
// CASE: a value without elements may have become a constant on the way in; unused borders go
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<0xf32>) -> tensor<8xf32> {
  %0:2 = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%arg0, %arg1) {mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>, <@mesh, [{}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}} : (tensor<8xf32>, tensor<0xf32>) -> (tensor<4xf32>, tensor<0xf32>)
  %c = stablehlo.constant dense<> : tensor<0xf32>
  %1 = call @xla.sdy.manual_computation_body(%0#0, %c) : (tensor<4xf32>, tensor<0xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%1) {mhlo.frontend_attributes = {xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22x\22}>"}} : (tensor<4xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @xla.sdy.manual_computation_body(%arg0: tensor<4xf32>, %arg1: tensor<0xf32>) -> tensor<4xf32> {
  return %arg0 : tensor<4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<0xf32>) -> tensor<8xf32> {
    %cst = stablehlo.constant dense<> : tensor<0xf32>
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg2: tensor<4xf32>, %arg3: tensor<0xf32>) {
      sdy.return %arg2 : tensor<4xf32>
    } : (tensor<8xf32>, tensor<0xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
