// shardy opt --xla-sdy-stablehlo-export-shardings='enable-hlo-sharding-v3=true'
// CASE: scalars have a word instead of a list without dims (7.1)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}, %arg1: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], replicated={"x"}>}, %arg2: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, [], unreduced={"y"}>}) {
  return
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<f32> {mhlo.sharding = "{mesh['x'=2,'y'=2], replicated}"}, %arg1: tensor<f32> {mhlo.sharding = "{mesh['x'=2,'y'=2], [], replicated={'x'}}"}, %arg2: tensor<f32> {mhlo.sharding = "{mesh['x'=2,'y'=2], [], unreduced={'y'}}"}) {
    return
  }
}
