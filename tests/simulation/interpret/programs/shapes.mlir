// Tensors of rank 0 (15): one element, one index.
func.func @main() {
  %x = stablehlo.constant dense<3> : tensor<i32>
  %0 = "stablehlo.pad"(%x, %x) <{edge_padding_low = array<i64>, edge_padding_high = array<i64>, interior_padding = array<i64>}> : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %1 = "stablehlo.slice"(%0) <{start_indices = array<i64>, limit_indices = array<i64>, strides = array<i64>}> : (tensor<i32>) -> tensor<i32>
  %2 = stablehlo.transpose %1, dims = [] : (tensor<i32>) -> tensor<i32>
  %3 = stablehlo.reverse %2, dims = [] : tensor<i32>
  %4 = "stablehlo.dynamic_slice"(%3) <{slice_sizes = array<i64>}> : (tensor<i32>) -> tensor<i32>
  %5 = "stablehlo.dynamic_update_slice"(%4, %x) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %6 = stablehlo.reduce(%5 init: %x) applies stablehlo.add across dimensions = [] : (tensor<i32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %6, dense<6> : tensor<i32>
  %7 = "stablehlo.reduce_window"(%6, %x) <{window_dimensions = array<i64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.multiply %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %7, dense<18> : tensor<i32>
  %8 = "stablehlo.map"(%7) <{dimensions = array<i64>}> ({
  ^bb0(%a: tensor<i32>):
    %s = stablehlo.negate %a : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  check.expect_eq_const %8, dense<-18> : tensor<i32>
  %e = stablehlo.constant dense<> : tensor<0xi32>
  %9 = "stablehlo.gather"(%x, %e) <{dimension_numbers = #stablehlo.gather<>, slice_sizes = array<i64>}> : (tensor<i32>, tensor<0xi32>) -> tensor<i32>
  check.expect_eq_const %9, dense<3> : tensor<i32>
  %10 = "stablehlo.scatter"(%x, %e, %8) <{scatter_dimension_numbers = #stablehlo.scatter<>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<i32>, tensor<0xi32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %10, dense<-15> : tensor<i32>
  %11 = "stablehlo.select_and_scatter"(%x, %8, %x) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
  check.expect_eq_const %11, dense<-12> : tensor<i32>
  return
}

// -----

// Tensors without elements: loops do not run.
func.func @main() {
  %e = stablehlo.constant dense<> : tensor<0x3xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [0] : (tensor<0x3xf32>, tensor<f32>) -> tensor<3xf32>
  check.expect_eq_const %0, dense<0.0> : tensor<3xf32>
  %1 = stablehlo.reduce(%e init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<0x3xf32>, tensor<f32>) -> tensor<0xf32>
  check.expect_eq_const %1, dense<> : tensor<0xf32>
  %2 = "stablehlo.sort"(%e) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  check.expect_eq_const %2, dense<> : tensor<0x3xf32>
  %3 = stablehlo.dot_general %e, %e, contracting_dims = [0] x [0] : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<3x3xf32>
  check.expect_eq_const %3, dense<0.0> : tensor<3x3xf32>
  %4 = stablehlo.transpose %e, dims = [1, 0] : (tensor<0x3xf32>) -> tensor<3x0xf32>
  %5 = stablehlo.pad %4, %z, low = [0, 1], high = [0, 1], interior = [0, 5] : (tensor<3x0xf32>, tensor<f32>) -> tensor<3x2xf32>
  check.expect_eq_const %5, dense<0.0> : tensor<3x2xf32>
  %6 = stablehlo.concatenate %e, %e, dim = 0 : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
  %7 = stablehlo.reshape %6 : (tensor<0x3xf32>) -> tensor<5x0xf32>
  %8 = stablehlo.reverse %7, dims = [0, 1] : tensor<5x0xf32>
  %9 = stablehlo.slice %8 [1:3, 0:0] : (tensor<5x0xf32>) -> tensor<2x0xf32>
  check.expect_eq_const %9, dense<> : tensor<2x0xf32>
  %i = stablehlo.constant dense<> : tensor<0x1xi32>
  %10 = "stablehlo.gather"(%5, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xf32>, tensor<0x1xi32>) -> tensor<0x2xf32>
  check.expect_eq_const %10, dense<> : tensor<0x2xf32>
  %11 = "stablehlo.scatter"(%5, %i, %10) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<3x2xf32>, tensor<0x1xi32>, tensor<0x2xf32>) -> tensor<3x2xf32>
  check.expect_eq %11, %5 : tensor<3x2xf32>
  %12:2 = chlo.top_k(%7, k = 3) : tensor<5x0xf32> -> (tensor<5x0xf32>, tensor<5x0xi32>)
  check.expect_eq %12#0, %7 : tensor<5x0xf32>
  return
}

// -----

// Matrices and convolutions without elements; a sum without terms is 0 (H2).
func.func @main() {
  %14 = stablehlo.constant dense<> : tensor<2x0x0xf32>
  %13 = stablehlo.cholesky %14, lower = true : tensor<2x0x0xf32>
  check.expect_eq %13, %14 : tensor<2x0x0xf32>
  %b = stablehlo.constant dense<> : tensor<2x0x3xf32>
  %15 = "stablehlo.triangular_solve"(%14, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x0x0xf32>, tensor<2x0x3xf32>) -> tensor<2x0x3xf32>
  check.expect_eq %15, %b : tensor<2x0x3xf32>
  %x = stablehlo.constant dense<> : tensor<0x2x4xf32>
  %k = stablehlo.constant dense<1.0> : tensor<3x2x2xf32>
  %16 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<0x2x4xf32>, tensor<3x2x2xf32>) -> tensor<0x3x3xf32>
  check.expect_eq_const %16, dense<> : tensor<0x3x3xf32>
  %y = stablehlo.constant dense<> : tensor<1x0x4xf32>
  %l = stablehlo.constant dense<> : tensor<3x0x2xf32>
  %17 = stablehlo.convolution(%y, %l) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x0x4xf32>, tensor<3x0x2xf32>) -> tensor<1x3x3xf32>
  check.expect_eq_const %17, dense<0.0> : tensor<1x3x3xf32>
  return
}

// -----

// The size of a dim is an i32.
func.func @main() {
  %x = stablehlo.constant dense<0.0> : tensor<3x5xf32>
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<3x5xf32>) -> tensor<i32>
  check.expect_eq_const %0, dense<5> : tensor<i32>
  return
}
