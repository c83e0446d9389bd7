#!/usr/bin/env python3
"""Programs before and after passes: every case of golden/PASS/NAME.mlir. golden_cases.py describes their form.

usage: golden_test.py SHARDY GOLDEN             check all cases
       golden_test.py SHARDY --approve FILE...  write what comes out into the cases of these files

Expected text comes from docs/spec/: read the difference before it is committed.
"""
import concurrent.futures
import difflib
import functools
import os
import pathlib
import re
import sys

from golden_cases import NEXT, cases_of, golden_files, opt


def printed(shardy, text):
    """The program as it is printed without passes."""
    return opt(shardy, ["--allow-unregistered-dialect"], text)[0]


def actual(shardy, case):
    """The sections that fit, `stays` where that was expected and holds; and what comes out."""
    output, found = opt(shardy, case.arguments, case.input)
    sections = {"diagnostics": "".join(f"{at or ':'} {kind}: {what}\n" + "".join(f"note: {note}\n" for note in notes)
                                for at, kind, what, notes in found if kind != "error"),
                "fails": "".join(f"{at or ':'} {what}\n" for at, kind, what, _ in found if kind == "error")}
    sections = {name: text for name, text in sections.items() if text}
    if "fails" not in sections:
        stays = "stays" in case.expected and output == printed(shardy, case.input)
        sections |= {"stays": ""} if stays else {"becomes": output}
    return sections, output


def complaint(shardy, case):
    """Returns the difference of a case from its output, or None."""
    sections, output = actual(shardy, case)
    if sections != case.expected:
        want, have = (case.text(each).splitlines() for each in (case.expected, sections))
        return "\n".join(difflib.unified_diff(want, have, "expected", "is", lineterm=""))
    if re.search(r"warning: .*\n(?!note)", sections.get("diagnostics", "")):
        return "a warning does not say what to do"
    if case.is_idempotent and output and opt(shardy, case.arguments, output)[0] != output:
        return "done twice it changes the program again"
    return None


def check(shardy, golden):
    """Checks all cases; returns True if any does not fit."""
    cases = [case for path in golden_files(golden) for case in cases_of(path)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = list(pool.map(functools.partial(complaint, shardy), cases))
    for case, why in zip(cases, complaints):
        if why:
            print(f"{case.path}:{case.line}: {why}\n")
    print(f"{sum(map(bool, complaints))} of {len(cases)} cases do not fit")
    return any(complaints) or not cases


def approve(shardy, path):
    path.write_text(NEXT.join(case.text(actual(shardy, case)[0]) for case in cases_of(path)))


def main(shardy, *words):
    if words[0] != "--approve":
        return check(shardy, pathlib.Path(words[0]))
    for word in words[1:]:
        approve(shardy, pathlib.Path(word))
    return False


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 2 else __doc__)
