#!/usr/bin/env python3
"""sdy-insert-explicit-reshards on ops with random rules and shardings gives the output of resharding A.3 to A.7.

The specification is written down here once more; axis_refs.py knows refs and lists of them.

usage: random_rules_test.py SHARDY [CASES] [SEED]
"""
import math
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "resharding"))
from axis_refs import (Mesh, append_or_merge, contains, list_text, lists_text, merged, opt, overlaps,  # noqa: E402
                       prefix_without, shards)

LETTERS = "ijkl"
PRECEDENCE = {"pass_through": 3, "reduction": 2, "permutation": 1, "need_replication": 0}
MESHES = [[("a", 4), ("b", 2), ("c", 4)], [("z", 2), ("y", 3), ("x", 2)], [("a", 8), ("b", 2)], [("p", 4), ("q", 6)],
          [("a", 2), ("b", 2), ("c", 2), ("d", 2)]]


class Rule:
    """Tensors are lists of dims, dims are lists of factors, major to minor; the first `operands` are operands."""

    def __init__(self, rng):
        while True:
            count = rng.randint(1, 4)
            self.sizes = [rng.choice([2, 2, 3, 4, 4, 6, 8, 12, 16]) for _ in range(count)]
            self.kinds = [rng.choice(["pass_through"] * 3 + ["reduction", "permutation", "need_replication"])
                          for _ in range(count)]
            self.operands = rng.randint(1, 3)
            results = rng.randint(1, 2)
            self.tensors = [self.random_tensor(rng, t >= self.operands) for t in range(self.operands + results)]
            if {factor for tensor in self.tensors for dim in tensor for factor in dim} == set(range(count)):
                return

    def random_tensor(self, rng, is_result):
        factors = [factor for factor, kind in enumerate(self.kinds)
                   if rng.random() < 0.8 and not (is_result and kind == "reduction")]
        rng.shuffle(factors)
        dims = []
        for factor in factors:
            if dims and len(dims[-1]) < 3 and rng.random() < 0.3:
                dims[-1].append(factor)
            else:
                dims.append([factor])
        return dims

    def shape(self, tensor):
        return [math.prod(self.sizes[factor] for factor in dim) for dim in self.tensors[tensor]]

    def has(self, tensor, factor):
        return any(factor in dim for dim in self.tensors[tensor])

    def in_all_non_scalars(self, factor):
        return all(self.has(tensor, factor) for tensor, dims in enumerate(self.tensors) if dims)

    def text(self):
        names = ["[" + ", ".join("".join(LETTERS[f] for f in dim) for dim in dims) + "]" for dims in self.tensors]
        sizes = ", ".join(f"{LETTERS[f]}={size}" for f, size in enumerate(self.sizes))
        result = f"({', '.join(names[:self.operands])})->({', '.join(names[self.operands:])}) {{{sizes}}}"
        for kind in "reduction", "need_replication", "permutation":
            letters = [LETTERS[f] for f, other in enumerate(self.kinds) if other == kind]
            result += f" {kind}={{{', '.join(letters)}}}" if letters else ""
        return result


