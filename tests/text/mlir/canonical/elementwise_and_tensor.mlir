module {
  func.func @unary(%arg0: tensor<4xf32>, %arg1: tensor<4xi32>, %arg2: tensor<4xcomplex<f32>>) {
    %0 = stablehlo.abs %arg0 : tensor<4xf32>
    %1 = stablehlo.abs %arg2 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %2 = stablehlo.cbrt %arg0 : tensor<4xf32>
    %3 = stablehlo.cbrt %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 1.000000e-03, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
    %4 = stablehlo.ceil %arg0 : tensor<4xf32>
    %5 = stablehlo.convert %arg0 : (tensor<4xf32>) -> tensor<4xi32>
    %6 = stablehlo.count_leading_zeros %arg1 : tensor<4xi32>
    %7 = stablehlo.is_finite %arg0 : (tensor<4xf32>) -> tensor<4xi1>
    %8 = stablehlo.real %arg2 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %9 = stablehlo.imag %arg2 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
    %10 = stablehlo.complex %8, %9 : tensor<4xcomplex<f32>>
    %11 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
    %12 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<4xf32>
    %13 = stablehlo.popcnt %arg1 : tensor<4xi32>
    %14 = stablehlo.clamp %arg0, %arg0, %arg0 : tensor<4xf32>
    %15 = stablehlo.compare LT, %arg0, %arg0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %16 = stablehlo.compare GE, %arg0, %arg0, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %17 = stablehlo.select %16, %arg0, %arg0 : tensor<4xi1>, tensor<4xf32>
    %18 = stablehlo.atan2 %arg0, %arg0 {foo = 1 : i64} : tensor<4xf32>
    return
  }
  func.func @tensor(%arg0: tensor<3x4xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: !stablehlo.token, %arg4: tuple<tensor<f32>, tensor<i32>>, %arg5: tensor<4x4xf32>) -> (tensor<f32>, tensor<i32>) {
    %0 = stablehlo.after_all %arg3, %arg3 : !stablehlo.token
    %1 = stablehlo.after_all : !stablehlo.token
    %2 = stablehlo.create_token : !stablehlo.token
    %3 = stablehlo.bitcast_convert %arg0 : (tensor<3x4xf32>) -> tensor<3x4xi32>
    %4 = stablehlo.broadcast %arg0, sizes = [2, 3] : (tensor<3x4xf32>) -> tensor<2x3x3x4xf32>
    %5 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %6 = stablehlo.cholesky %arg5, lower = true : tensor<4x4xf32>
    %7 = stablehlo.cholesky %arg5 : tensor<4x4xf32>
    %8 = stablehlo.concatenate %arg0, %arg0, dim = 1 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
    %c = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
    %c_0 = stablehlo.constant {foo} dense<true> : tensor<i1>
    %cst = stablehlo.constant dense<[1.000000e+00, 0.699999988, 0x7F800000]> : tensor<3xf32>
    %cst_1 = stablehlo.constant dense<(1.000000e+00,-2.500000e+00)> : tensor<complex<f32>>
    %cst_2 = stablehlo.constant dense<> : tensor<0x3xf32>
    %cst_3 = stablehlo.constant() <{value = dense<3> : tensor<1xi8>}> : () -> tensor<1x!quant.uniform<i8:f32, 2.000000e+00:15>>
    %9 = stablehlo.custom_call @foo(%arg0, %arg1) {api_version = 2 : i32, backend_config = "", called_computations = [@unary], has_side_effect = true, mhlo.x = 1 : i32, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    stablehlo.custom_call @"check eq"(%arg0, %arg0) {has_side_effect = true} : (tensor<3x4xf32>, tensor<3x4xf32>) -> ()
    %10:2 = stablehlo.custom_call @foo() {backend_config = {a = 1 : i64}} : () -> (tensor<f32>, tensor<i32>)
    %11 = stablehlo.dot %arg0, %arg5, precision = [HIGH, DEFAULT] : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
    %12 = stablehlo.dot %arg0, %arg5 : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
    %13 = stablehlo.dot_general %arg0, %arg0, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, HIGHEST] : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3xf32>
    %14 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [] x [], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4x3x4xf32>
    %15 = stablehlo.dynamic_slice %arg0, %arg2, %arg2, sizes = [1, 4] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>
    %16 = "stablehlo.dynamic_slice"(%arg1) <{slice_sizes = array<i64>}> : (tensor<f32>) -> tensor<f32>
    %17 = stablehlo.dynamic_update_slice %arg0, %15, %arg2, %arg2 : (tensor<3x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
    %18 = stablehlo.einsum %arg0, %arg0, config = "ab,cb->ac" : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x3xf32>
    %19 = stablehlo.unary_einsum %arg0, config = "ab->a" : (tensor<3x4xf32>) -> tensor<3xf32>
    %20 = stablehlo.fft %arg0, type = RFFT, length = [4] : (tensor<3x4xf32>) -> tensor<3x3xcomplex<f32>>
    %21 = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<3x4xf32>) -> tensor<i32>
    %22 = stablehlo.get_tuple_element %arg4[1] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<i32>
    %23 = stablehlo.iota dim = 0 : tensor<4x2xi32>
    %24:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<3x4xf32>, tensor<f32>
    stablehlo.optimization_barrier()
    %25 = stablehlo.pad %arg0, %arg1, low = [1, -1], high = [0, 0], interior = [0, 2] : (tensor<3x4xf32>, tensor<f32>) -> tensor<4x9xf32>
    %26 = stablehlo.partition_id : tensor<ui32>
    %27 = stablehlo.replica_id {foo} : tensor<ui32>
    %28 = stablehlo.reshape %arg0 : (tensor<3x4xf32>) -> tensor<12xf32>
    %29 = stablehlo.reverse %arg0, dims = [0] : tensor<3x4xf32>
    %c_4 = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
    %30 = stablehlo.slice %arg0 [0:3:2, 1:4] : (tensor<3x4xf32>) -> tensor<2x3xf32>
    %31 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %32 = stablehlo.tuple %arg1, %arg2 : tuple<tensor<f32>, tensor<i32>>
    %33 = stablehlo.tuple : tuple<>
    %34 = stablehlo.rng %arg1, %arg1, %c_4, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x4xf32>
    %output_state, %output = stablehlo.rng_bit_generator %c_4, algorithm = THREE_FRY : (tensor<2xi64>) -> (tensor<2xi64>, tensor<4xui32>)
    %35 = stablehlo.set_dimension_size %arg0, %arg2, dim = 1 : (tensor<3x4xf32>, tensor<i32>) -> tensor<3x?xf32, #stablehlo.bounds<?, 4>>
    %36 = stablehlo.composite "my.op" %arg0, %arg1 {composite_attributes = {a = 1 : i64}, decomposition = @unary, version = 3 : i32} : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %37 = stablehlo.composite "my.op" {decomposition = @unary} : () -> tensor<f32>
    %38 = stablehlo.uniform_quantize %arg0 : (tensor<3x4xf32>) -> tensor<3x4x!quant.uniform<i8:f32, 2.000000e+00:15>>
    %39 = stablehlo.dynamic_iota %c_4, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>
    %40 = stablehlo.dynamic_broadcast_in_dim %arg1, %c_4, dims = [] {known_expanding_dimensions = array<i64>} : (tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
    %41 = stablehlo.dynamic_reshape %arg0, %c_4 : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    %42 = stablehlo.real_dynamic_slice %arg0, %c_4, %c_4, %c_4 : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %43 = stablehlo.dynamic_pad %arg0, %arg1, %c_4, %c_4, %c_4 : (tensor<3x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    return %arg1, %arg2 : tensor<f32>, tensor<i32>
  }
}
