#!/usr/bin/env python3
"""Prints shardy's algebra and propagation as one header, for compilers that vendor it.

amalgamate.py [--root ROOT] [HEADER ...] > shardy_propagation.hpp

HEADER: what it is made of, with all that these include and all bodies (default: shardy/version.h shardy/algebra.hpp
shardy/propagation.hpp). What comes out needs C++20, {fmt} and tl::expected, no exceptions and no run-time type
information. A program has it in any number of sources.
"""
import argparse
import pathlib
import re

DEFAULT = ["shardy/version.h", "shardy/algebra.hpp", "shardy/propagation.hpp"]
INCLUDE = re.compile(r'\s*#\s*include\s*[<"]([^>"]+)[>"]')
HEAD = """// shardy++ {version}: {what}. Made by scripts/amalgamate.py; do not edit.
//
// Link what {{fmt}} needs, or define FMT_HEADER_ONLY before. All of it is in namespace shardy.
#pragma once

#ifndef SHARDY_HEADER_ONLY
#define SHARDY_HEADER_ONLY
#endif

{includes}
"""


class Amalgamation:
    """Headers in the order in which a compiler would read them, each once."""

    def __init__(self, include):
        self.include = include
        self.seen = set()
        self.foreign = set()
        self.lines = []

    def add(self, name):
        if name in self.seen:
            return
        self.seen.add(name)
        self.lines += ["", f"// ---- {name} ----"]
        for line in (self.include / name).read_text().splitlines():
            included = INCLUDE.match(line)
            if included and included[1].startswith("shardy/"):
                self.add(included[1])
            elif included:
                self.foreign.add(included[1])
            elif line.strip() != "#pragma once":
                self.lines.append(line)

    def text(self, what):
        includes = "\n".join(f"#include <{name}>" for name in sorted(self.foreign))
        body = re.sub(r"\n{3,}", "\n\n", "\n".join(self.lines))
        body = re.sub(r"#ifdef SHARDY_HEADER_ONLY\n\s*#endif\n?", "", body)
        return HEAD.format(version=version(self.include), what=what, includes=includes) + body.strip("\n") + "\n"


def version(include):
    text = (include / "shardy/version.h").read_text()
    return ".".join(re.search(rf"#define SHARDY_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent)
    parser.add_argument("headers", nargs="*", default=DEFAULT, metavar="HEADER")
    arguments = parser.parse_args()
    amalgamation = Amalgamation(arguments.root / "include")
    for header in arguments.headers:
        amalgamation.add(header)
    names = [name.removeprefix("shardy/") for name in arguments.headers if name != "shardy/version.h"]
    print(amalgamation.text(", ".join(names)), end="")


if __name__ == "__main__":
    main()
