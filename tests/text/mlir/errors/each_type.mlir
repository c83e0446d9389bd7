// Operands and results of types that an op does not take.
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.add %x, %n : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<5xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.add %x, %y : (tensor<4xf32>, tensor<2x3xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.not %x : tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.floor %n : tensor<4xi32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.is_finite %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.real %c : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.complex %n, %n : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xcomplex<f32>>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.compare LT, %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.compare LT, %x, %n : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xi1>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.select %x, %x, %x : tensor<4xf32>, tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.clamp %y, %x, %y : (tensor<2x3xf32>, tensor<4xf32>, tensor<2x3xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.transpose %y, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.transpose %y, dims = [0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.transpose %y, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.reverse %y, dims = [2] : tensor<2x3xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.reverse %y, dims = [0, 0] : tensor<2x3xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [2] : (tensor<4xf32>) -> tensor<4x4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<4xf32>) -> tensor<5x4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<4xf32>) -> tensor<4x4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<4xf32>, tensor<2x3xf32>) -> tensor<6xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.concatenate %x, %x, dim = 1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<9xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.slice %x [0:5] : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.slice %x [3:2] : (tensor<4xf32>) -> tensor<0xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.slice %x [0:4:0] : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.slice %y [0:2] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.slice %x [-1:4] : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.pad %x, %f, low = [0], high = [0], interior = [-1] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.pad %x, %i, low = [0], high = [0], interior = [0] : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.pad %x, %f, low = [-5], high = [0], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<0xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.iota dim = 1 : tensor<4xi32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.iota dim = 0 : tensor<i32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.dynamic_slice %y, %i, sizes = [1, 1] : (tensor<2x3xf32>, tensor<i32>) -> tensor<1x1xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [5] : (tensor<4xf32>, tensor<i32>) -> tensor<5xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.dynamic_slice %x, %f, sizes = [1] : (tensor<4xf32>, tensor<f32>) -> tensor<1xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.dynamic_update_slice %x, %y, %i : (tensor<4xf32>, tensor<2x3xf32>, tensor<i32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.dot_general %y, %y, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.dot_general %y, %y, contracting_dims = [2] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.dot_general %y, %y, contracting_dims = [0, 1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.dot_general %y, %y, batching_dims = [1] x [1], contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.dot_general %y, %y, contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.dot %x, %y : (tensor<4xf32>, tensor<2x3xf32>) -> tensor<3xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.cholesky %y : tensor<2x3xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.triangular_solve"(%y, %y) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.fft %x, type = FFT, length = [4] : (tensor<4xf32>) -> tensor<4xcomplex<f32>>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.fft %c, type = FFT, length = [5] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<4xf32>) -> tensor<i32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4xi16>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.reduce(%y init: %f) applies stablehlo.add across dimensions = [2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.reduce(%y init: %f) applies stablehlo.add across dimensions = [1, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.reduce(%y init: %i) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<i32>) -> tensor<2xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.reduce(%y init: %f) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({^bb0(%a: tensor<f32>, %b: tensor<f32>): stablehlo.return %p : tensor<i1>}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.sort"(%x) ({^bb0(%a: tensor<f32>): stablehlo.return %p : tensor<i1>}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.sort"(%x) ({^bb0(%a: tensor<f32>, %b: tensor<f32>): stablehlo.return %a : tensor<f32>}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.if"(%i) ({stablehlo.return %x : tensor<4xf32>}, {stablehlo.return %x : tensor<4xf32>}) : (tensor<i32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.if"(%p) ({stablehlo.return %x : tensor<4xf32>}) : (tensor<i1>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.if"(%p) ({stablehlo.return %x : tensor<4xf32>}, {stablehlo.return %n : tensor<4xi32>}) : (tensor<i1>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.case"(%p) ({stablehlo.return %x : tensor<4xf32>}) : (tensor<i1>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.while(%a = %x) : tensor<4xf32> cond { stablehlo.return %a : tensor<4xf32> } do { stablehlo.return %a : tensor<4xf32> }
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.while(%a = %x) : tensor<4xf32> cond { stablehlo.return %p : tensor<i1> } do { stablehlo.return %p : tensor<i1> }
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], start_index_map = [0]>, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 5>}> : (tensor<4xf32>, tensor<i32>) -> tensor<f32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>, split_count = 3 : i64, split_dimension = 0 : i64}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 1>}> ({^bb0(%a: tensor<f32>): stablehlo.return %a : tensor<f32>}) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = call @missing(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.get_tuple_element %x[0] : (tensor<4xf32>) -> tensor<f32>
  return
}
// -----
func.func @f(%x: tensor<4xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>, %n: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  %0 = stablehlo.reduce_precision %n, format = e5m10 : tensor<4xi32>
  return
}
