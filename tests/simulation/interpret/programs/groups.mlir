// refused: stablehlo.all_gather: device 1 is in no group of the op
// A process in no group (31.3).
func.func @f(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>}>  : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func @main() {
  %x = stablehlo.constant dense<100> : tensor<2xi32>
  %0:2 = "interpreter.run_parallel"(%x, %x) <{programs = [[@f], [@f]]}> : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<100> : tensor<2xi32>
  return
}

// -----

// refused: stablehlo.all_reduce: device 1 is in no group of the op
// The same.
func.func @f(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0]]> : tensor<1x1xi64>}> ({ ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func @main() {
  %x = stablehlo.constant dense<100> : tensor<2xi32>
  %0:2 = "interpreter.run_parallel"(%x, %x) <{programs = [[@f], [@f]]}> : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<100> : tensor<2xi32>
  return
}

// -----

// refused: stablehlo.reduce_scatter: device 1 is in no group of the op
// The same.
func.func @f(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>}> ({ ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func @main() {
  %x = stablehlo.constant dense<100> : tensor<2xi32>
  %0:2 = "interpreter.run_parallel"(%x, %x) <{programs = [[@f], [@f]]}> : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<100> : tensor<2xi32>
  return
}

// -----

// refused: stablehlo.all_to_all: device 1 is in no group of the op
// The same.
func.func @f(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 1 : i64, replica_groups = dense<[[0]]> : tensor<1x1xi64>}>  : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func @main() {
  %x = stablehlo.constant dense<100> : tensor<2xi32>
  %0:2 = "interpreter.run_parallel"(%x, %x) <{programs = [[@f], [@f]]}> : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<100> : tensor<2xi32>
  return
}

// -----

// refused: stablehlo.collective_reduce: device 1 is in no group of the op
// The same.
func.func @f(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0]]> : tensor<1x1xi64>}> ({ ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func @main() {
  %x = stablehlo.constant dense<100> : tensor<2xi32>
  %0:2 = "interpreter.run_parallel"(%x, %x) <{programs = [[@f], [@f]]}> : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<100> : tensor<2xi32>
  return
}

// -----

// Only of this op a process may be in no group: it gets zeros.
func.func @f(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[0]]> : tensor<1x1xi64>}>  : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func @main() {
  %x = stablehlo.constant dense<100> : tensor<2xi32>
  %0:2 = "interpreter.run_parallel"(%x, %x) <{programs = [[@f], [@f]]}> : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<100> : tensor<2xi32>
  check.expect_eq_const %0#1, dense<0> : tensor<2xi32>
  return
}

// -----

// refused: use_global_device_ids needs a channel
// Device numbers need a channel (31.2).
func.func @main(%x: tensor<2xi32>) -> tensor<4xi32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// refused: use_global_device_ids needs a channel
// Channel 0 is none.
func.func @main(%x: tensor<2xi32>) -> tensor<4xi32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// refused: replica_groups cannot be empty
// Device numbers need groups.
func.func @main(%x: tensor<2xi32>) -> tensor<4xi32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<> : tensor<0x0xi64>, use_global_device_ids}> : (tensor<2xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// refused: duplicate sources
// Two targets of one source.
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

// refused: duplicate targets
// Two sources of one target.
func.func @main(%x: tensor<2xi32>) -> tensor<2xi32> {
  %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

// refused: Invalid replica id -1
// Only folds have ragged groups.
func.func @main(%x: tensor<2xi32>) -> tensor<4xi32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>}> : (tensor<2xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// refused: replica id #2 not seen in replica groups
// Groups name all processes.
func.func @main(%x: tensor<2xi32>) -> tensor<4xi32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [3, 4]]> : tensor<2x2xi64>}> : (tensor<2xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// refused: replica groups should be a rank 2 tensor
// Groups are a matrix.
func.func @main(%x: tensor<2xi32>) -> tensor<4xi32> {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[0, 1]> : tensor<2xi64>}> : (tensor<2xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// refused: group size of replica_groups must be 4
// As many parts as members.
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 4 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// refused: infeed attribute is optional or should not be empty
// Infeed is a list of functions, if it is there.
func.func @f() {
  return
}
func.func @main() {
  "interpreter.run_parallel"() <{programs = [[@f]], infeed = []}> : () -> ()
  return
}
