// Functions, meshes and regions that are malformed or defined twice.
func.func f() {
  return
}
// -----
func.func @f() {
// -----
func.func @f() {
  return
}
}
// -----
func.func @f(%a) {
  return
}
// -----
func.func @f() -> tensor<4xf32> {
  return
}
// -----
func.func @f() {
}
// -----
func.func @f(%a: tensor<4xf32>, %a: tensor<4xf32>) {
  return
}
// -----
func.func @f() {
  return
}
func.func @f() {
  return
}
// -----
module {
// -----
module @ {
}
// -----
module attributes {
}
// -----
sdy.mesh @m = <["x"=2]
// -----
sdy.mesh m = <["x"=2]>
// -----
sdy.mesh @m <["x"=2]>
// -----
sdy.mesh @m = <["x"=2]>
sdy.mesh @m = <["x"=2]>
// -----
sdy.mesh @m = <["x"=2, "x"=4]>
// -----
sdy.mesh @m = <["x"=-2]>
// -----
sdy.mesh @m = <["x"=2], device_ids=[1]>
// -----
#a = 1
#a = 2
// -----
#a.b = 1
// -----
!t = tensor<4xf32>
!t = tensor<5xf32>
// -----
#a 1
// -----
!t = 
// -----
{-# no end
// -----
func.func @f() -> (tensor<4xf32> {a}
// -----
func.func @f(%a: tensor<4xf32> {sdy.sharding = 1 : i64}) {
  return
}
// -----
func.func @f(%a: tensor<4xf32>) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding_per_value<[]>}) {
  return %a : tensor<4xf32>
}
// -----
"func.func"() ({
  "func.return"() : () -> ()
}) {sym_name = "f"} : () -> ()
// -----
func.func @f() {
^bb0(%a: tensor<4xf32>):
  return
}
// -----
stablehlo.add
