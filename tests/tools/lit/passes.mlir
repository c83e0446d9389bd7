// shardy opt -split-input-file -verify-diagnostics -sdy-basic-propagate
// Errors of propagation for types that it does not support.
func.func @dynamic(%arg0: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-error @+1 {{only ranked tensors with a static shape are supported. type: 'tensor<?x8xf32>'}}
  %0 = stablehlo.negate %arg0 : tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}

// -----

func.func @tuple(%arg0: tensor<8xf32>) -> tuple<tensor<8xf32>> {
  // expected-error @+1 {{tuples are not supported. type: 'tuple<tensor<8xf32>>'}}
  %0 = stablehlo.tuple %arg0 : tuple<tensor<8xf32>>
  return %0 : tuple<tensor<8xf32>>
}

// -----

func.func @fine(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.negate %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}
