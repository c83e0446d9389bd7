#!/usr/bin/env python3
"""The output of passes depends on the text of the program alone. Spec: passes 9.7.

Every program of the golden files, and each of them through the propagation pipeline, in two processes whose memory,
environment and locale differ. A process takes several programs with the same passes, one after the other.

usage: determinism_test.py SHARDY GOLDEN
"""
import collections
import os
import pathlib
import subprocess
import sys

from golden_cases import cases_of, golden_files

PIPELINE = "--sdy-propagation-pipeline=enable-insert-explicit-collectives=true"
WORLDS = [{"MALLOC_PERTURB_": "85", "LC_ALL": "C"},
          {"MALLOC_PERTURB_": "170", "MALLOC_TOP_PAD_": "7340032", "LC_ALL": "C.UTF-8", "PADDING": "x" * 5000}]
SPLIT = "// -----\n"
AT_ONCE = 40  # programs of a process


def output(shardy, arguments, text, world):
    done = subprocess.run([shardy, "opt", "-", "--split-input-file", *arguments], input=text, text=True,
                          capture_output=True, env={**os.environ, **world}, check=False)
    return done.returncode, done.stdout, done.stderr


def is_determined(shardy, arguments, programs):
    first, second = (output(shardy, arguments, SPLIT.join(programs), world) for world in WORLDS)
    return first == second


def main():
    shardy, golden = sys.argv[1], pathlib.Path(sys.argv[2])
    by_passes = collections.defaultdict(list)
    for case in (case for path in golden_files(golden) for case in cases_of(path)):
        for arguments in (tuple(case.arguments), (PIPELINE,)):
            by_passes[arguments].append(case.input)
    count = 0
    for arguments, programs in by_passes.items():
        for begin in range(0, len(programs), AT_ONCE):
            some = programs[begin:begin + AT_ONCE]
            count += len(some)
            if is_determined(shardy, arguments, some):
                continue
            alone = next((each for each in some if not is_determined(shardy, arguments, [each])), SPLIT.join(some))
            sys.exit(f"shardy opt {' '.join(arguments)} is not determined by\n{alone}")
    assert count > 2000, f"only {count} programs below {golden}"
    print(f"{count} outputs are determined by their programs")


main()
