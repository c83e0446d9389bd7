// The determinant by elimination with the largest pivot, rows exchanged by gather.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @lu_determinant attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in = call @inputs() : () -> tensor<5x5xf64>
    %want = call @expected() : () -> tensor<f64>
    %v1 = stablehlo.constant dense<1.0> : tensor<f64>
    %v2 = stablehlo.constant dense<0> : tensor<i32>
    %v3:3 = stablehlo.while(%i3_0 = %v2, %i3_1 = %in, %i3_2 = %v1) : tensor<i32>, tensor<5x5xf64>, tensor<f64>
    cond {
      %v4 = stablehlo.constant dense<5> : tensor<i32>
      %v5 = stablehlo.compare LT, %i3_0, %v4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %v5 : tensor<i1>
    } do {
      %v6 = stablehlo.constant dense<1> : tensor<i32>
      %v7 = stablehlo.add %i3_0, %v6 : tensor<i32>
      %v8 = stablehlo.iota dim = 0 : tensor<5xi32>
      %v9 = stablehlo.constant dense<0> : tensor<i32>
      %v10 = stablehlo.dynamic_slice %i3_1, %v9, %i3_0, sizes = [5, 1] : (tensor<5x5xf64>, tensor<i32>, tensor<i32>) -> tensor<5x1xf64>
      %v11 = stablehlo.reshape %v10 : (tensor<5x1xf64>) -> tensor<5xf64>
      %v12 = stablehlo.broadcast_in_dim %i3_0, dims = [] : (tensor<i32>) -> tensor<5xi32>
      %v13 = stablehlo.compare GE, %v8, %v12 : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
      %v14 = stablehlo.abs %v11 : tensor<5xf64>
      %v15 = stablehlo.constant dense<-1.0> : tensor<5xf64>
      %v16 = stablehlo.select %v13, %v14, %v15 : tensor<5xi1>, tensor<5xf64>
      %v17 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
      %v18 = stablehlo.reduce(%v16 init: %v17) applies stablehlo.maximum across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
      %v19 = stablehlo.broadcast_in_dim %v18, dims = [] : (tensor<f64>) -> tensor<5xf64>
      %v20 = stablehlo.compare EQ, %v16, %v19 : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xi1>
      %v21 = stablehlo.constant dense<5> : tensor<5xi32>
      %v22 = stablehlo.select %v20, %v8, %v21 : tensor<5xi1>, tensor<5xi32>
      %v23 = stablehlo.constant dense<2147483647> : tensor<i32>
      %v24 = stablehlo.reduce(%v22 init: %v23) applies stablehlo.minimum across dimensions = [0] : (tensor<5xi32>, tensor<i32>) -> tensor<i32>
      %v25 = stablehlo.broadcast_in_dim %i3_0, dims = [] : (tensor<i32>) -> tensor<5xi32>
      %v26 = stablehlo.compare EQ, %v8, %v25 : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
      %v27 = stablehlo.broadcast_in_dim %v24, dims = [] : (tensor<i32>) -> tensor<5xi32>
      %v28 = stablehlo.broadcast_in_dim %v24, dims = [] : (tensor<i32>) -> tensor<5xi32>
      %v29 = stablehlo.compare EQ, %v8, %v28 : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
      %v30 = stablehlo.broadcast_in_dim %i3_0, dims = [] : (tensor<i32>) -> tensor<5xi32>
      %v31 = stablehlo.select %v29, %v30, %v8 : tensor<5xi1>, tensor<5xi32>
      %v32 = stablehlo.select %v26, %v27, %v31 : tensor<5xi1>, tensor<5xi32>
      %v33 = stablehlo.reshape %v32 : (tensor<5xi32>) -> tensor<5x1xi32>
      %v34 = "stablehlo.gather"(%i3_1, %v33) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<5x5xf64>, tensor<5x1xi32>) -> tensor<5x5xf64>
      %v35 = stablehlo.dynamic_slice %v34, %i3_0, %v9, sizes = [1, 5] : (tensor<5x5xf64>, tensor<i32>, tensor<i32>) -> tensor<1x5xf64>
      %v36 = stablehlo.dynamic_slice %v34, %i3_0, %i3_0, sizes = [1, 1] : (tensor<5x5xf64>, tensor<i32>, tensor<i32>) -> tensor<1x1xf64>
      %v37 = stablehlo.dynamic_slice %v34, %v9, %i3_0, sizes = [5, 1] : (tensor<5x5xf64>, tensor<i32>, tensor<i32>) -> tensor<5x1xf64>
      %v38 = stablehlo.broadcast_in_dim %v36, dims = [0, 1] : (tensor<1x1xf64>) -> tensor<5x1xf64>
      %v39 = stablehlo.divide %v37, %v38 : tensor<5x1xf64>
      %v40 = stablehlo.broadcast_in_dim %i3_0, dims = [] : (tensor<i32>) -> tensor<5xi32>
      %v41 = stablehlo.compare GT, %v8, %v40 : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi1>
      %v42 = stablehlo.convert %v41 : (tensor<5xi1>) -> tensor<5xf64>
      %v43 = stablehlo.reshape %v42 : (tensor<5xf64>) -> tensor<5x1xf64>
      %v44 = stablehlo.compare NE, %v24, %i3_0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %v45 = stablehlo.multiply %v43, %v39 : tensor<5x1xf64>
      %v46 = stablehlo.broadcast_in_dim %v45, dims = [0, 1] : (tensor<5x1xf64>) -> tensor<5x5xf64>
      %v47 = stablehlo.broadcast_in_dim %v35, dims = [0, 1] : (tensor<1x5xf64>) -> tensor<5x5xf64>
      %v48 = stablehlo.multiply %v46, %v47 : tensor<5x5xf64>
      %v49 = stablehlo.subtract %v34, %v48 : tensor<5x5xf64>
      %v50 = stablehlo.negate %i3_2 : tensor<f64>
      %v51 = stablehlo.select %v44, %v50, %i3_2 : tensor<i1>, tensor<f64>
      stablehlo.return %v7, %v49, %v51 : tensor<i32>, tensor<5x5xf64>, tensor<f64>
    }
    %v52 = stablehlo.iota dim = 0 : tensor<5x5xi32>
    %v53 = stablehlo.iota dim = 1 : tensor<5x5xi32>
    %v54 = stablehlo.compare EQ, %v52, %v53 : (tensor<5x5xi32>, tensor<5x5xi32>) -> tensor<5x5xi1>
    %v55 = stablehlo.constant dense<0.0> : tensor<5x5xf64>
    %v56 = stablehlo.select %v54, %v3#1, %v55 : tensor<5x5xi1>, tensor<5x5xf64>
    %v57 = stablehlo.constant dense<0.0> : tensor<f64>
    %v58 = stablehlo.reduce(%v56 init: %v57) applies stablehlo.add across dimensions = [1] : (tensor<5x5xf64>, tensor<f64>) -> tensor<5xf64>
    %v59 = stablehlo.constant dense<1.0> : tensor<f64>
    %v60 = stablehlo.reduce(%v58 init: %v59) applies stablehlo.multiply across dimensions = [0] : (tensor<5xf64>, tensor<f64>) -> tensor<f64>
    %v61 = stablehlo.multiply %v3#2, %v60 : tensor<f64>
    check.expect_almost_eq %v61, %want, tolerance = 1.0e-11 : tensor<f64>
    return
  }
  func.func private @inputs() -> tensor<5x5xf64> {
    %c0 = stablehlo.constant dense<[[0.5532605888887387, 0.21760060921947388, -0.057989987866526184, -2.3189360947215656, 0.4314941677088505], [-2.126279784450882, 0.9099212170226342, 0.6059655730064136, 0.8300566485784159, 0.8276983437153878], [0.2985144698332214, -0.5350014137339273, -0.3070622870057959, 1.5080722715721342, -0.5822293778059019], [-0.22812380385128453, -0.7245145044162855, -0.5172493374907822, -0.30655788195456973, 0.2565516458675206], [-0.2938560550257995, -0.3547084649887684, -0.6168151525371501, 0.08958446690608873, -1.3441660008066356]]> : tensor<5x5xf64>
    return %c0 : tensor<5x5xf64>
  }
  func.func private @expected() -> tensor<f64> {
    %c0 = stablehlo.constant dense<-0.6994574870205165> : tensor<f64>
    return %c0 : tensor<f64>
  }
}
