#!/usr/bin/env python3
"""Writes the programs of the parent folder: their inputs, and their expected results, computed by NumPy.

usage: generate.py FOLDER [NAME..]

Expected gradients are central differences of a forward pass in NumPy, independent of the gradients that the programs
compute. The script needs NumPy and SciPy; the build does not.
"""
import pathlib
import sys

import numpy as np
import scipy.linalg
import scipy.special
from stablehlo import Program

PROGRAMS = {}
F4, F8, I4, I8, U4, U8 = np.float32, np.float64, np.int32, np.int64, np.uint32, np.uint64


def program(function):
    PROGRAMS[function.__name__] = function
    return function


def slopes(function, arrays, step=1e-5):
    """Returns the central differences of a function of arrays, for each array."""
    found = []
    for k, array in enumerate(arrays):
        slope = np.zeros(array.shape)
        for index in np.ndindex(array.shape):
            moved = [np.array(each, dtype=F8) for each in arrays]
            moved[k][index] += step
            high = function(*moved)
            moved[k][index] -= 2 * step
            slope[index] = (high - function(*moved)) / (2 * step)
        found.append(slope)
    return found


def start(about, seed):
    return Program(sys._getframe(1).f_code.co_name, about), np.random.default_rng(seed)


# ---- Networks ------------------------------------------------------------------------------------

def softmax_np(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def softmax(p, x):
    last = len(x.shape) - 1
    keep = x.shape[:-1] + (1,)
    top = p.reshape(p.maximum_of(x, [last]), keep)
    top.source = None  # shifting by a number changes nothing
    e = p.unary("exponential", x - top)
    return e / p.reshape(p.reduce(e, [last]), keep)


def norm_np(x, scale, shift):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * scale + shift


def norm(p, x, scale, shift):
    last, size = len(x.shape) - 1, x.shape[-1]
    keep = x.shape[:-1] + (1,)
    centered = x - p.reshape(p.reduce(x, [last]), keep) / float(size)
    variance = p.reshape(p.reduce(centered * centered, [last]), keep) / float(size)
    return centered * p.unary("rsqrt", variance + 1e-5) * scale + shift


def block_np(x, wq, wk, wv, wo, scale, shift, w1, w2):
    h = norm_np(x, scale, shift)
    heads = wq.shape[1]
    q, k, v = (np.einsum("btd,dhe->bthe", h, w) for w in (wq, wk, wv))
    a = np.einsum("bqhe,bkhe->bhqk", q, k) / np.sqrt(wq.shape[2])
    mask = np.tril(np.ones((x.shape[1], x.shape[1]), bool))
    a = softmax_np(np.where(mask, a, -1e9))
    x = x + np.einsum("bqhe,hed->bqd", np.einsum("bhqk,bkhe->bqhe", a, v), wo)
    return x + np.tanh(x @ w1) @ w2


def block(p, x, wq, wk, wv, wo, scale, shift, w1, w2):
    h = norm(p, x, scale, shift)
    q, k, v = (p.einsum("btd,dhe->bthe", h, w) for w in (wq, wk, wv))
    a = p.einsum("bqhe,bkhe->bhqk", q, k) / float(np.sqrt(wq.shape[2]))
    t = x.shape[1]
    mask = p.compare("GE", p.iota((t, t), 0), p.iota((t, t), 1))
    a = softmax(p, p.select(p.stretch(mask, a.shape), a, p.full(-1e9, a.shape, a.dtype)))
    x = x + p.einsum("bqhe,hed->bqd", p.einsum("bhqk,bkhe->bqhe", a, v), wo)
    return x + p.einsum("btf,fd->btd", p.unary("tanh", p.einsum("btd,df->btf", x, w1)), w2)


@program
def transformer_train_step():
    p, random = start("A causal transformer block: loss, its gradients, and one step of Adam.", 1)
    b, t, d, h, e, f = 2, 3, 4, 2, 2, 5
    shapes = [(d, h, e)] * 3 + [(h, e, d), (d,), (d,), (d, f), (f, d)]
    x, target = random.normal(size=(b, t, d)), random.normal(size=(b, t, d))
    weights = [random.normal(size=s) * 0.5 for s in shapes]
    moments = [random.normal(size=s) * 0.1 for s in shapes]
    squares = [random.uniform(0.01, 0.1, size=s) for s in shapes]

    def loss_np(*ws):
        return ((block_np(x, *ws) - target) ** 2).sum() / x.size
    px, pt = p.input(x), p.input(target)
    ws, ms, vs = ([p.input(a) for a in group] for group in (weights, moments, squares))
    difference = block(p, px, *ws) - pt
    loss = p.reduce(difference * difference, [0, 1, 2]) / float(x.size)
    step, rate, b1, b2, eps = 3, 0.01, 0.9, 0.999, 1e-8
    p.expect(loss, loss_np(*weights), tolerance=1e-12)
    for w, m, v, g, w0, m0, v0, g0 in zip(ws, ms, vs, p.gradients(loss, ws), weights, moments, squares, slopes(loss_np, weights)):
        m1, v1 = m * b1 + g * (1 - b1), v * b2 + g * g * (1 - b2)
        ahead = m1 / (1 - b1 ** step) / (p.unary("sqrt", v1 / (1 - b2 ** step)) + eps)
        n1, u1 = b1 * m0 + (1 - b1) * g0, b2 * v0 + (1 - b2) * g0 * g0
        p.expect(g, g0, tolerance=1e-8)
        p.expect(w - ahead * rate, w0 - rate * (n1 / (1 - b1 ** step)) / (np.sqrt(u1 / (1 - b2 ** step)) + eps), tolerance=1e-8)
    return p


@program
def attention():
    p, random = start("Attention of two heads in f32.", 2)
    q, k, v = (random.normal(size=(2, 4, 2, 3)).astype(F4) for _ in range(3))
    pq, pk, pv = (p.input(a) for a in (q, k, v))
    a = softmax(p, p.einsum("bqhe,bkhe->bhqk", pq, pk) / float(np.sqrt(3)))
    want = np.einsum("bhqk,bkhe->bqhe", softmax_np(np.einsum("bqhe,bkhe->bhqk", *(z.astype(F8) for z in (q, k))) / np.sqrt(3)), v.astype(F8))
    p.expect(p.einsum("bhqk,bkhe->bqhe", a, pv), want, tolerance=1e-5)
    return p


@program
def mlp_gradients():
    p, random = start("Two layers with relu and cross entropy: loss and gradients.", 3)
    x, w1, b1, w2 = (random.normal(size=s) for s in [(4, 3), (3, 6), (6,), (6, 5)])
    labels = np.eye(5)[[0, 3, 2, 3]]

    def loss_np(w1, b1, w2):
        return -(labels * np.log(softmax_np(np.maximum(x @ w1 + b1, 0) @ w2))).sum() / 4
    px, pl = p.input(x), p.input(labels)
    ws = [p.input(a) for a in (w1, b1, w2)]
    hidden = p.binary("maximum", p.einsum("ij,jk->ik", px, ws[0]) + ws[1], 0.0)
    chosen = p.unary("log", softmax(p, p.einsum("ij,jk->ik", hidden, ws[2]))) * pl
    loss = -p.reduce(chosen, [0, 1]) / 4.0
    p.expect(loss, loss_np(w1, b1, w2), tolerance=1e-12)
    for g, g0 in zip(p.gradients(loss, ws), slopes(loss_np, [w1, b1, w2])):
        p.expect(g, g0, tolerance=1e-8)
    return p


def conv_np(x, w, stride=1, pad=1, dilation=1, groups=1):
    """NHWC, HWIO, by the definition."""
    x = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    kh, kw, ci, co = w.shape
    oh = (x.shape[1] - (kh - 1) * dilation - 1) // stride + 1
    ow = (x.shape[2] - (kw - 1) * dilation - 1) // stride + 1
    y = np.zeros((x.shape[0], oh, ow, co), np.result_type(x, w))
    for o in range(co):
        group = o // (co // groups)
        for i, j in np.ndindex(oh, ow):
            for u, v in np.ndindex(kh, kw):
                pixel = x[:, i * stride + u * dilation, j * stride + v * dilation, group * ci:(group + 1) * ci]
                y[:, i, j, o] += pixel @ w[u, v, :, o]
    return y


def conv3x3(p, x, w):
    """Same size, with its gradients as convolutions."""
    y = p.convolution(x, w, window="pad = [[1, 1], [1, 1]]", shape=x.shape[:3] + w.shape[3:])

    def back(g):
        flipped = p.reverse(w, [0, 1])
        gx = p.convolution(g, flipped, "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]", "pad = [[1, 1], [1, 1]]", x.shape)
        gw = p.convolution(x, g, "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]", "pad = [[1, 1], [1, 1]]", w.shape)
        return gx, gw
    y.source = ((x, w), back)
    return y


def batch_norm(p, x, scale, shift):
    c = [((x.shape[3],), x.dtype)]
    y, mean, variance = p.generic("batch_norm_training", [x, scale, shift], [(x.shape, x.dtype), *c, *c],
                                  "epsilon = 0.00999999977 : f32, feature_index = 3 : i64")
    y.source = ((x, scale, shift), lambda g: p.generic("batch_norm_grad", [x, scale, mean, variance, g], [(x.shape, x.dtype), *c, *c],
                                                       "epsilon = 0.00999999977 : f32, feature_index = 3 : i64"))
    return y


def batch_norm_np(x, scale, shift):
    mean = x.mean((0, 1, 2))
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean((0, 1, 2)) + float(F4(0.01))) * scale + shift


