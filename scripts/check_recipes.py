#!/usr/bin/env python3
"""Checks that the recipes of packaging/ agree with ROOT (default: .): version, options, files, what is needed.

Neither vcpkg nor Conan has to be there.
"""
import ast
import json
import pathlib
import re
import sys

# Names of packages in CMake, in vcpkg and in Conan.
NAMES = {
    "fmt": ("fmt", "fmt"),
    "tl-expected": ("tl-expected", "tl-expected"),
    "Eigen3": ("eigen3", "eigen"),
    "nlohmann_json": ("nlohmann-json", "nlohmann_json"),
    "CLI11": ("cli11", "cli11"),
}
NOT_PACKAGES = {"Threads", "PkgConfig"}


def version_of(root):
    text = (root / "include/shardy/version.h").read_text()
    return ".".join(re.search(rf"#define SHARDY_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def needed_by_cmake(root):
    texts = [(root / name).read_text() for name in ("cmake/shardy_targets.cmake", "src/tools/CMakeLists.txt")]
    return set(re.findall(r"find_package\((\S+)", "\n".join(texts))) - NOT_PACKAGES


def check(root):
    """Errors, a line each."""
    version, needed = version_of(root), needed_by_cmake(root)
    if needed != set(NAMES):
        yield f"CMake needs {sorted(needed)}, the recipes know {sorted(NAMES)}"
    options = set(re.findall(r"option\((SHARDY_\w+)", (root / "CMakeLists.txt").read_text()))

    port = root / "packaging/vcpkg/shardy"
    manifest = json.loads((port / "vcpkg.json").read_text())
    portfile = (port / "portfile.cmake").read_text()
    lists = [manifest["dependencies"], *(feature["dependencies"] for feature in manifest["features"].values())]
    have = {each for each in sum(lists, []) if isinstance(each, str)}
    if manifest["version"] != version:
        yield f"vcpkg.json: version {manifest['version']}, version.h: {version}"
    if have != {vcpkg for vcpkg, _ in NAMES.values()}:
        yield f"vcpkg.json: needs {sorted(have)}"
    for name in re.findall(r'\$\{SOURCE_PATH\}/([\w./]+)', portfile):
        if not (root / name).exists():
            yield f"portfile.cmake: no file {name}"
    if not (port / "usage").is_file():
        yield "packaging/vcpkg/shardy: no file usage"

    recipe = (root / "packaging/conan/conanfile.py").read_text()
    ast.parse(recipe)
    declared = re.search(r'^    version = "(.*)"$', recipe, re.M)[1]
    have = set(re.findall(r'self\.requires\("([^/]+)/', recipe))
    if declared != version:
        yield f"conanfile.py: version {declared}, version.h: {version}"
    if have != {conan for _, conan in NAMES.values()}:
        yield f"conanfile.py: needs {sorted(have)}"
    for pattern in re.search(r"for pattern in \((.*)\):", recipe)[1].replace('"', "").split(", "):
        if not any(root.glob(pattern)):
            yield f"conanfile.py: no files {pattern}"

    for place, text in (("portfile.cmake", portfile), ("conanfile.py", recipe)):
        for option in sorted(set(re.findall(r"SHARDY_\w+", text)) - options):
            yield f"{place}: no option {option}"


def main():
    wrong = list(check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)))
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
