"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>, %arg1: tensor<2xi32>):
    "check.expect_eq"(%arg0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> ()
    "check.expect_eq"(%arg1, %arg1) {foo} : (tensor<2xi32>, tensor<2xi32>) -> ()
    "check.expect_eq_const"(%arg1) {value = dense<[1, 2]> : tensor<2xi32>} : (tensor<2xi32>) -> ()
    "check.expect_eq_const"(%arg1) {foo, value = dense<0> : tensor<2xi32>} : (tensor<2xi32>) -> ()
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>, tensor<2xi32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>):
    "check.expect_almost_eq"(%arg0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> ()
    "check.expect_almost_eq"(%arg0, %arg0) {tolerance = 1.000000e-02 : f64} : (tensor<4xf32>, tensor<4xf32>) -> ()
    "check.expect_almost_eq"(%arg0, %arg0) {foo, tolerance = 5.000000e-01 : f64} : (tensor<4xf32>, tensor<4xf32>) -> ()
    "check.expect_almost_eq_const"(%arg0) {value = dense<1.000000e+00> : tensor<4xf32>} : (tensor<4xf32>) -> ()
    "check.expect_almost_eq_const"(%arg0) {tolerance = 1.000000e-02 : f64, value = dense<1.000000e+00> : tensor<4xf32>} : (tensor<4xf32>) -> ()
    "check.expect_almost_eq_const"(%arg0) {foo, tolerance = 1.000000e-02 : f64, value = dense<1.000000e+00> : tensor<4xf32>} : (tensor<4xf32>) -> ()
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>):
    "check.expect_close"(%arg0, %arg0) : (tensor<4xf32>, tensor<4xf32>) -> ()
    "check.expect_close"(%arg0, %arg0) {max_ulp_difference = 3 : ui64} : (tensor<4xf32>, tensor<4xf32>) -> ()
    "check.expect_close"(%arg0, %arg0) {min_ulp_difference = 2 : ui64} : (tensor<4xf32>, tensor<4xf32>) -> ()
    "check.expect_close"(%arg0, %arg0) {foo, max_ulp_difference = 0 : ui64, min_ulp_difference = 1 : ui64} : (tensor<4xf32>, tensor<4xf32>) -> ()
    "check.expect_serialized_eq"(%arg0) {iteration = 1 : ui32, probe_id = "p"} : (tensor<4xf32>) -> ()
    "check.expect_serialized_eq"(%arg0) {foo, probe_id = "p"} : (tensor<4xf32>) -> ()
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>) -> (), sym_name = "main"} : () -> ()
}) : () -> ()
// -----
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>):
    "interpreter.print"(%arg0) : (tensor<4xf32>) -> ()
    "interpreter.print"(%arg0) {foo} : (tensor<4xf32>) -> ()
    %0 = "interpreter.probe"(%arg0) {probe_id = "p"} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "interpreter.probe"(%0) {foo, probe_id = "q"} : (tensor<4xf32>) -> tensor<4xf32>
    %2:2 = "interpreter.run_parallel"(%0, %1) {programs = [[@f, @f]]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %3:2 = "interpreter.run_parallel"(%0, %1) {foo, infeed = [@g], programs = [[@f], [@f]]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    "func.return"() : () -> ()
  }) {function_type = (tensor<4xf32>) -> (), sym_name = "main"} : () -> ()
  "func.func"() ({
  ^bb0(%arg0: tensor<4xf32>):
    "func.return"(%arg0) : (tensor<4xf32>) -> ()
  }) {function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "f", sym_visibility = "private"} : () -> ()
  "func.func"() ({
  }) {function_type = () -> tensor<4xf32>, sym_name = "g", sym_visibility = "private"} : () -> ()
}) : () -> ()
