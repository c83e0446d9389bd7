// A block whose attention and MLP run side by side: both end in sums over `model`, which are added.
sdy.mesh @mesh = <["batch"=2, "model"=4]>
func.func @main(%x: tensor<4x16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"batch"}, {}, {}]>},
                %wv: tensor<32x4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>},
                %wo: tensor<4x8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>},
                %wu: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
                %wd: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>})
    -> (tensor<4x16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"batch"}, {}, {}]>}) {
  %v = stablehlo.dot_general %x, %wv, contracting_dims = [2] x [0] : (tensor<4x16x32xf32>, tensor<32x4x8xf32>) -> tensor<4x16x4x8xf32>
  %s = stablehlo.dot_general %v, %v, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<4x16x4x8xf32>, tensor<4x16x4x8xf32>) -> tensor<4x4x16x16xf32>
  %p = stablehlo.tanh %s : tensor<4x4x16x16xf32>
  %a = stablehlo.dot_general %p, %v, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<4x4x16x16xf32>, tensor<4x16x4x8xf32>) -> tensor<4x4x16x8xf32>
  %o = stablehlo.dot_general %a, %wo, contracting_dims = [1, 3] x [0, 1] : (tensor<4x4x16x8xf32>, tensor<4x8x32xf32>) -> tensor<4x16x32xf32>
  %u = stablehlo.dot_general %x, %wu, contracting_dims = [2] x [0] : (tensor<4x16x32xf32>, tensor<32x64xf32>) -> tensor<4x16x64xf32>
  %t = stablehlo.logistic %u : tensor<4x16x64xf32>
  %d = stablehlo.dot_general %t, %wd, contracting_dims = [2] x [0] : (tensor<4x16x64xf32>, tensor<64x32xf32>) -> tensor<4x16x32xf32>
  %od = stablehlo.add %o, %d : tensor<4x16x32xf32>
  %r = stablehlo.add %x, %od : tensor<4x16x32xf32>
  return %r : tensor<4x16x32xf32>
}
