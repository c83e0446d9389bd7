#!/usr/bin/env python3
"""Every example program gives what it expects under random shardings, too, on several devices.

usage: sharded_programs_test.py SHARDY PROGRAMS [FIRST_SEED [SEEDS]]

PROGRAMS is a folder of .mlir files that check themselves. Each is read as JSON, gets a random mesh and shardings on some of
its values, also in loops, branches and functions, and must run without a failed check. An error names the seed.
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

MESHES = [{"x": 2, "y": 2}, {"x": 3}, {"x": 2, "y": 3}, {"a": 2, "b": 2, "c": 2}, {"x": 4}, {"x": 1, "y": 6}]
# One value in this many is sharded.
ONE_IN = 4


def rank(type_text):
    """Number of elements of a tensor of known sizes; 0 for all else."""
    if isinstance(type_text, dict):  # a result with a name of its own
        type_text = type_text["type"]
    dims = re.fullmatch(r"[a-z]\w*(?:<\w+>)?\[(\d+(?:,\d+)*)\]", type_text)
    return dims.group(1).count(",") + 1 if dims else 0


def random_sharding(draw, type_text, mesh):
    axes = list(mesh)
    draw.shuffle(axes)
    dims = []
    for _ in range(rank(type_text)):
        dim = []
        while axes and draw.random() < 0.4:
            dim.append(axes.pop())
        dims.append(dim + ["?"] * (draw.random() < 0.4))
    return dims


def annotate(items, draw, mesh):
    """Shards some of the results of ops, regions included; how many it was."""
    count = 0
    for item in items:
        for region in item.get("regions", []):
            count += annotate(region.get("body", []), draw, mesh)
        if rank(item.get("type", "")) and draw.randrange(ONE_IN) == 0:
            item["sharding"] = random_sharding(draw, item["type"], mesh)
            count += 1
        for index, result in enumerate(item.get("results", [])):
            if rank(result) and draw.randrange(ONE_IN) == 0:
                old = result if isinstance(result, dict) else {"type": result}
                item["results"][index] = {**old, "sharding": random_sharding(draw, old["type"], mesh)}
                count += 1
    return count


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def sharded(text, seed):
    """The program with shardings, or None if nothing of it can have one."""
    program = json.loads(text)
    if "interpreter.run_parallel" in text:
        return None  # brings processes of its own
    draw = random.Random(seed)
    mesh = draw.choice(MESHES)
    program["meshes"] = {"mesh": mesh}
    count = sum(annotate(function["body"], draw, mesh) for function in program["functions"])
    return json.dumps(program) if count else None


def main():
    shardy, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    seeds = range(first, first + (int(sys.argv[4]) if len(sys.argv) > 4 else 1))
    wrong, num_runs = [], 0
    with tempfile.TemporaryDirectory() as scratch:
        for path in sorted(folder.glob("*.mlir")):
            text = run(shardy, "convert", str(path), "--emit", "json").stdout
            for seed in seeds:
                program = sharded(text, f"{path.stem} {seed}")
                if program is None:
                    continue
                file = pathlib.Path(scratch) / "program.json"
                file.write_text(program)
                done = run(shardy, "run", str(file))
                num_runs += 1
                if done.returncode != 0:
                    wrong.append(f"{path.name}, seed {seed}:\n{done.stderr[:2000]}")
    print("\n".join(wrong))
    print(f"{num_runs} runs, {len(wrong)} wrong")
    return 1 if wrong or num_runs < 30 * len(seeds) else 0


if __name__ == "__main__":
    sys.exit(main())
