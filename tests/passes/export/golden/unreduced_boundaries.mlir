// CASE: from [{"a"}, {}], unreduced={"c"} to [{"a"}, {}] (A.8)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
// TWICE
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"c"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  return %arg0 : tensor<16x16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"c"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %0 = sdy.all_reduce {"c"} %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// -----
// CASE: from [{}, {}], unreduced={"a", "c"} to [{"a"}, {"c"}] (A.8)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
// TWICE
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a", "c"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}) {
  return %arg0 : tensor<16x16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a", "c"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {"c"}]>}) {
  %0 = sdy.all_reduce {"a", "c"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<16x16xf32>
  %1 = sdy.reshard %0 <@mesh, [{"a"}, {"c"}]> : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}
// -----
// CASE: from [{}, {}], unreduced={"a", "c"} to [{"a"}, {}] (A.8)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
// TWICE
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a", "c"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  return %arg0 : tensor<16x16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"a", "c"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>}) {
  %0 = sdy.all_reduce {"a", "c"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<16x16xf32>
  %1 = sdy.reshard %0 <@mesh, [{"a"}, {}]> : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}
// -----
// CASE: from [{"a"}, {}], unreduced={"b"} to [{"b", "a"}, {}] (A.8)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
// TWICE
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}, {}]>}) {
  return %arg0 : tensor<16x16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b", "a"}, {}]>}) {
  %0 = sdy.all_reduce {"b"} %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x16xf32>
  %1 = sdy.reshard %0 <@mesh, [{"b", "a"}, {}]> : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}
// -----
// CASE: from [{"a", "b"}, {"c"}] to [{"a"}, {}], unreduced={"b"} (A.8)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
// TWICE
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c"}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) {
  return %arg0 : tensor<16x16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b"}, {"c"}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"b"}>}) {
  %0 = sdy.reshard %arg0 <@mesh, [{"a", "b"}, {}]> : tensor<16x16xf32>
  %1 = sdy.sharded_to_unreduced [{"b"}, {}] %0 out_sharding=<@mesh, [{"a"}, {}], unreduced={"b"}> : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}
// -----
// CASE: from [{"b":(1)2}, {}] to [{}, {}], unreduced={"b"} (A.8)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
// TWICE
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}, {}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}) {
  return %arg0 : tensor<16x16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"b":(1)2}, {}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}) {
  %0 = sdy.replicated_to_unreduced {"b":(2)2} %arg0 out_sharding=<@mesh, [{"b":(1)2}, {}], unreduced={"b":(2)2}> : tensor<16x16xf32>
  %1 = sdy.sharded_to_unreduced [{"b":(1)2}, {}] %0 out_sharding=<@mesh, [{}, {}], unreduced={"b"}> : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}
// -----
// CASE: from [{"a"}, {}], unreduced={"c"} to [{}, {}], unreduced={"b"} (A.8)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
// TWICE
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"c"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}) {
  return %arg0 : tensor<16x16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}], unreduced={"c"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}) {
  %0 = sdy.all_reduce {"c"} %arg0 out_sharding=<@mesh, [{"a"}, {}]> : tensor<16x16xf32>
  %1 = sdy.reshard %0 <@mesh, [{}, {}]> : tensor<16x16xf32>
  %2 = sdy.replicated_to_unreduced {"b"} %1 out_sharding=<@mesh, [{}, {}], unreduced={"b"}> : tensor<16x16xf32>
  return %2 : tensor<16x16xf32>
}
// -----
// CASE: from [{}, {}], unreduced={"b"} to [{}, {}], unreduced={"b":(1)2} (A.8)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
// TWICE
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b":(1)2}>}) {
  return %arg0 : tensor<16x16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b":(1)2}>}) {
  %0 = sdy.all_reduce {"b":(2)2} %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"b":(1)2}> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// -----
// CASE: from [{}, {}], unreduced=max{"b"} to [{}, {}] (A.8)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
// TWICE
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"b"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  return %arg0 : tensor<16x16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced=max{"b"}>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  %0 = sdy.all_reduce max {"b"} %arg0 out_sharding=<@mesh, [{}, {}]> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// -----
// CASE: from no sharding to [{}, {}], unreduced={"b"} (A.8)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
// TWICE
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32>) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}) {
  return %arg0 : tensor<16x16xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<16x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"b"}>}) {
  %0 = sdy.replicated_to_unreduced {"b"} %arg0 out_sharding=<@mesh, [{}, {}], unreduced={"b"}> : tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
// -----
// CASE: a reshard that drops and adds unreduced axes reduces first (A.8.2, diverges)
// PASS: sdy-insert-explicit-reshards{enable-full-version=true}
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"c"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"b"}>}) {
  %0 = sdy.reshard %arg0 <@mesh, [{}], unreduced={"b"}> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// AFTER
sdy.mesh @mesh = <["a"=2, "b"=4, "c"=2]>
func.func @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"c"}>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"b"}>}) {
  %0 = sdy.all_reduce {"c"} %arg0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  %1 = sdy.replicated_to_unreduced {"b"} %0 out_sharding=<@mesh, [{}], unreduced={"b"}> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
