// Noise with bits of rng_bit_generator. As JAX prints it without Shardy.
module @jit_f attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xui32>, %arg1: tensor<8x6xf32> {mhlo.sharding = "{devices=[2,1]<=[2]}"}) -> (tensor<8x6xf32> {jax.result_info = "result[0]", mhlo.sharding = "{devices=[2,1]<=[2]}"}, tensor<4xui32> {jax.result_info = "result[1]", mhlo.sharding = "{replicated}"}) {
    %0 = stablehlo.reshape %arg0 : (tensor<4xui32>) -> tensor<2x2xui32>
    %1 = stablehlo.bitcast_convert %0 : (tensor<2x2xui32>) -> tensor<2xui64>
    %output_state, %output = stablehlo.rng_bit_generator %1, algorithm =  DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<8x6xui32>)
    %2 = stablehlo.bitcast_convert %output_state : (tensor<2xui64>) -> tensor<2x2xui32>
    %3 = stablehlo.reshape %2 : (tensor<2x2xui32>) -> tensor<4xui32>
    %c = stablehlo.constant dense<9> : tensor<ui32>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui32>) -> tensor<8x6xui32>
    %5 = stablehlo.shift_right_logical %output, %4 : tensor<8x6xui32>
    %c_0 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %6 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui32>) -> tensor<8x6xui32>
    %7 = stablehlo.or %5, %6 : tensor<8x6xui32>
    %8 = stablehlo.bitcast_convert %7 : (tensor<8x6xui32>) -> tensor<8x6xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %10 = stablehlo.subtract %8, %9 : tensor<8x6xf32>
    %cst_1 = stablehlo.constant dense<1.000000e-02> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %12 = stablehlo.multiply %10, %11 : tensor<8x6xf32>
    %13 = stablehlo.add %arg1, %12 : tensor<8x6xf32>
    return %13, %3 : tensor<8x6xf32>, tensor<4xui32>
  }
}
