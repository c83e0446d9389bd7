// shardy opt --sdy-drop-sharding-and-mesh
// CASE: ops in regions, arguments and results of all functions; inherent shardings stay (5.17)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {mine = "a", sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<i1>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.while(%a = %arg0) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
  cond {
    stablehlo.return %arg1 : tensor<i1>
  } do {
    %2 = func.call @f(%a) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }
  %1 = sdy.reshard %0 <mesh<["x"=2]>, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
sdy.mesh @late = <[]>
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32> {mine = "a"}, %arg1: tensor<i1>) -> tensor<8xf32> {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<8xf32>
    cond {
      stablehlo.return %arg1 : tensor<i1>
    } do {
      %2 = func.call @f(%iterArg) : (tensor<8xf32>) -> tensor<8xf32>
      stablehlo.return %2 : tensor<8xf32>
    }
    %1 = sdy.reshard %0 <mesh<["x"=2]>, [{"x"}]> : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func private @f(tensor<8xf32>) -> tensor<8xf32>
}
// ----------
// shardy opt --sdy-drop-sharding-and-mesh
// CASE: meshes that inherent shardings and per-device ops name stay (5.17)
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @of_devices = <["y"=2]>
sdy.mesh @unused = <["z"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@unused, [{"z"}]>}) -> (tensor<8xf32>, tensor<i64>) {
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
  %1 = "spmd.coord"() <{axes = #sdy<axis_ref_list{"y"}>, mesh = @of_devices}> : () -> tensor<i64>
  return %0, %1 : tensor<8xf32>, tensor<i64>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @of_devices = <["y"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<i64>) {
    %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<8xf32>
    %1 = "spmd.coord"() <{axes = #sdy<axis_ref_list{"y"}>, mesh = @of_devices}> : () -> tensor<i64>
    return %0, %1 : tensor<8xf32>, tensor<i64>
  }
}
// ----------
// shardy opt --sdy-drop-sharding-and-mesh
// CASE: collectives, which mean nothing without shardings, are refused (5.17)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = sdy.all_gather [{"x"}] %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
5:8: 'sdy.all_gather' op is defined by the shardings of its operand and result
// ----------
// shardy opt --sdy-drop-sharding-and-mesh
// CASE: the lists of the module name meshes, too (5.17)
module @train attributes {mine = 1 : i32, sdy.output_shardings = #sdy.sharding_per_value<[<@mesh, []>]>, sdy.parameters_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
// ---- becomes
module @train attributes {mine = 1 : i32} {
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
