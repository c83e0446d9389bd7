// shardy opt --xla-sdy-export-ops
// CASE: constraints become copies (7.1)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg1: tensor<16x8xf32>) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = sdy.constant dense<1.0> : tensor<16x8xf32>
  %1 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {?}]> : tensor<16x8xf32>
  %2 = sdy.reshard %1 <@mesh, [{}, {"y"}]> : tensor<16x8xf32>
  %3 = sdy.all_gather [{}, {"y"}] %2 out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  %4 = stablehlo.add %3, %0 : tensor<16x8xf32>
  return %4 : tensor<16x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg1: tensor<16x8xf32>) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<16x8xf32>
    %0 = "mhlo.copy"(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {?}]>]>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %1 = "mhlo.copy"(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %2 = "mhlo.copy"(%1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %3 = stablehlo.add %2, %cst : tensor<16x8xf32>
    return %3 : tensor<16x8xf32>
  }
}
// ----------
// shardy opt --xla-sdy-export-ops='keep-hlo-sharding-constraints=true'
// CASE: or custom calls, with their open dims (7.1)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg1: tensor<16x8xf32>) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = sdy.constant dense<1.0> : tensor<16x8xf32>
  %1 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {?}]> : tensor<16x8xf32>
  %2 = sdy.reshard %1 <@mesh, [{}, {"y"}]> : tensor<16x8xf32>
  %3 = sdy.all_gather [{}, {"y"}] %2 out_sharding=<@mesh, [{}, {}]> : tensor<16x8xf32>
  %4 = stablehlo.add %3, %0 : tensor<16x8xf32>
  return %4 : tensor<16x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg1: tensor<16x8xf32>) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<16x8xf32>
    %0 = stablehlo.custom_call @Sharding(%arg0) {backend_config = "unspecified_dims=[1]", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {?}]>]>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %1 = stablehlo.custom_call @Sharding(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %2 = "mhlo.copy"(%1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<16x8xf32>) -> tensor<16x8xf32>
    %3 = stablehlo.add %2, %cst : tensor<16x8xf32>
    return %3 : tensor<16x8xf32>
  }
}
// ----------
// shardy opt --xla-sdy-export-ops
// CASE: edges are not part of the form
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.optimization_barrier %arg0 : tensor<8xf32>
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- fails
6:8: sdy.data_flow_edge is not part of the form of GSPMD
