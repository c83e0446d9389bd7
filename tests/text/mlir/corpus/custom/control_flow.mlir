module {
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<4xf32>) {
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<i32>, tensor<4xf32>
    cond {
      %c = stablehlo.constant dense<3> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %c = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %iterArg, %c : tensor<i32>
      %2 = stablehlo.add %iterArg_0, %arg1 : tensor<4xf32>
      stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
    }
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<i1>) {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<i1> attributes {foo, k = 1 : i64}
    cond {
      stablehlo.return %iterArg : tensor<i1>
    } do {
      stablehlo.return %iterArg : tensor<i1>
    }
    stablehlo.while()
    cond {
      stablehlo.return %0 : tensor<i1>
    } do {
      stablehlo.return
    }
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<i1>, %arg1: tensor<f32>) {
    %0 = stablehlo.while(%iterArg = %arg0) : tensor<i1>
    cond {
      stablehlo.return %iterArg : tensor<i1>
    } do {
      %1:2 = stablehlo.while(%iterArg_0 = %iterArg, %iterArg_1 = %arg1) : tensor<i1>, tensor<f32>
      cond {
        stablehlo.return %iterArg_0 : tensor<i1>
      } do {
        %2 = stablehlo.not %iterArg_0 : tensor<i1>
        stablehlo.return %2, %iterArg_1 : tensor<i1>, tensor<f32>
      }
      stablehlo.return %1#0 : tensor<i1>
    }
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<i1>, %arg1: tensor<4xf32>) {
    %0 = "stablehlo.if"(%arg0) ({
      %1 = stablehlo.negate %arg1 : tensor<4xf32>
      stablehlo.return %1 : tensor<4xf32>
    }, {
      stablehlo.return %arg1 : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    "stablehlo.if"(%arg0) ({
      stablehlo.return
    }, {
      stablehlo.return
    }) {foo} : (tensor<i1>) -> ()
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<i32>, %arg1: tensor<4xf32>) {
    %0:2 = "stablehlo.case"(%arg0) ({
      stablehlo.return %arg1, %arg0 : tensor<4xf32>, tensor<i32>
    }, {
      %2 = stablehlo.negate %arg1 : tensor<4xf32>
      stablehlo.return %2, %arg0 : tensor<4xf32>, tensor<i32>
    }, {
      stablehlo.return %arg1, %arg0 : tensor<4xf32>, tensor<i32>
    }) : (tensor<i32>) -> (tensor<4xf32>, tensor<i32>)
    %1 = "stablehlo.case"(%arg0) ({
      stablehlo.return %arg1 : tensor<4xf32>
    }) {foo} : (tensor<i32>) -> tensor<4xf32>
    return
  }
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @foo(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1:2 = stablehlo.custom_call @"a b"(%0, %arg0) {api_version = 2 : i32, backend_config = "x", called_computations = [@f, @g], has_side_effect = true, operand_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>)
    stablehlo.custom_call @check.eq(%0, %arg0) {has_side_effect = true} : (tensor<4xf32>, tensor<4xf32>) -> ()
    %2 = stablehlo.custom_call @foo() {api_version = 4 : i32, backend_config = {a = 1 : i64, b = "x"}} : () -> tuple<tensor<f32>>
    %3 = stablehlo.custom_call @Sharding(%1#0) {backend_config = "", mhlo.sharding = "{devices=[2]<=[2]}"} : (tensor<4xf32>) -> tensor<4xf32>
    return %3 : tensor<4xf32>
  }
  func.func private @f(%arg0: tensor<f32>) -> tensor<f32> {
    return %arg0 : tensor<f32>
  }
  func.func private @g(tensor<f32>) -> tensor<f32>
}
// -----
module {
  func.func @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.composite "my.op" %arg0 {composite_attributes = {k = 3 : i64}, decomposition = @f, version = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.composite "my.op" %0 {decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.composite "my.none" {decomposition = @g, foo} : () -> tensor<4xf32>
    %3:2 = stablehlo.composite "my.two" %0, %1 {decomposition = @h} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    return %3#1 : tensor<4xf32>
  }
  func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
  func.func private @g() -> tensor<4xf32>
  func.func private @h(tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
}
// -----
module @calls attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32> {jax.buffer_donor = true, mhlo.layout_mode = "default", tf.aliasing_output = 0 : i32}, %arg1: tensor<i1> {jax.arg_info = "x[\22a\22]"}) -> (tensor<4xf32> {jax.result_info = "result"}) attributes {no_inline, sdy.original_func_name = "orig"} {
    %0 = call @f(%arg0) : (tensor<4xf32>) -> tensor<4xf32>
    %1:2 = call @two(%0, %0) {foo} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    call @none() : () -> ()
    %2 = call @"odd name"(%1#1) : (tensor<4xf32>) -> tensor<4xf32>
    %3 = "stablehlo.if"(%arg1) ({
      %4 = func.call @f(%2) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %4 : tensor<4xf32>
    }, {
      stablehlo.return %2 : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    return %3 : tensor<4xf32>
  }
  func.func private @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    return %arg0 : tensor<4xf32>
  }
  func.func nested @two(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> {b}) {
    return {foo} %arg1, %arg0 : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @none() {
    return
  }
  func.func private @"odd name"(tensor<4xf32> {a = 1 : i64}) -> (tensor<4xf32> {b})
}
// -----
module {
}
// -----
module @"odd name" attributes {a, b.c = "x"} {
}
// -----
module @outer {
  module @a {
    func.func @f() {
      return
    }
  }
  module attributes {foo} {
  }
  func.func @f() {
    return
  }
}
// -----
module {
  func.func @f() {
    return {foo}
  }
  func.func private @g(tuple<tensor<f32>>, !stablehlo.token, index, i32, (i32) -> f32) -> ((i32) -> f32)
  func.func private @h(!stablehlo.future<tensor<4xf32>>, vector<4xf32>, memref<4xf32>, none, !d.t<a, b>, !d<"x">) -> (index, f32)
}
// -----
module {
  func.func private @t(tensor<4xi2>, tensor<ui2>, tensor<2xi7>, tensor<f4E2M1FN>, tensor<f6E2M3FN>, tensor<f6E3M2FN>, tensor<f8E3M4>, tensor<f8E4M3>, tensor<f8E4M3FN>, tensor<f8E4M3FNUZ>, tensor<f8E4M3B11FNUZ>, tensor<f8E5M2>, tensor<f8E5M2FNUZ>, tensor<f8E8M0FNU>, tensor<tf32>, tensor<si8>, tensor<index>, tensor<0x4xf32>, tensor<9223372036854775807xi1>)
}
