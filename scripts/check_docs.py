#!/usr/bin/env python3
"""Checks that the documents of ROOT (default: .) show code that is run and name test cases that exist.

A fenced block after `<!-- example: examples/foo.cpp [name] -->` is the region of that file between its
two `// [name]` lines (`# [name]` in a script); without `[name]` it is the whole file. Every ```cpp block
of README.md, CONTRIBUTING.md and docs/ (docs/spec/ apart) has such a mark.

The tables of passes.md and resharding.md in docs/spec/coverage.md name cases in their last column: `FILE`: TITLE,
several with <br> between them. FILE is below tests/passes/; TITLE is that of a `// CASE:` line or of a TEST_CASE in it.
"""
import functools
import pathlib
import re
import sys
import textwrap

COVERAGE = "docs/spec/coverage.md"
TABLES = ("passes.md", "resharding.md")
CASE = re.compile(r"`([^`]+)`(?:: (.+))?")
MARK = re.compile(r"<!-- example: (\S+)(?: \[([^\]]+)\])? -->\s*$")
ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()


def region(path, name):
    """Text between the marks, without its common indentation; a string that says what is wrong."""
    if not path.is_file():
        return None, f"no file {path.relative_to(ROOT)}"
    lines = path.read_text().splitlines()
    if name is None:
        return lines, None
    marks = [i for i, line in enumerate(lines) if re.fullmatch(rf"\s*(//|#) \[{re.escape(name)}\]", line)]
    if len(marks) != 2:
        return None, f"{path.relative_to(ROOT)} has {len(marks)} lines `// [{name}]`, not 2"
    return textwrap.dedent("\n".join(lines[marks[0] + 1 : marks[1]])).split("\n"), None


def blocks(lines):
    """(line number, language, text, mark or None) of each fenced block; None for text is a stray mark."""
    mark, start, text = None, None, []
    for number, line in enumerate(lines, 1):
        if start is not None:
            if line.startswith("```"):
                yield start, lines[start - 1][3:].strip(), text, mark
                mark, start = None, None
            else:
                text.append(line)
        elif line.startswith("```"):
            start, text = number, []
        elif line.strip():
            if mark or (line.startswith("<!-- example") and not MARK.match(line)):
                yield number, "", None, None
            mark = MARK.match(line)


def complaint(language, text, mark):
    if text is None:
        return "a mark is <!-- example: path [name] --> right before its block"
    if mark is None:
        return "a cpp block needs an <!-- example: path [name] --> mark" if language == "cpp" else None
    wanted, wrong = region(ROOT / mark[1], mark[2])
    if wrong:
        return wrong
    return None if text == wanted else f"differs from {mark[1]} [{mark[2] or 'whole file'}]"


def documents():
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        if path.is_file() and ROOT / "docs/spec" not in path.parents:
            yield path


@functools.lru_cache(maxsize=None)
def titles(path):
    """Titles of the cases of a test file; None if there is no such file."""
    if not path.is_file():
        return None
    text = path.read_text()
    if path.suffix == ".mlir":
        return frozenset(re.findall(r"^// CASE: (.*)$", text, re.MULTILINE))
    literals = re.findall(r'TEST_CASE\(\s*"((?:[^"\\]|"\s*")*)"\s*,', text)
    return frozenset(re.sub(r'"\s*"', "", literal) for literal in literals)


def case_complaint(case):
    named = CASE.fullmatch(case)
    if not named:
        return f"names no case: {case}"
    known = titles((ROOT / "tests/passes" / named[1]).resolve())
    if known is None:
        return f"no file tests/passes/{named[1]}"
    return f"tests/passes/{named[1]} has no case: {named[2]}" if named[2] and named[2] not in known else None


def wrong_cases():
    """(line number, what is wrong) of the tables of TABLES."""
    path = ROOT / COVERAGE
    section = None
    for number, line in enumerate(path.read_text().splitlines() if path.is_file() else [], 1):
        if line.startswith("## "):
            section = line[3:]
        row = [cell.strip() for cell in line.strip("|").split(" | ")]
        if section not in TABLES or not line.startswith("| ") or row[0] == "step":
            continue
        for why in map(case_complaint, row[-1].split("<br>")):
            if why:
                yield number, why


def main():
    found = False
    for number, why in wrong_cases():
        print(f"{COVERAGE}:{number}: {why}")
        found = True
    for path in documents():
        for number, language, text, mark in blocks(path.read_text().splitlines()):
            why = complaint(language, text, mark)
            if why:
                print(f"{path.relative_to(ROOT)}:{number}: {why}")
                found = True
    return found


if __name__ == "__main__":
    sys.exit(main())
