// Data-parallel gradients of two convolutions that read the same images, and of their biases.
sdy.mesh @mesh = <["data"=4]>
func.func @main(%x: tensor<8x8x8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}, {}]>},
                %k1: tensor<3x3x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>},
                %k2: tensor<3x3x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>},
                %b1: tensor<8xf32>, %b2: tensor<8xf32>)
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>},
        tensor<8x8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>}) {
  %c1 = stablehlo.convolution(%x, %k1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<8x8x8x8xf32>
  %c2 = stablehlo.convolution(%x, %k2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<8x8x8x8xf32>
  %s1 = sdy.sharding_constraint %c1 <@mesh, [{"data"}, {}, {}, {}]> : tensor<8x8x8x8xf32>
  %s2 = sdy.sharding_constraint %c2 <@mesh, [{"data"}, {}, {}, {}]> : tensor<8x8x8x8xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %g1 = stablehlo.reduce(%s1 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %g2 = stablehlo.reduce(%s2 init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %n1 = stablehlo.subtract %b1, %g1 : tensor<8xf32>
  %n2 = stablehlo.subtract %b2, %g2 : tensor<8xf32>
  %w1 = sdy.sharding_constraint %s1 <@mesh, [{}, {}, {}, {}]> : tensor<8x8x8x8xf32>
  %w2 = sdy.sharding_constraint %s2 <@mesh, [{}, {}, {}, {}]> : tensor<8x8x8x8xf32>
  %m = stablehlo.maximum %w1, %w2 : tensor<8x8x8x8xf32>
  return %n1, %n2, %m : tensor<8xf32>, tensor<8xf32>, tensor<8x8x8x8xf32>
}
