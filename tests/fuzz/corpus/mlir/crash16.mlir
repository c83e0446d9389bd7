module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2x3xbf16>, %arg2: tensor<complex<f32>>, %arg3: tensor<?xf64>) {
    %0 = stablehlo.sqrt %arg0 : tensor<4xf32>
    %1 = stablehlo.sqrt %arg1 {foo = 1 : i64, result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 18446744073709551616.000000e-03, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xbf16>
    %2 = stablehlo.sqrt %arg2 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<complex<f32>>
    %3 = stablehlo.sqrt %arg3 : (tensor<?xf64>) -> tensor<4xf64>
    return
  }
}
