// An ellipse of two bodies in 200 steps of fourth order: energy and place after a turn.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @runge_kutta attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %want:2 = call @expected() : () -> (tensor<2xf64>, tensor<2xf64>)
    %v1 = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf64>
    %v2 = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf64>
    %v3 = stablehlo.constant dense<0> : tensor<i32>
    %v4:3 = stablehlo.while(%i4_0 = %v3, %i4_1 = %v1, %i4_2 = %v2) : tensor<i32>, tensor<2xf64>, tensor<2xf64>
    cond {
      %v5 = stablehlo.constant dense<200> : tensor<i32>
      %v6 = stablehlo.compare LT, %i4_0, %v5 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %v6 : tensor<i1>
    } do {
      %v7 = stablehlo.constant dense<1> : tensor<i32>
      %v8 = stablehlo.add %i4_0, %v7 : tensor<i32>
      %v9 = stablehlo.multiply %i4_1, %i4_1 : tensor<2xf64>
      %v10 = stablehlo.constant dense<0.0> : tensor<f64>
      %v11 = stablehlo.reduce(%v9 init: %v10) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
      %v12 = stablehlo.rsqrt %v11 : tensor<f64>
      %v13 = stablehlo.negate %i4_1 : tensor<2xf64>
      %v14 = stablehlo.multiply %v12, %v12 : tensor<f64>
      %v15 = stablehlo.multiply %v14, %v12 : tensor<f64>
      %v16 = stablehlo.broadcast_in_dim %v15, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %v17 = stablehlo.multiply %v13, %v16 : tensor<2xf64>
      %v18 = stablehlo.constant dense<0.015707963267948967> : tensor<f64>
      %v19 = stablehlo.broadcast_in_dim %v18, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %v20 = stablehlo.multiply %i4_2, %v19 : tensor<2xf64>
      %v21 = stablehlo.add %i4_1, %v20 : tensor<2xf64>
      %v22 = stablehlo.constant dense<0.015707963267948967> : tensor<f64>
      %v23 = stablehlo.broadcast_in_dim %v22, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %v24 = stablehlo.multiply %v17, %v23 : tensor<2xf64>
      %v25 = stablehlo.add %i4_2, %v24 : tensor<2xf64>
      %v26 = stablehlo.multiply %v21, %v21 : tensor<2xf64>
      %v27 = stablehlo.constant dense<0.0> : tensor<f64>
      %v28 = stablehlo.reduce(%v26 init: %v27) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
      %v29 = stablehlo.rsqrt %v28 : tensor<f64>
      %v30 = stablehlo.negate %v21 : tensor<2xf64>
      %v31 = stablehlo.multiply %v29, %v29 : tensor<f64>
      %v32 = stablehlo.multiply %v31, %v29 : tensor<f64>
      %v33 = stablehlo.broadcast_in_dim %v32, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %v34 = stablehlo.multiply %v30, %v33 : tensor<2xf64>
      %v35 = stablehlo.constant dense<0.015707963267948967> : tensor<f64>
      %v36 = stablehlo.broadcast_in_dim %v35, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %v37 = stablehlo.multiply %v25, %v36 : tensor<2xf64>
      %v38 = stablehlo.add %i4_1, %v37 : tensor<2xf64>
      %v39 = stablehlo.constant dense<0.015707963267948967> : tensor<f64>
      %v40 = stablehlo.broadcast_in_dim %v39, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %v41 = stablehlo.multiply %v34, %v40 : tensor<2xf64>
      %v42 = stablehlo.add %i4_2, %v41 : tensor<2xf64>
      %v43 = stablehlo.multiply %v38, %v38 : tensor<2xf64>
      %v44 = stablehlo.constant dense<0.0> : tensor<f64>
      %v45 = stablehlo.reduce(%v43 init: %v44) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
      %v46 = stablehlo.rsqrt %v45 : tensor<f64>
      %v47 = stablehlo.negate %v38 : tensor<2xf64>
      %v48 = stablehlo.multiply %v46, %v46 : tensor<f64>
      %v49 = stablehlo.multiply %v48, %v46 : tensor<f64>
      %v50 = stablehlo.broadcast_in_dim %v49, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %v51 = stablehlo.multiply %v47, %v50 : tensor<2xf64>
      %v52 = stablehlo.constant dense<0.031415926535897934> : tensor<f64>
      %v53 = stablehlo.broadcast_in_dim %v52, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %v54 = stablehlo.multiply %v42, %v53 : tensor<2xf64>
      %v55 = stablehlo.add %i4_1, %v54 : tensor<2xf64>
      %v56 = stablehlo.constant dense<0.031415926535897934> : tensor<f64>
      %v57 = stablehlo.broadcast_in_dim %v56, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %v58 = stablehlo.multiply %v51, %v57 : tensor<2xf64>
      %v59 = stablehlo.add %i4_2, %v58 : tensor<2xf64>
      %v60 = stablehlo.multiply %v55, %v55 : tensor<2xf64>
      %v61 = stablehlo.constant dense<0.0> : tensor<f64>
      %v62 = stablehlo.reduce(%v60 init: %v61) applies stablehlo.add across dimensions = [0] : (tensor<2xf64>, tensor<f64>) -> tensor<f64>
      %v63 = stablehlo.rsqrt %v62 : tensor<f64>
      %v64 = stablehlo.negate %v55 : tensor<2xf64>
      %v65 = stablehlo.multiply %v63, %v63 : tensor<f64>
      %v66 = stablehlo.multiply %v65, %v63 : tensor<f64>
      %v67 = stablehlo.broadcast_in_dim %v66, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %v68 = stablehlo.multiply %v64, %v67 : tensor<2xf64>
      %v69 = stablehlo.constant dense<2.0> : tensor<f64>
      %v70 = stablehlo.broadcast_in_dim %v69, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %v71 = stablehlo.multiply %v25, %v70 : tensor<2xf64>
      %v72 = stablehlo.add %i4_2, %v71 : tensor<2xf64>
      %v73 = stablehlo.constant dense<2.0> : tensor<f64>
      %v74 = stablehlo.broadcast_in_dim %v73, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %v75 = stablehlo.multiply %v42, %v74 : tensor<2xf64>
      %v76 = stablehlo.add %v72, %v75 : tensor<2xf64>
      %v77 = stablehlo.add %v76, %v59 : tensor<2xf64>
      %v78 = stablehlo.constant dense<0.005235987755982989> : tensor<f64>
      %v79 = stablehlo.broadcast_in_dim %v78, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %v80 = stablehlo.multiply %v77, %v79 : tensor<2xf64>
      %v81 = stablehlo.add %i4_1, %v80 : tensor<2xf64>
      %v82 = stablehlo.constant dense<2.0> : tensor<f64>
      %v83 = stablehlo.broadcast_in_dim %v82, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %v84 = stablehlo.multiply %v34, %v83 : tensor<2xf64>
      %v85 = stablehlo.add %v17, %v84 : tensor<2xf64>
      %v86 = stablehlo.constant dense<2.0> : tensor<f64>
      %v87 = stablehlo.broadcast_in_dim %v86, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %v88 = stablehlo.multiply %v51, %v87 : tensor<2xf64>
      %v89 = stablehlo.add %v85, %v88 : tensor<2xf64>
      %v90 = stablehlo.add %v89, %v68 : tensor<2xf64>
      %v91 = stablehlo.constant dense<0.005235987755982989> : tensor<f64>
      %v92 = stablehlo.broadcast_in_dim %v91, dims = [] : (tensor<f64>) -> tensor<2xf64>
      %v93 = stablehlo.multiply %v90, %v92 : tensor<2xf64>
      %v94 = stablehlo.add %i4_2, %v93 : tensor<2xf64>
      stablehlo.return %v8, %v81, %v94 : tensor<i32>, tensor<2xf64>, tensor<2xf64>
    }
    check.expect_almost_eq %v4#1, %want#0, tolerance = 1.0e-06 : tensor<2xf64>
    check.expect_almost_eq %v4#2, %want#1, tolerance = 1.0e-06 : tensor<2xf64>
    return
  }
  func.func private @expected() -> (tensor<2xf64>, tensor<2xf64>) {
    %c0 = stablehlo.constant dense<[1.0, 0.0]> : tensor<2xf64>
    %c1 = stablehlo.constant dense<[0.0, 1.0]> : tensor<2xf64>
    return %c0, %c1 : tensor<2xf64>, tensor<2xf64>
  }
}
