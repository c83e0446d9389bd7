// Beam search over five steps of a Markov chain, the sequences reordered in a loop.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @beam_search attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in = call @inputs() : () -> tensor<6x6xf64>
    %want:2 = call @expected() : () -> (tensor<3xf64>, tensor<3x5xi32>)
    %v1 = stablehlo.constant dense<[0.0, 0xFFF0000000000000, 0xFFF0000000000000]> : tensor<3xf64>
    %v2 = stablehlo.constant dense<0> : tensor<3xi32>
    %v3 = stablehlo.constant dense<0> : tensor<3x5xi32>
    %v4 = stablehlo.constant dense<0> : tensor<i32>
    %v5:4 = stablehlo.while(%i5_0 = %v4, %i5_1 = %v1, %i5_2 = %v2, %i5_3 = %v3) : tensor<i32>, tensor<3xf64>, tensor<3xi32>, tensor<3x5xi32>
    cond {
      %v6 = stablehlo.constant dense<5> : tensor<i32>
      %v7 = stablehlo.compare LT, %i5_0, %v6 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %v7 : tensor<i1>
    } do {
      %v8 = stablehlo.constant dense<1> : tensor<i32>
      %v9 = stablehlo.add %i5_0, %v8 : tensor<i32>
      %v10 = stablehlo.reshape %i5_2 : (tensor<3xi32>) -> tensor<3x1xi32>
      %v11 = "stablehlo.gather"(%in, %v10) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 6>}> : (tensor<6x6xf64>, tensor<3x1xi32>) -> tensor<3x6xf64>
      %v12 = stablehlo.reshape %i5_1 : (tensor<3xf64>) -> tensor<3x1xf64>
      %v13 = stablehlo.broadcast_in_dim %v12, dims = [0, 1] : (tensor<3x1xf64>) -> tensor<3x6xf64>
      %v14 = stablehlo.add %v13, %v11 : tensor<3x6xf64>
      %v15 = stablehlo.reshape %v14 : (tensor<3x6xf64>) -> tensor<18xf64>
      %v16, %v17 = chlo.top_k(%v15, k = 3) : tensor<18xf64> -> (tensor<3xf64>, tensor<3xi32>)
      %v18 = stablehlo.constant dense<6> : tensor<i32>
      %v19 = stablehlo.broadcast_in_dim %v18, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %v20 = stablehlo.divide %v17, %v19 : tensor<3xi32>
      %v21 = stablehlo.constant dense<6> : tensor<i32>
      %v22 = stablehlo.broadcast_in_dim %v21, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %v23 = stablehlo.remainder %v17, %v22 : tensor<3xi32>
      %v24 = stablehlo.reshape %v20 : (tensor<3xi32>) -> tensor<3x1xi32>
      %v25 = "stablehlo.gather"(%i5_3, %v24) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>}> : (tensor<3x5xi32>, tensor<3x1xi32>) -> tensor<3x5xi32>
      %v26 = stablehlo.reshape %v23 : (tensor<3xi32>) -> tensor<3x1xi32>
      %v27 = stablehlo.constant dense<0> : tensor<i32>
      %v28 = stablehlo.dynamic_update_slice %v25, %v26, %v27, %i5_0 : (tensor<3x5xi32>, tensor<3x1xi32>, tensor<i32>, tensor<i32>) -> tensor<3x5xi32>
      stablehlo.return %v9, %v16, %v23, %v28 : tensor<i32>, tensor<3xf64>, tensor<3xi32>, tensor<3x5xi32>
    }
    check.expect_almost_eq %v5#1, %want#0, tolerance = 1.0e-12 : tensor<3xf64>
    stablehlo.custom_call @check.expect_eq(%v5#3, %want#1) {has_side_effect = true} : (tensor<3x5xi32>, tensor<3x5xi32>) -> ()
    return
  }
  func.func private @inputs() -> tensor<6x6xf64> {
    %c0 = stablehlo.constant dense<[[-2.598202919629629, -1.5452328474592034, -1.8497877184756233, -1.8674195981141155, -0.9725999164300297, -3.796934282410435], [-2.577736700855199, -3.271444441383951, -2.0585337377268558, -0.9520175744618031, -1.9727291160492058, -1.454901163314604], [-4.446386447507127, -2.3885536174521524, -3.4425610345897764, -0.7602283960843393, -1.6487687068716876, -1.5862683000724465], [-1.9935050923231177, -1.3227878555420547, -1.277759967767648, -2.2800527962427113, -2.433022165318004, -2.0504229132290184], [-2.1505010811358307, -2.1393884892902495, -1.8284244473893536, -2.2734667989688484, -0.7787212858399954, -3.1411354055808296], [-0.8438013101988917, -2.292929909073034, -2.2133033945086944, -3.0182105806803734, -1.8116055576635537, -1.915024948081951]]> : tensor<6x6xf64>
    return %c0 : tensor<6x6xf64>
  }
  func.func private @expected() -> (tensor<3xf64>, tensor<3x5xi32>) {
    %c0 = stablehlo.constant dense<[-4.087485059790011, -5.118695331583713, -5.13718822133937]> : tensor<3xf64>
    %c1 = stablehlo.constant dense<[[4, 4, 4, 4, 4], [4, 4, 4, 2, 3], [4, 4, 4, 4, 2]]> : tensor<3x5xi32>
    return %c0, %c1 : tensor<3xf64>, tensor<3x5xi32>
  }
}
