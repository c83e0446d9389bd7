// The length of Collatz sequences, the cases of odd and even chosen by case.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @collatz attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %want:4 = call @expected() : () -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    %v11 = stablehlo.constant dense<1> : tensor<i64>
    %v12 = stablehlo.constant dense<0> : tensor<i32>
    %v13:2 = stablehlo.while(%i13_0 = %v11, %i13_1 = %v12) : tensor<i64>, tensor<i32>
    cond {
      %v14 = stablehlo.constant dense<1> : tensor<i64>
      %v15 = stablehlo.compare GT, %i13_0, %v14 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %v15 : tensor<i1>
    } do {
      %v16 = func.call @next(%i13_0) : (tensor<i64>) -> tensor<i64>
      %v17 = stablehlo.constant dense<1> : tensor<i32>
      %v18 = stablehlo.add %i13_1, %v17 : tensor<i32>
      stablehlo.return %v16, %v18 : tensor<i64>, tensor<i32>
    }
    %v19 = stablehlo.constant dense<7> : tensor<i64>
    %v20 = stablehlo.constant dense<0> : tensor<i32>
    %v21:2 = stablehlo.while(%i21_0 = %v19, %i21_1 = %v20) : tensor<i64>, tensor<i32>
    cond {
      %v22 = stablehlo.constant dense<1> : tensor<i64>
      %v23 = stablehlo.compare GT, %i21_0, %v22 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %v23 : tensor<i1>
    } do {
      %v24 = func.call @next(%i21_0) : (tensor<i64>) -> tensor<i64>
      %v25 = stablehlo.constant dense<1> : tensor<i32>
      %v26 = stablehlo.add %i21_1, %v25 : tensor<i32>
      stablehlo.return %v24, %v26 : tensor<i64>, tensor<i32>
    }
    %v27 = stablehlo.constant dense<27> : tensor<i64>
    %v28 = stablehlo.constant dense<0> : tensor<i32>
    %v29:2 = stablehlo.while(%i29_0 = %v27, %i29_1 = %v28) : tensor<i64>, tensor<i32>
    cond {
      %v30 = stablehlo.constant dense<1> : tensor<i64>
      %v31 = stablehlo.compare GT, %i29_0, %v30 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %v31 : tensor<i1>
    } do {
      %v32 = func.call @next(%i29_0) : (tensor<i64>) -> tensor<i64>
      %v33 = stablehlo.constant dense<1> : tensor<i32>
      %v34 = stablehlo.add %i29_1, %v33 : tensor<i32>
      stablehlo.return %v32, %v34 : tensor<i64>, tensor<i32>
    }
    %v35 = stablehlo.constant dense<97> : tensor<i64>
    %v36 = stablehlo.constant dense<0> : tensor<i32>
    %v37:2 = stablehlo.while(%i37_0 = %v35, %i37_1 = %v36) : tensor<i64>, tensor<i32>
    cond {
      %v38 = stablehlo.constant dense<1> : tensor<i64>
      %v39 = stablehlo.compare GT, %i37_0, %v38 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %v39 : tensor<i1>
    } do {
      %v40 = func.call @next(%i37_0) : (tensor<i64>) -> tensor<i64>
      %v41 = stablehlo.constant dense<1> : tensor<i32>
      %v42 = stablehlo.add %i37_1, %v41 : tensor<i32>
      stablehlo.return %v40, %v42 : tensor<i64>, tensor<i32>
    }
    stablehlo.custom_call @check.expect_eq(%v13#1, %want#0) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    stablehlo.custom_call @check.expect_eq(%v21#1, %want#1) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    stablehlo.custom_call @check.expect_eq(%v29#1, %want#2) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    stablehlo.custom_call @check.expect_eq(%v37#1, %want#3) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()
    return
  }
  func.func private @next(%arg0: tensor<i64>) -> tensor<i64> {
    %v1 = stablehlo.constant dense<1> : tensor<i64>
    %v2 = stablehlo.and %arg0, %v1 : tensor<i64>
    %v3 = stablehlo.convert %v2 : (tensor<i64>) -> tensor<i32>
    %v4 = "stablehlo.case"(%v3) ({
      %v5 = stablehlo.constant dense<1> : tensor<i64>
      %v6 = stablehlo.shift_right_logical %arg0, %v5 : tensor<i64>
      stablehlo.return %v6 : tensor<i64>
    }, {
      %v7 = stablehlo.constant dense<3> : tensor<i64>
      %v8 = stablehlo.multiply %arg0, %v7 : tensor<i64>
      %v9 = stablehlo.constant dense<1> : tensor<i64>
      %v10 = stablehlo.add %v8, %v9 : tensor<i64>
      stablehlo.return %v10 : tensor<i64>
    }) : (tensor<i32>) -> tensor<i64>
    return %v4 : tensor<i64>
  }
  func.func private @expected() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) {
    %c0 = stablehlo.constant dense<0> : tensor<i32>
    %c1 = stablehlo.constant dense<16> : tensor<i32>
    %c2 = stablehlo.constant dense<111> : tensor<i32>
    %c3 = stablehlo.constant dense<118> : tensor<i32>
    return %c0, %c1, %c2, %c3 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>
  }
}
