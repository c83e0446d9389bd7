// CASE: a call without shardings has those of its callee's results
// PASS: sdy-propagate-sharding-from-func-to-call
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0:2 = call @f(%arg0) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<4xf32>)
  return %0#0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<4xf32>) {
  %0 = stablehlo.slice %arg0 [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  return %arg0, %0 : tensor<8xf32>, tensor<4xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0:2 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{?}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<4xf32>)
  return %0#0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<4xf32>) {
  %0 = stablehlo.slice %arg0 [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  return %arg0, %0 : tensor<8xf32>, tensor<4xf32>
}
// -----
// CASE: a call with shardings keeps them, though they are empty
// PASS: sdy-propagate-sharding-from-func-to-call
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @g(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @h(%1) : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return %arg0 : tensor<8xf32>
}
func.func private @g(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
func.func private @h(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<[], device_ids=[0]>, []>}) {
  return %arg0 : tensor<8xf32>
}
// UNCHANGED
// -----
// CASE: a maximal sharding is kept beside another one
// PASS: sdy-propagate-sharding-from-func-to-call
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @max = <[], device_ids=[1]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0:3 = call @f(%arg0) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %0#0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@max, []>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xf32>) {
  return %arg0, %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @max = <[], device_ids=[1]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0:3 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@max, []>, <@mesh, [{"x"}]>, <@mesh, [{?}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %0#0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@max, []>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xf32>) {
  return %arg0, %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// -----
// CASE: a result that a collective reads stays replicated, as it says (4.3)
// PASS: sdy-propagate-sharding-from-func-to-call
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) {
  return %arg0 : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) {
  return %arg0 : tensor<8xf32>
}
