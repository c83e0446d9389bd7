// shardy opt --sdy-flatten-call-graph
// CASE: copies keep visibility, attributes and bodies; the original name is that of the first (4.9, 1.6)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = call @f(%arg0) {note = 1 : i64} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = "stablehlo.case"(%arg1) ({
    %2 = func.call @f(%0) {note = 2 : i64} : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }, {
    %2 = func.call @f_7(%0) : (tensor<8xf32>) -> tensor<8xf32>
    %3 = func.call @f_7(%2) : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %3 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
func.func @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, mine = "a"}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) attributes {execution_thread = "t"} {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f_7(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "g"} {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = call @f(%arg0) {note = 1 : i64} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = "stablehlo.case"(%arg1) ({
      %2 = func.call @f_0(%0) {note = 2 : i64} : (tensor<8xf32>) -> tensor<8xf32>
      stablehlo.return %2 : tensor<8xf32>
    }, {
      %2 = func.call @f_7(%0) : (tensor<8xf32>) -> tensor<8xf32>
      %3 = func.call @f_7_1(%2) : (tensor<8xf32>) -> tensor<8xf32>
      stablehlo.return %3 : tensor<8xf32>
    }) : (tensor<i32>) -> tensor<8xf32>
    return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }
  func.func @f(%arg0: tensor<8xf32> {mine = "a", sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) attributes {execution_thread = "t"} {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @f_7(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "g"} {
    return %arg0 : tensor<8xf32>
  }
  func.func @f_0(%arg0: tensor<8xf32> {mine = "a", sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) attributes {execution_thread = "t", sdy.original_func_name = "f"} {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @f_7_1(%arg0: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "g"} {
    return %arg0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-flatten-call-graph
// CASE: calls are walked callees first: the call of an inner function keeps the name, the one in main gets a copy (4.9, 1.5)
func.func @main() {
  call @leaf() : () -> ()
  call @mid() : () -> ()
  return
}
func.func private @mid() {
  call @leaf() : () -> ()
  return
}
func.func private @leaf() {
  return
}
func.func @other() {
  call @leaf() : () -> ()
  return
}
// ---- becomes
module {
  func.func @main() {
    call @leaf_0() : () -> ()
    call @mid() : () -> ()
    return
  }
  func.func private @mid() {
    call @leaf() : () -> ()
    return
  }
  func.func private @leaf() {
    return
  }
  func.func @other() {
    call @leaf_1() : () -> ()
    return
  }
  func.func private @leaf_0() attributes {sdy.original_func_name = "leaf"} {
    return
  }
  func.func private @leaf_1() attributes {sdy.original_func_name = "leaf"} {
    return
  }
}
// ----------
// shardy opt --sdy-flatten-call-graph
// CASE: names that are taken are skipped, a mesh takes one as well (4.9, 1.3)
sdy.mesh @f_1 = <["x"=2]>
func.func @main() {
  call @f() : () -> ()
  call @f() : () -> ()
  call @f() : () -> ()
  return
}
func.func private @f() {
  return
}
func.func private @f_0() {
  return
}
// ---- becomes
module {
  sdy.mesh @f_1 = <["x"=2]>
  func.func @main() {
    call @f() : () -> ()
    call @f_2() : () -> ()
    call @f_3() : () -> ()
    return
  }
  func.func private @f() {
    return
  }
  func.func private @f_0() {
    return
  }
  func.func private @f_2() attributes {sdy.original_func_name = "f"} {
    return
  }
  func.func private @f_3() attributes {sdy.original_func_name = "f"} {
    return
  }
}
// ----------
// shardy opt --sdy-flatten-call-graph
// CASE: functions that are called once stay, wherever the call is
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> tensor<8xf32> {
  %0 = "stablehlo.case"(%arg1) ({
    %1 = func.call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-flatten-call-graph
// CASE: deviation 21: recursion is an error
func.func @f() { call @g() : () -> () return }
func.func @g() { call @f() : () -> () return }
// ---- fails
3:1: recursive call to function f is not supported
