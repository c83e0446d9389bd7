// CASE: a reduction that slices of two dims take up is a scatter, what is left is sliced behind it (A.13 7)
// PASS: canonicalize{enable-patterns=sdy-collective}
// TWICE
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2, "p"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}) -> (tensor<16x16xf32>) {
  %0 = sdy.all_reduce {"x", "y"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<16x16xf32>
  %1 = sdy.all_slice [{"x", "z"}, {"y", "p"}] %0 out_sharding=<@mesh, [{"x", "z"}, {"y", "p"}]> : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2, "p"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y"}>}) -> (tensor<16x16xf32>) {
  %0 = sdy.reduce_scatter [{"x"}, {"y"}] %arg0 out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<16x16xf32>
  %1 = sdy.all_slice [{"z"}, {"p"}] %0 out_sharding=<@mesh, [{"x", "z"}, {"y", "p"}]> : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}
// -----
// CASE: a reduction axis that no prefix of a slice has, or only as a part of its axis, keeps the two ops (A.13 7)
// PASS: canonicalize{enable-patterns=sdy-collective}
// UNCHANGED
sdy.mesh @mesh = <["x"=2, "y"=2, "z"=2, "p"=2, "r"=4]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"x", "y", "z"}>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"r":(1)2}>}) -> (tensor<16x16xf32>, tensor<16xf32>) {
  %0 = sdy.all_reduce {"x", "y", "z"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<16x16xf32>
  %1 = sdy.all_slice [{"y", "p", "z"}, {"x"}] %0 out_sharding=<@mesh, [{"y", "p", "z"}, {"x"}]> : tensor<16x16xf32>
  %2 = sdy.all_reduce {"r":(1)2} %arg1 out_sharding=<@mesh, [{}]> : tensor<16xf32>
  %3 = sdy.all_slice [{"r"}] %2 out_sharding=<@mesh, [{"r"}]> : tensor<16xf32>
  return %1, %3 : tensor<16x16xf32>, tensor<16xf32>
}
// -----
// CASE: a scatter slices behind the axes that are there, and keeps the kind of the reduction (A.13 7)
// PASS: canonicalize{enable-patterns=sdy-collective}
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}], unreduced=max{"x":(2)2}>}) -> (tensor<16xf32>) {
  %0 = sdy.all_reduce max {"x":(2)2} %arg0 out_sharding=<@mesh, [{"x":(1)2}]> : tensor<16xf32>
  %1 = sdy.all_slice [{"x":(2)2, "y"}] %0 out_sharding=<@mesh, [{"x", "y"}]> : tensor<16xf32>
  return %1 : tensor<16xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}], unreduced=max{"x":(2)2}>}) -> (tensor<16xf32>) {
  %0 = sdy.reduce_scatter max [{"x":(2)2}] %arg0 out_sharding=<@mesh, [{"x"}]> : tensor<16xf32>
  %1 = sdy.all_slice [{"y"}] %0 out_sharding=<@mesh, [{"x", "y"}]> : tensor<16xf32>
  return %1 : tensor<16xf32>
}
// -----
// CASE: a partial dot is reduced and scattered from op to end (A.7, A.8.2, A.13)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true},canonicalize{enable-patterns=sdy-reshard},sdy-reshard-to-collectives,canonicalize{enable-patterns=sdy-collective}
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}, {}]>]>} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"a"}>]>} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0, %1 : tensor<16x16xf32>, tensor<16x16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}, %arg1: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}, tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}) {
  %0 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = sdy.reduce_scatter [{"a"}, {}] %0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x16xf32>
  %2 = stablehlo.dot %arg0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"a"}>]>} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %3 = sdy.reduce_scatter [{"a"}, {}] %2 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x16xf32>
  %4 = sdy.all_slice [{}, {"c"}] %3 out_sharding=<@mesh, [{"a"}, {"c"}]> : tensor<16x16xf32>
  return %1, %4 : tensor<16x16xf32>, tensor<16x16xf32>
}
// -----
// CASE: a scatter that does not take up all of a reduction is none (A.8.2, second and third row)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true},sdy-reshard-to-collectives,canonicalize{enable-patterns=sdy-collective}
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a", "c"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}, tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  return %arg0, %arg0 : tensor<16x16xf32>, tensor<16x16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a", "c"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}, tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %0 = sdy.reduce_scatter [{"a"}, {"c"}] %arg0 out_sharding=<@mesh, [{"a"}, {"c"}]> : tensor<16x16xf32>
  %1 = sdy.all_reduce {"a", "c"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<16x16xf32>
  %2 = sdy.all_slice [{"a"}, {}] %1 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x16xf32>
  return %0, %2 : tensor<16x16xf32>, tensor<16x16xf32>
}
// -----
// CASE: a scatter in front of a permute (A.8.2, fourth row)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true},sdy-reshard-to-collectives,canonicalize{enable-patterns=sdy-collective}
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}, {}]>}) {
  return %arg0 : tensor<16x16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}, {}]>}) {
  %0 = sdy.reduce_scatter [{"b"}, {}] %arg0 out_sharding=<@mesh, [{"a", "b"}, {}]> : tensor<16x16xf32>
  %1 = sdy.collective_permute %0 out_sharding=<@mesh, [{"b", "a"}, {}]> : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}
