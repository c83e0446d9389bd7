#!/usr/bin/env python3
"""Checks that layers only look down: reads the #includes of include/ and src/ of ROOT (default: .).

Prints `path:line: rules/ may not include passes/` for each include that breaks the table.
Direct edges are enough: the table is closed downward, so what they reach is allowed as well.
"""
import functools
import pathlib
import re
import sys

# Layers that a layer may include, besides itself and those that they include in turn.
MAY_INCLUDE = {
    "version": [],  # version.h: macros
    "support": ["version"],
    "algebra": ["support"],
    "resharding": ["algebra"],
    "ir": ["algebra"],
    "rules": ["ir"],
    "propagation": ["algebra"],
    "propagation/ir_adapter": ["propagation", "ir", "rules"],
    "passes": ["rules", "propagation", "propagation/ir_adapter", "resharding"],
    "partitioning": ["passes"],
    "simulation": ["ir"],
    "text": ["ir"],
    "checking": ["partitioning", "simulation"],
    "report": ["checking", "text"],
    "view": ["report"],
    "autoshard": ["report"],
    "testing/algebra": ["resharding"],
    "testing": ["report", "testing/algebra"],  # for tests of users; included by nothing of ours
    "reflection/detail/fields": ["algebra"],
    "reflection/algebra": ["resharding", "propagation", "reflection/detail/fields"],
    "reflection": ["view", "reflection/algebra"],  # opt in: included by nothing of ours
    "tools": ["autoshard", "view"],
    "python": ["tools"],
    "c_api": ["autoshard"],
    "shardy": ["autoshard", "view"],  # shardy.hpp: everything, included by nothing of ours
}
# Layers whose headers in detail/ a layer may include, besides its own; by folder. All other pairs are refused, so that a
# header is public only if users of the library need it, and each dependency on a private one is listed here.
MAY_INCLUDE_DETAIL = {
    "algebra": ["support"],
    "resharding": ["support", "algebra"],
    "ir": ["support", "algebra"],
    "rules": ["support", "algebra", "ir"],
    "propagation": ["support", "algebra", "ir"],
    "passes": ["support", "algebra", "resharding", "ir", "propagation", "rules"],
    "partitioning": ["support", "algebra", "resharding", "ir", "rules"],
    "simulation": ["support", "ir"],
    "text": ["support", "algebra", "ir"],
    "checking": ["support", "algebra", "ir"],
    "report": ["support", "ir"],
    "view": ["support"],
    "autoshard": ["support", "ir"],
    "reflection": ["support", "algebra", "resharding", "ir", "rules"],
    "tools": ["support", "ir"],
}
# Third-party and costly headers: the paths that may include them.
ONLY_IN = [
    (r"(unsupported/)?Eigen/", r"src/simulation/"),
    (r"nlohmann/", r"src/(text/json_document|autoshard/problem_json)\.cpp$"),
    (r"CLI/", r"src/tools/"),
    (r"pybind11/", r"src/python/"),
    (r"fmt/(?!core\.h$)", r"src/|include/shardy/algebra/detail/format\.hpp$"),
    (r"catch2/", r"include/shardy/testing/algebra\.hpp$"),
    (r"(iostream|regex|ranges)$", r"src/"),
]
INCLUDE = re.compile(r'\s*#\s*include\s*[<"]([^>"]+)[>"]')


@functools.cache
def closure(layer):
    return {layer}.union(*(closure(below) for below in MAY_INCLUDE[layer]))


def layer_of(path):
    """Layer of a path below include/shardy/ or src/."""
    if str(path) == "shardy.h":
        return "c_api"
    stem = str(pathlib.PurePath(path).with_suffix(""))
    if re.match(r"propagation/(detail/)?ir_", stem):  # the adapter is in several files
        return "propagation/ir_adapter"
    return stem if stem in MAY_INCLUDE else stem.split("/")[0]


def target_of(root, file, name):
    """Path of an included header, below include/shardy/ or src/; None for headers of others."""
    if name.startswith("shardy/"):
        return name.removeprefix("shardy/")
    for base in (file.parent, root / "src"):
        if (base / name).is_file():
            return str((base / name).resolve().relative_to(root / "src"))
    return None


def is_public(root, file):
    return file.is_relative_to(root / "include")


def may_include_detail(layer, target):
    """Checks whether files of `layer` may include `target`, a header in detail/."""
    user, owner = layer.split("/")[0], target.split("/")[0]
    return user == owner or owner in MAY_INCLUDE_DETAIL.get(user, [])


def complaint(root, file, layer, name):
    target = target_of(root, file, name)
    if target is not None:
        below = layer_of(target)
        if below not in closure(layer):
            return f"{layer}/ may not include {below}/"
        is_private = "/detail/" in target and not may_include_detail(layer, target)
        is_private |= is_public(root, file) and not name.startswith("shardy/")
        return f"{layer}/ may not include {target}: it is private" if is_private else None
    path = str(file.relative_to(root))
    barred = any(re.match(header, name) and not re.match(place, path) for header, place in ONLY_IN)
    return f"{layer}/ may not include <{name}> here" if barred else None


def main(root):
    found = False
    for top in (root / "include/shardy", root / "src"):
        for file in sorted(top.rglob("*.[ch]pp")):
            layer = layer_of(file.relative_to(top))
            for number, line in enumerate(file.read_text().splitlines(), 1):
                include = INCLUDE.match(line)
                why = include and complaint(root, file, layer, include[1])
                if why:
                    print(f"{file.relative_to(root)}:{number}: {why}")
                    found = True
    return found


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
