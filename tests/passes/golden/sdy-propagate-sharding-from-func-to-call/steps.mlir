// shardy opt --sdy-propagate-sharding-from-func-to-call
// CASE: calls in regions and of functions without body, each call on its own (4.3)
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> tensor<8xf32> {
  %0 = "stablehlo.case"(%arg1) ({
    %2 = func.call @decl(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }, {
    %2 = func.call @decl(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    stablehlo.return %2 : tensor<8xf32>
  }) : (tensor<i32>) -> tensor<8xf32>
  call @nothing(%0) : (tensor<8xf32>) -> ()
  %1 = call @public(%0) {note = "n"} : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @decl(tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1], replicated={"y"}>})
func.func @public(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["z"=2]>, [{"z"}]>}) {
  %0 = call @decl(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @nothing(%arg0: tensor<8xf32>) {
  return
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func @main(%arg0: tensor<8xf32>, %arg1: tensor<i32>) -> tensor<8xf32> {
    %0 = "stablehlo.case"(%arg1) ({
      %2 = func.call @decl(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}p1], replicated={"y"}>]>} : (tensor<8xf32>) -> tensor<8xf32>
      stablehlo.return %2 : tensor<8xf32>
    }, {
      %2 = func.call @decl(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
      stablehlo.return %2 : tensor<8xf32>
    }) : (tensor<i32>) -> tensor<8xf32>
    call @nothing(%0) : (tensor<8xf32>) -> ()
    %1 = call @public(%0) {note = "n", sdy.sharding = #sdy.sharding_per_value<[<mesh<["z"=2]>, [{"z"}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func private @decl(tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1], replicated={"y"}>})
  func.func @public(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["z"=2]>, [{"z"}]>}) {
    %0 = call @decl(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}p1], replicated={"y"}>]>} : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func @nothing(%arg0: tensor<8xf32>) {
    return
  }
}
// ----------
// shardy opt --sdy-propagate-sharding-from-func-to-call
// CASE: results without sharding become open on the mesh of the first that has one, of their own rank (4.3, 1.10)
sdy.mesh @a = <["x"=2]>
sdy.mesh @b = <["y"=2]>
func.func @main(%arg0: tensor<8x2xf32>, %arg1: tensor<f32>) {
  %0:4 = call @f(%arg0, %arg1) : (tensor<8x2xf32>, tensor<f32>) -> (tensor<8x2xf32>, tensor<f32>, tensor<8x2xf32>, tensor<8x2xf32>)
  return
}
func.func private @f(%arg0: tensor<8x2xf32>, %arg1: tensor<f32>) -> (tensor<8x2xf32>, tensor<f32>, tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@b, [{}, {"y"}]>}, tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}, {}]>}) {
  return %arg0, %arg1, %arg0, %arg0 : tensor<8x2xf32>, tensor<f32>, tensor<8x2xf32>, tensor<8x2xf32>
}
// ---- becomes
module {
  sdy.mesh @a = <["x"=2]>
  sdy.mesh @b = <["y"=2]>
  func.func @main(%arg0: tensor<8x2xf32>, %arg1: tensor<f32>) {
    %0:4 = call @f(%arg0, %arg1) {sdy.sharding = #sdy.sharding_per_value<[<@b, [{?}, {?}]>, <@b, []>, <@b, [{}, {"y"}]>, <@a, [{"x"}, {}]>]>} : (tensor<8x2xf32>, tensor<f32>) -> (tensor<8x2xf32>, tensor<f32>, tensor<8x2xf32>, tensor<8x2xf32>)
    return
  }
  func.func private @f(%arg0: tensor<8x2xf32>, %arg1: tensor<f32>) -> (tensor<8x2xf32>, tensor<f32>, tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@b, [{}, {"y"}]>}, tensor<8x2xf32> {sdy.sharding = #sdy.sharding<@a, [{"x"}, {}]>}) {
    return %arg0, %arg1, %arg0, %arg0 : tensor<8x2xf32>, tensor<f32>, tensor<8x2xf32>, tensor<8x2xf32>
  }
}
// ----------
// shardy opt --sdy-propagate-sharding-from-func-to-call
// CASE: a function that is not there is an error (4.3)
func.func @main() {
  call @gone() : () -> ()
  return
}
// ---- fails
4:3: 'func.call' op 'gone' does not reference a valid function
// ----------
// shardy opt --sdy-propagate-sharding-from-func-to-call
// CASE: functions that call each other have no trouble here (4.3)
func.func @f() {
  call @g() : () -> ()
  return
}
func.func @g() {
  call @f() : () -> ()
  return
}
// ---- becomes
module {
  func.func @f() {
    call @g() : () -> ()
    return
  }
  func.func @g() {
    call @f() : () -> ()
    return
  }
}
// ----------
// shardy opt --sdy-propagate-sharding-from-func-to-call
// CASE: a call with shardings keeps them, though they are empty
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @g(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @h(%1) : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  return %arg0 : tensor<8xf32>
}
func.func private @g(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  return %arg0 : tensor<8xf32>
}
func.func private @h(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<[], device_ids=[0]>, []>}) {
  return %arg0 : tensor<8xf32>
}
// ---- stays
// ----------
// shardy opt --sdy-propagate-sharding-from-func-to-call
// CASE: a maximal sharding is kept beside another one
sdy.mesh @mesh = <["x"=2]>
sdy.mesh @max = <[], device_ids=[1]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0:3 = call @f(%arg0) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %0#0 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@max, []>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xf32>) {
  return %arg0, %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @max = <[], device_ids=[1]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0:3 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@max, []>, <@mesh, [{"x"}]>, <@mesh, [{?}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
    return %0#0 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@max, []>}, tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, tensor<8xf32>) {
    return %arg0, %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-propagate-sharding-from-func-to-call
// CASE: a result that a collective reads stays replicated, as its in_sharding (4.3)
sdy.mesh @mesh = <["x"=2]>
func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {
    %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) {
    return %arg0 : tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-propagate-sharding-from-func-to-call
// CASE: what a collective reads is whole on the collective's mesh (4.3, diverges)
sdy.mesh @mesh = <["a"=2]>
sdy.mesh @other = <["a"=2], device_ids=[1, 0]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0:2 = call @f(%arg0) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %1 = sdy.all_slice [{"a"}] %0#0 out_sharding=<@other, [{"a"}]> : tensor<8xf32>
  %2 = sdy.all_slice [{"a"}] %0#1 out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, tensor<8xf32>) {
  return %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2]>
  sdy.mesh @other = <["a"=2], device_ids=[1, 0]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0:2 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@other, [{}]>, <@mesh, [{}]>]>} : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
    %1 = sdy.all_slice [{"a"}] %0#0 out_sharding=<@other, [{"a"}]> : tensor<8xf32>
    %2 = sdy.all_slice [{"a"}] %0#1 out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
    return %1, %2 : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, tensor<8xf32>) {
    return %arg0, %arg0 : tensor<8xf32>, tensor<8xf32>
  }
}
// ----------
// shardy opt --sdy-propagate-sharding-from-func-to-call
// CASE: collectives on other meshes than the first one's read a reshard (4.3, diverges)
sdy.mesh @mesh = <["a"=2]>
sdy.mesh @other = <["a"=2], device_ids=[1, 0]>
func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = call @f(%arg0) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.all_slice [{"a"}] %0 out_sharding=<@other, [{"a"}]> : tensor<8xf32>
  %2 = sdy.all_slice [{"a"}] %0 out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
  return %arg0 : tensor<8xf32>
}
// ---- becomes
module {
  sdy.mesh @mesh = <["a"=2]>
  sdy.mesh @other = <["a"=2], device_ids=[1, 0]>
  func.func @main(%arg0: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = call @f(%arg0) {sdy.sharding = #sdy.sharding_per_value<[<@other, [{}]>]>} : (tensor<8xf32>) -> tensor<8xf32>
    %1 = sdy.all_slice [{"a"}] %0 out_sharding=<@other, [{"a"}]> : tensor<8xf32>
    %2 = sdy.reshard %0 <@mesh, [{}]> : tensor<8xf32>
    %3 = sdy.all_slice [{"a"}] %2 out_sharding=<@mesh, [{"a"}]> : tensor<8xf32>
    return %1, %3 : tensor<8xf32>, tensor<8xf32>
  }
  func.func private @f(%arg0: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) {
    return %arg0 : tensor<8xf32>
  }
}
