// Cases of sdy-aggressive-propagate. E3 and so on: propagation 19.
// CASE: the factor of the larger source wins (E9)
// PASS: sdy-aggressive-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %y: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> (tensor<8x32xf32>) {
  %r = stablehlo.dot %x, %y : (tensor<8x8xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %y: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> (tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}) {
  %r = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"a", ?}]>]>} : (tensor<8x8xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}
// -----
// CASE: of equal sources the first wins (E10)
// PASS: sdy-aggressive-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> (tensor<8x8xf32>) {
  %r = stablehlo.dot %x, %y : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
  %r = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// -----
// CASE: a tensor without the factor does not block (E11)
// PASS: sdy-aggressive-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x16xf32>) -> (tensor<8x16xf32>) {
  %r = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"a", ?}]>]>} : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}) {
  %r = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"a", ?}]>]>} : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
// -----
// CASE: the other factor is cut (E12)
// PASS: sdy-aggressive-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {?}]>}, %y: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b"}]>}) -> (tensor<8x32xf32>) {
  %r = stablehlo.dot %x, %y : (tensor<8x8xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {?}]>}, %y: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b"}]>}) -> (tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) {
  %r = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : (tensor<8x8xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}
// -----
// CASE: elementwise ops prefer the most sharded factor (E13)
// PASS: sdy-aggressive-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}, %y: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c"}, {?}]>}) -> (tensor<16x16xf32>) {
  %r = stablehlo.add %x, %y : tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}, %y: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c"}, {?}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c", ?}, {?}]>}) {
  %r = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "c", ?}, {?}]>]>} : tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}
// -----
// CASE: the basic strategy by option (E13)
// PASS: sdy-aggressive-propagate{propagation-strategy=basic}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}, %y: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c"}, {?}]>}) -> (tensor<16x16xf32>) {
  %r = stablehlo.add %x, %y : tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}, %y: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "c"}, {?}]>}) -> (tensor<16x16xf32>) {
  %r = stablehlo.add %x, %y : tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}
// -----
// CASE: operands take no more than the result (E15)
// PASS: sdy-aggressive-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>) -> (tensor<8xf32>) {
  %r = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<8xf32>
  return %r : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32>) -> (tensor<8xf32>) {
  %r = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : tensor<8xf32>
  return %r : tensor<8xf32>
}
// -----
// CASE: operands take as much as the result (E15)
// PASS: sdy-aggressive-propagate
sdy.mesh @mesh = <["a"=8]>
func.func @main(%x: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<16xf32>) -> (tensor<16xf32>) {
  %r = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)2}]>]>} : tensor<16xf32>
  return %r : tensor<16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=8]>
func.func @main(%x: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2, ?}]>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2, ?}]>}) {
  %r = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)2}]>]>} : tensor<16xf32>
  return %r : tensor<16xf32>
}
// -----
// CASE: a closed operand blocks itself only (E3)
// PASS: sdy-aggressive-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32>) {
  %r = stablehlo.add %x, %y : tensor<8xf32>
  return %r : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}]>}) {
  %r = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b", ?}]>]>} : tensor<8xf32>
  return %r : tensor<8xf32>
}
// -----
// CASE: a shorter sub-axis blocks itself only (E4)
// PASS: sdy-aggressive-propagate
sdy.mesh @mesh = <["a"=8, "b"=2]>
func.func @main(%x: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)4, "b", ?}]>}, %y: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}]>}) -> (tensor<32xf32>) {
  %r = stablehlo.add %x, %y : tensor<32xf32>
  return %r : tensor<32xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=8, "b"=2]>
func.func @main(%x: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)4, "b", ?}]>}, %y: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2}]>}) -> (tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)4, "b", ?}]>}) {
  %r = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a":(1)4, "b", ?}]>]>} : tensor<32xf32>
  return %r : tensor<32xf32>
}
// -----
// CASE: replicated axes block their tensor only (E5)
// PASS: sdy-aggressive-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}], replicated={"b"}>}) -> (tensor<8xf32>) {
  %r = stablehlo.add %x, %y : tensor<8xf32>
  return %r : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}], replicated={"b"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}]>}) {
  %r = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", "b", ?}]>]>} : tensor<8xf32>
  return %r : tensor<8xf32>
}
// -----
// CASE: replicated sub-axes cut (E6)
// PASS: sdy-aggressive-propagate
sdy.mesh @mesh = <["a"=4]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}], replicated={"a":(2)2}>}) -> (tensor<8xf32>) {
  %r = stablehlo.add %x, %y : tensor<8xf32>
  return %r : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=4]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %y: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a":(1)2, ?}], replicated={"a":(2)2}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>}) {
  %r = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}]>]>} : tensor<8xf32>
  return %r : tensor<8xf32>
}
// -----
// CASE: aggressive at once decides at the dot (E34)
// PASS: sdy-aggressive-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}, %e: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> (tensor<8x8xf32>) {
  %r = stablehlo.dot %x, %y : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = stablehlo.add %r, %e : tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}, %e: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
  %r = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = stablehlo.add %r, %e {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}
// -----
// CASE: basic before aggressive decides at the add (E34)
// PASS: sdy-aggressive-propagate{propagation-strategy=basic-then-aggressive}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}, %e: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> (tensor<8x8xf32>) {
  %r = stablehlo.dot %x, %y : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = stablehlo.add %r, %e : tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}, %e: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}) {
  %r = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"a", ?}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = stablehlo.add %r, %e {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"a", ?}]>]>} : tensor<8x8xf32>
  return %s : tensor<8x8xf32>
}
// -----
// CASE: the last write to a value used twice wins (E16)
// PASS: sdy-aggressive-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %r = stablehlo.dot %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b", ?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) {
  %r = stablehlo.dot %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {"b"}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// -----
// CASE: an overflow freezes the dim (E21)
// PASS: sdy-aggressive-propagate
sdy.mesh @mesh = <["a"=2, "b"=3, "c"=2]>
func.func @main(%x: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}]>}) -> (tensor<4x4xf32>) {
  %r = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"c"}]>]>} : (tensor<16xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=3, "c"=2]>
func.func @main(%x: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}]>}) -> (tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"c", ?}]>}) {
  %r = stablehlo.reshape %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"c"}]>]>} : (tensor<16xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
// -----
// CASE: an empty mesh blocks its closed dims only (E46)
// PASS: sdy-aggressive-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
sdy.mesh @empty = <[]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@empty, [{?}, {}]>}) -> (tensor<8x8xf32>) {
  %r = stablehlo.add %x, %y : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
sdy.mesh @empty = <[]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b"}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) {
  %r = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// -----
// CASE: the larger operand of a contraction wins (E31)
// PASS: sdy-aggressive-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<32x64xf32>, %y: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) -> (tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
  %r = stablehlo.dot %x, %y : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
  return %r : tensor<32x16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}, %y: tensor<64x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) -> (tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) {
  %r = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : (tensor<32x64xf32>, tensor<64x16xf32>) -> tensor<32x16xf32>
  return %r : tensor<32x16xf32>
}
