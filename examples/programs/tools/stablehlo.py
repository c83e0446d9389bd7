"""Writes programs as StableHLO text, with a reverse mode for their gradients.

The module writes text only; generate.py computes the expected results with NumPy.
"""
import contextlib

import numpy as np

NAMES = {"float32": "f32", "float64": "f64", "float16": "f16", "int8": "i8", "int32": "i32", "int64": "i64",
         "uint8": "ui8", "uint32": "ui32", "uint64": "ui64", "bool": "i1", "complex64": "complex<f32>",
         "complex128": "complex<f64>"}


def tensor_type(shape, dtype):
    return "tensor<" + "".join(f"{size}x" for size in shape) + NAMES[np.dtype(dtype).name] + ">"


def number(value):
    if isinstance(value, (complex, np.complexfloating)):
        return f"({number(value.real)}, {number(value.imag)})"
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    value = np.asarray(value)
    if not np.isfinite(value):
        return "0x" + value.tobytes()[::-1].hex().upper()
    text = str(value.item() if value.dtype == np.float64 else np.format_float_scientific(value, trim="0"))
    mantissa, _, exponent = text.partition("e")
    mantissa += "" if "." in mantissa else ".0"
    mantissa += "0" if mantissa.endswith(".") else ""
    return mantissa + ("e" + exponent if exponent and int(exponent) else "")


def literal(array):
    array = np.asarray(array)

    def text(part):
        if part.ndim == 0:
            return number(part[()])
        return "[" + ", ".join(text(each) for each in part) + "]"
    if array.size == 0:
        return "dense<>"
    flat = array.reshape(-1)
    if array.size > 1 and all(each.tobytes() == flat[0].tobytes() for each in flat):
        return f"dense<{number(flat[0])}>"
    return f"dense<{text(array)}>"


class Value:
    def __init__(self, program, name, shape, dtype):
        self.program, self.name, self.shape, self.dtype = program, name, tuple(shape), np.dtype(dtype)
        self.source = None  # operands, and a function from the gradient of this to theirs

    @property
    def type(self):
        return tensor_type(self.shape, self.dtype)

    def __add__(self, other): return self.program.binary("add", self, other)
    def __radd__(self, other): return self.program.binary("add", other, self)
    def __sub__(self, other): return self.program.binary("subtract", self, other)
    def __rsub__(self, other): return self.program.binary("subtract", other, self)
    def __mul__(self, other): return self.program.binary("multiply", self, other)
    def __rmul__(self, other): return self.program.binary("multiply", other, self)
    def __truediv__(self, other): return self.program.binary("divide", self, other)
    def __rtruediv__(self, other): return self.program.binary("divide", other, self)
    def __neg__(self): return self.program.unary("negate", self)


GRADIENTS = {  # of unary functions: (gradient of y, x, y)
    "negate": lambda g, x, y: -g,
    "exponential": lambda g, x, y: g * y,
    "log": lambda g, x, y: g / x,
    "tanh": lambda g, x, y: g * (1 - y * y),
    "logistic": lambda g, x, y: g * (y * (1 - y)),
    "sqrt": lambda g, x, y: g * 0.5 / y,
    "rsqrt": lambda g, x, y: g * -0.5 * (y * y * y),
}


