// The edit distance of two words: rows of a table in a loop over a loop.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @edit_distance attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in:2 = call @inputs() : () -> (tensor<14xi32>, tensor<15xi32>)
    %want = call @expected() : () -> tensor<16xi32>
    %v1 = stablehlo.iota dim = 0 : tensor<16xi32>
    %v2 = stablehlo.constant dense<0> : tensor<i32>
    %v3:2 = stablehlo.while(%i3_0 = %v2, %i3_1 = %v1) : tensor<i32>, tensor<16xi32>
    cond {
      %v4 = stablehlo.constant dense<14> : tensor<i32>
      %v5 = stablehlo.compare LT, %i3_0, %v4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %v5 : tensor<i1>
    } do {
      %v6 = stablehlo.constant dense<1> : tensor<i32>
      %v7 = stablehlo.add %i3_0, %v6 : tensor<i32>
      %v8 = stablehlo.dynamic_slice %in#0, %i3_0, sizes = [1] : (tensor<14xi32>, tensor<i32>) -> tensor<1xi32>
      %v9 = stablehlo.reshape %v8 : (tensor<1xi32>) -> tensor<i32>
      %v10 = stablehlo.constant dense<1> : tensor<i32>
      %v11 = stablehlo.add %i3_0, %v10 : tensor<i32>
      %v12 = stablehlo.reshape %v11 : (tensor<i32>) -> tensor<1xi32>
      %v13 = stablehlo.constant dense<0> : tensor<i32>
      %v14 = stablehlo.dynamic_update_slice %i3_1, %v12, %v13 : (tensor<16xi32>, tensor<1xi32>, tensor<i32>) -> tensor<16xi32>
      %v15 = stablehlo.constant dense<0> : tensor<i32>
      %v16:2 = stablehlo.while(%i16_0 = %v15, %i16_1 = %v14) : tensor<i32>, tensor<16xi32>
      cond {
        %v17 = stablehlo.constant dense<15> : tensor<i32>
        %v18 = stablehlo.compare LT, %i16_0, %v17 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %v18 : tensor<i1>
      } do {
        %v19 = stablehlo.constant dense<1> : tensor<i32>
        %v20 = stablehlo.add %i16_0, %v19 : tensor<i32>
        %v21 = stablehlo.dynamic_slice %in#1, %i16_0, sizes = [1] : (tensor<15xi32>, tensor<i32>) -> tensor<1xi32>
        %v22 = stablehlo.reshape %v21 : (tensor<1xi32>) -> tensor<i32>
        %v23 = stablehlo.compare NE, %v9, %v22 : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %v24 = stablehlo.convert %v23 : (tensor<i1>) -> tensor<i32>
        %v25 = stablehlo.dynamic_slice %i3_1, %i16_0, sizes = [1] : (tensor<16xi32>, tensor<i32>) -> tensor<1xi32>
        %v26 = stablehlo.reshape %v25 : (tensor<1xi32>) -> tensor<i32>
        %v27 = stablehlo.add %v26, %v24 : tensor<i32>
        %v28 = stablehlo.constant dense<1> : tensor<i32>
        %v29 = stablehlo.add %i16_0, %v28 : tensor<i32>
        %v30 = stablehlo.dynamic_slice %i3_1, %v29, sizes = [1] : (tensor<16xi32>, tensor<i32>) -> tensor<1xi32>
        %v31 = stablehlo.reshape %v30 : (tensor<1xi32>) -> tensor<i32>
        %v32 = stablehlo.dynamic_slice %i16_1, %i16_0, sizes = [1] : (tensor<16xi32>, tensor<i32>) -> tensor<1xi32>
        %v33 = stablehlo.reshape %v32 : (tensor<1xi32>) -> tensor<i32>
        %v34 = stablehlo.minimum %v31, %v33 : tensor<i32>
        %v35 = stablehlo.constant dense<1> : tensor<i32>
        %v36 = stablehlo.add %v34, %v35 : tensor<i32>
        %v37 = stablehlo.minimum %v27, %v36 : tensor<i32>
        %v38 = stablehlo.reshape %v37 : (tensor<i32>) -> tensor<1xi32>
        %v39 = stablehlo.constant dense<1> : tensor<i32>
        %v40 = stablehlo.add %i16_0, %v39 : tensor<i32>
        %v41 = stablehlo.dynamic_update_slice %i16_1, %v38, %v40 : (tensor<16xi32>, tensor<1xi32>, tensor<i32>) -> tensor<16xi32>
        stablehlo.return %v20, %v41 : tensor<i32>, tensor<16xi32>
      }
      stablehlo.return %v7, %v16#1 : tensor<i32>, tensor<16xi32>
    }
    stablehlo.custom_call @check.expect_eq(%v3#1, %want) {has_side_effect = true} : (tensor<16xi32>, tensor<16xi32>) -> ()
    return
  }
  func.func private @inputs() -> (tensor<14xi32>, tensor<15xi32>) {
    %c0 = stablehlo.constant dense<[107, 105, 116, 116, 101, 110, 32, 111, 110, 32, 109, 97, 116, 115]> : tensor<14xi32>
    %c1 = stablehlo.constant dense<[115, 105, 116, 116, 105, 110, 103, 32, 111, 110, 32, 104, 97, 116, 115]> : tensor<15xi32>
    return %c0, %c1 : tensor<14xi32>, tensor<15xi32>
  }
  func.func private @expected() -> tensor<16xi32> {
    %c0 = stablehlo.constant dense<[14, 13, 13, 12, 11, 11, 10, 10, 9, 9, 8, 7, 7, 6, 5, 4]> : tensor<16xi32>
    return %c0 : tensor<16xi32>
  }
}
