module {
  func.func @main(%arg0: tensor<4xf32>) {
    %0 = "foo.bar"(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1:2 = "foo.bar"(%arg0, %0) <{a = 1 : i64, b = array<i64: 1>}> {b = 2 : i32, c = array<i32: 5>, d = #x<y z>} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, !foo.t<4>)
    "foo.baz"(%1#1) : (!foo.t<4>) -> ()
    "plain"() : () -> ()
    %2 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<i1>) {
    "foo.region"() ({
    }) : () -> ()
    "foo.cfg"(%arg0) ({
      "foo.br"()[^bb1, ^bb2] : () -> ()
    ^bb1:
      %0 = "foo.a"() : () -> i32
      "foo.br"(%0)[^bb2] : (i32) -> ()
    ^bb2(%1: i32, %2: f32):
      "foo.end"() : () -> ()
    }, {
    ^bb0(%arg1: tensor<f32>):
      "foo.use"(%arg1, %arg0) ({
        "foo.deep"() : () -> ()
      }) : (tensor<f32>, tensor<i1>) -> ()
    }) {k} : (tensor<i1>) -> ()
    return
  }
}
