// shardy opt --sdy-add-func-data-flow-edges
// CASE: calls in regions, copied shardings, unused values; dynamic shapes and main's arguments get none (4.11)
sdy.mesh @mesh = <["x"=2]>
func.func private @g(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1], replicated={}>}, %arg1: tensor<?xf32>, %arg2: tensor<f32>) -> (tensor<8xf32>, tensor<?xf32>) {
  %0 = stablehlo.add %arg0, %arg0 : tensor<8xf32>
  return %0, %arg1 : tensor<8xf32>, tensor<?xf32>
}
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<?xf32>, %arg2: tensor<f32>, %arg3: tensor<i32>) -> (tensor<8xf32>, tensor<?xf32>) {
  %0:2 = "stablehlo.case"(%arg3) ({
    %1:2 = func.call @g(%arg0, %arg1, %arg2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{?}]>]>} : (tensor<8xf32>, tensor<?xf32>, tensor<f32>) -> (tensor<8xf32>, tensor<?xf32>)
    stablehlo.return %1#0, %1#1 : tensor<8xf32>, tensor<?xf32>
  }, {
    %1:2 = func.call @g(%arg0, %arg1, %arg2) : (tensor<8xf32>, tensor<?xf32>, tensor<f32>) -> (tensor<8xf32>, tensor<?xf32>)
    stablehlo.return %arg0, %arg1 : tensor<8xf32>, tensor<?xf32>
  }) : (tensor<i32>) -> (tensor<8xf32>, tensor<?xf32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<?xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func private @g(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1]>}, %arg1: tensor<?xf32>, %arg2: tensor<f32>) -> (tensor<8xf32>, tensor<?xf32>) {
    %0 = sdy.func_data_flow_edge %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}p1]>]>} : tensor<8xf32>
    %1 = sdy.func_data_flow_edge %arg2 : tensor<f32>
    %2 = stablehlo.add %0, %0 : tensor<8xf32>
    return %2, %arg1 : tensor<8xf32>, tensor<?xf32>
  }
  func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<?xf32>, %arg2: tensor<f32>, %arg3: tensor<i32>) -> (tensor<8xf32>, tensor<?xf32>) {
    %0:2 = "stablehlo.case"(%arg3) ({
      %1:2 = func.call @g(%arg0, %arg1, %arg2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{?}]>]>} : (tensor<8xf32>, tensor<?xf32>, tensor<f32>) -> (tensor<8xf32>, tensor<?xf32>)
      %2 = sdy.func_data_flow_edge %1#0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
      stablehlo.return %2, %1#1 : tensor<8xf32>, tensor<?xf32>
    }, {
      %1:2 = func.call @g(%arg0, %arg1, %arg2) : (tensor<8xf32>, tensor<?xf32>, tensor<f32>) -> (tensor<8xf32>, tensor<?xf32>)
      %2 = sdy.func_data_flow_edge %1#0 : tensor<8xf32>
      stablehlo.return %arg0, %arg1 : tensor<8xf32>, tensor<?xf32>
    }) : (tensor<i32>) -> (tensor<8xf32>, tensor<?xf32>)
    return %0#0, %0#1 : tensor<8xf32>, tensor<?xf32>
  }
}
// ----------
// shardy opt --sdy-add-func-data-flow-edges
// CASE: a function without calls gets edges for its arguments (4.11 step 2)
func.func @main() {
  return
}
func.func @alone(%arg0: tensor<8xf32>, %arg1: tensor<4xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  func.func @main() {
    return
  }
  func.func @alone(%arg0: tensor<8xf32>, %arg1: tensor<4xf32>) -> tensor<8xf32> {
    %0 = sdy.func_data_flow_edge %arg0 : tensor<8xf32>
    %1 = sdy.func_data_flow_edge %arg1 : tensor<4xf32>
    return %0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-add-func-data-flow-edges
// CASE: several functions and no main are an error (4.11 step 1, 1.4)
func.func @f() {
  return
}
func.func @g() {
  return
}
// ---- fails
3:1: Failed to lookup function: main
// ----------
// shardy opt --sdy-add-func-data-flow-edges
// CASE: an edge on an op that is not a call is refused (4.11, verification)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  %1 = sdy.func_data_flow_edge %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- fails
5:8: 'sdy.func_data_flow_edge' op expected input of sdy.func_data_flow_edge to be a result of call op
// ----------
// shardy opt --sdy-add-func-data-flow-edges
// CASE: a module without functions has no main (1.4)
module {
}
// ---- fails
: Failed to lookup function: main
// ----------
// shardy opt --sdy-add-func-data-flow-edges
// CASE: the only function is main, whatever its name; tokens have no edge
func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-add-func-data-flow-edges
// CASE: the edges of several values are in their order
func.func @main(%arg0: tensor<8xf32>, %arg1: !stablehlo.token) -> tensor<4xf32> {
  %0:3 = call @f(%arg0, %arg1) : (tensor<8xf32>, !stablehlo.token) -> (tensor<8xf32>, !stablehlo.token, tensor<4xf32>)
  return %0#2 : tensor<4xf32>
}
func.func private @f(%arg0: tensor<8xf32>, %arg1: !stablehlo.token) -> (tensor<8xf32>, !stablehlo.token, tensor<4xf32>) {
  %0 = stablehlo.slice %arg0 [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  return %arg0, %arg1, %0 : tensor<8xf32>, !stablehlo.token, tensor<4xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<8xf32>, %arg1: !stablehlo.token) -> tensor<4xf32> {
    %0:3 = call @f(%arg0, %arg1) : (tensor<8xf32>, !stablehlo.token) -> (tensor<8xf32>, !stablehlo.token, tensor<4xf32>)
    %1 = sdy.func_data_flow_edge %0#0 : tensor<8xf32>
    %2 = sdy.func_data_flow_edge %0#2 : tensor<4xf32>
    return %2 : tensor<4xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>, %arg1: !stablehlo.token) -> (tensor<8xf32>, !stablehlo.token, tensor<4xf32>) {
    %0 = sdy.func_data_flow_edge %arg0 : tensor<8xf32>
    %1 = stablehlo.slice %0 [0:4] : (tensor<8xf32>) -> tensor<4xf32>
    return %0, %arg1, %1 : tensor<8xf32>, !stablehlo.token, tensor<4xf32>
  }
}
// ----------
// shardy opt --sdy-add-func-data-flow-edges
// CASE: deviation 21: a function without body is an error
func.func @main() { call @f() : () -> () return }
func.func private @f()
// ---- fails
4:1: function f has no body
