#!/usr/bin/env python3
"""Programs as JAX prints them without and with Shardy have the same collectives and results.

usage: jax_programs_test.py SHARDY FOLDER
"""
import json
import pathlib
import subprocess
import sys


def run(shardy, path):
    done = subprocess.run([shardy, "run", "--check", "--json", path], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{path}: {done.stderr}")
    report = json.loads(done.stdout)
    return {key: report[key] for key in ("devices", "values", "values_sharded", "collectives", "equal", "results")}


def main(shardy, folder):
    pairs = sorted(pathlib.Path(folder).glob("*_gspmd.mlir"))
    wrong = not pairs
    for old in pairs:
        new = old.with_name(old.name.replace("_gspmd", "_sdy"))
        if run(shardy, old) != run(shardy, new):
            print(f"{old}: {run(shardy, old)}\n{new}: {run(shardy, new)}")
            wrong = True
    print(f"{len(pairs)} programs")
    return wrong


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 3 else __doc__)
