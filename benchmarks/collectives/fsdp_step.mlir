// Fully sharded data parallel: weights and their gradients are sharded over all devices, products take bfloat16.
sdy.mesh @mesh = <["data"=8]>
func.func @main(%x: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                %w1: tensor<32x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                %w2: tensor<128x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>})
    -> (tensor<32x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
        tensor<128x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) {
  %xb = stablehlo.convert %x : (tensor<64x32xf32>) -> tensor<64x32xbf16>
  %w1w = sdy.sharding_constraint %w1 <@mesh, [{}, {}]> : tensor<32x128xf32>
  %w1b = stablehlo.convert %w1w : (tensor<32x128xf32>) -> tensor<32x128xbf16>
  %w2w = sdy.sharding_constraint %w2 <@mesh, [{}, {}]> : tensor<128x32xf32>
  %w2b = stablehlo.convert %w2w : (tensor<128x32xf32>) -> tensor<128x32xbf16>
  %h = stablehlo.dot_general %xb, %w1b, contracting_dims = [1] x [0] : (tensor<64x32xbf16>, tensor<32x128xbf16>) -> tensor<64x128xbf16>
  %t = stablehlo.tanh %h : tensor<64x128xbf16>
  %y = stablehlo.dot_general %t, %w2b, contracting_dims = [1] x [0] : (tensor<64x128xbf16>, tensor<128x32xbf16>) -> tensor<64x32xbf16>
  %dw2 = stablehlo.dot_general %t, %y, contracting_dims = [0] x [0] : (tensor<64x128xbf16>, tensor<64x32xbf16>) -> tensor<128x32xf32>
  %dt = stablehlo.dot_general %y, %w2b, contracting_dims = [1] x [1] : (tensor<64x32xbf16>, tensor<128x32xbf16>) -> tensor<64x128xbf16>
  %tt = stablehlo.multiply %t, %t : tensor<64x128xbf16>
  %dm = stablehlo.multiply %dt, %tt : tensor<64x128xbf16>
  %dh = stablehlo.subtract %dt, %dm : tensor<64x128xbf16>
  %dw1 = stablehlo.dot_general %xb, %dh, contracting_dims = [0] x [0] : (tensor<64x32xbf16>, tensor<64x128xbf16>) -> tensor<32x128xf32>
  %rate = stablehlo.constant dense<1.0e-03> : tensor<f32>
  %r1 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<32x128xf32>
  %s1 = stablehlo.multiply %dw1, %r1 : tensor<32x128xf32>
  %n1 = stablehlo.subtract %w1, %s1 : tensor<32x128xf32>
  %r2 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<128x32xf32>
  %s2 = stablehlo.multiply %dw2, %r2 : tensor<128x32xf32>
  %n2 = stablehlo.subtract %w2, %s2 : tensor<128x32xf32>
  return %n1, %n2 : tensor<32x128xf32>, tensor<128x32xf32>
}
