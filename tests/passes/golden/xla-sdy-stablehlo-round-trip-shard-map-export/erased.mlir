// shardy opt --xla-sdy-stablehlo-round-trip-shard-map-export='erase-manual-computations=true'
// CASE: over local shapes it becomes a plain function, inner ones first (7.1)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}], replicated={"x"}>] out_shardings=[<@mesh, [{}], replicated={"x"}>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    %1 = sdy.manual_computation(%arg1) in_shardings=[<@mesh, [{}], replicated={"y"}>] out_shardings=[<@mesh, [{}], replicated={"y"}>] manual_axes={"y"} (%arg2: tensor<4xf32>) {
      %2 = stablehlo.negate %arg2 : tensor<4xf32>
      sdy.return %2 : tensor<4xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @xla.sdy.inlinable_manual_computation_body_0(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @xla.sdy.inlinable_manual_computation_body(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.negate %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @xla.sdy.inlinable_manual_computation_body_0(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @xla.sdy.inlinable_manual_computation_body(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
// ----------
// shardy opt --xla-sdy-stablehlo-round-trip-shard-map-export='erase-manual-computations=true'
// CASE: with global shapes around it the program has no such function
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<2xf32>) {
    sdy.return %arg1 : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ---- fails
5:8: the manual computation has local shapes inside alone: it cannot become a plain function
