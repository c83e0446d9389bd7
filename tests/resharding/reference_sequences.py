"""The sequence of collectives between two shardings, written down from resharding B.4, B.5 and B.8 once more.

Names are those of the specification; `in` of it is `here`, `out` is `goal`.
"""
import math

from axis_refs import (append_or_merge, can_coexist, contains, list_text, lists_text, merged, overlap_of, overlaps,
                       prefix_without, shards, suffix_without)

MAX_ROUNDS = 16


def align(mesh, lists, others):
    others = sorted(others)
    for dim, refs in enumerate(lists):
        lists[dim] = [piece for x in refs for piece in aligned(mesh, x, others)]


def aligned(mesh, x, others):
    at = sum(other < x for other in others)
    if at > 0 and overlaps(others[at - 1], x):
        at -= 1
    pieces, rest = [], x
    while rest and at < len(others):
        other = others[at]
        if not can_coexist(mesh, other, rest) or not overlaps(other, rest) or contains(other, rest):
            break
        before = prefix_without(mesh, rest, other)
        pieces += [before] if before else []
        pieces.append(overlap_of(rest, other))
        rest = suffix_without(mesh, rest, other)
        at += 1
    return pieces + ([rest] if rest else [])


def divide_one_another(x, y):
    return x[2] % y[2] == 0 or y[2] % x[2] == 0


def take(x, cap, dim):
    if cap[dim] <= 1 or (cap[dim] % x[2] and x[2] % cap[dim]):
        return None
    return taken(x, cap, dim, min(x[2], cap[dim]))


def take_common(x, cap, dim):
    size = math.gcd(x[2], cap[dim])
    return taken(x, cap, dim, size) if size > 1 else None


