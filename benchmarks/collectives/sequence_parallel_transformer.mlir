// A transformer block with a gated MLP: heads and features are sharded along `model`; between them the tokens are.
sdy.mesh @mesh = <["batch"=2, "model"=4]>
func.func @main(%x: tensor<4x16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"batch"}, {"model"}, {}]>},
                %wq: tensor<32x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>},
                %wk: tensor<32x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>},
                %wv: tensor<32x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>},
                %wo: tensor<4x8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>},
                %bo: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>},
                %wg: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
                %wu: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
                %wd: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>})
    -> (tensor<4x16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"batch"}, {"model"}, {}]>}) {
  %xw = sdy.sharding_constraint %x <@mesh, [{"batch"}, {}, {}]> : tensor<4x16x32xf32>
  %q = stablehlo.dot_general %xw, %wq, contracting_dims = [2] x [0] : (tensor<4x16x32xf32>, tensor<32x4x8xf32>) -> tensor<4x16x4x8xf32>
  %k = stablehlo.dot_general %xw, %wk, contracting_dims = [2] x [0] : (tensor<4x16x32xf32>, tensor<32x4x8xf32>) -> tensor<4x16x4x8xf32>
  %v = stablehlo.dot_general %xw, %wv, contracting_dims = [2] x [0] : (tensor<4x16x32xf32>, tensor<32x4x8xf32>) -> tensor<4x16x4x8xf32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<4x16x4x8xf32>, tensor<4x16x4x8xf32>) -> tensor<4x4x16x16xf32>
  %p = stablehlo.tanh %s : tensor<4x4x16x16xf32>
  %a = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<4x4x16x16xf32>, tensor<4x16x4x8xf32>) -> tensor<4x4x16x8xf32>
  %at = stablehlo.transpose %a, dims = [0, 2, 1, 3] : (tensor<4x4x16x8xf32>) -> tensor<4x16x4x8xf32>
  %o = stablehlo.dot_general %at, %wo, contracting_dims = [2, 3] x [0, 1] : (tensor<4x16x4x8xf32>, tensor<4x8x32xf32>) -> tensor<4x16x32xf32>
  %ow = sdy.sharding_constraint %o <@mesh, [{"batch"}, {}, {}]> : tensor<4x16x32xf32>
  %b = stablehlo.broadcast_in_dim %bo, dims = [2] : (tensor<32xf32>) -> tensor<4x16x32xf32>
  %ob = stablehlo.add %ow, %b : tensor<4x16x32xf32>
  %on = sdy.sharding_constraint %ob <@mesh, [{"batch"}, {"model"}, {}]> : tensor<4x16x32xf32>
  %x1 = stablehlo.add %x, %on : tensor<4x16x32xf32>
  %y = sdy.sharding_constraint %x1 <@mesh, [{"batch"}, {}, {}]> : tensor<4x16x32xf32>
  %g = stablehlo.dot_general %y, %wg, contracting_dims = [2] x [0] : (tensor<4x16x32xf32>, tensor<32x64xf32>) -> tensor<4x16x64xf32>
  %gs = stablehlo.logistic %g : tensor<4x16x64xf32>
  %u = stablehlo.dot_general %y, %wu, contracting_dims = [2] x [0] : (tensor<4x16x32xf32>, tensor<32x64xf32>) -> tensor<4x16x64xf32>
  %gu = stablehlo.multiply %gs, %u : tensor<4x16x64xf32>
  %d = stablehlo.dot_general %gu, %wd, contracting_dims = [2] x [0] : (tensor<4x16x64xf32>, tensor<64x32xf32>) -> tensor<4x16x32xf32>
  %dw = sdy.sharding_constraint %d <@mesh, [{"batch"}, {}, {}]> : tensor<4x16x32xf32>
  %r = stablehlo.add %y, %dw : tensor<4x16x32xf32>
  return %r : tensor<4x16x32xf32>
}
