// Cases of sdy-basic-propagate. E1 and so on: propagation 19.
// CASE: axes go on as far as operands agree (E1)
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c"}, {}]>}) -> (tensor<8x8xf32>) {
  %r = stablehlo.add %x, %y : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
  %r = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// -----
// CASE: sub-axes grow to the longer one (E2)
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=8]>
func.func @main(%x: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2, ?}]>}, %y: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)4}]>}) -> (tensor<16xf32>) {
  %r = stablehlo.add %x, %y : tensor<16xf32>
  return %r : tensor<16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=8]>
func.func @main(%x: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)4, ?}]>}, %y: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)4}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)4, ?}]>}) {
  %r = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)4, ?}]>]>} : tensor<16xf32>
  return %r : tensor<16xf32>
}
// -----
// CASE: a closed dim blocks for the whole op (E3)
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32>) {
  %r = stablehlo.add %x, %y : tensor<8xf32>
  return %r : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) {
  %r = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : tensor<8xf32>
  return %r : tensor<8xf32>
}
// -----
// CASE: replicated axes block for the whole op (E5)
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}], replicated={"b"}>}) -> (tensor<8xf32>) {
  %r = stablehlo.add %x, %y : tensor<8xf32>
  return %r : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}], replicated={"b"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) {
  %r = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : tensor<8xf32>
  return %r : tensor<8xf32>
}
// -----
// CASE: unreduced axes are no place for an axis (E7)
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c"}]>}) -> (tensor<8x8xf32>) {
  %r = stablehlo.sine %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {?}], unreduced={"b"}>]>} : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"c", ?}]>}) {
  %r = stablehlo.sine %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"c", ?}], unreduced={"b"}>]>} : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// -----
// CASE: sizes need not divide (E8)
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=4]>
func.func @main(%x: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<6xf32>) {
  %r = stablehlo.sine %x : tensor<6xf32>
  return %r : tensor<6xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=4]>
func.func @main(%x: tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) {
  %r = stablehlo.sine %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : tensor<6xf32>
  return %r : tensor<6xf32>
}
// -----
// CASE: conflicting factors of a dot get nothing (E9)
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %y: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> (tensor<8x32xf32>) {
  %r = stablehlo.dot %x, %y : (tensor<8x8xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %y: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> (tensor<8x32xf32>) {
  %r = stablehlo.dot %x, %y : (tensor<8x8xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}
// -----
// CASE: a contracted axis goes to the other operand (E14)
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b"}]>}, %y: tensor<8x16xf32>) -> (tensor<8x16xf32>) {
  %r = stablehlo.dot %x, %y : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b"}]>}, %y: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}, {?}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
  %r = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
// -----
// CASE: an axis is split where a reshape splits a dim (E17)
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=4]>
func.func @main(%x: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<2x6xf32>) {
  %r = stablehlo.reshape %x : (tensor<12xf32>) -> tensor<2x6xf32>
  return %r : tensor<2x6xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=4]>
func.func @main(%x: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<2x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2, ?}, {"a":(2)2, ?}]>}) {
  %r = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)2, ?}, {"a":(2)2, ?}]>]>} : (tensor<12xf32>) -> tensor<2x6xf32>
  return %r : tensor<2x6xf32>
}
// -----
// CASE: conservative propagation splits no axis (E17)
// PASS: sdy-basic-propagate{conservative-propagation=true}
sdy.mesh @mesh = <["a"=4]>
func.func @main(%x: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<2x6xf32>) {
  %r = stablehlo.reshape %x : (tensor<12xf32>) -> tensor<2x6xf32>
  return %r : tensor<2x6xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=4]>
func.func @main(%x: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<2x6xf32>) {
  %r = stablehlo.reshape %x : (tensor<12xf32>) -> tensor<2x6xf32>
  return %r : tensor<2x6xf32>
}
// -----
// CASE: split axes join again (E18)
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=4]>
func.func @main(%x: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<12xf32>) {
  %r = stablehlo.reshape %x : (tensor<12xf32>) -> tensor<2x6xf32>
  %s = stablehlo.add %r, %r : tensor<2x6xf32>
  %t = stablehlo.reshape %s : (tensor<2x6xf32>) -> tensor<12xf32>
  return %t : tensor<12xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=4]>
