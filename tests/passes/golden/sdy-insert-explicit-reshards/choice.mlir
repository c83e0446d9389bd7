// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: an axis on two factors is a conflict though no tensor has both (A.3 rule 3)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j])->([k]) {i=16, j=8, k=4}>} : (tensor<16xf32>, tensor<8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = sdy.reshard %arg1 <@mesh, [{}]> : tensor<8xf32>
    %1 = stablehlo.custom_call @foo(%arg0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j])->([k]) {i=16, j=8, k=4}>} : (tensor<16xf32>, tensor<8xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: of two operands of a dot that share an axis on free dims the larger one keeps it (A.5.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg1: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x64xf32>, tensor<64x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg1: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {}]> : tensor<8x64xf32>
    %1 = stablehlo.dot %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>} : (tensor<8x64xf32>, tensor<64x16xf32>) -> tensor<8x16xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<8x16xf32>
    return %2 : tensor<8x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: lists with the same axes in another order differ (A.3 rule 1)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b"}]>]>} : tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}) {
    %0 = sdy.reshard %arg1 <@mesh, [{"a", "b"}]> : tensor<16xf32>
    %1 = stablehlo.add %arg0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b"}]>]>} : tensor<16xf32>
    return %1 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a permutation factor that is sharded alike stays sharded (A.3)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) {
  %0 = stablehlo.reverse %arg0, dims = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a missing sharding is replicated and closed, also that of a result (A.3, A.6)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b", ?}]>}, %arg1: tensor<16x8xf32>) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) {
  %0 = stablehlo.add %arg0, %arg1 : tensor<16x8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b", ?}]>}, %arg1: tensor<16x8xf32>) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) {
    %0 = sdy.reshard %arg1 <@mesh, [{"a"}, {"b"}]> : tensor<16x8xf32>
    %1 = stablehlo.add %arg0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : tensor<16x8xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<16x8xf32>
    %3 = sdy.reshard %2 <@mesh, [{"a"}, {"b"}]> : tensor<16x8xf32>
    %4 = stablehlo.negate %3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : tensor<16x8xf32>
    return %4 : tensor<16x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: an op on dynamic shapes has no rule and is left alone (A.2, A.4)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<?x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {}]>}) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}]>]>} : (tensor<?x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: the width of elements does not count (A.4)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) {
  %0 = stablehlo.convert %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}]>]>} : (tensor<16xi8>) -> tensor<16xf64>
  return %0 : tensor<16xf64>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xi8> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) {
    %0 = stablehlo.convert %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<16xi8>) -> tensor<16xf64>
    %1 = sdy.reshard %0 <@mesh, [{"c"}]> : tensor<16xf64>
    return %1 : tensor<16xf64>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a clamp by scalars has two tensors that count, of which the operand stays (A.5, A.5.1)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<f32>, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) {
  %0 = stablehlo.clamp %arg0, %arg1, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}]>]>} : (tensor<f32>, tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<f32>, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) {
    %0 = stablehlo.clamp %arg0, %arg1, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<f32>, tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
    %1 = sdy.reshard %0 <@mesh, [{"c"}]> : tensor<16xf32>
    return %1 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: of two equally large tensors the one with more shards stays (A.5.1)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {"b"}]>}) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {"b"}]>]>} : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {"b"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"c"}, {"b"}]> : tensor<16x16xf32>
    %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {"b"}]>]>} : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a factor that only the other tensor has ends at an axis that overlaps, of which its prefix stays (A.5.1)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(2)2}]>}) -> (tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b", "a", "c"}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b", "a", "c"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i, j]) {i=16, j=64} permutation={j}>} : (tensor<16xf32>) -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(2)2}]>}) -> (tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b", "a", "c"}]>}) {
    %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(2)2}, {"b", "a":(1)2}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i, j]) {i=16, j=64} permutation={j}>} : (tensor<16xf32>) -> tensor<16x64xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {"b", "a", "c"}]> : tensor<16x64xf32>
    return %1 : tensor<16x64xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: of an axis whose major part is taken nothing stays (A.5.1)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}]>}) -> (tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b", "a", "c"}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b", "a", "c"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i, j]) {i=16, j=64} permutation={j}>} : (tensor<16xf32>) -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}]>}) -> (tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b", "a", "c"}]>}) {
    %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)2}, {"b"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i, j]) {i=16, j=64} permutation={j}>} : (tensor<16xf32>) -> tensor<16x64xf32>
    %1 = sdy.reshard %0 <@mesh, [{}, {"b", "a", "c"}]> : tensor<16x64xf32>
    return %1 : tensor<16x64xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: reduction goes before permutation, whatever the index (A.5.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([j]) {i=8, j=16} reduction={i} permutation={j}>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = sdy.reshard %arg1 <@mesh, [{"a"}, {}]> : tensor<8x16xf32>
    %1 = stablehlo.custom_call @foo(%arg0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([j]) {i=8, j=16} reduction={i} permutation={j}>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16xf32>
    %2 = sdy.all_reduce {"a"} %1 out_sharding=<@mesh, [{}]> : tensor<16xf32>
    return %2 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: permutation goes before need-replication, whatever the index (A.5.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=16} need_replication={j} permutation={i}>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = sdy.reshard %arg1 <@mesh, [{"a"}, {}]> : tensor<8x16xf32>
    %1 = stablehlo.custom_call @foo(%arg0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=16} need_replication={j} permutation={i}>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<8x16xf32>
    return %2 : tensor<8x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: the shards that it makes decide before the factor does (A.5.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b", "a":(1)2, "c":(1)2}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b", "a":(1)2, "c":(1)2}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"b", "a":(1)2, "c":(1)2}]> : tensor<8x8xf32>
    %1 = stablehlo.add %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b", "a":(1)2, "c":(1)2}]>]>} : tensor<8x8xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: the shards that it makes decide against the higher factor (A.5.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = sdy.reshard %arg1 <@mesh, [{"a", "b"}, {}]> : tensor<8x8xf32>
    %1 = stablehlo.add %arg0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b"}, {}]>]>} : tensor<8x8xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: of equal candidates the higher factor wins (A.5.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"a"}]> : tensor<8x8xf32>
    %1 = stablehlo.add %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>} : tensor<8x8xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<8x8xf32>
    return %2 : tensor<8x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: of lists of one factor with as many shards the one with more axes wins (A.5.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a":(1)2}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a":(1)2}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"b", "a":(1)2}]> : tensor<16xf32>
    %1 = stablehlo.add %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a":(1)2}]>]>} : tensor<16xf32>
    %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<16xf32>
    return %2 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: of lists as long as each other the axis with the later name wins, independent of the order in the mesh (A.5.2)
