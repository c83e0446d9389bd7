#!/usr/bin/env python3
"""A program as JAX and XLA print it in several generations is one program.

usage: jax_programs_test.py SHARDY FOLDER

FOLDER holds files NAME_GENERATION.mlir, two or more of each name. All of one name are propagated to the same shardings of
devices and run with the same collectives and results, also over a prime field and in f64; what is read from them and written
in another form is read as the same again.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

GENERATIONS = ("sdy", "gspmd", "ids", "bytes", "roundtrip", "export")
FORMS = ("mhlo", "mhlo-v3", "sdy-round-trip", "sdy-round-trip-v3")
LEAST = 16
SAME_RUN = ("devices", "values", "values_sharded", "collectives", "equal", "results")
# A body of Python partitions it; none is here.
ONLY_PROPAGATED = {"custom_partitioning": "a function of Python partitions it, which is not available"}


class Wrong(Exception):
    """A difference of a file."""


def text_of(shardy, *command, status=0):
    done = subprocess.run([shardy, *command], capture_output=True, text=True, timeout=300, check=False)
    if done.returncode != status:
        raise Wrong(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stderr}")
    return done.stdout if status == 0 else done.stderr


def without_names(text):
    """Lines without names of values and of the program, and without comments."""
    text = re.sub(r"%[\w$.#:-]+", "%", text)
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))


def meaning(shardy, path, name):
    """Common results of all generations: the sharding of each value, and the results of a run."""
    propagated = without_names(text_of(shardy, "propagate", "--shardings=mhlo", path))
    if name in ONLY_PROPAGATED:
        messages = text_of(shardy, "run", path, status=1)
        if ONLY_PROPAGATED[name] not in messages:
            raise Wrong(f"{path}: {messages}")
        return propagated, {}
    report = json.loads(text_of(shardy, "run", "--check", "--json", path))
    for numbers in ("f64", "exact"):
        if report[numbers] != {**report[numbers], "done": True, "equal": True}:
            raise Wrong(f"{path}: {numbers}: {report[numbers]}")
    if not report["equal"] or report["values_sharded"] == 0:
        raise Wrong(f"{path}: {report}")
    return propagated, {key: report[key] for key in SAME_RUN}


def expect_stable(shardy, path, scratch):
    """Read, written and read again it is the same, in all forms."""
    first = scratch / "first.mlir"
    first.write_text(text_of(shardy, "convert", "--import=auto", path))
    for form in FORMS:
        once = text_of(shardy, "convert", f"--shardings={form}", first)
        (scratch / "once.mlir").write_text(once)
        (scratch / "read.mlir").write_text(text_of(shardy, "convert", "--import=auto", scratch / "once.mlir"))
        again = text_of(shardy, "convert", f"--shardings={form}", scratch / "read.mlir")
        if again != once:
            raise Wrong(f"{path}: {form} is not stable:\n{once}\n----\n{again}")


def difference(one, two):
    for ours, theirs in zip(one[0].splitlines(), two[0].splitlines()):
        if ours != theirs:
            return f"  {ours}\n  {theirs}"
    return f"  {one[1]}\n  {two[1]}"


def programs_of(folder):
    programs = {}
    for path in sorted(pathlib.Path(folder).glob("*.mlir")):
        name, generation = path.stem.rsplit("_", 1)
        if generation not in GENERATIONS:
            raise Wrong(f"{path}: no generation {generation}")
        programs.setdefault(name, []).append(path)
    return programs


def main(shardy, folder):
    wrong = []
    programs = programs_of(folder)
    with tempfile.TemporaryDirectory() as scratch:
        for name, paths in programs.items():
            try:
                first = meaning(shardy, paths[0], name)
                for path in paths:
                    expect_stable(shardy, path, pathlib.Path(scratch))
                    other = meaning(shardy, path, name)
                    if other != first:
                        wrong.append(f"{path} differs from {paths[0]}:\n{difference(first, other)}")
            except Wrong as error:
                wrong.append(str(error))
            if len(paths) < 2:
                wrong.append(f"{name} has one generation")
    print("\n".join(wrong))
    print(f"{len(programs)} programs in {sum(map(len, programs.values()))} files, {len(wrong)} wrong")
    return 1 if wrong or len(programs) < LEAST else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 3 else __doc__)
