// Counting bits, reversing them, Gray codes, and rounding up to powers of two.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @bit_tricks attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in = call @inputs() : () -> tensor<12xui32>
    %want:4 = call @expected() : () -> (tensor<12xui32>, tensor<12xui32>, tensor<12xui32>, tensor<12xui32>)
    %v1 = stablehlo.constant dense<1> : tensor<ui32>
    %v2 = stablehlo.broadcast_in_dim %v1, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %v3 = stablehlo.shift_right_logical %in, %v2 : tensor<12xui32>
    %v4 = stablehlo.constant dense<1431655765> : tensor<ui32>
    %v5 = stablehlo.broadcast_in_dim %v4, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %v6 = stablehlo.and %v3, %v5 : tensor<12xui32>
    %v7 = stablehlo.constant dense<1431655765> : tensor<ui32>
    %v8 = stablehlo.broadcast_in_dim %v7, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %v9 = stablehlo.and %in, %v8 : tensor<12xui32>
    %v10 = stablehlo.constant dense<1> : tensor<ui32>
    %v11 = stablehlo.broadcast_in_dim %v10, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %v12 = stablehlo.shift_left %v9, %v11 : tensor<12xui32>
    %v13 = stablehlo.or %v6, %v12 : tensor<12xui32>
    %v14 = stablehlo.constant dense<2> : tensor<ui32>
    %v15 = stablehlo.broadcast_in_dim %v14, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %v16 = stablehlo.shift_right_logical %v13, %v15 : tensor<12xui32>
    %v17 = stablehlo.constant dense<858993459> : tensor<ui32>
    %v18 = stablehlo.broadcast_in_dim %v17, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %v19 = stablehlo.and %v16, %v18 : tensor<12xui32>
    %v20 = stablehlo.constant dense<858993459> : tensor<ui32>
    %v21 = stablehlo.broadcast_in_dim %v20, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %v22 = stablehlo.and %v13, %v21 : tensor<12xui32>
    %v23 = stablehlo.constant dense<2> : tensor<ui32>
    %v24 = stablehlo.broadcast_in_dim %v23, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %v25 = stablehlo.shift_left %v22, %v24 : tensor<12xui32>
    %v26 = stablehlo.or %v19, %v25 : tensor<12xui32>
    %v27 = stablehlo.constant dense<4> : tensor<ui32>
    %v28 = stablehlo.broadcast_in_dim %v27, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %v29 = stablehlo.shift_right_logical %v26, %v28 : tensor<12xui32>
    %v30 = stablehlo.constant dense<252645135> : tensor<ui32>
    %v31 = stablehlo.broadcast_in_dim %v30, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %v32 = stablehlo.and %v29, %v31 : tensor<12xui32>
    %v33 = stablehlo.constant dense<252645135> : tensor<ui32>
    %v34 = stablehlo.broadcast_in_dim %v33, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %v35 = stablehlo.and %v26, %v34 : tensor<12xui32>
    %v36 = stablehlo.constant dense<4> : tensor<ui32>
    %v37 = stablehlo.broadcast_in_dim %v36, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %v38 = stablehlo.shift_left %v35, %v37 : tensor<12xui32>
    %v39 = stablehlo.or %v32, %v38 : tensor<12xui32>
    %v40 = stablehlo.constant dense<8> : tensor<ui32>
    %v41 = stablehlo.broadcast_in_dim %v40, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %v42 = stablehlo.shift_right_logical %v39, %v41 : tensor<12xui32>
    %v43 = stablehlo.constant dense<16711935> : tensor<ui32>
    %v44 = stablehlo.broadcast_in_dim %v43, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %v45 = stablehlo.and %v42, %v44 : tensor<12xui32>
    %v46 = stablehlo.constant dense<16711935> : tensor<ui32>
    %v47 = stablehlo.broadcast_in_dim %v46, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %v48 = stablehlo.and %v39, %v47 : tensor<12xui32>
    %v49 = stablehlo.constant dense<8> : tensor<ui32>
    %v50 = stablehlo.broadcast_in_dim %v49, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %v51 = stablehlo.shift_left %v48, %v50 : tensor<12xui32>
    %v52 = stablehlo.or %v45, %v51 : tensor<12xui32>
    %v53 = stablehlo.constant dense<16> : tensor<ui32>
    %v54 = stablehlo.broadcast_in_dim %v53, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %v55 = stablehlo.shift_right_logical %v52, %v54 : tensor<12xui32>
    %v56 = stablehlo.constant dense<65535> : tensor<ui32>
    %v57 = stablehlo.broadcast_in_dim %v56, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %v58 = stablehlo.and %v55, %v57 : tensor<12xui32>
    %v59 = stablehlo.constant dense<65535> : tensor<ui32>
    %v60 = stablehlo.broadcast_in_dim %v59, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %v61 = stablehlo.and %v52, %v60 : tensor<12xui32>
    %v62 = stablehlo.constant dense<16> : tensor<ui32>
    %v63 = stablehlo.broadcast_in_dim %v62, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %v64 = stablehlo.shift_left %v61, %v63 : tensor<12xui32>
    %v65 = stablehlo.or %v58, %v64 : tensor<12xui32>
    %v66 = stablehlo.popcnt %in : tensor<12xui32>
    %v67 = stablehlo.count_leading_zeros %in : tensor<12xui32>
    %v68 = stablehlo.constant dense<1> : tensor<ui32>
    %v69 = stablehlo.broadcast_in_dim %v68, dims = [] : (tensor<ui32>) -> tensor<12xui32>
    %v70 = stablehlo.shift_right_logical %in, %v69 : tensor<12xui32>
    %v71 = stablehlo.xor %in, %v70 : tensor<12xui32>
    stablehlo.custom_call @check.expect_eq(%v65, %want#0) {has_side_effect = true} : (tensor<12xui32>, tensor<12xui32>) -> ()
    stablehlo.custom_call @check.expect_eq(%v66, %want#1) {has_side_effect = true} : (tensor<12xui32>, tensor<12xui32>) -> ()
    stablehlo.custom_call @check.expect_eq(%v67, %want#2) {has_side_effect = true} : (tensor<12xui32>, tensor<12xui32>) -> ()
    stablehlo.custom_call @check.expect_eq(%v71, %want#3) {has_side_effect = true} : (tensor<12xui32>, tensor<12xui32>) -> ()
    return
  }
  func.func private @inputs() -> tensor<12xui32> {
    %c0 = stablehlo.constant dense<[0, 1, 4294967295, 685200495, 3024314242, 2717774212, 2841845516, 1124160991, 296323693, 3913468475, 3018510089, 1204094108]> : tensor<12xui32>
    return %c0 : tensor<12xui32>
  }
  func.func private @expected() -> (tensor<12xui32>, tensor<12xui32>, tensor<12xui32>, tensor<12xui32>) {
    %c0 = stablehlo.constant dense<[0, 2147483648, 4294967295, 4130007828, 1106952749, 563068805, 821610133, 4222255298, 3058800008, 3696444055, 2431866829, 958440418]> : tensor<12xui32>
    %c1 = stablehlo.constant dense<[0, 1, 32, 17, 15, 17, 15, 15, 14, 16, 18, 13]> : tensor<12xui32>
    %c2 = stablehlo.constant dense<[32, 31, 0, 2, 0, 0, 0, 1, 3, 0, 0, 1]> : tensor<12xui32>
    %c3 = stablehlo.constant dense<[0, 1, 2147483648, 1019018840, 3999461443, 4043508038, 4258435210, 1652686640, 427642715, 2648944422, 3927943309, 1680312018]> : tensor<12xui32>
    return %c0, %c1, %c2, %c3 : tensor<12xui32>, tensor<12xui32>, tensor<12xui32>, tensor<12xui32>
  }
}
