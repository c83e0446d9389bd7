// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true lowering-rules=true common-axes=best move-shardings=true'
// CASE: the value between two products gets the axes of the weights, through an elementwise op (C.7)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}, %u: tensor<6x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %v: tensor<48x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %u, contracting_dims = [2] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}, {}]>]>} : (tensor<8x8x6xf32>, tensor<6x48xf32>) -> tensor<8x8x48xf32>
  %1 = stablehlo.abs %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}, {}]>]>} : tensor<8x8x48xf32>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [2] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}, {}]>]>} : (tensor<8x8x48xf32>, tensor<48x6xf32>) -> tensor<8x8x6xf32>
  return %2 : tensor<8x8x6xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}, %arg1: tensor<6x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg2: tensor<48x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"y"}, {}, {}]> {sdy.cause = ["stablehlo.dot_general", "operand 0", "the op is sharded along another dim on these axes"]} : tensor<8x8x6xf32>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [2] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}, {"x"}]>]>} : (tensor<8x8x6xf32>, tensor<6x48xf32>) -> tensor<8x8x48xf32>
    %2 = stablehlo.abs %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}, {"x"}]>]>} : tensor<8x8x48xf32>
    %3 = stablehlo.dot_general %2, %arg2, contracting_dims = [2] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}, {}]>]>} : (tensor<8x8x48xf32>, tensor<48x6xf32>) -> tensor<8x8x6xf32>
    %4 = sdy.all_reduce {"x"} %3 out_sharding=<@mesh, [{"y"}, {}, {}]> {sdy.cause = ["stablehlo.dot_general", "result 0", "the op is not sharded along this dim"]} : tensor<8x8x6xf32>
    %5 = sdy.reshard %4 <@mesh, [{"y"}, {"x"}, {}]> : tensor<8x8x6xf32>
    return %5 : tensor<8x8x6xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true lowering-rules=true common-axes=best move-shardings=true'
// CASE: a value with the sharding of the source program keeps it (C.7)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}, %u: tensor<6x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %v: tensor<48x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %u, contracting_dims = [2] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}, {}]>]>, sdy.written} : (tensor<8x8x6xf32>, tensor<6x48xf32>) -> tensor<8x8x48xf32>
  %1 = stablehlo.dot_general %0, %v, contracting_dims = [2] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}, {}]>]>} : (tensor<8x8x48xf32>, tensor<48x6xf32>) -> tensor<8x8x6xf32>
  return %1 : tensor<8x8x6xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}, %arg1: tensor<6x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg2: tensor<48x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}) {
    %0 = sdy.reshard %arg1 <@mesh, [{}, {}]> {sdy.cause = ["stablehlo.dot_general", "operand 1", "the op is sharded along another dim on these axes"]} : tensor<6x48xf32>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [2] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}, {}]>]>, sdy.written} : (tensor<8x8x6xf32>, tensor<6x48xf32>) -> tensor<8x8x48xf32>
    %2 = sdy.reshard %arg2 <@mesh, [{}, {}]> {sdy.cause = ["stablehlo.dot_general", "operand 1", "the op is sharded along another dim on these axes"]} : tensor<48x6xf32>
    %3 = stablehlo.dot_general %1, %2, contracting_dims = [2] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}, {}]>]>} : (tensor<8x8x48xf32>, tensor<48x6xf32>) -> tensor<8x8x6xf32>
    return %3 : tensor<8x8x6xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true lowering-rules=true common-axes=best move-shardings=true'
// CASE: a value that a loop reads keeps its sharding (C.7)
sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @main(%a: tensor<8x8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}, %u: tensor<6x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %v: tensor<48x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %p: tensor<i1>) -> (tensor<8x8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %u, contracting_dims = [2] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}, {}]>]>} : (tensor<8x8x6xf32>, tensor<6x48xf32>) -> tensor<8x8x48xf32>
  %1 = stablehlo.while(%w = %0) : tensor<8x8x48xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}, {}]>]>}
  cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %w : tensor<8x8x48xf32>
  }
  %2 = stablehlo.dot_general %0, %v, contracting_dims = [2] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}, {}]>]>} : (tensor<8x8x48xf32>, tensor<48x6xf32>) -> tensor<8x8x6xf32>
  return %2 : tensor<8x8x6xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  func.func @main(%arg0: tensor<8x8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}, %arg1: tensor<6x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg2: tensor<48x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg3: tensor<i1>) -> (tensor<8x8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}, {}]>}) {
    %0 = sdy.reshard %arg1 <@mesh, [{}, {}]> {sdy.cause = ["stablehlo.dot_general", "operand 1", "the op is sharded along another dim on these axes"]} : tensor<6x48xf32>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [2] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}, {}]>]>} : (tensor<8x8x6xf32>, tensor<6x48xf32>) -> tensor<8x8x48xf32>
    %2 = stablehlo.while(%iterArg = %1) : tensor<8x8x48xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}, {}]>]>}
    cond {
      stablehlo.return %arg3 : tensor<i1>
    } do {
      stablehlo.return %iterArg : tensor<8x8x48xf32>
    }
    %3 = sdy.reshard %arg2 <@mesh, [{}, {}]> {sdy.cause = ["stablehlo.dot_general", "operand 1", "the op is sharded along another dim on these axes"]} : tensor<48x6xf32>
    %4 = stablehlo.dot_general %1, %3, contracting_dims = [2] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}, {}]>]>} : (tensor<8x8x48xf32>, tensor<48x6xf32>) -> tensor<8x8x6xf32>
    return %4 : tensor<8x8x6xf32>
  }
}
