// CASE: partial results are combined over what the result is not unreduced along (A.7)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @main(%arg0: tensor<2x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a", "b"}]>}) -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a":(1)2}>}) {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"a":(1)2}>]>} : (tensor<2x64xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @main(%arg0: tensor<2x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a", "b"}]>}) -> (tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"a":(1)2}>}) {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}], unreduced={"a":(1)2}>]>} : (tensor<2x64xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = sdy.all_reduce {"a":(2)2, "b"} %0 out_sharding=<@mesh, [{}], unreduced={"a":(1)2}> : tensor<2xf32>
  return %1 : tensor<2xf32>
}
// -----
// CASE: the kind of a reduction is that of its body (A.7, diverges)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @main(%arg0: tensor<2x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg1: tensor<2x64xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}) -> (tensor<2xf32>, tensor<2xi1>) {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<2x64xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = stablehlo.reduce(%arg1 init: %false) applies stablehlo.or across dimensions = [1] : (tensor<2x64xi1>, tensor<i1>) -> tensor<2xi1>
  return %0, %1 : tensor<2xf32>, tensor<2xi1>
}
// AFTER
sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @main(%arg0: tensor<2x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg1: tensor<2x64xi1> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}]>}) -> (tensor<2xf32>, tensor<2xi1>) {
  %cst = stablehlo.constant dense<0.0> : tensor<f32>
  %false = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<2x64xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = sdy.all_reduce max {"a"} %0 out_sharding=<@mesh, [{}]> : tensor<2xf32>
  %2 = stablehlo.reduce(%arg1 init: %false) applies stablehlo.or across dimensions = [1] : (tensor<2x64xi1>, tensor<i1>) -> tensor<2xi1>
  %3 = sdy.all_reduce max {"b"} %2 out_sharding=<@mesh, [{}]> : tensor<2xi1>
  return %1, %3 : tensor<2xf32>, tensor<2xi1>
}
// -----
// CASE: axes of a reshape that overflow a factor are distributed again (A.10)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}) -> tensor<6x2xf32> {
  %0 = stablehlo.reshape %arg0 : (tensor<12xf32>) -> tensor<6x2xf32>
  return %0 : tensor<6x2xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=4, "b"=2]>
func.func @main(%arg0: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}) -> tensor<6x2xf32> {
  %0 = sdy.reshard %arg0 <@mesh, [{"a":(1)2}]> : tensor<12xf32>
  %1 = stablehlo.reshape %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)2}, {}]>]>} : (tensor<12xf32>) -> tensor<6x2xf32>
  %2 = sdy.reshard %1 <@mesh, [{}, {}]> : tensor<6x2xf32>
  return %2 : tensor<6x2xf32>
}
// -----
// CASE: the minimal version computes a dot with the axes of its operands where the result keeps those of the reduction (A.9)
// PASS: sdy-insert-explicit-reshards
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %arg1: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %arg1: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
  %1 = sdy.reshard %0 <@mesh, [{"a"}, {}]> : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
// -----
// CASE: the minimal version leaves the ordinary reduce-scatter, a larger result and other ops alone (A.1, A.9)
// PASS: sdy-insert-explicit-reshards
// UNCHANGED
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg1: tensor<32x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg2: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {"a"}]>}, %arg3: tensor<2x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, tensor<4x32xf32>) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<4x32xf32>, tensor<32x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.dot %arg2, %arg3 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<4x2xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.add %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>} : tensor<4x32xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x32xf32>
}
// -----
// CASE: a concatenate of unlike operands has the full version always (A.1)
// PASS: sdy-insert-explicit-reshards
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg1: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) -> (tensor<4x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<4x32xf32>, tensor<4x16xf32>) -> tensor<4x48xf32>
  return %0 : tensor<4x48xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<4x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %arg1: tensor<4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) -> (tensor<4x48xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %0 = sdy.reshard %arg1 <@mesh, [{"a"}, {}]> : tensor<4x16xf32>
  %1 = stablehlo.concatenate %arg0, %0, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<4x32xf32>, tensor<4x16xf32>) -> tensor<4x48xf32>
  return %1 : tensor<4x48xf32>
}
// -----
// CASE: the same value in two slots gets two reshards, a custom rule none (A.6, A.11.4)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}, custom>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.multiply %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>} : tensor<4x8xf32>
  %2 = stablehlo.negate %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>} : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {}]>}) {
  %0 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}, {}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}, custom>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = sdy.reshard %arg0 <@mesh, [{"a"}, {"b"}]> : tensor<4x8xf32>
  %2 = sdy.reshard %arg0 <@mesh, [{"a"}, {"b"}]> : tensor<4x8xf32>
  %3 = stablehlo.multiply %1, %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : tensor<4x8xf32>
  %4 = sdy.reshard %3 <@mesh, [{}, {"b"}]> : tensor<4x8xf32>
  %5 = stablehlo.negate %4 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"b"}]>]>} : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
