// shardy opt --sdy-per-instruction-partitioning='filter=negate'
// CASE: an op chosen by name is computed on shards, padded to equal sizes
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<6xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<6xf32>
  %1 = stablehlo.abs %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<6xf32>
  return %1 : tensor<6xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0], high = [2], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<6xf32>, tensor<f32>) -> tensor<8xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<2xf32>) {
      %4 = stablehlo.negate %arg1 : tensor<2xf32>
      sdy.return %4 : tensor<2xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    %2 = stablehlo.slice %1 [0:6] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<6xf32>
    %3 = stablehlo.abs %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<6xf32>
    return %3 : tensor<6xf32>
  }
}
// ----------
// shardy opt --sdy-per-instruction-partitioning='filter=maximum,reduce,selectLow=1,selectHigh=x,selectHigh=1'
// CASE: padding of zeros is masked by the identity of maximum (deviation 19)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<2xf32> {
  %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.maximum %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<3x2xf32>
  %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<3x2xf32>, tensor<f32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> tensor<2xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.maximum %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<3x2xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.pad %0, %cst_0, low = [0, 0], high = [1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<3x2xf32>, tensor<f32>) -> tensor<4x2xf32>
    %2 = sdy.manual_computation(%1, %cst) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, []>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg1: tensor<2x2xf32>, %arg2: tensor<f32>) {
      %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %3 = stablehlo.slice %arg1 [0:1, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>
      %4 = stablehlo.slice %arg1 [1:2, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>
      %5 = "spmd.coord"() <{axes = #sdy<axis_ref_list{"x"}>, mesh = @mesh}> : () -> tensor<i64>
      %c = stablehlo.constant dense<1> : tensor<i64>
      %6 = stablehlo.compare LT, %5, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1x2xf32>
      %8 = stablehlo.select %6, %4, %7 : tensor<i1>, tensor<1x2xf32>
      %9 = stablehlo.concatenate %3, %8, dim = 0 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
      %10 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.maximum across dimensions = [0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
      %11 = "spmd.all_reduce"(%10) <{axes = #sdy<axis_ref_list{"x"}>, mesh = @mesh}> ({
      ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
        %14 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
        stablehlo.return %14 : tensor<f32>
      }) : (tensor<2xf32>) -> tensor<2xf32>
      %12 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %13 = stablehlo.maximum %12, %11 : tensor<2xf32>
      sdy.return %13 : tensor<2xf32>
    } : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>
    return %2 : tensor<2xf32>
  }
}
// ----------
// shardy opt --sdy-per-instruction-partitioning
// CASE: an op whose operands and results have no common mesh is an error
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> tensor<4x8xf32> {
  %0 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<4x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"y"}, {}]> : tensor<4x8xf32>
  %2 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["z"=2]>, [{"z"}, {}]>]>} : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}
// ---- fails
7:8: 'stablehlo.negate' op has operands and results without a common mesh
// ----------
// shardy opt --sdy-per-instruction-partitioning='filter="reshard, all"'
// CASE: a reshard is an all-gather of shards, an inlined mesh gets a name
sdy.mesh @maximal = <[], device_ids=[0]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{}, {"x"}]>}) -> tensor<4x8xf32> {
  %0 = sdy.reshard %arg0 <mesh<["x"=2]>, [{}, {}]> : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @maximal = <[], device_ids=[0]>
  func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{}, {"x"}]>}) -> tensor<4x8xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}, {"x"}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%arg1: tensor<4x4xf32>) {
      %1 = "spmd.all_gather"(%arg1) <{axes = #sdy<axis_ref_list{"x"}>, dim = 1 : i64, mesh = @mesh}> : (tensor<4x4xf32>) -> tensor<4x8xf32>
      sdy.return %1 : tensor<4x8xf32>
    } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
// ----------
// shardy opt --sdy-per-instruction-partitioning
// CASE: calls are left as they are, with a warning
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  return %arg0 : tensor<4xf32>
}
// ---- diagnostics
5:8: warning: 'func.call' stays global: it calls a function
note: shardy partition lowers the whole program and reports the cause
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
    %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
}
