#!/usr/bin/env python3
"""A training step of LLaMA-like layers as MLIR: llama_step.py LAYERS [--width 8b|405b|small] [--mesh MESH] [--layout recipe].

Forward pass, backward pass and new weights, in bf16. Each dim of a value has a letter: b batch, s and t positions, d width, k groups of heads, q heads of a group,
h elements of a head, f inner width.
"""
import argparse
import re

SIZES = {
    "8b": {"b": 128, "s": 2048, "t": 2048, "d": 4096, "k": 8, "q": 4, "h": 128, "f": 14336},
    "405b": {"b": 128, "s": 2048, "t": 2048, "d": 16384, "k": 8, "q": 16, "h": 128, "f": 53248},
    "small": {"b": 8, "s": 8, "t": 8, "d": 16, "k": 4, "q": 2, "h": 4, "f": 32},
}
DEFAULT_MESH = '<["data"=8, "model"=16]>'
WEIGHTS = {"n1": "d", "wq": "dkqh", "wk": "dkh", "wv": "dkh", "wo": "kqhd", "n2": "d", "wg": "df", "wu": "df", "wd": "fd"}


class Step:
    """Ops of main, and for each the gradients of its operands: functions of the gradient of its result."""

    def __init__(self, sizes):
        self.sizes, self.lines, self.arguments, self.tape = sizes, [], [], []
        self.letters = {}  # dims of each value

    def type(self, letters):
        return "tensor<" + "".join(f"{self.sizes[letter]}x" for letter in letters) + "bf16>"

    def argument(self, name, letters):
        self.letters[f"%{name}"] = letters
        self.arguments.append(f"%{name}")
        return f"%{name}"

    def add_line(self, letters, text):
        name = f"%v{len(self.lines)}"
        self.letters[name] = letters
        self.lines.append(f"  {name} = {text}")
        return name

    def same(self, op, *operands):
        letters = self.letters[operands[0]]
        return self.add_line(letters, f"stablehlo.{op} {', '.join(operands)} : {self.type(letters)}")

    def record(self, result, *gradients):
        """Records pairs of an operand and the function that maps the gradient of the result to its gradient."""
        self.tape.append((result, gradients))
        return result

    # ---- Ops with gradients -------------------------------------------------------------------

    def product(self, spec, left, right):
        """A product such as "bsd,df->bsf"; letters of a value may be renamed by the spec."""
        operands, out = spec.split("->")
        a, b = operands.split(",")
        result = self.plain_product(a, b, out, left, right)
        return self.record(result, (left, lambda g: self.plain_product(out, b, a, g, right)), (right, lambda g: self.plain_product(out, a, b, g, left)))

    def plain_product(self, a, b, out, left, right):
        batch = [letter for letter in a if letter in b and letter in out]
        summed = [letter for letter in a if letter in b and letter not in out]
        order = "".join(batch + [c for c in a if c not in b] + [c for c in b if c not in a])

        def places(letters, of):
            return "[" + ", ".join(str(of.index(letter)) for letter in letters) + "]"

        batching = f"batching_dims = {places(batch, a)} x {places(batch, b)}, " if batch else ""
        value = self.add_line(order, f"stablehlo.dot_general {left}, {right}, {batching}contracting_dims = {places(summed, a)} x {places(summed, b)} : "
                                     f"({self.type(a)}, {self.type(b)}) -> {self.type(order)}")
        if order == out:
            return value
        return self.add_line(out, f"stablehlo.transpose {value}, dims = {places(out, order)} : ({self.type(order)}) -> {self.type(out)}")

    def add(self, left, right):
        return self.record(self.same("add", left, right), (left, lambda g: g), (right, lambda g: g))

    def multiply(self, left, right):
        return self.record(self.same("multiply", left, right), (left, lambda g: self.same("multiply", g, right)), (right, lambda g: self.same("multiply", g, left)))

    def activate(self, op, value):
        """Adds an op with the gradient of the exponential: other ops have gradients of as many operations."""
        result = self.same(op, value)
        return self.record(result, (value, lambda g: self.same("multiply", g, result)))

    def spread(self, value, letters):
        own = self.letters[value]
        result = self.plain_spread(value, letters)
        return self.record(result, (value, lambda g: self.plain_total(g, own)))

    def total(self, value, letters):
        own = self.letters[value]
        result = self.plain_total(value, letters)
        return self.record(result, (value, lambda g: self.plain_spread(g, own)))

    def plain_spread(self, value, letters):
        own = self.letters[value]
        dims = [letters.index(letter) for letter in own]
        return self.add_line(letters, f"stablehlo.broadcast_in_dim {value}, dims = {dims} : ({self.type(own)}) -> {self.type(letters)}")

    def plain_total(self, value, letters, op="add"):
        own = self.letters[value]
        dims = [at for at, letter in enumerate(own) if letter not in letters]
        zero = self.add_line("", "stablehlo.constant dense<0.0> : tensor<bf16>")
        return self.add_line(letters, f"stablehlo.reduce({value} init: {zero}) applies stablehlo.{op} across dimensions = {dims} : "
                                      f"({self.type(own)}, tensor<bf16>) -> {self.type(letters)}")

    def gradients(self, result, gradient):
        """Returns the gradient of each value that `result` depends on."""
        known = {result: gradient}
        for value, operands in reversed(self.tape):
            if value not in known:
                continue
            for operand, of in operands:
                part = of(known[value])
                known[operand] = self.same("add", known[operand], part) if operand in known else part
        return known

    def program(self, mesh, results, shardings):
        def end(letters, sharding):
            return self.type(letters) + (f" {{sdy.sharding = #sdy.sharding<@mesh, {sharding}>}}" if sharding else "")

        arguments = ", ".join(f"{name}: {end(self.letters[name], shardings.get(name))}" for name in self.arguments)
        types = ", ".join(self.type(self.letters[each]) for each in results)
        argument_of = dict(zip(results, self.arguments[2:]))
        outs = ", ".join(end(self.letters[each], shardings.get(argument_of.get(each))) for each in results)
        return (f"sdy.mesh @mesh = {mesh}\nfunc.func @main({arguments}) -> ({outs}) {{\n" + "\n".join(self.lines)
                + f"\n  return {', '.join(results)} : {types}\n}}\n")


