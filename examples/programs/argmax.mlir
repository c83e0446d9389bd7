// The largest element and its index, in one reduce of two operands.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @argmax attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in = call @inputs() : () -> tensor<4x6xf32>
    %want:2 = call @expected() : () -> (tensor<4xf32>, tensor<4xi32>)
    %v1 = stablehlo.iota dim = 1 : tensor<4x6xi32>
    %v2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %v3 = stablehlo.constant dense<0> : tensor<i32>
    %v5:2 = stablehlo.reduce(%in init: %v2), (%v1 init: %v3) across dimensions = [1] : (tensor<4x6xf32>, tensor<4x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
     reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %first = stablehlo.and %eq, %lt : tensor<i1>
      %keep = stablehlo.or %gt, %first : tensor<i1>
      %x = stablehlo.select %gt, %a, %b : tensor<i1>, tensor<f32>
      %k = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %x, %k : tensor<f32>, tensor<i32>
    }
    stablehlo.custom_call @check.expect_eq(%v5#0, %want#0) {has_side_effect = true} : (tensor<4xf32>, tensor<4xf32>) -> ()
    stablehlo.custom_call @check.expect_eq(%v5#1, %want#1) {has_side_effect = true} : (tensor<4xi32>, tensor<4xi32>) -> ()
    return
  }
  func.func private @inputs() -> tensor<4x6xf32> {
    %c0 = stablehlo.constant dense<[[4.0, 3.0, 3.0, 4.0, 1.0, 1.0], [1.0, 0.0, 2.0, 2.0, 4.0, 0.0], [4.0, 3.0, 2.0, 1.0, 3.0, 2.0], [1.0, 4.0, 1.0, 3.0, 0.0, 4.0]]> : tensor<4x6xf32>
    return %c0 : tensor<4x6xf32>
  }
  func.func private @expected() -> (tensor<4xf32>, tensor<4xi32>) {
    %c0 = stablehlo.constant dense<4.0> : tensor<4xf32>
    %c1 = stablehlo.constant dense<[0, 4, 0, 1]> : tensor<4xi32>
    return %c0, %c1 : tensor<4xf32>, tensor<4xi32>
  }
}
