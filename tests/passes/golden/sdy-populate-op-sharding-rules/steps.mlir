// shardy opt --sdy-populate-op-sharding-rules
// CASE: pointwise
// Cases of sdy-populate-op-sharding-rules: examples of rules 8.
func.func @main(%x: tensor<3x1x5xf32>) -> (tensor<3x1x5xf32>) {
  %r = stablehlo.add %x, %x : tensor<3x1x5xf32>
  return %r : tensor<3x1x5xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<3x1x5xf32>) -> tensor<3x1x5xf32> {
    %0 = stablehlo.add %arg0, %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, j, k])->([i, j, k]) {i=3, j=1, k=5}>} : tensor<3x1x5xf32>
    return %0 : tensor<3x1x5xf32>
  }
}
// ----------
// shardy opt --sdy-populate-op-sharding-rules
// CASE: broadcast_in_dim
func.func @main(%x: tensor<1x5xf32>) -> (tensor<9x4x5xf32>) {
  %r = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<1x5xf32>) -> tensor<9x4x5xf32>
  return %r : tensor<9x4x5xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<1x5xf32>) -> tensor<9x4x5xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, l])->([j, k, l]) {i=1, j=9, k=4, l=5}>} : (tensor<1x5xf32>) -> tensor<9x4x5xf32>
    return %0 : tensor<9x4x5xf32>
  }
}
// ----------
// shardy opt --sdy-populate-op-sharding-rules
// CASE: concatenate
func.func @main(%x: tensor<4x3xf32>, %y: tensor<4x5xf32>) -> (tensor<4x8xf32>) {
  %r = stablehlo.concatenate %x, %y, dim = 1 : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x3xf32>, %arg1: tensor<4x5xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 1 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8} need_replication={j}>} : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