sdy.mesh @mesh = <["z"=4, "y"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["z"=4, "y"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"z"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = sdy.reshard %arg1 <@mesh, [{"z"}]> : tensor<16xf32>
    %1 = stablehlo.add %arg0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"z"}]>]>} : tensor<16xf32>
    %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<16xf32>
    return %2 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: of two parts of an axis the minor one wins (A.5.2, section 0)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(2)2}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(2)2}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = sdy.reshard %arg1 <@mesh, [{"a":(2)2}]> : tensor<16xf32>
    %1 = stablehlo.add %arg0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(2)2}]>]>} : tensor<16xf32>
    %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<16xf32>
    return %2 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a list that goes on where the chosen one ends is chosen next, also if fewer tensors have it (A.5.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"a", "b"}]> : tensor<16xf32>
    %1 = stablehlo.add %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b"}]>]>} : tensor<16xf32>
    %2 = sdy.reshard %1 <@mesh, [{"a"}]> : tensor<16xf32>
    return %2 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a list that does not go on from the chosen one is out (A.5.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    %0 = sdy.reshard %arg1 <@mesh, [{"a"}]> : tensor<16xf32>
    %1 = stablehlo.add %arg0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<16xf32>
    return %1 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: tensors whose axis begins with a part count for the part, and the axis is chosen after it (A.5.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}]>}, %arg2: tensor<16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "c"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = stablehlo.select %arg2, %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<16xi1>, tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}]>}, %arg2: tensor<16xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "c"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = sdy.reshard %arg2 <@mesh, [{"a"}]> : tensor<16xi1>
    %1 = sdy.reshard %arg1 <@mesh, [{"a"}]> : tensor<16xf32>
    %2 = stablehlo.select %0, %arg0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<16xi1>, tensor<16xf32>
    %3 = sdy.reshard %2 <@mesh, [{}]> : tensor<16xf32>
    return %3 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: what cannot coexist with chosen axes goes altogether (A.5.2)
