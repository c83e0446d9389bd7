"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<2xi64>, %arg2: tensor<?x3xf32>):
    %0 = "stablehlo.dynamic_broadcast_in_dim"(%arg0, %arg1) {broadcast_dimensions = dense<> : tensor<0xi64>} : (tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
    %1 = "stablehlo.dynamic_broadcast_in_dim"(%arg2, %arg1) {broadcast_dimensions = dense<[0, 1]> : tensor<2xi64>, known_expanding_dimensions = dense<0> : tensor<1xi64>, known_nonexpanding_dimensions = dense<1> : tensor<1xi64>} : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
    %2 = "stablehlo.dynamic_iota"(%arg1) {iota_dimension = 0 : i64} : (tensor<2xi64>) -> tensor<?x?xi32>
    %3 = "stablehlo.dynamic_iota"(%arg1) {foo, iota_dimension = 1 : i64} : (tensor<2xi64>) -> tensor<4x?xf32>
    %4 = "stablehlo.dynamic_reshape"(%arg2, %arg1) : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<3x?xf32>
    %5 = "stablehlo.dynamic_pad"(%arg2, %arg0, %arg1, %arg1, %arg1) : (tensor<?x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %6 = "stablehlo.real_dynamic_slice"(%arg2, %arg1, %arg1, %arg1) : (tensor<?x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
    %7 = "stablehlo.dynamic_reshape"(%arg2, %arg1) {foo} : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<f32>, tensor<2xi64>, tensor<?x3xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<?x4xf32, #stablehlo.bounds<3, ?>>, %arg1: tensor<*xf32>, %arg2: tensor<4xf32, "enc">, %arg3: tensor<2xf32, #d.x<1>>):
    %0 = "stablehlo.negate"(%arg0) : (tensor<?x4xf32, #stablehlo.bounds<3, ?>>) -> tensor<?x4xf32, #stablehlo.bounds<3, ?>>
    %1 = "stablehlo.add"(%arg1, %arg1) : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
    %2 = "stablehlo.negate"(%arg2) : (tensor<4xf32, "enc">) -> tensor<4xf32, "enc">
    %3 = "stablehlo.negate"(%arg3) : (tensor<2xf32, #d.x<1>>) -> tensor<2xf32, #d.x<1>>
    "func.return"() : () -> ()
  }) {function_type = (tensor<?x4xf32, #stablehlo.bounds<3, ?>>, tensor<*xf32>, tensor<4xf32, "enc">, tensor<2xf32, #d.x<1>>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<4x!quant.uniform<i8:f32:0, {1.000000e-01:-30,5.000000e-01:-20,1.000000e+00,2.000000e+00:3}>>, %arg2: tensor<2x!quant.uniform<i8<-127:127>:f32, 1.000000e+00>>):
    %0 = "stablehlo.uniform_quantize"(%arg0) : (tensor<4xf32>) -> tensor<4x!quant.uniform<u8:f32, 3.400000e+01:16>>
    %1 = "stablehlo.uniform_dequantize"(%0) : (tensor<4x!quant.uniform<u8:f32, 3.400000e+01:16>>) -> tensor<4xf32>
    %2 = "stablehlo.uniform_quantize"(%1) {foo} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 1.000000e+00>>
    %3 = "stablehlo.add"(%2, %2) : (tensor<4x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<4x!quant.uniform<i8:f32, 1.000000e+00>>) -> tensor<4x!quant.uniform<i8:f32, 1.000000e+00>>
    %4 = "stablehlo.uniform_dequantize"(%arg1) : (tensor<4x!quant.uniform<i8:f32:0, {1.000000e-01:-30,5.000000e-01:-20,1.000000e+00,2.000000e+00:3}>>) -> tensor<4xf32>
    %5 = "stablehlo.uniform_dequantize"(%arg2) {foo} : (tensor<2x!quant.uniform<i8<-127:127>:f32, 1.000000e+00>>) -> tensor<2xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<4x!quant.uniform<i8:f32:0, {1.000000e-01:-30,5.000000e-01:-20,1.000000e+00,2.000000e+00:3}>>, tensor<2x!quant.uniform<i8<-127:127>:f32, 1.000000e+00>>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<f32>, %arg1: tensor<2xi64>):
    %0 = "stablehlo.rng"(%arg0, %arg0, %arg1) {rng_distribution = #stablehlo.rng_distribution<UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x4xf32>
    %1 = "stablehlo.rng"(%arg0, %arg0, %arg1) {foo, rng_distribution = #stablehlo.rng_distribution<NORMAL>} : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3x4xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<f32>, tensor<2xi64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<2xui64>):
    %output_state, %output = "stablehlo.rng_bit_generator"(%arg0) {rng_algorithm = #stablehlo.rng_algorithm<DEFAULT>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
    %output_state_0, %output_1 = "stablehlo.rng_bit_generator"(%output_state) {foo, rng_algorithm = #stablehlo.rng_algorithm<DEFAULT>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui16>)
    "func.return"() : () -> ()
  }) {function_type = (tensor<2xui64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<2xui64>):
    %output_state, %output = "stablehlo.rng_bit_generator"(%arg0) {rng_algorithm = #stablehlo.rng_algorithm<THREE_FRY>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
    %output_state_0, %output_1 = "stablehlo.rng_bit_generator"(%output_state) {foo, rng_algorithm = #stablehlo.rng_algorithm<THREE_FRY>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui16>)
    "func.return"() : () -> ()
  }) {function_type = (tensor<2xui64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<2xui64>):
    %output_state, %output = "stablehlo.rng_bit_generator"(%arg0) {rng_algorithm = #stablehlo.rng_algorithm<PHILOX>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<3x4xui32>)
    %output_state_0, %output_1 = "stablehlo.rng_bit_generator"(%output_state) {foo, rng_algorithm = #stablehlo.rng_algorithm<PHILOX>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<ui16>)
    "func.return"() : () -> ()
  }) {function_type = (tensor<2xui64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
