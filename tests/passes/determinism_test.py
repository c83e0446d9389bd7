#!/usr/bin/env python3
"""The output of passes depends on the text of the program alone. Spec: passes 9.7.

Every program of the golden files, and each of them through the propagation pipeline, in two processes whose memory,
environment and locale differ.

usage: determinism_test.py SHARDY GOLDEN
"""
import os
import pathlib
import subprocess
import sys

from golden_cases import cases_of, golden_files

PIPELINE = "--sdy-propagation-pipeline=enable-insert-explicit-collectives=true"
WORLDS = [{"MALLOC_PERTURB_": "85", "LC_ALL": "C"},
          {"MALLOC_PERTURB_": "170", "MALLOC_TOP_PAD_": "7340032", "LC_ALL": "C.UTF-8", "PADDING": "x" * 5000}]


def output(shardy, arguments, text, world):
    done = subprocess.run([shardy, "opt", "-", *arguments], input=text, text=True, capture_output=True,
                          env={**os.environ, **world}, check=False)
    return done.returncode, done.stdout, done.stderr


def main():
    shardy, golden = sys.argv[1], pathlib.Path(sys.argv[2])
    count = 0
    for case in (case for path in golden_files(golden) for case in cases_of(path)):
        for ways in (case.arguments, [PIPELINE]):
            first, second = (output(shardy, ways, case.input, world) for world in WORLDS)
            if first != second:
                sys.exit(f"{case.path}: shardy opt {' '.join(ways)} is not determined by\n{case.input}\n{first}\n{second}")
            count += 1
    assert count > 100, f"only {count} programs below {golden}"
    print(f"{count} outputs are determined by their programs")


main()
