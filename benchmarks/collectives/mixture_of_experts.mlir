// Experts over 8 devices: tokens go to them and back as bfloat16, a residual in float32 follows.
sdy.mesh @mesh = <["expert"=8]>
func.func @main(%x: tensor<8x16x32xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"expert"}, {}]>},
                %w1: tensor<8x32x64xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}]>},
                %w2: tensor<8x64x32xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{"expert"}, {}, {}]>})
    -> (tensor<8x16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"expert"}, {}]>}) {
  %xf = stablehlo.convert %x : (tensor<8x16x32xbf16>) -> tensor<8x16x32xf32>
  %xe = sdy.sharding_constraint %xf <@mesh, [{"expert"}, {}, {}]> : tensor<8x16x32xf32>
  %xb = stablehlo.convert %xe : (tensor<8x16x32xf32>) -> tensor<8x16x32xbf16>
  %h = stablehlo.dot_general %xb, %w1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x16x32xbf16>, tensor<8x32x64xbf16>) -> tensor<8x16x64xbf16>
  %t = stablehlo.tanh %h : tensor<8x16x64xbf16>
  %y = stablehlo.dot_general %t, %w2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<8x16x64xbf16>, tensor<8x64x32xbf16>) -> tensor<8x16x32xbf16>
  %yf = stablehlo.convert %y : (tensor<8x16x32xbf16>) -> tensor<8x16x32xf32>
  %yt = sdy.sharding_constraint %yf <@mesh, [{}, {"expert"}, {}]> : tensor<8x16x32xf32>
  %r = stablehlo.add %yt, %xf : tensor<8x16x32xf32>
  return %r : tensor<8x16x32xf32>
}