// ----------
// shardy opt --sdy-populate-op-sharding-rules='conservative-propagation=true'
// CASE: concatenate, conservative
func.func @main(%x: tensor<4x3xf32>, %y: tensor<4x5xf32>) -> (tensor<4x8xf32>) {
  %r = stablehlo.concatenate %x, %y, dim = 1 : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x3xf32>, %arg1: tensor<4x5xf32>) -> tensor<4x8xf32> {
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 1 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k])->([i, l]) {i=4, j=1, k=1, l=1}>} : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
// ----------
// shardy opt --sdy-populate-op-sharding-rules
// CASE: dot_general
func.func @main(%x: tensor<3x5x4xf32>, %y: tensor<6x3x4xf32>) -> (tensor<3x5x6xf32>) {
  %r = stablehlo.dot_general %x, %y, batching_dims = [0] x [1], contracting_dims = [2] x [2] : (tensor<3x5x4xf32>, tensor<6x3x4xf32>) -> tensor<3x5x6xf32>
  return %r : tensor<3x5x6xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<3x5x4xf32>, %arg1: tensor<6x3x4xf32>) -> tensor<3x5x6xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [1], contracting_dims = [2] x [2] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l], [k, i, l])->([i, j, k]) {i=3, j=5, k=6, l=4} reduction={l}>} : (tensor<3x5x4xf32>, tensor<6x3x4xf32>) -> tensor<3x5x6xf32>
    return %0 : tensor<3x5x6xf32>
  }
}
// ----------
// shardy opt --sdy-populate-op-sharding-rules
// CASE: dot
func.func @main(%x: tensor<7xf32>, %y: tensor<7x3xf32>) -> (tensor<3xf32>) {
  %r = stablehlo.dot %x, %y : (tensor<7xf32>, tensor<7x3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<7xf32>, %arg1: tensor<7x3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding_rule = #sdy.op_sharding_rule<([j], [j, i])->([i]) {i=3, j=7} reduction={j}>} : (tensor<7xf32>, tensor<7x3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}
// ----------
// shardy opt --sdy-populate-op-sharding-rules
// CASE: pad
func.func @main(%x: tensor<16x30xf32>, %z: tensor<f32>) -> (tensor<16x32xf32>) {
  %r = stablehlo.pad %x, %z, low = [0, 1], high = [0, 1], interior = [0, 0] : (tensor<16x30xf32>, tensor<f32>) -> tensor<16x32xf32>
  return %r : tensor<16x32xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<16x30xf32>, %arg1: tensor<f32>) -> tensor<16x32xf32> {
    %0 = stablehlo.pad %arg0, %arg1, low = [0, 1], high = [0, 1], interior = [0, 0] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=16, j=30} permutation={j}>} : (tensor<16x30xf32>, tensor<f32>) -> tensor<16x32xf32>
    return %0 : tensor<16x32xf32>
  }
}
// ----------
// shardy opt --sdy-populate-op-sharding-rules='conservative-propagation=true'
// CASE: pad, conservative
func.func @main(%x: tensor<16x30xf32>, %z: tensor<f32>) -> (tensor<16x32xf32>) {
  %r = stablehlo.pad %x, %z, low = [0, 1], high = [0, 1], interior = [0, 0] : (tensor<16x30xf32>, tensor<f32>) -> tensor<16x32xf32>
  return %r : tensor<16x32xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<16x30xf32>, %arg1: tensor<f32>) -> tensor<16x32xf32> {
    %0 = stablehlo.pad %arg0, %arg1, low = [0, 1], high = [0, 1], interior = [0, 0] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=16, j=30} permutation={j} blocked_propagation={j}>} : (tensor<16x30xf32>, tensor<f32>) -> tensor<16x32xf32>
    return %0 : tensor<16x32xf32>
  }
}
// ----------
// shardy opt --sdy-populate-op-sharding-rules
// CASE: reduce
func.func @main(%x: tensor<6x8x10xf32>, %z: tensor<f32>) -> (tensor<6x10xf32>) {
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<6x8x10xf32>, tensor<f32>) -> tensor<6x10xf32>
  return %r : tensor<6x10xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<6x8x10xf32>, %arg1: tensor<f32>) -> tensor<6x10xf32> {
    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [1] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [])->([i, k]) {i=6, j=8, k=10} reduction={j}>} : (tensor<6x8x10xf32>, tensor<f32>) -> tensor<6x10xf32>
    return %0 : tensor<6x10xf32>
  }
}
// ----------
// shardy opt --sdy-populate-op-sharding-rules
// CASE: reshape
func.func @main(%x: tensor<4x6x5xf32>) -> (tensor<8x15xf32>) {
  %r = stablehlo.reshape %x : (tensor<4x6x5xf32>) -> tensor<8x15xf32>
  return %r : tensor<8x15xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x6x5xf32>) -> tensor<8x15xf32> {
    %0 = stablehlo.reshape %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk, l])->([ij, kl]) {i=4, j=2, k=3, l=5}>} : (tensor<4x6x5xf32>) -> tensor<8x15xf32>
    return %0 : tensor<8x15xf32>
  }
}
// ----------
// shardy opt --sdy-populate-op-sharding-rules
// CASE: slice
func.func @main(%x: tensor<16x30xf32>) -> (tensor<8x30xf32>) {
  %r = stablehlo.slice %x [0:8, 0:30] : (tensor<16x30xf32>) -> tensor<8x30xf32>
  return %r : tensor<8x30xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<16x30xf32>) -> tensor<8x30xf32> {
    %0 = stablehlo.slice %arg0 [0:8, 0:30] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=16, j=30} permutation={i}>} : (tensor<16x30xf32>) -> tensor<8x30xf32>
    return %0 : tensor<8x30xf32>
  }
}
// ----------
// shardy opt --sdy-populate-op-sharding-rules
// CASE: transpose
func.func @main(%x: tensor<3x4x5xf32>) -> (tensor<5x3x4xf32>) {
  %r = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<3x4x5xf32>) -> tensor<5x3x4xf32>
  return %r : tensor<5x3x4xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<3x4x5xf32>) -> tensor<5x3x4xf32> {
    %0 = stablehlo.transpose %arg0, dims = [2, 0, 1] {sdy.sharding_rule = #sdy.op_sharding_rule<([j, k, i])->([i, j, k]) {i=5, j=3, k=4}>} : (tensor<3x4x5xf32>) -> tensor<5x3x4xf32>
    return %0 : tensor<5x3x4xf32>
  }
}
// ----------
// shardy opt --sdy-populate-op-sharding-rules
// CASE: cholesky
func.func @main(%x: tensor<6x4x4xf32>) -> (tensor<6x4x4xf32>) {
  %r = stablehlo.cholesky %x, lower = true : tensor<6x4x4xf32>
  return %r : tensor<6x4x4xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<6x4x4xf32>) -> tensor<6x4x4xf32> {
    %0 = stablehlo.cholesky %arg0, lower = true {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=6, j=4, k=4} need_replication={j, k}>} : tensor<6x4x4xf32>
    return %0 : tensor<6x4x4xf32>
  }
}
// ----------
// shardy opt --sdy-populate-op-sharding-rules
// CASE: custom call
func.func @main(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>) {
  %r = stablehlo.custom_call @mhlo.erf(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.custom_call @mhlo.erf(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=6}>} : (tensor<4x6xf32>) -> tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  }
}
// ----------
// shardy opt --sdy-populate-op-sharding-rules
// CASE: a rule that is there stays
func.func @main(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>) {
  %r = stablehlo.sine %x {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=4, j=6, k=6}>} : tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.sine %arg0 {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=4, j=6, k=6}>} : tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  }
}
// ----------
// shardy opt --sdy-populate-op-sharding-rules
// CASE: an einsum becomes a rule
func.func @main(%x: tensor<4x6xf32>) -> (tensor<6x4xf32>) {
  %r = stablehlo.custom_call @mine(%x) {sdy.sharding_rule = "i j -> j i"} : (tensor<4x6xf32>) -> tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x6xf32>) -> tensor<6x4xf32> {
    %0 = stablehlo.custom_call @mine(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=4, j=6}, custom>} : (tensor<4x6xf32>) -> tensor<6x4xf32>
    return %0 : tensor<6x4xf32>
  }
}
// ----------
// shardy opt --sdy-populate-op-sharding-rules
// CASE: ops without a rule stay without
func.func @main(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>) {
  %r = stablehlo.custom_call @mine(%x) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}
// ---- becomes
module {
  func.func @main(%arg0: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.custom_call @mine(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  }
}