// -----
// CASE: several results without shardings: the first one that is written opens the others (A.6)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0:2 = stablehlo.custom_call @foo(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i], [i]) {i=8}>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0:2 = stablehlo.custom_call @foo(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>, <@mesh, [{"a"}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([i], [i]) {i=8}>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1 = sdy.reshard %0#0 <@mesh, [{}]> : tensor<8xf32>
  %2 = sdy.reshard %0#1 <@mesh, [{?}]> : tensor<8xf32>
  return
}
// -----
// CASE: barriers are looked through for shardings and stay (A.11.4)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  %0 = sdy.propagation_barrier %arg0 allowed_direction=NONE : tensor<8xf32>
  %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : tensor<8xf32>
  return %1 : tensor<8xf32>
}
// -----
// CASE: of two device orders the more frequent one stays (A.12.1)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
sdy.mesh @iota = <["a"=2, "b"=2]>
sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@iota, [{"a"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@iota, [{"a"}, {}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@iota, [{"a"}, {}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// AFTER
sdy.mesh @iota = <["a"=2, "b"=2]>
sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@iota, [{"a"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@iota, [{"a"}, {}]>}) {
  %0 = sdy.reshard %arg1 <@iota, [{"a"}, {}]> : tensor<8x8xf32>
  %1 = stablehlo.add %arg0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@iota, [{"a"}, {}]>]>} : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// -----
// CASE: of two device orders as frequent as each other the one that got there first stays (A.12.1)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
sdy.mesh @iota = <["a"=2, "b"=2]>
sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%arg0: tensor<8xi1> {sdy.sharding = #sdy.sharding<@iota, [{"a"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@iota, [{"a"}]>}) {
  %0 = stablehlo.select %arg0, %arg1, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@iota, [{"a"}]>]>} : tensor<8xi1>, tensor<8xf32>
  return %0 : tensor<8xf32>
}
// AFTER
sdy.mesh @iota = <["a"=2, "b"=2]>
sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%arg0: tensor<8xi1> {sdy.sharding = #sdy.sharding<@iota, [{"a"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}]>}, %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@iota, [{"a"}]>}) {
  %0 = sdy.reshard %arg0 <@other, [{"a"}]> : tensor<8xi1>
  %1 = stablehlo.select %0, %arg1, %arg2 {sdy.sharding = #sdy.sharding_per_value<[<@other, [{"a"}]>]>} : tensor<8xi1>, tensor<8xf32>
  %2 = sdy.reshard %1 <@iota, [{"a"}]> : tensor<8xf32>
  return %2 : tensor<8xf32>
}
// -----
// CASE: an op whose meshes have other axes is left alone (A.12.1)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
// UNCHANGED
sdy.mesh @one = <["a"=2, "b"=2]>
sdy.mesh @two = <["c"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, [{"a"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@two, [{"c"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, [{"a"}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@one, [{"a"}]>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// -----
// CASE: operands of an op on one device go there, its results come from there (A.12.2)
// PASS: sdy-insert-explicit-reshards
sdy.mesh @mesh = <["a"=2]>
sdy.mesh @d1 = <[], device_ids=[1]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>]>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2]>
sdy.mesh @d1 = <[], device_ids=[1]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %arg1: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  %0 = sdy.reshard %arg0 <@mesh, [{}]> : tensor<8xf32>
  %1 = sdy.reshard %0 <@d1, []> : tensor<8xf32>
  %2 = sdy.reshard %arg1 <@d1, []> : tensor<8xf32>
  %3 = stablehlo.add %1, %2 {sdy.sharding = #sdy.sharding_per_value<[<@d1, []>]>} : tensor<8xf32>
  %4 = sdy.reshard %3 <@mesh, [{}]> : tensor<8xf32>
  return %4 : tensor<8xf32>
}
// -----
// CASE: results on two devices are refused (A.12.2)
// PASS: sdy-insert-explicit-reshards
// ERROR: 'stablehlo.custom_call' op has conflicting single-device result shardings
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @d0 = <[], device_ids=[0]>
sdy.mesh @d1 = <[], device_ids=[1]>
func.func @main() {
  %0:2 = stablehlo.custom_call @foo() {sdy.sharding = #sdy.sharding_per_value<[<@d0, []>, <@d1, []>]>} : () -> (tensor<8xf32>, tensor<8xf32>)
  return
}
// -----
// CASE: arguments do not live on one device (A.2)
// PASS: sdy-insert-explicit-reshards
// ERROR: function argument 0 cannot have a single-device (maximal) sharding attribute
sdy.mesh @d0 = <[], device_ids=[0]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@d0, []>}) {
  return
}
// -----
// CASE: a dim that propagation wants whole moves its axes to another one (A.5.3)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = sdy.reshard %arg0 <@mesh, [{}, {"x"}]> : tensor<4x8xf32>
  %1 = sdy.reshard %arg1 <@mesh, [{}, {"x"}]> : tensor<4x8xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %3 = sdy.reshard %2 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}
// -----
// CASE: by the rules of lowering it may stay sharded (partitioning 1.2 I4)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true lowering-rules=true avoid-reshards-on-named-computations=true}
// UNCHANGED
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
// -----
// CASE: the minimal version does without a rule where no result is unreduced and no dot is special
// PASS: sdy-insert-explicit-reshards
// UNCHANGED
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<8x8xf32>
  %1 = stablehlo.dot %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {"y"}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// -----
// CASE: a collective that is there reduces what it reads, and nothing is reduced before it (A.2, diverges)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
// UNCHANGED
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"a"}>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.all_reduce {"a"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
// -----
// CASE: two names of one mesh are one mesh (A.12.1, diverges)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
// UNCHANGED
sdy.mesh @m0 = <["a"=2, "b"=2]>
sdy.mesh @m1 = <["a"=2, "b"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m0, [{"a"}, {}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m1, [{"a"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m0, [{"a"}, {}]>}) {
  %0 = stablehlo.add %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@m0, [{"a"}, {}]>]>} : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
