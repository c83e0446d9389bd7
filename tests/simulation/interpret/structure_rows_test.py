#!/usr/bin/env python3
"""Ops that move, fold, multiply and sort elements, with all element types, against loops over their indices.

usage: structure_rows_test.py SHARDY
"""
import unittest
from fractions import Fraction

from formats import ALL, COMPLEX, FLOATS, INF, NAN, is_integer, order_key, round_to, wrap
from reference import (FOLDS, Grid, folds_of, made, pad, reduce, reduce_window, select_and_scatter, sum_of_products)
from row_test import ARITHMETIC, RowTest, constant, expect, grid
from text_rows import Rows, fold_region, region


class Movement(RowTest):
    def test_each_type_is_moved(self):
        self.each_type(self.move)

    def move(self, rows, name):
        x = grid(name, [3, 4])
        v = constant(rows, name, x)

        def result(text, dims, place, operands=(v,)):
            expect(rows, rows.op(text, list(operands), name, dims), made(dims, place))
        result("stablehlo.transpose {}, dims = [1, 0]", [4, 3], lambda i: x[i[1], i[0]])
        result("stablehlo.reverse {}, dims = [0, 1]", [3, 4], lambda i: x[2 - i[0], 3 - i[1]])
        result("stablehlo.slice {} [1:3, 0:4:3]", [2, 2], lambda i: x[1 + i[0], 3 * i[1]])
        result("stablehlo.reshape {}", [2, 6], lambda i: x.values[i[0] * 6 + i[1]])
        result("stablehlo.broadcast_in_dim {}, dims = [2, 0]", [4, 2, 3], lambda i: x[i[2], i[0]])
        result("stablehlo.broadcast {}, sizes = [2]", [2, 3, 4], lambda i: x[i[1:]])
        result("stablehlo.concatenate {}, dim = 1", [3, 8], lambda i: x[i[0], i[1] % 4], (v, v))
        result('"stablehlo.optimization_barrier"({})', [3, 4], lambda i: x[i])
        fill = grid(name, [], 1)
        padded = pad(x, fill[()], [-1, 2], [1, -1], [1, 2])
        f = constant(rows, name, fill)
        expect(rows, rows.op("stablehlo.pad {}, low = [-1, 2], high = [1, -1], interior = [1, 2]", [v, f], name,
                             padded.dims), padded)
        low, high = rows.constant("i32", [], [-5]), rows.constant("i32", [], [7])
        result("stablehlo.dynamic_slice {}, sizes = [2, 3]", [2, 3], lambda i: x[i[0], i[1] + 1], (v, low, high))
        update = grid(name, [2, 1], 2)
        u = constant(rows, name, update)
        result("stablehlo.dynamic_update_slice {}", [3, 4],
               lambda i: update[i[0], 0] if i[0] < 2 and i[1] == 3 else x[i], (v, u, low, high))
        at = rows.constant("i64", [3, 1], [2, -1, 9])
        result('"stablehlo.gather"({}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], '
               'collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, '
               'slice_sizes = array<i64: 1, 4>}>', [3, 4], lambda i: x[(2, 0, 2)[i[0]], i[1]], (v, at))
        picked = rows.constant("ui8", [2], [3, 0])
        result('"stablehlo.torch_index_select"({}) <{batch_dims = 0 : i64, dim = 1 : i64}>', [3, 2],
               lambda i: x[i[0], (3, 0)[i[1]]], (v, picked))
        swap = region([("%a", name), ("%b", name)], [], [("%b", name)])
        result(f'"stablehlo.map"({{}}) <{{dimensions = array<i64: 0, 1>}}> {swap}', [3, 4], lambda i: x[i], (v, v))

    def test_iota_of_each_type(self):
        def body(rows, name):
            if name == "i1" or name == "f8E8M0FNU":
                return

            def counted(i):
                if name in COMPLEX:
                    return Fraction(i), Fraction(0)
                return wrap(name, i) if is_integer(name) else round_to(name, Fraction(i))
            for dims, dim in (([2, 3], 1), ([3, 2], 0), ([600], 0), ([0, 2], 1)):
                got = rows.op(f"stablehlo.iota dim = {dim}", [], name, dims)
                expect(rows, got, made(dims, lambda i: counted(i[dim])))
        rows = Rows()
        for name in ALL:
            body(rows, name)
        # iota has no operands: only its result type is written
        rows.lines = [line.replace(" : () -> (", " : ").removesuffix(")") if "stablehlo.iota" in line else line
                      for line in rows.lines]
        self.check(rows)

    def test_values_through_control_flow(self):
        self.each_type(self.control)

    def control(self, rows, name):
        x, y = grid(name, [2], 3), grid(name, [2], 4)
        a, b = constant(rows, name, x), constant(rows, name, y)
        kind = f"tensor<2x{name}>"
        for index, want in ((0, x), (1, y), (5, y), (-1, y)):
            i = rows.constant("i32", [], [index])
            branches = ", ".join("{\n    stablehlo.return " + f"{v[0]} : {kind}" + "\n  }" for v in (a, b))
            expect(rows, rows.op(f'"stablehlo.case"({{}}) ({branches})', [i], name, [2]), want)
        n, one, zero = (rows.constant("i32", [], [k]) for k in (3, 1, 0))
        got = rows.name()
        rows.lines.append(
            f"{got}:3 = stablehlo.while(%i{got[1:]} = {zero[0]}, %p{got[1:]} = {a[0]}, %q{got[1:]} = {b[0]}) : tensor<i32>, {kind}, {kind} "
            f"cond {{\n    %c = stablehlo.compare LT, %i{got[1:]}, {n[0]} : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
            f"    stablehlo.return %c : tensor<i1>\n  }} do {{\n    %j = stablehlo.add %i{got[1:]}, {one[0]} : tensor<i32>\n"
            f"    stablehlo.return %j, %q{got[1:]}, %p{got[1:]} : tensor<i32>, {kind}, {kind}\n  }}")
        expect(rows, (f"{got}#1", name, [2]), y)
        expect(rows, (f"{got}#2", name, [2]), x)


