"""Refs to axes and lists of them, written down from resharding 0 once more, for tests that compare with it.

A ref is (axis, pre, size), also for a full axis; tuples then compare as section 0 wants. A list of refs is one dim.
"""
import itertools
import math
import random
import subprocess


class Mesh:
    def __init__(self, axes):
        self.axes = axes
        self.sizes = dict(axes)
        self.names = [name for name, _ in axes]

    def text(self, name, device_ids=None):
        axes = ", ".join(f'"{axis}"={size}' for axis, size in self.axes)
        ids = f", device_ids={device_ids}" if device_ids else ""
        return f"sdy.mesh @{name} = <[{axes}]{ids}>\n"


def end(x):
    return x[1] * x[2]


def overlaps(x, y):
    return x == y or (x[0] == y[0] and max(x[1], y[1]) < min(end(x), end(y)))


def contains(x, y):
    return x[0] == y[0] and x[1] <= y[1] and end(y) <= end(x)


def can_coexist(mesh, x, y):
    if x[0] != y[0] or mesh.sizes[x[0]] in (x[2], y[2]):
        return True
    min_pre, max_pre, min_end, max_end = min(x[1], y[1]), max(x[1], y[1]), min(end(x), end(y)), max(end(x), end(y))
    if min_end > max_pre:
        return min_end % max_pre == 0 and max_pre % min_pre == 0 and max_end % min_end == 0
    return max_pre % min_end == 0


def prefix_without(mesh, x, y):
    if not can_coexist(mesh, x, y):
        return None
    if not overlaps(x, y):
        return x
    return (x[0], x[1], y[1] // x[1]) if x[1] < y[1] else None


def suffix_without(mesh, x, y):
    if not can_coexist(mesh, x, y):
        return None
    if not overlaps(x, y):
        return x
    return (x[0], end(y), end(x) // end(y)) if end(x) > end(y) else None


def overlap_of(x, y):
    pre = max(x[1], y[1])
    return (x[0], pre, min(end(x), end(y)) // pre)


def append_or_merge(refs, x):
    if refs and refs[-1][0] == x[0] and refs[-1][2] > 1 and end(refs[-1]) == x[1]:
        refs[-1] = (x[0], refs[-1][1], refs[-1][2] * x[2])
    else:
        refs.append(x)


def merged(refs):
    result = []
    for x in refs:
        append_or_merge(result, x)
    return result


def shards(refs):
    return math.prod(x[2] for x in refs)


def list_text(mesh, refs):
    texts = (f'"{x[0]}"' if x[2] == mesh.sizes[x[0]] else f'"{x[0]}":({x[1]}){x[2]}' for x in refs)
    return "{" + ", ".join(texts) + "}"


def lists_text(mesh, lists):
    return "[" + ", ".join(list_text(mesh, refs) for refs in lists) + "]"


def factorizations(size):
    """Ordered products of primes."""
    if size == 1:
        return [[]]
    primes = [p for p in range(2, size + 1) if size % p == 0 and all(p % q for q in range(2, p))]
    return [[p] + rest for p in primes for rest in factorizations(size // p)]


def atoms(axis, factors):
    if not factors:
        return [(axis, 1, 1)]
    return [(axis, math.prod(factors[:i]), factor) for i, factor in enumerate(factors)]


def all_shardings(mesh, rank, mixed):
    """Every ordered choice of the atoms on the dims; `mixed`: of every factorization of each axis, else of one."""
    choices = [[atoms(axis, factors) for factors in factorizations(size)[: None if mixed else 1]]
               for axis, size in mesh.axes]
    found = set()
    for choice in itertools.product(*choices):
        parts = [x for axis in choice for x in axis]
        for count in range(len(parts) + 1):
            for order in itertools.permutations(parts, count):
                for inner_bounds in itertools.combinations_with_replacement(range(count + 1), rank - 1):
                    bounds = (0, *inner_bounds, count)
                    found.add(tuple(tuple(merged(order[a:b])) for a, b in zip(bounds, bounds[1:])))
    return sorted(found)


def sample(items, limit):
    return items if len(items) <= limit else random.Random(7).sample(items, limit)


def opt(shardy, flag, text):
    """The functions of what `shardy opt` makes of a program, as lists of lines."""
    done = subprocess.run([shardy, "opt", flag, "-"], input=text, capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise RuntimeError(done.stderr[:2000])
    return [[line.strip() for line in function.split("\n")] for function in done.stdout.split("func.func @")[1:]]
