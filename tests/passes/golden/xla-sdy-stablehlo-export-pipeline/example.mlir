// shardy opt --xla-sdy-stablehlo-export-pipeline
// CASE: from sdy to the text of GSPMD (7.1)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x", ?}, {?}]>] out_shardings=[<@mesh, [{"x", ?}, {?}]>] manual_axes={"x"} (%arg1: tensor<4x4xf32>) {
    %1 = stablehlo.add %arg1, %arg1 : tensor<4x4xf32>
    %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>] manual_axes={"y"} (%arg2: tensor<4x2xf32>) {
      %3 = stablehlo.negate %arg2 : tensor<4x2xf32>
      sdy.return %3 : tensor<4x2xf32>
    } : (tensor<4x4xf32>) -> tensor<4x4xf32>
    sdy.return %2 : tensor<4x4xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = "mhlo.copy"(%arg0) {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<8x4xf32>) -> tensor<4x4xf32>
    %2 = call @xla.sdy.inlinable_manual_computation_body_0(%1) {mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = "mhlo.copy"(%2) {mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x4xf32>) -> tensor<8x4xf32>
    return %4 : tensor<8x4xf32>
  }
  func.func private @xla.sdy.inlinable_manual_computation_body(%arg0: tensor<4x2xf32> {mhlo.sharding = "{manual}"}) -> (tensor<4x2xf32> {mhlo.sharding = "{manual}"}) {
    %0 = stablehlo.negate %arg0 {mhlo.sharding = "{manual}"} : tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  }
  func.func private @xla.sdy.inlinable_manual_computation_body_0(%arg0: tensor<4x4xf32> {mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"}) -> (tensor<4x4xf32> {mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"}) {
    %0 = stablehlo.add %arg0, %arg0 {mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : tensor<4x4xf32>
    %1 = "mhlo.copy"(%0) {mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.custom_call @SPMDFullToShardShape(%1) {mhlo.sharding = "{manual}"} : (tensor<4x4xf32>) -> tensor<4x2xf32>
    %3 = call @xla.sdy.inlinable_manual_computation_body(%2) {mhlo.sharding = "{manual}"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %4 = "mhlo.copy"(%3) {mhlo.sharding = "{manual}"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %5 = stablehlo.custom_call @SPMDShardToFullShape(%4) {mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}"} : (tensor<4x2xf32>) -> tensor<4x4xf32>
    return %5 : tensor<4x4xf32>
  }
}
// ----------
// shardy opt --xla-sdy-stablehlo-export-pipeline='keep-hlo-sharding-constraints=true'
// CASE: and back
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}p1]> : tensor<8xf32>
  sdy.sharding_group %0 group_id=12 : tensor<8xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction=BACKWARD : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --xla-sdy-stablehlo-export-pipeline='keep-hlo-sharding-constraints=true'
// CASE: constraints with unreduced axes have side effects (7.1)
sdy.mesh @m = <["a"=2,"b"=2]>
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}], unreduced={"b"}>}) -> tensor<4xf32> {
  %0 = sdy.sharding_constraint %x <@m, [{"a"}], unreduced={"b"}> : tensor<4xf32>
  %1 = stablehlo.reverse %0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}]>]>} : tensor<4xf32>
  return %1 : tensor<4xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4xf32> {mhlo.sharding = "{devices=[2,2]<=[4] last_tile_dims={unreduced} metadata={op_type=\22sdy::reduction_op\22 op_name=\22SUM\22}}"}) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @Sharding(%arg0) {has_side_effect = true, mhlo.sharding = "{devices=[2,2]<=[4] last_tile_dims={unreduced} metadata={op_type=\22sdy::reduction_op\22 op_name=\22SUM\22}}"} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.reverse %0, dims = [0] {mhlo.sharding = "{devices=[2,2]<=[4] last_tile_dim_replicate}"} : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
// ----------
// shardy opt --xla-sdy-stablehlo-export-pipeline='clear-reverse-op-sharding=true'
// CASE: reverse keeps no sharding (7.1)
sdy.mesh @mesh_1 = <["axis_0"=16]>
func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh_1, [{}, {"axis_0"}]>}) -> tensor<8x16xf32> {
  %0 = stablehlo.reverse %arg0, dims = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh_1, [{}, {"axis_0"}]>]>} : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8x16xf32> {mhlo.sharding = "{devices=[1,16]<=[16]}"}) -> tensor<8x16xf32> {
    %0 = stablehlo.reverse %arg0, dims = [1] : tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}
