#!/usr/bin/env python3
"""Savings by rewrites of collectives: a table of models and of the example programs, with rewrites and without.

    benchmarks/collectives/collectives.py build/ci/src/tools/shardy
    benchmarks/collectives/collectives.py SHARDY --check docs/resharding.md     fails if the document has another table

Bytes and messages (ops that communicate) are those of one device. The programs of examples/programs are sharded at
random, ten times each, and the sums of their costs compared; `shardy check` does not print memory. Exits with 1 where a program
sends or holds more with rewrites than without.
"""
import argparse
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = sorted((ROOT / "benchmarks/collectives").glob("*.mlir")) + sorted((ROOT / "examples").glob("*.json"))
# Others are one program per process already.
PROGRAMS = [path for path in sorted((ROOT / "examples/programs").glob("*.mlir")) if "run_parallel" not in path.read_text()]
HEAD = ["program", "bytes sent", "rewritten", "messages", "rewritten", "peak memory", "rewritten", "rules"]


def report(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(" ".join(map(str, command)) + "\n" + done.stdout + done.stderr)
    return json.loads(done.stdout)


def load(answer):
    kinds = answer["collectives"].values()
    return sum(kind["bytes_sent_per_device"] for kind in kinds), sum(kind["count"] for kind in kinds)


def both(command):
    return [report(command + ["--json", "--optimize-collectives=" + rules]) for rules in ("none", "all")]


def model_row(shardy, path):
    before, after = both([shardy, "run", path, "--check"])
    rules = ", ".join(sorted({each["rule"] for each in after["rewrites"]}))
    pairs = list(zip(load(before), load(after))) + [(before["peak_bytes_per_device"], after["peak_bytes_per_device"])]
    return path.stem, pairs, rules


def programs_row(shardy):
    sums = [[0, 0], [0, 0]]
    worse = []
    for path in PROGRAMS:
        loads = [load(answer) for answer in both([shardy, "check", path, "--cases", "10"])]
        if loads[1][0] > loads[0][0]:
            worse.append(path.stem)
        for index in range(2):
            sums[index] = [a + b for a, b in zip(sums[index], loads[index])]
    name = f"examples/programs, {len(PROGRAMS)} of them"
    return name, list(zip(*sums)), "", worse


def table(shardy):
    worse = []
    lines = ["| " + " | ".join(HEAD) + " |", "| --- |" + " ---: |" * 6 + " --- |"]
    rows = [model_row(shardy, path) for path in MODELS]
    *sums, worse = programs_row(shardy)
    for name, pairs, rules in rows + [sums]:
        worse += [name] if any(after > before for before, after in (pairs[0], *pairs[2:])) else []
        numbers = [f"{number:,}" for pair in pairs for number in pair]
        lines.append("| " + " | ".join([name, *numbers, *[""] * (6 - len(numbers)), rules]) + " |")
    return "\n".join(lines), worse


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shardy", type=pathlib.Path)
    parser.add_argument("--check", type=pathlib.Path, help="the document that holds the table")
    arguments = parser.parse_args()
    text, worse = table(arguments.shardy)
    if worse:
        sys.exit("more with rewrites than without: " + ", ".join(worse))
    if arguments.check is None:
        print(text)
    elif text not in arguments.check.read_text():
        sys.exit(f"{arguments.check} has another table than\n\n{text}")


if __name__ == "__main__":
    main()