@program
def resnet_block():
    p, random = start("A residual block with batch norm, and its backward pass.", 4)
    x = random.normal(size=(2, 3, 4, 2))
    weights = [random.normal(size=s) for s in [(3, 3, 2, 2), (2,), (2,), (3, 3, 2, 2), (2,), (2,)]]
    probe = random.normal(size=x.shape)

    def loss_np(x, w1, s1, t1, w2, s2, t2):
        h = np.maximum(batch_norm_np(conv_np(x, w1), s1, t1), 0)
        return (np.maximum(batch_norm_np(conv_np(h, w2), s2, t2) + x, 0) * probe).sum()
    px, pp = p.input(x), p.input(probe)
    ws = [p.input(w) for w in weights]
    h = p.binary("maximum", batch_norm(p, conv3x3(p, px, ws[0]), *ws[1:3]), 0.0)
    y = p.binary("maximum", batch_norm(p, conv3x3(p, h, ws[3]), *ws[4:]) + px, 0.0)
    loss = p.reduce(y * pp, [0, 1, 2, 3])
    p.expect(loss, loss_np(x, *weights), tolerance=1e-11)
    for g, g0 in zip(p.gradients(loss, [px, *ws]), slopes(loss_np, [x, *weights])):
        p.expect(g, g0, tolerance=1e-6)
    return p


@program
def moe_layer():
    p, random = start("A mixture of experts: each token goes to the best of three, and is scaled by its gate.", 5)
    x, gate, w = random.normal(size=(6, 4)), random.normal(size=(4, 3)), random.normal(size=(3, 4, 4))
    scores = softmax_np(x @ gate)
    best = scores.argmax(1)
    want = np.stack([np.tanh(x[t] @ w[best[t]]) * scores[t, best[t]] for t in range(6)])
    px, pg, pw = p.input(x), p.input(gate), p.input(w)
    s = softmax(p, p.einsum("td,de->te", px, pg))
    top, index = p.new((6, 1), F8), p.new((6, 1), I4)
    p.line(f"{top.name}, {index.name} = chlo.top_k({s.name}, k = 1) : {s.type} -> ({top.type}, {index.type})")
    chosen = p.convert(p.compare("EQ", index, p.iota((6, 3), 1)), F8)
    sent = p.einsum("te,td->etd", chosen, px)
    done = p.unary("tanh", p.einsum("etd,edf->etf", sent, pw))
    p.expect(p.einsum("te,etf->tf", chosen * top, done), want, tolerance=1e-12)
    p.expect(p.reduce(chosen, [0]), np.bincount(best, minlength=3), tolerance=0.0)
    return p


