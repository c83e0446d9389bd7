// shardy opt --sdy-convert-global-to-local
// CASE: constants, iota, a pad whose tiles begin at different places, groups of a convolution (partitioning 10.4)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<1x5x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, %arg1: tensor<3x1x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, %arg2: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<1x3x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 4 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"x"}]>]>} : (tensor<1x5x4xf32>, tensor<3x1x4xf32>) -> tensor<1x3x4xf32>
  %c = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<[1, 2, 3, 4]> : tensor<4xi32>
  %c_0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<7> : tensor<4xi32>
  %1 = stablehlo.iota dim = 0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xi32>
  %2 = stablehlo.add %c, %c_0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xi32>
  %3 = stablehlo.add %2, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xi32>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %4 = stablehlo.pad %arg2, %z, low = [2], high = [2], interior = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4xi32>, tensor<i32>) -> tensor<8xi32>
  return %0, %3, %4 : tensor<1x3x4xf32>, tensor<4xi32>, tensor<8xi32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<1x5x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, %arg1: tensor<3x1x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, %arg2: tensor<2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<1x3x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, tensor<2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {"x"}]>]>} : (tensor<1x5x2xf32>, tensor<3x1x2xf32>) -> tensor<1x3x2xf32>
    %c = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %1 = stablehlo.partition_id : tensor<ui32>
    %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i64>
    %c_0 = stablehlo.constant dense<[0, 2]> : tensor<2xi64>
    %3 = stablehlo.dynamic_slice %c_0, %2, sizes = [1] : (tensor<2xi64>, tensor<i64>) -> tensor<1xi64>
    %4 = stablehlo.reshape %3 : (tensor<1xi64>) -> tensor<i64>
    %5 = stablehlo.dynamic_slice %c, %4, sizes = [2] : (tensor<4xi32>, tensor<i64>) -> tensor<2xi32>
    %c_1 = stablehlo.constant dense<7> : tensor<2xi32>
    %6 = stablehlo.iota dim = 0 : tensor<2xi32>
    %7 = stablehlo.partition_id : tensor<ui32>
    %8 = stablehlo.convert %7 : (tensor<ui32>) -> tensor<i64>
    %c_2 = stablehlo.constant dense<[0, 2]> : tensor<2xi64>
    %9 = stablehlo.dynamic_slice %c_2, %8, sizes = [1] : (tensor<2xi64>, tensor<i64>) -> tensor<1xi64>
    %10 = stablehlo.reshape %9 : (tensor<1xi64>) -> tensor<i64>
    %11 = stablehlo.convert %10 : (tensor<i64>) -> tensor<i32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %13 = stablehlo.add %6, %12 : tensor<2xi32>
    %14 = stablehlo.add %5, %c_1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<2xi32>
    %15 = stablehlo.add %14, %13 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<2xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %16 = stablehlo.partition_id : tensor<ui32>
    %17 = stablehlo.convert %16 : (tensor<ui32>) -> tensor<i64>
    %c_4 = stablehlo.constant dense<[0, 2]> : tensor<2xi64>
    %18 = stablehlo.dynamic_slice %c_4, %17, sizes = [1] : (tensor<2xi64>, tensor<i64>) -> tensor<1xi64>
    %19 = stablehlo.reshape %18 : (tensor<1xi64>) -> tensor<i64>
    %20 = stablehlo.pad %arg2, %c_3, low = [2], high = [2], interior = [0] : (tensor<2xi32>, tensor<i32>) -> tensor<6xi32>
    %21 = stablehlo.dynamic_slice %20, %19, sizes = [4] : (tensor<6xi32>, tensor<i64>) -> tensor<4xi32>
    return %0, %15, %21 : tensor<1x3x2xf32>, tensor<2xi32>, tensor<4xi32>
  }
}
// ----------
// shardy opt --sdy-convert-global-to-local='keep-global-types'
// CASE: manual computations are inlined, loops carry what each device has
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<4xf32>) {
    %2 = stablehlo.negate %arg1 : tensor<4xf32>
    sdy.return %2 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1:2 = stablehlo.while(%i = %c, %v = %0) : tensor<i32>, tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}]>]>}
  cond {
    %2 = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %2 = stablehlo.abs %v {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<8xf32>
    stablehlo.return %i, %2 : tensor<i32>, tensor<8xf32>
  }
  return %1#1 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, spmd.global_type = tensor<8xf32>}) -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, spmd.global_type = tensor<8xf32>}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.negate %arg0 : tensor<4xf32>
    %1:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %0) : tensor<i32>, tensor<4xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}]>]>}
    cond {
      %2 = stablehlo.compare LT, %iterArg, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = stablehlo.abs %iterArg_0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : tensor<4xf32>
      stablehlo.return %iterArg, %2 : tensor<i32>, tensor<4xf32>
    }
    return %1#1 : tensor<4xf32>
  }
}
// ----------
// shardy opt --sdy-convert-global-to-local
// CASE: a lookup takes what the own tile has, as does an update
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x1xi32>, %arg2: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x3xf32>, tensor<4x1xi32>) -> tensor<4x3xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<4x3xf32>
  %2 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<8x3xf32>, tensor<4x1xi32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  return %1, %2 : tensor<4x3xf32>, tensor<8x3xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x1xi32>, %arg2: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.convert %arg1 : (tensor<4x1xi32>) -> tensor<4x1xi64>
    %1 = stablehlo.partition_id : tensor<ui32>
    %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<[0, 4]> : tensor<2xi64>
    %3 = stablehlo.dynamic_slice %c, %2, sizes = [1] : (tensor<2xi64>, tensor<i64>) -> tensor<1xi64>
    %4 = stablehlo.reshape %3 : (tensor<1xi64>) -> tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %c_1 = stablehlo.constant dense<7> : tensor<i64>
    %5 = stablehlo.clamp %c_0, %0, %c_1 : (tensor<i64>, tensor<4x1xi64>, tensor<i64>) -> tensor<4x1xi64>
    %6 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i64>) -> tensor<4x1xi64>
    %7 = stablehlo.subtract %5, %6 : tensor<4x1xi64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %8 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<4x1xi64>
    %9 = stablehlo.compare GE, %7, %8 : (tensor<4x1xi64>, tensor<4x1xi64>) -> tensor<4x1xi1>
    %c_3 = stablehlo.constant dense<4> : tensor<i64>
    %10 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<4x1xi64>
    %11 = stablehlo.compare LT, %7, %10 : (tensor<4x1xi64>, tensor<4x1xi64>) -> tensor<4x1xi1>
    %12 = stablehlo.and %9, %11 : tensor<4x1xi1>
    %13 = stablehlo.reshape %12 : (tensor<4x1xi1>) -> tensor<4xi1>
    %14 = "stablehlo.gather"(%arg0, %7) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<4x3xf32>, tensor<4x1xi64>) -> tensor<4x3xf32>
    %cst = stablehlo.constant dense<-0.000000e+00> : tensor<4x3xf32>
    %15 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<4xi1>) -> tensor<4x3xi1>
    %16 = stablehlo.select %15, %14, %cst : tensor<4x3xi1>, tensor<4x3xf32>
    %17 = "stablehlo.all_reduce"(%16) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %26 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %26 : tensor<f32>
    }) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %18 = stablehlo.convert %arg1 : (tensor<4x1xi32>) -> tensor<4x1xi64>
    %19 = stablehlo.partition_id : tensor<ui32>
    %20 = stablehlo.convert %19 : (tensor<ui32>) -> tensor<i64>
    %c_4 = stablehlo.constant dense<[0, 4]> : tensor<2xi64>
    %21 = stablehlo.dynamic_slice %c_4, %20, sizes = [1] : (tensor<2xi64>, tensor<i64>) -> tensor<1xi64>
    %22 = stablehlo.reshape %21 : (tensor<1xi64>) -> tensor<i64>
    %23 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<i64>) -> tensor<4x1xi64>
    %24 = stablehlo.subtract %18, %23 : tensor<4x1xi64>
    %25 = "stablehlo.scatter"(%arg0, %24, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x3xf32>, tensor<4x1xi64>, tensor<4x3xf32>) -> tensor<4x3xf32>
    return %17, %25 : tensor<4x3xf32>, tensor<4x3xf32>
  }
}
// ----------
// shardy opt --sdy-convert-global-to-local
// CASE: the device that has the element of an update takes it
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg1: tensor<1x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg2: tensor<1x1xf32>, %arg3: tensor<ui8>, %arg4: tensor<ui8>) -> (tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
  %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg3, %arg4 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}]>]>} : (tensor<12x6xf32>, tensor<1x6xf32>, tensor<ui8>, tensor<ui8>) -> tensor<12x6xf32>
  %1 = stablehlo.dynamic_update_slice %arg0, %arg2, %arg3, %arg4 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {"x"}]>]>} : (tensor<12x6xf32>, tensor<1x1xf32>, tensor<ui8>, tensor<ui8>) -> tensor<12x6xf32>
  return %0, %1 : tensor<12x6xf32>, tensor<12x6xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<6x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, %arg1: tensor<1x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg2: tensor<1x1xf32>, %arg3: tensor<ui8>, %arg4: tensor<ui8>) -> (tensor<6x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}, tensor<6x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) {
    %0 = stablehlo.convert %arg3 : (tensor<ui8>) -> tensor<i64>
    %1 = stablehlo.convert %arg4 : (tensor<ui8>) -> tensor<i64>
    %2 = stablehlo.partition_id : tensor<ui32>
    %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<[0, 6, 0, 6]> : tensor<4xi64>
    %4 = stablehlo.dynamic_slice %c, %3, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
    %5 = stablehlo.reshape %4 : (tensor<1xi64>) -> tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %c_2 = stablehlo.constant dense<11> : tensor<i64>
    %6 = stablehlo.clamp %c_1, %0, %c_2 : tensor<i64>
    %7 = stablehlo.subtract %6, %5 : tensor<i64>
    %c_3 = stablehlo.constant dense<6> : tensor<i64>
    %8 = stablehlo.compare LT, %7, %c_3 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %9 = stablehlo.compare GE, %7, %c_0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %10 = stablehlo.and %9, %8 : tensor<i1>
    %11 = stablehlo.select %10, %7, %c_0 : tensor<i1>, tensor<i64>
    %12 = stablehlo.dynamic_update_slice %arg0, %arg1, %11, %1 : (tensor<6x3xf32>, tensor<1x3xf32>, tensor<i64>, tensor<i64>) -> tensor<6x3xf32>
    %13 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<i1>) -> tensor<6x3xi1>
    %14 = stablehlo.select %13, %12, %arg0 : tensor<6x3xi1>, tensor<6x3xf32>
    %15 = stablehlo.convert %arg3 : (tensor<ui8>) -> tensor<i64>
    %16 = stablehlo.convert %arg4 : (tensor<ui8>) -> tensor<i64>
    %17 = stablehlo.partition_id : tensor<ui32>
    %18 = stablehlo.convert %17 : (tensor<ui32>) -> tensor<i64>
    %c_4 = stablehlo.constant dense<[0, 6, 0, 6]> : tensor<4xi64>
    %19 = stablehlo.dynamic_slice %c_4, %18, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
    %20 = stablehlo.reshape %19 : (tensor<1xi64>) -> tensor<i64>
    %c_5 = stablehlo.constant dense<0> : tensor<i64>
    %c_6 = stablehlo.constant dense<0> : tensor<i64>
    %c_7 = stablehlo.constant dense<11> : tensor<i64>
    %21 = stablehlo.clamp %c_6, %15, %c_7 : tensor<i64>
    %22 = stablehlo.subtract %21, %20 : tensor<i64>
    %c_8 = stablehlo.constant dense<6> : tensor<i64>
    %23 = stablehlo.compare LT, %22, %c_8 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %24 = stablehlo.compare GE, %22, %c_5 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %25 = stablehlo.and %24, %23 : tensor<i1>
    %26 = stablehlo.select %25, %22, %c_5 : tensor<i1>, tensor<i64>
    %27 = stablehlo.partition_id : tensor<ui32>
    %28 = stablehlo.convert %27 : (tensor<ui32>) -> tensor<i64>
    %c_9 = stablehlo.constant dense<[0, 0, 3, 3]> : tensor<4xi64>
    %29 = stablehlo.dynamic_slice %c_9, %28, sizes = [1] : (tensor<4xi64>, tensor<i64>) -> tensor<1xi64>
    %30 = stablehlo.reshape %29 : (tensor<1xi64>) -> tensor<i64>
    %c_10 = stablehlo.constant dense<0> : tensor<i64>
    %c_11 = stablehlo.constant dense<0> : tensor<i64>
    %c_12 = stablehlo.constant dense<5> : tensor<i64>
    %31 = stablehlo.clamp %c_11, %16, %c_12 : tensor<i64>
    %32 = stablehlo.subtract %31, %30 : tensor<i64>
    %c_13 = stablehlo.constant dense<3> : tensor<i64>
    %33 = stablehlo.compare LT, %32, %c_13 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %34 = stablehlo.compare GE, %32, %c_10 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %35 = stablehlo.and %34, %33 : tensor<i1>
    %36 = stablehlo.select %35, %32, %c_10 : tensor<i1>, tensor<i64>
    %37 = stablehlo.and %25, %35 : tensor<i1>
    %38 = stablehlo.dynamic_update_slice %arg0, %arg2, %26, %36 : (tensor<6x3xf32>, tensor<1x1xf32>, tensor<i64>, tensor<i64>) -> tensor<6x3xf32>
    %39 = stablehlo.broadcast_in_dim %37, dims = [] : (tensor<i1>) -> tensor<6x3xi1>
    %40 = stablehlo.select %39, %38, %arg0 : tensor<6x3xi1>, tensor<6x3xf32>
    return %14, %40 : tensor<6x3xf32>, tensor<6x3xf32>
  }
}
// ----------
// shardy opt --sdy-convert-global-to-local
// CASE: a stride that divides the shards stays (10.2)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<12x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %0 = stablehlo.slice %arg0 [0:12:3, 1:5:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<12x6xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<6x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.slice %arg0 [0:6:3, 1:5:2] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<6x6xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
}
// ----------
// shardy opt --sdy-convert-global-to-local
// CASE: the collective after a reduction combines as the reduction does
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<6xi1>) {
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.multiply across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
  %1 = sdy.reduce_scatter [{"x"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<6xf32>
  %d = stablehlo.constant dense<false> : tensor<i1>
  %2 = stablehlo.reduce(%arg1 init: %d) applies stablehlo.or across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<4x6xi1>, tensor<i1>) -> tensor<6xi1>
  %3 = sdy.all_reduce max {"x"} %2 out_sharding=<@mesh, [{}]> : tensor<6xi1>
  return %1, %3 : tensor<6xf32>, tensor<6xi1>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<2x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<2x6xi1> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<6xi1>) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.multiply across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<2x6xf32>, tensor<f32>) -> tensor<6xf32>
    %1 = "stablehlo.reduce_scatter"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %4 = stablehlo.multiply %arg2, %arg3 : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }) : (tensor<6xf32>) -> tensor<3xf32>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %2 = stablehlo.reduce(%arg1 init: %c) applies stablehlo.or across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<2x6xi1>, tensor<i1>) -> tensor<6xi1>
    %3 = "stablehlo.all_reduce"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<i1>, %arg3: tensor<i1>):
      %4 = stablehlo.maximum %arg2, %arg3 : tensor<i1>
      stablehlo.return %4 : tensor<i1>
    }) : (tensor<6xi1>) -> tensor<6xi1>
    return %1, %3 : tensor<3xf32>, tensor<6xi1>
  }
}
// ----------
// shardy opt --sdy-convert-global-to-local
// CASE: partial results that nothing combines are combined where they are made
sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func @main(%arg0: tensor<4x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<6x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<4x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<f32>) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<4x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32>
  %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.maximum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %d = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.reduce(%arg0 init: %d) applies stablehlo.add across dimensions = [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [], unreduced={"x", "y"}>]>} : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
  %3 = sdy.all_reduce {"x", "y"} %2 out_sharding=<@mesh, []> : tensor<f32>
  return %0, %1, %3 : tensor<4x5xf32>, tensor<4xf32>, tensor<f32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func @main(%arg0: tensor<2x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<2x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {}]>}) -> (tensor<2x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<f32>) {
    %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<2x2xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
    %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %6 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }) : (tensor<2x5xf32>) -> tensor<2x5xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<2x2xf32>, tensor<f32>) -> tensor<2xf32>
    %3 = "stablehlo.all_reduce"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %6 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [], unreduced={"x", "y"}>]>} : (tensor<2x2xf32>, tensor<f32>) -> tensor<f32>
    %5 = "stablehlo.all_reduce"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5]]> : tensor<1x6xi64>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %6 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }) : (tensor<f32>) -> tensor<f32>
    return %1, %3, %5 : tensor<2x5xf32>, tensor<2xf32>, tensor<f32>
  }
}
// ----------
// shardy opt --sdy-convert-global-to-local
// CASE: so are rows that devices looked up or wrote
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<6xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<4x1xi32>, %arg2: tensor<5xi32>, %arg3: tensor<4x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg4: tensor<4xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xi32>, tensor<5xi32>) {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<6xi32>, tensor<4x1xi32>) -> tensor<4xi32>
  %1 = "stablehlo.scatter"(%arg2, %arg3, %arg4) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<5xi32>, tensor<4x1xi32>, tensor<4xi32>) -> tensor<5xi32>
  return %0, %1 : tensor<4xi32>, tensor<5xi32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<3xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %arg1: tensor<4x1xi32>, %arg2: tensor<5xi32>, %arg3: tensor<2x1xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg4: tensor<2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<4xi32>, tensor<5xi32>) {
    %0 = stablehlo.convert %arg1 : (tensor<4x1xi32>) -> tensor<4x1xi64>
    %1 = stablehlo.partition_id : tensor<ui32>
    %2 = stablehlo.convert %1 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<[0, 3]> : tensor<2xi64>
    %3 = stablehlo.dynamic_slice %c, %2, sizes = [1] : (tensor<2xi64>, tensor<i64>) -> tensor<1xi64>
    %4 = stablehlo.reshape %3 : (tensor<1xi64>) -> tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %c_1 = stablehlo.constant dense<5> : tensor<i64>
    %5 = stablehlo.clamp %c_0, %0, %c_1 : (tensor<i64>, tensor<4x1xi64>, tensor<i64>) -> tensor<4x1xi64>
    %6 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i64>) -> tensor<4x1xi64>
    %7 = stablehlo.subtract %5, %6 : tensor<4x1xi64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %8 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<4x1xi64>
    %9 = stablehlo.compare GE, %7, %8 : (tensor<4x1xi64>, tensor<4x1xi64>) -> tensor<4x1xi1>
    %c_3 = stablehlo.constant dense<3> : tensor<i64>
    %10 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<4x1xi64>
    %11 = stablehlo.compare LT, %7, %10 : (tensor<4x1xi64>, tensor<4x1xi64>) -> tensor<4x1xi1>
    %12 = stablehlo.and %9, %11 : tensor<4x1xi1>
    %13 = stablehlo.reshape %12 : (tensor<4x1xi1>) -> tensor<4xi1>
    %14 = "stablehlo.gather"(%arg0, %7) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<3xi32>, tensor<4x1xi64>) -> tensor<4xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<4xi32>
    %15 = stablehlo.select %13, %14, %c_4 : tensor<4xi1>, tensor<4xi32>
    %16 = "stablehlo.all_reduce"(%15) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg5: tensor<i32>, %arg6: tensor<i32>):
      %26 = stablehlo.add %arg5, %arg6 : tensor<i32>
      stablehlo.return %26 : tensor<i32>
    }) : (tensor<4xi32>) -> tensor<4xi32>
    %17 = stablehlo.partition_id : tensor<ui32>
    %18 = stablehlo.convert %17 : (tensor<ui32>) -> tensor<i64>
    %c_5 = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
    %19 = stablehlo.dynamic_slice %c_5, %18, sizes = [1] : (tensor<2xi64>, tensor<i64>) -> tensor<1xi64>
    %20 = stablehlo.reshape %19 : (tensor<1xi64>) -> tensor<i64>
    %c_6 = stablehlo.constant dense<0> : tensor<i64>
    %21 = stablehlo.compare EQ, %20, %c_6 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_7 = stablehlo.constant dense<0> : tensor<5xi32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [] : (tensor<i1>) -> tensor<5xi1>
    %23 = stablehlo.select %22, %arg2, %c_7 : tensor<5xi1>, tensor<5xi32>
    %24 = "stablehlo.scatter"(%23, %arg3, %arg4) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<i32>, %arg6: tensor<i32>):
      %26 = stablehlo.add %arg5, %arg6 : tensor<i32>
      stablehlo.return %26 : tensor<i32>
    }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<5xi32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<5xi32>
    %25 = "stablehlo.all_reduce"(%24) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg5: tensor<i32>, %arg6: tensor<i32>):
      %26 = stablehlo.add %arg5, %arg6 : tensor<i32>
      stablehlo.return %26 : tensor<i32>
    }) : (tensor<5xi32>) -> tensor<5xi32>
    return %16, %25 : tensor<4xi32>, tensor<5xi32>
  }
}
// ----------
// shardy opt --sdy-convert-global-to-local
// CASE: other rows of a lookup are what the later combination does not notice
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<6x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x1xi64>) -> tensor<4x2xi32> {
  %0 = "stablehlo.gather"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced=max{"x"}>]>} : (tensor<6x2xi32>, tensor<4x1xi64>) -> tensor<4x2xi32>
  %1 = sdy.all_reduce max {"x"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<4x2xi32>
  return %1 : tensor<4x2xi32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<3x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<4x1xi64>) -> tensor<4x2xi32> {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.convert %0 : (tensor<ui32>) -> tensor<i64>
    %c = stablehlo.constant dense<[0, 3]> : tensor<2xi64>
    %2 = stablehlo.dynamic_slice %c, %1, sizes = [1] : (tensor<2xi64>, tensor<i64>) -> tensor<1xi64>
    %3 = stablehlo.reshape %2 : (tensor<1xi64>) -> tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %c_1 = stablehlo.constant dense<5> : tensor<i64>
    %4 = stablehlo.clamp %c_0, %arg1, %c_1 : (tensor<i64>, tensor<4x1xi64>, tensor<i64>) -> tensor<4x1xi64>
    %5 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<i64>) -> tensor<4x1xi64>
    %6 = stablehlo.subtract %4, %5 : tensor<4x1xi64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<4x1xi64>
    %8 = stablehlo.compare GE, %6, %7 : (tensor<4x1xi64>, tensor<4x1xi64>) -> tensor<4x1xi1>
    %c_3 = stablehlo.constant dense<3> : tensor<i64>
    %9 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<4x1xi64>
    %10 = stablehlo.compare LT, %6, %9 : (tensor<4x1xi64>, tensor<4x1xi64>) -> tensor<4x1xi1>
    %11 = stablehlo.and %8, %10 : tensor<4x1xi1>
    %12 = stablehlo.reshape %11 : (tensor<4x1xi1>) -> tensor<4xi1>
    %13 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 2>}> {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced=max{"x"}>]>} : (tensor<3x2xi32>, tensor<4x1xi64>) -> tensor<4x2xi32>
    %c_4 = stablehlo.constant dense<-2147483648> : tensor<4x2xi32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<4xi1>) -> tensor<4x2xi1>
    %15 = stablehlo.select %14, %13, %c_4 : tensor<4x2xi1>, tensor<4x2xi32>
    %16 = "stablehlo.all_reduce"(%15) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %17 = stablehlo.maximum %arg2, %arg3 : tensor<i32>
      stablehlo.return %17 : tensor<i32>
    }) : (tensor<4x2xi32>) -> tensor<4x2xi32>
    return %16 : tensor<4x2xi32>
  }
}
// ----------
// shardy opt --sdy-convert-global-to-local
// CASE: an update whose constant start keeps it in one shard is written there
sdy.mesh @mesh = <["x"=3]>
func.func @main(%arg0: tensor<12x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<3x2xf32>) -> (tensor<12x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %c = stablehlo.constant dense<50> : tensor<i32>
  %d = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %c, %d {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<12x2xf32>, tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<12x2xf32>
  return %0 : tensor<12x2xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=3]>
  func.func @main(%arg0: tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, %arg1: tensor<3x2xf32>) -> (tensor<4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<50> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.convert %c : (tensor<i32>) -> tensor<i64>
    %1 = stablehlo.convert %c_0 : (tensor<i32>) -> tensor<i64>
    %2 = stablehlo.partition_id : tensor<ui32>
    %3 = stablehlo.convert %2 : (tensor<ui32>) -> tensor<i64>
    %c_1 = stablehlo.constant dense<[0, 4, 8]> : tensor<3xi64>
    %4 = stablehlo.dynamic_slice %c_1, %3, sizes = [1] : (tensor<3xi64>, tensor<i64>) -> tensor<1xi64>
    %5 = stablehlo.reshape %4 : (tensor<1xi64>) -> tensor<i64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %c_4 = stablehlo.constant dense<9> : tensor<i64>
    %6 = stablehlo.clamp %c_3, %0, %c_4 : tensor<i64>
    %7 = stablehlo.subtract %6, %5 : tensor<i64>
    %c_5 = stablehlo.constant dense<4> : tensor<i64>
    %8 = stablehlo.compare LT, %7, %c_5 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %9 = stablehlo.compare GE, %7, %c_2 : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %10 = stablehlo.and %9, %8 : tensor<i1>
    %11 = stablehlo.select %10, %7, %c_2 : tensor<i1>, tensor<i64>
    %12 = stablehlo.dynamic_update_slice %arg0, %arg1, %11, %1 : (tensor<4x2xf32>, tensor<3x2xf32>, tensor<i64>, tensor<i64>) -> tensor<4x2xf32>
    %13 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<i1>) -> tensor<4x2xi1>
    %14 = stablehlo.select %13, %12, %arg0 : tensor<4x2xi1>, tensor<4x2xf32>
    return %14 : tensor<4x2xf32>
  }
}
// ----------
// shardy opt --sdy-convert-global-to-local
// CASE: a kernel that covers the input contracts a spatial dim
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<3x8x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %arg1: tensor<8x2x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> tensor<3x1x5xf32> {
  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}], unreduced={"x"}>]>} : (tensor<3x8x2xf32>, tensor<8x2x5xf32>) -> tensor<3x1x5xf32>
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{}, {}, {}]> : tensor<3x1x5xf32>
  return %1 : tensor<3x1x5xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<3x4x2xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %arg1: tensor<4x2x5xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}, {}]>}) -> tensor<3x1x5xf32> {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}, {}], unreduced={"x"}>]>} : (tensor<3x4x2xf32>, tensor<4x2x5xf32>) -> tensor<3x1x5xf32>
    %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<3x1x5xf32>) -> tensor<3x1x5xf32>
    return %1 : tensor<3x1x5xf32>
  }
}
// ----------
// shardy opt --sdy-convert-global-to-local
// CASE: the results of a reduce by another region are gathered and reduced again
sdy.mesh @mesh = <["x"=2, "y"=3]>
func.func @main(%arg0: tensor<4x6x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}, %arg1: tensor<4x6x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}) -> (tensor<4x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<4x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  %c = stablehlo.constant dense<-5> : tensor<i32>
  %d = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%arg0 init: %c), (%arg1 init: %d) across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>]>} : (tensor<4x6x2xi32>, tensor<4x6x2xi32>, tensor<i32>, tensor<i32>) -> (tensor<4x2xi32>, tensor<4x2xi32>)
   reducer(%e: tensor<i32>, %f: tensor<i32>) (%g: tensor<i32>, %h: tensor<i32>)  {
    %2 = stablehlo.compare LT, %e, %f : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.select %2, %f, %e : tensor<i1>, tensor<i32>
    %4 = stablehlo.select %2, %h, %g : tensor<i1>, tensor<i32>
    stablehlo.return %3, %4 : tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<4x2xi32>, tensor<4x2xi32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=3]>
  func.func @main(%arg0: tensor<2x2x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}, %arg1: tensor<2x2x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}, {}]>}) -> (tensor<2x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, tensor<2x2xi32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %c = stablehlo.constant dense<-5> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.reduce(%arg0 init: %c), (%arg1 init: %c_0) across dimensions = [1] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>]>} : (tensor<2x2x2xi32>, tensor<2x2x2xi32>, tensor<i32>, tensor<i32>) -> (tensor<2x2xi32>, tensor<2x2xi32>)
     reducer(%arg2: tensor<i32>, %arg4: tensor<i32>) (%arg3: tensor<i32>, %arg5: tensor<i32>)  {
      %6 = stablehlo.compare LT, %arg2, %arg4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.select %6, %arg4, %arg2 : tensor<i1>, tensor<i32>
      %8 = stablehlo.select %6, %arg5, %arg3 : tensor<i1>, tensor<i32>
      stablehlo.return %7, %8 : tensor<i32>, tensor<i32>
    }
    %1 = stablehlo.reshape %0#0 : (tensor<2x2xi32>) -> tensor<1x2x2xi32>
    %2 = "stablehlo.all_gather"(%1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>, use_global_device_ids}> : (tensor<1x2x2xi32>) -> tensor<3x2x2xi32>
    %3 = stablehlo.reshape %0#1 : (tensor<2x2xi32>) -> tensor<1x2x2xi32>
    %4 = "stablehlo.all_gather"(%3) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1, 2], [3, 4, 5]]> : tensor<2x3xi64>, use_global_device_ids}> : (tensor<1x2x2xi32>) -> tensor<3x2x2xi32>
    %5:2 = stablehlo.reduce(%2 init: %c), (%4 init: %c_0) across dimensions = [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>]>} : (tensor<3x2x2xi32>, tensor<3x2x2xi32>, tensor<i32>, tensor<i32>) -> (tensor<2x2xi32>, tensor<2x2xi32>)
     reducer(%arg2: tensor<i32>, %arg4: tensor<i32>) (%arg3: tensor<i32>, %arg5: tensor<i32>)  {
      %6 = stablehlo.compare LT, %arg2, %arg4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.select %6, %arg4, %arg2 : tensor<i1>, tensor<i32>
      %8 = stablehlo.select %6, %arg5, %arg3 : tensor<i1>, tensor<i32>
      stablehlo.return %7, %8 : tensor<i32>, tensor<i32>
    }
    return %5#0, %5#1 : tensor<2x2xi32>, tensor<2x2xi32>
  }
}
