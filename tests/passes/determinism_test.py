#!/usr/bin/env python3
"""What passes make of a program depends on its text alone. Spec: passes 9.7.

Every program of the golden files, and each of them through the propagation pipeline, in two processes whose memory,
environment and locale differ.

usage: determinism_test.py SHARDY GOLDEN
"""
import os
import pathlib
import shlex
import subprocess
import sys

COMMAND = "// shardy opt"
PIPELINE = "--sdy-propagation-pipeline=enable-insert-explicit-collectives=true"
WORLDS = [{"MALLOC_PERTURB_": "85", "LC_ALL": "C"},
          {"MALLOC_PERTURB_": "170", "MALLOC_TOP_PAD_": "7340032", "LC_ALL": "C.UTF-8", "PADDING": "x" * 5000}]


def programs(golden):
    """Arguments and text of every case."""
    for path in sorted(golden.glob("*/*.mlir")):
        for case in path.read_text().split("// ----------\n"):
            command, _, _ = case.partition("\n")
            assert command.startswith(COMMAND), f"{path}: {command}"
            yield path, shlex.split(command[len(COMMAND):]), case.partition("// ---- ")[0]


def output(shardy, arguments, text, world):
    done = subprocess.run([shardy, "opt", "-", *arguments], input=text, text=True, capture_output=True,
                          env={**os.environ, **world}, check=False)
    return done.returncode, done.stdout, done.stderr


def main():
    shardy, golden = sys.argv[1], pathlib.Path(sys.argv[2])
    count = 0
    for path, arguments, text in programs(golden):
        for ways in (arguments, [PIPELINE]):
            first, second = (output(shardy, ways, text, world) for world in WORLDS)
            if first != second:
                sys.exit(f"{path}: shardy opt {' '.join(ways)} is not determined by\n{text}\n{first}\n{second}")
            count += 1
    assert count > 100, f"only {count} programs below {golden}"
    print(f"{count} outputs are determined by their programs")


main()