class Program:
    def __init__(self, name, about):
        self.name, self.about = name, about
        self.lines, self.depth, self.count = [], 2, 0
        self.inputs, self.checks, self.functions = [], [], []

    # ---- Text ----------------------------------------------------------------------------------
    def line(self, text):
        self.lines.append("  " * self.depth + text)

    @contextlib.contextmanager
    def indented(self):
        self.depth += 1
        yield
        self.depth -= 1

    def new(self, shape, dtype):
        self.count += 1
        return Value(self, f"%v{self.count}", shape, dtype)

    def input(self, array):
        array = np.asarray(array)
        value = Value(self, f"%in#{len(self.inputs)}", array.shape, array.dtype)
        self.inputs.append(array)
        return value

    def op(self, name, operands, shape, dtype, middle=""):
        """`%v = stablehlo.name operands, middle : (types) -> type`."""
        value = self.new(shape, dtype)
        types = ", ".join(each.type for each in operands)
        names = ", ".join(each.name for each in operands)
        dialect = "" if "." in name else "stablehlo."
        self.line(f"{value.name} = {dialect}{name} {names}{middle} : ({types}) -> {value.type}")
        return value

    def generic(self, name, operands, results, attributes="", regions=()):
        """The generic form; a region is (argument types as (shape, dtype), function to results)."""
        self.count += 1
        base = f"%v{self.count}"
        values = [Value(self, base if len(results) == 1 else f"{base}#{index}", *result) for index, result in enumerate(results)]
        names = ", ".join(each.name for each in operands)
        head = f"{base}:{len(results)}" if len(results) > 1 else base
        dialect = "" if "." in name else "stablehlo."
        text = f'{head} = "{dialect}{name}"({names})' + (f" <{{{attributes}}}>" if attributes else "")
        tail = f" : ({', '.join(each.type for each in operands)}) -> "
        tail += values[0].type if len(values) == 1 else "(" + ", ".join(each.type for each in values) + ")"
        if not regions:
            self.line(text + tail)
            return values
        self.line(text + " ({")
        for index, (types, body) in enumerate(regions):
            if index:
                self.line("}, {")
            with self.indented():
                arguments = [self.new(*each) for each in types]
                if arguments:
                    listed = ", ".join(f"{each.name}: {each.type}" for each in arguments)
                    self.lines.append("  " * (self.depth - 1) + f"^bb0({listed}):")
                self.give("stablehlo.return", body(*arguments))
        self.line("})" + tail)
        return values

    def give(self, op, values):
        values = [values] if isinstance(values, Value) else list(values)
        if values:
            self.line(f"{op} {', '.join(each.name for each in values)} : {', '.join(each.type for each in values)}")
        else:
            self.line(op)

    # ---- Values --------------------------------------------------------------------------------
    def const(self, array, dtype=None):
        array = np.asarray(array, dtype)
        value = self.new(array.shape, array.dtype)
        self.line(f"{value.name} = stablehlo.constant {literal(array)} : {value.type}")
        return value

    def full(self, number_, shape, dtype):
        return self.const(np.full(shape, number_, dtype))

    def iota(self, shape, dim, dtype=np.int32):
        value = self.new(shape, dtype)
        self.line(f"{value.name} = stablehlo.iota dim = {dim} : {value.type}")
        return value

    def match(self, a, b):
        """NumPy's rules for shapes; numbers become constants."""
        if not isinstance(a, Value):
            a = self.full(a, (), b.dtype)
        if not isinstance(b, Value):
            b = self.full(b, (), a.dtype)
        shape = np.broadcast_shapes(a.shape, b.shape)
        return self.stretch(a, shape), self.stretch(b, shape)

    def stretch(self, x, shape):
        if x.shape == tuple(shape):
            return x
        return self.broadcast(x, shape, list(range(len(shape) - len(x.shape), len(shape))))

    def binary(self, name, a, b):
        a, b = self.match(a, b)
        y = self.new(a.shape, a.dtype)
        self.line(f"{y.name} = stablehlo.{name} {a.name}, {b.name} : {y.type}")
        rules = {"add": lambda g: (g, g), "subtract": lambda g: (g, -g), "multiply": lambda g: (g * b, g * a),
                 "divide": lambda g: (g / b, -(g * a) / (b * b)),
                 "maximum": lambda g: (self.select(self.compare("GT", a, b), g, g * 0), self.select(self.compare("GT", a, b), g * 0, g))}
        if name in rules:
            y.source = ((a, b), rules[name])
        return y

    def unary(self, name, x, dialect="stablehlo"):
        y = self.new(x.shape, x.dtype)
        tail = f"{x.type} -> {y.type}" if dialect == "chlo" else y.type
        self.line(f"{y.name} = {dialect}.{name} {x.name} : {tail}")
        if name in GRADIENTS:
            y.source = ((x,), lambda g: (GRADIENTS[name](g, x, y),))
        return y

    def compare(self, direction, a, b):
        a, b = self.match(a, b)
        return self.op(f"compare {direction},", [a, b], a.shape, bool)

    def select(self, p, a, b):
        a, b = self.match(a, b)
        if p.shape != a.shape:
            p = self.stretch(p, a.shape)
        y = self.new(a.shape, a.dtype)
        self.line(f"{y.name} = stablehlo.select {p.name}, {a.name}, {b.name} : {p.type}, {a.type}")
        y.source = ((a, b), lambda g: (self.select(p, g, g * 0), self.select(p, g * 0, g)))
        return y

    def convert(self, x, dtype):
        return self.op("convert", [x], x.shape, dtype)

    # ---- Shapes --------------------------------------------------------------------------------
    def broadcast(self, x, shape, dims):
        y = self.op("broadcast_in_dim", [x], shape, x.dtype, f", dims = {list(dims)}")
        grown = [d for d in range(len(shape)) if d not in dims or (x.shape[list(dims).index(d)] == 1 and shape[d] != 1)]
        y.source = ((x,), lambda g: (self.reshape(self.reduce(g, grown), x.shape),))
        return y

    def reshape(self, x, shape):
        if x.shape == tuple(shape):
            return x
        y = self.op("reshape", [x], shape, x.dtype)
        y.source = ((x,), lambda g: (self.reshape(g, x.shape),))
        return y

    def transpose(self, x, order):
        if list(order) == list(range(len(order))):
            return x
        y = self.op("transpose", [x], [x.shape[d] for d in order], x.dtype, f", dims = {list(order)}")
        y.source = ((x,), lambda g: (self.transpose(g, [int(d) for d in np.argsort(order)]),))
        return y

    def slice(self, x, starts, limits):
        ranges = ", ".join(f"{a}:{b}" for a, b in zip(starts, limits))
        value = self.new([b - a for a, b in zip(starts, limits)], x.dtype)
        self.line(f"{value.name} = stablehlo.slice {x.name} [{ranges}] : ({x.type}) -> {value.type}")
        return value

    def concat(self, parts, dim):
        shape = list(parts[0].shape)
        shape[dim] = sum(part.shape[dim] for part in parts)
        return self.op("concatenate", parts, shape, parts[0].dtype, f", dim = {dim}")

    def pad(self, x, value, low, high, interior=None):
        interior = interior or [0] * len(low)
        shape = [l + h + s + max(s - 1, 0) * i for l, h, s, i in zip(low, high, x.shape, interior)]
        return self.op("pad", [x, value], shape, x.dtype, f", low = {list(low)}, high = {list(high)}, interior = {list(interior)}")

    def reverse(self, x, dims):
        y = self.new(x.shape, x.dtype)
        self.line(f"{y.name} = stablehlo.reverse {x.name}, dims = {list(dims)} : {y.type}")
        return y

    def dynamic_slice(self, x, starts, sizes):
        return self.op("dynamic_slice", [x, *starts], sizes, x.dtype, f", sizes = {list(sizes)}")

    def dynamic_update_slice(self, x, update, starts):
        return self.op("dynamic_update_slice", [x, update, *starts], x.shape, x.dtype)

    # ---- Sums and products ---------------------------------------------------------------------
    def reduce(self, x, dims, name="add", init=0):
        if not dims:
            return x
        shape = [size for d, size in enumerate(x.shape) if d not in dims]
        zero = self.full(init, (), x.dtype)
        y = self.new(shape, x.dtype)
        self.line(f"{y.name} = stablehlo.reduce({x.name} init: {zero.name}) applies stablehlo.{name} across dimensions = "
                  f"{list(dims)} : ({x.type}, {zero.type}) -> {y.type}")
        if name == "add":
            y.source = ((x,), lambda g: (self.broadcast(g, x.shape, [d for d in range(len(x.shape)) if d not in dims]),))
        return y

    def maximum_of(self, x, dims):
        low = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
        return self.reduce(x, dims, "maximum", low)

    def einsum(self, text, a, b):
        """A product of two operands; every letter is in two of the three lists."""
        left, out = text.replace(" ", "").split("->")
        p, q = left.split(",")
        batch = [c for c in p if c in q and c in out]
        summed = [c for c in p if c in q and c not in out]
        free = [c for c in p if c not in q], [c for c in q if c not in p]
        size = dict(zip(p + q, a.shape + b.shape))
        order = batch + free[0] + free[1]
        places = lambda letters, word: [word.index(c) for c in letters]
        middle = (f", batching_dims = {places(batch, p)} x {places(batch, q)}" if batch else "")
        middle += f", contracting_dims = {places(summed, p)} x {places(summed, q)}"
        y = self.op("dot_general", [a, b], [size[c] for c in order], a.dtype, middle)
        y.source = ((a, b), lambda g: (self.einsum(f"{''.join(order)},{q}->{p}", g, b), self.einsum(f"{''.join(order)},{p}->{q}", g, a)))
        return self.transpose(y, [order.index(c) for c in out])

    def convolution(self, x, kernel, numbers="[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", window="", shape=None, groups=1):
        value = self.new(shape, x.dtype)
        self.line(f"{value.name} = stablehlo.convolution({x.name}, {kernel.name}) dim_numbers = {numbers}, window = {{{window}}} "
                  f"{{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} : ({x.type}, {kernel.type}) -> {value.type}")
        return value

    def reduce_window(self, x, name, init, attributes, shape):
        zero = self.full(init, (), x.dtype)
        scalar = ((), x.dtype)
        return self.generic("reduce_window", [x, zero], [(shape, x.dtype)], attributes,
                            [([scalar, scalar], lambda a, b: self.binary(name, a, b))])[0]

    def sort(self, operands, dim, less, stable=True):
        types = [((), each.dtype) for each in operands for _ in range(2)]
        return self.generic("sort", operands, [(each.shape, each.dtype) for each in operands],
                            f"dimension = {dim} : i64, is_stable = {str(stable).lower()}", [(types, less)])

    def scatter(self, x, indices, updates, numbers, combine):
        scalar = ((), x.dtype)
        return self.generic("scatter", [x, indices, updates], [(x.shape, x.dtype)],
                            f"scatter_dimension_numbers = #stablehlo.scatter<{numbers}>", [([scalar, scalar], combine)])[0]

    def gather(self, x, indices, numbers, sizes, shape):
        return self.generic("gather", [x, indices], [(shape, x.dtype)],
                            f"dimension_numbers = #stablehlo.gather<{numbers}>, slice_sizes = array<i64: {', '.join(map(str, sizes))}>")[0]

    # ---- Control flow --------------------------------------------------------------------------
    def loop(self, initial, condition, body):
        self.count += 1
        base = f"%v{self.count}"
        arguments = [Value(self, f"%i{self.count}_{k}", each.shape, each.dtype) for k, each in enumerate(initial)]
        pairs = ", ".join(f"{a.name} = {v.name}" for a, v in zip(arguments, initial))
        head = f"{base}:{len(initial)}" if len(initial) > 1 else base
        self.line(f"{head} = stablehlo.while({pairs}) : {', '.join(each.type for each in initial)}")
        self.line("cond {")
        with self.indented():
            self.give("stablehlo.return", condition(*arguments))
        self.line("} do {")
        with self.indented():
            self.give("stablehlo.return", body(*arguments))
        self.line("}")
        return [Value(self, base if len(initial) == 1 else f"{base}#{k}", each.shape, each.dtype) for k, each in enumerate(initial)]

    def repeat(self, times, initial, body):
        """body(i, values..) -> values.. for i = 0 .. times-1."""
        zero = self.const(0, np.int32)
        return self.loop([zero, *initial], lambda i, *_: self.compare("LT", i, self.const(times, np.int32)),
                         lambda i, *values: [i + 1, *body(i, *values)])[1:]

    def function(self, name, arguments, body):
        """A private function; returns one that calls it."""
        outer, self.lines, depth, self.depth = self.lines, [], self.depth, 2
        values = [Value(self, f"%arg{k}", *each) for k, each in enumerate(arguments)]
        results = body(*values)
        results = [results] if isinstance(results, Value) else list(results)
        self.give("return", results)
        head = f"func.func private @{name}({', '.join(f'{v.name}: {v.type}' for v in values)}) -> "
        head += results[0].type if len(results) == 1 else "(" + ", ".join(r.type for r in results) + ")"
        self.functions.append([f"  {head} {{", *self.lines, "  }"])
        self.lines, self.depth = outer, depth

        def call(*operands):
            self.count += 1
            base = f"%v{self.count}"
            out = results[0].type if len(results) == 1 else "(" + ", ".join(r.type for r in results) + ")"
            head = base if len(results) == 1 else f"{base}:{len(results)}"
            self.line(f"{head} = func.call @{name}({', '.join(o.name for o in operands)}) : ({', '.join(o.type for o in operands)}) -> {out}")
            made = [Value(self, base if len(results) == 1 else f"{base}#{k}", r.shape, r.dtype) for k, r in enumerate(results)]
            return made[0] if len(made) == 1 else made
        return call

    # ---- Gradients -----------------------------------------------------------------------------
    def gradients(self, loss, wanted):
        order, seen = [], set()

        def visit(value):
            if id(value) in seen:
                return
            seen.add(id(value))
            if value.source:
                for operand in value.source[0]:
                    visit(operand)
            order.append(value)
        visit(loss)
        slopes = {id(loss): self.full(1, loss.shape, loss.dtype)}
        for value in reversed(order):
            if value.source is None or id(value) not in slopes:
                continue
            for operand, slope in zip(value.source[0], value.source[1](slopes[id(value)])):
                if operand.source is None and operand not in wanted:
                    continue
                slopes[id(operand)] = slopes[id(operand)] + slope if id(operand) in slopes else slope
        return [slopes[id(value)] for value in wanted]

    # ---- The end -------------------------------------------------------------------------------
    def expect(self, value, expected, tolerance=None, ulps=None):
        expected = np.asarray(expected, value.dtype)
        assert expected.shape == value.shape, (self.name, expected.shape, value.shape)
        self.checks.append((value, expected, tolerance, ulps))

    def text(self):
        out = [f"// {line}" for line in self.about.strip().splitlines()]
        out += ["// Written by tools/generate.py, which computes what is expected with NumPy.",
                f"module @{self.name} attributes {{mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32}} {{",
                "  func.func public @main() {"]

        def types(arrays):
            listed = [tensor_type(a.shape, a.dtype) for a in arrays]
            return listed[0] if len(listed) == 1 else "(" + ", ".join(listed) + ")"
        body = "\n".join(self.lines)
        if self.inputs:
            single = len(self.inputs) == 1
            body = body.replace("%in#0", "%in") if single else body
            out.append(f"    {'%in' if single else f'%in:{len(self.inputs)}'} = call @inputs() : () -> {types(self.inputs)}")
        expected = [each[1] for each in self.checks]
        single = len(expected) == 1
        out.append(f"    {'%want' if single else f'%want:{len(expected)}'} = call @expected() : () -> {types(expected)}")
        out.append(body)
        for index, (value, _, tolerance, ulps) in enumerate(self.checks):
            want = "%want" if single else f"%want#{index}"
            name = value.name.replace("%in#0", "%in") if len(self.inputs) == 1 else value.name
            if tolerance is not None:
                out.append(f"    check.expect_almost_eq {name}, {want}, tolerance = {number(float(tolerance))} : {value.type}")
            else:
                kind = "expect_eq" if ulps is None else "expect_close"
                if kind == "expect_close" and ulps != 3:
                    out.append(f"    check.expect_close {name}, {want}, max_ulp_difference = {ulps} : {value.type}, {value.type}")
                    continue
                out.append(f"    stablehlo.custom_call @check.{kind}({name}, {want}) {{has_side_effect = true}} : ({value.type}, {value.type}) -> ()")
        out += ["    return", "  }"]
        for lines in self.functions:
            out += lines
        for name, arrays in ("inputs", self.inputs), ("expected", expected):
            if not arrays:
                continue
            out.append(f"  func.func private @{name}() -> {types(arrays)} {{")
            for index, array in enumerate(arrays):
                out.append(f"    %c{index} = stablehlo.constant {literal(array)} : {tensor_type(array.shape, array.dtype)}")
            out.append(f"    return {', '.join(f'%c{k}' for k in range(len(arrays)))} : " + types(arrays).strip("()"))
            out.append("  }")
        out.append("}")
        return "\n".join(out) + "\n"
