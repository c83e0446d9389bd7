// shardy opt --sdy-constant-or-scalar-merger
// CASE: equal constants become one, a constant with another sharding stays (5.1)
// TWICE
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main() -> tensor<8xf32> {
  %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<0.0> : tensor<8xf32>
  %1 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<0.0> : tensor<8xf32>
  %2 = sdy.constant dense<0.0> : tensor<8xf32>
  %3 = stablehlo.add %0, %1 : tensor<8xf32>
  %4 = stablehlo.add %3, %2 : tensor<8xf32>
  return %4 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main() -> tensor<8xf32> {
    %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<0.000000e+00> : tensor<8xf32>
    %1 = sdy.constant dense<0.000000e+00> : tensor<8xf32>
    %2 = stablehlo.add %0, %0 : tensor<8xf32>
    %3 = stablehlo.add %2, %1 : tensor<8xf32>
    return %3 : tensor<8xf32>
  }
}