sdy.mesh @mesh = <["x"=6]>
func.func @main(%arg0: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>}, %arg1: tensor<6x18xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(1)3}]>}) -> (tensor<6x18xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<6x6xf32>, tensor<6x18xf32>) -> tensor<6x18xf32>
  return %0 : tensor<6x18xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=6]>
  func.func @main(%arg0: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>}, %arg1: tensor<6x18xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x":(1)3}]>}) -> (tensor<6x18xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {}]> : tensor<6x6xf32>
    %1 = stablehlo.dot %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x":(1)3}]>]>} : (tensor<6x6xf32>, tensor<6x18xf32>) -> tensor<6x18xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<6x18xf32>
    return %2 : tensor<6x18xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a minor factor waits for exactly as many shards as its major one has elements (A.5.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "b"}, {"a"}]>}) -> (tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([ij]) {i=4, j=16}>} : (tensor<4x16xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "b"}, {"a"}]>}) -> (tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"c", "b"}, {}]> : tensor<4x16xf32>
    %1 = stablehlo.custom_call @foo(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c", "b"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([ij]) {i=4, j=16}>} : (tensor<4x16xf32>) -> tensor<64xf32>
    %2 = sdy.reshard %1 <@mesh, [{}]> : tensor<64xf32>
    return %2 : tensor<64xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: axes of a need-replication factor fill one batching factor after the other (A.5.3)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<32x2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}, {}, {}]>}) -> (tensor<32x2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([k, i, j])->([k, i, j]) {i=2, j=8, k=32} need_replication={k}>} : (tensor<32x2x8xf32>) -> tensor<32x2x8xf32>
  return %0 : tensor<32x2x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<32x2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}, {}, {}]>}) -> (tensor<32x2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"b"}, {"a"}]> : tensor<32x2x8xf32>
    %1 = stablehlo.custom_call @foo(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}, {"a"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([k, i, j])->([k, i, j]) {i=2, j=8, k=32} need_replication={k}>} : (tensor<32x2x8xf32>) -> tensor<32x2x8xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {}, {}]> : tensor<32x2x8xf32>
    return %2 : tensor<32x2x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a batching factor that its axes do not divide takes none (A.5.3)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<32x6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}, {}]>}) -> (tensor<32x6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([k, i, j])->([k, i, j]) {i=6, j=8, k=32} need_replication={k}>} : (tensor<32x6x8xf32>) -> tensor<32x6x8xf32>
  return %0 : tensor<32x6x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<32x6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}, {}]>}) -> (tensor<32x6x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"a"}, {"b"}]> : tensor<32x6x8xf32>
    %1 = stablehlo.custom_call @foo(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}, {"b"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([k, i, j])->([k, i, j]) {i=6, j=8, k=32} need_replication={k}>} : (tensor<32x6x8xf32>) -> tensor<32x6x8xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {}, {}]> : tensor<32x6x8xf32>
    return %2 : tensor<32x6x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a moved part of an axis merges with the part that is there (A.5.3)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<32x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(2)2}, {"a":(1)2}, {}]>}) -> (tensor<32x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([k, i, j])->([k, i, j]) {i=8, j=16, k=32} need_replication={k}>} : (tensor<32x8x16xf32>) -> tensor<32x8x16xf32>
  return %0 : tensor<32x8x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<32x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(2)2}, {"a":(1)2}, {}]>}) -> (tensor<32x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"a"}, {}]> : tensor<32x8x16xf32>
    %1 = stablehlo.custom_call @foo(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([k, i, j])->([k, i, j]) {i=8, j=16, k=32} need_replication={k}>} : (tensor<32x8x16xf32>) -> tensor<32x8x16xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {}, {}]> : tensor<32x8x16xf32>
    return %2 : tensor<32x8x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a need-replication factor that not all tensors have loses its axes (A.5.3)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([j, i], [i])->([i]) {i=16, j=32} need_replication={j}>} : (tensor<32x16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"a"}]> : tensor<32x16xf32>
    %1 = stablehlo.custom_call @foo(%0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([j, i], [i])->([i]) {i=16, j=32} need_replication={j}>} : (tensor<32x16xf32>, tensor<16xf32>) -> tensor<16xf32>
    return %1 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: what another choice leaves uncut counts with all its shards again, though a part of it is chosen (A.5.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}, {}, {}]>}, %arg1: tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"c"}, {"a"}]>}, %arg2: tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"c"}, {}]>}) -> (tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0, %arg1, %arg2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, j, k], [i, j, k])->([i, j, k]) {i=16, j=16, k=16}>} : (tensor<16x16x16xf32>, tensor<16x16x16xf32>, tensor<16x16x16xf32>) -> tensor<16x16x16xf32>
  return %0 : tensor<16x16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}, {}, {}]>}, %arg1: tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"c"}, {"a"}]>}, %arg2: tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"c"}, {}]>}) -> (tensor<16x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"b", "a"}, {"c"}, {}]> : tensor<16x16x16xf32>
    %1 = sdy.reshard %arg1 <@mesh, [{"b", "a"}, {"c"}, {}]> : tensor<16x16x16xf32>
    %2 = sdy.reshard %arg2 <@mesh, [{"b", "a"}, {"c"}, {}]> : tensor<16x16x16xf32>
    %3 = stablehlo.custom_call @foo(%0, %1, %2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}, {"c"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, j, k], [i, j, k])->([i, j, k]) {i=16, j=16, k=16}>} : (tensor<16x16x16xf32>, tensor<16x16x16xf32>, tensor<16x16x16xf32>) -> tensor<16x16x16xf32>
    %4 = sdy.reshard %3 <@mesh, [{}, {}, {}]> : tensor<16x16x16xf32>
    return %4 : tensor<16x16x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: axes truncated by another choice count with the shards that they add, and are dropped if they add none (A.5.2)
