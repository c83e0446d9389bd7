// shardy opt --sdy-remove-size-one-axes
// CASE: axes of size 1 leave dims, replicated and unreduced axes
sdy.mesh @mesh = <["x"=2, "o"=1, "p"=1]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"o"}p1, {"x", "p", ?}p0]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"o", ?}p1, {}], replicated={"p"}>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}], unreduced={"x", "o"}>}) {
  return %arg0 : tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "o"=1, "p"=1]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", ?}p0]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}], unreduced={"x"}>}) {
    return %arg0 : tensor<8x8xf32>
  }
}
