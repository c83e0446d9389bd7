#!/usr/bin/env python3
"""The output of the propagation pipeline runs on all devices like the program on one. Spec: passes 9.6.

The example programs check themselves. Each gets a random mesh and shardings, is exported, and what was exported, with its
reshards, collectives and calls, goes through the pipeline again and runs like any other program.

usage: exported_programs_test.py SHARDY PROGRAMS [SEEDS]
"""
import pathlib
import sys

from command_line import shardy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from sharded_programs_test import sharded  # noqa: E402

WAYS = ["", "enable-insert-explicit-collectives=true",
        "enable-insert-explicit-collectives=true dedup-functions-fully=true", "inline-meshes=true"]


def main():
    binary, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    runs = collectives = 0
    for path in sorted(folder.glob("*.mlir")):
        text = shardy("", binary, "convert", str(path), "--emit", "json")
        for seed in range(int(sys.argv[3]) if len(sys.argv) > 3 else 1):
            program = sharded(text, f"{path.stem} {seed} exported")
            way = WAYS[runs % len(WAYS)]
            if program is None:
                continue
            program = shardy(program, binary, "convert", "-", "--emit", "mlir")
            exported = shardy(program, binary, "opt", "-", f"--sdy-propagation-pipeline={way}")
            shardy(exported, binary, "run", "-")
            runs += 1
            collectives += "sdy.all_" in exported
    assert runs >= 30 and collectives > 5, f"{runs} runs, {collectives} with collectives"
    print(f"{runs} exported programs run as before, {collectives} with collectives")


main()
