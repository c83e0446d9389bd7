// Bits of Threefry, uniform numbers of them, and their sums.
// Written by tools/generate.py, which computes what is expected with NumPy.
module @random_walk attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %want:4 = call @expected() : () -> (tensor<10xui64>, tensor<2xui64>, tensor<10xf64>, tensor<10xf64>)
    %v1 = stablehlo.constant dense<[42, 7]> : tensor<2xui64>
    %v2:2 = "stablehlo.rng_bit_generator"(%v1) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<10xui64>)
    %v3 = stablehlo.constant dense<11> : tensor<ui64>
    %v4 = stablehlo.broadcast_in_dim %v3, dims = [] : (tensor<ui64>) -> tensor<10xui64>
    %v5 = stablehlo.shift_right_logical %v2#1, %v4 : tensor<10xui64>
    %v6 = stablehlo.convert %v5 : (tensor<10xui64>) -> tensor<10xf64>
    %v7 = stablehlo.constant dense<1.1102230246251565e-16> : tensor<f64>
    %v8 = stablehlo.broadcast_in_dim %v7, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %v9 = stablehlo.multiply %v6, %v8 : tensor<10xf64>
    %v10 = stablehlo.constant dense<0.5> : tensor<f64>
    %v11 = stablehlo.broadcast_in_dim %v10, dims = [] : (tensor<f64>) -> tensor<10xf64>
    %v12 = stablehlo.subtract %v9, %v11 : tensor<10xf64>
    %v13 = stablehlo.constant dense<0.0> : tensor<f64>
    %v14 = "stablehlo.reduce_window"(%v12, %v13) <{padding = dense<[[9, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 10>}> ({
    ^bb0(%v15: tensor<f64>, %v16: tensor<f64>):
      %v17 = stablehlo.add %v15, %v16 : tensor<f64>
      stablehlo.return %v17 : tensor<f64>
    }) : (tensor<10xf64>, tensor<f64>) -> tensor<10xf64>
    stablehlo.custom_call @check.expect_eq(%v2#1, %want#0) {has_side_effect = true} : (tensor<10xui64>, tensor<10xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%v2#0, %want#1) {has_side_effect = true} : (tensor<2xui64>, tensor<2xui64>) -> ()
    stablehlo.custom_call @check.expect_eq(%v9, %want#2) {has_side_effect = true} : (tensor<10xf64>, tensor<10xf64>) -> ()
    check.expect_almost_eq %v14, %want#3, tolerance = 1.0e-14 : tensor<10xf64>
    return
  }
  func.func private @expected() -> (tensor<10xui64>, tensor<2xui64>, tensor<10xf64>, tensor<10xf64>) {
    %c0 = stablehlo.constant dense<[14766023422270211685, 7457714718447694003, 4341426575643913126, 17500391620222382731, 13681081876351253625, 3851915879923261515, 18133480125723615955, 4055227540562269413, 5348615435080614191, 11313445174146427743]> : tensor<10xui64>
    %c1 = stablehlo.constant dense<[42, 17]> : tensor<2xui64>
    %c2 = stablehlo.constant dense<[0.8004677336698602, 0.4042835249759056, 0.2353492062499717, 0.9486981306996112, 0.7416529346146045, 0.20881277826221067, 0.9830179273516131, 0.219834325470033, 0.28994902372519515, 0.6133030918052601]> : tensor<10xf64>
    %c3 = stablehlo.constant dense<[0.30046773366986024, 0.20475125864576582, -0.05989953510426249, 0.3887985955953487, 0.6304515302099531, 0.3392643084721638, 0.8222822358237769, 0.5421165612938099, 0.33206558501900507, 0.4453686768242652]> : tensor<10xf64>
    return %c0, %c1, %c2, %c3 : tensor<10xui64>, tensor<2xui64>, tensor<10xf64>, tensor<10xf64>
  }
}
