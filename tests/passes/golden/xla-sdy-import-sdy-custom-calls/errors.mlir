// shardy opt --xla-sdy-import-sdy-custom-calls
// CASE: a group without id (6.7)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @xla.sdy.ShardingGroup(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
4:8: expected CustomCallOp with a sharding group id.
// ----------
// shardy opt --xla-sdy-import-sdy-custom-calls
// CASE: a group that is used (6.7)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @xla.sdy.ShardingGroup(%arg0) {mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "1 : i64"}} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
4:8: xla.sdy.ShardingGroup CustomCallOp should have no uses.
// ----------
// shardy opt --xla-sdy-import-sdy-custom-calls
// CASE: an id that is not a number
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @xla.sdy.ShardingGroup(%arg0) {mhlo.frontend_attributes = {xla.sdy.sharding_group_id = "one"}} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
4:8: xla.sdy.sharding_group_id of custom call @xla.sdy.ShardingGroup: expected an integer, found 'one' at 1:1 in "one"
// ----------
// shardy opt --xla-sdy-import-sdy-custom-calls
// CASE: a barrier without direction (6.7)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
4:8: expected PropagationBarrier CustomCall Op with a propagation direction.
// ----------
// shardy opt --xla-sdy-import-sdy-custom-calls
// CASE: a direction that there is not
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%arg0) {mhlo.frontend_attributes = {xla.sdy.allowed_direction = "4 : i32"}} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
4:8: xla.sdy.allowed_direction of custom call @xla.sdy.PropagationBarrier: expected 0 to 3 in "4 : i32"
// ----------
// shardy opt --xla-sdy-import-sdy-custom-calls
// CASE: an unknown target (10)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @xla.sdy.Sharding(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
4:8: custom call @xla.sdy.Sharding does not carry a sharding
// ----------
// shardy opt --xla-sdy-import-sdy-custom-calls
// CASE: a border that is left over (6.6)
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @xla.sdy.LocalToGlobalShape(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- fails
4:8: custom call @xla.sdy.LocalToGlobalShape is not at a boundary of a manual computation
