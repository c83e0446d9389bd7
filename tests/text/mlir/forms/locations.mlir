// Every form of a location, at every position that allows one. They are not printed. Spec: stablehlo 2.
#loc = loc(unknown)
#file = loc("f.py":1:2)
module @m attributes {a = 1 : i64} {
  func.func @f(%x: tensor<4xf32> {b} loc("x"), %y: tensor<4xf32> loc(#file)) -> tensor<4xf32> {
    %0 = stablehlo.add %x, %y : tensor<4xf32> loc("f.py":3:7 to 4:1)
    %1 = stablehlo.add %0, %y : tensor<4xf32> loc("f.py":3:7 to :9)
    %2 = stablehlo.add %1, %y : tensor<4xf32> loc("jit(f)/add"("f.py":3:7))
    %3 = stablehlo.add %2, %y : tensor<4xf32> loc(callsite("a" at callsite("b"("c.py":1:1) at #late)))
    %4 = stablehlo.add %3, %y : tensor<4xf32> loc(fused["a", "f.py":1:2, #loc])
    %5 = stablehlo.add %4, %y : tensor<4xf32> loc(fused<"why">["a"])
    %6 = stablehlo.add %5, %y : tensor<4xf32> loc("a \22)\22 ("(unknown))
    %7 = "stablehlo.sort"(%6) ({
    ^bb0(%a: tensor<f32> loc("a"), %b: tensor<f32> loc(#late)):
      %8 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1> loc(#loc)
      stablehlo.return %8 : tensor<i1> loc(#loc)
    }) : (tensor<4xf32>) -> tensor<4xf32> loc(#late)
    return %7 : tensor<4xf32> loc(#loc)
  } loc(#loc)
} loc(#loc)
#late = loc("late"(#file))