func.func @main(%x: tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) {
  %r = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)2, ?}, {"a":(2)2, ?}]>]>} : (tensor<12xf32>) -> tensor<2x6xf32>
  %s = stablehlo.add %r, %r {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)2, ?}, {"a":(2)2, ?}]>]>} : tensor<2x6xf32>
  %t = stablehlo.reshape %s {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : (tensor<2x6xf32>) -> tensor<12xf32>
  return %t : tensor<12xf32>
}
// -----
// CASE: minor factors wait until the major one is full (E19)
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %y: tensor<2x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<24xf32>, tensor<12xf32>) {
  %r = stablehlo.reshape %x : (tensor<4x6xf32>) -> tensor<24xf32>
  %s = stablehlo.reshape %y : (tensor<2x6xf32>) -> tensor<12xf32>
  return %r, %s : tensor<24xf32>, tensor<12xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %y: tensor<2x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}, tensor<12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}]>}) {
  %r = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : (tensor<4x6xf32>) -> tensor<24xf32>
  %s = stablehlo.reshape %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b", ?}]>]>} : (tensor<2x6xf32>) -> tensor<12xf32>
  return %r, %s : tensor<24xf32>, tensor<12xf32>
}
// -----
// CASE: backward through a reshape (E23)
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<16xf32>) -> (tensor<4x4xf32>) {
  %r = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "c"}, {"b"}]>]>} : (tensor<16xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c", "b", ?}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c", ?}, {"b", ?}]>}) {
  %r = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "c"}, {"b"}]>]>} : (tensor<16xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
// -----
// CASE: results of the function reach the arguments
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b"}]>}) {
  %r = stablehlo.sine %x : tensor<8x8xf32>
  %s = stablehlo.cosine %r : tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b"}]>}) {
  %r = stablehlo.sine %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x8xf32>
  %s = stablehlo.cosine %r {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}
// -----
// CASE: one value returned twice (E45)
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b"}]>}) {
  return %x, %x : tensor<8x8xf32>, tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b", ?}]>}, tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b"}]>}) {
  return %x, %x : tensor<8x8xf32>, tensor<8x8xf32>
}
// -----
// CASE: a forward barrier (E27)
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b"}]>}) {
  %p = sdy.propagation_barrier %x allowed_direction=FORWARD : tensor<8x8xf32>
  return %p : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b"}]>}) {
  %p = sdy.propagation_barrier %x allowed_direction=FORWARD {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x8xf32>
  return %p : tensor<8x8xf32>
}
// -----
// CASE: a backward barrier (E27)
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b"}]>}) {
  %p = sdy.propagation_barrier %x allowed_direction=BACKWARD : tensor<8x8xf32>
  return %p : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b"}]>}) {
  %p = sdy.propagation_barrier %x allowed_direction=BACKWARD {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"b", ?}]>]>} : tensor<8x8xf32>
  return %p : tensor<8x8xf32>
}
// -----
// CASE: a barrier in no direction
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b"}]>}) {
  %p = sdy.propagation_barrier %x allowed_direction=NONE : tensor<8x8xf32>
  return %p : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b"}]>}) {
  %p = sdy.propagation_barrier %x allowed_direction=NONE {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"b", ?}]>]>} : tensor<8x8xf32>
  return %p : tensor<8x8xf32>
}
// -----
// CASE: a constraint is extended itself
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<8x8xf32>) {
  %c = sdy.sharding_constraint %x <@mesh, [{?}, {?}]> : tensor<8x8xf32>
  %r = stablehlo.sine %c : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
  %c = sdy.sharding_constraint %x <@mesh, [{"a", ?}, {?}]> : tensor<8x8xf32>
  %r = stablehlo.sine %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// -----
// CASE: nothing passes a reshard
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<8x8xf32>) {
  %c = sdy.reshard %x <@mesh, [{?}, {"b"}]> : tensor<8x8xf32>
  %r = stablehlo.sine %c : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}) {
  %c = sdy.reshard %x <@mesh, [{?}, {"b"}]> : tensor<8x8xf32>
  %r = stablehlo.sine %c {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"b", ?}]>]>} : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// -----
// CASE: ops that nobody uses are erased, with what they alone used
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>) -> (tensor<8xf32>) {
  %d = stablehlo.sine %x : tensor<8xf32>
  %e = stablehlo.add %d, %y : tensor<8xf32>
  %r = stablehlo.cosine %x : tensor<8xf32>
  return %r : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) {
  %r = stablehlo.cosine %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : tensor<8xf32>
  return %r : tensor<8xf32>
}
// -----
// CASE: rules stay attached on demand
// PASS: sdy-basic-propagate{keep-sharding-rules=true}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}) -> (tensor<8x4xf32>) {
  %r = stablehlo.sine %x : tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}) -> (tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
  %r = stablehlo.sine %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=4}>} : tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