sdy.mesh @mesh = <["a"=4, "b"=4, "d"=2]>
func.func @main(%arg0: tensor<32x32x32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {"b":(2)2}, {}]>}, %arg1: tensor<32x32x32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {"b":(2)2}, {}]>}, %arg2: tensor<32x32x32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}, {}, {}]>}, %arg3: tensor<32x32x32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b":(2)2}, {}, {}]>}) -> (tensor<32x32x32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b":(2)2}, {}, {"b":(1)2, "d"}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0, %arg1, %arg2, %arg3) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b":(2)2}, {}, {"b":(1)2, "d"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l], [i, j, k, l], [i, j, k, l], [i, j, k, l])->([i, j, k, l]) {i=32, j=32, k=32, l=32}>} : (tensor<32x32x32x32xf32>, tensor<32x32x32x32xf32>, tensor<32x32x32x32xf32>, tensor<32x32x32x32xf32>) -> tensor<32x32x32x32xf32>
  return %0 : tensor<32x32x32x32xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=4, "d"=2]>
  func.func @main(%arg0: tensor<32x32x32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {"b":(2)2}, {}]>}, %arg1: tensor<32x32x32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}, {"b":(2)2}, {}]>}, %arg2: tensor<32x32x32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}, {}, {}]>}, %arg3: tensor<32x32x32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b":(2)2}, {}, {}]>}) -> (tensor<32x32x32x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b":(2)2}, {}, {"b":(1)2, "d"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"a"}, {}, {"b":(2)2}, {"b":(1)2, "d"}]> : tensor<32x32x32x32xf32>
    %1 = sdy.reshard %arg1 <@mesh, [{"a"}, {}, {"b":(2)2}, {"b":(1)2, "d"}]> : tensor<32x32x32x32xf32>
    %2 = sdy.reshard %arg2 <@mesh, [{"a"}, {}, {"b":(2)2}, {"b":(1)2, "d"}]> : tensor<32x32x32x32xf32>
    %3 = sdy.reshard %arg3 <@mesh, [{"a"}, {}, {"b":(2)2}, {"b":(1)2, "d"}]> : tensor<32x32x32x32xf32>
    %4 = stablehlo.custom_call @foo(%0, %1, %2, %3) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}, {"b":(2)2}, {"b":(1)2, "d"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l], [i, j, k, l], [i, j, k, l], [i, j, k, l])->([i, j, k, l]) {i=32, j=32, k=32, l=32}>} : (tensor<32x32x32x32xf32>, tensor<32x32x32x32xf32>, tensor<32x32x32x32xf32>, tensor<32x32x32x32xf32>) -> tensor<32x32x32x32xf32>
    %5 = sdy.reshard %4 <@mesh, [{}, {"b":(2)2}, {}, {"b":(1)2, "d"}]> : tensor<32x32x32x32xf32>
    return %5 : tensor<32x32x32x32xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a batching factor that its axes do not divide takes no others (A.5.3)
sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @main(%arg0: tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=10, j=8} need_replication={j}>} : (tensor<10x8xf32>) -> tensor<10x8xf32>
  return %0 : tensor<10x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2]>
  func.func @main(%arg0: tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<10x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"a"}, {}]> : tensor<10x8xf32>
    %1 = stablehlo.custom_call @foo(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=10, j=8} need_replication={j}>} : (tensor<10x8xf32>) -> tensor<10x8xf32>
    return %1 : tensor<10x8xf32>
  }
}
