#!/usr/bin/env python3
"""A table of programs for docs/autoshard.md: autoshard_table.py SHARDY [--seconds N] [FILE ...]

Per program: the modelled time as annotated; the best time within the peak memory of that, with the annotations of the file and without them; the lower bound of
the last search; its seconds. Without files: those of examples/jax that JAX exports as SDY.
"""
import argparse
import json
import pathlib
import re
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]


def answer(shardy, seconds, *arguments):
    """Returns the JSON of a command, or the first line of its error."""
    begin = time.perf_counter()
    try:
        done = subprocess.run([str(shardy), *map(str, arguments), "--json"], capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return f"more than {seconds} s", seconds
    found = json.loads(done.stdout) if done.stdout else {}
    error = done.stderr.splitlines()[0].split("error: ")[-1] if done.stderr else ""
    return (found if done.returncode == 0 else error or "refused"), time.perf_counter() - begin


def time_text(seconds):
    for unit, factor in ("s", 1), ("ms", 1e3), ("us", 1e6), ("ns", 1e9):
        if seconds * factor >= 1 or unit == "ns":
            return f"{seconds * factor:.3g} {unit}"
    return ""


def mesh_of(path):
    found = re.search(r"sdy\.mesh @\w+ = <\[([^\]]*)\]", path.read_text())
    return re.sub(r'["\s]', "", found[1]) if found else "none"


def row(shardy, path, seconds):
    report, _ = answer(shardy, seconds, "report", path)
    if isinstance(report, str):
        return f"| {path.stem} | {mesh_of(path)} | {report} | | | | |"
    limit = ["--memory", report["peak"]["bytes"]]
    held, _ = answer(shardy, seconds, "autoshard", path, *limit)
    free, took = answer(shardy, seconds, "autoshard", path, *limit, "--ignore-annotations")
    best = [each if isinstance(each, str) else time_text(each["best"]["modelled_seconds"]) for each in (held, free)]
    bound = "" if isinstance(free, str) else f"{time_text(free['model']['bound'])}, {free['model']['status']}"
    return f"| {path.stem} | {mesh_of(path)} | {time_text(report['modelled_seconds'])} | {best[0]} | {best[1]} | {bound} | {took:.1f} s |"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shardy", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    print("| program | mesh | as annotated | best, annotations hold | best, all free | bound of the model | search |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for path in options.files or sorted((ROOT / "examples/jax").glob("*_sdy.mlir")):
        print(row(options.shardy, path, options.seconds), flush=True)


if __name__ == "__main__":
    main()
