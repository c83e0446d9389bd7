// Each way in which the text of an op can be malformed.
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 stablehlo.negate %x : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %undefined : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x#1 : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x#a : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0:2 = stablehlo.negate %x : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0:0 = stablehlo.negate %x : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0:x = stablehlo.negate %x : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  % = stablehlo.negate %x : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0, = stablehlo.negate %x : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %x = stablehlo.negate %x : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.unknown_op %x : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = unknown %x : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.negate" %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.negate"(%x : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.negate"(%x) (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.negate"(%x) : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.negate"(%x) : (tensor<4xf32>) tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.negate"(%x) : () -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.negate"(%x) : (tensor<4xi32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = ""(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  "foo.bar"() ({ "foo.x"() : () -> () ) : () -> ()
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  "foo.bar"() ({ "foo.br"()[^bb7] : () -> () }) : () -> ()
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  "foo.bar"() ({ ^a: "foo.x"() : () -> () ^a: "foo.x"() : () -> () }) : () -> ()
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  "foo.bar"() ({ ^: "foo.x"() : () -> () }) : () -> ()
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  "foo.bar"() [bb1] : () -> ()
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  "foo.bar"() <{a = 1}> {a = 1 : : () -> ()
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  "stablehlo.negate"(%x) <{foo = 1 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> {iota_dimension = 0 : i64} : () -> tensor<4xi32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.iota"() : () -> tensor<4xi32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.sort %x : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {a = 1, a = 2} : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {a = } : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {= 1} : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {a = 1 : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {a = [1, } : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {a = "b : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {a = #alias} : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {a = #d.x<1} : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {a = 300 : i8} : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {a = -129 : i8} : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {a = -1 : ui8} : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {a = 9223372036854775808 : index} : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {a = 99999999999999999999} : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {a = 1 : f32} : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {a = 1.5 : i32} : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {a = 0x1FFFFFFFF : f32} : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {a = array<i8: 300>} : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {a = array<i1: maybe>} : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {a = array<i64 1>} : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {a = affine_map<(d0) -> (d0)} : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {"$successors" = 1} : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x {a = loc} : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x : tensor<4xf32> loc
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x : tensor<4xf32> loc("a"
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = arith.constant "x"
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.slice %y [0:2, 0:] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.slice %y 0:2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.reduce_precision %x, format = e5 : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.reduce_precision %x, format = 5m10 : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.compare LESS, %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.compare LT, %x, %x, REAL : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.transpose %y, perm = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.transpose %y, dims = 1 : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.transpose %y, dims = [1 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.dot_general %y, %y, contracting_dims = [1] x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.dot_general %y, %y, contracting_dims = [1] x [1], precision = [LOW] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.dot_general %y, %y, contracting_dims = [1] x [1], algorithm = <foo = 1> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.dot_general %y, %y, contracting_dims = [1] x [1], algorithm = <lhs_precision_type = f32> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.reduce(%y init: %f) applies stablehlo.add across dims = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.reduce(%y init: %f) applies stablehlo.sort across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.reduce(%y, %f) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.while(%a = %x) : tensor<4xf32>, tensor<4xf32> cond { stablehlo.return %p : tensor<i1> } do { stablehlo.return %a : tensor<4xf32> }
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.while(%x) : tensor<4xf32> cond { stablehlo.return %p : tensor<i1> } do { stablehlo.return %x : tensor<4xf32> }
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.convolution(%y, %y) dim_numbers = [b, f]x[o, i]->[b, g], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.convolution(%y, %y) dim_numbers = [b, b]x[o, i]->[b, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.convolution(%y, %y) dim_numbers = [b, f]x[o, i]->[b, f], window = {size = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.convolution(%y, %y) dim_numbers = [b, f]x[o, i]->[b, f], window = {stride = [], stride = []} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.convolution(%y, %y) dim_numbers = [b, f]x[o, i]->[b, f], window = {pad = [[1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.convolution(%y, %y) dim_numbers = [b, 1, f]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant dense<[1, 2]> : tensor<3xi32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant dense<[[1, 2], [3]]> : tensor<2x2xi32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant dense<[1, 2> : tensor<2xi32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant dense<> : tensor<2xi32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant dense<1.5> : tensor<2xi32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant dense<256> : tensor<2xi8>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant dense<-129> : tensor<2xi8>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant dense<-1> : tensor<2xui8>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant dense<true> : tensor<2xi32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant dense<2> : tensor<2xi1>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant dense<maybe> : tensor<2xi1>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant dense<0x1FFFFFFFF> : tensor<2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant dense<-0x1> : tensor<2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant dense<1.0> : tensor<2xcomplex<f32>>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant dense<(1.0, 2.0> : tensor<2xcomplex<f32>>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant dense<"0x0102"> : tensor<2xi32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant dense<"0xGG"> : tensor<1xi8>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant dense<"abc"> : tensor<1xi8>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant dense<1> tensor<2xi32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant dense<1> : tensor<?xi32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant dense<1> : i32
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.constant 1 : i32
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x : tensor<4xq32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x : tensor<4x>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x : tensor<-4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x : tensor<99999999999999999999xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x : tensor 4xf32
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x : tensor<4xf32, >
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x : complex<i32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x : !
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.negate %x : tuple<tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.select %p, %x, %x : tensor<i1>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.tuple %x, %y : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.custom_call foo(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.custom_call @foo %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.composite @foo %x {decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.fft %c, type = DFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.rng_bit_generator %n, algorithm = FAST : (tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  check.expect_almost_eq %x, %x, tolerance = big : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  check.expect_close %x, %x, max_ulp_difference = -1 : tensor<4xf32>, tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %v, %j = chlo.top_k(%x, k = 2 : tensor<4xf32> -> (tensor<2xf32>, tensor<2xi32>)
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset = [0]>, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [], offset_dims = []>, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.scatter<>, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.tanh %x {result_accuracy = #stablehlo.result_accuracy<ulps = 1>} : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.tanh %x {result_accuracy = #stablehlo.result_accuracy<foo = 1, mode = DEFAULT>} : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.iota"() <{iota_dimension = 0 : i32}> : () -> tensor<4xi32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.cholesky"(%y) <{lower = 1 : i64}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.transpose"(%y) <{permutation = dense<[[1, 0]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.custom_call"(%x) <{call_target_name = 1 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  stablehlo.return %x : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  "foo.bar"() {shardy.properties = 1 : 1} : () -> ()
  return
}
// -----
func.func private @g(tensor<4xf32>, %x: tensor<4xf32>)
