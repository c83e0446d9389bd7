// CASE: arguments of functions and results of calls get an edge
// PASS: sdy-add-func-data-flow-edges
// TWICE
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.func_data_flow_edge %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.func_data_flow_edge %arg0 : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// -----
// CASE: the only function is main, whatever its name; tokens have no edge
// PASS: sdy-add-func-data-flow-edges
func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
// UNCHANGED
// -----
// CASE: the edges of several values stand in their order
// PASS: sdy-add-func-data-flow-edges
func.func @main(%arg0: tensor<8xf32>, %arg1: !stablehlo.token) -> tensor<4xf32> {
  %0:3 = call @f(%arg0, %arg1) : (tensor<8xf32>, !stablehlo.token) -> (tensor<8xf32>, !stablehlo.token, tensor<4xf32>)
  return %0#2 : tensor<4xf32>
}
func.func private @f(%arg0: tensor<8xf32>, %arg1: !stablehlo.token) -> (tensor<8xf32>, !stablehlo.token, tensor<4xf32>) {
  %0 = stablehlo.slice %arg0 [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  return %arg0, %arg1, %0 : tensor<8xf32>, !stablehlo.token, tensor<4xf32>
}
// AFTER
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
// -----
// CASE: several functions and no main are an error
// PASS: sdy-add-func-data-flow-edges
func.func @f() { return }
func.func @g() { return }
// ERROR: Failed to lookup function: main
// -----
// CASE: deviation 21: a function without body is an error
// PASS: sdy-add-func-data-flow-edges
func.func @main() { call @f() : () -> () return }
func.func private @f()
// ERROR: function f has no body
