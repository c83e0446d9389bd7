// Values and types that the specification lists and no canonical text holds. Spec: stablehlo 3 to 10.
module attributes {a = i7, b = 255 : i8, c = #stablehlo<transpose TRANSPOSE_INVALID>,
                   d = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_output_feature_dimension = 3, kernel_input_feature_dimension = 2, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>,
                   e = dense<["a", "b"]> : tensor<2x!d.string>, f = dense<"a"> : tensor<2x!d.string>} {
  func.func @literals() -> () {
    %0 = stablehlo.constant dense<0.0> : tensor<0x3xf32>
    %1 = stablehlo.constant dense<[[], []]> : tensor<2x0xi32>
    %2 = stablehlo.constant dense<[1, 0]> : tensor<2xi1>
    %3 = stablehlo.constant dense<200> : tensor<i8>
    %4 = stablehlo.constant dense<[0xFF, -1]> : tensor<2xi8>
    %5 = stablehlo.constant dense<[1, 2.5]> : tensor<2xf32>
    %6 = stablehlo.constant dense<[0x7F800000, 0xFFC00001]> : tensor<2xf32>
    %7 = stablehlo.constant dense<"0x0000803F"> : tensor<4xf32>
    %8 = stablehlo.constant dense<"0x05"> : tensor<4xi1>
    %9 = stablehlo.constant dense<[(1.0, -2.5), (0.0, 3.0)]> : tensor<2xcomplex<f32>>
    %10 = arith.constant 1 : i32
    %11 = arith.constant dense<1> : tensor<i32>
    return
  }
  func.func @bounded(%x: tensor<3x?xf32, #stablehlo.type_extensions<bounds = [?, 4]>>) {
    return
  }
  func.func private @quantized(tensor<2x!quant.uniform<i8<-128:127>:f32, 2.0:0>>, tensor<2x!quant.uniform<ui8<0:255>:f32:0, {0.1:3, 0.5:4}>>, tensor<!quant.any<i4<-7:7>:f32>>)
  func.func @groups(%x: tensor<i32>) -> tensor<i32> {
    %a, %b:2 = "d.op"(%x) : (tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>)
    %c = stablehlo.add %b#1, %a : tensor<i32>
    return %c : tensor<i32>
  }
  func.func @ops(%x: tensor<1x8x8x3xf32>, %k: tensor<3x3x3x4xf32>, %s: tensor<2xui64>, %l: tensor<f32>) {
    %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
      window = {reverse = [0, 1], pad = [[1, 1], [1, 1]], stride = [2, 1]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x8x4xf32>
    %1, %2 = stablehlo.rng_bit_generator %s, algorithm =  THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    %3 = stablehlo.custom_call @f(%l) {result_tilings = [[dense<1> : tensor<1xindex>]]} : (tensor<f32>) -> tensor<f32>
    %4 = stablehlo.composite "d.op" %l ({
      %5 = stablehlo.negate %l : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) {decomposition = @literals} : (tensor<f32>) -> tensor<f32>
    check.expect_almost_eq %l, %3 {tolerance = 0.1 : f64} : tensor<f32>
    return
  }
}