class Folds(RowTest):
    def test_reduce(self):
        def body(rows, name):
            x, init = grid(name, [3, 5], 1, 3), grid(name, [], 2, 3)
            v, c = constant(rows, name, x), constant(rows, name, init)
            for op in folds_of(name):
                for dims in ([0], [1], [0, 1], []):
                    want = reduce(name, x, init[()], dims, FOLDS[op])
                    text = f'"stablehlo.reduce"({{}}) <{{dimensions = array<i64{": " if dims else ""}{", ".join(map(str, dims))}>}}> {fold_region(op, name)}'
                    expect(rows, rows.op(text, [v, c], name, want.dims), want)
        self.each_type(body, ARITHMETIC)

    def test_reduce_of_numbers_that_are_none(self):
        rows = Rows()
        for name in FLOATS:
            for values in ([0, -0.0], [-0.0, -0.0], [1, NAN, -2], [INF, 1], [-INF, INF], [INF, NAN, 0], [0, INF]):
                values = [round_to(name, each) for each in values]
                for op in folds_of(name):
                    for first in (round_to(name, -0.0), round_to(name, 1), round_to(name, -INF)):
                        want = reduce(name, Grid([len(values)], values), first, [0], FOLDS[op])
                        v, c = rows.constant(name, [len(values)], values), rows.constant(name, [], [first])
                        text = f'"stablehlo.reduce"({{}}) <{{dimensions = array<i64: 0>}}> {fold_region(op, name)}'
                        got = rows.op(text, [v, c], name, [])
                        rows.expect(got, [round_to(name, want[()])])
        self.check(rows)

    def test_scatter(self):
        def body(rows, name):
            x, updates = grid(name, [4, 3], 5, 3), grid(name, [5, 3], 6, 3)
            places = [2, 0, 2, -1, 4]
            v, at, u = constant(rows, name, x), rows.constant("i32", [5, 1], places), constant(rows, name, updates)
            for op in folds_of(name):
                want = Grid(x.dims, x.values)
                for row, place in enumerate(places):
                    for column in range(3):
                        if 0 <= place < 4:
                            want[place, column] = FOLDS[op](name, want[place, column], updates[row, column])
                text = ('"stablehlo.scatter"({}) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], '
                        'inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> '
                        + fold_region(op, name))
                expect(rows, rows.op(text, [v, at, u], name, [4, 3]), want)
        self.each_type(body, ARITHMETIC)

    def test_reduce_window(self):
        configurations = [  # as of cumulative sums, pools, and with everything
            dict(window=[5], stride=[1], base=[1], dilation=[1], low=[4], high=[0]),
            dict(window=[2], stride=[2], base=[1], dilation=[1], low=[0], high=[0]),
            dict(window=[2], stride=[1], base=[2], dilation=[3], low=[2], high=[-1]),
        ]

        def body(rows, name):
            x, init = grid(name, [5], 7, 3), grid(name, [], 8, 3)
            v, c = constant(rows, name, x), constant(rows, name, init)
            for op in folds_of(name):
                for each in configurations:
                    want = reduce_window(name, x, init[()], FOLDS[op], **each)
                    attributes = (f"window_dimensions = array<i64: {each['window'][0]}>, window_strides = array<i64: {each['stride'][0]}>, "
                                  f"base_dilations = array<i64: {each['base'][0]}>, window_dilations = array<i64: {each['dilation'][0]}>, "
                                  f"padding = dense<[[{each['low'][0]}, {each['high'][0]}]]> : tensor<1x2xi64>")
                    text = f'"stablehlo.reduce_window"({{}}) <{{{attributes}}}> {fold_region(op, name)}'
                    expect(rows, rows.op(text, [v, c], name, want.dims), want)
        self.each_type(body, ARITHMETIC)

    def test_select_and_scatter(self):
        def body(rows, name):
            x, source, init = grid(name, [4, 4], 9, 3), grid(name, [2, 2], 10, 3), grid(name, [], 11, 1)
            v, s, c = constant(rows, name, x), constant(rows, name, source), constant(rows, name, init)
            select = region([("%l", name), ("%r", name)],
                            [f"%s = stablehlo.compare GE, %l, %r : (tensor<{name}>, tensor<{name}>) -> tensor<i1>"], [("%s", "i1")])
            want = select_and_scatter(name, x, source, init[()], FOLDS["add"], [3, 3], [2, 2], [1, 0])
            scatter = fold_region("add", name)
            text = ('"stablehlo.select_and_scatter"({}) <{window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 2, 2>, '
                    'padding = dense<[[1, 0], [0, 1]]> : tensor<2x2xi64>}> ' + select[:-1] + ", " + scatter[1:])
            expect(rows, rows.op(text, [v, s, c], name, [4, 4]), want)
        self.each_type(body, ARITHMETIC)


