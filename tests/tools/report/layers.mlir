// Six equal layers whose weights are gathered: rows of a report are one row for all layers.
sdy.mesh @mesh = <["data"=2, "model"=2]>
func.func @main(%0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %w: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}) -> (tensor<8x16xf32>, tensor<16x16xf32>) {
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %2 = stablehlo.tanh %1 : tensor<8x16xf32>
  %3 = stablehlo.dot_general %2, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %4 = stablehlo.tanh %3 : tensor<8x16xf32>
  %5 = stablehlo.dot_general %4, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %6 = stablehlo.tanh %5 : tensor<8x16xf32>
  %7 = stablehlo.dot_general %6, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %8 = stablehlo.tanh %7 : tensor<8x16xf32>
  %9 = stablehlo.dot_general %8, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %10 = stablehlo.tanh %9 : tensor<8x16xf32>
  %11 = stablehlo.dot_general %10, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %12 = stablehlo.tanh %11 : tensor<8x16xf32>
  %g12 = stablehlo.dot_general %12, %12, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
  %g10 = stablehlo.dot_general %10, %12, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
  %s10 = stablehlo.add %g12, %g10 : tensor<16x16xf32>
  %g8 = stablehlo.dot_general %8, %12, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
  %s8 = stablehlo.add %s10, %g8 : tensor<16x16xf32>
  %g6 = stablehlo.dot_general %6, %12, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
  %s6 = stablehlo.add %s8, %g6 : tensor<16x16xf32>
  %g4 = stablehlo.dot_general %4, %12, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
  %s4 = stablehlo.add %s6, %g4 : tensor<16x16xf32>
  %g2 = stablehlo.dot_general %2, %12, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
  %s2 = stablehlo.add %s4, %g2 : tensor<16x16xf32>
  %g0 = stablehlo.dot_general %0, %12, contracting_dims = [0] x [0] : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
  %s0 = stablehlo.add %s2, %g0 : tensor<16x16xf32>
  return %12, %s0 : tensor<8x16xf32>, tensor<16x16xf32>
}