// -----
// CASE: an identity permute goes (A.13 3)
// PASS: sdy-reshard-to-collectives,canonicalize{enable-patterns=sdy-collective}
sdy.mesh @mesh = <["m"=2, "n"=3, "r"=2]>
func.func @main(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"m", "r"}, {"n"}]>}) -> (tensor<12x12xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{"n", "m"}, {"r"}]> : tensor<12x12xf32>
  return %0 : tensor<12x12xf32>
}
// AFTER
sdy.mesh @mesh = <["m"=2, "n"=3, "r"=2]>
func.func @main(%arg0: tensor<12x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"m", "r"}, {"n"}]>}) -> (tensor<12x12xf32>) {
  %0 = sdy.all_to_all [{"r"}: 0->1] %arg0 out_sharding=<@mesh, [{"m"}, {"n", "r"}]> : tensor<12x12xf32>
  %1 = sdy.collective_permute %0 out_sharding=<@mesh, [{"m"}, {"r", "n"}]> : tensor<12x12xf32>
  %2 = sdy.all_to_all [{"n"}: 1->0] %1 out_sharding=<@mesh, [{"m", "n"}, {"r"}]> : tensor<12x12xf32>
  %3 = sdy.collective_permute %2 out_sharding=<@mesh, [{"n", "m"}, {"r"}]> : tensor<12x12xf32>
  return %3 : tensor<12x12xf32>
}
// -----
// CASE: two exchanges over four dims are one (A.13 6)
// PASS: sdy-reshard-to-collectives,canonicalize{enable-patterns=sdy-collective}
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16x16x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}, {}, {"a"}]>}) -> (tensor<16x16x16x16xf32>) {
  %0 = sdy.reshard %arg0 <@mesh, [{"b"}, {}, {"a"}, {}]> : tensor<16x16x16x16xf32>
  return %0 : tensor<16x16x16x16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<16x16x16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b"}, {}, {"a"}]>}) -> (tensor<16x16x16x16xf32>) {
  %0 = sdy.all_to_all [{"b"}: 1->0, {"a"}: 3->2] %arg0 out_sharding=<@mesh, [{"b"}, {}, {"a"}, {}]> : tensor<16x16x16x16xf32>
  return %0 : tensor<16x16x16x16xf32>
}
// -----
// CASE: both operands of a dot may lose their gathers (A.13 8)
// PASS: sdy-remove-all-gather-reduce-scatter-for-cmv1
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32>) {
  %0 = sdy.all_gather [{}, {"x"}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %1 = sdy.all_gather [{"x"}, {}] %arg1 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) -> (tensor<8x8xf32>) {
  %2 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
// -----
// CASE: a gather for two dots stays, and so the second dot may take its scatter (A.13 8)
// PASS: sdy-remove-all-gather-reduce-scatter-for-cmv1
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = sdy.all_gather [{}, {"x"}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %1 = stablehlo.dot %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.dot %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = sdy.reduce_scatter [{"y"}, {}] %2 out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  return %1, %3 : tensor<8x8xf32>, tensor<8x8xf32>
}
// AFTER
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = sdy.all_gather [{}, {"x"}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %1 = stablehlo.dot %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = stablehlo.dot %0, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}
// -----
// CASE: a dot with two users keeps its scatter, as do gathers of other ops (A.13 8)
// PASS: sdy-remove-all-gather-reduce-scatter-for-cmv1
// UNCHANGED
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}, %arg1: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %0 = stablehlo.dot %arg1, %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = sdy.reduce_scatter [{"y"}, {}] %0 out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x8xf32>
  %2 = sdy.all_gather [{}, {"x"}] %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  %3 = stablehlo.negate %2 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>} : tensor<8x8xf32>
  return %0, %1, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
