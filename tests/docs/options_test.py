#!/usr/bin/env python3
"""Compares the tables of options of the pages with `--help`: options_test.py SHARDY PAGE... [--approve]

After `<!-- options: COMMAND -->` comes a table. The first two columns of a row are an option and its text in `shardy help COMMAND`; a third column
may have details. `--approve` writes the texts into the pages.
"""
import os
import pathlib
import re
import subprocess
import sys

MARK = re.compile(r"<!-- options: (\w+) -->\s*$")
ROW = re.compile(r"\| `(-[^`]*)` \| ([^|]*?) \|(.*)$")


def options_of(shardy, command):
    """{option with its value, as `--top N`: its text} of a command."""
    lines = subprocess.run([shardy, "help", command], env={**os.environ, "COLUMNS": "2000"}, text=True, timeout=60, check=True,
                           stdout=subprocess.PIPE).stdout.splitlines()
    options = {}
    for line, following in zip(lines, lines[1:] + [""]):
        option = re.match(r"  (-\S.*?)(?:\s{2,}(\S.*))?$", line)
        if option:
            options[option[1].strip()] = (option[2] or following).strip()
    return options


def rows_with_texts(lines, shardy):
    """(line number from 1, line as it is, line with the text of `--help`) of each row of a marked table."""
    options = None
    for number, line in enumerate(lines, 1):
        mark, row = MARK.match(line), ROW.match(line)
        if mark:
            options = options_of(shardy, mark[1])
        elif options and row:
            text = options.get(row[1], "no such option")
            yield number, line, f"| `{row[1]}` | {text} |{row[3]}"
        elif not line.startswith("|"):
            options = options if not line.strip() else None


def main():
    approve = "--approve" in sys.argv
    shardy, *pages = [argument for argument in sys.argv[1:] if argument != "--approve"]
    failed, rows = False, 0
    for page in map(pathlib.Path, pages):
        lines = page.read_text().splitlines()
        for number, line, wanted in rows_with_texts(lines, shardy):
            rows += 1
            if line == wanted:
                continue
            lines[number - 1] = wanted
            failed = True
            print(f"{page}:{number}: not the text of --help:\n-{line}\n+{wanted}")
        if approve:
            page.write_text("\n".join(lines) + "\n")
    print(f"{rows} rows")
    return failed and not approve


if __name__ == "__main__":
    sys.exit(main())
