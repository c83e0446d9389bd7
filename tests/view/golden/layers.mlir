// Two layers of a product and an addition, with locations of JAX.
sdy.mesh @mesh = <["data"=2, "model"=2]>
func.func @main(%x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                %w0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>},
                %w1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> tensor<8x16xf32> {
  %0 = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32> loc("jit(f)/layer_0/up/dot_general"("model.py":4:9))
  %1 = stablehlo.tanh %0 : tensor<8x16xf32> loc("jit(f)/layer_0/up/tanh"("model.py":5:9))
  %2 = stablehlo.dot_general %1, %w1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32> loc("jit(f)/layer_0/down/dot_general"("model.py":6:9))
  %3 = stablehlo.dot_general %2, %w0, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32> loc("jit(f)/layer_1/up/dot_general"("model.py":4:9))
  %4 = stablehlo.tanh %3 : tensor<8x16xf32> loc("jit(f)/layer_1/up/tanh"("model.py":5:9))
  %5 = stablehlo.dot_general %4, %w1, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32> loc("jit(f)/layer_1/down/dot_general"("model.py":6:9))
  return %5 : tensor<8x16xf32>
}
