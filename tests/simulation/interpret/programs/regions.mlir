// Accumulators of a wider type than the elements (15.1): f16 in f32.
func.func @main() {
  %x = stablehlo.constant dense<[2048.0, 1.0, 1.0]> : tensor<3xf16>
  %c = stablehlo.constant dense<0.0> : tensor<f16>
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3xf16>, tensor<f16>) -> tensor<f32>
  check.expect_eq_const %0, dense<2050.0> : tensor<f32>
  return
}

// -----

// i8 in i32.
func.func @main() {
  %x = stablehlo.constant dense<[100, 100, 100]> : tensor<3xi8>
  %c = stablehlo.constant dense<0> : tensor<i8>
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3xi8>, tensor<i8>) -> tensor<i32>
  check.expect_eq_const %0, dense<300> : tensor<i32>
  return
}

// -----

// Also in the form with a reducer.
func.func @main() {
  %x = stablehlo.constant dense<[100, 100, 100]> : tensor<3xi8>
  %c = stablehlo.constant dense<0> : tensor<i8>
  %0 = stablehlo.reduce(%x init: %c) across dimensions = [0] : (tensor<3xi8>, tensor<i8>) -> tensor<i32>
   reducer(%a: tensor<i32>, %b: tensor<i32>)  {
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }
  check.expect_eq_const %0, dense<300> : tensor<i32>
  return
}

// -----

// refused: stablehlo.reduce
// A narrower type is none.
func.func @main() {
  %x = stablehlo.constant dense<[100, 100, 100]> : tensor<3xi32>
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %s = stablehlo.add %a, %b : tensor<i8>
    stablehlo.return %s : tensor<i8>
  }) : (tensor<3xi32>, tensor<i32>) -> tensor<i8>
  return
}

// -----

// Windows.
func.func @main() {
  %x = stablehlo.constant dense<[100, 100, 100]> : tensor<3xi8>
  %c = stablehlo.constant dense<0> : tensor<i8>
  %0 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3xi8>, tensor<i8>) -> tensor<2xi32>
  check.expect_eq_const %0, dense<200> : tensor<2xi32>
  return
}

// -----

// Scattered elements: the result has the wider type.
func.func @main() {
  %x = stablehlo.constant dense<[100, 100, 100]> : tensor<3xi8>
  %i = stablehlo.constant dense<[1]> : tensor<1xi32>
  %u = stablehlo.constant dense<100> : tensor<i8>
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3xi8>, tensor<1xi32>, tensor<i8>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[100, 200, 100]> : tensor<3xi32>
  return
}

// -----

// The second region alone.
func.func @main() {
  %x = stablehlo.constant dense<[1, 5, 3]> : tensor<3xi8>
  %s = stablehlo.constant dense<[100, 100]> : tensor<2xi8>
  %c = stablehlo.constant dense<0> : tensor<i8>
  %0 = "stablehlo.select_and_scatter"(%x, %s, %c) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %s1 = stablehlo.compare GE, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
    stablehlo.return %s1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s1 : tensor<i32>
  }) : (tensor<3xi8>, tensor<2xi8>, tensor<i8>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[0, 200, 0]> : tensor<3xi32>
  return
}

// -----

// Across processes.
func.func @f(%x: tensor<2xi8>) -> tensor<2xi32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s1 : tensor<i32>
  }) : (tensor<2xi8>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func @main() {
  %x = stablehlo.constant dense<100> : tensor<2xi8>
  %0:2 = "interpreter.run_parallel"(%x, %x) <{programs = [[@f], [@f]]}> : (tensor<2xi8>, tensor<2xi8>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<200> : tensor<2xi32>
  return
}

// -----

// Across processes, in parts.
func.func @f(%x: tensor<2xi8>) -> tensor<1xi32> {
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s1 : tensor<i32>
  }) : (tensor<2xi8>) -> tensor<1xi32>
  return %0 : tensor<1xi32>
}
func.func @main() {
  %x = stablehlo.constant dense<100> : tensor<2xi8>
  %0:2 = "interpreter.run_parallel"(%x, %x) <{programs = [[@f], [@f]]}> : (tensor<2xi8>, tensor<2xi8>) -> (tensor<1xi32>, tensor<1xi32>)
  check.expect_eq_const %0#0, dense<200> : tensor<1xi32>
  return
}

// -----

// Regions see values from outside (15), tensors too.
func.func @main() {
  %x = stablehlo.constant dense<[3, 1, 2]> : tensor<3xi32>
  %k = stablehlo.constant dense<2> : tensor<i32>
  %t = stablehlo.constant dense<[10, 20, 30]> : tensor<3xi32>
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.subtract %a, %k : tensor<i32>
    %q = stablehlo.subtract %b, %k : tensor<i32>
    %r = stablehlo.abs %p : tensor<i32>
    %s = stablehlo.abs %q : tensor<i32>
    %c = stablehlo.compare LT, %r, %s : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %0, dense<[2, 3, 1]> : tensor<3xi32>
  %1 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>):
    %one = stablehlo.constant dense<1> : tensor<i32>
    %i = stablehlo.subtract %a, %one : tensor<i32>
    %p = stablehlo.dynamic_slice %t, %i, sizes = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<1xi32>
    %q = stablehlo.reshape %p : (tensor<1xi32>) -> tensor<i32>
    stablehlo.return %q : tensor<i32>
  }) : (tensor<3xi32>) -> tensor<3xi32>
  check.expect_eq_const %1, dense<[30, 10, 20]> : tensor<3xi32>
  %2 = "stablehlo.reduce_window"(%x, %k) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.multiply %a, %k : tensor<i32>
    %q = stablehlo.add %p, %b : tensor<i32>
    stablehlo.return %q : tensor<i32>
  }) : (tensor<3xi32>, tensor<i32>) -> tensor<2xi32>
  check.expect_eq_const %2, dense<[15, 12]> : tensor<2xi32>
  %3 = "stablehlo.select_and_scatter"(%x, %t, %k) <{window_dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.compare GE, %a, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %p = stablehlo.add %a, %b : tensor<i32>
    %q = stablehlo.multiply %p, %k : tensor<i32>
    stablehlo.return %q : tensor<i32>
  }) : (tensor<3xi32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  // 2 (2 (2 + s) + 2)
  check.expect_eq_const %3, dense<[52, 92, 132]> : tensor<3xi32>
  return
}
