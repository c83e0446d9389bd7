// Malformed text, of which all errors are found.
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %y : tensor<4xf32>
}
// -----
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xi32>
  %0 = stablehlo.add %x,    : tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  %2 = stablehlo.nothing %0 {
    a = 1
  } : tensor<4xf32>
  %3 = stablehlo.sort %x : tensor<4xf32>
}
// -----
func.func @f(%x: tensor<4x2xf32>, %i: tensor<1xi32>, %u: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {
    scatter_dimension_numbers = #stablehlo.scatter<update_dims = [0]>,
    unique_indices = true
  } : (tensor<4x2xf32>, tensor<1xi32>, tensor<2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = mhlo.abs %x : tensor<4xf32>
  vhlo.return_v1 %x : tensor<4xf32>
}
// -----
func.func @f(%x: tensor<4xf32>) {
  %0:2 = stablehlo.negate %x : tensor<4xf32>
  %x = stablehlo.negate %x : tensor<4xf32>
  %1 = stablehlo.negate %0#1 : tensor<4xf32>
  return
}
// -----
func.func @f() {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>
  %0 = stablehlo.constant  dense<[1, 2]> : tensor<3xi32>
  %1 = stablehlo.constant dense<[1, 256]> : tensor<2xui8>
  %2 = stablehlo.constant {a = 1 : i64, b = [2, {c}], a} dense<0> : tensor<i32>
  return
}
// -----
func.func @f(%x: tensor<4x2xf32>) {
  "stablehlo.transpose"(%x) : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}
// -----
module {
func.func @f() { 
  return
