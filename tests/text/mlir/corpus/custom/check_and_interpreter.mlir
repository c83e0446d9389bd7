module {
  func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<2xi32>) {
    check.expect_eq %arg0, %arg0 : tensor<4xf32>
    check.expect_eq %arg1, %arg1 {foo} : tensor<2xi32>
    check.expect_eq_const %arg1, dense<[1, 2]> : tensor<2xi32>
    check.expect_eq_const %arg1, dense<0> : tensor<2xi32> {foo}
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>) {
    check.expect_almost_eq %arg0, %arg0 : tensor<4xf32>
    check.expect_almost_eq %arg0, %arg0, tolerance = 1.000000e-02 : tensor<4xf32>
    check.expect_almost_eq %arg0, %arg0, tolerance = 5.000000e-01 {foo} : tensor<4xf32>
    check.expect_almost_eq_const %arg0, dense<1.000000e+00> : tensor<4xf32>
    check.expect_almost_eq_const %arg0, dense<1.000000e+00> : tensor<4xf32>, tolerance = 1.000000e-02
    check.expect_almost_eq_const %arg0, dense<1.000000e+00> : tensor<4xf32>, tolerance = 1.000000e-02 {foo}
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>) {
    check.expect_close %arg0, %arg0 : tensor<4xf32>, tensor<4xf32>
    check.expect_close %arg0, %arg0, max_ulp_difference = 3 : tensor<4xf32>, tensor<4xf32>
    check.expect_close %arg0, %arg0, min_ulp_difference = 2 : tensor<4xf32>, tensor<4xf32>
    check.expect_close %arg0, %arg0, max_ulp_difference = 0, min_ulp_difference = 1 : {foo} tensor<4xf32>, tensor<4xf32>
    check.expect_serialized_eq %arg0, probe_id = "p", iter = 1 : tensor<4xf32>
    check.expect_serialized_eq %arg0, probe_id = "p" {foo} : tensor<4xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>) {
    interpreter.print %arg0 : tensor<4xf32>
    interpreter.print %arg0 {foo} : tensor<4xf32>
    %0 = interpreter.probe %arg0, probe_id = "p" : tensor<4xf32>
    %1 = interpreter.probe %0, probe_id = "q" {foo} : tensor<4xf32>
    %2:2 = "interpreter.run_parallel"(%0, %1) <{programs = [[@f, @f]]}> : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %3:2 = "interpreter.run_parallel"(%0, %1) <{infeed = [@g], programs = [[@f], [@f]]}> {foo} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    return
  }
  func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
  func.func private @g() -> tensor<4xf32>
}
