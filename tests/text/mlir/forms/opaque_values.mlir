// Values that are kept as text: resources, quantized elements, numbers beyond f64.
func.func @main(%x: tensor<4xf32>, %y: tensor<?xf32>) {
  %0 = "stablehlo.constant"() {value = dense_resource<a> : tensor<4xf32>} : () -> tensor<4xf32>
  %1 = "stablehlo.constant"() {value = dense_resource<a> : tensor<4xf32>} : () -> tensor<4xi32>
  "check.expect_eq_const"(%x) {value = dense_resource<a> : tensor<4xf32>} : (tensor<4xf32>) -> ()
  "check.expect_eq_const"(%x) {value = dense_resource<a> : tensor<5xf32>} : (tensor<4xf32>) -> ()
  "check.expect_eq_const"(%y) {value = dense<1.0> : tensor<4xf32>} : (tensor<?xf32>) -> ()
  "a.b"() {a = tensor<4x!quant.odd,, 3.:0:0/1 .2/>, b = tensor<4x!quant.uniform<ui8<0:255><0:255>:f32, 1.0e999:0>>} : () -> ()
  return
}
