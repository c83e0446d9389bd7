// shardy opt --xla-sdy-import-shardings
// CASE: a call between borders is a manual computation (5.7)
func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %2 = call @shmap_body(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = stablehlo.custom_call @Sharding(%2) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x4xf32>) -> tensor<8x4xf32>
  return %4 : tensor<8x4xf32>
}
func.func private @shmap_body(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["_axis_0"=2, "_axis_1"=2]>
  func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"_axis_0", ?}, {?}]>] out_shardings=[<@mesh, [{"_axis_0", ?}, {?}]>] manual_axes={"_axis_0"} (%arg1: tensor<4x4xf32>) {
      %1 = stablehlo.add %arg1, %arg1 : tensor<4x4xf32>
      sdy.return %1 : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: the same without a call; constants come in (5.7)
func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %c = stablehlo.constant dense<1.0> : tensor<4x4xf32>
  %2 = stablehlo.add %1, %c : tensor<4x4xf32>
  %3 = stablehlo.custom_call @Sharding(%2) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x4xf32>) -> tensor<8x4xf32>
  return %4 : tensor<8x4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["_axis_0"=2, "_axis_1"=2]>
  func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"_axis_0", ?}, {?}]>] out_shardings=[<@mesh, [{"_axis_0", ?}, {?}]>] manual_axes={"_axis_0"} (%arg1: tensor<4x4xf32>) {
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<4x4xf32>
      %1 = stablehlo.add %arg1, %cst_0 : tensor<4x4xf32>
      sdy.return %1 : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<4x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: a body that two calls share is copied (5.7)
func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %2 = call @shmap_body(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = stablehlo.custom_call @Sharding(%2) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x4xf32>) -> tensor<8x4xf32>
  %5 = stablehlo.custom_call @SPMDFullToShardShape(%0) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %6 = call @shmap_body(%5) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %7 = stablehlo.custom_call @Sharding(%6) {mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %8 = stablehlo.custom_call @SPMDShardToFullShape(%7) {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x4xf32>) -> tensor<8x4xf32>
  %9 = stablehlo.add %4, %8 : tensor<8x4xf32>
  return %9 : tensor<8x4xf32>
}
func.func private @shmap_body(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["_axis_0"=2, "_axis_1"=2]>
  func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"_axis_0", ?}, {?}]>] out_shardings=[<@mesh, [{"_axis_0", ?}, {?}]>] manual_axes={"_axis_0"} (%arg1: tensor<4x4xf32>) {
      %3 = stablehlo.add %arg1, %arg1 : tensor<4x4xf32>
      sdy.return %3 : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %1 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"_axis_0", ?}, {?}]>] out_shardings=[<@mesh, [{"_axis_0"}, {}]>] manual_axes={"_axis_0"} (%arg1: tensor<4x4xf32>) {
      %3 = stablehlo.add %arg1, %arg1 : tensor<4x4xf32>
      sdy.return %3 : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %2 = stablehlo.add %0, %1 : tensor<8x4xf32>
    return %2 : tensor<8x4xf32>
  }
}
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: inner computations name their own axes alone (5.7)
func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<8x4xf32>) -> tensor<4x4xf32>
  %2 = call @shmap_body(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x4xf32>) -> tensor<8x4xf32>
  return %4 : tensor<8x4xf32>
}
func.func private @shmap_body(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}"} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<4x4xf32>) -> tensor<4x2xf32>
  %2 = call @shmap_body_0(%1) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{manual}"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}"} : (tensor<4x2xf32>) -> tensor<4x4xf32>
  return %4 : tensor<4x4xf32>
}
func.func private @shmap_body_0(%arg0: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.custom_call @Sharding(%arg0) {mhlo.sharding = "{manual}"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["_axis_0"=2, "_axis_1"=2]>
  func.func @main(%arg0: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"_axis_0"}, {}]>] out_shardings=[<@mesh, [{"_axis_0"}, {}]>] manual_axes={"_axis_0"} (%arg1: tensor<4x4xf32>) {
      %1 = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{}, {"_axis_1"}]>] out_shardings=[<@mesh, [{}, {"_axis_1"}]>] manual_axes={"_axis_1"} (%arg2: tensor<4x2xf32>) {
        %2 = sdy.sharding_constraint %arg2 <@mesh, [{}, {}]> : tensor<4x2xf32>
        sdy.return %2 : tensor<4x2xf32>
      } : (tensor<4x4xf32>) -> tensor<4x4xf32>
      sdy.return %1 : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
// ----------
// shardy opt --xla-sdy-import-shardings
// CASE: no operands; unused results go (5.7)
func.func @main() -> tensor<8xf32> {
  %0:2 = call @shmap_body() : () -> (tensor<4xf32>, tensor<f32>)
  %1 = stablehlo.custom_call @Sharding(%0#0) {mhlo.sharding = "{manual}"} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.custom_call @SPMDShardToFullShape(%1) {mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @shmap_body() -> (tensor<4xf32>, tensor<f32>) {
  %c = stablehlo.constant dense<1.0> : tensor<4xf32>
  %c_0 = stablehlo.constant dense<2.0> : tensor<f32>
  return %c, %c_0 : tensor<4xf32>, tensor<f32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["_axis_0"=2]>
  func.func @main() -> tensor<8xf32> {
    %0 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, [{"_axis_0"}]>] manual_axes={"_axis_0"} () {
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<4xf32>
      %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      sdy.return %cst : tensor<4xf32>
    } : () -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
