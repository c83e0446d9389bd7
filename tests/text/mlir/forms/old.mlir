// Older text: attributes in the trailing dictionary, arrays as dense, two blanks after enum words.
#map = affine_map<(d0) -> (d0)>
#sh = #sdy.sharding<@mesh, [{"x"}, {}]>
!t = tensor<4x8xf32>
!q = tensor<4x!quant.uniform<i8:f32, 2.0:15>>
#loc1 = loc("f.py":4:2)
sdy.mesh @mesh = #sdy.mesh<["x"=2]>
func.func @main(%x: !t {sdy.sharding = #sh, b, a = 1} loc("x"), %q: !q, %i: tensor<i32>, %c3: tensor<3x3x3xf32>) -> !t {
  %0 = "stablehlo.transpose"(%x) {permutation = dense<[1, 0]> : tensor<2xi64>, m = #map} : (!t) -> tensor<8x4xf32> loc(#loc1)
  %z = stablehlo.constant dense<0.0> : tensor<f32> // a comment
  %1 = "stablehlo.reduce"(%x, %z) ({
  ^bb(%a: tensor<f32>, %b: tensor<f32>):
    %s = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) {dimensions = dense<1> : tensor<1xi64>} : (!t, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.compare  LT, %x, %x,  FLOAT : (!t, !t) -> tensor<4x8xi1>
  %3 = "stablehlo.compare"(%x, %x) {compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo.comparison_direction<GE>} : (!t, !t) -> tensor<4x8xi1>
  %4 = stablehlo.add %x, %x : (!t, !t) -> !t
  %5 = stablehlo.is_finite %x : (!t) -> (tensor<4x8xi1>)
  %6:2 = "stablehlo.while"(%i, %x) ({
  ^bb0(%c: tensor<i32>, %v: !t):
    %n = stablehlo.constant dense<"0x03000000"> : tensor<i32>
    %lt = stablehlo.compare LT, %c, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %lt : tensor<i1>
  }, {
  ^bb0(%c: tensor<i32>, %v: !t):
    %w = func.call @id(%v) : (!t) -> !t
    stablehlo.return %c, %w : tensor<i32>, !t
  }) {"odd key" = unit} : (tensor<i32>, !t) -> (tensor<i32>, !t)
  %7 = "stablehlo.slice"(%x) {limit_indices = dense<[4, 8]> : tensor<2xi64>, start_indices = dense<0> : tensor<2xi64>, strides = dense<[1, 2]> : tensor<2xi64>} : (!t) -> tensor<4x4xf32>
  %8 = "stablehlo.dot_general"(%x, %x) {dot_dimension_numbers = #stablehlo.dot<rhs_contracting_dimensions = [1], lhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (!t, !t) -> tensor<4x4xf32>
  %9 = stablehlo.cholesky %8, lower = false : tensor<4x4xf32>
  %10 = "stablehlo.custom_call"(%x) {call_target_name = "Sharding", api_version = 1 : i32, has_side_effect = false, backend_config = "", mhlo.sharding = "{replicated}"} : (!t) -> !t
  %11 = "stablehlo.custom_call"(%x) <{call_target_name = "f", called_computations = []}> {x = 1.5, y = -2 : i8, z = [1, 2 : i32, 1.0, true], w = 0x7F800000 : f32} : (!t) -> !t
  %12 = arith.constant dense<[true, false]> : tensor<2xi1>
  %13 = "stablehlo.convolution"(%x, %x) {batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f]x[o, i]->[b, f]>, feature_group_count = 1 : i64, padding = dense<> : tensor<0x2xi64>, window_reversal = dense<> : tensor<0xi1>} : (!t, !t) -> tensor<4x4xf32>
  %14 = stablehlo.constant dense<200> : tensor<2xi8>
  %15 = stablehlo.constant dense<[[1, 1], [1, 1]]> : tensor<2x2xui64>
  %16 = stablehlo.constant dense<"0x0102"> : tensor<2xi8>
  %17 = stablehlo.constant dense<"0x05"> : tensor<3xi1>
  %18 = stablehlo.constant dense<[1, 2]> : tensor<2xf32>
  %19 = stablehlo.constant dense_resource<__elided__> : tensor<100xf32>
  %20 = "sdy.propagation_barrier"(%x) <{allowed_direction = 1 : i32}> : (!t) -> !t
  %21 = sdy.reshard %x #sh : !t
  %22 = sdy.reshard %x <@mesh, [{"x"}, {}], replicated={}> : !t
  %23 = mhlo.copy %x {mhlo.sharding = "{devices=[2,1]<=[2]}"} : !t
  %24 = mhlo.copy %23 : (!t) -> !t
  %25 = "stablehlo.gather"(%x, %i) {
    dimension_numbers = #stablehlo.gather<
      offset_dims = [0],
      collapsed_slice_dims = [0],
      start_index_map = [0],
    >,
    slice_sizes = dense<[1, 8]> : tensor<2xi64>
  } : (!t, tensor<i32>) -> tensor<8xf32>
  %p = stablehlo.constant dense<1> : tensor<1x2xi64>
  %26 = stablehlo.dynamic_conv(%c3, %c3, %p)
    dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {stride = [2], lhs_dilate = [3]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<3x3x3xf32>, tensor<3x3x3xf32>, tensor<1x2xi64>) -> tensor<3x4x3xf32>
  func.return %x : !t
}
func.func private @id(%arg0: !t) -> (!t) {
  return %arg0 : !t
}
"func.func"() <{sym_name = "generic", function_type = (tensor<f32>) -> tensor<f32>, arg_attrs = [{a}]}> ({
^bb0(%x: tensor<f32>):
  "func.return"(%x) : (tensor<f32>) -> ()
}) : () -> ()
