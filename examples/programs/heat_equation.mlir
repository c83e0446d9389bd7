// Heat on a rod, by explicit steps: a sine wave decays and keeps its form.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @heat_equation attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in = call @inputs() : () -> tensor<17xf64>
    %want = call @expected() : () -> tensor<17xf64>
    %v1 = stablehlo.constant dense<0.0> : tensor<f64>
    %v2 = stablehlo.constant dense<0> : tensor<i32>
    %v3:2 = stablehlo.while(%i3_0 = %v2, %i3_1 = %in) : tensor<i32>, tensor<17xf64>
    cond {
      %v4 = stablehlo.constant dense<50> : tensor<i32>
      %v5 = stablehlo.compare LT, %i3_0, %v4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %v5 : tensor<i1>
    } do {
      %v6 = stablehlo.constant dense<1> : tensor<i32>
      %v7 = stablehlo.add %i3_0, %v6 : tensor<i32>
      %v8 = stablehlo.slice %i3_1 [1:16] : (tensor<17xf64>) -> tensor<15xf64>
      %v9 = stablehlo.slice %i3_1 [0:15] : (tensor<17xf64>) -> tensor<15xf64>
      %v10 = stablehlo.constant dense<2.0> : tensor<f64>
      %v11 = stablehlo.broadcast_in_dim %v10, dims = [] : (tensor<f64>) -> tensor<15xf64>
      %v12 = stablehlo.multiply %v8, %v11 : tensor<15xf64>
      %v13 = stablehlo.subtract %v9, %v12 : tensor<15xf64>
      %v14 = stablehlo.slice %i3_1 [2:17] : (tensor<17xf64>) -> tensor<15xf64>
      %v15 = stablehlo.add %v13, %v14 : tensor<15xf64>
      %v16 = stablehlo.constant dense<0.25> : tensor<f64>
      %v17 = stablehlo.broadcast_in_dim %v16, dims = [] : (tensor<f64>) -> tensor<15xf64>
      %v18 = stablehlo.multiply %v15, %v17 : tensor<15xf64>
      %v19 = stablehlo.add %v8, %v18 : tensor<15xf64>
      %v20 = stablehlo.pad %v19, %v1, low = [1], high = [1], interior = [0] : (tensor<15xf64>, tensor<f64>) -> tensor<17xf64>
      stablehlo.return %v7, %v20 : tensor<i32>, tensor<17xf64>
    }
    check.expect_almost_eq %v3#1, %want, tolerance = 1.0e-13 : tensor<17xf64>
    return
  }
  func.func private @inputs() -> tensor<17xf64> {
    %c0 = stablehlo.constant dense<[0.0, 0.19509032201612828, 0.3826834323650898, 0.5555702330196022, 0.7071067811865476, 0.8314696123025452, 0.9238795325112866, 0.9807852804032305, 1.0, 0.9807852804032305, 0.9238795325112867, 0.8314696123025455, 0.7071067811865477, 0.5555702330196021, 0.3826834323650899, 0.1950903220161286, 1.2246467991473532e-16]> : tensor<17xf64>
    return %c0 : tensor<17xf64>
  }
  func.func private @expected() -> tensor<17xf64> {
    %c0 = stablehlo.constant dense<[0.0, 0.12039430490648109, 0.23616192419331017, 0.3428539731745232, 0.4363703362413627, 0.5131172320057504, 0.5701453203036161, 0.6052630436833932, 0.6171208477298428, 0.6052630436833932, 0.5701453203036161, 0.5131172320057505, 0.43637033624136273, 0.3428539731745231, 0.23616192419331022, 0.1203943049064813, 7.557550708594531e-17]> : tensor<17xf64>
    return %c0 : tensor<17xf64>
  }
}
