#!/usr/bin/env python3
"""Checks that the documents of ROOT (default: .) show code that is run and name files that exist.

A fenced block after `<!-- example: examples/foo.cpp [name] -->` is the region of that file between its
two `// [name]` lines (`# [name]` in a script, `/* [name] */` in C); without `[name]` it is the whole file. Every ```cpp block
of README.md, CONTRIBUTING.md and docs/ (docs/spec/ apart) has such a mark.

Files and folders that these documents name, in links and as paths from ROOT (`docs/json.md`), exist. A word in
capitals in a path (`tests/LAYER`) and `*` match any name. Codes of errors, warnings and notes (`E_KERNEL`), also those in docs/spec/,
are those that the sources report. Tests that documents name exist: `tests/foo_test.cpp`: "title", "another title".
"""
import pathlib
import re
import sys
import textwrap

FOLDERS = "benchmarks|cmake|docs|examples|include|scripts|src|tests"
PATH = re.compile(rf"(?<![\w./-])(?:{FOLDERS})/[\w./*-]*\w")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
MARK = re.compile(r"<!-- example: (\S+)(?: \[([^\]]+)\])? -->\s*$")
CODE = re.compile(r"\b[EWN]_[A-Z][A-Z_]+\b")
ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()


def region(path, name):
    """Text between the marks, without its common indentation; a string with the error."""
    if not path.is_file():
        return None, f"no file {path.relative_to(ROOT)}"
    lines = path.read_text().splitlines()
    if name is None:
        return lines, None
    marks = [i for i, line in enumerate(lines) if re.fullmatch(rf"\s*(//|#|/\*) \[{re.escape(name)}\]( \*/)?", line)]
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


def is_there(folder, path):
    """Checks whether a path is that of a file or folder, or a pattern that fits one."""
    pattern = re.sub(r"\b[A-Z]{2,}\b", "*", path)
    return (folder / path).exists() or ("*" in pattern and any(folder.glob(pattern)))


def missing_files(document):
    """(line number, what is wrong) of the paths and links of a document."""
    is_code = False  # where `](` is not a link
    for number, line in enumerate(document.read_text().splitlines(), 1):
        is_code ^= line.startswith("```")
        links = [] if is_code else LINK.findall(line)
        named = [(ROOT, path) for path in PATH.findall(line if is_code else LINK.sub("", line))]
        named += [(document.parent, path) for path in links]
        for folder, path in named:
            if not is_there(folder, path):
                yield number, f"no file {path}"


def unknown_codes():
    """(document, line number, what is wrong) of codes that no source has."""
    sources = [path for folder in ("include", "src") for path in (ROOT / folder).rglob("*.[ch]pp")]
    known = {code for path in sources for code in CODE.findall(path.read_text())}
    for document in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        if not document.is_file():
            continue
        for number, line in enumerate(document.read_text().splitlines(), 1):
            for code in sorted(set(CODE.findall(line)) - known):
                yield document, number, f"no source reports {code}"


TESTS = re.compile(r'`(tests/[\w/.]+)`: ("[^"]+"(?:, "[^"]+")*)')


def missing_tests():
    """(document, line number, what is wrong) of titles that no test has."""
    for document in sorted((ROOT / "docs").rglob("*.md")):
        for number, line in enumerate(document.read_text().splitlines(), 1):
            for name, titles in TESTS.findall(line):
                text = (ROOT / name).read_text() if (ROOT / name).is_file() else ""
                for title in re.findall(r'"([^"]+)"', titles):
                    if not re.search(rf'TEST_CASE\(\s*"{re.escape(title)}"|def {re.escape(title)}\(', text):
                        yield document, number, f"{name} has no test {title}"


def main():
    found = False
    for path, number, why in missing_tests():
        print(f"{path.relative_to(ROOT)}:{number}: {why}")
        found = True
    for path, number, why in unknown_codes():
        print(f"{path.relative_to(ROOT)}:{number}: {why}")
        found = True
    for path in documents():
        for number, why in missing_files(path):
            print(f"{path.relative_to(ROOT)}:{number}: {why}")
            found = True
        for number, language, text, mark in blocks(path.read_text().splitlines()):
            why = complaint(language, text, mark)
            if why:
                print(f"{path.relative_to(ROOT)}:{number}: {why}")
                found = True
    return found


if __name__ == "__main__":
    sys.exit(main())