class Products(RowTest):
    def test_dot_general(self):
        def body(rows, name):
            x, y = grid(name, [2, 3, 4], 12), grid(name, [4, 2, 5], 13)
            a, b = constant(rows, name, x), constant(rows, name, y)
            want = made([2, 3, 5], lambda i: sum_of_products(name, [(x[i[0], i[1], k], y[k, i[0], i[2]]) for k in range(4)]))
            got = rows.op("stablehlo.dot_general {}, batching_dims = [0] x [1], contracting_dims = [2] x [0]", [a, b], name, want.dims)
            expect(rows, got, want)
            want = made([3, 2, 5, 2], lambda i: sum_of_products(name, [(x[i[1], i[0], 1], y[1, i[3], i[2]])]))
            left = rows.op("stablehlo.slice {} [0:2, 0:3, 1:2]", [a], name, [2, 3, 1])
            left = rows.op("stablehlo.reshape {}", [left], name, [2, 3])
            left = rows.op("stablehlo.transpose {}, dims = [1, 0]", [left], name, [3, 2])
            right = rows.op("stablehlo.slice {} [1:2, 0:2, 0:5]", [b], name, [1, 2, 5])
            right = rows.op("stablehlo.reshape {}", [right], name, [2, 5])
            right = rows.op("stablehlo.transpose {}, dims = [1, 0]", [right], name, [5, 2])
            expect(rows, rows.op("stablehlo.dot_general {}, contracting_dims = [] x []", [left, right], name, want.dims), want)
        self.each_type(body, ARITHMETIC)

    def test_dot_general_into_another_type(self):
        rows = Rows()
        pairs = [("f16", "f32"), ("bf16", "f32"), ("bf16", "f64"), ("f32", "f64"), ("f32", "f16"), ("f32", "bf16"), ("f64", "f32"),
                 ("i8", "i32"), ("i8", "i64"), ("ui8", "i32"), ("ui8", "ui32"), ("i32", "f32"), ("i64", "f64"), ("i4", "i8"), ("f8E4M3FN", "f32"),
                 ("f8E5M2", "f16"), ("f8E4M3FN", "bf16"), ("f32", "complex<f32>"), ("complex<f32>", "complex<f64>"), ("i16", "i8")]
        for source, target in pairs:
            x, y = grid(source, [3, 6], 14), grid(source, [6, 2], 15)
            a, b = constant(rows, source, x), constant(rows, source, y)

            def become(value):
                if target in COMPLEX:
                    parts = value if source in COMPLEX else (value, Fraction(0))
                    return tuple(round_to(COMPLEX[target], part) for part in parts)
                return wrap(target, int(value)) if is_integer(target) else round_to(target, value)
            want = made([3, 2], lambda i: sum_of_products(target, [(become(x[i[0], k]), become(y[k, i[1]])) for k in range(6)]))
            expect(rows, rows.op("stablehlo.dot_general {}, contracting_dims = [1] x [0]", [a, b], target, [3, 2]), want)
            expect(rows, rows.op("stablehlo.dot {}", [a, b], target, [3, 2]), want)
        self.check(rows)

    def test_convolution(self):
        def body(rows, name):
            x, kernel = grid(name, [1, 5, 2], 16), grid(name, [3, 2, 2], 17)
            a, b = constant(rows, name, x), constant(rows, name, kernel)
            zero = (Fraction(0), Fraction(0)) if name in COMPLEX else 0

            def products(i):
                for w in range(3):
                    at = i[1] * 2 + w - 1
                    for c in range(2):
                        yield (x[0, at, c] if 0 <= at < 5 else zero), kernel[2 - w, c, i[2]]
            want = made([1, 3, 2], lambda i: sum_of_products(name, list(products(i))))
            got = rows.op("stablehlo.convolution({}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 1]], "
                          "reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}", [a, b], name, [1, 3, 2])
            expect(rows, got, want)
        self.each_type(body, ARITHMETIC)


