#!/usr/bin/env python3
"""The table of programs in docs/autoshard.md: autoshard_table.py SHARDY [--seconds N] [--mesh MESH] [MODEL ...]

Rows are the models of model_programs.py on each mesh. Per row: the modelled time with the recipe megatron ("as annotated"), and with the best of the recipes; the best
time found within the peak memory of that recipe, and its lower bound; the best time within the least peak of all recipes.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile
import time

import model_programs


def answer(shardy, seconds, *arguments):
    """Returns the JSON of a command, or the first line of its error."""
    try:
        done = subprocess.run([str(shardy), *map(str, arguments), "--json"], capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return f"more than {seconds} s"
    found = json.loads(done.stdout) if done.stdout else {}
    error = done.stderr.splitlines()[0].split("error: ")[-1] if done.stderr else ""
    return found if done.returncode == 0 else error or "refused"


def time_text(seconds):
    for unit, factor in ("s", 1), ("ms", 1e3), ("us", 1e6), ("ns", 1e9):
        if seconds * factor >= 1 or unit == "ns":
            return f"{seconds * factor:.3g} {unit}"
    return ""


def found_text(found):
    return found if isinstance(found, str) else time_text(found["best"]["modelled_seconds"])


def row(shardy, name, mesh, seconds, folder):
    reports = {}
    for recipe in model_programs.RECIPES:
        path = folder / f"{recipe}.mlir"
        path.write_text(model_programs.annotated(name, recipe, mesh))
        reports[recipe] = answer(shardy, seconds, "report", path)
    recipes = [recipe for recipe in reports if recipe != "none"]
    best = min(recipes, key=lambda recipe: reports[recipe]["modelled_seconds"])
    least = min(reports[recipe]["peak"]["bytes"] for recipe in recipes)
    begin = time.perf_counter()
    found = answer(shardy, seconds, "autoshard", folder / "none.mlir", "--memory", reports[best]["peak"]["bytes"])
    took = time.perf_counter() - begin
    small = answer(shardy, seconds, "autoshard", folder / "none.mlir", "--memory", least)
    bound = "" if isinstance(found, str) else f"{time_text(found['model']['bound'])}, {found['model']['status']}"
    sizes = ", ".join(part.split("=")[1].strip(" ]>") for part in mesh.split(","))
    return (f"| {name} | {sizes} | {time_text(reports['megatron']['modelled_seconds'])} | {time_text(reports[best]['modelled_seconds'])}, {best} | {found_text(found)} | "
            f"{bound} | {found_text(small)} | {took:.1f} s |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shardy", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--mesh", nargs="*", default=model_programs.MESHES)
    parser.add_argument("models", nargs="*", help="all without names")
    options = parser.parse_args()
    print("| program | mesh | as annotated | best recipe | found within its peak | bound of the model | found within the least peak | search |\n"
          "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in options.models or model_programs.MODELS:
        for mesh in options.mesh:
            with tempfile.TemporaryDirectory() as folder:
                print(row(options.shardy, name, mesh, options.seconds, pathlib.Path(folder)), flush=True)


if __name__ == "__main__":
    main()
