// shardy opt --sdy-tuples-to-values --allow-unregistered-dialect
// CASE: an op that takes a tuple as one value
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.tuple %arg0 : tuple<tensor<8xf32>>
  %1 = "foo.bar"(%0) : (tuple<tensor<8xf32>>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- fails
5:8: foo.bar: a tuple is not passed on as several values
// ----------
// shardy opt --sdy-tuples-to-values
// CASE: layouts that count operands
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.tuple %arg0, %arg0 : tuple<tensor<8xf32>, tensor<8xf32>>
  %1 = stablehlo.custom_call @foo(%0) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = [1]>]} : (tuple<tensor<8xf32>, tensor<8xf32>>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
// ---- fails
5:8: stablehlo.custom_call: a tuple is an operand that 'output_operand_aliases' refers to
