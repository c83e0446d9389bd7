module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2x3xbf16>, %arg2: tensor<complex<f32>>, %arg3: tensor<?xf64>) {
    %0 = stablehlo.cbrt %arg0 : tensor<4xf32>
    %1 = stablehlo.cbrt %arg1 {foo = 1 : i64, result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 1.000000e-03, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xbf16>
    %2 = stablehlo.cbrt %arg2 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<complex<f32>>
    %3 = stablehlo.cbrt %arg3 : (tensor<?xf64>) -> tensor<4xf64>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2x3xbf16>, %arg2: tensor<complex<f32>>, %arg3: tensor<?xf64>) {
    %0 = stablehlo.cosine %arg0 : tensor<4xf32>
    %1 = stablehlo.cosine %arg1 {foo = 1 : i64, result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 1.000000e-03, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xbf16>
    %2 = stablehlo.cosine %arg2 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<complex<f32>>
    %3 = stablehlo.cosine %arg3 : (tensor<?xf64>) -> tensor<4xf64>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2x3xbf16>, %arg2: tensor<complex<f32>>, %arg3: tensor<?xf64>) {
    %0 = stablehlo.exponential %arg0 : tensor<4xf32>
    %1 = stablehlo.exponential %arg1 {foo = 1 : i64, result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 1.000000e-03, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xbf16>
    %2 = stablehlo.exponential %arg2 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<complex<f32>>
    %3 = stablehlo.exponential %arg3 : (tensor<?xf64>) -> tensor<4xf64>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2x3xbf16>, %arg2: tensor<complex<f32>>, %arg3: tensor<?xf64>) {
    %0 = stablehlo.exponential_minus_one %arg0 : tensor<4xf32>
    %1 = stablehlo.exponential_minus_one %arg1 {foo = 1 : i64, result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 1.000000e-03, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xbf16>
    %2 = stablehlo.exponential_minus_one %arg2 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<complex<f32>>
    %3 = stablehlo.exponential_minus_one %arg3 : (tensor<?xf64>) -> tensor<4xf64>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2x3xbf16>, %arg2: tensor<complex<f32>>, %arg3: tensor<?xf64>) {
    %0 = stablehlo.log %arg0 : tensor<4xf32>
    %1 = stablehlo.log %arg1 {foo = 1 : i64, result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 1.000000e-03, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xbf16>
    %2 = stablehlo.log %arg2 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<complex<f32>>
    %3 = stablehlo.log %arg3 : (tensor<?xf64>) -> tensor<4xf64>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2x3xbf16>, %arg2: tensor<complex<f32>>, %arg3: tensor<?xf64>) {
    %0 = stablehlo.log_plus_one %arg0 : tensor<4xf32>
    %1 = stablehlo.log_plus_one %arg1 {foo = 1 : i64, result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 1.000000e-03, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xbf16>
    %2 = stablehlo.log_plus_one %arg2 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<complex<f32>>
    %3 = stablehlo.log_plus_one %arg3 : (tensor<?xf64>) -> tensor<4xf64>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2x3xbf16>, %arg2: tensor<complex<f32>>, %arg3: tensor<?xf64>) {
    %0 = stablehlo.logistic %arg0 : tensor<4xf32>
    %1 = stablehlo.logistic %arg1 {foo = 1 : i64, result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 1.000000e-03, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xbf16>
    %2 = stablehlo.logistic %arg2 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<complex<f32>>
    %3 = stablehlo.logistic %arg3 : (tensor<?xf64>) -> tensor<4xf64>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2x3xbf16>, %arg2: tensor<complex<f32>>, %arg3: tensor<?xf64>) {
    %0 = stablehlo.rsqrt %arg0 : tensor<4xf32>
    %1 = stablehlo.rsqrt %arg1 {foo = 1 : i64, result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 1.000000e-03, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xbf16>
    %2 = stablehlo.rsqrt %arg2 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<complex<f32>>
    %3 = stablehlo.rsqrt %arg3 : (tensor<?xf64>) -> tensor<4xf64>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2x3xbf16>, %arg2: tensor<complex<f32>>, %arg3: tensor<?xf64>) {
    %0 = stablehlo.sine %arg0 : tensor<4xf32>
    %1 = stablehlo.sine %arg1 {foo = 1 : i64, result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 1.000000e-03, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xbf16>
    %2 = stablehlo.sine %arg2 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<complex<f32>>
    %3 = stablehlo.sine %arg3 : (tensor<?xf64>) -> tensor<4xf64>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2x3xbf16>, %arg2: tensor<complex<f32>>, %arg3: tensor<?xf64>) {
    %0 = stablehlo.sqrt %arg0 : tensor<4xf32>
    %1 = stablehlo.sqrt %arg1 {foo = 1 : i64, result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 1.000000e-03, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xbf16>
    %2 = stablehlo.sqrt %arg2 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<complex<f32>>
    %3 = stablehlo.sqrt %arg3 : (tensor<?xf64>) -> tensor<4xf64>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2x3xbf16>, %arg2: tensor<complex<f32>>, %arg3: tensor<?xf64>) {
    %0 = stablehlo.tan %arg0 : tensor<4xf32>
    %1 = stablehlo.tan %arg1 {foo = 1 : i64, result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 1.000000e-03, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xbf16>
    %2 = stablehlo.tan %arg2 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<complex<f32>>
    %3 = stablehlo.tan %arg3 : (tensor<?xf64>) -> tensor<4xf64>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2x3xbf16>, %arg2: tensor<complex<f32>>, %arg3: tensor<?xf64>) {
    %0 = stablehlo.tanh %arg0 : tensor<4xf32>
    %1 = stablehlo.tanh %arg1 {foo = 1 : i64, result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 1.000000e-03, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xbf16>
    %2 = stablehlo.tanh %arg2 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<complex<f32>>
    %3 = stablehlo.tanh %arg3 : (tensor<?xf64>) -> tensor<4xf64>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<f8E4M3FN>) {
    %0 = stablehlo.ceil %arg0 : tensor<4xf32>
    %1 = stablehlo.ceil %arg1 {foo} : tensor<f8E4M3FN>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<f8E4M3FN>) {
    %0 = stablehlo.floor %arg0 : tensor<4xf32>
    %1 = stablehlo.floor %arg1 {foo} : tensor<f8E4M3FN>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<f8E4M3FN>) {
    %0 = stablehlo.round_nearest_afz %arg0 : tensor<4xf32>
    %1 = stablehlo.round_nearest_afz %arg1 {foo} : tensor<f8E4M3FN>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<f8E4M3FN>) {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<4xf32>
    %1 = stablehlo.round_nearest_even %arg1 {foo} : tensor<f8E4M3FN>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<0x2xi8>, %arg2: tensor<3xcomplex<f64>>) {
    %0 = stablehlo.negate %arg0 : tensor<4xf32>
    %1 = stablehlo.negate %arg1 : tensor<0x2xi8>
    %2 = stablehlo.negate %arg2 {mhlo.x = "a\22"} : tensor<3xcomplex<f64>>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<0x2xi8>, %arg2: tensor<3xcomplex<f64>>) {
    %0 = stablehlo.sign %arg0 : tensor<4xf32>
    %1 = stablehlo.sign %arg1 : tensor<0x2xi8>
    %2 = stablehlo.sign %arg2 {mhlo.x = "a\22"} : tensor<3xcomplex<f64>>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>, %arg2: tensor<4xcomplex<f32>>) {
    %0 = stablehlo.abs %arg0 : tensor<4xf32>
    %1 = stablehlo.abs %arg1 {foo = false} : tensor<4xi32>
    %2 = stablehlo.abs %arg2 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xi32>, %arg1: tensor<2xui8>) {
    %0 = stablehlo.not %arg0 : tensor<4xi32>
    %1 = stablehlo.not %arg1 {a = array<i64: 1, 2>, b = dense<[1, 2]> : tensor<2xi64>} : tensor<2xui8>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xi32>, %arg1: tensor<2xui8>) {
    %0 = stablehlo.popcnt %arg0 : tensor<4xi32>
    %1 = stablehlo.popcnt %arg1 {a = array<i64: 1, 2>, b = dense<[1, 2]> : tensor<2xi64>} : tensor<2xui8>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xi32>, %arg1: tensor<2xui8>) {
    %0 = stablehlo.count_leading_zeros %arg0 : tensor<4xi32>
    %1 = stablehlo.count_leading_zeros %arg1 {a = array<i64: 1, 2>, b = dense<[1, 2]> : tensor<2xi64>} : tensor<2xui8>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xcomplex<f32>>, %arg1: tensor<4xf32>) {
    %0 = stablehlo.real %arg0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %1 = stablehlo.real %arg1 : tensor<4xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xcomplex<f32>>, %arg1: tensor<4xf32>) {
    %0 = stablehlo.imag %arg0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %1 = stablehlo.imag %arg1 : tensor<4xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<f16>) {
    %0 = stablehlo.is_finite %arg0 : (tensor<4xf32>) -> tensor<4xi1>
    %1 = stablehlo.is_finite %arg1 {foo} : (tensor<f16>) -> tensor<i1>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2xi1>) {
    %0 = stablehlo.convert %arg0 : (tensor<4xf32>) -> tensor<4xbf16>
    %1 = stablehlo.convert %arg0 : tensor<4xf32>
    %2 = stablehlo.convert %arg1 {foo} : (tensor<2xi1>) -> tensor<2xui8>
    %3 = stablehlo.convert %arg0 : (tensor<4xf32>) -> tensor<4xcomplex<f32>>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<bf16>) {
    %0 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<4xf32>
    %1 = stablehlo.reduce_precision %arg1, format = e8m0 {foo} : tensor<bf16>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<?x3xf32>, %arg2: tensor<2x3xf32>) {
    %0 = stablehlo.atan2 %arg0, %arg0 : tensor<4xf32>
    %1 = stablehlo.atan2 %0, %arg0 {foo = [1, 2 : i32]} : tensor<4xf32>
    %2 = stablehlo.atan2 %arg1, %arg2 : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<?x3xf32>, %arg2: tensor<2x3xf32>) {
    %0 = stablehlo.divide %arg0, %arg0 : tensor<4xf32>
    %1 = stablehlo.divide %0, %arg0 {foo = [1, 2 : i32]} : tensor<4xf32>
    %2 = stablehlo.divide %arg1, %arg2 : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<?x3xf32>, %arg2: tensor<2x3xf32>) {
    %0 = stablehlo.power %arg0, %arg0 : tensor<4xf32>
    %1 = stablehlo.power %0, %arg0 {foo = [1, 2 : i32]} : tensor<4xf32>
    %2 = stablehlo.power %arg1, %arg2 : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<?x3xf32>, %arg2: tensor<2x3xf32>) {
    %0 = stablehlo.remainder %arg0, %arg0 : tensor<4xf32>
    %1 = stablehlo.remainder %0, %arg0 {foo = [1, 2 : i32]} : tensor<4xf32>
    %2 = stablehlo.remainder %arg1, %arg2 : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<?x3xf32>, %arg2: tensor<2x3xf32>) {
    %0 = stablehlo.subtract %arg0, %arg0 : tensor<4xf32>
    %1 = stablehlo.subtract %0, %arg0 {foo = [1, 2 : i32]} : tensor<4xf32>
    %2 = stablehlo.subtract %arg1, %arg2 : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<?x3xf32>, %arg2: tensor<2x3xf32>) {
    %0 = stablehlo.maximum %arg0, %arg0 : tensor<4xf32>
    %1 = stablehlo.maximum %0, %arg0 {foo = [1, 2 : i32]} : tensor<4xf32>
    %2 = stablehlo.maximum %arg1, %arg2 : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<?x3xf32>, %arg2: tensor<2x3xf32>) {
    %0 = stablehlo.minimum %arg0, %arg0 : tensor<4xf32>
    %1 = stablehlo.minimum %0, %arg0 {foo = [1, 2 : i32]} : tensor<4xf32>
    %2 = stablehlo.minimum %arg1, %arg2 : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<?x3xf32>, %arg2: tensor<2x3xf32>) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
    %1 = stablehlo.add %0, %arg0 {foo = [1, 2 : i32]} : tensor<4xf32>
    %2 = stablehlo.add %arg1, %arg2 : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<?x3xf32>, %arg2: tensor<2x3xf32>) {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<4xf32>
    %1 = stablehlo.multiply %0, %arg0 {foo = [1, 2 : i32]} : tensor<4xf32>
    %2 = stablehlo.multiply %arg1, %arg2 : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xi1>, %arg1: tensor<2xui64>) {
    %0 = stablehlo.and %arg0, %arg0 : tensor<4xi1>
    %1 = stablehlo.and %arg1, %arg1 {foo = {a = 1 : i64, b}} : tensor<2xui64>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xi1>, %arg1: tensor<2xui64>) {
    %0 = stablehlo.or %arg0, %arg0 : tensor<4xi1>
    %1 = stablehlo.or %arg1, %arg1 {foo = {a = 1 : i64, b}} : tensor<2xui64>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xi1>, %arg1: tensor<2xui64>) {
    %0 = stablehlo.xor %arg0, %arg0 : tensor<4xi1>
    %1 = stablehlo.xor %arg1, %arg1 {foo = {a = 1 : i64, b}} : tensor<2xui64>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xi4>, %arg1: tensor<2xui16>) {
    %0 = stablehlo.shift_left %arg0, %arg0 : tensor<4xi4>
    %1 = stablehlo.shift_left %arg1, %arg1 {foo} : tensor<2xui16>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xi4>, %arg1: tensor<2xui16>) {
    %0 = stablehlo.shift_right_arithmetic %arg0, %arg0 : tensor<4xi4>
    %1 = stablehlo.shift_right_arithmetic %arg1, %arg1 {foo} : tensor<2xui16>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xi4>, %arg1: tensor<2xui16>) {
    %0 = stablehlo.shift_right_logical %arg0, %arg0 : tensor<4xi4>
    %1 = stablehlo.shift_right_logical %arg1, %arg1 {foo} : tensor<2xui16>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<f32>) {
    %0 = stablehlo.clamp %arg0, %arg0, %arg0 : tensor<4xf32>
    %1 = stablehlo.clamp %arg1, %arg0, %arg1 : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.clamp %arg0, %arg0, %arg0 {foo} : tensor<4xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2xi8>, %arg2: tensor<2xui8>) {
    %0 = stablehlo.compare EQ, %arg0, %arg0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %1 = stablehlo.compare EQ, %arg0, %arg0, NOTYPE : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %2 = stablehlo.compare EQ, %arg1, %arg1, SIGNED {foo} : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi1>
    %3 = stablehlo.compare EQ, %arg2, %arg2, UNSIGNED : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2xi8>, %arg2: tensor<2xui8>) {
    %0 = stablehlo.compare NE, %arg0, %arg0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %1 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %2 = stablehlo.compare NE, %arg1, %arg1, SIGNED {foo} : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi1>
    %3 = stablehlo.compare NE, %arg2, %arg2, UNSIGNED : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2xi8>, %arg2: tensor<2xui8>) {
    %0 = stablehlo.compare GE, %arg0, %arg0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %1 = stablehlo.compare GE, %arg0, %arg0, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %2 = stablehlo.compare GE, %arg1, %arg1, SIGNED {foo} : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi1>
    %3 = stablehlo.compare GE, %arg2, %arg2, UNSIGNED : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2xi8>, %arg2: tensor<2xui8>) {
    %0 = stablehlo.compare GT, %arg0, %arg0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %1 = stablehlo.compare GT, %arg0, %arg0, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %2 = stablehlo.compare GT, %arg1, %arg1, SIGNED {foo} : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi1>
    %3 = stablehlo.compare GT, %arg2, %arg2, UNSIGNED : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2xi8>, %arg2: tensor<2xui8>) {
    %0 = stablehlo.compare LE, %arg0, %arg0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %1 = stablehlo.compare LE, %arg0, %arg0, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %2 = stablehlo.compare LE, %arg1, %arg1, SIGNED {foo} : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi1>
    %3 = stablehlo.compare LE, %arg2, %arg2, UNSIGNED : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2xi8>, %arg2: tensor<2xui8>) {
    %0 = stablehlo.compare LT, %arg0, %arg0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %1 = stablehlo.compare LT, %arg0, %arg0, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %2 = stablehlo.compare LT, %arg1, %arg1, SIGNED {foo} : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi1>
    %3 = stablehlo.compare LT, %arg2, %arg2, UNSIGNED : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<f64>, %arg2: tensor<2x?xf32>) {
    %0 = stablehlo.complex %arg0, %arg0 : tensor<4xcomplex<f32>>
    %1 = stablehlo.complex %arg1, %arg1 {foo} : tensor<complex<f64>>
    %2 = stablehlo.complex %arg2, %arg2 : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x3xcomplex<f32>>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xi1>, %arg1: tensor<i1>, %arg2: tensor<4xf32>, %arg3: tensor<?xf32>) {
    %0 = stablehlo.select %arg0, %arg2, %arg2 : tensor<4xi1>, tensor<4xf32>
    %1 = stablehlo.select %arg1, %arg2, %0 {foo} : tensor<i1>, tensor<4xf32>
    %2 = stablehlo.select %arg0, %arg2, %arg3 : (tensor<4xi1>, tensor<4xf32>, tensor<?xf32>) -> tensor<4xf32>
    return
  }
}
