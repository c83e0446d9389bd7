// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: new shardings keep the unreduced axes of their tensor and how they combine (A.6)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced=max{"b"}>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"b"}>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced=max{"b"}>}) {
  %0 = stablehlo.maximum %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}], unreduced=max{"b"}>]>} : tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced=max{"b"}>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced=max{"b"}>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced=max{"b"}>}) {
    %0 = sdy.reshard %arg1 <@mesh, [{"a"}], unreduced=max{"b"}> : tensor<16xf32>
    %1 = stablehlo.maximum %arg0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}], unreduced=max{"b"}>]>} : tensor<16xf32>
    return %1 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a dim is closed in the new sharding if it was, and has no priority (A.6)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %arg1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1, {}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %arg1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}p1, {}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
    %0 = sdy.reshard %arg1 <@mesh, [{"a", ?}, {}]> : tensor<16x16xf32>
    %1 = stablehlo.add %arg0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<16x16xf32>
    return %1 : tensor<16x16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: overflow does not make tensors incompatible, but who has it is resharded (A.3, A.6)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}, {}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)2}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([ij])->([i, j]) {i=6, j=2}>} : (tensor<12xf32>) -> tensor<6x2xf32>
  return %0 : tensor<6x2xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<6x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}, {}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"a":(1)2}]> : tensor<12xf32>
    %1 = stablehlo.custom_call @foo(%0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)2}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([ij])->([i, j]) {i=6, j=2}>} : (tensor<12xf32>) -> tensor<6x2xf32>
    return %1 : tensor<6x2xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: reshards of operands precede the op in operand order, those of results follow it in result order (A.6)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}, %arg2: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  %0:2 = stablehlo.custom_call @foo(%arg1, %arg0, %arg2) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>, <@mesh, [{"c"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i], [i])->([i], [i]) {i=16}>} : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
  return %0#1, %0#0 : tensor<16xf32>, tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}, %arg2: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}]>}, tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"c"}]> : tensor<16xf32>
    %1 = sdy.reshard %arg2 <@mesh, [{"c"}]> : tensor<16xf32>
    %2:2 = stablehlo.custom_call @foo(%arg1, %0, %1) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}]>, <@mesh, [{"c"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i], [i])->([i], [i]) {i=16}>} : (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
    %3 = sdy.reshard %2#0 <@mesh, [{"b"}]> : tensor<16xf32>
    return %2#1, %3 : tensor<16xf32>, tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: every result is reduced, right after the op and before any is resharded (A.7)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0:2 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i], [i]) {i=8, j=64} reduction={j}>} : (tensor<8x64xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %0:2 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{"a"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i], [i]) {i=8, j=64} reduction={j}>} : (tensor<8x64xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1 = sdy.all_reduce {"b"} %0#0 out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
    %2 = sdy.all_reduce {"b"} %0#1 out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
    %3 = sdy.reshard %2 <@mesh, [{}]> : tensor<8xf32>
    return %1, %3 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: axes of several reduction factors are in the order of the mesh (A.7)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {"a"}]>}) -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {"a"}]>}) -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    %1 = sdy.all_reduce {"a", "c"} %0 out_sharding=<@mesh, []> : tensor<f32>
    return %1 : tensor<f32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: parts of an axis on several reduction factors are reduced as one (A.7)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(2)2}, {"a":(1)2}]>}) -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(2)2}, {"a":(1)2}]>}) -> (tensor<f32> {sdy.sharding = #sdy.sharding<@mesh, []>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>]>} : (tensor<8x64xf32>, tensor<f32>) -> tensor<f32>
    %1 = sdy.all_reduce {"a"} %0 out_sharding=<@mesh, []> : tensor<f32>
    return %1 : tensor<f32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a result that is unreduced along all reduction axes is not reduced (A.7)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}, {"a", "b"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c"}], unreduced={"a", "b"}>}) {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}], unreduced={"a", "b"}>]>} : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: the minimal version reduces only where the result is unreduced along other axes (A.7)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a", "b"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"b"}>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"b"}>]>} : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a", "b"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"b"}>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"b"}>]>} : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
    %1 = sdy.all_reduce {"a"} %0 out_sharding=<@mesh, [{}], unreduced={"b"}> : tensor<8xf32>
    %2 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
    return %1, %2 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: the minimal version refuses a reduction factor that is sharded in two ways (A.7)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg1: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"c"}>}) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"c"}>]>} : (tensor<8x64xf32>, tensor<64x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
// ---- fails
5:8: 'stablehlo.dot' op has a reduction factor that is not sharded everywhere alike
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: partial minima are combined by min, products by the attribute of the op (A.7, diverges)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg1: tensor<8x64xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %c = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.minimum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.multiply across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
  %2 = stablehlo.reduce(%arg1 init: %c) applies stablehlo.and across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8x64xi1>, tensor<i1>) -> tensor<8xi1>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xi1>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg1: tensor<8x64xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, tensor<8xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.minimum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
    %1 = sdy.all_reduce min {"a"} %0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
    %2 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.multiply across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
    %3 = sdy.all_reduce {"a"} %2 out_sharding=<@mesh, [{}]> : tensor<8xf32>
    %4 = stablehlo.reduce(%arg1 init: %c) applies stablehlo.and across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8x64xi1>, tensor<i1>) -> tensor<8xi1>
    %5 = sdy.all_reduce min {"a"} %4 out_sharding=<@mesh, [{}]> : tensor<8xi1>
    return %1, %3, %5 : tensor<8xf32>, tensor<8xf32>, tensor<8xi1>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: bits of integers are combined by the attribute of the op (A.7, diverges)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x64xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> (tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.or across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8x64xi32>, tensor<i32>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x64xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> (tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.or across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8x64xi32>, tensor<i32>) -> tensor<8xi32>
    %1 = sdy.all_reduce {"a"} %0 out_sharding=<@mesh, [{}]> : tensor<8xi32>
    return %1 : tensor<8xi32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: an unknown reducer wants its dim whole (A.7, diverges)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %cst) across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    %1 = stablehlo.subtract %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<8x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = sdy.reshard %arg0 <@mesh, [{}, {}]> : tensor<8x64xf32>
    %1 = stablehlo.reduce(%0 init: %cst) across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8x64xf32>, tensor<f32>) -> tensor<8xf32>
     reducer(%arg1: tensor<f32>, %arg2: tensor<f32>)  {
      %2 = stablehlo.subtract %arg1, %arg2 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }
    return %1 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: an unreduced operand is reduced before the op, once for each use (A.8.1)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b", "c"}>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b"}>}) {
  %0 = stablehlo.multiply %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}], unreduced={"b"}>]>} : tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b", "c"}>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b"}>}) {
    %0 = sdy.all_reduce {"c"} %arg0 out_sharding=<@mesh, [{"a"}], unreduced={"b"}> : tensor<16xf32>
    %1 = sdy.all_reduce {"c"} %arg0 out_sharding=<@mesh, [{"a"}], unreduced={"b"}> : tensor<16xf32>
    %2 = stablehlo.multiply %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}], unreduced={"b"}>]>} : tensor<16xf32>
    return %2 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: what has no sharding wants no unreduced operands (A.8.1)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b", "c"}>}) -> (tensor<16xf32>) {
  %0 = stablehlo.negate %arg0 : tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b", "c"}>}) -> tensor<16xf32> {
    %0 = sdy.all_reduce {"b", "c"} %arg0 out_sharding=<@mesh, [{"a"}]> : tensor<16xf32>
    %1 = stablehlo.negate %0 : tensor<16xf32>
    return %1 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: a part of an unreduced axis stays, the rest is reduced (A.8.1)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a", "b"}>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a":(1)2}>}) {
  %0 = stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"a":(1)2}>]>} : tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a", "b"}>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a":(1)2}>}) {
    %0 = sdy.all_reduce {"a":(2)2, "b"} %arg0 out_sharding=<@mesh, [{}], unreduced={"a":(1)2}> : tensor<16xf32>
    %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"a":(1)2}>]>} : tensor<16xf32>
    return %1 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: whether the op is linear does not matter (A.8.1)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b"}>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b"}>}) {
  %0 = stablehlo.sine %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}], unreduced={"b"}>]>} : tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: results that are unreduced in different ways are refused (A.8.1)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b"}>}) {
  %0:2 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}], unreduced={"b"}>, <@mesh, [{"a"}]>]>} : (tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>)
  return
}
// ---- fails
5:10: 'stablehlo.custom_call' op all results must have the same unreduced axes
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: an op without results wants whole values (A.8.1)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b"}>}) {
  "stablehlo.custom_call"(%arg0) <{call_target_name = "foo", has_side_effect = true}> : (tensor<16xf32>) -> ()
  return
}
// ---- fails
5:3: 'stablehlo.custom_call' op has no results but an unreduced operand
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: a reshard is an op like any other where it drops unreduced axes (A.8.1)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b", "c"}>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"b"}>}) {
  %0 = sdy.reshard %arg0 <@mesh, [{}], unreduced={"b"}> : tensor<16xf32>
  return %0 : tensor<16xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}], unreduced={"b", "c"}>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"b"}>}) {
    %0 = sdy.all_reduce {"c"} %arg0 out_sharding=<@mesh, [{"a"}], unreduced={"b"}> : tensor<16xf32>
    %1 = sdy.reshard %0 <@mesh, [{}], unreduced={"b"}> : tensor<16xf32>
    return %1 : tensor<16xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards
// CASE: a reshard that makes partial values becomes the ops that do (A.8.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c"}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) {
  %0 = sdy.reshard %arg0 <@mesh, [{"a"}, {}], unreduced={"b"}> : tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c"}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"a", "b"}, {}]> : tensor<16x8xf32>
    %1 = sdy.sharded_to_unreduced [{"b"}, {}] %0 out_sharding=<@mesh, [{"a"}, {}], unreduced={"b"}> : tensor<16x8xf32>
    return %1 : tensor<16x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: two dims can become partial at once, after the replicated axes (A.8.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4, "d"=2]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}, {"c"}], unreduced={"d"}>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"c":(1)2}], unreduced={"a", "c":(2)2, "d"}>}) {
  return %arg0 : tensor<16x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4, "d"=2]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}, {"c"}], unreduced={"d"}>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"c":(1)2}], unreduced={"a", "c":(2)2, "d"}>}) {
    %0 = sdy.sharded_to_unreduced [{"a"}, {"c":(2)2}] %arg0 out_sharding=<@mesh, [{"b"}, {"c":(1)2}], unreduced={"a", "c":(2)2, "d"}> : tensor<16x8xf32>
    return %0 : tensor<16x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: what is left of a dim must be all partial, else it is gathered (A.8.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a", "c"}, {}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}], unreduced={"c"}>}) {
  return %arg0 : tensor<16x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a", "c"}, {}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}], unreduced={"c"}>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"b"}, {}]> : tensor<16x8xf32>
    %1 = sdy.replicated_to_unreduced {"c"} %0 out_sharding=<@mesh, [{"b"}, {}], unreduced={"c"}> : tensor<16x8xf32>
    return %1 : tensor<16x8xf32>
  }
}
// ----------
// shardy opt --sdy-insert-explicit-reshards='enable-full-version=true'
// CASE: a dim that is not a prefix is resharded, the axes that it loses are partial like a replicated axis (A.8.2)
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c"}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"c"}], unreduced={"a"}>}) {
  return %arg0 : tensor<16x8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
  func.func @main(%arg0: tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c"}]>}) -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"c"}], unreduced={"a"}>}) {
    %0 = sdy.reshard %arg0 <@mesh, [{"b"}, {"c"}]> : tensor<16x8xf32>
    %1 = sdy.replicated_to_unreduced {"a"} %0 out_sharding=<@mesh, [{"b"}, {"c"}], unreduced={"a"}> : tensor<16x8xf32>
    return %1 : tensor<16x8xf32>
  }
}
