#!/usr/bin/env python3
"""Collectives on random grids, groups of every form and all element types, against stablehlo 31.2 and 31.3.

usage: collective_rows_test.py SHARDY
"""
import itertools
import math
import random
import unittest
from fractions import Fraction

from formats import ALL, COMPLEX, is_integer, type_text
from reference import FOLDS, Grid, folds_of, indices, made
from row_test import ARITHMETIC, RowTest, grid as numbered
from text_rows import Rows, fold_region


def zero_of(name):
    return (Fraction(0), Fraction(0)) if name in COMPLEX else 0 if is_integer(name) else Fraction(0)


class Setting:
    """A grid and the groups of one collective; processes are numbered r * partitions + p."""

    def __init__(self, draw, family, ragged=False):
        self.draw, self.family = draw, family
        self.replicas, self.partitions = draw.choice([(1, 2), (2, 1), (2, 2), (1, 4), (4, 1), (2, 3), (3, 2)])
        self.channel = draw.choice([None, 0, 1, 7])
        self.is_global = family == "reduce" and (self.channel or 0) > 0 and draw.random() < 0.5
        count = self.size if self.is_global else self.partitions if self.by_partition else self.replicas
        ids = list(range(count))
        draw.shuffle(ids)
        sizes = [size for size in range(1, count + 1) if count % size == 0]
        size = draw.choice(sizes)
        self.rows = [ids[at:at + size] for at in range(0, count, size)]
        if ragged and count > 1:
            middle = draw.randint(1, count - 1)
            self.rows = [ids[:middle], ids[middle:]]

    @property
    def size(self):
        return self.replicas * self.partitions

    @property
    def by_partition(self):
        return self.family == "move" and (self.channel or 0) > 0

    def groups(self):
        replicas, partitions = range(self.replicas), range(self.partitions)

        def number(r, p):
            return r * self.partitions + p
        if self.is_global:
            return self.rows
        if self.by_partition:
            return [[number(r, p) for p in row] for row in self.rows for r in replicas]
        if (self.channel or 0) > 0:  # cross_replica_and_partition
            return [[number(r, p) for p in partitions for r in row] for row in self.rows]
        return [[number(r, p) for r in row] for row in self.rows for p in partitions]

    def attributes(self, rows=None):
        text = ""
        if self.channel is not None:
            text += f"channel_handle = #stablehlo.channel_handle<handle = {self.channel}, type = {self.draw.randint(0, 1)}>, "
        if rows is None:
            width = max(map(len, self.rows))
            lines = [row + [-1] * (width - len(row)) for row in self.rows]
            text += f"replica_groups = dense<{lines}> : tensor<{len(lines)}x{width}xi64>"
        else:
            text += f"source_target_pairs = dense<{rows if rows else ''}> : tensor<{len(rows)}x2xi64>"
        return text + (", use_global_device_ids" if self.is_global else "")


