module {
  func.func @reduce(%arg0: tensor<2x3x!quant.uniform<i8:f32, 1.000000e+00:17>>, %arg1: tensor<!quant.uniform<i8:f32, 1.000000e+00:17>>) -> tensor<3x!quant.uniform<i8:f32, 1.000000e+00:17>> {
    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0] : (tensor<2x3x!quant.uniform<i8:f32, 1.000000e+00:17>>, tensor<!quant.uniform<i8:f32, 1.000000e+00:17>>) -> tensor<3x!quant.uniform<i8:f32, 1.000000e+00:17>>
    return %0 : tensor<3x!quant.uniform<i8:f32, 1.000000e+00:17>>
  }
  func.func @slices(%arg0: tensor<2x2x!quant.uniform<u8<1:255>:f32:1, {1.000000e-01:30,5.000000e-01}>>) -> tensor<2x2xf32> {
    %0 = stablehlo.uniform_dequantize %arg0 : (tensor<2x2x!quant.uniform<u8<1:255>:f32:1, {1.000000e-01:30,5.000000e-01}>>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
}
