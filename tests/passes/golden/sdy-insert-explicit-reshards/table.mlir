// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: of equal candidates the larger gain wins, then the other factor (A1)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=16}>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"a"}, {"b"}]> : tensor<8x16xf32>
    %1 = sdy.reshard %arg1 <@mesh, [{"a"}, {"b"}]> : tensor<8x16xf32>
    %2 = stablehlo.custom_call @foo(%0, %1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=16}>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %3 = sdy.reshard %2 <@mesh, [{"b"}, {}]> : tensor<8x16xf32>
    return %3 : tensor<8x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: pass-through goes before reduction (A2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %arg1: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {"a"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=16, k=64} reduction={k}>} : (tensor<8x64xf32>, tensor<64x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %arg1: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"a"}]> : tensor<8x64xf32>
    %1 = stablehlo.custom_call @foo(%0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=16, k=64} reduction={k}>} : (tensor<8x64xf32>, tensor<64x16xf32>) -> tensor<8x16xf32>
    %2 = sdy.all_reduce {"a"} %1 out_sharding=<@mesh, [{}, {"b"}]> : tensor<8x16xf32>
    %3 = sdy.reshard %2 <@mesh, [{"b"}, {"a"}]> : tensor<8x16xf32>
    return %3 : tensor<8x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: the axes of the longest list are removed from the others (A3)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"c", "a":(2)2}]>}, %arg1: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a", "b", "c":(2)2}]>}) -> (tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a", "b", "c":(2)2}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a", "b", "c":(2)2}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=16, j=32, k=8} reduction={k}>} : (tensor<16x8xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
  return %0 : tensor<16x32xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"c", "a":(2)2}]>}, %arg1: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a", "b", "c":(2)2}]>}) -> (tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a", "b", "c":(2)2}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"c":(1)2}]> : tensor<16x8xf32>
    %1 = sdy.reshard %arg1 <@mesh, [{"c":(1)2}, {"a", "b", "c":(2)2}]> : tensor<8x32xf32>
    %2 = stablehlo.custom_call @foo(%0, %1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a", "b", "c":(2)2}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=16, j=32, k=8} reduction={k}>} : (tensor<16x8xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
    %3 = sdy.all_reduce {"c":(1)2} %2 out_sharding=<@mesh, [{}, {"a", "b", "c":(2)2}]> : tensor<16x32xf32>
    return %3 : tensor<16x32xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a minor factor waits until its major one is full (A4)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}) -> (tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([ij]) {i=4, j=16}>} : (tensor<4x16xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}) -> (tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"b", "a":(1)2}, {"a":(2)2}]> : tensor<4x16xf32>
    %1 = stablehlo.custom_call @foo(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "a"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([ij]) {i=4, j=16}>} : (tensor<4x16xf32>) -> tensor<64xf32>
    return %1 : tensor<64xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a minor factor whose major one stays empty gets nothing (A5)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> (tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([ij]) {i=4, j=16}>} : (tensor<4x16xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> (tensor<64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {}]> : tensor<4x16xf32>
    %1 = stablehlo.custom_call @foo(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([ij]) {i=4, j=16}>} : (tensor<4x16xf32>) -> tensor<64xf32>
    return %1 : tensor<64xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: axes of a need-replication factor go to a batching factor (A6)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<32x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}, {}]>}) -> (tensor<32x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "b"}, {}, {}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c", "b"}, {}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([k, i, j])->([k, i, j]) {i=8, j=16, k=32} need_replication={k}>} : (tensor<32x8x16xf32>) -> tensor<32x8x16xf32>
  return %0 : tensor<32x8x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<32x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}, {}]>}) -> (tensor<32x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", "b"}, {}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}, {"b", "c"}, {}]> : tensor<32x8x16xf32>
    %1 = stablehlo.custom_call @foo(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b", "c"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([k, i, j])->([k, i, j]) {i=8, j=16, k=32} need_replication={k}>} : (tensor<32x8x16xf32>) -> tensor<32x8x16xf32>
    %2 = sdy.reshard %1 <@mesh, [{"c", "b"}, {}, {}]> : tensor<32x8x16xf32>
    return %2 : tensor<32x8x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: axes that do not fit a batching factor are dropped, and all after them (A7)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=3]>
func.func @main(%arg0: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"c", "a"}]>}) -> (tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=12} need_replication={j}>} : (tensor<8x12xf32>) -> tensor<8x12xf32>
  return %0 : tensor<8x12xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=3]>
  func.func @main(%arg0: tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"c", "a"}]>}) -> (tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"b"}, {}]> : tensor<8x12xf32>
    %1 = stablehlo.custom_call @foo(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=12} need_replication={j}>} : (tensor<8x12xf32>) -> tensor<8x12xf32>
    return %1 : tensor<8x12xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: of two tensors that are alike the operand stays (A9)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=16, j=16}>} : (tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {}]>}) {
    %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=16, j=16}>} : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %1 = sdy.reshard %0 <@mesh, [{"c"}, {}]> : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: the larger of two tensors stays, scalars do not count (A10)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %arg1: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "c"}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", "c"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [])->([i]) {i=16, j=64} reduction={j}>} : (tensor<16x64xf32>, tensor<f32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %arg1: tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "c"}]>}) {
    %0 = stablehlo.custom_call @foo(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [])->([i]) {i=16, j=64} reduction={j}>} : (tensor<16x64xf32>, tensor<f32>) -> tensor<16xf32>
    %1 = sdy.all_reduce {"b"} %0 out_sharding=<@mesh, [{"a"}]> : tensor<16xf32>
    %2 = sdy.reshard %1 <@mesh, [{"b", "c"}]> : tensor<16xf32>
    return %2 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: the larger result of a broadcast stays (A11)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i, j]) {i=16, j=64}>} : (tensor<16xf32>) -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<16xf32>
    %1 = stablehlo.custom_call @foo(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i, j]) {i=16, j=64}>} : (tensor<16xf32>) -> tensor<16x64xf32>
    return %1 : tensor<16x64xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a dot of two vectors has two tensors (A12)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
  %0 = stablehlo.custom_call @foo(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([]) {i=16} reduction={i}>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}) -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %0 = sdy.reshard %arg1 <@mesh, [{"a"}]> : tensor<16xf32>
    %1 = stablehlo.custom_call @foo(%arg0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([]) {i=16} reduction={i}>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<f32>
    %2 = sdy.all_reduce {"a"} %1 out_sharding=<@mesh, []> : tensor<f32>
    return %2 : tensor<f32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a sub-axis counts for the axis that begins with it (A13)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}, {}]>}, %arg1: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}, {}, {"c"}]>}) -> (tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}, {"c"}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"a"}, {"c"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l], [i, l, k])->([i, j, k]) {i=8, j=8, k=8, l=8} reduction={l}>} : (tensor<8x8x8xf32>, tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
  return %0 : tensor<8x8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}, {}]>}, %arg1: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}, {}, {"c"}]>}) -> (tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}, {"c"}]>}) {
    %0 = sdy.reshard %arg1 <@mesh, [{"a"}, {}, {"c"}]> : tensor<8x8x8xf32>
    %1 = stablehlo.custom_call @foo(%arg0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}, {"c"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l], [i, l, k])->([i, j, k]) {i=8, j=8, k=8, l=8} reduction={l}>} : (tensor<8x8x8xf32>, tensor<8x8x8xf32>) -> tensor<8x8x8xf32>
    %2 = sdy.reshard %1 <@mesh, [{}, {"a"}, {"c"}]> : tensor<8x8x8xf32>
    return %2 : tensor<8x8x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: axes along which a tensor is unreduced shard no factor that it has (A.15, diverges)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>}) {
  %0 = stablehlo.custom_call @foo(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"a"}>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=16}>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a"}>}) {
    %0 = sdy.reshard %arg1 <@mesh, [{}, {}]> : tensor<8x16xf32>
    %1 = stablehlo.custom_call @foo(%arg0, %0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"a"}>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=16}>} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    return %1 : tensor<8x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: of two tensors the one without a sharded permutation factor stays, though it is smaller (A8)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} permutation={j}>} : (tensor<8x16xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"b"}, {}]> : tensor<8x16xf32>
    %1 = stablehlo.custom_call @foo(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16} permutation={j}>} : (tensor<8x16xf32>) -> tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
}
