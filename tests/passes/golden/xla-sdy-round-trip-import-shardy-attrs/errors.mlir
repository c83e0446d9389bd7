// shardy opt --xla-sdy-round-trip-import-shardy-attrs
// CASE: no string (10)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = 3 : i64}}) {
  return
}
// ---- fails
4:71: xla.sdy.sharding of argument 0 of @main is not a string
// ----------
// shardy opt --xla-sdy-round-trip-import-shardy-attrs
// CASE: text that is not an attribute (4.2)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{x}]>"}}) {
  return
}
// ---- fails
4:71: xla.sdy.sharding of argument 0 of @main: expected a string, found 'x' at 1:24 in "#sdy.sharding<@mesh, [{x}]>"
// ----------
// shardy opt --xla-sdy-round-trip-import-shardy-attrs
// CASE: another attribute (4.2)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.mesh<[]>"}}) {
  return
}
// ---- fails
4:71: xla.sdy.sharding of argument 0 of @main: expected #sdy.sharding in "#sdy.mesh<[]>"
// ----------
// shardy opt --xla-sdy-round-trip-import-shardy-attrs
// CASE: an unknown key (4.1)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.shardings = "1"}}) {
  return
}
// ---- fails
4:71: unknown frontend attribute of argument 0 of @main: xla.sdy.shardings
// ----------
// shardy opt --xla-sdy-round-trip-import-shardy-attrs
// CASE: an unknown mesh
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mash, [{}]>"}}) {
  return
}
// ---- fails
4:101: 'func.func' op arg 0 - unknown mesh: @mash
// ----------
// shardy opt --xla-sdy-round-trip-import-shardy-attrs
// CASE: another rank
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{}, {}]>"}}) {
  return
}
// ---- fails
4:71: 'func.func' op arg 0 - sharding doesn't match tensor rank: 2 != 1
// ----------
// shardy opt --xla-sdy-round-trip-import-shardy-attrs
// CASE: meshes that are none (4.2)
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mash<[]>}"}} {
}
// ---- fails
: xla.sdy.meshes of the module: unknown attribute: #sdy.mash at 1:9 in "{mesh = #sdy.mash<[]>}"
// ----------
// shardy opt --xla-sdy-round-trip-import-shardy-attrs
// CASE: a mesh with the name of another (6.2)
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{mesh = #sdy.mesh<[\22x\22=3]>}"}} {
sdy.mesh @mesh = <["x"=2]>
}
// ---- fails
: xla.sdy.meshes of the module: @mesh differs in "{mesh = #sdy.mesh<["x"=3]>}"
// ----------
// shardy opt --xla-sdy-round-trip-import-shardy-attrs
// CASE: too few shardings for the arguments (6.2)
module attributes {mhlo.frontend_attributes = {xla.sdy.tuple_args_shardings = "#sdy.sharding_per_value<[]>"}} {
func.func @main(%arg0: tensor<8xf32>) {
  return
}
}
// ---- fails
4:1: Number of actual shardings (0) does not match number of expected shardings (1 for xla.sdy.tuple_args_shardings) for function.
// ----------
// shardy opt --xla-sdy-round-trip-import-shardy-attrs
// CASE: a result without sharding (6.3)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @xla.sdy.FuncResultSharding(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
4:8: expected CustomCallOp with a sharding attribute
