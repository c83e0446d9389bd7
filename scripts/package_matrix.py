#!/usr/bin/env python3
"""Compiles consumers of an installed shardy with each compiler and each language, and runs them.

package_matrix.py STAGE WORK [--shared LIBRARY] [--all]

STAGE: the prefix of an install. WORK: a folder to write to. LIBRARY: the same library, shared, to link against as well.
Compilers are g++ 12 and clang++ 14, as far as they are installed, languages C++20 and C++23, with all warnings, and
warnings in our headers as errors. g++ runs with C++23 and clang++ with C++20; --all: each with both. The amalgamation
holds the headers of uses_algebra in another order, which one compiler can check: clang++, or all with --all. Nothing of
the library is compiled again. Programs of a cell are compiled side by side.
"""
import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
EMBEDDER = ["-fno-exceptions", "-fno-rtti"]
COMPILERS = ["g++", "clang++-14"]
LANGUAGES = {"C++20": "-std=c++20", "C++23": "-std=c++2b"}
# The build itself, install/consumer and the examples are g++ with C++20.
DEFAULT_CELLS = [("g++", "C++23"), ("clang++-14", "C++20")]
AMALGAMATION_IN = "clang++-14"
INSTALL = ROOT / "tests/install"


def run(command, what):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{what}: exit status {done.returncode}\n{done.stdout}{done.stderr}"[:8000])
    return done.stdout


def amalgamate(work):
    header = work / "shardy_propagation.hpp"
    header.write_text(run([sys.executable, "-B", ROOT / "scripts/amalgamate.py"], "amalgamate.py"))


class Cell:
    """One compiler with one language."""

    def __init__(self, compiler, language, arguments):
        self.name = f"{compiler} {language}"
        self.stage, self.shared = arguments.stage, arguments.shared
        self.work = arguments.work / self.name.replace(" ", "_")
        self.work.mkdir(parents=True, exist_ok=True)
        self.compile = [compiler, LANGUAGES[language], "-O0", *WARNINGS]

    def compiled(self, source, flags):
        made = self.work / f"{source.stem}.o"
        run([*self.compile, *flags, "-c", source, "-o", made], f"{self.name}: {source.name}")
        return made

    def program(self, name, objects, libraries=()):
        program = self.work / name
        run([self.compile[0], *objects, "-o", program, *libraries, "-lfmt", "-pthread"], f"{self.name}: {name}")
        return run([program], f"{self.name}: {name} runs")

    def check(self, pool, has_amalgamation):
        include = [f"-I{self.stage / 'include'}"]
        algebra = pool.submit(self.compiled, INSTALL / "uses_algebra.cpp", [*include, "-DSHARDY_HEADER_ONLY", *EMBEDDER])
        hello = pool.submit(self.compiled, ROOT / "examples/hello.cpp", include)
        amalgamation = [pool.submit(self.compiled, INSTALL / name, [f"-I{self.work.parent}", *EMBEDDER])
                        for name in ("uses_amalgamation.cpp", "uses_amalgamation_too.cpp") if has_amalgamation]
        self.program("uses_algebra", [algebra.result()])
        if has_amalgamation:
            self.program("uses_amalgamation", [each.result() for each in amalgamation])
        libraries = [next((self.stage / "lib").rglob("libshardy.a"), None) or next((self.stage / "lib").rglob("libshardy.so"))]
        if self.shared:
            libraries.append(self.shared)
        wanted = (ROOT / "examples/hello.out").read_text()
        for library in libraries:
            got = self.program(f"hello_with_{library.suffix[1:]}", [hello.result()],
                               [library, f"-Wl,-rpath,{library.parent}"])
            if got != wanted:
                sys.exit(f"{self.name}, {library.name}: hello prints\n{got}and should print\n{wanted}")
        print(f"{self.name}: algebra, " + "amalgamation, " * has_amalgamation +
              " and ".join(library.name for library in libraries))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", type=pathlib.Path)
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--shared", type=pathlib.Path)
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    amalgamate(arguments.work)
    compilers = [compiler for compiler in COMPILERS if shutil.which(compiler)]
    for compiler in set(COMPILERS) - set(compilers):
        print(f"{compiler}: not installed")
    cells = [(compiler, language) for compiler in COMPILERS for language in LANGUAGES] if arguments.all else DEFAULT_CELLS
    amalgamation_in = compilers if arguments.all or AMALGAMATION_IN not in compilers else [AMALGAMATION_IN]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for compiler, language in cells:
            if compiler in compilers:
                Cell(compiler, language, arguments).check(pool, compiler in amalgamation_in)


if __name__ == "__main__":
    main()
