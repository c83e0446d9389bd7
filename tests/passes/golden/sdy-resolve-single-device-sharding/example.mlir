// shardy opt --sdy-resolve-single-device-sharding
// CASE: an op on one device becomes a branch and a sum over all devices (5.18)
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d1 = <[], device_ids=[1]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.reshard %arg0 <@d1, []> : tensor<8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>]>} : tensor<8xf32>
  %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @d1 = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<1> : tensor<i64>
    %2 = stablehlo.compare EQ, %1, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %3 = "stablehlo.if"(%2) ({
      %5 = stablehlo.negate %arg0 : tensor<8xf32>
      stablehlo.return %5 : tensor<8xf32>
    }, {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<8xf32>
      stablehlo.return %cst : tensor<8xf32>
    }) : (tensor<i1>) -> tensor<8xf32>
    %4 = sdy.all_reduce {"x"} %3 out_sharding=<@mesh, [{}]> : tensor<8xf32>
    return %4 : tensor<8xf32>
  }
}
