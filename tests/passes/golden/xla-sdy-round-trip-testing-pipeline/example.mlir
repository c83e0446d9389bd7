// shardy opt --xla-sdy-round-trip-testing-pipeline
// CASE: to frontend attributes and back (8)
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
}
// ----------
// shardy opt --xla-sdy-round-trip-testing-pipeline
// CASE: to frontend attributes and back: groups, barriers, priorities (8)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}p1]> : tensor<8xf32>
  sdy.sharding_group %0 group_id=12 : tensor<8xf32>
  %1 = sdy.propagation_barrier %0 allowed_direction=BACKWARD : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}p1]> : tensor<8xf32>
    sdy.sharding_group %0 group_id=12 : tensor<8xf32>
    %1 = sdy.propagation_barrier %0 allowed_direction=BACKWARD : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --xla-sdy-round-trip-testing-pipeline='enable-hlo-sharding-v3=true'
// CASE: through texts with the names of axes (8)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    %2 = stablehlo.negate %arg1 : tensor<4xf32>
    sdy.return %2 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}}
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) -> tensor<8xf32> {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
      %2 = stablehlo.negate %arg1 : tensor<4xf32>
      sdy.return %2 : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --xla-sdy-round-trip-testing-pipeline
// CASE: constraints with unreduced axes (8)
sdy.mesh @m = <["a"=2,"b"=2]>
func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}], unreduced={"b"}>}) -> tensor<4xf32> {
  %0 = sdy.sharding_constraint %x <@m, [{"a"}], unreduced={"b"}> : tensor<4xf32>
  %1 = stablehlo.reverse %0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}]>]>} : tensor<4xf32>
  return %1 : tensor<4xf32>
}
// ---- diagnostics
6:8: warning: shardings of 1 ops are dropped: only ops that carry them on purpose keep them
note: this is the first of them; shardy convert keeps them all
// ---- becomes
module {
  sdy.mesh @m = <["a"=2, "b"=2]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}], unreduced={"b"}>}) -> tensor<4xf32> {
    %0 = sdy.sharding_constraint %arg0 <@m, [{"a"}], unreduced={"b"}> : tensor<4xf32>
    %1 = stablehlo.reverse %0, dims = [0] : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
