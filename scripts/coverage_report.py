#!/usr/bin/env python3
"""Line coverage of the headers below FOLDER from the gcov data of BUILD; fails below LEAST percent.

coverage_report.py BUILD FOLDER LEAST [--lines]
"""
import collections
import json
import pathlib
import subprocess
import sys


def gcov_files(notes):
    """Path and lines of each source of one object file, by gcov."""
    command = ["gcov", "--json-format", "--stdout", "--object-directory", notes.parent, notes]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    for line in output.splitlines():
        if line.startswith("{"):
            report = json.loads(line)
            folder = pathlib.Path(report["current_working_directory"])
            for file in report["files"]:
                yield (folder / file["file"]).resolve(), file["lines"]


def line_counts(build, folder):
    """File -> line -> how often some test ran it."""
    counts = collections.defaultdict(collections.Counter)
    for notes in sorted(build.rglob("*.gcno")):
        for path, lines in gcov_files(notes.resolve()):
            if folder not in path.parents:
                continue
            for line in lines:
                counts[path][line["line_number"]] += line["count"]
    return counts


def main(build, folder, least, show_lines):
    counts = line_counts(pathlib.Path(build), pathlib.Path(folder).resolve())
    all_lines = all_run = 0
    for path in sorted(counts):
        lines = counts[path]
        missed = sorted(line for line, count in lines.items() if count == 0)
        all_lines += len(lines)
        all_run += len(lines) - len(missed)
        print(f"{path.name:26} {len(lines) - len(missed):5} of {len(lines):5}")
        source = path.read_text().splitlines() if show_lines else []
        for line in missed if show_lines else []:
            print(f"    {line}: {source[line - 1].strip()}")
    percent = 100 * all_run / all_lines if all_lines else 0
    print(f"{folder}: {all_run} of {all_lines} lines, {percent:.2f} %")
    return percent < float(least)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4], "--lines" in sys.argv[4:]))
