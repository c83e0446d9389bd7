// Attributes that an op does not have, or of another kind.
func.func @f(%x: tensor<4xf32>) {
  %0 = stablehlo.compare XX, %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %1 = "stablehlo.compare"(%x, %x) <{comparison_direction = 3 : i64, foo = 1 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %2 = "stablehlo.iota"() <{iota_dimension = 0 : i32}> : () -> tensor<4xi32>
  %3 = stablehlo.negate %x {a = -1 : ui8} : tensor<4xf32>
  %4 = stablehlo.negate %x {a = 1 : f32} : tensor<4xf32>
  %5 = stablehlo.negate %x {a = "b\q"} : tensor<4xf32>
  %6 = stablehlo.negate %x {a = #nowhere} : tensor<4xf32>
  %7 = sdy.reshard %x <@m, [{"x",}]> : tensor<4xf32>
  %8 = stablehlo.constant dense<"0x00"> : tensor<4xf32>
  %9 = stablehlo.constant dense<1.5> : tensor<4xi32>
  %10 = stablehlo.negate %x : tensor<4xf33
  %11 = stablehlo.dot_general %x, %x, contracting_dims = [0] : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %12 = stablehlo.reduce_precision %x, format = m10e5 : tensor<4xf32>
  %13 = stablehlo.negate %x : tensor<-1xf32>
  return
}
