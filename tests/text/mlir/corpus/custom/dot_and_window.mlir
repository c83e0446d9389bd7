module {
  func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<4x5xf32>, %arg2: tensor<4xf32>) {
    %0 = stablehlo.dot %arg0, %arg1 : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
    %1 = stablehlo.dot %arg0, %arg2, precision = [HIGH, DEFAULT] : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
    %2 = stablehlo.dot %arg2, %arg2, precision = [] {foo} : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x4x5xf32>, %arg2: tensor<3xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %1 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [2, 0] x [1, 0], precision = [DEFAULT, HIGHEST] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<3x5xf32>
    %2 = stablehlo.dot_general %arg2, %arg2, contracting_dims = [] x [] : (tensor<3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
    %3 = stablehlo.dot_general %arg2, %arg2, contracting_dims = [0] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
    %4 = stablehlo.dot_general %arg2, %arg2, batching_dims = [0] x [0], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> {foo} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<2x5x6x4xf32>, %arg1: tensor<2x2x2x6xf32>, %arg2: tensor<2x4x7xf32>, %arg3: tensor<3x4x2xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[0, 1], [2, 0]], lhs_dilate = [1, 2], rhs_dilate = [1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<2x5x6x4xf32>, tensor<2x2x2x6xf32>) -> tensor<2x3x12x6xf32>
    %1 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, f, 0]x[o, i, 0]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x7xf32>, tensor<3x4x2xf32>) -> tensor<2x6x3xf32>
    %2 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, f, 0]x[o, i, 0]->[f, b, 0], window = {stride = [3]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, foo, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGH>]} : (tensor<2x4x7xf32>, tensor<3x4x2xf32>) -> tensor<3x2x2xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<2x4xf32>, %arg1: tensor<3x4xf32>) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f]x[o, i]->[b, f], window = {stride = [], pad = [], lhs_dilate = [], rhs_dilate = [], reverse = []} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f]x[o, i]->[b, f], window = {pad = []} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<1x4x4x1xf32>, %arg1: tensor<2x2x1x1xf32>, %arg2: tensor<2x2xi64>) {
    %0 = "stablehlo.dynamic_conv"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, rhs_dilation = array<i64: 1, 1>, window_strides = array<i64: 1, 1>}> : (tensor<1x4x4x1xf32>, tensor<2x2x1x1xf32>, tensor<2x2xi64>) -> tensor<1x?x?x1xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4x16xcomplex<f32>>) {
    %0 = stablehlo.fft %arg0, type = FFT, length = [16] : (tensor<4x16xcomplex<f32>>) -> tensor<4x16xcomplex<f32>>
    %1 = stablehlo.fft %arg0, type = FFT, length = [16] {foo} : (tensor<4x16xcomplex<f32>>) -> tensor<4x16xcomplex<f32>>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<16xcomplex<f64>>) {
    %0 = stablehlo.fft %arg0, type = IFFT, length = [16] : (tensor<16xcomplex<f64>>) -> tensor<16xcomplex<f64>>
    %1 = stablehlo.fft %arg0, type = IFFT, length = [16] {foo} : (tensor<16xcomplex<f64>>) -> tensor<16xcomplex<f64>>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4x16xf32>) {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [16] : (tensor<4x16xf32>) -> tensor<4x9xcomplex<f32>>
    %1 = stablehlo.fft %arg0, type = RFFT, length = [16] {foo} : (tensor<4x16xf32>) -> tensor<4x9xcomplex<f32>>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<9xcomplex<f32>>) {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [16] : (tensor<9xcomplex<f32>>) -> tensor<16xf32>
    %1 = stablehlo.fft %arg0, type = IRFFT, length = [16] {foo} : (tensor<9xcomplex<f32>>) -> tensor<16xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<2x4x4xf32>) {
    %0 = stablehlo.cholesky %arg0 : tensor<2x4x4xf32>
    %1 = stablehlo.cholesky %arg0, lower = true : tensor<2x4x4xf32>
    %2 = stablehlo.cholesky %arg0, lower = true {foo} : tensor<2x4x4xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4x4xf32>, %arg1: tensor<4x3xf32>) {
    %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4x4xf32>, %arg1: tensor<4x3xf32>) {
    %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose TRANSPOSE>, unit_diagonal = true}> : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4x4xf32>, %arg1: tensor<4x3xf32>) {
    %0 = "stablehlo.triangular_solve"(%arg0, %arg1) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = true}> : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<5x4xf32>) {
    %0 = stablehlo.einsum %arg0, %arg1, config = "ab,cb->ac" : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
    %1 = stablehlo.einsum %arg0, %arg1, config = "ab,cd->abcd" {foo} : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x4x5x4xf32>
    %2 = stablehlo.unary_einsum %arg0, config = "ab->a" : (tensor<3x4xf32>) -> tensor<3xf32>
    %3 = stablehlo.unary_einsum %arg0, config = "ab->ba" {foo} : (tensor<3x4xf32>) -> tensor<4x3xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) {
    %output, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg1) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
    %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg1, %batch_mean, %batch_var) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> {foo} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %grad_operand, %grad_scale, %grad_offset = "stablehlo.batch_norm_grad"(%arg0, %arg1, %arg1, %arg1, %0) <{epsilon = 0.000000e+00 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
    return
  }
}