def taken(x, cap, dim, size):
    cap[dim] //= size
    return (x[0], x[1], size), (x[0], x[1] * size, x[2] // size) if size < x[2] else None


class Planner:
    def __init__(self, mesh, shape, source, target, moves_devices):
        self.mesh, self.shape, self.target = mesh, shape, target
        self.dims = range(len(source))
        self.here = [list(refs) for refs in source]
        self.goal = [list(refs) for refs in target]
        align(mesh, self.here, [x for refs in target for x in refs])
        align(mesh, self.goal, [x for refs in source for x in refs])
        self.cur = [list(refs) for refs in source]
        for here, goal in zip(self.here, self.goal):
            while here and goal and here[0] == goal[0]:
                here.pop(0), goal.pop(0)
        self.used = {x for refs in self.here for x in refs}
        self.on_target, self.moves_devices = not moves_devices, moves_devices
        self.steps = []
        self.index_goal()

    def index_goal(self):
        self.wanted = {}
        for dim, refs in enumerate(self.goal):
            for index, x in enumerate(refs):
                self.wanted.setdefault(x, (dim, index))

    def emit(self, kind, axes):
        mesh = "n" if self.moves_devices and self.on_target else "m"
        self.steps.append((kind, axes, [list(refs) for refs in self.cur], mesh))

    def pop_cur(self, dim, refs):
        for x in reversed(refs):
            rest = prefix_without(self.mesh, self.cur[dim][-1], x)
            self.cur[dim][-1:] = [rest] if rest else []

    def distribute(self, front, pool, cap, consume=lambda x, dim: None, taking=take):
        split = []
        for dim in self.dims:
            refs, at, front_at = pool(dim), 0, 0
            while at < len(refs) and cap[dim] > 1:
                found = taking(refs[at], cap, dim)
                if not found:
                    at += 1
                    continue
                part, rest = found
                refs.pop(at)
                self.here[dim].insert(front_at if front else len(self.here[dim]), part)
                front_at += 1
                self.used.add(part)
                consume(part, dim)
                if rest:
                    refs.insert(0, rest)
                    split.append(part)
                    at += 1
        align(self.mesh, self.goal, split)

    # ---- 1 trySlice -------------------------------------------------------------------------------------------------

    def slice(self):
        cap = [shards(goal) // math.gcd(shards(here), shards(goal)) for here, goal in zip(self.here, self.goal)]
        sliced = [[] for _ in self.dims]

        def consume(x, dim):
            append_or_merge(sliced[dim], x)
            append_or_merge(self.cur[dim], x)

        for source in self.dims:
            self.slice_at_source(source, cap, consume)
        avail = []
        for dim in self.dims:
            self.slice_in_place(dim, cap, avail, consume)
        self.distribute(False, lambda dim: avail, cap, consume)
        self.index_goal()
        if any(sliced):
            self.emit("all_slice", sliced)

    def slice_at_source(self, source, cap, consume):
        here = self.here[source]
        if not here or self.goal[source] or here[-1] not in self.wanted:
            return
        target = self.wanted[here[-1]][0]
        goal = self.goal[target]
        if self.here[target] or here[-1] not in goal:
            return
        start = goal.index(here[-1]) + 1
        run = []
        while start + len(run) < len(goal) and goal[start + len(run)] not in self.used:
            run.append(goal[start + len(run)])
        count = 0
        while count < min(len(here), start) and here[-1 - count] == goal[start - 1 - count]:
            count += 1
        left = here[: len(here) - count]
        if not run or any(x in self.wanted and self.wanted[x][0] == target for x in left):
            return
        if self.shape[source] % (shards(self.cur[source]) * shards(run)):
            return
        cap[target] //= shards(here[len(here) - count:]) * shards(run)
        for x in run:
            consume(x, source)
            here.append(x)
            self.used.add(x)

    def slice_in_place(self, dim, cap, avail, consume):
        goal, index = self.goal[dim], 0
        while index < len(goal):
            x = goal[index]
            found = None if x in self.used else take(x, cap, dim)
            if not found:
                if x not in self.used:
                    avail.append(x)
                index += 1
                continue
            part, rest = found
            consume(part, dim)
            if not self.here[dim] and index == 0:
                goal.pop(0)
            else:
                self.used.add(part)
                self.here[dim].append(part)
                goal[index] = part
                index += 1
            if rest:
                goal.insert(index, rest)
                avail.append(rest)
                index += 1

    # ---- 2 tryPermute -----------------------------------------------------------------------------------------------

    def needs_permute(self):
        free_goal = free_here = None
        for dim in self.dims:
            here, goal = self.here[dim], self.goal[dim]
            if here and goal and divide_one_another(here[0], goal[0]):
                return True
            for x in goal:
                free_goal = free_goal if x in self.used else x
            last, seen = None, set()
            for x in here:
                place = self.wanted.get(x)
                if not place:
                    if last and not goal:
                        return True
                    free_here, last = x, None
                    continue
                if (place[0] == dim or place[0] in seen) and (not last or place != (last[0], last[1] + 1)):
                    return True
                seen.add(place[0])
                last = place
        return bool(free_goal and free_here and divide_one_another(free_goal, free_here))

    def permute(self):
        needed = self.needs_permute()
        if needed:
            self.rearrange()
        moves = needed or not self.on_target
        self.on_target = True
        if moves:
            self.emit("collective_permute", None)

    def rearrange(self):
        self.used.clear()
        cap = [shards(refs) for refs in self.here]
        arriving, leaving = [], []
        for dim in self.dims:
            self.pop_cur(dim, self.here[dim])
            freed = [cap[dim]]
            self.place_wanted(dim, cap)
            arriving += self.goal[dim]
            freed[0] //= cap[dim]
            leaving.append(self.leaving(dim, freed))
            self.here[dim] = []
        self.distribute(False, lambda dim: arriving, cap)
        self.distribute(True, lambda dim: leaving[dim], cap)
        leftovers = [x for refs in leaving for x in refs]
        self.distribute(True, lambda dim: leftovers, cap)
        self.distribute(False, lambda dim: arriving, cap, taking=take_common)
        self.distribute(True, lambda dim: leftovers, cap, taking=take_common)
        self.index_goal()
        for dim in self.dims:
            for x in self.here[dim]:
                append_or_merge(self.cur[dim], x)

    def place_wanted(self, dim, cap):
        goal = self.goal[dim]
        while goal:
            found = take(goal[0], cap, dim)
            if not found:
                return
            append_or_merge(self.cur[dim], found[0])
            goal[:1] = [found[1]] if found[1] else []

    def leaving(self, dim, freed):
        rest, last = [x for x in self.here[dim] if x not in self.wanted], []
        while rest:
            found = take(rest[0], freed, 0)
            if not found:
                break
            last.append(found[0])
            rest[:1] = [found[1]] if found[1] else []
        return rest + last

    # ---- 3 to 5 -----------------------------------------------------------------------------------------------------

    def movable(self, source, in_order):
        segment, target = [], None
        for x in reversed(self.here[source]):
            dim = self.wanted.get(x, (source,))[0]
            if dim == source or target not in (None, dim):
                break
            target = dim
            segment.insert(0, x)
        if not segment or (in_order and segment != self.goal[target][: len(segment)]):
            return None
        return segment, target

    def exchange(self, in_order):
        for source in self.dims:
            while found := self.movable(source, in_order):
                segment, target = found
                self.pop_cur(source, segment)
                del self.here[source][-len(segment):]
                for x in segment:
                    append_or_merge(self.cur[target], x)
                    if not self.here[target] and self.goal[target][:1] == [x]:
                        self.goal[target].pop(0)
                        self.used.discard(x)
                    else:
                        self.here[target].append(x)
                self.emit("all_to_all", (merged(segment), source, target))

    def gather(self):
        gathered = []
        for dim in self.dims:
            segment = []
            while self.here[dim] and self.here[dim][-1] not in self.wanted:
                segment.insert(0, self.here[dim].pop())
            self.pop_cur(dim, segment)
            self.used -= set(segment)
            gathered.append(merged(segment))
        if any(gathered):
            self.emit("all_gather", gathered)

    # ---- the loop ---------------------------------------------------------------------------------------------------

    def state(self):
        return [list(refs) for refs in self.here], [list(refs) for refs in self.goal], self.on_target

    def run(self):
        seen = []
        while any(self.here) or any(self.goal) or not self.on_target:
            if self.state() in seen or len(seen) == MAX_ROUNDS:
                self.finish()
                break
            seen.append(self.state())
            self.slice()
            self.permute()
            self.exchange(True)
            self.exchange(False)
            self.gather()
        return self.steps

    def finish(self):
        keep = [common_prefix(have, end) for have, end in zip(self.cur, self.target)]
        gathered = [rest_after(self.mesh, have, kept) for have, kept in zip(self.cur, keep)]
        sliced = [rest_after(self.mesh, end, kept) for end, kept in zip(self.target, keep)]
        for kind, axes, lists in ("all_gather", gathered, keep), ("all_slice", sliced, self.target):
            self.cur = [list(refs) for refs in lists]
            if any(axes):
                self.emit(kind, axes)


def common_prefix(a, b):
    kept = []
    for x, y in zip(a, b):
        if x != y:
            return kept + ([(x[0], x[1], min(x[2], y[2]))] if x[:2] == y[:2] else [])
        kept.append(x)
    return kept


def rest_after(mesh, refs, kept):
    if kept and kept[-1] != refs[len(kept) - 1]:
        return [suffix_without(mesh, refs[len(kept) - 1], kept[-1]), *refs[len(kept):]]
    return list(refs[len(kept):])


def coexisting_prefix(mesh, refs, others):
    kept = []
    for x in refs:
        parts = [(x[0], x[1], size) for size in range(x[2], 0, -1) if x[2] % size == 0 and (size > 1 or x[2] == 1)]
        part = next((part for part in parts if all(can_coexist(mesh, part, y) for y in others)), None)
        kept += [part] if part else []
        if part != x:
            break
    return kept


def sequence(mesh, shape, source, target, moves_devices=False):
    """Steps as (kind, axes, lists of the result, name of its mesh)."""
    others = [x for refs in target for x in refs]
    kept = [coexisting_prefix(mesh, refs, others) for refs in source]
    gathered = [rest_after(mesh, refs, keep) for refs, keep in zip(source, kept)]
    first = [("all_gather", gathered, kept, "m")] if any(gathered) else []
    return first + Planner(mesh, shape, kept, target, moves_devices).run()


def step_text(mesh, step):
    kind, axes, lists, name = step
    out = f"out_sharding=<@{name}, {lists_text(mesh, lists)}>"
    if kind == "collective_permute":
        return f"sdy.{kind} {out}"
    if kind == "all_to_all":
        return f"sdy.{kind} [{list_text(mesh, axes[0])}: {axes[1]}->{axes[2]}] {out}"
    return f"sdy.{kind} {lists_text(mesh, axes)} {out}"
