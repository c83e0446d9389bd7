"""Programs that the tests and benchmarks of the page open: a decoder of any size, one without shardings, one with hostile names."""
import random

SHAPE = "tensor<64x256xf32>"
WEIGHT = "tensor<256x256xf32>"
MESH = 'sdy.mesh @mesh = <["data"=2, "model"=4]>'
FILLERS = ["tanh", "negate", "abs", "logistic", "cosine"]


class Decoder:
    """MLIR text of a decoder: layers with the scopes of JAX (`jit(step)/layer_3/attn`)."""

    def __init__(self, layers, num_ops, bad=False):
        self.layers = layers
        self.per_layer = max(8, num_ops // layers)
        self.bad = bad
        self.lines = []
        self.count = 0

    def op(self, text, scope, types):
        name = f"%v{self.count}"
        self.count += 1
        kind = text.split()[0].replace("stablehlo.", "")
        self.lines.append(f'  {name} = {text} : {types} loc("jit(step)/{scope}/{kind}")')
        return name

    def dot(self, left, right, scope):
        return self.op(f"stablehlo.dot_general {left}, {right}, contracting_dims = [1] x [0]", scope, f"({SHAPE}, {WEIGHT}) -> {SHAPE}")

    def block(self, value, weights, scope, num_ops):
        """Two products, elementwise ops between them, and the residual sum."""
        inner = self.dot(value, weights[0], scope)
        for filler in range(max(0, num_ops - 3)):
            inner = self.op(f"stablehlo.{FILLERS[filler % len(FILLERS)]} {inner}", scope, SHAPE)
        outer = self.dot(inner, weights[1], scope)
        return self.op(f"stablehlo.add {value}, {outer}", scope, SHAPE)

    def weight(self, layer, number):
        """The first weight of a block is sharded by columns, the second by rows. A bad annotation swaps them in one layer of four."""
        by_rows = (number % 2 == 1) != (self.bad and layer % 4 == 3)
        return '[{"model"}, {}]' if by_rows else '[{}, {"model"}]'

    def text(self):
        args = [f'%x: {SHAPE} {{sdy.sharding = #sdy.sharding<@mesh, [{{"data"}}, {{}}]>}}']
        value = "%x"
        for layer in range(self.layers):
            names = [f"%w{layer}_{number}" for number in range(4)]
            args += [f"{name}: {WEIGHT} {{sdy.sharding = #sdy.sharding<@mesh, {self.weight(layer, number)}>}}" for number, name in enumerate(names)]
            value = self.block(value, names[:2], f"layer_{layer}/attn", self.per_layer // 2)
            value = self.block(value, names[2:], f"layer_{layer}/mlp", self.per_layer - self.per_layer // 2)
        head = f"func.func @main({', '.join(args)}) -> {SHAPE} {{"
        return "\n".join([MESH, head, *self.lines, f"  return {value} : {SHAPE}", "}", ""])


def decoder(num_ops=320, layers=32, bad=False):
    return Decoder(layers, num_ops, bad).text()


UNSHARDED = """func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>) -> tensor<8x16xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.tanh %0 : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
"""

STEPS = """sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {?}]>}, %y: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"b"}p1]>}) -> tensor<8x4xf32> {
  %0 = stablehlo.negate %x : tensor<8x4xf32>
  %1 = stablehlo.add %0, %y : tensor<8x4xf32>
  %2 = stablehlo.tanh %1 : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
"""

# Many axes, a sub-axis, padding, an open dim, priorities, an unreduced value, four dims, long names.
WIDE = """sdy.mesh @mesh = <["data"=4, "model"=2, "expert"=2, "pipe"=2, "sequence"=2, "head"=2, "vocabulary"=2, "replicas_of_the_data_center"=2, "tiny"=2]>
func.func @main(%tokens: tensor<6x30x64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data":(1)2}, {"sequence", "head"}, {?}p1, {"tiny", ?}p2]>}, %weights_of_the_output_projection: tensor<32x30xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model", "expert"}, {"replicas_of_the_data_center", "vocabulary"}]>}, %partial: tensor<6x30x64x30xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"pipe"}, {}, {}, {}], unreduced={"data":(2)2}>}) -> tensor<6x30x64x30xf32> {
  %logits_before_the_bias_and_the_softmax = stablehlo.dot_general %tokens, %weights_of_the_output_projection, contracting_dims = [3] x [0] : (tensor<6x30x64x32xf32>, tensor<32x30xf32>) -> tensor<6x30x64x30xf32> loc("jit(train_step_with_a_long_name)/transformer/decoder_block_with_a_long_name/output_projection/dot_general")
  %reduced = sdy.reshard %partial <@mesh, [{"pipe"}, {}, {}, {}]> : tensor<6x30x64x30xf32>
  %sum = stablehlo.add %logits_before_the_bias_and_the_softmax, %reduced : tensor<6x30x64x30xf32> loc("jit(train_step_with_a_long_name)/transformer/decoder_block_with_a_long_name/add")
  %2 = stablehlo.tanh %sum : tensor<6x30x64x30xf32> loc("jit(train_step_with_a_long_name)/transformer/tanh")
  return %2 : tensor<6x30x64x30xf32>
}
"""

# A value on a mesh whose devices do not fit into a picture: a cell is a block of them.
DEVICES = """sdy.mesh @mesh = <["x"=1024, "y"=1024]>
func.func @main(%x: tensor<4096x4096xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}) -> tensor<4096x4096xf32> {
  %0 = stablehlo.tanh %x : tensor<4096x4096xf32>
  return %0 : tensor<4096x4096xf32>
}
"""

# Names that would end a script, open a tag, quote an attribute, reverse the direction of text, or fill the screen.
HOSTILE = ["</script><script>window.hacked=1</script>", "<img src=x onerror=window.hacked=1>", '"><svg onload=window.hacked=1>', "'-window.hacked=1-'",
           "<!--", "]]>", "javascript:window.hacked=1", "\\u0000\\u0007", "\u202edlrow\u202c", "\u200b\ufeff", "${window.hacked=1}", "`+window.hacked+`",
           "</style><style>*{display:none}", "&lt;b&gt;", "__proto__", "constructor", "%3Cscript%3E", "\u2028", "a" * 5000]


def quoted(name):
    """The name as a string of MLIR: quotes, backslashes and control characters escaped."""
    return "".join(f"\\{byte:02X}" if byte < 32 or byte in (34, 92, 127) else chr(byte) if byte < 128 else f"\\{byte:02X}" for byte in name.encode())


def hostile(seed):
    """A program whose axes, locations, custom calls and attributes have hostile names."""
    chance = random.Random(seed)
    names = chance.sample(HOSTILE, 6)
    axes = [quoted(names[0]), quoted(names[1] + "2")]
    place = [quoted("/".join(chance.choices(names, k=3))) for _ in range(3)]
    sharding = f'#sdy.sharding<@mesh, [{{"{axes[0]}"}}, {{?}}]>'
    return f"""sdy.mesh @mesh = <["{axes[0]}"=2, "{axes[1]}"=2]>
func.func @main(%x: tensor<8x4xf32> {{sdy.sharding = {sharding}, jax.arg_info = "{quoted(names[2])}"}}) -> (tensor<8x4xf32> {{jax.result_info = "{quoted(names[3])}"}}) {{
  %0 = stablehlo.negate %x : tensor<8x4xf32> loc("{place[0]}")
  %1 = stablehlo.custom_call @"{quoted(names[4])}"(%0) {{api_version = 4 : i32, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {{i=8, j=4}}>}} : (tensor<8x4xf32>) -> tensor<8x4xf32> loc("{place[1]}")
  %2 = stablehlo.add %0, %1 {{"{quoted(names[5]) or 'a'}" = "{quoted(names[0])}"}} : tensor<8x4xf32> loc("{place[2]}")
  %3 = sdy.sharding_constraint %2 <@mesh, [{{?}}, {{"{axes[0]}"}}]> : tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}}
"""
