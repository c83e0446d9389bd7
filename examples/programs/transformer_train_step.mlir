// A causal transformer block: loss, its gradients, and one step of Adam.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @transformer_train_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in:26 = call @inputs() : () -> (tensor<2x3x4xf64>, tensor<2x3x4xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<2x2x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x5xf64>, tensor<5x4xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<2x2x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x5xf64>, tensor<5x4xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<2x2x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x5xf64>, tensor<5x4xf64>)
    %want:17 = call @expected() : () -> (tensor<f64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<2x2x4xf64>, tensor<2x2x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x5xf64>, tensor<4x5xf64>, tensor<5x4xf64>, tensor<5x4xf64>)
    %v1 = stablehlo.constant dense<0.0> : tensor<f64>
    %v2 = stablehlo.reduce(%in#0 init: %v1) applies stablehlo.add across dimensions = [2] : (tensor<2x3x4xf64>, tensor<f64>) -> tensor<2x3xf64>
    %v3 = stablehlo.reshape %v2 : (tensor<2x3xf64>) -> tensor<2x3x1xf64>
    %v4 = stablehlo.constant dense<4.0> : tensor<f64>
    %v5 = stablehlo.broadcast_in_dim %v4, dims = [] : (tensor<f64>) -> tensor<2x3x1xf64>
    %v6 = stablehlo.divide %v3, %v5 : tensor<2x3x1xf64>
    %v7 = stablehlo.broadcast_in_dim %v6, dims = [0, 1, 2] : (tensor<2x3x1xf64>) -> tensor<2x3x4xf64>
    %v8 = stablehlo.subtract %in#0, %v7 : tensor<2x3x4xf64>
    %v9 = stablehlo.multiply %v8, %v8 : tensor<2x3x4xf64>
    %v10 = stablehlo.constant dense<0.0> : tensor<f64>
    %v11 = stablehlo.reduce(%v9 init: %v10) applies stablehlo.add across dimensions = [2] : (tensor<2x3x4xf64>, tensor<f64>) -> tensor<2x3xf64>
    %v12 = stablehlo.reshape %v11 : (tensor<2x3xf64>) -> tensor<2x3x1xf64>
    %v13 = stablehlo.constant dense<4.0> : tensor<f64>
    %v14 = stablehlo.broadcast_in_dim %v13, dims = [] : (tensor<f64>) -> tensor<2x3x1xf64>
    %v15 = stablehlo.divide %v12, %v14 : tensor<2x3x1xf64>
    %v16 = stablehlo.constant dense<1.0e-05> : tensor<f64>
    %v17 = stablehlo.broadcast_in_dim %v16, dims = [] : (tensor<f64>) -> tensor<2x3x1xf64>
    %v18 = stablehlo.add %v15, %v17 : tensor<2x3x1xf64>
    %v19 = stablehlo.rsqrt %v18 : tensor<2x3x1xf64>
    %v20 = stablehlo.broadcast_in_dim %v19, dims = [0, 1, 2] : (tensor<2x3x1xf64>) -> tensor<2x3x4xf64>
    %v21 = stablehlo.multiply %v8, %v20 : tensor<2x3x4xf64>
    %v22 = stablehlo.broadcast_in_dim %in#6, dims = [2] : (tensor<4xf64>) -> tensor<2x3x4xf64>
    %v23 = stablehlo.multiply %v21, %v22 : tensor<2x3x4xf64>
    %v24 = stablehlo.broadcast_in_dim %in#7, dims = [2] : (tensor<4xf64>) -> tensor<2x3x4xf64>
    %v25 = stablehlo.add %v23, %v24 : tensor<2x3x4xf64>
    %v26 = stablehlo.dot_general %v25, %in#2, contracting_dims = [2] x [0] : (tensor<2x3x4xf64>, tensor<4x2x2xf64>) -> tensor<2x3x2x2xf64>
    %v27 = stablehlo.dot_general %v25, %in#3, contracting_dims = [2] x [0] : (tensor<2x3x4xf64>, tensor<4x2x2xf64>) -> tensor<2x3x2x2xf64>
    %v28 = stablehlo.dot_general %v25, %in#4, contracting_dims = [2] x [0] : (tensor<2x3x4xf64>, tensor<4x2x2xf64>) -> tensor<2x3x2x2xf64>
    %v29 = stablehlo.dot_general %v26, %v27, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x3x2x2xf64>, tensor<2x3x2x2xf64>) -> tensor<2x2x3x3xf64>
    %v30 = stablehlo.constant dense<1.4142135623730951> : tensor<f64>
    %v31 = stablehlo.broadcast_in_dim %v30, dims = [] : (tensor<f64>) -> tensor<2x2x3x3xf64>
    %v32 = stablehlo.divide %v29, %v31 : tensor<2x2x3x3xf64>
    %v33 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %v34 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %v35 = stablehlo.compare GE, %v33, %v34 : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %v36 = stablehlo.broadcast_in_dim %v35, dims = [2, 3] : (tensor<3x3xi1>) -> tensor<2x2x3x3xi1>
    %v37 = stablehlo.constant dense<-1000000000.0> : tensor<2x2x3x3xf64>
    %v38 = stablehlo.select %v36, %v32, %v37 : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf64>
    %v39 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %v40 = stablehlo.reduce(%v38 init: %v39) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x3x3xf64>, tensor<f64>) -> tensor<2x2x3xf64>
    %v41 = stablehlo.reshape %v40 : (tensor<2x2x3xf64>) -> tensor<2x2x3x1xf64>
    %v42 = stablehlo.broadcast_in_dim %v41, dims = [0, 1, 2, 3] : (tensor<2x2x3x1xf64>) -> tensor<2x2x3x3xf64>
    %v43 = stablehlo.subtract %v38, %v42 : tensor<2x2x3x3xf64>
    %v44 = stablehlo.exponential %v43 : tensor<2x2x3x3xf64>
    %v45 = stablehlo.constant dense<0.0> : tensor<f64>
    %v46 = stablehlo.reduce(%v44 init: %v45) applies stablehlo.add across dimensions = [3] : (tensor<2x2x3x3xf64>, tensor<f64>) -> tensor<2x2x3xf64>
    %v47 = stablehlo.reshape %v46 : (tensor<2x2x3xf64>) -> tensor<2x2x3x1xf64>
    %v48 = stablehlo.broadcast_in_dim %v47, dims = [0, 1, 2, 3] : (tensor<2x2x3x1xf64>) -> tensor<2x2x3x3xf64>
    %v49 = stablehlo.divide %v44, %v48 : tensor<2x2x3x3xf64>
    %v50 = stablehlo.dot_general %v49, %v28, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x2x3x3xf64>, tensor<2x3x2x2xf64>) -> tensor<2x2x3x2xf64>
    %v51 = stablehlo.transpose %v50, dims = [0, 2, 1, 3] : (tensor<2x2x3x2xf64>) -> tensor<2x3x2x2xf64>
    %v52 = stablehlo.dot_general %v51, %in#5, contracting_dims = [2, 3] x [0, 1] : (tensor<2x3x2x2xf64>, tensor<2x2x4xf64>) -> tensor<2x3x4xf64>
    %v53 = stablehlo.add %in#0, %v52 : tensor<2x3x4xf64>
    %v54 = stablehlo.dot_general %v53, %in#8, contracting_dims = [2] x [0] : (tensor<2x3x4xf64>, tensor<4x5xf64>) -> tensor<2x3x5xf64>
    %v55 = stablehlo.tanh %v54 : tensor<2x3x5xf64>
    %v56 = stablehlo.dot_general %v55, %in#9, contracting_dims = [2] x [0] : (tensor<2x3x5xf64>, tensor<5x4xf64>) -> tensor<2x3x4xf64>
    %v57 = stablehlo.add %v53, %v56 : tensor<2x3x4xf64>
    %v58 = stablehlo.subtract %v57, %in#1 : tensor<2x3x4xf64>
    %v59 = stablehlo.multiply %v58, %v58 : tensor<2x3x4xf64>
    %v60 = stablehlo.constant dense<0.0> : tensor<f64>
    %v61 = stablehlo.reduce(%v59 init: %v60) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x4xf64>, tensor<f64>) -> tensor<f64>
    %v62 = stablehlo.constant dense<24.0> : tensor<f64>
    %v63 = stablehlo.divide %v61, %v62 : tensor<f64>
    %v64 = stablehlo.constant dense<1.0> : tensor<f64>
    %v65 = stablehlo.divide %v64, %v62 : tensor<f64>
    %v66 = stablehlo.multiply %v64, %v61 : tensor<f64>
    %v67 = stablehlo.negate %v66 : tensor<f64>
    %v68 = stablehlo.multiply %v62, %v62 : tensor<f64>
    %v69 = stablehlo.divide %v67, %v68 : tensor<f64>
    %v70 = stablehlo.broadcast_in_dim %v65, dims = [] : (tensor<f64>) -> tensor<2x3x4xf64>
    %v71 = stablehlo.multiply %v70, %v58 : tensor<2x3x4xf64>
    %v72 = stablehlo.multiply %v70, %v58 : tensor<2x3x4xf64>
    %v73 = stablehlo.add %v71, %v72 : tensor<2x3x4xf64>
    %v74 = stablehlo.negate %v73 : tensor<2x3x4xf64>
    %v75 = stablehlo.dot_general %v73, %in#9, contracting_dims = [2] x [1] : (tensor<2x3x4xf64>, tensor<5x4xf64>) -> tensor<2x3x5xf64>
    %v76 = stablehlo.dot_general %v73, %v55, contracting_dims = [0, 1] x [0, 1] : (tensor<2x3x4xf64>, tensor<2x3x5xf64>) -> tensor<4x5xf64>
    %v77 = stablehlo.transpose %v76, dims = [1, 0] : (tensor<4x5xf64>) -> tensor<5x4xf64>
    %v78 = stablehlo.multiply %v55, %v55 : tensor<2x3x5xf64>
    %v79 = stablehlo.constant dense<1.0> : tensor<f64>
    %v80 = stablehlo.broadcast_in_dim %v79, dims = [] : (tensor<f64>) -> tensor<2x3x5xf64>
    %v81 = stablehlo.subtract %v80, %v78 : tensor<2x3x5xf64>
    %v82 = stablehlo.multiply %v75, %v81 : tensor<2x3x5xf64>
    %v83 = stablehlo.dot_general %v82, %in#8, contracting_dims = [2] x [1] : (tensor<2x3x5xf64>, tensor<4x5xf64>) -> tensor<2x3x4xf64>
    %v84 = stablehlo.dot_general %v82, %v53, contracting_dims = [0, 1] x [0, 1] : (tensor<2x3x5xf64>, tensor<2x3x4xf64>) -> tensor<5x4xf64>
    %v85 = stablehlo.transpose %v84, dims = [1, 0] : (tensor<5x4xf64>) -> tensor<4x5xf64>
    %v86 = stablehlo.add %v73, %v83 : tensor<2x3x4xf64>
    %v87 = stablehlo.dot_general %v86, %in#5, contracting_dims = [2] x [2] : (tensor<2x3x4xf64>, tensor<2x2x4xf64>) -> tensor<2x3x2x2xf64>
    %v88 = stablehlo.dot_general %v86, %v51, contracting_dims = [0, 1] x [0, 1] : (tensor<2x3x4xf64>, tensor<2x3x2x2xf64>) -> tensor<4x2x2xf64>
    %v89 = stablehlo.transpose %v88, dims = [1, 2, 0] : (tensor<4x2x2xf64>) -> tensor<2x2x4xf64>
    %v90 = stablehlo.transpose %v87, dims = [0, 2, 1, 3] : (tensor<2x3x2x2xf64>) -> tensor<2x2x3x2xf64>
    %v91 = stablehlo.dot_general %v90, %v28, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x2x3x2xf64>, tensor<2x3x2x2xf64>) -> tensor<2x2x3x3xf64>
    %v92 = stablehlo.dot_general %v90, %v49, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2] : (tensor<2x2x3x2xf64>, tensor<2x2x3x3xf64>) -> tensor<2x2x2x3xf64>
    %v93 = stablehlo.transpose %v92, dims = [0, 3, 1, 2] : (tensor<2x2x2x3xf64>) -> tensor<2x3x2x2xf64>
    %v94 = stablehlo.dot_general %v93, %in#4, contracting_dims = [2, 3] x [1, 2] : (tensor<2x3x2x2xf64>, tensor<4x2x2xf64>) -> tensor<2x3x4xf64>
    %v95 = stablehlo.dot_general %v93, %v25, contracting_dims = [0, 1] x [0, 1] : (tensor<2x3x2x2xf64>, tensor<2x3x4xf64>) -> tensor<2x2x4xf64>
    %v96 = stablehlo.transpose %v95, dims = [2, 0, 1] : (tensor<2x2x4xf64>) -> tensor<4x2x2xf64>
    %v97 = stablehlo.divide %v91, %v48 : tensor<2x2x3x3xf64>
    %v98 = stablehlo.multiply %v91, %v44 : tensor<2x2x3x3xf64>
    %v99 = stablehlo.negate %v98 : tensor<2x2x3x3xf64>
    %v100 = stablehlo.multiply %v48, %v48 : tensor<2x2x3x3xf64>
    %v101 = stablehlo.divide %v99, %v100 : tensor<2x2x3x3xf64>
    %v102 = stablehlo.constant dense<0.0> : tensor<f64>
    %v103 = stablehlo.reduce(%v101 init: %v102) applies stablehlo.add across dimensions = [3] : (tensor<2x2x3x3xf64>, tensor<f64>) -> tensor<2x2x3xf64>
    %v104 = stablehlo.reshape %v103 : (tensor<2x2x3xf64>) -> tensor<2x2x3x1xf64>
    %v105 = stablehlo.reshape %v104 : (tensor<2x2x3x1xf64>) -> tensor<2x2x3xf64>
    %v106 = stablehlo.broadcast_in_dim %v105, dims = [0, 1, 2] : (tensor<2x2x3xf64>) -> tensor<2x2x3x3xf64>
    %v107 = stablehlo.add %v97, %v106 : tensor<2x2x3x3xf64>
    %v108 = stablehlo.multiply %v107, %v44 : tensor<2x2x3x3xf64>
    %v109 = stablehlo.negate %v108 : tensor<2x2x3x3xf64>
    %v110 = stablehlo.constant dense<0.0> : tensor<f64>
    %v111 = stablehlo.reduce(%v109 init: %v110) applies stablehlo.add across dimensions = [3] : (tensor<2x2x3x3xf64>, tensor<f64>) -> tensor<2x2x3xf64>
    %v112 = stablehlo.reshape %v111 : (tensor<2x2x3xf64>) -> tensor<2x2x3x1xf64>
    %v113 = stablehlo.constant dense<0.0> : tensor<f64>
    %v114 = stablehlo.broadcast_in_dim %v113, dims = [] : (tensor<f64>) -> tensor<2x2x3x3xf64>
    %v115 = stablehlo.multiply %v108, %v114 : tensor<2x2x3x3xf64>
    %v116 = stablehlo.select %v36, %v108, %v115 : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf64>
    %v117 = stablehlo.constant dense<0.0> : tensor<f64>
    %v118 = stablehlo.broadcast_in_dim %v117, dims = [] : (tensor<f64>) -> tensor<2x2x3x3xf64>
    %v119 = stablehlo.multiply %v108, %v118 : tensor<2x2x3x3xf64>
    %v120 = stablehlo.select %v36, %v119, %v108 : tensor<2x2x3x3xi1>, tensor<2x2x3x3xf64>
    %v121 = stablehlo.divide %v116, %v31 : tensor<2x2x3x3xf64>
    %v122 = stablehlo.multiply %v116, %v29 : tensor<2x2x3x3xf64>
    %v123 = stablehlo.negate %v122 : tensor<2x2x3x3xf64>
    %v124 = stablehlo.multiply %v31, %v31 : tensor<2x2x3x3xf64>
    %v125 = stablehlo.divide %v123, %v124 : tensor<2x2x3x3xf64>
    %v126 = stablehlo.constant dense<0.0> : tensor<f64>
    %v127 = stablehlo.reduce(%v125 init: %v126) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x2x3x3xf64>, tensor<f64>) -> tensor<f64>
    %v128 = stablehlo.dot_general %v121, %v27, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x2x3x3xf64>, tensor<2x3x2x2xf64>) -> tensor<2x2x3x2xf64>
    %v129 = stablehlo.transpose %v128, dims = [0, 2, 1, 3] : (tensor<2x2x3x2xf64>) -> tensor<2x3x2x2xf64>
    %v130 = stablehlo.dot_general %v121, %v26, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1] : (tensor<2x2x3x3xf64>, tensor<2x3x2x2xf64>) -> tensor<2x2x3x2xf64>
    %v131 = stablehlo.transpose %v130, dims = [0, 2, 1, 3] : (tensor<2x2x3x2xf64>) -> tensor<2x3x2x2xf64>
    %v132 = stablehlo.dot_general %v131, %in#3, contracting_dims = [2, 3] x [1, 2] : (tensor<2x3x2x2xf64>, tensor<4x2x2xf64>) -> tensor<2x3x4xf64>
    %v133 = stablehlo.dot_general %v131, %v25, contracting_dims = [0, 1] x [0, 1] : (tensor<2x3x2x2xf64>, tensor<2x3x4xf64>) -> tensor<2x2x4xf64>
    %v134 = stablehlo.transpose %v133, dims = [2, 0, 1] : (tensor<2x2x4xf64>) -> tensor<4x2x2xf64>
    %v135 = stablehlo.add %v94, %v132 : tensor<2x3x4xf64>
    %v136 = stablehlo.dot_general %v129, %in#2, contracting_dims = [2, 3] x [1, 2] : (tensor<2x3x2x2xf64>, tensor<4x2x2xf64>) -> tensor<2x3x4xf64>
    %v137 = stablehlo.dot_general %v129, %v25, contracting_dims = [0, 1] x [0, 1] : (tensor<2x3x2x2xf64>, tensor<2x3x4xf64>) -> tensor<2x2x4xf64>
    %v138 = stablehlo.transpose %v137, dims = [2, 0, 1] : (tensor<2x2x4xf64>) -> tensor<4x2x2xf64>
    %v139 = stablehlo.add %v135, %v136 : tensor<2x3x4xf64>
    %v140 = stablehlo.constant dense<0.0> : tensor<f64>
    %v141 = stablehlo.reduce(%v139 init: %v140) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3x4xf64>, tensor<f64>) -> tensor<4xf64>
    %v142 = stablehlo.multiply %v139, %v22 : tensor<2x3x4xf64>
    %v143 = stablehlo.multiply %v139, %v21 : tensor<2x3x4xf64>
    %v144 = stablehlo.constant dense<0.0> : tensor<f64>
    %v145 = stablehlo.reduce(%v143 init: %v144) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3x4xf64>, tensor<f64>) -> tensor<4xf64>
    %v146 = stablehlo.multiply %v142, %v20 : tensor<2x3x4xf64>
    %v147 = stablehlo.multiply %v142, %v8 : tensor<2x3x4xf64>
    %v148 = stablehlo.constant dense<0.0> : tensor<f64>
    %v149 = stablehlo.reduce(%v147 init: %v148) applies stablehlo.add across dimensions = [2] : (tensor<2x3x4xf64>, tensor<f64>) -> tensor<2x3xf64>
    %v150 = stablehlo.reshape %v149 : (tensor<2x3xf64>) -> tensor<2x3x1xf64>
    %v151 = stablehlo.constant dense<-0.5> : tensor<f64>
    %v152 = stablehlo.broadcast_in_dim %v151, dims = [] : (tensor<f64>) -> tensor<2x3x1xf64>
    %v153 = stablehlo.multiply %v150, %v152 : tensor<2x3x1xf64>
    %v154 = stablehlo.multiply %v19, %v19 : tensor<2x3x1xf64>
    %v155 = stablehlo.multiply %v154, %v19 : tensor<2x3x1xf64>
    %v156 = stablehlo.multiply %v153, %v155 : tensor<2x3x1xf64>
    %v157 = stablehlo.constant dense<0.0> : tensor<f64>
    %v158 = stablehlo.reduce(%v156 init: %v157) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x1xf64>, tensor<f64>) -> tensor<f64>
    %v159 = stablehlo.divide %v156, %v14 : tensor<2x3x1xf64>
    %v160 = stablehlo.multiply %v156, %v12 : tensor<2x3x1xf64>
    %v161 = stablehlo.negate %v160 : tensor<2x3x1xf64>
    %v162 = stablehlo.multiply %v14, %v14 : tensor<2x3x1xf64>
    %v163 = stablehlo.divide %v161, %v162 : tensor<2x3x1xf64>
    %v164 = stablehlo.constant dense<0.0> : tensor<f64>
    %v165 = stablehlo.reduce(%v163 init: %v164) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x1xf64>, tensor<f64>) -> tensor<f64>
    %v166 = stablehlo.reshape %v159 : (tensor<2x3x1xf64>) -> tensor<2x3xf64>
    %v167 = stablehlo.broadcast_in_dim %v166, dims = [0, 1] : (tensor<2x3xf64>) -> tensor<2x3x4xf64>
    %v168 = stablehlo.multiply %v167, %v8 : tensor<2x3x4xf64>
    %v169 = stablehlo.multiply %v167, %v8 : tensor<2x3x4xf64>
    %v170 = stablehlo.add %v146, %v168 : tensor<2x3x4xf64>
    %v171 = stablehlo.add %v170, %v169 : tensor<2x3x4xf64>
    %v172 = stablehlo.negate %v171 : tensor<2x3x4xf64>
    %v173 = stablehlo.constant dense<0.0> : tensor<f64>
    %v174 = stablehlo.reduce(%v172 init: %v173) applies stablehlo.add across dimensions = [2] : (tensor<2x3x4xf64>, tensor<f64>) -> tensor<2x3xf64>
    %v175 = stablehlo.reshape %v174 : (tensor<2x3xf64>) -> tensor<2x3x1xf64>
    %v176 = stablehlo.divide %v175, %v5 : tensor<2x3x1xf64>
    %v177 = stablehlo.multiply %v175, %v3 : tensor<2x3x1xf64>
    %v178 = stablehlo.negate %v177 : tensor<2x3x1xf64>
    %v179 = stablehlo.multiply %v5, %v5 : tensor<2x3x1xf64>
    %v180 = stablehlo.divide %v178, %v179 : tensor<2x3x1xf64>
    %v181 = stablehlo.constant dense<0.0> : tensor<f64>
    %v182 = stablehlo.reduce(%v180 init: %v181) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x1xf64>, tensor<f64>) -> tensor<f64>
    %v183 = stablehlo.reshape %v176 : (tensor<2x3x1xf64>) -> tensor<2x3xf64>
    %v184 = stablehlo.broadcast_in_dim %v183, dims = [0, 1] : (tensor<2x3xf64>) -> tensor<2x3x4xf64>
    %v185 = stablehlo.constant dense<0.9> : tensor<f64>
    %v186 = stablehlo.broadcast_in_dim %v185, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v187 = stablehlo.multiply %in#10, %v186 : tensor<4x2x2xf64>
    %v188 = stablehlo.constant dense<0.09999999999999998> : tensor<f64>
    %v189 = stablehlo.broadcast_in_dim %v188, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v190 = stablehlo.multiply %v138, %v189 : tensor<4x2x2xf64>
    %v191 = stablehlo.add %v187, %v190 : tensor<4x2x2xf64>
    %v192 = stablehlo.constant dense<0.999> : tensor<f64>
    %v193 = stablehlo.broadcast_in_dim %v192, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v194 = stablehlo.multiply %in#18, %v193 : tensor<4x2x2xf64>
    %v195 = stablehlo.multiply %v138, %v138 : tensor<4x2x2xf64>
    %v196 = stablehlo.constant dense<0.0010000000000000009> : tensor<f64>
    %v197 = stablehlo.broadcast_in_dim %v196, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v198 = stablehlo.multiply %v195, %v197 : tensor<4x2x2xf64>
    %v199 = stablehlo.add %v194, %v198 : tensor<4x2x2xf64>
    %v200 = stablehlo.constant dense<0.2709999999999999> : tensor<f64>
    %v201 = stablehlo.broadcast_in_dim %v200, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v202 = stablehlo.divide %v191, %v201 : tensor<4x2x2xf64>
    %v203 = stablehlo.constant dense<0.002997000999999999> : tensor<f64>
    %v204 = stablehlo.broadcast_in_dim %v203, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v205 = stablehlo.divide %v199, %v204 : tensor<4x2x2xf64>
    %v206 = stablehlo.sqrt %v205 : tensor<4x2x2xf64>
    %v207 = stablehlo.constant dense<1.0e-08> : tensor<f64>
    %v208 = stablehlo.broadcast_in_dim %v207, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v209 = stablehlo.add %v206, %v208 : tensor<4x2x2xf64>
    %v210 = stablehlo.divide %v202, %v209 : tensor<4x2x2xf64>
    %v211 = stablehlo.constant dense<0.01> : tensor<f64>
    %v212 = stablehlo.broadcast_in_dim %v211, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v213 = stablehlo.multiply %v210, %v212 : tensor<4x2x2xf64>
    %v214 = stablehlo.subtract %in#2, %v213 : tensor<4x2x2xf64>
    %v215 = stablehlo.constant dense<0.9> : tensor<f64>
    %v216 = stablehlo.broadcast_in_dim %v215, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v217 = stablehlo.multiply %in#11, %v216 : tensor<4x2x2xf64>
    %v218 = stablehlo.constant dense<0.09999999999999998> : tensor<f64>
    %v219 = stablehlo.broadcast_in_dim %v218, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v220 = stablehlo.multiply %v134, %v219 : tensor<4x2x2xf64>
    %v221 = stablehlo.add %v217, %v220 : tensor<4x2x2xf64>
    %v222 = stablehlo.constant dense<0.999> : tensor<f64>
    %v223 = stablehlo.broadcast_in_dim %v222, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v224 = stablehlo.multiply %in#19, %v223 : tensor<4x2x2xf64>
    %v225 = stablehlo.multiply %v134, %v134 : tensor<4x2x2xf64>
    %v226 = stablehlo.constant dense<0.0010000000000000009> : tensor<f64>
    %v227 = stablehlo.broadcast_in_dim %v226, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v228 = stablehlo.multiply %v225, %v227 : tensor<4x2x2xf64>
    %v229 = stablehlo.add %v224, %v228 : tensor<4x2x2xf64>
    %v230 = stablehlo.constant dense<0.2709999999999999> : tensor<f64>
    %v231 = stablehlo.broadcast_in_dim %v230, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v232 = stablehlo.divide %v221, %v231 : tensor<4x2x2xf64>
    %v233 = stablehlo.constant dense<0.002997000999999999> : tensor<f64>
    %v234 = stablehlo.broadcast_in_dim %v233, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v235 = stablehlo.divide %v229, %v234 : tensor<4x2x2xf64>
    %v236 = stablehlo.sqrt %v235 : tensor<4x2x2xf64>
    %v237 = stablehlo.constant dense<1.0e-08> : tensor<f64>
    %v238 = stablehlo.broadcast_in_dim %v237, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v239 = stablehlo.add %v236, %v238 : tensor<4x2x2xf64>
    %v240 = stablehlo.divide %v232, %v239 : tensor<4x2x2xf64>
    %v241 = stablehlo.constant dense<0.01> : tensor<f64>
    %v242 = stablehlo.broadcast_in_dim %v241, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v243 = stablehlo.multiply %v240, %v242 : tensor<4x2x2xf64>
    %v244 = stablehlo.subtract %in#3, %v243 : tensor<4x2x2xf64>
    %v245 = stablehlo.constant dense<0.9> : tensor<f64>
    %v246 = stablehlo.broadcast_in_dim %v245, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v247 = stablehlo.multiply %in#12, %v246 : tensor<4x2x2xf64>
    %v248 = stablehlo.constant dense<0.09999999999999998> : tensor<f64>
    %v249 = stablehlo.broadcast_in_dim %v248, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v250 = stablehlo.multiply %v96, %v249 : tensor<4x2x2xf64>
    %v251 = stablehlo.add %v247, %v250 : tensor<4x2x2xf64>
    %v252 = stablehlo.constant dense<0.999> : tensor<f64>
    %v253 = stablehlo.broadcast_in_dim %v252, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v254 = stablehlo.multiply %in#20, %v253 : tensor<4x2x2xf64>
    %v255 = stablehlo.multiply %v96, %v96 : tensor<4x2x2xf64>
    %v256 = stablehlo.constant dense<0.0010000000000000009> : tensor<f64>
    %v257 = stablehlo.broadcast_in_dim %v256, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v258 = stablehlo.multiply %v255, %v257 : tensor<4x2x2xf64>
    %v259 = stablehlo.add %v254, %v258 : tensor<4x2x2xf64>
    %v260 = stablehlo.constant dense<0.2709999999999999> : tensor<f64>
    %v261 = stablehlo.broadcast_in_dim %v260, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v262 = stablehlo.divide %v251, %v261 : tensor<4x2x2xf64>
    %v263 = stablehlo.constant dense<0.002997000999999999> : tensor<f64>
    %v264 = stablehlo.broadcast_in_dim %v263, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v265 = stablehlo.divide %v259, %v264 : tensor<4x2x2xf64>
    %v266 = stablehlo.sqrt %v265 : tensor<4x2x2xf64>
    %v267 = stablehlo.constant dense<1.0e-08> : tensor<f64>
    %v268 = stablehlo.broadcast_in_dim %v267, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v269 = stablehlo.add %v266, %v268 : tensor<4x2x2xf64>
    %v270 = stablehlo.divide %v262, %v269 : tensor<4x2x2xf64>
    %v271 = stablehlo.constant dense<0.01> : tensor<f64>
    %v272 = stablehlo.broadcast_in_dim %v271, dims = [] : (tensor<f64>) -> tensor<4x2x2xf64>
    %v273 = stablehlo.multiply %v270, %v272 : tensor<4x2x2xf64>
    %v274 = stablehlo.subtract %in#4, %v273 : tensor<4x2x2xf64>
    %v275 = stablehlo.constant dense<0.9> : tensor<f64>
    %v276 = stablehlo.broadcast_in_dim %v275, dims = [] : (tensor<f64>) -> tensor<2x2x4xf64>
    %v277 = stablehlo.multiply %in#13, %v276 : tensor<2x2x4xf64>
    %v278 = stablehlo.constant dense<0.09999999999999998> : tensor<f64>
    %v279 = stablehlo.broadcast_in_dim %v278, dims = [] : (tensor<f64>) -> tensor<2x2x4xf64>
    %v280 = stablehlo.multiply %v89, %v279 : tensor<2x2x4xf64>
    %v281 = stablehlo.add %v277, %v280 : tensor<2x2x4xf64>
    %v282 = stablehlo.constant dense<0.999> : tensor<f64>
    %v283 = stablehlo.broadcast_in_dim %v282, dims = [] : (tensor<f64>) -> tensor<2x2x4xf64>
    %v284 = stablehlo.multiply %in#21, %v283 : tensor<2x2x4xf64>
    %v285 = stablehlo.multiply %v89, %v89 : tensor<2x2x4xf64>
    %v286 = stablehlo.constant dense<0.0010000000000000009> : tensor<f64>
    %v287 = stablehlo.broadcast_in_dim %v286, dims = [] : (tensor<f64>) -> tensor<2x2x4xf64>
    %v288 = stablehlo.multiply %v285, %v287 : tensor<2x2x4xf64>
    %v289 = stablehlo.add %v284, %v288 : tensor<2x2x4xf64>
    %v290 = stablehlo.constant dense<0.2709999999999999> : tensor<f64>
    %v291 = stablehlo.broadcast_in_dim %v290, dims = [] : (tensor<f64>) -> tensor<2x2x4xf64>
    %v292 = stablehlo.divide %v281, %v291 : tensor<2x2x4xf64>
    %v293 = stablehlo.constant dense<0.002997000999999999> : tensor<f64>
    %v294 = stablehlo.broadcast_in_dim %v293, dims = [] : (tensor<f64>) -> tensor<2x2x4xf64>
    %v295 = stablehlo.divide %v289, %v294 : tensor<2x2x4xf64>
    %v296 = stablehlo.sqrt %v295 : tensor<2x2x4xf64>
    %v297 = stablehlo.constant dense<1.0e-08> : tensor<f64>
    %v298 = stablehlo.broadcast_in_dim %v297, dims = [] : (tensor<f64>) -> tensor<2x2x4xf64>
    %v299 = stablehlo.add %v296, %v298 : tensor<2x2x4xf64>
    %v300 = stablehlo.divide %v292, %v299 : tensor<2x2x4xf64>
    %v301 = stablehlo.constant dense<0.01> : tensor<f64>
    %v302 = stablehlo.broadcast_in_dim %v301, dims = [] : (tensor<f64>) -> tensor<2x2x4xf64>
    %v303 = stablehlo.multiply %v300, %v302 : tensor<2x2x4xf64>
    %v304 = stablehlo.subtract %in#5, %v303 : tensor<2x2x4xf64>
    %v305 = stablehlo.constant dense<0.9> : tensor<f64>
    %v306 = stablehlo.broadcast_in_dim %v305, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %v307 = stablehlo.multiply %in#14, %v306 : tensor<4xf64>
    %v308 = stablehlo.constant dense<0.09999999999999998> : tensor<f64>
    %v309 = stablehlo.broadcast_in_dim %v308, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %v310 = stablehlo.multiply %v145, %v309 : tensor<4xf64>
    %v311 = stablehlo.add %v307, %v310 : tensor<4xf64>
    %v312 = stablehlo.constant dense<0.999> : tensor<f64>
    %v313 = stablehlo.broadcast_in_dim %v312, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %v314 = stablehlo.multiply %in#22, %v313 : tensor<4xf64>
    %v315 = stablehlo.multiply %v145, %v145 : tensor<4xf64>
    %v316 = stablehlo.constant dense<0.0010000000000000009> : tensor<f64>
    %v317 = stablehlo.broadcast_in_dim %v316, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %v318 = stablehlo.multiply %v315, %v317 : tensor<4xf64>
    %v319 = stablehlo.add %v314, %v318 : tensor<4xf64>
    %v320 = stablehlo.constant dense<0.2709999999999999> : tensor<f64>
    %v321 = stablehlo.broadcast_in_dim %v320, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %v322 = stablehlo.divide %v311, %v321 : tensor<4xf64>
    %v323 = stablehlo.constant dense<0.002997000999999999> : tensor<f64>
    %v324 = stablehlo.broadcast_in_dim %v323, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %v325 = stablehlo.divide %v319, %v324 : tensor<4xf64>
    %v326 = stablehlo.sqrt %v325 : tensor<4xf64>
    %v327 = stablehlo.constant dense<1.0e-08> : tensor<f64>
    %v328 = stablehlo.broadcast_in_dim %v327, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %v329 = stablehlo.add %v326, %v328 : tensor<4xf64>
    %v330 = stablehlo.divide %v322, %v329 : tensor<4xf64>
    %v331 = stablehlo.constant dense<0.01> : tensor<f64>
    %v332 = stablehlo.broadcast_in_dim %v331, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %v333 = stablehlo.multiply %v330, %v332 : tensor<4xf64>
    %v334 = stablehlo.subtract %in#6, %v333 : tensor<4xf64>
    %v335 = stablehlo.constant dense<0.9> : tensor<f64>
    %v336 = stablehlo.broadcast_in_dim %v335, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %v337 = stablehlo.multiply %in#15, %v336 : tensor<4xf64>
    %v338 = stablehlo.constant dense<0.09999999999999998> : tensor<f64>
    %v339 = stablehlo.broadcast_in_dim %v338, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %v340 = stablehlo.multiply %v141, %v339 : tensor<4xf64>
    %v341 = stablehlo.add %v337, %v340 : tensor<4xf64>
    %v342 = stablehlo.constant dense<0.999> : tensor<f64>
    %v343 = stablehlo.broadcast_in_dim %v342, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %v344 = stablehlo.multiply %in#23, %v343 : tensor<4xf64>
    %v345 = stablehlo.multiply %v141, %v141 : tensor<4xf64>
    %v346 = stablehlo.constant dense<0.0010000000000000009> : tensor<f64>
    %v347 = stablehlo.broadcast_in_dim %v346, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %v348 = stablehlo.multiply %v345, %v347 : tensor<4xf64>
    %v349 = stablehlo.add %v344, %v348 : tensor<4xf64>
    %v350 = stablehlo.constant dense<0.2709999999999999> : tensor<f64>
    %v351 = stablehlo.broadcast_in_dim %v350, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %v352 = stablehlo.divide %v341, %v351 : tensor<4xf64>
    %v353 = stablehlo.constant dense<0.002997000999999999> : tensor<f64>
    %v354 = stablehlo.broadcast_in_dim %v353, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %v355 = stablehlo.divide %v349, %v354 : tensor<4xf64>
    %v356 = stablehlo.sqrt %v355 : tensor<4xf64>
    %v357 = stablehlo.constant dense<1.0e-08> : tensor<f64>
    %v358 = stablehlo.broadcast_in_dim %v357, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %v359 = stablehlo.add %v356, %v358 : tensor<4xf64>
    %v360 = stablehlo.divide %v352, %v359 : tensor<4xf64>
    %v361 = stablehlo.constant dense<0.01> : tensor<f64>
    %v362 = stablehlo.broadcast_in_dim %v361, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %v363 = stablehlo.multiply %v360, %v362 : tensor<4xf64>
    %v364 = stablehlo.subtract %in#7, %v363 : tensor<4xf64>
    %v365 = stablehlo.constant dense<0.9> : tensor<f64>
    %v366 = stablehlo.broadcast_in_dim %v365, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %v367 = stablehlo.multiply %in#16, %v366 : tensor<4x5xf64>
    %v368 = stablehlo.constant dense<0.09999999999999998> : tensor<f64>
    %v369 = stablehlo.broadcast_in_dim %v368, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %v370 = stablehlo.multiply %v85, %v369 : tensor<4x5xf64>
    %v371 = stablehlo.add %v367, %v370 : tensor<4x5xf64>
    %v372 = stablehlo.constant dense<0.999> : tensor<f64>
    %v373 = stablehlo.broadcast_in_dim %v372, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %v374 = stablehlo.multiply %in#24, %v373 : tensor<4x5xf64>
    %v375 = stablehlo.multiply %v85, %v85 : tensor<4x5xf64>
    %v376 = stablehlo.constant dense<0.0010000000000000009> : tensor<f64>
    %v377 = stablehlo.broadcast_in_dim %v376, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %v378 = stablehlo.multiply %v375, %v377 : tensor<4x5xf64>
    %v379 = stablehlo.add %v374, %v378 : tensor<4x5xf64>
    %v380 = stablehlo.constant dense<0.2709999999999999> : tensor<f64>
    %v381 = stablehlo.broadcast_in_dim %v380, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %v382 = stablehlo.divide %v371, %v381 : tensor<4x5xf64>
    %v383 = stablehlo.constant dense<0.002997000999999999> : tensor<f64>
    %v384 = stablehlo.broadcast_in_dim %v383, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %v385 = stablehlo.divide %v379, %v384 : tensor<4x5xf64>
    %v386 = stablehlo.sqrt %v385 : tensor<4x5xf64>
    %v387 = stablehlo.constant dense<1.0e-08> : tensor<f64>
    %v388 = stablehlo.broadcast_in_dim %v387, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %v389 = stablehlo.add %v386, %v388 : tensor<4x5xf64>
    %v390 = stablehlo.divide %v382, %v389 : tensor<4x5xf64>
    %v391 = stablehlo.constant dense<0.01> : tensor<f64>
    %v392 = stablehlo.broadcast_in_dim %v391, dims = [] : (tensor<f64>) -> tensor<4x5xf64>
    %v393 = stablehlo.multiply %v390, %v392 : tensor<4x5xf64>
    %v394 = stablehlo.subtract %in#8, %v393 : tensor<4x5xf64>
    %v395 = stablehlo.constant dense<0.9> : tensor<f64>
    %v396 = stablehlo.broadcast_in_dim %v395, dims = [] : (tensor<f64>) -> tensor<5x4xf64>
    %v397 = stablehlo.multiply %in#17, %v396 : tensor<5x4xf64>
    %v398 = stablehlo.constant dense<0.09999999999999998> : tensor<f64>
    %v399 = stablehlo.broadcast_in_dim %v398, dims = [] : (tensor<f64>) -> tensor<5x4xf64>
    %v400 = stablehlo.multiply %v77, %v399 : tensor<5x4xf64>
    %v401 = stablehlo.add %v397, %v400 : tensor<5x4xf64>
    %v402 = stablehlo.constant dense<0.999> : tensor<f64>
    %v403 = stablehlo.broadcast_in_dim %v402, dims = [] : (tensor<f64>) -> tensor<5x4xf64>
    %v404 = stablehlo.multiply %in#25, %v403 : tensor<5x4xf64>
    %v405 = stablehlo.multiply %v77, %v77 : tensor<5x4xf64>
    %v406 = stablehlo.constant dense<0.0010000000000000009> : tensor<f64>
    %v407 = stablehlo.broadcast_in_dim %v406, dims = [] : (tensor<f64>) -> tensor<5x4xf64>
    %v408 = stablehlo.multiply %v405, %v407 : tensor<5x4xf64>
    %v409 = stablehlo.add %v404, %v408 : tensor<5x4xf64>
    %v410 = stablehlo.constant dense<0.2709999999999999> : tensor<f64>
    %v411 = stablehlo.broadcast_in_dim %v410, dims = [] : (tensor<f64>) -> tensor<5x4xf64>
    %v412 = stablehlo.divide %v401, %v411 : tensor<5x4xf64>
    %v413 = stablehlo.constant dense<0.002997000999999999> : tensor<f64>
    %v414 = stablehlo.broadcast_in_dim %v413, dims = [] : (tensor<f64>) -> tensor<5x4xf64>
    %v415 = stablehlo.divide %v409, %v414 : tensor<5x4xf64>
    %v416 = stablehlo.sqrt %v415 : tensor<5x4xf64>
    %v417 = stablehlo.constant dense<1.0e-08> : tensor<f64>
    %v418 = stablehlo.broadcast_in_dim %v417, dims = [] : (tensor<f64>) -> tensor<5x4xf64>
    %v419 = stablehlo.add %v416, %v418 : tensor<5x4xf64>
    %v420 = stablehlo.divide %v412, %v419 : tensor<5x4xf64>
    %v421 = stablehlo.constant dense<0.01> : tensor<f64>
    %v422 = stablehlo.broadcast_in_dim %v421, dims = [] : (tensor<f64>) -> tensor<5x4xf64>
    %v423 = stablehlo.multiply %v420, %v422 : tensor<5x4xf64>
    %v424 = stablehlo.subtract %in#9, %v423 : tensor<5x4xf64>
    check.expect_almost_eq %v63, %want#0, tolerance = 1.0e-12 : tensor<f64>
    check.expect_almost_eq %v138, %want#1, tolerance = 1.0e-08 : tensor<4x2x2xf64>
    check.expect_almost_eq %v214, %want#2, tolerance = 1.0e-08 : tensor<4x2x2xf64>
    check.expect_almost_eq %v134, %want#3, tolerance = 1.0e-08 : tensor<4x2x2xf64>
    check.expect_almost_eq %v244, %want#4, tolerance = 1.0e-08 : tensor<4x2x2xf64>
    check.expect_almost_eq %v96, %want#5, tolerance = 1.0e-08 : tensor<4x2x2xf64>
    check.expect_almost_eq %v274, %want#6, tolerance = 1.0e-08 : tensor<4x2x2xf64>
    check.expect_almost_eq %v89, %want#7, tolerance = 1.0e-08 : tensor<2x2x4xf64>
    check.expect_almost_eq %v304, %want#8, tolerance = 1.0e-08 : tensor<2x2x4xf64>
    check.expect_almost_eq %v145, %want#9, tolerance = 1.0e-08 : tensor<4xf64>
    check.expect_almost_eq %v334, %want#10, tolerance = 1.0e-08 : tensor<4xf64>
    check.expect_almost_eq %v141, %want#11, tolerance = 1.0e-08 : tensor<4xf64>
    check.expect_almost_eq %v364, %want#12, tolerance = 1.0e-08 : tensor<4xf64>
    check.expect_almost_eq %v85, %want#13, tolerance = 1.0e-08 : tensor<4x5xf64>
    check.expect_almost_eq %v394, %want#14, tolerance = 1.0e-08 : tensor<4x5xf64>
    check.expect_almost_eq %v77, %want#15, tolerance = 1.0e-08 : tensor<5x4xf64>
    check.expect_almost_eq %v424, %want#16, tolerance = 1.0e-08 : tensor<5x4xf64>
    return
  }
  func.func private @inputs() -> (tensor<2x3x4xf64>, tensor<2x3x4xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<2x2x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x5xf64>, tensor<5x4xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<2x2x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x5xf64>, tensor<5x4xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<2x2x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x5xf64>, tensor<5x4xf64>) {
    %c0 = stablehlo.constant dense<[[[0.345584192064786, 0.8216181435011584, 0.33043707618338714, -1.303157231604361], [0.9053558666731177, 0.4463745723640113, -0.5369532353602852, 0.5811181041963531], [0.36457239618607573, 0.294132496655526, 0.02842224131579679, 0.5467129866124469]], [[-0.7364540870016669, -0.16290994799305278, -0.48211931267997826, 0.5988462126346276], [0.03972210748165899, -0.2924567509650886, -0.7819084623568421, -0.2571922406188707], [0.008142180518343508, -0.2756029052993704, 1.2940638143982073, 1.0067243153057943]]]> : tensor<2x3x4xf64>
    %c1 = stablehlo.constant dense<[[[-2.7111624789659685, -1.8890132459676727, -0.17477209205516195, -0.42219041157635356], [0.2136429974986111, 0.21732193102256359, 2.1178387550510482, -1.1120207626922813], [-0.37760500712699807, 2.0427716074923303, 0.6467029962018469, 0.6630633723762617]], [[-0.5140063716874629, -1.6480751708556527, 0.16746474422274113, 0.10901408782154753], [-1.2273520542445742, -0.6832266617805622, -0.07204367972722743, -0.9447516230607774], [-0.09826996785221727, 0.09548302746945433, 0.03558623705548571, -0.5062916583143148]]]> : tensor<2x3x4xf64>
    %c2 = stablehlo.constant dense<[[[0.2968740358929114, 0.4455834771411642], [0.16042415228328186, -0.4091151136951535]], [[0.3658261418927204, -0.25072000923352616], [0.43958030914399265, -0.5358937084387221]], [[0.4572336015643906, -0.01003172730774021], [-0.6243744451672077, -0.15694973598342388]], [[0.027051139385771944, 0.13639566958222687], [-0.49109406247048887, -0.5536865235825965]]]> : tensor<4x2x2xf64>
    %c3 = stablehlo.constant dense<[[[0.09979226642354042, -0.23337480843990102], [0.11775280586511261, 0.3797597612391896]], [[-0.8243936831754742, 0.12719405825880864], [0.6123234837678662, -0.1487634221852366]], [[-0.40540729161878497, 0.3761219135897964], [0.12672325810407073, 0.4479415353887802]], [[-0.17260785502563986, -0.7409091368611056], [-0.05500538235562549, -0.2229140765056161]]]> : tensor<4x2x2xf64>
    %c4 = stablehlo.constant dense<[[[0.38766191102378705, 0.0968164241885769], [-0.8154246162175506, -0.5975815400515999]], [[0.44189451829362764, 0.3398825087089233], [-0.32012168295424437, -0.0005243982836403405]], [[0.22278677688809306, 0.23420216792363896], [0.43812109805717503, 0.128242813610781]], [[-0.047414169484249084, -0.12942403239392278], [0.5278714002666256, -1.1254271375392688]]]> : tensor<4x2x2xf64>
    %c5 = stablehlo.constant dense<[[[-0.06932766254566866, 0.016500051992030054, -0.7126744804350938, 0.16640680656902332], [-0.325640506221697, 0.4312223981578734, -0.0627960420171636, 0.3345766203947264]], [[0.6094218025856116, 0.1914647913567362, -0.43786057171142273, -0.7571593158523192], [0.8766920587581863, -0.05564609659375972, -0.3442824738171608, 0.07212854403041248]]]> : tensor<2x2x4xf64>
    %c6 = stablehlo.constant dense<[-0.09570566524132461, 0.42607113210634384, 0.016964091218550144, 0.006874791809209749]> : tensor<4xf64>
    %c7 = stablehlo.constant dense<[-0.35728986051648204, 0.2347840493737467, -0.5169333611774912, 0.33294471988198354]> : tensor<4xf64>
    %c8 = stablehlo.constant dense<[[0.7619687564950659, -0.7623430190495759, -1.233114615675659, 0.3084393775771597, 1.273948907741563], [-0.5004624244359468, -0.6253478794009941, 0.29448446689023683, -0.4203607950291539, -0.2530127419683682], [-0.17405873334188893, 0.2660010431458993, -0.20265118069655932, 0.1389414200400801, -0.08826662944678768], [-0.4223355518258016, -0.15991312887161052, -0.4751998325839593, 0.0032574929348744217, -0.5619331137828183]]> : tensor<4x5xf64>
    %c9 = stablehlo.constant dense<[[-0.5464471846476215, 0.7284809076526277, -0.026592110152670705, -0.026951012736021476], [0.2557682099588095, -0.2104285012744356, -0.11426768373907904, 0.21257436766595444], [0.14120792112220076, -0.5796483634662148, 0.4166712983348309, -0.2952174716445215], [-0.5280394751570929, -0.45023753499952585, -0.19527267217766145, 0.8136501273115336], [-0.5877679524603903, 0.08003794626717038, -1.0689121790452887, -0.0007834665725984529]]> : tensor<5x4xf64>
    %c10 = stablehlo.constant dense<[[[0.08995664174760071, -0.023666332206145516], [-0.0629354923883342, 0.02315110640585377]], [[0.07001517511506504, 0.06636575710174067], [0.19724738539297917, 0.02091674723362768]], [[-0.05924100997529326, -0.012597918998664274], [-0.007249854561981205, 0.010873738347811869]], [[-0.003002781322943489, 0.01739659388962034], [-0.16708500606151128, 0.08296289560400429]]]> : tensor<4x2x2xf64>
    %c11 = stablehlo.constant dense<[[[-0.05747392689210323, -0.11731586964470248], [0.06377511596414358, 0.1317326007386082]], [[0.04930281494994427, 0.016115931384552033], [-0.09322203053719522, 0.28715673378134987]], [[0.08802586206615082, -0.11392946703429759], [-0.07796379162397446, 0.008697924857190436]], [[-0.15547311319959864, 0.016863040701051428], [-0.045907155571275914, 0.12262706003162174]]]> : tensor<4x2x2xf64>
    %c12 = stablehlo.constant dense<[[[0.09621546636282469, -0.2711285437434773], [0.004170258602731257, -0.16174674995236882]], [[0.11096379992485231, 0.016810586912782435], [0.05484054521869972, -0.1065124728803299]], [[0.18284302379955003, 0.20200733671504453], [-0.10647710426262125, 0.03728151218663163]], [[-0.06733024283901869, -0.0023569936860732103], [-0.1265636979224564, 0.18671455145806187]]]> : tensor<4x2x2xf64>
    %c13 = stablehlo.constant dense<[[[-0.0969179511082668, -0.02960838149974946, 0.05014829311105223, -0.06475606784161285], [-0.023931242973230217, -0.05636398464269646, -0.013346075483629406, -0.11705426351003029]], [[-0.043798807560230066, -0.02068929247122443, -0.03337260038041349, 0.005668995489379499], [-0.02931022193567212, 0.0753211408439381, -0.03231959257858299, -0.013664959629588417]]]> : tensor<2x2x4xf64>
    %c14 = stablehlo.constant dense<[-0.06647813359958525, -0.0526514840115237, -0.12644927908197123, 0.051878492087796414]> : tensor<4xf64>
    %c15 = stablehlo.constant dense<[-0.11425180176524921, -0.0745856398188325, 0.035924465201120456, 0.04025733659445324]> : tensor<4xf64>
    %c16 = stablehlo.constant dense<[[-0.0400114751005071, -0.20192658104888017, 0.042051328729557524, 0.025956345889205965, -0.14123812154717755], [0.07703220827944961, -0.07010998004334262, -0.11261881161533005, 0.009573071096425679, -0.01784704313992151], [0.020262400099114754, -0.16057480583244388, 0.18122301162723733, -0.06026586145437281, -0.1539659308496411], [0.06188421885671495, -0.035480413010117666, 0.03248584857729038, -0.033960843062503854, -0.005974036047992017]]> : tensor<4x5xf64>
    %c17 = stablehlo.constant dense<[[0.024577284373863386, -0.07466528839828983, 0.0678739595859558, -0.04699000990795435], [-0.08696871441704723, 0.00770324218225028, 0.0445041278491042, -0.02290793416186396], [-0.08625197870795628, 0.061978556630863296, -0.1760328792122777, -0.10308641360355329], [0.003952289053338442, -0.13610593983050676, 0.0027994264249169244, -0.005486311801846382], [0.08987397888581683, -0.09147903518132916, -0.06259065236416426, 0.03331816847010002]]> : tensor<5x4xf64>
    %c18 = stablehlo.constant dense<[[[0.06600820273437341, 0.0205038871102902], [0.02018567440417801, 0.05193399170478379]], [[0.018288006912020455, 0.06685769729824827], [0.06547454119854193, 0.012887321375633833]], [[0.0826680502937165, 0.08081152848455488], [0.09237774417537777, 0.07032759820646294]], [[0.0723576009101701, 0.024736748900785116], [0.012149993258093055, 0.015900683717657793]]]> : tensor<4x2x2xf64>
    %c19 = stablehlo.constant dense<[[[0.09680152061443216, 0.06811492290036703], [0.09522159998440667, 0.04144459229848861]], [[0.07796994189952726, 0.01588590688255001], [0.02495846490336741, 0.034942000138479104]], [[0.05952864265306676, 0.06016679920818191], [0.05490878070763135, 0.04820172261688699]], [[0.06181346443051888, 0.09699961558490545], [0.05122716044375073, 0.08537242796185644]]]> : tensor<4x2x2xf64>
    %c20 = stablehlo.constant dense<[[[0.015028476852868409, 0.04470285315070519], [0.06044467992781593, 0.06582885000894435]], [[0.03250165059388102, 0.045936191213793574], [0.09523055518621211, 0.06839656786107542]], [[0.06264696235710653, 0.015876883946785686], [0.014695863187883294, 0.02902586030488582]], [[0.022404049826376973, 0.0985374936345959], [0.010247243284239774, 0.04292591762624654]]]> : tensor<4x2x2xf64>
    %c21 = stablehlo.constant dense<[[[0.015258020466142146, 0.0676009502485909, 0.014187988186737322, 0.016156867198755007], [0.0171948255047307, 0.03446066181725916, 0.06187222611969856, 0.08249037558677684]], [[0.03404724260511347, 0.03548539509125198, 0.08420339295567433, 0.07713535421586903], [0.02141332735216012, 0.08257140412357213, 0.08481259977717531, 0.02600432052103953]]]> : tensor<2x2x4xf64>
    %c22 = stablehlo.constant dense<[0.06642531987152983, 0.027706925963911416, 0.031914344082527434, 0.05446051797957779]> : tensor<4xf64>
    %c23 = stablehlo.constant dense<[0.05699980251557277, 0.05311301638583686, 0.05870269479737879, 0.029184820878290725]> : tensor<4xf64>
    %c24 = stablehlo.constant dense<[[0.08007223313151209, 0.035006357082574754, 0.09214149607471993, 0.05636397732306307, 0.037331564765012634], [0.025694551225747014, 0.05366835661744273, 0.043866757013621714, 0.06607844116497395, 0.05486136243606549], [0.013326372820062708, 0.08497852919276803, 0.01465065452074564, 0.08448356474732895, 0.08314746790750986], [0.09315848127588057, 0.06979609370363796, 0.024456127069481547, 0.049773647030863406, 0.04954893941534236]]> : tensor<4x5xf64>
    %c25 = stablehlo.constant dense<[[0.06690996878337234, 0.044302377916363926, 0.07081102791722066, 0.028351664208805395], [0.04180157003319029, 0.05889820701586191, 0.04848859460930042, 0.02102730856921002], [0.0969245308686254, 0.07221658619228244, 0.08497315700119233, 0.04217146716602319], [0.09504063191521787, 0.08312023904975584, 0.09815556210290974, 0.027765482715082494], [0.05294525289406684, 0.04472640946651325, 0.06525054960427333, 0.03251977603011642]]> : tensor<5x4xf64>
    return %c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7, %c8, %c9, %c10, %c11, %c12, %c13, %c14, %c15, %c16, %c17, %c18, %c19, %c20, %c21, %c22, %c23, %c24, %c25 : tensor<2x3x4xf64>, tensor<2x3x4xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<2x2x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x5xf64>, tensor<5x4xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<2x2x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x5xf64>, tensor<5x4xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<2x2x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x5xf64>, tensor<5x4xf64>
  }
  func.func private @expected() -> (tensor<f64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<2x2x4xf64>, tensor<2x2x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x5xf64>, tensor<4x5xf64>, tensor<5x4xf64>, tensor<5x4xf64>) {
    %c0 = stablehlo.constant dense<1.8805386445364007> : tensor<f64>
    %c1 = stablehlo.constant dense<[[[0.00043835839402817095, -7.452742867286588e-05], [0.0004758539673410666, 0.00019108474802465023]], [[-0.00011417998768692426, 1.1363099350347737e-05], [-0.0013090222461542567, -0.00019665620243358714]], [[0.0005947297987418665, -0.00010502860803285329], [0.0002282451561086418, 0.0001828923679170202]], [[-0.0003798090286721844, 6.763655191477369e-05], [-7.27846227732698e-05, -0.0001061004617497474]]]> : tensor<4x2x2xf64>
    %c2 = stablehlo.constant dense<[[[0.2962367955254527, 0.4458842223412482], [0.16122923945889012, -0.40930007373936284]], [[0.3648845467565898, -0.25118689488310036], [0.43817914641878125, -0.5362285141142524]], [[0.4576079730939319, -0.009951041308304643], [-0.6243312079559111, -0.1570244600977499]], [[0.02707173034666626, 0.1361943831961137], [-0.48833663310430664, -0.5548831213857959]]]> : tensor<4x2x2xf64>
    %c3 = stablehlo.constant dense<[[[-5.036571160133008e-06, -5.708682415672683e-05], [-0.000512322761991868, 0.00041760630509202196]], [[-0.0004224392058382875, -0.00019967105746587774], [-0.0008670083984085862, 0.0007498840104425141]], [[-1.0087297663829986e-05, -2.122337861010237e-05], [-0.00010660703431142336, 2.6394575414201423e-05]], [[1.0542322570472605e-05, 7.721934203175351e-06], [2.0391044408540893e-05, 7.201605978224278e-06]]]> : tensor<4x2x2xf64>
    %c4 = stablehlo.constant dense<[[[0.1001282885901489, -0.2325571102663674], [0.11737720237541983, 0.37858230115696445]], [[-0.8247145526256567, 0.12696179257759305], [0.6133979483280537, -0.1515585716324397]], [[-0.4060635512415291, 0.3769668042672564], [0.1273285598795462, 0.44786944710305127]], [[-0.17147037337946683, -0.7410076302080526], [-0.05463645341416385, -0.22367749776763182]]]> : tensor<4x2x2xf64>
    %c5 = stablehlo.constant dense<[[[-0.07045701211350064, 0.005680751025138874], [-0.12986742565779252, -0.21806331449436553]], [[0.09250867025745178, -0.018515307420585714], [0.29223349560236755, 0.31512577577386125]], [[-0.07714403177372375, -0.01006409759973792], [-0.13125540091474264, -0.2613016360064613]], [[0.04686010888210745, 0.008308338506068935], [0.07751599708782919, 0.16082621175916856]]]> : tensor<4x2x2xf64>
    %c6 = stablehlo.constant dense<[[[0.3863506396088844, 0.09914359977602469], [-0.8153487202781442, -0.5962635086857869]], [[0.4406713702845369, 0.3397572970192857], [-0.3206361049759581, -2.7464732458532025e-05]], [[0.221520322531765, 0.23130211264837386], [0.4399365555764422, 0.128154854839988]], [[-0.04665924117379818, -0.1294157236532421], [0.5299902682461304, -1.1272227604259373]]]> : tensor<4x2x2xf64>
    %c7 = stablehlo.constant dense<[[[-0.009704772119256688, 0.01761195753680056, -0.004149933086061708, -0.058674810310410656], [0.003606757748020328, 0.014800497116773668, -0.011223390428138911, -0.04509566511323725]], [[0.042219219476002934, -0.005281297255077533, -0.018869739870641666, 0.049158624637612995], [-0.0857757648575763, -0.048754371606563034, 0.022134254573646924, -0.05901273893993419]]]> : tensor<2x2x4xf64>
    %c8 = stablehlo.constant dense<[[[-0.06788457401317546, 0.01669350486021144, -0.7134332635795276, 0.16742668697081553], [-0.3253140944026844, 0.43175858077414997, -0.0626893249886878, 0.3353496883884146]], [[0.6098073206775007, 0.19167023892895443, -0.4376382304512563, -0.7572322174562375], [0.8771747906942937, -0.056088598128190635, -0.3440959666024034, 0.07235663320324894]]]> : tensor<2x2x4xf64>
    %c9 = stablehlo.constant dense<[-0.5399679825046633, -0.13570383967653754, -0.08939705788968409, 0.1815659404491576]> : tensor<4xf64>
    %c10 = stablehlo.constant dense<[-0.09481499217707731, 0.4268110344419368, 0.01835258677778424, 0.0063133426133295265]> : tensor<4xf64>
    %c11 = stablehlo.constant dense<[-0.44214066502457067, -0.009132793932220551, 0.210755970009302, -0.434131802651283]> : tensor<4xf64>
    %c12 = stablehlo.constant dense<[-0.35604721271770307, 0.23538075090956764, -0.5173787108829478, 0.3330294101579376]> : tensor<4xf64>
    %c13 = stablehlo.constant dense<[[0.047996460939003775, 0.013765587114633602, -0.07580360481540538, 0.11249419537007198, 0.18700771967639082], [0.07045722135723409, -0.017457423240330172, -0.06570958444029884, -0.19403306299459186, 0.07615017246775935], [-0.1000206901302647, 0.01769268119788947, 0.10047642932109467, -0.008944872231797518, -0.31605044312765784], [-0.12557593690454283, 0.05552216774118434, 0.09255916632033843, 0.5123726241285098, 0.06597072710334828]]> : tensor<4x5xf64>
    %c14 = stablehlo.constant dense<[[0.7621916756746577, -0.7603947422825013, -1.233316128592288, 0.30814476923809964, 1.2750824384658006], [-0.5014253184122669, -0.6247821540068909, 0.2955259109127487, -0.42027600198730136, -0.25293985428166676], [-0.17420284130474398, 0.2669907491578848, -0.20554140486684774, 0.13932479409501178, -0.08707456398346954], [-0.42262118291095785, -0.1597113184493005, -0.4756972319522674, 0.003070708233123096, -0.5619441945967755]]> : tensor<4x5xf64>
    %c15 = stablehlo.constant dense<[[0.009275595669322456, 0.10585534919727023, -0.20184084217333972, -0.03553531383593267], [-0.015322795710037694, -0.10414620422727337, 0.3455801686147452, 0.015233251171586913], [0.14992276391456727, 0.17858491566657972, 0.20678742109758727, -0.22762384733754357], [-0.0553408713854786, -0.08133163361678797, 0.020454837335037723, 0.07447005705429888], [0.07515145187264594, 0.20288689996927897, -0.32533676739276984, -0.05366351596425289]]> : tensor<5x4xf64>
    %c16 = stablehlo.constant dense<[[-0.5466272633254096, 0.7290244592931427, -0.026902684494049433, -0.026400737371060665], [0.2565571049830007, -0.21039950835158794, -0.11495166472421534, 0.21284049524869866], [0.14161449343381075, -0.5802020780679875, 0.4176261490091777, -0.2940810274568272], [-0.5280265140426706, -0.44932182345523014, -0.19530212118877166, 0.8136196937828916], [-0.5885444059648144, 0.08063059630422491, -1.068209626112753, -0.001059388640369175]]> : tensor<5x4xf64>
    return %c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7, %c8, %c9, %c10, %c11, %c12, %c13, %c14, %c15, %c16 : tensor<f64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<4x2x2xf64>, tensor<2x2x4xf64>, tensor<2x2x4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4xf64>, tensor<4x5xf64>, tensor<4x5xf64>, tensor<5x4xf64>, tensor<5x4xf64>
  }
}