// -----
// CASE: custom rules are used and stay
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<4x8xf32>) {
  %r = stablehlo.custom_call @mine(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=8, j=4}, custom>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}, {"a", ?}]>}) {
  %r = stablehlo.custom_call @mine(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", ?}, {"a", ?}]>]>, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=8, j=4}, custom>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
// -----
// CASE: rules that are not custom are used and dropped
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<4x8xf32>) {
  %r = stablehlo.custom_call @mine(%x) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=8, j=4}>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", ?}, {"a", ?}]>}) {
  %r = stablehlo.custom_call @mine(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", ?}, {"a", ?}]>]>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}
// -----
// CASE: an op without rule lets nothing through
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<8x4xf32>) {
  %r = stablehlo.custom_call @mine(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}) -> (tensor<8x4xf32>) {
  %r = stablehlo.custom_call @mine(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
// -----
// CASE: results of one op become open together
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}, {?}]>}) -> (tensor<8x4x4xf32>, tensor<8x4xf32>) {
  %r:2 = stablehlo.custom_call @Qr(%x) : (tensor<8x4x4xf32>) -> (tensor<8x4x4xf32>, tensor<8x4xf32>)
  return %r#0, %r#1 : tensor<8x4x4xf32>, tensor<8x4xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}, {?}]>}) -> (tensor<8x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}, {?}]>}, tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
  %r:2 = stablehlo.custom_call @Qr(%x) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}, {?}]>, <@mesh, [{"a", ?}, {?}]>]>} : (tensor<8x4x4xf32>) -> (tensor<8x4x4xf32>, tensor<8x4xf32>)
  return %r#0, %r#1 : tensor<8x4x4xf32>, tensor<8x4xf32>
}
// -----
// CASE: need_replication, permutation and blocked factors (E26)
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %y: tensor<8x6xf32>, %i: tensor<i32>) -> (tensor<8x12xf32>, tensor<8x3xf32>, tensor<8x3xf32>) {
  %c = stablehlo.concatenate %x, %y, dim = 1 : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x12xf32>
  %s = stablehlo.slice %x [0:8, 0:3] : (tensor<8x6xf32>) -> tensor<8x3xf32>
  %d = stablehlo.dynamic_slice %x, %i, %i, sizes = [8, 3] : (tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x3xf32>
  return %c, %s, %d : tensor<8x12xf32>, tensor<8x3xf32>, tensor<8x3xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %y: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}, %i: tensor<i32>) -> (tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}, tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}, tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
  %c = stablehlo.concatenate %x, %y, dim = 1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x12xf32>
  %s = stablehlo.slice %x [0:8, 0:3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : (tensor<8x6xf32>) -> tensor<8x3xf32>
  %d = stablehlo.dynamic_slice %x, %i, %i, sizes = [8, 3] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : (tensor<8x6xf32>, tensor<i32>, tensor<i32>) -> tensor<8x3xf32>
  return %c, %s, %d : tensor<8x12xf32>, tensor<8x3xf32>, tensor<8x3xf32>
}
// -----
// CASE: an empty mesh takes the real one (E46)
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
sdy.mesh @empty = <[]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@empty, [{?}, {}]>}) -> (tensor<8x8xf32>) {
  %r = stablehlo.add %x, %y : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
sdy.mesh @empty = <[]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
  %r = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// -----
// CASE: meshes that differ do not mix
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
sdy.mesh @other = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}, {}]>}) -> (tensor<8x8xf32>) {
  %r = stablehlo.add %x, %y : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
sdy.mesh @other = <["a"=2, "b"=4]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a"}, {}]>}) -> (tensor<8x8xf32>) {
  %r = stablehlo.add %x, %y : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// -----
// CASE: equal meshes of other names mix, under the first name
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
sdy.mesh @same = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@same, [{?}, {"b"}]>}) -> (tensor<8x8xf32>) {
  %r = stablehlo.add %x, %y : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
sdy.mesh @same = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b", ?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) {
  %r = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// -----
// CASE: a single device does not propagate
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
sdy.mesh @one = <[], device_ids=[0]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@one, []>}) -> (tensor<8x8xf32>) {
  %r = stablehlo.sine %x : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
sdy.mesh @one = <[], device_ids=[0]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@one, []>}) -> (tensor<8x8xf32>) {
  %r = stablehlo.sine %x : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// -----
// CASE: a loop, of which the edge is the sharding (E38)
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %k: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b"}]>}) -> (tensor<8x8xf32>) {
  %w = stablehlo.while(%it = %x) : tensor<8x8xf32> cond {
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %n = stablehlo.add %it, %k : tensor<8x8xf32>
    stablehlo.return %n : tensor<8x8xf32>
  }
  %e = sdy.data_flow_edge %w : tensor<8x8xf32>
  return %e : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, %k: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) {
  %w = stablehlo.while(%it = %x) : tensor<8x8xf32> cond {
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %n = stablehlo.add %it, %k {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x8xf32>
    stablehlo.return %n : tensor<8x8xf32>
  }
  %e = sdy.data_flow_edge %w sharding=<@mesh, [{"a", ?}, {"b", ?}]> : tensor<8x8xf32>
  return %e : tensor<8x8xf32>
}
// -----
// CASE: reduced dims and kept dims (E26)
// PASS: sdy-basic-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %z: tensor<f32>) -> (tensor<8xf32>) {
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %z: tensor<f32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) {
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : (tensor<8x6xf32>, tensor<f32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}
