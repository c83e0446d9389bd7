// shardy opt --sdy-pad-for-divisibility
// CASE: a gathered value is sliced to its size, constants grow by their element or by zeros
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<6xi32>) -> tensor<6xi32> {
  %c = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<3> : tensor<6xi32>
  %c_0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
  %0 = stablehlo.add %c, %c_0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<6xi32>
  %1 = sdy.all_gather [{"x"}] %0 out_sharding=<@mesh, [{}]> : tensor<6xi32>
  %2 = stablehlo.add %1, %arg0 : tensor<6xi32>
  return %2 : tensor<6xi32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<6xi32>) -> tensor<6xi32> {
    %c = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<3> : tensor<8xi32>
    %c_0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<[1, 2, 3, 4, 5, 6, 0, 0]> : tensor<8xi32>
    %0 = stablehlo.add %c, %c_0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xi32>
    %1 = sdy.all_gather [{"x"}] %0 out_sharding=<@mesh, [{}]> : tensor<8xi32>
    %2 = stablehlo.slice %1 [0:6] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xi32>) -> tensor<6xi32>
    %3 = stablehlo.add %2, %arg0 : tensor<6xi32>
    return %3 : tensor<6xi32>
  }
}
// ----------
// shardy opt --sdy-pad-for-divisibility
// CASE: reduced dims are masked by what the region does not notice, whatever it is
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<6xf32>) -> (tensor<f32>, tensor<6xf32>) {
  %0 = sdy.all_slice [{"x"}] %arg0 out_sharding=<@mesh, [{"x"}]> : tensor<6xf32>
  %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.maximum across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
  %2 = sdy.all_reduce max {"x"} %1 out_sharding=<@mesh, []> : tensor<f32>
  return %2, %arg0 : tensor<f32>, tensor<6xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<6xf32>) -> (tensor<f32>, tensor<6xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0], high = [2], interior = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<8xf32>
    %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xi32>
    %c = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<6> : tensor<8xi32>
    %3 = stablehlo.compare LT, %2, %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<f32>) -> tensor<8xf32>
    %5 = stablehlo.select %3, %1, %4 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xi1>, tensor<8xf32>
    %6 = stablehlo.reduce(%5 init: %cst_0) applies stablehlo.maximum across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %7 = sdy.all_reduce max {"x"} %6 out_sharding=<@mesh, []> : tensor<f32>
    return %7, %arg0 : tensor<f32>, tensor<6xf32>
  }
}
// ----------
// shardy opt --sdy-pad-for-divisibility
// CASE: a slice takes the padding, a pad first writes its value there, and is as much shorter
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<f32>) -> tensor<5x2xf32> {
  %0 = sdy.all_slice [{"x"}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<5x4xf32>
  %1 = stablehlo.slice %0 [0:5, 1:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<5x4xf32>) -> tensor<5x2xf32>
  %2 = stablehlo.pad %1, %arg1, low = [0, 0], high = [1, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<5x2xf32>, tensor<f32>) -> tensor<6x2xf32>
  %3 = stablehlo.slice %2 [0:5, 0:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<6x2xf32>) -> tensor<5x2xf32>
  %4 = sdy.all_gather [{"x"}, {}] %3 out_sharding=<@mesh, [{}, {}]> : tensor<5x2xf32>
  return %4 : tensor<5x2xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<5x4xf32>, %arg1: tensor<f32>) -> tensor<5x2xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<5x4xf32>, tensor<f32>) -> tensor<6x4xf32>
    %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<6x4xf32>
    %2 = stablehlo.slice %1 [0:6, 1:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<6x4xf32>) -> tensor<6x2xf32>
    %3 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<6x2xi32>
    %c = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} dense<5> : tensor<6x2xi32>
    %4 = stablehlo.compare LT, %3, %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<6x2xi32>, tensor<6x2xi32>) -> tensor<6x2xi1>
    %5 = stablehlo.broadcast_in_dim %arg1, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<f32>) -> tensor<6x2xf32>
    %6 = stablehlo.select %4, %2, %5 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<6x2xi1>, tensor<6x2xf32>
    %7 = stablehlo.pad %6, %arg1, low = [0, 0], high = [0, 0], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<6x2xf32>, tensor<f32>) -> tensor<6x2xf32>
    %8 = stablehlo.slice %7 [0:6, 0:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<6x2xf32>) -> tensor<6x2xf32>
    %9 = sdy.all_gather [{"x"}, {}] %8 out_sharding=<@mesh, [{}, {}]> : tensor<6x2xf32>
    %10 = stablehlo.slice %9 [0:5, 0:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<6x2xf32>) -> tensor<5x2xf32>
    return %10 : tensor<5x2xf32>
  }
}
// ----------
// shardy opt --sdy-pad-for-divisibility
// CASE: the target of an all_to_all grows before it, its source is sliced after it
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %0 = sdy.all_slice [{"x"}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<5x3xf32>
  %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@mesh, [{}, {"x"}]> : tensor<5x3xf32>
  %2 = sdy.all_gather [{}, {"x"}] %1 out_sharding=<@mesh, [{}, {}]> : tensor<5x3xf32>
  return %2 : tensor<5x3xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<5x3xf32>) -> tensor<5x3xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<5x3xf32>, tensor<f32>) -> tensor<6x3xf32>
    %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<6x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.pad %1, %cst_0, low = [0, 0], high = [0, 1], interior = [0, 0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<6x3xf32>, tensor<f32>) -> tensor<6x4xf32>
    %3 = sdy.all_to_all [{"x"}: 0->1] %2 out_sharding=<@mesh, [{}, {"x"}]> : tensor<6x4xf32>
    %4 = stablehlo.slice %3 [0:5, 0:4] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<6x4xf32>) -> tensor<5x4xf32>
    %5 = sdy.all_gather [{}, {"x"}] %4 out_sharding=<@mesh, [{}, {}]> : tensor<5x4xf32>
    %6 = stablehlo.slice %5 [0:5, 0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<5x4xf32>) -> tensor<5x3xf32>
    return %6 : tensor<5x3xf32>
  }
}
// ----------
// shardy opt --sdy-pad-for-divisibility
// CASE: Shardy wants arguments and results that divide
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return %arg1 : tensor<5xf32>
}
// ---- fails
4:1: argument #1 has a non-divisible sharding. Shardy expects function IO to be divisible.
4:1: result #0 has a non-divisible sharding. Shardy expects function IO to be divisible.
// ----------
// shardy opt --sdy-pad-for-divisibility
// CASE: ops of which no mask is known that keeps their values
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<5x3xf32>, %i: tensor<5x1xi32>, %u: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %0 = sdy.all_slice [{"x"}, {}] %i out_sharding=<@mesh, [{"x"}, {}]> : tensor<5x1xi32>
  %1 = sdy.all_slice [{"x"}, {}] %u out_sharding=<@mesh, [{"x"}, {}]> : tensor<5x3xf32>
  %2 = "stablehlo.scatter"(%arg0, %0, %1) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<5x3xf32>, tensor<5x1xi32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  %3 = sdy.all_reduce {"x"} %2 out_sharding=<@mesh, [{}, {}]> : tensor<5x3xf32>
  return %3 : tensor<5x3xf32>
}
// ---- fails
7:8: 'stablehlo.scatter' op writes updates of the unevenly sharded dimension 0
// ----------
// shardy opt --sdy-pad-for-divisibility
// CASE: tensors of an op that are sharded otherwise would be of other sizes
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"x"}]> : tensor<5xf32>
  %1 = stablehlo.negate %0 : tensor<5xf32>
  return %1 : tensor<5xf32>
}
// ---- fails
5:8: 'sdy.reshard' op inferred type(s) 'tensor<5xf32>' are incompatible with return type(s) 'tensor<6xf32>'
6:8: 'stablehlo.negate' op inferred type(s) 'tensor<6xf32>' are incompatible with return type(s) 'tensor<5xf32>'
// ----------
// shardy opt --sdy-pad-for-divisibility
// CASE: no lookup finds a row of padding
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<5x7xf32>, %i: tensor<2x2xi32>, %j: tensor<3xui8>) -> (tensor<2x2xf32>, tensor<3x7xf32>) {
  %0 = sdy.all_slice [{"x"}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<5x7xf32>
  %1 = "stablehlo.gather"(%0, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<5x7xf32>, tensor<2x2xi32>) -> tensor<2x2xf32>
  %2 = sdy.all_reduce {"x"} %1 out_sharding=<@mesh, [{}, {}]> : tensor<2x2xf32>
  %3 = "stablehlo.gather"(%0, %j) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 7>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<5x7xf32>, tensor<3xui8>) -> tensor<3x7xf32>
  %4 = sdy.all_reduce {"x"} %3 out_sharding=<@mesh, [{}, {}]> : tensor<3x7xf32>
  return %2, %4 : tensor<2x2xf32>, tensor<3x7xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<5x7xf32>, %arg1: tensor<2x2xi32>, %arg2: tensor<3xui8>) -> (tensor<2x2xf32>, tensor<3x7xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<5x7xf32>, tensor<f32>) -> tensor<6x7xf32>
    %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<6x7xf32>
    %2 = stablehlo.convert %arg1 : (tensor<2x2xi32>) -> tensor<2x2xi64>
    %c = stablehlo.constant dense<[5, 4]> : tensor<2xi64>
    %3 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<2xi64>) -> tensor<2x2xi64>
    %4 = stablehlo.minimum %2, %3 : tensor<2x2xi64>
    %5 = "stablehlo.gather"(%1, %4) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<6x7xf32>, tensor<2x2xi64>) -> tensor<2x2xf32>
    %6 = sdy.all_reduce {"x"} %5 out_sharding=<@mesh, [{}, {}]> : tensor<2x2xf32>
    %7 = stablehlo.convert %arg2 : (tensor<3xui8>) -> tensor<3xi64>
    %c_0 = stablehlo.constant dense<4> : tensor<i64>
    %8 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %9 = stablehlo.minimum %7, %8 : tensor<3xi64>
    %10 = "stablehlo.gather"(%1, %9) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 7>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<6x7xf32>, tensor<3xi64>) -> tensor<3x7xf32>
    %11 = sdy.all_reduce {"x"} %10 out_sharding=<@mesh, [{}, {}]> : tensor<3x7xf32>
    return %6, %11 : tensor<2x2xf32>, tensor<3x7xf32>
  }
}
// ----------
// shardy opt --sdy-pad-for-divisibility
// CASE: private functions take and return padded values
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
  %0 = sdy.all_slice [{"x"}] %arg0 out_sharding=<@mesh, [{"x"}]> : tensor<5xf32>
  %1 = call @outer(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<5xf32>) -> tensor<5xf32>
  %2 = sdy.all_gather [{"x"}] %1 out_sharding=<@mesh, [{}]> : tensor<5xf32>
  return %2 : tensor<5xf32>
}
func.func private @outer(%arg0: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<5xf32>
  %1 = call @inner(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<5xf32>) -> tensor<5xf32>
  return %1 : tensor<5xf32>
}
func.func private @inner(%arg0: tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return %arg0 : tensor<5xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<5xf32>) -> tensor<5xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0], high = [1], interior = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<6xf32>
    %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<6xf32>
    %2 = call @outer(%1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
    %3 = sdy.all_gather [{"x"}] %2 out_sharding=<@mesh, [{}]> : tensor<6xf32>
    %4 = stablehlo.slice %3 [0:5] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<6xf32>) -> tensor<5xf32>
    return %4 : tensor<5xf32>
  }
  func.func private @outer(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<6xf32>
    %1 = call @inner(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<6xf32>) -> tensor<6xf32>
    return %1 : tensor<6xf32>
  }
  func.func private @inner(%arg0: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    return %arg0 : tensor<6xf32>
  }
}
// ----------
// shardy opt --sdy-pad-for-divisibility
// CASE: no update is written to the padding
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<6x3xf32>, %arg1: tensor<1x2xf32>, %i: tensor<i32>) -> (tensor<6x3xf32>, tensor<6x3xf32>) {
  %0 = sdy.all_slice [{"x"}, {}] %arg0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<6x3xf32>
  %1 = stablehlo.dynamic_update_slice %0, %arg1, %i, %i {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<6x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<6x3xf32>
  %2 = sdy.all_gather [{"x"}, {}] %1 out_sharding=<@mesh, [{}, {}]> : tensor<6x3xf32>
  %c = stablehlo.constant dense<9> : tensor<i32>
  %3 = stablehlo.dynamic_update_slice %0, %arg1, %c, %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<6x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<6x3xf32>
  %4 = sdy.all_gather [{"x"}, {}] %3 out_sharding=<@mesh, [{}, {}]> : tensor<6x3xf32>
  return %2, %4 : tensor<6x3xf32>, tensor<6x3xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<6x3xf32>, %arg1: tensor<1x2xf32>, %arg2: tensor<i32>) -> (tensor<6x3xf32>, tensor<6x3xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0, 0], high = [2, 0], interior = [0, 0] : (tensor<6x3xf32>, tensor<f32>) -> tensor<8x3xf32>
    %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x3xf32>
    %2 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<i64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<5> : tensor<i64>
    %3 = stablehlo.clamp %c, %2, %c_0 : tensor<i64>
    %4 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<i64>
    %5 = stablehlo.dynamic_update_slice %1, %arg1, %3, %4 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x3xf32>, tensor<1x2xf32>, tensor<i64>, tensor<i64>) -> tensor<8x3xf32>
    %6 = sdy.all_gather [{"x"}, {}] %5 out_sharding=<@mesh, [{}, {}]> : tensor<8x3xf32>
    %7 = stablehlo.slice %6 [0:6, 0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x3xf32>) -> tensor<6x3xf32>
    %c_1 = stablehlo.constant dense<9> : tensor<i32>
    %c_2 = stablehlo.constant dense<5> : tensor<i64>
    %c_3 = stablehlo.constant dense<9> : tensor<i64>
    %8 = stablehlo.dynamic_update_slice %1, %arg1, %c_2, %c_3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x3xf32>, tensor<1x2xf32>, tensor<i64>, tensor<i64>) -> tensor<8x3xf32>
    %9 = sdy.all_gather [{"x"}, {}] %8 out_sharding=<@mesh, [{}, {}]> : tensor<8x3xf32>
    %10 = stablehlo.slice %9 [0:6, 0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x3xf32>) -> tensor<6x3xf32>
    return %7, %10 : tensor<6x3xf32>, tensor<6x3xf32>
  }
}
// ----------
// shardy opt --sdy-pad-for-divisibility
// CASE: indices of lookups that are clamped stay sharded
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<5xf32>, %arg1: tensor<3xi32>) -> tensor<3xf32> {
  %0 = sdy.all_slice [{"x"}] %arg0 out_sharding=<@mesh, [{"x"}]> : tensor<5xf32>
  %1 = sdy.all_slice [{"y"}] %arg1 out_sharding=<@mesh, [{"y"}]> : tensor<3xi32>
  %2 = "stablehlo.gather"(%0, %1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<5xf32>, tensor<3xi32>) -> tensor<3xf32>
  %3 = sdy.all_reduce {"x"} %2 out_sharding=<@mesh, [{"y"}]> : tensor<3xf32>
  %4 = sdy.all_gather [{"y"}] %3 out_sharding=<@mesh, [{}]> : tensor<3xf32>
  return %4 : tensor<3xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<5xf32>, %arg1: tensor<3xi32>) -> tensor<3xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0], high = [1], interior = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<6xf32>
    %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.pad %arg1, %c, low = [0], high = [1], interior = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
    %3 = sdy.all_slice [{"y"}] %2 out_sharding=<@mesh, [{"y"}]> : tensor<4xi32>
    %4 = stablehlo.convert %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<4xi32>) -> tensor<4xi64>
    %c_0 = stablehlo.constant dense<4> : tensor<i64>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<i64>) -> tensor<4xi64>
    %6 = stablehlo.minimum %4, %5 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<4xi64>
    %7 = "stablehlo.gather"(%1, %6) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<6xf32>, tensor<4xi64>) -> tensor<4xf32>
    %8 = sdy.all_reduce {"x"} %7 out_sharding=<@mesh, [{"y"}]> : tensor<4xf32>
    %9 = sdy.all_gather [{"y"}] %8 out_sharding=<@mesh, [{}]> : tensor<4xf32>
    %10 = stablehlo.slice %9 [0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4xf32>) -> tensor<3xf32>
    return %10 : tensor<3xf32>
  }
}
// ----------
// shardy opt --sdy-pad-for-divisibility
// CASE: groups of padding are appended to a convolution
sdy.mesh @mesh = <["x"=4]>
func.func @main(%arg0: tensor<2x5x6xf32>, %arg1: tensor<1x2x6xf32>, %arg2: tensor<3x5x2xf32>, %arg3: tensor<1x2x3xf32>) -> (tensor<2x5x6xf32>, tensor<1x5x3xf32>) {
  %0 = sdy.all_slice [{}, {}, {"x"}] %arg0 out_sharding=<@mesh, [{}, {}, {"x"}]> : tensor<2x5x6xf32>
  %1 = sdy.all_slice [{}, {}, {"x"}] %arg1 out_sharding=<@mesh, [{}, {}, {"x"}]> : tensor<1x2x6xf32>
  %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 3 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"x"}]>]>} : (tensor<2x5x6xf32>, tensor<1x2x6xf32>) -> tensor<2x5x6xf32>
  %3 = sdy.all_gather [{}, {}, {"x"}] %2 out_sharding=<@mesh, [{}, {}, {}]> : tensor<2x5x6xf32>
  %4 = sdy.all_slice [{"x"}, {}, {}] %arg2 out_sharding=<@mesh, [{"x"}, {}, {}]> : tensor<3x5x2xf32>
  %5 = sdy.all_slice [{}, {}, {"x"}] %arg3 out_sharding=<@mesh, [{}, {}, {"x"}]> : tensor<1x2x3xf32>
  %6 = stablehlo.convolution(%4, %5) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1]} {batch_group_count = 3 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"x"}]>]>} : (tensor<3x5x2xf32>, tensor<1x2x3xf32>) -> tensor<1x5x3xf32>
  %7 = sdy.all_gather [{}, {}, {"x"}] %6 out_sharding=<@mesh, [{}, {}, {}]> : tensor<1x5x3xf32>
  return %3, %7 : tensor<2x5x6xf32>, tensor<1x5x3xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%arg0: tensor<2x5x6xf32>, %arg1: tensor<1x2x6xf32>, %arg2: tensor<3x5x2xf32>, %arg3: tensor<1x2x3xf32>) -> (tensor<2x5x6xf32>, tensor<1x5x3xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0, 0, 0], high = [0, 0, 2], interior = [0, 0, 0] : (tensor<2x5x6xf32>, tensor<f32>) -> tensor<2x5x8xf32>
    %1 = sdy.all_slice [{}, {}, {"x"}] %0 out_sharding=<@mesh, [{}, {}, {"x"}]> : tensor<2x5x8xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.pad %arg1, %cst_0, low = [0, 0, 0], high = [0, 0, 2], interior = [0, 0, 0] : (tensor<1x2x6xf32>, tensor<f32>) -> tensor<1x2x8xf32>
    %3 = sdy.all_slice [{}, {}, {"x"}] %2 out_sharding=<@mesh, [{}, {}, {"x"}]> : tensor<1x2x8xf32>
    %4 = stablehlo.convolution(%1, %3) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"x"}]>]>} : (tensor<2x5x8xf32>, tensor<1x2x8xf32>) -> tensor<2x5x8xf32>
    %5 = sdy.all_gather [{}, {}, {"x"}] %4 out_sharding=<@mesh, [{}, {}, {}]> : tensor<2x5x8xf32>
    %6 = stablehlo.slice %5 [0:2, 0:5, 0:6] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}]>]>} : (tensor<2x5x8xf32>) -> tensor<2x5x6xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.pad %arg2, %cst_1, low = [0, 0, 0], high = [1, 0, 0], interior = [0, 0, 0] : (tensor<3x5x2xf32>, tensor<f32>) -> tensor<4x5x2xf32>
    %8 = sdy.all_slice [{"x"}, {}, {}] %7 out_sharding=<@mesh, [{"x"}, {}, {}]> : tensor<4x5x2xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.pad %arg3, %cst_2, low = [0, 0, 0], high = [0, 0, 1], interior = [0, 0, 0] : (tensor<1x2x3xf32>, tensor<f32>) -> tensor<1x2x4xf32>
    %10 = sdy.all_slice [{}, {}, {"x"}] %9 out_sharding=<@mesh, [{}, {}, {"x"}]> : tensor<1x2x4xf32>
    %11 = stablehlo.convolution(%8, %10) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1]} {batch_group_count = 4 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"x"}]>]>} : (tensor<4x5x2xf32>, tensor<1x2x4xf32>) -> tensor<1x5x4xf32>
    %12 = sdy.all_gather [{}, {}, {"x"}] %11 out_sharding=<@mesh, [{}, {}, {}]> : tensor<1x5x4xf32>
    %13 = stablehlo.slice %12 [0:1, 0:5, 0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}]>]>} : (tensor<1x5x4xf32>) -> tensor<1x5x3xf32>
    return %6, %13 : tensor<2x5x6xf32>, tensor<1x5x3xf32>
  }
}
// ----------
// shardy opt --sdy-pad-for-divisibility
// CASE: a shard may not have part of a group
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<2x5x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, %arg1: tensor<1x2x3xf32>) -> tensor<2x5x3xf32> {
  %0 = sdy.all_slice [{}, {}, {"x"}] %arg1 out_sharding=<@mesh, [{}, {}, {"x"}]> : tensor<1x2x3xf32>
  %1 = stablehlo.convolution(%arg0, %0) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 3 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"x"}]>]>} : (tensor<2x5x6xf32>, tensor<1x2x3xf32>) -> tensor<2x5x3xf32>
  %2 = sdy.all_gather [{}, {}, {"x"}] %1 out_sharding=<@mesh, [{}, {}, {}]> : tensor<2x5x3xf32>
  return %2 : tensor<2x5x3xf32>
}
// ---- fails
6:8: 'stablehlo.convolution' op has groups that an unevenly sharded dimension splits
// ----------
// shardy opt --sdy-pad-for-divisibility
// CASE: a kernel that covers the input grows with it
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<3x5x2xf32>, %arg1: tensor<5x2x4xf32>) -> tensor<3x1x4xf32> {
  %0 = sdy.all_slice [{}, {"x"}, {}] %arg0 out_sharding=<@mesh, [{}, {"x"}, {}]> : tensor<3x5x2xf32>
  %1 = sdy.all_slice [{"x"}, {}, {}] %arg1 out_sharding=<@mesh, [{"x"}, {}, {}]> : tensor<5x2x4xf32>
  %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}], unreduced={"x"}>]>} : (tensor<3x5x2xf32>, tensor<5x2x4xf32>) -> tensor<3x1x4xf32>
  %3 = sdy.all_reduce {"x"} %2 out_sharding=<@mesh, [{}, {}, {}]> : tensor<3x1x4xf32>
  return %3 : tensor<3x1x4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<3x5x2xf32>, %arg1: tensor<5x2x4xf32>) -> tensor<3x1x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 0, 0] : (tensor<3x5x2xf32>, tensor<f32>) -> tensor<3x6x2xf32>
    %1 = sdy.all_slice [{}, {"x"}, {}] %0 out_sharding=<@mesh, [{}, {"x"}, {}]> : tensor<3x6x2xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.pad %arg1, %cst_0, low = [0, 0, 0], high = [1, 0, 0], interior = [0, 0, 0] : (tensor<5x2x4xf32>, tensor<f32>) -> tensor<6x2x4xf32>
    %3 = sdy.all_slice [{"x"}, {}, {}] %2 out_sharding=<@mesh, [{"x"}, {}, {}]> : tensor<6x2x4xf32>
    %4 = stablehlo.convolution(%1, %3) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}], unreduced={"x"}>]>} : (tensor<3x6x2xf32>, tensor<6x2x4xf32>) -> tensor<3x1x4xf32>
    %5 = sdy.all_reduce {"x"} %4 out_sharding=<@mesh, [{}, {}, {}]> : tensor<3x1x4xf32>
    return %5 : tensor<3x1x4xf32>
  }
}
