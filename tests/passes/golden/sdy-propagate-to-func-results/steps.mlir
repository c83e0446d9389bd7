// shardy opt --sdy-propagate-to-func-results
// CASE: public functions, calls and loops as sources, attributes beside the sharding; declarations stay (5.10)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) {
  return
}
func.func @f(%arg0: tensor<8xf32>, %arg1: tensor<i1>) -> (tensor<8xf32> {mine = "a", sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  %0:2 = call @d(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{"x", ?}p1], unreduced={"y"}>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1 = sdy.sharding_constraint %0#0 <@mesh, [{?}]> : tensor<8xf32>
  %2 = stablehlo.negate %1 : tensor<8xf32>
  return %2, %0#1, %1 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
func.func private @d(tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<8xf32>)
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>) {
    return
  }
  func.func @f(%arg0: tensor<8xf32>, %arg1: tensor<i1>) -> (tensor<8xf32> {mine = "a"}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1], unreduced={"y"}>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}]>}) {
    %0:2 = call @d(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{"x", ?}p1], unreduced={"y"}>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1 = sdy.sharding_constraint %0#0 <@mesh, [{?}]> : tensor<8xf32>
    %2 = stablehlo.negate %1 : tensor<8xf32>
    return %2, %0#1, %1 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  func.func private @d(tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}, tensor<8xf32>)
}
// ----------
// shardy opt --sdy-propagate-to-func-results
// CASE: the only function is main and stays (5.10, 1.4)
sdy.mesh @mesh = <["x"=2]>
func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-propagate-to-func-results
// CASE: a module without functions has no main (1.4)
module {
}
// ---- fails
: Failed to lookup function: main
// ----------
// shardy opt --sdy-propagate-to-func-results
// CASE: results of a function that ends otherwise than with a func.return stay (5.10)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  stablehlo.return %arg0 : tensor<8xf32>
}
func.func private @g(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  sdy.return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    stablehlo.return %arg0 : tensor<8xf32>
  }
  func.func private @g(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    sdy.return %arg0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-propagate-to-func-results
// CASE: a function without return, or with returned types that differ from its results, is refused at its place (5.10)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  stablehlo.return
}
// ---- fails
3:1: 'func.func' op block of region 0 must end in 'func.return'
7:3: 'stablehlo.return' op has 0 operands, but enclosing function (@f) returns 1
// ----------
// shardy opt --sdy-propagate-to-func-results
// CASE: several functions without main are refused (5.10)
func.func @a() {
  return
}
func.func @b() {
  return
}
// ---- fails
3:1: Failed to lookup function: main
