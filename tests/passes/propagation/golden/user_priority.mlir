// Cases of sdy-user-priority-propagate. E35 and so on: propagation 19.
// CASE: the higher priority wins (E35)
// PASS: sdy-user-priority-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}p1, {?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> (tensor<8x8xf32>) {
  %r = stablehlo.add %x, %y : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}) {
  %r = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"a", ?}]>]>} : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// -----
// CASE: without priorities the first wins (E35)
// PASS: sdy-user-priority-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> (tensor<8x8xf32>) {
  %r = stablehlo.add %x, %y : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
  %r = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// -----
// CASE: a smaller operand of higher priority wins (E36)
// PASS: sdy-user-priority-propagate
sdy.mesh @mesh = <["x"=2]>
func.func @main(%act: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %w: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}p1]>}) -> (tensor<16x64xf32>) {
  %o = stablehlo.dot %act, %w : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  return %o : tensor<16x64xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2]>
func.func @main(%act: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %w: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}) -> (tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}) {
  %o = stablehlo.dot %act, %w {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>} : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  return %o : tensor<16x64xf32>
}
// -----
// CASE: without priorities the larger operand wins (E36)
// PASS: sdy-user-priority-propagate
sdy.mesh @mesh = <["x"=2]>
func.func @main(%act: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %w: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}) -> (tensor<16x64xf32>) {
  %o = stablehlo.dot %act, %w : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  return %o : tensor<16x64xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2]>
func.func @main(%act: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {?}]>}, %w: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x"}]>}) -> (tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}]>}) {
  %o = stablehlo.dot %act, %w {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"x", ?}]>]>} : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  return %o : tensor<16x64xf32>
}
// -----
// CASE: three priorities of one operand (E37)
// PASS: sdy-user-priority-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}p2, {"b", ?}p1]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"c"}]>}) -> (tensor<8x8xf32>) {
  %r = stablehlo.add %x, %y : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"b", ?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"c"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"c", ?}]>}) {
  %r = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"c", ?}]>]>} : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// -----
// CASE: numbers may be skipped
// PASS: sdy-user-priority-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}p5, {"b", ?}p3]>}, %y: tensor<8x8xf32>) -> (tensor<8x8xf32>) {
  %r = stablehlo.add %x, %y : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {"b", ?}]>}) {
  %r = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {"b", ?}]>]>} : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// -----
// CASE: priority 0 is no annotation afterwards
// PASS: sdy-user-priority-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}p0, {?}]>}) -> (tensor<8x8xf32>) {
  %r = stablehlo.sine %x : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
  %r = stablehlo.sine %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// -----
// CASE: a function result of higher priority wins
// PASS: sdy-user-priority-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}p1, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {?}]>}) {
  %r = stablehlo.sine %x : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}, {?}]>}) {
  %r = stablehlo.sine %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b", ?}, {?}]>]>} : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// -----
// CASE: a function result of lower priority loses
// PASS: sdy-user-priority-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}p1]>}) {
  %r = stablehlo.sine %x : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) {
  %r = stablehlo.sine %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// -----
// CASE: constraints have priorities
// PASS: sdy-user-priority-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> (tensor<8x8xf32>) {
  %s = stablehlo.sine %x : tensor<8x8xf32>
  %c = sdy.sharding_constraint %s <@mesh, [{"a", ?}p1, {?}]> : tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}) {
  %s = stablehlo.sine %x {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"a", ?}]>]>} : tensor<8x8xf32>
  %c = sdy.sharding_constraint %s <@mesh, [{"a", ?}, {?}]> : tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}
// -----
// CASE: priority 1 comes before priority 2
// PASS: sdy-user-priority-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}p2, {?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}p1]>}) -> (tensor<8x8xf32>) {
  %r = stablehlo.add %x, %y : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}) {
  %r = stablehlo.add %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"a", ?}]>]>} : tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
// -----
// CASE: op priorities inside (E28)
// PASS: sdy-user-priority-propagate
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) {
  %d = stablehlo.dot %x, %y : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = stablehlo.sine %d : tensor<8x8xf32>
  return %t : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>}) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) {
  %d = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"a", ?}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = stablehlo.sine %d {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"a", ?}]>]>} : tensor<8x8xf32>
  return %t : tensor<8x8xf32>
}
// -----
// CASE: without op priorities inside (E28)
// PASS: sdy-user-priority-propagate{run-op-priority-propagation=false}
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) {
  %d = stablehlo.dot %x, %y : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = stablehlo.sine %d : tensor<8x8xf32>
  return %t : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}]>}, %y: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a"}]>}) {
  %d = stablehlo.dot %x, %y {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a", ?}, {?}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = stablehlo.sine %d {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"a", ?}]>]>} : tensor<8x8xf32>
  return %t : tensor<8x8xf32>
}
// -----
// CASE: data parallel first, then tensor parallel
// PASS: sdy-user-priority-propagate
sdy.mesh @mesh = <["data"=2, "model"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}]>}, %w: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"model"}p1]>}) -> (tensor<8x16xf32>) {
  %o = stablehlo.dot %x, %w : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %t = stablehlo.tanh %o : tensor<8x16xf32>
  return %t : tensor<8x16xf32>
}
// AFTER
sdy.mesh @mesh = <["data"=2, "model"=2]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?}]>}, %w: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"model"}]>}) -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data", ?}, {"model", ?}]>}) {
  %o = stablehlo.dot %x, %w {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data", ?}, {"model", ?}]>]>} : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %t = stablehlo.tanh %o {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data", ?}, {"model", ?}]>]>} : tensor<8x16xf32>
  return %t : tensor<8x16xf32>
}
