#!/usr/bin/env python3
"""Programs of repeated layers as MLIR: layer_stacks.py {decoder,training,llama} LAYERS [--mesh MESH] [--batch N].

decoder: the forward pass of transformer layers with their own weights. training: a step of perceptron layers, with the backward pass and new weights.
llama: a step of gated transformer layers, with the backward pass and new weights. Its batch and weights are sharded, as by FSDP and Megatron.
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


class Tape(Writer):
    """Ops with their gradients: `steps` has, per op, the result and a function from its gradient to gradients of operands."""

    def __init__(self):
        super().__init__()
        self.steps, self.shapes = [], {}
        self.zero = self.constant("0.0")

    def constant(self, value):
        return self.add(f"constant dense<{value}> : tensor<f32>")

    def sharded(self, name, shape, *axes):
        value = self.argument(name, *shape)
        spec = ", ".join("{" + f'"{axis}"' * bool(axis) + "}" for axis in axes)
        self.arguments[-1] += f" {{sdy.sharding = #sdy.sharding<@mesh, [{spec}]>}}"
        self.shapes[value] = shape
        return value

    def step(self, value, shape, gradients=None):
        self.shapes[value] = shape
        if gradients:
            self.steps.append((value, gradients))
        return value

    def multiply(self, x, y):
        return self.step(self.each("multiply", x, y), self.shapes[x],
                         lambda d: [(x, self.each("multiply", d, y)), (y, self.each("multiply", d, x))])

    def sum(self, x, y):
        return self.step(self.each("add", x, y), self.shapes[x], lambda d: [(x, d), (y, d)])

    def unary(self, op, x, slope):
        """`slope`: the derivative, from the operand and the result."""
        y = self.each(op, x)
        return self.step(y, self.shapes[x], lambda d: [(x, self.each("multiply", d, slope(x, y)))])

    def spread(self, x, shape, dims):
        lost = [dim for dim in range(len(shape)) if dim not in dims]
        value = self.typed(f"broadcast_in_dim {x}, dims = {dims}", [x], shape)
        return self.step(value, shape, lambda d: [(x, self.reduce(d, lost))])

    def reduce(self, x, dims, op="add"):
        shape = [size for dim, size in enumerate(self.shapes_of(x)) if dim not in dims]
        kept = [dim for dim in range(len(self.shapes_of(x))) if dim not in dims]
        whole = self.shapes_of(x)
        value = self.add(f"reduce({x} init: {self.zero}) applies stablehlo.{op} across dimensions = {dims} : "
                         f"({self.types[x]}, tensor<f32>) -> {self.type(shape)}", *shape)
        return self.step(value, shape, (lambda d: [(x, self.spread(d, whole, kept))]) if op == "add" else None)

    def shapes_of(self, x):
        return [int(size) for size in self.types[x][7:-1].split("x")[:-1]]

    def move(self, x, shape, order):
        """Reshapes, then transposes."""
        value = self.typed(f"reshape {x}", [x], shape) if list(shape) != self.shapes_of(x) else x
        inverse = [order.index(dim) for dim in range(len(order))]
        moved = [shape[dim] for dim in order]
        result = value if order == sorted(order) else self.typed(f"transpose {value}, dims = {order}", [value], moved)
        whole = self.shapes_of(x)

        def gradients(d):
            back = d if order == sorted(order) else self.typed(f"transpose {d}, dims = {inverse}", [d], shape)
            return [(x, self.typed(f"reshape {back}", [back], whole) if list(shape) != whole else back)]
        return self.step(result, moved, gradients)

    def contract(self, x, y, batch, contracted):
        """A product whose operands have `batch` leading batch dims; contracts dim contracted[0] of x with contracted[1] of y."""
        a, b = contracted
        xs, ys = self.shapes_of(x), self.shapes_of(y)
        free = [[dim for dim in range(batch, len(s)) if dim not in c] for s, c in ((xs, a), (ys, b))]
        shape = xs[:batch] + [xs[dim] for dim in free[0]] + [ys[dim] for dim in free[1]]
        every = list(range(batch))
        batching = f"batching_dims = {every} x {every}, " if batch else ""
        value = self.dot(x, y, f"{a} x {b}", shape, batching)
        first = list(range(batch, batch + len(free[0])))
        second = list(range(batch + len(free[0]), len(shape)))

        def gradients(d):
            dx = self.contract(d, y, batch, (second, free[1]))  # dims of y in order of b
            dy = self.contract(d, x, batch, (first, free[0]))
            return [(x, self.reordered(dx, batch, free[0], a, b)), (y, self.reordered(dy, batch, free[1], b, a))]
        return self.step(value, shape, gradients)

    def reordered(self, d, batch, free, own, other):
        """Transposes a gradient with batch dims, free dims, and the contracted dims in ascending order of the other operand."""
        order = list(range(batch)) + free + [dim for _, dim in sorted(zip(other, own))]
        inverse = [order.index(dim) for dim in range(len(order))]
        shape = [self.shapes_of(d)[dim] for dim in inverse]
        return d if inverse == sorted(inverse) else self.typed(f"transpose {d}, dims = {inverse}", [d], shape)

    def backward(self, value, gradient):
        totals = {value: gradient}
        for made, gradients in reversed(list(self.steps)):
            if made not in totals:
                continue
            for operand, part in gradients(totals[made]):
                totals[operand] = self.each("add", totals[operand], part) if operand in totals else part
        return totals


def llama(layers, batch, mesh):
    sequence, heads, head, inner = 128, 8, 32, 704
    width = heads * head
    rows, split = [batch, sequence, width], [batch, sequence, heads, head]
    tape = Tape()
    x = tape.sharded("x", rows, "data", "", "")
    target = tape.sharded("target", rows, "data", "", "")
    weights = []

    def weight(name, shape, *axes):
        weights.append(tape.sharded(name, shape, *axes))
        return weights[-1]

    def norm(x, scale):
        mean = tape.reduce(tape.multiply(x, x), [2])
        root = tape.unary("rsqrt", mean, lambda m, r: tape.each("multiply", tape.each("multiply", r, r), r))
        return tape.multiply(tape.multiply(x, tape.spread(root, rows, [0, 1])), tape.spread(scale, rows, [2]))

    for layer in range(layers):
        scales = [weight(f"s{layer}_{i}", [width], "") for i in range(2)]
        projections = [weight(f"w{layer}_{i}", [width, width], "data", "model") for i in range(3)]
        out = weight(f"o{layer}", [width, width], "model", "data")
        gate, up = [weight(f"{name}{layer}", [width, inner], "data", "model") for name in "gu"]
        down = weight(f"d{layer}", [inner, width], "model", "data")
        normed = norm(x, scales[0])
        q, k, v = [tape.move(tape.contract(normed, each, 0, ([2], [0])), split, [0, 2, 1, 3]) for each in projections]
        scores = tape.contract(q, k, 2, ([3], [3]))
        square = tape.shapes_of(scores)
        powers = tape.unary("exponential", scores, lambda _, y: y)
        inverse = tape.unary("rsqrt", tape.reduce(powers, [3]), lambda m, r: tape.each("multiply", r, m))
        shares = tape.multiply(powers, tape.spread(inverse, square, [0, 1, 2]))
        mixed = tape.contract(shares, v, 2, ([3], [2]))
        back = tape.move(tape.move(mixed, mixed and tape.shapes_of(mixed), [0, 2, 1, 3]), rows, [0, 1, 2])
        x = tape.sum(x, tape.contract(back, out, 0, ([2], [0])))
        normed = norm(x, scales[1])
        gated = tape.unary("logistic", tape.contract(normed, gate, 0, ([2], [0])), lambda _, y: tape.each("multiply", y, y))
        hidden = tape.multiply(gated, tape.contract(normed, up, 0, ([2], [0])))
        x = tape.sum(x, tape.contract(hidden, down, 0, ([2], [0])))
    totals = tape.backward(x, tape.each("subtract", x, target))
    rate = tape.constant("0.01")
    updated = []
    for each in weights:
        step = tape.spread(rate, tape.shapes_of(each), [])
        updated.append(tape.each("subtract", each, tape.each("multiply", step, totals[each])))
    return tape.program(mesh, updated)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["decoder", "training", "llama"])
    parser.add_argument("layers", type=int)
    parser.add_argument("--mesh", default=DEFAULT_MESH)
    parser.add_argument("--batch", type=int, default=64)
    options = parser.parse_args()
    print(globals()[options.kind](options.layers, options.batch, options.mesh), end="")


if __name__ == "__main__":
    main()
