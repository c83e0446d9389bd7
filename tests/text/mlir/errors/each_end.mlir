// Errors that are found at the end of an op, an attribute or a file.
func.func @f(%x: tensor<4xf32>) {
  "stablehlo.einsum"(%x, %x) <{einsum_config = "i,i->i"}> : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}
// -----
# = 1
// -----
func.func @f(%x: tensor<4xf32>) {
  check.expect_eq_const %x, dense_resource<a>
  return
}
// -----
func.func @f(%x: tensor<4xf32>) {
  check.expect_eq_const %x, dense_resource<" : 1">
  return
}
// -----
func.func @f() {
  "foo.bar"() <{a = 1}> {shardy.properties = {b = 1}} : () -> ()
  return
}
// -----
func.func @f() {
  %0 = "foo.bar"() : () -> ()
  return
}
// -----
"func.func"() <{sym_name = "f", function_type = (tensor<f32>) -> ()}> ({
^bb0(%x: tensor<i32>):
  "func.return"() : () -> ()
}) : () -> ()
// -----
func.func @f(%t: !stablehlo.token) {
  %0 = stablehlo.reduce(%t init: %t) applies stablehlo.add across dimensions = [0] : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
  return
}
// -----
func.func @f(%n: tensor<4xi32>) {
  %0 = chlo.erf %n : tensor<4xi32> -> tensor<4xi32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>) {
  %0 = chlo.mulhi %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>) {
  %0 = chlo.is_inf %x : tensor<4xf32> -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensr<4xf32>) {
  return
}
// -----
func.func @f() {
  "foo.bar"() {a = tru} : () -> ()
  return
}
// -----
func.func private @f(tensor<4xi6//>)
)
// -----
"builtin.module"() : () -> ()
// -----
"builtin.module"() ({
  func.func @f() {
    return
  }
^bb1:
  func.func @g() {
    return
  }
}) : () -> ()
