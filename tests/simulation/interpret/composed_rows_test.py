#!/usr/bin/env python3
"""Ops of several steps: batch normalization, precision, random bits, factorizations, einsum, the broadcasting ops.

usage: composed_rows_test.py SHARDY
"""
import itertools
import math
import random
import unittest
from fractions import Fraction

from formats import (COMPLEX, FLOAT_TABLE, FLOATS, INF, INTEGERS, NAN, bits_of, decode, encode, is_nan, is_special,
                     magnitude, max_code, round_to)
from reference import (FOLDS, Grid, add, float_add, float_multiply, indices, made, multiply, opposite, reduce,
                       sum_of_products)
from row_test import RowTest, constant, expect, grid
from text_rows import Rows

WIDE_FLOATS = ["f64", "f32", "f16", "bf16"]


def float_divide(name, a, b):
    if is_special(a) or is_special(b) or b == 0:
        raise ValueError("no number")
    return round_to(name, Fraction(a) / Fraction(b)) if a else (Fraction(0) if b > 0 else -0.0)


def root(name, x):
    """Square root, truncated far after the last bit, and a little more if it is not exact."""
    if x == 0:
        return x
    x, shift = Fraction(x), 2400
    low = Fraction(math.isqrt(x.numerator * (1 << (2 * shift)) // x.denominator), 1 << shift)
    return round_to(name, low if low * low == x else low + Fraction(1, 1 << (shift + 2)))


class Steps:
    """Arithmetic in one float type, each step rounded."""

    def __init__(self, name):
        self.name = name

    def plus(self, a, b):
        return float_add(self.name, a, b)

    def minus(self, a, b):
        return float_add(self.name, a, opposite(b))

    def times(self, a, b):
        return float_multiply(self.name, a, b)

    def over(self, a, b):
        return float_divide(self.name, a, b)

    def sum(self, values):
        total = Fraction(0)
        for value in values:
            total = self.plus(total, value)
        return total


class BatchNorm(RowTest):
    SHAPES = [([2, 3, 2], 1), ([4, 2], 1), ([3, 5], 0), ([2, 2, 2, 2], 3)]

    def setting(self, rows, name, dims, feature, seed):
        x = grid(name, dims, ("x", seed), 3)
        pick = {part: grid(name, [dims[feature]], (part, seed), 3) for part in ("scale", "offset", "mean")}
        variance = grid(name, [dims[feature]], ("variance", seed), 3)
        pick["variance"] = Grid(variance.dims, [abs(value) + 1 for value in variance.values])
        pick["variance"] = Grid(variance.dims, [round_to(name, value) for value in pick["variance"].values])
        return x, pick, {key: constant(rows, name, value) for key, value in pick.items()}, constant(rows, name, x)

    def attributes(self, feature):
        return f"<{{epsilon = 0.125 : f32, feature_index = {feature} : i64}}>"

    def inference(self, step, x, scale, offset, mean, variance, f):
        spread = root(step.name, step.plus(variance[f], Fraction(1, 8)))
        return step.plus(step.times(scale[f], step.over(step.minus(x, mean[f]), spread)), offset[f])

    def test_inference(self):
        rows = Rows()
        for name, (dims, feature) in itertools.product(WIDE_FLOATS, self.SHAPES):
            x, part, value, v = self.setting(rows, name, dims, feature, 1)
            step = Steps(name)
            want = made(dims, lambda i: self.inference(step, x[i], part["scale"], part["offset"], part["mean"],
                                                       part["variance"], (i[feature],)))
            operands = [v, value["scale"], value["offset"], value["mean"], value["variance"]]
            expect(rows, rows.op(f'"stablehlo.batch_norm_inference"({{}}) {self.attributes(feature)}', operands, name, dims), want)
        self.check(rows)

    def sums(self, step, x, feature, function):
        """Per feature, in row-major order of the input."""
        groups = [[] for _ in range(x.dims[feature])]
        for index in indices(x.dims):
            groups[index[feature]].append(function(index))
        return Grid([x.dims[feature]], [step.sum(group) for group in groups])

    def test_training(self):
        rows = Rows()
        for name, (dims, feature) in itertools.product(WIDE_FLOATS, self.SHAPES):
            x, part, value, v = self.setting(rows, name, dims, feature, 2)
            step = Steps(name)
            n = Fraction(math.prod(dims) // dims[feature])
            mean = self.sums(step, x, feature, lambda i: x[i])
            mean.values = [step.over(each, n) for each in mean.values]

            def squared(i):
                centred = step.minus(x[i], mean[i[feature],])
                return step.times(centred, centred)
            variance = self.sums(step, x, feature, squared)
            variance.values = [step.over(each, n) for each in variance.values]
            want = made(dims, lambda i: self.inference(step, x[i], part["scale"], part["offset"], mean, variance, (i[feature],)))
            got = rows.ops(f'"stablehlo.batch_norm_training"({{}}) {self.attributes(feature)}',
                           [v, value["scale"], value["offset"]], [(name, dims), (name, mean.dims), (name, mean.dims)])
            for each, grid_ in zip(got, (want, mean, variance)):
                expect(rows, each, grid_)
        self.check(rows)

    def test_grad(self):
        rows = Rows()
        for name, (dims, feature) in itertools.product(WIDE_FLOATS, self.SHAPES):
            x, part, value, v = self.setting(rows, name, dims, feature, 3)
            g = grid(name, dims, "gradient", 3)
            step = Steps(name)
            n = Fraction(math.prod(dims) // dims[feature])

            def centred(i):
                return step.minus(x[i], part["mean"][i[feature],])

            def spread(f):
                return step.plus(part["variance"][f], Fraction(1, 8))
            offset = self.sums(step, x, feature, lambda i: g[i])
            scale = self.sums(step, x, feature, lambda i: step.times(
                g[i], step.over(centred(i), root(name, spread((i[feature],))))))
            both = self.sums(step, x, feature, lambda i: step.times(g[i], centred(i)))

            def slope(i):
                f = (i[feature],)
                factor = step.over(step.over(part["scale"][f], root(name, spread(f))), n)
                rest = step.minus(step.times(g[i], n), offset[f])
                return step.times(factor, step.minus(rest, step.over(step.times(both[f], centred(i)), spread(f))))
            want = made(dims, slope)
            got = rows.ops(f'"stablehlo.batch_norm_grad"({{}}) {self.attributes(feature)}',
                           [v, value["scale"], value["mean"], value["variance"], constant(rows, name, g)],
                           [(name, dims), (name, scale.dims), (name, scale.dims)])
            for each, grid_ in zip(got, (want, scale, offset)):
                expect(rows, each, grid_)
        self.check(rows)


# ---- reduce_precision ------------------------------------------------------------------------

def reduced(name, x, e, m):
    """Spec: stablehlo 19, step by step on the bits."""
    se, sm, _, _, _ = FLOAT_TABLE[name]
    if is_nan(x):
        return x if m > 0 else INF
    b = encode(name, x)
    if m < sm:
        last = 1 << (sm - m)
        b = (b + last // 2 - 1 + ((b & last) != 0)) & ~(last - 1)
    sign = b >> (se + sm)
    if e < se:
        bias, half, field = (1 << (se - 1)) - 1, (1 << (e - 1)) - 1, b >> sm & ((1 << se) - 1)
        if field > bias + half:
            return -INF if sign else INF
        if field <= bias - half:
            return -0.0 if sign else Fraction(0)
    return decode(name, b)


class Precision(RowTest):
    def test_reduce_precision(self):
        rows = Rows()
        draw = random.Random(31)
        for name in WIDE_FLOATS + ["f8E5M2", "f8E4M3", "f8E3M4"]:
            se, sm, bias, _, _ = FLOAT_TABLE[name]
            tops = [magnitude(name, max_code(name) - at) for at in range(3)]
            values = [0, -0.0, NAN, INF, -INF, 1, -1, *tops, *[magnitude(name, at) for at in (1, 2, 3)]]
            while len(values) < 60:
                code = draw.getrandbits(bits_of(name))
                if draw.random() < 0.6:  # near 1, where reduced formats have their borders
                    code = (bias + draw.randint(-4, 4)) % (1 << se) << sm | draw.getrandbits(sm)
                if not is_special(decode(name, code)):
                    values.append(decode(name, code))
            x = rows.constant(name, [60], values)
            for e, m in itertools.product({1, 2, 3, 4, se - 1, se, se + 1, 8, 11}, {0, 1, 2, sm - 1, sm, sm + 1, 52}):
                if e < 1:
                    continue
                got = rows.op(f"stablehlo.reduce_precision {{}}, format = e{e}m{m}", [x], name, [60])
                rows.expect(got, [reduced(name, each, e, m) for each in values])
        self.check(rows)


# ---- Random bits -----------------------------------------------------------------------------

M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def three_fry(key, counter):
    ks = [key & M32, key >> 32]
    ks.append(ks[0] ^ ks[1] ^ 0x1BD11BDA)
    x, y = (counter & M32) + ks[0] & M32, (counter >> 32) + ks[1] & M32
    for group in range(5):
        for turn in ((13, 15, 26, 6), (17, 29, 16, 24))[group % 2]:
            x = x + y & M32
            y = (y << turn | y >> (32 - turn)) & M32 ^ x
        x, y = x + ks[(group + 1) % 3] & M32, y + ks[(group + 2) % 3] + group + 1 & M32
    return x, y


def philox(key, low, high):
    c, k = [low & M32, low >> 32, high & M32, high >> 32], [key & M32, key >> 32]
    for _ in range(10):
        p, q = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [q >> 32 ^ c[1] ^ k[0], q & M32, p >> 32 ^ c[3] ^ k[1], p & M32]
        k = [k[0] + 0x9E3779B9 & M32, k[1] + 0xBB67AE85 & M32]
    return c


class RandomBits(RowTest):
    TYPES = [name for name in INTEGERS + FLOATS if bits_of(name) >= 8]
    SHAPES = [[], [1], [7], [8], [2, 3], [3, 2], [3, 5], [5, 3], [3, 4, 5], [1, 1, 6], [0, 4], [9, 1]]
    STATES = [(0, 0), (3, 3), (M64, M64), (0x0123456789ABCDEF, M64 - 2), (1 << 63, 1 << 32)]

    def codes(self, words, name):
        return [word & ((1 << bits_of(name)) - 1) for word in words]

    def compare(self, rows, algorithm, state, after, name, dims, codes):
        given = rows.constant("ui64", [len(state)], list(state))
        got = rows.ops(f"stablehlo.rng_bit_generator {{}}, algorithm = {algorithm}", [given],
                       [("ui64", [len(state)]), (name, dims)])
        rows.expect(got[0], list(after))
        bits = f"ui{bits_of(name)}"
        as_bits = got[1] if name == bits else rows.op("stablehlo.bitcast_convert {}", [got[1]], bits, dims)
        rows.expect(as_bits, codes)

    def three_fry_words(self, key, counter, dims):
        """Spec: stablehlo 27.1: split along the first even dim, else the first of the largest."""
        if not dims:
            return Grid([], [three_fry(key, counter)[0]]), 1
        even = [at for at, size in enumerate(dims) if size % 2 == 0]
        split = even[0] if even else dims.index(max(dims))
        half = [-(-size // 2) if at == split else size for at, size in enumerate(dims)]
        blocks = Grid(half, [three_fry(key, counter + n & M64) for n in range(math.prod(half))])

        def word(index):
            at = list(index)
            at[split], which = divmod(at[split], 2)
            return blocks[at][which]
        return made(dims, word), math.prod(half)

    def test_three_fry(self):
        rows = Rows()
        for name, dims, (key, counter) in itertools.product(self.TYPES, self.SHAPES, self.STATES):
            count = math.prod(dims)
            if bits_of(name) == 64:
                blocks = [three_fry(key, counter + n & M64) for n in range(count)]
                codes, used = [x | y << 32 for x, y in blocks], count
            else:
                words, used = self.three_fry_words(key, counter, dims)
                codes = self.codes(words.values, name)
            self.compare(rows, "THREE_FRY", (key, counter), (key, counter + used & M64), name, dims, codes)
        self.check(rows)

    def test_philox(self):
        rows = Rows()
        algorithms = itertools.cycle(["PHILOX", "DEFAULT", "PHILOX"])
        for name, dims, (key, counter), size in itertools.product(self.TYPES, self.SHAPES, self.STATES, (2, 3)):
            count = math.prod(dims)
            state = (key, counter) if size == 2 else (key, counter, M64 - 1)
            low, high = (counter, key) if size == 2 else (counter, M64 - 1)
            needed = 2 * count if bits_of(name) == 64 else count
            blocks, words = -(-needed // 4), []
            for n in range(blocks):
                sum_ = low + n
                words += philox(key, sum_ & M64, high + (sum_ >> 64) & M64)
            if bits_of(name) == 64:
                codes = [words[2 * n] | words[2 * n + 1] << 32 for n in range(count)]
            else:
                codes = self.codes(words[:count], name)
            after = (key, low + blocks & M64) + ((high + (low + blocks >> 64) & M64,) if size == 3 else ())
            self.compare(rows, next(algorithms), state, after, name, dims, codes)
        self.check(rows)


# ---- Factorizations --------------------------------------------------------------------------

class Solve(RowTest):
    """Diagonals are powers of two, so that only products and differences are rounded."""

    def conjugate(self, name, x):
        return (x[0], opposite(x[1])) if name in COMPLEX else x

    def quotient(self, name, x, power):
        if name in COMPLEX:
            return tuple(Fraction(part) / power[0] if part else part for part in x)
        return Fraction(x) / power if x else x

    def test_triangular_solve(self):
        rows = Rows()
        options = itertools.product([True, False], [True, False], [True, False], ["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"])
        for (left, lower, unit, transpose), name in itertools.product(list(options), ["f32", "bf16", "f64", "complex<f32>"]):
            a = grid(name, [2, 3, 3], (left, lower, unit, transpose), 2)
            for batch, at in indices([2, 3]):
                power = Fraction(2) ** (at - 1)
                a[batch, at, at] = (power, Fraction(0)) if name in COMPLEX else power
            dims = [2, 3, 2] if left else [2, 2, 3]
            b = grid(name, dims, "b", 2)
            want = self.solved(name, a, b, left, lower, unit, transpose)
            word = {True: "true", False: "false"}
            attributes = (f"left_side = {word[left]}, lower = {word[lower]}, transpose_a = #stablehlo<transpose {transpose}>, "
                          f"unit_diagonal = {word[unit]}")
            got = rows.op(f'"stablehlo.triangular_solve"({{}}) <{{{attributes}}}>', [constant(rows, name, a), constant(rows, name, b)],
                          name, dims)
            expect(rows, got, want)
        self.check(rows)

    def solved(self, name, a, b, left, lower, unit, transpose):
        def op(batch, i, j):
            if transpose == "NO_TRANSPOSE":
                return a[batch, i, j]
            return self.conjugate(name, a[batch, j, i]) if transpose == "ADJOINT" else a[batch, j, i]
        is_lower = lower if transpose == "NO_TRANSPOSE" else not lower
        ascending = is_lower if left else not is_lower
        order = list(range(3)) if ascending else [2, 1, 0]
        x = Grid(b.dims, b.values)
        for batch, line in indices([2, 2]):
            done = []
            for i in order:
                at = (batch, i, line) if left else (batch, line, i)
                value = x[at]
                for j in done:
                    known = x[(batch, j, line) if left else (batch, line, j)]
                    term = multiply(name, op(batch, i, j), known) if left else multiply(name, known, op(batch, j, i))
                    minus = tuple(map(opposite, term)) if name in COMPLEX else opposite(term)
                    value = add(name, value, minus)
                x[at] = value if unit else self.quotient(name, value, op(batch, i, i))
                done.append(i)
        return x

    def test_cholesky_of_exact_squares(self):
        rows = Rows()
        for name, lower in itertools.product(["f16", "bf16", "f32", "f64", "complex<f32>", "complex<f64>"], [True, False]):
            draw = random.Random(f"{name}{lower}")
            for size in (1, 2, 3):
                complex_ = name in COMPLEX
                factor = made([size, size], lambda i: self.entry(draw, complex_, i))
                full = made([size, size], lambda i: self.product(factor, i, size, complex_))
                junk = (Fraction(77), Fraction(5)) if complex_ else Fraction(77)

                def given(i):  # U^H U with U = L^H is the same matrix: only one triangle of it is read
                    return full[i] if (i[0] >= i[1]) == lower or i[0] == i[1] else junk

                def wanted(i):
                    return factor[i] if lower else self.conjugate(name, factor[i[1], i[0]])
                got = rows.op(f'"stablehlo.cholesky"({{}}) <{{lower = {str(lower).lower()}}}>',
                              [constant(rows, name, made([size, size], given))], name, [size, size])
                want = made([size, size], wanted)
                if complex_:  # the sign of a zero that a conjugate leaves is not specified
                    for at, part in enumerate(("real", "imag")):
                        each = rows.op(f"stablehlo.{part} {{}}", [got], COMPLEX[name], [size, size])
                        rows.lines.append(f"check.expect_eq {each[0]}, {rows.constant(COMPLEX[name], [size, size], [value[at] for value in want.values])[0]}"
                                          f" : tensor<{size}x{size}x{COMPLEX[name]}>")
                    rows.rows += len(want.values)
                else:
                    expect(rows, got, want)
        self.check(rows)

    def entry(self, draw, complex_, i):
        value = Fraction(draw.choice((1, 2, 4)) if i[0] == i[1] else draw.randint(-3, 3) if i[0] > i[1] else 0)
        other = Fraction(draw.randint(-3, 3) if i[0] > i[1] else 0)
        return (value, other) if complex_ else value

    def product(self, factor, i, size, complex_):
        """L L^H, exactly."""
        if not complex_:
            return sum((factor[i[0], k] * factor[i[1], k] for k in range(size)), Fraction(0))
        pairs = [(factor[i[0], k], factor[i[1], k]) for k in range(size)]
        return (sum(x[0] * y[0] + x[1] * y[1] for x, y in pairs), sum(x[1] * y[0] - x[0] * y[1] for x, y in pairs))


# ---- einsum, the broadcasting ops ------------------------------------------------------------

class Letters(RowTest):
    def test_einsum(self):
        configs = ["ij,jk->ik", "ij,jk->ki", "ij,ij->ij", "ij,ij->", "ij,kj->ik", "bij,bjk->bik", "bij,jb->bi", "i,j->ij", "i,j->ji",
                   "ij,->ij", ",ij->ji", "abc,cd->abd", "abc,cbd->ad", "ij,jk->", "ij,jk->k", "i,i->", "ab,cd->dbca"]
        sizes = dict(zip("abcdijk", (2, 3, 2, 4, 3, 2, 4)))
        rows = Rows()
        for name, config in itertools.product(["f32", "f64", "i32", "f16", "complex<f64>"], configs):
            inputs, output = config.split("->")
            left, right = inputs.split(",")
            x = grid(name, [sizes[letter] for letter in left], ("l", config), 2)
            y = grid(name, [sizes[letter] for letter in right], ("r", config), 2)
            if name not in ("i32",):  # sums of small integers: their order is of no interest
                x.values = [self.whole(name, value) for value in x.values]
                y.values = [self.whole(name, value) for value in y.values]
            summed = [letter for letter in dict.fromkeys(left + right) if letter not in output]

            def element(index):
                where = dict(zip(output, index))
                pairs = []
                for rest in indices([sizes[letter] for letter in summed]):
                    where.update(zip(summed, rest))
                    pairs.append((x[[where[letter] for letter in left]], y[[where[letter] for letter in right]]))
                return sum_of_products(name, pairs)
            want = made([sizes[letter] for letter in output], element)
            got = rows.op(f'stablehlo.einsum {{}}, config = "{config}"', [constant(rows, name, x), constant(rows, name, y)], name, want.dims)
            expect(rows, got, want)
        self.check(rows)

    def whole(self, name, value):
        if name in COMPLEX:
            return tuple(Fraction(round(part)) for part in value)
        return Fraction(round(value))

    def test_unary_einsum(self):
        rows = Rows()
        sizes = dict(zip("ijk", (3, 2, 4)))
        for name, config in itertools.product(["f32", "i64"], ["ij->ji", "ij->i", "ij->j", "ij->", "ijk->kij", "ijk->kj", "i->i", "->"]):
            source, output = config.split("->")
            x = grid(name, [sizes[letter] for letter in source], config, 2)
            x.values = [self.whole(name, value) if name == "f32" else value for value in x.values]
            order = [source.index(letter) for letter in output]
            missing = [at for at in range(len(source)) if source[at] not in output]
            kept = [at for at in range(len(source)) if at not in missing]
            zero = Fraction(0) if name == "f32" else 0
            total = reduce(name, x, zero, missing, FOLDS["add"])
            want = made([sizes[letter] for letter in output],
                        lambda i: total[[dict(zip(order, i))[at] for at in kept]])
            expect(rows, rows.op(f'stablehlo.unary_einsum {{}}, config = "{config}"', [constant(rows, name, x)], name, want.dims), want)
        self.check(rows)

    def test_broadcasting_ops_stretch_like_numpy(self):
        rows = Rows()
        shapes = [([2, 3], [3]), ([2, 1], [1, 3]), ([], [2]), ([1], [2, 2]), ([2, 1, 3], [4, 1]), ([0, 3], [1]), ([2], []), ([1, 1], [1])]
        for name, (a, b) in itertools.product(["i32", "f32", "ui8", "bf16", "complex<f32>"], shapes):
            x, y = grid(name, a, "a", 2), grid(name, b, "b", 2)
            rank = max(len(a), len(b))
            padded = [[1] * (rank - len(each)) + each for each in (a, b)]
            dims = [q if p == 1 else p for p, q in zip(*padded)]

            def read(source, index):
                tail = index[rank - len(source.dims):]
                return source[[0 if size == 1 else at for size, at in zip(source.dims, tail)]]
            v, w = constant(rows, name, x), constant(rows, name, y)
            for op, function in ("add", add), ("multiply", multiply):
                want = made(dims, lambda i: function(name, read(x, i), read(y, i)))
                expect(rows, rows.op(f"chlo.broadcast_{op} {{}}", [v, w], name, dims), want)
            equal = made(dims, lambda i: read(x, i) == read(y, i))
            got = rows.op("chlo.broadcast_compare {} {comparison_direction = #chlo<comparison_direction EQ>}", [v, w], "i1", dims)
            expect(rows, got, equal)
        self.check(rows)


if __name__ == "__main__":
    unittest.main(argv=[__file__], verbosity=0)