@program
def lstm():
    p, random = start("An LSTM over six steps, as a loop that slices its input.", 6)
    xs, w, u, b = (random.normal(size=s) * 0.5 for s in [(6, 2, 3), (3, 16), (4, 16), (16,)])
    h, c, states = np.zeros((2, 4)), np.zeros((2, 4)), []
    sigmoid = scipy.special.expit
    for x in xs:
        i, f, g, o = np.split(x @ w + h @ u + b, 4, 1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    pxs, pw, pu, pb = (p.input(a) for a in (xs, w, u, b))
    zero = p.full(0, (2, 4), F8)

    def body(k, h, c, out):
        origin = p.const(0, I4)
        x = p.reshape(p.dynamic_slice(pxs, [k, origin, origin], [1, 2, 3]), (2, 3))
        z = p.einsum("bd,dk->bk", x, pw) + p.einsum("bd,dk->bk", h, pu) + pb
        i, f, g, o = (p.slice(z, [0, 4 * q], [2, 4 * q + 4]) for q in range(4))
        c = p.unary("logistic", f) * c + p.unary("logistic", i) * p.unary("tanh", g)
        h = p.unary("logistic", o) * p.unary("tanh", c)
        return h, c, p.dynamic_update_slice(out, p.reshape(h, (1, 2, 4)), [k, origin, origin])
    h1, c1, out = p.repeat(6, [zero, zero, p.full(0, (6, 2, 4), F8)], body)
    p.expect(h1, h, tolerance=1e-12)
    p.expect(c1, c, tolerance=1e-12)
    p.expect(out, np.stack(states), tolerance=1e-12)
    return p


@program
def embedding_gradient():
    p, random = start("Looking rows up by gather, and adding their gradients by scatter.", 7)
    table, grads = random.normal(size=(7, 3)), random.normal(size=(5, 3))
    ids = np.array([2, 6, 2, 0, 2], I4)
    pt, pi, pg = p.input(table), p.input(ids), p.input(grads)
    rows = p.gather(pt, p.reshape(pi, (5, 1)), "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1", [1, 3], (5, 3))
    p.expect(rows, table[ids])
    added = p.scatter(p.full(0, (7, 3), F8), p.reshape(pi, (5, 1)), pg,
                      "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1", lambda a, b: a + b)
    want = np.zeros((7, 3))
    np.add.at(want, ids, grads)
    p.expect(added, want, tolerance=1e-14)
    return p


@program
def max_pool_gradient():
    p, random = start("Max pooling by windows, its gradient by select_and_scatter.", 8)
    x = random.permutation(36).astype(F4).reshape(6, 6)
    g = random.integers(1, 9, size=(3, 3)).astype(F4)
    px, pg = p.input(x), p.input(g)
    pooled = p.reduce_window(px, "maximum", -np.inf, "window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>", (3, 3))
    p.expect(pooled, x.reshape(3, 2, 3, 2).max((1, 3)))
    scalar = ((), F4)
    back = p.generic("select_and_scatter", [px, pg, p.const(0, F4)], [((6, 6), F4)],
                     "window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>",
                     [([scalar, scalar], lambda a, b: p.compare("GE", a, b)), ([scalar, scalar], lambda a, b: a + b)])[0]
    want = np.zeros((6, 6), F4)
    for i, j in np.ndindex(3, 3):
        u, v = np.unravel_index(x[2 * i:2 * i + 2, 2 * j:2 * j + 2].argmax(), (2, 2))
        want[2 * i + u, 2 * j + v] = g[i, j]
    p.expect(back, want)
    return p


@program
def convolutions():
    p, random = start("Convolutions with strides, dilation and groups.", 9)
    x = random.integers(-4, 5, size=(2, 7, 6, 4)).astype(F4)
    px = p.input(x)
    for stride, pad, dilation, groups in (1, 0, 1, 1), (2, 1, 1, 1), (1, 2, 2, 1), (1, 1, 1, 2), (2, 1, 2, 4):
        w = random.integers(-3, 4, size=(3, 2, 4 // groups, 4)).astype(F4)
        want = conv_np(x.astype(F8), w.astype(F8), stride, pad, dilation, groups)
        window = f"stride = [{stride}, {stride}], pad = [[{pad}, {pad}], [{pad}, {pad}]], rhs_dilate = [{dilation}, {dilation}]"
        p.expect(p.convolution(px, p.input(w), window=window, shape=want.shape, groups=groups), want)
    return p


@program
def gelu_and_friends():
    p, random = start("Activation functions of f64 by CHLO and StableHLO.", 10)
    x = np.linspace(-4, 4, 17)
    px = p.input(x)
    p.expect(px * 0.5 * (1 + p.unary("erf", px * float(1 / np.sqrt(2)), "chlo")), x * scipy.special.ndtr(x), tolerance=1e-14)
    p.expect(p.unary("log_plus_one", p.unary("exponential", px)), np.log1p(np.exp(x)), tolerance=1e-14)
    p.expect(px * p.unary("logistic", px), x * scipy.special.expit(x), tolerance=1e-14)
    p.expect(p.select(p.compare("GT", px, 0.0), px, p.unary("exponential_minus_one", px)), np.where(x > 0, x, np.expm1(x)), tolerance=1e-14)
    p.expect(p.unary("lgamma", px + 5.0, "chlo"), scipy.special.gammaln(x + 5), tolerance=1e-13)
    return p


@program
def bf16_matmul():
    p, random = start("Small integers are exact in bf16, their products in f32.", 11)
    a, b = (random.integers(-8, 9, size=s).astype(F4) for s in [(5, 7), (7, 3)])
    pa, pb = p.input(a), p.input(b)
    names = []
    for x in pa, pb:
        p.count += 1
        name, kind = f"%v{p.count}", x.type.replace("f32", "bf16")
        p.line(f"{name} = stablehlo.convert {x.name} : ({x.type}) -> {kind}")
        names.append((name, kind))
    y = p.new((5, 3), F4)
    p.line(f"{y.name} = stablehlo.dot_general {names[0][0]}, {names[1][0]}, contracting_dims = [1] x [0] : ({names[0][1]}, {names[1][1]}) -> {y.type}")
    p.expect(y, a @ b)
    return p


# ---- Search and order ----------------------------------------------------------------------------

@program
def beam_search():
    p, random = start("Beam search over five steps of a Markov chain, the sequences reordered in a loop.", 12)
    width, steps, states = 3, 5, 6
    logits = random.normal(size=(states, states))
    table = np.log(softmax_np(logits))
    scores, sequences = np.array([0.0, -np.inf, -np.inf]), np.zeros((width, steps), I4)
    last = np.zeros(width, int)
    for step in range(steps):
        total = scores[:, None] + table[last]
        order = np.argsort(-total.reshape(-1), kind="stable")[:width]
        scores, parents, last = total.reshape(-1)[order], order // states, order % states
        sequences = sequences[parents]
        sequences[:, step] = last
    pt = p.input(table)
    first = p.const(np.array([0.0, -np.inf, -np.inf]))

    def body(k, scores, last, sequences):
        rows = p.gather(pt, p.reshape(last, (width, 1)), "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1", [1, states], (width, states))
        total = p.reshape(p.reshape(scores, (width, 1)) + rows, (width * states,))
        best, order = p.new((width,), F8), p.new((width,), I4)
        p.line(f"{best.name}, {order.name} = chlo.top_k({total.name}, k = {width}) : {total.type} -> ({best.type}, {order.type})")
        parents = p.binary("divide", order, states)
        last = p.binary("remainder", order, states)
        moved = p.gather(sequences, p.reshape(parents, (width, 1)), "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1", [1, steps], (width, steps))
        return best, last, p.dynamic_update_slice(moved, p.reshape(last, (width, 1)), [p.const(0, I4), k])
    out = p.repeat(steps, [first, p.full(0, (width,), I4), p.full(0, (width, steps), I4)], body)
    p.expect(out[0], scores, tolerance=1e-12)
    p.expect(out[2], sequences)
    return p


@program
def sort_by_key():
    p, random = start("Sorting pairs by key, then by value, rows and columns; ranks by sorting twice.", 13)
    keys, values = random.integers(0, 4, size=(3, 8)).astype(I4), random.normal(size=(3, 8)).astype(F4)
    pk, pv = p.input(keys), p.input(values)

    def less(a, b, x, y):
        equal = p.compare("EQ", a, b)
        return p.select(equal, p.compare("LT", x, y), p.compare("LT", a, b))
    k, v = p.sort([pk, pv], 1, less)
    order = np.stack([np.lexsort((values[r], keys[r])) for r in range(3)])
    p.expect(k, np.take_along_axis(keys, order, 1))
    p.expect(v, np.take_along_axis(values, order, 1))
    p.expect(p.sort([pv], 0, lambda a, b: p.compare("GT", a, b))[0], -np.sort(-values, 0))
    index = p.iota((3, 8), 1)
    _, places = p.sort([pv, index], 1, lambda a, b, x, y: p.compare("LT", a, b))
    _, ranks = p.sort([places, index], 1, lambda a, b, x, y: p.compare("LT", a, b))
    p.expect(ranks, values.argsort(1).argsort(1))
    return p


@program
def top_k():
    p, random = start("The largest elements of each row, the first of equal ones first.", 14)
    x = random.integers(-5, 6, size=(3, 9)).astype(F4)
    px = p.input(x)
    v, i = p.new((3, 4), F4), p.new((3, 4), I4)
    p.line(f"{v.name}, {i.name} = chlo.top_k({px.name}, k = 4) : {px.type} -> ({v.type}, {i.type})")
    order = np.argsort(-x, 1, kind="stable")[:, :4]
    p.expect(v, np.take_along_axis(x, order, 1))
    p.expect(i, order)
    return p


@program
def argmax():
    p, random = start("The largest element and its index, in one reduce of two operands.", 15)
    x = random.integers(0, 5, size=(4, 6)).astype(F4)
    px, index = p.input(x), p.iota((4, 6), 1)
    low, none = p.const(-np.inf, F4), p.const(0, I4)
    value, place = p.new((4,), F4), None
    p.count += 1
    base = f"%v{p.count}"
    p.line(f"{base}:2 = stablehlo.reduce({px.name} init: {low.name}), ({index.name} init: {none.name}) across dimensions = [1] : "
           f"({px.type}, {index.type}, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)")
    p.line(" reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {")
    with p.indented():
        p.line("%gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>")
        p.line("%eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>")
        p.line("%lt = stablehlo.compare LT, %i, %j : (tensor<i32>, tensor<i32>) -> tensor<i1>")
        p.line("%first = stablehlo.and %eq, %lt : tensor<i1>")
        p.line("%keep = stablehlo.or %gt, %first : tensor<i1>")
        p.line("%x = stablehlo.select %gt, %a, %b : tensor<i1>, tensor<f32>")
        p.line("%k = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i32>")
        p.line("stablehlo.return %x, %k : tensor<f32>, tensor<i32>")
    p.line("}")
    value.name = base + "#0"
    place = type(value)(p, base + "#1", (4,), I4)
    p.expect(value, x.max(1))
    p.expect(place, x.argmax(1))
    return p


@program
def binary_search():
    p, random = start("Where values belong in a sorted list, all searched at once in a loop.", 16)
    table, wanted = np.sort(random.integers(0, 50, 20)).astype(I8), random.integers(-5, 60, 12).astype(I8)
    pt, pw = p.input(table), p.input(wanted)

    def body(_, low, high):
        active = p.compare("LT", low, high)
        middle = p.binary("divide", low + high, 2)
        seen = p.gather(pt, p.reshape(middle, (12, 1)), "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1", [1], (12,))
        right = p.binary("and", p.compare("LT", seen, pw), active)
        left = p.binary("and", p.compare("GE", seen, pw), active)
        return p.select(right, middle + 1, low), p.select(left, middle, high)
    low, _ = p.repeat(6, [p.full(0, (12,), I8), p.full(20, (12,), I8)], body)
    p.expect(low, np.searchsorted(table, wanted))
    return p


@program
def median_filter():
    p, random = start("The median of each window of five, by sorting what shifted slices hold.", 17)
    x = random.normal(size=20).astype(F4)
    px = p.input(x)
    stack = p.concat([p.reshape(p.slice(px, [k], [k + 16]), (16, 1)) for k in range(5)], 1)
    ordered = p.sort([stack], 1, lambda a, b: p.compare("LT", a, b))[0]
    p.expect(p.reshape(p.slice(ordered, [0, 2], [16, 3]), (16,)), np.median(np.lib.stride_tricks.sliding_window_view(x, 5), 1))
    return p


@program
def histogram():
    p, random = start("Counting into bins by scatter; what is out of range is dropped.", 18)
    bins = random.integers(-2, 10, size=30).astype(I4)
    counts = p.scatter(p.full(0, (8,), I4), p.reshape(p.input(bins), (30, 1)), p.full(1, (30,), I4),
                       "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1", lambda a, b: a + b)
    p.expect(counts, np.bincount(bins[(bins >= 0) & (bins < 8)], minlength=8))
    return p


# ---- Linear algebra ------------------------------------------------------------------------------

def cholesky(p, a):
    y = p.new(a.shape, a.dtype)
    p.line(f"{y.name} = stablehlo.cholesky {a.name}, lower = true : {y.type}")
    return y


def solve(p, a, b, transposed):
    kind = "TRANSPOSE" if transposed else "NO_TRANSPOSE"
    return p.generic("triangular_solve", [a, b], [(b.shape, b.dtype)],
                     f"left_side = true, lower = true, transpose_a = #stablehlo<transpose {kind}>, unit_diagonal = false")[0]


@program
def least_squares():
    p, random = start("Least squares by the normal equations and a Cholesky factor.", 19)
    a, b = random.normal(size=(9, 4)), random.normal(size=(9, 2))
    pa, pb = p.input(a), p.input(b)
    factor = cholesky(p, p.einsum("ki,kj->ij", pa, pa))
    x = solve(p, factor, solve(p, factor, p.einsum("ki,kj->ij", pa, pb), False), True)
    p.expect(factor, np.linalg.cholesky(a.T @ a), tolerance=1e-12)
    p.expect(x, np.linalg.lstsq(a, b, rcond=None)[0], tolerance=1e-11)
    return p


@program
def gaussian_process():
    p, random = start("The mean, variance and evidence of a Gaussian process.", 20)
    x, y, q = np.linspace(0, 3, 6), random.normal(size=6), np.array([0.25, 1.4, 5.0])
    kernel = lambda a, b: np.exp(-0.5 * (a[:, None] - b[None]) ** 2)
    k = kernel(x, x) + 0.1 * np.eye(6)
    px, py, pq = p.input(x), p.input(y), p.input(q)

    def gram(a, b):
        d = p.reshape(a, (a.shape[0], 1)) - p.reshape(b, (1, b.shape[0]))
        return p.unary("exponential", d * d * -0.5)
    eye = p.convert(p.compare("EQ", p.iota((6, 6), 0), p.iota((6, 6), 1)), F8)
    factor = cholesky(p, gram(px, px) + eye * 0.1)
    z = solve(p, factor, p.reshape(py, (6, 1)), False)
    cross = solve(p, factor, gram(px, pq), False)
    p.expect(p.einsum("kq,ko->qo", cross, z), (kernel(q, x) @ np.linalg.solve(k, y))[:, None], tolerance=1e-12)
    p.expect(1 - p.reduce(cross * cross, [0]), 1 - np.einsum("qi,ij,qj->q", kernel(q, x), np.linalg.inv(k), kernel(q, x)), tolerance=1e-12)
    evidence = p.reduce(z * z, [0, 1]) * -0.5 - p.reduce(p.unary("log", p.reduce(factor * eye, [1])), [0])
    p.expect(evidence, -0.5 * y @ np.linalg.solve(k, y) - 0.5 * np.linalg.slogdet(k)[1], tolerance=1e-11)
    return p


@program
def conjugate_gradients():
    p, random = start("Solving a linear system until the residual is small.", 21)
    m = random.normal(size=(6, 6))
    a, b = m @ m.T + 6 * np.eye(6), random.normal(size=6)
    pa, pb = p.input(a), p.input(b)
    dot = lambda u, v: p.reduce(u * v, [0])

    def body(x, r, d, rho):
        q = p.einsum("ij,j->i", pa, d)
        alpha = rho / dot(d, q)
        r1 = r - alpha * q
        rho1 = dot(r1, r1)
        return x + alpha * d, r1, r1 + (rho1 / rho) * d, rho1
    out = p.loop([p.full(0, (6,), F8), pb, pb, dot(pb, pb)], lambda x, r, d, rho: p.compare("GT", rho, 1e-24), body)
    p.expect(out[0], np.linalg.solve(a, b), tolerance=1e-10)
    return p


@program
def power_iteration():
    p, random = start("The largest eigenvalue of a symmetric matrix.", 22)
    q = np.linalg.qr(random.normal(size=(5, 5)))[0]
    a = (q * [5, 2, 1, 0.5, -1]) @ q.T
    pa = p.input(a)

    def body(_, v):
        w = p.einsum("ij,j->i", pa, v)
        return (w * p.unary("rsqrt", p.reduce(w * w, [0])),)
    v = p.repeat(60, [p.full(1, (5,), F8)], body)[0]
    p.expect(p.reduce(v * p.einsum("ij,j->i", pa, v), [0]), 5.0, tolerance=1e-10)
    return p


@program
def lu_determinant():
    p, random = start("The determinant by elimination with the largest pivot, rows exchanged by gather.", 23)
    a = random.normal(size=(5, 5))
    size = 5

    def body(k, m, sign):
        rows = p.iota((size,), 0)
        zero = p.const(0, I4)
        column = p.reshape(p.dynamic_slice(m, [zero, k], [size, 1]), (size,))
        usable = p.select(p.compare("GE", rows, k), p.unary("abs", column), p.full(-1, (size,), F8))
        is_best = p.compare("EQ", usable, p.maximum_of(usable, [0]))
        pivot = p.reduce(p.select(is_best, rows, p.full(size, (size,), I4)), [0], "minimum", np.iinfo(I4).max)
        order = p.select(p.compare("EQ", rows, k), p.stretch(pivot, (size,)), p.select(p.compare("EQ", rows, pivot), p.stretch(k, (size,)), rows))
        m = p.gather(m, p.reshape(order, (size, 1)), "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1", [1, size], (size, size))
        row = p.dynamic_slice(m, [k, zero], [1, size])
        lead = p.dynamic_slice(m, [k, k], [1, 1])
        factors = p.dynamic_slice(m, [zero, k], [size, 1]) / p.stretch(lead, (size, 1))
        below = p.reshape(p.convert(p.compare("GT", rows, k), F8), (size, 1))
        swapped = p.compare("NE", pivot, k)
        return m - p.stretch(below * factors, (size, size)) * row, p.select(swapped, -sign, sign)
    m, sign = p.repeat(size, [p.input(a), p.full(1, (), F8)], body)
    eye = p.compare("EQ", p.iota((size, size), 0), p.iota((size, size), 1))
    diagonal = p.reduce(p.select(eye, m, p.full(0, (size, size), F8)), [1])
    p.expect(sign * p.reduce(diagonal, [0], "multiply", 1), np.linalg.det(a), tolerance=1e-11)
    return p


@program
def matrix_power():
    p, _ = start("Fibonacci numbers by squaring a matrix, the bits of the exponent taken in a loop.", 24)
    base = p.const(np.array([[1, 1], [1, 0]], I8))

    def body(n, square, result):
        is_odd = p.compare("EQ", p.binary("and", n, 1), 1)
        taken = p.generic("if", [is_odd], [((2, 2), I8)], regions=[
            ([], lambda: p.einsum("ij,jk->ik", result, square)), ([], lambda: result)])[0]
        return p.binary("shift_right_logical", n, 1), p.einsum("ij,jk->ik", square, square), taken
    out = p.loop([p.const(90, I8), base, p.const(np.eye(2, dtype=I8))], lambda n, s, r: p.compare("GT", n, 0), body)[2]
    a, b = 0, 1
    for _ in range(90):
        a, b = b, a + b
    p.expect(p.reshape(p.slice(out, [0, 1], [1, 2]), ()), a)
    return p


@program
def page_rank():
    p, random = start("Page rank of a small graph until it changes no more.", 25)
    links = (random.uniform(size=(7, 7)) < 0.4).astype(F8) + np.eye(7)[[1, 2, 3, 4, 5, 6, 0]]
    links = np.minimum(links, 1)
    step = 0.85 * (links / links.sum(1, keepdims=True)).T + 0.15 / 7
    want = np.linalg.eig(step)
    want = np.real(want[1][:, want[0].real.argmax()])
    ps = p.input(links)
    scale = ps / p.reshape(p.reduce(ps, [1]), (7, 1))

    def body(rank, _):
        new = p.einsum("ij,i->j", scale, rank) * 0.85 + 0.15 / 7
        return new, p.reduce(p.unary("abs", new - rank), [0])
    rank, _ = p.loop([p.full(1 / 7, (7,), F8), p.full(1, (), F8)], lambda r, change: p.compare("GT", change, 1e-15), body)
    p.expect(rank, want / want.sum(), tolerance=1e-12)
    return p


@program
def shortest_paths():
    p, random = start("All shortest paths of a directed graph, by squaring in the algebra of min and plus.", 26)
    cost = np.where(random.uniform(size=(6, 6)) < 0.5, random.integers(1, 20, size=(6, 6)), np.inf)
    np.fill_diagonal(cost, 0)
    want = cost.copy()
    for k in range(6):
        want = np.minimum(want, want[:, k:k + 1] + want[k:k + 1])

    def body(_, d):
        return (p.reduce(p.reshape(d, (6, 6, 1)) + p.reshape(d, (1, 6, 6)), [1], "minimum", np.inf),)
    p.expect(p.repeat(3, [p.input(cost)], body)[0], want)
    return p


# ---- Signals, numbers, simulation ----------------------------------------------------------------

def fft(p, x, kind, length, shape, dtype):
    return p.op("fft", [x], shape, dtype, f", type = {kind}, length = {list(length)}")


@program
def fft_convolution():
    p, random = start("A convolution as a product of spectra.", 27)
    x, h = random.normal(size=24), random.normal(size=9)
    zero = p.const(0.0, F8)
    spectra = [fft(p, p.pad(p.input(a), zero, [0], [32 - a.size]), "RFFT", [32], (17,), np.complex128) for a in (x, h)]
    y = fft(p, spectra[0] * spectra[1], "IRFFT", [32], (32,), F8)
    p.expect(y, np.convolve(x, h), tolerance=1e-12)
    return p


@program
def fft_2d():
    p, random = start("A spectrum in two dims and back, of sizes that are not powers of two.", 28)
    x = random.normal(size=(2, 6, 5)) + 1j * random.normal(size=(2, 6, 5))
    y = fft(p, p.input(x), "FFT", [6, 5], x.shape, x.dtype)
    back = fft(p, y, "IFFT", [6, 5], x.shape, x.dtype)
    p.expect(y, np.fft.fft2(x), tolerance=1e-11)
    p.expect(back, x, tolerance=1e-12)
    return p


@program
def cumulative_sums():
    p, random = start("Running sums: by windows, by a loop, and by doubling steps.", 29)
    x = random.integers(-9, 10, size=12).astype(I8)
    px = p.input(x)
    p.expect(p.reduce_window(px, "add", 0, "padding = dense<[[11, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 12>", (12,)), np.cumsum(x))

    def body(k, total, out):
        total = total + p.reshape(p.dynamic_slice(px, [k], [1]), ())
        return total, p.dynamic_update_slice(out, p.reshape(total, (1,)), [k])
    p.expect(p.repeat(12, [p.const(0, I8), p.full(0, (12,), I8)], body)[1], np.cumsum(x))
    y, zero = px, p.const(0, I8)
    for step in 1, 2, 4, 8:
        y = y + p.slice(p.pad(y, zero, [step], [0]), [0], [12])
    p.expect(y, np.cumsum(x))
    return p


@program
def game_of_life():
    p, _ = start("A glider of Conway's game of life over twelve generations on a torus of 8 by 8.", 30)
    board = np.zeros((8, 8), I4)
    for i, j in (0, 1), (1, 2), (2, 0), (2, 1), (2, 2):
        board[i, j] = 1
    want = np.roll(board, (3, 3), (0, 1))  # a glider moves by one in four generations

    def wrapped(x):
        x = p.concat([p.slice(x, [7, 0], [8, 8]), x, p.slice(x, [0, 0], [1, 8])], 0)
        return p.concat([p.slice(x, [0, 7], [10, 8]), x, p.slice(x, [0, 0], [10, 1])], 1)

    def body(_, x):
        near = p.reduce_window(wrapped(x), "add", 0, "window_dimensions = array<i64: 3, 3>", (8, 8)) - x
        born = p.compare("EQ", near, 3)
        stays = p.binary("and", p.compare("EQ", near, 2), p.compare("EQ", x, 1))
        return (p.convert(p.binary("or", born, stays), I4),)
    p.expect(p.repeat(12, [p.input(board)], body)[0], want)
    return p


@program
def mandelbrot():
    p, _ = start("Steps until z * z + c leaves the disc, in complex arithmetic.", 31)
    c = (np.linspace(-2, 0.6, 9)[None, :] + 1j * np.linspace(-1.1, 1.1, 7)[:, None])
    z, want = np.zeros_like(c), np.zeros(c.shape, I4)
    for _ in range(20):
        z = np.where(np.abs(z) <= 2, z * z + c, z)
        want += np.abs(z) <= 2
    pc = p.input(c)

    def size(z):
        y = p.new(z.shape, F8)
        p.line(f"{y.name} = stablehlo.abs {z.name} : ({z.type}) -> {y.type}")
        return y

    def body(_, z, count):
        z = p.select(p.compare("LE", size(z), 2.0), z * z + pc, z)
        return z, count + p.convert(p.compare("LE", size(z), 2.0), I4)
    out = p.repeat(20, [p.full(0, c.shape, c.dtype), p.full(0, c.shape, I4)], body)
    p.expect(out[1], want)
    return p


@program
def sieve():
    p, _ = start("The primes below 60, struck out in a loop.", 32)
    n = 60
    numbers = p.iota((n,), 0)

    def body(k, is_prime):
        k = k + 2
        strikes = p.binary("and", p.compare("EQ", p.binary("remainder", numbers, k), 0), p.compare("GT", numbers, k))
        return (p.binary("and", is_prime, p.unary("not", strikes)),)
    primes = p.repeat(7, [p.compare("GE", numbers, 2)], body)[0]
    p.expect(primes, [m > 1 and all(m % q for q in range(2, m)) for m in range(n)])
    p.expect(p.reduce(p.convert(primes, I4), [0]), 17)
    return p


@program
def greatest_common_divisors():
    p, random = start("Euclid's algorithm on all pairs at once, until no remainder is left.", 33)
    a, b = random.integers(1, 500, 10).astype(I4), random.integers(1, 500, 10).astype(I4)

    def body(a, b):
        more = p.compare("NE", b, 0)
        divisor = p.select(more, b, p.full(1, (10,), I4))
        return p.select(more, b, a), p.select(more, p.binary("remainder", a, divisor), b)
    out = p.loop([p.input(a), p.input(b)], lambda a, b: p.compare("GT", p.reduce(b, [0], "maximum", 0), 0), body)
    p.expect(out[0], np.gcd(a, b))
    return p


@program
def collatz():
    p, _ = start("The length of Collatz sequences, the cases of odd and even chosen by case.", 34)
    starts = [1, 7, 27, 97]
    step = p.function("next", [((), I8)], lambda n: p.generic("case", [p.convert(p.binary("and", n, 1), I4)], [((), I8)], regions=[
        ([], lambda: p.binary("shift_right_logical", n, 1)), ([], lambda: n * 3 + 1)])[0])
    for first in starts:
        out = p.loop([p.const(first, I8), p.const(0, I4)], lambda n, _: p.compare("GT", n, 1), lambda n, count: (step(n), count + 1))
        length, n = 0, first
        while n > 1:
            n, length = (n // 2, length + 1) if n % 2 == 0 else (3 * n + 1, length + 1)
        p.expect(out[1], length)
    return p


@program
def runge_kutta():
    p, _ = start("An ellipse of two bodies in 200 steps of fourth order: energy and place after a turn.", 35)
    steps, h = 200, 2 * np.pi / 200

    def slope(x, v):
        r = p.unary("rsqrt", p.reduce(x * x, [0]))
        return v, -x * (r * r * r)

    def body(_, x, v):
        k1 = slope(x, v)
        k2 = slope(x + k1[0] * (h / 2), v + k1[1] * (h / 2))
        k3 = slope(x + k2[0] * (h / 2), v + k2[1] * (h / 2))
        k4 = slope(x + k3[0] * h, v + k3[1] * h)
        total = lambda q: (k1[q] + k2[q] * 2.0 + k3[q] * 2.0 + k4[q]) * (h / 6)
        return x + total(0), v + total(1)
    x, v = p.repeat(steps, [p.const(np.array([1.0, 0.0])), p.const(np.array([0.0, 1.0]))], body)
    # On a circle of radius 1 and speed 1 a turn takes 2 pi.
    p.expect(x, [1, 0], tolerance=1e-6)
    p.expect(v, [0, 1], tolerance=1e-6)
    return p


@program
def random_walk():
    p, _ = start("Bits of Threefry, uniform numbers of them, and their sums.", 36)

    def threefry(key, counter):
        rotations = [[13, 15, 26, 6], [17, 29, 16, 24]]
        mask = 0xFFFFFFFF
        k = [key & mask, key >> 32]
        k.append(k[0] ^ k[1] ^ 0x1BD11BDA)
        x = [((counter & mask) + k[0]) & mask, ((counter >> 32) + k[1]) & mask]
        for g in range(5):
            for r in rotations[g % 2]:
                x[0] = (x[0] + x[1]) & mask
                x[1] = ((x[1] << r | x[1] >> (32 - r)) & mask) ^ x[0]
            x = [(x[0] + k[(g + 1) % 3]) & mask, (x[1] + k[(g + 2) % 3] + g + 1) & mask]
        return x[0] | x[1] << 32
    state = p.const(np.array([42, 7], U8))
    after, bits = p.generic("rng_bit_generator", [state], [((2,), U8), ((10,), U8)], "rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>")
    want = np.array([threefry(42, 7 + k) for k in range(10)], U8)
    p.expect(bits, want)
    p.expect(after, np.array([42, 17], U8))
    uniform = p.convert(p.binary("shift_right_logical", bits, 11), F8) * 2.0 ** -53
    p.expect(uniform, (want >> U8(11)).astype(F8) * 2.0 ** -53)
    walk = p.reduce_window(uniform - 0.5, "add", 0, "padding = dense<[[9, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 10>", (10,))
    p.expect(walk, np.cumsum((want >> U8(11)).astype(F8) * 2.0 ** -53 - 0.5), tolerance=1e-14)
    return p


@program
def bit_tricks():
    p, random = start("Counting bits, reversing them, Gray codes, and rounding up to powers of two.", 37)
    x = np.concatenate([[0, 1, 2**32 - 1], random.integers(0, 2**32, 9)]).astype(U4)
    px = p.input(x)
    shift = lambda v, n: p.binary("shift_right_logical", v, n)
    y = px
    for step, mask in (1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF), (16, 0x0000FFFF):
        y = p.binary("or", p.binary("and", shift(y, step), mask), p.binary("shift_left", p.binary("and", y, mask), step))
    p.expect(y, [int(f"{v:032b}"[::-1], 2) for v in x])
    p.expect(p.unary("popcnt", px), [bin(v).count("1") for v in x])
    p.expect(p.unary("count_leading_zeros", px), [32 - int(v).bit_length() for v in x])
    p.expect(p.binary("xor", px, shift(px, 1)), x ^ (x >> U4(1)))
    return p


@program
def edit_distance():
    p, _ = start("The edit distance of two words: rows of a table in a loop over a loop.", 38)
    a, b = (np.frombuffer(w, np.uint8).astype(I4) for w in (b"kitten on mats", b"sitting on hats"))
    n, m = a.size, b.size
    table = np.zeros((n + 1, m + 1), int)
    table[0], table[:, 0] = np.arange(m + 1), np.arange(n + 1)
    for i in range(n):
        for j in range(m):
            table[i + 1, j + 1] = min(table[i, j] + (a[i] != b[j]), table[i, j + 1] + 1, table[i + 1, j] + 1)
    pa, pb = p.input(a), p.input(b)
    one = lambda x, k: p.reshape(p.dynamic_slice(x, [k], [1]), ())

    def row(i, above):
        letter = one(pa, i)

        def cell(j, out):
            cost = p.convert(p.compare("NE", letter, one(pb, j)), I4)
            best = p.binary("minimum", one(above, j) + cost, p.binary("minimum", one(above, j + 1), one(out, j)) + 1)
            return (p.dynamic_update_slice(out, p.reshape(best, (1,)), [j + 1]),)
        begun = p.dynamic_update_slice(above, p.reshape(i + 1, (1,)), [p.const(0, I4)])
        return (p.repeat(m, [begun], cell)[0],)
    last = p.repeat(n, [p.iota((m + 1,), 0)], row)[0]
    p.expect(last, table[n])
    return p


@program
def k_means():
    p, random = start("Ten rounds of clustering points around three centers.", 39)
    points = np.concatenate([random.normal(size=(6, 2)) + center for center in ([0, 6], [6, 0], [-6, -6])])
    centers = points[[0, 7, 13]]
    want = centers.copy()
    for _ in range(10):
        near = ((points[:, None] - want[None]) ** 2).sum(-1).argmin(1)
        want = np.stack([points[near == k].mean(0) for k in range(3)])
    pp, pc = p.input(points), p.input(centers)

    def body(_, centers):
        d = p.reshape(pp, (18, 1, 2)) - p.reshape(centers, (1, 3, 2))
        distance = p.reduce(d * d, [2])
        is_near = p.convert(p.compare("EQ", distance, p.reshape(p.reduce(distance, [1], "minimum", np.inf), (18, 1))), F8)
        return (p.einsum("nk,nd->kd", is_near, pp) / p.reshape(p.reduce(is_near, [0]), (3, 1)),)
    p.expect(p.repeat(10, [pc], body)[0], want, tolerance=1e-12)
    return p


@program
def heat_equation():
    p, _ = start("Heat on a rod, by explicit steps: a sine wave decays and keeps its form.", 40)
    n, steps, factor = 17, 50, 0.25
    x = np.sin(np.pi * np.arange(n) / (n - 1))
    zero = p.const(0.0, F8)

    def body(_, u):
        inner = p.slice(u, [1], [n - 1])
        inner = inner + (p.slice(u, [0], [n - 2]) - inner * 2.0 + p.slice(u, [2], [n])) * factor
        return (p.pad(inner, zero, [1], [1]),)
    decay = (1 - 4 * factor * np.sin(np.pi / (2 * (n - 1))) ** 2) ** steps
    p.expect(p.repeat(steps, [p.input(x)], body)[0], x * decay, tolerance=1e-13)
    return p


# ---- Several processes ---------------------------------------------------------------------------

CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"


def all_reduce(p, x, group):
    scalar = ((), x.dtype)
    groups = f"dense<[[{', '.join(map(str, group))}]]> : tensor<1x{len(group)}xi64>"
    return p.generic("all_reduce", [x], [(x.shape, x.dtype)], f"{CHANNEL}, replica_groups = {groups}, use_global_device_ids",
                     [([scalar, scalar], lambda a, b: a + b)])[0]


def run_parallel(p, name, count, operands, results):
    return p.generic("interpreter.run_parallel", operands, results, f"programs = [[{', '.join([f'@{name}'] * count)}]]")


@program
def data_parallel_step():
    p, random = start("A step of linear regression on four processes that add up their gradients.", 41)
    x, y, w = random.normal(size=(8, 3)), random.normal(size=8), random.normal(size=3)

    def body(x, y, w):
        error = p.einsum("ij,j->i", x, w) - y
        return w - all_reduce(p, p.einsum("ij,i->j", x, error), range(4)) * (0.1 / 8)
    p.function("step", [((2, 3), F8), ((2,), F8), ((3,), F8)], body)
    px, py, pw = p.input(x), p.input(y), p.input(w)
    operands = []
    for k in range(4):
        operands += [p.slice(px, [2 * k, 0], [2 * k + 2, 3]), p.slice(py, [2 * k], [2 * k + 2]), pw]
    for new in run_parallel(p, "step", 4, operands, [((3,), F8)] * 4):
        p.expect(new, w - 0.1 / 8 * x.T @ (x @ w - y), tolerance=1e-14)
    return p


@program
def ring_matmul():
    p, random = start("A product of matrices on three processes: blocks of rows go around in a ring.", 42)
    a, b = random.integers(-5, 6, size=(6, 6)).astype(F8), random.integers(-5, 6, size=(6, 4)).astype(F8)

    def body(a, b):
        me = p.new((), U4)
        p.line(f"{me.name} = stablehlo.partition_id : tensor<ui32>")
        zero = p.const(0, I4)

        def step(k, block, total):
            owner = p.binary("remainder", p.convert(me, I4) + k, 3)
            part = p.dynamic_slice(a, [zero, owner * 2], [2, 2])
            total = total + p.einsum("ij,jk->ik", part, block)
            return p.generic("collective_permute", [block], [((2, 4), F8)],
                             f"{CHANNEL}, source_target_pairs = dense<[[0, 2], [1, 0], [2, 1]]> : tensor<3x2xi64>")[0], total
        return p.repeat(3, [b, p.full(0, (2, 4), F8)], step)[1]
    p.function("ring", [((2, 6), F8), ((2, 4), F8)], body)
    pa, pb = p.input(a), p.input(b)
    operands = []
    for k in range(3):
        operands += [p.slice(pa, [2 * k, 0], [2 * k + 2, 6]), p.slice(pb, [2 * k, 0], [2 * k + 2, 4])]
    p.expect(p.concat(run_parallel(p, "ring", 3, operands, [((2, 4), F8)] * 3), 0), a @ b)
    return p


def main():
    folder, names = pathlib.Path(sys.argv[1]), sys.argv[2:] or list(PROGRAMS)
    for name in names:
        (folder / f"{name}.mlir").write_text(PROGRAMS[name]().text())
    print(len(names), "programs")


main()
