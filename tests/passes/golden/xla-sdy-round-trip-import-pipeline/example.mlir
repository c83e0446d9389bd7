// shardy opt --xla-sdy-round-trip-import-pipeline
// CASE: from frontend attributes and custom calls to sdy (6.1)
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=2]>}"}} {
  func.func @main(%arg0: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22x\22, ?}p1]>"}, mhlo.sharding = "{devices=[2]<=[2]}"}) -> (tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) {
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}]>]>"}, mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%0) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding_per_value<[<@mesh, [{\22x\22}p1]>]>"}} : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p1]>}) {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --xla-sdy-round-trip-import-pipeline
// CASE: a body without operands and results (6.6)
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{m = #sdy.mesh<[\22a\22=2]>}"}} {
  func.func @main(%x: tensor<4xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@m, [{\22a\22}]>"}}) -> tensor<4xf32> {
    call @xla.sdy.manual_computation_body_0() {mhlo.frontend_attributes = {inlineable = "false"}} : () -> ()
    return %x : tensor<4xf32>
  }
  func.func private @xla.sdy.manual_computation_body_0() {
    stablehlo.custom_call @log_step() {has_side_effect = true} : () -> ()
    return
  }
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}) -> tensor<4xf32> {
    sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
      stablehlo.custom_call @log_step() {has_side_effect = true} : () -> ()
      sdy.return
    } : () -> ()
    return %arg0 : tensor<4xf32>
  }
}
// ----------
// shardy opt --xla-sdy-round-trip-import-pipeline
// CASE: nested tuples around a body (5.5)
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{m = #sdy.mesh<[\22a\22=2]>}"}} {
  func.func @main(%lo: tensor<8xui32>, %hi: tensor<8xui32>, %w: tensor<8xui32>) -> tensor<8xui32> {
    %pair = stablehlo.tuple %lo, %hi : tuple<tensor<8xui32>, tensor<8xui32>>
    %in = stablehlo.custom_call @xla.sdy.GlobalToLocalShape(%pair, %w) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.in_shardings = "#sdy.sharding_per_value<[<@m, [{\22a\22}]>, <@m, [{\22a\22}]>, <@m, [{\22a\22}]>]>", xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22}>"}} : (tuple<tensor<8xui32>, tensor<8xui32>>, tensor<8xui32>) -> tuple<tuple<tensor<4xui32>, tensor<4xui32>>, tensor<4xui32>>
    %p = stablehlo.get_tuple_element %in[0] : (tuple<tuple<tensor<4xui32>, tensor<4xui32>>, tensor<4xui32>>) -> tuple<tensor<4xui32>, tensor<4xui32>>
    %q = stablehlo.get_tuple_element %in[1] : (tuple<tuple<tensor<4xui32>, tensor<4xui32>>, tensor<4xui32>>) -> tensor<4xui32>
    %r = stablehlo.get_tuple_element %p[0] : (tuple<tensor<4xui32>, tensor<4xui32>>) -> tensor<4xui32>
    %s = stablehlo.get_tuple_element %p[1] : (tuple<tensor<4xui32>, tensor<4xui32>>) -> tensor<4xui32>
    %t = call @xla.sdy.manual_computation_body(%r, %s, %q) : (tensor<4xui32>, tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
    %u = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%t) {has_side_effect = true, mhlo.frontend_attributes = {xla.sdy.manual_axes = "#sdy<manual_axes{\22a\22}>", xla.sdy.out_shardings = "#sdy.sharding_per_value<[<@m, [{\22a\22}]>]>"}} : (tensor<4xui32>) -> tensor<8xui32>
    return %u : tensor<8xui32>
  }
  func.func private @xla.sdy.manual_computation_body(%x: tensor<4xui32>, %y: tensor<4xui32>, %z: tensor<4xui32>) -> tensor<4xui32> {
    %0 = stablehlo.add %x, %y : tensor<4xui32>
    %1 = stablehlo.subtract %0, %z : tensor<4xui32>
    return %1 : tensor<4xui32>
  }
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2]>
  func.func @main(%arg0: tensor<8xui32>, %arg1: tensor<8xui32>, %arg2: tensor<8xui32>) -> tensor<8xui32> {
    %0 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@m, [{"a"}]>, <@m, [{"a"}]>, <@m, [{"a"}]>] out_shardings=[<@m, [{"a"}]>] manual_axes={"a"} (%arg3: tensor<4xui32>, %arg4: tensor<4xui32>, %arg5: tensor<4xui32>) {
      %1 = stablehlo.add %arg3, %arg4 : tensor<4xui32>
      %2 = stablehlo.subtract %1, %arg5 : tensor<4xui32>
      sdy.return %2 : tensor<4xui32>
    } : (tensor<8xui32>, tensor<8xui32>, tensor<8xui32>) -> tensor<8xui32>
    return %0 : tensor<8xui32>
  }
}
// ----------
// shardy opt --xla-sdy-round-trip-import-pipeline
// CASE: the name that a function had, as an attribute of its own (6.2)
sdy.mesh @m = <["a"=2]>
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}) -> tensor<4xf32> {
  %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {xla.sdy.original_func_name = "f"} {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ---- becomes
module {
  sdy.mesh @m = <["a"=2]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}) -> tensor<4xf32> {
    %0 = sdy.named_computation<"f">(%arg0) (%arg1: tensor<4xf32>) {
      %2 = sdy.data_flow_edge %arg1 : tensor<4xf32>
      %3 = stablehlo.negate %2 : tensor<4xf32>
      sdy.return %3 : tensor<4xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    %1 = sdy.data_flow_edge %0 : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
