// CASE: axes of size 1 leave dims, replicated and unreduced axes
// PASS: sdy-remove-size-one-axes
sdy.mesh @mesh = <["x"=2, "o"=1, "p"=1]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"o"}p1, {"x", "p", ?}p0]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"o", ?}p1, {}], replicated={"p"}>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}], unreduced={"x", "o"}>}) {
  return %arg0 : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2, "o"=1, "p"=1]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", ?}p0]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}], unreduced={"x"}>}) {
  return %arg0 : tensor<8x8xf32>
}
// -----
// CASE: deviation 2: inlined meshes alone do not start it
// PASS: sdy-remove-size-one-axes
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["o"=1]>, [{"o"}]>}) {
  return
}
// AFTER
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["o"=1]>, [{"o"}]>}) {
  return
}
// -----
// CASE: inlined meshes are cleaned once it runs, manual axes are left alone
// PASS: sdy-remove-size-one-axes
sdy.mesh @mesh = <["x"=2, "o"=1]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["o"=1, "y"=2]>, [{"o", "y"}]>}) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"o", "x"}]>] out_shardings=[<@mesh, [{"x"}], replicated={"o"}>] manual_axes={"x", "o"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2, "o"=1]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["o"=1, "y"=2]>, [{"y"}]>}) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x", "o"} (%arg1: tensor<4xf32>) {
    sdy.return %arg1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// CASE: parts of an axis around one of size 1 become one
// PASS: sdy-remove-size-one-axes
sdy.mesh @mesh = <["x"=4, "o"=1]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, "o", "x":(2)2}]>}) {
  return
}
// AFTER
sdy.mesh @mesh = <["x"=4, "o"=1]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return
}
