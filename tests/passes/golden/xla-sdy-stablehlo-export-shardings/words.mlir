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
// ----------
// shardy opt --xla-sdy-stablehlo-export-shardings
// CASE: one leaf is for all results of control flow (7.1)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<i32>, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = "stablehlo.case"(%arg0) ({
    stablehlo.return %arg1, %arg1 : tensor<8xf32>, tensor<8xf32>
  }) : (tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<8xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) -> (tensor<8xf32>, tensor<8xf32>) {
    %0:2 = "stablehlo.case"(%arg0) ({
      stablehlo.return %arg1, %arg1 : tensor<8xf32>, tensor<8xf32>
    }) {mhlo.sharding = "{replicated}"} : (tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>)
    return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --xla-sdy-stablehlo-export-shardings='enable-hlo-sharding-v3=true'
// CASE: with names, the leaf of a loop has no mesh (7.1)
func.func @main(%arg0: tensor<f32>, %arg1: tensor<8xf32>, %arg2: tensor<i1>) -> (tensor<f32>, tensor<8xf32>) {
  %0:2 = stablehlo.while(%a = %arg0, %b = %arg1) : tensor<f32>, tensor<8xf32>
  cond {
    stablehlo.return %arg2 : tensor<i1>
  } do {
    stablehlo.return %a, %b : tensor<f32>, tensor<8xf32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<f32>, %arg1: tensor<8xf32>, %arg2: tensor<i1>) -> (tensor<f32>, tensor<8xf32>) {
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<f32>, tensor<8xf32> attributes {mhlo.sharding = "{mesh[], replicated}"}
    cond {
      stablehlo.return %arg2 : tensor<i1>
    } do {
      stablehlo.return %iterArg, %iterArg_0 : tensor<f32>, tensor<8xf32>
    }
    return %0#0, %0#1 : tensor<f32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --xla-sdy-stablehlo-export-shardings='enable-hlo-sharding-v3=true simplify-replicated-shardings=true'
// CASE: replicated axes do not matter where the mesh is omitted (7.1)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], replicated={"x"}>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}], replicated={"x"}>}, %arg2: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}], replicated={"x"}>}) {
  return
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8x8xf32> {mhlo.sharding = "{mesh[], replicated}"}, %arg1: tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=2], [{'y'}, {}], replicated={'x'}}"}, %arg2: tensor<8x8xf32> {mhlo.sharding = "{mesh['x'=2,'y'=2], [{}, {?}], replicated={'x'}}"}) {
    return
  }
}
