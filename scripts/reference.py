#!/usr/bin/env python3
"""The API reference by Doxygen: scripts/reference.py [--check] [OUTPUT].

Writes OUTPUT/html (build/reference without OUTPUT). With --check nothing but the warnings of Doxygen is wanted: every public symbol has a
comment, and every comment parses. Ends with 77, which CTest counts as skipped, if Doxygen is missing.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

import doxygen_filter

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = 77


def copy_filtered(output):
    """The public headers as Doxygen reads them: one process per header would take longer than Doxygen."""
    include = output / "include"
    shutil.rmtree(include, ignore_errors=True)
    for header in sorted((ROOT / "include" / "shardy").rglob("*.h*")):
        if "detail" in header.parts:
            continue
        copy = include / header.relative_to(ROOT / "include")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(doxygen_filter.filtered(header.read_text(encoding="utf-8")), encoding="utf-8")


def settings(output, check):
    own = (ROOT / "docs" / "Doxyfile").read_text(encoding="utf-8")
    page = "" if check else str(ROOT / "docs" / "reference.md")
    return own + f"""
INPUT                  = {output}/include {page}
STRIP_FROM_PATH        = {output}/include
STRIP_FROM_INC_PATH    = {output}/include
OUTPUT_DIRECTORY       = {output}
GENERATE_HTML          = {"NO" if check else "YES"}
GENERATE_XML           = {"YES" if check else "NO"}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", nargs="?", default=ROOT / "build" / "reference", type=pathlib.Path)
    parser.add_argument("--check", action="store_true", help="only whether Doxygen warns")
    options = parser.parse_args()
    doxygen = shutil.which("doxygen")
    if doxygen is None:
        print("skipped: no doxygen here (Debian package doxygen)")
        return SKIPPED
    output = options.output.resolve()
    output.mkdir(parents=True, exist_ok=True)
    copy_filtered(output)
    done = subprocess.run([doxygen, "-"], input=settings(output, options.check), cwd=ROOT, capture_output=True, text=True)
    warnings = sorted({line.replace(f"{output}/include/", "include/") for line in done.stderr.splitlines() if line.strip()})
    print("\n".join(warnings))
    print(f"{len(warnings)} warnings" if warnings else "every public symbol has a comment")
    return 1 if warnings or done.returncode != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
