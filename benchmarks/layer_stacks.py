#!/usr/bin/env python3
"""Programs of repeated layers as MLIR: layer_stacks.py {decoder,training} LAYERS [--mesh MESH] [--batch N].

decoder: the forward pass of transformer layers with their own weights. training: a step of perceptron layers, with the backward pass and new weights.
"""
import argparse

DEFAULT_MESH = '<["data"=2, "model"=4]>'


class Writer:
    """Ops of a function with one result each; all types are f32."""

    def __init__(self):
        self.arguments, self.lines, self.types = [], [], {}

    def argument(self, name, *shape):
        self.types[f"%{name}"] = self.type(shape)
        self.arguments.append(f"%{name}: {self.type(shape)}")
        return f"%{name}"

    @staticmethod
    def type(shape):
        return "tensor<" + "".join(f"{size}x" for size in shape) + "f32>"

    def add(self, text, *shape):
        name = f"%{len(self.lines)}"
        self.types[name] = self.type(shape)
        self.lines.append(f"  {name} = stablehlo.{text}")
        return name

    def typed(self, text, operands, shape):
        return self.add(f"{text} : ({', '.join(self.types[each] for each in operands)}) -> {self.type(shape)}", *shape)

    def each(self, op, *operands):
        name = f"%{len(self.lines)}"
        self.types[name] = self.types[operands[0]]
        self.lines.append(f"  {name} = stablehlo.{op} {', '.join(operands)} : {self.types[operands[0]]}")
        return name

    def dot(self, lhs, rhs, contracting, shape, batching=""):
        return self.typed(f"dot_general {lhs}, {rhs}, {batching}contracting_dims = {contracting}", [lhs, rhs], shape)

    def program(self, mesh, results):
        types = ", ".join(self.types[each] for each in results)
        head = f"sdy.mesh @mesh = {mesh}\nfunc.func @main({', '.join(self.arguments)}) -> ({types}) {{\n"
        return head + "\n".join(self.lines) + f"\n  return {', '.join(results)} : {types}\n}}\n"


def decoder(layers, batch, mesh):
    sequence, heads, head = 16, 64, 4
    width = heads * head
    rows, split = (batch, sequence, width), (batch, sequence, heads, head)
    by_head, scores, maxima = (batch, heads, sequence, head), (batch, heads, sequence, sequence), (batch, heads, sequence)
    out = Writer()
    x = out.argument("x", *rows)
    zero = out.add("constant dense<0.0> : tensor<f32>")

    def reduce(value, dim, shape, op):
        return out.add(f"reduce({value} init: {zero}) applies stablehlo.{op} across dimensions = [{dim}] : "
                       f"({out.types[value]}, tensor<f32>) -> {out.type(shape)}", *shape)

    def spread(value, dims, shape):
        return out.typed(f"broadcast_in_dim {value}, dims = {dims}", [value], shape)

    def norm(value, scale):
        mean = reduce(out.each("multiply", value, value), 2, (batch, sequence), "add")
        scaled = out.each("multiply", value, spread(out.each("rsqrt", mean), [0, 1], rows))
        return out.each("multiply", scaled, spread(scale, [2], rows))

    def split_heads(value):
        return out.typed(f"transpose {out.typed(f'reshape {value}', [value], split)}, dims = [0, 2, 1, 3]", [f"%{len(out.lines) - 1}"], by_head)

    for layer in range(layers):
        weights = [out.argument(f"w{layer}_{i}", width, width) for i in range(6)]
        scales = [out.argument(f"s{layer}_{i}", width) for i in range(2)]
        normed = norm(x, scales[0])
        q, k, v = [split_heads(out.dot(normed, weights[i], "[2] x [0]", rows)) for i in range(3)]
        products = out.dot(q, k, "[3] x [3]", scores, "batching_dims = [0, 1] x [0, 1], ")
        powers = out.each("exponential", out.each("subtract", products, spread(reduce(products, 3, maxima, "maximum"), [0, 1, 2], scores)))
        shares = out.each("divide", powers, spread(reduce(powers, 3, maxima, "add"), [0, 1, 2], scores))
        mixed = out.dot(shares, v, "[3] x [2]", by_head, "batching_dims = [0, 1] x [0, 1], ")
        back = out.typed(f"transpose {mixed}, dims = [0, 2, 1, 3]", [mixed], split)
        x = out.each("add", x, out.dot(out.typed(f"reshape {back}", [back], rows), weights[3], "[2] x [0]", rows))
        hidden = out.each("logistic", out.dot(norm(x, scales[1]), weights[4], "[2] x [0]", rows))
        x = out.each("add", x, out.dot(hidden, weights[5], "[2] x [0]", rows))
    return out.program(mesh, [x])


def training(layers, batch, mesh):
    width = 256
    out = Writer()
    hidden = [out.argument("x", batch, width)]
    weights = [out.argument(f"w{layer}", width, width) for layer in range(layers)]
    gradient = out.argument("g", batch, width)
    for weight in weights:
        hidden.append(out.each("tanh", out.dot(hidden[-1], weight, "[1] x [0]", (batch, width))))
    updated = []
    for layer in reversed(range(layers)):
        square = out.each("multiply", hidden[layer + 1], hidden[layer + 1])
        inner = out.each("subtract", gradient, out.each("multiply", gradient, square))
        updated.append(out.each("subtract", weights[layer], out.dot(hidden[layer], inner, "[0] x [0]", (width, width))))
        gradient = out.dot(inner, weights[layer], "[1] x [1]", (batch, width))
    return out.program(mesh, updated[::-1] + [gradient])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["decoder", "training"])
    parser.add_argument("layers", type=int)
    parser.add_argument("--mesh", default=DEFAULT_MESH)
    parser.add_argument("--batch", type=int, default=64)
    options = parser.parse_args()
    print(globals()[options.kind](options.layers, options.batch, options.mesh), end="")


if __name__ == "__main__":
    main()
