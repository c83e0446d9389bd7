// shardy opt --sdy-pre-order-funcs
// CASE: declarations stay where they are, calls in regions count (4.13, 1.5)
func.func private @decl(tensor<8xf32>) -> tensor<8xf32>
func.func private @deep(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @decl(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
sdy.mesh @a = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> tensor<8xf32> {
  %0 = "stablehlo.case"(%arg1) ({
    %1 = func.call @deep(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }, {
    %1 = func.call @flat(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @flat(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
sdy.mesh @b = <["y"=2]>
func.func @last() {
  return
}
// ---- becomes
module {
  func.func private @decl(tensor<8xf32>) -> tensor<8xf32>
  sdy.mesh @a = <["x"=2]>
  sdy.mesh @b = <["y"=2]>
  func.func @last() {
    return
  }
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> tensor<8xf32> {
    %0 = "stablehlo.case"(%arg1) ({
      %1 = func.call @deep(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      stablehlo.return %1 : tensor<8xf32>
    }, {
      %1 = func.call @flat(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
      stablehlo.return %1 : tensor<8xf32>
    }) : (tensor<i32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @flat(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @deep(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @decl(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-pre-order-funcs
// CASE: the example of 1.5: main calls b then a, a calls b (4.13)
func.func @main() {
  call @b() : () -> ()
  call @a() : () -> ()
  return
}
func.func private @a() {
  call @b() : () -> ()
  return
}
func.func private @b() {
  return
}
// ---- becomes
module {
  func.func @main() {
    call @b() : () -> ()
    call @a() : () -> ()
    return
  }
  func.func private @a() {
    call @b() : () -> ()
    return
  }
  func.func private @b() {
    return
  }
}
// ----------
// shardy opt --sdy-pre-order-funcs
// CASE: nothing to sort (4.13)
sdy.mesh @a = <["x"=2]>
// ---- becomes
module {
  sdy.mesh @a = <["x"=2]>
}
// ----------
// shardy opt --sdy-pre-order-funcs
// CASE: deviation 9: functions without calls are in reverse order
func.func @f() { return }
func.func @g() { return }
func.func @h() { return }
// ---- becomes
module {
  func.func @h() {
    return
  }
  func.func @g() {
    return
  }
  func.func @f() {
    return
  }
}
// ----------
// shardy opt --sdy-pre-order-funcs
// CASE: deviation 21: recursion is an error
func.func @f() { call @f() : () -> () return }
// ---- fails
3:1: recursive call to function f is not supported
