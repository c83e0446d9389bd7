"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<2xf64>):
    %0 = "chlo.acos"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "chlo.acos"(%arg1) {foo} : (tensor<2xf64>) -> tensor<2xf64>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<2xf64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<2xf64>):
    %0 = "chlo.acosh"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "chlo.acosh"(%arg1) {foo} : (tensor<2xf64>) -> tensor<2xf64>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<2xf64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<2xf64>):
    %0 = "chlo.asin"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "chlo.asin"(%arg1) {foo} : (tensor<2xf64>) -> tensor<2xf64>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<2xf64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<2xf64>):
    %0 = "chlo.asinh"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "chlo.asinh"(%arg1) {foo} : (tensor<2xf64>) -> tensor<2xf64>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<2xf64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<2xf64>):
    %0 = "chlo.atan"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "chlo.atan"(%arg1) {foo} : (tensor<2xf64>) -> tensor<2xf64>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<2xf64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<2xf64>):
    %0 = "chlo.atanh"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "chlo.atanh"(%arg1) {foo} : (tensor<2xf64>) -> tensor<2xf64>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<2xf64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<2xf64>):
    %0 = "chlo.bessel_i1e"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "chlo.bessel_i1e"(%arg1) {foo} : (tensor<2xf64>) -> tensor<2xf64>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<2xf64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<2xf64>):
    %0 = "chlo.conj"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "chlo.conj"(%arg1) {foo} : (tensor<2xf64>) -> tensor<2xf64>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<2xf64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<2xf64>):
    %0 = "chlo.cosh"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "chlo.cosh"(%arg1) {foo} : (tensor<2xf64>) -> tensor<2xf64>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<2xf64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<2xf64>):
    %0 = "chlo.digamma"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "chlo.digamma"(%arg1) {foo} : (tensor<2xf64>) -> tensor<2xf64>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<2xf64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<2xf64>):
    %0 = "chlo.erf"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "chlo.erf"(%arg1) {foo} : (tensor<2xf64>) -> tensor<2xf64>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<2xf64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<2xf64>):
    %0 = "chlo.erf_inv"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "chlo.erf_inv"(%arg1) {foo} : (tensor<2xf64>) -> tensor<2xf64>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<2xf64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<2xf64>):
    %0 = "chlo.erfc"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "chlo.erfc"(%arg1) {foo} : (tensor<2xf64>) -> tensor<2xf64>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<2xf64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<2xf64>):
    %0 = "chlo.lgamma"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "chlo.lgamma"(%arg1) {foo} : (tensor<2xf64>) -> tensor<2xf64>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<2xf64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<2xf64>):
    %0 = "chlo.sinh"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "chlo.sinh"(%arg1) {foo} : (tensor<2xf64>) -> tensor<2xf64>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<2xf64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<2xf64>):
    %0 = "chlo.square"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "chlo.square"(%arg1) {foo} : (tensor<2xf64>) -> tensor<2xf64>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<2xf64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<2xf64>):
    %0 = "chlo.tan"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "chlo.tan"(%arg1) {foo} : (tensor<2xf64>) -> tensor<2xf64>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<2xf64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<2xf64>):
    %0 = "chlo._asin_acos_kernel"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "chlo._asin_acos_kernel"(%arg1) {foo} : (tensor<2xf64>) -> tensor<2xf64>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<2xf64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>):
    %0 = "chlo.is_inf"(%arg0) : (tensor<4xf32>) -> tensor<4xi1>
    %1 = "chlo.is_inf"(%arg0) {foo} : (tensor<4xf32>) -> tensor<4xi1>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>):
    %0 = "chlo.is_neg_inf"(%arg0) : (tensor<4xf32>) -> tensor<4xi1>
    %1 = "chlo.is_neg_inf"(%arg0) {foo} : (tensor<4xf32>) -> tensor<4xi1>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>):
    %0 = "chlo.is_pos_inf"(%arg0) : (tensor<4xf32>) -> tensor<4xi1>
    %1 = "chlo.is_pos_inf"(%arg0) {foo} : (tensor<4xf32>) -> tensor<4xi1>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>):
    %0 = "chlo.next_after"(%arg0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = "chlo.next_after"(%arg0, %arg0) {foo} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>):
    %0 = "chlo.polygamma"(%arg0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = "chlo.polygamma"(%arg0, %arg0) {foo} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>):
    %0 = "chlo.zeta"(%arg0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = "chlo.zeta"(%arg0, %arg0) {foo} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xi32>):
    %0 = "chlo.mulhi"(%arg0, %arg0) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    %1 = "chlo.mulhi"(%arg0, %arg0) {foo} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xi32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<f32>):
    %0 = "chlo.broadcast_add"(%arg0, %arg2) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %1 = "chlo.broadcast_add"(%arg0, %arg1) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xf32>, tensor<4xf32>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<f32>):
    %0 = "chlo.broadcast_atan2"(%arg0, %arg2) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %1 = "chlo.broadcast_atan2"(%arg0, %arg1) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xf32>, tensor<4xf32>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<f32>):
    %0 = "chlo.broadcast_divide"(%arg0, %arg2) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %1 = "chlo.broadcast_divide"(%arg0, %arg1) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xf32>, tensor<4xf32>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<f32>):
    %0 = "chlo.broadcast_maximum"(%arg0, %arg2) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %1 = "chlo.broadcast_maximum"(%arg0, %arg1) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xf32>, tensor<4xf32>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<f32>):
    %0 = "chlo.broadcast_minimum"(%arg0, %arg2) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %1 = "chlo.broadcast_minimum"(%arg0, %arg1) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xf32>, tensor<4xf32>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<f32>):
    %0 = "chlo.broadcast_multiply"(%arg0, %arg2) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %1 = "chlo.broadcast_multiply"(%arg0, %arg1) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xf32>, tensor<4xf32>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<f32>):
    %0 = "chlo.broadcast_next_after"(%arg0, %arg2) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %1 = "chlo.broadcast_next_after"(%arg0, %arg1) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xf32>, tensor<4xf32>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<f32>):
    %0 = "chlo.broadcast_polygamma"(%arg0, %arg2) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %1 = "chlo.broadcast_polygamma"(%arg0, %arg1) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xf32>, tensor<4xf32>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<f32>):
    %0 = "chlo.broadcast_power"(%arg0, %arg2) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %1 = "chlo.broadcast_power"(%arg0, %arg1) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xf32>, tensor<4xf32>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<f32>):
    %0 = "chlo.broadcast_remainder"(%arg0, %arg2) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %1 = "chlo.broadcast_remainder"(%arg0, %arg1) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xf32>, tensor<4xf32>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<f32>):
    %0 = "chlo.broadcast_subtract"(%arg0, %arg2) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %1 = "chlo.broadcast_subtract"(%arg0, %arg1) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xf32>, tensor<4xf32>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<f32>):
    %0 = "chlo.broadcast_zeta"(%arg0, %arg2) : (tensor<3x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %1 = "chlo.broadcast_zeta"(%arg0, %arg1) {broadcast_dimensions = dense<1> : tensor<1xi64>} : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xf32>, tensor<4xf32>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xi32>, %arg1: tensor<4xi32>):
    %0 = "chlo.broadcast_and"(%arg0, %arg0) : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi32>
    %1 = "chlo.broadcast_and"(%arg0, %arg1) {broadcast_dimensions = dense<1> : tensor<1xi64>, foo} : (tensor<3x4xi32>, tensor<4xi32>) -> tensor<3x4xi32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xi32>, tensor<4xi32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xi32>, %arg1: tensor<4xi32>):
    %0 = "chlo.broadcast_or"(%arg0, %arg0) : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi32>
    %1 = "chlo.broadcast_or"(%arg0, %arg1) {broadcast_dimensions = dense<1> : tensor<1xi64>, foo} : (tensor<3x4xi32>, tensor<4xi32>) -> tensor<3x4xi32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xi32>, tensor<4xi32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xi32>, %arg1: tensor<4xi32>):
    %0 = "chlo.broadcast_xor"(%arg0, %arg0) : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi32>
    %1 = "chlo.broadcast_xor"(%arg0, %arg1) {broadcast_dimensions = dense<1> : tensor<1xi64>, foo} : (tensor<3x4xi32>, tensor<4xi32>) -> tensor<3x4xi32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xi32>, tensor<4xi32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xi32>, %arg1: tensor<4xi32>):
    %0 = "chlo.broadcast_shift_left"(%arg0, %arg0) : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi32>
    %1 = "chlo.broadcast_shift_left"(%arg0, %arg1) {broadcast_dimensions = dense<1> : tensor<1xi64>, foo} : (tensor<3x4xi32>, tensor<4xi32>) -> tensor<3x4xi32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xi32>, tensor<4xi32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xi32>, %arg1: tensor<4xi32>):
    %0 = "chlo.broadcast_shift_right_arithmetic"(%arg0, %arg0) : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi32>
    %1 = "chlo.broadcast_shift_right_arithmetic"(%arg0, %arg1) {broadcast_dimensions = dense<1> : tensor<1xi64>, foo} : (tensor<3x4xi32>, tensor<4xi32>) -> tensor<3x4xi32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xi32>, tensor<4xi32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xi32>, %arg1: tensor<4xi32>):
    %0 = "chlo.broadcast_shift_right_logical"(%arg0, %arg0) : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi32>
    %1 = "chlo.broadcast_shift_right_logical"(%arg0, %arg1) {broadcast_dimensions = dense<1> : tensor<1xi64>, foo} : (tensor<3x4xi32>, tensor<4xi32>) -> tensor<3x4xi32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xi32>, tensor<4xi32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<f32>, %arg2: tensor<4xi1>):
    %0 = "chlo.broadcast_complex"(%arg0, %arg1) : (tensor<4xf32>, tensor<f32>) -> tensor<4xcomplex<f32>>
    %1 = "chlo.broadcast_compare"(%arg0, %arg1) {comparison_direction = #chlo.comparison_direction<LT>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
    %2 = "chlo.broadcast_compare"(%arg0, %arg1) {broadcast_dimensions = dense<> : tensor<0xi64>, compare_type = #chlo.comparison_type<TOTALORDER>, comparison_direction = #chlo.comparison_direction<NE>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xi1>
    %3 = "chlo.broadcast_select"(%arg2, %arg0, %arg1) : (tensor<4xi1>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %4 = "chlo.broadcast_select"(%arg2, %arg0, %arg1) {foo} : (tensor<4xi1>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<f32>, tensor<4xi1>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<3x6xf32>):
    %0 = "chlo.constant"() {value = dense<1.000000e+00> : tensor<4xf32>} : () -> tensor<4xf32>
    %1 = "chlo.constant"() {foo, value = dense<[1, 2]> : tensor<2xi32>} : () -> tensor<2xi32>
    %2 = "chlo.constant_like"(%arg0) {value = 1.000000e+00 : f32} : (tensor<4xf32>) -> tensor<4xf32>
    %values, %indices = "chlo.top_k"(%arg1) {k = 3 : i64} : (tensor<3x6xf32>) -> (tensor<3x3xf32>, tensor<3x3xi32>)
    %values_0, %indices_1 = "chlo.top_k"(%arg1) {foo, is_stable = false, k = 2 : i64} : (tensor<3x6xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<3x6xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<3x4xf32>, %arg1: tensor<2x4x5xf32>, %arg2: tensor<2xi64>, %arg3: tensor<4x3x5xf32>, %arg4: tensor<3x2xi64>):
    %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : (tensor<3x4xf32>, tensor<2x4x5xf32>, tensor<2xi64>) -> tensor<3x5xf32>
    %1 = "chlo.ragged_dot"(%arg0, %arg3, %arg4) {foo, precision_config = [#chlo.precision<DEFAULT>, #chlo.precision<HIGH>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1]>} : (tensor<3x4xf32>, tensor<4x3x5xf32>, tensor<3x2xi64>) -> tensor<2x3x5xf32>
    "func.return"() : () -> ()
  }) {function_type = (tensor<3x4xf32>, tensor<2x4x5xf32>, tensor<2xi64>, tensor<4x3x5xf32>, tensor<3x2xi64>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<f32>):
    %0:2 = "chlo.scan"(%arg0, %arg1) ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %1 = "stablehlo.add"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1, %1) : (tensor<f32>, tensor<f32>) -> ()
    }) {dimension = 0 : i64, operandSegmentSizes = #shardy.array<i32: 1, 1>} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<f32>):
    %0:2 = "chlo.scan"(%arg0, %arg1) ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      "stablehlo.return"(%arg2, %arg3) : (tensor<f32>, tensor<f32>) -> ()
    }) {dimension = 0 : i64, is_reverse = true, operandSegmentSizes = #shardy.array<i32: 1, 1>} : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<f32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
