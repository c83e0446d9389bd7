// Steps until z * z + c leaves the disc, in complex arithmetic.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @mandelbrot attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in = call @inputs() : () -> tensor<7x9xcomplex<f64>>
    %want = call @expected() : () -> tensor<7x9xi32>
    %v1 = stablehlo.constant dense<(0.0, 0.0)> : tensor<7x9xcomplex<f64>>
    %v2 = stablehlo.constant dense<0> : tensor<7x9xi32>
    %v3 = stablehlo.constant dense<0> : tensor<i32>
    %v4:3 = stablehlo.while(%i4_0 = %v3, %i4_1 = %v1, %i4_2 = %v2) : tensor<i32>, tensor<7x9xcomplex<f64>>, tensor<7x9xi32>
    cond {
      %v5 = stablehlo.constant dense<20> : tensor<i32>
      %v6 = stablehlo.compare LT, %i4_0, %v5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %v6 : tensor<i1>
    } do {
      %v7 = stablehlo.constant dense<1> : tensor<i32>
      %v8 = stablehlo.add %i4_0, %v7 : tensor<i32>
      %v9 = stablehlo.abs %i4_1 : (tensor<7x9xcomplex<f64>>) -> tensor<7x9xf64>
      %v10 = stablehlo.constant dense<2.0> : tensor<f64>
      %v11 = stablehlo.broadcast_in_dim %v10, dims = [] : (tensor<f64>) -> tensor<7x9xf64>
      %v12 = stablehlo.compare LE, %v9, %v11 : (tensor<7x9xf64>, tensor<7x9xf64>) -> tensor<7x9xi1>
      %v13 = stablehlo.multiply %i4_1, %i4_1 : tensor<7x9xcomplex<f64>>
      %v14 = stablehlo.add %v13, %in : tensor<7x9xcomplex<f64>>
      %v15 = stablehlo.select %v12, %v14, %i4_1 : tensor<7x9xi1>, tensor<7x9xcomplex<f64>>
      %v16 = stablehlo.abs %v15 : (tensor<7x9xcomplex<f64>>) -> tensor<7x9xf64>
      %v17 = stablehlo.constant dense<2.0> : tensor<f64>
      %v18 = stablehlo.broadcast_in_dim %v17, dims = [] : (tensor<f64>) -> tensor<7x9xf64>
      %v19 = stablehlo.compare LE, %v16, %v18 : (tensor<7x9xf64>, tensor<7x9xf64>) -> tensor<7x9xi1>
      %v20 = stablehlo.convert %v19 : (tensor<7x9xi1>) -> tensor<7x9xi32>
      %v21 = stablehlo.add %i4_2, %v20 : tensor<7x9xi32>
      stablehlo.return %v8, %v15, %v21 : tensor<i32>, tensor<7x9xcomplex<f64>>, tensor<7x9xi32>
    }
    stablehlo.custom_call @check.expect_eq(%v4#2, %want) {has_side_effect = true} : (tensor<7x9xi32>, tensor<7x9xi32>) -> ()
    return
  }
  func.func private @inputs() -> tensor<7x9xcomplex<f64>> {
    %c0 = stablehlo.constant dense<[[(-2.0, -1.1), (-1.675, -1.1), (-1.35, -1.1), (-1.025, -1.1), (-0.7, -1.1), (-0.375, -1.1), (-0.04999999999999982, -1.1), (0.2749999999999999, -1.1), (0.6, -1.1)], [(-2.0, -0.7333333333333334), (-1.675, -0.7333333333333334), (-1.35, -0.7333333333333334), (-1.025, -0.7333333333333334), (-0.7, -0.7333333333333334), (-0.375, -0.7333333333333334), (-0.04999999999999982, -0.7333333333333334), (0.2749999999999999, -0.7333333333333334), (0.6, -0.7333333333333334)], [(-2.0, -0.3666666666666667), (-1.675, -0.3666666666666667), (-1.35, -0.3666666666666667), (-1.025, -0.3666666666666667), (-0.7, -0.3666666666666667), (-0.375, -0.3666666666666667), (-0.04999999999999982, -0.3666666666666667), (0.2749999999999999, -0.3666666666666667), (0.6, -0.3666666666666667)], [(-2.0, 0.0), (-1.675, 0.0), (-1.35, 0.0), (-1.025, 0.0), (-0.7, 0.0), (-0.375, 0.0), (-0.04999999999999982, 0.0), (0.2749999999999999, 0.0), (0.6, 0.0)], [(-2.0, 0.3666666666666667), (-1.675, 0.3666666666666667), (-1.35, 0.3666666666666667), (-1.025, 0.3666666666666667), (-0.7, 0.3666666666666667), (-0.375, 0.3666666666666667), (-0.04999999999999982, 0.3666666666666667), (0.2749999999999999, 0.3666666666666667), (0.6, 0.3666666666666667)], [(-2.0, 0.7333333333333334), (-1.675, 0.7333333333333334), (-1.35, 0.7333333333333334), (-1.025, 0.7333333333333334), (-0.7, 0.7333333333333334), (-0.375, 0.7333333333333334), (-0.04999999999999982, 0.7333333333333334), (0.2749999999999999, 0.7333333333333334), (0.6, 0.7333333333333334)], [(-2.0, 1.1), (-1.675, 1.1), (-1.35, 1.1), (-1.025, 1.1), (-0.7, 1.1), (-0.375, 1.1), (-0.04999999999999982, 1.1), (0.2749999999999999, 1.1), (0.6, 1.1)]]> : tensor<7x9xcomplex<f64>>
    return %c0 : tensor<7x9xcomplex<f64>>
  }
  func.func private @expected() -> tensor<7x9xi32> {
    %c0 = stablehlo.constant dense<[[0, 0, 1, 2, 2, 3, 4, 2, 1], [0, 2, 2, 2, 3, 6, 20, 5, 2], [0, 3, 5, 17, 20, 20, 20, 20, 3], [20, 20, 20, 20, 20, 20, 20, 17, 3], [0, 3, 5, 17, 20, 20, 20, 20, 3], [0, 2, 2, 2, 3, 6, 20, 5, 2], [0, 0, 1, 2, 2, 3, 4, 2, 1]]> : tensor<7x9xi32>
    return %c0 : tensor<7x9xi32>
  }
}
