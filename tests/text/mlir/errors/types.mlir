// Types, symbols and shardings that do not fit their ops, all in one function.
func.func @f(%x: tensor<4x2xf32>, %i: tensor<2x1xi32>) {
  %0 = stablehlo.add %x, %x : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x3xf32>
  %1 = stablehlo.transpose %x, dims = [0, 0] : (tensor<4x2xf32>) -> tensor<2x4xf32>
  %2 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x2xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  %3 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<8x2xf32>
  %4 = "stablehlo.sort"(%x) <{dimension = 2 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %5 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %6 = call @nowhere(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %x : tensor<4x2xf32>
}
// -----
sdy.mesh @m = <["x"=2]>
func.func @f(%x: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@m, [{"y"}, {}]>}) {
  %0 = sdy.reshard %x <@n, [{}, {}]> : tensor<4x2xf32>
  return
}
