// shardy opt --sdy-propagate-unreduced-across-call-boundaries
// CASE: dims and replicated axes of the other side give up unreduced axes and sub-axes of them; priorities and closed dims stay (4.16 step 1)
sdy.mesh @mesh = <["x"=4, "y"=2, "z"=2]>
func.func @main(%arg0: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}], unreduced=max{"x"}>}) -> tensor<8x8x8xf32> {
  %0 = call @f(%arg0) : (tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  return %0 : tensor<8x8x8xf32>
}
func.func private @f(%arg0: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x":(1)2, ?}p2, {}, {"x":(2)2}p1], replicated={"z"}>}) -> tensor<8x8x8xf32> {
  return %arg0 : tensor<8x8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=4, "y"=2, "z"=2]>
  func.func @main(%arg0: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}], unreduced=max{"x"}>}) -> tensor<8x8x8xf32> {
    %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}, {?}], unreduced=max{"x"}>]>} : (tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    return %0 : tensor<8x8x8xf32>
  }
  func.func private @f(%arg0: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", ?}p2, {}, {}], replicated={"z"}, unreduced=max{"x"}>}) -> (tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {?}, {?}], unreduced=max{"x"}>}) {
    return %arg0 : tensor<8x8x8xf32>
  }
}
// ----------
// shardy opt --sdy-propagate-unreduced-across-call-boundaries
// CASE: chains of calls, main last: callers of callers and callees of callees get the axes, results of main stay (4.16 deviation)
sdy.mesh @mesh = <["x"=2]>
func.func private @inner(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}], unreduced={"x"}>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @outer(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = call @inner(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %arg0 : tensor<8xf32>, tensor<8xf32>
}
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = call @outer(%arg0) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func private @inner(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}], unreduced={"x"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}], unreduced={"x"}>}) {
    %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}], unreduced={"x"}>]>} : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @outer(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}], unreduced={"x"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}], unreduced={"x"}>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}], unreduced={"x"}>}) {
    %0 = call @inner(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}], unreduced={"x"}>]>} : (tensor<8xf32>) -> tensor<8xf32>
    return %0, %arg0 : tensor<8xf32>, tensor<8xf32>
  }
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}) -> (tensor<8xf32>, tensor<8xf32>) {
    %0:2 = call @outer(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}], unreduced={"x"}>, <@mesh, [{?}], unreduced={"x"}>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-propagate-unreduced-across-call-boundaries
// CASE: stays as it is: another mesh, an operand of a collective, values that are not unreduced, an argument of a function without body
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @other = <["u"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = call @meshes(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @collective(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @sharded(%arg1) : (tensor<8xf32>) -> tensor<8xf32>
  %3 = call @declared(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func private @meshes(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"u"}]>}) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
func.func private @collective(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = sdy.all_gather [{"x"}] %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @sharded(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
func.func private @declared(tensor<8xf32>) -> tensor<8xf32>
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @other = <["u"=2]>
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"x"}>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = call @meshes(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %1 = call @collective(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    %2 = call @sharded(%arg1) : (tensor<8xf32>) -> tensor<8xf32>
    %3 = call @declared(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    return
  }
  func.func private @meshes(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"u"}]>}) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @collective(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
    %0 = sdy.all_gather [{"x"}] %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @sharded(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    return %arg0 : tensor<8xf32>
  }
  func.func private @declared(tensor<8xf32>) -> tensor<8xf32>
}
// ----------
// shardy opt --sdy-propagate-unreduced-across-call-boundaries
// CASE: a declared function gives its calls unreduced axes, the other results of the call become open
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0:2 = call @declared(%arg0) : (tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<8xf32>
}
func.func private @declared(tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], unreduced={"x"}>})
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0:2 = call @declared(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>, <@mesh, [{?}], unreduced={"x"}>]>} : (tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>)
    return %0#0, %0#1 : tensor<4xf32>, tensor<8xf32>
  }
  func.func private @declared(tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}], unreduced={"x"}>})
}
// ----------
// shardy opt --sdy-propagate-unreduced-across-call-boundaries
// CASE: recursion
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @main(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
3:1: recursive call to function main is not supported