// -----
// CASE: of a callee some of whose results say nothing those are open on the mesh of the others (A.11.3)
// PASS: sdy-insert-func-call-reshards
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = call @f(%arg0) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  return %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>, <@mesh, [{"a"}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1 = sdy.reshard %0#1 <@mesh, [{}]> : tensor<8xf32>
  return %0#0, %1 : tensor<8xf32>, tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  return %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
}
// -----
// CASE: the results of calls in bodies are resharded there (A.11.3)
// PASS: sdy-insert-func-call-reshards
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %arg1: tensor<i1>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  %0 = stablehlo.while(%iter = %arg0) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}
  cond {
    stablehlo.return %arg1 : tensor<i1>
  } do {
    %1 = func.call @f(%iter) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  return %arg0 : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}, %arg1: tensor<i1>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b"}]>}) {
  %0 = stablehlo.while(%iter = %arg0) : tensor<8xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}
  cond {
    stablehlo.return %arg1 : tensor<i1>
  } do {
    %1 = func.call @f(%iter) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %2 = sdy.reshard %1 <@mesh, [{"b"}]> : tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  return %arg0 : tensor<8xf32>
}
// -----
// CASE: a call that is equivalent to its callee is spelled as the callee, without a reshard (A.11.3)
// PASS: sdy-insert-func-call-reshards
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>) {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", ?}]>}) {
  return %arg0 : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=4, "b"=2, "c"=4]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>) {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"c", ?}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"c", ?}]>}) {
  return %arg0 : tensor<8xf32>
}
// -----
// CASE: a permute of a whole value stays where its devices matter to what is made partial of it (A.13 3, dialect 4.1)
// PASS: canonicalize{enable-patterns=sdy-collective}
// UNCHANGED
sdy.mesh @mesh = <["a"=2, "b"=2]>
sdy.mesh @other = <["a"=2, "b"=2], device_ids=[3, 2, 1, 0]>
func.func @main(%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg1: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = sdy.collective_permute %arg0 out_sharding=<@other, [{}]> : tensor<16xf32>
  %1 = sdy.replicated_to_unreduced {"b"} %0 out_sharding=<@other, [{}], unreduced={"b"}> : tensor<16xf32>
  %2 = sdy.collective_permute %arg1 out_sharding=<@mesh, [{"a", ?}]> : tensor<16xf32>
  %3 = sdy.replicated_to_unreduced {"b"} %2 out_sharding=<@mesh, [{"a", ?}], unreduced={"b"}> : tensor<16xf32>
  return %1, %3 : tensor<16xf32>, tensor<16xf32>
}