class Order(RowTest):
    def test_sort(self):
        def body(rows, name):
            x = grid(name, [3, 7], 18, 2)
            v = constant(rows, name, x)
            places = rows.constant("i16", [3, 7], list(range(7)) * 3)
            for direction, sign in ("LT", False), ("GT", True):
                less = region([(f"%{each}", kind) for each, kind in zip("abcd", (name, name, "i16", "i16"))],
                              [f"%s = stablehlo.compare {direction}, %a, %b : (tensor<{name}>, tensor<{name}>) -> tensor<i1>"], [("%s", "i1")])
                got = rows.ops(f'"stablehlo.sort"({{}}) <{{dimension = 1 : i64, is_stable = true}}> {less}', [v, places],
                               [(name, [3, 7]), ("i16", [3, 7])])
                want, order = [], []
                for row in range(3):
                    line = list(enumerate(x.values[row * 7:row * 7 + 7]))
                    line.sort(key=lambda pair: pair[1], reverse=sign)  # stable in both directions
                    order += [at for at, _ in line]
                    want += [value for _, value in line]
                rows.expect(got[0], want)
                rows.expect(got[1], order)
        self.each_type(body, ARITHMETIC)

    def test_sort_by_total_order(self):
        def body(rows, name):
            values = [round_to(name, each) for each in (1, NAN, -0.0, 0, -INF, 2, NAN, INF, -0.0, 0, -2)]
            v = rows.constant(name, [len(values)], values)
            places = rows.constant("i32", [len(values)], list(range(len(values))))
            for direction in "LT", "GT":
                less = region([(f"%{each}", kind) for each, kind in zip("abcd", (name, name, "i32", "i32"))],
                              [f"%s = stablehlo.compare {direction}, %a, %b, TOTALORDER : (tensor<{name}>, tensor<{name}>) -> tensor<i1>"],
                              [("%s", "i1")])
                got = rows.ops(f'"stablehlo.sort"({{}}) <{{dimension = 0 : i64}}> {less}', [v, places],
                               [(name, [len(values)]), ("i32", [len(values)])])
                order = sorted(range(len(values)), key=lambda at: order_key(name, values[at]), reverse=direction == "GT")
                rows.expect(got[0], [values[at] for at in order])
                rows.expect(got[1], order)
        self.each_type(body, FLOATS)

    def test_top_k(self):
        def body(rows, name):
            x = grid(name, [2, 9], 19, 2)
            if name in FLOATS:
                for at, value in enumerate((-0.0, NAN, INF, 0, -0.0, -INF, NAN)):
                    x[1, at] = round_to(name, value)
            v = constant(rows, name, x)
            for k in (1, 4, 9):
                values, places = rows.name(), []
                want = []
                for row in range(2):
                    line = sorted(enumerate(x.values[row * 9:row * 9 + 9]), key=lambda pair: order_key(name, pair[1]), reverse=True)[:k]
                    places += [at for at, _ in line]
                    want += [value for _, value in line]
                rows.lines.append(f"{values}:2 = chlo.top_k({v[0]}, k = {k}) : tensor<2x9x{name}> -> (tensor<2x{k}x{name}>, tensor<2x{k}xi32>)")
                rows.expect((f"{values}#0", name, [2, k]), want)
                rows.expect((f"{values}#1", "i32", [2, k]), places)
        self.each_type(body, [name for name in ARITHMETIC if name not in COMPLEX])


if __name__ == "__main__":
    unittest.main(argv=[__file__], verbosity=0)