def norm(step, x, weight):
    squares = step.total(step.multiply(x, x), "bs")
    scaled = step.multiply(x, step.spread(step.activate("rsqrt", squares), "bsd"))
    return step.multiply(scaled, step.spread(weight, "bsd"))


def softmax(step, scores):
    letters = step.letters[scores]
    top = step.plain_spread(step.plain_total(scores, letters[:-1], "maximum"), letters)
    shifted = step.record(step.same("subtract", scores, top), (scores, lambda g: g))
    powers = step.activate("exponential", shifted)
    return step.multiply(powers, step.spread(step.activate("negate", step.total(powers, letters[:-1])), letters))


def layer(step, x, weights):
    y = norm(step, x, weights["n1"])
    queries = step.product("bsd,dkqh->bskqh", y, weights["wq"])
    keys = step.product("bsd,dkh->bskh", y, weights["wk"])
    values = step.product("bsd,dkh->bskh", y, weights["wv"])
    shares = softmax(step, step.product("bskqh,btkh->bkqst", queries, keys))
    mixed = step.product("bkqst,btkh->bskqh", shares, values)
    x = step.add(x, step.product("bskqh,kqhd->bsd", mixed, weights["wo"]))
    y = norm(step, x, weights["n2"])
    gate = step.activate("logistic", step.product("bsd,df->bsf", y, weights["wg"]))
    inner = step.multiply(gate, step.product("bsd,df->bsf", y, weights["wu"]))
    return step.add(x, step.product("bsf,fd->bsd", inner, weights["wd"]))


# Axes of letters per recipe: of activations, then of weights.
RECIPES = {
    "none": ({}, {}),
    "megatron": ({"b": "data"}, {"k": "model", "f": "model"}),
    "data": ({"b": "data,model"}, {}),
    "fsdp": ({"b": "data,model"}, {"d": "data,model"}),
    "fsdp-megatron": ({"b": "data"}, {"d": "data", "k": "model", "f": "model"}),
    "sequence": ({"b": "data", "s": "model"}, {"k": "model", "f": "model"}),
}


def shardings_of(step, recipe, sizes, mesh):
    """Returns the annotation of each argument. Groups of heads take the part of an axis that divides them."""
    of_axes = {name: int(size) for name, size in re.findall(r'"(\w+)"=(\d+)', mesh)}
    texts = {}
    for name in step.arguments:
        axes = RECIPES[recipe][0 if name in ("%x", "%target") else 1]
        dims = []
        for letter in step.letters[name]:
            names = [f'"{axis}"' for axis in axes.get(letter, "").split(",") if axis]
            if letter == "k" and names and sizes["k"] < of_axes[names[0].strip('"')]:
                names = [f'{names[0]}:(1){sizes["k"]}']
            dims.append("{" + ", ".join(names) + "}")
        if axes:
            texts[name] = "[" + ", ".join(dims) + "]"
    return texts


def llama(layers, width="8b", mesh=DEFAULT_MESH, recipe="none"):
    """Returns a step whose new weights are in the order of the weights."""
    sizes = SIZES[width]
    step = Step(sizes)
    x, target = step.argument("x", "bsd"), step.argument("target", "bsd")
    weights = [{name: step.argument(f"l{at}_{name}", letters) for name, letters in WEIGHTS.items()} for at in range(layers)]
    for own in weights:
        x = layer(step, x, own)
    gradients = step.gradients(x, step.same("subtract", x, target))
    updated = [step.same("subtract", value, gradients[value]) for own in weights for value in own.values()]
    return step.program(mesh, updated, shardings_of(step, recipe, sizes, mesh))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("layers", type=int)
    parser.add_argument("--width", choices=SIZES, default="8b")
    parser.add_argument("--mesh", default=DEFAULT_MESH)
    parser.add_argument("--layout", choices=RECIPES, default="none")
    options = parser.parse_args()
    print(llama(options.layers, options.width, options.mesh, options.layout), end="")


if __name__ == "__main__":
    main()
