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
    %2 = call @xla.sdy.inlinable_manual_computation_body_0(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
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
    %3 = call @xla.sdy.inlinable_manual_computation_body(%2) : (tensor<4x2xf32>) -> tensor<4x2xf32>
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