def project(rule, tensor, lists):
    """Lists of the factors of a tensor, and what overflows them. Spec: A.3, propagation 3."""
    axes = {factor: [] for dim in rule.tensors[tensor] for factor in dim}
    overflow = {factor: [] for factor in axes}
    for dim, refs in zip(rule.tensors[tensor], lists):
        refs = list(refs)
        for factor in dim[:-1]:
            left = rule.sizes[factor]
            while left > 1 and refs and (size := math.gcd(left, refs[0][2])) > 1:
                axis, pre, whole = refs[0]
                axes[factor].append((axis, pre, size))
                refs[:1] = [(axis, pre * size, whole // size)] if size < whole else []
                left //= size
            if left > 1 and refs:
                overflow[factor], refs = refs, []
        axes[dim[-1]] = refs
    return axes, overflow


def unproject(rule, tensor, common):
    lists = []
    for dim in rule.tensors[tensor]:
        lists.append([])
        for factor in dim:
            for x in common[factor]:
                append_or_merge(lists[-1], x)
            if shards(common[factor]) < rule.sizes[factor]:
                break
    return lists


def is_list_prefix(a, b):
    if not a:
        return True
    if len(a) > len(b) or a[:-1] != b[: len(a) - 1]:
        return False
    x, y = a[-1], b[len(a) - 1]
    return x[:2] == y[:2] and contains(y, x)


def truncate(mesh, refs, taken):
    """Refs up to the first that overlaps, of which the prefix stays; whether there is one."""
    kept = []
    for x in refs:
        rest = x
        for y in taken:
            rest = rest and prefix_without(mesh, rest, y)
        if rest != x:
            return kept + ([rest] if rest else []), True
        kept.append(x)
    return kept, False


class Choice:
    """The common axes. Spec: A.5."""

    def __init__(self, mesh, rule, lists):
        self.mesh, self.rule = mesh, rule
        self.tensors = range(len(rule.tensors))
        self.factors = range(len(rule.sizes))
        self.sizes = [math.prod(rule.shape(tensor)) for tensor in self.tensors]
        self.projected = [project(rule, tensor, lists[tensor]) for tensor in self.tensors]

    def axes(self, tensor, factor):
        return self.projected[tensor][0].get(factor)

    def compatible(self):
        common = []
        for factor in self.factors:
            lists = [self.axes(tensor, factor) for tensor in self.tensors if self.axes(tensor, factor) is not None]
            if any(refs != lists[0] for refs in lists):
                return None
            if self.rule.kinds[factor] == "need_replication" and lists[0]:
                return None
            common.append(lists[0])
        pairs = [(x, y) for f in self.factors for g in range(f) for x in common[f] for y in common[g]]
        return None if any(overlaps(x, y) for x, y in pairs) else common

    def preference(self, tensor):
        axes, overflow = self.projected[tensor]
        permutes = any(refs and self.rule.kinds[factor] == "permutation" for factor, refs in axes.items())
        count = math.prod(shards(refs) * shards(overflow[factor]) for factor, refs in axes.items())
        return not permutes, self.sizes[tensor], count

    def of_two(self, first, second):
        if self.preference(second) > self.preference(first):
            first, second = second, first
        common = [self.axes(first, factor) for factor in self.factors]
        taken = [x for refs in common if refs for x in refs]
        for factor in self.factors:
            if common[factor] is None:
                common[factor] = truncate(self.mesh, self.axes(second, factor) or [], taken)[0]
        return common

    def candidates(self):
        found = []
        for factor in self.factors:
            lists = {tensor: self.axes(tensor, factor) for tensor in self.tensors if self.axes(tensor, factor) is not None}
            prefixes = []
            for refs in lists.values():
                prefixes += [refs[:n] for n in range(1, len(refs) + 1) if refs[:n] not in prefixes]
            for prefix in prefixes:
                total = sum(self.sizes[tensor] for tensor, refs in lists.items() if is_list_prefix(prefix, refs))
                found.append((factor, prefix, total, shards(prefix)))
        return found

    def key(self, candidate):
        factor, refs, total, gain = candidate
        return total, PRECEDENCE[self.rule.kinds[factor]], gain, factor, len(refs), refs

    def greedy(self):
        needs = {factor: set() for factor in self.factors}
        for dim in (dim for tensor in self.rule.tensors for dim in tensor):
            for major, minor in zip(dim, dim[1:]):
                needs[minor].add(major)
        assigned, candidates = [[] for _ in self.factors], self.candidates()
        while valid := [candidate for candidate in candidates if not needs[candidate[0]]]:
            factor, chosen, _, _ = max(valid, key=self.key)
            assigned[factor] = chosen
            if shards(chosen) == self.rule.sizes[factor]:
                for majors in needs.values():
                    majors.discard(factor)
            candidates = [new for old in candidates for new in self.adapted(old, factor, chosen, assigned)]
        return assigned

    def adapted(self, candidate, factor, chosen, assigned):
        other, refs, total, _ = candidate
        if other == factor:
            goes_on = refs != chosen and is_list_prefix(chosen, refs)
            return [(other, refs, total, shards(refs) // shards(chosen))] if goes_on else []
        kept, is_split = truncate(self.mesh, refs, chosen)
        if not is_split:
            return [(other, refs, total, shards(refs))]
        have = assigned[other]
        return [] if kept == have else [(other, kept, total, shards(kept) // shards(have))]

    def move_to_batching(self, common, queue):
        for factor in self.factors:
            if self.rule.kinds[factor] != "pass_through" or not self.rule.in_all_non_scalars(factor):
                continue
            if self.rule.sizes[factor] % shards(common[factor]):
                continue
            room = self.rule.sizes[factor] // shards(common[factor])
            common[factor] = list(common[factor])
            while queue and room % queue[0][2] == 0:
                room //= queue[0][2]
                append_or_merge(common[factor], queue.pop(0))

    def common(self):
        if (compatible := self.compatible()) is not None:
            return compatible
        non_scalars = [tensor for tensor in self.tensors if self.rule.tensors[tensor]]
        replicated = [factor for factor in self.factors if self.rule.kinds[factor] == "need_replication"]
        if len(non_scalars) == 2 and not replicated and all(len(dim) == 1 for dims in self.rule.tensors for dim in dims):
            return self.of_two(*non_scalars)
        common = self.greedy()
        for factor in replicated:
            queue, common[factor] = list(common[factor]), []
            if self.rule.in_all_non_scalars(factor):
                self.move_to_batching(common, queue)
        return common


def random_lists(rng, mesh, rank):
    parts = []
    for axis, size in mesh.axes:
        if rng.random() < 0.25:
            continue
        first = 2 if size % 2 == 0 else 3
        is_split = size > 3 and rng.random() < 0.4
        parts += [(axis, 1, first), (axis, first, size // first)] if is_split else [(axis, 1, size)]
    rng.shuffle(parts)
    lists = [[] for _ in range(rank + 1)]  # the last one is of no dim
    for x in parts:
        append_or_merge(rng.choice(lists), x)
    return lists[:rank]


class Case:
    def __init__(self, rng, number):
        self.mesh, self.name = Mesh(rng.choice(MESHES)), f"m{number}"
        self.rule = Rule(rng)
        self.tensors = range(len(self.rule.tensors))
        self.results = range(self.rule.operands, len(self.rule.tensors))
        self.is_missing = [rng.random() < 0.12 and tensor < self.rule.operands for tensor in self.tensors]
        self.lists = [random_lists(rng, self.mesh, len(self.rule.tensors[tensor])) for tensor in self.tensors]
        for tensor in self.tensors:
            if self.is_missing[tensor]:
                self.lists[tensor] = [[] for _ in self.lists[tensor]]

    def sharding(self, lists):
        return f"<@{self.name}, {lists_text(self.mesh, lists)}>"

    def program(self):
        types = ["tensor<" + "".join(f"{size}x" for size in self.rule.shape(tensor)) + "f32>" for tensor in self.tensors]
        operands = types[:self.rule.operands]
        arguments = [f"%arg{t}: {types[t]}" + ("" if self.is_missing[t] else
                                               f" {{sdy.sharding = #sdy.sharding{self.sharding(self.lists[t])}}}")
                     for t in range(self.rule.operands)]
        shardings = ", ".join(self.sharding(self.lists[t]) for t in self.results)
        made = "%0" if len(self.results) == 1 else f"%0:{len(self.results)}"
        names = ", ".join(f"%arg{t}" for t in range(self.rule.operands))
        return (self.mesh.text(self.name) + f"func.func @f{self.name}({', '.join(arguments)}) {{\n"
                f"  {made} = stablehlo.custom_call @foo({names}) {{sdy.sharding = #sdy.sharding_per_value<[{shardings}]>, "
                f"sdy.sharding_rule = #sdy.op_sharding_rule<{self.rule.text()}>}} : ({', '.join(operands)}) -> "
                f"({', '.join(types[self.rule.operands:])})\n  return\n}}\n")

    def wanted(self):
        """Ops in their order: reshards, the call by the shardings of its results, reductions. Spec: A.6, A.7."""
        choice = Choice(self.mesh, self.rule, self.lists)
        common = choice.common()
        changed = [any(refs != common[factor] or overflow[factor] for factor, refs in axes.items())
                   for axes, overflow in choice.projected]
        new = [unproject(self.rule, tensor, common) if changed[tensor] else self.lists[tensor] for tensor in self.tensors]
        ops = [f"reshard {self.sharding(new[t])}" for t in range(self.rule.operands) if changed[t]]
        ops.append("call " + ", ".join(self.sharding(new[t]) for t in self.results))
        reduced = [x for factor, refs in enumerate(common) if self.rule.kinds[factor] == "reduction" for x in refs]
        reduced = merged(sorted(reduced, key=lambda x: (self.mesh.names.index(x[0]), x[1])))
        if reduced:
            ops += [f"all_reduce {list_text(self.mesh, reduced)} {self.sharding(new[t])}" for t in self.results]
        return ops + [f"reshard {self.sharding(self.lists[t])}" for t in self.results if changed[t]]


def ops_of(lines):
    ops = []
    for line in lines:
        if call := re.search(r"custom_call .*sharding_per_value<\[(.*)\]>, sdy\.sharding_rule", line):
            ops.append("call " + call[1])
        elif reshard := re.search(r"sdy\.reshard \S+ (<.*>) : ", line):
            ops.append("reshard " + reshard[1])
        elif reduction := re.search(r"sdy\.all_reduce (\{.*?\}) \S+ out_sharding=(<.*>) : ", line):
            ops.append(f"all_reduce {reduction[1]} {reduction[2]}")
    return ops


def main():
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    cases = [Case(rng, number) for number in range(count)]
    found = opt(sys.argv[1], "--sdy-insert-explicit-reshards=enable-full-version=true",
                "".join(case.program() for case in cases))
    wrong = 0
    for case, lines in zip(cases, found, strict=True):
        want, have = case.wanted(), ops_of(lines)
        if want != have:
            wrong += 1
            print(case.program(), "want:", *want, "\nhave:", *have, sep="\n  ")
    print(f"{count} cases, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