class Collectives(RowTest):
    def setUp(self):
        self.rows, self.draw, self.count = Rows(), random.Random(self.id()), 0

    def tearDown(self):
        self.check(self.rows)

    def run_all(self, setting, name, inputs, op, wanted, extra=()):
        """One function on all processes; `inputs` and `wanted` hold one list of grids per process."""
        self.count += 1
        rows = self.rows
        dims = [each.dims for each in inputs[0]]
        results = [each.dims for each in wanted[0]]
        arguments = ", ".join(f"%a{at}: {type_text(name, each)}" for at, each in enumerate(dims))
        types = ", ".join(type_text(name, each) for each in results)
        operands = [f"%a{at}" for at in range(len(dims))] + [each.split(" ")[0] for each in extra]
        operand_types = [type_text(name, each) for each in dims] + [each.split(" : ")[-1] for each in extra]
        values = ", ".join(f"%r#{at}" if len(results) > 1 else "%r" for at in range(len(results)))
        head = "%r" if len(results) == 1 else f"%r:{len(results)}"
        rows.functions.append("\n".join([
            f"func.func private @f{self.count}({arguments}) -> ({types}) {{", *("  " + each for each in extra),
            f"  {head} = {op.replace('{}', ', '.join(operands), 1)} : ({', '.join(operand_types)}) -> ({types})",
            f"  return {values} : {types}", "}"]))
        given = [rows.constant(name, each.dims, each.values) for process in inputs for each in process]
        table = [[f"@f{self.count}"] * setting.partitions] * setting.replicas
        programs = "[" + ", ".join("[" + ", ".join(row) + "]" for row in table) + "]"
        got = rows.ops(f'"interpreter.run_parallel"({{}}) <{{programs = {programs}}}>', given,
                       [(name, each.dims) for process in wanted for each in process])
        for value, each in zip(got, (each for process in wanted for each in process)):
            rows.expect(value, each.values)

    def inputs(self, setting, name, dims, operands=1):
        return [[numbered(name, dims, (self.count, process, at), 3) for at in range(operands)]
                for process in range(setting.size)]

    def each(self, family, times, ragged=False):
        for _ in range(times):
            setting = Setting(self.draw, family, ragged)
            yield setting, {process: group for group in setting.groups() for process in group}

    def test_all_reduce(self):
        types = itertools.cycle(ARITHMETIC)
        for setting, group_of in self.each("reduce", 60, ragged=True):
            name = next(types)
            operands, op = self.draw.choice([1, 1, 2]), self.draw.choice(folds_of(name))
            inputs = self.inputs(setting, name, [2, 2], operands)
            wanted = [[self.folded(name, op, group_of[process], inputs, at) for at in range(operands)]
                      for process in range(setting.size)]
            self.run_all(setting, name, inputs,
                         f'"stablehlo.all_reduce"({{}}) <{{{setting.attributes()}}}> {fold_region(op, name)}', wanted)

    def folded(self, name, op, group, inputs, at=0):
        """In the order of processes, whatever that of the group."""
        members = sorted(group)
        result = inputs[members[0]][at]
        for member in members[1:]:
            result = Grid(result.dims, [FOLDS[op](name, a, b) for a, b in zip(result.values, inputs[member][at].values)])
        return result

    def test_reduce_scatter(self):
        types = itertools.cycle(ARITHMETIC)
        for setting, group_of in self.each("reduce", 45):
            name = next(types)
            op, parts = self.draw.choice(folds_of(name)), len(group_of[0])
            inputs = self.inputs(setting, name, [2, 2 * parts])
            wanted = []
            for process in range(setting.size):
                total = self.folded(name, op, group_of[process], inputs)
                first = group_of[process].index(process) * 2
                wanted.append([made([2, 2], lambda i: total[i[0], first + i[1]])])
            attributes = setting.attributes() + ", scatter_dimension = 1 : i64"
            self.run_all(setting, name, inputs,
                         f'"stablehlo.reduce_scatter"({{}}) <{{{attributes}}}> {fold_region(op, name)}', wanted)

    def test_collective_reduce(self):
        types = itertools.cycle(ARITHMETIC)
        for setting, group_of in self.each("reduce", 45, ragged=True):
            name = next(types)
            op = self.draw.choice(folds_of(name))
            inputs = self.inputs(setting, name, [3])
            zeros = Grid([3], [zero_of(name)] * 3)
            wanted = [[self.folded(name, op, group_of[process], inputs) if group_of[process][0] == process else zeros]
                      for process in range(setting.size)]
            self.run_all(setting, name, inputs,
                         f'"stablehlo.collective_reduce"({{}}) <{{{setting.attributes()}}}> {fold_region(op, name)}', wanted)

    def test_all_gather(self):
        types = itertools.cycle(ALL)
        for setting, group_of in self.each("reduce", 60):
            name, operands, dim = next(types), self.draw.choice([1, 2]), self.draw.choice([0, 1])
            inputs = self.inputs(setting, name, [2, 1], operands)
            wanted = [[self.joined([inputs[member][at] for member in group_of[process]], dim) for at in range(operands)]
                      for process in range(setting.size)]
            self.run_all(setting, name, inputs,
                         f'"stablehlo.all_gather"({{}}) <{{all_gather_dim = {dim} : i64, {setting.attributes()}}}>', wanted)

    def joined(self, grids, dim):
        dims = list(grids[0].dims)
        size = dims[dim]
        dims[dim] *= len(grids)

        def place(index):
            at = list(index)
            which, at[dim] = divmod(at[dim], size)
            return grids[which][at]
        return made(dims, place)

    def test_all_to_all(self):
        types = itertools.cycle(ALL)
        for setting, group_of in self.each("move", 60):
            name, operands = next(types), self.draw.choice([1, 2])
            split, concat = self.draw.choice([(0, 1), (1, 0), (0, 0), (1, 1)])
            parts = len(setting.rows[0])
            dims = [2, 2]
            dims[split] *= parts
            inputs = self.inputs(setting, name, dims, operands)
            wanted = []
            for process in range(setting.size):
                group = group_of[process]
                mine = group.index(process)
                wanted.append([self.joined([self.part(inputs[member][at], split, mine, parts) for member in group], concat)
                               for at in range(operands)])
            attributes = (f"concat_dimension = {concat} : i64, split_count = {parts} : i64, split_dimension = {split} : i64, "
                          + setting.attributes())
            self.run_all(setting, name, inputs, f'"stablehlo.all_to_all"({{}}) <{{{attributes}}}>', wanted)

    def part(self, x, dim, which, parts):
        dims = list(x.dims)
        dims[dim] //= parts

        def place(index):
            at = list(index)
            at[dim] += which * dims[dim]
            return x[at]
        return made(dims, place)

    def test_collective_permute(self):
        types = itertools.cycle(ALL)
        for setting, _ in self.each("move", 60):
            name = next(types)
            count = setting.partitions if setting.by_partition else setting.replicas
            targets = self.draw.sample(range(count), self.draw.randint(0, count))
            sources = self.draw.sample(range(count), len(targets))
            pairs = [list(pair) for pair in zip(sources, targets)]
            inputs = self.inputs(setting, name, [2])
            zeros = Grid([2], [zero_of(name)] * 2)
            source_of = dict(zip(targets, sources))
            wanted = []
            for r, p in indices([setting.replicas, setting.partitions]):
                source = source_of.get(p if setting.by_partition else r)
                if source is None:
                    wanted.append([zeros])
                else:
                    from_r, from_p = (r, source) if setting.by_partition else (source, p)
                    wanted.append(inputs[from_r * setting.partitions + from_p])
            if name == "f8E8M0FNU" and any(each == [zeros] for each in wanted):
                continue  # has no zero
            self.run_all(setting, name, inputs, f'"stablehlo.collective_permute"({{}}) <{{{setting.attributes(pairs)}}}>', wanted)

    def test_collective_broadcast(self):
        types = itertools.cycle(name for name in ALL if name != "f8E8M0FNU")
        for setting, _ in self.each("move", 60):
            name, operands = next(types), self.draw.choice([1, 2])
            if len(setting.rows) > 1 and self.draw.random() < 0.5:
                setting.rows.pop()  # some are in no group
            group_of = {process: group for group in setting.groups() for process in group}
            inputs = self.inputs(setting, name, [2], operands)
            zeros = Grid([2], [zero_of(name)] * 2)
            roots = [0] * operands
            extra, attributes = [], setting.attributes()
            if self.draw.random() < 0.5:
                roots = [self.draw.randrange(len(setting.rows[0])) for _ in range(operands)]
                extra = [f"%root = stablehlo.constant dense<{roots}> : tensor<{operands}xi32>"]
                attributes += ", has_dynamic_root"
            wanted = [[inputs[group_of[process][root]][at] if process in group_of else zeros
                       for at, root in enumerate(roots)] for process in range(setting.size)]
            self.run_all(setting, name, inputs, f'"stablehlo.collective_broadcast"({{}}) <{{{attributes}}}>', wanted, extra)

    def test_groups_of_meshes(self):
        """Axes of a mesh, whole and in parts, in any order; devices in any order."""
        for _ in range(40):
            sizes = self.draw.choice([[2, 3], [4], [2, 2], [4, 2], [2, 2, 2]])
            names = "xyz"[:len(sizes)]
            ids = list(range(math.prod(sizes)))
            if self.draw.random() < 0.5:
                self.draw.shuffle(ids)
            # A sub-axis splits its axis in place first.
            atoms = []  # (text, size)
            chosen = []
            for name, size in zip(names, sizes):
                if size == 4 and self.draw.random() < 0.6:
                    atoms += [(f'name = "{name}", sub_axis_info = (1)2', 2), (f'name = "{name}", sub_axis_info = (2)2', 2)]
                    chosen += [self.draw.choice([len(atoms) - 2, len(atoms) - 1])]
                else:
                    atoms.append((f'name = "{name}"', size))
                    chosen += [len(atoms) - 1] if self.draw.random() < 0.6 else []
            self.draw.shuffle(chosen)
            if not chosen:
                continue
            others = [at for at in range(len(atoms)) if at not in chosen]
            order = others + chosen
            sequence = []
            for position in indices([atoms[at][1] for at in order]):
                where = dict(zip(order, position))
                place = 0
                for at, (_, size) in enumerate(atoms):
                    place = place * size + where[at]
                sequence.append(ids[place])
            size = math.prod(atoms[at][1] for at in chosen)
            groups = [sequence[at:at + size] for at in range(0, len(ids), size)]
            setting = Setting(self.draw, "reduce")
            setting.replicas, setting.partitions = 1, len(ids)
            group_of = {process: group for group in groups for process in group}
            inputs = self.inputs(setting, "i32", [1])
            wanted = [[self.joined([inputs[member][0] for member in group_of[process]], 0)] for process in range(len(ids))]
            axes = ", ".join(f"#stablehlo.axis_ref<{atoms[at][0]}>" for at in chosen)
            suffix = "" if ids == sorted(ids) else f", device_ids=[{', '.join(map(str, ids))}]"
            mesh = f"m{self.count}"
            listed = ", ".join(f'"{name}"={size}' for name, size in zip(names, sizes))
            form = f"@{mesh}"
            if self.draw.random() < 0.4:  # spelled out
                listed = ", ".join(f'<name = "{name}", size = {size}>' for name, size in zip(names, sizes))
                devices = f", device_ids=dense<{ids}> : tensor<{len(ids)}xi64>" if suffix else ""
                form = f"#stablehlo.mesh<axes=[{listed}]{devices}>"
            else:
                self.rows.functions.insert(0, f"sdy.mesh @{mesh} = <[{listed}]{suffix}>")
            self.run_all(setting, "i32", inputs,
                         '"stablehlo.all_gather"({}) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, '
                         f'type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = {form}, axes = [{axes}]>, '
                         'use_global_device_ids}>', wanted)


if __name__ == "__main__":
    unittest.main(argv=[__file__], verbosity=0)
