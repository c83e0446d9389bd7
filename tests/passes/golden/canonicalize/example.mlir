// shardy opt --canonicalize='enable-patterns=sdy-reshard'
// CASE: a reshard of a reshard is one reshard, labels select its patterns
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
// ----------
// shardy opt --canonicalize='enable-patterns=sdy-collective'
// CASE: an all-reduce before a slice along its axis is a reduce-scatter
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) -> tensor<8x8xf32> {
  %0 = sdy.all_reduce {"x"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_slice [{"x", "y"}, {}] %0 out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x"}>}) -> tensor<8x8xf32> {
    %0 = sdy.reduce_scatter [{"x"}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    %1 = sdy.all_slice [{"y"}, {}] %0 out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
// ----------
// shardy opt --canonicalize='enable-patterns=sdy-nothing'
// CASE: a label without patterns gets a warning and changes nothing
func.func @main() {
  return
}
// ---- diagnostics
: warning: no pattern has the label sdy-nothing
note: labels: sdy-reshard, sdy-collective
// ---- becomes
module {
  func.func @main() {
    return
  }
}
// ----------
// shardy opt --canonicalize='enable-patterns=sdy-collective'
// CASE: unused ops are erased, also a loop, but no constraint
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<i1>) -> tensor<8x8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  %2 = sdy.sharding_constraint %arg0 <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
  %3 = stablehlo.while(%iterArg = %arg1) : tensor<i1>
  cond {
    stablehlo.return %iterArg : tensor<i1>
  } do {
    stablehlo.return %iterArg : tensor<i1>
  }
  %4 = stablehlo.constant dense<0.0> : tensor<f32>
  return %arg0 : tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<i1>) -> tensor<8x8xf32> {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {"y"}]> : tensor<8x8xf32>
    return %arg0 : tensor<8x8xf32>
  }
}
