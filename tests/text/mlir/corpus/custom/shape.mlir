module {
  func.func @main(%arg0: !stablehlo.token, %arg1: !stablehlo.token) {
    %0 = stablehlo.after_all %arg0, %arg1 : !stablehlo.token
    %1 = stablehlo.after_all %0 {foo} : !stablehlo.token
    %2 = stablehlo.after_all : !stablehlo.token
    %3 = stablehlo.after_all {foo = "x"} : !stablehlo.token
    return
  }
}
// -----
module {
  func.func @main() {
    %0 = stablehlo.create_token : !stablehlo.token
    %1 = stablehlo.create_token {foo} : !stablehlo.token
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<3x2xi16>) {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<3x4xf32>) -> tensor<3x4xi32>
    %1 = stablehlo.bitcast_convert %arg0 : (tensor<3x4xf32>) -> tensor<3x4x4xi8>
    %2 = stablehlo.bitcast_convert %arg1 {foo} : (tensor<3x2xi16>) -> tensor<3xi32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<i1>) {
    %0 = stablehlo.broadcast %arg0, sizes = [2, 5] : (tensor<3xf32>) -> tensor<2x5x3xf32>
    %1 = stablehlo.broadcast %arg1, sizes = [] {foo} : (tensor<i1>) -> tensor<i1>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<3x1xf32>, %arg1: tensor<f32>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<3x1xf32>) -> tensor<2x3x4xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<2x3x4xf32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [1, 0] {foo} : (tensor<3x1xf32>) -> tensor<5x3xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<3x1xf32>, %arg2: tensor<2xi8>) {
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 1 : (tensor<3x4xf32>, tensor<3x1xf32>) -> tensor<3x5xf32>
    %1 = stablehlo.concatenate %arg2, dim = 0 : (tensor<2xi8>) -> tensor<2xi8>
    %2 = stablehlo.concatenate %arg2, %1, %arg2, dim = 0 {foo} : (tensor<2xi8>, tensor<2xi8>, tensor<2xi8>) -> tensor<6xi8>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4x5xf32>, %arg1: tensor<i32>, %arg2: tensor<f32>) {
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [1, 5] : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
    %1 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [0, 2] {foo} : (tensor<4x5xf32>, tensor<i32>, tensor<i32>) -> tensor<0x2xf32>
    %2 = "stablehlo.dynamic_slice"(%arg2) <{slice_sizes = array<i64>}> : (tensor<f32>) -> tensor<f32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4x5xf32>, %arg1: tensor<1x5xf32>, %arg2: tensor<i64>, %arg3: tensor<f32>) {
    %0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg2 : (tensor<4x5xf32>, tensor<1x5xf32>, tensor<i64>, tensor<i64>) -> tensor<4x5xf32>
    %1 = stablehlo.dynamic_update_slice %arg3, %arg3 {foo} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return
  }
}
// -----
module {
  func.func @main() {
    %0 = stablehlo.iota dim = 0 : tensor<4x2xi32>
    %1 = stablehlo.iota dim = 1 {foo} : tensor<4x2xbf16>
    %2 = stablehlo.iota dim = 0 : tensor<0xcomplex<f32>>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<f32>) {
    %0 = stablehlo.pad %arg0, %arg1, low = [1, -1], high = [0, 2], interior = [0, 3] : (tensor<3x4xf32>, tensor<f32>) -> tensor<4x14xf32>
    %1 = stablehlo.pad %arg1, %arg1, low = [], high = [], interior = [] {foo} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<3x4xf32>) {
    %0 = stablehlo.reshape %arg0 : (tensor<3x4xf32>) -> tensor<12xf32>
    %1 = stablehlo.reshape %0 {foo} : (tensor<12xf32>) -> tensor<1x2x1x6xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<3x4xf32>) {
    %0 = stablehlo.reverse %arg0, dims = [0, 1] : tensor<3x4xf32>
    %1 = stablehlo.reverse %arg0, dims = [] {foo} : tensor<3x4xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<8x6xf32>, %arg1: tensor<f32>) {
    %0 = stablehlo.slice %arg0 [0:8:2, 3:5] : (tensor<8x6xf32>) -> tensor<4x2xf32>
    %1 = stablehlo.slice %arg0 [8:8, 0:6:7] {foo} : (tensor<8x6xf32>) -> tensor<0x1xf32>
    %2 = stablehlo.slice %arg1 [] : (tensor<f32>) -> tensor<f32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<3x4x5xf32>, %arg1: tensor<f32>) {
    %0 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<3x4x5xf32>) -> tensor<5x3x4xf32>
    %1 = stablehlo.transpose %arg1, dims = [] {foo} : (tensor<f32>) -> tensor<f32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<i32>) {
    %0 = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<3x4xf32>) -> tensor<i32>
    %1 = stablehlo.get_dimension_size %arg0, dim = 0 {foo} : (tensor<3x4xf32>) -> tensor<i32>
    %2 = stablehlo.set_dimension_size %arg0, %arg1, dim = 1 : (tensor<3x4xf32>, tensor<i32>) -> tensor<3x?xf32, #stablehlo.bounds<?, 4>>
    %3 = stablehlo.set_dimension_size %2, %arg1, dim = 1 {foo} : (tensor<3x?xf32, #stablehlo.bounds<?, 4>>, tensor<i32>) -> tensor<3x?xf32, #stablehlo.bounds<?, 4>>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<f32>, %arg1: tensor<i32>, %arg2: tuple<tensor<f32>, tuple<>>) {
    %0 = stablehlo.tuple %arg0, %arg1 : tuple<tensor<f32>, tensor<i32>>
    %1 = stablehlo.tuple : tuple<>
    %2 = stablehlo.tuple %0, %1 {foo} : tuple<tuple<tensor<f32>, tensor<i32>>, tuple<>>
    %3 = stablehlo.get_tuple_element %2[0] : (tuple<tuple<tensor<f32>, tensor<i32>>, tuple<>>) -> tuple<tensor<f32>, tensor<i32>>
    %4 = stablehlo.get_tuple_element %arg2[1] {foo} : (tuple<tensor<f32>, tuple<>>) -> tuple<>
    %5 = stablehlo.tuple {foo} : tuple<>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<f32>) {
    %0 = stablehlo.optimization_barrier %arg0 : tensor<3x4xf32>
    %1:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<3x4xf32>, tensor<f32>
    %2:2 = stablehlo.optimization_barrier {foo} %1#1, %1#0 : tensor<f32>, tensor<3x4xf32>
    stablehlo.optimization_barrier()
    return
  }
}
// -----
module {
  func.func @main() {
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.partition_id {foo} : tensor<ui32>
    %2 = stablehlo.replica_id : tensor<ui32>
    %3 = stablehlo.replica_id {foo} : tensor<ui32>
    return
  }
}
