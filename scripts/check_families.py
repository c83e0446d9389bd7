#!/usr/bin/env python3
"""Checks that files about ops have one stem in all layers of ROOT (default: .).

A file that has the rules, lowerings, kernels or types of ops is named like the family of their rows
(include/shardy/ir/ops/FAMILY.inc), like an op, or like the first words of the names of several ops; more words may
follow: `slice`, `scatter_fold`, `collective_movement`. Prints those that are not.
"""
import pathlib
import re
import sys

# Rules: all files, but those that are about no op or about all of them.
RULES = ("include/shardy/rules", "include/shardy/rules/detail")
OF_ALL_RULES = set("built_in indexed_lowering lowering_rules op_rules op_view registry rule_builder".split())
# Kernels: the files that have some. Lowerings: the files that their list names, but for those of all ops.
KERNELS = "src/simulation/kernels"
LOWERINGS = "src/partitioning/families.hpp"
OF_ALL_LOWERINGS = {"families"}
# Files whose stems are a family between these two, and no op.
FAMILY_FILES = [("src/ir", "infer_", ""), ("include/shardy/ir", "", "_ops")]
NOT_OF_A_FAMILY = {"infer_families", "edge_ops"}
ROW = re.compile(r'SHARDY_OP\(\s*\w+,\s*"([^"]+)"')


def prefixes(name):
    """`a`, `a_b`, `a_b_c` of `a_b_c`."""
    words = name.split("_")
    return {"_".join(words[:count]) for count in range(1, len(words) + 1)}


def known_stems(root):
    families = set()
    stems = set()
    for file in (root / "include/shardy/ir/ops").glob("*.inc"):
        if file.stem == "all":
            continue
        families.add(file.stem)
        for name in ROW.findall(file.read_text()):
            stems |= prefixes(name.split(".", 1)[1].replace("-", "_").lstrip("_"))
    return families, stems | families


def named_files(root):
    """(path, stem) of the files that are to be named like ops."""
    for folder in RULES:
        for file in sorted((root / folder).glob("*.hpp")):
            if file.stem not in OF_ALL_RULES:
                yield file.relative_to(root), file.stem
    for file in sorted((root / KERNELS).glob("*.cpp")):
        if "\nSHARDY_KERNEL(" in file.read_text():
            yield file.relative_to(root), file.stem
    lowerings = root / LOWERINGS
    for name in re.findall(r"(?m)^// (\w+)\.cpp", lowerings.read_text() if lowerings.exists() else ""):
        if name not in OF_ALL_LOWERINGS:
            yield pathlib.Path(LOWERINGS).with_name(name + ".cpp"), name


def complaints(root):
    families, known = known_stems(root)
    for path, stem in named_files(root):
        if not prefixes(stem) & known:
            yield f"{path}: is named like no family in include/shardy/ir/ops/ and like no op"
    for folder, begin, end in FAMILY_FILES:
        for file in sorted((root / folder).glob(f"{begin}*{end}.[ch]pp")):
            if file.stem in NOT_OF_A_FAMILY or file.stem == begin.rstrip("_"):
                continue
            if file.stem[len(begin):len(file.stem) - len(end)] not in families:
                yield f"{file.relative_to(root)}: is named like no family in include/shardy/ir/ops/"


def main(root):
    found = list(complaints(root))
    for complaint in found:
        print(complaint)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()))
